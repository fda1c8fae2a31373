//! Runs as people see them: started, listed, paused, resumed, cancelled. The engine's side is in `engine`.

use crate::db::rows::{columns, list, named, select};
use crate::db::sql::{Tx, values};
use crate::db::writer::transaction;
use crate::inventory::{collections, feed, seeds};
use crate::people::audit;
use crate::{Caller, Principal, Result, Store, StoreError};
use ambit_model::collection::Collection;
use ambit_model::feed::{Noun, What};
use ambit_model::id::RunId;
use ambit_model::moment::{DAY_MS, MINUTE_MS, WEEK_MS};
use ambit_model::run::{NotDone, Run, RunCounters, RunProgress, RunState};
use ambit_model::user::CollectionRole;
use ambit_model::wire::WireChoice;
use ambit_model::{Timestamp, Uid};
use serde_json::json;
use uuid::Uuid;

/// Runs shown of a collection at most, newest first.
const RUNS_SHOWN_MAX: i64 = 1_000;
/// The priority of a run that a person started, which goes before scheduled ones.
const PRIORITY_PERSON: i64 = 10;
const PRIORITY_SCHEDULE: i64 = 0;
/// A month and a quarter at their shortest, in milliseconds.
const MONTH_MS: i64 = 28 * DAY_MS;
const QUARTER_MS: i64 = 88 * DAY_MS;

/// The states of a row of `work`.
pub(crate) const OPEN: i64 = 0;
pub(crate) const LEASED: i64 = 1;
pub(crate) const DONE: i64 = 2;

/// What became of the wish for a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Started {
    /// It is scheduled; an engine will claim it.
    Scheduled(Run),
    /// One is open in the collection already: this one.
    Open(Run),
}

impl Started {
    /// The open run of the collection, new or not.
    pub fn run(&self) -> &Run {
        match self {
            Self::Scheduled(run) | Self::Open(run) => run,
        }
    }
}

columns! {
    Run of r {
        id,
        uuid,
        collection: "c.uuid",
        collection_name: "c.name",
        project: "c.project_id",
        project_uuid: "p.uuid",
        project_name: "p.name",
        number,
        state,
        by_person,
        full: "r.full_search",
        wire_state,
        priority,
        created_at,
        started_at,
        finished_at,
        created_by_uuid: "u.uuid",
        created_by_email: "u.email",
        engine,
        retests,
        verdict,
        timing: (json "c.timing"),
        counters: RunCounters,
        progress: RunProgress,
    }
}

columns! {
    RunProgress of r {
        names: "r.names_found",
        addresses: "r.addresses_found",
        sites: "r.sites_found",
        seconds_left: "CASE WHEN r.state = 'running' THEN r.seconds_left END",
    }
}

columns! {
    RunCounters of r {
        work_open: (sql [count_work(OPEN), count_work(LEASED)].join(" + ")),
        work_done,
        work_unknown,
        entities: "CASE WHEN r.state IN ('finished', 'failed', 'cancelled') THEN r.entities ELSE c.entity_count END",
        new_entities,
    }
}

/// Counts the rows of a run's work that are in a state.
fn count_work(state: i64) -> String {
    format!("(SELECT COUNT(*) FROM work w WHERE w.run_id = r.id AND w.state = {state})")
}

columns! { NotDone { reason, task, count, example } }

pub(super) const FROM: &str =
    "FROM runs r JOIN collections c ON c.id = r.collection_id JOIN projects p ON p.id = c.project_id
     LEFT JOIN users u ON u.id = r.created_by";

/// Collections whose schedule calls for a run at `$1`: active, with seeds, and without an open run.
const DUE: &str = "FROM collections c JOIN projects p ON p.id = c.project_id
    WHERE c.due_at <= $1 AND c.archived = 0 AND c.deleted_at IS NULL AND p.deleted_at IS NULL
    AND EXISTS (SELECT 1 FROM seeds s WHERE s.collection_id = c.id)
    AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.collection_id = c.id AND r.state IN ('scheduled', 'running', \
    'paused'))";

/// Collections that may be due later than their schedule says, since a clock that was ahead put them there: all that
/// are due later than the shortest period of their schedule from now. Of these each is then looked at.
fn due_late() -> String {
    format!(
        "FROM collections c JOIN projects p ON p.id = c.project_id
         WHERE c.archived = 0 AND c.deleted_at IS NULL AND p.deleted_at IS NULL
         AND c.due_at - CASE c.schedule WHEN 'weekly' THEN {WEEK_MS} WHEN 'monthly' THEN {MONTH_MS}
             WHEN 'quarterly' THEN {QUARTER_MS} ELSE {DAY_MS} END > $1"
    )
}

/// From when the schedule of a collection counts, and when it is due, where it is due later than any start of its
/// schedule after `now` could be.
fn due_in_time(collection: &Collection, now: Timestamp) -> Option<(Option<Timestamp>, Timestamp)> {
    let counts_from = collection.counts_from.map(|from| from.min(now));
    let due = collection.due_after(counts_from.unwrap_or(now), now)?;
    let latest = due.max(collection.due_after(now, now)?);
    // Each start is put off by another time.
    let latest = latest.plus_ms(i64::from(collection.timing.jitter_minutes) * MINUTE_MS);
    (collection.due_at? > latest).then_some((counts_from, due))
}

/// A run with the integer id of its collection.
pub(crate) async fn load(tx: &mut Tx, id: RunId) -> Result<(Run, i64)> {
    let sql = format!("SELECT {}, c.id {FROM} WHERE r.id = $1", list::<Run>());
    tx.find(&sql, values![id]).await
}

columns! {
    /// What the engine's transactions need of a run: not its counters, for which all that is open is counted.
    pub(crate) struct CarriedRun of r {
        pub(crate) id: RunId,
        pub(crate) number: i64,
        pub(crate) state: RunState,
        pub(crate) created_at: Timestamp,
        pub(crate) started_at: Option<Timestamp>,
    }
}

/// A run without its counters.
pub(crate) async fn load_carried(tx: &mut Tx, id: RunId) -> Result<CarriedRun> {
    tx.find(&select::<CarriedRun>("FROM runs r WHERE r.id = $1"), values![id]).await
}

/// The newest run of each collection of a project, with the collection's integer id, by that id. What looked at one
/// issue alone says nothing of a collection.
pub(crate) async fn newest(tx: &mut Tx, project: i64) -> Result<Vec<(Run, i64)>> {
    let sql = format!(
        "SELECT {}, c.id {FROM} WHERE c.project_id = $1 AND c.deleted_at IS NULL AND r.number = (SELECT MAX(x.number) \
         FROM runs x WHERE x.collection_id = c.id AND x.retests IS NULL) ORDER BY c.id",
        list::<Run>()
    );
    tx.read_all(&sql, values![project]).await
}

/// The integer id of a run's collection.
pub(crate) async fn collection_of(tx: &mut Tx, id: RunId) -> Result<i64> {
    tx.find("SELECT collection_id FROM runs WHERE id = $1", values![id]).await
}

/// The open run of a collection.
pub(super) async fn find_open(tx: &mut Tx, collection: i64) -> Result<Option<Run>> {
    let sql =
        select::<Run>(&format!("{FROM} WHERE r.collection_id = $1 AND r.state IN ('scheduled', 'running', 'paused')"));
    tx.read_first(&sql, values![collection]).await
}

/// Writes the feed row of a run.
pub(crate) async fn note(
    tx: &mut Tx,
    run: &Run,
    collection: i64,
    what: What,
    person: bool,
    now: Timestamp,
) -> Result<i64> {
    let mut note = feed::Note::person(run.project, Noun::Run, run.uuid, what).of(collection);
    note.person = person;
    Ok(feed::note_allotted(tx, &note, now).await?.nth(0).0)
}

/// Cancels the run of a collection that no engine has started yet.
pub(crate) async fn cancel_unstarted(tx: &mut Tx, caller: &Caller, collection: i64) -> Result<()> {
    let sql = "UPDATE runs SET state = 'cancelled', finished_at = $1 WHERE collection_id = $2 AND state = 'scheduled' \
               RETURNING id";
    for id in tx.read_all::<RunId>(sql, values![caller.now, collection]).await? {
        let (run, _) = load(tx, id).await?;
        audit::insert(tx, caller, Some(run.project), "run.cancel", id, json!({})).await?;
        note(tx, &run, collection, What::Changed, true, caller.now).await?;
    }
    Ok(())
}

/// Inserts a run unless one is open; the schedule counts from it, and its months from one that a person starts. Numbers
/// count in the collection.
async fn insert(
    tx: &mut Tx,
    collection: &Collection,
    by: Option<&Principal>,
    full: bool,
    now: Timestamp,
) -> Result<Started> {
    collections::lock(tx, collection.id).await?;
    match find_open(tx, collection.id).await? {
        // What it has left out by now it does not search any more.
        Some(open) if full && !open.full => {
            return Err(StoreError::Conflict(format!(
                "run {} of the collection is {} and does not search everything: let it finish, or cancel it",
                open.id,
                open.state.name()
            )));
        }
        Some(open) => return Ok(Started::Open(open)),
        None => {}
    }
    let raise = "UPDATE collections SET run_number = run_number + 1, due_at = $2, counts_from = $3 WHERE id = $1 \
                 RETURNING run_number";
    let from = collection.counts_from.filter(|_| by.is_none()).unwrap_or(now);
    let number: i64 = tx.read_one(raise, values![collection.id, collection.due_after(from, now), from]).await?;
    let size = seeds::size(tx, collection.id).await?;
    insert_row(tx, collection, by, NewRun { number, full, size, retests: None }, now).await
}

/// What distinguishes a run from others of its collection.
pub(super) struct NewRun {
    pub(super) number: i64,
    /// It searches everything.
    pub(super) full: bool,
    /// How much it is expected to look at.
    pub(super) size: i64,
    pub(super) retests: Option<Uid>,
}

pub(super) async fn insert_row(
    tx: &mut Tx,
    collection: &Collection,
    by: Option<&Principal>,
    new: NewRun,
    now: Timestamp,
) -> Result<Started> {
    let state = match &collection.wire {
        WireChoice::Live => 1,
        WireChoice::Simulated { state, .. } => *state,
    };
    let row = named! {
        uuid: Uuid::new_v4(),
        collection_id: collection.id,
        number: new.number,
        state: RunState::Scheduled.name(),
        by_person: by.is_some(),
        full_search: new.full,
        wire_state: state,
        priority: if by.is_some() { PRIORITY_PERSON } else { PRIORITY_SCHEDULE },
        created_at: now,
        created_by: by.map(Principal::user_id),
        size: new.size,
        retests: new.retests,
    };
    let id = tx.insert_read("runs", row, "id").await?;
    let (run, _) = load(tx, id).await?;
    note(tx, &run, collection.id, What::Appeared, by.is_some(), now).await?;
    Ok(Started::Scheduled(run))
}

impl Store {
    /// Schedules a run in a collection, unless one is open. A `full` one searches everything, also what an earlier run
    /// searched within its time to live. For admins. Fails with `Conflict` where the collection is archived, or where a
    /// full one is asked for beside an open run that is not, and with `TooMany` where the caller has as many open runs
    /// as one may.
    pub async fn start_run(&self, caller: &Caller, collection: Uuid, full: bool) -> Result<Started> {
        let (caller, limits) = (caller.clone(), self.limits());
        transaction!(self, Person, async |tx| {
            let collection = collections::require(tx, &caller, collection, CollectionRole::Admin).await?.collection;
            if collection.archived {
                return Err(StoreError::Conflict("the collection is archived: unarchive it first".to_owned()));
            }
            let started = insert(tx, &collection, Some(&caller), full, caller.now).await?;
            if let Started::Scheduled(run) = &started {
                limits.check_run(tx, &caller).await?;
                let details = json!({"run": run.id, "full": full});
                audit::insert(tx, &caller, Some(collection.project), "run.start", collection.uuid, details).await?;
            }
            Ok(started)
        })
    }

    /// Makes collections due by their schedule again that a clock which was ahead made due too late: they would start
    /// nothing until then. It looks at each collection that is due late, and is called now and then.
    pub async fn bring_forward(&self, now: Timestamp) -> Result<()> {
        let mut tx = self.read().await?;
        let late: Vec<Uuid> = tx.read_all(&format!("SELECT c.uuid {} ORDER BY c.id", due_late()), values![now]).await?;
        let mut wrong = Vec::new();
        for uuid in late {
            let (collection, _, _) = collections::load(&mut tx, uuid).await?;
            wrong.extend(due_in_time(&collection, now).map(|_| uuid));
        }
        tx.rollback().await?;
        for uuid in wrong {
            let moved = transaction!(self, Person, async |tx| {
                let (collection, _, _) = collections::load(tx, uuid).await?;
                let Some((from, due)) = due_in_time(&collection, now) else { return Ok(None) };
                collections::lock(tx, collection.id).await?;
                let sql = "UPDATE collections SET due_at = $2, counts_from = $3 WHERE id = $1 AND due_at = $4";
                tx.run(sql, values![collection.id, due, from, collection.due_at]).await?;
                Ok(Some((collection.name, collection.due_at, due)))
            });
            match moved {
                Ok(Some((collection, was, due))) => {
                    let was = was.map(|at| at.to_string()).unwrap_or_default();
                    tracing::warn!(collection, was, %due, "due later than its schedule says: was the clock ahead?");
                }
                // Deleted meanwhile.
                Ok(None) | Err(StoreError::NotFound) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// The scheduler's tick: inserts a run in every collection whose schedule is due, that has seeds and that is in
    /// none of its windows. However many starts were missed, they are made up once. Harmless to call from several
    /// processes.
    pub async fn schedule_due(&self, now: Timestamp) -> Result<Vec<RunId>> {
        let mut tx = self.read().await?;
        let due: Vec<Uuid> = tx.read_all(&format!("SELECT c.uuid {DUE} ORDER BY c.due_at, c.id"), values![now]).await?;
        tx.rollback().await?;
        let mut started = Vec::new();
        for uuid in due {
            let outcome = transaction!(self, Person, async |tx| {
                let (collection, _, _) = collections::load(tx, uuid).await?;
                if collection.timing.rests_until(now).is_some() {
                    return Ok(None);
                }
                collections::lock(tx, collection.id).await?;
                // Started, archived or given another schedule meanwhile.
                let due = tx.row(&format!("SELECT c.id {DUE} AND c.id = $2"), values![now, collection.id]).await?;
                match due {
                    Some(_) => insert(tx, &collection, None, false, now).await.map(Some),
                    None => Ok(None),
                }
            });
            match outcome {
                Ok(Some(Started::Scheduled(run))) => started.push(run.id),
                // Deleted meanwhile.
                Ok(_) | Err(StoreError::NotFound) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(started)
    }

    /// The runs of a collection, newest first.
    pub async fn list_runs(&self, principal: &Principal, collection: Uuid) -> Result<Vec<Run>> {
        let mut tx = self.read().await?;
        let view = collections::require(&mut tx, principal, collection, CollectionRole::Viewer).await?;
        let sql =
            select::<Run>(&format!("{FROM} WHERE r.collection_id = $1 ORDER BY r.number DESC LIMIT {RUNS_SHOWN_MAX}"));
        tx.read_all(&sql, values![view.collection.id]).await
    }

    /// A run by its integer id.
    pub async fn find_run(&self, principal: &Principal, id: RunId) -> Result<Run> {
        found(&mut self.read().await?, principal, id).await
    }

    /// A run by its uuid, which is what the change feed calls it.
    pub async fn find_run_by_uuid(&self, principal: &Principal, uuid: Uuid) -> Result<Run> {
        let mut tx = self.read().await?;
        let id: Option<RunId> = tx.read_first("SELECT id FROM runs WHERE uuid = $1", values![uuid]).await?;
        found(&mut tx, principal, id.ok_or(StoreError::NotFound)?).await
    }

    /// Stops a run until it is resumed; running work ends within seconds. Fails with `Conflict` where it is over.
    pub async fn pause_run(&self, caller: &Caller, id: RunId) -> Result<Run> {
        self.move_run(caller, id, &[RunState::Scheduled, RunState::Running], RunState::Paused).await
    }

    /// Lets a paused run go on. Fails with `Conflict` where it is over or was not paused, or its collection is
    /// archived.
    pub async fn resume_run(&self, caller: &Caller, id: RunId) -> Result<Run> {
        self.move_run(caller, id, &[RunState::Paused], RunState::Running).await
    }

    /// Ends a run for good. Fails with `Conflict` where it has ended in another way.
    pub async fn cancel_run(&self, caller: &Caller, id: RunId) -> Result<Run> {
        const FROM: &[RunState] = &[RunState::Scheduled, RunState::Running, RunState::Paused];
        self.move_run(caller, id, FROM, RunState::Cancelled).await
    }

    async fn move_run(&self, caller: &Caller, id: RunId, from: &'static [RunState], to: RunState) -> Result<Run> {
        let caller = caller.clone();
        transaction!(self, Person, async |tx| {
            let (run, collection) = load(tx, id).await?;
            collections::load(tx, run.collection).await?;
            caller.require_collection(run.project, collection, CollectionRole::Admin)?;
            collections::lock(tx, collection).await?;
            let (run, _) = load(tx, id).await?;
            if run.state == to {
                return Ok(run);
            }
            if !from.contains(&run.state) {
                return Err(StoreError::Conflict(format!("the run is {}", run.state.name())));
            }
            if to == RunState::Running && collections::load(tx, run.collection).await?.0.archived {
                return Err(StoreError::Conflict("the collection is archived: unarchive it first".to_owned()));
            }
            // A run that was paused before any engine claimed it waits for one again.
            let to = if to == RunState::Running && run.started_at.is_none() { RunState::Scheduled } else { to };
            let finished = to.is_over().then_some(caller.now);
            // A run that is resumed has no engine, so that any engine can take it.
            let sql = "UPDATE runs SET state = $1, finished_at = $2, entities = (SELECT entity_count FROM collections \
                       c WHERE c.id = collection_id), engine = CASE WHEN $1 = 'running' THEN NULL ELSE engine END \
                       WHERE id = $3";
            tx.run(sql, values![to.name(), finished, id]).await?;
            if to.is_over() {
                clear_work(tx, id).await?;
            }
            let action = match to {
                RunState::Paused => "run.pause",
                RunState::Cancelled => "run.cancel",
                _ => "run.resume",
            };
            audit::insert(tx, &caller, Some(run.project), action, id, json!({})).await?;
            note(tx, &run, collection, What::Changed, true, caller.now).await?;
            Ok(load(tx, id).await?.0)
        })
    }

    /// What a run did not do, and why.
    pub async fn list_not_done(&self, principal: &Principal, run: RunId) -> Result<Vec<NotDone>> {
        self.find_run(principal, run).await?;
        let sql = select::<NotDone>("FROM not_done WHERE run_id = $1");
        let mut not_done: Vec<NotDone> = self.read().await?.read_all(&sql, values![run]).await?;
        not_done.sort_by(|a, b| (a.reason.name(), &a.task).cmp(&(b.reason.name(), &b.task)));
        Ok(not_done)
    }
}

/// A run that its reader may see.
async fn found(tx: &mut Tx, principal: &Principal, id: RunId) -> Result<Run> {
    let (run, collection) = load(tx, id).await?;
    principal.require_collection(run.project, collection, CollectionRole::Viewer)?;
    // The collection itself may be deleted.
    collections::load(tx, run.collection).await?;
    Ok(run)
}

/// Work rows of a run that is over serve nothing any more: they made planning twice harmless.
pub(crate) async fn clear_work(tx: &mut Tx, run: RunId) -> Result<()> {
    tx.run("DELETE FROM work WHERE run_id = $1", values![run]).await?;
    tx.run("DELETE FROM sweeps WHERE run_id = $1", values![run]).await?;
    Ok(())
}
