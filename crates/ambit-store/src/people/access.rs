//! Access: an API key, or the command line of the installation itself, becomes a principal.

use crate::db::rows::list;
use crate::db::sql::{Tx, values};
use crate::db::writer::transaction;
use crate::people::keys;
use crate::people::principal::KeyScope;
use crate::{Caller, Principal, Result, Store, StoreError};
use ambit_model::Timestamp;
use ambit_model::user::{ACTIVE, CollectionRole, ProjectRole, User};
use std::collections::BTreeMap;

/// A key's last use is written down no more often than this, in milliseconds.
const LAST_USE_EVERY_MS: i64 = 60_000;

/// The principal of a key, if the account is not suspended.
fn admitted(principal: Principal) -> Result<Option<Principal>> {
    if principal.active { Ok(Some(principal)) } else { Err(StoreError::NotActive) }
}

impl Store {
    /// The principal of an API key. `None`: malformed, unknown, expired or revoked; the store does not say which.
    /// `NotActive`: its user is suspended.
    pub async fn authenticate(&self, credential: &str, now: Timestamp) -> Result<Option<Principal>> {
        // The checksum refuses typing errors and guesses without a database query.
        if !keys::is_well_formed(credential) {
            return Ok(None);
        }
        let hash = self.inner.secret.credential_hash(credential);
        let generation = match self.inner.access.find(&hash, now) {
            Ok(principal) => return admitted(principal),
            Err(generation) => generation,
        };
        let mut tx = self.read().await?;
        let Some(key) = keys::find_live(&mut tx, &hash, self.inner.access.latest(now)).await? else {
            return Ok(None);
        };
        let principal = load(&mut tx, key.user, Some(key.id)).await?;
        tx.rollback().await?;
        if key.last_used_at.is_none_or(|last| now.0 - last.0 > LAST_USE_EVERY_MS) {
            let id = key.id;
            let noted = transaction!(self, Person, async |tx| keys::touch(tx, id, now).await);
            if let Err(error) = noted {
                // Reading must go on where writing cannot (a full disk).
                tracing::warn!(%error, "the last use of key {id} was not recorded");
            }
        }
        self.inner.access.keep(generation, hash, now, &principal);
        admitted(principal)
    }

    /// The principal of the older header pair: the secret is an API key, the access name its id or the key again. Fails
    /// with `NotActive` where its user is suspended.
    pub async fn authenticate_pair(&self, access: &str, secret: &str, now: Timestamp) -> Result<Option<Principal>> {
        let principal = self.authenticate(secret, now).await?;
        Ok(principal.filter(|principal| access == secret || principal.key.is_some_and(|id| id.to_string() == access)))
    }

    /// Returns the same person by the same key with the roles of now. `None`: the key has ended, or its user is
    /// suspended. Fails if the database cannot be read.
    pub async fn renew(&self, caller: &Caller) -> Result<Option<Caller>> {
        let mut tx = self.read().await?;
        if let Some(key) = caller.key
            && !keys::is_live(&mut tx, key, self.inner.access.latest(caller.now)).await?
        {
            return Ok(None);
        }
        let renewed = load(&mut tx, caller.user.id, caller.key).await?;
        Ok(renewed.active.then(|| renewed.at(caller.now)))
    }

    /// Returns the principal for a command on the data folder itself: the owner that `init` made.
    pub async fn local_operator(&self) -> Result<Principal> {
        let mut tx = self.read().await?;
        let owner: i64 = tx
            .read_one(
                "SELECT id FROM users WHERE administrator = 1 AND status = $1 ORDER BY id LIMIT 1",
                values![ACTIVE],
            )
            .await?;
        load(&mut tx, owner, None).await
    }
}

/// A user with everything that decides what they see.
pub(crate) async fn load(tx: &mut Tx, user: i64, key: Option<i64>) -> Result<Principal> {
    let sql = format!("SELECT {}, u.primary_project, u.status FROM users u WHERE u.id = $1", list::<User>());
    let (user, chosen, status): (User, Option<i64>, String) = tx.read_one(&sql, values![user]).await?;
    let sql = "SELECT m.project_id, m.role FROM members m JOIN projects p ON p.id = m.project_id WHERE m.user_id = $1 \
               AND p.deleted_at IS NULL
               ORDER BY m.created_at, m.id";
    let projects: Vec<(i64, ProjectRole)> = tx.read_all(sql, values![user.id]).await?;
    let first = projects.first().map(|(id, _)| *id);
    let mut projects: BTreeMap<i64, ProjectRole> = projects.into_iter().collect();
    let sql = "SELECT r.collection_id, r.role FROM collection_roles r JOIN members m ON m.id = r.member_id WHERE \
               m.user_id = $1";
    let collections: Vec<(i64, CollectionRole)> = tx.read_all(sql, values![user.id]).await?;
    let sql = "SELECT group_id FROM group_members WHERE user_id = $1 ORDER BY group_id";
    let mut groups: Vec<i64> = tx.read_all(sql, values![user.id]).await?;
    let scope = match key {
        Some(key) => keys::scope(tx, key).await?,
        None => KeyScope::default(),
    };
    let mut primary = chosen.filter(|project| projects.contains_key(project)).or(first);
    if let Some(only) = scope.project {
        projects.retain(|project, _| *project == only);
        primary = projects.keys().next().copied();
        groups.clear();
    }
    Ok(Principal {
        user,
        key,
        scope,
        active: status == ACTIVE,
        groups,
        primary,
        projects,
        collections: collections.into_iter().collect(),
    })
}
