//! Leasing work: quiet before loud, in blocks, each row with a fence; sweeps become rows as they are needed.

use super::not_done::count_not_done;
use super::stragglers::{Visits, leaving_out, visits};
use super::unroll::unroll_sweeps;
use super::{Engine, NewSweep, NewWork, Pending, Work};
use crate::db::rows::{Rows, columns, list, named};
use crate::db::sql::{Tx, values};
use crate::db::writer::transaction;
use crate::inventory::collections;
use crate::inventory::runs::{LEASED, OPEN, collection_of};
use crate::{Result, StoreError};
use ambit_model::id::RunId;
use ambit_model::observation::LOOKUPS_MAX;
use ambit_model::run::{NotDone, NotDoneReason, RunState};
use ambit_model::{Clearance, Timestamp, Uid, Wave};
use std::collections::{BTreeMap, BTreeSet};

/// Rows of one lease at most.
const LEASE_ROWS_MAX: usize = 4_000;
/// Leases without an end after which a row is leased and runs alone: the process died under it that often
/// (docs/architecture.md §2).
pub const ATTEMPTS_BEFORE_ALONE: i64 = 3;

/// How many rows may be leased.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Places {
    pub rows: usize,
    /// Of these, how many of the waves that begin with [`Wave::Probes`]. They are many and wait long for their turn
    /// with a peer: what they leave is for what they lead to, and for what sweeps find.
    pub deep: usize,
    /// Whether a rate over all orders the ranges of sweeps of addresses, however many are leased. Otherwise as many of
    /// each sweep are leased as may be asked again after a crash.
    pub paced: bool,
}

impl From<usize> for Places {
    fn from(rows: usize) -> Self {
        Self { rows, deep: rows, paced: true }
    }
}

/// The changes of a run that wait to be reconciled while rows are leased.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreconciled {
    Nothing,
    /// Only those of entities that leased rows are about. What more these bring is waited for as the rows are, or kept
    /// away from where they are visits, so that louder work elsewhere need not wait for it; what writes waits.
    UnderWay,
    /// Any: nothing is leased of a later wave than all that is leased already.
    Anything,
}

impl Engine {
    /// Leases as many open rows as there are places for whose `not_before` has come, of the first wave that has any.
    /// Empty where nothing can start now, and where the run is not running or not held by this engine. A lease lives
    /// as long as its engine, whose heartbeat knows the wall time.
    pub async fn lease(&self, run: RunId, places: impl Into<Places>, wire_now: Timestamp) -> Result<Vec<Work>> {
        self.lease_meanwhile(run, places, wire_now, Unreconciled::Nothing).await
    }

    /// Leases like `lease`, while changes wait to be reconciled, which may call for quieter work.
    pub async fn lease_meanwhile(
        &self,
        run: RunId,
        places: impl Into<Places>,
        wire_now: Timestamp,
        unreconciled: Unreconciled,
    ) -> Result<Vec<Work>> {
        let (engine, places) = (self.id, places.into());
        transaction!(self.store, Engine, async |tx| lease(tx, engine, run, places, (wire_now, unreconciled)).await)
    }

    /// Takes leased rows out of the plan, undone and uncounted: what they were to contact is no longer bound to their
    /// entity. Rows under an old fence stay.
    pub async fn unplan(&self, run: RunId, work: Vec<Work>) -> Result<()> {
        transaction!(self.store, Engine, async |tx| {
            let collection = collection_of(tx, run).await?;
            collections::lock(tx, collection).await?;
            let rows = work.iter().flat_map(|work| values![work.id, work.fence]).collect();
            tx.many("DELETE FROM work WHERE (id, fence) IN (", 2, rows, &format!(") AND state = {LEASED}")).await
        })
    }

    /// What is left of a run.
    pub async fn pending(&self, run: RunId, wire_now: Timestamp) -> Result<Pending> {
        self.read(move |tx| Box::pin(async move { pending(tx, run, wire_now).await })).await
    }
}

/// The loudest footprint whose second probes are waited for in any wave. What binds a name to an address is asked at
/// most this loudly; once the first answer is that the name is gone, or there is none, whoever has the address now must
/// not be contacted for it.
const BINDING_FOOTPRINT_MAX: Clearance = Clearance::L1;
/// The footprint of the rows that wait for them in the waves before visits: handshakes with addresses. Names are
/// guessed there more loudly, but only servers of names hear of it. Their own second probes are waited for as well: an
/// address that does not show a certificate any more may be somebody else's, and is neither visited nor swept until it
/// was asked again.
const HANDSHAKE_FOOTPRINT: Clearance = Clearance::L2;

/// Which rows of a wave may start.
#[derive(Clone, Copy)]
struct Startable<'a> {
    wire_now: Timestamp,
    /// Entities that are left alone.
    without: &'a BTreeSet<Uid>,
    /// Handshakes wait for second probes.
    is_probe_owed: bool,
    /// As [`Places::paced`].
    paced: bool,
}

impl Startable<'_> {
    /// The condition on the rows' footprint.
    fn footprints(&self, wave: Wave) -> String {
        match self.is_probe_owed && wave < Wave::Visits {
            true => format!(" AND footprint <> {}", HANDSHAKE_FOOTPRINT.number()),
            false => String::new(),
        }
    }
}

async fn pending(tx: &mut Tx, run: RunId, wire_now: Timestamp) -> Result<Pending> {
    let sql = format!(
        "SELECT (SELECT COUNT(*) FROM work WHERE run_id = $1 AND state = {OPEN}),
         (SELECT COUNT(*) FROM sweeps WHERE run_id = $1 AND size > reached * step),
         (SELECT CAST(COALESCE(SUM((size + step - 1) / step - reached), 0) AS BIGINT) FROM sweeps WHERE run_id = $1
          AND size > reached * step),
         (SELECT COUNT(*) FROM work WHERE run_id = $1 AND state = {LEASED}),
         (SELECT COUNT(*) FROM dirty d JOIN runs r ON r.collection_id = d.collection_id WHERE r.id = $1)"
    );
    let (open, sweeps, ranges, leased, dirty): (i64, i64, i64, i64, i64) = tx.read_one(&sql, values![run]).await?;
    let not_before = match second_probe_owed(tx, run, wire_now).await? {
        Some(owed) if !could_start(tx, run, Wave::Variations, wire_now, true).await? => Some(owed),
        _ if sweeps > 0 || could_start(tx, run, Wave::Writes, wire_now, false).await? => None,
        _ => {
            let sql = format!("SELECT MIN(not_before) FROM work WHERE run_id = $1 AND state = {OPEN}");
            tx.read_one(&sql, values![run]).await?
        }
    };
    Ok(Pending { open: open + sweeps, rest: open + ranges + leased, leased, dirty, not_before })
}

/// Returns the wire date of the earliest repeated probe that louder work waits for and that cannot start yet.
async fn second_probe_owed(tx: &mut Tx, run: RunId, wire_now: Timestamp) -> Result<Option<Timestamp>> {
    let sql = format!(
        "SELECT MIN(not_before) FROM work WHERE run_id = $1 AND state = {OPEN} AND not_before > $4 AND ((footprint <= \
         $2 AND (look % 2 = 1 OR (look > 1 AND look < 2 * $5))) OR (footprint = $3 AND wave < {} AND look % 2 = 1))",
        Wave::Visits.number()
    );
    let footprints = (BINDING_FOOTPRINT_MAX.number(), HANDSHAKE_FOOTPRINT.number());
    tx.read_one(&sql, values![run, footprints.0, footprints.1, wire_now, LOOKUPS_MAX]).await
}

/// Returns whether a row could start now that is of no later wave than `last`.
async fn could_start(tx: &mut Tx, run: RunId, last: Wave, wire_now: Timestamp, is_probe_owed: bool) -> Result<bool> {
    let footprints = Startable { wire_now, without: &BTreeSet::new(), is_probe_owed, paced: true }.footprints(last);
    let sql = format!(
        "SELECT 1 FROM work WHERE run_id = $1 AND state = {OPEN} AND wave <= $2 AND not_before <= $3{footprints} \
         LIMIT 1"
    );
    tx.exists(&sql, values![run, last.number(), wire_now]).await
}

async fn lease(
    tx: &mut Tx,
    engine: i64,
    run: RunId,
    places: Places,
    (wire_now, unreconciled): (Timestamp, Unreconciled),
) -> Result<Vec<Work>> {
    let collection = collection_of(tx, run).await?;
    collections::lock(tx, collection).await?;
    let held = "SELECT 1 FROM runs WHERE id = $1 AND state = $2 AND engine_id = $3";
    if places.rows == 0 || !tx.exists(held, values![run, RunState::Running.name(), engine]).await? {
        return Ok(Vec::new());
    }
    let mut taken = Vec::new();
    // What louder work keeps away from, as visits there are under way.
    let mut near = BTreeSet::new();
    let mut is_probe_owed = false;
    for wave in Wave::ALL {
        // Beside the rows of one wave go those of the next where it does not wait.
        if wave.waits() && !taken.is_empty() {
            break;
        }
        if unreconciled == Unreconciled::Anything
            && wave > Wave::Passive
            && !is_leased(tx, run, (wave, Wave::Writes)).await?
        {
            break;
        }
        // What is owed does not change in here: it is asked once, before the first wave that waits for it.
        is_probe_owed |= wave == Wave::Variations && second_probe_owed(tx, run, wire_now).await?.is_some();
        let is_early = wave == Wave::Writes && (!near.is_empty() || unreconciled != Unreconciled::Nothing);
        if is_early || (wave == Wave::Visits && is_probe_owed) {
            break;
        }
        let limit = if wave >= Wave::Probes { places.deep } else { places.rows };
        let limit = limit.min(LEASE_ROWS_MAX).min(places.rows - taken.len());
        if limit == 0 {
            break;
        }
        let may = Startable { wire_now, without: &near, is_probe_owed, paced: places.paced };
        let ids = startable(tx, run, wave, may, limit).await?;
        if !ids.is_empty() {
            taken.extend(ids);
            continue;
        }
        if wave == Wave::Visits {
            match visits(tx, run).await? {
                Visits::Over => {}
                Visits::Few(at) => {
                    near = at;
                    continue;
                }
                Visits::Many => break,
            }
        }
        let next = Wave::from_number(wave.number() + 1);
        // Of visits none is under way here.
        let is_waited_for = wave != Wave::Visits && next.is_none_or(Wave::waits);
        if is_waited_for && is_leased(tx, run, (wave, wave)).await? {
            break;
        }
        if taken.is_empty()
            && near.is_empty()
            && let Some(id) = suspect(tx, run, wave, may).await?
        {
            return take(tx, &[id]).await;
        }
    }
    take(tx, &taken).await
}

/// Rows of a wave that could start now, with ranges of its sweeps, at entities that are not among some.
async fn startable(tx: &mut Tx, run: RunId, wave: Wave, may: Startable<'_>, limit: usize) -> Result<Vec<i64>> {
    let wanted = i64::try_from(limit).expect("bounded by the caller");
    let (ids, least) = open_rows(tx, run, wave, may, wanted).await?;
    // A range of a sweep goes before rows that promise less, and takes the places that are left over.
    let (room, above) = if ids.len() < limit { (limit - ids.len(), i64::MIN) } else { (limit, least) };
    if unroll_sweeps(tx, run, wave, (room, above), (may.without, may.paced)).await? {
        return Ok(open_rows(tx, run, wave, may, wanted).await?.0);
    }
    Ok(ids)
}

/// Whether rows of some waves, from the first to the last of them, are leased.
async fn is_leased(tx: &mut Tx, run: RunId, (first, last): (Wave, Wave)) -> Result<bool> {
    let sql = format!("SELECT 1 FROM work WHERE run_id = $1 AND state = {LEASED} AND wave BETWEEN $2 AND $3 LIMIT 1");
    tx.exists(&sql, values![run, first.number(), last.number()]).await
}

/// Rows of a wave that could start now, in the order in which they should, and the least priority among them.
async fn open_rows(tx: &mut Tx, run: RunId, wave: Wave, may: Startable<'_>, limit: i64) -> Result<(Vec<i64>, i64)> {
    let mut wanted = values![run, wave.number(), may.wire_now, limit, ATTEMPTS_BEFORE_ALONE];
    let (without, footprints) = (leaving_out(may.without, &mut wanted), may.footprints(wave));
    let sql = format!(
        "SELECT id, priority FROM work WHERE run_id = $1 AND state = {OPEN} AND wave = $2 AND not_before <= $3 AND \
         attempts < $5{without}{footprints}
         ORDER BY footprint, priority DESC, id LIMIT $4"
    );
    let rows: Vec<(i64, i64)> = tx.read_all(&sql, wanted).await?;
    let least = rows.iter().map(|(_, priority)| *priority).min();
    Ok((rows.into_iter().map(|(id, _)| id).collect(), least.unwrap_or(i64::MIN)))
}

/// Returns one row under which the process died before, once nothing else of its wave can start, so that only the row
/// that really runs can be blamed again.
async fn suspect(tx: &mut Tx, run: RunId, wave: Wave, may: Startable<'_>) -> Result<Option<i64>> {
    let footprints = may.footprints(wave);
    let sql = format!(
        "SELECT id FROM work WHERE run_id = $1 AND state = {OPEN} AND wave = $2 AND not_before <= $3{footprints}
         ORDER BY footprint, priority DESC, id LIMIT 1"
    );
    tx.read_first(&sql, values![run, wave.number(), may.wire_now]).await
}

/// Leases rows: the fence rises, so that a completion under an older lease is refused.
async fn take(tx: &mut Tx, ids: &[i64]) -> Result<Vec<Work>> {
    let head = format!(
        "UPDATE work SET state = {LEASED}, fence = fence + 1, attempts = attempts + 1 WHERE state = {OPEN} AND id IN"
    );
    tx.run_in(&head, Vec::new(), ids, "").await?;
    let head = format!(
        "SELECT {}, w.wave, w.footprint, w.priority FROM work w JOIN entities e ON e.uid = w.uid WHERE w.id IN",
        list::<Work>()
    );
    let mut rows: Vec<(Work, i64, i64, i64)> = tx.read_in(&head, Vec::new(), ids, "").await?;
    rows.sort_by_key(|(work, wave, footprint, priority)| (*wave, *footprint, -priority, work.id));
    Ok(rows.into_iter().map(|(work, ..)| work).collect())
}

columns! {
    Work of w {
        id,
        run: "w.run_id",
        task,
        uid,
        kind: "e.kind",
        name: "e.name",
        argument,
        number: "w.look",
        attempts: "w.attempts - 1",
        fence,
    }
}

/// Takes rows out of the collection's open run that are louder than their entity's new clearance; the run says how
/// many.
pub(crate) async fn drop_uncleared(
    tx: &mut Tx,
    collection: i64,
    lowered: &BTreeMap<Clearance, Vec<Uid>>,
) -> Result<()> {
    let open = "SELECT id FROM runs WHERE collection_id = $1 AND state IN ('scheduled', 'running', 'paused')";
    let Some(run) = tx.read_first::<RunId>(open, values![collection]).await? else {
        return Ok(());
    };
    let not_done = drop_louder(tx, run, lowered).await?;
    count_not_done(tx, run, &not_done).await
}

/// Takes rows out of a run that are louder than their entity's new clearance; answers with what they were.
pub(super) async fn drop_louder(
    tx: &mut Tx,
    run: RunId,
    lowered: &BTreeMap<Clearance, Vec<Uid>>,
) -> Result<Vec<NotDone>> {
    let mut not_done = Vec::new();
    for (clearance, uids) in lowered {
        let of = values![run, clearance.number()];
        let head = format!(
            "SELECT w.task, e.kind, e.name FROM work w JOIN entities e ON e.uid = w.uid
             WHERE w.run_id = $1 AND w.footprint > $2 AND w.state = {OPEN} AND w.uid IN"
        );
        let dropped: Vec<(String, String, String)> = tx.read_in(&head, of.clone(), uids, "").await?;
        not_done.extend(dropped.into_iter().map(|(task, kind, name)| NotDone {
            reason: NotDoneReason::RefusedByScope,
            task,
            count: 1,
            example: format!("{kind} {name}"),
        }));
        let head = format!("DELETE FROM work WHERE run_id = $1 AND footprint > $2 AND state = {OPEN} AND uid IN");
        tx.run_in(&head, of.clone(), uids, "").await?;
        tx.run_in("DELETE FROM sweeps WHERE run_id = $1 AND footprint > $2 AND uid IN", of, uids, "").await?;
    }
    Ok(not_done)
}

/// Plans rows; those that are there already stay as they are.
pub(super) async fn insert_work(tx: &mut Tx, run: RunId, work: &[NewWork]) -> Result<()> {
    let row = |new: &NewWork| {
        named! {
            run_id: run,
            task: new.task,
            uid: new.uid,
            argument: &new.argument,
            look: new.number,
            wave: new.wave.number(),
            footprint: new.footprint.number(),
            priority: new.priority,
            not_before: new.not_before,
            partition: new.partition,
        }
    };
    tx.insert("work", work.iter().map(row).collect(), "ON CONFLICT DO NOTHING").await
}

/// Plans sweeps; those that are there already go on where they are.
pub(super) async fn insert_sweeps(tx: &mut Tx, run: RunId, sweeps: &[NewSweep]) -> Result<()> {
    let mut rows = Rows::default();
    for new in sweeps {
        if new.size < 0 || new.step < 1 {
            return Err(StoreError::Invalid(format!("a sweep of {} in steps of {}", new.size, new.step)));
        }
        rows.push(named! {
            run_id: run,
            task: new.task,
            uid: new.uid,
            prefix: &new.prefix,
            size: new.size,
            step: new.step,
            wave: new.wave.number(),
            footprint: new.footprint.number(),
            priority: new.priority,
            partition: new.partition,
        });
    }
    tx.insert("sweeps", rows, "ON CONFLICT DO NOTHING").await
}

columns! {
    /// The cost of a leased row and what it contacts; its repeated probe has the same.
    #[derive(Clone, Copy)]
    pub(super) struct Held {
        pub(super) wave: i64,
        pub(super) footprint: i64,
        pub(super) priority: i64,
        pub(super) partition: i64,
    }
}

/// For each row: `Some` while its lease is the caller's, by id and fence.
pub(super) async fn held(tx: &mut Tx, run: RunId, work: &[&Work]) -> Result<Vec<Option<Held>>> {
    let ids: Vec<i64> = work.iter().map(|work| work.id).collect();
    let head =
        format!("SELECT id, fence, {} FROM work WHERE +run_id = $1 AND +state = {LEASED} AND id IN", list::<Held>());
    let mut rows = BTreeMap::new();
    for (id, fence, held) in tx.read_in::<(i64, i64, Held), _>(&head, values![run], &ids, "").await? {
        rows.insert((id, fence), held);
    }
    // Each lease is completed once: the same row twice in one batch is refused the second time.
    Ok(work.iter().map(|work| rows.remove(&(work.id, work.fence))).collect())
}
