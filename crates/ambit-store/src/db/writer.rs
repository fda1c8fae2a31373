//! Group commit: on SQLite one task writes for the whole process and commits many callers' parts together, each behind
//! the first in a savepoint of its own; on PostgreSQL each part is a transaction. Either way an answer goes out after
//! its commit (docs/architecture.md §1.7).

use crate::StoreError;
use crate::db::failpoint::Failpoints;
use crate::db::sql::{Origin, Tx, begin_sqlite_writer};
use futures::FutureExt;
use futures::future::BoxFuture;
use parking_lot::Mutex;
use sqlx::{PgPool, SqlitePool};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

/// Parts committed together at most: bounds how long the first of them waits for its answer.
const GROUP_PARTS_MAX: usize = 64;

/// Parts that wait at most, of people and of the engine each; further callers wait to be let in.
const QUEUE_PARTS_MAX: usize = 1_024;

/// People go before the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    Person,
    Engine,
}

pub(crate) type Body = Box<dyn for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<(), StoreError>> + Send>;

pub(crate) struct Part {
    body: Body,
    answer: oneshot::Sender<Result<(), StoreError>>,
}

/// Where writes go.
pub(crate) enum Writer {
    /// To the one writing task.
    Sqlite { people: mpsc::Sender<Part>, engine: mpsc::Sender<Part> },
    /// Each in its own transaction.
    Postgres { pool: PgPool, failpoints: Arc<Failpoints>, origin: Arc<Origin> },
    /// Nowhere: the database was opened to be read, for this reason.
    Nowhere(StoreError),
}

/// Runs a block in a transaction of its own and answers when that is durable, all or nothing: the same as
/// `store.write(Who::Person, …).await`. The block owns what it uses, and `?` and `return` end the transaction.
///
/// The block passes on every failure of a statement. It may go on only after a refusal of ours that came before
/// anything was written (`StoreError::NotFound`, `QuotaExceeded`, `Forbidden`): before the first block of a group there
/// is no savepoint, and where the disk is full SQLite ends the transaction by itself, so that what is written after it
/// stays whatever the rest does. A block that goes on all the same fails.
///
/// ```ignore
/// let id = transaction!(self, Person, async |tx| insert(tx, &name, now).await)?;
/// ```
macro_rules! transaction {
    // A person's change of who may do what: rights are read anew after it.
    ($store:expr, Access, async |$tx:ident| $body:expr) => {{
        let done = $crate::db::writer::transaction!($store, Person, async |$tx| $body);
        if done.is_ok() {
            $store.inner.access.clear();
        }
        done
    }};
    ($store:expr, $who:ident, async |$tx:ident| $body:expr) => {
        $store.write($crate::db::writer::Who::$who, move |$tx| Box::pin(async move { $body })).await
    };
}
pub(crate) use transaction;

impl Writer {
    /// Starts the writing task of a SQLite database, which ends when all senders are gone.
    pub(crate) fn sqlite(pool: SqlitePool, failpoints: Arc<Failpoints>, origin: Arc<Origin>) -> Self {
        let (people, people_queue) = mpsc::channel(QUEUE_PARTS_MAX);
        let (engine, engine_queue) = mpsc::channel(QUEUE_PARTS_MAX);
        let queues = Queues { people: people_queue, engine: engine_queue };
        tokio::spawn(write_groups(pool, queues, failpoints, origin));
        Self::Sqlite { people, engine }
    }

    /// Runs `body` in a transaction and answers when that is durable. All or nothing.
    pub(crate) async fn write<T, F>(&self, who: Who, body: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, StoreError>> + Send + 'static,
    {
        let (people, engine) = match self {
            Self::Sqlite { people, engine } => (people, engine),
            Self::Postgres { pool, failpoints, origin } => return write_alone(pool, failpoints, origin, body).await,
            Self::Nowhere(why) => return Err(why.clone()),
        };
        let slot = Arc::new(Mutex::new(None));
        let filled = Arc::clone(&slot);
        let body: Body = Box::new(move |tx| {
            Box::pin(async move {
                let value = body(tx).await?;
                *filled.lock() = Some(value);
                Ok(())
            })
        });
        let (answer, answered) = oneshot::channel();
        let queue = if who == Who::Person { people } else { engine };
        queue.send(Part { body, answer }).await.map_err(|_| stopped())?;
        answered.await.map_err(|_| stopped())??;
        let value = slot.lock().take();
        value.ok_or_else(|| StoreError::Bug("a committed part left no value".to_owned()))
    }
}

fn stopped() -> StoreError {
    StoreError::Unavailable("the writing task has stopped".to_owned())
}

async fn write_alone<T, F>(
    pool: &PgPool,
    failpoints: &Failpoints,
    origin: &Arc<Origin>,
    body: F,
) -> Result<T, StoreError>
where
    F: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, StoreError>>,
{
    failpoints.edge()?;
    let begun = pool.begin().await.map_err(|error| origin.failed(error))?;
    let mut tx = Tx::postgres(begun, Arc::clone(origin));
    match carry_out(&mut tx, body).await.and_then(|value| failpoints.edge().map(|()| value)) {
        Ok(value) => {
            tx.commit().await?;
            failpoints.edge()?;
            Ok(value)
        }
        Err(error) => {
            tx.rollback().await?;
            Err(error)
        }
    }
}

/// Runs a part. A panic in it is its failure, not the end of all writing, and so is the failure of a statement that it
/// did not pass on.
async fn carry_out<T>(
    tx: &mut Tx,
    body: impl for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, StoreError>>,
) -> Result<T, StoreError> {
    let done = AssertUnwindSafe(body(tx)).catch_unwind().await.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
        Err(StoreError::Bug(format!("a write panicked: {text}")))
    });
    let failed = tx.check();
    done.and_then(|value| failed.map(|()| value))
}

struct Queues {
    people: mpsc::Receiver<Part>,
    engine: mpsc::Receiver<Part>,
}

impl Queues {
    /// Returns the next part, a person's before the engine's; `None` when all senders are gone.
    async fn next(&mut self) -> Option<Part> {
        tokio::select! {
            biased;
            Some(part) = self.people.recv() => Some(part),
            Some(part) = self.engine.recv() => Some(part),
            else => None,
        }
    }

    fn waiting(&mut self) -> Option<Part> {
        self.people.try_recv().or_else(|_| self.engine.try_recv()).ok()
    }
}

async fn write_groups(pool: SqlitePool, mut queues: Queues, failpoints: Arc<Failpoints>, origin: Arc<Origin>) {
    while let Some(first) = queues.next().await {
        write_group(&pool, &origin, first, &mut queues, &failpoints).await;
    }
    pool.close().await;
}

/// One group: begins, lets each part do its work, commits, and only then answers. The first part needs no savepoint,
/// since nothing stands before it, and a savepoint costs a copy of each page that is changed: where it fails, the group
/// ends with it.
async fn write_group(
    pool: &SqlitePool,
    origin: &Arc<Origin>,
    first: Part,
    queues: &mut Queues,
    failpoints: &Failpoints,
) {
    let begun = match failpoints.edge() {
        Ok(()) => begin_sqlite_writer(pool, origin).await,
        Err(error) => Err(error),
    };
    let mut tx = match begun {
        Ok(tx) => tx,
        Err(error) => return answer(vec![first.answer], &Err(error)),
    };
    if let Err(error) = carry_out(&mut tx, first.body).await.and_then(|()| failpoints.edge()) {
        let _ = tx.rollback().await;
        return answer(vec![first.answer], &Err(error));
    }
    let mut done = vec![first.answer];
    while let Some(part) = if done.len() < GROUP_PARTS_MAX { queues.waiting() } else { None } {
        let outcome = write_part(&mut tx, part.body, failpoints).await;
        match outcome {
            Ok(()) => done.push(part.answer),
            Err(Failed::Part(error)) => answer(vec![part.answer], &Err(error)),
            Err(Failed::Group(error)) => {
                // The savepoint is gone and with it everything before it (a full disk rolls the whole transaction
                // back).
                done.push(part.answer);
                let _ = tx.rollback().await;
                return answer(done, &Err(error));
            }
        }
    }
    let committed = match failpoints.edge() {
        Ok(()) => tx.commit().await,
        Err(error) => tx.rollback().await.and(Err(error)),
    };
    let committed = committed.and_then(|()| failpoints.edge());
    answer(done, &committed);
}

enum Failed {
    Part(StoreError),
    Group(StoreError),
}

async fn write_part(tx: &mut Tx, body: Body, failpoints: &Failpoints) -> Result<(), Failed> {
    tx.run("SAVEPOINT part", Vec::new()).await.map_err(Failed::Group)?;
    let outcome = carry_out(tx, body).await.and_then(|()| failpoints.edge());
    let Err(error) = outcome else {
        return tx.run("RELEASE part", Vec::new()).await.map(|_| ()).map_err(Failed::Group);
    };
    let undone = async {
        tx.run("ROLLBACK TO part", Vec::new()).await?;
        tx.run("RELEASE part", Vec::new()).await
    };
    match undone.await {
        Ok(_) => Err(Failed::Part(error)),
        Err(_) => Err(Failed::Group(error)),
    }
}

/// A caller that gave up waiting is no failure.
fn answer(callers: Vec<oneshot::Sender<Result<(), StoreError>>>, outcome: &Result<(), StoreError>) {
    for caller in callers {
        let _ = caller.send(outcome.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sqlx::sqlite::SqlitePoolOptions;

    async fn pool() -> SqlitePool {
        let pool = SqlitePoolOptions::new().max_connections(1).connect("sqlite::memory:").await.unwrap();
        sqlx::query("CREATE TABLE kept (number INTEGER PRIMARY KEY)").execute(&pool).await.unwrap();
        pool
    }

    fn origin() -> Arc<Origin> {
        Arc::new(Origin { named: "memory".to_owned(), folder: None })
    }

    /// Writes a row, goes on after a statement that fails, and writes another.
    fn heedless(tx: &mut Tx) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            tx.run("INSERT INTO kept VALUES (1)", Vec::new()).await?;
            assert!(tx.run("INSERT INTO kept VALUES (1)", Vec::new()).await.is_err());
            tx.run("INSERT INTO kept VALUES (2)", Vec::new()).await.map(drop)
        })
    }

    #[tokio::test]
    async fn a_write_that_goes_on_after_a_statement_failed_is_taken_back() {
        let pool = pool().await;
        let writer = Writer::sqlite(pool.clone(), Arc::default(), origin());
        let failed = writer.write(Who::Person, heedless).await;
        assert!(failed.is_err_and(|error| error.to_string().contains("UNIQUE")));
        let count: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM kept").fetch_one(&pool).await.unwrap();
        assert_eq!(count, 0);
    }

    #[tokio::test]
    async fn behind_others_it_is_taken_back_alone() {
        let pool = pool().await;
        let mut tx = begin_sqlite_writer(&pool, &origin()).await.unwrap();
        tx.run("INSERT INTO kept VALUES (7)", Vec::new()).await.unwrap();
        let failed = write_part(&mut tx, Box::new(heedless), &Failpoints::default()).await;
        assert!(matches!(failed, Err(Failed::Part(_))));
        tx.commit().await.unwrap();
        let kept: Vec<i64> = sqlx::query_scalar("SELECT number FROM kept").fetch_all(&pool).await.unwrap();
        assert_eq!(kept, [7]);
    }
}
