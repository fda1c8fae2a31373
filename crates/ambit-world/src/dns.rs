//! Name servers and resolvers: one question in, one answer out, by the file and the wire's time alone.

mod hashed;
mod made_up;
pub(crate) mod message;
mod reverse;
pub(crate) mod stream;

use crate::draft::{Answers, Data, Draft, Name, Signed, Zone};
use crate::plan::{self, ROTATION_SHOWN};
use ambit_net::dns::RecordType;
use message::{Answer, Question, Rcode};
use std::collections::BTreeSet;
use std::net::IpAddr;
use std::ops::Bound;
use std::time::Duration;

/// A resolver gives up on dead servers after this long.
const RESOLVER_PATIENCE: Duration = Duration::from_secs(4);
/// Time to live of SOA and NS records, in seconds.
pub(super) const ZONE_TTL: u32 = 3_600;
/// How long a rotating name gives the same answer.
const ROTATION: Duration = Duration::from_secs(30);

/// What a server knows when it answers.
pub(crate) struct Asked<'a> {
    pub draft: &'a Draft,
    pub state: i64,
    pub now: Duration,
    pub question: &'a Question,
    /// Of a zone's own server, which may say something else than resolvers do.
    pub inside: bool,
}

/// The answer of a recursive resolver.
pub(crate) fn recursive(asked: &Asked<'_>) -> Answer {
    let mut answer = Answer::new(Rcode::NoError);
    answer.recursive = true;
    if asked.question.foreign_class {
        answer.rcode = Rcode::Refused;
        return answer;
    }
    let mut name = asked.question.name.clone();
    for _ in 0..plan::CHAIN_MAX {
        let mut step = step(asked, &name);
        answer.delay = answer.delay.max(step.delay);
        answer.silent |= step.silent;
        answer.garbage |= step.garbage;
        answer.truncated |= step.truncated;
        answer.rcode = step.rcode;
        prove(&mut answer, std::mem::take(&mut step.authority));
        let alias = step.answers.iter().find_map(|(owner, _, data)| match data {
            Data::Cname(target) if *owner == name => Some(target.clone()),
            _ => None,
        });
        answer.answers.append(&mut step.answers);
        match alias {
            Some(target) if !matches!(asked.question.rtype, RecordType::CNAME | RecordType::ANY) => name = target,
            _ => return answer,
        }
    }
    // A chain without an end: what resolvers say after they gave up.
    answer.answers.clear();
    answer.authority.clear();
    answer.rcode = Rcode::ServFail;
    answer
}

/// Adds what stands beside the answer for the next name of a chain. What proves that only a wildcard made the names
/// before it stays (RFC 4035 §3.1.3.3).
fn prove(answer: &mut Answer, authority: Vec<(String, u32, Data)>) {
    answer.authority.retain(|(_, _, data)| matches!(data, Data::Nsec(..) | Data::Nsec3(..)));
    answer.authority.extend(authority);
}

/// One name of a chain, by the servers of its zone.
fn step(asked: &Asked<'_>, name: &str) -> Answer {
    if let Some(answer) = reverse::answer(asked, name) {
        return answer;
    }
    let Some(zone) = holder(asked, name) else {
        return above_all_zones(asked, name);
    };
    let stated = &asked.draft.zones[zone];
    let reachable = plan::is_reachable(asked.draft, zone);
    let failed = |delay| Answer { delay, ..Answer::new(Rcode::ServFail) };
    match stated.answers {
        _ if !reachable => failed(RESOLVER_PATIENCE),
        Answers::Silent | Answers::Garbage => failed(RESOLVER_PATIENCE),
        Answers::ServFail | Answers::Refused | Answers::Lame => failed(Duration::ZERO),
        Answers::Late(from) if asked.now < from => failed(Duration::ZERO),
        Answers::Slow(delay) if delay > RESOLVER_PATIENCE => failed(RESOLVER_PATIENCE),
        Answers::Slow(delay) => Answer { delay, ..in_zone(asked, zone, name) },
        Answers::Normal | Answers::Late(_) | Answers::Truncated | Answers::Rebind(_) => in_zone(asked, zone, name),
    }
}

/// The zone that answers for a name: for its DS records that above it (RFC 4035 §3.1.4.1). Those of a domain stand with
/// the domain, since the zones above it are in no file.
fn holder<'a>(asked: &Asked<'a>, name: &'a str) -> Option<&'a str> {
    let above = name.split_once('.').filter(|_| asked.question.rtype == RecordType::DS);
    let above = above.and_then(|(_, above)| plan::zone_of(asked.draft, above));
    above.or_else(|| plan::zone_of(asked.draft, name))
}

/// A name below no zone, of which its top-level domain says whether a zone is below it.
fn above_all_zones(asked: &Asked<'_>, name: &str) -> Answer {
    let exists = plan::exists(asked.draft, name);
    let mut answer = Answer::new(if exists { Rcode::NoError } else { Rcode::NxDomain });
    let top = plan::ancestors(name).last().unwrap_or_default();
    answer.authority.push((top.to_owned(), ZONE_TTL, soa(top, "a.root.sources.example", 1)));
    answer
}

fn soa(zone: &str, server: &str, serial: u32) -> Data {
    Data::Soa(server.to_owned(), format!("hostmaster.{zone}"), serial)
}

/// The answer of a name server at its own address.
pub(crate) fn authoritative(asked: &Asked<'_>, server: IpAddr, over_tcp: bool) -> Answer {
    let name = &asked.question.name;
    if asked.question.foreign_class {
        return Answer::new(Rcode::Refused);
    }
    let served = |from: usize| plan::ancestors(name).skip(from).find(|zone| serves(asked.draft, server, zone));
    let served = served(usize::from(asked.question.rtype == RecordType::DS)).or_else(|| served(0));
    let Some(served) = served else { return Answer::new(Rcode::Refused) };
    let stated = &asked.draft.zones[served];
    let mut answer = match stated.answers {
        Answers::ServFail => return Answer::new(Rcode::ServFail),
        Answers::Late(from) if asked.now < from => return Answer::new(Rcode::ServFail),
        Answers::Refused | Answers::Lame => return Answer::new(Rcode::Refused),
        Answers::Silent => return Answer::silent(),
        Answers::Garbage => {
            return Answer { garbage: true, ..Answer::new(Rcode::NoError) };
        }
        Answers::Normal | Answers::Late(_) | Answers::Truncated | Answers::Slow(_) | Answers::Rebind(_) => {
            local(asked, server, served)
        }
    };
    match stated.answers {
        Answers::Slow(delay) => answer.delay = delay,
        Answers::Truncated if !over_tcp => answer.truncated = true,
        _ => {}
    }
    answer
}

/// Follows a chain as long as it stays in the server's own zones.
fn local(asked: &Asked<'_>, server: IpAddr, served: &str) -> Answer {
    let name = &asked.question.name;
    if let Some(deeper) = holder(asked, name).filter(|zone| zone.len() > served.len()) {
        return referral(asked.draft, deeper);
    }
    let mut answer = in_zone(asked, served, name);
    answer.authoritative = true;
    for _ in 0..plan::CHAIN_MAX {
        let Some((_, _, Data::Cname(target))) = answer.answers.last() else {
            break;
        };
        if matches!(asked.question.rtype, RecordType::CNAME | RecordType::NSEC | RecordType::ANY) {
            break;
        }
        let target = target.clone();
        let Some(zone) = plan::zone_of(asked.draft, &target).filter(|zone| serves(asked.draft, server, zone)) else {
            break;
        };
        let more = in_zone(asked, zone, &target);
        answer.rcode = more.rcode;
        prove(&mut answer, more.authority);
        answer.answers.extend(more.answers);
    }
    answer
}

fn referral(draft: &Draft, zone: &str) -> Answer {
    let mut answer = Answer::new(Rcode::NoError);
    for (server, given) in &draft.zones[zone].servers {
        answer.authority.push((zone.to_owned(), ZONE_TTL, Data::Ns(server.clone())));
        let addresses = plan::server_addresses(draft, zone, (server, given));
        answer
            .additional
            .extend(addresses.into_iter().map(|address| (server.clone(), ZONE_TTL, address_data(address))));
    }
    answer
}

/// Whether this server holds a zone.
pub(crate) fn serves(draft: &Draft, server: IpAddr, zone: &str) -> bool {
    draft.zones.get(zone).is_some_and(|stated| {
        stated.servers.iter().any(|(name, given)| {
            given.contains(&server) || (given.is_empty() && plan::addresses(draft, name).contains(&server))
        })
    })
}

pub(crate) fn address_data(address: IpAddr) -> Data {
    match address {
        IpAddr::V4(address) => Data::A(address),
        IpAddr::V6(address) => Data::Aaaa(address),
    }
}

/// The answer for a name that stands below a DNAME record: that record, and the alias that it makes of the name.
fn renamed(asked: &Asked<'_>, name: &str) -> Option<Answer> {
    let plan::Renamed { owner, entry, target, name: new } = plan::renamed(asked.draft, name)?;
    let mut answer = Answer::new(if new.is_some() { Rcode::NoError } else { Rcode::YxDomain });
    answer.answers.push((owner.to_owned(), entry.ttl, Data::Dname(target.to_owned())));
    answer.answers.extend(new.map(|new| (name.to_owned(), entry.ttl, Data::Cname(new))));
    Some(answer)
}

/// What a zone says of one name, aliases not followed.
fn in_zone(asked: &Asked<'_>, zone: &str, name: &str) -> Answer {
    if let Some(answer) = renamed(asked, name) {
        return answer;
    }
    let mut answer = Answer::new(Rcode::NoError);
    let entry = plan::entry(asked.draft, name);
    match entry.map(|entry| entry.answers) {
        Some(Answers::ServFail | Answers::Lame) => return Answer::new(Rcode::ServFail),
        Some(Answers::Late(from)) if asked.now < from => return Answer::new(Rcode::ServFail),
        Some(Answers::Refused) => return Answer::new(Rcode::Refused),
        Some(Answers::Silent) => return Answer::silent(),
        Some(Answers::Garbage) => answer.garbage = true,
        Some(Answers::Slow(delay)) => answer.delay = delay,
        Some(Answers::Truncated) => answer.truncated = true,
        Some(Answers::Normal | Answers::Late(_) | Answers::Rebind(_)) | None => {}
    }
    if entry.is_some_and(|entry| entry.fails.contains(&asked.question.rtype)) {
        return Answer::new(Rcode::ServFail);
    }
    let records = records(asked, zone, name, entry);
    // NSEC stands beside an alias and is answered for itself (RFC 4035 §2.5).
    let follows = asked.question.rtype != RecordType::NSEC;
    for (ttl, data) in records {
        if data.is_asked_by(asked.question.rtype) || (follows && matches!(data, Data::Cname(_))) {
            answer.answers.push((name.to_owned(), ttl, data));
        }
    }
    if answer.answers.is_empty() {
        let known = entry.is_some() || plan::exists(asked.draft, name);
        let known = known && (asked.inside || !plan::is_only_inside(asked.draft, name));
        // A zone with compact denial says in the proof alone that there is no such name, and resolvers pass that on.
        let says_so = asked.draft.zones[zone].signed != Signed::Compact;
        answer.rcode = if known || !says_so { Rcode::NoError } else { Rcode::NxDomain };
        answer.authority.push((zone.to_owned(), ZONE_TTL, zone_soa(asked, zone)));
    }
    if asked.question.dnssec {
        let unstated = !asked.draft.names.contains_key(name);
        match asked.draft.zones[zone].signed {
            Signed::Nsec if unstated => answer.authority.extend(covering(asked.draft, zone, name)),
            Signed::Nsec3 if unstated => answer.authority.extend(hashed::denial(asked.draft, zone, name)),
            Signed::Minimal if unstated => answer.authority.push(made_up::around(asked.draft, zone, name)),
            Signed::Compact if answer.answers.is_empty() => {
                answer.authority.push(made_up::at(asked.draft, zone, name));
            }
            _ => {}
        }
    }
    answer
}

fn zone_soa(asked: &Asked<'_>, zone: &str) -> Data {
    let server = asked.draft.zones[zone].servers.first().map_or("ns.invalid", |(server, _)| server.as_str());
    soa(zone, server, 2_026_000_000 + u32::try_from(asked.state).unwrap_or(0))
}

/// All records of a name, with those that its zone implies.
fn records(asked: &Asked<'_>, zone: &str, name: &str, entry: Option<&Name>) -> Vec<(u32, Data)> {
    let mut records: Vec<(u32, Data)> = Vec::new();
    if zone == name {
        records.push((ZONE_TTL, zone_soa(asked, zone)));
        let servers = &asked.draft.zones[zone].servers;
        records.extend(servers.iter().map(|(server, _)| (ZONE_TTL, Data::Ns(server.clone()))));
    }
    if asked.question.rtype == RecordType::NSEC {
        let data = match asked.draft.zones[zone].signed {
            Signed::No | Signed::Nsec3 => None,
            Signed::Nsec => next_secure(asked.draft, zone, name),
            Signed::Minimal => made_up::own(asked.draft, zone, name),
            Signed::Compact => Some(made_up::at(asked.draft, zone, name).2),
        };
        records.extend(data.map(|data| (ZONE_TTL, data)));
    }
    let Some(entry) = entry else { return records };
    let answers = match entry.answers {
        Answers::Normal => asked.draft.zones[zone].answers,
        own => own,
    };
    if let Answers::Rebind(address) = answers
        && (asked.now.as_secs() / ROTATION.as_secs()) % 2 == 1
    {
        records.push((0, address_data(address)));
        return records;
    }
    let shown = if asked.inside && !entry.inside.is_empty() { &entry.inside } else { &entry.records };
    let (addresses, others): (Vec<&Data>, Vec<&Data>) =
        shown.iter().partition(|data| matches!(data, Data::A(_) | Data::Aaaa(_)));
    let shown: Vec<&Data> = if entry.rotate && addresses.len() > ROTATION_SHOWN {
        let turn = usize::try_from(asked.now.as_secs() / ROTATION.as_secs()).unwrap_or(0);
        (0..ROTATION_SHOWN).map(|index| addresses[(turn + index) % addresses.len()]).collect()
    } else {
        addresses
    };
    let ttl = if matches!(answers, Answers::Rebind(_)) { 0 } else { entry.ttl };
    records.extend(others.into_iter().chain(shown).map(|data| (ttl, data.clone())));
    records
}

/// A name in the order of RFC 4034 §6.1: by its labels, the last first.
fn canonical(name: &str) -> Vec<String> {
    name.split('.').rev().map(str::to_owned).collect()
}

/// The zones that a zone delegates. What these delegate in turn is not in it.
fn children<'a>(draft: &'a Draft, zone: &'a str) -> impl Iterator<Item = (&'a String, &'a Zone)> {
    let above = |child: &'a str| child.split_once('.').and_then(|(_, above)| plan::zone_of(draft, above));
    draft.zones.iter().filter(move |(child, _)| above(child.as_str()) == Some(zone))
}

/// The names of a signed zone that have an NSEC record, in canonical order.
fn secure_names<'a>(draft: &'a Draft, zone: &'a str) -> BTreeSet<(Vec<String>, &'a str)> {
    let stated =
        draft.names.keys().filter(|name| plan::zone_of(draft, name.strip_prefix("*.").unwrap_or(name)) == Some(zone));
    let children = children(draft, zone).map(|(child, _)| child);
    stated.chain(children).map(|name| (canonical(name), name.as_str())).chain([(canonical(zone), zone)]).collect()
}

/// The NSEC record of a name of a signed zone: the next name in canonical order, after the last the zone itself.
fn next_secure(draft: &Draft, zone: &str, name: &str) -> Option<Data> {
    let names = secure_names(draft, zone);
    let own = (canonical(name), name);
    if !names.contains(&own) {
        return None;
    }
    let next = names.range((Bound::Excluded(own), Bound::Unbounded)).next().map_or(zone, |(_, next)| next);
    let mut types = types_of(draft, zone, name);
    types.insert(RecordType::NSEC.0);
    Some(Data::Nsec(next.to_owned(), types.into_iter().collect()))
}

/// The types that a name of a zone has.
fn types_of(draft: &Draft, zone: &str, name: &str) -> BTreeSet<u16> {
    let records = draft.names.get(name).into_iter().flat_map(|entry| &entry.records);
    let mut types: BTreeSet<u16> = records.map(|data| data.rtype().0).collect();
    if name == zone {
        types.extend([RecordType::SOA.0, RecordType::NS.0]);
    } else if draft.zones.contains_key(name) {
        types.insert(RecordType::NS.0);
    }
    types
}

/// The NSEC record that proves that a zone does not have a name: that of the last name before it.
fn covering(draft: &Draft, zone: &str, name: &str) -> Option<(String, u32, Data)> {
    let before = secure_names(draft, zone).range(..(canonical(name), name)).next_back().map(|(_, name)| *name)?;
    Some((before.to_owned(), ZONE_TTL, next_secure(draft, zone, before)?))
}

/// All records of a zone for a transfer, SOA first and last; `None` where the server refuses.
pub(crate) fn transfer(asked: &Asked<'_>, server: IpAddr) -> Option<Vec<(String, u32, Data)>> {
    let zone = asked.question.name.as_str();
    let stated = asked.draft.zones.get(zone).filter(|stated| stated.transfer && stated.answers == Answers::Normal)?;
    if !serves(asked.draft, server, zone) {
        return None;
    }
    let opening = (zone.to_owned(), ZONE_TTL, zone_soa(asked, zone));
    let mut all = vec![opening.clone()];
    for (server, _) in &stated.servers {
        all.push((zone.to_owned(), ZONE_TTL, Data::Ns(server.clone())));
    }
    for (name, entry) in &asked.draft.names {
        let plain = name.strip_prefix("*.").unwrap_or(name);
        if plan::zone_of(asked.draft, plain) == Some(zone) {
            let records = if entry.inside.is_empty() { &entry.records } else { &entry.inside };
            all.extend(records.iter().map(|data| (name.clone(), entry.ttl, data.clone())));
        }
    }
    for (child, delegated) in children(asked.draft, zone) {
        all.extend(delegated.servers.iter().map(|(server, _)| (child.clone(), ZONE_TTL, Data::Ns(server.clone()))));
    }
    all.push(opening);
    Some(all)
}
