//! Entities: their kinds, canonical names, records and the fold that makes a record.

pub mod app;
pub mod autonomous_system;
pub mod aws;
pub mod bucket;
pub mod certificate;
pub mod cloud;
pub mod code_account;
pub mod domain;
mod evidence;
mod fold;
pub mod front_page;
pub mod impersonation;
pub mod imported;
pub mod in_account;
pub mod ip_address;
mod kind;
mod member;
mod members;
pub mod mentioned;
mod name;
mod net_block;
pub mod network;
pub mod network_service;
pub mod posture;
mod record;
pub mod repository;
mod row;
pub mod uri;

pub use evidence::{Evidence, EvidenceKind};
pub use fold::{FoldInput, fold};
pub use kind::{Kind, NameForm};
pub use member::Member;
pub(crate) use name::is_too_wide;
pub use name::{
    InvalidName, article, host_of, is_shared_suffix, listed_domain, registered, registrable, shared_suffix, unmapped,
};
pub use record::{
    Ancestor, Auth, Content, EntityRecord, Geolocation, Ground, GroundKind, Http, IssueCounts, Network, PathStep,
    Ports, Summary, TaskResult, TechnologySummary, Vulns,
};
