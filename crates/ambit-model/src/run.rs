//! Runs: one execution of a collection, as rows (docs/architecture.md §2).

use crate::timing::Timing;
use crate::{Clearance, Timestamp, Uid, id::RunId};
use uuid::Uuid;

/// The life of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RunState {
    Scheduled,
    Running,
    Paused,
    Finished,
    Failed,
    Cancelled,
}

impl RunState {
    /// Every state.
    pub const ALL: [Self; 6] =
        [Self::Scheduled, Self::Running, Self::Paused, Self::Finished, Self::Failed, Self::Cancelled];

    /// As stored and shown.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scheduled => "scheduled",
            Self::Running => "running",
            Self::Paused => "paused",
            Self::Finished => "finished",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// The state of a stored name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }

    /// Nothing more will happen in it.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Finished | Self::Failed | Self::Cancelled)
    }
}

/// What a run says that looked at one issue alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetestVerdict {
    /// What the issue rests on is still there.
    Open,
    /// It was looked at, and it is not there any more.
    Closed,
    /// Nothing was learned; the issue is as it was.
    CouldNotLook,
}

impl RetestVerdict {
    /// Every verdict.
    pub const ALL: [Self; 3] = [Self::Open, Self::Closed, Self::CouldNotLook];

    /// As stored and shown.
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Closed => "closed",
            Self::CouldNotLook => "could_not_look",
        }
    }

    /// The verdict of a stored name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.name() == name)
    }
}

/// A run with what it did and did not do.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    pub id: RunId,
    pub uuid: Uuid,
    pub collection: Uuid,
    pub collection_name: String,
    pub project: i64,
    pub project_uuid: Uuid,
    pub project_name: String,
    /// Counted in its collection, from 1.
    pub number: i64,
    pub state: RunState,
    /// A person started it: every fact is due.
    pub by_person: bool,
    /// The state of the simulated internet it looks at; 1 on live wires.
    pub wire_state: i64,
    pub priority: i64,
    pub created_at: Timestamp,
    pub started_at: Option<Timestamp>,
    pub finished_at: Option<Timestamp>,
    pub created_by_uuid: Option<Uuid>,
    pub created_by_email: Option<String>,
    pub engine: Option<String>,
    /// The issue that it looks at, and at nothing else.
    pub retests: Option<Uid>,
    /// What came of that, once it is over.
    pub verdict: Option<RetestVerdict>,
    /// When runs of its collection rest.
    pub timing: Timing,
    pub counters: RunCounters,
}

/// Counters of a run, raised in the transaction of the work they count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunCounters {
    pub work_open: i64,
    pub work_done: i64,
    pub work_unknown: i64,
    pub entities: i64,
    pub new_entities: i64,
}

/// What became of the work of one level in a run. Levels follow one another: quiet work first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    pub level: Clearance,
    /// Rows that are planned or under way.
    pub open: i64,
    /// What has been done, by task.
    pub tasks: Vec<TaskWork>,
}

/// Rows of one task that were done in a run, and those whose answer is unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskWork {
    pub task: String,
    pub done: i64,
    pub unknown: i64,
}

/// Why work was not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NotDoneReason {
    /// The peer, or the path to it, failed.
    NoAnswer,
    /// Scope does not allow the contact, or a person took the entity out of it.
    RefusedByScope,
    /// The machine, or the target's budget of errors, allowed no more.
    OutOfBudget,
    /// A data provider did not answer as it should.
    SourceDown,
    /// The credential that was given lacks the permission, or is not accepted.
    Denied,
    /// The task took longer than a row may.
    OutOfTime,
    /// The task panicked.
    Panicked,
    /// The process died under the row too often.
    SetAside,
    /// This version has no task of that name.
    UnknownTask,
    /// A large block waits for a person's yes.
    Unconfirmed,
    /// The run was ended because it took too long.
    Overlong,
    /// No task of this version looks at this workflow, kind of seed or integration.
    NoTask,
    /// It was looked for, and the name does not exist.
    NoSuchName,
}

impl NotDoneReason {
    /// Every reason.
    pub const ALL: [Self; 13] = [
        Self::NoAnswer,
        Self::RefusedByScope,
        Self::OutOfBudget,
        Self::SourceDown,
        Self::Denied,
        Self::OutOfTime,
        Self::Panicked,
        Self::SetAside,
        Self::UnknownTask,
        Self::Unconfirmed,
        Self::Overlong,
        Self::NoTask,
        Self::NoSuchName,
    ];

    /// As stored and shown.
    pub fn name(self) -> &'static str {
        match self {
            Self::NoAnswer => "no answer",
            Self::RefusedByScope => "refused by scope",
            Self::OutOfBudget => "out of budget",
            Self::SourceDown => "source down",
            Self::Denied => "denied",
            Self::OutOfTime => "out of time",
            Self::Panicked => "task panicked",
            Self::SetAside => "set aside",
            Self::UnknownTask => "unknown task",
            Self::Unconfirmed => "not confirmed",
            Self::Overlong => "run too long",
            Self::NoTask => "nothing looks at it",
            Self::NoSuchName => "does not exist",
        }
    }

    /// The reason of a stored name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.name() == name)
    }
}

/// Work that was not done, and why. A run has one of these for each reason and task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotDone {
    pub reason: NotDoneReason,
    pub task: String,
    pub count: i64,
    /// One example: kind and name of an entity, and what happened in words.
    pub example: String,
}

impl NotDone {
    /// What stands for a task where a reason is about seeds.
    pub const SEED: &'static str = "seed";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_round_trip_and_three_of_them_are_the_end() {
        for state in RunState::ALL {
            assert_eq!(RunState::from_name(state.name()), Some(state));
        }
        let over: Vec<&str> = RunState::ALL.into_iter().filter(|state| state.is_over()).map(RunState::name).collect();
        assert_eq!(over, ["finished", "failed", "cancelled"]);
        assert_eq!(RunState::from_name("done"), None);
        for verdict in RetestVerdict::ALL {
            assert_eq!(RetestVerdict::from_name(verdict.name()), Some(verdict));
        }
        for reason in NotDoneReason::ALL {
            assert_eq!(NotDoneReason::from_name(reason.name()), Some(reason));
        }
    }
}
