//! How the runs of one process share what it carries at once: each project has an equal part, and the runs of a project
//! divide theirs.

use ambit_model::id::RunId;
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Rows that one run has running at once at most. They wait far more than they compute; memory of a row is a few
/// hundred kB at worst.
pub const IN_FLIGHT_MAX: usize = 512;
/// Rows of all runs of a process at once: three runs have all that they can use.
const IN_FLIGHT_OF_PROCESS_MAX: usize = 3 * IN_FLIGHT_MAX;
/// Rows that a run has at least: fewer would make its leases many and small.
const IN_FLIGHT_MIN: usize = 16;

/// The project of each run that a process carries, and how many rows it may have under way.
type PartOfRun = BTreeMap<RunId, (i64, Arc<AtomicUsize>)>;

/// The parts of the runs that a process carries.
#[derive(Clone, Debug, Default)]
pub struct Shares(Arc<Mutex<PartOfRun>>);

/// The part of one run; it falls to the others when it is dropped.
#[derive(Debug)]
pub struct Share {
    run: RunId,
    rows: Arc<AtomicUsize>,
    all: Shares,
}

impl Shares {
    /// Gives a run of a project its part, which moves as other runs come and go.
    pub fn join(&self, run: RunId, project: i64) -> Share {
        let rows = Arc::new(AtomicUsize::new(IN_FLIGHT_MAX));
        let mut parts = self.0.lock();
        parts.insert(run, (project, Arc::clone(&rows)));
        divide(&parts);
        drop(parts);
        Share { run, rows, all: self.clone() }
    }
}

impl Share {
    /// Rows that the run may have running at once, now.
    pub fn rows(&self) -> usize {
        self.rows.load(Ordering::Relaxed)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut parts = self.all.0.lock();
        parts.remove(&self.run);
        divide(&parts);
    }
}

fn divide(parts: &PartOfRun) {
    let projects: BTreeSet<i64> = parts.values().map(|(project, _)| *project).collect();
    for (project, rows) in parts.values() {
        let runs = parts.values().filter(|(other, _)| other == project).count();
        let part = IN_FLIGHT_OF_PROCESS_MAX / projects.len() / runs;
        rows.store(part.clamp(IN_FLIGHT_MIN, IN_FLIGHT_MAX), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_runs_of_one_project_leave_another_its_whole_part() {
        let shares = Shares::default();
        let first = shares.join(1, 7);
        assert_eq!(first.rows(), IN_FLIGHT_MAX);
        let more: Vec<Share> = (2..=4).map(|run| shares.join(run, 7)).collect();
        assert_eq!(first.rows(), IN_FLIGHT_OF_PROCESS_MAX / 4);
        let other = shares.join(5, 8);
        assert_eq!((other.rows(), first.rows()), (IN_FLIGHT_MAX, IN_FLIGHT_OF_PROCESS_MAX / 8));
        drop(other);
        assert_eq!(first.rows(), IN_FLIGHT_OF_PROCESS_MAX / 4);
        drop(more);
        assert_eq!(first.rows(), IN_FLIGHT_MAX);
    }

    #[test]
    fn every_run_has_something() {
        let shares = Shares::default();
        let many: Vec<Share> = (0..200).map(|run| shares.join(run, run)).collect();
        assert!(many.iter().all(|share| share.rows() == IN_FLIGHT_MIN));
    }
}
