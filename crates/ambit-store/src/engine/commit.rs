//! Committing probe results: intervals, edges, new entities, second probes, marks and done-marks of a batch, in
//! one transaction.

mod batch;

use super::lease::{Held, held};
use super::not_done::count_not_done;
use super::{Commit, Committed, Engine, Outcome, Work};
use crate::StoreError;
use crate::db::rows::named;
use crate::db::sql::{ROWS_MAX, Tx, values};
use crate::db::writer::transaction;
use crate::inventory::blobs::{self, Packed};
use crate::inventory::collections;
use crate::inventory::runs::{CarriedRun, DONE, LEASED, OPEN, collection_of, load_carried};
use crate::record::{ChangeContext, RunPlace};
use ambit_model::Timestamp;
use ambit_model::id::{BlobHash, RunId};
use ambit_model::run::NotDone;
use ambit_model::scope::Rules;
use batch::Batch;
pub(super) use batch::{ABSENT, FOUND, UNKNOWN, denied};
use std::collections::BTreeMap;

/// Label and hash of what backs a probe result.
pub(crate) type EvidenceList = Vec<(String, BlobHash)>;

impl Engine {
    /// Stores a batch of outcomes. Each outcome is stored whole or not at all; a large batch becomes several
    /// transactions of at most `ROWS_MAX` rows (outcomes and their discoveries), each with the done-marks of its own
    /// outcomes. Outcomes under an old fence are dropped and counted.
    pub async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        let mut committed = Committed::default();
        let mut parts = split(commit.outcomes);
        let last = parts.pop().unwrap_or_default();
        for outcomes in parts {
            let part = Part::of(commit.run, outcomes, commit.now)?;
            committed.add(self.store_part(part).await?);
        }
        let part =
            Part { returned: commit.returned, not_done: commit.not_done, ..Part::of(commit.run, last, commit.now)? };
        committed.add(self.store_part(part).await?);
        Ok(committed)
    }

    async fn store_part(&self, part: Part) -> Result<Committed, StoreError> {
        transaction!(self.store, Engine, async |tx| part.store(tx).await)
    }
}

impl Committed {
    fn add(&mut self, other: Self) {
        self.refused += other.refused;
        self.new_entities += other.new_entities;
        self.second_probes += other.second_probes;
    }
}

/// Parts of at most `ROWS_MAX` outcomes and discoveries; one outcome with more stays whole.
fn split(outcomes: Vec<Outcome>) -> Vec<Vec<Outcome>> {
    let mut parts: Vec<Vec<Outcome>> = Vec::new();
    let mut rows = ROWS_MAX;
    for outcome in outcomes {
        let size = 1 + outcome.result.found().map_or(0, |found| found.edges.len());
        if rows + size > ROWS_MAX {
            parts.push(Vec::new());
            rows = 0;
        }
        rows += size;
        parts.last_mut().expect("pushed above").push(outcome);
    }
    parts
}

/// One transaction of results.
struct Part {
    run: RunId,
    probes: Vec<(Outcome, EvidenceList)>,
    /// What backs the probe results.
    packed: Vec<Packed>,
    returned: Vec<Work>,
    not_done: Vec<NotDone>,
    now: Timestamp,
}

impl Part {
    /// Makes a part ready; bytes are compressed before its transaction begins.
    fn of(run: RunId, outcomes: Vec<Outcome>, now: Timestamp) -> Result<Self, StoreError> {
        let (mut packed, mut probes) = (Vec::new(), Vec::with_capacity(outcomes.len()));
        for outcome in outcomes {
            let mut evidence = Vec::new();
            if let Some(found) = outcome.result.found() {
                for item in &found.evidence {
                    let blob = blobs::pack(&item.bytes)?;
                    evidence.push((item.label.clone(), blob.hash()));
                    packed.push(blob);
                }
            }
            probes.push((outcome, evidence));
        }
        Ok(Self { run, probes, packed, returned: Vec::new(), not_done: Vec::new(), now })
    }

    async fn store(self, tx: &mut Tx) -> Result<Committed, StoreError> {
        let collection = collection_of(tx, self.run).await?;
        collections::lock(tx, collection).await?;
        let run = load_carried(tx, self.run).await?;
        let work: Vec<&Work> = self.probes.iter().map(|(outcome, _)| &outcome.work).collect();
        let leases = held(tx, self.run, &work).await?;
        let mut committed =
            Committed { refused: leases.iter().filter(|lease| lease.is_none()).count(), ..Committed::default() };
        if run.state.is_over() {
            return Ok(committed);
        }
        give_back(tx, self.run, &self.returned).await?;
        count_not_done(tx, self.run, &self.not_done).await?;
        let probes: Vec<_> =
            self.probes.iter().zip(leases).filter_map(|(probe, lease)| lease.map(|lease| (probe, lease))).collect();
        if probes.is_empty() {
            return Ok(committed);
        }
        let place = enter(tx, &run, collection, self.now).await?;
        blobs::insert(tx, self.packed, self.now).await?;
        let mut batch = Batch::load(tx, place, probes.iter().map(|((outcome, _), _)| outcome)).await?;
        for ((outcome, evidence), lease) in &probes {
            batch.apply(outcome, evidence, lease);
        }
        committed.second_probes = batch.second_probes();
        let ids: Vec<i64> = probes.iter().map(|((outcome, _), _)| outcome.work.id).collect();
        tx.run_in(&format!("UPDATE work SET state = {DONE} WHERE id IN"), Vec::new(), &ids, "").await?;
        committed.new_entities = batch.write(tx).await?;
        Ok(committed)
    }
}

/// The result of an import.
pub(super) struct ImportedBatch {
    pub(super) new_entities: usize,
    /// Entities whose scope only a decision over the whole collection determines.
    pub(super) undecided: usize,
}

/// Stores what was imported, which no run looked for, with its scope as far as that follows from what leads there.
pub(super) async fn import(
    tx: &mut Tx,
    place: ChangeContext,
    outcomes: &[Outcome],
    rules: &Rules,
) -> Result<ImportedBatch, StoreError> {
    let mut batch = Batch::load(tx, place, outcomes.iter()).await?;
    let (evidence, unleased) = (EvidenceList::new(), Held { wave: 0, footprint: 0, priority: 0, partition: 0 });
    for outcome in outcomes {
        batch.apply(outcome, &evidence, &unleased);
    }
    let undecided = batch.decide_leaves(tx, rules).await?;
    Ok(ImportedBatch { new_entities: batch.write(tx).await?, undecided })
}

/// Locks the collection and returns where the engine changes it.
pub(super) async fn enter(
    tx: &mut Tx,
    run: &CarriedRun,
    collection: i64,
    now: Timestamp,
) -> Result<ChangeContext, StoreError> {
    let place = RunPlace { id: run.id, number: run.number, started_at: run.started_at.unwrap_or(run.created_at) };
    ChangeContext::enter(tx, collection, Some(place), false, now).await
}

/// Rows given back undone are open again; the lease does not count as an attempt.
async fn give_back(tx: &mut Tx, run: RunId, returned: &[Work]) -> Result<(), StoreError> {
    let rows = returned.iter().map(|work| named! { id: work.id, fence: work.fence, run }).collect();
    let sql = format!(
        "UPDATE work SET state = {OPEN}, attempts = attempts - 1 FROM v
         WHERE work.id = v.id AND work.fence = v.fence AND work.run_id = v.run AND work.state = {LEASED}"
    );
    tx.with(rows, &sql).await
}

/// Counts what was done and what is unknown, in the run and by footprint and task.
async fn count_work(tx: &mut Tx, run: RunId, tasks: &BTreeMap<(i64, String), (i64, i64)>) -> Result<(), StoreError> {
    let done: i64 = tasks.values().map(|(done, _)| done).sum();
    let unknown: i64 = tasks.values().map(|(_, unknown)| unknown).sum();
    let sql = "UPDATE runs SET work_done = work_done + $1, work_unknown = work_unknown + $2 WHERE id = $3";
    tx.run(sql, values![done, unknown, run]).await?;
    let rows = tasks
        .iter()
        .map(|((footprint, task), (done, unknown))| {
            named! { run_id: run, footprint: *footprint, task: task.as_str(), done: *done, unknown: *unknown }
        })
        .collect();
    let tail = "ON CONFLICT (run_id, footprint, task) DO UPDATE SET done = run_tasks.done + excluded.done, unknown = \
                run_tasks.unknown + excluded.unknown";
    tx.insert("run_tasks", rows, tail).await
}

/// Stores the latest wire date of results, so that what a person closes now counts as closed after it.
pub(super) async fn raise_wire_date(tx: &mut Tx, place: &ChangeContext, at: Timestamp) -> Result<(), StoreError> {
    let Some(run) = place.run else { return Ok(()) };
    let sql = "UPDATE collections SET wire_at = CASE WHEN wire_run < $1 OR wire_at < $2 THEN $2 ELSE wire_at END, \
               wire_run = $1 WHERE id = $3";
    tx.run(sql, values![run.number, at, place.collection]).await?;
    Ok(())
}
