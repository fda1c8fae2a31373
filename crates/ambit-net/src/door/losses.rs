//! How much of what port sweeps ask is lost on the way, as far as a run has seen: an answer that only came when the
//! question was put again was lost, or came too late, before.

use crate::limits::REPEATED_AFTER;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Answers below which nothing is said of the loss.
const ANSWERS_MIN: u32 = 100;
/// Answers above which the older ones count half, so that what is said holds for now.
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
    /// Takes how long a port took to answer.
    pub(super) fn note(&self, waited: Duration) {
        let mut answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if answers.all >= ANSWERS_MAX {
            *answers = Answers { all: answers.all / 2, late: answers.late / 2 };
        }
        answers.all += 1;
        answers.late += u32::from(waited >= REPEATED_AFTER);
    }

    /// Takes so many prompt answers back: they came to questions that had been put before without one.
    pub(super) fn note_late(&self, answers_late: usize) {
        let mut answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        answers.late = answers.late.saturating_add(u32::try_from(answers_late).unwrap_or(u32::MAX)).min(answers.all);
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
        let note = |count: u32, waited: Duration| (0..count).for_each(|_| losses.note(waited));
        note(99, Duration::ZERO);
        assert_eq!(losses.permille(), None);
        note(1, REPEATED_AFTER);
        assert_eq!(losses.permille(), Some(10));
        losses.note_late(9);
        assert_eq!(losses.permille(), Some(100));
        note(20_000, Duration::ZERO);
        assert_eq!(losses.permille(), Some(0), "what was long ago is forgotten");
        losses.note_late(usize::MAX);
        assert_eq!(losses.permille(), Some(1_000));
    }
}
