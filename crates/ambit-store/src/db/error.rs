//! What can go wrong in the store, as its callers must tell it apart.

/// The result of what may fail as the store does, where it names no other error.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;

/// Why a call of the store failed. `Display` is one line and holds nothing that an unauthorised caller may not see.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// It does not exist, or the caller may not know that it exists.
    #[error("not found")]
    NotFound,
    /// The key is right, but its user is suspended.
    #[error("the account is not active")]
    NotActive,
    /// The caller may see it, but not do this to it.
    #[error("not allowed: {0}")]
    Forbidden(String),
    /// A quota of the caller or of the caller's group has no room for it; nothing was charged.
    #[error("quota exceeded")]
    QuotaExceeded {
        /// Until a window ends that frees it; `None`: no window does.
        retry_after_s: Option<u32>,
    },
    /// The caller has as many of something as one may have at a time; later there is room again.
    #[error("{0}")]
    TooMany(String),
    /// Something of that name is there already.
    #[error("conflict: {0}")]
    Exists(String),
    /// What is to change is in another state than the change needs.
    #[error("conflict: {0}")]
    Conflict(String),
    /// The request itself makes no sense.
    #[error("{0}")]
    Invalid(String),
    /// The data folder or database has no owner yet.
    #[error("{0} holds no data yet: `ambit scan DOMAIN` looks at something of yours, `ambit init` prepares a server")]
    Uninitialised(String),
    /// The database of an installation is gone, while other parts of it are there: never to be replaced by an empty
    /// one.
    #[error(
        "{database} {state}, but {beside} beside it says that there was an installation: restore a backup with `ambit \
         restore`, or remove the rest of the folder for a new installation"
    )]
    Lost { database: String, state: &'static str, beside: &'static str },
    /// A later version of the program wrote this data.
    #[error(
        "{place}: the data was written by a newer version of ambit (schema {found}, this program knows {known}): use \
         that version"
    )]
    NewerSchema { place: String, found: i64, known: i64 },
    /// Another process has the engine's place.
    #[error("the engine of this data folder is held by {holder}: stop it, or use its API")]
    Busy { holder: String },
    /// The disk of a file, or the database's quota, is full; nothing of the call was stored.
    #[error("{place}: the disk is full: what was confirmed before is safe; free some space and try again")]
    Full { place: String },
    /// The file or database can be read and not written; nothing of the call was stored.
    #[error("{place} is read-only ({why}): changes wait until it can be written")]
    ReadOnly { place: String, why: String },
    /// The database's file holds what no database writes: its disk lost or changed bytes, or it is another file.
    #[error("{place} is damaged: {why}; `ambit doctor` says more, `ambit restore` makes a folder of a backup")]
    Damaged { place: String, why: String },
    /// The database did not answer or refused for now; nothing of the call was stored.
    #[error("the database is not available: {0}")]
    Unavailable(String),
    /// A statement or stored value that must not be; please report it.
    #[error("unexpected in the store: {0}")]
    Bug(String),
}

impl StoreError {
    /// Returns true if the disk or the database failed rather than the call, so that the next call fails in the same
    /// way.
    pub(crate) fn is_of_place(&self) -> bool {
        matches!(
            self,
            Self::Full { .. } | Self::ReadOnly { .. } | Self::Damaged { .. } | Self::Lost { .. } | Self::Unavailable(_)
        )
    }

    /// Names the file or database that is meant, where the failure says one and does not name it yet.
    pub(crate) fn in_place(mut self, named: &str) -> Self {
        match &mut self {
            Self::NewerSchema { place, .. } => named.clone_into(place),
            Self::Full { place } | Self::ReadOnly { place, .. } | Self::Damaged { place, .. } if place.is_empty() => {
                named.clone_into(place)
            }
            Self::Unavailable(why) if !why.contains(named) => *why = format!("{named}: {why}"),
            _ => {}
        }
        self
    }
}

/// SQLite's primary result codes (the low byte of an extended one).
const SQLITE_BUSY: i64 = 5;
const SQLITE_LOCKED: i64 = 6;
const SQLITE_READONLY: i64 = 8;
const SQLITE_IOERR: i64 = 10;
const SQLITE_CORRUPT: i64 = 11;
const SQLITE_FULL: i64 = 13;
const SQLITE_CANTOPEN: i64 = 14;
const SQLITE_NOTADB: i64 = 26;

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        let sqlx::Error::Database(database) = &error else {
            return match error {
                sqlx::Error::Io(_)
                | sqlx::Error::Tls(_)
                | sqlx::Error::PoolTimedOut
                | sqlx::Error::PoolClosed
                | sqlx::Error::WorkerCrashed
                | sqlx::Error::Configuration(_) => Self::Unavailable(error.to_string()),
                _ => Self::Bug(error.to_string()),
            };
        };
        if database.is_unique_violation() {
            return Self::Exists(database.constraint().unwrap_or(database.message()).to_owned());
        }
        let (code, why) = (database.code().unwrap_or_default(), database.message().to_owned());
        let place = String::new();
        match code.parse::<i64>().ok().filter(|_| code.len() < 5).map(|code| code & 0xff) {
            Some(SQLITE_FULL) => Self::Full { place },
            Some(SQLITE_READONLY) => Self::ReadOnly { place, why },
            Some(SQLITE_CORRUPT | SQLITE_NOTADB) => Self::Damaged { place, why },
            // This is all that a disk reports that fills up while a file grows.
            Some(SQLITE_IOERR) => Self::Unavailable(format!("{why} (SQLite {code}): is the disk full, or broken?")),
            Some(SQLITE_BUSY | SQLITE_LOCKED | SQLITE_CANTOPEN) => Self::Unavailable(why),
            Some(_) => Self::Bug(why),
            // PostgreSQL's codes have five characters; the first two are the class.
            None if code == "53100" => Self::Full { place },
            None if code == "25006" => Self::ReadOnly { place, why },
            None if code == "XX001" || code == "XX002" => Self::Damaged { place, why },
            None if ["08", "40", "53", "57", "58", "55"].contains(&code.get(..2).unwrap_or_default()) => {
                Self::Unavailable(why)
            }
            None => Self::Bug(format!("{why} ({code})")),
        }
    }
}

impl From<std::io::Error> for StoreError {
    fn from(error: std::io::Error) -> Self {
        use std::io::ErrorKind::{QuotaExceeded, ReadOnlyFilesystem, StorageFull};
        let place = String::new();
        match error.kind() {
            StorageFull | QuotaExceeded => Self::Full { place },
            ReadOnlyFilesystem => Self::ReadOnly { place, why: error.to_string() },
            _ => Self::Unavailable(error.to_string()),
        }
    }
}

/// A stored value that cannot be read back.
pub(crate) fn corrupt(what: &str, error: impl std::fmt::Display) -> StoreError {
    StoreError::Bug(format!("stored {what} cannot be read: {error}"))
}
