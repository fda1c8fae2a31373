//! Connects a domain to the names below it that other sources mentioned, so that ownership comes from the domain's own
//! zone alone.

use crate::ask::delegation::{fails_alone, found_below};
use crate::ask::denial::is_there;
use crate::ask::host::{is_below, levels};
use crate::{Answer, Context, Plan, Result, Task};
use ambit_model::{EdgeKind, Facts, Kind, TaskName, workflow};
use ambit_net::NetError;
use ambit_net::dns::{Rcode, RecordType};

pub(crate) const TASK: Task = Task {
    name: TaskName::Subdomain,
    pretty_name: "Names below a domain",
    description: "Asks the zone whether a name that was found elsewhere exists, and whether it is delegated to \
                  others.",
    workflows: &[workflow::EXTERNAL_DISCOVERY, workflow::CLOUD_ACCOUNTS, workflow::THIRD_PARTIES],
    watches: &[Kind::Domain],
    produces: &[Kind::DnsRecord],
    cost: 2,
    gain: 4,
    plan: |facts, _| {
        if facts.decision.scoped() { Plan::bound(mentioned(facts)) } else { Plan::No }
    },
    run: |cx| Box::pin(run(cx)),
    ..Task::ASKS_NAMES
};

/// Names below the domain that led to it by their spelling.
fn mentioned(facts: &Facts) -> impl Iterator<Item = String> {
    let names = facts.from(EdgeKind::RegistrableDomain).filter(|neighbour| neighbour.kind == Kind::DnsRecord);
    names.filter(|neighbour| is_below(&neighbour.name, &facts.name)).map(|neighbour| neighbour.name.clone())
}

/// Leads to the highest level between the domain and a name that fails, where it fails: whoever becomes one of the
/// servers to which it was handed speaks for all below it.
async fn found_failing_level(cx: &Context<'_>, name: &str) -> Result<()> {
    let domain = cx.facts.name.as_str();
    if cx.net.lookup(domain, RecordType::SOA).await.is_err() {
        return Ok(());
    }
    for level in levels(name, domain).into_iter().filter(|level| *level != name) {
        if let Err(NetError::Dns(Rcode::SERVFAIL)) = cx.net.lookup(level, RecordType::NS).await {
            return found_below(cx, domain, level).await;
        }
    }
    Ok(())
}

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let exists = match is_there(cx, cx.argument).await {
        Err(NetError::Dns(Rcode::SERVFAIL)) if fails_alone(cx, cx.argument).await? => {
            found_failing_level(cx, cx.argument).await?;
            found_below(cx, &cx.facts.name, cx.argument).await?;
            return Ok(Answer::Found);
        }
        exists => exists?,
    };
    if exists {
        found_below(cx, &cx.facts.name, cx.argument).await?;
    }
    Ok(Answer::found_if(exists))
}
