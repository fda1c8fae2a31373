//! Counts that are kept ready: of searches that nothing narrows but collections, until their project changes.
//! Everybody's first look is one of them, and counting a million documents for each costs more than everything else
//! about it.

use crate::aggregations::Counted;
use crate::condition::Condition;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A moment of the index: which generation of it, and which reading of that. Later ones are greater.
pub(crate) type Moment = (u64, u64);

/// Searches whose counts are kept; the one that was asked for least recently goes first. Each is some kilobytes.
const KEPT_MAX: usize = 128;

struct Entry {
    condition: Condition,
    /// The change of the project after which this was counted.
    change: Moment,
    counted: Arc<Vec<Counted>>,
}

#[derive(Default)]
pub(crate) struct Ready {
    /// The most recently used one is at the end.
    entries: Mutex<Vec<Entry>>,
}

/// The project of a search that only collections narrow.
pub(crate) fn project_of(condition: &Condition) -> Option<i64> {
    let Condition::And(all) = condition else { return None };
    let [Condition::Space(_, project), narrowing @ ..] = all.as_slice() else {
        return None;
    };
    narrowing.iter().all(only_collections).then_some(*project)
}

fn only_collections(condition: &Condition) -> bool {
    match condition {
        Condition::Collections(_) => true,
        Condition::Or(any) => any.iter().all(only_collections),
        _ => false,
    }
}

impl Ready {
    /// What was counted of a search since its project's last change.
    pub(crate) fn find(&self, condition: &Condition, change: Moment) -> Option<Arc<Vec<Counted>>> {
        let mut entries = self.entries();
        let place = entries.iter().position(|entry| entry.change == change && entry.condition == *condition)?;
        let entry = entries.remove(place);
        let counted = entry.counted.clone();
        entries.push(entry);
        Some(counted)
    }

    /// Keeps what was counted, in place of what was counted before an earlier change.
    pub(crate) fn keep(&self, condition: &Condition, change: Moment, counted: Vec<Counted>) {
        let mut entries = self.entries();
        if entries.iter().any(|entry| entry.condition == *condition && entry.change > change) {
            return;
        }
        entries.retain(|entry| entry.condition != *condition);
        if entries.len() >= KEPT_MAX {
            entries.remove(0);
        }
        entries.push(Entry { condition: condition.clone(), change, counted: Arc::new(counted) });
    }

    fn entries(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_query::Noun;
    use uuid::Uuid;

    fn all_of(project: i64) -> Condition {
        Condition::And(vec![Condition::Space(Noun::Issues, project)])
    }

    fn counted(sum: i64) -> Vec<Counted> {
        vec![Counted::Sum(sum)]
    }

    #[test]
    fn only_collections_may_narrow() {
        let collections = || Condition::Collections(vec![Uuid::nil()]);
        let space = || Condition::Space(Noun::Entities, 7);
        for (parts, expected) in [
            (vec![space()], Some(7)),
            (vec![space(), collections(), Condition::Or(vec![collections(), collections()])], Some(7)),
            (vec![space(), Condition::Not(Box::new(collections()))], None),
            (vec![space(), Condition::EqualBool("hidden", true)], None),
            (vec![Condition::SpaceAt(Noun::Entities, 7, 1)], None),
        ] {
            assert_eq!(project_of(&Condition::And(parts.clone())), expected, "{parts:?}");
        }
        assert_eq!(project_of(&Condition::Nothing), None);
    }

    #[test]
    fn counts_hold_until_the_project_changes() {
        let ready = Ready::default();
        let find = |project: i64, change| ready.find(&all_of(project), change).map(|kept| kept.to_vec());
        ready.keep(&all_of(1), (1, 5), counted(10));
        assert_eq!(find(1, (1, 5)), Some(counted(10)));
        assert_eq!(find(1, (1, 6)), None);
        assert_eq!(find(2, (1, 5)), None);
        // A snapshot of before does not push out what is newer.
        ready.keep(&all_of(1), (1, 4), counted(9));
        assert_eq!(find(1, (1, 5)), Some(counted(10)));
        for project in 0..i64::try_from(KEPT_MAX).unwrap() {
            ready.keep(&all_of(100 + project), (1, 5), counted(0));
        }
        assert_eq!(find(1, (1, 5)), None, "the oldest goes");
    }
}
