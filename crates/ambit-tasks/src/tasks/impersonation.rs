//! Says how likely a domain that resembles one of theirs is meant to pass for it, by what the other tasks saw of both.

use crate::ask::host::is_resembling;
use crate::ask::inputs::{digest, members};
use crate::tasks::front_page;
use crate::{Answer, Context, Plan, Result, Task};
use ambit_model::entity::domain;
use ambit_model::impersonation::{Original, READ, assess};
use ambit_model::{EdgeKind, Facts, Kind, TaskName, workflow};

pub(crate) const TASK: Task = Task {
    name: TaskName::Impersonation,
    pretty_name: "Impersonation",
    description: "Scores how likely it is that a domain impersonates the one that it resembles, with the reasons.",
    workflows: &[workflow::SUSPICIOUS_DOMAINS],
    watches: &[Kind::Domain],
    cost: 1,
    gain: 1,
    // The argument is the digest of what it is made of: where that changes, so does the assessment.
    plan: |facts, _| match is_resembling(facts) {
        true if front_page::was_asked(facts, ASKED) => Plan::bound(Some(made_of(facts))),
        true => Plan::No,
        // What a person calls theirs passes for nothing any more.
        false => Plan::bound(None),
    },
    run: |cx| Box::pin(run(cx)),
    ..Task::DERIVES
};

/// What is asked of a domain before it is assessed, so that nothing is said of one that is half known.
const ASKED: &[TaskName] = &[TaskName::Registration, TaskName::Resolve, TaskName::ZoneProfile];

fn made_of(facts: &Facts) -> String {
    let originals: Vec<_> =
        originals(facts).into_iter().map(|original| (original.name, members(original.details, READ))).collect();
    digest(&(members(&facts.details, READ), originals))
}

/// What it resembles, in order of name.
fn originals(facts: &Facts) -> Vec<Original<'_>> {
    let resembled = facts.from(EdgeKind::Resembles);
    let mut originals: Vec<Original<'_>> =
        resembled.map(|of| Original { name: &of.name, details: &of.details }).collect();
    originals.sort_by_key(|original| original.name);
    originals.dedup_by_key(|original| original.name);
    originals
}

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let assessment = assess(&cx.facts.name, &cx.facts.details, &originals(cx.facts), cx.net.date());
    let found = assessment.is_some();
    cx.observe(domain::IMPERSONATION, assessment);
    Ok(Answer::found_if(found))
}
