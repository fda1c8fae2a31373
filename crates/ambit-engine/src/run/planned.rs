//! Rows that this engine has planned in this run: what an entity calls for is worked out each time that something
//! about it changes, and only what is new has to be brought to the store.

use ambit_model::Uid;
use ambit_store::engine::{NewSweep, NewWork};
use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

/// Rows that are remembered, 16 bytes each. Beyond that all are forgotten, and planned again: the store leaves rows
/// that are there as they are.
const ROWS_MAX: usize = 2_000_000;

/// What is remembered of a row: two hashes, so that no two rows are taken for one.
pub(super) type Mark = (u64, u64);

/// The rows that the store has taken.
#[derive(Default)]
pub(super) struct PlannedRows {
    marks: HashSet<Mark>,
    keys: (RandomState, RandomState),
}

impl PlannedRows {
    /// Keeps the rows that are not planned yet.
    pub(super) fn retain_new(&self, work: &mut Vec<NewWork>, sweeps: &mut Vec<NewSweep>) {
        work.retain(|row| !self.marks.contains(&self.row(row)));
        sweeps.retain(|sweep| !self.marks.contains(&self.sweep(sweep)));
    }

    /// Remembers rows that the store has taken.
    pub(super) fn add(&mut self, marks: Vec<Mark>) {
        if self.marks.len() + marks.len() > ROWS_MAX {
            self.forget();
        }
        self.marks.extend(marks);
    }

    /// Forgets all rows: somebody else may have taken some out of the plan.
    pub(super) fn forget(&mut self) {
        self.marks.clear();
    }

    /// What is to be remembered of rows once the store has taken them.
    pub(super) fn marks(&self, work: &[NewWork], sweeps: &[NewSweep]) -> Vec<Mark> {
        work.iter().map(|row| self.row(row)).chain(sweeps.iter().map(|sweep| self.sweep(sweep))).collect()
    }

    fn row(&self, row: &NewWork) -> Mark {
        self.mark((&row.uid, row.task, &row.argument, row.number))
    }

    fn sweep(&self, sweep: &NewSweep) -> Mark {
        // No row has a negative number.
        self.mark((&sweep.uid, sweep.task, &sweep.prefix, -1))
    }

    fn mark(&self, row: (&Uid, &str, &String, i64)) -> Mark {
        (self.keys.0.hash_one(row), self.keys.1.hash_one(row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_model::{Clearance, Timestamp, Wave};

    #[test]
    fn a_row_is_brought_once_until_all_are_forgotten() {
        let row = |argument: &str, number| NewWork {
            task: "resolve",
            uid: Uid::from_bytes([7; 32]),
            argument: argument.to_owned(),
            number,
            wave: Wave::Passive,
            footprint: Clearance::L1,
            priority: 0,
            not_before: Timestamp(0),
            partition: 0,
        };
        let (first, sweep) = (
            row("a", 0),
            NewSweep {
                task: "resolve",
                uid: Uid::from_bytes([7; 32]),
                prefix: "a".to_owned(),
                size: 9,
                step: 3,
                wave: Wave::Passive,
                footprint: Clearance::L1,
                priority: 0,
                partition: 0,
            },
        );
        let mut rows = PlannedRows::default();
        let marks = rows.marks(std::slice::from_ref(&first), &[]);
        rows.add(marks);
        let left = |rows: &PlannedRows| {
            let (mut work, mut sweeps) = (vec![first.clone(), row("a", 2), row("b", 0)], vec![sweep.clone()]);
            rows.retain_new(&mut work, &mut sweeps);
            (work.len(), sweeps.len())
        };
        assert_eq!(left(&rows), (2, 1), "another number, another argument and a sweep are new");
        rows.forget();
        assert_eq!(left(&rows), (3, 1));
    }
}
