//! The record of an entity as versions keep it and the API shows it: one shape for all kinds (seed-asm §2.5).

use super::Kind;
use crate::{Clearance, Details, EdgeKind, Uid};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use uuid::Uuid;

/// One state of an entity. Times of first and last sight are kept beside it: seeing it again makes no new state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EntityRecord {
    pub uid: Uid,
    pub collection: Uuid,
    pub kind: Kind,
    /// Canonical name.
    pub name: String,
    /// A person gave it.
    pub seed: bool,
    pub hidden: bool,
    pub allow_list: bool,
    pub deny_list: bool,
    /// Seed, or backed by an open observation, or reached by open edges from a seed.
    pub present: bool,
    pub scoped: bool,
    pub scoped_reason: String,
    /// Strangers share it (a CDN, a shared host, a provider): member `hidden_shared` of the details. Scope weighs it (`scope::Node::shared`).
    pub shared: bool,
    /// Ownership in thousandths (design §7).
    pub ownership: u16,
    pub clearance: Clearance,
    /// From the seed to this entity, edge by edge (`extended_path_to_seed`).
    pub path: Vec<PathStep>,
    pub ancestors: Vec<Ancestor>,
    pub task_results: Vec<TaskResult>,
    pub details: Details,
    /// Fingerprint items of the contract.
    pub fingerprint: Vec<Value>,
    pub tags: Vec<String>,
    pub aliases: Option<Vec<String>>,
    pub alias_group: Option<String>,
    pub category: Option<String>,
    pub confidence: Option<String>,
    pub description: Option<String>,
    pub source: Option<String>,
    pub status: Option<String>,
    pub summary: Summary,
}

/// One edge of the path from a seed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathStep {
    pub from_kind: Kind,
    pub from_name: String,
    pub edge: EdgeKind,
    pub task: String,
    /// Ownership of this edge as it was weighed here, in thousandths.
    pub own: u16,
    pub cap: Clearance,
}

/// An entity on the way from the seed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ancestor {
    pub name: String,
    #[serde(rename = "type")]
    pub kind: Kind,
}

/// A task that contributed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskResult {
    /// `<task>_on_<entity name>`.
    pub name: String,
    pub task: String,
    pub depth: i64,
    pub entity_name: String,
    pub entity_type: Kind,
}

/// The summary, common to all kinds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    pub scoped: bool,
    pub issues: IssueCounts,
    pub task_results: Vec<String>,
    pub screenshot_exists: bool,
    pub geolocation: Geolocation,
    pub http: Http,
    pub ports: Ports,
    pub resolutions: Vec<String>,
    pub network: Network,
    pub technology: TechnologySummary,
    pub vulns: Vulns,
}

/// Counts of issues on the entity.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IssueCounts {
    pub current_by_severity: BTreeMap<String, i64>,
    pub all_time_by_severity: BTreeMap<String, i64>,
    pub current_with_cve: i64,
    pub current_count: i64,
    pub all_time_count: i64,
    pub critical_or_high: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Geolocation {
    pub city: Option<String>,
    pub country_code: Option<String>,
    pub country_name: Option<String>,
    pub latitude: Option<f64>,
    pub longitude: Option<f64>,
    pub asn: Option<Value>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Http {
    pub code: Option<i64>,
    pub title: Option<String>,
    pub auth: Auth,
    pub content: Content,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Auth {
    pub any: Option<bool>,
    pub basic: Option<bool>,
    pub ntlm: Option<bool>,
    pub forms: Option<bool>,
    #[serde(rename = "2fa")]
    pub two_factor: Option<bool>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    pub hash: Option<String>,
    pub forms: Option<bool>,
    pub favicon_hash: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ports {
    pub count: i64,
    pub tcp: Vec<i64>,
    pub udp: Vec<i64>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Network {
    pub name: Option<String>,
    pub asn: Option<i64>,
    pub route: Option<String>,
    #[serde(rename = "type")]
    pub kind: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TechnologySummary {
    pub cloud: bool,
    pub cloud_providers: Vec<String>,
    pub cpes: Vec<Value>,
    pub technologies: Vec<String>,
    pub technology_labels: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vulns {
    pub vulns: Vec<String>,
    pub current_count: i64,
}
