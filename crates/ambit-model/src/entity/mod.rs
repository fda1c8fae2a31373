//! Entities: their kinds, canonical names, records and the fold that makes a record.

mod fold;
mod kind;
mod members;
mod name;
mod record;

pub use fold::{FoldInput, fold};
pub use kind::Kind;
pub use name::{InvalidName, registrable, unmapped};
pub use record::{
    Ancestor, Auth, Content, EntityRecord, Geolocation, Ground, GroundKind, Http, IssueCounts, Network, PathStep, Ports, Summary, TaskResult,
    TechnologySummary, Vulns,
};
