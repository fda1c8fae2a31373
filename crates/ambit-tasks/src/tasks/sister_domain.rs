//! Probes whether a domain that nobody named, but that something of theirs led to, is served like a seed: by their name
//! servers and mail servers, with reports to their mailboxes and with their senders. The edges are evidence for scope;
//! nothing else is reported.

use crate::ask::host::is_theirs;
use crate::read::spf;
use crate::tasks::mail_policy::{dmarc_mailboxes, spf_record};
use crate::tasks::registrable_domain::{SERVES, serves_them};
use crate::tasks::zone_profile::{mail_servers, name_servers};
use crate::{Answer, Context, Plan, Result, Sights, Task, TaskError};
use ambit_model::entity::{host_of, mentioned};
use ambit_model::facts::Neighbour;
use ambit_model::moment::DAY_MS;
use ambit_model::observation::Sighting;
use ambit_model::{Details, EdgeKind, Facts, Kind, TaskName, platforms, workflow};
use ambit_net::NetError;
use ambit_net::dns::RecordType;
use serde_json::json;

pub(crate) const TASK: Task = Task {
    name: TaskName::SisterDomain,
    pretty_name: "Sister domain",
    description: "Asks whether a domain that certificates or redirects of theirs led to, or that serves theirs, has \
                  their name servers, mail servers, senders or mailboxes.",
    workflows: &[workflow::EXTERNAL_DISCOVERY, workflow::CLOUD_ACCOUNTS],
    watches: &[Kind::Domain],
    produces: &[Kind::DnsRecord, Kind::EmailAddress, Kind::Mailserver, Kind::Nameserver],
    ttl_ms: 7 * DAY_MS,
    cost: 3,
    gain: 4,
    sights: Sights::All(Sighting::Nothing),
    plan: |facts, _| match is_in_question(facts) {
        true => Plan::bound([DMARC, MX, NS, SPF].map(str::to_owned)),
        false if facts.decision.is_closed() => Plan::No,
        false => Plan::bound([]),
    },
    run: |cx| Box::pin(run(cx)),
    ..Task::ASKS_NAMES
};

// Each question has its own answer, so that a server that fails at one does not hide the others.
const DMARC: &str = "DMARC";
const MX: &str = "MX";
const NS: &str = "NS";
const SPF: &str = "SPF";

/// True for a domain that may be a sister: no seed, no platform's, and something of theirs leads to it by more than a
/// mention, or it serves them. It stays in question whatever is decided, as the decision depends on the answers.
fn is_in_question(facts: &Facts) -> bool {
    let leads = |neighbour: &Neighbour| neighbour.edge == EdgeKind::RegistrableDomain && neighbour.argument == SERVES;
    is_named(facts) || (may_be_sister(facts) && (serves_them(facts) || facts.inward.iter().any(leads)))
}

/// True for a domain in question of which a registry is asked: what serves them is registered to others as a rule, and
/// only runs that ask its zone, too, make anything of that.
pub(crate) fn is_asked_about(facts: &Facts) -> bool {
    is_named(facts) || (facts.outcome(TASK.name).is_some() && is_in_question(facts))
}

/// True for one to which a certificate or a redirect of theirs leads.
fn is_named(facts: &Facts) -> bool {
    let leads = |edge: EdgeKind| matches!(edge, EdgeKind::ForeignCertificateName | EdgeKind::Redirect);
    may_be_sister(facts) && facts.inward.iter().any(|neighbour| leads(neighbour.edge) && neighbour.scoped)
}

fn may_be_sister(facts: &Facts) -> bool {
    facts.kind == Kind::Domain
        && !facts.seed
        && !facts.decision.is_closed()
        && !facts.seeds.domains().contains(&facts.name)
        && platforms::of_host(&facts.name).is_none()
}

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let name = cx.facts.name.as_str();
    let mut is_cut = false;
    let (kind, edge, found) = match cx.argument {
        NS => {
            let answer = cx.net.lookup(name, RecordType::NS).await?;
            is_cut = answer.cut;
            (Kind::Nameserver, EdgeKind::Vendor, name_servers(&answer))
        }
        MX => {
            let answer = cx.net.lookup(name, RecordType::MX).await?;
            is_cut = answer.cut;
            (Kind::Mailserver, EdgeKind::Vendor, mail_servers(&answer).into_iter().map(|(_, host)| host).collect())
        }
        SPF => {
            let record = spf_record(cx, name).await?;
            (Kind::DnsRecord, EdgeKind::Vendor, record.map(|text| spf::names(&text)).unwrap_or_default())
        }
        DMARC => (Kind::EmailAddress, EdgeKind::Contact, dmarc_mailboxes(cx, name).await?),
        other => return Err(TaskError::Failed(format!("not a question about a domain: {other:?}"))),
    };
    let theirs: Vec<&String> = found.iter().filter(|name| is_theirs(cx.facts, host_of(name))).collect();
    for name in &theirs {
        let origin = Details::from_iter([mentioned::ORIGIN.is(json!(format!("{} of {}", cx.argument, cx.facts.name)))]);
        cx.found_with(kind, name, edge, if kind == Kind::EmailAddress { origin } else { Details::new() });
    }
    if is_cut {
        // One that is theirs may be behind those that were read.
        cx.all_stands(TASK.name);
        return Answer::despite(!theirs.is_empty(), Some(NetError::TooLarge("records of one DNS answer").into()));
    }
    Ok(Answer::found_if(!theirs.is_empty()))
}
