//! The shape of what an index holds, as one short text: members, how they are searched, and the members of stored
//! records. An index of another shape is rebuilt, so a new field in a record needs no thought for old indexes.

use crate::document::{IndexedRecord, Record};
use crate::fields::{MEMBERS, SCHEMA_VERSION};
use ambit_model::entity::{EntityRecord, Summary};
use ambit_model::id::blob_hash;
use ambit_model::issue::{Confidence, Identifier, IssueRecord, Status};
use ambit_model::scope::ScopeReason;
use ambit_model::technology::TechnologyRecord;
use ambit_model::{Clearance, Details, Kind, Timestamp, Uid};
use serde_json::Value;
use std::fmt::Write as _;
use std::sync::LazyLock;
use uuid::Uuid;

/// Today's shape: eight hexadecimal digits.
pub(crate) static SHAPE: LazyLock<String> = LazyLock::new(|| {
    let mut text = format!("{SCHEMA_VERSION}\n");
    for member in MEMBERS {
        let _ = writeln!(text, "{} {:?} {} {}", member.path, member.shape, member.column, member.many);
    }
    for record in samples() {
        let stored = serde_json::to_value(&record).expect("a record is plain data");
        write_members(&mut text, "", &stored);
    }
    let summary = serde_json::to_value(entity().summary).expect("a summary is plain data");
    write_members(&mut text, ".summary", &summary);
    blob_hash(text.as_bytes()).to_string()[..8].to_owned()
});

fn write_members(text: &mut String, path: &str, value: &Value) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                write_members(text, &format!("{path}.{name}"), member);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| write_members(text, &format!("{path}[]"), item)),
        _ => {
            let _ = writeln!(text, "{path}");
        }
    }
}

/// One record of each noun. Written out in full: a new field of a record is a compile error here, and a member that
/// it adds changes the shape.
pub(crate) fn samples() -> [IndexedRecord; 3] {
    [Record::Entity(Box::new(entity())), Record::Issue(Box::new(issue())), Record::Technology(Box::new(technology()))]
        .map(|record| IndexedRecord {
            project: 0,
            id: 0,
            first_seen: Timestamp(0),
            last_seen: Timestamp(0),
            valid_from: Timestamp(0),
            valid_to: None,
            turned_at: Timestamp(0),
            record,
        })
}

pub(crate) fn entity() -> EntityRecord {
    EntityRecord {
        vulnerabilities: Default::default(),
        uid: Uid::of_entity(Uuid::nil(), Kind::Domain, ""),
        collection: Uuid::nil(),
        kind: Kind::Domain,
        name: String::new(),
        seed: false,
        hidden: false,
        allow_list: false,
        deny_list: false,
        present: true,
        scoped: false,
        scoped_reason: ScopeReason::Unreached,
        shared: false,
        ownership: 0,
        clearance: Clearance::L0,
        path: Vec::new(),
        evidence: Vec::new(),
        ancestors: Vec::new(),
        task_results: Vec::new(),
        details: Details::new(),
        fingerprint: Vec::new(),
        tags: Vec::new(),
        aliases: Some(vec![String::new()]),
        alias_group: Some(String::new()),
        category: Some(String::new()),
        confidence: Some(String::new()),
        description: Some(String::new()),
        source: Some(String::new()),
        status: Some(String::new()),
        summary: Summary::default(),
    }
}

pub(crate) fn issue() -> IssueRecord {
    IssueRecord {
        uid: Uid::of_issue(Uuid::nil(), "", "", "", entity().uid),
        collection: Uuid::nil(),
        name: String::new(),
        pretty_name: String::new(),
        upstream: String::new(),
        discriminator: String::new(),
        entity_uid: entity().uid,
        entity_kind: Kind::Domain,
        entity_name: String::new(),
        severity: 5,
        confidence: Confidence::Potential,
        category: String::new(),
        status: Status::OpenNew,
        scoped: false,
        description: String::new(),
        identifiers: Some(vec![Identifier { kind: String::new(), name: String::new() }]),
        details: Value::Null,
        tags: Vec::new(),
        ticket_list: None,
        decision: None,
        assignee: None,
        exploitation: None,
    }
}

pub(crate) fn technology() -> TechnologyRecord {
    TechnologyRecord {
        uid: Uid::of_technology(Uuid::nil(), "", "", ""),
        collection: Uuid::nil(),
        vendor: String::new(),
        product: String::new(),
        version: String::new(),
        cpe: None,
        labels: Vec::new(),
        entity_count: 0,
        vulns: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_reads_back() {
        for record in samples() {
            assert_eq!(IndexedRecord::from_stored(&record.stored()).unwrap(), record);
        }
        assert_eq!(SHAPE.len(), 8);
    }
}
