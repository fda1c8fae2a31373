//! The beginning of accounts and groups: who is made, and where they are at once.

use crate::db::rows::named;
use crate::db::sql::values;
use crate::db::writer::transaction;
use crate::people::accounts::account_of;
use crate::people::groups::{group_named, join, require_administrator_of};
use crate::people::names::clean_name;
use crate::people::users::{self, insert_user};
use crate::people::{audit, keys, projects};
use crate::{Account, Caller, IssuedKey, KeyScope, Result, Store, StoreError};
use ambit_model::user::{Group, ProjectRole, User};
use serde_json::json;
use std::collections::BTreeMap;
use uuid::Uuid;

/// A user to be made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewUser {
    pub email: String,
    /// Default: the part of the address before the @, with a number where that is taken.
    pub username: Option<String>,
    pub administrator: bool,
    /// A project of the administrator who makes the user, in which the user is a member at once; it is the user's
    /// primary one.
    pub project: Option<Uuid>,
    /// A group that the user is in at once, by name.
    pub group: Option<String>,
}

impl Store {
    /// Makes a user, in a project or group at once where the administrator says so; for the administrator of the
    /// installation. Fails with `Exists` where the address or the username is taken, with `NotFound` for an unknown
    /// project or group, and with `Invalid` for an address or username that cannot be one.
    pub async fn create_user(&self, caller: &Caller, new: &NewUser) -> Result<User> {
        caller.require_administrator()?;
        let (caller, new) = (caller.clone(), new.clone());
        transaction!(self, Person, async |tx| {
            let user = insert_user(tx, &new.email, new.username.as_deref(), new.administrator, caller.now).await?;
            let details = json!({"username": user.username, "project": new.project, "group": new.group});
            audit::insert(tx, &caller, None, "user.create", &user.email, details).await?;
            if let Some(project) = new.project {
                let project = projects::require(tx, &caller, project, ProjectRole::Owner).await?;
                projects::put_member(tx, project, user.id, ProjectRole::Member, None, caller.now).await?;
            }
            if let Some(group) = &new.group {
                let group = group_named(tx, group).await?.group.id;
                join(tx, group, user.id, false).await?;
            }
            Ok(user)
        })
    }

    /// Makes a service account `<group>_<id>` with a key, which is given this once; for administrators of the group.
    /// Fails with `Exists` where the name is taken, and with `Invalid` where it cannot be one.
    pub async fn create_service_account(&self, caller: &Caller, group: &str, id: &str) -> Result<(Account, IssuedKey)> {
        let (caller, group, id) = (caller.clone(), group.to_owned(), clean_name(id)?);
        let draft = keys::Draft::new(&self.inner.secret, "service account");
        transaction!(self, Person, async |tx| {
            let group = group_named(tx, &group).await?.group;
            require_administrator_of(tx, &caller, group.id).await?;
            let prefix = format!("{}_", group.name);
            let username = if id.starts_with(&prefix) { id } else { format!("{prefix}{id}") };
            // An identifier like an address that no person can have: the reserved domain is nobody's.
            let email = format!("{username}@service.invalid");
            let user = insert_user(tx, &email, Some(&username), false, caller.now).await?;
            let sql = "UPDATE users SET service_of = $1, api_quota_group = $2, intelligence_quota_group = $3 WHERE id \
                       = $4";
            tx.run(sql, values![group.id, group.id, group.id, user.id]).await?;
            let origin = keys::Origin::of(tx, &caller, None, KeyScope::default()).await?;
            let issued = draft.insert(tx, user.id, origin, caller.now).await?;
            audit::insert(tx, &caller, None, "service_account.create", &username, json!({"group": group.name})).await?;
            Ok((account_of(tx, user.id).await?, issued))
        })
    }

    /// Makes a group with members (usernames or addresses); for the administrator of the installation. Fails with
    /// `Exists` where the name is taken, with `Invalid` where it cannot be one, and with `NotFound` where a member is
    /// not there.
    pub async fn create_group(&self, caller: &Caller, name: &str, members: &[String]) -> Result<(Group, Vec<User>)> {
        caller.require_administrator()?;
        let (caller, name, members) = (caller.clone(), clean_name(name)?, members.to_vec());
        transaction!(self, Access, async |tx| {
            if tx.exists("SELECT id FROM user_groups WHERE name = $1", values![&name]).await? {
                return Err(StoreError::Exists(format!("a group named {name} is there already")));
            }
            let row = named! { uuid: Uuid::new_v4(), name: &name, created_at: caller.now };
            let group: Group = tx.insert_read("user_groups", row, "id, uuid, name, created_at").await?;
            let mut joined: BTreeMap<i64, User> = BTreeMap::new();
            for member in &members {
                let user = users::find(tx, member).await?;
                join(tx, group.id, user.id, false).await?;
                joined.insert(user.id, user);
            }
            audit::insert(tx, &caller, None, "group.create", &name, json!({"members": members})).await?;
            Ok((group, joined.into_values().collect()))
        })
    }
}
