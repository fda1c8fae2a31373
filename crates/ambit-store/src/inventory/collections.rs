//! Collections: the defined process, with its wire, level, schedule, exclusions and true counters. What is changed of
//! one later is in `collection_settings`.

use crate::db::rows::{columns, list, named};
use crate::db::sql::{Row, Tx, from_json, to_json, values};
use crate::db::writer::transaction;
use crate::inventory::{contexts, feed, seeds};
use crate::people::audit;
use crate::people::names::clean_title;
use crate::{Principal, Store, StoreError};
use ambit_model::SkippedTasks;
use ambit_model::collection::{Collection, Schedule};
use ambit_model::feed::{Noun, What};
use ambit_model::id::BlobHash;
use ambit_model::ports::PortList;
use ambit_model::timing::Timing;
use ambit_model::user::{CollectionRole, ProjectRole};
use ambit_model::wire::WireChoice;
use ambit_model::{Clearance, DueDays, Kind, Timestamp, workflow};
use serde_json::json;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use uuid::Uuid;

/// `config.custom_last_refreshes_count` of a new collection (docs/contract/asm.md §3.2).
const LAST_REFRESHES_DEFAULT: i64 = 3;
/// Characters of a name's slug; `_` and seven more follow.
const SLUG_CHARS_MAX: usize = 40;
/// Random-looking characters at the end of a name.
const SUFFIX_CHARS: usize = 7;
/// The most exclusions of a collection, and the most bytes of each.
const NEVER_MAX: usize = 10_000;
const NEVER_BYTES_MAX: usize = 2_048;

/// What is asked of a new collection.
#[derive(Clone, Debug, PartialEq)]
pub struct NewCollection {
    /// `None`, or one that is taken: random.
    pub uuid: Option<Uuid>,
    pub printable_name: String,
    pub workflow: String,
    pub schedule: Schedule,
    /// An expression in the place of the schedule, and the rest of when it runs.
    pub timing: Timing,
    pub wire: WireChoice,
    pub level: Clearance,
    /// `None`: those of the installation.
    pub ports: Option<PortList>,
    /// Tasks that its runs leave out.
    pub skipped_tasks: SkippedTasks,
    /// `--exclude` and hard stops.
    pub never: Vec<String>,
    /// Canonical names.
    pub seeds: Vec<(Kind, String)>,
}

impl NewCollection {
    /// Returns a collection with these seeds that is otherwise as most are: of the default workflow, run on demand on
    /// the live wire, up to the level `normal`.
    pub fn usual(printable_name: &str, seeds: Vec<(Kind, String)>) -> Self {
        Self {
            uuid: None,
            printable_name: printable_name.to_owned(),
            workflow: workflow::DEFAULT.to_owned(),
            schedule: Schedule::OnDemand,
            timing: Timing::default(),
            wire: WireChoice::Live,
            level: Clearance::L3,
            ports: None,
            skipped_tasks: SkippedTasks::default(),
            never: Vec::new(),
            seeds,
        }
    }
}

/// The collections that have the same seeds.
#[derive(Debug, Default)]
pub struct SameSeeds {
    /// The oldest one that was made together with its seeds, as `scan` and `demo` do.
    pub made_with_them: Option<CollectionView>,
    /// Names of those that were made empty, as the API does: their level and exclusions are somebody else's choice.
    pub made_empty: Vec<String>,
}

/// A collection as a caller sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct CollectionView {
    pub collection: Collection,
    pub never: Vec<String>,
    pub organization_uuid: Uuid,
    /// The caller's.
    pub role: CollectionRole,
}

columns! {
    /// What a record shows of its collection.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct CollectionRef of c {
        pub id: i64,
        pub uuid: Uuid,
        pub name: String,
        pub printable_name: String,
        pub project: i64 = "c.project_id",
        pub project_uuid: Uuid = "p.uuid",
        pub organization_uuid: Uuid = "o.uuid",
        pub archived: bool,
        /// By when its issues are to be closed; `None`: as the installation says.
        pub due_days: Option<DueDays>,
    }
}

columns! {
    Collection of c {
        id,
        uuid,
        project: "c.project_id",
        project_uuid: "p.uuid",
        project_name: "p.name",
        name,
        printable_name,
        workflow,
        schedule,
        timing: (json),
        due_at,
        counts_from,
        wire: (json),
        level,
        ports,
        skipped_tasks,
        archived,
        created_at,
        updated_at,
        deleted_at,
        deleted_by,
        custom_last_refreshes_count,
        notify_emails_new_entities,
        notify_webhooks_new_entities,
        due_days,
        entity_count,
        total_entity_count,
        issues_by_severity: { BTreeMap::new() },
        last_refresh: { None },
        last_refreshes: { Vec::new() },
        new_entity_count: { 0 },
        refreshing: { false },
    }
}

/// Open issues by severity, from 1.
const ISSUES: &str = "c.issues_1, c.issues_2, c.issues_3, c.issues_4, c.issues_5";

/// Selects collections that were not deleted, for `read`.
fn select() -> String {
    format!(
        "SELECT {}, c.never, o.uuid, {ISSUES}
         FROM collections c JOIN projects p ON p.id = c.project_id JOIN organizations o ON o.id = p.organization_id
         WHERE c.deleted_at IS NULL AND p.deleted_at IS NULL",
        list::<Collection>()
    )
}

/// A row of `select`: the collection, its exclusions, and the uuid of its organisation. What comes from runs is filled
/// in by `complete`.
fn read(row: &Row) -> Result<(Collection, Vec<String>, Uuid), StoreError> {
    let (mut collection, never, organization, issues): (Collection, String, Uuid, (i64, i64, i64, i64, i64)) =
        row.read()?;
    for (severity, count) in (1..).zip([issues.0, issues.1, issues.2, issues.3, issues.4]) {
        if count > 0 {
            collection.issues_by_severity.insert(i64::to_string(&severity), count);
        }
    }
    Ok((collection, from_json(&never)?, organization))
}

/// Adds what the collections' runs say.
async fn complete(tx: &mut Tx, collections: &mut [&mut Collection]) -> Result<(), StoreError> {
    let ids: Vec<i64> = collections.iter().map(|collection| collection.id).collect();
    let mut find = |id: i64| collections.iter_mut().position(|collection| collection.id == id);
    let positions: BTreeMap<i64, usize> = ids.iter().filter_map(|id| find(*id).map(|at| (*id, at))).collect();
    for (id, started_at) in contexts::refreshes(tx, &ids, Timestamp(i64::MAX), i64::MAX).await? {
        let collection = &mut collections[positions[&id]];
        collection.last_refresh.get_or_insert(started_at);
        collection.last_refreshes.push(started_at);
    }
    let fresh = "SELECT e.collection_id, COUNT(*) FROM entities e
        JOIN (SELECT collection_id, MAX(number) AS number FROM runs WHERE state = 'finished' AND retests IS \
                 NULL AND collection_id IN";
    let tail = "GROUP BY collection_id) AS last ON last.collection_id = e.collection_id AND last.number = e.first_run
        WHERE e.present = 1 GROUP BY e.collection_id";
    for (id, count) in tx.read_in::<(i64, i64), _>(fresh, Vec::new(), &ids, tail).await? {
        collections[positions[&id]].new_entity_count = count;
    }
    let open = "SELECT collection_id FROM runs WHERE state IN ('scheduled', 'running', 'paused') AND collection_id IN";
    for id in tx.read_in::<i64, _>(open, Vec::new(), &ids, "").await? {
        collections[positions[&id]].refreshing = true;
    }
    Ok(())
}

/// A collection by its uuid, whoever asks; for the engine and for checks of access.
pub(crate) async fn load(tx: &mut Tx, uuid: Uuid) -> Result<(Collection, Vec<String>, Uuid), StoreError> {
    let row = tx.row(&format!("{} AND c.uuid = $1", select()), values![uuid]).await?;
    let mut found = read(&row.ok_or(StoreError::NotFound)?)?;
    complete(tx, &mut [&mut found.0]).await?;
    Ok(found)
}

/// A collection that the caller has at least this role in. Nothing is counted before that is known: a foreign one takes
/// as long as one that is not there.
pub(crate) async fn require(
    tx: &mut Tx,
    principal: &Principal,
    uuid: Uuid,
    role: CollectionRole,
) -> Result<CollectionView, StoreError> {
    let row = tx.row(&format!("{} AND c.uuid = $1", select()), values![uuid]).await?;
    let (mut collection, never, organization_uuid) = read(&row.ok_or(StoreError::NotFound)?)?;
    let role = principal.require_collection(collection.project, collection.id, role)?;
    complete(tx, &mut [&mut collection]).await?;
    Ok(CollectionView { collection, never, organization_uuid, role })
}

/// Locks the row that orders all writes to a collection's records on PostgreSQL; on SQLite there is one writer anyway.
pub(crate) async fn lock(tx: &mut Tx, id: i64) -> Result<(), StoreError> {
    if tx.is_postgres() {
        tx.run("SELECT 1 FROM collections WHERE id = $1 FOR NO KEY UPDATE", values![id]).await?;
    }
    Ok(())
}

/// Counts a change of what scope depends on. Running runs watch this number.
pub(crate) async fn raise_scope_revision(tx: &mut Tx, id: i64) -> Result<(), StoreError> {
    let sql = "UPDATE collections SET scope_revision = scope_revision + 1 WHERE id = $1";
    tx.run(sql, values![id]).await.map(|_| ())
}

/// The internal name: slug, `_` and seven characters that follow from the uuid, so that equal collections have equal
/// names everywhere.
fn internal_name(printable: &str, uuid: Uuid) -> String {
    const ALPHABET: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";
    let mut slug = String::new();
    for c in printable.to_lowercase().chars() {
        match c {
            'a'..='z' | '0'..='9' | '-' => slug.push(c),
            _ if slug.ends_with('_') || slug.is_empty() => {}
            _ => slug.push('_'),
        }
    }
    slug.truncate(SLUG_CHARS_MAX);
    let slug = Some(slug.trim_end_matches('_')).filter(|slug| !slug.is_empty()).unwrap_or("collection");
    let digest = Sha256::digest(uuid.as_bytes());
    let suffix: String = digest
        .iter()
        .take(SUFFIX_CHARS)
        .map(|byte| char::from(ALPHABET[usize::from(*byte) % ALPHABET.len()]))
        .collect();
    format!("{slug}_{suffix}")
}

/// Marks a collection deleted and ends its run; its rows are removed later by `tidy`.
pub(crate) async fn delete(
    tx: &mut Tx,
    id: i64,
    project: i64,
    uuid: Uuid,
    by: Uuid,
    now: Timestamp,
) -> Result<(), StoreError> {
    lock(tx, id).await?;
    let sql =
        "UPDATE collections SET deleted_at = $1, updated_at = $1, deleted_by = $2 WHERE id = $3 AND deleted_at IS NULL";
    tx.run(sql, values![now, by, id]).await?;
    let sql = "UPDATE runs SET state = 'cancelled', finished_at = $1 WHERE collection_id = $2 AND state IN \
               ('scheduled', 'running', 'paused')";
    tx.run(sql, values![now, id]).await?;
    tx.run("DELETE FROM integration_collections WHERE collection_id = $1", values![id]).await?;
    feed::note(tx, &feed::Note::person(project, Noun::Collection, uuid, What::Disappeared).of(id), now).await
}

pub(crate) fn check_never(never: &[String]) -> Result<(), StoreError> {
    if never.len() > NEVER_MAX || never.iter().any(|pattern| pattern.len() > NEVER_BYTES_MAX) {
        return Err(StoreError::Invalid(format!("at most {NEVER_MAX} patterns of at most {NEVER_BYTES_MAX} bytes")));
    }
    Ok(())
}

impl Store {
    /// The collections that the caller may read, in one project or in all, by id.
    pub async fn list_collections(
        &self,
        principal: &Principal,
        project: Option<i64>,
    ) -> Result<Vec<CollectionView>, StoreError> {
        let projects: Vec<i64> = principal.projects().filter(|id| project.is_none_or(|wanted| wanted == *id)).collect();
        let mut tx = self.read().await?;
        let head = format!("{} AND c.project_id IN", select());
        let mut views = Vec::new();
        for row in tx.rows_in(&head, Vec::new(), &projects, "ORDER BY c.id").await? {
            let (collection, never, organization_uuid) = read(&row)?;
            if let Some(role) = principal.collection_role(collection.project, collection.id) {
                views.push(CollectionView { collection, never, organization_uuid, role });
            }
        }
        let mut collections: Vec<&mut Collection> = views.iter_mut().map(|view| &mut view.collection).collect();
        complete(&mut tx, &mut collections).await?;
        Ok(views)
    }

    /// A collection by its uuid.
    pub async fn find_collection(&self, principal: &Principal, uuid: Uuid) -> Result<CollectionView, StoreError> {
        require(&mut self.read().await?, principal, uuid, CollectionRole::Viewer).await
    }

    /// The collections of a project with this wire (`None`: live) and exactly these seeds, whatever their order;
    /// archived ones do not count.
    pub async fn find_collection_by_seeds(
        &self,
        principal: &Principal,
        project: i64,
        wire: Option<BlobHash>,
        wanted: &[(Kind, String)],
    ) -> Result<SameSeeds, StoreError> {
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
            let seeds = seeds::list(&mut tx, view.collection.id).await?;
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

    /// Makes a collection with its seeds; for owners of the project. It starts nothing: the schedule counts from now.
    pub async fn create_collection(
        &self,
        principal: &Principal,
        project: i64,
        new: &NewCollection,
        now: Timestamp,
    ) -> Result<CollectionView, StoreError> {
        principal.require_project(project, ProjectRole::Owner)?;
        if workflow::find(&new.workflow).is_none() {
            return Err(StoreError::Invalid(format!("unknown workflow: {:?}", new.workflow)));
        }
        check_never(&new.never)?;
        let printable = clean_title(&new.printable_name)?;
        let (principal, new, limits) = (principal.clone(), new.clone(), self.limits());
        transaction!(self, Person, async |tx| {
            let uuid = insert(tx, project, &printable, &new, now).await?;
            let view = require(tx, &principal, uuid, CollectionRole::Admin).await?;
            let id = view.collection.id;
            seeds::insert(tx, (id, uuid), &new.seeds, principal.user_id(), now).await?;
            limits.check_seeds(tx, &principal, project, &new.seeds).await?;
            let details = json!({"name": printable, "workflow": new.workflow, "seeds": new.seeds.len()});
            audit::insert(tx, &principal, Some(project), "collection.create", uuid, details, now).await?;
            feed::note(tx, &feed::Note::person(project, Noun::Collection, uuid, What::Appeared).of(id), now).await?;
            Ok(view)
        })
    }

    /// Deletes a collection for good, with its records; for its admins.
    pub async fn delete_collection(&self, principal: &Principal, uuid: Uuid, now: Timestamp) -> Result<(), StoreError> {
        let principal = principal.clone();
        transaction!(self, Person, async |tx| {
            let view = require(tx, &principal, uuid, CollectionRole::Admin).await?;
            let collection = view.collection;
            delete(tx, collection.id, collection.project, uuid, principal.user_uuid(), now).await?;
            let details = json!({"name": collection.name});
            audit::insert(tx, &principal, Some(collection.project), "collection.delete", uuid, details, now).await
        })
    }
}

async fn insert(
    tx: &mut Tx,
    project: i64,
    printable: &str,
    new: &NewCollection,
    now: Timestamp,
) -> Result<Uuid, StoreError> {
    let taken = "SELECT id FROM collections WHERE uuid = $1";
    let uuid = match new.uuid {
        Some(wanted) if !tx.exists(taken, values![wanted]).await? => wanted,
        _ => Uuid::new_v4(),
    };
    let wire_blob = match &new.wire {
        WireChoice::Live => None,
        WireChoice::Simulated { blob, .. } => Some(*blob),
    };
    let row = named! {
        uuid,
        project_id: project,
        name: internal_name(printable, uuid),
        printable_name: printable,
        workflow: &new.workflow,
        schedule: new.schedule.name(),
        wire: to_json(&new.wire),
        wire_blob,
        level: new.level.number(),
        never: to_json(&new.never),
        created_at: now,
        updated_at: now,
        custom_last_refreshes_count: LAST_REFRESHES_DEFAULT,
        due_at: new.timing.due_after(new.schedule.due_after(now, now), uuid, now),
        ports: new.ports.as_ref().map(PortList::to_string),
        skipped_tasks: new.skipped_tasks.to_string(),
        timing: to_json(&new.timing),
        counts_from: now,
    };
    tx.insert_one("collections", row).await?;
    Ok(uuid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn internal_names_are_slug_and_seven_characters() {
        let uuid = Uuid::from_u128(7);
        for (printable, slug) in [("Acme  External!", "acme_external"), ("!!!", "collection"), ("Ünï-9", "n_-9")] {
            let name = internal_name(printable, uuid);
            let (start, suffix) = name.rsplit_once('_').unwrap();
            assert_eq!((start, suffix.len()), (slug, SUFFIX_CHARS), "{name}");
            assert!(suffix.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()));
        }
    }
}
