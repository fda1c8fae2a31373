//! Looks whether anybody serves the names that a zone handed to others. The records that hand them over are the zone's
//! own; whoever becomes one of those servers speaks in its name.

use crate::task::beyond;
use crate::tasks::dangling::{delegation, server_gone, together};
use crate::{Answer, Context, Plan, Result, Sights, Task};
use ambit_model::entity::domain::{self, Dangling, DeadDelegation};
use ambit_model::observation::Sighting;
use ambit_model::{EdgeKind, Facts, Kind, TaskName, workflow};
use std::collections::BTreeSet;

pub(crate) const TASK: Task = Task {
    name: TaskName::Delegations,
    pretty_name: "Delegations",
    description: "Checks whether the servers to which a zone delegates names exist and answer for them.",
    workflows: &[workflow::EXTERNAL_DISCOVERY, workflow::CLOUD_ACCOUNTS, workflow::THIRD_PARTIES],
    watches: &[Kind::DnsRecord, Kind::Domain],
    cost: 3,
    gain: 4,
    sights: Sights::All(Sighting::Nothing),
    plan: |facts, _| match facts.decision.scoped() {
        true => Plan::bound_within(facts, TASK.name, handed(facts), NAMES_MAX),
        false => Plan::No,
    },
    left_out: |facts| beyond(handed(facts).len(), NAMES_MAX, "names"),
    run: |cx| Box::pin(run(cx)),
    ..Task::ASKS_NAMES
};

/// Names of one zone that are looked at: more than any organisation hands out by hand.
const NAMES_MAX: usize = 1_000;

fn handed(facts: &Facts) -> BTreeSet<String> {
    let names = facts.to(EdgeKind::DelegatedSubdomain).filter(|neighbour| neighbour.kind == Kind::DnsRecord);
    names.map(|neighbour| neighbour.name.clone()).collect()
}

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let known = domain::DEAD_DELEGATIONS.items(&cx.facts.details).filter(|item| item.name == cx.argument);
    let known: Vec<Dangling> = known.map(|item| server_gone(&item.target, item.reason)).collect();
    let dead = together([delegation(cx, cx.argument, &known).await?])?.into_iter();
    let dead: Vec<DeadDelegation> = dead
        .map(|item| DeadDelegation { name: cx.argument.to_owned(), target: item.target, reason: item.reason })
        .collect();
    let answer = Answer::found_if(!dead.is_empty());
    cx.observe(domain::DEAD_DELEGATIONS, dead);
    Ok(answer)
}
