//! Users as the wider API shows and changes them: profiles, caps, whether they are active (docs/contract/wider.md §2).
//! What of it a caller may see is decided by who the caller is to the account: `Relationship`. Groups are in
//! `groups.rs`.

use crate::db::rows::{columns, list};
use crate::db::sql::{Tx, to_json, values};
use crate::db::writer::transaction;
use crate::people::audit;
use crate::people::users::{self, DELETED};
use crate::{Caller, Principal, Result, Store, StoreError};
use ambit_model::Timestamp;
use ambit_model::user::{ACTIVE, STATUSES, User};
use serde_json::{Map, Value, json};

/// The most bytes of a profile as JSON.
const PROFILE_BYTES_MAX: usize = 16 * 1024;

columns! {
    /// A user or service account.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Account of u {
        pub user: User = User,
        pub profile: Map<String, Value> = (json),
        /// `active`, or why not.
        pub status: String,
        /// The group that it draws calls from.
        pub api_quota_group: Option<String> = "a.name",
        /// The group that it draws everything else from.
        pub intelligence_quota_group: Option<String> = "i.name",
        /// The group whose service account it is.
        pub service_of: Option<String> = "s.name",
        /// The same, by id.
        pub service_group: Option<i64> = "u.service_of",
        /// The last use of a key, to the minute.
        pub last_login: Option<Timestamp> = "(SELECT MAX(k.last_used_at) FROM api_keys k WHERE k.user_id = u.id)",
    }
}

/// Who the caller is to a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relationship {
    Anybody,
    /// Administrator of the installation, or of one of the user's groups (and the user is no administrator of the
    /// installation).
    Administrator,
    Oneself,
}

/// Selects accounts.
pub(crate) fn select_accounts() -> String {
    format!(
        "SELECT {} FROM users u LEFT JOIN user_groups a ON a.id = u.api_quota_group LEFT JOIN user_groups i ON i.id = \
         u.intelligence_quota_group
         LEFT JOIN user_groups s ON s.id = u.service_of",
        list::<Account>()
    )
}

pub(crate) async fn account_of(tx: &mut Tx, id: i64) -> Result<Account> {
    tx.find(&format!("{} WHERE u.id = $1", select_accounts()), values![id]).await
}

/// The groups through which the caller stands above a user: those that the caller administers and the user is in, or
/// whose service account it is. Nobody stands above an administrator of the installation through a group.
async fn groups_over(tx: &mut Tx, principal: &Principal, user: i64) -> Result<Vec<i64>> {
    let sql =
        "SELECT me.group_id FROM group_members me JOIN users u ON u.id = $1 WHERE me.user_id = $2 AND me.administrator \
         = 1 AND u.administrator = 0
               AND (u.service_of = me.group_id OR EXISTS
                   (SELECT 1 FROM group_members them WHERE them.group_id = me.group_id AND them.user_id = u.id)) ORDER \
                   BY me.group_id";
    tx.read_all(sql, values![user, principal.user_id()]).await
}

async fn standing_to(tx: &mut Tx, principal: &Principal, user: i64) -> Result<Relationship> {
    if principal.user_id() == user {
        return Ok(Relationship::Oneself);
    }
    let over = principal.administrator() || !groups_over(tx, principal, user).await?.is_empty();
    Ok(if over { Relationship::Administrator } else { Relationship::Anybody })
}

/// Replaces members of a profile; null removes one.
pub(crate) fn merged(mut profile: Map<String, Value>, changes: &Map<String, Value>) -> Result<Map<String, Value>> {
    for (name, value) in changes {
        if value.is_null() {
            profile.shift_remove(name);
        } else {
            profile.insert(name.clone(), value.clone());
        }
    }
    if to_json(&profile).len() > PROFILE_BYTES_MAX {
        return Err(StoreError::Invalid(format!("a profile is at most {PROFILE_BYTES_MAX} bytes of JSON")));
    }
    Ok(profile)
}

impl Store {
    /// A user or service account by username or address; everybody who has a key may know that it exists.
    pub async fn account(&self, name: &str) -> Result<Account> {
        let sql = format!("{} WHERE u.email = $1 OR u.username = $2 ORDER BY u.id LIMIT 1", select_accounts());
        let names = values![name.trim().to_lowercase(), name.trim()];
        self.read().await?.find(&sql, names).await
    }

    /// The same by integer id.
    pub async fn account_by_id(&self, id: i64) -> Result<Account> {
        account_of(&mut self.read().await?, id).await
    }

    /// Who the caller is to a user.
    pub async fn standing_to(&self, principal: &Principal, user: i64) -> Result<Relationship> {
        standing_to(&mut self.read().await?, principal, user).await
    }

    /// Changes what a user's profile says; for the user and the administrators of the user's groups. For others it is
    /// `Forbidden`; a profile that grows too large is `Invalid`.
    pub async fn change_profile(&self, caller: &Caller, user: i64, changes: &Map<String, Value>) -> Result<()> {
        let (caller, changes) = (caller.clone(), changes.clone());
        transaction!(self, Person, async |tx| {
            if standing_to(tx, &caller, user).await? == Relationship::Anybody {
                return Err(StoreError::Forbidden("this is another user's profile".to_owned()));
            }
            let before = account_of(tx, user).await?;
            let profile = merged(before.profile, &changes)?;
            tx.run("UPDATE users SET profile = $1 WHERE id = $2", values![to_json(&profile), user]).await?;
            audit::insert(tx, &caller, None, "user.change", &before.user.username, Value::Object(changes)).await
        })
    }

    /// Caps what a user may use. The administrator of the installation caps the user; administrators of the user's
    /// groups cap what the user draws from those groups, and nothing else. A name is one of `ambit_model::quota`.
    /// Another name, and an amount below 0, is `Invalid`.
    pub async fn cap_user(&self, caller: &Caller, user: i64, caps: &[(String, i64)]) -> Result<()> {
        let (caller, caps) = (caller.clone(), caps.to_vec());
        transaction!(self, Person, async |tx| {
            let groups = match caller.administrator() {
                true => Vec::new(),
                false if caller.user_id() == user => Vec::new(),
                false => groups_over(tx, &caller, user).await?,
            };
            if !caller.administrator() && groups.is_empty() {
                return Err(StoreError::Forbidden("caps are set by administrators of the user's group".to_owned()));
            }
            for (name, allowed) in &caps {
                if caller.administrator() {
                    users::write_quota(tx, "user", user, name, *allowed).await?;
                }
                for group in &groups {
                    users::write_cap(tx, *group, user, name, *allowed).await?;
                }
            }
            let caps: Map<String, Value> = caps.into_iter().map(|(name, allowed)| (name, json!(allowed))).collect();
            let details = json!({"caps": caps, "groups": groups});
            audit::insert(tx, &caller, None, "quota.set", user, details).await
        })
    }

    /// Suspends a user, or lets the user in again; for the administrator of the installation. The last administrator
    /// who is active stays. To suspend that one is a `Conflict`, and a status that there is not is `Invalid`.
    pub async fn set_status(&self, caller: &Caller, user: i64, status: &str) -> Result<()> {
        caller.require_administrator()?;
        if !STATUSES.contains(&status) {
            let known = STATUSES.join(", ");
            return Err(StoreError::Invalid(format!("there is no status {status:?}; there are {known}")));
        }
        let (caller, status) = (caller.clone(), status.to_owned());
        transaction!(self, Access, async |tx| {
            let administrators = users::active_administrators(tx).await?;
            if status != ACTIVE && administrators == [user] {
                return Err(StoreError::Conflict("the last administrator of an installation stays active".to_owned()));
            }
            let sql = "UPDATE users SET status = $1 WHERE id = $2 AND status <> $3 RETURNING username";
            let name: String = tx.find(sql, values![&status, user, DELETED]).await?;
            audit::insert(tx, &caller, None, "user.status", &name, json!({"status": status})).await
        })
    }

    /// Whether a user may act now: there, and not suspended.
    pub async fn is_active(&self, user: i64) -> Result<bool> {
        self.read().await?.exists("SELECT 1 FROM users WHERE id = $1 AND status = $2", values![user, ACTIVE]).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_are_merged_and_null_removes() {
        let map = |value: Value| value.as_object().unwrap().clone();
        let before = map(json!({"a": 1, "b": 2}));
        assert_eq!(merged(before.clone(), &map(json!({"a": null, "c": 3}))), Ok(map(json!({"b": 2, "c": 3}))));
        assert!(merged(before, &map(json!({"a": "x".repeat(PROFILE_BYTES_MAX)}))).is_err());
    }
}
