//! From the errors of the parts below to the one table of errors that clients know. Nothing of the inside is shown;
//! what is a bug is logged.

use ambit_api::{ApiError, ErrorCode, Result};
use ambit_query::QueryError;
use ambit_search::SearchError;
use ambit_store::StoreError;

/// Seconds until a busy database is asked again.
const RETRY_S: u32 = 1;

/// What a call of the store was about, so that `?` answers with what clients know.
pub(crate) trait About<T> {
    /// Returns what the store gave. What is not there is a 404 that says the noun.
    fn about(self, noun: &str) -> Result<T>;

    /// Returns what the store gave. What is not there is a 404 that says the noun and the name that was asked for.
    fn about_named(self, noun: &str, name: &str) -> Result<T>;

    /// Returns what the store gave, and `None` for what is not there.
    fn if_found(self) -> Result<Option<T>>;
}

impl<T> About<T> for Result<T, StoreError> {
    fn about(self, noun: &str) -> Result<T> {
        self.if_found()?.ok_or_else(|| ApiError::not_found(noun))
    }

    fn about_named(self, noun: &str, name: &str) -> Result<T> {
        self.if_found()?.ok_or_else(|| not_found(noun, name))
    }

    fn if_found(self) -> Result<Option<T>> {
        match self {
            Ok(found) => Ok(Some(found)),
            Err(StoreError::NotFound) => Ok(None),
            Err(error) => Err(of_store(error)),
        }
    }
}

/// The 404 of something that was asked for by its name.
pub(crate) fn not_found(noun: &str, name: &str) -> ApiError {
    ApiError::with(ErrorCode::NotFound, format!("{noun} \"{name}\" not found"))
}

/// The error that clients know for one of the store.
fn of_store(error: StoreError) -> ApiError {
    match error {
        StoreError::NotFound => ApiError::new(ErrorCode::NotFound),
        StoreError::NotActive => ApiError::new(ErrorCode::UserNotActive),
        StoreError::Forbidden(_) => ApiError::new(ErrorCode::Forbidden),
        StoreError::QuotaExceeded { retry_after_s } => {
            let error = ApiError::new(ErrorCode::QuotaExceeded);
            retry_after_s.map_or(error.clone(), |seconds| error.retry_after(seconds))
        }
        StoreError::TooMany(what) => ApiError::with(ErrorCode::QuotaExceeded, capital(&what)),
        StoreError::Exists(what) => ApiError::with(ErrorCode::AlreadyExists, capital(&what)),
        StoreError::Conflict(what) => ApiError::with(ErrorCode::Conflict, capital(&what)),
        StoreError::Invalid(what) => ApiError::invalid(capital(&what)),
        StoreError::Unavailable(_)
        | StoreError::Full { .. }
        | StoreError::ReadOnly { .. }
        | StoreError::Damaged { .. }
        | StoreError::Lost { .. }
        | StoreError::Busy { .. } => {
            tracing::error!(%error, "the store is not available");
            ApiError::new(ErrorCode::Transient).retry_after(RETRY_S)
        }
        StoreError::Uninitialised(_) | StoreError::NewerSchema { .. } | StoreError::Bug(_) => {
            tracing::error!(%error, "the store failed");
            ApiError::new(ErrorCode::Internal)
        }
    }
}

/// A search string that cannot be read; the message names the word and its position.
pub(crate) fn of_query(error: &QueryError) -> ApiError {
    ApiError::invalid(format!("Search string: {error}"))
}

/// A search that gave no answer.
pub(crate) fn of_search(error: SearchError) -> ApiError {
    match error {
        SearchError::InvalidToken => ApiError::bad(capital(&error.to_string())),
        SearchError::InvalidSort { .. } => ApiError::invalid(capital(&error.to_string())),
        SearchError::Index(_) => {
            tracing::error!(%error, "the search index failed");
            ApiError::with(ErrorCode::Transient, "The search index is not available now; it is being repaired")
                .retry_after(RETRY_S)
        }
    }
}

/// Messages to people begin with a capital.
fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
