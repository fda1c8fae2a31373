//! Whether requests can be answered: a look at the store, not more often than a monitor needs it, however many ask.

use crate::answer::Answer;
use ambit_api::{ApiError, ErrorCode, success};
use ambit_store::{Store, StoreError};
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::Instant;

/// A look counts for so long.
const LOOK_COUNTS: Duration = Duration::from_millis(250);
/// A store that does not answer within this time is not available.
const LOOK_TIME: Duration = Duration::from_secs(3);

/// The last look.
#[derive(Default)]
pub(crate) struct Health {
    last: Mutex<Option<(Instant, Option<String>)>>,
}

impl Health {
    /// Why requests cannot be answered, if so.
    pub(crate) async fn trouble(&self, store: &Store) -> Option<String> {
        let mut last = self.last.lock().await;
        if let Some((at, found)) = &*last
            && at.elapsed() < LOOK_COUNTS
        {
            return found.clone();
        }
        let found = match tokio::time::timeout(LOOK_TIME, store.ready()).await {
            Ok(Ok(())) => None,
            Ok(Err(error)) => {
                tracing::warn!(%error, "not ready");
                Some(told(&error).to_owned())
            }
            Err(_) => Some("the database does not answer".to_owned()),
        };
        *last = Some((Instant::now(), found.clone()));
        found
    }
}

/// What anybody may be told: the file stands in the log.
fn told(error: &StoreError) -> &'static str {
    match error {
        StoreError::Full { .. } => "the disk is full",
        StoreError::ReadOnly { .. } => "the database can only be read",
        StoreError::Damaged { .. } => "the database is damaged",
        _ => "the database does not answer",
    }
}

/// Seconds until a server that is not ready is asked again.
const RETRY_S: u32 = 1;

/// The process is alive: said without a look at anything.
pub(crate) fn alive() -> Answer {
    Answer::json(&success("Alive", true))
}

/// Not ready, and why.
pub(crate) fn not_ready(why: &str) -> ApiError {
    ApiError::with(ErrorCode::Transient, format!("Not ready: {why}")).retry_after(RETRY_S)
}
