//! Reconciling: decisions, presence, plans and issues, in one transaction with the marks that they reconcile.

use super::commit::{enter, raise_wire_date};
use super::dirty::mark_dirty;
use super::graph::{CLOSE_EDGES, closed_edge};
use super::issues::write_issues;
use super::lease::{drop_louder, insert_sweeps, insert_work};
use super::not_done::count_not_done;
use super::{Dirty, Engine, Reconciliation};
use crate::Result;
use crate::db::rows::{Rows, columns, named, select};
use crate::db::sql::{Tx, values};
use crate::db::writer::transaction;
use crate::inventory::collections;
use crate::inventory::runs::{OPEN, collection_of, load_carried};
use crate::record::Changes;
use ambit_model::facts::ProbeKey;
use ambit_model::id::RunId;
use ambit_model::{Clearance, EdgeKind, Timestamp, Uid};
use std::collections::{BTreeMap, BTreeSet};

impl Engine {
    /// Stores decisions. A run that is over accepts none.
    pub async fn reconcile(&self, reconciliation: Reconciliation) -> Result<()> {
        transaction!(self.store, Engine, async |tx| reconcile(tx, reconciliation).await)
    }

    /// Entities that have to be planned and judged, each with its mark.
    pub async fn dirty(&self, run: ambit_model::id::RunId, limit: usize) -> Result<Vec<Dirty>> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.read(move |tx| Box::pin(async move { dirty(tx, run, limit).await })).await
    }
}

async fn dirty(tx: &mut Tx, run: RunId, limit: i64) -> Result<Vec<Dirty>> {
    let sql = "SELECT d.uid, d.mark FROM dirty d JOIN runs r ON r.collection_id = d.collection_id WHERE r.id = $1 \
               ORDER BY d.uid LIMIT $2";
    tx.read_all(sql, values![run, limit]).await
}

columns! { Dirty { uid, mark } }

async fn reconcile(tx: &mut Tx, reconciliation: Reconciliation) -> Result<()> {
    let collection = collection_of(tx, reconciliation.run).await?;
    collections::lock(tx, collection).await?;
    let run = load_carried(tx, reconciliation.run).await?;
    if run.state.is_over() {
        return Ok(());
    }
    let place = enter(tx, &run, collection, reconciliation.now).await?;
    let marks = reconciliation.reconciled.iter().flat_map(|dirty| values![collection, dirty.uid, dirty.mark]).collect();
    tx.many("DELETE FROM dirty WHERE (collection_id, uid, mark) IN (", 3, marks, ")").await?;
    mark_dirty(tx, collection, reconciliation.following.iter().copied()).await?;
    insert_work(tx, run.id, &reconciliation.work).await?;
    insert_sweeps(tx, run.id, &reconciliation.sweeps).await?;
    count_not_done(tx, run.id, &reconciliation.not_done).await?;
    raise_wire_date(tx, &place, reconciliation.at).await?;
    let mut changes = Changes::new(place);
    decide(tx, &mut changes, &reconciliation).await?;
    unbind(tx, &mut changes, run.id, &reconciliation.orphaned).await?;
    lose(tx, &mut changes, &reconciliation.lost).await?;
    changes.write_vulns(tx, &reconciliation.vulns).await?;
    write_issues(tx, &mut changes, &reconciliation.issues, reconciliation.at).await?;
    changes.write(tx).await.map(|_| ())
}

/// Takes over decisions and presence.
async fn decide(tx: &mut Tx, changes: &mut Changes, reconciliation: &Reconciliation) -> Result<()> {
    changes.load_entities(tx, reconciliation.decisions.iter().map(|(uid, _, _)| *uid)).await?;
    let mut lowered: BTreeMap<Clearance, Vec<Uid>> = BTreeMap::new();
    for (uid, decision, present) in &reconciliation.decisions {
        let Some(row) = changes.entities.get_mut(uid) else { continue };
        if row.decision.clearance > decision.clearance {
            lowered.entry(decision.clearance).or_default().push(*uid);
        }
        if row.decision != *decision || row.present != *present {
            row.decision = decision.clone();
            row.present = *present;
            changes.refold.insert(*uid);
        }
    }
    // Work that was planned on facts that no longer hold was not requested since, so it is not reported as missing.
    drop_louder(tx, reconciliation.run, &lowered).await.map(drop)
}

columns! {
    /// An open interval as it is stored.
    struct OpenInterval {
        uid: Uid,
        task: String,
        argument: String,
        details: String,
        opened_at: Timestamp,
        first_run: i64,
        first_at: Timestamp,
        last_run: i64,
        last_at: Timestamp,
    }
}

columns! {
    /// An open edge as it is stored.
    struct OpenEdge {
        from: Uid = "from_uid",
        task: String,
        argument: String,
        kind: EdgeKind,
        to: Uid = "to_uid",
        details: String,
    }
}

/// Selects open intervals by a condition that follows.
fn open_intervals() -> String {
    select::<OpenInterval>("FROM looks WHERE details IS NOT NULL AND")
}

/// Selects open edges by a condition that follows.
fn open_edges() -> String {
    select::<OpenEdge>("FROM edges WHERE closed_at IS NULL AND")
}

/// Closes what is open of entities that no path leads to any more: their intervals and the edges that lead away from
/// them. They are gone, unless seeds. Their probe results are forgotten, because one within its time to live would keep
/// them from being asked again when they come back.
async fn lose(tx: &mut Tx, changes: &mut Changes, lost: &[Uid]) -> Result<()> {
    if lost.is_empty() {
        return Ok(());
    }
    changes.load_entities(tx, lost.iter().copied()).await?;
    let intervals = tx.read_in(&format!("{} uid IN", open_intervals()), Vec::new(), lost, "").await?;
    let edges = tx.read_in(&format!("{} from_uid IN", open_edges()), Vec::new(), lost, "").await?;
    for table in ["looks", "evidence"] {
        tx.run_in(&format!("DELETE FROM {table} WHERE uid IN"), Vec::new(), lost, "").await?;
    }
    let mut ends = close(tx, changes, intervals, edges).await?;
    for uid in lost {
        // A gone entity is judged once more, so that its issues are closed.
        ends.insert(*uid);
        if let Some(row) = changes.entities.get_mut(uid) {
            row.present = row.seed;
            changes.refold.insert(*uid);
        }
    }
    mark_dirty(tx, changes.place.collection, ends).await
}

/// Closes orphaned observations and forgets their probe results, because a failed one would otherwise count for ever.
/// The history keeps the intervals.
async fn unbind(tx: &mut Tx, changes: &mut Changes, run: RunId, orphaned: &[ProbeKey]) -> Result<()> {
    let waiting =
        format!("DELETE FROM work WHERE run_id = $1 AND state = {OPEN} AND uid = $2 AND task = $3 AND argument = $4");
    for probe in orphaned {
        tx.run(&waiting, values![run, probe.entity, probe.task.as_str(), &*probe.argument]).await?;
    }
    let key = |probe: &ProbeKey| (probe.entity, probe.task.as_str(), probe.argument.clone());
    forget(tx, changes, &orphaned.iter().map(key).collect::<Vec<_>>()).await
}

/// Closes what is open of some probes, by entity, task and argument, and forgets their results.
pub(super) async fn forget(tx: &mut Tx, changes: &mut Changes, probes: &[(Uid, &str, String)]) -> Result<()> {
    if probes.is_empty() {
        return Ok(());
    }
    let keys =
        || -> Rows { probes.iter().map(|(uid, task, argument)| named! { uid, task: *task, argument }).collect() };
    changes.load_entities(tx, probes.iter().map(|(uid, ..)| *uid)).await?;
    let sql = format!("{} (uid, task, argument) IN (SELECT * FROM v)", open_intervals());
    let intervals = tx.read_with(keys(), &sql).await?;
    let sql = format!("{} (from_uid, task, argument) IN (SELECT * FROM v)", open_edges());
    let edges = tx.read_with(keys(), &sql).await?;
    for table in ["looks", "evidence"] {
        let sql = format!("DELETE FROM {table} WHERE (uid, task, argument) IN (SELECT * FROM v)");
        tx.with(keys(), &sql).await?;
    }
    let mut ends = close(tx, changes, intervals, edges).await?;
    for (uid, ..) in probes {
        ends.insert(*uid);
        changes.refold.insert(*uid);
    }
    mark_dirty(tx, changes.place.collection, ends).await
}

/// Moves open intervals to the history and closes edges. Answers with the other ends: what leads there has changed.
async fn close(
    tx: &mut Tx,
    changes: &mut Changes,
    intervals: Vec<OpenInterval>,
    edges: Vec<OpenEdge>,
) -> Result<BTreeSet<Uid>> {
    let place = changes.place.clone();
    let closed = |open: OpenInterval| {
        named! {
            uid: open.uid,
            task: open.task,
            argument: open.argument,
            details: open.details,
            opened_at: open.opened_at,
            closed_at: place.now,
            first_run: open.first_run,
            first_at: open.first_at,
            last_run: open.last_run,
            last_at: open.last_at,
        }
    };
    tx.insert("intervals", intervals.into_iter().map(closed).collect(), "").await?;
    let (mut rows, mut ends) = (Rows::default(), BTreeSet::new());
    for edge in &edges {
        rows.push(closed_edge(&place, (&edge.from, &edge.task, &edge.argument), edge.kind, &edge.to));
        if edge.details != "{}" {
            changes.refold.insert(edge.to);
        }
        ends.insert(edge.to);
    }
    tx.with(rows, CLOSE_EDGES).await?;
    Ok(ends)
}
