//! Loads the rows that a batch is compared with.

use super::{EdgeKey, EdgeRow, EvidenceList, Key, OPEN, Open, ProbeRow, key_of};
use crate::StoreError;
use crate::db::rows::{Rows, list, named};
use crate::db::sql::{Tx, from_json, values};
use crate::engine::Outcome;
use ambit_model::edge::EDGES;
use ambit_model::observation::same_answer;
use ambit_model::{Details, EdgeKind, TaskName, Timestamp, Uid};
use std::collections::{BTreeMap, BTreeSet};

/// Keys as rows of `v`.
fn key_rows<'a>(keys: impl Iterator<Item = &'a Key>) -> Rows {
    keys.map(|(uid, task, argument)| named! { uid, task, argument }).collect()
}

/// Returns whether a result has only edges and no details.
pub(super) fn says_nothing(outcome: &Outcome) -> bool {
    outcome.result.found().is_some_and(|found| found.details.is_empty())
}

/// Returns whether a result says of its entity what is not stored, so that its record is made anew in any case.
pub(super) fn says_something_new(outcome: &Outcome, probes: &BTreeMap<Key, ProbeRow>) -> bool {
    let Some(found) = outcome.result.found() else { return false };
    match probes.get(&key_of(outcome)).and_then(|probe| probe.open.as_ref()) {
        Some(open) => !same_answer(&open.details, &found.details, outcome.volatile),
        None => !found.details.is_empty(),
    }
}

/// Returns whether a name could not be looked up, or not whole.
pub(super) fn is_failed_lookup(outcome: &Outcome) -> bool {
    outcome.work.task == TaskName::Resolve.as_str() && outcome.result.not_done().is_some()
}

/// Those of some names that are known to lead to addresses, whoever said so.
pub(super) async fn load_hung_on(tx: &mut Tx, names: &[Uid]) -> Result<BTreeSet<Uid>, StoreError> {
    let head = "SELECT DISTINCT from_uid FROM edges WHERE closed_at IS NULL AND kind = $1 AND from_uid IN";
    let hung_on: Vec<Uid> = tx.read_in(head, values![EdgeKind::ResolvesTo.name()], names, "").await?;
    Ok(hung_on.into_iter().collect())
}

/// Entity and task of those keys of which the task has an open answer, whatever its argument.
pub(super) async fn load_said(tx: &mut Tx, keys: &BTreeSet<Key>) -> Result<BTreeSet<(Uid, String)>, StoreError> {
    let asked: BTreeSet<(Uid, &str)> = keys.iter().map(|(uid, task, _)| (*uid, task.as_str())).collect();
    let rows: Rows = asked.into_iter().map(|(uid, task)| named! { uid, task }).collect();
    let sql = "SELECT v.uid, v.task FROM v WHERE EXISTS (SELECT 1 FROM looks l WHERE l.uid = v.uid AND l.task = v.task \
               AND l.details IS NOT NULL)";
    let said: Vec<(Uid, String)> = tx.read_with(rows, sql).await?;
    Ok(said.into_iter().collect())
}

pub(super) async fn load_probes(tx: &mut Tx, keys: &BTreeSet<Key>) -> Result<BTreeMap<Key, ProbeRow>, StoreError> {
    type Documents = (Option<String>, Option<String>);
    type Interval = (Option<Timestamp>, Option<i64>, Option<Timestamp>, Option<i64>, Option<Timestamp>);
    let sql = format!(
        "SELECT l.uid, l.task, l.argument, {}, {OPEN} FROM v JOIN looks l ON l.uid = v.uid AND l.task = v.task AND \
         l.argument = v.argument",
        list::<ProbeRow>()
    );
    let mut probes = BTreeMap::new();
    let rows: Vec<(Key, ProbeRow, Documents, Interval)> = tx.read_with(key_rows(keys.iter()), &sql).await?;
    for (key, mut probe, (details, evidence), interval) in rows {
        if let (Some(details), (Some(opened_at), Some(first_run), Some(first_at), Some(last_run), Some(last_at))) =
            (details, interval)
        {
            let evidence: EvidenceList = evidence.map_or(Ok(Vec::new()), |text| from_json(&text))?;
            probe.evident = !evidence.is_empty();
            probe.open = Some(Open {
                details: from_json(&details)?,
                evidence,
                opened_at,
                first_run,
                first_at,
                last_run,
                last_at,
            });
        }
        probes.insert(key, probe);
    }
    Ok(probes)
}

/// Open edges of probes that are stored: without one there are none.
pub(super) async fn load_edges(
    tx: &mut Tx,
    probes: &BTreeMap<Key, ProbeRow>,
) -> Result<BTreeMap<Key, BTreeMap<EdgeKey, EdgeRow>>, StoreError> {
    let sql = "SELECT e.from_uid, e.task, e.argument, e.kind, e.to_uid, e.details
               FROM v JOIN edges e ON e.from_uid = v.uid AND e.task = v.task AND e.argument = v.argument WHERE \
               e.closed_at IS NULL";
    let mut edges: BTreeMap<Key, BTreeMap<EdgeKey, EdgeRow>> = BTreeMap::new();
    let rows: Vec<(Key, EdgeKey, String)> = tx.read_with(key_rows(probes.keys()), sql).await?;
    for (key, edge, details) in rows {
        let details: Details = from_json(&details)?;
        let known = EdgeRow { stored: Some(details.clone()), wanted: Some(details) };
        edges.entry(key).or_default().insert(edge, known);
    }
    Ok(edges)
}

/// The other ends of the open edges over which entities tell their details: they are planned and judged by them.
pub(super) async fn told(tx: &mut Tx, uids: &[Uid]) -> Result<BTreeSet<Uid>, StoreError> {
    let mut ends = BTreeSet::new();
    for (end, other, tells) in [
        ("from_uid", "to_uid", EdgeKind::shares_details_with_end as fn(EdgeKind) -> bool),
        ("to_uid", "from_uid", EdgeKind::shares_details_with_start),
    ] {
        let kinds = EDGES.iter().filter(|rule| tells(rule.kind));
        let kinds: Vec<String> = kinds.map(|rule| format!("'{}'", rule.kind.name())).collect();
        let head = format!(
            "SELECT DISTINCT {other} FROM edges WHERE closed_at IS NULL AND kind IN ({}) AND {end} IN",
            kinds.join(",")
        );
        ends.extend(tx.read_in::<Uid, _>(&head, Vec::new(), uids, "").await?);
    }
    Ok(ends)
}
