//! Zones whose answers come without a proof: no name of them is asked for one again in the run.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

/// Zones that are remembered. Beyond that all are forgotten, and asked again.
const ZONES_MAX: usize = 10_000;

/// The zones of a run that have no proofs.
#[derive(Debug, Default)]
pub(crate) struct UnsignedZones(Mutex<HashSet<String>>);

impl UnsignedZones {
    /// Returns true where an answer of the zone came without a proof.
    pub(crate) fn has(&self, zone: &str) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(zone)
    }

    /// Notes that an answer of the zone came without one.
    pub(crate) fn insert(&self, zone: &str) {
        let mut zones = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if zones.len() >= ZONES_MAX {
            zones.clear();
        }
        zones.insert(zone.to_owned());
    }
}
