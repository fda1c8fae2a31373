//! The packs of rules that tell secrets, as runs are given them. They are read once for all runs of the process, and
//! again where one was loaded, replaced or removed since.

use ambit_secrets::{Rules, read_pack, with_packs};
use ambit_store::engine::Engine;
use ambit_store::{Pack, StoreError};
use std::sync::{Arc, Mutex, PoisonError};

/// The kind of packs that tell secrets.
const KIND: &str = "secrets";

/// What was read last, with the packs that it was read from.
static LAST: Mutex<Option<(Vec<Pack>, Arc<Rules>)>> = Mutex::new(None);

/// Returns our rules together with those of all packs; none where no pack is loaded.
pub(crate) async fn loaded(engine: &Engine) -> Result<Option<Arc<Rules>>, StoreError> {
    let mut packs = engine.packs().await?;
    packs.retain(|pack| pack.kind == KIND);
    if packs.is_empty() {
        return Ok(None);
    }
    let last = LAST.lock().unwrap_or_else(PoisonError::into_inner).clone();
    if let Some((_, rules)) = last.filter(|(known, _)| *known == packs) {
        return Ok(Some(rules));
    }
    let mut files = Vec::new();
    for pack in &packs {
        files.extend(engine.store().pack_sources(&pack.name).await?);
    }
    let read = tokio::task::spawn_blocking(move || {
        // They were read when they were loaded; what an older program took and this one does not is left out.
        let read = files.iter().filter_map(|(name, text)| match read_pack(text) {
            Ok(pack) => Some(pack),
            Err(error) => {
                tracing::warn!("a file of rules for secrets is left out: {name}: {error}");
                None
            }
        });
        with_packs(read.collect())
    });
    let Ok(rules) = read.await else {
        tracing::error!("rules for secrets of packs cannot be read: our own are used");
        return Ok(None);
    };
    *LAST.lock().unwrap_or_else(PoisonError::into_inner) = Some((packs, rules.clone()));
    Ok(Some(rules))
}
