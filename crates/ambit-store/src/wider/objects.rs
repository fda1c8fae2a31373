//! Entities by kind and name in every collection that the caller may see: what the wider API shows as domains,
//! addresses and URLs.

use crate::db::sql::{Row, Tx, values};
use crate::{Principal, Store, StoreError};
use ambit_model::entity::EntityRecord;
use ambit_model::{EdgeKind, Kind, Timestamp, Uid};
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

/// The collection of what belongs to the installation.
pub(crate) const EVERYBODYS: i64 = 0;
/// Neighbours of one reading at most.
const NEIGHBOURS_MAX: i64 = 10_000;

/// Names of one kind and collection at most.
const NAMES_MAX: i64 = 200_000;

/// An entity as one collection knows it.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownObject {
    pub uid: Uid,
    pub record: EntityRecord,
    pub first_seen: Timestamp,
    pub last_seen: Timestamp,
}

/// An open edge with what it leads to.
#[derive(Clone, Debug, PartialEq)]
pub struct Neighbour {
    pub edge: EdgeKind,
    /// The edge leads from the asked entity to this one.
    pub outward: bool,
    pub object: KnownObject,
}

const COLUMNS: &str = "e.uid, e.record, e.first_seen, e.last_seen";

fn object(row: &Row) -> Result<KnownObject, StoreError> {
    Ok(KnownObject { uid: row.get(0)?, record: row.json(1)?, first_seen: row.get(2)?, last_seen: row.get(3)? })
}

/// The ids of the collections that the caller may see, and 0: what belongs to the installation.
pub(crate) async fn collection_ids(tx: &mut Tx, principal: &Principal) -> Result<BTreeSet<i64>, StoreError> {
    let ids = collections(tx, principal).await?.into_iter().map(|(id, _)| id);
    Ok(ids.chain([EVERYBODYS]).collect())
}

/// The collections that the caller may see: id and uuid.
async fn collections(tx: &mut Tx, principal: &Principal) -> Result<Vec<(i64, Uuid)>, StoreError> {
    let mut out = Vec::new();
    let projects: Vec<i64> = principal.projects().collect();
    if projects.is_empty() {
        return Ok(out);
    }
    let head = "SELECT id, uuid, project_id FROM collections WHERE deleted_at IS NULL AND project_id IN";
    for row in tx.rows_in(head, Vec::new(), &projects, "ORDER BY id").await? {
        if principal.collection_role(row.get(2)?, row.get(0)?).is_some() {
            out.push((row.get(0)?, row.get(1)?));
        }
    }
    Ok(out)
}

impl Store {
    /// The entities with these kinds and canonical names, one for each collection that knows one; empty: nobody whom
    /// the caller may ask does.
    pub async fn known_objects(
        &self,
        principal: &Principal,
        names: &[(Kind, String)],
    ) -> Result<Vec<KnownObject>, StoreError> {
        let mut tx = self.read().await?;
        let collections = collections(&mut tx, principal).await?;
        let uids: Vec<Uid> = collections
            .iter()
            .flat_map(|(_, collection)| names.iter().map(|(kind, name)| Uid::of_entity(*collection, *kind, name)))
            .collect();
        if uids.is_empty() {
            return Ok(Vec::new());
        }
        let head = format!("SELECT {COLUMNS} FROM entities e WHERE e.uid IN");
        let mut found =
            tx.rows_in(&head, Vec::new(), &uids, "").await?.iter().map(object).collect::<Result<Vec<_>, _>>()?;
        found.sort_by_key(|object| (object.first_seen, object.uid));
        Ok(found)
    }

    /// Entities by uid, as far as they are in collections that the caller may see, in the order of the uids.
    pub async fn objects_of(&self, principal: &Principal, uids: &[Uid]) -> Result<Vec<KnownObject>, StoreError> {
        let mut tx = self.read().await?;
        let visible: BTreeSet<i64> = collections(&mut tx, principal).await?.into_iter().map(|(id, _)| id).collect();
        let mut found = BTreeMap::new();
        if !uids.is_empty() {
            let head = format!("SELECT {COLUMNS}, e.collection_id FROM entities e WHERE e.uid IN");
            for row in tx.rows_in(&head, Vec::new(), uids, "").await? {
                if visible.contains(&row.get::<i64>(4)?) {
                    let object = object(&row)?;
                    found.insert(object.uid, object);
                }
            }
        }
        Ok(uids.iter().filter_map(|uid| found.remove(uid)).collect())
    }

    /// Open edges at either end of some entities that the caller may see, as (from, kind, to), each once, up to a
    /// limit.
    pub async fn open_edges(&self, uids: &[Uid]) -> Result<Vec<(Uid, EdgeKind, Uid)>, StoreError> {
        let mut tx = self.read().await?;
        let mut out = BTreeSet::new();
        for end in ["from_uid", "to_uid"] {
            let head = format!("SELECT from_uid, kind, to_uid FROM edges WHERE closed_at IS NULL AND {end} IN");
            let tail = format!("ORDER BY from_uid, to_uid, kind LIMIT {NEIGHBOURS_MAX}");
            if uids.is_empty() {
                continue;
            }
            for row in tx.rows_in(&head, Vec::new(), uids, &tail).await? {
                out.insert((row.get(0)?, row.get(1)?, row.get(2)?));
            }
        }
        Ok(out.into_iter().collect())
    }

    /// Kinds and names of every entity of some kinds that the caller may see, up to a limit.
    pub async fn names_of_kinds(
        &self,
        principal: &Principal,
        kinds: &[Kind],
    ) -> Result<Vec<(Kind, String)>, StoreError> {
        let mut tx = self.read().await?;
        let mut out = Vec::new();
        for (collection, _) in collections(&mut tx, principal).await? {
            for kind in kinds {
                let sql = format!(
                    "SELECT e.name FROM entities e WHERE e.collection_id = $1 AND e.kind = $2 LIMIT {NAMES_MAX}"
                );
                for row in tx.rows(&sql, values![collection, kind.name()]).await? {
                    out.push((*kind, row.get(0)?));
                }
            }
        }
        Ok(out)
    }

    /// Names of entities of some kinds that the caller may see and that changed in `from..until`, each once and in
    /// order; at most `limit`.
    pub async fn changed_between(
        &self,
        principal: &Principal,
        kinds: &[Kind],
        (from, until): (Timestamp, Timestamp),
        limit: usize,
    ) -> Result<Vec<String>, StoreError> {
        let mut tx = self.read().await?;
        let ids: Vec<i64> = collections(&mut tx, principal).await?.into_iter().map(|(id, _)| id).collect();
        let first = first_revision(&mut tx, from).await?;
        let end = first_revision(&mut tx, until).await?;
        if ids.is_empty() || first == end || kinds.is_empty() {
            return Ok(Vec::new());
        }
        let kinds: Vec<String> = kinds.iter().map(|kind| format!("'{}'", kind.name())).collect();
        let head = "SELECT DISTINCT e.name FROM feed f JOIN entities e ON e.uid = f.uid
                    WHERE f.revision >= $1 AND f.revision < $2 AND f.noun = 'entity' AND f.what <> 'seen' AND \
                    e.collection_id IN";
        let tail = format!("AND e.kind IN ({}) ORDER BY e.name LIMIT {limit}", kinds.join(", "));
        let rows = tx.rows_in(head, values![first, end], &ids, &tail).await?;
        let names = rows.iter().map(|row| row.get(0)).collect::<Result<BTreeSet<String>, _>>()?;
        Ok(names.into_iter().take(limit).collect())
    }

    /// When the installation began: the first user was made with it.
    pub async fn began_at(&self) -> Result<Timestamp, StoreError> {
        let mut tx = self.read().await?;
        tx.read_one("SELECT MIN(created_at) FROM users", Vec::new()).await
    }

    /// What open edges join to some entities that the caller may see: those came from `known_objects`.
    pub async fn neighbours(&self, uids: &[Uid]) -> Result<Vec<Neighbour>, StoreError> {
        let mut tx = self.read().await?;
        let mut out = Vec::new();
        let mut seen = BTreeSet::new();
        for uid in uids {
            for (outward, from, to) in [(true, "from_uid", "to_uid"), (false, "to_uid", "from_uid")] {
                let sql = format!(
                    "SELECT {COLUMNS}, d.kind FROM edges d JOIN entities e ON e.uid = d.{to} AND e.collection_id = \
                     d.collection_id
                     WHERE d.{from} = $1 AND d.closed_at IS NULL ORDER BY e.name, e.uid LIMIT {NEIGHBOURS_MAX}"
                );
                for row in tx.rows(&sql, values![uid]).await? {
                    let edge: EdgeKind = row.get(4)?;
                    let object = object(&row)?;
                    if seen.insert((edge, outward, object.uid)) {
                        out.push(Neighbour { edge, outward, object });
                    }
                }
            }
        }
        Ok(out)
    }
}

/// The first revision at or after a moment, by halving: stamps never run backwards, so that the feed needs no index of
/// moments, which every write would pay for.
async fn first_revision(tx: &mut Tx, moment: Timestamp) -> Result<i64, StoreError> {
    let last: i64 = tx.read_one("SELECT revision FROM revision WHERE one = 1", Vec::new()).await?;
    let (mut low, mut high) = (0, last + 1);
    while low < high {
        let middle = low + (high - low) / 2;
        let next =
            tx.row("SELECT at FROM feed WHERE revision >= $1 ORDER BY revision LIMIT 1", values![middle]).await?;
        let before = next.map(|row| row.get::<Timestamp>(0)).transpose()?.is_some_and(|at| at < moment);
        if before {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    Ok(low)
}
