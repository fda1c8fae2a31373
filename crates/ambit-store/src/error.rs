//! What can go wrong in the store, as its callers must tell it apart.

/// Why a call of the store failed. `Display` is one line; nothing of what a stranger may not see is in it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// It does not exist, or the caller may not know that it exists.
    #[error("not found")]
    NotFound,
    /// The caller may see it, but not do this to it.
    #[error("not allowed: {0}")]
    Forbidden(String),
    /// A quota of the caller or of the caller's group has no room for it; nothing was charged.
    #[error("quota exceeded")]
    QuotaExceeded {
        /// Until a window ends that frees it; `None`: no window does.
        retry_after_s: Option<u32>,
    },
    /// Something of that name or state is there already.
    #[error("conflict: {0}")]
    Conflict(String),
    /// The request itself makes no sense.
    #[error("{0}")]
    Invalid(String),
    /// The data folder or database has no owner yet.
    #[error("{0} holds no data yet: run `ambit init` first")]
    Uninitialised(String),
    /// A later version of the program wrote this data.
    #[error("{place}: the data was written by a newer version of ambit (schema {found}, this program knows {known}): use that version")]
    NewerSchema { place: String, found: i64, known: i64 },
    /// Another process has the engine's place.
    #[error("the engine of this data folder is held by {holder}: stop it, or use its API")]
    Busy { holder: String },
    /// The disk or the database's quota is full; nothing of the call was stored.
    #[error("the disk is full: what was confirmed before is safe; free some space and try again")]
    Full,
    /// The database did not answer or refused for now; nothing of the call was stored.
    #[error("the database is not available: {0}")]
    Unavailable(String),
    /// A statement or stored value that must not be; please report it.
    #[error("unexpected in the store: {0}")]
    Bug(String),
}

impl StoreError {
    /// Names the folder or database that is meant, where the failure says one.
    pub(crate) fn in_place(self, named: &str) -> Self {
        match self {
            Self::NewerSchema { found, known, .. } => Self::NewerSchema {
                place: named.to_owned(),
                found,
                known,
            },
            other => other,
        }
    }
}

/// SQLite's primary result codes (the low byte of an extended one).
const SQLITE_BUSY: i64 = 5;
const SQLITE_LOCKED: i64 = 6;
const SQLITE_READONLY: i64 = 8;
const SQLITE_IOERR: i64 = 10;
const SQLITE_FULL: i64 = 13;
const SQLITE_CANTOPEN: i64 = 14;

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
            return Self::Conflict(database.constraint().unwrap_or(database.message()).to_owned());
        }
        let code = database.code().unwrap_or_default();
        match code.parse::<i64>().ok().filter(|_| code.len() < 5).map(|code| code & 0xff) {
            Some(SQLITE_FULL) => Self::Full,
            Some(SQLITE_BUSY | SQLITE_LOCKED | SQLITE_READONLY | SQLITE_IOERR | SQLITE_CANTOPEN) => Self::Unavailable(database.message().to_owned()),
            Some(_) => Self::Bug(database.message().to_owned()),
            // PostgreSQL's codes have five characters; the first two are the class.
            None if code == "53100" => Self::Full,
            None if ["08", "40", "53", "57", "58", "55"].contains(&code.get(..2).unwrap_or_default()) => {
                Self::Unavailable(database.message().to_owned())
            }
            None => Self::Bug(format!("{} ({code})", database.message())),
        }
    }
}

impl From<std::io::Error> for StoreError {
    fn from(error: std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::StorageFull {
            Self::Full
        } else {
            Self::Unavailable(error.to_string())
        }
    }
}

/// A stored value that cannot be read back.
pub(crate) fn corrupt(what: &str, error: impl std::fmt::Display) -> StoreError {
    StoreError::Bug(format!("stored {what} cannot be read: {error}"))
}
