//! When something of a world is, before the epoch is known.

use ambit_model::Timestamp;

/// A moment: relative to the epoch in milliseconds, or a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    FromEpoch(i64),
    At(Timestamp),
}

impl Default for Moment {
    fn default() -> Self {
        Self::FromEpoch(0)
    }
}

impl Moment {
    pub(crate) fn of(self, epoch: Timestamp) -> Timestamp {
        match self {
            Self::FromEpoch(ms) => epoch.plus_ms(ms),
            Self::At(moment) => moment,
        }
    }

    /// The moment so many milliseconds later.
    pub(crate) fn later(self, ms: i64) -> Self {
        match self {
            Self::FromEpoch(from_epoch) => Self::FromEpoch(from_epoch + ms),
            Self::At(moment) => Self::At(moment.plus_ms(ms)),
        }
    }
}
