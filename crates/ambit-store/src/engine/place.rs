//! The engine's place: who holds it, its heartbeat, and reading what persons want of its runs.

use crate::db::folder::{self, EngineLock};
use crate::db::open;
use crate::db::rows::named;
use crate::db::sql::{Tx, values, whole};
use crate::db::store::Pools;
use crate::db::writer::{Who, transaction};
use crate::inventory::{blobs, collections, runs};
use crate::{Result, Store};
use ambit_model::collection::Collection;
use ambit_model::id::{BlobHash, RunId};
use ambit_model::run::{Run, RunProgress};
use ambit_model::seeds::Seeds;
use ambit_model::{Kind, Timestamp, Uid};
use futures::future::BoxFuture;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use uuid::Uuid;

/// On PostgreSQL an engine without a heartbeat for this long has lost its runs and leases (docs/architecture.md §2), in
/// milliseconds.
pub(super) const LAPSED_MS: i64 = 20_000;

/// The handle that the engine writes through. Dropping the last clone releases the engine's lock. Every call fails as
/// the database does, and then nothing of its transaction was stored.
#[derive(Clone)]
pub struct Engine {
    pub(super) store: Store,
    pub(super) id: i64,
    pub(super) name: Arc<str>,
    _lock: Arc<Option<EngineLock>>,
}

impl Store {
    /// Acquires the engine's lock. In a data folder only one process holds it; a second waits up to `wait` and then
    /// fails with `Busy`, which names the holder. On PostgreSQL any number of engines work, each with a heartbeat.
    pub async fn engine(&self, name: &str, wait: Duration) -> Result<Engine> {
        let lock = match &self.inner.folder {
            Some(folder) => Some(folder::lock_engine(folder, name, wait).await?),
            None => None,
        };
        let (name, alone, now) = (name.to_owned(), lock.is_some(), open::wall_now());
        let text = name.clone();
        let id = transaction!(self, Engine, async |tx| {
            // The lock proves that the former holder of this folder is gone, whatever its heartbeat says.
            let before = if alone { i64::MAX } else { now.0 - LAPSED_MS };
            tx.run("DELETE FROM engines WHERE heartbeat_at < $1", values![before]).await?;
            let row = named! { name: text, started_at: now, heartbeat_at: now };
            let id: i64 = tx.insert_read("engines", row, "id").await?;
            if alone {
                // SQLite may give a former holder's number again: nobody holds any run now.
                tx.run("UPDATE runs SET engine_id = NULL WHERE engine_id IS NOT NULL", Vec::new()).await?;
            }
            Ok(id)
        })?;
        Ok(Engine { store: self.clone(), id, name: name.into(), _lock: Arc::new(lock) })
    }
}

impl Engine {
    /// The store that it writes to.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Reads what the engine wrote. On SQLite over the one writing connection: each commit empties the caches of all
    /// others, and what a run reads is what it has just written.
    pub(super) async fn read<T, F>(&self, body: F) -> Result<T>
    where
        T: Send + 'static,
        F: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T>> + Send + 'static,
    {
        match self.store.pools() {
            Pools::Sqlite(..) => self.store.write(Who::Engine, body).await,
            Pools::Postgres(..) => body(&mut self.store.read().await?).await,
        }
    }

    /// A run as persons set it, with its counters.
    pub async fn run(&self, id: RunId) -> Result<Run> {
        let mut tx = self.store.read().await?;
        Ok(runs::load(&mut tx, id).await?.0)
    }

    /// A collection with its wire and level.
    pub async fn collection(&self, uuid: Uuid) -> Result<Collection> {
        let mut tx = self.store.read().await?;
        Ok(collections::load(&mut tx, uuid).await?.0)
    }

    /// Returns the types of the integrations that a collection uses, one for each.
    pub async fn linked_integrations(&self, collection: Uuid) -> Result<Vec<String>> {
        let sql = "SELECT i.kind FROM integration_collections x JOIN integrations i ON i.id = x.integration_id JOIN \
                   collections c ON c.id = x.collection_id WHERE c.uuid = $1 ORDER BY i.id";
        self.store.read().await?.read_all(sql, values![collection]).await
    }

    /// Returns the exclusions of a collection.
    pub async fn rules(&self, collection: Uuid) -> Result<Vec<String>> {
        let mut tx = self.store.read().await?;
        Ok(collections::load(&mut tx, collection).await?.1)
    }

    /// Returns the large blocks among the seeds of a collection whose sweep a person has confirmed.
    pub async fn confirmed_blocks(&self, collection: Uuid) -> Result<BTreeSet<Uid>> {
        let sql = "SELECT s.uid FROM seeds s JOIN collections c ON c.id = s.collection_id WHERE c.uuid = $1 AND \
                   s.confirmed = 1";
        Ok(self.store.read().await?.read_all(sql, values![collection]).await?.into_iter().collect())
    }

    /// How often people changed what the runs of a collection go by: its level, its exclusions, the allow and deny
    /// lists, and which large blocks may be swept.
    pub async fn scope_revision(&self, collection: Uuid) -> Result<i64> {
        let sql = "SELECT scope_revision FROM collections WHERE uuid = $1";
        self.store.read().await?.find(sql, values![collection]).await
    }

    /// Returns the seeds of a collection that were given on a command line of this installation.
    pub async fn operator_seeds(&self, collection: Uuid) -> Result<Vec<(Kind, String)>> {
        let mut tx = self.store.read().await?;
        crate::inventory::seeds::by_operator(&mut tx, collection).await
    }

    /// Returns the seeds of a collection.
    pub async fn seeds(&self, collection: Uuid) -> Result<Seeds> {
        let sql = "SELECT s.kind, s.name FROM seeds s JOIN collections c ON c.id = s.collection_id WHERE c.uuid = $1";
        let seeds: Vec<(Kind, String)> = self.store.read().await?.read_all(sql, values![collection]).await?;
        Ok(seeds.into_iter().collect())
    }

    /// Returns the archives that were uploaded for everybody or for the people of a collection's project, the newest
    /// first, with their size.
    pub async fn uploaded_archives(&self, collection: Uuid, most: usize) -> Result<Vec<(BlobHash, i64)>> {
        let mut tx = self.store.read().await?;
        let project: i64 = tx.find("SELECT project_id FROM collections WHERE uuid = $1", values![collection]).await?;
        let sql = "SELECT last_at, sha256, size FROM files WHERE project_id = $1 AND type_tag = 'zip' ORDER BY last_at \
                   DESC, sha256 DESC LIMIT $2";
        let mut found: Vec<(i64, BlobHash, i64)> = Vec::new();
        for owner in [0, project] {
            found.extend(tx.read_all::<(i64, BlobHash, i64)>(sql, values![owner, whole(most)]).await?);
        }
        found.sort_unstable_by(|one, other| other.cmp(one));
        found.dedup_by_key(|(_, hash, _)| *hash);
        Ok(found.into_iter().take(most).map(|(_, hash, size)| (hash, size)).collect())
    }

    /// Sends the heartbeat of this engine. On PostgreSQL its runs lapse without it.
    pub async fn heartbeat(&self, now: Timestamp) -> Result<()> {
        let (id, name) = (self.id, Arc::clone(&self.name));
        transaction!(self.store, Engine, async |tx| {
            let row = named! { id, name: &*name, started_at: now, heartbeat_at: now };
            tx.put("engines", "id", &["heartbeat_at"], row).await
        })
    }

    /// Stores how far a run that this engine carries is, for whoever looks at it.
    pub async fn show_progress(&self, run: RunId, progress: RunProgress) -> Result<()> {
        let id = self.id;
        let sql = "UPDATE runs SET names_found = $1, addresses_found = $2, sites_found = $3, seconds_left = $4
                   WHERE id = $5 AND engine_id = $6";
        transaction!(self.store, Engine, async |tx| {
            let RunProgress { names, addresses, sites, seconds_left } = progress;
            tx.run(sql, values![names, addresses, sites, seconds_left, run, id]).await?;
            Ok(())
        })
    }

    /// How many engines live, this one included: resolvers are paced at the limit divided by it.
    pub async fn live_engines(&self, now: Timestamp) -> Result<i64> {
        let sql = "SELECT COUNT(*) FROM engines WHERE heartbeat_at > $1 OR id = $2";
        let live: i64 = self.store.read().await?.read_one(sql, values![now.0 - LAPSED_MS, self.id]).await?;
        Ok(live.max(1))
    }

    /// Stores bytes under their hash, like `Store::put_blob` but behind people's writes.
    pub async fn put_blob(&self, bytes: &[u8], now: Timestamp) -> Result<BlobHash> {
        let packed = blobs::pack(bytes)?;
        let hash = packed.hash();
        transaction!(self.store, Engine, async |tx| blobs::insert(tx, vec![packed], now).await)?;
        Ok(hash)
    }

    /// The bytes of a hash.
    pub async fn blob(&self, hash: BlobHash) -> Result<Option<Vec<u8>>> {
        self.store.blob(hash).await
    }
}
