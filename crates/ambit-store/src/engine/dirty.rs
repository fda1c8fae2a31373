//! Marks on entities that a run has to plan for and judge again. A mark is cleared only by whoever saw it: one that was
//! set meanwhile is another.

use crate::Result;
use crate::db::rows::{Rows, named, or_set};
use crate::db::sql::Tx;
use ambit_model::Uid;

/// Marks entities for planning and judging.
pub(crate) async fn mark_dirty(tx: &mut Tx, collection: i64, uids: impl IntoIterator<Item = Uid>) -> Result<()> {
    let mark = new_mark();
    let rows = uids.into_iter().map(|uid| named! { collection_id: collection, uid, mark });
    tx.insert("dirty", Rows::from_iter(rows), &or_set("collection_id, uid", &["mark"])).await
}

/// A mark that was never used before.
pub(super) fn new_mark() -> i64 {
    rand::random_range(1..i64::MAX)
}
