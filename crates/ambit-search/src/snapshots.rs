//! Pages by number are read from one moment: page 0 opens a snapshot (index reader and resolved query), the others
//! are answered from it, so that no row is skipped or doubled while data moves.

use std::collections::HashMap;

use ambit_model::Timestamp;

use crate::condition::Condition;
use crate::embedded::View;

/// How long a snapshot is kept after it was opened, in milliseconds: a client that pages needs seconds.
const KEPT_MS: i64 = 5 * 60 * 1_000;

/// Snapshots kept at once; each holds replaced segments on disk. The oldest goes first.
const SNAPSHOTS_MAX: usize = 64;

#[derive(Clone)]
pub(crate) struct Snapshot {
    pub(crate) view: View,
    pub(crate) condition: Condition,
    opened: Timestamp,
}

#[derive(Default)]
pub(crate) struct Snapshots {
    by_search: HashMap<String, Snapshot>,
}

impl Snapshots {
    pub(crate) fn find(&mut self, search: &str, now: Timestamp) -> Option<Snapshot> {
        self.forget_old(now);
        self.by_search.get(search).cloned()
    }

    /// Opens a snapshot in place of an earlier one of the same search.
    pub(crate) fn open(&mut self, search: String, view: View, condition: Condition, now: Timestamp) -> Snapshot {
        self.forget_old(now);
        let snapshot = Snapshot {
            view,
            condition,
            opened: now,
        };
        self.by_search.insert(search, snapshot.clone());
        while self.by_search.len() > SNAPSHOTS_MAX {
            let oldest = self
                .by_search
                .iter()
                .min_by_key(|(key, snapshot)| (snapshot.opened, *key))
                .map(|(key, _)| key.clone());
            self.by_search.remove(&oldest.expect("there is one above the limit"));
        }
        snapshot
    }

    fn forget_old(&mut self, now: Timestamp) {
        self.by_search
            .retain(|_, snapshot| now.0.abs_diff(snapshot.opened.0) < KEPT_MS.unsigned_abs());
    }
}
