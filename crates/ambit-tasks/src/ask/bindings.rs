//! Bindings: at which address a name or a site is looked at. A binding is written `203.0.113.7:443` or
//! `[2001:db8::1]:443`.

use crate::history::within;
use crate::task::beyond;
use crate::{Context, Plan};
use ambit_model::entity::host_of;
use ambit_model::entity::{domain, ip_address};
use ambit_model::facts::Neighbour;
use ambit_model::{Clearance, EdgeKind, Facts, Kind, TaskName};
use ambit_net::http::Url;
use ambit_net::{NetError, Phase};
use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};

/// Addresses per name that are looked at; more are a pool of equals.
const ADDRESSES_MAX: usize = 16;

/// Returns true for a failure that shows that the binding accepts no connections: it refuses them, or stays silent as
/// filters do.
pub(crate) fn is_closed(error: &NetError) -> bool {
    matches!(error, NetError::ConnectionRefused | NetError::Timeout(Phase::Connecting))
}

/// Addresses that a name resolves to, ascending, with the ports known to be open on each: as many as are looked at,
/// first those where it was looked at before, so that nothing is gone because others came before it.
fn addresses(facts: &Facts) -> Vec<(IpAddr, BTreeSet<u16>)> {
    let mut found: Vec<(IpAddr, BTreeSet<u16>)> = facts
        .to(EdgeKind::ResolvesTo)
        .filter_map(|neighbour| Some((neighbour.name.parse().ok()?, open_ports(&neighbour.details))))
        .collect();
    found.sort();
    found.dedup_by_key(|(address, _)| *address);
    if found.len() <= ADDRESSES_MAX {
        return found;
    }
    let known: BTreeSet<IpAddr> = probed(facts).map(|(address, _)| address).collect();
    within(found, ADDRESSES_MAX, |(address, _)| known.contains(address))
}

/// Bindings where something was looked at, with their addresses.
fn probed(facts: &Facts) -> impl Iterator<Item = (IpAddr, &String)> {
    let arguments = facts.probes.values().flat_map(|probes| probes.keys());
    arguments.filter_map(|argument| Some((argument.parse::<SocketAddr>().ok()?.ip(), argument)))
}

/// Says of how many addresses of a name its tasks do not look at it.
pub(crate) fn left_out(facts: &Facts) -> Option<String> {
    let addresses: BTreeSet<&str> = facts.to(EdgeKind::ResolvesTo).map(|address| address.name.as_str()).collect();
    beyond(addresses.len(), ADDRESSES_MAX, "addresses")
}

/// TCP ports in an address' details.
pub(crate) fn open_ports(details: &ambit_model::Details) -> BTreeSet<u16> {
    let ports = ip_address::PORTS.items(details);
    ports.filter(|port| port.protocol != "udp").map(|port| port.number).collect()
}

/// Ports other than 443 on which a name's HTTPS records say that its own addresses serve it.
pub(crate) fn announced_ports(name: &str, details: &ambit_model::Details) -> BTreeSet<u16> {
    let chain: Vec<&str> = domain::CNAME_CHAIN.texts(details).chain([name]).collect();
    domain::HTTPS.items(details).filter_map(|record| record.port_at(&chain)).collect()
}

/// Reports that services of an address stand to which a task led before, on ports that it could not ask now. Returns
/// their ports.
pub(crate) fn services_stand(cx: &Context<'_>, task: TaskName, unasked: &BTreeSet<u16>) -> BTreeSet<u16> {
    let mut ports = BTreeSet::new();
    for service in cx.facts.led_to(task, cx.argument) {
        let socket = service.name.rsplit_once('/').and_then(|(socket, _)| socket.parse::<SocketAddr>().ok());
        if let Some(socket) = socket.filter(|socket| unasked.contains(&socket.port())) {
            cx.stands(service);
            ports.insert(socket.port());
        }
    }
    ports
}

/// Bindings of a name: every address with the usual ports and with those of its open ports that the filter takes.
pub(crate) fn of_name(facts: &Facts, usual: &[u16], take: impl Fn(u16) -> bool) -> Vec<String> {
    let mut bindings = Vec::new();
    for (address, open) in addresses(facts) {
        let ports: BTreeSet<u16> = open.into_iter().filter(|port| take(*port)).chain(usual.iter().copied()).collect();
        bindings.extend(ports.into_iter().map(|port| SocketAddr::new(address, port).to_string()));
    }
    bindings
}

/// A plan over bindings. Those at addresses without clearance, and at more addresses than are looked at, keep their
/// observations and are not probed. Behind an alias to a third party nothing is bound but what is theirs by itself:
/// whatever was seen of the name at that address is not what it leads to now, and that another name of theirs may be
/// visited there does not permit this one.
pub(crate) fn plan(facts: &Facts, bindings: impl IntoIterator<Item = String>) -> Plan {
    let has_foreign_alias = facts.to(EdgeKind::Alias).any(|target| !target.scoped);
    let of = |holds: fn(&Neighbour) -> bool| -> BTreeSet<IpAddr> {
        let addresses = facts.to(EdgeKind::ResolvesTo).filter(|address| holds(address));
        addresses.filter_map(|address| address.name.parse().ok()).collect()
    };
    let known = of(|address| address.clearance == Clearance::L1);
    let foreign = if has_foreign_alias { of(|address| !address.scoped) } else { BTreeSet::new() };
    let is_at = |addresses: &BTreeSet<IpAddr>, binding: &str| {
        binding.parse::<SocketAddr>().is_ok_and(|socket| addresses.contains(&socket.ip()))
    };
    let mut bound: BTreeSet<String> = bindings.into_iter().filter(|binding| !is_at(&foreign, binding)).collect();
    let asked = bound.iter().filter(|binding| !is_at(&known, binding)).cloned().collect();
    if facts.to(EdgeKind::ResolvesTo).nth(ADDRESSES_MAX).is_some() {
        let mut beyond = of(|_| true);
        for (address, _) in addresses(facts) {
            beyond.remove(&address);
        }
        let stays = probed(facts).filter(|(address, _)| beyond.contains(address) && !foreign.contains(address));
        bound.extend(stays.map(|(_, binding)| binding.clone()));
    }
    Plan::Bound { asked, bound: bound.into_iter().collect() }
}

/// Bindings of a site: its own address where its host is one; else the addresses at which the names and sites that lead
/// here were looked at.
pub(crate) fn of_site(facts: &Facts) -> Vec<String> {
    let Ok(url) = Url::parse(&facts.name) else {
        return Vec::new();
    };
    if let Some(address) = url.ip() {
        return vec![SocketAddr::new(address, url.port).to_string()];
    }
    let led = facts.inward.iter().filter(|neighbour| matches!(neighbour.edge, EdgeKind::Site | EdgeKind::Page));
    let bindings: BTreeSet<String> = led
        .filter_map(|neighbour| neighbour.argument.parse::<SocketAddr>().ok())
        .map(|socket| SocketAddr::new(socket.ip(), url.port).to_string())
        .collect();
    bindings.into_iter().collect()
}

/// Returns one of them, for probes that run once per site: all addresses of a name serve the same.
pub(crate) fn one_of_site(facts: &Facts) -> Option<String> {
    of_site(facts).into_iter().next()
}

/// The same, for tasks that look at a site as a whole: only where its path is the root.
pub(crate) fn of_root_site(facts: &Facts) -> Vec<String> {
    let root = Url::parse(&facts.name).is_ok_and(|url| url.path == "/");
    if root { of_site(facts) } else { Vec::new() }
}

/// The TCP socket of an entity: of a service by its name, of a site by its argument.
pub(crate) fn socket(kind: Kind, name: &str, argument: &str) -> Option<SocketAddr> {
    match kind {
        Kind::NetworkService => name.strip_suffix("/tcp")?.parse().ok(),
        _ => argument.parse().ok(),
    }
}

/// The UDP socket of a service.
pub(crate) fn datagram_socket(name: &str) -> Option<SocketAddr> {
    name.strip_suffix("/udp")?.parse().ok()
}

/// The host of an entity as SNI: `None` for an address.
pub(crate) fn server_name(name: &str) -> Option<&str> {
    let host = host_of(name);
    host.parse::<IpAddr>().is_err().then_some(host)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_model::Timestamp;
    use ambit_model::facts::{LastProbe, ProbeOutcome};

    #[test]
    fn of_more_addresses_than_are_looked_at_those_that_are_known_come_first_and_the_others_stay() {
        let mut facts = crate::tests::facts(Kind::DnsRecord, "www.acme.test", serde_json::json!({}));
        let neighbour = |last: usize| Neighbour {
            edge: EdgeKind::ResolvesTo,
            task: "resolve".to_owned(),
            argument: String::new(),
            uid: ambit_model::Uid::from_bytes([1; 32]),
            kind: Kind::IpAddress,
            name: format!("203.0.113.{last}"),
            scoped: true,
            by_evidence: false,
            clearance: Clearance::L3,
            details: std::sync::Arc::default(),
        };
        facts.outward = (1..=18).map(neighbour).collect();
        let plan = |facts: &Facts| {
            let Plan::Bound { asked, bound } = plan(facts, of_name(facts, &[443], |_| false)) else { panic!("bound") };
            (asked.len(), asked.contains(&"203.0.113.18:443".to_owned()), bound)
        };
        let (asked, is_asked, bound) = plan(&facts);
        assert_eq!((asked, is_asked, bound.len()), (16, false, 16));
        let probe = || LastProbe::new(ProbeOutcome::Found, Timestamp(0), 1);
        let probes = facts.probes.entry(TaskName::HttpProbe).or_default();
        probes.insert("203.0.113.18:443".to_owned(), probe());
        assert!(plan(&facts).1, "it was looked at before");
        for last in 1..=18 {
            let probes = facts.probes.entry(TaskName::HttpProbe).or_default();
            probes.insert(format!("203.0.113.{last}:443"), probe());
        }
        let (asked, is_asked, bound) = plan(&facts);
        assert_eq!((asked, is_asked, bound.len()), (16, false, 18), "what is known of it stays");
        let said = "2 addresses are left out: no more than 16 are asked about";
        assert_eq!(left_out(&facts).as_deref(), Some(said));
    }

    #[test]
    fn a_service_is_looked_at_where_its_name_says() {
        assert_eq!(socket(Kind::NetworkService, "203.0.113.7:22/tcp", ""), "203.0.113.7:22".parse().ok());
        assert_eq!(socket(Kind::NetworkService, "[2001:db8::1]:22/tcp", ""), "[2001:db8::1]:22".parse().ok());
        assert_eq!(socket(Kind::NetworkService, "203.0.113.7:161/udp", ""), None);
        assert_eq!(datagram_socket("203.0.113.7:161/udp"), "203.0.113.7:161".parse().ok());
        assert_eq!(socket(Kind::DnsRecord, "www.acme.test", "203.0.113.7:443"), "203.0.113.7:443".parse().ok());
        assert_eq!(server_name("https://[2001:db8::1]:443/x"), None);
        assert_eq!(server_name("https://www.acme.test:443"), Some("www.acme.test"));
    }
}
