//! What a run changes back: the version that it opened says what the one before said. It is withdrawn, and the one
//! before is open again. What went and came back within the run, or came and went, turned at no moment.

use super::ChangeContext;
use crate::StoreError;
use crate::db::rows::{Rows, named};
use crate::db::sql::{Tx, values};
use ambit_model::feed::{Noun, What};
use ambit_model::{Timestamp, Uid};
use std::collections::BTreeMap;

/// The version that one of this run took the place of.
#[derive(Clone, Debug)]
pub(super) struct Previous {
    pub(super) record: String,
    pub(super) opened_at: Timestamp,
    pub(super) opened_revision: i64,
}

/// What a change takes back of those that its run made before.
#[derive(Clone, Debug, Default)]
pub(super) struct Reverted {
    /// The version that is open again.
    pub(super) version: Option<Previous>,
    /// The record is there, or is over, as it was before the run.
    pub(super) turns: bool,
}

impl Reverted {
    /// Compares a change of a version that the run opened with the version before it. `same` says whether both records
    /// say the same, `turned` whether one of them is over and the other is not.
    pub(super) fn of(previous: Previous, same: bool, turned: bool, what: What) -> Self {
        let turns = !turned && matches!(what, What::Appeared | What::Disappeared);
        Self { version: same.then_some(previous), turns }
    }

    /// Returns what the feed says of the change.
    pub(super) fn what(&self, what: What) -> What {
        if self.turns || self.version.is_some() { What::Changed } else { what }
    }
}

/// The versions that those of this run took the place of; `opened` names records by the revisions of theirs. None in
/// the first run of a collection.
pub(super) async fn previous_versions(
    tx: &mut Tx,
    place: &ChangeContext,
    noun: Noun,
    opened: &BTreeMap<Uid, i64>,
) -> Result<BTreeMap<Uid, Previous>, StoreError> {
    let Some(first) = opened.values().min().filter(|_| place.run_number() > 1) else { return Ok(BTreeMap::new()) };
    let uids: Vec<Uid> = opened.keys().copied().collect();
    let head = "SELECT uid, record, opened_at, opened_revision, closed_revision FROM versions WHERE noun = $1 AND \
                +closed_revision >= $2 AND uid IN";
    let rows: Vec<(Uid, String, Timestamp, i64, i64)> =
        tx.read_in(head, values![noun.name(), *first], &uids, "").await?;
    let before = rows.into_iter().filter(|(uid, .., closed)| opened.get(uid) == Some(closed));
    Ok(before
        .map(|(uid, record, opened_at, opened_revision, _)| (uid, Previous { record, opened_at, opened_revision }))
        .collect())
}

/// Removes the closed versions that are open again, and says in the feed that what did not turn changed. `reverted`
/// names records with the revisions of the versions that the run opened.
pub(super) async fn write_reverted(
    tx: &mut Tx,
    noun: Noun,
    reverted: &BTreeMap<Uid, (i64, Reverted)>,
) -> Result<(), StoreError> {
    let (mut versions, mut turns) = (Rows::default(), Rows::default());
    for (uid, (opened, reverted)) in reverted {
        if let Some(previous) = &reverted.version {
            versions.push(named! { noun: noun.name(), uid, revision: previous.opened_revision });
        }
        if reverted.turns {
            turns.push(named! { uid, revision: *opened });
        }
    }
    tx.with(versions, "DELETE FROM versions WHERE (noun, uid, opened_revision) IN (SELECT * FROM v)").await?;
    let sql = "UPDATE feed SET what = 'changed' FROM v WHERE feed.uid = v.uid AND feed.revision >= v.revision AND \
               feed.what IN ('appeared', 'disappeared')";
    tx.with(turns, sql).await
}
