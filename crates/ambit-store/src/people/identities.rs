//! People whom a provider of OpenID Connect vouches for: which of them is which user, and the roles that their groups
//! give them. A person is known by issuer and subject, which a provider never gives to somebody else; the address
//! counts once, to find the account.

use crate::db::rows::named;
use crate::db::sql::{Tx, values};
use crate::db::writer::transaction;
use crate::people::sessions::new_link;
use crate::people::{access, audit, keys, projects, users};
use crate::wider::spent_tokens;
use crate::{Result, SignInLink, Store, StoreError};
use ambit_model::Timestamp;
use ambit_model::user::{ProjectRole, User};
use serde_json::json;
use std::collections::BTreeMap;

/// A role that a group of the provider has in a project, which is named by its name or uuid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupRole {
    pub group: String,
    pub project: String,
    pub role: ProjectRole,
}

/// What a provider says of a person who signed in there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderPerson {
    pub issuer: String,
    pub subject: String,
    pub email: Option<String>,
    /// The address is the person's own.
    pub is_verified: bool,
    pub groups: Vec<String>,
    /// Identifies this sign-in. It can be used once, and it expires.
    pub once: String,
    pub until: Timestamp,
}

impl ProviderPerson {
    /// The roles that the person's groups give, by project; `None` where a project has rules and none fits.
    fn roles(&self, rules: &[GroupRole]) -> BTreeMap<String, Option<ProjectRole>> {
        let mut roles: BTreeMap<String, Option<ProjectRole>> = BTreeMap::new();
        for rule in rules {
            let role = roles.entry(rule.project.clone()).or_default();
            if self.groups.contains(&rule.group) {
                *role = (*role).max(Some(rule.role));
            }
        }
        roles
    }
}

impl Store {
    /// Makes the link that signs in whom a provider vouches for, and gives that user the roles of the person's groups.
    /// An account is made for who is in a group that has a role. Fails with `Forbidden`, in words for the person, where
    /// nobody is to be signed in, with `NotActive` for a suspended user, and with `Conflict` where the same sign-in
    /// came a second time.
    pub async fn admit(&self, person: &ProviderPerson, rules: &[GroupRole], now: Timestamp) -> Result<SignInLink> {
        let (person, rules) = (person.clone(), rules.to_vec());
        let token = keys::random_text();
        let hash = self.inner.secret.token_hash(&token);
        transaction!(self, Access, async |tx| {
            if !spent_tokens::spend(tx, &person.once, person.until, now).await? {
                return Err(StoreError::Conflict("this sign-in was used already: begin again".to_owned()));
            }
            let roles = person.roles(&rules);
            let user = user_of(tx, &person, roles.values().any(Option::is_some), now).await?;
            for (project, role) in &roles {
                follow_role(tx, project, user.id, *role, now).await?;
            }
            let caller = access::load(tx, user.id, None).await?.at(now);
            if !caller.active {
                return Err(StoreError::NotActive);
            }
            let details = json!({"issuer": person.issuer, "subject": person.subject});
            audit::insert(tx, &caller, None, "session.provider", user.id, details).await?;
            new_link(tx, &caller, (&token, hash.as_slice())).await
        })
    }
}

/// The user whom a person is.
async fn user_of(tx: &mut Tx, person: &ProviderPerson, has_role: bool, now: Timestamp) -> Result<User> {
    let sql =
        "SELECT u.username FROM identities i JOIN users u ON u.id = i.user_id WHERE i.issuer = $1 AND i.subject = $2";
    let known: Option<String> = tx.read_first(sql, values![&person.issuer, &person.subject]).await?;
    if let Some(username) = known {
        return users::find(tx, &username).await;
    }
    let refused = |why: String| Err(StoreError::Forbidden(why));
    let email = match &person.email {
        Some(email) if person.is_verified => email.trim().to_lowercase(),
        Some(email) => return refused(format!("the provider does not say that it verified the address {email}")),
        None => return refused("the provider names no address".to_owned()),
    };
    let user = match users::find(tx, &email).await {
        Err(StoreError::NotFound) if has_role => users::insert_user(tx, &email, None, false, now).await?,
        Err(StoreError::NotFound) => {
            return refused(format!("nobody here has the address {email}, and no group of it has a role"));
        }
        // A username may look like an address.
        Ok(user) if user.email != email => return refused(format!("nobody here has the address {email}")),
        user => user?,
    };
    let other = "SELECT 1 FROM identities WHERE issuer = $1 AND user_id = $2";
    if tx.exists(other, values![&person.issuer, user.id]).await? {
        return refused(format!("another person of the provider signs in as {email}"));
    }
    let row = named! { issuer: &person.issuer, subject: &person.subject, user_id: user.id, created_at: now };
    tx.insert_one("identities", row).await?;
    Ok(user)
}

/// Gives a user the role in a project that groups give, or takes it away. A project that nobody would own any more, or
/// that is not there, is left alone.
async fn follow_role(tx: &mut Tx, project: &str, user: i64, role: Option<ProjectRole>, now: Timestamp) -> Result<()> {
    let sql = "SELECT id FROM projects WHERE deleted_at IS NULL AND (uuid = $1 OR name = $2) ORDER BY id LIMIT 1";
    let Some(id) = tx.read_first::<i64>(sql, values![project.to_lowercase(), project]).await? else {
        tracing::warn!(project, "the setting oidc_roles names a project that is not there");
        return Ok(());
    };
    projects::lock(tx, id).await?;
    let has = "SELECT role FROM members WHERE project_id = $1 AND user_id = $2";
    let has: Option<ProjectRole> = tx.read_first(has, values![id, user]).await?;
    if has == role {
        return Ok(());
    }
    let owners = "SELECT COUNT(*) FROM members WHERE project_id = $1 AND role = 'owner'";
    if has == Some(ProjectRole::Owner) && tx.read_one::<i64>(owners, values![id]).await? == 1 {
        tracing::warn!(project, "the only owner of a project stays one, whatever the groups of the provider say");
        return Ok(());
    }
    match role {
        Some(role) => projects::put_member(tx, id, user, role, None, now).await,
        None => {
            let sql = "DELETE FROM collection_roles WHERE member_id IN (SELECT id FROM members WHERE project_id = $1 \
                       AND user_id = $2)";
            tx.run(sql, values![id, user]).await?;
            let sql = "DELETE FROM members WHERE project_id = $1 AND user_id = $2";
            tx.run(sql, values![id, user]).await.map(drop)
        }
    }
}
