//! Each form of an entity has every member of the contract, with its type.

use super::*;
use ambit_model::entity::{FoldInput, IssueCounts, fold};
use ambit_model::observation::Observation;
use ambit_model::scope::Decision;
use ambit_model::{Clearance, EdgeKind, Uid};
use uuid::Uuid;

fn record() -> EntityRecord {
    let details = json!({
        "code": "200", "title": "Welcome", "port": 443, "protocol": "tcp", "auth.2fa": false, "net_name": "EXAMPLE-NET",
        "extended_configuration": {"a": 1}, "hidden_note": "x", "encoded_body": "y", "exfil_lookup_identifier": "abc",
        "fingerprint": [{"cpe": "cpe:2.3:a:nginx:nginx::", "product": "nginx", "method": "ident", "tags": ["Web Server"]}],
    });
    fold(FoldInput {
        uid: Uid::of_entity(Uuid::nil(), Kind::Uri, "https://www.acme.test:443"),
        collection: Uuid::nil(),
        kind: Kind::Uri,
        name: "https://www.acme.test:443".to_owned(),
        seed: false,
        hidden: false,
        allow_list: false,
        deny_list: false,
        present: true,
        tags: vec!["t".to_owned()],
        decision: Decision {
            ownership: 990,
            clearance: Clearance::L3,
            reason: "path".to_owned(),
            path: vec![PathStep {
                from_kind: Kind::Domain,
                from_name: "acme.test".to_owned(),
                edge: EdgeKind::Subdomain,
                task: "resolve".to_owned(),
                own: 990,
                cap: Clearance::L4,
                ground: None,
            }],
        },
        observations: vec![Observation {
            task: "http_probe".to_owned(),
            argument: String::new(),
            details: details.as_object().cloned().unwrap_or_default(),
            evidence: Vec::new(),
        }],
        issues: IssueCounts::default(),
    })
}

const SEEN: Sighting = Sighting {
    id: 42,
    first_seen: Timestamp(1_000),
    last_seen: Timestamp(3_000),
    since: Timestamp(2_000),
};

const COLLECTION: CollectionRef<'_> = CollectionRef {
    id: 3,
    uuid: Uuid::nil(),
    name: "outside_a1b2c3d",
    organization_uuid: Some(Uuid::nil()),
};

const MOMENTS: Moments = Moments {
    scoped_at: Timestamp(1_500),
    generated_at: Timestamp(9_000),
};

const NOTHING: Vec<String> = Vec::new();

#[test]
fn a_hit_has_every_member() {
    let hit = entity_hit(&record(), SEEN, COLLECTION);
    assert_eq!(ENTITY_HIT.differences(&hit), NOTHING);
    assert_eq!(hit["dynamic_id"], "Platform::Entity::Uri#https://www.acme.test:443");
    assert_eq!(hit["exfil_lookup_identifier"], "abc");
    assert_eq!(hit["summary"]["http"]["code"], 200);
}

#[test]
fn the_detail_has_every_member_and_keeps_back_what_only_raw_shows() {
    let detail = entity_detail(&record(), SEEN, COLLECTION);
    assert_eq!(ENTITY_DETAIL.differences(&detail), NOTHING);
    assert_eq!(detail["details"]["auth.2fa"], false);
    for hidden in ["extended_configuration", "hidden_note", "encoded_body"] {
        assert_eq!(detail["details"].get(hidden), None, "{hidden}");
    }
    assert_eq!(detail["ancestors"], json!([{"name": "acme.test", "type": "Platform::Entity::Domain"}]));
    assert_eq!(detail["task_results"][0]["entity_type"], "Platform::Entity::Uri");
    assert_eq!(
        (&detail["created_at"], &detail["updated_at"]),
        (&json!("1970-01-01T00:00:01.000Z"), &json!("1970-01-01T00:00:02.000Z"))
    );
}

#[test]
fn the_raw_form_shows_all_details_and_the_way_from_the_seed() {
    let raw = raw_entity(&record(), SEEN, COLLECTION, MOMENTS);
    assert_eq!(RAW_ENTITY.differences(&raw), NOTHING);
    let listed = entity_detail(&record(), SEEN, COLLECTION);
    for name in listed.as_object().into_iter().flatten().map(|(name, _)| name) {
        assert!(raw.get(name).is_some(), "{name}");
    }
    assert_eq!(raw["details"]["hidden_note"], "x");
    assert_eq!(raw["details"]["extended_path_to_seed"][0]["edge"], "subdomain");
    assert_eq!(raw["details"]["extended_path_to_seed"][0]["ownership"], 0.99);
    assert_eq!((&raw["task_results"], &raw["alias_group"]), (&json!([]), &json!("42")));
    assert_eq!(raw["detail_string"], "HTTP 200 Welcome · ports 443 · network EXAMPLE-NET · nginx");
}

#[test]
fn the_record_of_a_point_in_time_has_every_member() {
    assert_eq!(ENTITY_AT.differences(&entity_at(&record(), SEEN, COLLECTION)), NOTHING);
    let gone = EntityRecord { present: false, ..record() };
    assert_eq!(entity_at(&gone, SEEN, COLLECTION)["deleted"], true);
}

#[test]
fn scope_is_explained_edge_by_edge() {
    let value = scope_explanation(&record());
    assert_eq!(SCOPE_EXPLANATION.differences(&value), NOTHING);
    assert_eq!((&value["ownership"], &value["clearance"]), (&json!(0.99), &json!("L3")));
}
