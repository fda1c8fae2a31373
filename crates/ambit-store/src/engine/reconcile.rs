//! Reconciling: decisions, presence, plans and issues, in one transaction with the marks that they reconcile.

use super::commit::{FOUND, count_not_done, enter, raise_wire_date};
use super::dirty::mark_dirty;
use super::graph::{CLOSE_EDGES, closed_edge};
use super::lease::{drop_louder, insert_sweeps, insert_work};
use super::{Dirty, Engine, IssueWrite, Reconciliation};
use crate::StoreError;
use crate::db::rows::{Rows, columns, list, named};
use crate::db::sql::{Tx, from_json, values};
use crate::db::writer::transaction;
use crate::inventory::collections;
use crate::inventory::runs::{OPEN, collection_of, load_carried};
use crate::record::{Changes, IssueRow, closing};
use ambit_model::facts::ProbeKey;
use ambit_model::id::RunId;
use ambit_model::issue::{IssueKind, IssueRecord, Proof, Status};
use ambit_model::wire::WireChoice;
use ambit_model::{Clearance, EdgeKind, Timestamp, Uid};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

impl Engine {
    /// Stores decisions. A run that is over accepts none.
    pub async fn reconcile(&self, reconciliation: Reconciliation) -> Result<(), StoreError> {
        transaction!(self.store, Engine, async |tx| reconcile(tx, reconciliation).await)
    }

    /// Entities that have to be planned and judged, each with its mark.
    pub async fn dirty(&self, run: ambit_model::id::RunId, limit: usize) -> Result<Vec<Dirty>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.read(move |tx| Box::pin(async move { dirty(tx, run, limit).await })).await
    }
}

async fn dirty(tx: &mut Tx, run: RunId, limit: i64) -> Result<Vec<Dirty>, StoreError> {
    let sql = "SELECT d.uid, d.mark FROM dirty d JOIN runs r ON r.collection_id = d.collection_id WHERE r.id = $1 \
               ORDER BY d.uid LIMIT $2";
    tx.read_all(sql, values![run, limit]).await
}

columns! { Dirty { uid, mark } }

async fn reconcile(tx: &mut Tx, reconciliation: Reconciliation) -> Result<(), StoreError> {
    let collection = collection_of(tx, reconciliation.run).await?;
    collections::lock(tx, collection).await?;
    let run = load_carried(tx, reconciliation.run).await?;
    if run.state.is_over() {
        return Ok(());
    }
    let place = enter(tx, &run, collection, reconciliation.now).await?;
    let marks = reconciliation.reconciled.iter().flat_map(|dirty| values![dirty.uid, dirty.mark]).collect();
    tx.many("DELETE FROM dirty WHERE (uid, mark) IN (", 2, marks, ")").await?;
    insert_work(tx, run.id, &reconciliation.work).await?;
    insert_sweeps(tx, run.id, &reconciliation.sweeps).await?;
    count_not_done(tx, run.id, &reconciliation.not_done).await?;
    raise_wire_date(tx, &place, reconciliation.at).await?;
    let mut changes = Changes::new(place);
    decide(tx, &mut changes, &reconciliation).await?;
    unbind(tx, &mut changes, run.id, &reconciliation.orphaned).await?;
    lose(tx, &mut changes, &reconciliation.lost).await?;
    changes.write_vulns(tx, &reconciliation.vulns).await?;
    write_issues(tx, &mut changes, &reconciliation, run.collection).await?;
    changes.write(tx).await.map(|_| ())
}

/// Takes over decisions and presence.
async fn decide(tx: &mut Tx, changes: &mut Changes, reconciliation: &Reconciliation) -> Result<(), StoreError> {
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
    // What was planned on what is known no longer: nobody asked for it since, so that it is not missing either.
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
    format!("SELECT {} FROM looks WHERE details IS NOT NULL AND", list::<OpenInterval>())
}

/// Selects open edges by a condition that follows.
fn open_edges() -> String {
    format!("SELECT {} FROM edges WHERE closed_at IS NULL AND", list::<OpenEdge>())
}

/// Closes what is open of entities that no path leads to any more: their intervals and the edges that lead away from
/// them. They are gone, unless seeds.
async fn lose(tx: &mut Tx, changes: &mut Changes, lost: &[Uid]) -> Result<(), StoreError> {
    if lost.is_empty() {
        return Ok(());
    }
    changes.load_entities(tx, lost.iter().copied()).await?;
    let intervals = tx.read_in(&format!("{} uid IN", open_intervals()), Vec::new(), lost, "").await?;
    let edges = tx.read_in(&format!("{} from_uid IN", open_edges()), Vec::new(), lost, "").await?;
    let head =
        "UPDATE looks SET details = NULL, evidence = NULL, opened_at = NULL, first_run = NULL, first_at = NULL, \
         last_run = NULL, last_at = NULL
                WHERE details IS NOT NULL AND uid IN";
    tx.run_in(head, Vec::new(), lost, "").await?;
    tx.run_in("DELETE FROM evidence WHERE uid IN", Vec::new(), lost, "").await?;
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
async fn unbind(tx: &mut Tx, changes: &mut Changes, run: RunId, orphaned: &[ProbeKey]) -> Result<(), StoreError> {
    if orphaned.is_empty() {
        return Ok(());
    }
    let keys = || -> Rows {
        orphaned
            .iter()
            .map(|probe| named! { uid: probe.entity, task: probe.task.as_str(), argument: &*probe.argument })
            .collect()
    };
    changes.load_entities(tx, orphaned.iter().map(|probe| probe.entity)).await?;
    let sql = format!("{} (uid, task, argument) IN (SELECT * FROM v)", open_intervals());
    let intervals = tx.read_with(keys(), &sql).await?;
    let sql = format!("{} (from_uid, task, argument) IN (SELECT * FROM v)", open_edges());
    let edges = tx.read_with(keys(), &sql).await?;
    for table in ["looks", "evidence"] {
        let sql = format!("DELETE FROM {table} WHERE (uid, task, argument) IN (SELECT * FROM v)");
        tx.with(keys(), &sql).await?;
    }
    let waiting =
        format!("DELETE FROM work WHERE run_id = $1 AND state = {OPEN} AND uid = $2 AND task = $3 AND argument = $4");
    for probe in orphaned {
        tx.run(&waiting, values![run, probe.entity, probe.task.as_str(), &*probe.argument]).await?;
    }
    let mut ends = close(tx, changes, intervals, edges).await?;
    for probe in orphaned {
        ends.insert(probe.entity);
        changes.refold.insert(probe.entity);
    }
    mark_dirty(tx, changes.place.collection, ends).await
}

/// Moves open intervals to the history and closes edges. Answers with the other ends: what leads there has changed.
async fn close(
    tx: &mut Tx,
    changes: &mut Changes,
    intervals: Vec<OpenInterval>,
    edges: Vec<OpenEdge>,
) -> Result<BTreeSet<Uid>, StoreError> {
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

/// Opens, refreshes, reopens, doubts and resolves issues.
async fn write_issues(
    tx: &mut Tx,
    changes: &mut Changes,
    reconciliation: &Reconciliation,
    collection: uuid::Uuid,
) -> Result<(), StoreError> {
    if reconciliation.issues.is_empty() {
        return Ok(());
    }
    let (mut entities, mut issues) = (BTreeSet::new(), BTreeSet::new());
    for write in &reconciliation.issues {
        match write {
            IssueWrite::Prove { entity, kind, upstream, proof } => {
                entities.insert(*entity);
                issues.insert(Uid::of_issue(collection, kind.name, upstream, &proof.discriminator, *entity));
            }
            IssueWrite::AbsentOnce { issue, .. } | IssueWrite::Resolve { issue } => {
                issues.insert(*issue);
            }
        }
    }
    changes.load_entities(tx, entities).await?;
    changes.load_issues(tx, issues).await?;
    let before: Vec<(Uid, Status, i64)> =
        changes.issues.iter().map(|(uid, row)| (*uid, row.record.status, row.record.severity)).collect();
    for write in &reconciliation.issues {
        match write {
            IssueWrite::Prove { entity, kind, upstream, proof } => {
                prove(tx, changes, collection, *entity, kind, upstream, proof, reconciliation.at).await?
            }
            IssueWrite::AbsentOnce { issue, at } => {
                if let Some(row) = changes.issues.get_mut(issue) {
                    row.absent_at.get_or_insert(*at);
                }
            }
            IssueWrite::Resolve { issue } => resolve(tx, changes, *issue).await?,
        }
    }
    // The counts of issues are part of their entity's record.
    for (uid, row) in &changes.issues {
        let known = before.iter().find(|(known, _, _)| known == uid);
        if known.is_none_or(|(_, status, severity)| *status != row.record.status || *severity != row.record.severity) {
            changes.refold.insert(row.record.entity_uid);
        }
    }
    Ok(())
}

async fn resolve(tx: &mut Tx, changes: &mut Changes, issue: Uid) -> Result<(), StoreError> {
    let closed = closing(tx, changes.place.collection, changes.place.now).await?;
    if let Some(row) = changes.issues.get_mut(&issue) {
        let status = row.record.status.after_absence();
        if status != row.record.status {
            row.record.move_to(status);
            row.closed = Some(closed);
        }
        row.absent_at = None;
    }
    Ok(())
}

#[expect(clippy::too_many_arguments, reason = "the members of one `IssueWrite::Prove` with where and when")]
async fn prove(
    tx: &mut Tx,
    changes: &mut Changes,
    collection: uuid::Uuid,
    entity: Uid,
    kind: &IssueKind,
    upstream: &str,
    proof: &Proof,
    at: Timestamp,
) -> Result<(), StoreError> {
    let Some(row) = changes.entities.get(&entity) else { return Ok(()) };
    let scoped = row.shown_scoped()?;
    let uid = Uid::of_issue(collection, kind.name, upstream, &proof.discriminator, entity);
    let severity = proof.severity.unwrap_or(kind.severity);
    let (pretty_name, description) = match &proof.words {
        Some(words) => (words.pretty_name.clone(), words.description.clone()),
        None => (kind.pretty_name.to_owned(), kind.description.to_owned()),
    };
    let mut record = IssueRecord {
        uid,
        collection,
        name: kind.name.to_owned(),
        pretty_name,
        upstream: upstream.to_owned(),
        discriminator: proof.discriminator.clone(),
        entity_uid: entity,
        entity_kind: row.kind,
        entity_name: row.name.clone(),
        severity,
        confidence: kind.confidence,
        category: kind.category.to_owned(),
        status: Status::OpenNew,
        scoped,
        description,
        identifiers: Some(proof.identifiers.clone()).filter(|list| !list.is_empty()),
        details: details(kind, upstream, proof, severity),
        tags: Vec::new(),
        ticket_list: None,
        decision: None,
        exploitation: proof.exploitation.as_deref().cloned(),
    };
    let Some(known) = changes.issues.get(&uid) else {
        changes.issues.insert(uid, IssueRow::new(record, at));
        return Ok(());
    };
    record.status = known.record.status;
    record.scoped = known.record.scoped;
    record.tags.clone_from(&known.record.tags);
    record.ticket_list.clone_from(&known.record.ticket_list);
    record.decision.clone_from(&known.record.decision);
    let changed = record.severity != known.record.severity || record.details["proof"] != known.record.details["proof"];
    let ended = record.decision.as_ref().is_some_and(|decision| decision.is_over(changes.place.now, changed));
    let reopened = if ended { Status::OpenNew } else { record.status.after_proof() };
    let reopens = reopened != record.status && (ended || looked_since(tx, changes, entity, uid, collection).await?);
    let known = changes.issues.get_mut(&uid).expect("found above");
    if reopens {
        record.move_to(reopened);
        known.closed = None;
    }
    // A proof of what somebody closed, without a probe since, says nothing new of it.
    if reopens || reopened == record.status {
        known.proven_at = at;
        known.absent_at = None;
        changes.seen_issues.insert(uid);
    }
    known.record = record;
    Ok(())
}

/// The contract's `details` of an issue.
fn details(kind: &IssueKind, upstream: &str, proof: &Proof, severity: i64) -> Value {
    let of_kind = kind.references.iter().map(|(uri, of)| json!({"uri": uri, "type": of}));
    let own = proof.words.iter().flat_map(|words| &words.references);
    let references: Vec<Value> = own.map(|uri| json!({"uri": uri, "type": "description"})).chain(of_kind).collect();
    let words = proof.words.as_deref();
    json!({
        "name": kind.name,
        "added": kind.added,
        "proof": {"details": proof.details, "description": proof.description},
        "source": upstream,
        "category": kind.category,
        "severity": severity.to_string(),
        "references": references,
        "description": words.map_or(kind.description, |words| &words.description),
        "pretty_name": words.map_or(kind.pretty_name, |words| &words.pretty_name),
        "remediation": kind.remediation,
    })
}

/// True when the entity, or one that leads to it, was probed successfully after the issue was closed: in a later
/// run, or later in the same run on the wire's clock; on the live internet, whose wire dates are wall times, after the
/// moment of closing itself.
async fn looked_since(
    tx: &mut Tx,
    changes: &Changes,
    entity: Uid,
    issue: Uid,
    collection: uuid::Uuid,
) -> Result<bool, StoreError> {
    let Some(closed) = changes.issues.get(&issue).and_then(|row| row.closed) else {
        return Ok(true);
    };
    let wire: String = tx.read_one("SELECT wire FROM collections WHERE uuid = $1", values![collection]).await?;
    let after = match from_json(&wire)? {
        WireChoice::Live => closed.wall,
        WireChoice::Simulated { .. } => Timestamp(i64::MIN),
    };
    let sql = format!(
        "SELECT 1 FROM looks l WHERE l.outcome = {FOUND} AND l.at > $1 AND (l.run_number > $2 OR (l.run_number = $2 \
         AND l.at > $3))
               AND (l.uid = $4 OR l.uid IN (SELECT e.from_uid FROM edges e WHERE e.to_uid = $4 AND e.closed_at IS \
               NULL)) LIMIT 1"
    );
    tx.exists(&sql, values![after, closed.run, closed.wire, entity]).await
}
