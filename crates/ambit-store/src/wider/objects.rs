//! Entities by kind and name in every collection that the caller may see: what the wider API shows as domains,
//! addresses and URLs.

use crate::db::rows::{columns, list, select};
use crate::db::sql::{Tx, from_json, values};
use crate::{Principal, Result, Store};
use ambit_model::entity::EntityRecord;
use ambit_model::feed::Noun;
use ambit_model::{EdgeKind, Kind, Timestamp, Uid};
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

/// The collection of what belongs to the installation.
pub(crate) const EVERYBODYS: i64 = 0;
/// Edges of one reading at most.
const LINKS_MAX: i64 = 10_000;

/// Earlier versions of one reading at most: those of years, for an object that several collections know.
const VERSIONS_MAX: i64 = 1_000;

/// Names of one kind and collection at most.
const NAMES_MAX: i64 = 200_000;

columns! {
    /// An entity as one collection knows it.
    #[derive(Clone, Debug, PartialEq)]
    pub struct KnownObject of e {
        pub uid: Uid,
        pub record: EntityRecord = (json),
        pub first_seen: Timestamp,
        pub last_seen: Timestamp,
    }
}

columns! {
    /// When one collection saw an entity, and its tags.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct ObjectSight of e {
        pub kind: Kind,
        pub name: String,
        pub first_seen: Timestamp,
        pub last_seen: Timestamp,
        pub tags: Vec<String> = (json),
    }
}

/// An earlier version of an entity's record.
#[derive(Clone, Debug, PartialEq)]
pub struct EarlierVersion {
    pub uid: Uid,
    pub opened_at: Timestamp,
    pub closed_at: Timestamp,
    pub record: EntityRecord,
}

/// Which edges are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edges<'a> {
    kinds: &'a [EdgeKind],
    /// Whether edges from the given entities are followed, and not those that lead to them.
    outward: bool,
    /// Also edges that are closed.
    ever: bool,
}

impl<'a> Edges<'a> {
    /// Returns the open edges of some kinds that lead away from the asked entities.
    pub fn away(kinds: &'a [EdgeKind]) -> Self {
        Self { kinds, outward: true, ever: false }
    }

    /// Returns the open edges of some kinds that lead to the asked entities.
    pub fn towards(kinds: &'a [EdgeKind]) -> Self {
        Self { outward: false, ..Self::away(kinds) }
    }

    /// Returns the same with those that were there once.
    pub fn ever(self) -> Self {
        Self { ever: true, ..self }
    }
}

/// What stands in the place of a collection where bytes belong to a project.
pub(crate) fn of_project(project: i64) -> i64 {
    -project
}

/// What bytes may belong to for the caller to see them: collections by their id, projects, and 0 for the installation.
pub(crate) async fn owners_seen(tx: &mut Tx, principal: &Principal) -> Result<BTreeSet<i64>> {
    let ids = collections(tx, principal).await?.into_iter().map(|(id, _)| id);
    Ok(ids.chain([EVERYBODYS]).chain(principal.projects().map(of_project)).collect())
}

/// The collections that the caller may see: id and uuid.
async fn collections(tx: &mut Tx, principal: &Principal) -> Result<Vec<(i64, Uuid)>> {
    let projects: Vec<i64> = principal.projects().collect();
    let head = "SELECT id, uuid, project_id FROM collections WHERE deleted_at IS NULL AND project_id IN";
    let rows: Vec<(i64, Uuid, i64)> = tx.read_in(head, Vec::new(), &projects, "ORDER BY id").await?;
    let visible = rows.into_iter().filter(|(id, _, project)| principal.collection_role(*project, *id).is_some());
    Ok(visible.map(|(id, uuid, _)| (id, uuid)).collect())
}

/// What stands in the place of a project for what a collection that the caller may see has.
pub(crate) async fn collections_seen(tx: &mut Tx, principal: &Principal) -> Result<Vec<i64>> {
    Ok(collections(tx, principal).await?.into_iter().map(|(id, _)| -id).collect())
}

/// The uids that names have in some collections.
fn uids(collections: &[(i64, Uuid)], names: &[(Kind, String)]) -> Vec<Uid> {
    let of = |collection: Uuid| names.iter().map(move |(kind, name)| Uid::of_entity(collection, *kind, name));
    collections.iter().flat_map(|(_, collection)| of(*collection)).collect()
}

impl Store {
    /// The entities with these kinds and canonical names, one for each collection that knows one; empty: nobody whom
    /// the caller may ask does.
    pub async fn known_objects(&self, principal: &Principal, names: &[(Kind, String)]) -> Result<Vec<KnownObject>> {
        let mut tx = self.read().await?;
        let uids = uids(&collections(&mut tx, principal).await?, names);
        let head = select::<KnownObject>("FROM entities e WHERE e.uid IN");
        let mut found: Vec<KnownObject> = tx.read_in(&head, Vec::new(), &uids, "").await?;
        found.sort_by_key(|object| (object.first_seen, object.uid));
        Ok(found)
    }

    /// When the entities with these kinds and canonical names were seen, once for each collection of the caller that
    /// knows one.
    pub async fn sights_of_objects(&self, principal: &Principal, names: &[(Kind, String)]) -> Result<Vec<ObjectSight>> {
        let mut tx = self.read().await?;
        let uids = uids(&collections(&mut tx, principal).await?, names);
        let head = select::<ObjectSight>("FROM entities e WHERE e.uid IN");
        tx.read_in(&head, Vec::new(), &uids, "").await
    }

    /// The next names, behind one or from the first, of entities of some kinds that the caller may see: each once and
    /// in the database's own order; at most `limit`.
    pub async fn object_names_after(
        &self,
        principal: &Principal,
        kinds: &[Kind],
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<String>> {
        let mut tx = self.read().await?;
        let ids: Vec<i64> = collections(&mut tx, principal).await?.into_iter().map(|(id, _)| id).collect();
        if ids.is_empty() || kinds.is_empty() {
            return Ok(Vec::new());
        }
        let kinds: Vec<String> = kinds.iter().map(|kind| format!("'{}'", kind.name())).collect();
        let ids: Vec<String> = ids.iter().map(i64::to_string).collect();
        // Nothing but the order by name is to choose the index: any other would read all names and sort them.
        let sql = format!(
            "SELECT DISTINCT e.name FROM entities e WHERE e.name > $1 AND e.kind || '' IN ({}) AND e.collection_id + 0 \
             IN ({}) ORDER BY e.name LIMIT {limit}",
            kinds.join(", "),
            ids.join(", ")
        );
        tx.read_all(&sql, values![after.unwrap_or_default()]).await
    }

    /// Entities by uid, as far as they are in collections that the caller may see, in the order of the uids.
    pub async fn objects_of(&self, principal: &Principal, uids: &[Uid]) -> Result<Vec<KnownObject>> {
        let mut tx = self.read().await?;
        let visible: BTreeSet<i64> = collections(&mut tx, principal).await?.into_iter().map(|(id, _)| id).collect();
        let head = format!("SELECT {}, e.collection_id FROM entities e WHERE e.uid IN", list::<KnownObject>());
        let rows: Vec<(KnownObject, i64)> = tx.read_in(&head, Vec::new(), uids, "").await?;
        let rows = rows.into_iter().filter(|(_, collection)| visible.contains(collection));
        let mut found: BTreeMap<Uid, KnownObject> = rows.map(|(object, _)| (object.uid, object)).collect();
        Ok(uids.iter().filter_map(|uid| found.remove(uid)).collect())
    }

    /// Open edges at either end of some entities that the caller may see, as (from, kind, to), each once, up to a
    /// limit.
    pub async fn open_edges(&self, uids: &[Uid]) -> Result<Vec<(Uid, EdgeKind, Uid)>> {
        let mut out = BTreeSet::new();
        for end in ["from_uid", "to_uid"] {
            let head = format!("SELECT from_uid, kind, to_uid FROM edges WHERE closed_at IS NULL AND {end} IN");
            let tail = format!("ORDER BY from_uid, to_uid, kind LIMIT {LINKS_MAX}");
            out.extend(self.read().await?.read_in::<(Uid, EdgeKind, Uid), _>(&head, Vec::new(), uids, &tail).await?);
        }
        Ok(out.into_iter().collect())
    }

    /// Kinds and names of every entity of some kinds that the caller may see, up to a limit.
    pub async fn names_of_kinds(&self, principal: &Principal, kinds: &[Kind]) -> Result<Vec<(Kind, String)>> {
        let mut tx = self.read().await?;
        let mut out = Vec::new();
        for (collection, _) in collections(&mut tx, principal).await? {
            for kind in kinds {
                let sql = format!(
                    "SELECT e.name FROM entities e WHERE e.collection_id = $1 AND e.kind = $2 LIMIT {NAMES_MAX}"
                );
                let names: Vec<String> = tx.read_all(&sql, values![collection, kind.name()]).await?;
                out.extend(names.into_iter().map(|name| (*kind, name)));
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
    ) -> Result<Vec<String>> {
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
        let names: Vec<String> = tx.read_in(head, values![first, end], &ids, &tail).await?;
        Ok(BTreeSet::from_iter(names).into_iter().take(limit).collect())
    }

    /// The closed versions of some entities that the caller may see (those came from `known_objects`), newest first and
    /// up to a limit.
    pub async fn earlier_versions(&self, uids: &[Uid]) -> Result<Vec<EarlierVersion>> {
        let head = "SELECT uid, opened_at, closed_at, record FROM versions WHERE noun = $1 AND uid IN";
        let tail = format!("ORDER BY opened_revision DESC LIMIT {VERSIONS_MAX}");
        let rows: Vec<(Uid, Timestamp, Timestamp, String)> =
            self.read().await?.read_in(head, values![Noun::Entity.name()], uids, &tail).await?;
        let version = |(uid, opened_at, closed_at, record): (Uid, Timestamp, Timestamp, String)| {
            Ok(EarlierVersion { uid, opened_at, closed_at, record: from_json(&record)? })
        };
        rows.into_iter().map(version).collect()
    }

    /// What edges join to some entities that the caller may see (those came from `known_objects`), each once, in the
    /// order of names and up to a limit.
    pub async fn linked(&self, uids: &[Uid], edges: Edges<'_>) -> Result<Vec<KnownObject>> {
        let kinds: Vec<String> = edges.kinds.iter().map(|kind| format!("'{}'", kind.name())).collect();
        let (asked, other) = if edges.outward { ("from_uid", "to_uid") } else { ("to_uid", "from_uid") };
        let open = if edges.ever { "" } else { "AND d.closed_at IS NULL" };
        let head = format!(
            "SELECT {} FROM edges d JOIN entities e ON e.uid = d.{other} AND e.collection_id = d.collection_id
             WHERE d.kind IN ({}) {open} AND d.{asked} IN",
            list::<KnownObject>(),
            kinds.join(", ")
        );
        let tail = format!("ORDER BY e.name, e.uid LIMIT {LINKS_MAX}");
        let mut found: Vec<KnownObject> = self.read().await?.read_in(&head, Vec::new(), uids, &tail).await?;
        found.sort_by(|a, b| (&a.record.name, a.uid).cmp(&(&b.record.name, b.uid)));
        // Several tasks may have seen one edge, and several entities lead to one.
        found.dedup_by(|a, b| a.uid == b.uid);
        Ok(found)
    }
}

/// The first revision at or after a moment, by halving: stamps never run backwards, so that the feed needs no index of
/// moments, which every write would pay for.
async fn first_revision(tx: &mut Tx, moment: Timestamp) -> Result<i64> {
    let last: i64 = tx.read_one("SELECT revision FROM revision WHERE one = 1", Vec::new()).await?;
    let (mut low, mut high) = (0, last + 1);
    while low < high {
        let middle = low + (high - low) / 2;
        let sql = "SELECT at FROM feed WHERE revision >= $1 ORDER BY revision LIMIT 1";
        let next: Option<Timestamp> = tx.read_first(sql, values![middle]).await?;
        if next.is_some_and(|at| at < moment) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    Ok(low)
}
