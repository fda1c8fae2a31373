//! The outbox: what happened, read from the change feed at a stored position, and written once for each receiver that
//! is to be told. Position and notices move in one transaction, so that nothing is lost and nothing is written twice.

use crate::db::rows::{Rows, columns, list, named, select};
use crate::db::secret::debug_by;
use crate::db::sql::{SWEPT_ROWS_MAX, Tx, to_json, values};
use crate::db::writer::transaction;
use crate::notifications::deliveries;
use crate::notifications::happened::{Happened, with_facts};
use crate::notifications::position::{self, Outbox, READER};
use crate::notifications::receivers::{IS_ANSWERED_FOR, purpose};
use crate::{Result, Store, StoreError};
use ambit_model::Timestamp;
use ambit_model::feed::FeedRow;
use ambit_model::moment::DAY_MS;
use ambit_model::notification::{Channel, Event, EventKind, Message, Rule};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

/// Rows of the feed of one reading: as many as one transaction of the engine holds.
const FEED_ROWS_MAX: i64 = 500;
/// Notices of one reading.
const NOTICES_MAX: i64 = 1_000;
/// Notices that wait for one receiver at most: an hour of the busiest first run. A receiver for which more wait is
/// ended, with the reason.
const WAITING_MAX: i64 = 100_000;
/// How long events that are told once are remembered: longer than the longest period of a limit.
const TOLD_MS: i64 = 400 * DAY_MS;

/// Why a receiver is ended whose secrets do not open. Such receivers are found again by this text, so it never changes.
const SEALED_FOR_ANOTHER: &str = "its secrets do not open with the secret of this installation: bring back the secret \
                                  file and replay, or remove it and add it anew";

/// What became of the stored position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resumption {
    /// There is no position yet, and nothing is reported.
    Fresh,
    /// It goes on where it was.
    Kept,
    /// It was lost, or lies after the newest revision: it goes on from the present.
    Lost,
}

columns! {
    /// A receiver as the sender needs it.
    #[derive(Clone, PartialEq)]
    pub struct Receiving {
        pub id: i64,
        pub uuid: Uuid,
        pub project: i64 = "project_id",
        pub channel: Channel,
        pub name: String,
        pub rule: Rule = (json),
        /// Where it is, and what signs or signs in.
        pub secrets: Map<String, Value> = { Map::new() },
        pub due_at: Option<Timestamp>,
        pub failing_since: Option<Timestamp>,
        pub rests_until: Option<Timestamp>,
        /// When the newest delivery was made.
        pub posted_at: Option<Timestamp> = "(SELECT d.created_at FROM deliveries d WHERE d.receiver_id = receivers.id \
                                            ORDER BY d.id DESC LIMIT 1)",
        sealed: Vec<u8> = "secrets",
    }
}

debug_by! { Receiving { uuid, channel } }

impl Receiving {
    /// A receiver that stands in no database.
    #[doc(hidden)]
    pub fn for_tests(channel: Channel, rule: Rule) -> Self {
        Self {
            id: 1,
            uuid: Uuid::nil(),
            project: 1,
            channel,
            name: "Test".to_owned(),
            rule,
            secrets: Map::new(),
            due_at: None,
            failing_since: None,
            rests_until: None,
            posted_at: None,
            sealed: Vec::new(),
        }
    }
}

/// An event for one receiver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    pub receiver: i64,
    pub collection: Option<i64>,
    pub first_run: bool,
    pub event: Event,
}

columns! {
    /// An event that a receiver has yet to be notified of; no delivery contains it.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Notice of n {
        pub id: i64,
        pub event: Event = (json),
        /// It happened in the first run of a collection.
        pub first_run: bool,
    }
}

/// Deliveries that take the place of notices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Posted {
    /// Notices that stand in the messages, or that cancel one another.
    pub taken: Vec<i64>,
    pub messages: Vec<Message>,
    /// When the next digest is due; `None` leaves it.
    pub due_at: Option<Timestamp>,
}

impl Store {
    /// The outbox; for the sender, never for an answer to people.
    pub fn outbox(&self) -> Outbox {
        Outbox { store: self.clone() }
    }
}

impl Outbox {
    /// Finds the position again. Where it was lost, it goes on from the present. Deliveries that a process left behind
    /// are free again where no other process can be at them.
    pub async fn begin(&self) -> Result<Resumption> {
        self.bring_back().await?;
        transaction!(self.store, Engine, async |tx| {
            if !tx.is_postgres() {
                deliveries::release_all(tx).await?;
            }
            if !tx.exists("SELECT 1 FROM receivers WHERE ended IS NULL LIMIT 1", Vec::new()).await? {
                return Ok(Resumption::Fresh);
            }
            let newest: i64 = tx.read_one("SELECT revision FROM revision WHERE one = 1", Vec::new()).await?;
            let sql = "SELECT revision FROM positions WHERE reader = $1";
            let position: Option<i64> = tx.read_first(sql, values![READER]).await?;
            if position.is_some_and(|position| position <= newest) {
                return Ok(Resumption::Kept);
            }
            position::set(tx, newest).await?;
            Ok(Resumption::Lost)
        })
    }

    /// Those to whom anything is sent, with their secrets. One whose maker is suspended is left out
    /// meanwhile. A receiver whose secrets do not open with the secret of this installation is left out and ended with
    /// that reason; what waits for it stays until it is at work again.
    pub async fn receivers(&self) -> Result<Vec<Receiving>> {
        let sql = select::<Receiving>(&format!("FROM receivers WHERE ended IS NULL AND {IS_ANSWERED_FOR} ORDER BY id"));
        let stored: Vec<Receiving> = self.store.read().await?.read_all(&sql, Vec::new()).await?;
        let mut receivers = Vec::with_capacity(stored.len());
        for mut receiver in stored {
            match self.opened(&receiver) {
                Some(secrets) => {
                    receiver.secrets = secrets;
                    receivers.push(receiver);
                }
                None => self.set_aside(&receiver).await?,
            }
        }
        Ok(receivers)
    }

    /// Sets receivers to work again that were set aside while another secret was in place, now that theirs is back.
    async fn bring_back(&self) -> Result<()> {
        let sql = select::<Receiving>("FROM receivers WHERE ended = $1 ORDER BY id");
        let aside: Vec<Receiving> = self.store.read().await?.read_all(&sql, values![SEALED_FOR_ANOTHER]).await?;
        let back: Vec<i64> = aside.iter().filter(|one| self.opened(one).is_some()).map(|one| one.id).collect();
        transaction!(self.store, Engine, async |tx| {
            tx.run_in("UPDATE receivers SET ended = NULL WHERE id IN", Vec::new(), &back, "").await.map(drop)
        })
    }

    /// The secrets of a receiver; `None` where they do not open with the secret of this installation.
    fn opened(&self, receiver: &Receiving) -> Option<Map<String, Value>> {
        serde_json::from_slice(&self.store.unseal(&purpose(receiver.uuid), &receiver.sealed)?).ok()
    }

    async fn set_aside(&self, receiver: &Receiving) -> Result<()> {
        tracing::warn!(receiver = %receiver.uuid, name = receiver.name, "a receiver's secrets cannot be decrypted");
        let id = receiver.id;
        transaction!(self.store, Engine, async |tx| {
            let sql = "UPDATE receivers SET ended = $2 WHERE id = $1 AND ended IS NULL";
            tx.run(sql, values![id, SEALED_FOR_ANOTHER]).await?;
            Ok(())
        })
    }

    /// What happened after the position, with the position before and after it. What only was seen again is left out.
    pub async fn happened(&self) -> Result<(i64, i64, Vec<Happened>)> {
        let mut tx = self.store.read().await?;
        let sql = "SELECT revision FROM positions WHERE reader = $1";
        let from: i64 = tx.find(sql, values![READER]).await?;
        let sql = format!(
            "SELECT {}, at, collection_id FROM feed WHERE revision > $1 ORDER BY revision LIMIT {FEED_ROWS_MAX}",
            list::<FeedRow>()
        );
        let rows: Vec<(FeedRow, Timestamp, Option<i64>)> = tx.read_all(&sql, values![from]).await?;
        let to = rows.last().map_or(from, |(row, ..)| row.revision);
        Ok((from, to, with_facts(&mut tx, rows).await?))
    }

    /// Moves the position from one revision to another and writes what receivers are to be told; false, and nothing
    /// is written, where another process moved it. Events with a name in `once` that were told are not told again.
    pub async fn write(&self, from: i64, to: i64, told: Vec<Told>, now: Timestamp) -> Result<bool> {
        transaction!(self.store, Engine, async |tx| {
            let sql = "UPDATE positions SET revision = $3 WHERE reader = $1 AND revision = $2";
            if tx.run(sql, values![READER, from, to]).await? == 0 {
                return Ok(false);
            }
            insert(tx, told, now).await?;
            Ok(true)
        })
    }

    /// Writes events that do not come from the change feed, such as quotas near their end. An event that was written
    /// before is not repeated.
    pub async fn write_beside(&self, told: Vec<Told>, now: Timestamp) -> Result<()> {
        transaction!(self.store, Engine, async |tx| insert(tx, told, now).await)
    }

    /// The notices of a receiver after an id, in order; a page.
    pub async fn notices(&self, receiver: i64, after: i64) -> Result<Vec<Notice>> {
        let sql = select::<Notice>(&format!(
            "FROM notices n WHERE n.receiver_id = $1 AND n.id > $2 ORDER BY n.id LIMIT {NOTICES_MAX}"
        ));
        self.store.read().await?.read_all(&sql, values![receiver, after]).await
    }

    /// When the open run of each collection that has one began, by the collection's uuid.
    pub async fn open_runs(&self) -> Result<BTreeMap<Uuid, Timestamp>> {
        let sql = "SELECT c.uuid, o.started_at FROM runs o JOIN collections c ON c.id = o.collection_id WHERE o.state \
                   IN ('scheduled', 'running', 'paused') AND o.started_at IS NOT NULL";
        let open: Vec<(Uuid, Timestamp)> = self.store.read().await?.read_all(sql, Vec::new()).await?;
        Ok(open.into_iter().collect())
    }

    /// Puts messages in the place of notices. Fails with `Conflict`, and writes nothing, where another process took one
    /// of the notices.
    pub async fn post(&self, receiver: i64, posted: Posted, now: Timestamp) -> Result<()> {
        transaction!(self.store, Engine, async |tx| {
            let head = "DELETE FROM notices WHERE receiver_id = $1 AND id IN";
            let removed = tx.run_in(head, values![receiver], &posted.taken, "").await?;
            if removed != posted.taken.len() as u64 {
                return Err(StoreError::Conflict("the notices were taken by another process".to_owned()));
            }
            deliveries::insert(tx, receiver, &posted.messages, now).await?;
            if let Some(due_at) = posted.due_at {
                tx.run("UPDATE receivers SET due_at = $2 WHERE id = $1", values![receiver, due_at]).await?;
            }
            Ok(())
        })
    }
}

/// Returns the key of an event that has no revision, so that it is reported once: events of runs and quotas.
fn once(event: &Event) -> Option<&str> {
    let kinds = [EventKind::RunBegun, EventKind::RunEnded, EventKind::RunShort, EventKind::QuotaNear];
    kinds.contains(&event.kind).then_some(event.id.as_str())
}

async fn insert(tx: &mut Tx, told: Vec<Told>, now: Timestamp) -> Result<()> {
    let mut fresh: BTreeMap<String, bool> = BTreeMap::new();
    let mut here: BTreeSet<(i64, String)> = BTreeSet::new();
    let mut rows = Rows::default();
    for Told { receiver, collection, first_run, event } in told {
        if let Some(name) = once(&event) {
            if !fresh.contains_key(name) {
                let new = tx.insert_new("told", "event", named! { event: name, at: now }).await?;
                fresh.insert(name.to_owned(), new);
            }
            if !fresh[name] || !here.insert((receiver, name.to_owned())) {
                continue;
            }
        }
        rows.push(named! { receiver_id: receiver, collection_id: collection, first_run, event: to_json(&event) });
    }
    tx.insert("notices", rows, "").await
}

/// Removes what was told long ago and the log of deliveries that ended long ago, and ends receivers for which too much
/// waits; true when there may be more.
pub(crate) async fn sweep(tx: &mut Tx, now: Timestamp) -> Result<bool> {
    let sql = format!(
        "DELETE FROM told WHERE event IN (SELECT event FROM told WHERE at < $1 ORDER BY at LIMIT {SWEPT_ROWS_MAX})"
    );
    let mut more = tx.run(&sql, values![now.0 - TOLD_MS]).await? > 0;
    more |= deliveries::sweep(tx, now).await?;
    let at_work: Vec<i64> = tx.read_all("SELECT id FROM receivers WHERE ended IS NULL", Vec::new()).await?;
    for receiver in at_work {
        let sql = format!("SELECT id FROM notices WHERE receiver_id = $1 ORDER BY id LIMIT 1 OFFSET {WAITING_MAX}");
        if tx.exists(&sql, values![receiver]).await? {
            let why = format!("more than {WAITING_MAX} events waited for it");
            deliveries::end(tx, receiver, &why, now).await?;
        }
    }
    Ok(more)
}
