//! The network of a name, a service or a site: what is known of its address, carried over. Sends nothing.
//!
//! The argument names the source of what is carried and the address (`registration 203.0.113.7`), for a site with the
//! port (`registration 203.0.113.7:443`), and is planned only once that source has spoken: so the answer does not
//! depend on the order of work.

use crate::task::OF_SITES;
use crate::{Answer, Context, Plan, Result, Task};
use ambit_model::entity::{Member, ip_address, network};
use ambit_model::facts::Neighbour;
use ambit_model::{EdgeKind, Facts, Kind, TaskName};
use serde_json::{Value, json};
use std::net::SocketAddr;

pub(crate) const TASK: Task = Task {
    name: TaskName::Network,
    pretty_name: "Network",
    description: "Copies what is known about an address to the names, services and sites on it.",
    workflows: OF_SITES,
    watches: &[Kind::DnsRecord, Kind::Domain, Kind::IpAddress, Kind::NetworkService, Kind::Uri],
    cost: 1,
    gain: 2,
    plan: |facts, _| match facts.kind {
        Kind::IpAddress => Plan::Once,
        _ => Plan::bound(carried(facts).into_iter().map(|(argument, _)| argument)),
    },
    run: |cx| Box::pin(run(cx)),
    ..Task::DERIVES
};

/// Items carried to one entity.
const CARRIED_MAX: usize = 32;

async fn run(cx: &Context<'_>) -> Result<Answer> {
    if cx.facts.kind == Kind::IpAddress {
        cx.observe(ip_address::NAME, json!(cx.facts.name));
        cx.observe(ip_address::VERSION, json!(if cx.facts.name.contains(':') { 6 } else { 4 }));
        cx.observe(ip_address::WHITELIST, json!(false));
        return Ok(Answer::Found);
    }
    let found = carried(cx.facts).into_iter().find(|(argument, _)| argument == cx.argument);
    let Some((_, item)) = found else {
        return Ok(Answer::Absent);
    };
    let carried = |of: &str| item.get(of).filter(|value| !value.is_null()).cloned();
    let carry = |member: Member, of: &str| {
        if let Some(value) = carried(of) {
            cx.observe(member, value);
        }
    };
    if matches!(cx.facts.kind, Kind::NetworkService | Kind::Uri) {
        carry(network::ASN, "asn");
        if let Some(name) = carried("net_name") {
            cx.observe(network::NET_NAME, name.as_str().map(str::to_owned));
        }
        carry(network::NET_BLOCK, "block");
        carry(network::NET_COUNTRY_CODE, "country_code");
        carry(network::HOST_ID, "host_id");
        if cx.facts.kind == Kind::Uri {
            carry(network::NET_GEO, "country_code");
        }
    }
    if cx.facts.kind != Kind::DnsRecord {
        carry(network::GEOLOCATION, "geolocation");
    }
    cx.observe(network::CARRIED, vec![item]);
    Ok(Answer::Found)
}

/// What the neighbours know of the entity's addresses, by argument.
fn carried(facts: &Facts) -> Vec<(String, Value)> {
    let mut items: Vec<(String, Value)> = match facts.kind {
        Kind::NetworkService => facts.from(EdgeKind::Service).flat_map(of_address).collect(),
        Kind::Uri => facts.from(EdgeKind::Site).flat_map(of_neighbour).collect(),
        _ => facts.to(EdgeKind::ResolvesTo).flat_map(of_address).collect(),
    };
    items.sort_by(|a, b| a.0.cmp(&b.0));
    items.dedup_by(|a, b| a.0 == b.0);
    items.truncate(CARRIED_MAX);
    items
}

/// What an address knows of itself.
fn of_address(address: &Neighbour) -> Vec<(String, Value)> {
    let details = &*address.details;
    let registration = network::NET_NAME.raw(details).map(|name| {
        json!({
            "source": "registration", "address": address.name, "asn": ip_address::NETWORK_ASN.raw(details),
            "net_name": name, "block": ip_address::NETWORK_BLOCK.raw(details),
            "country_code": ip_address::NETWORK_COUNTRY_CODE.raw(details), "host_id": address.uid.integer(),
        })
    });
    let geolocation = network::GEOLOCATION.raw(details).map(|place| {
        json!({"source": "geolocation", "address": address.name, "geolocation": place,
        "host_id": address.uid.integer()})
    });
    let items = [("registration", registration), ("geolocation", geolocation)];
    let spoken = items.into_iter().filter_map(|(source, item)| Some((source, item?)));
    spoken.map(|(source, item)| (format!("{source} {}", address.name), item)).collect()
}

/// What was carried to a name or a service, carried on to its site: only of the address where the site was seen. The
/// argument names the socket as those of the tasks that ask the site do, so that of several addresses the same one
/// describes the site and its network.
fn of_neighbour(neighbour: &Neighbour) -> Vec<(String, Value)> {
    let socket = if neighbour.kind == Kind::NetworkService {
        neighbour.name.trim_end_matches("/tcp")
    } else {
        neighbour.argument.as_str()
    };
    let Ok(socket) = socket.parse::<SocketAddr>() else { return Vec::new() };
    let seen_at = socket.ip().to_string();
    let items = network::CARRIED.items(&neighbour.details);
    let items = items.filter(|item| item.get("address").and_then(Value::as_str) == Some(&seen_at));
    items.filter_map(|item| Some((format!("{} {socket}", item.get("source")?.as_str()?), item.clone()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_model::{Clearance, Uid};

    fn neighbour(edge: EdgeKind, kind: Kind, name: &str, argument: &str, details: Value) -> Neighbour {
        Neighbour {
            edge,
            task: "resolve".into(),
            argument: argument.into(),
            uid: Uid::from_bytes([1; 32]),
            kind,
            name: name.into(),
            scoped: true,
            by_evidence: false,
            clearance: Clearance::L3,
            details: details.as_object().cloned().unwrap_or_default().into(),
        }
    }

    #[test]
    fn nothing_is_carried_before_its_source_has_spoken() {
        let mut facts = crate::tests::facts(Kind::DnsRecord, "www.acme.test", json!({}));
        facts.outward.push(neighbour(EdgeKind::ResolvesTo, Kind::IpAddress, "203.0.113.7", "", json!({})));
        assert!(carried(&facts).is_empty());
        let known = json!({
            "net_name": "ACME-NET", "network.asn": 64500, "network.block": "203.0.113.0/24",
            "network.country_code": "DE",
        });
        facts.outward[0].details = known.as_object().cloned().unwrap().into();
        let carried = carried(&facts);
        assert_eq!(carried[0].0, "registration 203.0.113.7");
        assert_eq!(carried[0].1["asn"], 64_500);
        assert_eq!(carried[0].1["block"], "203.0.113.0/24");
    }

    #[test]
    fn a_site_gets_only_the_address_where_it_was_seen() {
        let mut facts = crate::tests::facts(Kind::Uri, "https://www.acme.test:443", json!({}));
        let networks = json!({"hidden_network": [
            {"source": "registration", "address": "203.0.113.7", "net_name": "A"},
            {"source": "registration", "address": "203.0.113.8", "net_name": "B"},
        ]});
        facts.inward.push(neighbour(EdgeKind::Site, Kind::DnsRecord, "www.acme.test", "203.0.113.8:443", networks));
        let arguments = |facts: &Facts| carried(facts).into_iter().map(|(argument, _)| argument).collect::<Vec<_>>();
        assert_eq!(arguments(&facts), ["registration 203.0.113.8:443"]);

        // It answers at two addresses: the first of them is the one that describes it.
        let networks = json!({"hidden_network": [
            {"source": "registration", "address": "2001:db8::8", "net_name": "SIX"},
            {"source": "registration", "address": "203.0.113.8", "net_name": "B"},
        ]});
        let at = |address: &str| neighbour(EdgeKind::Site, Kind::DnsRecord, "www.acme.test", address, networks.clone());
        facts.inward = vec![at("[2001:db8::8]:443"), at("203.0.113.8:443")];
        assert_eq!(arguments(&facts), ["registration 203.0.113.8:443", "registration [2001:db8::8]:443"]);
    }
}
