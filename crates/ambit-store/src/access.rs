//! Principals: who a call is made for and what they may see. Made only by `authenticate` and `local_operator`, so that tenancy is a type: every read or
//! write on behalf of a person takes one, and what it may not see is `NotFound`, exactly like what does not exist.

use crate::keys;
use crate::people::{ACTIVE, user_from};
use crate::sql::{Tx, values};
use crate::writer::Who;
use crate::{Store, StoreError};
use ambit_model::Timestamp;
use ambit_model::user::{CollectionRole, ProjectRole, User};
use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;
use uuid::Uuid;

/// How long keys and roles are believed before they are read again (design §3 "Locks"), in milliseconds.
const CACHED_MS: i64 = 1_000;
/// Principals kept at most; beyond it the cache starts anew.
const CACHED_MAX: usize = 10_000;
/// A key's last use is written down no more often than this, in milliseconds.
const LAST_USE_EVERY_MS: i64 = 60_000;

/// Who a call is made for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Principal {
    user: User,
    key: Option<i64>,
    active: bool,
    groups: Vec<i64>,
    primary: Option<i64>,
    projects: BTreeMap<i64, ProjectRole>,
    collections: BTreeMap<i64, CollectionRole>,
}

impl Principal {
    /// The user's integer id.
    pub fn user_id(&self) -> i64 {
        self.user.id
    }

    /// The user's uuid.
    pub fn user_uuid(&self) -> Uuid {
        self.user.uuid
    }

    /// The user's id in the wider API.
    pub fn username(&self) -> &str {
        &self.user.username
    }

    /// The user's address.
    pub fn email(&self) -> &str {
        &self.user.email
    }

    /// The user with all members.
    pub fn user(&self) -> &User {
        &self.user
    }

    /// Administrator of the installation.
    pub fn administrator(&self) -> bool {
        self.user.administrator
    }

    /// The key that was presented; `None` for the local operator.
    pub fn key_id(&self) -> Option<i64> {
        self.key
    }

    /// The ids of the user's groups, ascending.
    pub fn groups(&self) -> &[i64] {
        &self.groups
    }

    /// The ids of the user's projects, ascending.
    pub fn projects(&self) -> impl Iterator<Item = i64> {
        self.projects.keys().copied()
    }

    /// The project that is meant where none is named.
    pub fn primary(&self) -> Option<i64> {
        self.primary
    }

    /// The role in a project; `None`: it does not exist for this caller.
    pub fn project_role(&self, project: i64) -> Option<ProjectRole> {
        self.projects.get(&project).copied()
    }

    /// The role in a collection of a project; owners of the project are admins of all its collections.
    pub fn collection_role(&self, project: i64, collection: i64) -> Option<CollectionRole> {
        match self.project_role(project)? {
            ProjectRole::Owner => Some(CollectionRole::Admin),
            ProjectRole::Member => self.collections.get(&collection).copied(),
        }
    }

    /// `NotFound` where the project is not the caller's, `Forbidden` where the role is too low.
    pub(crate) fn require_project(&self, project: i64, role: ProjectRole) -> Result<(), StoreError> {
        match self.project_role(project) {
            None => Err(StoreError::NotFound),
            Some(has) if has < role => Err(StoreError::Forbidden(format!("this needs the role {} in the project", role.name()))),
            Some(_) => Ok(()),
        }
    }

    /// `NotFound` where the collection is not visible, `Forbidden` where the role is too low.
    pub(crate) fn require_collection(&self, project: i64, collection: i64, role: CollectionRole) -> Result<CollectionRole, StoreError> {
        match self.collection_role(project, collection) {
            None => Err(StoreError::NotFound),
            Some(has) if has < role => Err(StoreError::Forbidden(format!("this needs the role {} in the collection", role.name()))),
            Some(has) => Ok(has),
        }
    }

    /// For what concerns the installation: people, groups, keys of others.
    pub(crate) fn require_administrator(&self) -> Result<(), StoreError> {
        if self.administrator() {
            return Ok(());
        }
        Err(StoreError::Forbidden("this needs the administrator of the installation".to_owned()))
    }
}

/// Who was found by a key, if the account is not suspended.
fn admitted(principal: Principal) -> Result<Option<Principal>, StoreError> {
    if principal.active {
        Ok(Some(principal))
    } else {
        Err(StoreError::NotActive)
    }
}

/// Principals by the hash of their credential. Dropped at once by the process that changes anything of them.
#[derive(Default)]
pub(crate) struct AccessCache(Mutex<Cached>);

#[derive(Default)]
struct Cached {
    /// Raised by every drop, so that what was read before it is not kept after it.
    generation: u64,
    principals: HashMap<[u8; 32], (Timestamp, Principal)>,
}

impl AccessCache {
    /// Forgets everybody; to be called after a commit that changes keys, people or roles.
    pub(crate) fn clear(&self) {
        let mut cached = self.lock();
        cached.generation += 1;
        cached.principals.clear();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Cached> {
        self.0.lock().expect("nobody panics while holding it")
    }

    fn find(&self, hash: &[u8; 32], now: Timestamp) -> Result<Principal, u64> {
        let cached = self.lock();
        match cached.principals.get(hash) {
            Some((at, principal)) if (0..=CACHED_MS).contains(&(now.0 - at.0)) => Ok(principal.clone()),
            _ => Err(cached.generation),
        }
    }

    fn keep(&self, generation: u64, hash: [u8; 32], now: Timestamp, principal: &Principal) {
        let mut cached = self.lock();
        if cached.generation != generation {
            return;
        }
        if cached.principals.len() >= CACHED_MAX {
            cached.principals.clear();
        }
        cached.principals.insert(hash, (now, principal.clone()));
    }
}

impl Store {
    /// The principal of an API key. `None`: malformed, unknown, expired or revoked; the store does not say which. `NotActive`: its user is suspended.
    pub async fn authenticate(&self, credential: &str, now: Timestamp) -> Result<Option<Principal>, StoreError> {
        // The checksum refuses typing errors and guesses without a look at the database.
        if !keys::is_well_formed(credential) {
            return Ok(None);
        }
        let hash = self.inner.secret.credential_hash(credential);
        let generation = match self.inner.access.find(&hash, now) {
            Ok(principal) => return admitted(principal),
            Err(generation) => generation,
        };
        let mut tx = self.read().await?;
        let Some(key) = keys::find_live(&mut tx, &hash, now).await? else {
            return Ok(None);
        };
        let principal = load(&mut tx, key.user, Some(key.id)).await?;
        tx.rollback().await?;
        if key.last_used_at.is_none_or(|last| now.0 - last.0 > LAST_USE_EVERY_MS) {
            let id = key.id;
            let noted = self
                .write(Who::Person, move |tx| Box::pin(async move { keys::touch(tx, id, now).await }))
                .await;
            if let Err(error) = noted {
                // Reading must go on where writing cannot (a full disk).
                tracing::warn!(%error, "the last use of key {id} was not written down");
            }
        }
        self.inner.access.keep(generation, hash, now, &principal);
        admitted(principal)
    }

    /// The principal of the older header pair: the secret is an API key, the access name its id or the key again.
    pub async fn authenticate_pair(&self, access: &str, secret: &str, now: Timestamp) -> Result<Option<Principal>, StoreError> {
        let principal = self.authenticate(secret, now).await?;
        Ok(principal.filter(|principal| access == secret || principal.key.is_some_and(|id| id.to_string() == access)))
    }

    /// Whoever runs a command on the data folder itself: acts as the owner that `init` made.
    pub async fn local_operator(&self) -> Result<Principal, StoreError> {
        let mut tx = self.read().await?;
        let owner: i64 = tx
            .one(
                "SELECT id FROM users WHERE administrator = 1 AND status = $1 ORDER BY id LIMIT 1",
                values![ACTIVE],
            )
            .await?
            .get(0)?;
        load(&mut tx, owner, None).await
    }
}

/// A user with everything that decides what they see.
pub(crate) async fn load(tx: &mut Tx, user: i64, key: Option<i64>) -> Result<Principal, StoreError> {
    let row = tx
        .one(
            "SELECT id, uuid, username, email, administrator, created_at, primary_project, status FROM users WHERE id = $1",
            values![user],
        )
        .await?;
    let chosen: Option<i64> = row.get(6)?;
    let active = row.get::<String>(7)? == ACTIVE;
    let user = user_from(&row, 0)?;
    let mut projects = BTreeMap::new();
    let mut first = None;
    let sql = "SELECT m.project_id, m.role FROM members m JOIN projects p ON p.id = m.project_id WHERE m.user_id = $1 AND p.deleted_at IS NULL
               ORDER BY m.created_at, m.id";
    for row in tx.rows(sql, values![user.id]).await? {
        let role = ProjectRole::from_name(&row.get::<String>(1)?);
        first.get_or_insert(row.get(0)?);
        projects.insert(row.get(0)?, role.ok_or_else(|| StoreError::Bug("unknown project role".to_owned()))?);
    }
    let mut collections = BTreeMap::new();
    let sql = "SELECT r.collection_id, r.role FROM collection_roles r JOIN members m ON m.id = r.member_id WHERE m.user_id = $1";
    for row in tx.rows(sql, values![user.id]).await? {
        let role = CollectionRole::from_name(&row.get::<String>(1)?);
        collections.insert(row.get(0)?, role.ok_or_else(|| StoreError::Bug("unknown collection role".to_owned()))?);
    }
    let sql = "SELECT group_id FROM group_members WHERE user_id = $1 ORDER BY group_id";
    let groups = tx.rows(sql, values![user.id]).await?;
    let groups = groups.iter().map(|row| row.get(0)).collect::<Result<_, _>>()?;
    let primary = chosen.filter(|project| projects.contains_key(project)).or(first);
    Ok(Principal {
        user,
        key,
        active,
        groups,
        primary,
        projects,
        collections,
    })
}
