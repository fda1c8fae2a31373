//! The only crate that knows SQL: one set of statements on SQLite and PostgreSQL (design §3). What was seen is kept as intervals, what was shown as
//! versions; every change of a record goes through one function, `record`, which writes its version and its row of the change feed with it.

pub mod engine;

mod access;
mod audit;
mod blobs;
mod bulk;
mod collections;
mod contexts;
mod entity_issues;
mod epoch;
mod error;
mod failpoint;
mod feed;
mod folder;
mod index;
mod integrations;
mod items;
mod keys;
mod marks;
mod migrations;
mod notes;
mod open;
mod people;
mod projects;
mod record;
mod roles;
mod runs;
mod secret;
mod seeds;
mod sql;
mod tags;
mod views;
mod writer;

pub use access::Principal;
pub use audit::AuditRow;
pub use bulk::BulkChange;
pub use collections::{CollectionRef, CollectionSettings, CollectionView, NewCollection};
pub use contexts::CollectionContext;
pub use error::StoreError;
pub use failpoint::FailAction;
pub use index::{Change, HistoryRow, IndexRow};
pub use integrations::{Credential, IntegrationUse, IntegrationView, NewIntegration};
pub use items::{Item, ItemView};
pub use keys::{IssuedKey, KeyView, NewKey};
pub use marks::EntityFlags;
pub use notes::{NOTE_CHARS_MAX, NoteView};
pub use open::{NewOwner, Options, Store};
pub use people::{NewUser, Privilege, Quota};
pub use projects::{Member, ProjectSettings, ProjectView};
pub use runs::Started;
pub use tags::TagChange;
pub use views::{At, EntityView, IssueView};
