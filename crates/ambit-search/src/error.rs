//! What can go wrong with an index and with a search.

use std::path::{Path, PathBuf};

/// The result of work on the index, where it names no other error.
pub(crate) type Result<T, E = IndexError> = std::result::Result<T, E>;

/// A failure of the index itself.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    #[error("the search index has not been built yet in {}; start the server or the engine once", .0.display())]
    Missing(PathBuf),
    /// Its bytes are not those that were written. It is rebuilt, never answered from.
    #[error("the search index is damaged: {0}")]
    Damaged(String),
    #[error(
        "the search index has shape {found}, this program writes another; it is rebuilt by the server or the engine"
    )]
    OtherShape { found: String },
    #[error("cannot {what} {}: {source}", path.display())]
    Io { what: &'static str, path: PathBuf, source: std::io::Error },
    #[error("the search index was opened for reading only")]
    ReadOnly,
    /// The engine refused; its own words, so that no type of it leaves this crate.
    #[error("search engine: {0}")]
    Engine(String),
    #[error("the search index in {} is written by another process; stop it first", .0.display())]
    Locked(PathBuf),
    #[error(transparent)]
    Store(#[from] ambit_store::StoreError),
    /// What was read last is of another state of the database than what was read before.
    #[error("the database was replaced while the search index read it; it is compared and read again")]
    OtherHistory,
    /// A stored record that this program cannot read.
    #[error("the record {uid} cannot be indexed: {error}")]
    Record { uid: ambit_model::Uid, error: String },
    #[error("the search index stopped: {0}")]
    Stopped(String),
}

impl IndexError {
    pub(crate) fn io(what: &'static str, path: &Path, source: std::io::Error) -> Self {
        IndexError::Io { what, path: path.to_owned(), source }
    }
}

impl From<tantivy::TantivyError> for IndexError {
    fn from(error: tantivy::TantivyError) -> Self {
        IndexError::Engine(error.to_string())
    }
}

/// A search that gives no answer. The first two are the caller's mistake.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// Forged, cut, or made for another query, order or project.
    #[error("page_token does not belong to this search; start again without it")]
    InvalidToken,
    #[error("cannot sort {noun} by `{field}`; use one of {allowed}")]
    InvalidSort { noun: ambit_query::Noun, field: String, allowed: String },
    #[error(transparent)]
    Index(#[from] IndexError),
}
