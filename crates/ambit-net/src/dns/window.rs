//! How many questions may be in flight to one resolver: grows while nothing is lost, shrinks when too much is (additive
//! increase, multiplicative decrease, after a quick start).

use crate::limits::DNS_WINDOW;
use std::sync::{Mutex, PoisonError};
use tokio::sync::Semaphore;

/// Share of lost questions, per mille, from which the window shrinks. Less is the network's own loss, and is repaired
/// by a repeated question.
const LOSS_TO_SHRINK: usize = 20;

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
}

impl Window {
    pub(super) fn new() -> Self {
        let (start, ..) = DNS_WINDOW;
        Self {
            places: Semaphore::new(start),
            state: Mutex::new(State { size: start, issued: start, answered: 0, lost: 0, quick: true }),
        }
    }

    /// Waits for a place.
    pub(super) async fn enter(&self) -> Place<'_> {
        self.places.acquire().await.expect("the semaphore is never closed").forget();
        Place { window: self, answered: None }
    }

    fn leave(&self, answered: Option<bool>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.issued -= 1;
        match answered {
            Some(true) => state.answered += 1,
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
pub(super) struct Place<'a> {
    window: &'a Window,
    answered: Option<bool>,
}

impl Place<'_> {
    /// Says how the question ended. A question that was given up says nothing.
    pub(super) fn end(mut self, answered: bool) {
        self.answered = Some(answered);
    }
}

impl Drop for Place<'_> {
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
