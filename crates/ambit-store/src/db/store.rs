//! The handle of an open installation: how everything else in this crate reads and writes. What stands behind it is
//! made in `open`.

use crate::db::failpoint::Failpoints;
use crate::db::secret::Secret;
use crate::db::sql::{Origin, Tx};
use crate::db::writer::{Who, Writer};
use crate::people::access_cache::AccessCache;
use crate::{Limits, Result, Retention, StoreError};
use futures::future::BoxFuture;
use parking_lot::Mutex;
use sqlx::{PgPool, SqlitePool};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Age at which a failure to write is doubted and a write is tried: readiness is asked for every few seconds, by
/// anybody.
const TROUBLE_AGE: Duration = Duration::from_secs(1);

/// Age up to which a failure to write is told as the reason why a request could not be answered.
const TOLD_AGE: Duration = Duration::from_secs(60);

/// An open installation; cheap to clone. Dropping the last clone ends the writing task after its queue.
///
/// Every call fails as the database does (`Unavailable`, `Full`, `ReadOnly`, `Damaged`), and then nothing of its
/// transaction was stored. What a caller may not see is `NotFound`, and what the caller may see but not do is
/// `Forbidden`. Each method says what else it refuses.
#[derive(Clone)]
pub struct Store {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pools: Pools,
    writer: Writer,
    pub(crate) secret: Secret,
    pub(crate) folder: Option<PathBuf>,
    pub(crate) access: AccessCache,
    #[cfg_attr(not(debug_assertions), expect(dead_code, reason = "only tests arm them"))]
    pub(super) failpoints: Arc<Failpoints>,
    trouble: Trouble,
    limits: Mutex<Limits>,
    retention: Mutex<Retention>,
}

impl Inner {
    pub(crate) fn new(
        pools: Pools,
        writer: Writer,
        secret: Secret,
        folder: Option<PathBuf>,
        failpoints: Arc<Failpoints>,
    ) -> Self {
        Self {
            pools,
            writer,
            secret,
            folder,
            access: AccessCache::default(),
            failpoints,
            trouble: Trouble::default(),
            limits: Mutex::default(),
            retention: Mutex::default(),
        }
    }
}

/// Why the last write failed, if the cause lies outside that write.
#[derive(Default)]
struct Trouble(Mutex<Option<(StoreError, Instant)>>);

impl Trouble {
    /// Where the disk was full, a write that succeeds shows nothing: it may have been a smaller one.
    fn note(&self, error: Option<&StoreError>) {
        let mut last = self.0.lock();
        match error {
            None if matches!(&*last, Some((StoreError::Full { .. }, _))) => {}
            None => end(&mut last),
            Some(error) if error.is_of_place() => *last = Some((error.clone(), Instant::now())),
            Some(_) => {}
        }
    }

    fn end(&self) {
        end(&mut self.0.lock());
    }

    fn last(&self) -> Option<StoreError> {
        let last = self.0.lock();
        last.as_ref().filter(|(_, at)| at.elapsed() < TOLD_AGE).map(|(error, _)| error.clone())
    }

    /// The failure, and whether it is time to try again.
    fn standing(&self) -> Option<(StoreError, bool)> {
        let mut last = self.0.lock();
        let (error, at) = last.as_mut()?;
        let is_due = at.elapsed() >= TROUBLE_AGE;
        if is_due {
            *at = Instant::now();
        }
        Some((error.clone(), is_due))
    }
}

/// Says once that it is over: monitors and people saw it begin.
fn end(last: &mut Option<(StoreError, Instant)>) {
    if let Some((error, _)) = last.take() {
        tracing::warn!(was = %error, "the database can be written again");
    }
}

pub(crate) enum Pools {
    Sqlite(SqlitePool, Arc<Origin>),
    Postgres(PgPool, Arc<Origin>),
}

impl Pools {
    pub(crate) async fn begin_read(&self) -> Result<Tx> {
        let (begun, origin) = match self {
            Self::Sqlite(pool, origin) => (pool.begin().await.map(|open| Tx::sqlite(open, Arc::clone(origin))), origin),
            Self::Postgres(pool, origin) => {
                let begun = pool.begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").await;
                (begun.map(|open| Tx::postgres(open, Arc::clone(origin))), origin)
            }
        };
        begun.map_err(|error| origin.failed(error))
    }

    /// To be asked of a database with a schema.
    pub(crate) async fn has_owner(&self) -> Result<bool> {
        let mut tx = self.begin_read().await?;
        tx.exists("SELECT id FROM organizations", Vec::new()).await
    }
}

impl Store {
    pub(crate) fn pools(&self) -> &Pools {
        &self.inner.pools
    }

    /// A consistent view of everything committed so far.
    pub(crate) async fn read(&self) -> Result<Tx> {
        self.inner.pools.begin_read().await
    }

    /// Runs `body` in a transaction; answers when that is durable.
    pub(crate) async fn write<T, F>(&self, who: Who, body: F) -> Result<T>
    where
        T: Send + 'static,
        F: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T>> + Send + 'static,
    {
        let written = self.inner.writer.write(who, body).await;
        self.inner.trouble.note(written.as_ref().err());
        written
    }

    /// Why the last write failed, if the cause lies outside that write, and whether it is time to try again.
    pub(crate) fn standing_trouble(&self) -> Option<(StoreError, bool)> {
        self.inner.trouble.standing()
    }

    /// A write that needs more room than usual ones has succeeded.
    pub(crate) fn end_trouble(&self) {
        self.inner.trouble.end();
    }

    /// Returns why a write of the last minute failed, if the cause lies outside that write: a full disk, a database
    /// that cannot be reached.
    pub fn trouble(&self) -> Option<StoreError> {
        self.inner.trouble.last()
    }

    /// True where the database was opened to be read, since its folder cannot be written or its disk is full. Then
    /// nothing can be changed, no engine's place is taken, and an older schema is not brought up.
    pub fn is_read_only(&self) -> bool {
        matches!(self.inner.writer, Writer::Nowhere(_))
    }

    /// Why nothing can be written where the database was opened to be read.
    pub fn why_read_only(&self) -> Option<StoreError> {
        match &self.inner.writer {
            Writer::Nowhere(why) => Some(why.clone()),
            _ => None,
        }
    }

    /// Seals bytes for a purpose (a page token, a credential of a provider); only `unseal` under the same purpose opens
    /// them.
    pub fn seal(&self, purpose: &str, plain: &[u8]) -> Vec<u8> {
        self.inner.secret.seal(purpose, plain)
    }

    /// Opens what `seal` made; `None` for anything else.
    pub fn unseal(&self, purpose: &str, sealed: &[u8]) -> Option<Vec<u8>> {
        self.inner.secret.unseal(purpose, sealed)
    }

    /// Closes the reading connections; calls after it fail.
    pub async fn close(&self) {
        match &self.inner.pools {
            Pools::Sqlite(pool, _) => pool.close().await,
            Pools::Postgres(pool, _) => pool.close().await,
        }
    }

    /// Sets what people may ask of runs, for this process.
    pub fn set_limits(&self, limits: Limits) {
        *self.inner.limits.lock() = limits;
    }

    /// Says how long what is over is kept, from the next sweep on.
    pub fn set_retention(&self, retention: Retention) {
        *self.inner.retention.lock() = retention;
    }

    pub(crate) fn retention(&self) -> Retention {
        *self.inner.retention.lock()
    }

    pub(crate) fn limits(&self) -> Limits {
        *self.inner.limits.lock()
    }
}
