//! Ranges of figures and moments as all query languages write them: `7`, `7+` (in graph searches more than that, in
//! others that or more), `7-` (less than); a day or a moment, with `+` (from it on) or `-` (before it) behind it.

use time::{Date, Month, OffsetDateTime};

const DAY_S: i64 = 86_400;

/// `from..until`; `None`: without end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    pub from: Option<i64>,
    pub until: Option<i64>,
}

impl Range {
    /// True for a value in it.
    pub fn holds(self, value: i64) -> bool {
        self.from.is_none_or(|from| value >= from) && self.until.is_none_or(|until| value < until)
    }

    /// A whole number as `read` understands it, with or without its suffix; `+` is that number or more.
    pub(crate) fn of_number(text: &str, read: &dyn Fn(&str) -> Option<i64>) -> Option<Self> {
        let (digits, suffix) = suffix(text);
        let number = read(digits)?;
        let next = number.checked_add(1)?;
        Some(match suffix {
            Some('+') => Self::between(Some(number), None),
            Some(_) => Self::between(None, Some(number)),
            None => Self::between(Some(number), Some(next)),
        })
    }

    /// The same, but `+` is more than the number.
    pub(crate) fn of_number_exclusive(text: &str, read: &dyn Fn(&str) -> Option<i64>) -> Option<Self> {
        let range = Self::of_number(text, read)?;
        match suffix(text).1 {
            Some('+') => Some(Self::between(Some(range.from?.checked_add(1)?), None)),
            _ => Some(range),
        }
    }

    /// A day is its midnight for the suffixes; without one it is the whole day. A moment is one second.
    pub(crate) fn of_date(text: &str) -> Option<Self> {
        let (text, suffix) = suffix(text);
        let (start, length) = match day(text) {
            Some(start) => (start, DAY_S),
            None => (moment(text)?, 1),
        };
        Some(match suffix {
            Some('+') => Self::between(Some(start), None),
            Some(_) => Self::between(None, Some(start)),
            None => Self::between(Some(start), Some(start.saturating_add(length))),
        })
    }

    fn between(from: Option<i64>, until: Option<i64>) -> Self {
        Self { from, until }
    }
}

/// Digits and nothing else.
pub(crate) fn plain(text: &str) -> Option<i64> {
    let whole = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    whole.then(|| text.parse().ok()).flatten()
}

/// Returns a date or number without its suffix, and the suffix.
fn suffix(text: &str) -> (&str, Option<char>) {
    match text.strip_suffix(['+', '-']) {
        Some(rest) => (rest, text.chars().last()),
        None => (text, None),
    }
}

fn day(text: &str) -> Option<i64> {
    let mut parts = text.split('-');
    let mut number = |length: std::ops::RangeInclusive<usize>| {
        let part = parts.next().filter(|part| length.contains(&part.len()))?;
        part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse::<u16>().ok()).flatten()
    };
    let (year, month, day) = (number(4..=4)?, number(1..=2)?, number(1..=2)?);
    if parts.next().is_some() {
        return None;
    }
    let month = Month::try_from(u8::try_from(month).ok()?).ok()?;
    let date = Date::from_calendar_date(i32::from(year), month, u8::try_from(day).ok()?).ok()?;
    Some(date.midnight().assume_utc().unix_timestamp())
}

/// Seconds since 1970, or a date with a time.
fn moment(text: &str) -> Option<i64> {
    if let Some(seconds) = plain(text) {
        return Some(seconds);
    }
    let zoned = text.strip_suffix(['Z', 'z']).unwrap_or(text);
    let format = time::format_description::well_known::Rfc3339;
    OffsetDateTime::parse(&format!("{zoned}Z"), &format).ok().map(OffsetDateTime::unix_timestamp)
}
