//! Issues as judges say them: proven, in doubt, resolved. What a judgement changes of a stored issue, and when one that
//! was closed is open again.

use super::IssueWrite;
use super::commit::FOUND;
use super::facts::in_part;
use crate::Result;
use crate::db::sql::{Tx, from_json, values};
use crate::record::{Changes, IssueRow, closing};
use ambit_model::issue::{IssueKind, IssueRecord, Proof, Status};
use ambit_model::wire::WireChoice;
use ambit_model::{Timestamp, Uid};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Issues that were opened and closed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    pub opened: usize,
    pub closed: usize,
}

/// Opens, refreshes, reopens, doubts and resolves issues, by facts of a wire date. Returns how many are open now and
/// were not, and how many were open and are not any more.
pub(super) async fn write_issues(
    tx: &mut Tx,
    changes: &mut Changes,
    writes: &[IssueWrite],
    at: Timestamp,
) -> Result<Moved> {
    let mut moved = Moved::default();
    if writes.is_empty() {
        return Ok(moved);
    }
    let collection = changes.place.uuid;
    let (mut entities, mut issues) = (BTreeSet::new(), BTreeSet::new());
    for write in writes {
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
    for write in writes {
        match write {
            IssueWrite::Prove { entity, kind, upstream, proof } => {
                prove(tx, changes, collection, *entity, kind, upstream, proof, at).await?
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
        let (was_open, is_open) = (known.is_some_and(|(_, status, _)| status.is_open()), row.record.status.is_open());
        moved.opened += usize::from(is_open && !was_open);
        moved.closed += usize::from(was_open && !is_open);
        if known.is_none_or(|(_, status, severity)| *status != row.record.status || *severity != row.record.severity) {
            changes.refold.insert(row.record.entity_uid);
        }
    }
    Ok(moved)
}

async fn resolve(tx: &mut Tx, changes: &mut Changes, issue: Uid) -> Result<()> {
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
) -> Result<()> {
    let Some(row) = changes.entities.get(&entity) else { return Ok(()) };
    let uid = Uid::of_issue(collection, kind.name, upstream, &proof.discriminator, entity);
    let severity = proof.severity.unwrap_or(kind.severity);
    let (pretty_name, description) = match &proof.words {
        Some(words) => (words.pretty_name.clone(), words.description.clone()),
        None => (kind.pretty_name.to_owned(), kind.description.to_owned()),
    };
    let record = IssueRecord {
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
        confidence: proof.confidence.unwrap_or(kind.confidence),
        category: kind.category.to_owned(),
        status: Status::OpenNew,
        scoped: row.shown_scoped()?,
        description,
        identifiers: Some(proof.identifiers.clone()).filter(|list| !list.is_empty()),
        details: details(kind, upstream, proof, severity),
        tags: Vec::new(),
        ticket_list: None,
        decision: None,
        assignee: None,
        exploitation: proof.exploitation.as_deref().cloned(),
    };
    report(tx, changes, record, at).await
}

/// Reports an issue that a run proved: as a new one, or over the known one, of which what people said stays.
async fn report(tx: &mut Tx, changes: &mut Changes, mut record: IssueRecord, at: Timestamp) -> Result<()> {
    let uid = record.uid;
    let Some(known) = changes.issues.get(&uid) else {
        changes.issues.insert(uid, IssueRow::new(record, at));
        return Ok(());
    };
    record.status = known.record.status;
    record.scoped = known.record.scoped;
    record.tags.clone_from(&known.record.tags);
    record.ticket_list.clone_from(&known.record.ticket_list);
    record.decision.clone_from(&known.record.decision);
    record.assignee.clone_from(&known.record.assignee);
    let changed = record.severity != known.record.severity || record.details["proof"] != known.record.details["proof"];
    let ended = record.decision.as_ref().is_some_and(|decision| decision.is_over(changes.place.now, changed));
    let reopened = if ended { Status::OpenNew } else { record.status.after_proof() };
    let reopens = reopened != record.status && (ended || says_anew(tx, changes, &record).await?);
    let known = changes.issues.get_mut(&uid).expect("found above");
    if reopens {
        record.move_to(reopened);
        known.closed = None;
    }
    // A proof of what somebody closed, without a probe since, says nothing new of it.
    if (reopens || reopened == record.status) && changes.place.run.is_some() {
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

/// True where a proof of a closed issue says something new: there was a look since it was closed, or outside a run
/// something else is known of the facts of before.
async fn says_anew(tx: &mut Tx, changes: &Changes, record: &IssueRecord) -> Result<bool> {
    if changes.place.run.is_none() && record.status == Status::ClosedResolved {
        return Ok(true);
    }
    looked_since(tx, changes, record.entity_uid, record.uid, record.collection).await
}

/// True when the entity, or one that leads to it, was probed successfully, if in part, after the issue was closed: in
/// a later run, or later in the same run on the wire's clock; on the live internet, whose wire dates are wall times,
/// after the moment of closing itself.
async fn looked_since(tx: &mut Tx, changes: &Changes, entity: Uid, issue: Uid, collection: uuid::Uuid) -> Result<bool> {
    let Some(closed) = changes.issues.get(&issue).and_then(|row| row.closed) else {
        return Ok(true);
    };
    let sql = "SELECT c.wire, r.id FROM collections c LEFT JOIN runs r ON r.collection_id = c.id AND r.number = $2
               WHERE c.uuid = $1";
    let (wire, run): (String, Option<i64>) = tx.read_one(sql, values![collection, closed.run]).await?;
    let after = match from_json(&wire)? {
        WireChoice::Live => closed.wall,
        WireChoice::Simulated { .. } => Timestamp(i64::MIN),
    };
    let sql = format!(
        "SELECT 1 FROM looks l WHERE (l.outcome = {FOUND} OR ({})) AND l.at > $1
               AND (l.run_id > $2 OR (l.run_id = $2 AND l.at > $3))
               AND l.uid IN (SELECT e.from_uid FROM edges e WHERE e.to_uid = $4 AND e.closed_at IS NULL
                             UNION ALL SELECT $4) LIMIT 1",
        in_part("l.")
    );
    tx.exists(&sql, values![after, run.unwrap_or(0), closed.wire, entity]).await
}
