//! Who registered a domain, and who holds the block around an address: RDAP, and WHOIS where RDAP has nothing.

use crate::ask::bootstrap::{PROVIDER, REDIRECTOR};
use crate::ask::host::{is_private, is_resembling, is_theirs, reversed};
use crate::ask::{bootstrap, whois};
use crate::read::rdap::{self, Person};
use crate::task::OF_DOMAINS;
use crate::tasks::ptr::is_ours_to_ask;
use crate::tasks::sister_domain::is_asked_about;
use crate::{Answer, Contacts, Context, Plan, Result, Sights, Task, TaskError};
use ambit_model::entity::{domain, host_of, ip_address, mentioned, network, registrable};
use ambit_model::moment::DAY_MS;
use ambit_model::platforms;
use ambit_model::run::NotDoneReason;
use ambit_model::{Details, EdgeKind, Facts, Kind, TaskName};
use ambit_net::dns::RecordType;
use serde_json::{Value, json};
use std::net::IpAddr;

pub(crate) const TASK: Task = Task {
    name: TaskName::Registration,
    pretty_name: "Registration",
    description: "Asks the registries (RDAP, else WHOIS) who registered a domain or holds the block around an address.",
    workflows: OF_DOMAINS,
    watches: &[Kind::Domain, Kind::IpAddress, Kind::NetBlock],
    produces: &[Kind::AutonomousSystem, Kind::EmailAddress, Kind::NetBlock, Kind::Organization],
    ttl_ms: 7 * DAY_MS,
    cost: 3,
    gain: 6,
    contacts: Contacts::Provider(PROVIDER),
    sights: Sights::Only(&[Kind::NetBlock]),
    plan: |facts, _| match facts.kind {
        Kind::Domain if facts.decision.is_closed() => Plan::No,
        // What the registry said goes with what it was asked for. The answer can only show that a domain is theirs, so
        // that it does not take away its own ground; that of an address or a block may.
        Kind::Domain => Plan::bound_if(facts.decision.scoped() || is_asked_about(facts) || is_resembling(facts)),
        Kind::IpAddress => Plan::once_if(is_ours_to_ask(facts) && is_registered(facts)),
        _ => {
            let edges = [EdgeKind::Suballocation, EdgeKind::UnknownPart, EdgeKind::RegisteredName];
            let is_in_question = edges.into_iter().any(|edge| facts.from(edge).next().is_some());
            Plan::once_if((facts.seed || facts.decision.scoped() || is_in_question) && is_registered(facts))
        }
    },
    run: |cx| Box::pin(run(cx)),
    ..Task::ASKS_PROVIDERS
};

/// No registry knows private addresses, and none needs to learn that somebody uses them.
pub(crate) fn is_registered(facts: &Facts) -> bool {
    let first = facts.name.split('/').next().unwrap_or("");
    !first.parse().is_ok_and(is_private)
}

async fn run(cx: &Context<'_>) -> Result<Answer> {
    match cx.facts.kind {
        Kind::Domain => domain(cx).await,
        Kind::IpAddress => address(cx).await,
        _ => block(cx).await,
    }
}

/// What a registry said.
#[derive(Debug, PartialEq)]
pub(crate) enum Registration {
    Rdap(Value),
    Whois(String),
    Nothing,
}

/// RDAP by the bootstrap redirector; WHOIS where the registry has no RDAP or it is down.
pub(crate) async fn ask(cx: &Context<'_>, path: &str, question: &str) -> Result<Registration> {
    let failure = match bootstrap::ask(cx, path).await {
        Ok(answer) => {
            let body = if answer.truncated { &[][..] } else { &answer.body };
            match said(path, &answer.url.host, answer.status, body) {
                Err(error) => error,
                said => return said,
            }
        }
        Err(error) => error,
    };
    if matches!(failure.reason(), NotDoneReason::OutOfBudget | NotDoneReason::RefusedByScope) {
        return Err(failure);
    }
    match whois::ask(cx, question).await {
        // Every address lies in a block of some registry: what tells of none was no answer, as that of a server that
        // is asked too often.
        Ok(text) if question.parse::<IpAddr>().is_ok_and(|address| !tells_of_block(text.as_deref(), address)) => {
            Err(failure)
        }
        Ok(Some(text)) => Ok(Registration::Whois(text)),
        Ok(None) => Ok(Registration::Nothing),
        Err(_) => Err(failure),
    }
}

/// What an answer by RDAP says. The redirector has no domains of its own: it answers as if one did not exist where it
/// knows no registry to lead to.
fn said(path: &str, host: &str, status: u16, body: &[u8]) -> Result<Registration, TaskError> {
    let body: Option<Value> = serde_json::from_slice(body).ok().filter(Value::is_object);
    let leads_nowhere = host == REDIRECTOR && path.starts_with("domain/");
    match (status, body) {
        (200, Some(body)) => Ok(Registration::Rdap(body)),
        (404, Some(_)) if !leads_nowhere => Ok(Registration::Nothing),
        (status, _) => Err(TaskError::SourceDown(format!("{host}: status {status}"))),
    }
}

fn tells_of_block(text: Option<&str>, address: IpAddr) -> bool {
    text.is_some_and(|text| whois::block(text, address).is_some())
}

async fn domain(cx: &Context<'_>) -> Result<Answer> {
    // A host that passes for theirs is as old as the domain in which it is.
    let of_host = registrable(&cx.facts.name).filter(|_| is_resembling(cx.facts));
    let name = of_host.unwrap_or(&cx.facts.name);
    let said = ask(cx, &format!("domain/{name}"), name).await?;
    let (registration, people, text) = match &said {
        Registration::Rdap(body) => (rdap::domain(body), rdap::people(body), rdap::text_of(body)),
        Registration::Whois(text) => (whois::domain(text), whois::people(text), text.clone()),
        Registration::Nothing => return Ok(Answer::Absent),
    };
    cx.observe(network::WHOIS_FULL_TEXT, json!(text));
    cx.observe(
        domain::CONTACTS,
        people.iter().map(|person| json!({"name": person.name, "email": person.email})).collect::<Value>(),
    );
    cx.observe(domain::REGISTRATION, registration);
    // The registrant of a domain that resembles theirs is recorded, and is not followed.
    if !is_resembling(cx.facts) {
        lead_to(cx, &people);
    }
    Ok(Answer::Found)
}

async fn address(cx: &Context<'_>) -> Result<Answer> {
    let name = cx.facts.name.as_str();
    let address: IpAddr = name.parse().map_err(|_| TaskError::Failed("not an address".into()))?;
    let said = ask(cx, &format!("ip/{name}"), name).await?;
    let (block, people) = match &said {
        Registration::Rdap(body) => (rdap::block(body, Some(address)), rdap::people(body)),
        Registration::Whois(text) => (whois::block(text, address), whois::people(text)),
        Registration::Nothing => (None, Vec::new()),
    };
    let Some(block) = block else {
        return Ok(Answer::Absent);
    };
    lead_to_holder(cx, &people);
    cx.observe(network::NET_NAME, block.member("handle_name").as_str().map(str::to_owned));
    for (member, of) in [
        (ip_address::NETWORK_NAME, "handle_name"),
        (ip_address::NETWORK_BLOCK, "cidr"),
        (ip_address::NETWORK_RIR, "rir"),
        (ip_address::NETWORK_COUNTRY_CODE, "country"),
        (ip_address::NETWORK_ALLOCATION_DATE, "allocated"),
        (network::WHOIS_FULL_TEXT, "whois_full_text"),
    ] {
        cx.observe(member, block.member(of));
    }
    let asn = match block.asn {
        Some(asn) => Some(asn),
        None => asn_by_dns(cx, address).await?,
    };
    cx.observe(ip_address::NETWORK_ASN, json!(asn));
    cx.found_with(Kind::NetBlock, &block.cidr, EdgeKind::CoveringBlock, block.members());
    if let Some(asn) = asn {
        cx.found(Kind::AutonomousSystem, &format!("AS{asn}"), EdgeKind::CoveringBlock);
    }
    Ok(Answer::Found)
}

async fn block(cx: &Context<'_>) -> Result<Answer> {
    let first = cx.facts.name.split('/').next().unwrap_or("");
    let said = ask(cx, &format!("ip/{}", cx.facts.name), first).await?;
    let (block, people) = match &said {
        Registration::Rdap(body) => (rdap::block(body, first.parse().ok()), rdap::people(body)),
        Registration::Whois(text) => {
            (first.parse().ok().and_then(|address| whois::block(text, address)), whois::people(text))
        }
        Registration::Nothing => (None, Vec::new()),
    };
    let Some(block) = block else {
        return Ok(Answer::Absent);
    };
    cx.observe_all(block.members());
    lead_to_holder(cx, &people);
    Ok(Answer::Found)
}

/// Leads from an address or a block to whoever registered it: to the organisation, and to a registrant's mailbox in the
/// domain of a seed. Scope compares them with what the registration of a seed says. A provider that leases its blocks
/// is nobody's evidence, though it may have registered the domain as well.
fn lead_to_holder(cx: &Context<'_>, people: &[Person]) {
    let origin = || Details::from_iter([mentioned::ORIGIN.is(json!("registration"))]);
    for person in people.iter().filter(|person| person.registrant && !person.redacted()) {
        if let Some(organization) =
            person.organization.as_ref().filter(|name| platforms::of_network(&name.replace(' ', "-")).is_none())
        {
            cx.found_with(Kind::Organization, organization, EdgeKind::Registrant, origin());
        }
        let host = person.email.as_ref().and_then(|email| email.rsplit_once('@').map(|(_, host)| host));
        if let (Some(email), Some(host)) = (&person.email, host)
            && cx.facts.seeds.cover_by_domain(host)
        {
            cx.found_with(Kind::EmailAddress, email, EdgeKind::Registrant, origin());
        }
    }
}

/// Leads from a domain to the organisation that registered it and to the mailboxes of its people; from one that is not
/// theirs only to mailboxes in the domain of a seed, since a stranger's are none of our business. Only the registrant's
/// tells whose the domain is: whoever looks after the domain of a customer stands in its registration as well.
fn lead_to(cx: &Context<'_>, people: &[Person]) {
    let origin = || Details::from_iter([mentioned::ORIGIN.is(json!("registration"))]);
    let is_wanted = |email: &&String| cx.facts.decision.scoped() || is_theirs(cx.facts, host_of(email));
    for person in people.iter().filter(|person| !person.redacted()) {
        if let Some(organization) = person.organization.as_ref().filter(|_| person.registrant) {
            cx.found_with(Kind::Organization, organization, EdgeKind::Registrant, origin());
        }
        if let Some(email) = person.email.as_ref().filter(is_wanted) {
            let edge = if person.registrant { EdgeKind::Registrant } else { EdgeKind::Contact };
            cx.found_with(Kind::EmailAddress, email, edge, origin());
        }
    }
}

/// The system that announces an address, by a public DNS zone (`64500 | 203.0.113.0/24 | …`).
async fn asn_by_dns(cx: &Context<'_>, address: IpAddr) -> Result<Option<u32>> {
    let zone = if address.is_ipv4() { "origin" } else { "origin6" };
    let name = format!("{}.{zone}.asn.cymru.com", reversed(address));
    // A number that a third party does not give is no reason to lose what the registry said.
    let Ok(answer) = cx.net.lookup(&name, RecordType::TXT).await else {
        return Ok(None);
    };
    let numbers = answer.records.iter().filter_map(|record| record.data.text());
    let numbers =
        numbers.filter_map(|text| text.raw().split(['|', ' ']).next().and_then(|number| number.trim().parse().ok()));
    Ok(numbers.min())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_redirector_that_knows_no_registry_says_nothing_of_a_domain() {
        let (nothing, unknown) = (b"{\"errorCode\": 404}", b"<h1>Not Found</h1>");
        for (path, host, body, is_nothing) in [
            ("domain/acme.test", "rdap.registry.test", &nothing[..], true),
            ("domain/acme.test", REDIRECTOR, nothing, false),
            ("ip/203.0.113.7", REDIRECTOR, nothing, true),
            ("domain/acme.test", "rdap.registry.test", unknown, false),
        ] {
            let said = said(path, host, 404, body);
            assert_eq!(said.ok(), is_nothing.then_some(Registration::Nothing), "{path} {host}");
        }
        let told = said("domain/acme.test", REDIRECTOR, 200, b"{}");
        assert_eq!(told, Ok(Registration::Rdap(json!({}))), "it may be a registry itself");
    }
}
