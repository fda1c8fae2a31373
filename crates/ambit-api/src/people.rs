//! The people of the installation on the wire: users, groups, privileges and quotas as their administrator keeps them.
//! Ours; the wider API shows the same people in its own way (`objects.rs`).

use crate::contract::{Contract, Maybe, contract, copied};
use crate::request::{Count, Email, Text, Texts, When};
use crate::shape::Shape;
use crate::words::Word;
use ambit_model::user::InvitedTo;
use ambit_model::{Timestamp, user as model};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

contract! {
    /// An invitation that was not answered yet, to the project or group of `uuid`.
    #[derive(Debug, Serialize)]
    pub struct Invitation {
        pub id: i64,
        pub kind: Word<InvitedTo>,
        pub uuid: Uuid,
        pub name: String,
        pub role: InvitedRole,
        pub username: String,
        pub email: String,
        pub invited_by: String,
        pub created_at: Timestamp,
    }

    /// A user.
    #[derive(Debug, Serialize)]
    pub struct User {
        pub uuid: Uuid,
        pub username: String,
        pub email: String,
        pub administrator: bool,
        pub created_at: Timestamp,
    }

    /// The body that makes a user. Without a username it is the part of the address before the @, with a number where
    /// that is taken. In `project` (uuid or integer id; one that the caller owns) the user is a member at once and it
    /// is the primary one; in `group` (a name) the user is at once.
    #[derive(Debug, Deserialize)]
    pub struct NewUser {
        pub email: Email,
        pub username: Maybe<Option<Text>>,
        pub administrator: Maybe<Option<bool>>,
        pub project: Maybe<Option<Text>>,
        pub group: Maybe<Option<Text>>,
    }

    /// The body that suspends a user, or lets the user in again.
    #[derive(Debug, Deserialize)]
    pub struct NewUserStatus {
        pub status: UserStatus,
    }

    /// A group with the usernames of its members.
    #[derive(Debug, Serialize)]
    pub struct Group {
        pub uuid: Uuid,
        pub name: String,
        pub created_at: Timestamp,
        pub members: Vec<String>,
    }

    /// The body that makes a group; members are usernames or addresses of users that are there.
    #[derive(Debug, Deserialize)]
    pub struct NewGroup {
        pub name: Text,
        pub members: Maybe<Vec<String>>,
    }

    /// The body that brings users into a group, by usernames or addresses.
    #[derive(Debug, Deserialize)]
    pub struct NewMembers {
        pub members: Texts,
        pub administrator: Maybe<Option<bool>>,
    }

    /// The body that grants a privilege; without a date it has no end.
    #[derive(Debug, Deserialize)]
    pub struct NewGrant {
        pub expires_at: Maybe<Option<When>>,
    }

    /// A privilege of a user or group.
    #[derive(Debug, Serialize)]
    pub struct Grant {
        pub subject: String,
        pub privilege: String,
        pub expires_at: Option<Timestamp>,
    }

    /// How much may be used of a quota.
    #[derive(Debug, Serialize)]
    pub struct Limit {
        pub name: String,
        pub allowed: i64,
    }

    /// The body that sets it.
    #[derive(Debug, Deserialize)]
    pub struct NewLimit {
        pub allowed: Count,
    }
}

/// `owner` or `member` of a project, `administrator` or `user` of a group.
#[derive(Debug, Serialize)]
pub struct InvitedRole(pub String);

impl Contract for InvitedRole {
    const SHAPE: &'static Shape = &Shape::OneOf(|| vec!["owner", "member", "administrator", "user"]);
}

/// A status that the store knows, or refuses.
#[derive(Debug, Deserialize)]
pub struct UserStatus(pub Text);

impl Contract for UserStatus {
    const SHAPE: &'static Shape = &Shape::OneOf(|| model::STATUSES.to_vec());
}

impl From<&model::User> for User {
    fn from(of: &model::User) -> Self {
        copied! {
            Self from of { uuid, username, email, administrator, created_at }
        }
    }
}

impl Group {
    /// A group with its members.
    pub fn of(group: &model::Group, members: &[model::User]) -> Self {
        Self {
            uuid: group.uuid,
            name: group.name.clone(),
            created_at: group.created_at,
            members: members.iter().map(|user| user.username.clone()).collect(),
        }
    }
}
