//! Walks a zone signed with NSEC, whose records name the next name each (RFC 4034 §4). Of one signed with NSEC3 (RFC
//! 5155) it names what the word list tells.

use crate::ask::delegation::found_below;
use crate::ask::hashed_zone;
use crate::ask::host::is_below;
use crate::read::nsec3::types;
use crate::{Answer, Context, Plan, Sights, Task, TaskError};
use ambit_model::entity::domain;
use ambit_model::entity::domain::ZoneWalk;
use ambit_model::observation::Sighting;
use ambit_model::{EdgeKind, Facts, Kind, TaskName, workflow};
use ambit_net::NetError;
use ambit_net::dns::{Rcode, Record, RecordData, RecordType};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) const TASK: Task = Task {
    name: TaskName::NsecWalk,
    pretty_name: "Zone walk",
    description: "Follows the NSEC records of a signed zone from name to name. Of a zone with NSEC3 it gathers the \
                  hashes of all names, and names those of the word list.",
    workflows: &[workflow::EXTERNAL_DISCOVERY, workflow::CLOUD_ACCOUNTS],
    watches: &[Kind::DnsRecord, Kind::Domain],
    produces: &[Kind::DnsRecord],
    cost: 2,
    gain: 6,
    sights: Sights::All(Sighting::Entity),
    plan: |facts, _| {
        if facts.decision.scoped() { Plan::bound_if(is_zone_top(facts)) } else { Plan::No }
    },
    run: |cx| Box::pin(run(cx)),
    ..Task::ASKS_NAMES
};

/// Names of one walk: more than most organisations have, and minutes of questions.
const NAMES_MAX: usize = 10_000;
/// Names of which one walk proves that a zone can be walked: the top alone says nothing.
const PROOF_NAMES: usize = 2;

fn is_zone_top(facts: &Facts) -> bool {
    facts.kind == Kind::Domain || domain::SOA_RECORD.raw(&facts.details).is_some()
}

/// One NSEC record: the next name, and the types that this one has.
#[derive(Debug, PartialEq)]
struct Link {
    next: String,
    types: BTreeSet<u16>,
}

async fn run(cx: &Context<'_>) -> Result<Answer, TaskError> {
    let zone = cx.facts.name.as_str();
    let mut names: BTreeMap<String, BTreeSet<u16>> = BTreeMap::new();
    let mut current = zone.to_owned();
    let (mut whole, mut failure) = (false, None);
    while names.len() < NAMES_MAX {
        let link = match link(cx, zone, &current).await {
            Ok(Some(link)) => link,
            Ok(None) => break,
            Err(error @ NetError::Budget(_)) => return Err(error.into()),
            Err(error) => {
                failure = Some(error);
                break;
            }
        };
        names.insert(current, link.types);
        if link.next == zone {
            whole = true;
            break;
        }
        // A server that signs on the fly invents the next name, which prevents walking. One that leads out of the zone
        // or back is broken.
        if !is_below(&link.next, zone) || link.next.starts_with("\\000.") || names.contains_key(&link.next) {
            break;
        }
        current = link.next;
    }
    if names.len() < PROOF_NAMES {
        return match failure {
            Some(error) => Err(error.into()),
            None => hashed(cx, zone).await,
        };
    }
    cx.observe(domain::ZONE_WALK, ZoneWalk { names: names.len(), whole });
    cx.evidence("names", names.keys().map(String::as_str).collect::<Vec<_>>().join("\n").as_bytes());
    report(cx, zone, &names).await?;
    Ok(Answer::Found)
}

/// A zone that may be signed with NSEC3.
async fn hashed(cx: &Context<'_>, zone: &str) -> Result<Answer, TaskError> {
    let Some(told) = hashed_zone::told(cx, zone).await? else { return Ok(Answer::Absent) };
    if told.names.is_empty() {
        return Ok(Answer::Absent);
    }
    let all = if told.whole { "all" } else { "not all" };
    let names: Vec<&str> = told.names.keys().map(String::as_str).collect();
    cx.evidence(
        "hashes",
        format!("{} hashes, {all} of the zone; of these:\n{}", told.hashes, names.join("\n")).as_bytes(),
    );
    report(cx, zone, &told.names).await?;
    Ok(Answer::Found)
}

/// Reports the hosts among the names of a zone.
async fn report(cx: &Context<'_>, zone: &str, names: &BTreeMap<String, BTreeSet<u16>>) -> Result<(), TaskError> {
    for (name, types) in names.iter().filter(|(name, types)| is_host(name, types) && name.as_str() != zone) {
        if types.contains(&RecordType::NS.0) {
            found_below(cx, zone, name).await?;
        } else {
            cx.found_host(name, EdgeKind::Subdomain);
        }
    }
    Ok(())
}

/// The NSEC record of a name. A name that was handed to others, whose servers answer for it, has one in the zone above
/// as well: it proves that there is nothing just after the name.
async fn link(cx: &Context<'_>, zone: &str, name: &str) -> Result<Option<Link>, NetError> {
    let own = match cx.net.lookup_uncached(name, RecordType::NSEC).await {
        Ok(answer) => answer.records.iter().filter(|record| record.name == name).find_map(of_record),
        Err(NetError::Dns(_) | NetError::Timeout(_)) if name != zone => None,
        Err(error) => return Err(error),
    };
    match (own, after(name, zone)) {
        (Some(link), _) if name == zone || !is_top(&link) => Ok(Some(link)),
        (_, Some(after)) => {
            let answer = cx.net.lookup_denial(&after).await?;
            let (gap, at) = (order(&after), order(name));
            let mut links = answer.denial.iter().filter(|record| order(&record.name) == at).filter_map(of_record);
            let found = links.find(|link| link.next == zone || order(&link.next) > gap);
            // Between a label without room and the one that was made of it there is none: if it exists, it is next.
            let follows = after.len() == name.len() && answer.rcode == Rcode::NOERROR;
            let next = || Link { next: after.clone(), types: BTreeSet::from([RecordType::NS.0]) };
            Ok(found.or_else(|| follows.then(next)))
        }
        (_, None) => Ok(None),
    }
}

/// The record is that of the top of a zone, which leads on in that zone alone.
fn is_top(link: &Link) -> bool {
    link.types.contains(&RecordType::SOA.0)
}

fn of_record(record: &Record) -> Option<Link> {
    match &record.data {
        RecordData::Other { rtype, data } if *rtype == RecordType::NSEC => read(data),
        _ => None,
    }
}

/// A name that hardly a host has, between a name with all below it and the next one: `!` comes before every letter,
/// digit and hyphen. A label without room for that ends with the next letter or digit instead. `None` for the zone
/// itself.
fn after(name: &str, zone: &str) -> Option<String> {
    let (label, above) = name.split_once('.').filter(|_| name != zone)?;
    if label.len() < 63 && name.len() < 253 {
        return Some(format!("{label}!.{above}"));
    }
    let front = label.get(..label.len() - 1)?;
    let last = match label.bytes().last()? {
        b'-' => '0',
        b'9' => 'a',
        byte @ (b'0'..=b'8' | b'a'..=b'y') => char::from(byte + 1),
        _ => return None,
    };
    Some(format!("{front}{last}.{above}"))
}

/// The labels of a name in the order in which names of a zone follow each other (RFC 4034 §6.1).
fn order(name: &str) -> Vec<&str> {
    name.split('.').rev().collect()
}

/// True for a name that may be a host: it has an address, an alias, mail or servers, and is no service label or
/// wildcard.
fn is_host(name: &str, types: &BTreeSet<u16>) -> bool {
    let telling = [RecordType::A, RecordType::AAAA, RecordType::CNAME, RecordType::MX, RecordType::NS];
    telling.iter().any(|rtype| types.contains(&rtype.0))
        && !name.split('.').any(|label| label.starts_with(['_', '*', '\\']))
}

/// The data of an NSEC record: an uncompressed name, then blocks of a bitmap.
fn read(data: &[u8]) -> Option<Link> {
    let mut labels = Vec::new();
    let mut rest = data;
    loop {
        let (length, after) = rest.split_first()?;
        if *length == 0 {
            rest = after;
            break;
        }
        let (label, after) = after.split_at_checked(usize::from(*length))?;
        labels.push(label_text(label));
        rest = after;
    }
    Some(Link { next: labels.join("."), types: types(rest)? })
}

/// A label as the network writes it: lower case, bytes that no host name has as `\DDD`.
fn label_text(label: &[u8]) -> String {
    let byte = |byte: &u8| match byte {
        b'!'..=b'~' if !matches!(byte, b'.' | b'\\') => char::from(byte.to_ascii_lowercase()).to_string(),
        _ => format!("\\{byte:03}"),
    };
    label.iter().map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_names_the_next_name_and_its_own_types() {
        // host.Example.test A MX AAAA, from RFC 4034 §4.3 with another name.
        let data = b"\x04host\x07Example\x04test\x00\x00\x04\x40\x01\x00\x08";
        let link = read(data).unwrap();
        assert_eq!(link.next, "host.example.test");
        assert_eq!(link.types, BTreeSet::from([1, 15, 28]));
        assert_eq!(read(b"\x01\x00\x04test\x00").unwrap().next, "\\000.test");
        for broken in [&b""[..], b"\x04hos", b"\x01a", b"\x01a\x00\x00\x09\x40"] {
            assert_eq!(read(broken), None, "{broken:?}");
        }
    }

    #[test]
    fn what_follows_a_name_with_all_below_it_is_asked_for() {
        let after = |name: &str| super::after(name, "acme.test");
        assert_eq!(after("half.acme.test").as_deref(), Some("half!.acme.test"));
        assert_eq!(after("acme.test"), None);
        let long = |last: char| format!("{}{last}.acme.test", "a".repeat(62));
        for (last, next) in [('a', 'b'), ('9', 'a'), ('-', '0')] {
            assert_eq!(after(&long(last)), Some(long(next)));
        }
        assert_eq!(after(&long('z')), None, "nothing that a host may be called comes after it");
        let mut names = ["half-a.acme.test", "half!.acme.test", "z.half.acme.test", "half.acme.test", "acme.test"];
        names.sort_by_key(|name| order(name));
        assert_eq!(names, ["acme.test", "half.acme.test", "z.half.acme.test", "half!.acme.test", "half-a.acme.test"]);
    }

    #[test]
    fn only_names_that_may_be_hosts_are_followed() {
        let address = BTreeSet::from([1]);
        assert!(is_host("www.acme.test", &address));
        assert!(!is_host("_dmarc.acme.test", &BTreeSet::from([16])));
        assert!(!is_host("*.acme.test", &address));
        assert!(!is_host("empty.acme.test", &BTreeSet::from([46, 47])));
    }
}
