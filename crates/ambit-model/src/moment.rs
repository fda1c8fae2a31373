//! Points in time, in milliseconds since 1970-01-01T00:00:00Z, as the contract writes them.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// Milliseconds since the Unix epoch, UTC. Shown as `YYYY-MM-DDTHH:MM:SS.mmmZ` (docs/contract/asm.md §2.2: the fraction
/// is mandatory).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

/// Milliseconds of a second.
pub const SECOND_MS: i64 = 1_000;
/// Milliseconds of a minute.
pub const MINUTE_MS: i64 = 60 * SECOND_MS;
/// Milliseconds of an hour.
pub const HOUR_MS: i64 = 60 * MINUTE_MS;
/// Milliseconds of a day.
pub const DAY_MS: i64 = 24 * HOUR_MS;
/// Milliseconds of a week.
pub const WEEK_MS: i64 = 7 * DAY_MS;
/// Characters of a bare date.
const DATE_CHARS: usize = 10;

impl Timestamp {
    /// This moment moved by `ms` milliseconds.
    pub fn plus_ms(self, ms: i64) -> Self {
        Self(self.0.saturating_add(ms))
    }

    /// Midnight UTC of this moment's day.
    pub fn day_start(self) -> Self {
        Self(self.0.div_euclid(DAY_MS) * DAY_MS)
    }

    /// Parses RFC 3339, a time without zone (read as UTC), or a bare date (its midnight, UTC).
    pub fn parse(text: &str) -> Option<Self> {
        let full = if text.len() == DATE_CHARS { format!("{text}T00:00:00Z") } else { text.to_owned() };
        let zoned = full.ends_with(['Z', 'z']) || full.get(19..).is_some_and(|tail| tail.contains(['+', '-']));
        let full = if zoned { full } else { format!("{full}Z") };
        let moment = OffsetDateTime::parse(&full, &Rfc3339).ok()?;
        i64::try_from(moment.unix_timestamp_nanos().div_euclid(1_000_000)).ok().map(Self)
    }

    /// Parses the same; a bare date is the last millisecond of its day, UTC.
    pub fn parse_end(text: &str) -> Option<Self> {
        let moment = Self::parse(text)?;
        Some(if text.len() == DATE_CHARS { moment.plus_ms(DAY_MS - 1) } else { moment })
    }

    /// The day as `YYYY-MM-DD`.
    pub fn date(self) -> String {
        self.to_string()[..10].to_owned()
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The range of `time` is year ±9999; a stamp outside it is shown as the nearest bound rather than failing a
        // whole answer.
        let seconds = self.0.div_euclid(SECOND_MS).clamp(-62_167_219_200, 253_402_300_799);
        let moment = OffsetDateTime::from_unix_timestamp(seconds).expect("clamped to the supported range");
        write!(
            f,
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
            moment.year(),
            u8::from(moment.month()),
            moment.day(),
            moment.hour(),
            moment.minute(),
            moment.second(),
            self.0.rem_euclid(SECOND_MS)
        )
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom(format!("not a moment: {text:?}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_in_every_form_that_clients_send() {
        for (text, shown) in [
            ("2025-08-01", "2025-08-01T00:00:00.000Z"),
            ("2025-08-01T10:20:30Z", "2025-08-01T10:20:30.000Z"),
            ("2025-08-01T10:20:30.123Z", "2025-08-01T10:20:30.123Z"),
            ("2025-02-01T12:00:00.000005", "2025-02-01T12:00:00.000Z"),
            ("2025-02-01T12:00:00+02:00", "2025-02-01T10:00:00.000Z"),
        ] {
            assert_eq!(Timestamp::parse(text).map(|moment| moment.to_string()).as_deref(), Some(shown), "{text}");
        }
        for text in ["", "yesterday", "2025-13-01", "2025-08-01T", "2025-08-0é"] {
            assert_eq!(Timestamp::parse(text), None, "{text}");
        }
    }

    #[test]
    fn moments_beyond_the_calendar_are_shown_as_its_bounds() {
        assert_eq!(Timestamp(i64::MAX).to_string(), "9999-12-31T23:59:59.807Z");
        assert_eq!(Timestamp(i64::MIN).to_string(), "0000-01-01T00:00:00.192Z");
        assert_eq!(Timestamp(-1).to_string(), "1969-12-31T23:59:59.999Z");
        assert_eq!(Timestamp(-1).day_start().date(), "1969-12-31");
        assert_eq!(Timestamp(i64::MAX).plus_ms(1), Timestamp(i64::MAX));
    }

    proptest::proptest! {
        #[test]
        fn what_is_shown_is_read_again(ms in -62_167_219_200_000i64..253_402_300_800_000) {
            let moment = Timestamp(ms);
            proptest::prop_assert_eq!(Timestamp::parse(&moment.to_string()), Some(moment));
            proptest::prop_assert_eq!(Timestamp::parse(&moment.date()), Some(moment.day_start()));
        }

        #[test]
        fn no_text_breaks_the_reader(text in ".{0,40}") {
            let _ = Timestamp::parse(&text);
        }
    }
}
