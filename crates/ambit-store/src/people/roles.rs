//! Who may do what in a collection: the roles that owners give to members of the project.

use crate::db::rows::{list, named};
use crate::db::sql::values;
use crate::db::writer::transaction;
use crate::inventory::collections::require;
use crate::people::audit;
use crate::people::projects::{self, Member, PEOPLE};
use crate::{Caller, Principal, Result, Store, StoreError};
use ambit_model::user::{CollectionRole, ProjectRole};
use serde_json::json;
use uuid::Uuid;

impl Store {
    /// Returns who was given a role in a collection; for its admins.
    pub async fn list_collection_roles(
        &self,
        principal: &Principal,
        uuid: Uuid,
    ) -> Result<Vec<(Member, CollectionRole)>> {
        let mut tx = self.read().await?;
        let view = require(&mut tx, principal, uuid, CollectionRole::Admin).await?;
        let sql = format!(
            "SELECT {}, r.role FROM collection_roles r JOIN {PEOPLE} ON m.id = r.member_id JOIN users u ON u.id = \
             m.user_id
             WHERE r.collection_id = $1 ORDER BY m.id",
            list::<Member>()
        );
        tx.read_all(&sql, values![view.collection.id]).await
    }

    /// Gives somebody of the project, in it or asked, a role in a collection; for owners of the project. `member` is a
    /// project user id, an address or a username. Anybody else is `NotFound`.
    pub async fn set_collection_role(
        &self,
        caller: &Caller,
        uuid: Uuid,
        member: &str,
        role: CollectionRole,
    ) -> Result<()> {
        let (caller, member) = (caller.clone(), member.trim().to_owned());
        transaction!(self, Access, async |tx| {
            let collection = require(tx, &caller, uuid, CollectionRole::Viewer).await?.collection;
            caller.require_project(collection.project, ProjectRole::Owner)?;
            let member = projects::find_member(tx, collection.project, &member).await?.id;
            let row = named! { collection_id: collection.id, member_id: member, role: role.name() };
            tx.put("collection_roles", "collection_id, member_id", &["role"], row).await?;
            let details = json!({"member": member, "role": role.name()});
            audit::insert(tx, &caller, Some(collection.project), "collection.role", uuid, details).await
        })
    }

    /// Takes a member's role in a collection away; for owners of the project. Fails with `NotFound` where the member
    /// has none.
    pub async fn remove_collection_role(&self, caller: &Caller, uuid: Uuid, member: i64) -> Result<()> {
        let caller = caller.clone();
        transaction!(self, Access, async |tx| {
            let collection = require(tx, &caller, uuid, CollectionRole::Viewer).await?.collection;
            caller.require_project(collection.project, ProjectRole::Owner)?;
            let sql = "DELETE FROM collection_roles WHERE collection_id = $1 AND member_id = $2";
            tx.change(sql, values![collection.id, member]).await?;
            let (project, object) = (Some(collection.project), uuid.to_string());
            audit::insert(tx, &caller, project, "collection.role.remove", &object, json!({"member": member})).await
        })
    }

    /// Takes somebody out of a project, with the roles in its collections, or takes an invitation back; for its owners,
    /// and for whoever leaves it. The last owner stays. To take that one out is a `Conflict`.
    pub async fn remove_member(&self, caller: &Caller, project: Uuid, member: i64) -> Result<()> {
        let caller = caller.clone();
        transaction!(self, Access, async |tx| {
            let id = projects::require(tx, &caller, project, ProjectRole::Member).await?;
            projects::lock(tx, id).await?;
            let own = "SELECT 1 FROM members WHERE id = $1 AND project_id = $2 AND user_id = $3";
            if !tx.exists(own, values![member, id, caller.user_id()]).await? {
                caller.require_project(id, ProjectRole::Owner)?;
            }
            let mut removed = None;
            for sql in [
                "DELETE FROM members WHERE id = $1 AND project_id = $2 RETURNING user_id",
                "DELETE FROM invitations WHERE member_id = $1 AND kind = 'project' AND target_id = $2 RETURNING \
                 user_id",
            ] {
                removed = removed.or(tx.read_first::<i64>(sql, values![member, id]).await?);
            }
            let user = removed.ok_or(StoreError::NotFound)?;
            projects::keep_an_owner(tx, id).await?;
            tx.run("DELETE FROM collection_roles WHERE member_id = $1", values![member]).await?;
            let details = json!({"member": member, "user": user});
            audit::insert(tx, &caller, Some(id), "member.remove", project, details).await
        })
    }

    /// Leaves a project; the last owner stays. For that one it is a `Conflict`.
    pub async fn leave_project(&self, caller: &Caller, project: Uuid) -> Result<()> {
        let mut tx = self.read().await?;
        let id = projects::require(&mut tx, caller, project, ProjectRole::Member).await?;
        let sql = "SELECT id FROM members WHERE project_id = $1 AND user_id = $2";
        let member: i64 = tx.find(sql, values![id, caller.user_id()]).await?;
        tx.rollback().await?;
        self.remove_member(caller, project, member).await
    }
}
