//! Failed attempts by address: who sends wrong keys too often is told to wait. A right key is never held up by a neighbour's wrong ones, because
//! only failures are counted and refused.

use ambit_model::Timestamp;
use ambit_model::moment::SECOND_MS;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Mutex;

/// Wrong keys of one address in one window before 429: keys have 256 bits, so this protects the store from load, not the keys from guessing.
const FAILURES_MAX: u32 = 300;
/// Length of a window.
const WINDOW_MS: i64 = 60 * SECOND_MS;
/// Addresses remembered at once; beyond, the windows that are over are dropped, and if none is, all are.
const ADDRESSES_MAX: usize = 10_000;

/// The failures of each address in its current window.
#[derive(Debug, Default)]
pub(crate) struct Attempts {
    windows: Mutex<HashMap<IpAddr, (Timestamp, u32)>>,
}

impl Attempts {
    /// Counts a failure. `Some(seconds)`: too many, wait that long.
    pub(crate) fn failed(&self, address: IpAddr, now: Timestamp) -> Option<u32> {
        let mut windows = self.windows.lock().expect("nothing panics while counting");
        if windows.len() >= ADDRESSES_MAX {
            windows.retain(|_, (opened, _)| now.0 - opened.0 < WINDOW_MS);
            if windows.len() >= ADDRESSES_MAX {
                windows.clear();
            }
        }
        let (opened, count) = windows.entry(address).or_insert((now, 0));
        if now.0 - opened.0 >= WINDOW_MS {
            (*opened, *count) = (now, 0);
        }
        *count = count.saturating_add(1);
        let left_ms = (opened.0 + WINDOW_MS - now.0).clamp(1, WINDOW_MS);
        let left_s = u32::try_from((left_ms + SECOND_MS - 1) / SECOND_MS).unwrap_or(u32::MAX);
        (*count > FAILURES_MAX).then_some(left_s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_failures_wait_for_the_end_of_the_window() {
        let attempts = Attempts::default();
        let here = IpAddr::from([127, 0, 0, 1]);
        for _ in 0..FAILURES_MAX {
            assert_eq!(attempts.failed(here, Timestamp(0)), None);
        }
        assert_eq!(attempts.failed(here, Timestamp(500)), Some(60));
        assert_eq!(attempts.failed(here, Timestamp(59_000)), Some(1));
        assert_eq!(attempts.failed(IpAddr::from([127, 0, 0, 2]), Timestamp(500)), None);
        assert_eq!(attempts.failed(here, Timestamp(60_000)), None);
    }
}
