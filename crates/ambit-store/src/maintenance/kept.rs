//! What the operator says of how long what is over is kept.

use ambit_model::Timestamp;
use ambit_model::moment::DAY_MS;

/// How many days what is over is kept; `None`: for good.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retention {
    /// Versions that were closed, and observations that were replaced.
    pub versions_days: Option<u32>,
    /// The bytes of evidence, from when they were seen last.
    pub evidence_days: Option<u32>,
}

impl Retention {
    pub(super) fn before(days: Option<u32>, now: Timestamp) -> Option<Timestamp> {
        days.map(|days| now.plus_ms(-i64::from(days) * DAY_MS))
    }
}
