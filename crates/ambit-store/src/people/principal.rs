//! Principals: who a call is made for and what they may see. Made only in `access`, by `authenticate` and
//! `local_operator`, so that tenancy is a type: every read on behalf of a person takes one, every change a `Caller`,
//! and what it may not see is `NotFound`, exactly like what does not exist.

use crate::{Result, StoreError};
use ambit_model::Timestamp;
use ambit_model::user::{CollectionRole, ProjectRole, User};
use std::collections::BTreeMap;
use std::ops::Deref;
use uuid::Uuid;

/// What a key may do less than its user. What is made with a key is never wider than the key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeyScope {
    /// Nothing is changed by it.
    pub read_only: bool,
    /// Nothing but this project is there for it.
    pub project: Option<i64>,
}

/// Who a call is made for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Principal {
    pub(crate) user: User,
    pub(crate) key: Option<i64>,
    pub(crate) scope: KeyScope,
    pub(crate) active: bool,
    pub(crate) groups: Vec<i64>,
    pub(crate) primary: Option<i64>,
    pub(crate) projects: BTreeMap<i64, ProjectRole>,
    pub(crate) collections: BTreeMap<i64, CollectionRole>,
}

/// A principal with the wall time of its call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    pub principal: Principal,
    pub now: Timestamp,
}

impl Deref for Caller {
    type Target = Principal;

    fn deref(&self) -> &Principal {
        &self.principal
    }
}

impl Principal {
    /// Returns the caller of a call at this wall time.
    pub fn at(&self, now: Timestamp) -> Caller {
        Caller { principal: self.clone(), now }
    }

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

    /// Returns true for the user's own address or username.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        name.trim() == self.user.username || name.trim().eq_ignore_ascii_case(&self.user.email)
    }

    /// The user with all members.
    pub fn user(&self) -> &User {
        &self.user
    }

    /// Administrator of the installation. Nobody is by a key of one project.
    pub fn administrator(&self) -> bool {
        self.user.administrator && self.scope.project.is_none()
    }

    /// What the key that was presented may do less than its user.
    pub fn scope(&self) -> KeyScope {
        self.scope
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
    pub(crate) fn collection_role(&self, project: i64, collection: i64) -> Option<CollectionRole> {
        match self.project_role(project)? {
            ProjectRole::Owner => Some(CollectionRole::Admin),
            ProjectRole::Member => self.collections.get(&collection).copied(),
        }
    }

    /// `NotFound` where the project is not the caller's, `Forbidden` where the role is too low.
    pub(crate) fn require_project(&self, project: i64, role: ProjectRole) -> Result<()> {
        match self.project_role(project) {
            None => Err(StoreError::NotFound),
            Some(has) if has < role => {
                Err(StoreError::Forbidden(format!("this needs the role {} in the project", role.name())))
            }
            Some(_) => Ok(()),
        }
    }

    /// `NotFound` where the collection is not visible, `Forbidden` where the role is too low.
    pub(crate) fn require_collection(
        &self,
        project: i64,
        collection: i64,
        role: CollectionRole,
    ) -> Result<CollectionRole> {
        match self.collection_role(project, collection) {
            None => Err(StoreError::NotFound),
            Some(has) if has < role => {
                Err(StoreError::Forbidden(format!("this needs the role {} in the collection", role.name())))
            }
            Some(has) => Ok(has),
        }
    }

    /// For what concerns the installation: people, groups, keys of others.
    pub(crate) fn require_administrator(&self) -> Result<()> {
        if self.administrator() {
            return Ok(());
        }
        Err(StoreError::Forbidden("this needs the administrator of the installation".to_owned()))
    }
}
