//! Counts in windows of time: in a minute wrong keys by address, and requests by key where a limit is configured; in an
//! hour addresses that nobody has, by the user who named them. Who has too many is told to wait. A right key is never
//! held up by a neighbour's wrong ones, because only failures are counted by address.

use ambit_api::{ApiError, ErrorCode, Result};
use ambit_model::Timestamp;
use ambit_model::moment::{HOUR_MS, MINUTE_MS, SECOND_MS};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;

/// Wrong keys of one address in one window before 429: keys have 224 random bits, so this protects the store from load,
/// not the keys from guessing.
const FAILURES_MAX: u32 = 300;
/// Counts remembered at once; beyond, the windows that are over are dropped, and if none is, all are.
const COUNTS_MAX: usize = 10_000;

/// The count of each address, key or user in its current window.
#[derive(Debug)]
pub(crate) struct Windows<K> {
    length_ms: i64,
    counts: Mutex<HashMap<K, (Timestamp, u32)>>,
}

impl<K> Windows<K> {
    /// Windows of a minute.
    pub(crate) fn minutes() -> Self {
        Self { length_ms: MINUTE_MS, counts: Mutex::default() }
    }

    /// Windows of an hour.
    pub(crate) fn hours() -> Self {
        Self { length_ms: HOUR_MS, counts: Mutex::default() }
    }
}

impl<K: Eq + Hash> Windows<K> {
    /// Counts one. `Some(seconds)`: more than `max` in this window, wait that long.
    pub(crate) fn count(&self, key: K, max: u32, now: Timestamp) -> Option<u32> {
        self.count_many(key, 1, max, now)
    }

    /// Counts so many at once.
    pub(crate) fn count_many(&self, key: K, many: u32, max: u32, now: Timestamp) -> Option<u32> {
        let mut counts = self.counts.lock();
        if counts.len() >= COUNTS_MAX {
            counts.retain(|_, (opened, _)| now.0 - opened.0 < self.length_ms);
            if counts.len() >= COUNTS_MAX {
                counts.clear();
            }
        }
        let (opened, count) = counts.entry(key).or_insert((now, 0));
        if now.0 - opened.0 >= self.length_ms {
            (*opened, *count) = (now, 0);
        }
        *count = count.saturating_add(many);
        let left_ms = (opened.0 + self.length_ms - now.0).clamp(1, self.length_ms);
        let left_s = u32::try_from((left_ms + SECOND_MS - 1) / SECOND_MS).unwrap_or(u32::MAX);
        (*count > max).then_some(left_s)
    }

    /// Takes back so many that were counted.
    pub(crate) fn give_back(&self, key: &K, many: u32) {
        let mut counts = self.counts.lock();
        if let Some((_, count)) = counts.get_mut(key) {
            *count = count.saturating_sub(many);
        }
    }
}

/// Counts a wrong key of an address, wherever in a request it stood. The error: there were too many in this minute.
pub(crate) fn count_wrong_key(failures: &Windows<IpAddr>, peer: IpAddr, now: Timestamp) -> Result<()> {
    match failures.count(peer, FAILURES_MAX, now) {
        Some(seconds) => {
            Err(ApiError::with(ErrorCode::TooManyRequests, "Too many wrong keys from this address")
                .retry_after(seconds))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_too_many_waits_for_the_end_of_the_window() {
        let windows = Windows::minutes();
        for _ in 0..FAILURES_MAX {
            assert_eq!(windows.count("here", FAILURES_MAX, Timestamp(0)), None);
        }
        assert_eq!(windows.count("here", FAILURES_MAX, Timestamp(500)), Some(60));
        assert_eq!(windows.count("here", FAILURES_MAX, Timestamp(59_000)), Some(1));
        assert_eq!(windows.count("there", FAILURES_MAX, Timestamp(500)), None);
        assert_eq!(windows.count("here", FAILURES_MAX, Timestamp(60_000)), None);
    }
}
