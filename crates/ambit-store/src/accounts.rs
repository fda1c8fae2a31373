//! Users and groups as the wider API shows and changes them: profiles, groups that quotas are drawn from, service accounts (v3-wire §4).
//! What of it a caller may see is decided by who the caller is to the account: `Standing`.

use crate::people::{self, USER_COLUMNS, clean_name, insert_user, user_from};
use crate::sql::{Row, Tx, from_json, to_json, values};
use crate::writer::Who;
use crate::{IssuedKey, Principal, Store, StoreError, audit, keys};
use ambit_model::Timestamp;
use ambit_model::user::{Group, User};
use serde_json::{Map, Value, json};

/// Bytes of a profile as JSON: what people say of themselves is short.
const PROFILE_BYTES_MAX: usize = 16 * 1024;
/// People of one request at most.
const MEMBERS_MAX: usize = 1_000;

/// A user or service account.
#[derive(Clone, Debug, PartialEq)]
pub struct Account {
    pub user: User,
    pub profile: Map<String, Value>,
    /// `active`, or why not.
    pub status: String,
    /// The group that it draws calls from.
    pub api_quota_group: Option<String>,
    /// The group that it draws everything else from.
    pub intelligence_quota_group: Option<String>,
    /// The group whose service account it is.
    pub service_of: Option<String>,
    /// The last use of a key, to the minute.
    pub last_login: Option<Timestamp>,
}

/// A group.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupAccount {
    pub group: Group,
    pub profile: Map<String, Value>,
}

/// Who the caller is to a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    Anybody,
    /// Administrator of one of the user's groups, or of the installation.
    Administrator,
    Oneself,
}

/// Who of a group is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Members {
    Users,
    Administrators,
    ServiceAccounts,
}

const SELECT: &str = ", u.profile, u.status, a.name, i.name, s.name, (SELECT MAX(k.last_used_at) FROM api_keys k WHERE k.user_id = u.id)
    FROM users u LEFT JOIN user_groups a ON a.id = u.api_quota_group LEFT JOIN user_groups i ON i.id = u.intelligence_quota_group
    LEFT JOIN user_groups s ON s.id = u.service_of";
const GROUP_SELECT: &str = "SELECT g.id, g.uuid, g.name, g.created_at, g.profile FROM user_groups g";

fn account(row: &Row) -> Result<Account, StoreError> {
    Ok(Account {
        user: user_from(row, 0)?,
        profile: from_json(&row.get::<String>(6)?)?,
        status: row.get(7)?,
        api_quota_group: row.get(8)?,
        intelligence_quota_group: row.get(9)?,
        service_of: row.get(10)?,
        last_login: row.get(11)?,
    })
}

fn group_account(row: &Row) -> Result<GroupAccount, StoreError> {
    Ok(GroupAccount {
        group: Group {
            id: row.get(0)?,
            uuid: row.get(1)?,
            name: row.get(2)?,
            created_at: row.get(3)?,
        },
        profile: from_json(&row.get::<String>(4)?)?,
    })
}

pub(crate) async fn account_of(tx: &mut Tx, id: i64) -> Result<Account, StoreError> {
    let sql = format!("SELECT {USER_COLUMNS}{SELECT} WHERE u.id = $1");
    account(&tx.row(&sql, values![id]).await?.ok_or(StoreError::NotFound)?)
}

pub(crate) async fn group_named(tx: &mut Tx, name: &str) -> Result<GroupAccount, StoreError> {
    let sql = format!("{GROUP_SELECT} WHERE g.name = $1");
    group_account(&tx.row(&sql, values![name.trim()]).await?.ok_or(StoreError::NotFound)?)
}

async fn administers(tx: &mut Tx, principal: &Principal, group: i64) -> Result<bool, StoreError> {
    let sql = "SELECT 1 FROM group_members WHERE group_id = $1 AND user_id = $2 AND administrator = 1";
    Ok(principal.administrator() || tx.row(sql, values![group, principal.user_id()]).await?.is_some())
}

async fn require_administrator_of(tx: &mut Tx, principal: &Principal, group: i64) -> Result<(), StoreError> {
    if administers(tx, principal, group).await? {
        return Ok(());
    }
    Err(StoreError::Forbidden("this needs an administrator of the group".to_owned()))
}

async fn standing_to(tx: &mut Tx, principal: &Principal, user: i64) -> Result<Standing, StoreError> {
    if principal.user_id() == user {
        return Ok(Standing::Oneself);
    }
    let sql = "SELECT 1 FROM group_members me JOIN group_members them ON them.group_id = me.group_id
               WHERE me.user_id = $1 AND me.administrator = 1 AND them.user_id = $2 LIMIT 1";
    let over = tx.row(sql, values![principal.user_id(), user]).await?.is_some();
    let service = "SELECT 1 FROM group_members me JOIN users u ON u.service_of = me.group_id
                   WHERE me.user_id = $1 AND me.administrator = 1 AND u.id = $2 LIMIT 1";
    let over = over || principal.administrator() || tx.row(service, values![principal.user_id(), user]).await?.is_some();
    Ok(if over { Standing::Administrator } else { Standing::Anybody })
}

/// Replaces members of a profile; null removes one.
fn merged(mut profile: Map<String, Value>, changes: &Map<String, Value>) -> Result<Map<String, Value>, StoreError> {
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

/// Puts a user into a group. The first group that a user comes to is the one that quotas are drawn from.
pub(crate) async fn join(tx: &mut Tx, group: i64, user: i64, administrator: bool) -> Result<(), StoreError> {
    let sql = "INSERT INTO group_members (group_id, user_id, administrator) VALUES ($1, $2, $3)
               ON CONFLICT (group_id, user_id) DO UPDATE SET administrator =
               CASE WHEN excluded.administrator = 1 THEN 1 ELSE group_members.administrator END";
    tx.run(sql, values![group, user, administrator]).await?;
    let sql = "UPDATE users SET api_quota_group = COALESCE(api_quota_group, $1), intelligence_quota_group = COALESCE(intelligence_quota_group, $2)
               WHERE id = $3";
    tx.run(sql, values![group, group, user]).await?;
    Ok(())
}

impl Store {
    /// A user or service account by username or address; everybody who has a key may know that it exists.
    pub async fn account(&self, name: &str) -> Result<Account, StoreError> {
        let mut tx = self.read().await?;
        let user = people::find(&mut tx, name).await?;
        account_of(&mut tx, user.id).await
    }

    /// The same by integer id.
    pub async fn account_by_id(&self, id: i64) -> Result<Account, StoreError> {
        account_of(&mut self.read().await?, id).await
    }

    /// Who the caller is to a user.
    pub async fn standing_to(&self, principal: &Principal, user: i64) -> Result<Standing, StoreError> {
        standing_to(&mut self.read().await?, principal, user).await
    }

    /// A group by name.
    pub async fn group_account(&self, name: &str) -> Result<GroupAccount, StoreError> {
        group_named(&mut self.read().await?, name).await
    }

    /// True for administrators of a group and of the installation.
    pub async fn administers(&self, principal: &Principal, group: i64) -> Result<bool, StoreError> {
        administers(&mut self.read().await?, principal, group).await
    }

    /// The groups of a user, by id; with `managed` only those that the user administers.
    pub async fn groups_of(&self, user: i64, managed: bool) -> Result<Vec<GroupAccount>, StoreError> {
        let mut tx = self.read().await?;
        let sql = format!("{GROUP_SELECT} JOIN group_members m ON m.group_id = g.id WHERE m.user_id = $1 AND m.administrator >= $2 ORDER BY g.id");
        tx.rows(&sql, values![user, managed]).await?.iter().map(group_account).collect()
    }

    /// People of a group, by id.
    pub async fn members_of(&self, group: i64, members: Members) -> Result<Vec<Account>, StoreError> {
        let mut tx = self.read().await?;
        let of = match members {
            Members::Users => "JOIN group_members m ON m.user_id = u.id WHERE m.group_id = $1",
            Members::Administrators => "JOIN group_members m ON m.user_id = u.id WHERE m.group_id = $1 AND m.administrator = 1",
            Members::ServiceAccounts => "WHERE u.service_of = $1",
        };
        let sql = format!("SELECT {USER_COLUMNS}{SELECT} {of} ORDER BY u.id");
        tx.rows(&sql, values![group]).await?.iter().map(account).collect()
    }

    /// Changes what a user's profile says; for the user and the administrators of the user's groups.
    pub async fn change_profile(&self, principal: &Principal, user: i64, changes: &Map<String, Value>, now: Timestamp) -> Result<(), StoreError> {
        let (principal, changes) = (principal.clone(), changes.clone());
        self.write(Who::Person, move |tx| {
            Box::pin(async move {
                if standing_to(tx, &principal, user).await? == Standing::Anybody {
                    return Err(StoreError::Forbidden("this is another user's profile".to_owned()));
                }
                let before = account_of(tx, user).await?;
                let profile = merged(before.profile, &changes)?;
                tx.run("UPDATE users SET profile = $1 WHERE id = $2", values![to_json(&profile), user])
                    .await?;
                audit::insert(tx, &principal, None, "user.change", &before.user.username, Value::Object(changes), now).await
            })
        })
        .await
    }

    /// Caps what a user may use; for administrators of the user's groups and of the installation. A name is one of `ambit_model::quota`.
    pub async fn cap_user(&self, principal: &Principal, user: i64, caps: &[(String, i64)], now: Timestamp) -> Result<(), StoreError> {
        let (principal, caps) = (principal.clone(), caps.to_vec());
        self.write(Who::Person, move |tx| {
            Box::pin(async move {
                if !principal.administrator() && standing_to(tx, &principal, user).await? != Standing::Administrator {
                    return Err(StoreError::Forbidden("caps are set by administrators of the user's group".to_owned()));
                }
                for (name, allowed) in &caps {
                    people::write_quota(tx, "user", user, name, *allowed).await?;
                }
                let caps: Map<String, Value> = caps.into_iter().map(|(name, allowed)| (name, json!(allowed))).collect();
                audit::insert(tx, &principal, None, "quota.set", &user.to_string(), Value::Object(caps), now).await
            })
        })
        .await
    }

    /// Sets what a group may use; for the administrator of the installation. A name is one of `ambit_model::quota`.
    pub async fn cap_group(&self, principal: &Principal, group: i64, caps: &[(String, i64)], now: Timestamp) -> Result<(), StoreError> {
        principal.require_administrator()?;
        let (principal, caps) = (principal.clone(), caps.to_vec());
        self.write(Who::Person, move |tx| {
            Box::pin(async move {
                for (name, allowed) in &caps {
                    people::write_quota(tx, "group", group, name, *allowed).await?;
                }
                let caps: Map<String, Value> = caps.into_iter().map(|(name, allowed)| (name, json!(allowed))).collect();
                audit::insert(tx, &principal, None, "quota.set", &group.to_string(), Value::Object(caps), now).await
            })
        })
        .await
    }

    /// Changes what a group's profile says; for its administrators.
    pub async fn change_group(&self, principal: &Principal, name: &str, changes: &Map<String, Value>, now: Timestamp) -> Result<(), StoreError> {
        let (principal, name, changes) = (principal.clone(), name.to_owned(), changes.clone());
        self.write(Who::Person, move |tx| {
            Box::pin(async move {
                let before = group_named(tx, &name).await?;
                require_administrator_of(tx, &principal, before.group.id).await?;
                let profile = merged(before.profile, &changes)?;
                let sql = "UPDATE user_groups SET profile = $1 WHERE id = $2";
                tx.run(sql, values![to_json(&profile), before.group.id]).await?;
                audit::insert(tx, &principal, None, "group.change", &name, Value::Object(changes), now).await
            })
        })
        .await
    }

    /// Brings users into a group by their addresses, making accounts where there are none; for its administrators. Saying it twice is harmless.
    pub async fn join_group(
        &self,
        principal: &Principal,
        name: &str,
        emails: &[String],
        administrator: bool,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        if emails.len() > MEMBERS_MAX {
            return Err(StoreError::Invalid(format!("at most {MEMBERS_MAX} people at once")));
        }
        let emails: Vec<String> = emails.iter().map(|email| people::clean_email(email)).collect::<Result<_, _>>()?;
        let (principal, name) = (principal.clone(), name.to_owned());
        self.write(Who::Person, move |tx| {
            Box::pin(async move {
                let group = group_named(tx, &name).await?.group;
                require_administrator_of(tx, &principal, group.id).await?;
                for email in &emails {
                    let user = match people::find(tx, email).await {
                        Ok(user) => user,
                        Err(StoreError::NotFound) => insert_user(tx, email, None, false, now).await?,
                        Err(error) => return Err(error),
                    };
                    join(tx, group.id, user.id, administrator).await?;
                }
                let details = json!({"emails": emails, "administrator": administrator});
                audit::insert(tx, &principal, None, "group.join", &name, details, now).await
            })
        })
        .await?;
        self.inner.access.clear();
        Ok(())
    }

    /// Brings users who are there already into a group, by usernames or addresses; for its administrators. Saying it twice is harmless.
    pub async fn add_to_group(
        &self,
        principal: &Principal,
        name: &str,
        members: &[String],
        administrator: bool,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let (principal, name, members) = (principal.clone(), name.to_owned(), members.to_vec());
        self.write(Who::Person, move |tx| {
            Box::pin(async move {
                let group = group_named(tx, &name).await?.group;
                require_administrator_of(tx, &principal, group.id).await?;
                for member in &members {
                    let user = people::find(tx, member).await?;
                    join(tx, group.id, user.id, administrator).await?;
                }
                let details = json!({"members": members, "administrator": administrator});
                audit::insert(tx, &principal, None, "group.join", &name, details, now).await
            })
        })
        .await?;
        self.inner.access.clear();
        Ok(())
    }

    /// Takes a user out of a group, or (`administrators`) only its administration; for its administrators.
    pub async fn leave_group(&self, principal: &Principal, name: &str, user: i64, administrators: bool, now: Timestamp) -> Result<(), StoreError> {
        let (principal, name) = (principal.clone(), name.to_owned());
        self.write(Who::Person, move |tx| {
            Box::pin(async move {
                let group = group_named(tx, &name).await?.group;
                require_administrator_of(tx, &principal, group.id).await?;
                let sql = if administrators {
                    "UPDATE group_members SET administrator = 0 WHERE group_id = $1 AND user_id = $2 AND administrator = 1"
                } else {
                    "DELETE FROM group_members WHERE group_id = $1 AND user_id = $2"
                };
                if tx.run(sql, values![group.id, user]).await? == 0 {
                    return Err(StoreError::NotFound);
                }
                if !administrators {
                    for column in ["api_quota_group", "intelligence_quota_group"] {
                        let sql = format!("UPDATE users SET {column} = NULL WHERE id = $1 AND {column} = $2");
                        tx.run(&sql, values![user, group.id]).await?;
                    }
                }
                let details = json!({"user": user, "administrators": administrators});
                audit::insert(tx, &principal, None, "group.leave", &name, details, now).await
            })
        })
        .await?;
        self.inner.access.clear();
        Ok(())
    }

    /// Makes a service account `<group>_<id>` with a key, which is given this once; for administrators of the group.
    pub async fn create_service_account(
        &self,
        principal: &Principal,
        group: &str,
        id: &str,
        now: Timestamp,
    ) -> Result<(Account, IssuedKey), StoreError> {
        let (principal, group, id) = (principal.clone(), group.to_owned(), clean_name(id)?);
        let draft = keys::Draft::new(&self.inner.secret, "service account");
        self.write(Who::Person, move |tx| {
            Box::pin(async move {
                let group = group_named(tx, &group).await?.group;
                require_administrator_of(tx, &principal, group.id).await?;
                let prefix = format!("{}_", group.name);
                let username = if id.starts_with(&prefix) { id } else { format!("{prefix}{id}") };
                // An identifier like an address that no person can have: the reserved domain is nobody's.
                let email = format!("{username}@service.invalid");
                let user = insert_user(tx, &email, Some(&username), false, now).await?;
                let sql = "UPDATE users SET service_of = $1, api_quota_group = $2, intelligence_quota_group = $3 WHERE id = $4";
                tx.run(sql, values![group.id, group.id, group.id, user.id]).await?;
                let issued = draft.insert(tx, user.id, None, now).await?;
                audit::insert(
                    tx,
                    &principal,
                    None,
                    "service_account.create",
                    &username,
                    json!({"group": group.name}),
                    now,
                )
                .await?;
                Ok((account_of(tx, user.id).await?, issued))
            })
        })
        .await
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
