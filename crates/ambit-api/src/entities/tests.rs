//! Each form of an entity has every member of the contract, with its type.

use super::*;
use ambit_model::entity::{FoldInput, IssueCounts, PathStep, fold};
use ambit_model::observation::Observation;
use ambit_model::scope::Decision;
use ambit_model::{Clearance, EdgeKind};

fn record() -> EntityRecord {
    let details = json!({
        "code": "200", "title": "Welcome", "port": 443, "protocol": "tcp", "auth.2fa": false, "net_name": "EXAMPLE-NET",
        "extended_configuration": {"a": 1}, "hidden_note": "x", "encoded_body": "y", "exfil_lookup_identifier": "abc",
        "fingerprint": [{"cpe": "cpe:2.3:a:nginx:nginx::", "product": "nginx", "method": "ident",
        "tags": ["Web Server"]}],
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
            reason: "path".into(),
            path: vec![PathStep {
                from_kind: Kind::Domain,
                from_name: "acme.test".to_owned(),
                edge: EdgeKind::Subdomain,
                task: "resolve".to_owned(),
                own: 990,
                cap: Clearance::L4,
                ground: None,
            }],
            evidence: Vec::new(),
        },
        observations: vec![Observation {
            task: "http_probe".to_owned(),
            argument: String::new(),
            details: details.as_object().cloned().unwrap_or_default(),
        }],
        vulnerabilities: Default::default(),
        issues: IssueCounts::default(),
    })
}

const SEEN: Sighting = Sighting {
    id: 42,
    first_seen: Timestamp(1_000),
    last_seen: Timestamp(3_000),
    since: Timestamp(2_000),
    due_at: None,
};

const COLLECTION: CollectionRef<'_> =
    CollectionRef { id: 3, uuid: Uuid::nil(), name: "outside_a1b2c3d", organization_uuid: Some(Uuid::nil()) };

const NOTHING: Vec<String> = Vec::new();

#[test]
fn a_hit_has_every_member() {
    let hit = json!(EntityHit::of(&record(), SEEN, COLLECTION));
    assert_eq!(EntityHit::SHAPE.differences(&hit), NOTHING);
    assert_eq!(hit["dynamic_id"], "Platform::Entity::Uri#https://www.acme.test:443");
    assert_eq!(hit["exfil_lookup_identifier"], "abc");
    assert_eq!(hit["summary"]["http"]["code"], 200);
}

#[test]
fn the_detail_has_every_member_and_keeps_back_what_only_raw_shows() {
    let detail = json!(EntityDetail::of(&record(), SEEN, COLLECTION));
    assert_eq!(EntityDetail::SHAPE.differences(&detail), NOTHING);
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
    let raw = json!(RawEntity::of(&record(), SEEN, COLLECTION, Timestamp(1_500), Timestamp(9_000)));
    assert_eq!(RawEntity::SHAPE.differences(&raw), NOTHING);
    assert_eq!(raw["details"]["hidden_note"], "x");
    assert_eq!(raw["details"]["extended_path_to_seed"][0]["edge"], "subdomain");
    assert_eq!(raw["details"]["extended_path_to_seed"][0]["ownership"], 0.99);
    assert_eq!((&raw["task_results"], &raw["alias_group"]), (&json!([]), &json!("42")));
    assert_eq!(raw["detail_string"], "HTTP 200 Welcome · ports 443 · network EXAMPLE-NET · nginx");
}

#[test]
fn the_record_of_a_point_in_time_says_that_it_was_gone() {
    let gone = EntityRecord { present: false, ..record() };
    assert!(EntityAtPoint::from(EntityDetail::of(&gone, SEEN, COLLECTION)).deleted);
}

#[test]
fn scope_is_explained_edge_by_edge() {
    let value = json!(ScopeExplanation::from(&record()));
    assert_eq!(ScopeExplanation::SHAPE.differences(&value), NOTHING);
    assert_eq!((&value["ownership"], &value["clearance"]), (&json!(0.99), &json!("L3")));
}

/// Clients take members of these without looking (docs/contract/asm.md §4.5).
#[test]
fn an_address_that_nobody_looked_at_has_its_name_its_version_and_a_place_of_nothing() {
    for (name, version) in [("192.0.2.7", 4), ("2001:db8::7", 6)] {
        let mut record = record();
        (record.kind, record.name) = (Kind::IpAddress, name.to_owned());
        record.details = json!({"name": null, "version": null, "geolocation": null}).as_object().unwrap().clone();
        let details = details_of(&record);
        assert_eq!((&details["name"], &details["version"]), (&json!(name), &json!(version)));
        assert_eq!(
            (&details["geolocation"]["city"], &details["geolocation"]["asn"]["name"]),
            (&json!(null), &json!(null))
        );
        record.details.insert("geolocation".to_owned(), json!({"city": "Bern"}));
        assert_eq!(details_of(&record)["geolocation"], json!({"city": "Bern"}), "what is known stays as it is");
    }
}
