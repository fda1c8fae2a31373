//! The only crate that knows SQL: one set of statements on SQLite and PostgreSQL (docs/architecture.md §1). What was
//! seen is kept as intervals, what was shown as versions; every change of a record goes through one function, `record`,
//! which writes its version and its row of the change feed with it.

mod db;
pub mod engine;
mod inventory;
mod maintenance;
mod people;
mod record;
mod wider;

pub use db::error::StoreError;
pub use db::failpoint::FailAction;
pub use db::migrations::Migrated;
pub use db::open::{Options, Schema};
pub use db::store::Store;
pub use inventory::bulk::BulkChange;
pub use inventory::collection_settings::CollectionSettings;
pub use inventory::collections::{CollectionRef, CollectionView, NewCollection};
pub use inventory::contexts::CollectionContext;
pub use inventory::index::{Change, HistoryRow, IndexRow};
pub use inventory::integrations::{Credential, IntegrationUse, IntegrationView, NewIntegration};
pub use inventory::items::{Item, ItemView};
pub use inventory::marks::EntityFlags;
pub use inventory::milestones::{Footing, Milestone};
pub use inventory::notes::NoteView;
pub use inventory::runs::Started;
pub use inventory::tags::TagChange;
pub use inventory::uploads::{BlobReader, Staged, Upload};
pub use inventory::views::{At, EntityView, IssueView};
pub use maintenance::restore;
pub use people::accounts::{Account, Relationship};
pub use people::audit::AuditRow;
pub use people::first_key::KeyToken;
pub use people::groups::{Brought, GroupAccount, Members};
pub use people::install::NewOwner;
pub use people::invitations::{Invitation, InvitedTo};
pub use people::keys::{IssuedKey, KeyView, NewKey, RevokedKeys};
pub use people::limits::Limits;
pub use people::principal::Principal;
pub use people::projects::{Added, Member, ProjectSettings, ProjectView};
pub use people::users::{NewUser, Privilege, Quota};
pub use wider::analyses::Analysis;
pub use wider::archives::{Archive, ArchiveStatus};
pub use wider::comments::{Comment, Vote};
pub use wider::files::{NewFile, StoredFile, SubmittedUrl};
pub use wider::graphs::{Collaborator, Graph, GraphChange, GraphRight, NewGraph, Role};
pub use wider::hunting_notifications::Notification;
pub use wider::hunting_rulesets::{Ruleset, RulesetChange};
pub use wider::object_collections::{CollectedItem, CollectionText, ObjectCollection};
pub use wider::objects::{KnownObject, Neighbour};
pub use wider::operations::Operation;
pub use wider::packs::{Pack, PackContent};
pub use wider::quota::{Cost, Receipt};
pub use wider::retrohunt_jobs::{JOBS_AT_ONCE_MAX, JobRefused, NewRetrohuntJob, RetrohuntJob, RetrohuntMatch};
pub use wider::specimens::DiscoveredFile;
pub use wider::submissions::Submission;
pub use wider::usage::{DayUsage, FreeCalls, Payer, QuotaStanding, QuotaUsage};
