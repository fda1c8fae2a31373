//! The scope graph of a collection, whole or what changed since a reader's last look, as one consistent snapshot.

use super::{Engine, GraphDelta, GraphNode};
use crate::StoreError;
use crate::db::sql::{Row, Tx, values};
use ambit_model::scope::{Edge, Node};
use uuid::Uuid;

fn node_from(row: &Row) -> Result<GraphNode, StoreError> {
    Ok(GraphNode {
        node: Node {
            uid: row.get(0)?,
            kind: row.get(1)?,
            name: row.get(2)?,
            seed: row.get(3)?,
            allow: row.get(4)?,
            deny: row.get(5)?,
            shared: row.get(6)?,
        },
        observed: row.get(7)?,
        present: row.get(8)?,
        decision: row.json(9)?,
    })
}

impl Engine {
    /// Returns what changed in a collection's graph since the revision of the last delta; 0 returns everything. The revision counts changes of this
    /// collection's graph; it is not that of the feed.
    pub async fn graph(&self, collection: Uuid, since: i64) -> Result<GraphDelta, StoreError> {
        self.read(move |tx| Box::pin(async move { graph(tx, collection, since).await })).await
    }
}

/// The same in a transaction.
pub(crate) async fn graph(tx: &mut Tx, collection: Uuid, since: i64) -> Result<GraphDelta, StoreError> {
    let sql = "SELECT id, graph_revision FROM collections WHERE uuid = $1 AND deleted_at IS NULL";
    let row = tx.row(sql, values![collection]).await?.ok_or(StoreError::NotFound)?;
    let (id, revision): (i64, i64) = (row.get(0)?, row.get(1)?);
    let sql = "SELECT uid, kind, name, seed, allow_list, deny_list, shared, observed, present, decision FROM entities
               WHERE collection_id = $1 AND revision > $2";
    let rows = tx.rows(sql, values![id, since]).await?;
    let nodes = rows.iter().map(node_from).collect::<Result<_, _>>()?;
    let mut delta = GraphDelta {
        revision,
        nodes,
        ..GraphDelta::default()
    };
    // Several arguments of a task may hold the same edge: it is open while one does.
    let sql = "SELECT e.from_uid, e.to_uid, e.kind, e.task, MAX(CASE WHEN e.closed_at IS NULL THEN CAST(1 AS BIGINT) ELSE CAST(0 AS BIGINT) END)
               FROM (SELECT DISTINCT from_uid, to_uid, kind, task FROM edges WHERE collection_id = $1 AND revision > $2) AS moved
               JOIN edges e ON e.from_uid = moved.from_uid AND e.to_uid = moved.to_uid AND e.kind = moved.kind AND e.task = moved.task
               GROUP BY e.from_uid, e.to_uid, e.kind, e.task";
    for row in tx.rows(sql, values![id, since]).await? {
        let edge = Edge {
            from: row.get(0)?,
            to: row.get(1)?,
            kind: row.get(2)?,
            task: row.get(3)?,
        };
        if row.get::<bool>(4)? {
            delta.opened.push(edge);
        } else {
            delta.closed.push(edge);
        }
    }
    Ok(delta)
}
