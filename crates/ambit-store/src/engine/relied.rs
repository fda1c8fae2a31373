//! What counts as seen at the end of a run in addition to the entities of its observations: fresh facts that the run
//! relied on instead of probing again, with what they lead to, and what derives from something that was seen.

use super::Engine;
use super::commit::{FOUND, enter};
use crate::Result;
use crate::db::rows::{Rows, named};
use crate::db::sql::{Tx, values};
use crate::db::writer::transaction;
use crate::inventory::collections;
use crate::inventory::runs::{CarriedRun, collection_of, load_carried};
use crate::record::Changes;
use ambit_model::id::RunId;
use ambit_model::observation::Sighting;
use ambit_model::{Kind, Timestamp, Uid};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Entities whose facts are read in one transaction.
const PAGE: usize = 400;

/// How long the answers of a task at entities of a kind are relied on, and what they count as a sighting of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fresh {
    pub task: &'static str,
    pub kind: Kind,
    /// Wire date after which an answer came that is fresh.
    pub since: Timestamp,
    pub sighting: Sighting,
}

/// Where an entity stands in its collection: the number of the run that saw it first, and its uid.
type Position = (i64, Uid);

type FreshTasks = BTreeMap<(Kind, &'static str), Fresh>;

impl Engine {
    /// Counts as seen in this run what earlier runs saw and the tasks' time to live still covers: present entities, and
    /// those that such answers lead to. To be called when the run is about to finish, because what it found gone
    /// meanwhile was not seen.
    pub async fn rely(&self, run: RunId, fresh: Vec<Fresh>, now: Timestamp) -> Result<()> {
        let fresh: Arc<FreshTasks> =
            Arc::new(fresh.into_iter().map(|fresh| ((fresh.kind, fresh.task), fresh)).collect());
        let mut after = None;
        loop {
            let fresh = fresh.clone();
            after = transaction!(self.store, Engine, async |tx| rely(tx, run, &fresh, after, now).await)?;
            if after.is_none() {
                return Ok(());
            }
        }
    }
}

impl Engine {
    /// Counts as seen in this run what derives from what was seen in it: present entities that an answer of one of
    /// these tasks, which only derive, leads to from there, and so on from them. To be called when the run is about
    /// to finish, after [`Engine::rely`].
    pub async fn derive(&self, run: RunId, tasks: BTreeSet<&'static str>, now: Timestamp) -> Result<()> {
        let tasks = Arc::new(tasks);
        let mut after = None;
        loop {
            let tasks = tasks.clone();
            after = transaction!(self.store, Engine, async |tx| derive(tx, run, &tasks, after, now).await)?;
            if after.is_none() {
                return Ok(());
            }
        }
    }
}

/// Locks the collection of a run; `None` where the run is over.
async fn under_way(tx: &mut Tx, run: RunId) -> Result<Option<(i64, CarriedRun)>> {
    let collection = collection_of(tx, run).await?;
    collections::lock(tx, collection).await?;
    let run = load_carried(tx, run).await?;
    Ok((!run.state.is_over()).then_some((collection, run)))
}

async fn count_as_seen(
    tx: &mut Tx,
    (collection, run): (i64, &CarriedRun),
    seen: BTreeSet<Uid>,
    now: Timestamp,
) -> Result<()> {
    if seen.is_empty() {
        return Ok(());
    }
    let mut changes = Changes::new(enter(tx, run, collection, now).await?);
    changes.seen = seen;
    changes.write(tx).await?;
    Ok(())
}

/// One page of entities that were not seen; answers with its last one, `None` where none is left.
async fn derive(
    tx: &mut Tx,
    run: RunId,
    tasks: &BTreeSet<&'static str>,
    after: Option<Position>,
    now: Timestamp,
) -> Result<Option<Position>> {
    let Some((collection, run)) = under_way(tx, run).await? else { return Ok(None) };
    let sql = "SELECT first_run, uid FROM entities WHERE collection_id = $1 AND (first_run, uid) > ($2, $3)
               AND present = 1 AND seen_to < $4 ORDER BY first_run, uid LIMIT $5";
    let limit = i64::try_from(PAGE).expect("a small number");
    let (first_run, uid) = after.unwrap_or((i64::MIN, Uid::from_bytes([0; 32])));
    let page: Vec<Position> = tx.read_all(sql, values![collection, first_run, uid, run.number, limit]).await?;
    let unseen: Vec<Uid> = page.iter().map(|(_, uid)| *uid).collect();
    let head = "SELECT e.to_uid, e.task FROM edges e JOIN entities f ON f.uid = e.from_uid WHERE e.closed_at IS NULL
                AND f.present = 1 AND f.seen_to >= $1 AND e.to_uid IN";
    let grounded: Vec<(Uid, String)> = tx.read_in(head, values![run.number], &unseen, "").await?;
    let derives = |(uid, task): (Uid, String)| tasks.contains(task.as_str()).then_some(uid);
    let mut seen: BTreeSet<Uid> = grounded.into_iter().filter_map(derives).collect();
    let mut ends: Vec<Uid> = seen.iter().copied().collect();
    while !ends.is_empty() {
        let head = "SELECT e.to_uid, e.task FROM edges e JOIN entities t ON t.uid = e.to_uid WHERE e.closed_at IS NULL
                    AND t.present = 1 AND t.seen_to < $1 AND e.from_uid IN";
        let further: Vec<(Uid, String)> = tx.read_in(head, values![run.number], &ends, "").await?;
        ends = further.into_iter().filter_map(derives).filter(|uid| seen.insert(*uid)).collect();
    }
    count_as_seen(tx, (collection, &run), seen, now).await?;
    Ok(page.last().copied())
}

/// One page of entities; answers with its last one, `None` where none is left.
async fn rely(
    tx: &mut Tx,
    run: RunId,
    fresh: &FreshTasks,
    after: Option<Position>,
    now: Timestamp,
) -> Result<Option<Position>> {
    let Some((collection, run)) = under_way(tx, run).await? else { return Ok(None) };
    let sql = "SELECT first_run, uid, kind, present FROM entities WHERE collection_id = $1 AND (first_run, uid) > ($2, \
               $3) ORDER BY first_run, uid LIMIT $4";
    let limit = i64::try_from(PAGE).expect("a small number");
    let (first_run, uid) = after.unwrap_or((i64::MIN, Uid::from_bytes([0; 32])));
    let page: Vec<(Position, Kind, bool)> = tx.read_all(sql, values![collection, first_run, uid, limit]).await?;
    let last = page.last().map(|(place, _, _)| *place);
    let kinds = page.into_iter().filter(|(_, _, present)| *present).map(|((_, uid), kind, _)| (uid, kind)).collect();
    let mut seen = relied_on(tx, fresh, &kinds, run.id).await?;
    let uids: Vec<Uid> = seen.iter().copied().collect();
    let head = "SELECT uid, present, seen_to FROM entities WHERE uid IN";
    for (uid, present, seen_to) in tx.read_in::<(Uid, bool, i64), _>(head, Vec::new(), &uids, "").await? {
        if !present || seen_to >= run.number {
            seen.remove(&uid);
        }
    }
    count_as_seen(tx, (collection, &run), seen, now).await?;
    Ok(last)
}

/// The entities among `kinds` that a fresh answer of an earlier run sighted, and those that it leads to.
async fn relied_on(tx: &mut Tx, fresh: &FreshTasks, kinds: &BTreeMap<Uid, Kind>, run: RunId) -> Result<BTreeSet<Uid>> {
    let uids: Vec<Uid> = kinds.keys().copied().collect();
    let head = format!(
        "SELECT uid, task, argument, at FROM looks WHERE outcome = {FOUND} AND details IS NOT NULL AND run_id < $1 \
         AND uid IN"
    );
    let (mut seen, mut leading) = (BTreeSet::new(), Rows::default());
    let probes: Vec<(Uid, String, String, Timestamp)> = tx.read_in(&head, values![run], &uids, "").await?;
    for (uid, task, argument, at) in probes {
        let Some(fresh) = fresh.get(&(kinds[&uid], task.as_str())).filter(|fresh| at > fresh.since) else { continue };
        if fresh.sighting == Sighting::Entity {
            seen.insert(uid);
        }
        if fresh.sighting >= Sighting::Ends {
            leading.push(named! { uid, task: fresh.task, argument });
        }
    }
    let sql = "SELECT DISTINCT e.to_uid FROM v JOIN edges e ON e.from_uid = v.uid AND e.task = v.task AND e.argument = \
               v.argument WHERE e.closed_at IS NULL";
    seen.extend(tx.read_with::<Uid>(leading, sql).await?);
    Ok(seen)
}
