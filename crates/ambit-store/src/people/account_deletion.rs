//! Deletes accounts and groups: what is deleted with them, what stays, and who inherits it.

use crate::db::sql::{Tx, values};
use crate::db::writer::transaction;
use crate::notifications::deliveries;
use crate::people::accounts::account_of;
use crate::people::groups::{group_named, require_administrator_of};
use crate::people::users::{self, DELETED};
use crate::people::{audit, projects};
use crate::wider::graphs::note;
use crate::wider::{hunting_rulesets, retrohunt_jobs};
use crate::{Caller, Result, Store, StoreError};
use ambit_model::Timestamp;
use ambit_model::feed::What;
use serde_json::json;

/// Nobody draws from a group that ends.
const LEAVE_GROUP: [&str; 2] = [
    "UPDATE users SET api_quota_group = NULL WHERE api_quota_group = $1",
    "UPDATE users SET intelligence_quota_group = NULL WHERE intelligence_quota_group = $1",
];

/// What ends with a group. People before the group, as in every charge, so that neither waits for the other.
const GROUP_TRACES: [&str; 12] = [
    "DELETE FROM group_members WHERE group_id = $1",
    "DELETE FROM group_caps WHERE group_id = $1",
    "DELETE FROM invitations WHERE kind = 'group' AND target_id = $1",
    "DELETE FROM graph_access WHERE subject = 'group' AND subject_id = $1",
    "UPDATE graphs SET group_id = NULL WHERE group_id = $1",
    "DELETE FROM hunting_editors WHERE subject = 'group' AND subject_id = $1",
    "DELETE FROM privileges WHERE subject = 'group' AND subject_id = $1",
    "DELETE FROM quotas WHERE subject = 'group' AND subject_id = $1",
    "DELETE FROM quota_used WHERE payer = 'group' AND payer_id = $1",
    "DELETE FROM quota_drawn WHERE group_id = $1",
    "DELETE FROM api_usage WHERE payer = 'group' AND payer_id = $1",
    "DELETE FROM user_groups WHERE id = $1",
];

/// What an account is called once it is deleted, in the audit log as well.
fn name_after(user: i64) -> String {
    format!("deleted-{user}")
}

/// Deletes an account. The row stays, because what the user made refers to it. Answers with the receivers of
/// notifications that end with it.
async fn erase(tx: &mut Tx, user: i64, now: Timestamp) -> Result<Vec<String>> {
    let ended = deliveries::end_all_of(tx, user, now).await?;
    hunting_rulesets::stop_all(tx, user, now).await?;
    retrohunt_jobs::abort_all(tx, user, now).await?;
    let sql = "UPDATE api_keys SET revoked_at = $1 WHERE user_id = $2 AND revoked_at IS NULL";
    tx.run(sql, values![now, user]).await?;
    for sql in [
        "DELETE FROM collection_roles WHERE member_id IN
         (SELECT id FROM members WHERE user_id = $1 UNION ALL SELECT member_id FROM invitations WHERE user_id = $1 \
         AND kind = 'project')",
        "DELETE FROM invitations WHERE user_id = $1",
        "DELETE FROM identities WHERE user_id = $1",
        "DELETE FROM group_caps WHERE user_id = $1",
        "DELETE FROM members WHERE user_id = $1",
        "DELETE FROM group_members WHERE user_id = $1",
        "DELETE FROM graph_access WHERE subject = 'user' AND subject_id = $1",
        "DELETE FROM hunting_editors WHERE subject = 'user' AND subject_id = $1",
        "DELETE FROM privileges WHERE subject = 'user' AND subject_id = $1",
        "DELETE FROM quotas WHERE subject = 'user' AND subject_id = $1",
    ] {
        tx.run(sql, values![user]).await?;
    }
    let name = name_after(user);
    let sql = "UPDATE users SET username = $1, email = $2, profile = '{}', status = $3, administrator = 0, \
               primary_project = NULL,
               api_quota_group = NULL, intelligence_quota_group = NULL, service_of = NULL WHERE id = $4";
    tx.run(sql, values![&name, format!("{name}@deleted.invalid"), DELETED, user]).await?;
    Ok(ended)
}

impl Store {
    /// Deletes a user by username or address: oneself, or anybody for the administrator of the installation. Keys,
    /// rights and memberships end, name and address are free again. What the user made stays, under a name that says
    /// nothing; projects that nobody else owns come to the administrator. The last administrator of the installation
    /// stays. To delete that one is a `Conflict`.
    pub async fn delete_user(&self, caller: &Caller, name: &str) -> Result<()> {
        let (caller, name) = (caller.clone(), name.to_owned());
        transaction!(self, Access, async |tx| {
            let id = users::find(tx, &name).await?.id;
            let account = account_of(tx, id).await?;
            if id != caller.user_id() {
                caller.require_administrator()?;
            }
            if account.status == DELETED {
                return Err(StoreError::NotFound);
            }
            if account.user.administrator && users::active_administrators(tx).await? == [id] {
                return Err(StoreError::Conflict("the last administrator of an installation stays".to_owned()));
            }
            let inherited = match id == caller.user_id() {
                true => Vec::new(),
                false => projects::inherit(tx, id, caller.user_id(), caller.now).await?,
            };
            let ended = erase(tx, id, caller.now).await?;
            let details = json!({
                "projects": inherited, "receivers": ended, "id": account.user.uuid, "now_called": name_after(id),
            });
            audit::insert(tx, &caller, None, "user.delete", &account.user.username, details).await
        })
    }

    /// Deletes a service account, for administrators of its group. Its keys end, its name is free again, and what it
    /// made stays. An account that is no service account is `NotFound`.
    pub async fn delete_service_account(&self, caller: &Caller, name: &str) -> Result<()> {
        let (caller, name) = (caller.clone(), name.to_owned());
        transaction!(self, Access, async |tx| {
            let id = users::find(tx, &name).await?.id;
            let account = account_of(tx, id).await?;
            let group = account.service_group.ok_or(StoreError::NotFound)?;
            require_administrator_of(tx, &caller, group).await?;
            let detail = json!({"group": account.service_of, "id": account.user.uuid, "now_called": name_after(id)});
            audit::insert(tx, &caller, None, "service_account.delete", &account.user.username, detail).await?;
            erase(tx, account.user.id, caller.now).await.map(drop)
        })
    }

    /// Deletes a group with its service accounts, privileges, quotas and places on lists; for the administrator of the
    /// installation. Its members stay.
    pub async fn delete_group(&self, caller: &Caller, name: &str) -> Result<()> {
        caller.require_administrator()?;
        let (caller, name) = (caller.clone(), name.to_owned());
        transaction!(self, Access, async |tx| {
            let group = group_named(tx, &name).await?.group.id;
            let sql = "SELECT id FROM users WHERE service_of = $1 ORDER BY id";
            for account in tx.read_all::<i64>(sql, values![group]).await? {
                erase(tx, account, caller.now).await?;
            }
            let paid = hunting_rulesets::paid_by(tx, group, None).await?;
            let sql = "SELECT id FROM graphs WHERE deleted_at IS NULL AND (group_id = $1
                       OR number IN (SELECT graph FROM graph_access WHERE subject = 'group' AND subject_id = $1)) \
                       ORDER BY number";
            let graphs: Vec<String> = tx.read_all(sql, values![group]).await?;
            for sql in LEAVE_GROUP {
                tx.run(sql, values![group]).await?;
            }
            hunting_rulesets::change_payer(tx, paid, caller.now).await?;
            for sql in GROUP_TRACES {
                tx.run(sql, values![group]).await?;
            }
            audit::insert(tx, &caller, None, "group.delete", &name, json!({})).await?;
            for graph in &graphs {
                note(tx, graph, What::Changed, caller.now).await?;
            }
            Ok(())
        })
    }
}
