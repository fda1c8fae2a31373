//! Issues on the wire (docs/contract/asm.md §5): the search hit and the detail, with the members that clients read
//! beyond the description.

use crate::Maybe;
use crate::contract::{Contract, contract, copied, mirror, shape_of, words};
use crate::request::{Day, Text};
use crate::shape::Shape;
use crate::words::Word;
use crate::{COLLECTION_TYPE, CollectionRef, Sighting};
use ambit_model::issue::{Confidence, Exploitation, Identifier, IssueRecord, Status, Until};
use ambit_model::limits::REASON_CHARS_MAX;
use ambit_model::{Timestamp, Uid};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use uuid::Uuid;

/// When a decision on issues ends, as a person writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End(pub Until);

impl Contract for End {
    const SHAPE: &'static Shape = &Shape::Text;
}

impl<'de> Deserialize<'de> for End {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Text(text) = <Text>::deserialize(deserializer)?;
        Until::parse(&text).map(Self).ok_or_else(|| {
            D::Error::custom("must be a date such as 2027-01-31, a moment such as 2027-01-31T12:00:00Z, or change")
        })
    }
}

words! {
    /// Whether an issue is open.
    pub enum Openness {
        Open = "open",
        Closed = "closed",
    }

    /// How a probe ended.
    pub enum EvidenceOutcome {
        Found = "found",
        Absent = "absent",
        Unknown = "unknown",
    }

    /// The only type of issue.
    pub enum IssueType {
        Standard = "standard",
    }
}

contract! {
    /// A hit of a search over issues.
    #[derive(Debug, Serialize)]
    pub struct IssueHit {
        pub id: Uid,
        pub uid: Uid,
        pub uuid: Uuid,
        pub alias_group: String,
        pub dynamic_id: i64,
        pub name: String,
        pub pretty_name: String,
        pub description: String,
        pub first_seen: Timestamp,
        pub last_seen: Timestamp,
        pub collection: String,
        pub collection_type: &'static str,
        pub collection_uuid: Uuid,
        pub organization_uuid: Option<Uuid>,
        pub entity_type: String,
        pub entity_name: String,
        pub entity_uid: Uid,
        pub upstream: String,
        pub tags: Vec<String>,
        pub summary: IssueSummary,
        /// What distinguishes issues of one name about one entity, such as a CVE id or a path; empty if there can be
        /// only one. Ours.
        pub discriminator: String,
        /// The username of the assignee.
        pub assignee: Option<String>,
        /// By when it is to be closed; null where it has no due date, or is not open.
        pub due_at: Option<Timestamp>,
        pub cisa_known_exploited: Option<bool>,
        pub epss_v2_score_lte: Option<f64>,
        pub epss_v2_percentile_gte: Option<f64>,
    }

    /// One version of an issue: its state from a moment on, and the members that changed. Ours.
    #[derive(Debug, Serialize)]
    pub struct IssueVersion {
        pub at: Timestamp,
        pub status: Word<Status>,
        pub severity: i64,
        /// Who decided so; null where a run did.
        pub by: Option<String>,
        pub reason: Option<String>,
        /// A moment, or `change`; null: while the fact stays.
        pub until: Option<String>,
        pub changed: Vec<String>,
    }

    /// A probe that an issue rests on, with what it left. Ours.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct IssueEvidence {
        /// The name of the task, as the library has it.
        pub task: String,
        /// What was probed: the issue's entity, or one that leads to it.
        pub entity_type: String,
        pub entity_name: String,
        /// The address or name that it was probed at; empty where the entity says it.
        pub argument: String,
        pub outcome: EvidenceOutcome,
        /// When it was probed; of a simulated internet, when the run began.
        pub at: Timestamp,
        /// Why it failed.
        pub reason: Option<String>,
        pub pieces: Vec<EvidencePiece>,
    }

    /// One piece of evidence as it may be shown: bounded, and with secrets masked.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct EvidencePiece {
        /// What it is: `exchange`, `banner`, `certificate` …
        pub label: String,
        /// Of the bytes that are kept.
        pub sha256: Uid,
        /// What was sent; null where the evidence is not an exchange over HTTP.
        pub request: Option<String>,
        /// What came, bytes that are no text as hexadecimal digits; null where it is no longer kept.
        pub answer: Option<String>,
        /// Bytes that are kept of it.
        pub size: i64,
        /// How many places were masked.
        pub masked: i64,
        /// Less is shown than is kept.
        pub truncated: bool,
    }

    /// The open issues of a collection that are past their due date. Ours.
    #[derive(Debug, Serialize)]
    pub struct Overdue {
        pub collection_uuid: Uuid,
        pub collection_name: String,
        /// The days that count, such as critical=7,high=30.
        pub due_days: String,
        pub overdue: i64,
        /// Only severities that have a due date.
        pub by_severity: BTreeMap<String, i64>,
    }

    /// What hit and detail of an issue have in common.
    #[derive(Debug, Serialize)]
    pub struct IssueSummary {
        pub pretty_name: String,
        pub severity: i64,
        pub scoped: bool,
        pub confidence: Word<Confidence>,
        pub status: Word<Status>,
        pub category: String,
        pub identifiers: Option<Vec<Identifier>>,
        pub status_new: Openness,
        pub status_new_detailed: &'static str,
        pub ticket_list: Option<Vec<Value>>,
    }

    /// The detail of an issue.
    #[derive(Debug, Serialize)]
    pub struct IssueDetail {
        pub uuid: Uuid,
        pub dynamic_id: i64,
        pub entity_uid: Uid,
        pub alias_group: String,
        pub category: String,
        pub confidence: Word<Confidence>,
        pub description: String,
        pub details: IssueDetails,
        pub first_seen: Timestamp,
        pub identifiers: Option<Vec<Identifier>>,
        pub last_seen: Timestamp,
        pub name: String,
        pub pretty_name: String,
        pub scoped: bool,
        pub severity: i64,
        pub source: String,
        pub status: Word<Status>,
        pub ticket_list: Option<Vec<Value>>,
        #[serde(rename = "type")]
        pub kind: IssueType,
        pub uid: Uid,
        pub upstream: String,
        pub created_at: Timestamp,
        pub updated_at: Timestamp,
        pub entity_id: i64,
        pub collection_id: i64,
        pub search_index_mappings_hash: (),
        pub elasticsearch_mappings_hash: (),
        pub cisa_known_exploited: Option<bool>,
        pub epss_v2_score_lte: Option<f64>,
        pub epss_v2_percentile_gte: Option<f64>,
        pub collection: String,
        pub collection_type: &'static str,
        pub collection_uuid: Uuid,
        pub organization_uuid: Option<Uuid>,
        pub entity_name: String,
        pub entity_type: String,
        pub summary: IssueSummary,
        pub tags: Vec<String>,
        pub assignee: Option<String>,
        pub due_at: Option<Timestamp>,
    }

    /// The body that reports a status.
    #[derive(Debug, Deserialize)]
    pub struct NewStatus {
        pub status: Word<Status>,
        /// Why they are closed. Ours.
        pub reason: Maybe<Text<REASON_CHARS_MAX>>,
        /// How long that holds while the fact stays: a date, a moment, or `change`, which is until proof or severity
        /// change. Ours.
        pub until: Maybe<End>,
    }
}

mirror! {
    Identifier as "Identifier" {
        name: String,
        #[serde(rename = "type")]
        kind: String,
    }
}

/// What a judge stored of an issue, with at least the members that clients read.
#[derive(Debug, Serialize)]
pub struct IssueDetails(Map<String, Value>);

impl Contract for IssueDetails {
    const SHAPE: &'static Shape = shape_of! {
        ("IssueDetails",)
        ("name",) String;
        ("added",) Option<Day>;
        ("proof",) Proof;
        ("source",) String;
        ("category",) String;
        ("severity",) String;
        ("references",) Vec<Reference>;
        ("description",) String;
        ("pretty_name",) String;
        ("remediation",) Option<String>;
        open others
    };
}

contract! {
    /// Why an issue is reported.
    #[derive(Debug, Serialize)]
    pub struct Proof {
        pub details: Value,
        pub description: String,
        #[serde(flatten)]
        pub others: Map<String, Value>,
    }

    /// Where more is said of an issue.
    #[derive(Debug, Serialize)]
    pub struct Reference {
        pub uri: String,
        #[serde(rename = "type")]
        pub kind: String,
        #[serde(flatten)]
        pub others: Map<String, Value>,
    }
}

impl IssueVersion {
    /// A version that opened at `at`, compared with the one before it.
    pub fn of(at: Timestamp, record: &IssueRecord, before: Option<&IssueRecord>) -> Self {
        let decision = record.decision.as_ref();
        Self {
            at,
            status: Word(record.status),
            severity: record.severity,
            by: decision.map(|decision| decision.by.clone()),
            reason: decision.and_then(|decision| decision.reason.clone()),
            until: decision.and_then(|decision| decision.until).map(|until| until.to_string()),
            changed: before.map(|before| changed(before, record)).unwrap_or_default(),
        }
    }
}

/// The members of a record that differ, in their order.
fn changed(before: &IssueRecord, after: &IssueRecord) -> Vec<String> {
    let members = |record: &IssueRecord| match serde_json::to_value(record) {
        Ok(Value::Object(members)) => members,
        _ => Map::new(),
    };
    let (before, after) = (members(before), members(after));
    let gone = before.keys().filter(|name| !after.contains_key(*name));
    let others = after.iter().filter(|(name, value)| before.get(*name) != Some(*value)).map(|(name, _)| name);
    others.chain(gone).cloned().collect()
}

impl IssueHit {
    /// A hit of a search.
    pub fn of(record: &IssueRecord, seen: Sighting, collection: CollectionRef<'_>) -> Self {
        copied! {
            Self from record {
                uid, name, pretty_name, description, entity_name, entity_uid, upstream, tags, discriminator,
            }
            id: record.uid,
            uuid: record.uid.uuid(),
            alias_group: alias_group(record),
            dynamic_id: seen.id,
            first_seen: seen.first_seen,
            last_seen: seen.last_seen,
            collection: collection.name.to_owned(),
            collection_type: COLLECTION_TYPE,
            collection_uuid: collection.uuid,
            organization_uuid: collection.organization_uuid,
            entity_type: record.entity_kind.type_name(),
            summary: IssueSummary::of(record),
            assignee: record.assignee.clone(),
            due_at: seen.due_at.filter(|_| record.status.is_open()),
            cisa_known_exploited: exploitation(record).map(|likely| likely.known),
            epss_v2_score_lte: exploitation(record).and_then(|likely| likely.epss_score),
            epss_v2_percentile_gte: exploitation(record).and_then(|likely| likely.epss_percentile),
        }
    }
}

impl IssueDetail {
    /// The detail of an issue; `entity_id` is the integer id of its entity.
    pub fn of(record: &IssueRecord, seen: Sighting, entity_id: i64, collection: CollectionRef<'_>) -> Self {
        copied! {
            Self from record {
                entity_uid, category, description, identifiers, name, pretty_name, scoped, severity, ticket_list, uid,
                upstream, entity_name,
                tags,
            }
            uuid: record.uid.uuid(),
            dynamic_id: seen.id,
            alias_group: alias_group(record),
            confidence: Word(record.confidence),
            details: details(record),
            first_seen: seen.first_seen,
            last_seen: seen.last_seen,
            source: record.upstream.clone(),
            status: Word(record.status),
            kind: IssueType::Standard,
            created_at: seen.first_seen,
            updated_at: seen.since,
            entity_id,
            collection_id: collection.id,
            search_index_mappings_hash: (),
            elasticsearch_mappings_hash: (),
            cisa_known_exploited: exploitation(record).map(|likely| likely.known),
            epss_v2_score_lte: exploitation(record).and_then(|likely| likely.epss_score),
            epss_v2_percentile_gte: exploitation(record).and_then(|likely| likely.epss_percentile),
            collection: collection.name.to_owned(),
            collection_type: COLLECTION_TYPE,
            collection_uuid: collection.uuid,
            organization_uuid: collection.organization_uuid,
            entity_type: record.entity_kind.type_name(),
            summary: IssueSummary::of(record),
            assignee: record.assignee.clone(),
            due_at: seen.due_at.filter(|_| record.status.is_open()),
        }
    }
}

impl IssueSummary {
    fn of(record: &IssueRecord) -> Self {
        copied! {
            Self from record { pretty_name, severity, scoped, category, identifiers, ticket_list }
            confidence: Word(record.confidence),
            status: Word(record.status),
            status_new: if record.status.is_open() { Openness::Open } else { Openness::Closed },
            status_new_detailed: record.status.detailed(),
        }
    }
}

fn exploitation(record: &IssueRecord) -> Option<&Exploitation> {
    record.exploitation.as_ref()
}

/// Issues of one entity belong together.
fn alias_group(record: &IssueRecord) -> String {
    record.entity_uid.integer().to_string()
}

/// What is stored, completed from the record: clients read members of it without asking whether it is an object.
fn details(record: &IssueRecord) -> IssueDetails {
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
    IssueDetails(details)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_model::Kind;
    use ambit_model::issue::Identifier;
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
            identifiers: Some(vec![Identifier { kind: "CVE".to_owned(), name: "CVE-2019-10081".to_owned() }]),
            details,
            tags: vec![],
            ticket_list: None,
            decision: None,
            assignee: None,
            exploitation: None,
        }
    }

    const SEEN: Sighting = Sighting {
        id: 9,
        first_seen: Timestamp(1_000),
        last_seen: Timestamp(3_000),
        since: Timestamp(2_000),
        due_at: None,
    };

    const COLLECTION: CollectionRef<'_> =
        CollectionRef { id: 3, uuid: Uuid::nil(), name: "outside_a1b2c3d", organization_uuid: None };

    #[test]
    fn a_hit_says_its_status_in_three_ways() {
        let summary = IssueHit::of(&record(Value::Null), SEEN, COLLECTION).summary;
        assert_eq!(
            (summary.status.0, summary.status_new, summary.status_new_detailed),
            (Status::Closed, Openness::Closed, "closed")
        );
    }

    #[test]
    fn the_detail_has_every_member_even_where_little_is_stored() {
        for stored in [Value::Null, json!({}), json!({"added": "2026-01-31", "remediation": "Add a CAA record."})] {
            let detail = json!(IssueDetail::of(&record(stored), SEEN, 42, COLLECTION));
            assert_eq!(IssueDetail::SHAPE.differences(&detail), Vec::<String>::new());
            assert_eq!(detail["details"]["severity"], "5");
        }
    }

    #[test]
    fn only_what_is_open_is_due() {
        let due = |status| {
            let record = IssueRecord { status, assignee: Some("ann".to_owned()), ..record(Value::Null) };
            let hit = IssueHit::of(&record, Sighting { due_at: Some(Timestamp(7)), ..SEEN }, COLLECTION);
            (hit.due_at, hit.assignee)
        };
        assert_eq!(due(Status::OpenTriaged), (Some(Timestamp(7)), Some("ann".to_owned())));
        assert_eq!(due(Status::ClosedRiskAccepted), (None, Some("ann".to_owned())));
    }
}
