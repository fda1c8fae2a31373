//! How many questions may be in flight to one resolver: grows while nothing is lost, shrinks when too much is (additive
//! increase, multiplicative decrease, after a quick start). A resolver that refuses, but has answered before, is asked
//! too much (dnsmasq refuses what is more than 150 at once): it is left alone for a while (decision 0210).

use crate::limits::{DNS_WINDOW, RESOLVER_PAUSE, RESOLVER_PAUSE_MAX, RESOLVER_PAUSES_MAX};
use crate::wire::WireTime;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Semaphore;

/// Share of lost questions, per mille, from which the window shrinks. Less is the network's own loss, and is repaired
/// by a repeated question.
const LOSS_TO_SHRINK: usize = 20;

/// Refusals of one question that are waited for. Where few are answered at a time, others are often first.
const REFUSALS_MAX: u32 = 64;
/// Questions that no pause helped, from which on pauses are given only while they help more often.
const REFUSED_ALWAYS_MAX: u32 = 8;
/// Questions that are counted for this; from then on the older count half.
const COUNTED_MAX: u32 = 64;

/// The window of one resolver.
pub(super) struct Window {
    places: Semaphore,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// Questions allowed in flight.
    size: usize,
    /// Places handed out or free: follows `size` as questions end.
    issued: usize,
    /// Answered and lost questions of this round.
    answered: usize,
    lost: usize,
    /// No loss seen yet: doubles each round.
    quick: bool,
    /// Whether it ever answered a question otherwise than by a refusal.
    answers: bool,
    /// Pauses since it last did.
    pauses: u32,
    /// Nothing is asked before this.
    paused_until: WireTime,
    /// Refused questions that were answered after a pause, and those that no pause helped.
    answered_later: u32,
    refused_always: u32,
}

impl Window {
    pub(super) fn new() -> Self {
        let (start, ..) = DNS_WINDOW;
        let state = State {
            size: start,
            issued: start,
            answered: 0,
            lost: 0,
            quick: true,
            answers: false,
            pauses: 0,
            paused_until: WireTime::ZERO,
            answered_later: 0,
            refused_always: 0,
        };
        Self { places: Semaphore::new(start), state: Mutex::new(state) }
    }

    /// Until when the resolver is left alone; `None` where it may be asked now.
    pub(super) fn paused_until(&self, now: WireTime) -> Option<WireTime> {
        Some(self.state().paused_until).filter(|until| *until > now)
    }

    /// Notes that a question was refused so many times. Returns whether it may come again after a pause; not where the
    /// resolver has answered nothing yet, or where pauses do not help: then it refuses everything, or such names.
    pub(super) fn refused(&self, now: WireTime, times: u32) -> bool {
        let mut state = self.state();
        if times > REFUSALS_MAX {
            state.refused_always += 1;
            state.forget_older();
            return false;
        }
        let helps = state.refused_always < REFUSED_ALWAYS_MAX.max(state.answered_later);
        if state.pauses >= RESOLVER_PAUSES_MAX || !state.answers || !helps {
            return false;
        }
        // What was in flight when the pause began is refused like the first.
        if state.paused_until <= now {
            let (_, least, _) = DNS_WINDOW;
            state.paused_until = now + (RESOLVER_PAUSE * (1 << state.pauses)).min(RESOLVER_PAUSE_MAX);
            state.pauses += 1;
            state.quick = false;
            state.size = (state.size / 2).max(least);
        }
        true
    }

    /// Notes that a question was answered which had been refused.
    pub(super) fn answered_later(&self) {
        let mut state = self.state();
        state.answered_later += 1;
        state.forget_older();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a place.
    pub(super) async fn enter(&self) -> Slot<'_> {
        self.places.acquire().await.expect("the semaphore is never closed").forget();
        Slot { window: self, answered: None }
    }

    fn leave(&self, answered: Option<bool>) {
        let mut state = self.state();
        state.issued -= 1;
        match answered {
            Some(true) => {
                state.answered += 1;
                state.answers = true;
                state.pauses = 0;
            }
            Some(false) => state.lost += 1,
            None => {}
        }
        if state.answered + state.lost >= state.size {
            state.end_round();
        }
        if state.issued < state.size {
            let more = state.size - state.issued;
            state.issued += more;
            self.places.add_permits(more);
        } else {
            // Free places beyond the size go now, those in use as they end.
            state.issued -= self.places.forget_permits(state.issued - state.size);
        }
    }
}

impl State {
    /// Only recent results show whether pauses help.
    fn forget_older(&mut self) {
        if self.answered_later.max(self.refused_always) >= COUNTED_MAX {
            self.answered_later /= 2;
            self.refused_always /= 2;
        }
    }

    fn end_round(&mut self) {
        let (_, least, most) = DNS_WINDOW;
        if self.lost * 1_000 > LOSS_TO_SHRINK * (self.answered + self.lost) {
            self.quick = false;
            self.size = (self.size * 7 / 10).max(least);
        } else if self.quick {
            self.size = (self.size * 2).min(most);
        } else {
            self.size = (self.size + self.size / 16 + 1).min(most);
        }
        self.answered = 0;
        self.lost = 0;
    }
}

/// A place in the window; leaves it when dropped.
pub(super) struct Slot<'a> {
    window: &'a Window,
    answered: Option<bool>,
}

impl Slot<'_> {
    /// Says how the question ended. A question that was given up says nothing.
    pub(super) fn end(mut self, answered: bool) {
        self.answered = Some(answered);
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        self.window.leave(self.answered);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;

    fn round(window: &Window, lost_permille: usize) -> usize {
        let mut places = Vec::new();
        while let Some(place) = window.enter().now_or_never() {
            places.push(place);
        }
        let size = places.len();
        for (index, place) in places.into_iter().enumerate() {
            place.end(index * 1_000 >= lost_permille * size);
        }
        size
    }

    #[test]
    fn the_window_opens_quickly_shrinks_on_loss_and_recovers_slowly() {
        let window = Window::new();
        let sizes: Vec<usize> = [0, 0, 10, 100, 500, 0, 0].map(|loss| round(&window, loss)).to_vec();
        assert_eq!(sizes, [64, 128, 256, 512, 358, 250, 266]);
        for _ in 0..50 {
            round(&window, 900);
        }
        assert_eq!(round(&window, 0), DNS_WINDOW.1, "never below the least");
        for _ in 0..200 {
            round(&window, 0);
        }
        assert_eq!(round(&window, 0), DNS_WINDOW.2, "never above the most");
    }
}
