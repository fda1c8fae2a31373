//! Turns that units of work wait for: how many wait now, and how long each did, which is no work of its own.

use crate::wire::WireTime;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How many things of one unit of work wait for their turn, and how many units do.
#[derive(Default)]
pub(super) struct Turns {
    here: AtomicUsize,
    units: Arc<AtomicUsize>,
    waited: Mutex<Waited>,
}

/// How long one unit of work waited for the rate limiter, or will once its turns have come: what waits side by side is
/// counted once.
#[derive(Default)]
struct Waited {
    until: WireTime,
    sum: Duration,
}

impl Turns {
    /// Returns those of another unit of work, which begins.
    pub(super) fn of_another(&self) -> Self {
        Self { units: Arc::clone(&self.units), ..Self::default() }
    }

    /// Returns how many units of work wait now.
    pub(super) fn waiting(&self) -> usize {
        self.units.load(Ordering::Relaxed)
    }

    /// Returns how long this unit of work waited, up to the last turn that it waits for now.
    pub(super) fn waited(&self) -> Duration {
        self.waited.lock().unwrap_or_else(PoisonError::into_inner).sum
    }

    /// Notes a wait.
    pub(super) fn note(&self, from: WireTime, until: WireTime) {
        let mut waited = self.waited.lock().unwrap_or_else(PoisonError::into_inner);
        let begins = from.max(waited.until);
        waited.sum += until.saturating_sub(begins);
        waited.until = waited.until.max(until);
    }
}

/// Something that waits for its turn, until this is dropped.
pub struct Waits(Arc<Turns>);

impl Waits {
    pub(super) fn new(turns: &Arc<Turns>) -> Self {
        if turns.here.fetch_add(1, Ordering::Relaxed) == 0 {
            turns.units.fetch_add(1, Ordering::Relaxed);
        }
        Self(Arc::clone(turns))
    }
}

impl Drop for Waits {
    fn drop(&mut self) {
        if self.0.here.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.0.units.fetch_sub(1, Ordering::Relaxed);
        }
    }
}
