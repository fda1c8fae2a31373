//! Hours of the day in a named time zone, from data that the program brings: nothing of the machine is read.

use crate::Timestamp;
use crate::moment::HOUR_MS;
use crate::names::as_text;
use jiff::civil::{Date, Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{Span, Unit, Zoned};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The hour of the morning at which daily and weekly digests are sent.
const MORNING: i8 = 8;
/// Minutes of a day.
const DAY_MINUTES: u16 = 24 * 60;

/// A time zone by its IANA name: `Europe/Berlin`, `UTC`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Hours(TimeZone);

impl Hours {
    /// Greenwich.
    pub fn utc() -> Self {
        Self(TimeZone::UTC)
    }

    /// Reads a name. Fails with what was expected for any other text.
    pub fn parse(name: &str) -> Result<Self, String> {
        let zone = TimeZone::get(name).map(Self);
        zone.map_err(|_| format!("{name:?} is no time zone: expected a name such as Europe/Berlin, or UTC"))
    }

    fn at(&self, now: Timestamp) -> Zoned {
        let moment = jiff::Timestamp::from_millisecond(now.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        moment.to_zoned(self.0.clone())
    }

    /// Minutes since midnight, as a clock there shows them.
    pub(crate) fn minute_of_day(&self, now: Timestamp) -> u16 {
        let time = self.at(now).time();
        u16::try_from(i32::from(time.hour()) * 60 + i32::from(time.minute())).unwrap_or(0)
    }

    /// The day of the week from Sunday, and minutes since midnight, as a clock there shows them.
    pub(crate) fn day_and_minute(&self, now: Timestamp) -> (usize, u16) {
        let day = self.at(now).weekday().to_sunday_zero_offset();
        (usize::try_from(day).unwrap_or(0), self.minute_of_day(now))
    }

    /// The date there.
    pub(crate) fn date(&self, now: Timestamp) -> Date {
        self.at(now).date()
    }

    /// The moment at which a clock there shows a time; one that it skips comes as much later as it skips, and of one
    /// that it shows twice the first counts.
    pub(crate) fn moment(&self, date: Date, time: Time) -> Option<Timestamp> {
        let moment = date.to_datetime(time).to_zoned(self.0.clone()).ok()?;
        Some(Timestamp(moment.timestamp().as_millisecond()))
    }

    /// Returns the first moment after `now` that is a multiple of so many months after `from`, on the same day of the
    /// month and at the same time; a shorter month has its last day in the place of that. `None` beyond the calendar.
    pub(crate) fn months_after(&self, from: Timestamp, months: i64, now: Timestamp) -> Option<Timestamp> {
        let begun = self.at(from);
        let passed = begun.until((Unit::Month, &self.at(now))).map_or(0, |span| i64::from(span.get_months()));
        // Where the last day stands for a later one, a full month has passed before it is counted as one.
        (passed.max(0) / months..).take(3).filter(|multiple| *multiple > 0).find_map(|multiple| {
            let moment = begun.checked_add(Span::new().months(multiple * months)).ok()?;
            Some(Timestamp(moment.timestamp().as_millisecond())).filter(|moment| *moment > now)
        })
    }

    /// The next full hour.
    pub(crate) fn next_hour(&self, now: Timestamp) -> Timestamp {
        Timestamp((now.0.div_euclid(HOUR_MS) + 1) * HOUR_MS)
    }

    /// The next eight in the morning there.
    pub(crate) fn next_morning(&self, now: Timestamp) -> Timestamp {
        self.next_of(now, |_| true)
    }

    /// The next eight in the morning of a Monday there.
    pub(crate) fn next_monday(&self, now: Timestamp) -> Timestamp {
        self.next_of(now, |day| day == Weekday::Monday)
    }

    /// The first morning after a moment whose weekday is wanted; where the clock skips it, the first moment after.
    fn next_of(&self, now: Timestamp, wanted: impl Fn(Weekday) -> bool) -> Timestamp {
        let morning = Time::constant(MORNING, 0, 0, 0);
        let today = self.at(now).date();
        let days = (0..=8).filter_map(|ahead| today.checked_add(Span::new().days(ahead)).ok());
        let mut mornings = days.filter(|date| wanted(date.weekday())).filter_map(|date| {
            let moment = date.to_datetime(morning).to_zoned(self.0.clone()).ok()?;
            Some(Timestamp(moment.timestamp().as_millisecond()))
        });
        mornings.find(|at| *at > now).unwrap_or(now.plus_ms(crate::moment::DAY_MS))
    }
}

impl fmt::Display for Hours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.iana_name().unwrap_or("UTC"))
    }
}

as_text! { Hours }

/// Hours in which nothing is sent: `22:00-07:00`, which may go over midnight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Quiet {
    /// Minutes since midnight; the first that is quiet.
    from: u16,
    /// The first that is not.
    to: u16,
}

impl Quiet {
    /// Reads two times with a hyphen. Fails with what was expected for any other text, and where both are the same.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wanted = || format!("expected when they begin and when they end, such as 22:00-07:00, not {text:?}");
        let minutes = |text: &str| {
            let (hours, minutes) = text.trim().split_once(':')?;
            let (hours, minutes) = (hours.parse::<u16>().ok()?, minutes.parse::<u16>().ok()?);
            Some(hours * 60 + minutes).filter(|at| hours < 24 && minutes < 60 && *at < DAY_MINUTES)
        };
        let (from, to) = text.split_once('-').ok_or_else(wanted)?;
        let (from, to) = (minutes(from).ok_or_else(wanted)?, minutes(to).ok_or_else(wanted)?);
        if from == to { Err(wanted()) } else { Ok(Self { from, to }) }
    }

    /// Returns true where they go over midnight and a minute of the day is within them and after it.
    pub(crate) fn is_after_midnight(self, minute: u16) -> bool {
        self.from > self.to && minute < self.to
    }

    /// The first minute that is not quiet.
    pub(crate) fn end(self) -> u16 {
        self.to
    }

    /// Returns true where a minute of the day is within them.
    pub fn holds(self, minute: u16) -> bool {
        if self.from < self.to {
            (self.from..self.to).contains(&minute)
        } else {
            minute >= self.from || minute < self.to
        }
    }
}

impl fmt::Display for Quiet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { from, to } = self;
        write!(f, "{:02}:{:02}-{:02}:{:02}", from / 60, from % 60, to / 60, to % 60)
    }
}

as_text! { Quiet }

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(text: &str) -> Timestamp {
        Timestamp::parse(text).expect("a moment")
    }

    #[test]
    fn mornings_are_those_of_the_zone_on_both_sides_of_a_change_of_clocks() {
        let rows = [
            ("UTC", "2026-11-23T07:59:59Z", "2026-11-23T08:00:00Z", "2026-11-23T08:00:00Z"),
            ("UTC", "2026-11-23T08:00:00Z", "2026-11-24T08:00:00Z", "2026-11-30T08:00:00Z"),
            ("Europe/Berlin", "2026-11-22T12:00:00Z", "2026-11-23T07:00:00Z", "2026-11-23T07:00:00Z"),
            // Clocks went back in the night.
            ("Europe/Berlin", "2026-10-24T12:00:00Z", "2026-10-25T07:00:00Z", "2026-10-26T07:00:00Z"),
            ("Europe/Berlin", "2026-10-23T12:00:00Z", "2026-10-24T06:00:00Z", "2026-10-26T07:00:00Z"),
            ("Asia/Kolkata", "2026-11-23T00:00:00Z", "2026-11-23T02:30:00Z", "2026-11-23T02:30:00Z"),
        ];
        for (zone, now, morning, monday) in rows {
            let hours = Hours::parse(zone).expect("a zone");
            assert_eq!(hours.next_morning(moment(now)), moment(morning), "{zone} {now}");
            assert_eq!(hours.next_monday(moment(now)), moment(monday), "{zone} {now}");
        }
        assert_eq!(Hours::utc().next_hour(moment("2026-11-23T08:00:00Z")), moment("2026-11-23T09:00:00Z"));
    }

    #[test]
    fn quiet_hours_may_go_over_midnight() {
        let quiet = Quiet::parse("22:00-07:00").expect("quiet hours");
        let held: Vec<u16> = [0, 419, 420, 1_319, 1_320].into_iter().filter(|minute| quiet.holds(*minute)).collect();
        assert_eq!(held, [0, 419, 1_320]);
        assert!(Quiet::parse("12:00-13:30").is_ok_and(|quiet| quiet.holds(800) && !quiet.holds(810)));
        for text in ["", "22-7", "22:00-22:00", "24:00-01:00", "12:60-13:00", "12:00"] {
            assert!(Quiet::parse(text).is_err(), "{text}");
        }
        assert_eq!(quiet.to_string(), "22:00-07:00");
    }

    #[test]
    fn a_zone_is_one_of_the_list() {
        assert!(Hours::parse("Mars/Olympus").is_err());
        assert_eq!(Hours::parse("Europe/Berlin").expect("a zone").to_string(), "Europe/Berlin");
        assert_eq!(Hours::utc().to_string(), "UTC");
    }
}
