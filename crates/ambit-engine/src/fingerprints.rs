//! The packs of rules that tell products, as runs are given them.

use crate::packs::Packs;
use ambit_fingerprints::{Pack, Set, load, with_packs};
use ambit_store::Result;
use ambit_store::engine::Engine;
use std::sync::Arc;

/// The packs of rules for products.
pub(crate) static PACKS: Packs<Pack, Set> = Packs::new(
    "fingerprints",
    |name, text| load(name, text.as_bytes()).map_err(|error| error.to_string()),
    |files| Arc::new(with_packs(files)),
);

/// The rules by which products are told now.
pub(crate) struct Rules {
    pub(crate) set: Arc<Set>,
    /// Tells them from those of other times: our own edition, and each pack with its version.
    pub(crate) stamp: String,
}

/// Returns the rules of now; none where those of a pack cannot be read.
pub(crate) async fn now(engine: &Engine) -> Result<Option<Rules>> {
    let mut stamp = ambit_fingerprints::edition();
    let packs = PACKS.of(engine).await?;
    for pack in &packs {
        stamp.push_str(&format!("\n{} {}", pack.name, pack.version));
    }
    if packs.is_empty() {
        return Ok(Some(Rules { set: ambit_fingerprints::own(), stamp }));
    }
    Ok(PACKS.loaded(engine).await?.map(|set| Rules { set, stamp }))
}
