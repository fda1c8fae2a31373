//! Deliveries: messages to receivers with their tries, and the log of those that ended.

use crate::db::rows::{Rows, columns, named, select};
use crate::db::sql::{SWEPT_ROWS_MAX, Tx, to_json, values, whole};
use crate::db::writer::transaction;
use crate::notifications::position::{self, Outbox};
use crate::notifications::receivers::{self, IS_ANSWERED_FOR};
use crate::people::audit;
use crate::{Caller, Principal, Result, Store, StoreError};
use ambit_model::Timestamp;
use ambit_model::moment::DAY_MS;
use ambit_model::notification::{DeliveryState, Event, EventKind, Message};
use serde_json::json;
use uuid::Uuid;

/// Why a receiver ends with its maker.
const MAKER_DELETED: &str = "the user who created it was deleted: `ambit notify replay` takes it over";
/// How long the log is kept.
const LOG_MS: i64 = 30 * DAY_MS;
/// Rows of a page of the log.
const LOG_ROWS_MAX: usize = 1_000;
/// Deliveries of a receiver that the sender looks at: those beyond wait until the first are through.
const WINDOW: i64 = 100;
/// How long one process has a delivery to itself, in milliseconds: longer than any try lasts. The longest is that of a
/// letter, whose server may take five minutes over it beside the steps before that.
const CLAIM_MS: i64 = 600_000;

columns! {
    /// A delivery as people see it.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Delivery of d {
        pub uuid: Uuid,
        pub message: Message = (json),
        pub state: DeliveryState,
        pub attempts: i64,
        /// When it is tried next.
        pub due_at: Timestamp,
        /// What the receiver answered last, or why there was no answer.
        pub answer: Option<String>,
        pub created_at: Timestamp,
        pub ended_at: Option<Timestamp>,
    }
}

columns! {
    /// A delivery that waits, as the sender needs it.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Waiting of d {
        pub id: i64,
        /// `None`: a digest, which keeps the order of all.
        pub subject: Option<String>,
        pub message: Message = (json),
        /// Tries that were made.
        pub attempts: i64,
        pub due_at: Timestamp,
        /// Until then a process has it to itself.
        pub claimed_until: Option<Timestamp>,
    }
}

/// How a try ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Delivered {
        answer: String,
    },
    /// It is tried again.
    Again {
        answer: String,
        due_at: Timestamp,
        /// Nothing at all is sent to the receiver before: it is busy or cannot be reached.
        rests_until: Option<Timestamp>,
    },
    /// It is given up.
    Failed {
        answer: String,
    },
    /// It is given up, and nothing is sent to the receiver any more.
    Ended {
        answer: String,
        why: String,
    },
}

impl Outbox {
    /// The first deliveries that wait for a receiver, in order.
    pub async fn waiting(&self, receiver: i64) -> Result<Vec<Waiting>> {
        let sql = select::<Waiting>(&format!(
            "FROM deliveries d WHERE d.receiver_id = $1 AND d.state = 'waiting' ORDER BY d.id LIMIT {WINDOW}"
        ));
        self.store.read().await?.read_all(&sql, values![receiver]).await
    }

    /// Takes a delivery for one try; false where another process has it, or it does not wait any more.
    pub async fn claim(&self, delivery: i64, now: Timestamp) -> Result<bool> {
        transaction!(self.store, Engine, async |tx| {
            let sql = "UPDATE deliveries SET attempts = attempts + 1, claimed_until = $2 WHERE id = $1 AND state = \
                       'waiting' AND (claimed_until IS NULL OR claimed_until <= $3)";
            Ok(tx.run(sql, values![delivery, now.plus_ms(CLAIM_MS), now]).await? > 0)
        })
    }

    /// Writes how a try ended. After the first success that follows failures, all that waits is due at once.
    pub async fn finish(&self, receiver: i64, delivery: i64, outcome: Outcome, now: Timestamp) -> Result<()> {
        transaction!(self.store, Engine, async |tx| {
            let over =
                "UPDATE deliveries SET state = $2, answer = $3, ended_at = $4, claimed_until = NULL WHERE id = $1";
            match outcome {
                Outcome::Delivered { answer } => {
                    tx.run(over, values![delivery, DeliveryState::Delivered.name(), answer, now]).await?;
                    recovered(tx, receiver, now).await
                }
                Outcome::Failed { answer } => {
                    tx.run(over, values![delivery, DeliveryState::Failed.name(), answer, now]).await?;
                    let sql = "UPDATE receivers SET failing_since = COALESCE(failing_since, $2) WHERE id = $1";
                    tx.run(sql, values![receiver, now]).await.map(|_| ())
                }
                Outcome::Ended { answer, why } => {
                    tx.run(over, values![delivery, DeliveryState::Failed.name(), answer, now]).await?;
                    end(tx, receiver, &why, now).await
                }
                Outcome::Again { answer, due_at, rests_until } => {
                    let sql = "UPDATE deliveries SET answer = $2, due_at = $3, claimed_until = NULL WHERE id = $1";
                    tx.run(sql, values![delivery, answer, due_at]).await?;
                    let sql = "UPDATE receivers SET failing_since = COALESCE(failing_since, $2), rests_until = $3 \
                               WHERE id = $1";
                    tx.run(sql, values![receiver, now, rests_until]).await.map(|_| ())
                }
            }
        })
    }
}

async fn recovered(tx: &mut Tx, receiver: i64, now: Timestamp) -> Result<()> {
    let sql = "UPDATE receivers SET failing_since = NULL, rests_until = NULL WHERE id = $1 AND failing_since IS NOT \
               NULL";
    if tx.run(sql, values![receiver]).await? > 0 {
        let sql = "UPDATE deliveries SET due_at = $2 WHERE receiver_id = $1 AND state = 'waiting' AND due_at > $2";
        tx.run(sql, values![receiver, now]).await?;
    }
    Ok(())
}

/// Ends a receiver: what waits for it is given up, and stays in the log.
pub(crate) async fn end(tx: &mut Tx, receiver: i64, why: &str, now: Timestamp) -> Result<()> {
    tx.run("UPDATE receivers SET ended = $2 WHERE id = $1", values![receiver, why]).await?;
    tx.run("DELETE FROM notices WHERE receiver_id = $1", values![receiver]).await?;
    let sql = "UPDATE deliveries SET state = 'failed', ended_at = $2, claimed_until = NULL WHERE receiver_id = $1 AND \
               state = 'waiting'";
    tx.run(sql, values![receiver, now]).await?;
    Ok(())
}

/// Ends what a user made who is being deleted; the owners of its project see it, and can take it over or remove it.
/// Answers with the names.
pub(crate) async fn end_all_of(tx: &mut Tx, user: i64, now: Timestamp) -> Result<Vec<String>> {
    let sql = "SELECT id, name FROM receivers WHERE created_by = $1 AND ended IS NULL ORDER BY id";
    let made: Vec<(i64, String)> = tx.read_all(sql, values![user]).await?;
    for (receiver, _) in &made {
        end(tx, *receiver, MAKER_DELETED, now).await?;
    }
    Ok(made.into_iter().map(|(_, name)| name).collect())
}

/// Frees what a process that died had to itself.
pub(crate) async fn release_all(tx: &mut Tx) -> Result<()> {
    for receiver in tx.read_all::<i64>("SELECT id FROM receivers WHERE ended IS NULL", Vec::new()).await? {
        let sql = "UPDATE deliveries SET claimed_until = NULL WHERE receiver_id = $1 AND state = 'waiting' AND \
                   claimed_until IS NOT NULL";
        tx.run(sql, values![receiver]).await?;
    }
    Ok(())
}

pub(crate) async fn insert(tx: &mut Tx, receiver: i64, messages: &[Message], now: Timestamp) -> Result<()> {
    let row = |message: &Message| {
        named! {
            uuid: message.id,
            receiver_id: receiver,
            subject: message.subject(),
            message: to_json(message),
            state: DeliveryState::Waiting.name(),
            attempts: 0_i64,
            due_at: now,
            created_at: now,
        }
    };
    tx.insert("deliveries", messages.iter().map(row).collect::<Rows>(), "").await
}

/// Removes deliveries that ended long ago; true when there may be more.
pub(crate) async fn sweep(tx: &mut Tx, now: Timestamp) -> Result<bool> {
    let sql = format!(
        "DELETE FROM deliveries WHERE id IN (SELECT id FROM deliveries WHERE ended_at < $1 ORDER BY ended_at LIMIT \
         {SWEPT_ROWS_MAX})"
    );
    Ok(tx.run(&sql, values![now.0 - LOG_MS]).await? > 0)
}

impl Store {
    /// The newest deliveries of a receiver; for owners of its project.
    pub async fn list_deliveries(&self, principal: &Principal, receiver: Uuid, limit: usize) -> Result<Vec<Delivery>> {
        let mut tx = self.read().await?;
        let view = receivers::require(&mut tx, principal, receiver).await?;
        let sql = select::<Delivery>("FROM deliveries d WHERE d.receiver_id = $1 ORDER BY d.id DESC LIMIT $2");
        tx.read_all(&sql, values![view.id, whole(limit.min(LOG_ROWS_MAX))]).await
    }

    /// Sends a receiver a message that says it is a test; for owners of its project. Fails with `Conflict` where the
    /// receiver was ended.
    pub async fn test_receiver(&self, caller: &Caller, receiver: Uuid) -> Result<Uuid> {
        let (caller, id) = (caller.clone(), Uuid::new_v4());
        transaction!(self, Person, async |tx| {
            let view = receivers::require(tx, &caller, receiver).await?;
            if let Some(why) = view.ended {
                return Err(StoreError::Conflict(format!("nothing is sent to it any more: {why}")));
            }
            let event = Event {
                id: format!("test-{id}"),
                kind: EventKind::Test,
                at: caller.now,
                collection: None,
                subject: receiver.to_string(),
                what: view.channel.name().to_owned(),
                name: view.name,
                title: format!("Test message, asked for by {}", caller.username()),
                severity: None,
                issue: None,
            };
            insert(tx, view.id, &[Message::of(id, event)], caller.now).await?;
            Ok(id)
        })
    }

    /// Sends again what failed and tries at once what waits for its next try, or sends one delivery of the log again,
    /// with the ids that receivers know; a receiver that was ended is at work again. Returns how many are sent. For
    /// owners of its project.
    pub async fn replay_deliveries(&self, caller: &Caller, receiver: Uuid, delivery: Option<Uuid>) -> Result<u64> {
        let caller = caller.clone();
        transaction!(self, Person, async |tx| {
            let view = receivers::require(tx, &caller, receiver).await?;
            position::start(tx).await?;
            // Whoever sets a receiver to work that nobody answers for answers for it.
            let sql = format!(
                "UPDATE receivers SET ended = NULL, failing_since = NULL, rests_until = NULL, created_by = CASE WHEN \
                 {IS_ANSWERED_FOR} THEN created_by ELSE $2 END WHERE id = $1"
            );
            tx.run(&sql, values![view.id, caller.user_id()]).await?;
            let again = "UPDATE deliveries SET state = 'waiting', attempts = 0, due_at = $2, ended_at = NULL, \
                         claimed_until = NULL WHERE receiver_id = $1 AND";
            let sent = match delivery {
                Some(uuid) => {
                    let sql = format!("{again} state <> 'waiting' AND uuid = $3");
                    match tx.run(&sql, values![view.id, caller.now, uuid]).await? {
                        0 => return Err(StoreError::NotFound),
                        sent => sent,
                    }
                }
                None => {
                    let failed = tx.run(&format!("{again} state = 'failed'"), values![view.id, caller.now]).await?;
                    // What a server is at stays with it.
                    let sql = "UPDATE deliveries SET due_at = $2 WHERE receiver_id = $1 AND state = 'waiting' AND \
                               due_at > $2 AND (claimed_until IS NULL OR claimed_until <= $2)";
                    failed + tx.run(sql, values![view.id, caller.now]).await?
                }
            };
            let details = json!({"deliveries": sent});
            audit::insert(tx, &caller, Some(view.project), "receiver.replay", receiver, details).await?;
            Ok(sent)
        })
    }
}
