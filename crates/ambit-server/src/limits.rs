//! How much a peer may have and how long it may take, and the watch over it: whatever happens behind, there is an
//! answer, and in time.

use crate::answer::Answer;
use ambit_api::{ApiError, ErrorCode, Result};
use futures::FutureExt;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

/// How long a peer may take, and how much there is of what they share. The defaults are for everyone; tests shorten
/// them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// A head must be complete within this time, or the connection ends: slow senders cost a connection, but not for
    /// ever.
    pub head_time: Duration,
    /// A request, from its place to its answer: longer than the longest search, shorter than clients wait. Also how
    /// long a body may stand still.
    pub request_time: Duration,
    /// How long a search waits for the index to have what people changed.
    pub index_wait: Duration,
    /// Time for open requests after the end was asked for; the process as a whole has 10 s.
    pub drain_time: Duration,
    /// Requests of one key in a minute; `None`: as many as there are places.
    pub requests_per_minute: Option<u32>,
    /// How long a request waits for a place among those that are worked on.
    pub place_wait: Duration,
    /// How long a peer may take nothing of its answer.
    pub write_idle: Duration,
    /// How long events are streamed before the client must reconnect.
    pub events_time: Duration,
    /// A body that was refused is drained until nothing comes for so long.
    pub linger: Duration,
    /// How long a request waits for a server that starts.
    pub start_wait: Duration,
    /// Open connections; beyond, those that deserve least are closed.
    pub connections: usize,
    /// Requests that are worked on at once. More would not be faster, only each of them slower.
    pub places: usize,
    /// Of these, how many one key or address has at most.
    pub places_each: usize,
}

/// Requests of one key that are worked on at once, for each core, and at least: what waits for the disk leaves the core
/// to others.
const PLACES_OF_CORE: usize = 4;
const PLACES_EACH_MIN: usize = 8;
/// Keys that have their whole share at once.
const SHARES: usize = 4;

impl Default for Limits {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let places_each = (PLACES_OF_CORE * cores).max(PLACES_EACH_MIN);
        Self {
            head_time: Duration::from_secs(10),
            request_time: Duration::from_secs(30),
            index_wait: Duration::from_secs(5),
            drain_time: Duration::from_secs(8),
            requests_per_minute: None,
            place_wait: Duration::from_secs(10),
            write_idle: Duration::from_secs(10),
            events_time: Duration::from_secs(600),
            linger: Duration::from_secs(2),
            start_wait: Duration::from_secs(5),
            connections: 10_000,
            places: places_each * SHARES,
            places_each,
        }
    }
}

/// The same in time.
pub(crate) async fn bounded(
    line: &str,
    time: Duration,
    passing: impl Future<Output = Result<Answer>>,
) -> Result<Answer> {
    in_time(line, time, caught(line, passing)).await
}

/// Turns a panic or an expired time limit into an answer.
pub(crate) async fn caught(line: &str, passing: impl Future<Output = Result<Answer>>) -> Result<Answer> {
    AssertUnwindSafe(passing).catch_unwind().await.unwrap_or_else(|panic| {
        tracing::error!(request = line, panic = panic_text(&*panic), "a handler panicked");
        Err(ApiError::new(ErrorCode::Internal))
    })
}

pub(crate) async fn in_time<T>(line: &str, time: Duration, passing: impl Future<Output = Result<T>>) -> Result<T> {
    tokio::time::timeout(time, passing).await.unwrap_or_else(|_| {
        tracing::warn!(request = line, "a request took too long");
        Err(ApiError::new(ErrorCode::DeadlineExceeded))
    })
}

pub(crate) fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without text")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_and_a_stall_are_answers() {
        let time = Duration::from_millis(20);
        let panicked = bounded("GET /x", time, async { panic!("inside") }).await;
        assert_eq!(panicked.map(|_| ()), Err(ApiError::new(ErrorCode::Internal)));
        let stalled = bounded("GET /x", time, std::future::pending()).await;
        assert_eq!(stalled.map(|_| ()), Err(ApiError::new(ErrorCode::DeadlineExceeded)));
    }
}
