//! Cron expressions: minute, hour, day of the month, month and day of the week, each a list of numbers, ranges and
//! steps, in a named time zone.

use crate::Timestamp;
use crate::names::as_text;
use crate::notification::hours::Hours;
use jiff::civil::{Date, Time};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Days that are looked through for the next start: 29 February comes within eight years, around 2100 too.
const AHEAD_DAYS: i32 = 8 * 366;
/// The days of a week as windows and expressions name them; Sunday is the first.
pub(crate) const DAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
/// Words for whole expressions.
const WORDS: [(&str, &str); 6] = [
    ("@hourly", "0 * * * *"),
    ("@daily", "0 0 * * *"),
    ("@weekly", "0 0 * * 0"),
    ("@monthly", "0 0 1 * *"),
    ("@yearly", "0 0 1 1 *"),
    ("@annually", "0 0 1 1 *"),
];

/// An expression, with the numbers that each field takes as bits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Cron {
    text: String,
    minutes: u64,
    hours: u64,
    days: u64,
    months: u64,
    /// From Sunday.
    weekdays: u64,
    /// Both fields of days say something: one that either takes is a day.
    is_either_day: bool,
}

impl Cron {
    /// Reads an expression of five fields, or a word such as `@daily`. Fails with what was expected for any other text,
    /// and for one that no day of the calendar fits.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        let spelled = WORDS.iter().find(|(word, _)| *word == text).map_or(text.as_str(), |(_, spelled)| spelled);
        let fields: Vec<&str> = spelled.split(' ').collect();
        let [minutes, hours, days, months, weekdays] = fields.as_slice() else {
            return Err(format!("{text:?} is no cron expression: expected five fields such as 30 2 * * mon-fri"));
        };
        let field = |what: &str, field: &str, (least, most): (u32, u32), names: &[&str]| {
            bits(field, (least, most), names)
                .ok_or_else(|| format!("{text:?} is no cron expression: {field:?} is no {what} from {least} to {most}"))
        };
        let weekdays_bits = field("day of the week", weekdays, (0, 7), &DAYS)?;
        let cron = Self {
            minutes: field("minute", minutes, (0, 59), &[])?,
            hours: field("hour", hours, (0, 23), &[])?,
            days: field("day of the month", days, (1, 31), &[])?,
            months: field("month", months, (1, 12), &MONTHS)?,
            // Seven is Sunday as well.
            weekdays: (weekdays_bits | (weekdays_bits >> 7)) & 0x7f,
            is_either_day: !days.starts_with('*') && !weekdays.starts_with('*'),
            text: text.clone(),
        };
        let any = Timestamp::default();
        if cron.next_after(any, &Hours::utc()).is_none() {
            return Err(format!("{text:?} is no cron expression: no day of the calendar fits"));
        }
        Ok(cron)
    }

    /// Returns the first start after a moment, by the clock of a zone. A time that the clock skips comes as much later
    /// as it skips; one that it shows twice is the first of the two.
    pub(crate) fn next_after(&self, now: Timestamp, zone: &Hours) -> Option<Timestamp> {
        // The clock may be put back after today's start: it is looked for from the day before.
        let first = zone.date(now).yesterday().ok()?;
        let mut date = first;
        for _ in 0..AHEAD_DAYS {
            if self.takes(date) {
                let mut starts = self.times().filter_map(|time| zone.moment(date, time));
                if let Some(start) = starts.find(|start| *start > now) {
                    return Some(start);
                }
            }
            date = date.tomorrow().ok()?;
        }
        None
    }

    fn takes(&self, date: Date) -> bool {
        let has = |bits: u64, number: i8| u32::try_from(number).is_ok_and(|number| bits & (1 << number) != 0);
        let of_month = has(self.days, date.day());
        let of_week = has(self.weekdays, date.weekday().to_sunday_zero_offset());
        let is_day = if self.is_either_day { of_month || of_week } else { of_month && of_week };
        is_day && has(self.months, date.month())
    }

    fn times(&self) -> impl Iterator<Item = Time> {
        let set = |bits: u64, most: i8| (0..=most).filter(move |number| bits & (1 << *number) != 0);
        let minutes = self.minutes;
        set(self.hours, 23)
            .flat_map(move |hour| set(minutes, 59).filter_map(move |minute| Time::new(hour, minute, 0, 0).ok()))
    }
}

/// The numbers of a field: `*`, `*/15`, `1-5`, `1-31/2`, `mon,wed`.
fn bits(field: &str, (least, most): (u32, u32), names: &[&str]) -> Option<u64> {
    let number = |word: &str| match names.iter().position(|name| *name == word) {
        Some(at) => u32::try_from(at).ok().map(|at| at + least),
        None => word.parse().ok().filter(|number| (least..=most).contains(number)),
    };
    let mut bits = 0;
    for part in field.split(',') {
        let (range, step) = match part.split_once('/') {
            Some((range, step)) => (range, step.parse::<usize>().ok().filter(|step| *step > 0)?),
            None => (part, 1),
        };
        let (first, last) = match range.split_once('-') {
            _ if range == "*" => (least, most),
            Some((first, last)) => (number(first)?, number(last)?),
            // From one number on in steps.
            None if part.contains('/') => (number(range)?, most),
            None => (number(range)?, number(range)?),
        };
        if first > last {
            return None;
        }
        bits |= (first..=last).step_by(step).fold(0, |bits, number| bits | (1 << number));
    }
    Some(bits)
}

impl fmt::Display for Cron {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

as_text! { Cron }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_start_is_that_of_the_zone() {
        for (text, zone, now, next) in [
            ("30 2 * * *", "UTC", "2026-11-23T02:29:59Z", "2026-11-23T02:30:00Z"),
            ("30 2 * * *", "UTC", "2026-11-23T02:30:00Z", "2026-11-24T02:30:00Z"),
            ("*/15 * * * *", "UTC", "2026-11-23T02:31:00Z", "2026-11-23T02:45:00Z"),
            ("0 4 * * mon-fri", "UTC", "2026-11-20T05:00:00Z", "2026-11-23T04:00:00Z"),
            ("0 4 * * 7", "UTC", "2026-11-23T00:00:00Z", "2026-11-29T04:00:00Z"),
            ("0 4 31 * *", "UTC", "2026-11-23T00:00:00Z", "2026-12-31T04:00:00Z"),
            ("0 4 29 feb *", "UTC", "2026-11-23T00:00:00Z", "2028-02-29T04:00:00Z"),
            // The 13th, and every Friday.
            ("0 0 13 * fri", "UTC", "2026-11-23T00:00:00Z", "2026-11-27T00:00:00Z"),
            ("0 6-18/6 1,15 */3 *", "UTC", "2026-11-23T00:00:00Z", "2027-01-01T06:00:00Z"),
            ("@monthly", "UTC", "2026-11-23T00:00:00Z", "2026-12-01T00:00:00Z"),
            ("30 2 * * *", "Europe/Berlin", "2026-11-23T00:00:00Z", "2026-11-23T01:30:00Z"),
            // The clock goes from 2 to 3, and back from 3 to 2.
            ("30 2 * * *", "Europe/Berlin", "2027-03-27T12:00:00Z", "2027-03-28T01:30:00Z"),
            ("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", "2026-10-25T00:30:00Z"),
            ("30 2 * * *", "Europe/Berlin", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"),
            ("0 9 * * *", "Asia/Kolkata", "2026-11-23T03:30:00Z", "2026-11-24T03:30:00Z"),
        ] {
            let cron = Cron::parse(text).expect(text);
            let at = Timestamp::parse(now).and_then(|now| cron.next_after(now, &Hours::parse(zone).expect("a zone")));
            assert_eq!(at, Timestamp::parse(next), "{text} {zone} {now}");
        }
    }

    #[test]
    fn what_is_no_expression_is_refused_with_the_field() {
        for (text, why) in [
            ("", "expected five fields"),
            ("* * * *", "expected five fields"),
            ("60 * * * *", "\"60\" is no minute from 0 to 59"),
            ("0 24 * * *", "\"24\" is no hour from 0 to 23"),
            ("0 0 0 * *", "\"0\" is no day of the month from 1 to 31"),
            ("0 0 * 13 *", "\"13\" is no month from 1 to 12"),
            ("0 0 * * mo", "\"mo\" is no day of the week from 0 to 7"),
            ("*/0 * * * *", "\"*/0\" is no minute"),
            ("5-1 * * * *", "\"5-1\" is no minute"),
            ("0 0 31 feb *", "no day of the calendar fits"),
        ] {
            let error = Cron::parse(text).expect_err(text);
            assert!(error.contains(why), "{error}");
        }
        assert_eq!(Cron::parse(" 0  4 * * MON ").expect("is one").to_string(), "0 4 * * mon");
    }
}
