//! The people of the installation on the wire: users, groups, privileges and quotas as their administrator keeps them. Ours; the wider API shows the
//! same people in its own way (`objects.rs`).

use crate::shape::{BOOLEAN, INTEGER, MOMENT, MOMENT_OR_NULL, Object, Shape, TEXT, TEXTS, UUID, member, optional};
use ambit_model::Timestamp;
use ambit_model::user::{Group, User};
use serde_json::{Value, json};
use uuid::Uuid;

/// A user.
pub fn user(of: &User) -> Value {
    json!({
        "uuid": of.uuid,
        "username": of.username,
        "email": of.email,
        "administrator": of.administrator,
        "created_at": of.created_at,
    })
}

/// A group with the usernames of its members.
pub fn group(of: &Group, members: &[User]) -> Value {
    let members: Vec<&str> = members.iter().map(|user| user.username.as_str()).collect();
    json!({"uuid": of.uuid, "name": of.name, "created_at": of.created_at, "members": members})
}

/// A privilege of a user or group.
pub fn grant(subject: &str, privilege: &str, expires_at: Option<Timestamp>) -> Value {
    json!({"subject": subject, "privilege": privilege, "expires_at": expires_at})
}

/// How much may be used of a quota.
pub fn limit(name: &str, allowed: i64) -> Value {
    json!({"name": name, "allowed": allowed})
}

/// An invitation that was not answered yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Invitation<'a> {
    pub id: i64,
    /// `project` or `group`.
    pub kind: &'a str,
    /// Of the project or group.
    pub uuid: Uuid,
    pub name: &'a str,
    /// `owner` or `member` of a project, `administrator` or `user` of a group.
    pub role: &'a str,
    pub user: &'a User,
    /// Username.
    pub invited_by: &'a str,
    pub created_at: Timestamp,
}

/// An invitation.
pub fn invitation(of: Invitation<'_>) -> Value {
    json!({
        "id": of.id,
        "kind": of.kind,
        "uuid": of.uuid,
        "name": of.name,
        "role": of.role,
        "username": of.user.username,
        "email": of.user.email,
        "invited_by": of.invited_by,
        "created_at": of.created_at,
    })
}

/// A list of invitations.
pub static INVITATIONS: Shape = Shape::List(&Shape::Object(&Object {
    name: "Invitation",
    members: &[
        member("id", INTEGER),
        member("kind", &Shape::OneOf(&["project", "group"])),
        member("uuid", UUID),
        member("name", TEXT),
        member("role", &Shape::OneOf(&["owner", "member", "administrator", "user"])),
        member("username", TEXT),
        member("email", TEXT),
        member("invited_by", TEXT),
        member("created_at", MOMENT),
    ],
    open: false,
}));

/// A user.
pub static USER: Shape = Shape::Object(&Object {
    name: "User",
    members: &[
        member("uuid", UUID),
        member("username", TEXT),
        member("email", TEXT),
        member("administrator", BOOLEAN),
        member("created_at", MOMENT),
    ],
    open: false,
});

/// A list of them.
pub static USERS: Shape = Shape::List(&USER);

/// The body that makes a user. Without a username it is the part of the address before the @, with a number where that is taken. In `project` (uuid or
/// integer id; one that the caller owns) the user is a member at once and it is the primary one; in `group` (a name) the user is at once.
pub static NEW_USER: Shape = Shape::Object(&Object {
    name: "NewUser",
    members: &[
        member("email", &Shape::Email),
        optional("username", &Shape::OrNull(TEXT)),
        optional("administrator", &Shape::OrNull(BOOLEAN)),
        optional("project", &Shape::OrNull(TEXT)),
        optional("group", &Shape::OrNull(TEXT)),
    ],
    open: true,
});

/// The body that suspends a user, or lets the user in again.
pub static NEW_STATUS: Shape = Shape::Object(&Object {
    name: "NewUserStatus",
    members: &[member("status", &Shape::OneOf(&["active", "inactive", "suspended"]))],
    open: true,
});

/// A group.
pub static GROUP: Shape = Shape::Object(&Object {
    name: "Group",
    members: &[
        member("uuid", UUID),
        member("name", TEXT),
        member("created_at", MOMENT),
        member("members", TEXTS),
    ],
    open: false,
});

/// A list of them.
pub static GROUPS: Shape = Shape::List(&GROUP);

/// The body that makes a group; members are usernames or addresses of users that are there.
pub static NEW_GROUP: Shape = Shape::Object(&Object {
    name: "NewGroup",
    members: &[member("name", TEXT), optional("members", TEXTS)],
    open: true,
});

/// The body that brings users into a group, by usernames or addresses.
pub static NEW_MEMBERS: Shape = Shape::Object(&Object {
    name: "NewMembers",
    members: &[member("members", TEXTS), optional("administrator", &Shape::OrNull(BOOLEAN))],
    open: true,
});

/// The body that grants a privilege; without a date it has no end.
pub static NEW_GRANT: Shape = Shape::Object(&Object {
    name: "NewGrant",
    members: &[optional("expires_at", &Shape::OrNull(&Shape::When))],
    open: false,
});

/// A privilege that was granted.
pub static GRANT: Shape = Shape::Object(&Object {
    name: "Grant",
    members: &[member("subject", TEXT), member("privilege", TEXT), member("expires_at", MOMENT_OR_NULL)],
    open: false,
});

/// How much may be used of a quota.
pub static LIMIT: Shape = Shape::Object(&Object {
    name: "Limit",
    members: &[member("name", TEXT), member("allowed", INTEGER)],
    open: false,
});

/// What was set for somebody.
pub static LIMITS: Shape = Shape::List(&LIMIT);

/// The body that sets it.
pub static NEW_LIMIT: Shape = Shape::Object(&Object {
    name: "NewLimit",
    members: &[member("allowed", &Shape::Count)],
    open: false,
});
