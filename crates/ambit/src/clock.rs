//! The one place where the program asks what time it is; everything below takes the time as an argument.

use ambit_model::Timestamp;

/// Returns the time of the machine's clock.
pub(crate) fn now() -> Timestamp {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
