//! People: users, groups, memberships and roles (docs/contract/asm.md §3.5 and docs/contract/wider.md §2).

use crate::names::names;
use serde::{Deserialize, Serialize};

names! {
    /// A role in a project.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum ProjectRole {
        /// Sees only the collections that were given.
        Member,
        /// Admin of every collection; manages people, integrations, the project.
        Owner,
    }

    /// A role in a collection.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum CollectionRole {
        /// Reads.
        Viewer,
        /// Also tags, notes, scope marks, statuses.
        Analyst,
        /// Also settings, seeds, integrations, runs.
        Admin,
    }

    /// The target of an invitation.
    pub enum InvitedTo {
        Project,
        Group,
    }
}

/// The status of an account that may act; with any other its keys, and addresses that were signed for it, open nothing.
pub const ACTIVE: &str = "active";
/// What an administrator may set.
pub const STATUSES: [&str; 3] = [ACTIVE, "inactive", "suspended"];

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
    fn roles_rise() {
        assert!(ProjectRole::Member < ProjectRole::Owner);
        assert!(CollectionRole::Viewer < CollectionRole::Analyst && CollectionRole::Analyst < CollectionRole::Admin);
    }
}
