//! Marks on entities that a run has to plan for and judge again. A mark is cleared only by whoever saw it: one that was
//! set meanwhile is another.

use crate::StoreError;
use crate::db::sql::{Tx, values};
use ambit_model::Uid;

/// Marks entities for planning and judging.
pub(crate) async fn mark_dirty(
    tx: &mut Tx,
    collection: i64,
    uids: impl IntoIterator<Item = Uid>,
) -> Result<(), StoreError> {
    let mark = new_mark();
    let rows = uids.into_iter().flat_map(|uid| values![uid, collection, mark]).collect();
    tx.many(
        "INSERT INTO dirty (uid, collection_id, mark)",
        3,
        rows,
        "ON CONFLICT (uid) DO UPDATE SET mark = excluded.mark",
    )
    .await
}

/// A mark that was never used before.
pub(super) fn new_mark() -> i64 {
    rand::random_range(1..i64::MAX)
}
