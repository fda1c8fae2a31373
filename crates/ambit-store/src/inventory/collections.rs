//! Collections: the defined process, with its wire, level, schedule, exclusions and true counters. How one is made is
//! in `collection_creation`, what is changed of one later in `collection_settings`.

use crate::db::rows::{columns, list};
use crate::db::sql::{Row, Tx, from_json, values};
use crate::db::writer::transaction;
use crate::inventory::{contexts, feed};
use crate::people::audit;
use crate::{Caller, Principal, Result, Store, StoreError};
use ambit_model::collection::Collection;
use ambit_model::feed::{Noun, What};
use ambit_model::user::CollectionRole;
use ambit_model::{DueDays, Timestamp};
use serde_json::json;
use std::collections::BTreeMap;
use uuid::Uuid;

/// The most exclusions of a collection, and the most bytes of each.
const NEVER_MAX: usize = 10_000;
const NEVER_BYTES_MAX: usize = 2_048;

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
fn read(row: &Row) -> Result<(Collection, Vec<String>, Uuid)> {
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
async fn complete(tx: &mut Tx, collections: &mut [&mut Collection]) -> Result<()> {
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
pub(crate) async fn load(tx: &mut Tx, uuid: Uuid) -> Result<(Collection, Vec<String>, Uuid)> {
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
) -> Result<CollectionView> {
    let row = tx.row(&format!("{} AND c.uuid = $1", select()), values![uuid]).await?;
    let (mut collection, never, organization_uuid) = read(&row.ok_or(StoreError::NotFound)?)?;
    let role = principal.require_collection(collection.project, collection.id, role)?;
    complete(tx, &mut [&mut collection]).await?;
    Ok(CollectionView { collection, never, organization_uuid, role })
}

/// Locks the row that orders all writes to a collection's records on PostgreSQL; on SQLite there is one writer anyway.
pub(crate) async fn lock(tx: &mut Tx, id: i64) -> Result<()> {
    if tx.is_postgres() {
        tx.run("SELECT 1 FROM collections WHERE id = $1 FOR NO KEY UPDATE", values![id]).await?;
    }
    Ok(())
}

/// Counts a change of what scope depends on. Running runs watch this number.
pub(crate) async fn raise_scope_revision(tx: &mut Tx, id: i64) -> Result<()> {
    let sql = "UPDATE collections SET scope_revision = scope_revision + 1 WHERE id = $1";
    tx.run(sql, values![id]).await.map(|_| ())
}

/// Marks a collection deleted and ends its run; its rows are removed later by `tidy`.
pub(crate) async fn delete(tx: &mut Tx, id: i64, project: i64, uuid: Uuid, by: Uuid, now: Timestamp) -> Result<()> {
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

pub(crate) fn check_never(never: &[String]) -> Result<()> {
    if never.len() > NEVER_MAX || never.iter().any(|pattern| pattern.len() > NEVER_BYTES_MAX) {
        return Err(StoreError::Invalid(format!("at most {NEVER_MAX} patterns of at most {NEVER_BYTES_MAX} bytes")));
    }
    Ok(())
}

impl Store {
    /// The collections that the caller may read, in one project or in all, by id.
    pub async fn list_collections(&self, principal: &Principal, project: Option<i64>) -> Result<Vec<CollectionView>> {
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
    pub async fn find_collection(&self, principal: &Principal, uuid: Uuid) -> Result<CollectionView> {
        require(&mut self.read().await?, principal, uuid, CollectionRole::Viewer).await
    }

    /// Deletes a collection for good, with its records; for its admins.
    pub async fn delete_collection(&self, caller: &Caller, uuid: Uuid) -> Result<()> {
        let caller = caller.clone();
        transaction!(self, Person, async |tx| {
            let view = require(tx, &caller, uuid, CollectionRole::Admin).await?;
            let collection = view.collection;
            delete(tx, collection.id, collection.project, uuid, caller.user_uuid(), caller.now).await?;
            let details = json!({"name": collection.name});
            audit::insert(tx, &caller, Some(collection.project), "collection.delete", uuid, details).await
        })
    }
}
