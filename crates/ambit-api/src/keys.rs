//! API keys on the wire. Ours: a key is shown once, when it is made.

use crate::contract::{Maybe, contract};
use crate::request::{Text, When};
use ambit_model::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

contract! {
    /// A key as lists show it: its user's address and its first characters, never its text.
    #[derive(Debug, Serialize)]
    pub struct Key {
        pub id: i64,
        pub user: String,
        pub visible: String,
        pub label: String,
        pub created_at: Timestamp,
        pub expires_at: Option<Timestamp>,
        pub revoked_at: Option<Timestamp>,
        pub last_used_at: Option<Timestamp>,
        pub read_only: bool,
        pub project: Option<Uuid>,
        pub project_name: Option<String>,
    }

    /// A fresh key; its text is given this once.
    #[derive(Debug, Serialize)]
    pub struct IssuedKey {
        pub id: i64,
        pub key: String,
        pub visible: String,
        pub label: String,
        pub expires_at: Option<Timestamp>,
    }

    /// The body that asks for one; all of it may be left out. `user` is an address or username, for administrators;
    /// `project` the number or uuid of the one project that the key is for. A key that changes nothing is `read_only`.
    #[derive(Debug, Deserialize)]
    pub struct NewKey {
        pub label: Maybe<Text>,
        pub expires_at: Maybe<Option<When>>,
        pub user: Maybe<Text>,
        pub read_only: Maybe<bool>,
        pub project: Maybe<Text>,
    }

    /// The body that exchanges a one-time token for a key.
    #[derive(Debug, Deserialize)]
    pub struct KeyToken {
        pub token: Text,
    }
}
