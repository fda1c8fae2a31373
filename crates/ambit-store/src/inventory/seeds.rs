//! Seeds: the entities that people gave, and which collections have the same. They become entities of the collection
//! when its next run is claimed.

use crate::db::rows::{Rows, columns, list as columns_of, named};
use crate::db::sql::{Tx, values};
use crate::db::writer::transaction;
use crate::engine::mark_dirty;
use crate::inventory::{collections, feed};
use crate::people::audit;
use crate::people::limits::Limits;
use crate::{Caller, CollectionView, Principal, Result, Store, StoreError};
use ambit_model::collection::{Collection, Seed};
use ambit_model::estimate::large_block;
use ambit_model::feed::{Noun, What};
use ambit_model::id::BlobHash;
use ambit_model::user::CollectionRole;
use ambit_model::wire::WireChoice;
use ambit_model::{Kind, Timestamp, Uid};
use serde_json::json;
use uuid::Uuid;

/// What a seed without addresses of its own counts for in a run's size: the hosts that a name leads to in a small
/// organisation.
const NAME_SIZE: i64 = 16;
/// Seeds of one collection at most.
const SEEDS_MAX: usize = 25_000;
/// Seeds whose entities are in memory at once, each some 20 kB with all that is written of it.
pub(crate) const AT_ONCE: usize = 500;

/// The collections that have the same seeds.
#[derive(Debug, Default)]
pub struct SameSeeds {
    /// The oldest one that was made together with its seeds, as `scan` and `demo` do.
    pub made_with_them: Option<CollectionView>,
    /// Names of those that were made empty, as the API does: their level and exclusions are somebody else's choice.
    pub made_empty: Vec<String>,
}

columns! { Seed of s { id, kind, name, created_at, confirmed } }

/// The seeds of a collection, by id.
pub(crate) async fn list(tx: &mut Tx, collection: i64) -> Result<Vec<Seed>> {
    let sql = format!("SELECT {} FROM seeds s WHERE s.collection_id = $1 ORDER BY s.id", columns_of::<Seed>());
    tx.read_all(&sql, values![collection]).await
}

/// The seeds of a collection that the operator named, by id.
pub(crate) async fn by_operator(tx: &mut Tx, collection: Uuid) -> Result<Vec<(Kind, String)>> {
    let sql = "SELECT s.kind, s.name FROM seeds s JOIN collections c ON c.id = s.collection_id WHERE c.uuid = $1 AND \
               s.by_operator = 1 ORDER BY s.id";
    tx.read_all(sql, values![collection]).await
}

/// What the seeds of a collection ask of a run, as addresses.
pub(crate) async fn size(tx: &mut Tx, collection: i64) -> Result<i64> {
    let of = |seed: &Seed| match seed.kind.addresses(&seed.name) {
        0 => NAME_SIZE,
        addresses => addresses,
    };
    let seeds = list(tx, collection).await?;
    Ok(seeds.iter().map(of).fold(0, i64::saturating_add))
}

/// Adds seeds that a user gives to a collection that is locked, with its row of the audit log. A schedule that had no
/// seeds to run for counts from now.
pub(crate) async fn add(
    tx: &mut Tx,
    caller: &Caller,
    collection: &Collection,
    seeds: &[(Kind, String)],
    limits: &Limits,
) -> Result<()> {
    if list(tx, collection.id).await?.is_empty() {
        let due = collection.due_after(caller.now, caller.now);
        let sql = "UPDATE collections SET due_at = $1, counts_from = $2 WHERE id = $3";
        tx.run(sql, values![due, caller.now, collection.id]).await?;
    }
    insert(tx, (collection.id, collection.uuid), seeds, caller.user_id(), caller.now).await?;
    limits.check_seeds(tx, caller, collection.project, seeds).await?;
    let names: Vec<&String> = seeds.iter().map(|(_, name)| name).collect();
    let object = collection.uuid.to_string();
    audit::insert(tx, caller, Some(collection.project), "seed.add", &object, json!({"names": names})).await?;
    let note =
        feed::Note::person(collection.project, Noun::Collection, collection.uuid, What::Changed).of(collection.id);
    feed::note(tx, &note, caller.now).await
}

/// Inserts seeds that a user gives; those that are there stay.
pub(crate) async fn insert(
    tx: &mut Tx,
    (collection, uuid): (i64, Uuid),
    seeds: &[(Kind, String)],
    user: i64,
    now: Timestamp,
) -> Result<()> {
    let mut rows = Rows::default();
    for (kind, name) in seeds {
        let name = kind.seed(name).map_err(|error| StoreError::Invalid(error.to_string()))?;
        let uid = Uid::of_entity(uuid, *kind, &name);
        rows.push(named! {
            collection_id: collection, kind: kind.name(), name, uid, created_at: now, created_by: user,
        });
    }
    tx.insert("seeds", rows, "ON CONFLICT (collection_id, uid) DO NOTHING").await?;
    if list(tx, collection).await?.len() > SEEDS_MAX {
        return Err(StoreError::Conflict(format!("a collection has at most {SEEDS_MAX} seeds")));
    }
    Ok(())
}

impl Store {
    /// The seeds of a collection.
    pub async fn list_seeds(&self, principal: &Principal, collection: Uuid) -> Result<Vec<Seed>> {
        let mut tx = self.read().await?;
        let view = collections::require(&mut tx, principal, collection, CollectionRole::Viewer).await?;
        list(&mut tx, view.collection.id).await
    }

    /// The collections of a project with this wire (`None`: live) and exactly these seeds, whatever their order;
    /// archived ones do not count.
    pub async fn find_collection_by_seeds(
        &self,
        principal: &Principal,
        project: i64,
        wire: Option<BlobHash>,
        wanted: &[(Kind, String)],
    ) -> Result<SameSeeds> {
        let mut wanted: Vec<(Kind, String)> = wanted.to_vec();
        wanted.sort();
        wanted.dedup();
        let mut same = SameSeeds::default();
        for view in self.list_collections(principal, Some(project)).await? {
            let blob = match &view.collection.wire {
                WireChoice::Live => None,
                WireChoice::Simulated { blob, .. } => Some(*blob),
            };
            if blob != wire || view.collection.archived {
                continue;
            }
            let mut tx = self.read().await?;
            let seeds = list(&mut tx, view.collection.id).await?;
            let came_later = seeds.iter().any(|seed| seed.created_at != view.collection.created_at);
            let mut has: Vec<(Kind, String)> = seeds.into_iter().map(|seed| (seed.kind, seed.name)).collect();
            has.sort();
            if has != wanted {
                continue;
            }
            if came_later || has.is_empty() {
                same.made_empty.push(view.collection.name);
            } else {
                same.made_with_them.get_or_insert(view);
            }
        }
        Ok(same)
    }

    /// Adds seeds, which the next run takes up; those that are there stay. It starts nothing: a schedule that had no
    /// seeds to run for counts from now. For admins of the collection. Answers with all seeds. Fails with `Invalid`,
    /// and adds none, where one is no name of its kind or they name more addresses than are allowed, and with
    /// `Conflict` for too many seeds.
    pub async fn add_seeds(&self, caller: &Caller, collection: Uuid, seeds: &[(Kind, String)]) -> Result<Vec<Seed>> {
        let (caller, seeds, limits) = (caller.clone(), seeds.to_vec(), self.limits());
        transaction!(self, Person, async |tx| {
            let collection = collections::require(tx, &caller, collection, CollectionRole::Admin).await?.collection;
            collections::lock(tx, collection.id).await?;
            add(tx, &caller, &collection, &seeds, &limits).await?;
            list(tx, collection.id).await
        })
    }

    /// Says yes to sweeping every block among the seeds that is large with so many ports of each address; a run that
    /// goes on hears of it. For admins of the collection. Answers with their names.
    pub async fn confirm_large_blocks(&self, caller: &Caller, collection: Uuid, ports: u64) -> Result<Vec<String>> {
        let caller = caller.clone();
        transaction!(self, Person, async |tx| {
            let collection = collections::require(tx, &caller, collection, CollectionRole::Admin).await?.collection;
            collections::lock(tx, collection.id).await?;
            let seeds = list(tx, collection.id).await?;
            let large: Vec<&Seed> =
                seeds.iter().filter(|seed| !seed.confirmed && large_block(&seed.name, ports).is_some()).collect();
            let names: Vec<String> = large.iter().map(|seed| seed.name.clone()).collect();
            if large.is_empty() {
                return Ok(names);
            }
            let ids: Vec<i64> = large.iter().map(|seed| seed.id).collect();
            tx.run_in("UPDATE seeds SET confirmed = 1 WHERE id IN", Vec::new(), &ids, "").await?;
            let uids = large.iter().map(|seed| Uid::of_entity(collection.uuid, seed.kind, &seed.name));
            mark_dirty(tx, collection.id, uids).await?;
            collections::raise_scope_revision(tx, collection.id).await?;
            let object = collection.uuid.to_string();
            let details = json!({"names": names});
            audit::insert(tx, &caller, Some(collection.project), "seed.confirm_large", &object, details).await?;
            Ok(names)
        })
    }

    /// Says that the person at the command line of this installation names these seeds of a collection: its runs may
    /// then contact them in reserved ranges, too. Over the API that is never said.
    pub async fn name_seeds(&self, caller: &Caller, collection: Uuid, seeds: &[(Kind, String)]) -> Result<()> {
        let (caller, seeds) = (caller.clone(), seeds.to_vec());
        transaction!(self, Person, async |tx| {
            let collection = collections::require(tx, &caller, collection, CollectionRole::Admin).await?.collection;
            collections::lock(tx, collection.id).await?;
            let uids: Vec<Uid> =
                seeds.iter().map(|(kind, name)| Uid::of_entity(collection.uuid, *kind, name)).collect();
            let head = "UPDATE seeds SET by_operator = 1 WHERE collection_id = $1 AND by_operator = 0 AND uid IN";
            if tx.run_in(head, values![collection.id], &uids, "").await? == 0 {
                return Ok(());
            }
            let names: Vec<&String> = seeds.iter().map(|(_, name)| name).collect();
            let (object, details) = (collection.uuid.to_string(), json!({"names": names}));
            audit::insert(tx, &caller, Some(collection.project), "seed.by_operator", &object, details).await
        })
    }

    /// Removes a seed by its integer id; the next run decides what remains of what it led to. For admins of the
    /// collection.
    pub async fn remove_seed(&self, caller: &Caller, id: i64) -> Result<()> {
        let caller = caller.clone();
        transaction!(self, Person, async |tx| {
            let sql = "SELECT c.uuid, s.name FROM seeds s JOIN collections c ON c.id = s.collection_id WHERE s.id = $1";
            let (uuid, name): (Uuid, String) = tx.find(sql, values![id]).await?;
            let collection = collections::require(tx, &caller, uuid, CollectionRole::Admin).await?.collection;
            collections::lock(tx, collection.id).await?;
            tx.run("DELETE FROM seeds WHERE id = $1", values![id]).await?;
            let object = collection.uuid.to_string();
            audit::insert(tx, &caller, Some(collection.project), "seed.remove", &object, json!({"name": name})).await?;
            let note = feed::Note::person(collection.project, Noun::Collection, collection.uuid, What::Changed)
                .of(collection.id);
            feed::note(tx, &note, caller.now).await
        })
    }
}
