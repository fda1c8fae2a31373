//! Whether requests can be answered: a look at the store, not more often than a monitor needs it, however many ask.

use ambit_api::{ApiError, Envelope, ErrorCode, success};
use ambit_search::Index;
use ambit_store::{Store, StoreError};
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::Instant;

/// A look counts for so long.
const LOOK_COUNTS: Duration = Duration::from_millis(250);
/// A store that does not answer within this time is not available.
const LOOK_TIME: Duration = Duration::from_secs(3);

/// An index that has not reached in this time what was in the database at its beginning is behind: it follows within a
/// second, and a rebuild is worth being known.
const BEHIND_TIME: Duration = Duration::from_secs(30);

/// The last look.
#[derive(Default)]
pub(crate) struct Health {
    last: Mutex<Option<(Instant, Option<String>)>>,
    awaited: Mutex<Option<Awaited>>,
}

/// The revision that the index is to reach, and since when.
#[derive(Clone, Copy)]
struct Awaited {
    revision: i64,
    since: Instant,
}

impl Awaited {
    /// Returns what to wait for after another look, and whether the index is behind.
    fn look(before: Option<Self>, reached: i64, newest: i64, now: Instant) -> (Self, bool) {
        match before.filter(|before| before.revision > reached) {
            Some(before) => (before, now.duration_since(before.since) >= BEHIND_TIME),
            None => (Self { revision: newest, since: now }, false),
        }
    }
}

impl Health {
    /// Why requests cannot be answered, if so.
    pub(crate) async fn trouble(&self, store: &Store, index: Option<&Index>) -> Option<String> {
        let mut last = self.last.lock().await;
        if let Some((at, found)) = &*last
            && at.elapsed() < LOOK_COUNTS
        {
            return found.clone();
        }
        let found = match tokio::time::timeout(LOOK_TIME, self.look(store, index)).await {
            Ok(Ok(false)) => None,
            Ok(Ok(true)) => Some("the search index is behind".to_owned()),
            Ok(Err(error)) => {
                tracing::warn!(%error, "not ready");
                Some(told(&error).to_owned())
            }
            Err(_) => Some("the database does not answer".to_owned()),
        };
        *last = Some((Instant::now(), found.clone()));
        found
    }

    /// Looks at the store and returns whether the index is behind it.
    async fn look(&self, store: &Store, index: Option<&Index>) -> Result<bool, StoreError> {
        store.ready().await?;
        let Some(index) = index else { return Ok(false) };
        let newest = store.last_revision().await?;
        let mut awaited = self.awaited.lock().await;
        let (next, behind) = Awaited::look(*awaited, index.reached(), newest, Instant::now());
        *awaited = Some(next);
        Ok(behind)
    }
}

/// Returns a reason that may be shown to anybody. The log names the file.
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
pub(crate) fn alive() -> Envelope<bool> {
    success("Alive", true)
}

/// Not ready, and why.
pub(crate) fn not_ready(why: &str) -> ApiError {
    ApiError::with(ErrorCode::Transient, format!("Not ready: {why}")).retry_after(RETRY_S)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_is_behind_where_it_does_not_reach_what_was_there_half_a_minute_ago() {
        let begin = Instant::now();
        let at = |seconds: u64| begin + Duration::from_secs(seconds);
        let mut awaited = None;
        // Second, reached, newest, behind.
        for (second, reached, newest, expected) in [
            (0, 10, 10, false),
            (1, 10, 12, false),
            (29, 11, 90, false),
            (30, 12, 500, false),
            (59, 400, 501, false),
            (60, 499, 502, true),
            (61, 500, 503, false),
            (3_000, 503, 900, false),
            (9_000, 503, 901, true),
        ] {
            let (next, behind) = Awaited::look(awaited, reached, newest, at(second));
            awaited = Some(next);
            assert_eq!(behind, expected, "second {second}");
        }
    }
}
