//! Time values of the search language: dates and timestamps in the spellings that clients send, and the words
//! that mean a moment of each collection's own.

use std::fmt;
use time::{Date, Month, OffsetDateTime, Time, UtcOffset};

/// Most scans that `last_scan_count_N` reaches back.
const SCAN_COUNT_MAX: u8 = 10;

/// What a time keyword may be given, for messages.
pub(crate) const EXPECTED: &str = "a date (2025-08-01), a UTC timestamp (2025-08-01T12:00:00.000Z), last_refresh, \
     last_scan_count_1 to last_scan_count_10 or configured_scan_count";

/// A moment, or a word that each collection resolves for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TimeValue {
    /// Milliseconds since 1970 UTC.
    Absolute(i64),
    /// The start of the collection's last finished run.
    LastRefresh,
    /// The start of the N-th last finished run of the collection, 1 to 10.
    LastScanCount(u8),
    /// As [`TimeValue::LastScanCount`] with the number that the collection is configured with.
    ConfiguredScanCount,
}

/// Which millisecond stands for a finer moment: records have whole milliseconds, and a bound must neither gain
/// nor lose one.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Rounding {
    Up,
    Down,
}

/// Reads a time value; `None` when it is none.
pub(crate) fn parse(text: &str, rounding: Rounding) -> Option<TimeValue> {
    let lower = text.trim().to_ascii_lowercase();
    match lower.as_str() {
        "last_refresh" => return Some(TimeValue::LastRefresh),
        "configured_scan_count" => return Some(TimeValue::ConfiguredScanCount),
        _ => {}
    }
    if let Some(count) = lower.strip_prefix("last_scan_count_") {
        let count: u8 = digits(count, 1..=2)?.try_into().ok()?;
        return (1..=SCAN_COUNT_MAX).contains(&count).then_some(TimeValue::LastScanCount(count));
    }
    let nanoseconds = timestamp(&lower)?.unix_timestamp_nanos();
    let floor = nanoseconds.div_euclid(1_000_000);
    let inexact = nanoseconds.rem_euclid(1_000_000) != 0;
    let milliseconds = match rounding {
        Rounding::Up if inexact => floor + 1,
        Rounding::Up | Rounding::Down => floor,
    };
    i64::try_from(milliseconds).ok().map(TimeValue::Absolute)
}

/// Reads a moment, in milliseconds since 1970 UTC, or a bare date, which is its midnight; `None` when it is neither.
pub fn moment(text: &str) -> Option<i64> {
    match parse(text, Rounding::Down)? {
        TimeValue::Absolute(milliseconds) => Some(milliseconds),
        TimeValue::LastRefresh | TimeValue::LastScanCount(_) | TimeValue::ConfiguredScanCount => None,
    }
}

/// `YYYY-MM-DD`, then optionally `T` or a blank and `HH:MM[:SS[.fraction]]`, then optionally `Z`, ` UTC` or an offset.
fn timestamp(text: &str) -> Option<OffsetDateTime> {
    let date = date(text.get(..10)?)?;
    let rest = &text[10..];
    if rest.is_empty() {
        return Some(date.midnight().assume_utc());
    }
    let rest = rest.strip_prefix(['t', ' '])?;
    let zone_at = rest.find(|c: char| !c.is_ascii_digit() && c != ':' && c != '.').unwrap_or(rest.len());
    let (clock, zone) = rest.split_at(zone_at);
    let moment = date.with_time(time_of_day(clock)?).assume_offset(offset(zone)?);
    // The calendar of the crate ends at the year 9999; an offset can lead out of it.
    moment.checked_to_offset(UtcOffset::UTC)
}

fn date(text: &str) -> Option<Date> {
    let mut parts = text.split('-');
    let year = digits(parts.next()?, 4..=4)?;
    let month = digits(parts.next()?, 2..=2)?;
    let day = digits(parts.next()?, 2..=2)?;
    if parts.next().is_some() {
        return None;
    }
    let month = Month::try_from(u8::try_from(month).ok()?).ok()?;
    Date::from_calendar_date(i32::try_from(year).ok()?, month, u8::try_from(day).ok()?).ok()
}

fn time_of_day(text: &str) -> Option<Time> {
    let (whole, fraction) = match text.split_once('.') {
        None => (text, ""),
        Some((_, "")) => return None,
        Some(parts) => parts,
    };
    let mut parts = whole.split(':');
    let hour = digits(parts.next()?, 2..=2)?;
    let minute = digits(parts.next()?, 2..=2)?;
    let second = match parts.next() {
        None if fraction.is_empty() => 0,
        None => return None,
        Some(second) => digits(second, 2..=2)?,
    };
    if parts.next().is_some() {
        return None;
    }
    let nanosecond = if fraction.is_empty() { 0 } else { digits(&format!("{fraction:0<9}"), 9..=9)? };
    let small = |n: u32| u8::try_from(n).ok();
    Time::from_hms_nano(small(hour)?, small(minute)?, small(second)?, nanosecond).ok()
}

/// No zone means UTC: clients send local `isoformat()` texts without one.
fn offset(text: &str) -> Option<UtcOffset> {
    match text {
        "" | "z" | " utc" | " z" => return Some(UtcOffset::UTC),
        _ => {}
    }
    let (sign, rest) = match text.split_at_checked(1)? {
        // A `+` that is sent unescaped arrives as a blank.
        ("+" | " ", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let (hours, minutes) = match rest.split_once(':') {
        Some(parts) => parts,
        None => rest.split_at_checked(2)?,
    };
    let hours = i8::try_from(digits(hours, 2..=2)?).ok()?;
    let minutes = if minutes.is_empty() { 0 } else { i8::try_from(digits(minutes, 2..=2)?).ok()? };
    if hours > 23 || minutes > 59 {
        return None;
    }
    UtcOffset::from_hms(sign * hours, sign * minutes, 0).ok()
}

/// A number of ASCII digits only, as many as allowed (at most nine, so that it fits).
fn digits(text: &str, lengths: std::ops::RangeInclusive<usize>) -> Option<u32> {
    let right = lengths.contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    if right { text.parse().ok() } else { None }
}

impl fmt::Display for TimeValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TimeValue::LastRefresh => f.write_str("last_refresh"),
            TimeValue::LastScanCount(count) => write!(f, "last_scan_count_{count}"),
            TimeValue::ConfiguredScanCount => f.write_str("configured_scan_count"),
            TimeValue::Absolute(milliseconds) => {
                match OffsetDateTime::from_unix_timestamp_nanos(i128::from(*milliseconds) * 1_000_000) {
                    // Outside the calendar: a tree built by hand, still printable.
                    Err(_) => write!(f, "{milliseconds}ms"),
                    Ok(at) => {
                        let (year, month, day) = at.to_calendar_date();
                        let (hour, minute, second, ms) = at.to_hms_milli();
                        let month = u8::from(month);
                        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{ms:03}Z")
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str, expected: &str) {
        let shown = parse(text, Rounding::Down).map_or_else(|| "-".to_owned(), |value| value.to_string());
        assert_eq!(shown, expected, "{text}");
    }

    #[test]
    fn every_form_of_the_contract() {
        check("2025-08-01", "2025-08-01T00:00:00.000Z");
        check("2025-08-01T00:00:00Z", "2025-08-01T00:00:00.000Z");
        check("2025-08-01T12:30:01.250Z", "2025-08-01T12:30:01.250Z");
        check("2025-08-01T12:30:01.250000Z", "2025-08-01T12:30:01.250Z");
        check("2025-02-01T12:00:00.000005", "2025-02-01T12:00:00.000Z");
        check("2025-01-01T00:00:00", "2025-01-01T00:00:00.000Z");
        check("2025-01-01t00:00z", "2025-01-01T00:00:00.000Z");
        check("2022-09-09 16:45:52 UTC", "2022-09-09T16:45:52.000Z");
        check("2025-01-01T01:00:00+02:00", "2024-12-31T23:00:00.000Z");
        check("2025-01-01T01:00:00-0130", "2025-01-01T02:30:00.000Z");
        check("2025-01-01T01:00:00 02:00", "2024-12-31T23:00:00.000Z");
        check("2025-01-01 01:00:00 +0200", "-");
        check("last_refresh", "last_refresh");
        check("Last_Refresh", "last_refresh");
        check("last_scan_count_1", "last_scan_count_1");
        check("last_scan_count_10", "last_scan_count_10");
        check("configured_scan_count", "configured_scan_count");
        check("1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z");
    }

    #[test]
    fn what_is_no_time() {
        for text in [
            "",
            "now",
            "2025",
            "2025-13-01",
            "2025-02-30",
            "2025-8-1",
            "2025-08-01T",
            "2025-08-01T25:00:00",
            "2025-08-01T00:00:60Z",
            "2025-08-01T00:00:00.Z",
            "2025-08-01T00:00:00+24:00",
            "2025-08-01T00:00:00X",
            "2025-08-01T00:00:00.0000000001Z",
            "2025-08-01x",
            "+025-08-01",
            "last_scan_count_0",
            "last_scan_count_11",
            "last_scan_count_",
            "last_scan_count_-1",
            "1735689600",
            "9999-12-31T23:59:59-23:00",
            "２０２５-08-01",
        ] {
            check(text, "-");
        }
    }

    #[test]
    fn a_bound_rounds_towards_its_own_side() {
        let up = parse("2025-02-01T12:00:00.000005", Rounding::Up);
        assert_eq!(up.map(|value| value.to_string()).as_deref(), Some("2025-02-01T12:00:00.001Z"));
        let exact = parse("2025-02-01T12:00:00.000", Rounding::Up);
        assert_eq!(exact.map(|value| value.to_string()).as_deref(), Some("2025-02-01T12:00:00.000Z"));
    }

    proptest! {
        #[test]
        fn what_is_printed_reads_back(milliseconds in -62_135_596_800_000i64..253_402_300_799_999) {
            let text = TimeValue::Absolute(milliseconds).to_string();
            prop_assert_eq!(parse(&text, Rounding::Down), Some(TimeValue::Absolute(milliseconds)));
            prop_assert_eq!(parse(&text, Rounding::Up), Some(TimeValue::Absolute(milliseconds)));
        }

        #[test]
        fn no_text_panics(text in "\\PC{0,40}", near in "[0-9TtZz:+. -]{0,40}", value in any::<i64>()) {
            let _ = parse(&text, Rounding::Up);
            let _ = parse(&near, Rounding::Up);
            let _ = TimeValue::Absolute(value).to_string();
        }
    }
}
