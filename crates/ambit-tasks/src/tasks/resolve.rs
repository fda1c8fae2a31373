//! Resolves a name: addresses of both families, the alias chain, and whether the name exists at all.

use super::zone_profile::found_host;
use crate::ask::host::{is_private, is_theirs, only_mentioned};
use crate::history::within;
use crate::read::{buckets, technology};
use crate::told;
use crate::{Answer, Context, Plan, Result, Sights, Task};
use ambit_model::entity::domain;
use ambit_model::entity::domain::{HttpsRecord, Resolution};
use ambit_model::facts::Neighbour;
use ambit_model::moment::HOUR_MS;
use ambit_model::observation::Sighting;
use ambit_model::{EdgeKind, Facts, Kind, TaskName, workflow};
use ambit_net::NetError;
use ambit_net::dns::{DnsAnswer, Rcode, RecordData, RecordType, ServiceBinding};
use ambit_net::http::Url;
use serde_json::json;
use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::Arc;

pub(crate) const TASK: Task = Task {
    name: TaskName::Resolve,
    pretty_name: "DNS resolution",
    description: "Looks up the addresses (A, AAAA), the alias chain and the HTTPS records of a name.",
    workflows: &[
        workflow::EXTERNAL_DISCOVERY,
        workflow::CLOUD_ACCOUNTS,
        workflow::SUSPICIOUS_DOMAINS,
        workflow::APPLICATIONS,
        workflow::THIRD_PARTIES,
    ],
    watches: &[Kind::DnsRecord, Kind::Domain, Kind::Mailserver, Kind::Nameserver],
    produces: &[Kind::CloudStorageBucket, Kind::DnsRecord, Kind::Domain, Kind::IpAddress],
    ttl_ms: 12 * HOUR_MS,
    cost: 2,
    gain: 6,
    volatile: &[domain::TTL.name()],
    sights: Sights::All(Sighting::Entity),
    plan: |facts, _| Plan::bound_if(facts.name.parse::<IpAddr>().is_err() && !only_mentioned(facts)),
    run: |cx| Box::pin(run(cx)),
    ..Task::ASKS_NAMES
};

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let name = &cx.facts.name;
    let (four, six) = futures::join!(cx.net.lookup(name, RecordType::A), cx.net.lookup(name, RecordType::AAAA));
    let families = Families { four, six };
    let mut seen = families.read()?;
    let services = services(cx, !seen.addresses.is_empty()).await;
    if seen.addresses.is_empty() && !seen.is_alias && services.is_empty() {
        // A name that does not exist has no addresses of the other family either (RFC 8020).
        return match families.failure() {
            Some(error) if seen.rcode != Rcode::NXDOMAIN => Err(error.clone().into()),
            _ => Ok(Answer::Absent),
        };
    }
    let kept: Vec<(IpAddr, &Neighbour)> = families.kept(cx.facts).collect();
    let shown: BTreeSet<IpAddr> = seen.addresses.clone();
    seen.addresses.extend(kept.iter().map(|(address, _)| *address));
    families.behind(cx.facts).chain(kept.iter().map(|(_, known)| *known)).for_each(|known| cx.stands(known));
    if families.is_cut() {
        cx.leave_out("addresses beyond those that are read of one answer".to_owned());
    }
    cx.observe(domain::RESOLUTIONS, seen.resolutions());
    cx.observe(domain::RCODE, json!(seen.rcode.to_string()));
    cx.observe(domain::CNAME_CHAIN, seen.chain.clone());
    if seen.endless {
        cx.observe(domain::CNAME_ENDLESS, true);
    }
    told::observe(
        cx,
        technology::of_records(&cx.settings.fingerprints, seen.chain.iter().map(|target| ("CNAME", target.as_str()))),
    );
    cx.observe(domain::PRIVATE_ADDRESSES, seen.private());
    cx.observe(domain::TTL, json!(seen.ttl));
    // A private address is somebody else's as soon as one looks from elsewhere; where a seed names it, it is meant.
    for address in shown.iter().filter(|address| !is_private(**address) || cx.net.is_named(**address)) {
        cx.found(Kind::IpAddress, &address.to_string(), EdgeKind::ResolvesTo);
    }
    for target in &seen.chain {
        let hosted = cx.settings.platform_of(target).is_some() && !is_theirs(cx.facts, target);
        cx.found_host(target, if hosted { EdgeKind::HostedAlias } else { EdgeKind::Alias });
    }
    lead(cx, &services).await?;
    for target in &seen.chain {
        let bucket = Url::parse(&format!("https://{target}/")).ok().and_then(|url| buckets::of_url(&url));
        if let Some(bucket) = bucket {
            cx.found(Kind::CloudStorageBucket, &bucket, EdgeKind::Bucket);
        }
    }
    // That a server fails at a family of which no address is known says nothing of the name.
    match families.failure().filter(|_| !kept.is_empty()) {
        Some(error) => Ok(Answer::InPart(error.clone().into())),
        None => Ok(Answer::Found),
    }
}

/// Known addresses of one family that stand behind those of an answer that was cut.
const BEHIND_MAX: usize = 1_000;
/// HTTPS records of one name; the first ones are preferred.
const RECORDS_MAX: usize = 16;

/// What the HTTPS records of a name in scope or in a seed's domain say, where it has an address or is the top of a
/// zone: of all other names that would be a question for nothing. Some servers fail at rare types: nothing of the rest
/// is less true for it, and what was known holds. So it does where an answer breaks the rules, which is worth nothing
/// as a whole (RFC 9460 §2.2).
async fn services(cx: &Context<'_>, has_address: bool) -> Vec<HttpsRecord> {
    let is_top = cx.facts.kind == Kind::Domain || domain::SOA_RECORD.of(&cx.facts.details).is_some();
    let is_name = matches!(cx.facts.kind, Kind::DnsRecord | Kind::Domain);
    // A name may be resolved before what makes it theirs is known, and is not asked again in the run.
    let is_ours = cx.facts.decision.scoped() || is_theirs(cx.facts, &cx.facts.name);
    if !(is_name && is_ours && (has_address || is_top)) {
        return Vec::new();
    }
    let answer = cx.net.lookup(&cx.facts.name, RecordType::HTTPS).await;
    let read = answer.ok().and_then(|answer| {
        let records = answer.records.iter().map(|record| match &record.data {
            RecordData::Service { binding, .. } => Some(https_record(binding, &record.name)),
            _ => None,
        });
        Some((records.collect::<Option<BTreeSet<_>>>()?, answer.cut))
    });
    let known: BTreeSet<HttpsRecord> = domain::HTTPS.items(&cx.facts.details).collect();
    match read {
        Some((records, is_cut)) => kept_services(cx, records, is_cut, &known),
        None => known.into_iter().collect(),
    }
}

/// As many of a name's HTTPS records as are kept, first those that are known. The hosts of known ones that have no room
/// stand; where not all records were read, all that are known count as being there.
fn kept_services(
    cx: &Context<'_>,
    mut records: BTreeSet<HttpsRecord>,
    is_cut: bool,
    known: &BTreeSet<HttpsRecord>,
) -> Vec<HttpsRecord> {
    if is_cut {
        records.extend(known.iter().cloned());
    }
    let more = records.len().saturating_sub(RECORDS_MAX);
    if more == 0 {
        return records.into_iter().collect();
    }
    cx.leave_out(format!("{more} HTTPS records are left out: no more than {RECORDS_MAX} are kept"));
    let hosts: BTreeSet<String> = records.iter().map(|record| record.target.clone()).collect();
    let known_ends = cx.facts.led_to(TASK.name, cx.argument);
    known_ends.filter(|end| hosts.contains(&end.name)).for_each(|end| cx.stands(end));
    within(records.into_iter().collect(), RECORDS_MAX, |record| known.contains(record))
}

fn https_record(binding: &ServiceBinding, owner: &str) -> HttpsRecord {
    let target = match binding.target.as_str() {
        "" if binding.priority == 0 => ".",
        "" => owner,
        target => target,
    };
    HttpsRecord {
        priority: binding.priority,
        target: target.to_owned(),
        alpn: binding.alpn.clone(),
        port: binding.port.filter(|port| !matches!(port, 0 | 443)),
        hints: binding.hints.iter().map(IpAddr::to_string).collect(),
        ech: binding.ech,
    }
}

/// Leads to the hosts that HTTPS records name. That is no evidence of whose they are; nor are the hints, which lead
/// nowhere. Browsers that do not know the records go to the name's own addresses all the same.
async fn lead(cx: &Context<'_>, services: &[HttpsRecord]) -> Result<()> {
    if !services.is_empty() {
        cx.observe(domain::HTTPS, services.to_vec());
    }
    for service in services.iter().filter(|service| service.target != "." && service.target != cx.facts.name) {
        match service.alias() {
            Some(target) => cx.found_host(target, EdgeKind::HostedAlias),
            None => found_host(cx, &service.target).await?,
        }
    }
    Ok(())
}

/// The answers of both families. Some servers fail at AAAA alone (RFC 4074 §4): the other family's addresses are no
/// less true for it.
struct Families {
    four: Result<Arc<DnsAnswer>, NetError>,
    six: Result<Arc<DnsAnswer>, NetError>,
}

impl Families {
    /// What the families that answered say together; the failure where none did.
    fn read(&self) -> Result<Seen, NetError> {
        match (&self.four, &self.six) {
            (Ok(four), Ok(six)) => Ok(Seen::read(four, six)),
            (Ok(one), Err(_)) | (Err(_), Ok(one)) => Ok(Seen::read(one, one)),
            (Err(error), Err(_)) => Err(error.clone()),
        }
    }

    fn failure(&self) -> Option<&NetError> {
        self.four.as_ref().err().or(self.six.as_ref().err())
    }

    /// More addresses came than are read.
    fn is_cut(&self) -> bool {
        [&self.four, &self.six].iter().any(|answer| answer.as_ref().is_ok_and(|answer| answer.cut))
    }

    /// Addresses of the family that failed, as they were known: they are not gone, and not seen.
    fn kept<'f>(&self, facts: &'f Facts) -> impl Iterator<Item = (IpAddr, &'f Neighbour)> {
        known(facts).filter(move |(address, _)| if address.is_ipv4() { self.four.is_err() } else { self.six.is_err() })
    }

    /// What is known behind the last address that was read of an answer that was cut. What is known before it and was
    /// not read is gone.
    fn behind<'f>(&self, facts: &'f Facts) -> impl Iterator<Item = &'f Neighbour> + use<'f> {
        let last = |answer: &Result<Arc<DnsAnswer>, NetError>| {
            let cut = answer.as_ref().ok().filter(|answer| answer.cut);
            cut.and_then(|answer| answer.addresses().max())
        };
        [last(&self.four), last(&self.six)].into_iter().flatten().flat_map(|last| {
            let is_behind = move |address: IpAddr| address.is_ipv4() == last.is_ipv4() && address > last;
            known(facts).filter(move |(address, _)| is_behind(*address)).map(|(_, known)| known).take(BEHIND_MAX)
        })
    }
}

/// The addresses to which the name led when it was last resolved.
fn known(facts: &Facts) -> impl Iterator<Item = (IpAddr, &Neighbour)> {
    let known = facts.to(EdgeKind::ResolvesTo).filter(|neighbour| neighbour.task == TASK.name.as_str());
    known.filter_map(|neighbour| Some((neighbour.name.parse().ok()?, neighbour)))
}

/// What both families' answers say together.
#[derive(Debug, PartialEq)]
struct Seen {
    addresses: BTreeSet<IpAddr>,
    chain: Vec<String>,
    /// Somebody made an alias, of the name or of what a DNAME record calls it.
    is_alias: bool,
    /// The chain does not end.
    endless: bool,
    rcode: Rcode,
    ttl: u32,
}

impl Seen {
    fn read(four: &DnsAnswer, six: &DnsAnswer) -> Self {
        let longer = if six.chain.len() > four.chain.len() { six } else { four };
        Self {
            addresses: four.addresses().chain(six.addresses()).collect(),
            chain: longer.chain.iter().map(|alias| alias.target.clone()).collect(),
            is_alias: longer.own_alias().is_some() || (longer.endless && !longer.is_renamed()),
            endless: longer.endless,
            rcode: four.rcode,
            ttl: four.ttl.min(six.ttl),
        }
    }

    fn resolutions(&self) -> Vec<Resolution> {
        let item = |response_data: String, rtype: &str| Resolution { response_data, response_type: rtype.to_owned() };
        let aliases = self.chain.iter().map(|target| item(target.clone(), "CNAME"));
        let addresses = self
            .addresses
            .iter()
            .map(|address| item(address.to_string(), if address.is_ipv4() { "A" } else { "AAAA" }));
        aliases.chain(addresses).collect()
    }

    fn private(&self) -> Vec<String> {
        self.addresses.iter().filter(|address| is_private(**address)).map(IpAddr::to_string).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_net::dns::{Alias, Rcode, Record, RecordData};

    fn answer(rtype: RecordType, chain: &[&str], data: &[RecordData]) -> DnsAnswer {
        let record = |data: &RecordData| Record { name: "www.acme.test".into(), data: data.clone(), ttl: 60 };
        let alias = |target: &&str| Alias { name: "www.acme.test".into(), target: (*target).to_owned(), ttl: 60 };
        DnsAnswer {
            name: "www.acme.test".into(),
            rtype,
            rcode: Rcode::NOERROR,
            chain: chain.iter().map(alias).collect(),
            renamings: Vec::new(),
            endless: false,
            records: data.iter().map(record).collect(),
            cut: false,
            authority: None,
            referral: Vec::new(),
            referral_cut: false,
            denial: Vec::new(),
            authoritative: false,
            ttl: 60,
            server: "192.0.2.53:53".parse().unwrap(),
        }
    }

    #[test]
    fn both_families_and_the_chain_are_one_answer() {
        let four = answer(
            RecordType::A,
            &["edge.cdn.test"],
            &[RecordData::A("203.0.113.7".parse().unwrap()), RecordData::A("10.0.0.1".parse().unwrap())],
        );
        let six = answer(RecordType::AAAA, &["edge.cdn.test"], &[RecordData::Aaaa("2001:db8::7".parse().unwrap())]);
        let seen = Seen::read(&four, &six);
        assert_eq!(seen.private(), ["10.0.0.1"]);
        let types: Vec<String> = seen.resolutions().into_iter().map(|item| item.response_type).collect();
        assert_eq!(types, ["CNAME", "A", "A", "AAAA"]);
    }
}
