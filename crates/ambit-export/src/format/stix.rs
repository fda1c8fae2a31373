//! A STIX 2.1 bundle: each entity an infrastructure with the observable that names it, each kind of issue a
//! vulnerability, each issue the relationship between the two.

use super::OPEN;
use crate::words::{advisories, as_it_was, cves, evidence, uri};
use crate::{Document, Format};
use ambit_api::exports::{Asset, Finding};
use ambit_model::entity::NameForm;
use ambit_model::issue::Confidence;
use ambit_model::issue::severity_name;
use ambit_model::{Kind, Timestamp, Uid};
use serde_json::{Value, json};
use std::net::IpAddr;
use uuid::{Uuid, uuid};

pub(super) const FORMAT: Format = Format {
    name: "stix",
    about: "a STIX 2.1 bundle for threat intelligence platforms",
    extension: "stix.json",
    usual_query: OPEN,
    takes_probes: false,
    begin,
    finding: Some(finding),
    asset: Some(asset),
    end: |document| document.text.push_str("\n]}\n"),
};

/// The namespace of identifiers of observables, as STIX 2.1 §2.9 gives it.
const OBSERVABLES: Uuid = uuid!("00abedb4-aa42-466c-9c01-fed23315a9b7");
/// How sure a reproduced fact and an inference are, of 100.
const CONFIRMED: i64 = 95;
const POTENTIAL: i64 = 50;

fn begin(document: &mut Document) {
    let head = &document.head;
    let id = Uuid::new_v5(&Uuid::NAMESPACE_URL, format!("ambit stix {} {}", head.made_at, head.query).as_bytes());
    document.text.push_str(&format!("{{\"type\":\"bundle\",\"id\":\"bundle--{id}\",\"objects\":["));
    let tool = json!({
        "type": "identity", "spec_version": "2.1", "id": author(), "created": "2026-01-01T00:00:00.000Z",
        "modified": "2026-01-01T00:00:00.000Z", "name": "Ambit", "identity_class": "system",
    });
    document.element(&tool);
    if let Some(said) = as_it_was(&document.head) {
        let made_at = document.head.made_at;
        let name = format!("{made_at} {said}");
        document.element(&json!({
            "type": "note", "spec_version": "2.1", "id": format!("note--{}", named("as of", &name)),
            "created_by_ref": author(), "created": made_at, "modified": made_at, "content": said,
            "object_refs": [author()],
        }));
    }
}

fn finding(document: &mut Document, finding: &Finding) {
    entity(
        document,
        finding.entity_uid,
        finding.entity_type.0,
        &finding.entity_name,
        (finding.first_seen, finding.last_seen),
    );
    let weakness = vulnerability_id(finding);
    if document.kept.kind(finding) {
        document.element(&vulnerability(finding));
    }
    let mut relationship = json!({
        "type": "relationship", "spec_version": "2.1",
        "id": format!("relationship--{}", named("issue", &finding.uid.to_string())),
        "created_by_ref": author(), "created": finding.first_seen,
        "modified": later(finding.changed, finding.first_seen),
        "relationship_type": "has", "source_ref": infrastructure_id(finding.entity_uid), "target_ref": weakness,
        "start_time": finding.first_seen,
        "confidence": if finding.confidence.0 == Confidence::Confirmed { CONFIRMED } else { POTENTIAL },
        "labels": [
            format!("severity:{}", severity_name(finding.severity)),
            format!("status:{}", finding.status.0.name()),
        ],
        "external_references": [{"source_name": "ambit", "external_id": finding.uid.to_string()}],
    });
    let seen = evidence(finding);
    if !seen.is_empty() {
        relationship["description"] = json!(seen);
    }
    if !finding.status.0.is_open() && finding.changed > finding.first_seen {
        relationship["stop_time"] = json!(finding.changed);
    }
    document.element(&relationship);
}

fn asset(document: &mut Document, asset: &Asset) {
    entity(document, asset.uid, asset.kind.0, &asset.name, (asset.first_seen, asset.last_seen));
}

fn vulnerability(finding: &Finding) -> Value {
    let known = cves(finding).map(|cve| ("cve", &cve.name));
    let named = known.chain(advisories(finding).map(|advisory| ("osv", &advisory.name)));
    let mut references: Vec<Value> =
        named.map(|(source, id)| json!({"source_name": source, "external_id": id})).collect();
    references.push(json!({"source_name": "ambit", "external_id": finding.name}));
    references.extend(finding.references.iter().map(|uri| json!({"source_name": "reference", "url": uri})));
    let remedy = finding.remediation.as_deref().unwrap_or_default();
    json!({
        "type": "vulnerability", "spec_version": "2.1", "id": vulnerability_id(finding), "created_by_ref": author(),
        "created": finding.first_seen, "modified": finding.first_seen, "name": finding.title,
        "description": format!("{} {remedy}", finding.description).trim(), "external_references": references,
    })
}

/// An entity once: its infrastructure, and where STIX has an observable for it, that and the relationship of both.
fn entity(document: &mut Document, uid: Uid, kind: Kind, name: &str, seen: (Timestamp, Timestamp)) {
    if !document.kept.entity(uid, kind, name) {
        return;
    }
    let (first_seen, last_seen) = seen;
    document.element(&json!({
        "type": "infrastructure", "spec_version": "2.1", "id": infrastructure_id(uid), "created_by_ref": author(),
        "created": first_seen, "modified": later(last_seen, first_seen), "name": name, "labels": [kind.name()],
        "first_seen": first_seen, "last_seen": later(last_seen, first_seen),
        "external_references": [{"source_name": "ambit", "external_id": uid.to_string()}],
    }));
    let Some((observable, id)) = observable(kind, name) else { return };
    document.element(&observable);
    document.element(&json!({
        "type": "relationship", "spec_version": "2.1",
        "id": format!("relationship--{}", named("entity", &uid.to_string())), "created_by_ref": author(),
        "created": first_seen, "modified": first_seen, "relationship_type": "consists-of",
        "source_ref": infrastructure_id(uid), "target_ref": id,
    }));
}

/// The observable of an entity and its identifier, which follows from what it says.
fn observable(kind: Kind, name: &str) -> Option<(Value, String)> {
    let address = name.split('/').next().and_then(|address| address.parse().ok());
    let (sort, member, value) = match (kind.form(), address) {
        // A server of mail or names may be known by its address alone.
        (NameForm::Host | NameForm::Address, Some(IpAddr::V4(_))) => ("ipv4-addr", "value", json!(name)),
        (NameForm::Host | NameForm::Address, Some(IpAddr::V6(_))) => ("ipv6-addr", "value", json!(name)),
        (NameForm::Host, None) => ("domain-name", "value", json!(name)),
        (NameForm::Url, _) if name.contains("://") => ("url", "value", json!(uri(name))),
        (NameForm::Mailbox, _) => ("email-addr", "value", json!(name)),
        _ if kind == Kind::AutonomousSystem => {
            let number: u32 = name.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().ok()?;
            ("autonomous-system", "number", json!(number))
        }
        _ => return None,
    };
    let says = json!({ member: value });
    let id = format!("{sort}--{}", Uuid::new_v5(&OBSERVABLES, says.to_string().as_bytes()));
    let observable = json!({"type": sort, "spec_version": "2.1", "id": id, member: value});
    Some((observable, id))
}

fn author() -> String {
    format!("identity--{}", named("program", "ambit"))
}

fn infrastructure_id(uid: Uid) -> String {
    format!("infrastructure--{}", named("infrastructure", &uid.to_string()))
}

fn vulnerability_id(finding: &Finding) -> String {
    format!("vulnerability--{}", named("vulnerability", &finding.name))
}

fn named(what: &str, name: &str) -> Uuid {
    Uuid::new_v5(&Uuid::NAMESPACE_URL, format!("ambit {what} {name}").as_bytes())
}

/// STIX refuses what was modified before it was created.
fn later(moment: Timestamp, than: Timestamp) -> Timestamp {
    moment.max(than)
}
