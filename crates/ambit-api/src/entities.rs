//! Entities on the wire (docs/contract/asm.md §4): the search hit, the detail, the raw detail and the record of a point in time. One conversion for
//! all kinds; details are sent as they are stored.

mod tables;

pub use tables::{ENTITY_AT, ENTITY_DETAIL, ENTITY_HIT, ENTITY_MARKS, RAW_ENTITY, SCOPE_EXPLANATION, SUMMARY};

use crate::{COLLECTION_TYPE, CollectionRef, Sighting};
use ambit_model::entity::{EntityRecord, PathStep};
use ambit_model::issue::IssueRecord;
use ambit_model::{Details, Kind, Timestamp};
use serde_json::{Value, json};

/// Members of details that only the raw form shows (docs/contract/asm.md §4.4).
const RAW_ONLY: [&str; 3] = ["hidden_", "extended_", "encoded_"];

/// Issues that one hit lists at most: pages have up to 1,000 hits.
const HIT_ISSUES_MAX: usize = 20;

/// `<type>#<name>`.
fn dynamic_id(record: &EntityRecord) -> String {
    format!("{}#{}", record.kind.type_name(), record.name)
}

/// A hit of a search. Its `issues` are empty here: who has a store at hand fills them with [`hit_issues`].
pub fn entity_hit(record: &EntityRecord, seen: Sighting, collection: CollectionRef<'_>) -> Value {
    json!({
        "id": record.uid,
        "dynamic_id": dynamic_id(record),
        "alias_group": record.alias_group,
        "aliases": record.aliases,
        "hidden": record.hidden,
        "name": record.name,
        "type": record.kind.type_name(),
        "seed": record.seed,
        "first_seen": seen.first_seen,
        "last_seen": seen.last_seen,
        "collection": collection.name,
        "collection_type": COLLECTION_TYPE,
        "collection_uuid": collection.uuid,
        "collection_naics": null,
        "organization_uuid": collection.organization_uuid,
        "tags": record.tags,
        "issues": [],
        "exfil_lookup_identifier": record.details.get("exfil_lookup_identifier"),
        "summary": record.summary,
    })
}

/// Open issues of an entity as its hit lists them, the gravest first; the counts in the summary say how many there are.
pub fn hit_issues(open: &[IssueRecord]) -> Value {
    open.iter()
        .take(HIT_ISSUES_MAX)
        .map(|issue| {
            json!({
                "uid": issue.uid,
                "name": issue.name,
                "pretty_name": issue.pretty_name,
                "severity": issue.severity,
                "confidence": issue.confidence.name(),
                "category": issue.category,
                "status": issue.status.name(),
            })
        })
        .collect()
}

/// The detail of an entity.
pub fn entity_detail(record: &EntityRecord, seen: Sighting, collection: CollectionRef<'_>) -> Value {
    let details: Details = record.details.iter().filter(|(name, _)| !is_raw_only(name)).map(own).collect();
    json!({
        "uuid": record.uid.uuid(),
        "dynamic_id": dynamic_id(record),
        "collection_name": collection.name,
        "alias_group": record.alias_group,
        "aliases": record.aliases,
        "allow_list": record.allow_list,
        "ancestors": ancestors(record),
        "category": record.category,
        "collection_naics": null,
        "confidence": record.confidence,
        "deleted": !record.present,
        "deny_list": record.deny_list,
        "details": details,
        "details_file": format!("{}.json", record.uid),
        "description": record.description,
        "first_seen": seen.first_seen,
        "hidden": record.hidden,
        "last_seen": seen.last_seen,
        "name": record.name,
        "scoped": record.scoped,
        "scoped_reason": record.scoped_reason,
        "seed": record.seed,
        "source": record.source,
        "status": record.status,
        "task_results": task_results(record),
        "type": record.kind.type_name(),
        "uid": record.uid,
        "created_at": seen.first_seen,
        "updated_at": seen.since,
        "collection_id": collection.id,
        "search_index_mappings_hash": null,
        "elasticsearch_mappings_hash": null,
        "collection": collection.name,
        "collection_uuid": collection.uuid,
        "organization_uuid": collection.organization_uuid,
        "collection_type": COLLECTION_TYPE,
        "fingerprint": record.fingerprint,
        "summary": record.summary,
        "tags": record.tags,
    })
}

/// Moments that only the raw detail shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moments {
    /// When `scoped` last moved.
    pub scoped_at: Timestamp,
    /// Now.
    pub generated_at: Timestamp,
}

/// The raw detail: all details with the way from the seed, filled aliases, and no task results.
pub fn raw_entity(record: &EntityRecord, seen: Sighting, collection: CollectionRef<'_>, moments: Moments) -> Value {
    let mut value = entity_detail(record, seen, collection);
    let mut details = record.details.clone();
    details.entry("hidden_original").or_insert_with(|| json!(record.name));
    details.insert("extended_path_to_seed".to_owned(), record.path.iter().map(path_step).collect());
    value["details"] = Value::Object(details);
    value["id"] = json!(seen.id);
    value["scoped_at"] = json!(moments.scoped_at);
    value["detail_string"] = json!(detail_string(record));
    value["enrichment_tasks"] = json!(record.summary.task_results);
    value["generated_at"] = json!(moments.generated_at);
    value["aliases"] = json!(record.aliases.clone().unwrap_or_else(|| vec![record.name.clone()]));
    value["alias_group"] = json!(record.alias_group.clone().unwrap_or_else(|| seen.id.to_string()));
    value["task_results"] = json!([]);
    value
}

/// The record of a point in time; `seen` and `record` are those of that moment.
pub fn entity_at(record: &EntityRecord, seen: Sighting, collection: CollectionRef<'_>) -> Value {
    let mut value = entity_detail(record, seen, collection);
    let members = value.as_object_mut().expect("the detail is an object");
    for unlisted in [
        "scoped_reason",
        "search_index_mappings_hash",
        "elasticsearch_mappings_hash",
        "collection_naics",
        "collection_name",
    ] {
        members.remove(unlisted);
    }
    value
}

/// Why an entity is in scope or not: the way from the seed, edge by edge with its numbers.
pub fn scope_explanation(record: &EntityRecord) -> Value {
    json!({
        "uid": record.uid,
        "name": record.name,
        "type": record.kind.type_name(),
        "scoped": record.scoped,
        "scoped_reason": record.scoped_reason,
        "ownership": f64::from(record.ownership) / 1000.0,
        "clearance": format!("{:?}", record.clearance),
        "allow_list": record.allow_list,
        "deny_list": record.deny_list,
        "path": record.path.iter().map(path_step).collect::<Value>(),
    })
}

fn path_step(step: &PathStep) -> Value {
    json!({
        "type": step.from_kind.type_name(),
        "name": step.from_name,
        "edge": step.edge.name(),
        "task": step.task,
        "ownership": f64::from(step.own) / 1000.0,
        "clearance": format!("{:?}", step.cap),
        "ground": step.ground.as_ref().map(|ground| json!({"kind": ground.kind, "name": ground.name, "text": format!("{} {}", ground.kind.words(), ground.name)})),
    })
}

fn is_raw_only(name: &str) -> bool {
    RAW_ONLY.iter().any(|prefix| name.starts_with(prefix))
}

fn own((name, value): (&String, &Value)) -> (String, Value) {
    (name.clone(), value.clone())
}

fn typed(name: &str, kind: Kind) -> Value {
    json!({"name": name, "type": kind.type_name()})
}

fn ancestors(record: &EntityRecord) -> Value {
    record.ancestors.iter().map(|ancestor| typed(&ancestor.name, ancestor.kind)).collect()
}

fn task_results(record: &EntityRecord) -> Value {
    record
        .task_results
        .iter()
        .map(|result| {
            json!({
                "name": result.name,
                "task": result.task,
                "depth": result.depth,
                "entity_name": result.entity_name,
                "entity_type": result.entity_type.type_name(),
            })
        })
        .collect()
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
