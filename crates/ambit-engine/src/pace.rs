//! How long a run still takes, about: from the rows that are planned and the pace of the last minutes. Pure.

use std::collections::VecDeque;
use std::time::Duration;

/// What is older says nothing of the pace of now.
const KEPT: Duration = Duration::from_secs(120);
/// Below this a pace is chance.
const SPAN_MIN: Duration = Duration::from_secs(10);
/// Between two looks that are kept.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Time over which an estimate moves to what the pace of now says: rows come in bursts, and so do plans.
const MOVES_OVER_S: f64 = 20.0;
/// The longest time that is told: no run is longer.
const LONGEST_S: f64 = 72.0 * 3_600.0;

/// How fast rows are done, and what was estimated last.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    /// When how many rows were done, oldest first.
    seen: VecDeque<(Duration, u64)>,
    /// When so many seconds were estimated.
    told: Option<(Duration, f64)>,
}

impl Pace {
    /// How long what is planned so far takes, rounded up to seconds; `None` while nothing can be said: too little was
    /// seen, or nothing has been done for minutes. `at` is the time since the run was taken up, `done` how many rows
    /// were done since, and `rest` how many are planned and not done.
    pub(crate) fn left(&mut self, at: Duration, done: u64, rest: u64) -> Option<Duration> {
        if self.seen.back().is_none_or(|(last, _)| at.saturating_sub(*last) >= LOOK_EVERY) {
            self.seen.push_back((at, done));
        }
        while self.seen.len() > 1 && self.seen.front().is_some_and(|(first, _)| at.saturating_sub(*first) > KEPT) {
            self.seen.pop_front();
        }
        let (first, before) = self.seen.front().copied()?;
        let (span, rows) = (at.saturating_sub(first), done.saturating_sub(before));
        if span < SPAN_MIN || rows == 0 {
            self.told = None;
            return None;
        }
        let now = (rest as f64 * span.as_secs_f64() / rows as f64).min(LONGEST_S);
        let seconds = match self.told {
            None => now,
            Some((then, told)) => {
                let passed = at.saturating_sub(then).as_secs_f64();
                let expected = (told - passed).max(0.0);
                expected + (now - expected) * (1.0 - (-passed / MOVES_OVER_S).exp())
            }
        };
        self.told = Some((at, seconds));
        Some(Duration::from_secs(seconds.ceil() as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    #[test]
    fn nothing_is_said_before_a_pace_is_known() {
        let mut pace = Pace::default();
        assert_eq!(pace.left(seconds(0), 0, 1_000), None);
        assert_eq!(pace.left(seconds(5), 50, 950), None, "too little was seen");
        assert_eq!(pace.left(seconds(10), 100, 900), Some(seconds(90)));
        let mut silent = Pace::default();
        assert!((0..=30).all(|at| silent.left(seconds(at), 0, 1_000).is_none()), "nothing is done");
        assert_eq!(silent.left(seconds(31), 1, 0), Some(seconds(0)), "nothing is left");
    }

    #[test]
    fn at_an_even_pace_it_counts_down_to_nothing() {
        let mut pace = Pace::default();
        for at in 0..=200 {
            let left = pace.left(seconds(at), at * 10, 2_000 - at * 10);
            assert_eq!(left, (at >= 10).then(|| seconds(200 - at)), "at {at}");
        }
    }

    #[test]
    fn a_burst_of_plans_moves_it_step_by_step() {
        let mut pace = Pace::default();
        let mut last = Duration::ZERO;
        for at in 0..=60 {
            last = pace.left(seconds(at), at * 10, 1_200 - at * 10).unwrap_or_default();
        }
        assert_eq!(last, seconds(60));
        // Ten times as much is planned at once.
        for at in 61..=180 {
            let left = pace.left(seconds(at), at * 10, 6_000).unwrap();
            assert!(left.abs_diff(last) <= seconds(30), "from {last:?} to {left:?}");
            last = left;
        }
        assert!((seconds(570)..=seconds(600)).contains(&last), "{last:?}");
    }

    #[test]
    fn what_stands_still_for_minutes_is_unknown_again() {
        let mut pace = Pace::default();
        for at in 0..=30 {
            pace.left(seconds(at), at, 100);
        }
        let stuck: Vec<_> = (31..=160).map(|at| pace.left(seconds(at), 30, 70)).collect();
        assert!(stuck[..100].iter().all(Option::is_some) && stuck.last() == Some(&None), "{stuck:?}");
    }

    #[test]
    fn it_is_never_longer_than_a_run_may_be() {
        let mut pace = Pace::default();
        pace.left(seconds(0), 0, u64::MAX);
        assert_eq!(pace.left(seconds(20), 1, u64::MAX), Some(seconds(72 * 3_600)));
    }
}
