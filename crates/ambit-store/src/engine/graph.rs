//! The scope graph of a collection, whole or what changed since a reader's last look, as one consistent snapshot.

use super::{Engine, GraphDelta, GraphNode};
use crate::Result;
use crate::db::rows::{columns, list, named, select};
use crate::db::sql::{Tx, Value, values};
use crate::record::ChangeContext;
use ambit_model::scope::{Edge, Node};
use ambit_model::{EdgeKind, Uid};
use uuid::Uuid;

columns! { GraphNode { node: Node, observed, present, decision: (json "decision") } }

columns! {
    Node {
        uid,
        kind,
        name,
        seed,
        allow: "allow_list",
        deny: "deny_list",
        shared,
    }
}

columns! { Edge of e { from: "e.from_uid", to: "e.to_uid", kind, task } }

impl Engine {
    /// Returns what changed in a collection's graph since the revision of the last delta; 0 returns everything. The
    /// revision counts changes of this collection's graph; it is not that of the feed.
    pub async fn graph(&self, collection: Uuid, since: i64) -> Result<GraphDelta> {
        self.read(move |tx| Box::pin(async move { graph(tx, collection, since).await })).await
    }
}

/// The same in a transaction.
pub(crate) async fn graph(tx: &mut Tx, collection: Uuid, since: i64) -> Result<GraphDelta> {
    let sql = "SELECT id, graph_revision FROM collections WHERE uuid = $1 AND deleted_at IS NULL";
    let (id, revision): (i64, i64) = tx.find(sql, values![collection]).await?;
    let sql = select::<GraphNode>("FROM entities WHERE collection_id = $1 AND revision > $2");
    let nodes = tx.read_all(&sql, values![id, since]).await?;
    let mut delta = GraphDelta { revision, nodes, ..GraphDelta::default() };
    // Several arguments of a task may hold the same edge: it is open while one does.
    let edge = list::<Edge>();
    let sql = format!(
        "SELECT {edge}, MAX(CASE WHEN e.closed_at IS NULL THEN CAST(1 AS BIGINT) ELSE CAST(0 AS BIGINT) END)
         FROM (SELECT DISTINCT from_uid, to_uid, kind, task FROM edges WHERE collection_id = $1 AND revision > $2) AS \
         moved
         JOIN edges e ON e.from_uid = moved.from_uid AND e.to_uid = moved.to_uid AND e.kind = moved.kind AND e.task = \
         moved.task
         GROUP BY {edge}"
    );
    for (edge, is_open) in tx.read_all(&sql, values![id, since]).await? {
        if is_open {
            delta.opened.push(edge);
        } else {
            delta.closed.push(edge);
        }
    }
    Ok(delta)
}

/// Closes edges; `v` has rows of from, task, argument, kind, to, closed_at, revision.
pub(super) const CLOSE_EDGES: &str = "UPDATE edges SET closed_at = v.closed_at, revision = v.revision FROM v
    WHERE edges.from_uid = v.from_uid AND edges.task = v.task AND edges.argument = v.argument AND edges.kind = v.kind
    AND edges.to_uid = v.to_uid AND edges.closed_at IS NULL";

/// A row for `CLOSE_EDGES`.
pub(super) fn closed_edge(
    place: &ChangeContext,
    (from, task, argument): (&Uid, &str, &str),
    kind: EdgeKind,
    to: &Uid,
) -> [(&'static str, Value); 7] {
    named! {
        from_uid: from,
        task,
        argument,
        kind: kind.name(),
        to_uid: to,
        closed_at: place.now,
        revision: place.graph,
    }
}
