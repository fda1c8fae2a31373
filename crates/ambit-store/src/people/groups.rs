//! Groups (docs/contract/wider.md §2.2): who is in them, who administers them, what they may use, their service
//! accounts. People come into a group by accepting (`invitation_answers.rs`), unless the administrator of the
//! installation brings them. How groups and accounts begin is in `account_creation.rs`, how they end in
//! `account_deletion.rs`.

use crate::db::rows::{columns, list, named, select};
use crate::db::sql::{Tx, to_json, values};
use crate::db::writer::transaction;
use crate::people::accounts::{merged, select_accounts};
use crate::people::audit;
use crate::people::invitations::{self};
use crate::people::names::clean_email;
use crate::people::users::{self, insert_user};
use crate::wider::hunting_rulesets;
use crate::{Account, Caller, Principal, Result, Store, StoreError};
use ambit_model::Timestamp;
use ambit_model::user::{Group, InvitedTo, User};
use serde_json::{Map, Value, json};

/// People of one request at most.
const MEMBERS_MAX: usize = 1_000;

columns! { Group of g { id, uuid, name, created_at } }

columns! {
    /// A group.
    #[derive(Clone, Debug, PartialEq)]
    pub struct GroupAccount of g {
        pub group: Group = Group,
        pub profile: Map<String, Value> = (json),
    }
}

/// Who of a group is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Members {
    Users,
    Administrators,
    ServiceAccounts,
}

/// The result of adding somebody to a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Brought {
    /// In it.
    In,
    /// Asked; in it once the person accepts.
    Invited,
    /// The address is unknown, and the caller may not make accounts.
    Unknown,
}

pub(crate) async fn group_named(tx: &mut Tx, name: &str) -> Result<GroupAccount> {
    tx.find(&select::<GroupAccount>("FROM user_groups g WHERE g.name = $1"), values![name.trim()]).await
}

pub(crate) async fn administers(tx: &mut Tx, principal: &Principal, group: i64) -> Result<bool> {
    // Who is not in the group is told so as fast as who asks for a group that is not there.
    if principal.administrator() || !principal.groups().contains(&group) {
        return Ok(principal.administrator());
    }
    let sql = "SELECT 1 FROM group_members WHERE group_id = $1 AND user_id = $2 AND administrator = 1";
    tx.exists(sql, values![group, principal.user_id()]).await
}

pub(crate) async fn require_administrator_of(tx: &mut Tx, principal: &Principal, group: i64) -> Result<()> {
    if administers(tx, principal, group).await? {
        return Ok(());
    }
    Err(StoreError::Forbidden("this needs an administrator of the group".to_owned()))
}

/// Puts a user into a group. The first group that a user comes to is the one that quotas are drawn from.
pub(crate) async fn join(tx: &mut Tx, group: i64, user: i64, administrator: bool) -> Result<()> {
    let row = named! { group_id: group, user_id: user, administrator };
    if !tx.insert_new("group_members", "group_id, user_id", row).await? && administrator {
        let sql = "UPDATE group_members SET administrator = 1 WHERE group_id = $1 AND user_id = $2";
        tx.run(sql, values![group, user]).await?;
    }
    let sql = "UPDATE users SET api_quota_group = COALESCE(api_quota_group, $1), intelligence_quota_group = \
               COALESCE(intelligence_quota_group, $2)
               WHERE id = $3";
    tx.run(sql, values![group, group, user]).await?;
    Ok(())
}

/// Takes a user out of a group, which ends what the user draws from it and what it pays for the user's rules.
async fn part(tx: &mut Tx, group: i64, user: i64, now: Timestamp) -> Result<()> {
    let paid = hunting_rulesets::paid_by(tx, group, Some(user)).await?;
    let sql = "DELETE FROM group_members WHERE group_id = $1 AND user_id = $2";
    tx.change(sql, values![group, user]).await?;
    for column in ["api_quota_group", "intelligence_quota_group"] {
        let sql = format!("UPDATE users SET {column} = NULL WHERE id = $1 AND {column} = $2");
        tx.run(&sql, values![user, group]).await?;
    }
    let sql = "DELETE FROM group_caps WHERE group_id = $1 AND user_id = $2";
    tx.run(sql, values![group, user]).await?;
    hunting_rulesets::change_payer(tx, paid, now).await
}

/// Adds or invites one person. An address that nobody has may be mistyped, so it makes an account only if
/// `open_accounts` allows it.
async fn bring(
    tx: &mut Tx,
    caller: &Caller,
    group: i64,
    email: &str,
    administrator: bool,
    open_accounts: bool,
) -> Result<Brought> {
    let user = match users::find(tx, email).await {
        Err(StoreError::NotFound) if open_accounts => insert_user(tx, email, None, false, caller.now).await?,
        Err(StoreError::NotFound) => return Ok(Brought::Unknown),
        found => found?,
    };
    let is = "SELECT 1 FROM group_members WHERE group_id = $1 AND user_id = $2";
    if caller.administrator() || tx.exists(is, values![group, user.id]).await? {
        join(tx, group, user.id, administrator).await?;
        invitations::end(tx, InvitedTo::Group, group, user.id).await?;
        return Ok(Brought::In);
    }
    invitations::to_group(tx, caller, group, &user, administrator).await?;
    Ok(Brought::Invited)
}

impl Store {
    /// A group by name.
    pub async fn group_account(&self, name: &str) -> Result<GroupAccount> {
        group_named(&mut self.read().await?, name).await
    }

    /// The groups with their members: all for the administrator of the installation, else the caller's own.
    pub async fn list_groups(&self, principal: &Principal) -> Result<Vec<(Group, Vec<User>)>> {
        let mut tx = self.read().await?;
        let sql = select::<Group>("FROM user_groups g ORDER BY g.id");
        let mut groups = Vec::new();
        for group in tx.read_all::<Group>(&sql, Vec::new()).await? {
            if principal.administrator() || principal.groups().contains(&group.id) {
                groups.push((group, Vec::new()));
            }
        }
        let sql = format!(
            "SELECT g.group_id, {} FROM group_members g JOIN users u ON u.id = g.user_id ORDER BY u.id",
            list::<User>()
        );
        for (id, user) in tx.read_all::<(i64, User)>(&sql, Vec::new()).await? {
            if let Some((_, members)) = groups.iter_mut().find(|(group, _)| group.id == id) {
                members.push(user);
            }
        }
        Ok(groups)
    }

    /// True for administrators of a group and of the installation.
    pub async fn administers(&self, principal: &Principal, group: i64) -> Result<bool> {
        administers(&mut self.read().await?, principal, group).await
    }

    /// The groups of a user, by id; with `managed` only those that the user administers.
    pub async fn groups_of(&self, user: i64, managed: bool) -> Result<Vec<GroupAccount>> {
        let sql = select::<GroupAccount>(
            "FROM user_groups g JOIN group_members m ON m.group_id = g.id WHERE m.user_id = $1 AND \
             m.administrator >= $2 ORDER BY g.id",
        );
        self.read().await?.read_all(&sql, values![user, managed]).await
    }

    /// People of a group, by id.
    pub async fn members_of(&self, group: i64, members: Members) -> Result<Vec<Account>> {
        let of = match members {
            Members::Users => "JOIN group_members m ON m.user_id = u.id WHERE m.group_id = $1",
            Members::Administrators => {
                "JOIN group_members m ON m.user_id = u.id WHERE m.group_id = $1 AND m.administrator = 1"
            }
            Members::ServiceAccounts => "WHERE u.service_of = $1",
        };
        let sql = format!("{} {of} ORDER BY u.id", select_accounts());
        self.read().await?.read_all(&sql, values![group]).await
    }

    /// Sets what a group may use; for the administrator of the installation. A name is one of `ambit_model::quota`.
    /// Another name, and an amount below 0, is `Invalid`.
    pub async fn cap_group(&self, caller: &Caller, group: i64, caps: &[(String, i64)]) -> Result<()> {
        caller.require_administrator()?;
        let (caller, caps) = (caller.clone(), caps.to_vec());
        transaction!(self, Person, async |tx| {
            for (name, allowed) in &caps {
                users::write_quota(tx, "group", group, name, *allowed).await?;
            }
            let caps: Map<String, Value> = caps.into_iter().map(|(name, allowed)| (name, json!(allowed))).collect();
            audit::insert(tx, &caller, None, "quota.set", group, Value::Object(caps)).await
        })
    }

    /// Changes what a group's profile says; for its administrators. A profile that grows too large is `Invalid`.
    pub async fn change_group(&self, caller: &Caller, name: &str, changes: &Map<String, Value>) -> Result<()> {
        let (caller, name, changes) = (caller.clone(), name.to_owned(), changes.clone());
        transaction!(self, Person, async |tx| {
            let before = group_named(tx, &name).await?;
            require_administrator_of(tx, &caller, before.group.id).await?;
            let profile = merged(before.profile, &changes)?;
            let sql = "UPDATE user_groups SET profile = $1 WHERE id = $2";
            tx.run(sql, values![to_json(&profile), before.group.id]).await?;
            audit::insert(tx, &caller, None, "group.change", &name, Value::Object(changes)).await
        })
    }

    /// Brings users into a group by their addresses: the administrator of the installation at once, administrators of
    /// the group by asking those who are not in it. What became of each stands in the order of the addresses. Saying it
    /// twice is harmless. Fails with `Invalid`, and brings nobody, where a text is no address or there are too many of
    /// them.
    pub async fn join_group(
        &self,
        caller: &Caller,
        name: &str,
        emails: &[String],
        administrator: bool,
        open_accounts: bool,
    ) -> Result<Vec<Brought>> {
        if emails.len() > MEMBERS_MAX {
            return Err(StoreError::Invalid(format!("at most {MEMBERS_MAX} people at once")));
        }
        let emails: Vec<String> = emails.iter().map(|email| clean_email(email)).collect::<Result<_, _>>()?;
        let (caller, name) = (caller.clone(), name.to_owned());
        transaction!(self, Access, async |tx| {
            let group = group_named(tx, &name).await?.group;
            require_administrator_of(tx, &caller, group.id).await?;
            let mut brought = Vec::new();
            for email in &emails {
                brought.push(bring(tx, &caller, group.id, email, administrator, open_accounts).await?);
            }
            let details = json!({"emails": emails, "administrator": administrator});
            audit::insert(tx, &caller, None, "group.join", &name, details).await?;
            Ok(brought)
        })
    }

    /// Brings users who are there already into a group, by usernames or addresses; for the administrator of the
    /// installation. Saying it twice is harmless. Fails with `NotFound`, and brings nobody, where one of them is not
    /// there.
    pub async fn add_to_group(
        &self,
        caller: &Caller,
        name: &str,
        members: &[String],
        administrator: bool,
    ) -> Result<()> {
        caller.require_administrator()?;
        let (caller, name, members) = (caller.clone(), name.to_owned(), members.to_vec());
        transaction!(self, Access, async |tx| {
            let group = group_named(tx, &name).await?.group;
            for member in &members {
                let user = users::find(tx, member).await?;
                join(tx, group.id, user.id, administrator).await?;
                invitations::end(tx, InvitedTo::Group, group.id, user.id).await?;
            }
            let details = json!({"members": members, "administrator": administrator});
            audit::insert(tx, &caller, None, "group.join", &name, details).await
        })
    }

    /// Takes a user out of a group, or (`administrators`) only its administration: for its administrators, and for the
    /// user. An invitation that was not answered is taken back. Fails with `NotFound` where the user is not in it.
    pub async fn leave_group(&self, caller: &Caller, name: &str, user: i64, administrators: bool) -> Result<()> {
        let (caller, name) = (caller.clone(), name.to_owned());
        transaction!(self, Access, async |tx| {
            let group = group_named(tx, &name).await?.group;
            if user != caller.user_id() {
                require_administrator_of(tx, &caller, group.id).await?;
            }
            if administrators {
                let sql = "UPDATE group_members SET administrator = 0 WHERE group_id = $1 AND user_id = $2 AND \
                           administrator = 1";
                tx.change(sql, values![group.id, user]).await?;
            } else if invitations::end(tx, InvitedTo::Group, group.id, user).await?.is_none() {
                part(tx, group.id, user, caller.now).await?;
            }
            let details = json!({"user": user, "administrators": administrators});
            audit::insert(tx, &caller, None, "group.leave", &name, details).await
        })
    }
}
