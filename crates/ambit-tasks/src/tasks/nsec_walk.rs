//! Walks a zone signed with NSEC, whose records name the next name each (RFC 4034 §4). Of one signed with NSEC3 (RFC
//! 5155) it names what the word list tells.

use crate::ask::delegation::found_below;
use crate::ask::hashed_zone;
use crate::ask::host::is_below;
use crate::ask::wild::control;
use crate::read::nsec::Link;
use crate::{Answer, Context, Plan, Result, Sights, Task, TaskError};
use ambit_model::entity::domain;
use ambit_model::entity::domain::ZoneWalk;
use ambit_model::observation::Sighting;
use ambit_model::{EdgeKind, Facts, Kind, TaskName, workflow};
use ambit_net::NetError;
use ambit_net::dns::{Rcode, RecordType, label_bytes};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

pub(crate) const TASK: Task = Task {
    name: TaskName::NsecWalk,
    pretty_name: "Zone walk",
    description: "Follows the NSEC records of a signed zone from name to name. In a zone with NSEC3 it collects the \
                  hashes of all names, and resolves those that the word list contains.",
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
/// Characters that a made-up name has in common with the one that was asked for, and no real one has by chance.
const BESIDE: usize = 12;

fn is_zone_top(facts: &Facts) -> bool {
    facts.kind == Kind::Domain || domain::SOA_RECORD.raw(&facts.details).is_some()
}

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let zone = cx.facts.name.as_str();
    let mut names: BTreeMap<String, BTreeSet<u16>> = BTreeMap::new();
    let mut current = zone.to_owned();
    let (mut whole, mut failure) = (false, None);
    while names.len() < NAMES_MAX {
        let link = match link(cx, zone, &current).await {
            Ok(Some(link)) => link,
            // The zone has such a chain, and where it leads is not told.
            Ok(None) if current != zone && names.len() < PROOF_NAMES => {
                return Err(TaskError::Failed(format!("no record says what comes after {current}")));
            }
            Ok(None) => break,
            Err(error @ NetError::Budget(_)) => return Err(error.into()),
            Err(error) => {
                failure = Some(error);
                break;
            }
        };
        names.insert(current.clone(), link.types);
        if link.next == zone {
            whole = true;
            break;
        }
        // A server that signs on the fly invents the next name, which prevents walking. One that leads out of the zone
        // or back is broken.
        if !is_below(&link.next, zone) || link.next.starts_with("\\000.") || names.contains_key(&link.next) {
            break;
        }
        if names.len() == 1 && makes_up(cx, zone).await? {
            return Ok(Answer::Absent);
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
    if names.len() >= NAMES_MAX {
        cx.leave_out(format!("names of the zone beyond {NAMES_MAX}"));
    }
    if !whole {
        // The chain shows that what it leaves out is gone, up to the name at which the walk ended.
        let end = order(&current);
        let is_behind = |name: &str| order(name) >= end && !names.contains_key(name);
        let known = cx.facts.led_to(TASK.name, cx.argument);
        known.filter(|known| is_behind(&known.name)).for_each(|known| cx.stands(known));
    }
    Answer::despite(true, failure.map(TaskError::from))
}

/// A zone that may be signed with NSEC3.
async fn hashed(cx: &Context<'_>, zone: &str) -> Result<Answer> {
    let known = || cx.facts.led_to(TASK.name, cx.argument);
    let names = known().map(|known| known.name.clone()).collect();
    let Some(told) = hashed_zone::told(cx, zone, names).await? else { return Ok(Answer::Absent) };
    if told.names.is_empty() {
        let failure = format!("{} hashes do not say whether known names are there", told.hashes);
        return Answer::despite(false, (!told.untold.is_empty()).then_some(TaskError::Failed(failure)));
    }
    let all = if told.whole { "all" } else { "not all" };
    let names: Vec<&str> = told.names.keys().map(String::as_str).collect();
    cx.evidence(
        "hashes",
        format!("{} hashes, {all} of the zone; of these:\n{}", told.hashes, names.join("\n")).as_bytes(),
    );
    report(cx, zone, &told.names).await?;
    known().filter(|known| told.untold.contains(&known.name)).for_each(|known| cx.stands(known));
    if !told.whole {
        cx.leave_out(format!("names of the zone beyond {} hashes", told.hashes));
    }
    Ok(Answer::Found)
}

/// Reports the hosts among the names of a zone.
async fn report(cx: &Context<'_>, zone: &str, names: &BTreeMap<String, BTreeSet<u16>>) -> Result<()> {
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
    let (own, failure) = match cx.net.lookup_uncached(name, RecordType::NSEC).await {
        Ok(answer) => (answer.records.iter().filter(|record| record.name == name).find_map(Link::of), None),
        Err(error @ (NetError::Dns(_) | NetError::Timeout(_))) if name != zone => (None, Some(error)),
        Err(error) => return Err(error),
    };
    let found = match (own, after(name, zone)) {
        (Some(link), _) if name == zone || !is_top(&link) => Some(link),
        (_, Some(after)) => {
            let answer = cx.net.lookup_denial(&after).await?;
            let (gap, at) = (order(&after), order(name));
            let mut links = answer.denial.iter().filter(|record| order(&record.name) == at).filter_map(Link::of);
            let found = links.find(|link| link.next == zone || order(&link.next) > gap);
            // Between a label without room and the one that was made of it there is none: if it exists, it is next.
            let follows = after.len() == name.len() && answer.rcode == Rcode::NOERROR;
            let next = || Link { next: after.clone(), types: BTreeSet::from([RecordType::NS.0]) };
            found.or_else(|| follows.then(next))
        }
        (_, None) => None,
    };
    match failure {
        Some(failure) if found.is_none() => Err(failure),
        _ => Ok(found),
    }
}

/// True where a name that nobody has is denied by a record that begins or ends beside it: the servers make records up
/// for each question (RFC 4470, RFC 9824), and would go on as long as they are asked.
async fn makes_up(cx: &Context<'_>, zone: &str) -> Result<bool, NetError> {
    let name = control(zone, 0, zone);
    let beside = &name[..BESIDE];
    let answer = cx.net.lookup_denial(&name).await?;
    Ok(answer.denial.iter().any(|record| {
        let next = Link::of(record).map(|link| link.next);
        next.is_some_and(|next| record.name.starts_with(beside) || next.starts_with(beside))
    }))
}

/// The record is that of the top of a zone, which leads on in that zone alone.
fn is_top(link: &Link) -> bool {
    link.types.contains(&RecordType::SOA.0)
}

/// A name that hardly a host has, between a name with all below it and the next one: `!` comes before every letter,
/// digit and hyphen. A label without room for that ends with the next letter or digit instead. `None` for the zone
/// itself, and for a label whose last byte no host name has.
fn after(name: &str, zone: &str) -> Option<String> {
    let (label, above) = name.split_once('.').filter(|_| name != zone)?;
    let labels = order(name);
    if labels.last()?.len() < 63 && labels.iter().map(|label| label.len() + 1).sum::<usize>() < 254 {
        return Some(format!("{label}!.{above}"));
    }
    let last = *labels.last()?.last()?;
    let front = label.strip_suffix(char::from(last))?;
    let last = match last {
        b'-' => '0',
        b'9' => 'a',
        byte @ (b'0'..=b'8' | b'a'..=b'y') => char::from(byte + 1),
        _ => return None,
    };
    Some(format!("{front}{last}.{above}"))
}

/// The labels of a name, by whose bytes names of a zone follow each other (RFC 4034 §6.1).
fn order(name: &str) -> Vec<Cow<'_, [u8]>> {
    name.split('.').rev().map(|label| label_bytes(label).unwrap_or(Cow::Borrowed(label.as_bytes()))).collect()
}

/// True for a name that may be a host: it has an address, an alias, mail or servers, and is no service label or
/// wildcard.
fn is_host(name: &str, types: &BTreeSet<u16>) -> bool {
    let telling = [RecordType::A, RecordType::AAAA, RecordType::CNAME, RecordType::MX, RecordType::NS];
    telling.iter().any(|rtype| types.contains(&rtype.0))
        && !name.split('.').any(|label| label.starts_with(['_', '*', '\\']))
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let bytes = |count| format!("{}.acme.test", "\\255".repeat(count));
        assert_eq!(after(&bytes(62)), Some(bytes(62).replacen('.', "!.", 1)));
        assert_eq!(after(&bytes(63)), None);
    }

    #[test]
    fn names_follow_each_other_by_their_bytes() {
        let names = ["acme.test", "\\032.acme.test", "half.acme.test", "z.half.acme.test", "half!.acme.test"];
        let names = [&names[..], &["half-a.acme.test", "\\127.acme.test", "\\255.acme.test"]].concat();
        let mut sorted = names.clone();
        sorted.reverse();
        sorted.sort_by_key(|name| order(name));
        assert_eq!(sorted, names);
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
