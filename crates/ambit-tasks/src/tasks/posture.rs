//! Says how well a supplier protects what everybody can see of its domain, by what the other tasks saw.

use crate::ask::inputs::{digest, members};
use crate::tasks::front_page;
use crate::{Answer, Context, Plan, Result, Task, TaskError};
use ambit_model::entity::domain;
use ambit_model::facts::ProbeOutcome;
use ambit_model::posture::{READ, Sight, assess, sight};
use ambit_model::{Facts, Kind, TaskName, workflow};
use std::collections::BTreeSet;

pub(crate) const TASK: Task = Task {
    name: TaskName::Posture,
    pretty_name: "Posture",
    description: "Scores a domain that is a seed by what everybody can see of its mail, DNS, encryption and site, with \
                  the reasons.",
    workflows: &[workflow::THIRD_PARTIES],
    watches: &[Kind::Domain],
    cost: 1,
    gain: 1,
    plan: |facts, _| match facts.seed && facts.decision.scoped() {
        true if front_page::was_asked(facts, ASKED) => of_seen(facts),
        true => Plan::No,
        false => Plan::bound(None),
    },
    run: |cx| Box::pin(run(cx)),
    ..Task::DERIVES
};

/// Tasks that must have run before a domain gets a score, so that the score is not based on half of the facts.
const ASKED: &[TaskName] = &[TaskName::MailPolicy, TaskName::Registration, TaskName::Resolve, TaskName::ZoneProfile];

/// The argument is the digest of what the score is made of: where that changes, so does the score. One that it had
/// stands while nothing can be seen, and is gone with the domain.
fn of_seen(facts: &Facts) -> Plan {
    let now = made_of(facts);
    match sight(facts) {
        Sight::Missing => Plan::bound(None),
        Sight::Seen if facts.outcome_at(TASK.name, &now) == Some(ProbeOutcome::Found) => Plan::bound(Some(now)),
        // A failed probe keeps what the former score says about it.
        Sight::Seen | Sight::Unseen => {
            let before = facts.probes_of(TASK.name).map(|(argument, _)| argument.to_owned());
            let bound: BTreeSet<String> = before.chain([now.clone()]).collect();
            Plan::Bound { asked: vec![now], bound: bound.into_iter().collect() }
        }
    }
}

/// What was seen, and which looks failed.
fn made_of(facts: &Facts) -> String {
    let looks = ASKED.iter().chain(&[TaskName::FrontPage]).map(|task| {
        let outcomes = facts.probes_of(*task).map(|(argument, probe)| (argument, format!("{:?}", probe.outcome)));
        (task.as_str(), outcomes.collect::<Vec<_>>())
    });
    digest(&(members(&facts.details, READ), looks.collect::<Vec<_>>()))
}

async fn run(cx: &Context<'_>) -> Result<Answer> {
    if sight(cx.facts) == Sight::Unseen {
        let why = "neither its zone nor its mail could be looked at: it is given no score for that";
        return Err(TaskError::Failed(why.to_owned()));
    }
    cx.observe(domain::POSTURE, assess(cx.facts, cx.net.date()));
    Ok(Answer::Found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_model::facts::{LastProbe, Neighbour};
    use ambit_model::{Clearance, EdgeKind, Timestamp, Uid};
    use serde_json::json;
    use std::sync::Arc;

    #[test]
    fn a_site_at_an_address_that_may_not_be_visited_keeps_nobody_waiting_for_its_page() {
        for (clearance, waits) in [(Clearance::L2, true), (Clearance::L1, false)] {
            let mut facts = crate::tests::facts(Kind::Domain, "globex.test", json!({}));
            facts.decision.clearance = Clearance::L2;
            for task in ASKED {
                let at = Timestamp(0);
                let probe = LastProbe { confirmed: Some(at), ..LastProbe::new(ProbeOutcome::Found, at, 1) };
                facts.probes.entry(*task).or_default().insert(String::new(), probe);
            }
            facts.outward.push(Neighbour {
                edge: EdgeKind::ResolvesTo,
                task: TaskName::Resolve.as_str().to_owned(),
                argument: String::new(),
                uid: Uid::from_bytes([8; 32]),
                kind: Kind::IpAddress,
                name: "198.51.100.10".to_owned(),
                scoped: false,
                by_evidence: false,
                clearance,
                details: Arc::default(),
            });
            assert_eq!(front_page::was_asked(&facts, ASKED), !waits, "{clearance:?}");
        }
    }
}
