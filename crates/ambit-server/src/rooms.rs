//! Room for bodies: how much of them is held at once. What has no room waits.

use crate::shares::{Owner, Share, Shares};
use ambit_api::{ApiError, ErrorCode, Result};
use std::time::Duration;

/// Bytes of bodies that are held at once.
const HELD_BYTES: usize = 64 * 1024 * 1024;
/// Forms without a known key that are read at once to find their key; a quarter of them from one address.
const STRANGERS_MAX: i64 = 64;
/// Bytes of one unit of room.
const UNIT_BYTES: usize = 1024;
/// Requests of one owner that wait for room at most.
const WAITING_MAX: usize = 256;
/// Seconds until a body that found no room is sent again.
const RETRY_S: u32 = 2;

/// Room for bodies.
pub(crate) struct Rooms {
    /// For callers whose key is known; one of them has half.
    known: Shares,
    /// For requests with the key in the body.
    strangers: Shares,
}

impl Default for Rooms {
    fn default() -> Self {
        let units = i64::try_from(HELD_BYTES / UNIT_BYTES).expect("a small number");
        Self {
            known: Shares::new(units, units / 2, WAITING_MAX),
            strangers: Shares::new(STRANGERS_MAX, STRANGERS_MAX / 4, WAITING_MAX),
        }
    }
}

impl Rooms {
    /// Room for so many bytes of a caller's body.
    pub(crate) async fn room(&self, owner: Owner, bytes: usize, wait: Duration) -> Result<Share> {
        let units = i64::try_from(bytes.div_ceil(UNIT_BYTES)).expect("bodies have a limit far below");
        let room = self.known.take(owner, units, wait).await;
        room.ok_or_else(|| ApiError::with(ErrorCode::Transient, "Too much is being sent at once").retry_after(RETRY_S))
    }

    /// Takes a place for a form without a known key, which is read to find its key.
    pub(crate) async fn stranger(&self, owner: Owner, wait: Duration) -> Result<Share> {
        let place = self.strangers.take(owner, 1, wait).await;
        place.ok_or_else(|| ApiError::new(ErrorCode::Transient).retry_after(RETRY_S))
    }
}
