//! Claiming runs and ending them.

use super::Engine;
use super::dirty::new_mark;
use super::imports;
use super::not_done::count_not_done;
use super::place::LAPSED_MS;
use super::turns::{Queue, Room, take_turn};
use crate::db::sql::{Tx, values};
use crate::db::writer::transaction;
use crate::inventory::runs::{LEASED, OPEN, clear_work, collection_of, load, note};
use crate::inventory::{collections, feed, seeds};
use crate::record::{ChangeContext, Changes, EntityRow, RunPlace};
use crate::{Result, StoreError};
use ambit_model::feed::{Noun, What};
use ambit_model::id::RunId;
use ambit_model::run::{NotDone, Run, RunState};
use ambit_model::{Kind, Timestamp, Uid, workflow};
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

/// Engines that carry the one run that a person asked for on a command line, within the limits given there.
const COMMANDS: &str = "('demo', 'retest', 'scan')";

/// A run that an engine took.
#[derive(Clone, Debug, PartialEq)]
pub struct Claimed {
    pub run: Run,
    /// It is expected to be short, or an administrator started it: it may have the place that is kept for such runs.
    pub short: bool,
}

impl Engine {
    /// The next run that there is such room for beside those that this engine carries already; `None` if none waits
    /// that no other living engine holds. Projects are served in turn, and then the users of one; in these, one that is
    /// running (it is adopted with its leases given back; also one of its own that it lost hold of) goes before those
    /// that are scheduled.
    pub async fn claim_next(&self, carried: &BTreeSet<RunId>, room: Room, now: Timestamp) -> Result<Option<Claimed>> {
        let mut tx = self.store.read().await?;
        let queue = Queue::load(&mut tx, self.id, carried, now).await?;
        tx.rollback().await?;
        for (id, short) in queue.waiting(room) {
            if let Some(run) = self.claim(id, now).await? {
                return Ok(Some(Claimed { run, short }));
            }
        }
        Ok(None)
    }

    /// The same for one run; `None` where another living engine holds it, or it is paused or over.
    pub async fn claim(&self, run: RunId, now: Timestamp) -> Result<Option<Run>> {
        let engine = self.clone();
        transaction!(self.store, Engine, async |tx| engine.claim_in(tx, run, now).await)
    }

    async fn claim_in(&self, tx: &mut Tx, id: RunId, now: Timestamp) -> Result<Option<Run>> {
        let (_, collection) = load(tx, id).await?;
        collections::lock(tx, collection).await?;
        let held = "SELECT 1 FROM runs r JOIN engines e ON e.id = r.engine_id WHERE r.id = $1 AND r.engine_id <> $2 \
                    AND e.heartbeat_at > $3";
        if tx.exists(held, values![id, self.id, now.0 - LAPSED_MS]).await? {
            return Ok(None);
        }
        let (run, _) = load(tx, id).await?;
        if !matches!(run.state, RunState::Scheduled | RunState::Running) {
            return Ok(None);
        }
        take_turn(tx, id).await?;
        if run.state == RunState::Scheduled {
            self.start(tx, &run, collection, now).await?;
        } else {
            self.adopt(tx, id).await?;
        }
        Ok(Some(load(tx, id).await?.0))
    }

    /// Takes a running run over: its leases end, so that completions of the former holder are refused.
    async fn adopt(&self, tx: &mut Tx, id: RunId) -> Result<()> {
        let sql = "UPDATE runs SET engine_id = $1, engine = $2 WHERE id = $3";
        tx.run(sql, values![self.id, &*self.name, id]).await?;
        end_leases(tx, id).await
    }

    /// Starts a run: everything it will see is stamped later than its start; seeds are entities; all that is present is
    /// to be planned.
    async fn start(&self, tx: &mut Tx, run: &Run, collection: i64, now: Timestamp) -> Result<()> {
        let start = feed::Note {
            person: false,
            ..feed::Note::person(run.project, Noun::Run, run.uuid, What::Changed).of(collection)
        };
        let allotted = feed::note_allotted(tx, &start, now).await?;
        feed::close_stamp(tx, &allotted).await?;
        let started_at = allotted.nth(0).1;
        let sql = "UPDATE runs SET state = 'running', started_at = $1, engine_id = $2, engine = $3 WHERE id = $4";
        tx.run(sql, values![started_at, self.id, &*self.name, run.id]).await?;
        if let Some(issue) = run.retests {
            // What it does not look at stays as it is, seeds and imports as well.
            let sql = "INSERT INTO dirty (uid, collection_id, mark) SELECT entity_uid, collection_id, $1 FROM issues \
                       WHERE uid = $2 ON CONFLICT (collection_id, uid) DO UPDATE SET mark = excluded.mark";
            return tx.run(sql, values![new_mark(), issue]).await.map(drop);
        }
        let place = RunPlace { id: run.id, number: run.number, started_at };
        let place = ChangeContext::enter(tx, collection, Some(place), false, now).await?;
        imports::lapse(tx, place.clone()).await?;
        sync_seeds(tx, place).await?;
        let sql = "INSERT INTO dirty (uid, collection_id, mark) SELECT uid, collection_id, $1 FROM entities WHERE \
                   collection_id = $2 AND present = 1
                   ON CONFLICT (collection_id, uid) DO UPDATE SET mark = excluded.mark";
        tx.run(sql, values![new_mark(), collection]).await?;
        Ok(())
    }

    /// Pauses the runs whose command is gone before they were over, and returns them. It was given rates and a choice
    /// of tasks that an engine which would take them up knows nothing of; who resumes one asks for those of that
    /// engine.
    pub async fn pause_left_by_commands(&self, now: Timestamp) -> Result<Vec<RunId>> {
        let lapsed = now.0 - LAPSED_MS;
        let left = format!(
            "SELECT r.id FROM runs r WHERE r.state = 'running' AND r.engine IN {COMMANDS} AND NOT EXISTS (SELECT 1 \
             FROM engines e WHERE e.id = r.engine_id AND e.heartbeat_at > $1)"
        );
        let found: Vec<RunId> = self.store.read().await?.read_all(&left, values![lapsed]).await?;
        let mut paused = Vec::new();
        for run in found {
            let still = format!("{left} AND r.id = $2");
            let is_paused = transaction!(self.store, Engine, async |tx| {
                let (known, collection) = load(tx, run).await?;
                collections::lock(tx, collection).await?;
                if !tx.exists(&still, values![lapsed, run]).await? {
                    return Ok(false);
                }
                let sql = "UPDATE runs SET state = $1, engine_id = NULL WHERE id = $2";
                tx.run(sql, values![RunState::Paused.name(), run]).await?;
                end_leases(tx, run).await?;
                note(tx, &known, collection, What::Changed, false, now).await?;
                Ok(true)
            })?;
            paused.extend(is_paused.then_some(run));
        }
        Ok(paused)
    }

    /// Gives a run back that this engine does not work at any more (paused, shutting down), with its leases; attempts
    /// do not count.
    pub async fn release(&self, run: RunId) -> Result<()> {
        let id = self.id;
        transaction!(self.store, Engine, async |tx| {
            let collection = collection_of(tx, run).await?;
            collections::lock(tx, collection).await?;
            let sql = "UPDATE runs SET engine_id = NULL WHERE id = $1 AND engine_id = $2";
            if tx.run(sql, values![run, id]).await? > 0 {
                let sql = format!(
                    "UPDATE work SET state = {OPEN}, attempts = attempts - 1 WHERE run_id = $1 AND state = {LEASED}"
                );
                tx.run(&sql, values![run]).await?;
            }
            Ok(())
        })
    }

    /// Ends a run as finished or failed, and counts what it could not look at whatever it did. A run that a person
    /// cancelled meanwhile stays cancelled.
    pub async fn finish(&self, run: RunId, state: RunState, not_done: &[NotDone], now: Timestamp) -> Result<()> {
        if !state.is_over() {
            return Err(StoreError::Invalid(format!("a run does not end as {}", state.name())));
        }
        let not_done = not_done.to_vec();
        transaction!(self.store, Engine, async |tx| {
            let collection = collection_of(tx, run).await?;
            collections::lock(tx, collection).await?;
            // Its start is a stamp of the feed, and those may be ahead of the clock.
            let sql = "UPDATE runs SET state = $1, finished_at = CASE WHEN started_at > $2 THEN started_at ELSE $2 END,
                       engine_id = NULL,
                       entities = (SELECT c.entity_count FROM collections c WHERE c.id = runs.collection_id)
                       WHERE id = $3 AND state IN ('scheduled', 'running', 'paused')";
            if tx.run(sql, values![state.name(), now, run]).await? == 0 {
                return Ok(());
            }
            count_not_done(tx, run, &not_done).await?;
            clear_work(tx, run).await?;
            tx.run("DELETE FROM dirty WHERE collection_id = $1", values![collection]).await?;
            let (ended, _) = load(tx, run).await?;
            let revision = note(tx, &ended, collection, What::Changed, false, now).await?;
            tx.run("UPDATE runs SET end_revision = $1 WHERE id = $2", values![revision, run]).await.map(|_| ())
        })
    }
}

/// Ends the leases of a run whose holder is gone. That they were tried counts: one of them may have ended it.
async fn end_leases(tx: &mut Tx, run: RunId) -> Result<()> {
    let sql = format!("UPDATE work SET state = {OPEN} WHERE run_id = $1 AND state = {LEASED}");
    tx.run(&sql, values![run]).await.map(drop)
}

/// Brings the entities in line with the collection's seeds and with the accounts that its integrations open: new ones
/// become entities, removed ones are seeds no longer.
async fn sync_seeds(tx: &mut Tx, place: ChangeContext) -> Result<()> {
    let seeds = seeds::list(tx, place.collection).await?.into_iter().map(|seed| (seed.kind, seed.name));
    let named = seeds.chain(accounts(tx, place.collection).await?);
    let wanted: BTreeMap<Uid, (Kind, String)> =
        named.map(|(kind, name)| (Uid::of_entity(place.uuid, kind, &name), (kind, name))).collect();
    let sql = "SELECT uid FROM entities WHERE collection_id = $1 AND seed = 1";
    let mut known: BTreeSet<Uid> = tx.read_all::<Uid>(sql, values![place.collection]).await?.into_iter().collect();
    known.extend(wanted.keys());
    let known: Vec<Uid> = known.into_iter().collect();
    for part in known.chunks(seeds::AT_ONCE) {
        let mut changes = Changes::new(place.clone());
        changes.load_entities(tx, part.iter().copied()).await?;
        for uid in part {
            let named = wanted.get(uid);
            if let Some((kind, name)) = named {
                changes.entities.entry(*uid).or_insert_with(|| EntityRow::new(*uid, *kind, name.clone()));
            }
            let Some(row) = changes.entities.get_mut(uid) else { continue };
            if row.seed != named.is_some() || row.is_new() {
                row.seed = named.is_some();
                row.present |= row.seed;
                changes.refold.insert(*uid);
            }
        }
        changes.write(tx).await?;
    }
    Ok(())
}

/// The accounts that the integrations of a collection open to its workflow.
async fn accounts(tx: &mut Tx, collection: i64) -> Result<Vec<(Kind, String)>> {
    let sql = "SELECT c.workflow, i.kind, i.name, i.uuid FROM integration_collections x JOIN integrations i ON i.id = \
               x.integration_id JOIN collections c ON c.id = x.collection_id WHERE x.collection_id = $1 ORDER BY i.id";
    let rows: Vec<(String, String, String, Uuid)> = tx.read_all(sql, values![collection]).await?;
    let account =
        |(name, kind, title, uuid): (String, String, String, Uuid)| workflow::find(&name)?.account(&kind, &title, uuid);
    Ok(rows.into_iter().filter_map(account).collect())
}
