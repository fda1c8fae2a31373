//! When a collection runs by itself beyond the words of its schedule: by a cron expression in a time zone, spread by
//! some minutes, and never within windows in which its runs rest.

use crate::Timestamp;
use crate::cron::{Cron, DAYS};
use crate::moment::MINUTE_MS;
use crate::names::as_text;
use crate::notification::hours::{Hours, Quiet};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt;
use uuid::Uuid;

/// Windows of a collection at most.
pub(crate) const WINDOWS_MAX: usize = 20;
/// Minutes by which a start is put off at most: half a day.
pub(crate) const JITTER_MINUTES_MAX: u16 = 720;
/// Ends of windows that follow on one another before time is said to be left over nowhere: a week of the most windows.
const ENDS_MAX: usize = 8 * WINDOWS_MAX;
/// Minutes of a day.
const DAY_MINUTES: u16 = 24 * 60;

/// What was said of the time of a collection's runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timing {
    /// In the place of the schedule's word.
    pub cron: Option<Cron>,
    /// Of the expression and the windows.
    pub zone: Hours,
    /// In which no run starts, and one that goes on rests.
    pub windows: Vec<Window>,
    /// By how many minutes a start is put off at most, so that not all of them begin at once.
    pub jitter_minutes: u16,
}

impl Default for Timing {
    fn default() -> Self {
        Self { cron: None, zone: Hours::utc(), windows: Vec::new(), jitter_minutes: 0 }
    }
}

/// A change of a timing; a member that is `None` stays as it was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TimingChange {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cron: Option<Cron>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<Hours>,
    /// All windows, not only new ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub windows: Option<Vec<Window>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jitter_minutes: Option<u16>,
}

impl TimingChange {
    /// Returns a timing with this change. Fails as `Timing::checked` does.
    pub fn of(&self, timing: &Timing) -> Result<Timing, String> {
        let changed = Timing {
            cron: self.cron.as_ref().or(timing.cron.as_ref()).cloned(),
            zone: self.zone.as_ref().unwrap_or(&timing.zone).clone(),
            windows: self.windows.as_ref().unwrap_or(&timing.windows).clone(),
            jitter_minutes: self.jitter_minutes.unwrap_or(timing.jitter_minutes),
        };
        changed.checked()
    }
}

impl Timing {
    /// Returns this timing if it leaves time for runs and its members are within their limits; else says why not.
    pub fn checked(self) -> Result<Self, String> {
        if self.windows.len() > WINDOWS_MAX {
            return Err(format!("there may be {WINDOWS_MAX} windows at most"));
        }
        if self.jitter_minutes > JITTER_MINUTES_MAX {
            return Err(format!("a start may be put off by {JITTER_MINUTES_MAX} minutes at most"));
        }
        let mut covered = [false; 7 * DAY_MINUTES as usize];
        for (at, is_covered) in covered.iter_mut().enumerate() {
            let (day, minute) = (at / usize::from(DAY_MINUTES), at % usize::from(DAY_MINUTES));
            let minute = u16::try_from(minute).unwrap_or(0);
            *is_covered = self.windows.iter().any(|window| window.holds(day, minute));
        }
        if covered.iter().all(|is_covered| *is_covered) {
            return Err("the windows leave no time for a run".to_owned());
        }
        Ok(self)
    }

    /// Returns when the next run of a collection is due after `now`: by the expression, or, where there is none, at
    /// `otherwise`, which its schedule says.
    pub fn due_after(&self, otherwise: Option<Timestamp>, collection: Uuid, now: Timestamp) -> Option<Timestamp> {
        let due = match &self.cron {
            Some(cron) => cron.next_after(now, &self.zone),
            None => otherwise,
        }?;
        Some(due.plus_ms(self.put_off(collection, due)))
    }

    /// By how many milliseconds that start of that collection is put off: the same whoever asks.
    fn put_off(&self, collection: Uuid, due: Timestamp) -> i64 {
        let most = i64::from(self.jitter_minutes) * MINUTE_MS;
        if most == 0 {
            return 0;
        }
        let digest = Sha256::new().chain_update(collection.as_bytes()).chain_update(due.0.to_be_bytes()).finalize();
        let number = i64::from(u32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]]));
        number % most
    }

    /// Returns until when runs rest; `None` outside of all windows.
    pub fn rests_until(&self, now: Timestamp) -> Option<Timestamp> {
        let mut at = now;
        for _ in 0..ENDS_MAX {
            let (day, minute) = self.zone.day_and_minute(at);
            let Some(window) = self.windows.iter().find(|window| window.holds(day, minute)) else { break };
            let into_minute = at.0.rem_euclid(MINUTE_MS);
            at = at.plus_ms(i64::from(window.minutes_left(minute)) * MINUTE_MS - into_minute);
        }
        (at > now).then_some(at)
    }
}

/// Hours of some days of the week: `mon-fri 08:00-18:00`, or of all of them: `22:00-06:00`. One that goes over midnight
/// belongs to the day on which it begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Window {
    /// From Sunday.
    days: [bool; 7],
    hours: Quiet,
}

impl Window {
    /// Reads a window. Fails with what was expected for any other text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wanted = || format!("{text:?} is no window: expected hours such as mon-fri 08:00-18:00, or 22:00-06:00");
        let text = text.trim().to_lowercase();
        let (days, hours) = match text.split_once(char::is_whitespace) {
            Some((days, hours)) => (days_of(days).ok_or_else(wanted)?, hours),
            None => ([true; 7], text.as_str()),
        };
        Ok(Self { days, hours: Quiet::parse(hours.trim()).map_err(|_| wanted())? })
    }

    fn holds(&self, day: usize, minute: u16) -> bool {
        let begins_on = if self.hours.is_after_midnight(minute) { (day + 6) % 7 } else { day };
        self.days[begins_on] && self.hours.holds(minute)
    }

    /// Minutes until its end, from a minute within it.
    fn minutes_left(&self, minute: u16) -> u16 {
        (self.hours.end() + DAY_MINUTES - minute - 1) % DAY_MINUTES + 1
    }
}

/// The days of a list such as `mon-fri,sun`.
fn days_of(text: &str) -> Option<[bool; 7]> {
    let number = |word: &str| DAYS.iter().position(|day| *day == word);
    let mut days = [false; 7];
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (mut day, last) = (number(first)?, number(last)?);
        days[day] = true;
        while day != last {
            day = (day + 1) % 7;
            days[day] = true;
        }
    }
    Some(days)
}

impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.days != [true; 7] {
            let named = DAYS.iter().zip(self.days).filter_map(|(day, is_in)| is_in.then_some(*day));
            write!(f, "{} ", named.collect::<Vec<_>>().join(","))?;
        }
        self.hours.fmt(f)
    }
}

as_text! { Window }

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(text: &str) -> Timestamp {
        Timestamp::parse(text).expect("a moment")
    }

    fn resting(zone: &str, windows: &[&str]) -> Timing {
        let windows = windows.iter().map(|text| Window::parse(text).expect("a window")).collect();
        Timing { zone: Hours::parse(zone).expect("a zone"), windows, ..Timing::default() }
    }

    #[test]
    fn a_run_rests_until_the_last_of_the_windows_that_follow_on_one_another() {
        // 2026-11-23 is a Monday.
        for (zone, windows, now, until) in [
            ("UTC", &["mon-fri 08:00-18:00"][..], "2026-11-23T07:59:59Z", None),
            ("UTC", &["mon-fri 08:00-18:00"], "2026-11-23T08:00:30Z", Some("2026-11-23T18:00:00Z")),
            ("UTC", &["mon-fri 08:00-18:00"], "2026-11-23T18:00:00Z", None),
            ("UTC", &["mon-fri 08:00-18:00"], "2026-11-22T12:00:00Z", None),
            ("Europe/Berlin", &["mon 08:00-18:00"], "2026-11-23T07:00:00Z", Some("2026-11-23T17:00:00Z")),
            ("UTC", &["mon 22:00-06:00"], "2026-11-24T05:00:00Z", Some("2026-11-24T06:00:00Z")),
            ("UTC", &["mon 22:00-06:00"], "2026-11-23T05:00:00Z", None),
            ("UTC", &["08:00-12:00", "12:00-18:00"], "2026-11-23T09:00:00Z", Some("2026-11-23T18:00:00Z")),
            ("UTC", &["fri-mon 00:00-23:59"], "2026-11-23T10:00:00Z", Some("2026-11-23T23:59:00Z")),
            ("UTC", &[], "2026-11-23T10:00:00Z", None),
        ] {
            let timing = resting(zone, windows);
            assert_eq!(timing.rests_until(moment(now)), until.map(moment), "{zone} {windows:?} {now}");
        }
    }

    #[test]
    fn windows_are_read_and_written() {
        for (text, shown) in [
            ("Mon-Fri 08:00-18:00", Some("mon,tue,wed,thu,fri 08:00-18:00")),
            ("sat,sun  22:00-6:00", Some("sun,sat 22:00-06:00")),
            ("22:00-06:00", Some("22:00-06:00")),
            ("mon", None),
            ("someday 08:00-18:00", None),
            ("mon 8-18", None),
            ("", None),
        ] {
            assert_eq!(Window::parse(text).ok().map(|window| window.to_string()).as_deref(), shown, "{text}");
        }
        assert!(resting("UTC", &["00:00-12:00", "12:00-00:00"]).checked().is_err(), "no time is left");
        assert!(resting("UTC", &["mon-sat 00:00-12:00", "12:00-00:00"]).checked().is_ok());
        assert!(Timing { jitter_minutes: 721, ..Timing::default() }.checked().is_err());
    }

    #[test]
    fn starts_are_put_off_by_the_same_time_whoever_asks() {
        let timing = Timing { jitter_minutes: 30, ..Timing::default() };
        let now = moment("2026-11-23T10:00:00Z");
        let next = moment("2026-11-24T10:00:00Z");
        let due = |of: u128| timing.due_after(Some(next), Uuid::from_u128(of), now).expect("is due");
        assert_eq!(due(1), due(1));
        assert!((1..50).any(|of| due(of) != due(0)), "they are spread");
        assert!((0..50).all(|of| due(of) >= next && due(of) < next.plus_ms(30 * MINUTE_MS)));
        assert_eq!(timing.due_after(None, Uuid::nil(), now), None);
    }
}
