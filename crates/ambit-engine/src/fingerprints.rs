//! The packs of rules that tell products, as runs are given them. They are read once for all runs of the process, and
//! again where one was loaded, replaced or removed since.

use ambit_fingerprints::{Set, load, with_packs};
use ambit_store::engine::Engine;
use ambit_store::{Pack, StoreError};
use std::sync::{Arc, Mutex, PoisonError};

/// The kind of packs that tell products.
const KIND: &str = "fingerprints";

/// What was read last, with the packs that it was read from.
static LAST: Mutex<Option<(Vec<Pack>, Arc<Set>)>> = Mutex::new(None);

/// The rules by which products are told now.
pub(crate) struct Rules {
    pub(crate) set: Arc<Set>,
    /// Tells them from those of other times: our own edition, and each pack with its version.
    pub(crate) stamp: String,
}

/// Returns the rules of now; none where those of a pack cannot be read.
pub(crate) async fn now(engine: &Engine) -> Result<Option<Rules>, StoreError> {
    let mut stamp = ambit_fingerprints::edition();
    let packs = engine.packs().await?;
    for pack in packs.iter().filter(|pack| pack.kind == KIND) {
        stamp.push_str(&format!("\n{} {}", pack.name, pack.version));
    }
    if stamp.lines().count() == 1 {
        return Ok(Some(Rules { set: ambit_fingerprints::own(), stamp }));
    }
    Ok(loaded(engine).await?.map(|set| Rules { set, stamp }))
}

/// Returns our rules together with those of all packs; none where no pack is loaded.
pub(crate) async fn loaded(engine: &Engine) -> Result<Option<Arc<Set>>, StoreError> {
    let mut packs = engine.packs().await?;
    packs.retain(|pack| pack.kind == KIND);
    if packs.is_empty() {
        return Ok(None);
    }
    let last = LAST.lock().unwrap_or_else(PoisonError::into_inner).clone();
    if let Some((_, set)) = last.filter(|(known, _)| *known == packs) {
        return Ok(Some(set));
    }
    let mut files = Vec::new();
    for pack in &packs {
        files.extend(engine.store().pack_sources(&pack.name).await?);
    }
    let read = tokio::task::spawn_blocking(move || {
        // They were read when they were loaded; what an older program took and this one does not is left out.
        let read = files.iter().filter_map(|(name, text)| match load(name, text.as_bytes()) {
            Ok(pack) => Some(pack),
            Err(error) => {
                tracing::warn!("a file of fingerprints is left out: {error}");
                None
            }
        });
        Arc::new(with_packs(read.collect()))
    });
    let Ok(set) = read.await else {
        tracing::error!("fingerprints of packs cannot be read: our own are used");
        return Ok(None);
    };
    *LAST.lock().unwrap_or_else(PoisonError::into_inner) = Some((packs, set.clone()));
    Ok(Some(set))
}
