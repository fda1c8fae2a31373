//! The principals that were read a moment ago: keys and roles are believed for a second.

use crate::Principal;
use ambit_model::Timestamp;
use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};

/// How long keys and roles are believed before they are read again (docs/architecture.md §1.8), in milliseconds.
const CACHED_MS: i64 = 1_000;
/// Principals kept at most; beyond it the cache starts anew.
const CACHED_MAX: usize = 10_000;

/// Principals by the hash of their credential. The process that changes one drops it at once.
#[derive(Default)]
pub(crate) struct AccessCache {
    cached: Mutex<Cached>,
    /// The latest time at which somebody asked.
    latest: AtomicI64,
}

#[derive(Default)]
struct Cached {
    /// Raised by every drop, so that what was read before it is not kept after it.
    generation: u64,
    principals: HashMap<[u8; 32], (Timestamp, Principal)>,
}

impl AccessCache {
    /// Forgets everybody; to be called after a commit that changes keys, people or roles.
    pub(crate) fn clear(&self) {
        let mut cached = self.lock();
        cached.generation += 1;
        cached.principals.clear();
    }

    fn lock(&self) -> MutexGuard<'_, Cached> {
        self.cached.lock()
    }

    /// The time by which keys end: that of the clock, or a later one that it showed before. A clock that is set back
    /// revives no key, though nothing was written meanwhile.
    pub(crate) fn latest(&self, now: Timestamp) -> Timestamp {
        Timestamp(self.latest.fetch_max(now.0, Ordering::Relaxed).max(now.0))
    }

    pub(crate) fn find(&self, hash: &[u8; 32], now: Timestamp) -> Result<Principal, u64> {
        let (latest, fresh) = (self.latest(now), 0..=CACHED_MS);
        let cached = self.lock();
        match cached.principals.get(hash) {
            Some((at, principal)) if fresh.contains(&(now.0 - at.0)) && fresh.contains(&(latest.0 - at.0)) => {
                Ok(principal.clone())
            }
            _ => Err(cached.generation),
        }
    }

    pub(crate) fn keep(&self, generation: u64, hash: [u8; 32], now: Timestamp, principal: &Principal) {
        let mut cached = self.lock();
        if cached.generation != generation {
            return;
        }
        if cached.principals.len() >= CACHED_MAX {
            cached.principals.clear();
        }
        cached.principals.insert(hash, (now, principal.clone()));
    }
}
