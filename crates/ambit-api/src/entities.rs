//! Entities on the wire (docs/contract/asm.md §4): the search hit, the detail, the raw detail and the record of a point
//! in time. One conversion for all kinds; details are sent as they are stored,
//! with what follows from the name.

mod explanation;
mod summary;

pub use explanation::{Ground, PathStep, ScopeExplanation};
pub use summary::Cpe;

use crate::contract::{Contract, Maybe, contract, copied, shape_of};
use crate::shape::Shape;
use crate::{COLLECTION_TYPE, CollectionRef, Sighting};
use ambit_model::entity::{EntityRecord, Summary};
use ambit_model::issue::IssueRecord;
use ambit_model::scope::ScopeReason;
use ambit_model::{Kind, Timestamp, Uid};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::net::IpAddr;
use uuid::Uuid;

/// Members of details that only the raw form shows (docs/contract/asm.md §4.4).
const RAW_ONLY: [&str; 3] = ["hidden_", "extended_", "encoded_"];

/// Issues that one hit lists at most: pages have up to 1,000 hits.
const HIT_ISSUES_MAX: usize = 20;

contract! {
    /// A hit of a search over entities.
    #[derive(Debug, Serialize)]
    pub struct EntityHit {
        pub id: Uid,
        pub dynamic_id: String,
        pub alias_group: Option<String>,
        pub aliases: Option<Vec<String>>,
        pub hidden: bool,
        pub name: String,
        #[serde(rename = "type")]
        pub kind: String,
        pub seed: Option<bool>,
        pub first_seen: Timestamp,
        pub last_seen: Timestamp,
        pub collection: String,
        pub collection_type: &'static str,
        pub collection_uuid: Uuid,
        pub collection_naics: Option<Vec<String>>,
        pub organization_uuid: Option<Uuid>,
        pub tags: Vec<String>,
        pub issues: Vec<EntityHitIssue>,
        pub exfil_lookup_identifier: Option<String>,
        pub summary: Summary,
    }

    /// An open issue of an entity as its hit lists it.
    #[derive(Debug, Serialize)]
    pub struct EntityHitIssue {
        pub uid: Uid,
        pub name: String,
        pub pretty_name: String,
        pub severity: i64,
        pub confidence: &'static str,
        pub category: String,
        pub status: &'static str,
    }

    /// An entity on the way from the seed.
    #[derive(Clone, Debug, Serialize)]
    pub struct Ancestor {
        pub name: String,
        #[serde(rename = "type")]
        pub kind: String,
    }

    /// A task that contributed.
    #[derive(Clone, Debug, Serialize)]
    pub struct TaskResult {
        pub name: String,
        pub task: String,
        pub depth: i64,
        pub entity_name: String,
        pub entity_type: String,
    }

    /// The detail of an entity.
    #[derive(Debug, Serialize)]
    pub struct EntityDetail {
        pub uuid: Uuid,
        pub dynamic_id: String,
        pub collection_name: String,
        pub alias_group: Option<String>,
        pub aliases: Option<Vec<String>>,
        pub allow_list: bool,
        pub ancestors: Vec<Ancestor>,
        pub category: Option<String>,
        pub collection_naics: Option<Vec<String>>,
        pub confidence: Option<String>,
        pub deleted: bool,
        pub deny_list: bool,
        pub details: Details,
        pub details_file: String,
        pub description: Option<String>,
        pub first_seen: Timestamp,
        pub hidden: bool,
        pub last_seen: Timestamp,
        pub name: String,
        pub scoped: bool,
        pub scoped_reason: ScopeReason,
        pub seed: Option<bool>,
        pub source: Option<String>,
        pub status: Option<String>,
        pub task_results: Vec<TaskResult>,
        #[serde(rename = "type")]
        pub kind: String,
        pub uid: Uid,
        pub created_at: Timestamp,
        pub updated_at: Timestamp,
        pub collection_id: i64,
        pub search_index_mappings_hash: (),
        pub elasticsearch_mappings_hash: (),
        pub collection: String,
        pub collection_uuid: Uuid,
        pub organization_uuid: Option<Uuid>,
        pub collection_type: &'static str,
        pub fingerprint: Vec<Value>,
        pub summary: Summary,
        pub tags: Vec<String>,
    }

    /// The record of a point in time.
    #[derive(Debug, Serialize)]
    pub struct EntityAtPoint {
        pub uid: Uid,
        pub name: String,
        pub seed: Option<bool>,
        pub tags: Vec<String>,
        #[serde(rename = "type")]
        pub kind: String,
        pub uuid: Uuid,
        pub hidden: bool,
        pub scoped: bool,
        pub source: Option<String>,
        pub status: Option<String>,
        pub aliases: Option<Vec<String>>,
        pub deleted: bool,
        pub details: Details,
        pub summary: Summary,
        pub category: Option<String>,
        pub ancestors: Vec<Ancestor>,
        pub deny_list: bool,
        pub last_seen: Timestamp,
        pub allow_list: bool,
        pub collection: String,
        pub confidence: Option<String>,
        pub created_at: Timestamp,
        pub dynamic_id: String,
        pub first_seen: Timestamp,
        pub updated_at: Timestamp,
        pub alias_group: Option<String>,
        pub description: Option<String>,
        pub fingerprint: Vec<Value>,
        pub details_file: String,
        pub task_results: Vec<TaskResult>,
        pub collection_id: i64,
        pub collection_uuid: Uuid,
        pub collection_type: &'static str,
        pub organization_uuid: Option<Uuid>,
    }

    /// The body that marks an entity: what is left out stays.
    #[derive(Debug, Deserialize)]
    pub struct EntityMarks {
        pub allow_list: Maybe<bool>,
        pub deny_list: Maybe<bool>,
        pub hidden: Maybe<bool>,
    }
}

/// Details, which each kind has of its own; they are sent as they are stored.
#[derive(Clone, Debug, Serialize)]
pub struct Details(ambit_model::Details);

impl Contract for Details {
    const SHAPE: &'static Shape = shape_of! { ("Details",) open members };
}

/// The raw detail: all details with the way from the seed, filled aliases, and no task results.
#[derive(Debug, Serialize)]
pub struct RawEntity {
    #[serde(flatten)]
    pub detail: EntityDetail,
    pub id: i64,
    pub scoped_at: Timestamp,
    pub detail_string: String,
    pub enrichment_tasks: Vec<String>,
    pub generated_at: Timestamp,
}

/// Of the members that the detail has too, the documentation names those that differ from it.
impl Contract for RawEntity {
    const SHAPE: &'static Shape = shape_of! {
        ("RawEntity",)
        ("id",) i64;
        ("uid",) Uid;
        ("uuid",) Uuid;
        ("name",) String;
        ("type",) String;
        ("scoped_at",) String;
        ("detail_string",) String;
        ("enrichment_tasks",) Vec<String>;
        ("generated_at",) Timestamp;
        ("aliases",) Vec<String>;
        ("alias_group",) String;
        ("task_results",) Vec<TaskResult>;
        ("details",) RawDetails;
        open detail
    };
}

/// The details of the raw view, whatever the kind.
struct RawDetails;

impl Contract for RawDetails {
    const SHAPE: &'static Shape = shape_of! {
        ("RawDetails",)
        ("hidden_original",) String;
        ("extended_path_to_seed",) Vec<PathStep>;
        open members
    };
}

impl EntityHit {
    /// A hit of a search. Its `issues` are empty here: who has a store at hand fills them with
    /// [`EntityHitIssue::list`].
    pub fn of(record: &EntityRecord, seen: Sighting, collection: CollectionRef<'_>) -> Self {
        let exfil = record.details.get("exfil_lookup_identifier").and_then(Value::as_str);
        copied! {
            Self from record { alias_group, aliases, hidden, name, tags, summary }
            id: record.uid,
            dynamic_id: dynamic_id(record),
            kind: record.kind.type_name(),
            seed: Some(record.seed),
            first_seen: seen.first_seen,
            last_seen: seen.last_seen,
            collection: collection.name.to_owned(),
            collection_type: COLLECTION_TYPE,
            collection_uuid: collection.uuid,
            collection_naics: None,
            organization_uuid: collection.organization_uuid,
            issues: Vec::new(),
            exfil_lookup_identifier: exfil.map(str::to_owned),
        }
    }
}

impl EntityHitIssue {
    /// Open issues of an entity, the gravest first; the counts in the summary say how many there are.
    pub fn list(open: &[IssueRecord]) -> Vec<Self> {
        let shown = |issue: &IssueRecord| {
            copied! {
                Self from issue { uid, name, pretty_name, severity, category }
                confidence: issue.confidence.name(),
                status: issue.status.name(),
            }
        };
        open.iter().take(HIT_ISSUES_MAX).map(shown).collect()
    }
}

impl EntityDetail {
    /// The detail of an entity, without what only the raw form shows.
    pub fn of(record: &EntityRecord, seen: Sighting, collection: CollectionRef<'_>) -> Self {
        let mut details = details_of(record);
        details.retain(|name, _| !is_raw_only(name));
        let ancestors = record
            .ancestors
            .iter()
            .map(|ancestor| Ancestor { name: ancestor.name.clone(), kind: ancestor.kind.type_name() });
        copied! {
            Self from record {
                alias_group, aliases, allow_list, category, confidence, deny_list, description, hidden, name, scoped,
                scoped_reason, source,
                status, uid, fingerprint, summary, tags,
            }
            uuid: record.uid.uuid(),
            dynamic_id: dynamic_id(record),
            collection_name: collection.name.to_owned(),
            ancestors: ancestors.collect(),
            collection_naics: None,
            deleted: !record.present,
            details: Details(details),
            details_file: format!("{}.json", record.uid),
            first_seen: seen.first_seen,
            last_seen: seen.last_seen,
            seed: Some(record.seed),
            task_results: task_results(record),
            kind: record.kind.type_name(),
            created_at: seen.first_seen,
            updated_at: seen.since,
            collection_id: collection.id,
            search_index_mappings_hash: (),
            elasticsearch_mappings_hash: (),
            collection: collection.name.to_owned(),
            collection_uuid: collection.uuid,
            organization_uuid: collection.organization_uuid,
            collection_type: COLLECTION_TYPE,
        }
    }
}

impl RawEntity {
    /// The raw detail. `scoped_at` is when `scoped` last moved.
    pub fn of(
        record: &EntityRecord,
        seen: Sighting,
        collection: CollectionRef<'_>,
        scoped_at: Timestamp,
        now: Timestamp,
    ) -> Self {
        let mut details = details_of(record);
        details.entry("hidden_original").or_insert_with(|| json!(record.name));
        details.insert("extended_path_to_seed".to_owned(), json!(PathStep::path(record)));
        Self {
            detail: EntityDetail {
                details: Details(details),
                aliases: Some(record.aliases.clone().unwrap_or_else(|| vec![record.name.clone()])),
                alias_group: Some(record.alias_group.clone().unwrap_or_else(|| seen.id.to_string())),
                task_results: Vec::new(),
                ..EntityDetail::of(record, seen, collection)
            },
            id: seen.id,
            scoped_at,
            detail_string: detail_string(record),
            enrichment_tasks: record.summary.task_results.clone(),
            generated_at: now,
        }
    }
}

impl From<EntityDetail> for EntityAtPoint {
    /// The record of a point in time; `detail` is that of the moment.
    fn from(detail: EntityDetail) -> Self {
        copied! {
            Self from detail {
                uid, name, seed, tags, kind, uuid, hidden, scoped, source, status, aliases, deleted, details, summary,
                category, ancestors,
                deny_list, last_seen, allow_list, collection, confidence, created_at, dynamic_id, first_seen,
                updated_at, alias_group,
                description, fingerprint, details_file, task_results, collection_id, collection_uuid, organization_uuid,
            }
            collection_type: COLLECTION_TYPE,
        }
    }
}

/// The details as they are shown: what follows from the name of an address stands there before anybody looked at it,
/// and a place that nobody knows is an object, since clients take its members without looking (docs/contract/asm.md
/// §4.5).
fn details_of(record: &EntityRecord) -> ambit_model::Details {
    let mut details = record.details.clone();
    if let (Kind::IpAddress, Ok(address)) = (record.kind, record.name.parse::<IpAddr>()) {
        let version = if address.is_ipv4() { 4 } else { 6 };
        for (member, value) in [("name", json!(record.name)), ("version", json!(version))] {
            details.entry(member.to_owned()).and_modify(|said| fill(said, &value)).or_insert(value);
        }
    }
    if let Some(place) = details.get_mut("geolocation") {
        fill(place, &unknown_place());
    }
    details
}

/// Replaces a missing value.
fn fill(said: &mut Value, value: &Value) {
    if said.is_null() {
        *said = value.clone();
    }
}

fn unknown_place() -> Value {
    json!({
        "asn": {"asn": null, "isp": null, "name": null, "organization": null, "connection_type": null},
        "city": null, "postal": null, "country": null, "latitude": null, "continent": null, "longitude": null,
        "time_zone": null, "country_code": null, "continent_code": null,
    })
}

/// `<type>#<name>`.
fn dynamic_id(record: &EntityRecord) -> String {
    format!("{}#{}", record.kind.type_name(), record.name)
}

fn is_raw_only(name: &str) -> bool {
    RAW_ONLY.iter().any(|prefix| name.starts_with(prefix))
}

fn task_results(record: &EntityRecord) -> Vec<TaskResult> {
    let results = record.task_results.iter().map(|result| TaskResult {
        name: result.name.clone(),
        task: result.task.clone(),
        depth: result.depth,
        entity_name: result.entity_name.clone(),
        entity_type: result.entity_type.type_name(),
    });
    results.collect()
}

/// One line for a person, from the members that every kind has.
fn detail_string(record: &EntityRecord) -> String {
    let summary = &record.summary;
    let mut parts = Vec::new();
    if let Some(code) = summary.http.code {
        let title = summary.http.title.as_deref().unwrap_or_default();
        parts.push(format!("HTTP {code} {title}").trim_end().to_owned());
    }
    if summary.ports.count > 0 {
        let ports: Vec<String> = summary.ports.tcp.iter().chain(&summary.ports.udp).map(i64::to_string).collect();
        parts.push(format!("ports {}", ports.join(", ")));
    }
    if !summary.resolutions.is_empty() {
        parts.push(format!("resolves to {}", summary.resolutions.join(", ")));
    }
    parts.extend(summary.network.name.iter().map(|name| format!("network {name}")));
    if !summary.technology.technologies.is_empty() {
        parts.push(summary.technology.technologies.join(", "));
    }
    parts.join(" · ")
}

#[cfg(test)]
mod tests;
