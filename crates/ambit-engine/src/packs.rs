//! Packs of rules, as runs are given them: read once for all runs of the process, and again where one was loaded,
//! replaced or removed since.

use ambit_store::engine::Engine;
use ambit_store::{Pack, Result};
use std::sync::{Arc, Mutex, PoisonError};

/// A file of a pack: its name and its text.
pub(crate) type File = (String, String);

/// The packs of one kind.
pub(crate) struct Packs<T> {
    kind: &'static str,
    /// Makes the rules of the files. They were read when they were loaded; what an older program took and this one does
    /// not is left out, which the log says.
    read: fn(Vec<File>) -> Arc<T>,
    /// What was read last, with the packs that it was read from.
    last: Mutex<Option<(Vec<Pack>, Arc<T>)>>,
}

impl<T: Send + Sync + 'static> Packs<T> {
    pub(crate) const fn new(kind: &'static str, read: fn(Vec<File>) -> Arc<T>) -> Self {
        Self { kind, read, last: Mutex::new(None) }
    }

    /// Returns the packs of this kind that are loaded now.
    pub(crate) async fn of(&self, engine: &Engine) -> Result<Vec<Pack>> {
        let mut packs = engine.packs().await?;
        packs.retain(|pack| pack.kind == self.kind);
        Ok(packs)
    }

    /// Returns our rules together with those of all packs of this kind; none where no pack is loaded, or where those of
    /// a pack cannot be read, which the log says.
    pub(crate) async fn loaded(&self, engine: &Engine) -> Result<Option<Arc<T>>> {
        let packs = self.of(engine).await?;
        if packs.is_empty() {
            return Ok(None);
        }
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((_, rules)) = last.filter(|(known, _)| *known == packs) {
            return Ok(Some(rules));
        }
        let mut files = Vec::new();
        for pack in &packs {
            files.extend(engine.store().pack_sources(&pack.name).await?);
        }
        let read = self.read;
        let Ok(rules) = tokio::task::spawn_blocking(move || read(files)).await else {
            tracing::error!("the packs of {} cannot be read: our own rules are used", self.kind);
            return Ok(None);
        };
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some((packs, rules.clone()));
        Ok(Some(rules))
    }
}
