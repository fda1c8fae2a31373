//! Opening: a data folder or a PostgreSQL database becomes a `Store` with its secret and the newest schema.

use crate::db::failpoint::Failpoints;
use crate::db::folder;
use crate::db::migrations::{self, Migrated};
use crate::db::rows::named;
use crate::db::secret::Secret;
use crate::db::sql::Origin;
use crate::db::store::{Inner, Pools};
use crate::db::writer::{Writer, transaction};
use crate::{Result, Store, StoreError};
use ambit_model::Timestamp;
use sqlx::ConnectOptions as _;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::sqlite::{SqliteAutoVacuum, SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// How long a statement waits for another process's write on SQLite.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a call waits for a free connection.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(10);
/// Reading connections of a process on SQLite: each is a thread with a cache of its own.
const SQLITE_READERS_MAX: u32 = 4;
/// Page cache of the writing connection, in KiB: the pages that a commit of 500 records touches anywhere in a large
/// table.
const WRITER_CACHE_KIB: u32 = 16 * 1_024;
/// Page cache of each reading connection, in KiB.
const READER_CACHE_KIB: u32 = 1_024;
/// Pages (4 KiB) of the write-ahead log at which it is brought into the database: with SQLite's 1,000, hot pages are
/// written over and over.
const CHECKPOINT_PAGES: u32 = 8_000;
/// Connections of a process on PostgreSQL.
const POSTGRES_CONNECTIONS_MAX: u32 = 16;
/// Plans kept by a connection: our distinct statements, lists in ten lengths each and rows in nine.
const PLANS_MAX: usize = 512;
/// Rows that SQLite's thread reads ahead of whoever takes them: with a short queue the two threads wake each other
/// every few rows.
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
        Self { folder: Some(path.into()), ..Self::default() }
    }

    fn named(&self) -> String {
        match (&self.database, &self.folder) {
            (Some(_), _) => "the database".to_owned(),
            (None, Some(folder)) => folder.display().to_string(),
            (None, None) => "no place".to_owned(),
        }
    }

    fn secret_path(&self) -> Result<PathBuf> {
        let in_folder = self.folder.as_ref().map(|folder| folder.join(folder::SECRET));
        self.secret_file.clone().or(in_folder).ok_or_else(|| {
            StoreError::Invalid("no secret: give a data folder, or a secret file with AMBIT_SECRET_FILE".to_owned())
        })
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

impl Store {
    /// Opens what `init` made, bringing its schema up to date. Fails with `Uninitialised` where that did not happen,
    /// with `Lost` where its database is gone, with `NewerSchema` where a later version wrote it, and where the secret
    /// beside it is another one than that of the installation.
    pub async fn open(options: &Options) -> Result<Self> {
        Self::open_migrating(options).await.map(|(store, _)| store)
    }

    /// As `open`, and says what it did to the schema.
    pub async fn open_migrating(options: &Options) -> Result<(Self, Migrated)> {
        let (store, version) = Self::connect(options, false).await?;
        let migrated = store.migrate(version).await?;
        store.require_owner(options).await?;
        store.confirm_secret(options).await?;
        Ok((store, migrated))
    }

    /// Opens what `init` made and leaves its schema as it is: for a copy before a migration, and for a look. Of a
    /// schema that is not this program's (`is_newest`), nothing but `back_up` and `check` may be asked.
    pub async fn open_unmigrated(options: &Options) -> Result<(Self, Schema)> {
        let (store, version) = Self::connect(options, false).await?;
        if version == 0 {
            return Err(StoreError::Uninitialised(options.named()));
        }
        store.require_owner(options).await?;
        let newest = migrations::known();
        if version == newest {
            store.require_own_secret(options).await?;
        }
        Ok((store, Schema { version, newest }))
    }

    /// Takes the secret that is there as the installation's own, in place of one that is lost for good: keys and
    /// credentials that the lost one made or sealed open nothing any more.
    pub async fn accept_secret(options: &Options) -> Result<()> {
        let (store, version) = Self::connect(options, false).await?;
        store.migrate(version).await?;
        store.require_owner(options).await?;
        let mark = store.inner.secret.mark();
        transaction!(store, Person, async |tx| {
            tx.put("secret_mark", "one", &["mark"], named! { one: 1, mark: &mark[..] }).await
        })?;
        store.close().await;
        Ok(())
    }

    async fn require_owner(&self, options: &Options) -> Result<()> {
        if self.pools().has_owner().await? { Ok(()) } else { Err(StoreError::Uninitialised(options.named())) }
    }

    /// Refuses a secret that is not the one with which this installation was made; false where none was noted yet.
    /// With another one no key is known and no sealed credential can be opened.
    async fn require_own_secret(&self, options: &Options) -> Result<bool> {
        let noted: Option<Vec<u8>> = self.read().await?.read_first("SELECT mark FROM secret_mark", Vec::new()).await?;
        if noted.as_ref().is_none_or(|noted| noted[..] == self.inner.secret.mark()) {
            return Ok(noted.is_some());
        }
        Err(StoreError::Invalid(format!(
            "the secret {} belongs to another installation: restore the one that was kept with this database, or, if \
             it is lost for good, `ambit doctor --accept-secret`",
            options.secret_path()?.display()
        )))
    }

    /// Notes which secret belongs to this installation, the first time, and refuses any other from then on.
    pub(crate) async fn confirm_secret(&self, options: &Options) -> Result<()> {
        if self.require_own_secret(options).await? {
            return Ok(());
        }
        let mark = self.inner.secret.mark();
        transaction!(self, Person, async |tx| tx
            .insert_new("secret_mark", "one", named! { one: 1, mark: &mark[..] })
            .await)?;
        self.require_own_secret(options).await.map(|_| ())
    }

    /// Opens the database and the secret, and returns the version of the schema; 0 if there is none yet.
    pub(crate) async fn connect(options: &Options, create: bool) -> Result<(Self, i64)> {
        let failpoints = Arc::new(Failpoints::default());
        let uninitialised = || StoreError::Uninitialised(options.named());
        if let Some(folder) = &options.folder {
            if options.database.is_none() {
                folder::refuse_lost(folder, options.secret_file.is_none())?;
            }
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
            (None, Some(folder)) => sqlite_as_it_may(folder, create, &failpoints).await?,
            (None, None) => {
                return Err(StoreError::Invalid(
                    "no place for the data is given: give a data folder or a database".to_owned(),
                ));
            }
        };
        let version = migrations::version(&mut pools.begin_read().await?).await;
        let version = version.map_err(|error| error.in_place(&options.named()))?;
        let secret = if folder::has(&secret_path)? {
            Secret::read(&secret_path)?
        } else if version > 0 && pools.has_owner().await? {
            // Never a new one: every key and sealed credential would be lost for good.
            let path = secret_path.display();
            return Err(StoreError::Invalid(format!("the secret {path} is missing: restore it from the backup")));
        } else if create {
            Secret::read_or_create(&secret_path)?
        } else {
            return Err(uninitialised());
        };
        let folder = options.folder.clone().filter(|_| options.database.is_none());
        let store = Inner::new(pools, writer, secret, folder, failpoints);
        Ok((Self { inner: Arc::new(store) }, version))
    }

    /// Migrates the schema from a version, each migration in a transaction of its own. Other processes may do so at the
    /// same time.
    pub(crate) async fn migrate(&self, version: i64) -> Result<Migrated> {
        let (now, mut ran) = (wall_now(), Vec::new());
        while version < migrations::known() {
            let step = transaction!(self, Person, async |tx| migrations::step(tx, now).await)?;
            match step {
                Some(one) => ran.push(one),
                None => break,
            }
        }
        let version = migrations::known();
        Ok(Migrated { ran, version })
    }
}

/// The only reading of the clock in this crate: when a migration was applied, when a write was tried, and an engine's
/// first heartbeat.
pub(crate) fn wall_now() -> Timestamp {
    let elapsed = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(elapsed.as_millis()).unwrap_or(i64::MAX))
}

/// Opens a database to be written, or, where its folder or its disk takes nothing and nothing is to be made, to be
/// read: who looks what is the matter, or copies it to another disk, needs no room here.
async fn sqlite_as_it_may(folder: &Path, create: bool, failpoints: &Arc<Failpoints>) -> Result<(Pools, Writer)> {
    let database = folder.join(folder::DATABASE);
    if !create && !folder::is_writable(folder) {
        let why = "the folder or its file system".to_owned();
        let refusal = StoreError::ReadOnly { place: database.display().to_string(), why };
        return sqlite_read_only(&database, refusal).await;
    }
    match sqlite(&database, failpoints).await {
        Err(full @ StoreError::Full { .. }) if !create => sqlite_read_only(&database, full).await,
        opened => opened,
    }
}

async fn sqlite(path: &Path, failpoints: &Arc<Failpoints>) -> Result<(Pools, Writer)> {
    folder::create_private(path)?;
    let origin = Arc::new(Origin { named: path.display().to_string(), folder: path.parent().map(Path::to_owned) });
    let connection = SqliteConnectOptions::new()
        .filename(path)
        // These apply to a new database; an existing one keeps its own.
        .auto_vacuum(SqliteAutoVacuum::Incremental)
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

/// Opens a database where nothing can be written. Without a write-ahead log the file is all there is, and no file is
/// made beside it; with one, SQLite must find the index of that log too. Every write is answered with the refusal.
async fn sqlite_read_only(path: &Path, refusal: StoreError) -> Result<(Pools, Writer)> {
    let companion = |suffix: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        std::fs::metadata(name).map_or(0, |file| file.len())
    };
    let (log, log_index) = (companion("-wal"), companion("-shm"));
    if log > 0 && log_index == 0 {
        if matches!(refusal, StoreError::Full { .. }) {
            return Err(refusal);
        }
        return Err(StoreError::ReadOnly {
            place: path.display().to_string(),
            why: "its write-ahead log has changes that can only be applied in a writable folder; use a copy of the \
                  folder"
                .to_owned(),
        });
    }
    let origin = Arc::new(Origin { named: path.display().to_string(), folder: None });
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
    Ok((Pools::Sqlite(readers, origin), Writer::Nowhere(refusal)))
}

async fn postgres(url: &str, failpoints: &Arc<Failpoints>) -> Result<(Pools, Writer)> {
    let is_postgres = url.starts_with("postgres://") || url.starts_with("postgresql://");
    let read = if is_postgres { url.parse::<PgConnectOptions>().ok() } else { None };
    let connection = read.ok_or_else(|| {
        StoreError::Invalid("the database is not a URL such as postgres://user:password@host/name".to_owned())
    })?;
    let origin = Arc::new(Origin {
        named: format!("the database {} at {}", connection.get_database().unwrap_or_default(), connection.get_host()),
        folder: None,
    });
    let pool = PgPoolOptions::new()
        .max_connections(POSTGRES_CONNECTIONS_MAX)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .connect_with(connection.clone().statement_cache_capacity(PLANS_MAX).disable_statement_logging())
        .await;
    let pool = match pool {
        // The pool waited for a database that may be starting, and does not say what it waited for.
        Err(sqlx::Error::PoolTimedOut) => Err(connection.connect().await.err().unwrap_or(sqlx::Error::PoolTimedOut)),
        pool => pool,
    };
    let pool = pool.map_err(|error| origin.failed(error))?;
    let writer =
        Writer::Postgres { pool: pool.clone(), failpoints: Arc::clone(failpoints), origin: Arc::clone(&origin) };
    Ok((Pools::Postgres(pool, origin), writer))
}
