//! How much of what is asked of ports is lost on the way, as far as a run has seen: an address that has answered at
//! once before, and answers only when the question was put again, lost the first one.

use std::sync::{Mutex, PoisonError};

/// Answers below which nothing is said of the loss.
const ANSWERS_MIN: u32 = 100;
/// Above this number of answers the older ones count half, so that the ratio is recent.
const ANSWERS_MAX: u32 = 4_096;

/// Answers of ports since a run began, the newer ones first.
#[derive(Default)]
pub(super) struct Losses(Mutex<Answers>);

#[derive(Clone, Copy, Default)]
struct Answers {
    all: u32,
    /// Those that came to a repeated question.
    late: u32,
}

impl Losses {
    /// Takes an answer of a port.
    pub(super) fn note(&self, is_late: bool) {
        let mut answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if answers.all >= ANSWERS_MAX {
            *answers = Answers { all: answers.all / 2, late: answers.late / 2 };
        }
        answers.all += 1;
        answers.late += u32::from(is_late);
    }

    /// Returns how many of 1,000 answers came late; `None` as long as there are too few to say.
    pub(super) fn permille(&self) -> Option<u32> {
        let answers = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (answers.all >= ANSWERS_MIN).then(|| answers.late * 1_000 / answers.all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loss_is_told_of_the_newer_answers_and_only_of_many() {
        let losses = Losses::default();
        let note = |count: u32, is_late: bool| (0..count).for_each(|_| losses.note(is_late));
        note(99, false);
        assert_eq!(losses.permille(), None);
        note(1, true);
        assert_eq!(losses.permille(), Some(10));
        note(20_000, false);
        assert_eq!(losses.permille(), Some(0), "what was long ago is forgotten");
    }
}
