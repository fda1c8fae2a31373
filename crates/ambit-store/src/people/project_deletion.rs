//! The end of a project, with everything in it.

use crate::db::sql::values;
use crate::db::writer::transaction;
use crate::inventory::{collections, feed, integrations};
use crate::notifications::removal;
use crate::people::audit;
use crate::people::projects::find_project;
use crate::wider::files;
use crate::{Caller, ProjectView, Result, Store};
use ambit_model::feed::{Noun, What};
use ambit_model::user::ProjectRole;
use serde_json::json;
use uuid::Uuid;

impl Store {
    /// Deletes a project with everything in it; for its owners.
    pub async fn delete_project(&self, caller: &Caller, uuid: Uuid) -> Result<ProjectView> {
        let caller = caller.clone();
        transaction!(self, Access, async |tx| {
            let view = find_project(tx, &caller, uuid).await?;
            let id = view.project.id;
            caller.require_project(id, ProjectRole::Owner)?;
            let sql = "SELECT id, uuid FROM collections WHERE project_id = $1 AND deleted_at IS NULL ORDER BY id";
            let held: Vec<(i64, Uuid)> = tx.read_all(sql, values![id]).await?;
            for (collection, _) in &held {
                // All of them before the revision counter, which the first deletion takes: the order in which
                // everybody locks.
                collections::lock(tx, *collection).await?;
            }
            for (collection, uuid) in held {
                collections::delete(tx, collection, id, uuid, caller.user_uuid(), caller.now).await?;
            }
            integrations::forget(tx, id).await?;
            files::forget_project(tx, id).await?;
            removal::forget(tx, id).await?;
            audit::insert(tx, &caller, Some(id), "project.delete", uuid, json!({"name": view.project.name})).await?;
            feed::note(tx, &feed::Note::person(id, Noun::Project, uuid, What::Disappeared), caller.now).await?;
            tx.run("DELETE FROM invitations WHERE kind = 'project' AND target_id = $1", values![id]).await?;
            tx.run("UPDATE projects SET deleted_at = $1 WHERE id = $2", values![caller.now, id]).await?;
            Ok(view)
        })
    }
}
