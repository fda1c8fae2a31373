//! What recorded answers of the service hold: members with the types that were seen, as facts, compared with the shapes
//! that we document and send. Where the two differ, the difference stands in a list with its reason.

use crate::Contract;
use crate::collections::Collection;
use crate::entities::{EntityDetail, EntityHit};
use crate::issues::{IssueDetail, IssueHit};
use crate::notes::Note;
use crate::projects::Project;
use crate::search::{Issues, SearchResult};
use crate::seeds::Seed;
use crate::shape::{Object, Shape};

/// Each table with the shape of ours that it is compared with.
fn tables() -> [(&'static str, &'static str, &'static Shape); 9] {
    [
        ("project", PROJECTS, Project::SHAPE),
        ("collection", COLLECTIONS, Collection::SHAPE),
        ("note", NOTES, Note::SHAPE),
        ("seed", SEEDS, Seed::SHAPE),
        ("entity hit", ENTITY_HITS, EntityHit::SHAPE),
        ("entity detail", ENTITY_DETAIL, EntityDetail::SHAPE),
        ("issue hit", ISSUE_HITS, IssueHit::SHAPE),
        ("issue detail", ISSUE_DETAIL, IssueDetail::SHAPE),
        ("issue search", ISSUE_SEARCH, SearchResult::<Issues>::SHAPE),
    ]
}

/// Where ours differs from what was recorded, and why; docs/api.md says the same to people.
const DIFFERENCES: &[(&str, &str)] = &[
    (
        "collection config: null",
        "clients hide collections whose config lacks custom_last_refreshes_count: ours always has it",
    ),
    ("entity hit summary/ports/tcp: null", "the description has arrays: none is an empty one"),
    ("entity hit summary/ports/udp: null", "the same"),
    ("entity hit summary/ports/tcp/*: text", "the description has integers, and newer recorded answers, too"),
    ("issue hit summary/status: null", "an issue of ours always has a status"),
    ("issue hit summary/status_new_detailed: null", "the same"),
    ("issue detail details/proof: text", "the description has an object with details and description"),
    ("issue detail details/severity: integer", "the description has a text"),
    ("issue detail identifiers: text", "a place-holder of the sample: elsewhere null or a list"),
    (
        "issue detail elasticsearch_mappings_hash: text",
        "we have no such hash; the description has null under the other name",
    ),
    ("issue detail summary/identifiers: text", "a place-holder of the sample: elsewhere null or a list"),
];

/// What the shape has at a path: members by name, `*` for the items of a list. An open object takes any member.
enum At {
    Shape(&'static Shape),
    Open,
    Missing,
}

fn at(shape: &'static Shape, path: &str) -> At {
    let (first, rest) = path.split_once('/').map_or((path, ""), |(first, rest)| (first, rest));
    match shape {
        _ if path.is_empty() => At::Shape(shape),
        Shape::OrNull(inner) => at(inner, path),
        Shape::Any => At::Open,
        Shape::List(item) if first == "*" => at(item, rest),
        Shape::Map(item) => at(item, rest),
        Shape::Object(Object { members, open, .. }) => match members.iter().find(|member| member.name == first) {
            Some(member) => at(member.shape, rest),
            None if *open => At::Open,
            None => At::Missing,
        },
        _ => At::Missing,
    }
}

fn takes(shape: &Shape, kind: &str) -> bool {
    match shape {
        Shape::Any => true,
        Shape::Null => kind == "null",
        Shape::OrNull(inner) => kind == "null" || takes(inner, kind),
        Shape::Boolean => kind == "boolean",
        Shape::Integer | Shape::Count => kind == "integer",
        Shape::Number => kind == "integer" || kind == "number",
        Shape::List(_) => kind == "list",
        Shape::Map(_) | Shape::Object(_) => kind == "object",
        Shape::Text
        | Shape::Uuid
        | Shape::Uid
        | Shape::Moment
        | Shape::Day
        | Shape::When
        | Shape::Name
        | Shape::Email
        | Shape::OneOf(_) => kind == "text",
    }
}

#[test]
fn recorded_members_are_ours_with_their_types() {
    let mut found = Vec::new();
    for (name, table, shape) in tables() {
        for line in table.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let (path, kinds) = line.rsplit_once(' ').unwrap();
            match at(shape, path) {
                At::Open => {}
                At::Missing => found.push(format!("{name} {path}: missing")),
                At::Shape(ours) => {
                    let others = kinds.split('|').filter(|kind| !takes(ours, kind));
                    found.extend(others.map(|kind| format!("{name} {path}: {kind}")));
                }
            }
        }
    }
    let known: Vec<&str> = DIFFERENCES.iter().map(|(difference, _)| *difference).collect();
    assert_eq!(found, known);
    assert!(DIFFERENCES.iter().all(|(_, reason)| !reason.is_empty()));
}

/// Members of recorded projects.
const PROJECTS: &str = "
    id integer
    created_at text
    uuid text
    icon text
    role text
    name text
    owner_email text
    description null
    expired_at null
    organization_name text
    organization_uuid text
    plan_expires_at text
    plan_status text
    deleted_at null
    deleted boolean
    primary boolean
";

/// Members of recorded collections.
const COLLECTIONS: &str = "
    id integer
    uuid text
    type text
    name text
    following null
    auto_refresh_schedule text
    workflow_name null
    printable_name text
    tags list
    last_updated text
    created_at text
    deleted boolean
    deleted_at null
    deleted_by null
    local_icon_path text
    entity_count integer
    new_entity_count integer
    total_entity_count integer
    issues_by_severity object
    issues_by_severity/4 integer
    issues_by_severity/5 integer
    notify_emails_new_entities null
    notify_webhooks_new_entities null
    pointer_collection_id null
    pointer_collection_uuid null
    config null
    refreshing boolean
    project_id integer
    project_uuid text
    project_name text
    owner_id integer
    owner_uuid text
    owner_type text
    owner_name text
    role text
";

/// Members of recorded notes.
const NOTES: &str = "
    created_at text
    collection text
    created_by text
    created_by_user object
    created_by_user/printable_name text
    uid text
    item_type text
    updated_at text
    item_name text
    note text
    note_type text
    organization_uuid text
    item_uid text
    id text
    entity_uid text
";

/// Members of recorded seeds.
const SEEDS: &str = "
    claimed boolean
    created_at text
    details null
    id integer
    last_modified null
    name text
    seed boolean
    type text
    updated_at text
";

/// Members of recorded entity hits.
const ENTITY_HITS: &str = "
    id text
    dynamic_id text
    alias_group text
    name text
    type text
    first_seen text
    last_seen text
    collection text
    collection_type text
    collection_naics list
    collection_naics/* text
    collection_uuid text
    organization_uuid null
    tags list
    issues list
    exfil_lookup_identifier null
    summary object
    summary/scoped boolean
    summary/issues object
    summary/issues/current_by_severity object
    summary/issues/current_with_cve integer
    summary/issues/all_time_by_severity object
    summary/issues/current_count integer
    summary/issues/all_time_count integer
    summary/issues/critical_or_high boolean
    summary/task_results list
    summary/task_results/* text
    summary/screenshot_exists boolean
    summary/http object
    summary/http/code integer
    summary/http/title null|text
    summary/http/content object
    summary/http/content/favicon_hash null
    summary/http/content/hash null
    summary/http/content/forms boolean|null
    summary/http/auth object
    summary/http/auth/any boolean|null
    summary/http/auth/basic boolean|null
    summary/http/auth/ntlm boolean|null
    summary/http/auth/forms boolean|null
    summary/http/auth/2fa boolean|null
    summary/ports object
    summary/ports/count integer
    summary/ports/tcp list|null
    summary/ports/udp null
    summary/technology object
    summary/technology/cloud boolean
    summary/technology/cloud_providers list
    summary/network object
    summary/network/name null|text
    summary/network/asn null
    summary/network/route null
    summary/network/type null
    summary/geolocation object
    summary/geolocation/city null
    summary/geolocation/country_code text
    summary/geolocation/country_name null
    summary/geolocation/latitude null
    summary/geolocation/asn null
    summary/ports/tcp/* text
    summary/technology/cloud_providers/* text
    summary/vulns object
    summary/vulns/current_count integer
    summary/vulns/vulns list
";

/// Members of recorded entity detail.
const ENTITY_DETAIL: &str = "
    uuid text
    dynamic_id text
    collection_name text
    alias_group text
    aliases null
    allow_list boolean
    ancestors list
    ancestors/* object
    ancestors/*/name text
    ancestors/*/type text
    category null
    collection_naics null
    confidence null
    deleted boolean
    deny_list boolean
    details object
    details_file text
    description null
    first_seen text
    hidden boolean
    last_seen text
    name text
    scoped boolean
    scoped_reason text
    seed null
    source null
    status null
    task_results list
    task_results/* object
    task_results/*/name text
    task_results/*/task text
    task_results/*/depth integer
    task_results/*/entity_name text
    task_results/*/entity_type text
    type text
    uid text
    created_at text
    updated_at text
    collection_id integer
    elasticsearch_mappings_hash null
    collection text
    collection_uuid text
    organization_uuid text
    collection_type text
    fingerprint list
    summary object
    summary/scoped boolean
    summary/issues object
    summary/issues/current_with_cve integer
    summary/issues/current_by_severity object
    summary/issues/current_by_severity/1 integer
    summary/issues/all_time_by_severity object
    summary/issues/all_time_by_severity/1 integer
    summary/issues/current_count integer
    summary/issues/all_time_count integer
    summary/issues/critical_or_high boolean
    summary/task_results list
    summary/task_results/* text
    summary/screenshot_exists boolean
    summary/geolocation object
    summary/geolocation/city text
    summary/geolocation/country_code text
    summary/geolocation/country_name null
    summary/geolocation/latitude number
    summary/geolocation/longitude number
    summary/geolocation/asn null
    summary/http object
    summary/http/code integer
    summary/http/title text
    summary/http/content object
    summary/http/content/favicon_hash null
    summary/http/content/hash null
    summary/http/content/forms boolean
    summary/http/auth object
    summary/http/auth/any boolean
    summary/http/auth/basic boolean
    summary/http/auth/ntlm boolean
    summary/http/auth/forms boolean
    summary/http/auth/2fa boolean
    summary/ports object
    summary/ports/tcp list
    summary/ports/tcp/* integer
    summary/ports/udp list
    summary/ports/count integer
    summary/network object
    summary/network/name text
    summary/network/asn integer
    summary/network/route null
    summary/network/type null
    summary/technology object
    summary/technology/cloud boolean
    summary/technology/cloud_providers list
    summary/technology/cloud_providers/* text
    summary/technology/cpes list
    summary/technology/technologies list
    summary/technology/technology_labels list
    summary/vulns object
    summary/vulns/current_count integer
    summary/vulns/vulns list
    tags list
";

/// Members of recorded issue hits.
const ISSUE_HITS: &str = "
    id text
    uuid text
    dynamic_id integer
    name text
    upstream text
    last_seen text
    first_seen text
    entity_uid text
    entity_type text
    entity_name text
    alias_group text
    collection text
    collection_uuid text
    collection_type text
    organization_uuid null|text
    summary object
    summary/pretty_name text
    summary/severity integer
    summary/scoped boolean
    summary/confidence text
    summary/status null|text
    summary/category text
    summary/identifiers list|null
    summary/status_new text
    summary/status_new_detailed null|text
    summary/ticket_list list|null
    tags list
    summary/identifiers/* object
    summary/identifiers/*/name text
    summary/identifiers/*/type text
    uid text
    description text
    pretty_name text
    cisa_known_exploited null
    epss_v2_score_lte null
    epss_v2_percentile_gte null
";

/// Members of recorded issue detail.
const ISSUE_DETAIL: &str = "
    uuid text
    dynamic_id integer
    entity_uid text
    alias_group text
    category text
    confidence text
    description text
    details object
    details/name text
    details/task text
    details/added text
    details/proof text
    details/status text
    details/category text
    details/severity integer
    details/references list
    details/references/* object
    details/references/*/uri text
    details/references/*/type text
    details/description text
    details/pretty_name text
    details/remediation text
    first_seen text
    identifiers null|text
    last_seen text
    name text
    pretty_name text
    scoped boolean
    severity integer
    source text
    status text
    ticket_list list
    ticket_list/* text
    type text
    uid text
    upstream text
    created_at text
    updated_at text
    collection_id integer
    elasticsearch_mappings_hash text
    cisa_known_exploited boolean
    epss_v2_score_lte integer
    epss_v2_percentile_gte integer
    entity_id integer
    collection text
    collection_type text
    collection_uuid text
    organization_uuid null|text
    entity_name text
    entity_type text
    summary object
    summary/pretty_name text
    summary/severity integer
    summary/scoped boolean
    summary/confidence text
    summary/status text
    summary/category text
    summary/identifiers null|text
    summary/status_new text
    summary/status_new_detailed text
    summary/ticket_list list
    summary/ticket_list/* text
    tags list
    tags/* text
";

/// Members of recorded issue search.
const ISSUE_SEARCH: &str = "
    search object
    search/search_body object
    search/search_string text
    search/search_type text
    search/sort_direction text
    search/sort_field text
    search/group_by_field null
    total_hits integer
    timed_out boolean
    more boolean
    page integer
    page_size integer
    total_pages integer
    aggregations object
    aggregations/severity_bucket object
    aggregations/severity_bucket/doc_count_error_upper_bound integer
    aggregations/severity_bucket/sum_other_doc_count integer
    aggregations/severity_bucket/buckets list
    aggregations/severity_bucket/buckets/* object
    aggregations/severity_bucket/buckets/*/key text
    aggregations/severity_bucket/buckets/*/doc_count integer
    aggregations/confidence object
    aggregations/confidence/doc_count_error_upper_bound integer
    aggregations/confidence/sum_other_doc_count integer
    aggregations/confidence/buckets list
    aggregations/confidence/buckets/* object
    aggregations/confidence/buckets/*/key text
    aggregations/confidence/buckets/*/doc_count integer
    aggregations/status_new_bucket object
    aggregations/status_new_bucket/doc_count_error_upper_bound integer
    aggregations/status_new_bucket/sum_other_doc_count integer
    aggregations/status_new_bucket/buckets list
    aggregations/status_new_bucket/buckets/* object
    aggregations/status_new_bucket/buckets/*/key text
    aggregations/status_new_bucket/buckets/*/doc_count integer
    aggregations/status_detailed_bucket object
    aggregations/status_detailed_bucket/doc_count_error_upper_bound integer
    aggregations/status_detailed_bucket/sum_other_doc_count integer
    aggregations/status_detailed_bucket/buckets list
    next_page_token text
";
