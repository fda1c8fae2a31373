//! The one place where the program asks what time it is; everything below takes the time as an argument.

use ambit_model::Timestamp;
use ambit_model::moment::MINUTE_MS;

/// Returns the time of the machine's clock.
pub(crate) fn now() -> Timestamp {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// Milliseconds by which clocks of several machines may differ without a word.
const AHEAD_MS: i64 = 10 * MINUTE_MS;

/// What to say where something is stamped with a moment that is not there yet: this clock is behind, or one was ahead.
pub(crate) fn ahead(newest: Option<Timestamp>, now: Timestamp) -> Option<String> {
    let newest = newest.filter(|newest| newest.0 - now.0 > AHEAD_MS)?;
    Some(format!(
        "the newest stored record has the time {newest}, and the clock says {now}: correct the clock; if it was ahead \
         before, records written then sort after those written now"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_that_are_not_there_yet_are_told_beyond_ten_minutes() {
        let now = Timestamp(1_000_000_000);
        assert_eq!(ahead(None, now), None);
        assert_eq!(ahead(Some(now.plus_ms(AHEAD_MS)), now), None);
        let said = ahead(Some(now.plus_ms(AHEAD_MS + 1)), now).expect("is told");
        assert!(said.contains("1970-01-12T13:56:40.001Z") && said.contains("1970-01-12T13:46:40.000Z"), "{said}");
    }
}
