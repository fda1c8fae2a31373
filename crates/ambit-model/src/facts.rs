//! All that is known of an entity when work is planned or issues are judged. Built by the engine from the store; read by tasks and judges.

use crate::scope::Decision;
use crate::{Clearance, Details, EdgeKind, Kind, Timestamp, Uid};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Facts of one entity and its direct neighbours.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    pub uid: Uid,
    pub kind: Kind,
    pub name: String,
    pub seed: bool,
    pub present: bool,
    pub decision: Decision,
    /// The members of all open observations, folded.
    pub details: Details,
    /// The newest look of each (task, argument).
    pub looks: BTreeMap<(String, String), LastLook>,
    /// Open edges that lead here.
    pub inward: Vec<Neighbour>,
    /// Open edges that lead away.
    pub outward: Vec<Neighbour>,
    /// Canonical names of the collection's seeds, with their kinds.
    pub seeds: Vec<(Kind, String)>,
}

/// The newest look of a task at an entity.
#[derive(Clone, Debug, PartialEq)]
pub struct LastLook {
    pub outcome: LookOutcome,
    /// Wire date of the look.
    pub at: Timestamp,
    /// The run that looked.
    pub run: i64,
    /// Why it failed, where it did.
    pub reason: Option<String>,
}

/// How the newest look ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookOutcome {
    Found,
    Absent,
    Unknown,
}

/// The other end of an open edge.
#[derive(Clone, Debug, PartialEq)]
pub struct Neighbour {
    pub edge: EdgeKind,
    /// The task whose observation holds the edge.
    pub task: String,
    /// The argument of that observation.
    pub argument: String,
    pub uid: Uid,
    pub kind: Kind,
    pub name: String,
    pub scoped: bool,
    pub clearance: Clearance,
    /// Only over edges whose other end tells this one something (`EdgeKind::tells_start`, `tells_end`); empty over all others: a domain has thousands of
    /// names. Shared with every other neighbour of that entity: a hub's details stand beside hundreds of edges.
    pub details: Arc<Details>,
}

impl Facts {
    /// Neighbours over outward edges of a kind.
    pub fn to(&self, edge: EdgeKind) -> impl Iterator<Item = &Neighbour> {
        self.outward.iter().filter(move |neighbour| neighbour.edge == edge)
    }

    /// Neighbours over inward edges of a kind.
    pub fn from(&self, edge: EdgeKind) -> impl Iterator<Item = &Neighbour> {
        self.inward.iter().filter(move |neighbour| neighbour.edge == edge)
    }

    /// A text member of the details.
    pub fn text(&self, member: &str) -> Option<&str> {
        self.details.get(member).and_then(|value| value.as_str())
    }

    /// How the newest look of a task ended: `Found` if any argument found something, else `Unknown` if any failed, else `Absent`; `None` if it
    /// never looked.
    pub fn outcome(&self, task: &str) -> Option<LookOutcome> {
        let mut outcomes = self
            .looks
            .iter()
            .filter(|((name, _), _)| name == task)
            .map(|(_, look)| look.outcome)
            .peekable();
        outcomes.peek()?;
        let outcomes: Vec<_> = outcomes.collect();
        [LookOutcome::Found, LookOutcome::Unknown]
            .into_iter()
            .find(|outcome| outcomes.contains(outcome))
            .or(Some(LookOutcome::Absent))
    }

    /// How the newest look of a task with an argument ended; `None` if there was none.
    pub fn outcome_at(&self, task: &str, argument: &str) -> Option<LookOutcome> {
        self.looks.get(&(task.to_owned(), argument.to_owned())).map(|look| look.outcome)
    }

    /// True when the task's newest looks all succeeded (found or absent), and there was at least one.
    pub fn looked(&self, task: &str) -> bool {
        self.outcome(task).is_some()
            && !self
                .looks
                .iter()
                .any(|((name, _), look)| name == task && look.outcome == LookOutcome::Unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use LookOutcome::{Absent, Found, Unknown};

    fn facts(looks: &[(&str, &str, LookOutcome)]) -> Facts {
        let look = |outcome| LastLook {
            outcome,
            at: Timestamp(0),
            run: 1,
            reason: None,
        };
        Facts {
            uid: Uid::from_bytes([0; 32]),
            kind: Kind::Domain,
            name: "acme.test".to_owned(),
            seed: true,
            present: true,
            decision: Decision::unreached(),
            details: Details::new(),
            looks: looks
                .iter()
                .map(|(task, argument, outcome)| (((*task).to_owned(), (*argument).to_owned()), look(*outcome)))
                .collect(),
            inward: Vec::new(),
            outward: Vec::new(),
            seeds: Vec::new(),
        }
    }

    #[test]
    fn a_task_has_looked_when_none_of_its_newest_looks_failed() {
        for (looks, outcome, looked) in [
            (&[][..], None, false),
            (&[("resolve", "", Found)][..], Some(Found), true),
            (&[("resolve", "", Absent)][..], Some(Absent), true),
            (&[("resolve", "", Unknown)][..], Some(Unknown), false),
            (&[("resolve", "a", Absent), ("resolve", "b", Found)][..], Some(Found), true),
            (&[("resolve", "a", Found), ("resolve", "b", Unknown)][..], Some(Found), false),
            (&[("resolve", "a", Absent), ("resolve", "b", Unknown)][..], Some(Unknown), false),
            (&[("resolver", "", Found), ("ptr", "", Unknown)][..], None, false),
        ] {
            let facts = facts(looks);
            assert_eq!((facts.outcome("resolve"), facts.looked("resolve")), (outcome, looked), "{looks:?}");
        }
    }
}
