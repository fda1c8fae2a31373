//! The wire contract: bodies, envelopes, error codes, as pure data. Records of `ambit-model` become the shapes that
//! clients read here and nowhere else; so the contract's oddities (`project-id`, `technolgy_bucket`,
//! `Platform::Entity::`) are spelled here and in the server only.
//!
//! A body is a struct, stated once (`contract.rs`): from it come the JSON, the schema and the example of the
//! documentation, and how a request is read (`request.rs`). The enumerations are those of the model (`words.rs`).

#![recursion_limit = "256"]

pub mod accounts;
pub mod changes;
pub mod collection_runs;
pub mod collections;
pub mod comments;
pub mod contacts;
pub mod contract;
pub mod csv;
pub mod entities;
pub mod envelope;
pub mod error;
pub mod exports;
pub mod files;
pub mod graphs;
pub mod groups;
pub mod hunting_notifications;
pub mod hunting_rulesets;
pub mod imports;
pub mod integrations;
pub mod inventory_objects;
pub mod issues;
pub mod keys;
pub mod library;
pub mod library_stats;
pub mod notes;
pub mod object_collections;
pub mod objects;
pub mod people;
pub mod plans;
pub mod postures;
pub mod projects;
pub mod quotas;
pub mod receivers;
pub mod request;
pub mod search;
pub mod seeds;
pub mod sessions;
pub mod shape;
pub mod technologies;
pub mod users;
pub mod v2;
pub mod votes;
pub mod words;

pub use contract::{Contract, Maybe};
pub use envelope::{Envelope, success};
pub use error::{ApiError, ErrorCode, Result};
pub use request::read;
pub use shape::Shape;
pub use words::{Word, Words};

#[cfg(test)]
mod recorded;

/// By this name, `contract!` finds what it needs here and in other crates.
extern crate self as ambit_api;

use ambit_model::Timestamp;
use uuid::Uuid;

/// The header that names a project, with a hyphen in the newer tree and an underscore in the older one; both are read
/// in both.
pub const PROJECT_HEADERS: [&str; 2] = ["project-id", "project_id"];
/// The header and the query parameter that carry an API key, in any letter case.
pub const KEY_NAME: &str = "x-apikey";
/// The parameter of query or form that carries an API key in version 2.
pub const V2_KEY_NAME: &str = "apikey";
/// The older tree's header with the id of a key, or the key again.
pub const ACCESS_KEY_HEADERS: [&str; 2] = ["intrigue_access_key", "intrigue-access-key"];
/// The older tree's header with an API key.
pub const SECRET_KEY_HEADERS: [&str; 2] = ["intrigue_secret_key", "intrigue-secret-key"];

/// What every record of a collection repeats of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CollectionRef<'a> {
    pub id: i64,
    pub uuid: Uuid,
    /// The internal name.
    pub name: &'a str,
    pub organization_uuid: Option<Uuid>,
}

/// What is known of a record beside its state: its integer id and its times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sighting {
    pub id: i64,
    pub first_seen: Timestamp,
    pub last_seen: Timestamp,
    /// When the shown state began.
    pub since: Timestamp,
    /// By when an issue is to be closed, while it is open.
    pub due_at: Option<Timestamp>,
}

/// The type of the collections that people make; there are no others.
pub(crate) const COLLECTION_TYPE: &str = "user_collection";
