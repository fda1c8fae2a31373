//! The progress of a run, as people see it.

use std::collections::BTreeMap;
use std::time::Duration;

/// Counters of a run in progress; sent after every commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Rows done in this process.
    pub done: u64,
    /// Rows whose answer is unknown.
    pub unknown: u64,
    /// Rows open or leased.
    pub open: i64,
    /// Rows running now.
    pub in_flight: usize,
    /// How long what is planned so far takes, about; `None` while nothing can be said.
    pub left: Option<Duration>,
    /// Names, addresses and sites that are there and theirs.
    pub names: usize,
    pub addresses: usize,
    pub sites: usize,
    /// Entities seen for the first time.
    pub new_entities: u64,
    /// Entities in the scope graph.
    pub entities: usize,
    /// Scoped entities among them.
    pub scoped: usize,
    /// Entities that wait for their scope, plan and issues, while many are reconciled.
    pub reconciling: usize,
    /// Issues proven in this process, counted once each.
    pub issues: usize,
    /// Rows done, by task.
    pub tasks: BTreeMap<String, u64>,
}
