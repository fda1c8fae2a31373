//! Turns that units of work wait for: how many wait now, and how long each did, which is no work of its own.

use crate::wire::WireTime;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How many things of one unit of work wait for their turn, and how many units do.
#[derive(Default)]
pub(super) struct Turns {
    here: AtomicUsize,
    units: Arc<AtomicUsize>,
    /// How long this unit of work waited for its turns, up to the last that it waits for now.
    pub(super) waited: Waited,
    /// How much of that for what else this process sends: for its turns among all, and for those of other sweeps.
    pub(super) waited_for_others: Waited,
}

/// How long something waited, or will once its last wait is over: waits side by side are counted once.
#[derive(Default)]
pub(crate) struct Waited(Mutex<Span>);

#[derive(Default)]
struct Span {
    until: WireTime,
    sum: Duration,
}

impl Waited {
    /// Returns how long that was, up to the end of the last wait.
    pub(crate) fn sum(&self) -> Duration {
        self.lock().sum
    }

    /// Notes a wait.
    pub(crate) fn note(&self, from: WireTime, until: WireTime) {
        let mut span = self.lock();
        let begins = from.max(span.until);
        span.sum += until.saturating_sub(begins);
        span.until = span.until.max(until);
    }

    fn lock(&self) -> MutexGuard<'_, Span> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
