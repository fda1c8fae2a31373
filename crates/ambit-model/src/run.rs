//! Runs: one execution of a collection, as rows (docs/architecture.md §2).

use crate::names::names;
use crate::timing::Timing;
use crate::{Clearance, Timestamp, Uid, id::RunId};
use uuid::Uuid;

names! {
    /// The life of a run.
    pub enum RunState {
        Scheduled,
        Running,
        Paused,
        Finished,
        Failed,
        Cancelled,
    }
}

impl RunState {
    /// Nothing more will happen in it.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Finished | Self::Failed | Self::Cancelled)
    }
}

names! {
    /// The verdict of a run that tested one issue.
    pub enum RetestVerdict {
        /// What the issue rests on is still there.
        Open,
        /// It was looked at, and it is not there any more.
        Closed,
        /// Nothing was learned; the issue is as it was.
        CouldNotLook,
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
    /// It searches everything, also what an earlier run searched within its time to live.
    pub full: bool,
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
    /// Its verdict, once it is over.
    pub verdict: Option<RetestVerdict>,
    /// When runs of its collection rest.
    pub timing: Timing,
    pub counters: RunCounters,
    pub progress: RunProgress,
}

/// How far a run is, as its engine said last: what is there and theirs, and how long what is planned so far takes,
/// about. `None`: nothing can be said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunProgress {
    pub names: i64,
    pub addresses: i64,
    pub sites: i64,
    pub seconds_left: Option<i64>,
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

names! {
    /// Why work was not done.
    pub enum NotDoneReason {
        /// The peer, or the path to it, failed.
        #[strum(serialize = "no answer")]
        NoAnswer,
        /// Something was found, and the rest could not be looked at.
        #[strum(serialize = "in part")]
        InPart,
        /// More was found than is kept; what is kept was probed completely.
        #[strum(serialize = "left out")]
        LeftOut,
        /// Scope does not allow the contact, or a person took the entity out of it.
        #[strum(serialize = "refused by scope")]
        RefusedByScope,
        /// Only names lead to the address, and none of them could be looked up: it may be somebody else's by now.
        #[strum(serialize = "name unanswered")]
        NameUnanswered,
        /// The machine, or the target's budget of errors, allowed no more.
        #[strum(serialize = "out of budget")]
        OutOfBudget,
        /// A data provider did not answer as it should.
        #[strum(serialize = "source down")]
        SourceDown,
        /// The credential that was given lacks the permission, or is not accepted.
        #[strum(serialize = "denied")]
        Denied,
        /// The task took longer than a row may.
        #[strum(serialize = "out of time")]
        OutOfTime,
        /// The task panicked.
        #[strum(serialize = "task panicked")]
        Panicked,
        /// The process died under the row too often.
        #[strum(serialize = "set aside")]
        SetAside,
        /// This version has no task of that name.
        #[strum(serialize = "unknown task")]
        UnknownTask,
        /// A large block waits for a person's yes.
        #[strum(serialize = "not confirmed")]
        Unconfirmed,
        /// The run was ended because it took too long.
        #[strum(serialize = "run too long")]
        Overlong,
        /// No task of this version looks at this workflow, kind of seed or integration.
        #[strum(serialize = "nothing looks at it")]
        NoTask,
        /// It was looked for, and the name does not exist.
        #[strum(serialize = "does not exist")]
        NoSuchName,
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
    fn three_states_are_the_end() {
        let over: Vec<&str> = RunState::ALL.iter().filter(|state| state.is_over()).map(|state| state.name()).collect();
        assert_eq!(over, ["finished", "failed", "cancelled"]);
    }
}
