//! Entities on the wire (seed-asm §2.5): the search hit, the detail, the raw detail and the record of a point in time. One conversion for all
//! kinds; details are sent as they are stored.

use crate::shape::{
    ANY, ANYTHINGS, BOOLEAN, BOOLEAN_OR_NULL, COUNTS, INTEGER, INTEGER_OR_NULL, INTEGERS, MOMENT, NULL, NUMBER_OR_NULL, Object, Shape, TEXT,
    TEXT_OR_NULL, TEXTS, TEXTS_OR_NULL, UID, UUID, UUID_OR_NULL, member,
};
use crate::{COLLECTION_TYPE, CollectionRef, Sighting};
use ambit_model::entity::{EntityRecord, PathStep};
use ambit_model::{Details, Kind, Timestamp};
use serde_json::{Value, json};

/// Members of details that only the raw form shows (asm-wire §7).
const RAW_ONLY: [&str; 3] = ["hidden_", "extended_", "encoded_"];

/// `<type>#<name>`.
fn dynamic_id(record: &EntityRecord) -> String {
    format!("{}#{}", record.kind.type_name(), record.name)
}

/// A hit of a search.
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
        "collection": collection.name,
        "collection_uuid": collection.uuid,
        "organization_uuid": collection.organization_uuid,
        "collection_type": COLLECTION_TYPE,
        "fingerprint": record.fingerprint,
        "summary": record.summary,
        "tags": record.tags,
    })
}

/// The raw detail: all details with the way from the seed, filled aliases, and no task results. `now` is the moment of the answer.
pub fn raw_entity(record: &EntityRecord, seen: Sighting, collection: CollectionRef<'_>, now: Timestamp) -> Value {
    let mut value = entity_detail(record, seen, collection);
    let mut details = record.details.clone();
    details.entry("hidden_original").or_insert_with(|| json!(record.name));
    details.insert("extended_path_to_seed".to_owned(), record.path.iter().map(path_step).collect());
    value["details"] = Value::Object(details);
    value["id"] = json!(seen.id);
    value["scoped_at"] = json!(seen.since);
    value["detail_string"] = json!(detail_string(record));
    value["enrichment_tasks"] = json!(record.summary.task_results);
    value["generated_at"] = json!(now);
    value["aliases"] = json!(record.aliases.clone().unwrap_or_else(|| vec![record.name.clone()]));
    value["alias_group"] = json!(record.alias_group.clone().unwrap_or_else(|| seen.id.to_string()));
    value["task_results"] = json!([]);
    value
}

/// The record of a point in time; `seen` and `record` are those of that moment.
pub fn entity_at(record: &EntityRecord, seen: Sighting, collection: CollectionRef<'_>) -> Value {
    let mut value = entity_detail(record, seen, collection);
    let members = value.as_object_mut().expect("the detail is an object");
    for unlisted in ["scoped_reason", "search_index_mappings_hash", "collection_naics", "collection_name"] {
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

// Tables of members.

static ISSUE_COUNTS: Shape = Shape::Object(&Object {
    name: "IssueCounts",
    members: &[
        member("current_by_severity", COUNTS),
        member("all_time_by_severity", COUNTS),
        member("current_with_cve", INTEGER),
        member("current_count", INTEGER),
        member("all_time_count", INTEGER),
        member("critical_or_high", BOOLEAN),
    ],
    open: false,
});

static GEOLOCATION: Shape = Shape::Object(&Object {
    name: "SummaryGeolocation",
    members: &[
        member("city", TEXT_OR_NULL),
        member("country_code", TEXT_OR_NULL),
        member("country_name", TEXT_OR_NULL),
        member("latitude", NUMBER_OR_NULL),
        member("longitude", NUMBER_OR_NULL),
        member("asn", ANY),
    ],
    open: false,
});

static HTTP: Shape = Shape::Object(&Object {
    name: "SummaryHttp",
    members: &[
        member("code", INTEGER_OR_NULL),
        member("title", TEXT_OR_NULL),
        member(
            "auth",
            &Shape::Object(&Object {
                name: "SummaryAuth",
                members: &[
                    member("any", BOOLEAN_OR_NULL),
                    member("basic", BOOLEAN_OR_NULL),
                    member("ntlm", BOOLEAN_OR_NULL),
                    member("forms", BOOLEAN_OR_NULL),
                    member("2fa", BOOLEAN_OR_NULL),
                ],
                open: false,
            }),
        ),
        member(
            "content",
            &Shape::Object(&Object {
                name: "SummaryContent",
                members: &[
                    member("hash", TEXT_OR_NULL),
                    member("forms", BOOLEAN_OR_NULL),
                    member("favicon_hash", TEXT_OR_NULL),
                ],
                open: false,
            }),
        ),
    ],
    open: false,
});

static PORTS: Shape = Shape::Object(&Object {
    name: "SummaryPorts",
    members: &[member("count", INTEGER), member("tcp", INTEGERS), member("udp", INTEGERS)],
    open: false,
});

static NETWORK: Shape = Shape::Object(&Object {
    name: "SummaryNetwork",
    members: &[
        member("name", TEXT_OR_NULL),
        member("asn", INTEGER_OR_NULL),
        member("route", TEXT_OR_NULL),
        member("type", TEXT_OR_NULL),
    ],
    open: false,
});

static CPE: Shape = Shape::Object(&Object {
    name: "Cpe",
    members: &[member("cpe", TEXT), member("detection_method", TEXT_OR_NULL)],
    open: false,
});

static TECHNOLOGY: Shape = Shape::Object(&Object {
    name: "SummaryTechnology",
    members: &[
        member("cloud", BOOLEAN),
        member("cloud_providers", TEXTS),
        member("cpes", &Shape::List(&CPE)),
        member("technologies", TEXTS),
        member("technology_labels", TEXTS),
    ],
    open: false,
});

static VULNS: Shape = Shape::Object(&Object {
    name: "SummaryVulns",
    members: &[member("vulns", TEXTS), member("current_count", INTEGER)],
    open: false,
});

/// The summary, common to all kinds.
pub static SUMMARY: Shape = Shape::Object(&Object {
    name: "Summary",
    members: &[
        member("scoped", BOOLEAN),
        member("issues", &ISSUE_COUNTS),
        member("task_results", TEXTS),
        member("screenshot_exists", BOOLEAN),
        member("geolocation", &GEOLOCATION),
        member("http", &HTTP),
        member("ports", &PORTS),
        member("resolutions", TEXTS),
        member("network", &NETWORK),
        member("technology", &TECHNOLOGY),
        member("vulns", &VULNS),
    ],
    open: false,
});

/// A hit of a search over entities.
pub static ENTITY_HIT: Shape = Shape::Object(&Object {
    name: "EntityHit",
    members: &[
        member("id", UID),
        member("dynamic_id", TEXT),
        member("alias_group", TEXT_OR_NULL),
        member("aliases", TEXTS_OR_NULL),
        member("hidden", BOOLEAN),
        member("name", TEXT),
        member("type", TEXT),
        member("seed", BOOLEAN_OR_NULL),
        member("first_seen", MOMENT),
        member("last_seen", MOMENT),
        member("collection", TEXT),
        member("collection_type", TEXT),
        member("collection_uuid", UUID),
        member("collection_naics", TEXTS_OR_NULL),
        member("organization_uuid", UUID_OR_NULL),
        member("tags", TEXTS),
        member("issues", ANYTHINGS),
        member("exfil_lookup_identifier", TEXT_OR_NULL),
        member("summary", &SUMMARY),
    ],
    open: false,
});

static ANCESTOR: Shape = Shape::Object(&Object {
    name: "Ancestor",
    members: &[member("name", TEXT), member("type", TEXT)],
    open: false,
});

static TASK_RESULT: Shape = Shape::Object(&Object {
    name: "TaskResult",
    members: &[
        member("name", TEXT),
        member("task", TEXT),
        member("depth", INTEGER),
        member("entity_name", TEXT),
        member("entity_type", TEXT),
    ],
    open: false,
});

static DETAILS: Shape = Shape::Object(&Object {
    name: "Details",
    members: &[],
    open: true,
});

/// The detail of an entity.
pub static ENTITY_DETAIL: Shape = Shape::Object(&Object {
    name: "EntityDetail",
    members: &[
        member("uuid", UUID),
        member("dynamic_id", TEXT),
        member("collection_name", TEXT),
        member("alias_group", TEXT_OR_NULL),
        member("aliases", TEXTS_OR_NULL),
        member("allow_list", BOOLEAN),
        member("ancestors", &Shape::List(&ANCESTOR)),
        member("category", TEXT_OR_NULL),
        member("collection_naics", TEXTS_OR_NULL),
        member("confidence", TEXT_OR_NULL),
        member("deleted", BOOLEAN),
        member("deny_list", BOOLEAN),
        member("details", &DETAILS),
        member("details_file", TEXT),
        member("description", TEXT_OR_NULL),
        member("first_seen", MOMENT),
        member("hidden", BOOLEAN),
        member("last_seen", MOMENT),
        member("name", TEXT),
        member("scoped", BOOLEAN),
        member("scoped_reason", TEXT),
        member("seed", BOOLEAN_OR_NULL),
        member("source", TEXT_OR_NULL),
        member("status", TEXT_OR_NULL),
        member("task_results", &Shape::List(&TASK_RESULT)),
        member("type", TEXT),
        member("uid", UID),
        member("created_at", MOMENT),
        member("updated_at", MOMENT),
        member("collection_id", INTEGER),
        member("search_index_mappings_hash", NULL),
        member("collection", TEXT),
        member("collection_uuid", UUID),
        member("organization_uuid", UUID_OR_NULL),
        member("collection_type", TEXT),
        member("fingerprint", ANYTHINGS),
        member("summary", &SUMMARY),
        member("tags", TEXTS),
    ],
    open: false,
});

/// What the raw detail has beyond [`ENTITY_DETAIL`]; its other members are the same.
pub static RAW_ENTITY: Shape = Shape::Object(&Object {
    name: "RawEntity",
    members: &[
        member("id", INTEGER),
        member("uid", UID),
        member("uuid", UUID),
        member("name", TEXT),
        member("type", TEXT),
        member("scoped_at", TEXT),
        member("detail_string", TEXT),
        member("enrichment_tasks", TEXTS),
        member("generated_at", MOMENT),
        member("aliases", TEXTS),
        member("alias_group", TEXT),
        member("task_results", &Shape::List(&TASK_RESULT)),
        member(
            "details",
            &Shape::Object(&Object {
                name: "RawDetails",
                members: &[member("hidden_original", TEXT), member("extended_path_to_seed", &Shape::List(&PATH_STEP))],
                open: true,
            }),
        ),
    ],
    open: true,
});

/// The record of a point in time.
pub static ENTITY_AT: Shape = Shape::Object(&Object {
    name: "EntityAtPoint",
    members: &[
        member("uid", UID),
        member("name", TEXT),
        member("seed", BOOLEAN_OR_NULL),
        member("tags", TEXTS),
        member("type", TEXT),
        member("uuid", UUID),
        member("hidden", BOOLEAN),
        member("scoped", BOOLEAN),
        member("source", TEXT_OR_NULL),
        member("status", TEXT_OR_NULL),
        member("aliases", TEXTS_OR_NULL),
        member("deleted", BOOLEAN),
        member("details", &DETAILS),
        member("summary", &SUMMARY),
        member("category", TEXT_OR_NULL),
        member("ancestors", &Shape::List(&ANCESTOR)),
        member("deny_list", BOOLEAN),
        member("last_seen", MOMENT),
        member("allow_list", BOOLEAN),
        member("collection", TEXT),
        member("confidence", TEXT_OR_NULL),
        member("created_at", MOMENT),
        member("dynamic_id", TEXT),
        member("first_seen", MOMENT),
        member("updated_at", MOMENT),
        member("alias_group", TEXT_OR_NULL),
        member("description", TEXT_OR_NULL),
        member("fingerprint", ANYTHINGS),
        member("details_file", TEXT),
        member("task_results", &Shape::List(&TASK_RESULT)),
        member("collection_id", INTEGER),
        member("collection_uuid", UUID),
        member("collection_type", TEXT),
        member("organization_uuid", UUID_OR_NULL),
    ],
    open: false,
});

static PATH_STEP: Shape = Shape::Object(&Object {
    name: "PathStep",
    members: &[
        member("type", TEXT),
        member("name", TEXT),
        member("edge", TEXT),
        member("task", TEXT),
        member("ownership", &Shape::Number),
        member("clearance", TEXT),
    ],
    open: false,
});

/// Why an entity is in scope or not.
pub static SCOPE_EXPLANATION: Shape = Shape::Object(&Object {
    name: "ScopeExplanation",
    members: &[
        member("uid", UID),
        member("name", TEXT),
        member("type", TEXT),
        member("scoped", BOOLEAN),
        member("scoped_reason", TEXT),
        member("ownership", &Shape::Number),
        member("clearance", TEXT),
        member("allow_list", BOOLEAN),
        member("deny_list", BOOLEAN),
        member("path", &Shape::List(&PATH_STEP)),
    ],
    open: false,
});

#[cfg(test)]
mod tests;
