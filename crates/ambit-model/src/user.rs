//! People: users, groups, memberships and roles (docs/contract/asm.md §3.5 and docs/contract/wider.md §2).

use serde::{Deserialize, Serialize};

/// A role in a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProjectRole {
    /// Sees only the collections that were given.
    Member,
    /// Admin of every collection; manages people, integrations, the project.
    Owner,
}

/// A role in a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CollectionRole {
    /// Reads.
    Viewer,
    /// Also tags, notes, scope marks, statuses.
    Analyst,
    /// Also settings, seeds, integrations, runs.
    Admin,
}

impl ProjectRole {
    /// As the contract writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Member => "member",
            Self::Owner => "owner",
        }
    }

    /// The role of a word.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Member, Self::Owner].into_iter().find(|role| role.name() == name)
    }
}

impl CollectionRole {
    /// As the contract writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Analyst => "analyst",
            Self::Admin => "admin",
        }
    }

    /// The role of a word.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Viewer, Self::Analyst, Self::Admin].into_iter().find(|role| role.name() == name)
    }
}

/// A user of the installation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    pub id: i64,
    pub uuid: uuid::Uuid,
    /// The user's id in the wider API; default: the part of the address before the @.
    pub username: String,
    pub email: String,
    /// Administrator of the installation: the user that `init` made.
    pub administrator: bool,
    pub created_at: crate::Timestamp,
}

/// A group of users.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    pub id: i64,
    pub uuid: uuid::Uuid,
    pub name: String,
    pub created_at: crate::Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_rise_and_are_read_as_they_are_written() {
        assert!(ProjectRole::Member < ProjectRole::Owner);
        assert!(CollectionRole::Viewer < CollectionRole::Analyst && CollectionRole::Analyst < CollectionRole::Admin);
        for role in [ProjectRole::Member, ProjectRole::Owner] {
            assert_eq!(ProjectRole::from_name(role.name()), Some(role));
        }
        for role in [CollectionRole::Viewer, CollectionRole::Analyst, CollectionRole::Admin] {
            assert_eq!(CollectionRole::from_name(role.name()), Some(role));
        }
        assert_eq!((ProjectRole::from_name("Owner"), CollectionRole::from_name("")), (None, None));
    }
}
