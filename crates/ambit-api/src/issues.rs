//! Issues on the wire (docs/contract/asm.md §5): the search hit and the detail, with the members that clients read beyond the description.

use crate::shape::{
    ANY, BOOLEAN, BOOLEAN_OR_NULL, INTEGER, MOMENT, NULL, NUMBER_OR_NULL, Object, Shape, TEXT, TEXT_OR_NULL, TEXTS, UID, UUID, UUID_OR_NULL, member,
};
use crate::{COLLECTION_TYPE, CollectionRef, Sighting};
use ambit_model::issue::IssueRecord;
use serde_json::{Value, json};

/// A hit of a search.
pub fn issue_hit(record: &IssueRecord, seen: Sighting, collection: CollectionRef<'_>) -> Value {
    json!({
        "id": record.uid,
        "uid": record.uid,
        "uuid": record.uid.uuid(),
        "alias_group": alias_group(record),
        "dynamic_id": seen.id,
        "name": record.name,
        "pretty_name": record.pretty_name,
        "description": record.description,
        "first_seen": seen.first_seen,
        "last_seen": seen.last_seen,
        "collection": collection.name,
        "collection_type": COLLECTION_TYPE,
        "collection_uuid": collection.uuid,
        "organization_uuid": collection.organization_uuid,
        "entity_type": record.entity_kind.type_name(),
        "entity_name": record.entity_name,
        "entity_uid": record.entity_uid,
        "upstream": record.upstream,
        "tags": record.tags,
        "summary": summary(record),
        "cisa_known_exploited": null,
        "epss_v2_score_lte": null,
        "epss_v2_percentile_gte": null,
    })
}

/// The detail of an issue; `entity_id` is the integer id of its entity.
pub fn issue_detail(record: &IssueRecord, seen: Sighting, entity_id: i64, collection: CollectionRef<'_>) -> Value {
    json!({
        "uuid": record.uid.uuid(),
        "dynamic_id": seen.id,
        "entity_uid": record.entity_uid,
        "alias_group": alias_group(record),
        "category": record.category,
        "confidence": record.confidence.name(),
        "description": record.description,
        "details": details(record),
        "first_seen": seen.first_seen,
        "identifiers": record.identifiers,
        "last_seen": seen.last_seen,
        "name": record.name,
        "pretty_name": record.pretty_name,
        "scoped": record.scoped,
        "severity": record.severity,
        "source": record.upstream,
        "status": record.status.name(),
        "ticket_list": record.ticket_list,
        "type": "standard",
        "uid": record.uid,
        "upstream": record.upstream,
        "created_at": seen.first_seen,
        "updated_at": seen.since,
        "entity_id": entity_id,
        "collection_id": collection.id,
        "search_index_mappings_hash": null,
        "elasticsearch_mappings_hash": null,
        "cisa_known_exploited": null,
        "epss_v2_score_lte": null,
        "epss_v2_percentile_gte": null,
        "collection": collection.name,
        "collection_type": COLLECTION_TYPE,
        "collection_uuid": collection.uuid,
        "organization_uuid": collection.organization_uuid,
        "entity_name": record.entity_name,
        "entity_type": record.entity_kind.type_name(),
        "summary": summary(record),
        "tags": record.tags,
    })
}

/// Issues of one entity belong together.
fn alias_group(record: &IssueRecord) -> String {
    record.entity_uid.integer().to_string()
}

fn summary(record: &IssueRecord) -> Value {
    json!({
        "pretty_name": record.pretty_name,
        "severity": record.severity,
        "scoped": record.scoped,
        "confidence": record.confidence.name(),
        "status": record.status.name(),
        "category": record.category,
        "identifiers": record.identifiers,
        "status_new": record.status.coarse(),
        "status_new_detailed": record.status.detailed(),
        "ticket_list": record.ticket_list,
    })
}

/// What is stored, completed from the record: clients read members of it without asking whether it is an object.
fn details(record: &IssueRecord) -> Value {
    let mut details = record.details.as_object().cloned().unwrap_or_default();
    let proof = json!({"details": {}, "description": record.description});
    for (name, value) in [
        ("name", json!(record.name)),
        ("added", Value::Null),
        ("proof", proof),
        ("source", json!(record.upstream)),
        ("status", json!(record.confidence.name())),
        ("category", json!(record.category)),
        ("severity", json!(record.severity.to_string())),
        ("references", json!([])),
        ("description", json!(record.description)),
        ("pretty_name", json!(record.pretty_name)),
        ("remediation", Value::Null),
    ] {
        details.entry(name).or_insert(value);
    }
    Value::Object(details)
}

static IDENTIFIER: Shape = Shape::Object(&Object {
    name: "Identifier",
    members: &[member("name", TEXT), member("type", TEXT)],
    open: false,
});

const IDENTIFIERS: &Shape = &Shape::OrNull(&Shape::List(&IDENTIFIER));
const TICKETS: &Shape = &Shape::OrNull(&Shape::List(ANY));
const CONFIDENCE: &Shape = &Shape::OneOf(&["potential", "confirmed"]);

/// The 13 statuses; a test compares them with the model's.
pub const STATUS: &Shape = &Shape::OneOf(&[
    "open_new",
    "open_triaged",
    "open_in_progress",
    "closed",
    "closed_mitigated",
    "closed_resolved",
    "closed_duplicate",
    "closed_out_of_scope",
    "closed_benign",
    "closed_risk_accepted",
    "closed_false_positive",
    "closed_no_repro",
    "closed_tracked_externally",
]);

static SUMMARY: Shape = Shape::Object(&Object {
    name: "IssueSummary",
    members: &[
        member("pretty_name", TEXT),
        member("severity", INTEGER),
        member("scoped", BOOLEAN),
        member("confidence", CONFIDENCE),
        member("status", STATUS),
        member("category", TEXT),
        member("identifiers", IDENTIFIERS),
        member("status_new", &Shape::OneOf(&["open", "closed"])),
        member("status_new_detailed", TEXT),
        member("ticket_list", TICKETS),
    ],
    open: false,
});

/// A hit of a search over issues.
pub static ISSUE_HIT: Shape = Shape::Object(&Object {
    name: "IssueHit",
    members: &[
        member("id", UID),
        member("uid", UID),
        member("uuid", UUID),
        member("alias_group", TEXT),
        member("dynamic_id", INTEGER),
        member("name", TEXT),
        member("pretty_name", TEXT),
        member("description", TEXT),
        member("first_seen", MOMENT),
        member("last_seen", MOMENT),
        member("collection", TEXT),
        member("collection_type", TEXT),
        member("collection_uuid", UUID),
        member("organization_uuid", UUID_OR_NULL),
        member("entity_type", TEXT),
        member("entity_name", TEXT),
        member("entity_uid", UID),
        member("upstream", TEXT),
        member("tags", TEXTS),
        member("summary", &SUMMARY),
        member("cisa_known_exploited", BOOLEAN_OR_NULL),
        member("epss_v2_score_lte", NUMBER_OR_NULL),
        member("epss_v2_percentile_gte", NUMBER_OR_NULL),
    ],
    open: false,
});

static REFERENCE: Shape = Shape::Object(&Object {
    name: "Reference",
    members: &[member("uri", TEXT), member("type", TEXT)],
    open: true,
});

static DETAILS: Shape = Shape::Object(&Object {
    name: "IssueDetails",
    members: &[
        member("name", TEXT),
        member("added", &Shape::OrNull(&Shape::Day)),
        member(
            "proof",
            &Shape::Object(&Object {
                name: "Proof",
                members: &[member("details", ANY), member("description", TEXT)],
                open: true,
            }),
        ),
        member("source", TEXT),
        member("category", TEXT),
        member("severity", TEXT),
        member("references", &Shape::List(&REFERENCE)),
        member("description", TEXT),
        member("pretty_name", TEXT),
        member("remediation", TEXT_OR_NULL),
    ],
    open: true,
});

/// The detail of an issue.
pub static ISSUE_DETAIL: Shape = Shape::Object(&Object {
    name: "IssueDetail",
    members: &[
        member("uuid", UUID),
        member("dynamic_id", INTEGER),
        member("entity_uid", UID),
        member("alias_group", TEXT),
        member("category", TEXT),
        member("confidence", CONFIDENCE),
        member("description", TEXT),
        member("details", &DETAILS),
        member("first_seen", MOMENT),
        member("identifiers", IDENTIFIERS),
        member("last_seen", MOMENT),
        member("name", TEXT),
        member("pretty_name", TEXT),
        member("scoped", BOOLEAN),
        member("severity", INTEGER),
        member("source", TEXT),
        member("status", STATUS),
        member("ticket_list", TICKETS),
        member("type", &Shape::OneOf(&["standard"])),
        member("uid", UID),
        member("upstream", TEXT),
        member("created_at", MOMENT),
        member("updated_at", MOMENT),
        member("entity_id", INTEGER),
        member("collection_id", INTEGER),
        member("search_index_mappings_hash", NULL),
        member("elasticsearch_mappings_hash", NULL),
        member("cisa_known_exploited", BOOLEAN_OR_NULL),
        member("epss_v2_score_lte", NUMBER_OR_NULL),
        member("epss_v2_percentile_gte", NUMBER_OR_NULL),
        member("collection", TEXT),
        member("collection_type", TEXT),
        member("collection_uuid", UUID),
        member("organization_uuid", UUID_OR_NULL),
        member("entity_name", TEXT),
        member("entity_type", TEXT),
        member("summary", &SUMMARY),
        member("tags", TEXTS),
    ],
    open: false,
});

/// The body that reports a status.
pub static NEW_STATUS: Shape = Shape::Object(&Object {
    name: "NewStatus",
    members: &[member("status", STATUS)],
    open: true,
});

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_model::issue::{Confidence, Identifier, Status};
    use ambit_model::{Kind, Timestamp, Uid};
    use uuid::Uuid;

    fn record(details: Value) -> IssueRecord {
        let entity = Uid::of_entity(Uuid::nil(), Kind::Domain, "acme.test");
        IssueRecord {
            uid: Uid::of_issue(Uuid::nil(), "dns_caa_missing", "ambit", "", entity),
            collection: Uuid::nil(),
            name: "dns_caa_missing".to_owned(),
            pretty_name: "No CAA record".to_owned(),
            upstream: "ambit".to_owned(),
            discriminator: String::new(),
            entity_uid: entity,
            entity_kind: Kind::Domain,
            entity_name: "acme.test".to_owned(),
            severity: 5,
            confidence: Confidence::Confirmed,
            category: "misconfiguration".to_owned(),
            status: Status::Closed,
            scoped: true,
            description: "Any authority may issue certificates for this domain.".to_owned(),
            identifiers: Some(vec![Identifier {
                kind: "CVE".to_owned(),
                name: "CVE-2019-10081".to_owned(),
            }]),
            details,
            tags: vec![],
            ticket_list: None,
        }
    }

    const SEEN: Sighting = Sighting {
        id: 9,
        first_seen: Timestamp(1_000),
        last_seen: Timestamp(3_000),
        since: Timestamp(2_000),
    };

    const COLLECTION: CollectionRef<'_> = CollectionRef {
        id: 3,
        uuid: Uuid::nil(),
        name: "outside_a1b2c3d",
        organization_uuid: None,
    };

    #[test]
    fn a_hit_has_every_member() {
        let hit = issue_hit(&record(Value::Null), SEEN, COLLECTION);
        assert_eq!(ISSUE_HIT.differences(&hit), Vec::<String>::new());
        assert_eq!(hit["id"], hit["uid"]);
        assert_eq!(
            (&hit["summary"]["status_new"], &hit["summary"]["status_new_detailed"]),
            (&json!("closed"), &json!("closed"))
        );
    }

    #[test]
    fn the_detail_has_every_member_even_where_little_is_stored() {
        for stored in [Value::Null, json!({}), json!({"added": "2026-01-31", "remediation": "Add a CAA record."})] {
            let detail = issue_detail(&record(stored), SEEN, 42, COLLECTION);
            assert_eq!(ISSUE_DETAIL.differences(&detail), Vec::<String>::new());
            assert_eq!(detail["details"]["severity"], "5");
        }
    }

    #[test]
    fn the_statuses_are_those_of_the_model() {
        let names: Vec<&str> = Status::ALL.iter().map(|status| status.name()).collect();
        assert_eq!(STATUS, &Shape::OneOf(names.leak()));
    }
}
