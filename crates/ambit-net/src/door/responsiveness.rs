//! How promptly addresses answer, as far as a run has seen: what lets questions hang is not waited for as long as
//! others, and what has answered promptly once is not taken for slow where it is silent.

use crate::error::NetError;
use crate::limits::{HANGING_TIMEOUT, PROBE_TIMEOUT, REPEATED_AFTER};
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Questions in a row that an address may leave without an answer in time before it is waited for less: one slow
/// service does not make its neighbours hurry.
const HANGS_MIN: u32 = 2;
/// Addresses that are remembered; nothing is known of those beyond.
const ADDRESSES_MAX: usize = 50_000;

/// What addresses have shown since a run began.
#[derive(Default)]
pub(super) struct Responsiveness(Mutex<HashMap<IpAddr, Shown>>);

#[derive(Clone, Copy, Default)]
struct Shown {
    /// Questions that it let hang since it last answered one.
    hangs: u32,
    /// It took or refused a connection within [`PROBE_TIMEOUT`].
    prompt: bool,
    /// It did so before the question was put again.
    at_once: bool,
}

impl Responsiveness {
    fn of(&self, address: IpAddr) -> Shown {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&address).copied().unwrap_or_default()
    }

    fn change(&self, address: IpAddr, change: impl FnOnce(&mut Shown)) {
        let mut shown = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if shown.len() < ADDRESSES_MAX || shown.contains_key(&address) {
            change(shown.entry(address).or_default());
        }
    }

    /// How long an answer of an address is waited for that usually is waited for so long.
    pub(super) fn patience(&self, address: IpAddr, usual: Duration) -> Duration {
        if self.of(address).hangs >= HANGS_MIN { usual.min(HANGING_TIMEOUT) } else { usual }
    }

    /// Whether an address took or refused a connection promptly.
    pub(super) fn is_prompt(&self, address: IpAddr) -> bool {
        self.of(address).prompt
    }

    /// Takes how long an address took to take or refuse a connection, and returns whether the answer was late: `None`
    /// where the address may be a slow one, which has answered none at once so far.
    pub(super) fn note_connection(&self, address: IpAddr, waited: Duration) -> Option<bool> {
        let is_late = waited >= REPEATED_AFTER;
        let answers_at_once = !is_late || self.of(address).at_once;
        if waited < PROBE_TIMEOUT {
            self.change(address, |shown| {
                shown.prompt = true;
                shown.at_once |= !is_late;
            });
        }
        answers_at_once.then_some(is_late)
    }

    /// Takes what became of a wait for an answer of an address, and how long it was: whatever came in time is an
    /// answer.
    pub(super) fn note_wait(&self, address: IpAddr, waited: Duration, error: Option<&NetError>) {
        match error {
            Some(NetError::Timeout(_)) if waited < HANGING_TIMEOUT => {}
            Some(NetError::Timeout(_)) => self.change(address, |shown| shown.hangs = shown.hangs.saturating_add(1)),
            _ => self.change(address, |shown| shown.hangs = 0),
        }
    }
}
