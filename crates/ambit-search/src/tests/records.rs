//! The records of the tests.

use super::{ACME, OTHER, PROJECT};
use crate::{IndexedRecord, Record, shape};
use ambit_model::entity::{EntityRecord, Summary};
use ambit_model::issue::{Confidence, Identifier, IssueRecord, Status};
use ambit_model::technology::TechnologyRecord;
use ambit_model::{Kind, Timestamp, Uid};
use serde_json::{Value, json};
use uuid::Uuid;

pub(crate) fn entity(
    collection: Uuid,
    kind: Kind,
    name: &str,
    change: impl FnOnce(&mut EntityRecord),
) -> IndexedRecord {
    let mut record = EntityRecord {
        vulnerabilities: Default::default(),
        uid: Uid::of_entity(collection, kind, name),
        collection,
        kind,
        name: name.to_owned(),
        scoped: true,
        details: json!({ "whois_full_text": "long", "exfil_lookup_identifier": "x" }).as_object().unwrap().clone(),
        fingerprint: vec![Value::Bool(true)],
        summary: Summary { scoped: true, ..Summary::default() },
        ..shape::entity()
    };
    change(&mut record);
    with_times(1_000, 3_000, Record::Entity(Box::new(record)))
}

pub(crate) fn issue(
    collection: Uuid,
    name: &str,
    entity: &str,
    change: impl FnOnce(&mut IssueRecord),
) -> IndexedRecord {
    let entity_uid = Uid::of_entity(collection, Kind::Uri, entity);
    let mut record = IssueRecord {
        exploitation: None,
        uid: Uid::of_issue(collection, name, "ambit", "", entity_uid),
        collection,
        name: name.to_owned(),
        pretty_name: name.replace('_', " "),
        upstream: "ambit".to_owned(),
        entity_uid,
        entity_kind: Kind::Uri,
        entity_name: entity.to_owned(),
        severity: 4,
        confidence: Confidence::Confirmed,
        category: "misconfiguration".to_owned(),
        scoped: true,
        identifiers: None,
        details: json!({ "proof": "long" }),
        ..shape::issue()
    };
    change(&mut record);
    with_times(1_000, 3_000, Record::Issue(Box::new(record)))
}

pub(crate) fn technology(vendor: &str, product: &str, version: &str) -> IndexedRecord {
    let record = TechnologyRecord {
        uid: Uid::of_technology(ACME, vendor, product, version),
        collection: ACME,
        vendor: vendor.to_owned(),
        product: product.to_owned(),
        version: version.to_owned(),
        entity_count: 1,
        ..shape::technology()
    };
    with_times(1_000, 3_000, Record::Technology(Box::new(record)))
}

pub(crate) fn with_times(first_seen: i64, last_seen: i64, record: Record) -> IndexedRecord {
    IndexedRecord {
        project: PROJECT,
        id: record.uid().integer(),
        first_seen: Timestamp(first_seen),
        last_seen: Timestamp(last_seen),
        valid_from: Timestamp(first_seen),
        valid_to: None,
        turned_at: Timestamp(first_seen),
        record,
    }
}

pub(crate) fn at(first_seen: i64, last_seen: i64, mut record: IndexedRecord) -> IndexedRecord {
    record.first_seen = Timestamp(first_seen);
    record.last_seen = Timestamp(last_seen);
    record
}

/// A small inventory in which every keyword tells some records from others. Names end in what `last_seen` orders.
pub(crate) fn inventory() -> Vec<IndexedRecord> {
    let mut all = entities();
    all.extend(issues());
    all.push(technology("jquery", "jQuery", "3.1"));
    all.push(at(500, 2_500, technology("f5", "nginx", "")));
    // Another project's, never to be seen.
    let mut foreign = entity(Uuid::from_u128(9), Kind::Uri, "https://a.example:443", |_| {});
    foreign.project = PROJECT + 1;
    all.push(foreign);
    all
}

fn entities() -> Vec<IndexedRecord> {
    let uri = entity(ACME, Kind::Uri, "https://a.example:443", |record| {
        record.tags = vec!["t 1".to_owned(), "Urgent".to_owned()];
        let summary = &mut record.summary;
        summary.http.code = Some(200);
        summary.http.title = Some("Index of /backup".to_owned());
        summary.http.content.forms = Some(true);
        summary.technology.technologies = vec!["jQuery".to_owned(), "nginx".to_owned()];
        record.fingerprint = vec![
            json!({"product": "jQuery", "version": "3.1", "cpe": "cpe:2.3:a:jquery:jquery:3.1:*:*:*:*:*:*:*"}),
            json!({"vendor": "F5", "product": "nginx", "version": "1.24.0",
                "cpe": "cpe:2.3:a:f5:nginx:1.24.0:*:*:*:*:*:*:*"}),
        ];
        summary.technology.cloud = true;
        summary.technology.cloud_providers = vec!["Amazon Web Services".to_owned()];
        summary.issues.current_count = 3;
        summary.issues.current_by_severity.insert("1".to_owned(), 1);
        summary.issues.current_by_severity.insert("4".to_owned(), 2);
        summary.issues.critical_or_high = true;
        summary.vulns.vulns = vec!["CVE-2021-44228".to_owned()];
        summary.vulns.current_count = 1;
    });
    let address = entity(ACME, Kind::IpAddress, "192.0.2.1", |record| {
        record.hidden = true;
        let summary = &mut record.summary;
        summary.ports.tcp = vec![80, 443];
        summary.ports.udp = vec![53];
        summary.ports.count = 3;
        summary.geolocation.country_code = Some("DE".to_owned());
        summary.geolocation.country_name = Some("Germany".to_owned());
        summary.network.name = Some("ACME-NET".to_owned());
        summary.network.asn = Some(64_500);
    });
    let host = entity(OTHER, Kind::DnsRecord, "www.b-shop.example", |record| {
        record.scoped = false;
        record.ownership = 600;
        record.summary.scoped = false;
        record.details.insert("hidden_aws_account".to_owned(), json!("Production"));
        record.summary.resolutions = vec!["192.0.2.1".to_owned(), "edge.example".to_owned()];
    });
    vec![at(1_000, 3_000, uri), at(1_000, 2_000, address), at(2_000, 1_500, host)]
}

fn issues() -> Vec<IndexedRecord> {
    let listing = issue(ACME, "directory_listing", "https://a.example:443", |record| {
        record.severity = 2;
        record.tags = vec!["tg".to_owned()];
        record.identifiers = Some(vec![Identifier { kind: "CVE".to_owned(), name: "CVE-2020-1".to_owned() }]);
        record.ticket_list = Some(vec![json!("T-1")]);
        record.assignee = Some("ann".to_owned());
    });
    let cookie = issue(OTHER, "insecure_cookie", "https://shop.example:443", |record| {
        record.severity = 5;
        record.status = Status::ClosedMitigated;
        record.confidence = Confidence::Potential;
        record.category = "application".to_owned();
        record.entity_kind = Kind::ApiEndpoint;
        record.scoped = false;
    });
    vec![at(1_000, 3_000, listing), at(2_000, 2_500, cookie)]
}

pub(crate) fn uid_of(kind: Kind, name: &str) -> String {
    Uid::of_entity(ACME, kind, name).to_string()
}
