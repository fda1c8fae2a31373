//! The lists of platforms that a user loaded, as runs are given them.

use crate::packs::Packs;
use ambit_model::platforms::pack::{Entries, Pack, read_pack};
use std::sync::Arc;

/// The packs that list platforms.
pub(crate) static PACKS: Packs<Entries, Pack> =
    Packs::new("platforms", |_, text| read_pack(text), |files| Arc::new(Pack::new(files)));
