//! Runs that look at one issue alone: whether what it rests on is still there. They move neither the schedule nor the
//! last refresh of their collection.

use crate::db::rows::select;
use crate::db::sql::values;
use crate::db::writer::transaction;
use crate::inventory::runs::{FROM, NewRun, Started, find_open, insert_row};
use crate::inventory::views::find;
use crate::inventory::{collections, run_reports::RunReport};
use crate::people::audit;
use crate::{Caller, Principal, Result, Store, StoreError};
use ambit_model::Item;
use ambit_model::run::Run;
use ambit_model::user::CollectionRole;
use serde_json::json;

/// The number of entities that such a run is expected to probe: one, or a few that lead to it.
const SIZE: i64 = 1;

impl Store {
    /// Schedules a look at one issue, named by its uid or uuid. A look at it that is open already is the answer; beside
    /// another open run of the collection there can be none. For admins. Such a run, or an archived collection, is a
    /// `Conflict`; more open runs than the caller may have are `TooMany`.
    pub async fn start_retest(&self, caller: &Caller, id: &str, project: Option<i64>) -> Result<Started> {
        let (caller, id, limits) = (caller.clone(), id.to_owned(), self.limits());
        transaction!(self, Person, async |tx| {
            let issue = find(tx, &caller, Item::Issue, &id, project, CollectionRole::Admin).await?;
            let uuid = issue.collection.uuid;
            let collection = collections::require(tx, &caller, uuid, CollectionRole::Admin).await?.collection;
            if collection.archived {
                return Err(StoreError::Conflict("the collection is archived: unarchive it first".to_owned()));
            }
            collections::lock(tx, collection.id).await?;
            match find_open(tx, collection.id).await? {
                Some(open) if open.retests == Some(issue.uid) => return Ok(Started::Open(open)),
                Some(open) => {
                    return Err(StoreError::Conflict(format!(
                        "run {} of the collection is {}: wait for its end, or cancel it",
                        open.id,
                        open.state.name()
                    )));
                }
                None => {}
            }
            let raise = "UPDATE collections SET run_number = run_number + 1 WHERE id = $1 RETURNING run_number";
            let number: i64 = tx.read_one(raise, values![collection.id]).await?;
            let new = NewRun { number, full: false, size: SIZE, retests: Some(issue.uid) };
            let started = insert_row(tx, &collection, Some(&caller), new, caller.now).await?;
            limits.check_run(tx, &caller).await?;
            let details = json!({"run": started.run().id, "issue": issue.uid});
            audit::insert(tx, &caller, Some(collection.project), "issue.retest", collection.uuid, details).await?;
            Ok(started)
        })
    }

    /// Returns the newest test of one issue, with what could not be probed; `None` if there was none.
    pub async fn last_retest(
        &self,
        principal: &Principal,
        id: &str,
        project: Option<i64>,
    ) -> Result<Option<RunReport>> {
        let mut tx = self.read().await?;
        let issue = find(&mut tx, principal, Item::Issue, id, project, CollectionRole::Viewer).await?;
        let sql = select::<Run>(&format!(
            "{FROM} WHERE r.collection_id = $1 AND r.retests = $2 ORDER BY r.number DESC LIMIT 1"
        ));
        let run: Option<Run> = tx.read_first(&sql, values![issue.collection.id, issue.uid]).await?;
        tx.rollback().await?;
        match run {
            Some(run) => self.find_run_report(principal, run.id).await.map(Some),
            None => Ok(None),
        }
    }
}
