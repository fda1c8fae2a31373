//! How a receiver goes: with its secrets, what waits for it and its log.

use crate::Result;
use crate::db::sql::{Tx, values};

/// Removes a receiver with everything that is its.
pub(crate) async fn remove(tx: &mut Tx, id: i64) -> Result<()> {
    tx.run("DELETE FROM notices WHERE receiver_id = $1", values![id]).await?;
    tx.run("DELETE FROM deliveries WHERE receiver_id = $1", values![id]).await?;
    tx.run("DELETE FROM receivers WHERE id = $1", values![id]).await?;
    Ok(())
}

/// Removes the receivers of a project that is being deleted, with their secrets.
pub(crate) async fn forget(tx: &mut Tx, project: i64) -> Result<()> {
    let sql = "SELECT id FROM receivers WHERE project_id = $1";
    for id in tx.read_all::<i64>(sql, values![project]).await? {
        remove(tx, id).await?;
    }
    Ok(())
}
