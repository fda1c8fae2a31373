//! Collects what a zone publishes about itself: its authority, name servers, mail servers, texts, services, and who may
//! issue certificates for it.

use crate::ask::delegation::{edge_or, found_own};
use crate::ask::host::{is_resembling, same_domain};
use crate::ask::together::together;
use crate::read::{spf, technology};
use crate::task::OF_DOMAINS;
use crate::told;
use crate::{Answer, Context, Plan, Result, Sights, Task, TaskError};
use ambit_model::entity::domain::{Authority, MailServer};
use ambit_model::entity::{Member, domain, registrable};
use ambit_model::observation::Sighting;
use ambit_model::{EdgeKind, Facts, Kind, TaskName};
use ambit_net::NetError;
use ambit_net::dns::{DnsAnswer, Record, RecordData, RecordType};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub(crate) const TASK: Task = Task {
    name: TaskName::ZoneProfile,
    pretty_name: "Zone profile",
    description: "Reads SOA, NS, MX, TXT, CAA, DS and the common SRV records of a domain, MX and TXT of a name, \
                  and SRV of one that has mail servers or a zone of its own.",
    workflows: OF_DOMAINS,
    watches: &[Kind::DnsRecord, Kind::Domain],
    produces: &[Kind::DnsRecord, Kind::Domain, Kind::Mailserver, Kind::Nameserver],
    cost: 8,
    gain: 12,
    volatile: &[domain::SOA_SERIAL.name()],
    sights: Sights::All(Sighting::Entity),
    plan: |facts, _| match facts.kind {
        _ if is_resembling(facts) => Plan::bound_if(true),
        _ if !facts.decision.scoped() => Plan::No,
        Kind::Domain => Plan::bound(["", CAA, DS, SRV].map(str::to_owned)),
        _ if announces(facts) => Plan::bound(["", SRV].map(str::to_owned)),
        _ => Plan::bound_if(true),
    },
    run: |cx| Box::pin(run(cx)),
    ..Task::ASKS_NAMES
};

// What only the top of a domain says, each asked for by itself: some servers fail at the rarer types, and what the
// others say is no less true.
const CAA: &str = ambit_model::task::CAA.argument;
const DS: &str = "DS";
const SRV: &str = "SRV";

/// Services that mail, chat, telephony and directory clients look for, and that therefore organisations announce.
const SERVICES: &[&str] = &[
    "_autodiscover._tcp",
    "_caldav._tcp",
    "_caldavs._tcp",
    "_carddavs._tcp",
    "_gc._tcp",
    "_h323cs._tcp",
    "_imap._tcp",
    "_imaps._tcp",
    "_jabber._tcp",
    "_kerberos._tcp",
    "_kerberos._udp",
    "_kpasswd._tcp",
    "_ldap._tcp",
    "_ldaps._tcp",
    "_matrix._tcp",
    "_minecraft._tcp",
    "_pop3s._tcp",
    "_sip._tcp",
    "_sip._tls",
    "_sip._udp",
    "_sipfederationtls._tcp",
    "_sips._tcp",
    "_stun._udp",
    "_submission._tcp",
    "_submissions._tcp",
    "_turn._udp",
    "_vlmcs._tcp",
    "_xmpp-client._tcp",
    "_xmpp-server._tcp",
];
/// Known records of one sort that are told behind those of an answer that was cut.
const BEHIND_MAX: usize = 1_000;
/// SRV questions in flight.
const IN_FLIGHT: usize = 8;

/// Whether a name may announce services: it has mail servers or a zone of its own. Of all names that would be too many
/// questions.
fn announces(facts: &Facts) -> bool {
    domain::MX_RECORDS.items(&facts.details).next().is_some() || domain::SOA_RECORD.of(&facts.details).is_some()
}

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let name = cx.facts.name.as_str();
    match cx.argument {
        "" => profile(cx, name).await,
        CAA => {
            let answer = cx.net.lookup(name, RecordType::CAA).await?;
            let mut caa = certification(&answer);
            if answer.cut {
                cx.leave_out("CAA records beyond those that are read of one answer".to_owned());
                let known = domain::CAA.raw(&cx.facts.details).and_then(Value::as_array).into_iter().flatten();
                let unread: Vec<Value> = known.filter(|known| !caa.contains(known)).take(BEHIND_MAX).cloned().collect();
                caa.extend(unread);
            }
            cx.observe(domain::CAA, json!(caa));
            Ok(Answer::found_if(!caa.is_empty()))
        }
        DS => {
            let signed = !cx.net.lookup(name, RecordType::DS).await?.records.is_empty();
            cx.observe(domain::SIGNED, signed);
            Ok(Answer::found_if(signed))
        }
        SRV => services(cx, name).await,
        other => Err(TaskError::Failed(format!("not a kind of record: {other:?}"))),
    }
}

/// Answers about one name, as far as they came.
struct Answers<'a, 'c> {
    cx: &'a Context<'c>,
    name: &'a str,
    has_any: bool,
    failure: Option<NetError>,
}

impl Answers<'_, '_> {
    /// Asks for one sort of records; `None` where that failed. Fails where nothing more may be asked.
    async fn ask(&mut self, rtype: RecordType) -> Result<Option<Arc<DnsAnswer>>> {
        match self.cx.net.lookup(self.name, rtype).await {
            Ok(answer) => {
                self.has_any = true;
                if answer.cut {
                    self.failure.get_or_insert(NetError::TooLarge("records of one DNS answer"));
                }
                Ok(Some(answer))
            }
            Err(error @ NetError::Budget(_)) => Err(error.into()),
            Err(error) => {
                self.failure.get_or_insert(error);
                Ok(None)
            }
        }
    }
}

/// What the records of an answer say; where not all were read, together with what is known behind them, and where the
/// question failed, what is known.
fn together_with<T: Clone + Ord>(
    known: impl Iterator<Item = T>,
    answer: Option<Arc<DnsAnswer>>,
    read: fn(&DnsAnswer) -> BTreeSet<T>,
) -> BTreeSet<T> {
    let Some(answer) = answer else { return known.collect() };
    let mut items = read(&answer);
    if answer.cut {
        let last = items.last().cloned();
        items.extend(known.filter(|item| last.as_ref().is_none_or(|last| item > last)).take(BEHIND_MAX));
    }
    items
}

/// What a zone says at one name. Of records for which the question failed, what the last answer said holds.
async fn profile(cx: &Context<'_>, name: &str) -> Result<Answer> {
    let mut answers = Answers { cx, name, has_any: false, failure: None };
    let (soa, mx) = (answers.ask(RecordType::SOA).await?, answers.ask(RecordType::MX).await?);
    if let Some(failure) = answers.failure.take_if(|_| !answers.has_any) {
        // Where nothing comes at all, further questions would only wait.
        return Err(failure.into());
    }
    let known = &cx.facts.details;
    let txt = answers.ask(RecordType::TXT).await?;
    let texts = together_with(domain::TXT_RECORDS.items(known), txt, texts);
    let seen_authority = soa.map_or_else(|| keep_authority(cx), |soa| observe_authority(cx, &soa));
    let known_mail = domain::MX_RECORDS.items(known).map(|server| (server.priority, server.host));
    let mail = together_with(known_mail, mx, mail_servers);
    let mut seen = seen_authority || !mail.is_empty() || !texts.is_empty();
    let server = |(priority, host): &(u16, String)| MailServer { priority: *priority, host: host.clone() };
    cx.observe(domain::MX_RECORDS, mail.iter().map(server).collect::<Vec<_>>());
    let mut servers = BTreeSet::new();
    if cx.facts.kind == Kind::DnsRecord {
        let spf = texts.iter().find(|text| is_spf(text));
        cx.observe(domain::SPF_RECORD, spf.cloned());
        for host in spf.into_iter().flat_map(|text| spf::hosts(text)) {
            found_own(cx, &host).await?;
        }
        if seen_authority {
            servers = observe_servers(cx, &mut answers, domain::CUT_NAMESERVERS).await?;
        }
    } else {
        servers = observe_servers(cx, &mut answers, domain::NAMESERVERS).await?;
        seen |= !servers.is_empty();
    }
    let records = texts.iter().map(|text| ("TXT", text.as_str()));
    let records = records.chain(mail.iter().map(|(_, host)| ("MX", host.as_str())));
    let records = records.chain(servers.iter().map(|server| ("NS", server.as_str())));
    told::observe(cx, technology::of_records(&cx.settings.fingerprints, records));
    cx.observe(domain::TXT_RECORDS, texts.into_iter().collect::<Vec<_>>());
    for (_, host) in mail.iter().filter(|(_, host)| host != ".") {
        found_server(cx, Kind::Mailserver, host).await?;
    }
    Answer::despite(seen, answers.failure.map(TaskError::from))
}

/// The servers of a zone whose top is this very name.
async fn observe_servers(
    cx: &Context<'_>,
    answers: &mut Answers<'_, '_>,
    member: Member<Vec<String>>,
) -> Result<BTreeSet<String>> {
    let servers = answers.ask(RecordType::NS).await?;
    let servers = together_with(member.items(&cx.facts.details), servers, name_servers);
    cx.observe(member, servers.iter().cloned().collect::<Vec<_>>());
    for server in &servers {
        found_server(cx, Kind::Nameserver, server).await?;
    }
    Ok(servers)
}

/// Leads to a server by its role and, where it has a name below this domain, as a name. The servers of whoever passes
/// for them are told, and lead nowhere.
pub(crate) async fn found_server(cx: &Context<'_>, kind: Kind, server: &str) -> Result<()> {
    if is_resembling(cx.facts) {
        return Ok(());
    }
    match registrable(server).filter(|domain| same_domain(domain, &cx.facts.name)) {
        Some(domain) => cx.found(kind, server, edge_or(cx, domain, server, EdgeKind::OwnServer).await?),
        None => cx.found(kind, server, EdgeKind::Vendor),
    }
    found_host(cx, server).await
}

/// Leads to a host that serves something for the name.
pub(crate) async fn found_host(cx: &Context<'_>, host: &str) -> Result<()> {
    if same_domain(host, &cx.facts.name) {
        return found_own(cx, host).await;
    }
    cx.found_host(host, EdgeKind::Vendor);
    Ok(())
}

fn observe_authority(cx: &Context<'_>, answer: &DnsAnswer) -> bool {
    let own = answer.records.iter().find(|record| record.name == cx.facts.name);
    let Some(RecordData::Soa { primary, mailbox, serial, refresh, retry, expire, minimum }) =
        own.map(|record| &record.data)
    else {
        return false;
    };
    let authority = Authority {
        primary_name_server: primary.clone(),
        responsible_party: mailbox.clone(),
        refresh: *refresh,
        retry: *retry,
        expire: *expire,
        minimum: *minimum,
    };
    cx.observe(domain::SOA_RECORD, authority);
    cx.observe(domain::SOA_SERIAL, json!(serial));
    true
}

/// What the last answer said of the authority.
fn keep_authority(cx: &Context<'_>) -> bool {
    let Some(authority) = domain::SOA_RECORD.of(&cx.facts.details) else { return false };
    cx.observe(domain::SOA_RECORD, authority);
    cx.observe(domain::SOA_SERIAL, domain::SOA_SERIAL.raw(&cx.facts.details).cloned());
    true
}

pub(crate) fn name_servers(answer: &DnsAnswer) -> BTreeSet<String> {
    let servers = answer.records.iter().filter_map(|record| match &record.data {
        RecordData::Ns(server) => Some(server.clone()),
        _ => None,
    });
    servers.collect()
}

/// Preference and host, sorted; the root (RFC 7505, "no mail") is written `.`.
pub(crate) fn mail_servers(answer: &DnsAnswer) -> BTreeSet<(u16, String)> {
    let servers = answer.records.iter().filter_map(|record| match &record.data {
        RecordData::Mx { preference, exchange } if exchange.is_empty() => Some((*preference, ".".to_owned())),
        RecordData::Mx { preference, exchange } => Some((*preference, exchange.clone())),
        _ => None,
    });
    servers.collect()
}

/// Texts of TXT records, sorted.
fn texts(answer: &DnsAnswer) -> BTreeSet<String> {
    answer.records.iter().filter_map(|record| record.data.text()).map(|text| text.stored()).collect()
}

/// True for an SPF record: the version tag alone or followed by a blank, in any case (RFC 7208 §4.5).
pub(crate) fn is_spf(text: &str) -> bool {
    let tag = text.get(..6).is_some_and(|tag| tag.eq_ignore_ascii_case("v=spf1"));
    tag && text.get(6..).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

fn certification(answer: &DnsAnswer) -> Vec<Value> {
    let mut entries: Vec<(u8, String, String)> = answer
        .records
        .iter()
        .filter_map(|record| match &record.data {
            RecordData::Caa { critical, tag, value } => {
                Some((if *critical { 128 } else { 0 }, tag.clone(), String::from_utf8_lossy(value).into_owned()))
            }
            _ => None,
        })
        .collect();
    entries.sort();
    entries.dedup();
    let value = |(flags, tag, value): (u8, String, String)| json!({"flags": flags, "tag": tag, "value": value});
    entries.into_iter().map(value).collect()
}

/// SRV records under the common service names. A name that only a wildcard answers has no SRV record, so that needs no
/// care. What was announced under a name that stayed without an answer holds.
async fn services(cx: &Context<'_>, name: &str) -> Result<Answer> {
    let owners: Vec<String> = SERVICES.iter().map(|service| format!("{service}.{name}")).collect();
    let ask = |owner: String| async move { (cx.net.lookup(&owner, RecordType::SRV).await, owner) };
    let answers = together(owners.into_iter().map(ask), IN_FLIGHT).await;
    let (mut items, mut failure) = (BTreeMap::new(), None);
    for (answer, owner) in answers {
        match answer {
            Ok(answer) => {
                let records = answer.records.iter().filter(|record| record.data.rtype() == RecordType::SRV);
                let service = |record: &Record| {
                    let target = record.data.target().filter(|target| !target.is_empty());
                    (
                        (owner.clone(), record.data.to_string()),
                        (service_value(&owner, &record.data), target.map(str::to_owned)),
                    )
                };
                let mut read: Vec<Service> = records.map(service).collect();
                if answer.cut {
                    cx.leave_out("SRV records beyond those that are read of one answer".to_owned());
                    let is_read = |known: &Service| read.iter().any(|(_, (value, _))| *value == known.1.0);
                    let known = known_services(cx, &owner).into_iter().filter(|known| !is_read(known));
                    let unread: Vec<Service> = known.take(BEHIND_MAX).collect();
                    read.extend(unread);
                }
                items.extend(read);
            }
            Err(error @ NetError::Budget(_)) => return Err(error.into()),
            Err(error) => {
                items.extend(known_services(cx, &owner));
                failure = failure.or(Some(error));
            }
        }
    }
    if let Some(error) = failure.filter(|_| items.is_empty()) {
        return Err(error.into());
    }
    cx.observe(domain::SRV, items.values().map(|(value, _)| value.clone()).collect::<Vec<_>>());
    for (_, target) in items.values() {
        if let Some(target) = target {
            found_host(cx, target).await?;
        }
    }
    Ok(Answer::found_if(!items.is_empty()))
}

/// A service as it is shown, and the host that it leads to, by name and data.
type Service = ((String, String), (Value, Option<String>));

/// Returns the services of the last answer for the name.
fn known_services(cx: &Context<'_>, owner: &str) -> Vec<Service> {
    let known = domain::SRV.items(&cx.facts.details);
    let own = known.filter(|item| item.get("name").and_then(Value::as_str) == Some(owner));
    let service = |item: &Value| {
        let target = item.get("target").and_then(Value::as_str).filter(|target| !target.is_empty());
        ((owner.to_owned(), item.to_string()), (item.clone(), target.map(str::to_owned)))
    };
    own.map(|item| service(&item)).collect()
}

fn service_value(name: &str, data: &RecordData) -> Value {
    match data {
        RecordData::Srv { priority, weight, port, target } => {
            json!({"name": name, "priority": priority, "weight": weight, "port": port, "target": target})
        }
        _ => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_spf_record_begins_with_the_whole_version_tag() {
        assert!(is_spf("v=spf1 -all"));
        assert!(is_spf("V=SPF1"));
        assert!(!is_spf("v=spf10 -all"));
        assert!(!is_spf("v=spf2.0/pra"));
        assert!(!is_spf("spf1"));
    }
}
