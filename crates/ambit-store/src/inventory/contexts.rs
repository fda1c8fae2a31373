//! What each search needs of the collections that its caller may see: names and the starts of their last runs, without
//! the counters of a whole view.

use crate::db::rows::{columns, select};
use crate::db::sql::{Tx, values};
use crate::{Principal, Result, Store};
use ambit_model::{DueDays, Timestamp};
use uuid::Uuid;

/// Finished runs whose starts are shown (`last_scan_count_N`, N up to 10).
const LAST_REFRESHES_MAX: i64 = 10;

columns! {
    /// The data of a collection that a search needs to resolve `collection:` and `last_refresh`, and that its hits
    /// repeat.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct CollectionContext of c {
        pub id: i64,
        pub uuid: Uuid,
        pub name: String,
        pub printable_name: String,
        pub organization_uuid: Uuid = "o.uuid",
        pub last_refresh: Option<Timestamp> = { None },
        /// Starts of the last finished runs, newest first, at most 10.
        pub last_refreshes: Vec<Timestamp> = { Vec::new() },
        pub custom_last_refreshes_count: i64,
        /// By when issues are to be closed; `None`: as the installation says.
        pub due_days: Option<DueDays>,
    }
}

/// Collection and start of its last runs that had finished by a moment and by a revision, newest first, at most 10
/// each.
pub(crate) async fn refreshes(
    tx: &mut Tx,
    collections: &[i64],
    by: Timestamp,
    reached: i64,
) -> Result<Vec<(i64, Timestamp)>> {
    // The bare state would be looked up in its index: most runs of all collections are finished.
    let head = "SELECT collection_id, started_at FROM (SELECT collection_id, started_at, number,
                ROW_NUMBER() OVER (PARTITION BY collection_id ORDER BY number DESC) AS place
                FROM runs
                WHERE state || '' = 'finished' AND started_at IS NOT NULL AND retests IS NULL AND finished_at <= $1
                AND end_revision <= $2 AND collection_id IN";
    let tail = format!(") AS finished WHERE place <= {LAST_REFRESHES_MAX} ORDER BY collection_id, number DESC");
    tx.read_in(head, values![by, reached], collections, &tail).await
}

impl Store {
    /// What searches need of the collections of a project that the caller may read, by id; none where the project is
    /// not the caller's. Runs are those that had ended by a revision, which the searched index has reached: of a later
    /// one it does not know yet what the run saw, so that nothing would seem to be seen since that began.
    pub async fn collection_contexts(
        &self,
        principal: &Principal,
        project: i64,
        reached: i64,
    ) -> Result<Vec<CollectionContext>> {
        self.collection_contexts_at(principal, project, reached, Timestamp(i64::MAX)).await
    }

    /// As [`Store::collection_contexts`], with the runs that had finished by a moment, too.
    pub async fn collection_contexts_at(
        &self,
        principal: &Principal,
        project: i64,
        reached: i64,
        moment: Timestamp,
    ) -> Result<Vec<CollectionContext>> {
        let mut tx = self.read().await?;
        let sql = select::<CollectionContext>(
            "FROM collections c JOIN projects p ON p.id = c.project_id JOIN organizations o ON o.id = \
             p.organization_id
             WHERE c.project_id = $1 AND c.deleted_at IS NULL AND p.deleted_at IS NULL ORDER BY c.id",
        );
        let mut contexts: Vec<CollectionContext> = tx.read_all(&sql, values![project]).await?;
        contexts.retain(|context| principal.collection_role(project, context.id).is_some());
        let ids: Vec<i64> = contexts.iter().map(|context| context.id).collect();
        for (id, started_at) in refreshes(&mut tx, &ids, moment, reached).await? {
            let context = contexts.iter_mut().find(|context| context.id == id).expect("only these were asked for");
            context.last_refresh.get_or_insert(started_at);
            context.last_refreshes.push(started_at);
        }
        Ok(contexts)
    }
}
