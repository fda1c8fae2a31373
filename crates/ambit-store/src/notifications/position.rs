//! The outbox as others hold it, and its position in the change feed.

use crate::db::sql::Tx;
use crate::inventory::feed;
use crate::{Result, Store};

/// The name of the position.
pub(crate) const READER: &str = "notifications";

/// The outbox of an installation; for the one process that sends.
#[derive(Clone)]
pub struct Outbox {
    pub(crate) store: Store,
}

/// Moves the position to the present if there was no receiver until now: earlier events are reported to nobody.
pub(crate) async fn start(tx: &mut Tx) -> Result<()> {
    if tx.exists("SELECT 1 FROM receivers WHERE ended IS NULL LIMIT 1", Vec::new()).await? {
        return Ok(());
    }
    let newest: i64 = tx.read_one("SELECT revision FROM revision WHERE one = 1", Vec::new()).await?;
    set(tx, newest).await
}

pub(crate) async fn set(tx: &mut Tx, revision: i64) -> Result<()> {
    feed::put_position(tx, READER, revision).await
}
