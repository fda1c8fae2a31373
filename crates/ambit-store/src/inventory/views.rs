//! Entities and issues as people read them: as they are now, and as they were (versions are read, never folded again:
//! docs/architecture.md §1.3).

use crate::db::rows::{columns, list};
use crate::db::sql::{Row, Tx, from_json, values, whole};
use crate::inventory::collections::{self, CollectionRef};
use crate::inventory::turning::turned_at;
use crate::maintenance::retention::{kept_since, require_kept};
use crate::{Caller, Principal, Result, Store, StoreError};
use ambit_model::entity::EntityRecord;
use ambit_model::issue::{IssueRecord, Status};
use ambit_model::user::CollectionRole;
use ambit_model::{Details, Item, Timestamp, Uid};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use uuid::Uuid;

/// Records of all projects that a beginning of a uid is looked up among.
const BEGINNING_MAX: usize = 1_000;
/// Versions that the history of one member is read from at most, the newest: each is a whole record.
const MEMBER_VERSIONS_MAX: usize = 1_000;
/// Moments that one list of points in time holds at most, newest kept.
const POINTS_MAX: usize = 10_000;

/// An entity or an issue: its record and what is stored beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct View<R> {
    pub id: i64,
    pub uuid: Uuid,
    pub record: R,
    /// When it was first stored as well.
    pub first_seen: Timestamp,
    pub last_seen: Timestamp,
    /// When the version shown was opened.
    pub updated_at: Timestamp,
    /// When `scoped` of an entity last changed; `None` if it never did, and in points in time.
    pub scoped_at: Option<Timestamp>,
    /// Integer id of the entity itself, or of the one that the issue is about.
    pub entity_id: i64,
    /// When an issue was found, or found again, or last closed.
    pub turned_at: Timestamp,
    pub collection: CollectionRef,
}

/// An entity as people view it.
pub type EntityView = View<EntityRecord>;
/// An issue as people view it.
pub type IssueView = View<IssueRecord>;

/// A record that people view.
pub trait Viewed: DeserializeOwned {
    const ITEM: Item;
}

impl Viewed for EntityRecord {
    const ITEM: Item = Item::Entity;
}

impl Viewed for IssueRecord {
    const ITEM: Item = Item::Issue;
}

/// The answer for a moment.
#[derive(Clone, Debug, PartialEq)]
pub enum At<T> {
    /// As it was shown then.
    Then(T),
    /// It was first seen later: then.
    BeforeFirstSeen(Timestamp),
}

columns! {
    /// What of a record's row is the same for all nouns.
    pub(crate) struct Base of t {
        id: i64,
        pub(crate) uid: Uid,
        pub(crate) record: String,
        first_seen: Timestamp,
        last_seen: Timestamp,
        opened_at: Timestamp,
        seen_from: i64,
        seen_to: i64,
        pub(crate) collection: CollectionRef = CollectionRef,
        scoped_at: Option<Timestamp> = { None },
        entity_id: i64 = { 0 },
        turned_at: Option<Timestamp> = { None },
    }
}

pub(crate) const COLLECTION_JOINS: &str =
    "JOIN collections c ON c.id = t.collection_id JOIN projects p ON p.id = c.project_id
     JOIN organizations o ON o.id = p.organization_id";

/// Selects records that were not deleted.
fn select(item: Item) -> String {
    let (table, scoped_at, turned_at, entity) = match item {
        Item::Entity => ("entities", "t.scoped_at", "NULL".to_owned(), "t.id"),
        Item::Issue => {
            let entity = "(SELECT e.id FROM entities e WHERE e.uid = t.entity_uid)";
            ("issues", "NULL", turned_at("", "t.opened_at"), entity)
        }
    };
    format!(
        "SELECT {}, CAST({scoped_at} AS BIGINT), CAST({turned_at} AS BIGINT), {entity} FROM {table} t \
         {COLLECTION_JOINS} WHERE c.deleted_at IS NULL AND p.deleted_at IS NULL",
        list::<Base>()
    )
}

/// Returns true for the record of an entity that is gone, or of an issue whose fact is.
fn is_over(item: Item, record: &str) -> Result<bool> {
    #[derive(Deserialize)]
    struct Entity {
        present: bool,
    }
    #[derive(Deserialize)]
    struct Issue {
        status: Status,
    }
    Ok(match item {
        Item::Entity => !from_json::<Entity>(record)?.present,
        Item::Issue => !from_json::<Issue>(record)?.status.rests_on_fact(),
    })
}

/// Rows of `select`.
fn bases(rows: &[Row]) -> Result<Vec<Base>> {
    let base = |row: &Row| {
        let (base, scoped_at, turned_at, entity_id): (Base, _, _, _) = row.read()?;
        Ok(Base { scoped_at, entity_id, turned_at, ..base })
    };
    rows.iter().map(base).collect()
}

/// A record by its uid or uuid, in any project of the caller; `project` narrows. What the caller may not see is not
/// found.
pub(crate) async fn find(
    tx: &mut Tx,
    principal: &Principal,
    item: Item,
    id: &str,
    project: Option<i64>,
    role: CollectionRole,
) -> Result<Base> {
    let bases = if let Ok(uid) = id.parse::<Uid>() {
        bases(&tx.rows(&format!("{} AND t.uid = $1", select(item)), values![uid]).await?)?
    } else {
        // A record's uuid is the beginning of its uid with six bits replaced: the ids that begin so are a short range
        // of the index.
        let uuid: Uuid = id.parse().map_err(|_| StoreError::NotFound)?;
        let start = uuid.as_bytes()[..6].to_vec();
        let (mut low, mut high) = (start.clone(), start);
        low.resize(32, 0);
        high.resize(32, u8::MAX);
        let rows = tx.rows(&format!("{} AND t.uid >= $1 AND t.uid <= $2", select(item)), values![low, high]).await?;
        let mut bases = bases(&rows)?;
        bases.retain(|base| base.uid.uuid() == uuid);
        bases
    };
    let base = bases.into_iter().next().ok_or(StoreError::NotFound)?;
    if project.is_some_and(|project| project != base.collection.project) {
        return Err(StoreError::NotFound);
    }
    principal.require_collection(base.collection.project, base.collection.id, role)?;
    Ok(base)
}

/// The version in force at a moment, with the `last_seen` of that moment.
async fn at(tx: &mut Tx, item: Item, base: Base, moment: Timestamp, now: Timestamp) -> Result<At<Base>> {
    let moment = moment.min(now);
    if moment < base.first_seen {
        return Ok(At::BeforeFirstSeen(base.first_seen));
    }
    require_kept(tx, moment).await?;
    let mut then = base;
    if then.opened_at > moment {
        let sql = "SELECT record, opened_at FROM versions WHERE noun = $1 AND uid = $2 AND opened_at <= $3 ORDER BY \
                   opened_revision DESC LIMIT 1";
        let version = tx.read_first(sql, values![item.name(), then.uid, moment]).await?;
        (then.record, then.opened_at) =
            version.ok_or_else(|| StoreError::Bug(format!("no version of {} at {moment}", then.uid)))?;
    }
    // What is gone or closed was last seen before that was found, and shows so from then on.
    let over = is_over(item, &then.record)?;
    if !over || then.last_seen > moment {
        // A run under way at the moment may have seen it again later.
        let (opened_at, by) = match over {
            true => (last_opening(tx, item, &then, moment).await?, then.opened_at),
            false => (then.opened_at, moment),
        };
        then.last_seen = seen_in(run_by(tx, &then, by).await?, opened_at, then.first_seen);
    }
    then.scoped_at = None;
    Ok(At::Then(then))
}

/// When a record was last seen, as points in time tell it: when the last run that saw it opened the version that was
/// shown, else when that run began. What a person changes opens a version as well, and is no sighting.
pub(super) fn seen_in(run: Option<(Timestamp, Timestamp)>, opened_at: Timestamp, first_seen: Timestamp) -> Timestamp {
    match run {
        Some((start, end)) if start <= opened_at && opened_at <= end => opened_at,
        Some((start, _)) => start.max(first_seen),
        None => first_seen,
    }
}

/// Returns when the newest version before the moment was opened that showed the record as present or open; the first
/// sight where there is none.
async fn last_opening(tx: &mut Tx, item: Item, then: &Base, moment: Timestamp) -> Result<Timestamp> {
    let sql = "SELECT record, opened_at FROM versions WHERE noun = $1 AND uid = $2 AND opened_at <= $3 ORDER BY \
               opened_revision DESC LIMIT $4";
    let known = values![item.name(), then.uid, moment, whole(POINTS_MAX)];
    let versions: Vec<(String, Timestamp)> = tx.read_all(sql, known).await?;
    for (record, opened_at) in versions {
        if !is_over(item, &record)? {
            return Ok(opened_at);
        }
    }
    Ok(then.first_seen)
}

/// Returns start and end of the highest run that saw the record and had begun by the moment.
async fn run_by(tx: &mut Tx, then: &Base, moment: Timestamp) -> Result<Option<(Timestamp, Timestamp)>> {
    let sql = "SELECT r.started_at, r.finished_at FROM runs r WHERE r.collection_id = $1 AND r.started_at <= $2 AND \
               (r.number BETWEEN $3 AND $4 OR EXISTS
               (SELECT 1 FROM sightings s WHERE s.uid = $5 AND r.number BETWEEN s.from_run AND s.to_run))
               ORDER BY r.number DESC LIMIT 1";
    let seen = values![then.collection.id, moment, then.seen_from, then.seen_to, then.uid];
    let run: Option<(Timestamp, Option<Timestamp>)> = tx.read_first(sql, seen).await?;
    Ok(run.map(|(start, end)| (start, end.unwrap_or(Timestamp(i64::MAX)))))
}

/// Openings of all versions from a moment on, oldest first. A version of before the moment since which everything is
/// kept can only be asked for at that moment, which stands in the place of its opening.
async fn points(tx: &mut Tx, item: Item, base: &Base, start: Option<Timestamp>) -> Result<Vec<Timestamp>> {
    let sql = format!(
        "SELECT opened_at FROM versions WHERE noun = $1 AND uid = $2 AND opened_at >= $3 ORDER BY opened_revision \
         DESC LIMIT {POINTS_MAX}"
    );
    let start = start.unwrap_or(Timestamp(i64::MIN));
    let mut points: Vec<Timestamp> = tx.read_all(&sql, values![item.name(), base.uid, start]).await?;
    points.reverse();
    if base.opened_at >= start {
        points.push(base.opened_at);
    }
    if let Some(since) = kept_since(tx).await? {
        points.iter_mut().for_each(|point| *point = since.max(*point));
    }
    points.dedup();
    Ok(points)
}

impl Base {
    pub(crate) fn view<R: Viewed>(self) -> Result<View<R>> {
        Ok(View {
            id: self.id,
            uuid: self.uid.uuid(),
            record: from_json(&self.record)?,
            first_seen: self.first_seen,
            last_seen: self.last_seen,
            updated_at: self.opened_at,
            scoped_at: self.scoped_at,
            entity_id: self.entity_id,
            turned_at: self.turned_at.unwrap_or(self.first_seen),
            collection: self.collection,
        })
    }
}

/// What people call it.
fn name(item: Item, record: &str) -> Result<String> {
    #[derive(Deserialize)]
    struct Named {
        name: String,
        #[serde(default)]
        pretty_name: String,
        #[serde(default)]
        entity_name: String,
    }
    let named: Named = from_json(record)?;
    Ok(match item {
        Item::Entity => named.name,
        Item::Issue => format!("{}, {}", named.pretty_name, named.entity_name),
    })
}

impl Store {
    /// An entity or issue by its uid (64 hexadecimal characters) or uuid. Any other text is `NotFound`, and so is a
    /// record of another project than `project`.
    pub async fn find_record<R: Viewed>(
        &self,
        principal: &Principal,
        id: &str,
        project: Option<i64>,
    ) -> Result<View<R>> {
        let mut tx = self.read().await?;
        find(&mut tx, principal, R::ITEM, id, project, CollectionRole::Viewer).await?.view()
    }

    /// The same as it was shown at a moment; a future one is now.
    pub async fn record_at<R: Viewed>(
        &self,
        caller: &Caller,
        id: &str,
        project: Option<i64>,
        moment: Timestamp,
    ) -> Result<At<View<R>>> {
        let mut tx = self.read().await?;
        let base = find(&mut tx, caller, R::ITEM, id, project, CollectionRole::Viewer).await?;
        Ok(match at(&mut tx, R::ITEM, base, moment, caller.now).await? {
            At::Then(base) => At::Then(base.view()?),
            At::BeforeFirstSeen(first_seen) => At::BeforeFirstSeen(first_seen),
        })
    }

    /// The seeds of a collection as entities, by uid; at a moment as they were shown then, without those that were not
    /// known yet.
    pub async fn seed_entities(
        &self,
        caller: &Caller,
        collection: Uuid,
        moment: Option<Timestamp>,
    ) -> Result<Vec<EntityView>> {
        let mut tx = self.read().await?;
        let view = collections::require(&mut tx, caller, collection, CollectionRole::Viewer).await?;
        let seeds = "SELECT s.uid FROM seeds s WHERE s.collection_id = $1";
        let sql = format!("{} AND t.uid IN ({seeds}) ORDER BY t.uid", select(Item::Entity));
        let mut found = Vec::new();
        for base in bases(&tx.rows(&sql, values![view.collection.id]).await?)? {
            let shown = match moment {
                None => At::Then(base),
                Some(moment) => at(&mut tx, Item::Entity, base, moment, caller.now).await?,
            };
            if let At::Then(base) = shown {
                found.push(base.view()?);
            }
        }
        Ok(found)
    }

    /// What a member of an entity's details was from which moment on, oldest first; `None` where it had none.
    pub async fn member_history(
        &self,
        principal: &Principal,
        id: &str,
        project: Option<i64>,
        member: &str,
    ) -> Result<Vec<(Timestamp, Option<Value>)>> {
        #[derive(Deserialize)]
        struct Detailed {
            details: Details,
        }
        let mut tx = self.read().await?;
        let base = find(&mut tx, principal, Item::Entity, id, project, CollectionRole::Viewer).await?;
        let sql = format!(
            "SELECT opened_at, record FROM versions WHERE noun = $1 AND uid = $2 ORDER BY opened_revision DESC \
             LIMIT {MEMBER_VERSIONS_MAX}"
        );
        let mut versions: Vec<(Timestamp, String)> = tx.read_all(&sql, values![Item::Entity.name(), base.uid]).await?;
        versions.reverse();
        versions.push((base.opened_at, base.record));
        let mut history: Vec<(Timestamp, Option<Value>)> = Vec::new();
        for (at, record) in versions {
            let value = from_json::<Detailed>(&record)?.details.remove(member);
            if history.last().is_none_or(|(_, before)| *before != value) {
                history.push((at, value));
            }
        }
        Ok(history)
    }

    /// The entities or issues of a project whose uid begins with these hexadecimal characters, as far as the caller may
    /// see them: at most `limit`, with their names; of an issue its title and its entity.
    pub async fn uids_beginning(
        &self,
        principal: &Principal,
        project: i64,
        item: Item,
        beginning: &str,
        limit: usize,
    ) -> Result<Vec<(Uid, String)>> {
        let bound = |filler: &str| format!("{beginning}{}", filler.repeat(64_usize.saturating_sub(beginning.len())));
        let (Ok(low), Ok(high)) = (bound("0").parse::<Uid>(), bound("f").parse::<Uid>()) else {
            return Ok(Vec::new());
        };
        let sql = format!("{} AND t.uid >= $1 AND t.uid <= $2 ORDER BY t.uid LIMIT {BEGINNING_MAX}", select(item));
        let mut found = Vec::new();
        for base in bases(&self.read().await?.rows(&sql, values![low, high]).await?)? {
            let is_readable = principal.collection_role(project, base.collection.id).is_some();
            if base.collection.project == project && is_readable && found.len() < limit {
                found.push((base.uid, name(item, &base.record)?));
            }
        }
        Ok(found)
    }

    /// The moments from `start` on at which another version of an entity or issue was opened, oldest first.
    pub async fn points_in_time(
        &self,
        principal: &Principal,
        (item, id): (Item, &str),
        project: Option<i64>,
        start: Option<Timestamp>,
    ) -> Result<Vec<Timestamp>> {
        let mut tx = self.read().await?;
        let base = find(&mut tx, principal, item, id, project, CollectionRole::Viewer).await?;
        points(&mut tx, item, &base, start).await
    }
}
