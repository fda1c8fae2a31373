//! Users of the installation, and the privileges and quotas of users and groups.

use crate::db::rows::{columns, named, select};
use crate::db::sql::{Tx, values};
use crate::db::writer::transaction;
use crate::people::audit;
use crate::people::names::{clean_email, clean_name};
use crate::{Caller, Principal, Result, Store, StoreError};
use ambit_model::Timestamp;
use ambit_model::quota::{METERS, PRIVILEGES, Window, uncapped};
use ambit_model::user::{ACTIVE, User};
use serde_json::json;
use uuid::Uuid;

/// The status of an account that is no more.
pub(crate) const DELETED: &str = "deleted";

columns! {
    /// A privilege that somebody has.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Privilege {
        pub name: String,
        pub expires_at: Option<Timestamp>,
        /// The group that it is inherited from; `None`: the user's own.
        pub inherited_from: Option<String>,
    }
}

columns! {
    /// An amount that somebody may use of something.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Quota {
        pub name: String,
        pub allowed: i64,
    }
}

columns! { User of u { id, uuid, username, email, administrator, created_at } }

/// Inserts a user; a given username that is taken is a conflict, a derived one gets a number.
pub(crate) async fn insert_user(
    tx: &mut Tx,
    email: &str,
    username: Option<&str>,
    administrator: bool,
    now: Timestamp,
) -> Result<User> {
    let email = clean_email(email)?;
    if tx.exists("SELECT id FROM users WHERE email = $1", values![&email]).await? {
        return Err(StoreError::Exists(format!("a user with the address {email} is there already")));
    }
    let taken = "SELECT id FROM users WHERE username = $1";
    let username = match username {
        Some(given) => {
            let given = clean_name(given)?;
            if tx.exists(taken, values![&given]).await? {
                return Err(StoreError::Exists(format!("a user named {given} is there already")));
            }
            given
        }
        None => {
            let local = email.split('@').next().unwrap_or_default();
            let base: String =
                local.chars().map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' }).collect();
            let mut name = base.clone();
            let mut number = 1;
            while tx.exists(taken, values![&name]).await? {
                number += 1;
                name = format!("{base}{number}");
            }
            name
        }
    };
    let row = named! { uuid: Uuid::new_v4(), username, email, administrator, created_at: now };
    tx.insert_read("users", row, "id, uuid, username, email, administrator, created_at").await
}

/// A user by address or username, also one who was deleted.
pub(crate) async fn find_any(tx: &mut Tx, name: &str) -> Result<User> {
    let sql = select::<User>("FROM users u WHERE u.email = $1 OR u.username = $2 ORDER BY u.id LIMIT 1");
    tx.find(&sql, values![name.trim().to_lowercase(), name.trim()]).await
}

/// A user by address or username; who was deleted is not there.
pub(crate) async fn find(tx: &mut Tx, name: &str) -> Result<User> {
    let user = find_any(tx, name).await?;
    match tx.row("SELECT 1 FROM users WHERE id = $1 AND status <> $2", values![user.id, DELETED]).await? {
        Some(_) => Ok(user),
        None => Err(StoreError::NotFound),
    }
}

/// The administrators of the installation who are not suspended, by id; nobody else changes who they are until this
/// transaction ends.
pub(crate) async fn active_administrators(tx: &mut Tx) -> Result<Vec<i64>> {
    let lock = if tx.is_postgres() { " FOR UPDATE" } else { "" };
    let sql = format!("SELECT id FROM users WHERE administrator = 1 AND status = $1 ORDER BY id{lock}");
    tx.read_all(&sql, values![ACTIVE]).await
}

/// Refuses an amount below 0, and a quota that there is not.
fn check_quota(quota: &str, allowed: i64) -> Result<()> {
    if allowed < 0 {
        return Err(StoreError::Invalid(format!("a quota is 0 or more, not {allowed}")));
    }
    if ambit_model::quota::quota(quota).is_some() {
        return Ok(());
    }
    let known: Vec<&str> =
        METERS.iter().filter(|meter| meter.window != Window::Minute).map(|meter| meter.name).collect();
    Err(StoreError::Invalid(format!("there is no quota {quota:?}; there are {}", known.join(", "))))
}

/// Sets how much a subject may use of a quota.
pub(crate) async fn write_quota(tx: &mut Tx, subject: &str, id: i64, quota: &str, allowed: i64) -> Result<()> {
    check_quota(quota, allowed)?;
    let row = named! { subject, subject_id: id, name: quota, allowed };
    tx.put("quotas", "subject, subject_id, name", &["allowed"], row).await
}

/// Sets how much a user may draw of a quota from one group.
pub(crate) async fn write_cap(tx: &mut Tx, group: i64, user: i64, quota: &str, allowed: i64) -> Result<()> {
    check_quota(quota, allowed)?;
    let row = named! { group_id: group, user_id: user, name: quota, allowed };
    tx.put("group_caps", "group_id, user_id, name", &["allowed"], row).await
}

/// Refuses a privilege that there is not: a typing error would be granted and mean nothing.
fn check_privilege(name: &str) -> Result<()> {
    if PRIVILEGES.contains(&name) {
        return Ok(());
    }
    Err(StoreError::Invalid(format!("there is no privilege {name:?}; there are {}", PRIVILEGES.join(", "))))
}

/// The first user of an installation has every privilege and no caps.
pub(crate) async fn favour_owner(tx: &mut Tx, user: i64) -> Result<()> {
    for privilege in PRIVILEGES {
        let row = named! { subject: "user", subject_id: user, name: privilege, expires_at: None::<Timestamp> };
        tx.insert_one("privileges", row).await?;
    }
    for meter in METERS.iter().filter(|meter| meter.window != Window::Minute) {
        write_quota(tx, "user", user, meter.name, uncapped(meter.name)).await?;
    }
    Ok(())
}

/// Whom a privilege or quota belongs to.
async fn subject(tx: &mut Tx, name: &str) -> Result<(&'static str, i64)> {
    match find(tx, name).await {
        Ok(user) => return Ok(("user", user.id)),
        Err(StoreError::NotFound) => {}
        Err(error) => return Err(error),
    }
    Ok(("group", tx.find("SELECT id FROM user_groups WHERE name = $1", values![name.trim()]).await?))
}

impl Store {
    /// All users who were not deleted; for the administrator of the installation.
    pub async fn list_users(&self, principal: &Principal) -> Result<Vec<User>> {
        principal.require_administrator()?;
        let mut tx = self.read().await?;
        tx.read_all(&select::<User>("FROM users u WHERE u.status <> $1 ORDER BY u.id"), values![DELETED]).await
    }

    /// A user by address or username: oneself, or anybody for the administrator of the installation.
    pub async fn find_user(&self, principal: &Principal, name: &str) -> Result<User> {
        let mut tx = self.read().await?;
        let user = find(&mut tx, name).await?;
        if user.id == principal.user_id() || principal.administrator() { Ok(user) } else { Err(StoreError::NotFound) }
    }

    /// Gives a user or group a privilege, or moves its end; for the administrator of the installation. Fails with
    /// `NotFound` where there is no such user or group, and with `Invalid` where there is no such privilege.
    pub async fn grant_privilege(
        &self,
        caller: &Caller,
        name: &str,
        privilege: &str,
        expires_at: Option<Timestamp>,
    ) -> Result<()> {
        caller.require_administrator()?;
        check_privilege(privilege)?;
        let (caller, name, privilege) = (caller.clone(), name.to_owned(), privilege.to_owned());
        transaction!(self, Person, async |tx| {
            let (subject, id) = subject(tx, &name).await?;
            let row = named! { subject, subject_id: id, name: &privilege, expires_at };
            tx.put("privileges", "subject, subject_id, name", &["expires_at"], row).await?;
            let details = json!({"privilege": privilege, "expires_at": expires_at});
            audit::insert(tx, &caller, None, "privilege.grant", &name, details).await
        })
    }

    /// Takes a privilege of a user's or group's own away; for the administrator of the installation. One that is not
    /// there stays away. Fails with `NotFound` where there is no such user or group, and with `Invalid` for a privilege
    /// that there never was.
    pub async fn revoke_privilege(&self, caller: &Caller, name: &str, privilege: &str) -> Result<()> {
        caller.require_administrator()?;
        let (caller, name, privilege) = (caller.clone(), name.to_owned(), privilege.to_owned());
        transaction!(self, Person, async |tx| {
            let (subject, id) = subject(tx, &name).await?;
            let sql = "DELETE FROM privileges WHERE subject = $1 AND subject_id = $2 AND name = $3";
            if tx.run(sql, values![subject, id, &privilege]).await? == 0 {
                // What an older version let through can be taken away, what never was is a typing error.
                check_privilege(&privilege)?;
            }
            audit::insert(tx, &caller, None, "privilege.revoke", &name, json!({"privilege": privilege})).await
        })
    }

    /// The privileges of a user with those inherited from the groups that quotas are drawn from; expired ones included,
    /// as their dates say. For oneself and the administrator.
    pub async fn list_privileges(&self, principal: &Principal, name: &str) -> Result<Vec<Privilege>> {
        let user = self.find_user(principal, name).await?;
        let sql = "SELECT p.name, p.expires_at, NULL FROM privileges p WHERE p.subject = 'user' AND p.subject_id = $1
                   UNION ALL
                   SELECT p.name, p.expires_at, g.name FROM privileges p
                   JOIN user_groups g ON g.id = p.subject_id JOIN users u ON u.api_quota_group = g.id OR \
                   u.intelligence_quota_group = g.id
                   WHERE p.subject = 'group' AND u.id = $1";
        let mut privileges: Vec<Privilege> = self.read().await?.read_all(sql, values![user.id]).await?;
        privileges.sort_by(|a, b| (&a.name, &a.inherited_from).cmp(&(&b.name, &b.inherited_from)));
        Ok(privileges)
    }

    /// The privileges that a group hands on, expired ones included.
    pub async fn group_privileges(&self, group: i64) -> Result<Vec<Privilege>> {
        let sql = "SELECT name, expires_at, NULL FROM privileges WHERE subject = 'group' AND subject_id = $1 ORDER BY \
                   name";
        self.read().await?.read_all(sql, values![group]).await
    }

    /// Sets how much a user or group may use; for the administrator of the installation. Fails with `NotFound` where
    /// there is no such user or group, and with `Invalid` for an unknown quota or an amount below 0.
    pub async fn set_quota(&self, caller: &Caller, name: &str, quota: &str, allowed: i64) -> Result<()> {
        caller.require_administrator()?;
        let (caller, name, quota) = (caller.clone(), name.to_owned(), quota.to_owned());
        transaction!(self, Person, async |tx| {
            let (subject, id) = subject(tx, &name).await?;
            write_quota(tx, subject, id, &quota, allowed).await?;
            audit::insert(tx, &caller, None, "quota.set", &name, json!({"quota": quota, "allowed": allowed})).await
        })
    }

    /// The quotas set for a user or group; for oneself, one's groups, and the administrator of the installation.
    pub async fn list_quotas(&self, principal: &Principal, name: &str) -> Result<Vec<Quota>> {
        let mut tx = self.read().await?;
        let (subject, id) = subject(&mut tx, name).await?;
        let own = (subject == "user" && id == principal.user_id())
            || (subject == "group" && principal.groups().contains(&id));
        if !own && !principal.administrator() {
            return Err(StoreError::NotFound);
        }
        let sql = "SELECT name, allowed FROM quotas WHERE subject = $1 AND subject_id = $2";
        let mut quotas: Vec<Quota> = tx.read_all(sql, values![subject, id]).await?;
        quotas.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(quotas)
    }
}
