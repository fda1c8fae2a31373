//! Opening: a data folder or a PostgreSQL database becomes a `Store`; a fresh one gets its schema, its secret and its owner.

use crate::access::AccessCache;
use crate::failpoint::{FailAction, Failpoints};
use crate::migrations::Migrated;
use crate::secret::{self, Secret};
use crate::sql::{Origin, Tx, values};
use crate::writer::{Who, Writer};
use crate::{IssuedKey, Limits, StoreError, folder, keys, migrations, projects};
use ambit_model::Timestamp;
use futures::future::BoxFuture;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions as _, PgPool, SqlitePool};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use uuid::Uuid;

/// How long a statement waits for another process's write on SQLite.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a call waits for a free connection.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(10);
/// Reading connections of a process on SQLite: each is a thread with a cache of its own.
const SQLITE_READERS_MAX: u32 = 4;
/// Page cache of the writing connection, in KiB: the pages that a commit of 500 records touches anywhere in a large table.
const WRITER_CACHE_KIB: u32 = 16 * 1_024;
/// Page cache of each reading connection, in KiB.
const READER_CACHE_KIB: u32 = 1_024;
/// Pages (4 KiB) of the write-ahead log at which it is brought into the database: with SQLite's 1,000, hot pages are written over and over.
const CHECKPOINT_PAGES: u32 = 8_000;
/// Age at which a failure to write is doubted and a write is tried: readiness is asked for every few seconds, by anybody.
const TROUBLE_AGE: Duration = Duration::from_secs(1);
/// Connections of a process on PostgreSQL.
const POSTGRES_CONNECTIONS_MAX: u32 = 16;
/// Plans kept by a connection: our distinct statements, lists in ten lengths each and rows in nine.
const PLANS_MAX: usize = 512;
/// Rows that SQLite's thread reads ahead of whoever takes them: with a short queue the two threads wake each other every few rows.
const ROWS_AHEAD_MAX: usize = 1_024;

/// Where the data is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The data folder: the database unless `database` is given, and the secret unless `secret_file` is.
    pub folder: Option<PathBuf>,
    /// `postgres://…`.
    pub database: Option<String>,
    /// The master secret elsewhere (`AMBIT_SECRET_FILE`).
    pub secret_file: Option<PathBuf>,
}

impl Options {
    /// SQLite in a data folder.
    pub fn folder(path: impl Into<PathBuf>) -> Self {
        Self {
            folder: Some(path.into()),
            ..Self::default()
        }
    }

    fn named(&self) -> String {
        match (&self.database, &self.folder) {
            (Some(_), _) => "the database".to_owned(),
            (None, Some(folder)) => folder.display().to_string(),
            (None, None) => "no place".to_owned(),
        }
    }

    fn secret_path(&self) -> Result<PathBuf, StoreError> {
        let in_folder = self.folder.as_ref().map(|folder| folder.join(secret::FILE_NAME));
        self.secret_file
            .clone()
            .or(in_folder)
            .ok_or_else(|| StoreError::Invalid("no secret: give a data folder, or a secret file with AMBIT_SECRET_FILE".to_owned()))
    }
}

/// The schema that a database has, beside the newest that this program knows; each is the UTC minute of a migration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schema {
    pub version: i64,
    pub newest: i64,
}

impl Schema {
    /// Nothing is to be migrated.
    pub fn is_newest(self) -> bool {
        self.version == self.newest
    }
}

/// Whom a fresh installation belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewOwner {
    pub email: String,
    pub organization: String,
    /// Default: the part of the address before the @.
    pub username: Option<String>,
}

/// An open installation; cheap to clone. The last clone dropped ends the writing task after what it was given.
#[derive(Clone)]
pub struct Store {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pools: Pools,
    pub(crate) writer: Writer,
    pub(crate) secret: Secret,
    pub(crate) folder: Option<PathBuf>,
    pub(crate) access: AccessCache,
    pub(crate) failpoints: Arc<Failpoints>,
    trouble: Trouble,
    pub(crate) limits: Mutex<Limits>,
}

/// What the last write failed of, where that is no matter of the write itself.
#[derive(Default)]
struct Trouble(Mutex<Option<(StoreError, Instant)>>);

impl Trouble {
    fn note(&self, error: Option<&StoreError>) {
        let mut last = self.0.lock().expect("nobody panics while holding it");
        match error {
            None => *last = None,
            Some(error) if error.is_of_place() => *last = Some((error.clone(), Instant::now())),
            Some(_) => {}
        }
    }

    fn last(&self) -> Option<StoreError> {
        let last = self.0.lock().expect("nobody panics while holding it");
        last.as_ref().map(|(error, _)| error.clone())
    }

    /// The failure, and whether it is time to try again.
    fn standing(&self) -> Option<(StoreError, bool)> {
        let mut last = self.0.lock().expect("nobody panics while holding it");
        let (error, at) = last.as_mut()?;
        let is_due = at.elapsed() >= TROUBLE_AGE;
        if is_due {
            *at = Instant::now();
        }
        Some((error.clone(), is_due))
    }
}

pub(crate) enum Pools {
    Sqlite(SqlitePool, Arc<Origin>),
    Postgres(PgPool, Arc<Origin>),
}

impl Pools {
    async fn begin_read(&self) -> Result<Tx, StoreError> {
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
    async fn has_owner(&self) -> Result<bool, StoreError> {
        let mut tx = self.begin_read().await?;
        Ok(tx.row("SELECT id FROM organizations", Vec::new()).await?.is_some())
    }
}

impl Store {
    /// Opens what `init` made, bringing its schema up to date.
    pub async fn open(options: &Options) -> Result<Self, StoreError> {
        Self::open_migrating(options).await.map(|(store, _)| store)
    }

    /// As `open`, and says what it did to the schema.
    pub async fn open_migrating(options: &Options) -> Result<(Self, Migrated), StoreError> {
        let (store, version) = Self::connect(options, false).await?;
        let migrated = store.migrate(version).await?;
        store.require_owner(options).await?;
        Ok((store, migrated))
    }

    /// Opens what `init` made and leaves its schema as it is: for a copy before a migration, and for a look. Of a schema that is not this program's
    /// (`is_newest`), nothing but `back_up` and `check` may be asked.
    pub async fn open_unmigrated(options: &Options) -> Result<(Self, Schema), StoreError> {
        let (store, version) = Self::connect(options, false).await?;
        if version == 0 {
            return Err(StoreError::Uninitialised(options.named()));
        }
        store.require_owner(options).await?;
        let newest = migrations::known();
        Ok((store, Schema { version, newest }))
    }

    async fn require_owner(&self, options: &Options) -> Result<(), StoreError> {
        if self.inner.pools.has_owner().await? {
            Ok(())
        } else {
            Err(StoreError::Uninitialised(options.named()))
        }
    }

    /// Makes a fresh installation with its owner, or completes one whose making was cut off; the owner's first key is given once.
    /// `None`: it was complete already.
    pub async fn init(options: &Options, owner: &NewOwner, now: Timestamp) -> Result<(Self, Option<IssuedKey>), StoreError> {
        let (store, version) = Self::connect(options, true).await?;
        store.migrate(version).await?;
        let (owner, key) = (owner.clone(), keys::Draft::new(&store.inner.secret, "owner"));
        let issued = store
            .write(Who::Person, move |tx| Box::pin(async move { insert_owner(tx, &owner, key, now).await }))
            .await?;
        Ok((store, issued))
    }

    /// Opens the database and the secret, and says which schema the database has; 0: none yet.
    async fn connect(options: &Options, create: bool) -> Result<(Self, i64), StoreError> {
        let failpoints = Arc::new(Failpoints::default());
        let uninitialised = || StoreError::Uninitialised(options.named());
        if let Some(folder) = &options.folder {
            if create {
                folder::create(folder)?;
                folder::create_index(folder)?;
            } else if options.database.is_none() && !folder::has(&folder.join(folder::DATABASE))? {
                return Err(uninitialised());
            }
        }
        let secret_path = options.secret_path()?;
        let (pools, writer) = match (&options.database, &options.folder) {
            (Some(url), _) => postgres(url, &failpoints).await?,
            (None, Some(folder)) if !create && !folder::is_writable(folder) => sqlite_read_only(&folder.join(folder::DATABASE)).await?,
            (None, Some(folder)) => sqlite(&folder.join(folder::DATABASE), &failpoints).await?,
            (None, None) => return Err(StoreError::Invalid("no place for the data: give a data folder or a database".to_owned())),
        };
        let version = migrations::version(&mut pools.begin_read().await?).await;
        let version = version.map_err(|error| error.in_place(&options.named()))?;
        let secret = if folder::has(&secret_path)? {
            Secret::read(&secret_path)?
        } else if version > 0 && pools.has_owner().await? {
            // Never a new one: every key and sealed credential would be lost for good.
            let path = secret_path.display();
            return Err(StoreError::Invalid(format!(
                "the secret {path} is missing: bring it back from the backup"
            )));
        } else if create {
            Secret::read_or_create(&secret_path)?
        } else {
            return Err(uninitialised());
        };
        let folder = options.folder.clone().filter(|_| options.database.is_none());
        let inner = Inner {
            pools,
            writer,
            secret,
            folder,
            access: AccessCache::default(),
            failpoints,
            trouble: Trouble::default(),
            limits: Mutex::default(),
        };
        Ok((Self { inner: Arc::new(inner) }, version))
    }

    /// Brings the schema up from a version, each migration in a transaction of its own; other processes may do the same beside.
    async fn migrate(&self, version: i64) -> Result<Migrated, StoreError> {
        let (now, mut ran) = (wall_now(), Vec::new());
        while version < migrations::known() {
            let step = self.write(Who::Person, move |tx| Box::pin(async move { migrations::step(tx, now).await }));
            match step.await? {
                Some(one) => ran.push(one),
                None => break,
            }
        }
        let version = migrations::known();
        Ok(Migrated { ran, version })
    }

    pub(crate) fn pools(&self) -> &Pools {
        &self.inner.pools
    }

    /// A consistent view of everything committed so far.
    pub(crate) async fn read(&self) -> Result<Tx, StoreError> {
        self.inner.pools.begin_read().await
    }

    /// Runs `body` in a transaction; answers when that is durable.
    pub(crate) async fn write<T, F>(&self, who: Who, body: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, StoreError>> + Send + 'static,
    {
        let written = self.inner.writer.write(who, body).await;
        self.inner.trouble.note(written.as_ref().err());
        written
    }

    /// Whether requests can be answered: the database can be read, and the last write did not fail for want of room, right or health. Where it did, a
    /// small write is tried here, at most once a second, so that an installation which nobody writes to is seen to be well again.
    ///
    /// # Errors
    /// `Full`, `ReadOnly`, `Damaged` or `Unavailable`, with the file or database.
    pub async fn ready(&self) -> Result<(), StoreError> {
        self.last_revision().await?;
        let Some((error, is_due)) = self.inner.trouble.standing() else {
            return Ok(());
        };
        if !is_due {
            return Err(error);
        }
        let sql = "UPDATE revision SET stamp = stamp WHERE one = 1";
        self.write(Who::Engine, move |tx| Box::pin(async move { tx.run(sql, Vec::new()).await.map(|_| ()) }))
            .await
    }

    /// What the last write failed of, where that is no matter of the write itself: a full disk, a database that is away.
    pub fn trouble(&self) -> Option<StoreError> {
        self.inner.trouble.last()
    }

    /// True where the database was opened to be read, since its folder cannot be written. Then nothing can be changed, no engine's place is taken, and an
    /// older schema is not brought up.
    pub fn is_read_only(&self) -> bool {
        matches!(self.inner.writer, Writer::Nowhere(_))
    }

    /// Seals bytes for a purpose (a page token, a credential of a provider); only `unseal` under the same purpose opens them.
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

    /// For tests of a full disk: the SQLite database grows to so many pages of 4 KiB at most.
    #[doc(hidden)]
    pub async fn limit_pages(&self, pages: i64) -> Result<(), StoreError> {
        let sql = format!("PRAGMA max_page_count = {pages}");
        self.write(Who::Person, move |tx| {
            Box::pin(async move { tx.rows(&sql, Vec::new()).await.map(|_| ()) })
        })
        .await
    }

    /// For crash tests: the `edge`-th transaction edge from now fails, or ends the process. 0 disarms.
    #[doc(hidden)]
    pub fn arm_failpoint(&self, edge: i64, action: FailAction) {
        self.inner.failpoints.arm(edge, action);
    }
}

/// The only reading of the clock in this crate: when a migration was applied, and an engine's first heartbeat.
pub(crate) fn wall_now() -> Timestamp {
    let elapsed = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(elapsed.as_millis()).unwrap_or(i64::MAX))
}

async fn sqlite(path: &Path, failpoints: &Arc<Failpoints>) -> Result<(Pools, Writer), StoreError> {
    folder::create_private(path)?;
    let origin = Arc::new(Origin {
        named: path.display().to_string(),
        folder: path.parent().map(Path::to_owned),
    });
    let connection = SqliteConnectOptions::new()
        .filename(path)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(BUSY_TIMEOUT)
        .statement_cache_capacity(PLANS_MAX)
        .row_buffer_size(ROWS_AHEAD_MAX)
        .pragma("wal_autocheckpoint", CHECKPOINT_PAGES.to_string())
        .pragma("temp_store", "memory")
        .foreign_keys(false)
        .disable_statement_logging();
    let writer = SqlitePoolOptions::new()
        .max_connections(1)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .idle_timeout(None)
        .max_lifetime(None)
        .connect_with(connection.clone().pragma("cache_size", format!("-{WRITER_CACHE_KIB}")))
        .await
        .map_err(|error| origin.failed(error))?;
    let readers = SqlitePoolOptions::new()
        .max_connections(SQLITE_READERS_MAX)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .connect_lazy_with(connection.pragma("cache_size", format!("-{READER_CACHE_KIB}")));
    let writer = Writer::sqlite(writer, Arc::clone(failpoints), Arc::clone(&origin));
    Ok((Pools::Sqlite(readers, origin), writer))
}

/// Opens a database where nothing can be written. Without a write-ahead log the file is all there is, and no file is made beside it; with one, SQLite must
/// find the index of that log too.
async fn sqlite_read_only(path: &Path) -> Result<(Pools, Writer), StoreError> {
    let companion = |suffix: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        std::fs::metadata(name).map_or(0, |file| file.len())
    };
    let (log, log_index) = (companion("-wal"), companion("-shm"));
    if log > 0 && log_index == 0 {
        return Err(StoreError::ReadOnly {
            place: path.display().to_string(),
            why: "it has changes in its write-ahead log that only a folder that can be written takes in; look at a copy of the folder".to_owned(),
        });
    }
    let origin = Arc::new(Origin {
        named: path.display().to_string(),
        folder: None,
    });
    let connection = SqliteConnectOptions::new()
        .filename(path)
        .read_only(true)
        .immutable(log == 0)
        .statement_cache_capacity(PLANS_MAX)
        .row_buffer_size(ROWS_AHEAD_MAX)
        .pragma("temp_store", "memory")
        .foreign_keys(false)
        .disable_statement_logging();
    let readers = SqlitePoolOptions::new()
        .max_connections(SQLITE_READERS_MAX)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .connect_lazy_with(connection.pragma("cache_size", format!("-{READER_CACHE_KIB}")));
    Ok((Pools::Sqlite(readers, Arc::clone(&origin)), Writer::Nowhere(origin)))
}

async fn postgres(url: &str, failpoints: &Arc<Failpoints>) -> Result<(Pools, Writer), StoreError> {
    let connection: PgConnectOptions = url
        .parse()
        .map_err(|_| StoreError::Invalid("the database is no URL such as postgres://user:password@host/name".to_owned()))?;
    let origin = Arc::new(Origin {
        named: format!(
            "the database {} at {}",
            connection.get_database().unwrap_or_default(),
            connection.get_host()
        ),
        folder: None,
    });
    let pool = PgPoolOptions::new()
        .max_connections(POSTGRES_CONNECTIONS_MAX)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .connect_with(connection.statement_cache_capacity(PLANS_MAX).disable_statement_logging())
        .await
        .map_err(|error| origin.failed(error))?;
    let writer = Writer::Postgres {
        pool: pool.clone(),
        failpoints: Arc::clone(failpoints),
        origin: Arc::clone(&origin),
    };
    Ok((Pools::Postgres(pool, origin), writer))
}

/// Organisation, owner, primary project and first key, in one transaction: all there or none.
async fn insert_owner(tx: &mut Tx, owner: &NewOwner, key: keys::Draft, now: Timestamp) -> Result<Option<IssuedKey>, StoreError> {
    if tx.is_postgres() {
        tx.run("LOCK TABLE organizations IN EXCLUSIVE MODE", Vec::new()).await?;
    }
    if tx.row("SELECT id FROM organizations", Vec::new()).await?.is_some() {
        return Ok(None);
    }
    let organization: i64 = tx
        .one(
            "INSERT INTO organizations (uuid, name, created_at) VALUES ($1, $2, $3) RETURNING id",
            values![Uuid::new_v4(), &owner.organization, now],
        )
        .await?
        .get(0)?;
    let user = crate::people::insert_user(tx, &owner.email, owner.username.as_deref(), true, now).await?;
    crate::people::favour_owner(tx, user.id).await?;
    projects::insert(tx, organization, &owner.organization, user.id, now).await?;
    key.insert(tx, user.id, keys::Origin::default(), now).await.map(Some)
}
