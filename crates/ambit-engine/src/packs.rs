//! Packs of rules, as runs are given them: read once for all runs of the process, and again where one was loaded,
//! replaced or removed since.

use ambit_store::engine::Engine;
use ambit_store::{Pack, StoreError};
use std::sync::{Arc, Mutex, PoisonError};

/// The packs of one kind, whose files are each read as `F` and together make `T`.
pub(crate) struct Packs<F, T> {
    kind: &'static str,
    /// Reads a file, by its name and text. It was read when it was loaded; what an older program took and this one does
    /// not is left out, which the log says.
    read: fn(&str, &str) -> Result<F, String>,
    /// Puts files together, with what is our own.
    join: fn(Vec<F>) -> Arc<T>,
    /// What was read last, with the packs that it was read from.
    last: Mutex<Option<(Vec<Pack>, Arc<T>)>>,
}

impl<F: 'static, T: Send + Sync + 'static> Packs<F, T> {
    pub(crate) const fn new(
        kind: &'static str,
        read: fn(&str, &str) -> Result<F, String>,
        join: fn(Vec<F>) -> Arc<T>,
    ) -> Self {
        Self { kind, read, join, last: Mutex::new(None) }
    }

    /// Returns the packs of this kind that are loaded now.
    pub(crate) async fn of(&self, engine: &Engine) -> Result<Vec<Pack>, StoreError> {
        let mut packs = engine.packs().await?;
        packs.retain(|pack| pack.kind == self.kind);
        Ok(packs)
    }

    /// Returns our rules together with those of all packs of this kind; none where no pack is loaded, or where those of
    /// a pack cannot be read, which the log says.
    pub(crate) async fn loaded(&self, engine: &Engine) -> Result<Option<Arc<T>>, StoreError> {
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
        let (kind, read, join) = (self.kind, self.read, self.join);
        let made = move || join(files.iter().filter_map(|(name, text)| used(kind, name, read(name, text))).collect());
        let Ok(rules) = tokio::task::spawn_blocking(made).await else {
            tracing::error!("the packs of {} cannot be read: our own rules are used", self.kind);
            return Ok(None);
        };
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some((packs, rules.clone()));
        Ok(Some(rules))
    }
}

/// What is used of a file, if it could be read.
fn used<F>(kind: &str, name: &str, read: Result<F, String>) -> Option<F> {
    read.inspect_err(|error| tracing::warn!("a file of the packs of {kind} is left out: {name}: {error}")).ok()
}
