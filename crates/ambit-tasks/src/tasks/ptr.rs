//! The reverse name of an address. It is weak evidence, because whoever holds the address writes it.

use crate::ask::host::reverse_name;
use crate::{Answer, Context, Plan, Result, Task, TaskError};
use ambit_model::entity::domain;
use ambit_model::entity::domain::Resolution;
use ambit_model::scope::spells;
use ambit_model::{Clearance, EdgeKind, Facts, Kind, TaskName, workflow};
use ambit_net::dns::{RecordData, RecordType};
use std::collections::BTreeSet;
use std::net::IpAddr;

pub(crate) const TASK: Task = Task {
    name: TaskName::Ptr,
    pretty_name: "Reverse DNS",
    description: "Looks up the PTR records of an address.",
    workflows: &[workflow::EXTERNAL_DISCOVERY, workflow::CLOUD_ACCOUNTS, workflow::THIRD_PARTIES],
    watches: &[Kind::IpAddress],
    produces: &[Kind::DnsRecord, Kind::Domain],
    cost: 1,
    gain: 2,
    plan: |facts, _| Plan::once_if(is_ours_to_ask(facts)),
    run: |cx| Box::pin(run(cx)),
    ..Task::ASKS_NAMES
};

/// PTR names of one address that are followed; more are noise of a provider.
const NAMES_MAX: usize = 20;

/// True for an address that is theirs, or that one of their names leads to: whose it is has to be asked before anything
/// else is.
pub(crate) fn is_ours_to_ask(facts: &Facts) -> bool {
    let mut names = facts.from(EdgeKind::ResolvesTo);
    facts.decision.scoped() || facts.decision.clearance >= Clearance::L2 || names.any(|name| name.scoped)
}

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let address: IpAddr = cx.facts.name.parse().map_err(|_| TaskError::Failed("not an address".into()))?;
    let answer = cx.net.lookup(&reverse_name(address), RecordType::PTR).await?;
    let names: BTreeSet<&String> = answer
        .records
        .iter()
        .filter_map(|record| match &record.data {
            RecordData::Ptr(name) => Some(name),
            _ => None,
        })
        .collect();
    cx.observe(
        domain::RESOLUTIONS,
        names
            .iter()
            .map(|name| Resolution { response_data: (*name).clone(), response_type: "PTR".to_owned() })
            .collect::<Vec<_>>(),
    );
    // A name that only spells the address is the provider's and identifies nobody.
    let telling = names.iter().filter(|name| !spells(name, &cx.facts.name));
    for name in cx.kept(TASK.name, telling, NAMES_MAX, "names") {
        cx.found_host(name, EdgeKind::Pointer);
    }
    if answer.cut {
        cx.leave_out(format!("names beyond the first {}", names.len()));
        // What is known before the last name that was read is gone where it was not read.
        let is_behind = |name: &str| names.last().is_some_and(|last| name > last.as_str());
        let known = cx.facts.led_to(TASK.name, cx.argument).filter(|known| is_behind(&known.name));
        known.take(NAMES_MAX).for_each(|known| cx.stands(known));
    }
    Ok(Answer::found_if(!names.is_empty()))
}
