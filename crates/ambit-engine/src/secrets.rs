//! The packs of rules that tell secrets, as runs are given them.

use crate::packs::{File, Packs};
use ambit_secrets::{Rules, read_pack, with_packs};
use std::sync::Arc;

/// The packs of rules for secrets.
pub(crate) static PACKS: Packs<Rules> = Packs::new("secrets", read);

fn read(files: Vec<File>) -> Arc<Rules> {
    let read = files.iter().filter_map(|(name, text)| match read_pack(text) {
        Ok(pack) => Some(pack),
        Err(error) => {
            tracing::warn!("a file of rules for secrets is left out: {name}: {error}");
            None
        }
    });
    with_packs(read.collect())
}
