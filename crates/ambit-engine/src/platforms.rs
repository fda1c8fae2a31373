//! The lists of platforms that a user loaded, as runs are given them.

use crate::packs::{File, Packs};
use ambit_model::platforms::pack::{Pack, read_pack};
use std::sync::Arc;

/// The packs that list platforms.
pub(crate) static PACKS: Packs<Pack> = Packs::new("platforms", read);

fn read(files: Vec<File>) -> Arc<Pack> {
    let read = files.iter().filter_map(|(name, text)| match read_pack(text) {
        Ok(entries) => Some(entries),
        Err(error) => {
            tracing::warn!("a list of platforms is left out: {name}: {error}");
            None
        }
    });
    Arc::new(Pack::new(read.collect()))
}
