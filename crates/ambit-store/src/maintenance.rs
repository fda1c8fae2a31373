//! Looking after an installation: is its database whole, a copy of everything while it is in use, and sweeping what
//! nobody needs any more.

pub(crate) mod kept;
pub(crate) mod retention;

use crate::db::folder::{self, DATABASE, SECRET};
use crate::db::migrations::known;
use crate::db::secret::Secret;
use crate::db::sql::{Origin, SWEPT_ROWS_MAX, Tx, values};
use crate::db::store::Pools;
use crate::db::writer::transaction;
use crate::inventory::{blobs, milestones};
use crate::notifications::outbox;
use crate::wider::{archives, specimens, usage};
use crate::{Result, Store, StoreError};
use ambit_model::Timestamp;
use ambit_model::moment::DAY_MS;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, Row as _, SqlitePool};
use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;

/// What a SQLite database begins with, and the bytes of its header.
const MAGIC: &[u8] = b"SQLite format 3\0";
const HEADER_BYTES: usize = 100;
/// What a backup is called while it is written.
const DRAFT: &str = ".ambit.db.backup";
/// Rows that only say "seen again" live this long, in milliseconds.
const SEEN_ROWS_MS: i64 = 7 * DAY_MS;
/// One page in so many stays free in a SQLite database, and its size is a multiple of so many pages (1 MiB): what grows
/// and shrinks a little need not move pages.
const FREE_SHARE: i64 = 32;
const STEP_PAGES: i64 = 256;
/// Free pages that one transaction gives back at most: each may move another page of 4 KiB.
const GIVEN_BACK_MAX: i64 = 2_000;

impl Store {
    /// What is wrong with the database, in its own words; empty: nothing was found. PostgreSQL looks after itself.
    pub async fn check(&self) -> Result<Vec<String>> {
        let Pools::Sqlite(pool, origin) = self.pools() else {
            return Ok(Vec::new());
        };
        let rows = sqlx::query("PRAGMA quick_check").fetch_all(pool).await;
        let rows = match rows.map_err(|error| origin.failed(error)) {
            Err(StoreError::Damaged { why, .. } | StoreError::Bug(why)) => return Ok(vec![why]),
            rows => rows?,
        };
        let texts = rows.iter().map(|row| row.try_get::<String, _>(0)).collect::<Result<Vec<_>, _>>()?;
        Ok(texts.into_iter().filter(|text| text != "ok").collect())
    }

    /// Copies database and secret into a new folder, as they are at one moment, while others read and write. What is in
    /// the folder is a data folder: whoever has it has everything. Fails with `Invalid` for a PostgreSQL database, and
    /// for a folder that holds an installation already.
    pub async fn back_up(&self, target: &Path) -> Result<()> {
        let Pools::Sqlite(pool, origin) = self.pools() else {
            let remedy = "keep pg_dump's copy of it, and the secret's file beside that";
            return Err(StoreError::Invalid(format!("a PostgreSQL database is backed up by its own tools: {remedy}")));
        };
        refuse_used(target, &self.inner.secret)?;
        folder::create(target)?;
        // Drafts of backups that were killed; one that goes on at this moment fails where it lost its own.
        remove_drafts(target)?;
        let draft = target.join(format!("{DRAFT}.{:016x}", rand::random::<u64>()));
        let copied = self.copy_into(pool, origin, target, &draft).await;
        if copied.is_err() {
            // Half a copy is none, and the next one must find room. What cannot be removed is named by that.
            remove_drafts(target).ok();
        }
        copied
    }

    /// The copy gets its name when it is whole: a kill before that leaves nothing that looks like a backup.
    async fn copy_into(&self, pool: &SqlitePool, origin: &Origin, target: &Path, draft: &Path) -> Result<()> {
        // SQLite writes into an empty file that is there, which keeps its mode.
        folder::create_private(draft)?;
        let name =
            draft.to_str().ok_or_else(|| StoreError::Invalid(format!("{}: the path is not UTF-8", draft.display())))?;
        let copied = sqlx::query("VACUUM INTO ?1").bind(name).execute(pool).await;
        // Only the copy is written: where there is no room it is the target's disk that has none.
        copied.map_err(|error| {
            let (error, place) = (StoreError::from(error), format!("the backup {}", target.display()));
            let is_of_copy = matches!(error, StoreError::Full { .. } | StoreError::ReadOnly { .. });
            match folder::why_not_written(target) {
                _ if is_of_copy => error.in_place(&place),
                Some(why) if matches!(error, StoreError::Unavailable(_)) => why.in_place(&place),
                _ => error.in_place(&origin.named),
            }
        })?;
        File::open(draft)?.sync_all()?;
        place(target, &self.inner.secret, draft)
    }

    /// Sweeps what is over for longer than it is kept, unreferenced blobs, old `seen` rows of the feed and the rows of
    /// deleted collections, gives the room that a run needed for its work back to the disk, and brings the write-ahead
    /// log into the database. To be called every few minutes or after a run; each call removes a bounded number of rows
    /// in each of its transactions and goes on until nothing is left.
    pub async fn tidy(&self, now: Timestamp) -> Result<()> {
        for sweep in SWEEPS {
            while transaction!(self, Engine, async |tx| sweep.sweep(tx).await)? {}
        }
        let retention = self.retention();
        while transaction!(self, Engine, async |tx| retention::sweep(tx, retention, now).await)? {}
        while transaction!(self, Engine, async |tx| archives::sweep(tx, now).await)? {}
        while transaction!(self, Engine, async |tx| blobs::sweep(tx, now).await)? {}
        transaction!(self, Engine, async |tx| milestones::sweep(tx, now.0 - SEEN_ROWS_MS).await)?;
        while transaction!(self, Engine, async |tx| sweep_seen(tx, now).await)? {}
        while transaction!(self, Engine, async |tx| specimens::sweep(tx).await)? {}
        while transaction!(self, Engine, async |tx| usage::sweep(tx, now).await)? {}
        while transaction!(self, Engine, async |tx| outbox::sweep(tx, now).await)? {}
        while transaction!(self, Engine, async |tx| give_back(tx).await)? {}
        if let Pools::Sqlite(pool, origin) = self.pools() {
            // Waits for nobody: what is read or written meanwhile stays in the log.
            let done = sqlx::query("PRAGMA wal_checkpoint(PASSIVE)").execute(pool).await;
            done.map_err(|error| origin.failed(error))?;
        }
        Ok(())
    }
}

/// Gives free pages of a SQLite database back to the disk, but for a share of them; true where more are left. A
/// database of before 2026-11-23 was not made for it and keeps them for later use.
async fn give_back(tx: &mut Tx) -> Result<bool> {
    if tx.is_postgres() {
        return Ok(false);
    }
    let pages: i64 = tx.read_one("PRAGMA page_count", Vec::new()).await?;
    let free: i64 = tx.read_one("PRAGMA freelist_count", Vec::new()).await?;
    let used = pages - free;
    let surplus = pages - (used + used / FREE_SHARE + STEP_PAGES - 1) / STEP_PAGES * STEP_PAGES;
    let made_for_it: i64 = tx.read_one("PRAGMA auto_vacuum", Vec::new()).await?;
    if surplus <= 0 || made_for_it == 0 {
        return Ok(false);
    }
    let given = surplus.min(GIVEN_BACK_MAX);
    tx.run(&format!("PRAGMA incremental_vacuum({given})"), Vec::new()).await?;
    Ok(surplus > given)
}

/// Removes the rows of deleted collections, noun by noun.
struct Sweep {
    /// Selects the keys.
    select: &'static str,
    /// From where they are removed; from the table of `select` last.
    deletes: &'static [&'static str],
}

const SWEEPS: &[Sweep] = &[
    Sweep {
        select: "SELECT d.uid FROM dirty d WHERE d.collection_id IN (SELECT id FROM collections WHERE deleted_at IS \
                 NOT NULL)",
        deletes: &["DELETE FROM dirty WHERE collection_id IN (SELECT id FROM collections WHERE deleted_at IS NOT \
                    NULL) AND uid IN"],
    },
    Sweep {
        select: "SELECT e.uid FROM entities e WHERE e.collection_id IN (SELECT id FROM collections WHERE deleted_at \
                 IS NOT NULL)",
        deletes: &[
            "DELETE FROM looks WHERE uid IN",
            "DELETE FROM imported WHERE uid IN",
            "DELETE FROM intervals WHERE uid IN",
            "DELETE FROM evidence WHERE uid IN",
            "DELETE FROM edges WHERE from_uid IN",
            "DELETE FROM sightings WHERE uid IN",
            "DELETE FROM versions WHERE noun = 'entity' AND uid IN",
            "DELETE FROM entity_technologies WHERE entity_uid IN",
            "DELETE FROM entity_vulns WHERE uid IN",
            "DELETE FROM notes WHERE item_uid IN",
            "DELETE FROM entities WHERE uid IN",
        ],
    },
    Sweep {
        select: "SELECT i.uid FROM issues i WHERE i.collection_id IN (SELECT id FROM collections WHERE deleted_at IS \
                 NOT NULL)",
        deletes: &[
            "DELETE FROM sightings WHERE uid IN",
            "DELETE FROM versions WHERE noun = 'issue' AND uid IN",
            "DELETE FROM notes WHERE item_uid IN",
            "DELETE FROM issues WHERE uid IN",
        ],
    },
    Sweep {
        select: "SELECT t.uid FROM technologies t WHERE t.collection_id IN (SELECT id FROM collections WHERE \
                 deleted_at IS NOT NULL)",
        deletes: &[
            "DELETE FROM sightings WHERE uid IN",
            "DELETE FROM versions WHERE noun = 'technology' AND uid IN",
            "DELETE FROM technologies WHERE uid IN",
        ],
    },
];

impl Sweep {
    /// True when there may be more.
    async fn sweep(&self, tx: &mut Tx) -> Result<bool> {
        let sql = format!("{} LIMIT {SWEPT_ROWS_MAX}", self.select);
        let keys: Vec<Vec<u8>> = tx.read_all(&sql, Vec::new()).await?;
        for delete in self.deletes {
            tx.run_in(delete, Vec::new(), &keys, "").await?;
        }
        Ok(!keys.is_empty())
    }
}

/// Old rows that only say "seen again"; true when there may be more.
async fn sweep_seen(tx: &mut Tx, now: Timestamp) -> Result<bool> {
    let sql = format!(
        "DELETE FROM feed WHERE revision IN (SELECT revision FROM feed WHERE what = 'seen' AND at < $1 LIMIT \
         {SWEPT_ROWS_MAX})"
    );
    Ok(tx.run(&sql, values![now.0 - SEEN_ROWS_MS]).await? > 0)
}

fn remove_drafts(target: &Path) -> Result<()> {
    for entry in fs::read_dir(target)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(DRAFT) {
            fs::remove_file(entry.path()).or_else(missing_is_fine)?;
        }
    }
    Ok(())
}

/// Makes a data folder of a backup, once that has proved to be whole. The database comes last, in one step: a folder
/// without one is no installation. Fails with `Damaged` where the backup is not whole, and with `Invalid` where it is
/// none, its secret belongs to another installation, or the target holds one already.
pub async fn restore(backup: &Path, target: &Path) -> Result<()> {
    let (secret, database) = (backup.join(SECRET), backup.join(DATABASE));
    if !folder::has(&database)? || !database.is_file() {
        return Err(StoreError::Invalid(format!("{} is no backup: it has no {DATABASE}", backup.display())));
    }
    refuse_log(backup)?;
    refuse_partial(&database)?;
    let secret = Secret::read(&secret)?;
    refuse_used(target, &secret)?;
    folder::create(target)?;
    let draft = target.join(format!(".{DATABASE}.restored"));
    folder::create_private(&draft)?;
    fs::copy(&database, &draft)?;
    if let Err(error) = whole(&draft, &secret).await {
        // Nothing of it is an installation; the folder itself may have been there.
        fs::remove_file(&draft)?;
        return Err(error.in_place(&database.display().to_string()));
    }
    File::open(&draft)?.sync_all()?;
    place(target, &secret, &draft)
}

/// Puts the secret and then the finished database in their places, each in one step. A kill between the two leaves the
/// secret alone, which is neither an installation nor a backup, and over which the next try goes on.
fn place(target: &Path, secret: &Secret, draft: &Path) -> Result<()> {
    let path = target.join(SECRET);
    if !folder::has(&path)? {
        let half = draft.with_extension(SECRET);
        fs::remove_file(&half).or_else(missing_is_fine)?;
        secret.save(&half)?;
        fs::rename(&half, &path)?;
    }
    let database = target.join(DATABASE);
    // What a lost database of this place left would be read as changes of this one.
    for end in ["-wal", "-shm"] {
        fs::remove_file(target.join(format!("{DATABASE}{end}"))).or_else(missing_is_fine)?;
    }
    fs::rename(draft, database)?;
    File::open(target)?.sync_all()?;
    Ok(())
}

fn missing_is_fine(error: std::io::Error) -> std::io::Result<()> {
    if error.kind() == std::io::ErrorKind::NotFound { Ok(()) } else { Err(error) }
}

/// Refuses a data folder that is in use, or whose program was killed: its newest changes stand in the log beside the
/// database, and a copy of the database alone would lose them.
fn refuse_log(backup: &Path) -> Result<()> {
    let log = backup.join(format!("{DATABASE}-wal"));
    if !folder::has(&log)? || fs::metadata(&log)?.len() == 0 {
        return Ok(());
    }
    Err(StoreError::Invalid(format!(
        "{} is no backup: {} holds changes that are not in {DATABASE} yet; `ambit backup FOLDER --data {}` makes a \
         backup of it",
        backup.display(),
        log.display(),
        backup.display()
    )))
}

/// Refuses a file that is no database, and one that ends before the database does: a copy that was cut off.
fn refuse_partial(database: &Path) -> Result<()> {
    let damaged = |why: String| Err(StoreError::Damaged { place: database.display().to_string(), why });
    let mut header = Vec::new();
    let mut file = File::open(database)?;
    let size = file.metadata()?.len();
    file.by_ref().take(HEADER_BYTES as u64).read_to_end(&mut header)?;
    if header.is_empty() {
        return damaged("it is empty".to_owned());
    }
    if header.len() < HEADER_BYTES || !header.starts_with(MAGIC) {
        return damaged("it is no database".to_owned());
    }
    // The size of a page, of which 1 says 65,536, and the number of pages, as SQLite writes them (file format §1.3).
    let page = match u64::from(u16::from_be_bytes([header[16], header[17]])) {
        1 => 65_536,
        size => size,
    };
    let pages = u64::from(u32::from_be_bytes([header[28], header[29], header[30], header[31]]));
    if size < page * pages {
        return damaged(format!("it has {size} of {} bytes: the copy was cut off", page * pages));
    }
    Ok(())
}

/// Whether a file holds a whole installation that this program can read, and one that this secret belongs to.
async fn whole(database: &Path, secret: &Secret) -> Result<()> {
    let options = SqliteConnectOptions::new().filename(database).read_only(true).immutable(true);
    let damaged = |why: String| StoreError::Damaged { place: String::new(), why };
    let mut connection = options.connect().await?;
    let rows = sqlx::query("PRAGMA quick_check(1)").fetch_all(&mut connection).await?;
    let said = rows.first().map(|row| row.try_get::<String, _>(0)).transpose()?.unwrap_or_default();
    if said != "ok" {
        return Err(damaged(said));
    }
    let tables =
        "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name IN ('schema_versions', 'organizations')";
    let tables: i64 = sqlx::query_scalar(tables).fetch_one(&mut connection).await?;
    if tables < 2 {
        return Err(damaged("it holds no installation".to_owned()));
    }
    let version = "SELECT COALESCE(MAX(version), 0) FROM schema_versions";
    let found: i64 = sqlx::query_scalar(version).fetch_one(&mut connection).await?;
    if found > known() {
        return Err(StoreError::NewerSchema { place: String::new(), found, known: known() });
    }
    // A copy of a time before marks has none.
    let marks = sqlx::query("SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'secret_mark'");
    if marks.fetch_optional(&mut connection).await?.is_some() {
        let mark = sqlx::query_scalar("SELECT mark FROM secret_mark").fetch_optional(&mut connection).await?;
        if mark.is_some_and(|mark: Vec<u8>| mark[..] != secret.mark()) {
            return Err(StoreError::Invalid(format!(
                "the {SECRET} beside {DATABASE} belongs to another installation: give the one that was kept with it"
            )));
        }
    }
    connection.close().await?;
    Ok(())
}

/// Refuses a folder with an installation. An empty database is none, and neither is this secret alone: a restore or a
/// backup that was killed leaves that, and so does an installation whose database was lost.
fn refuse_used(target: &Path, secret: &Secret) -> Result<()> {
    let used = |path: &Path| {
        Err(StoreError::Invalid(format!(
            "{} is there already: choose a folder without an installation",
            path.display()
        )))
    };
    let (database, own) = (target.join(DATABASE), target.join(SECRET));
    if folder::has(&database)? && fs::metadata(&database)?.len() > 0 {
        return used(&database);
    }
    if folder::has(&own)? && Secret::read(&own)?.mark() != secret.mark() {
        return used(&own);
    }
    Ok(())
}
