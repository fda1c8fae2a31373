//! Packages of the apps that a collection begins with, where people uploaded them: looked for among the newest archives
//! that the collection's people see.

use super::EngineConfig;
use ambit_model::id::BlobHash;
use ambit_model::run::Run;
use ambit_model::seeds::Seeds;
use ambit_model::{Kind, workflow};
use ambit_store::Result;
use ambit_tasks::HeldPackage;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{LazyLock, Mutex};

/// Archives that are looked at for one run.
const ARCHIVES_MAX: usize = 500;
/// Bytes that are read for one run of archives that nobody looked at before: half a minute's work.
const READ_BYTES_MAX: i64 = 4 * 1_024 * 1_024 * 1_024;
/// Archives of which it is remembered what they are.
const KNOWN_MAX: usize = 10_000;

/// Which app an archive is the package of, of those that this process read; `None`: of none.
type Known = BTreeMap<BlobHash, Option<(Kind, String)>>;

static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);

/// The newest package of each app that is a seed and that the operator gave no file of.
pub(super) async fn packages(config: &EngineConfig, run: &Run, seeds: &Seeds) -> Result<Vec<HeldPackage>> {
    let engine = &config.engine;
    if engine.collection(run.collection).await?.workflow != workflow::MOBILE_APPS.name {
        return Ok(Vec::new());
    }
    let apps = Kind::APPS.iter().flat_map(|kind| seeds.of_kind(*kind).map(|name| (*kind, name.to_owned())));
    let mut wanted: BTreeSet<(Kind, String)> = apps.filter(|app| !config.settings.packages.contains_key(app)).collect();
    let (mut held, mut left) = (Vec::new(), READ_BYTES_MAX);
    if wanted.is_empty() {
        return Ok(held);
    }
    for (hash, size) in engine.uploaded_archives(run.collection, ARCHIVES_MAX).await? {
        let known = KNOWN.lock().expect("no thread died with it").get(&hash).cloned();
        let is_wanted = known.is_none_or(|app| app.is_some_and(|app| wanted.contains(&app)));
        let fits = usize::try_from(size).is_ok_and(|size| size <= HeldPackage::BYTES_MAX) && size <= left;
        if wanted.is_empty() || !is_wanted || !fits {
            continue;
        }
        left -= size;
        let Some(bytes) = engine.blob(hash).await? else { continue };
        match tokio::task::spawn_blocking(move || HeldPackage::of(&bytes)).await {
            Ok(Ok(package)) => {
                remember(hash, package.as_ref().map(|package| package.app.clone()));
                held.extend(package.filter(|package| wanted.remove(&package.app)));
            }
            Ok(Err(error)) => tracing::error!(run = run.id, %error, "a package cannot be written for the run"),
            Err(error) => tracing::error!(run = run.id, file = %hash, %error, "an uploaded file could not be read"),
        }
    }
    Ok(held)
}

fn remember(hash: BlobHash, app: Option<(Kind, String)>) {
    let mut known = KNOWN.lock().expect("no thread died with it");
    if known.len() >= KNOWN_MAX {
        known.clear();
    }
    known.insert(hash, app);
}
