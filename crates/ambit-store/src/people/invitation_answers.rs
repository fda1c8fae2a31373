//! Answers to invitations: a person accepts or declines, or whoever may invite takes one back.

use crate::db::rows::{columns, select};
use crate::db::sql::{Tx, values};
use crate::db::writer::transaction;
use crate::people::invitations::ADMINISTRATOR;
use crate::people::{audit, groups, projects};
use crate::{Caller, Principal, Result, Store, StoreError};
use ambit_model::user::{InvitedTo, ProjectRole};
use serde_json::json;
use uuid::Uuid;

columns! {
    /// A row that the person, or whoever may take it back, answers.
    struct Held {
        kind: InvitedTo,
        target: i64 = "target_id",
        user: i64 = "user_id",
        role: String,
        member: Option<i64> = "member_id",
    }
}

async fn hold(tx: &mut Tx, id: i64) -> Result<Held> {
    let lock = if tx.is_postgres() { " FOR UPDATE" } else { "" };
    let sql = select::<Held>(&format!("FROM invitations WHERE id = $1{lock}"));
    tx.find(&sql, values![id]).await
}

/// Accepts an invitation. Fails with `NotFound` if the project or group is gone.
async fn accept(tx: &mut Tx, caller: &Caller, id: i64) -> Result<()> {
    let held = hold(tx, id).await?;
    if held.user != caller.user_id() {
        return Err(StoreError::NotFound);
    }
    tx.run("DELETE FROM invitations WHERE id = $1", values![id]).await?;
    match held.kind {
        InvitedTo::Project => {
            projects::lock(tx, held.target).await?;
            let sql = "SELECT uuid FROM projects WHERE id = $1 AND deleted_at IS NULL";
            let uuid: Uuid = tx.find(sql, values![held.target]).await?;
            let role =
                ProjectRole::from_name(&held.role).ok_or_else(|| StoreError::Bug("unknown project role".to_owned()))?;
            projects::put_member(tx, held.target, held.user, role, held.member, caller.now).await?;
            let details = json!({"role": held.role});
            audit::insert(tx, caller, Some(held.target), "invitation.accept", uuid, details).await
        }
        InvitedTo::Group => {
            let sql = "SELECT name FROM user_groups WHERE id = $1";
            let name: String = tx.find(sql, values![held.target]).await?;
            groups::join(tx, held.target, held.user, held.role == ADMINISTRATOR).await?;
            audit::insert(tx, caller, None, "invitation.accept", &name, json!({"role": held.role})).await
        }
    }
}

/// Returns true for those who may withdraw an invitation: owners of the project, administrators of the group.
async fn may_withdraw(tx: &mut Tx, principal: &Principal, held: &Held) -> Result<bool> {
    match held.kind {
        InvitedTo::Project => Ok(principal.project_role(held.target) == Some(ProjectRole::Owner)),
        InvitedTo::Group => groups::administers(tx, principal, held.target).await,
    }
}

impl Store {
    /// Accepts an invitation of the caller's. Fails with `NotFound` where it was to somebody else, was answered or
    /// taken back, or the project or group is gone.
    pub async fn accept_invitation(&self, caller: &Caller, id: i64) -> Result<()> {
        let caller = caller.clone();
        transaction!(self, Access, async |tx| accept(tx, &caller, id).await)
    }

    /// Ends an invitation: the person declines it, or whoever may invite takes it back. Roles in collections that were
    /// given with it end too. For everybody else, and once it has ended, it is `NotFound`.
    pub async fn end_invitation(&self, caller: &Caller, id: i64) -> Result<()> {
        let caller = caller.clone();
        transaction!(self, Person, async |tx| {
            let held = hold(tx, id).await?;
            let declined = held.user == caller.user_id();
            if !declined && !may_withdraw(tx, &caller, &held).await? {
                return Err(StoreError::NotFound);
            }
            tx.run("DELETE FROM invitations WHERE id = $1", values![id]).await?;
            tx.run("DELETE FROM collection_roles WHERE member_id = $1", values![held.member]).await?;
            let action = if declined { "invitation.decline" } else { "invitation.withdraw" };
            let project = (held.kind == InvitedTo::Project).then_some(held.target);
            let details = json!({"user": held.user, "role": held.role});
            audit::insert(tx, &caller, project, action, id, details).await
        })
    }
}
