//! API keys on the wire. Ours: a key is shown once, when it is made.

use crate::shape::{INTEGER, MOMENT, MOMENT_OR_NULL, Object, Shape, TEXT, member, optional};
use ambit_model::Timestamp;
use serde_json::{Value, json};

/// A key as lists show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key<'a> {
    pub id: i64,
    /// Address of its user.
    pub user: &'a str,
    /// Its first characters.
    pub visible: &'a str,
    pub label: &'a str,
    pub created_at: Timestamp,
    pub expires_at: Option<Timestamp>,
    pub revoked_at: Option<Timestamp>,
    pub last_used_at: Option<Timestamp>,
}

/// A key without its text.
pub fn key(of: Key<'_>) -> Value {
    json!({
        "id": of.id,
        "user": of.user,
        "visible": of.visible,
        "label": of.label,
        "created_at": of.created_at,
        "expires_at": of.expires_at,
        "revoked_at": of.revoked_at,
        "last_used_at": of.last_used_at,
    })
}

/// A fresh key; its text is given this once.
pub fn issued_key(id: i64, text: &str, visible: &str, label: &str, expires_at: Option<Timestamp>) -> Value {
    json!({"id": id, "key": text, "visible": visible, "label": label, "expires_at": expires_at})
}

/// A list of keys.
pub static KEYS: Shape = Shape::List(&Shape::Object(&Object {
    name: "Key",
    members: &[
        member("id", INTEGER),
        member("user", TEXT),
        member("visible", TEXT),
        member("label", TEXT),
        member("created_at", MOMENT),
        member("expires_at", MOMENT_OR_NULL),
        member("revoked_at", MOMENT_OR_NULL),
        member("last_used_at", MOMENT_OR_NULL),
    ],
    open: false,
}));

/// A fresh key.
pub static ISSUED_KEY: Shape = Shape::Object(&Object {
    name: "IssuedKey",
    members: &[
        member("id", INTEGER),
        member("key", TEXT),
        member("visible", TEXT),
        member("label", TEXT),
        member("expires_at", MOMENT_OR_NULL),
    ],
    open: false,
});

/// The body that asks for one; all of it may be left out. `user` is an address or username, for administrators.
pub static NEW_KEY: Shape = Shape::Object(&Object {
    name: "NewKey",
    members: &[
        optional("label", TEXT),
        optional("expires_at", &Shape::OrNull(&Shape::When)),
        optional("user", TEXT),
    ],
    open: true,
});

/// The body that exchanges a one-time token for a key.
pub static KEY_TOKEN: Shape = Shape::Object(&Object {
    name: "KeyToken",
    members: &[member("token", TEXT)],
    open: true,
});
