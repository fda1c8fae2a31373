//! The nouns of Ambit and their rules. Pure: no input, no output, no clock; time is always an argument.
//!
//! Glossary. **Entity**: a discovered thing with kind, name and uid. **Kind**: what sort of entity. **Seed**: an entity
//! a person gave.
//! **Scope**: what may be looked at, and why. **Collection**: the defined process; **run**: one execution of it.
//! **Workflow**: a named set of tasks. **Task**: one discovery step. **Footprint**: the clearance a task needs.
//! **Observation**: one task saw one thing, as an interval.
//! **Facts**: all that is known of an entity when planned or judged. **Check**: a template that fetches and matches;
//! **judge**: a pure function over facts; both report **issues**. **Evidence**: stored bytes of an observation;
//! **proof**: what an issue shows of it.
//! **Version**: one state of a record between two times. **Work**: a durable row: do this task for this entity in this
//! run.

pub mod application_session;
pub mod canonical_url;
mod clearance;
pub mod collection;
pub mod cron;
mod due;
pub mod edge;
pub mod entity;
pub mod estimate;
pub mod exposure;
pub mod facts;
pub mod feed;
pub mod hidden;
pub mod id;
pub mod impersonation;
pub mod issue;
mod item;
pub mod library;
pub mod limits;
pub mod lookalike;
pub mod mail_policy;
pub mod moment;
mod names;
pub mod networks;
pub mod notification;
pub mod object;
pub mod observation;
pub mod percent;
pub mod platforms;
pub mod policy;
pub mod ports;
pub mod posture;
pub mod project;
pub mod quota;
pub mod reserved;
pub mod run;
pub mod scope;
pub mod seeds;
pub mod task;
pub mod technology;
pub mod timing;
pub mod user;
pub mod version_order;
pub mod vulnerability;
mod wave;
pub mod wire;
pub mod workflow;
pub mod yaml;

pub use clearance::Clearance;
pub use due::DueDays;
pub use edge::EdgeKind;
pub use entity::Kind;
pub use facts::Facts;
pub use id::Uid;
pub use item::Item;
pub use moment::Timestamp;
pub use task::{SkippedTasks, TaskName};
pub use wave::Wave;

/// The details of an entity: one JSON object whose members are those of the contract (docs/contract/asm.md §4.5).
pub type Details = serde_json::Map<String, serde_json::Value>;
