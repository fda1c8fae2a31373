//! The members of each form of an entity, with their types (docs/contract/asm.md §4).

use crate::shape::{
    ANY, ANYTHINGS, BOOLEAN, BOOLEAN_OR_NULL, COUNTS, INTEGER, INTEGER_OR_NULL, INTEGERS, MOMENT, NULL, NUMBER_OR_NULL, Object, Shape, TEXT,
    TEXT_OR_NULL, TEXTS, TEXTS_OR_NULL, UID, UUID, UUID_OR_NULL, member, optional,
};

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

static HIT_ISSUE: Shape = Shape::Object(&Object {
    name: "EntityHitIssue",
    members: &[
        member("uid", UID),
        member("name", TEXT),
        member("pretty_name", TEXT),
        member("severity", INTEGER),
        member("confidence", TEXT),
        member("category", TEXT),
        member("status", TEXT),
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
        member("issues", &Shape::List(&HIT_ISSUE)),
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
        member("elasticsearch_mappings_hash", NULL),
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
        member("ground", &Shape::OrNull(&GROUND)),
    ],
    open: false,
});

static GROUND: Shape = Shape::Object(&Object {
    name: "Ground",
    members: &[member("kind", TEXT), member("name", TEXT), member("text", TEXT)],
    open: false,
});

/// The body that marks an entity: what is left out stays.
pub static ENTITY_MARKS: Shape = Shape::Object(&Object {
    name: "EntityMarks",
    members: &[
        optional("allow_list", BOOLEAN),
        optional("deny_list", BOOLEAN),
        optional("hidden", BOOLEAN),
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
