//! By when issues are to be closed: so many days after one was found, or found again, by its severity.

use crate::Timestamp;
use crate::issue::{SEVERITY_CRITICAL, SEVERITY_INFO};
use crate::moment::DAY_MS;
use std::fmt;
use std::str::FromStr;

/// The words of the severities, the worst first.
const WORDS: [&str; 5] = ["critical", "high", "medium", "low", "info"];
/// The word for no due dates at all.
const NONE: &str = "none";
/// The most days: ten years. What is due later is not due.
const DAYS_MAX: u16 = 3_650;

/// Days by severity; a severity without any has no due date. Written as `critical=7,high=30`, or `none`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DueDays([Option<u16>; 5]);

impl DueDays {
    /// The days of a severity, 1 (critical) to 5.
    fn of(&self, severity: i64) -> Option<u16> {
        let place = usize::try_from(severity - SEVERITY_CRITICAL).ok()?;
        self.0.get(place).copied().flatten()
    }

    /// When an issue is due that was found, or found again, at a moment.
    pub fn due_at(&self, severity: i64, found: Timestamp) -> Option<Timestamp> {
        self.of(severity).map(|days| found.plus_ms(i64::from(days) * DAY_MS))
    }

    /// Each severity that has a due date, with the moment before which its issues were found that are overdue at `now`.
    pub fn overdue_since(&self, now: Timestamp) -> Vec<(i64, Timestamp)> {
        let severities = SEVERITY_CRITICAL..=SEVERITY_INFO;
        let since = |severity| Some((severity, now.plus_ms(-i64::from(self.of(severity)?) * DAY_MS)));
        severities.filter_map(since).collect()
    }
}

impl FromStr for DueDays {
    type Err = String;

    /// Fails for a word that is no severity, and for days that are no number from 1 to 3,650.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut days = Self::default();
        if text.trim() == NONE {
            return Ok(days);
        }
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let read = part.split_once('=').and_then(|(word, number)| {
                let place = WORDS.iter().position(|known| *known == word.trim())?;
                let number = number.trim().parse().ok().filter(|number| (1..=DAYS_MAX).contains(number))?;
                Some((place, number))
            });
            let (place, number) = read.ok_or_else(|| {
                format!(
                    "{part:?} says no days: expected {NONE}, or days by severity such as critical=7,high=30,medium=90, \
                     from 1 to {DAYS_MAX}"
                )
            })?;
            days.0[place] = Some(number);
        }
        Ok(days)
    }
}

impl fmt::Display for DueDays {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let said = WORDS.iter().zip(self.0).filter_map(|(word, days)| Some(format!("{word}={}", days?)));
        match said.collect::<Vec<_>>() {
            said if said.is_empty() => f.write_str(NONE),
            said => f.write_str(&said.join(",")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_read_as_they_are_written_and_counted_from_when_it_was_found() {
        for (text, shown) in [
            ("critical=7,high=30,medium=90,low=180", "critical=7,high=30,medium=90,low=180"),
            (" low = 180 , critical=7", "critical=7,low=180"),
            ("none", "none"),
            ("", "none"),
        ] {
            let days: DueDays = text.parse().unwrap();
            assert_eq!(days.to_string(), shown);
            assert_eq!(days.to_string().parse(), Ok(days));
        }
        let days: DueDays = "critical=7".parse().unwrap();
        let week = 7 * DAY_MS;
        assert_eq!(days.due_at(1, Timestamp(5)), Some(Timestamp(week + 5)));
        assert_eq!((days.due_at(2, Timestamp(5)), days.due_at(9, Timestamp(5))), (None, None));
        assert_eq!(days.overdue_since(Timestamp(week + 5)), [(1, Timestamp(5))]);
        assert_eq!(DueDays::default().overdue_since(Timestamp(5)), []);
    }

    #[test]
    fn what_says_no_days_is_named() {
        for text in ["urgent=7", "critical", "critical=0", "critical=4000", "critical=-1", "critical=7;high=30"] {
            let refused = text.parse::<DueDays>().unwrap_err();
            assert!(refused.contains("critical=7,high=30"), "{text}: {refused}");
        }
    }
}
