//! Checks whether a name server transfers the whole zone to anybody.

use crate::ask::delegation::{self, Judged, edge_or, edge_untold};
use crate::ask::host::{is_below, same_domain};
use crate::ask::together::together;
use crate::context::LEADS_MAX;
use crate::{Answer, Context, Plan, Result, Sights, Task, TaskError};
use ambit_model::entity::domain;
use ambit_model::entity::domain::ZoneTransfer;
use ambit_model::observation::Sighting;
use ambit_model::{Clearance, EdgeKind, Facts, Kind, TaskName, Wave, workflow};
use ambit_net::NetError;
use ambit_net::dns::{Record, RecordData, RecordType, Transfer, Unfinished};
use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

pub(crate) const TASK: Task = Task {
    name: TaskName::ZoneTransfer,
    pretty_name: "Zone transfer",
    description: "Asks a zone's own name servers for all of it (AXFR).",
    workflows: &[workflow::EXTERNAL_DISCOVERY, workflow::CLOUD_ACCOUNTS],
    watches: &[Kind::DnsRecord, Kind::Domain],
    produces: &[Kind::DnsRecord],
    footprint: Clearance::L3,
    wave: Wave::Words,
    cost: 3,
    gain: 30,
    sights: Sights::All(Sighting::Entity),
    plan: |facts, _| {
        if facts.decision.scoped() { Plan::bound(own_servers(facts)) } else { Plan::No }
    },
    run: |cx| Box::pin(run(cx)),
    ..Task::ASKS_NAMES
};

/// Port of DNS over TCP.
pub(crate) const PORT: u16 = 53;
/// Wire time after which a server that gave nothing is asked once more: limits are mostly for a second.
const AGAIN_AFTER: Duration = Duration::from_secs(2);
/// Names of a part of a zone which are asked for at once.
const IN_FLIGHT: usize = 64;
/// Records of a transferred zone that are kept as evidence.
const EVIDENCE_RECORDS_MAX: usize = 5_000;

/// Returns the name servers of the domain whose names lie within it. Others are third parties' machines.
pub(crate) fn own_servers(facts: &Facts) -> Vec<String> {
    let member = if facts.kind == Kind::Domain { domain::NAMESERVERS } else { domain::CUT_NAMESERVERS };
    let names = member.texts(&facts.details).filter(|server| same_domain(server, &facts.name));
    names.map(str::to_owned).collect()
}

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let zone = cx.facts.name.as_str();
    let mut failure = None;
    for address in cx.net.addresses(cx.argument).await? {
        match transfer(cx, SocketAddr::new(address, PORT), zone).await {
            Ok(Transfer::Given { records, unfinished }) if !records.is_empty() => {
                read(cx, &records);
                if let Some(unfinished) = unfinished {
                    return Ok(tell_part(cx, zone, &records, unfinished).await);
                }
                names(zone, &records).iter().for_each(|(name, edge)| cx.found_host(name, *edge));
                return Ok(Answer::Found);
            }
            Ok(_) => failure = failure.or(Some(None)),
            Err(NetError::ConnectionRefused) => failure = failure.or(Some(None)),
            Err(error) => failure = Some(Some(error)),
        }
    }
    match failure.flatten() {
        Some(error) => Err(error.into()),
        None => Ok(Answer::Absent),
    }
}

/// Asks a server for the zone, and after a pause once more where it refuses or says nothing: it may answer few
/// questions a second. One that then refuses the zone's own record too refuses more than the zone.
async fn transfer(cx: &Context<'_>, server: SocketAddr, zone: &str) -> Result<Transfer, NetError> {
    match cx.net.transfer(server, zone).await {
        Ok(Transfer::Denied(_)) => {}
        Err(error) if TaskError::from(error.clone()).is_no_answer() && error != NetError::ConnectionRefused => {}
        told => return told,
    }
    cx.net.sleep(AGAIN_AFTER).await;
    let told = cx.net.transfer(server, zone).await;
    if matches!(told, Ok(Transfer::Denied(_))) {
        cx.net.ask(server, zone, RecordType::SOA).await?;
    }
    told
}

/// Notes that the zone was given, and what of it.
fn read(cx: &Context<'_>, records: &[Record]) {
    let distinct: BTreeSet<&Record> = records.iter().collect();
    cx.observe(domain::ZONE_TRANSFER, vec![ZoneTransfer { server: cx.argument.to_owned(), records: distinct.len() }]);
    let text: Vec<String> = distinct
        .iter()
        .take(EVIDENCE_RECORDS_MAX)
        .map(|record| format!("{}. {} {} {}", record.name, record.ttl, record.data.rtype(), record.data))
        .collect();
    cx.evidence("zone", text.join("\n").as_bytes());
}

/// Leads to the names of a zone of which a part came. The records that hand a name to others may be missing, so that
/// the zone is asked for each; names that did not come, or for which there is no room, stay what they were.
async fn tell_part(cx: &Context<'_>, zone: &str, records: &[Record], unfinished: Unfinished) -> Answer {
    let names: BTreeMap<String, EdgeKind> = names(zone, records).into_iter().take(LEADS_MAX).collect();
    let ask = |(name, edge): (String, EdgeKind)| async move {
        let told = if edge == EdgeKind::Subdomain { edge_or(cx, zone, &name, edge).await } else { Ok(edge) };
        let (edge, failure) = match told {
            Ok(edge) => (edge, None),
            Err(error) => (edge_untold(cx, &name, edge), Some(error)),
        };
        cx.found_host(&name, edge);
        failure
    };
    let failures = together(names.clone().into_iter().map(ask), IN_FLIGHT).await;
    let known = cx.facts.led_to(TASK.name, cx.argument);
    known.filter(|known| !names.contains_key(&known.name)).for_each(|known| cx.stands(known));
    let end = match unfinished {
        Unfinished::BrokeOff => format!("the zone broke off after {} records", records.len()),
        Unfinished::Limit(limit) => {
            format!("only the first {} records of the zone were read: the limit is {limit}", records.len())
        }
    };
    Answer::InPart(failures.into_iter().flatten().next().unwrap_or(TaskError::Failed(end)))
}

/// Names below the zone that it hands to others: here the zone above says so itself.
fn away<'a>(zone: &str, records: &'a [Record]) -> BTreeSet<&'a str> {
    let mut servers: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    let mut glue: BTreeMap<&str, BTreeSet<IpAddr>> = BTreeMap::new();
    for record in records {
        match &record.data {
            RecordData::Ns(server) => {
                servers.entry(&record.name).or_default().insert(server.clone());
            }
            RecordData::A(address) => {
                glue.entry(&record.name).or_default().insert(IpAddr::V4(*address));
            }
            RecordData::Aaaa(address) => {
                glue.entry(&record.name).or_default().insert(IpAddr::V6(*address));
            }
            _ => {}
        }
    }
    let own = servers.remove(zone).unwrap_or_default();
    let machines: BTreeSet<IpAddr> =
        own.iter().filter_map(|server| glue.get(server.as_str())).flatten().copied().collect();
    let at_own_machines =
        |server: &String| glue.get(server.as_str()).is_some_and(|addresses| addresses.is_subset(&machines));
    let kept = |cut: &str, set: &BTreeSet<String>| match delegation::judged(zone, cut, set, &own) {
        Judged::Kept => true,
        Judged::Handed => false,
        Judged::Inside(servers) => servers.iter().all(|server| at_own_machines(server)),
    };
    let below = servers.iter().filter(|(cut, _)| is_below(cut, zone));
    below.filter(|(cut, set)| !kept(cut, set)).map(|(cut, _)| *cut).collect()
}

/// Host names in a zone, which may hold names of other bytes as well, with the edge that leads to each: at and below a
/// cut that leads away, a name is somebody else's.
fn names(zone: &str, records: &[Record]) -> BTreeMap<String, EdgeKind> {
    let away = away(zone, records);
    let host = |record: &&Record| {
        let data = matches!(
            record.data,
            RecordData::A(_) | RecordData::Aaaa(_) | RecordData::Cname(_) | RecordData::Mx { .. } | RecordData::Ns(_)
        );
        data && is_below(&record.name, zone)
            && !record.name.split('.').any(|label| label.starts_with(['_', '*']))
            && Kind::of_host(&record.name).is_ok()
    };
    let edge = |name: &str| {
        let delegated = away.iter().any(|cut| name == *cut || is_below(name, cut));
        if delegated { EdgeKind::DelegatedSubdomain } else { EdgeKind::Subdomain }
    };
    records.iter().filter(host).map(|record| (record.name.clone(), edge(&record.name))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(name: &str, data: RecordData) -> Record {
        Record { name: name.to_owned(), data, ttl: 60 }
    }

    #[test]
    fn a_zone_names_its_hosts_and_what_it_gave_away() {
        let ns = |server: &str| RecordData::Ns(server.to_owned());
        let a = || RecordData::A("203.0.113.1".parse().unwrap());
        let records = [
            record("acme.test", ns("ns1.acme.test")),
            record("www.acme.test", a()),
            record("*.acme.test", a()),
            record("a\\255.acme.test", a()),
            record("_dmarc.acme.test", RecordData::Txt(vec![b"v=DMARC1".to_vec()])),
            record("own.acme.test", ns("ns1.acme.test")),
            record("shop.acme.test", ns("ns.vendor.test")),
            record("x.shop.acme.test", a()),
            record("other.test", a()),
        ];
        let names: Vec<(String, EdgeKind)> = names("acme.test", &records).into_iter().collect();
        let expected = [
            ("own.acme.test", EdgeKind::Subdomain),
            ("shop.acme.test", EdgeKind::DelegatedSubdomain),
            ("www.acme.test", EdgeKind::Subdomain),
            ("x.shop.acme.test", EdgeKind::DelegatedSubdomain),
        ];
        assert_eq!(names, expected.map(|(name, edge)| (name.to_owned(), edge)));
    }
}
