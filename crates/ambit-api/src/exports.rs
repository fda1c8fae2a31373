//! What exports tell of issues and entities: flat rows that every format is written from. Ours.

use crate::contract::{Maybe, contract, copied};
use crate::issues::IssueEvidence;
use crate::words::Word;
use crate::{CollectionRef, Sighting};
use ambit_model::entity::EntityRecord;
use ambit_model::issue::{Confidence, Identifier, IssueRecord, Status};
use ambit_model::{Kind, Timestamp, Uid};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Open issues of one export that are told with what was asked and answered: reading it takes a look into the store for
/// each, and a document of more is read by nobody.
pub const PROBED_MAX: u64 = 200;

contract! {
    /// An issue, with its proof and its remedy.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Finding {
        pub uid: Uid,
        pub name: String,
        pub title: String,
        /// 1 (critical) to 5 (informational).
        pub severity: i64,
        pub confidence: Word<Confidence>,
        pub status: Word<Status>,
        /// The reason that a person gave for the status.
        pub reason: Option<String>,
        /// The username of who is to see to it.
        pub assignee: Option<String>,
        /// By when it is to be closed; null where it has no due date, or is not open.
        pub due_at: Option<Timestamp>,
        pub category: String,
        pub description: String,
        pub remediation: Option<String>,
        pub references: Vec<String>,
        pub identifiers: Vec<Identifier>,
        /// One sentence that describes the finding.
        pub proof: String,
        /// The facts that the proof rests on.
        pub evidence: Value,
        /// The probes that it rests on, with what was asked and answered; missing where that was not asked for.
        pub probes: Maybe<Vec<IssueEvidence>>,
        pub entity_type: Word<Kind>,
        pub entity_name: String,
        pub entity_uid: Uid,
        /// Whether scope says that the entity is theirs.
        pub scoped: bool,
        pub tags: Vec<String>,
        pub collection: String,
        pub first_seen: Timestamp,
        pub last_seen: Timestamp,
        /// When the shown state began: the last change of the record.
        pub changed: Timestamp,
        /// Whether it was open at the moment `since`; missing where that was not asked for, where it was not there
        /// then, and where it is the same now.
        pub was_open: Maybe<bool>,
    }

    /// An entity.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Asset {
        pub uid: Uid,
        #[serde(rename = "type")]
        pub kind: Word<Kind>,
        pub name: String,
        /// Whether it is in scope.
        pub scoped: bool,
        pub present: bool,
        pub seed: bool,
        pub addresses: Vec<String>,
        pub tcp_ports: Vec<i64>,
        pub http_status: Option<i64>,
        pub http_title: Option<String>,
        pub technologies: Vec<String>,
        pub open_issues: i64,
        pub tags: Vec<String>,
        pub collection: String,
        pub first_seen: Timestamp,
        pub last_seen: Timestamp,
    }

    /// A page of rows: either findings or assets, as was asked.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct ExportRows {
        pub findings: Vec<Finding>,
        pub assets: Vec<Asset>,
        pub next_page_token: Option<String>,
    }
}

impl Finding {
    /// Returns the row of an issue.
    pub fn of(record: &IssueRecord, seen: Sighting, collection: CollectionRef<'_>) -> Self {
        let details = &record.details;
        let references = details["references"].as_array().into_iter().flatten();
        copied! {
            Self from record {
                uid, name, severity, assignee, category, description, entity_name, entity_uid, scoped, tags,
            }
            title: record.pretty_name.clone(),
            confidence: Word(record.confidence),
            status: Word(record.status),
            reason: record.decision.as_ref().and_then(|decision| decision.reason.clone()),
            due_at: seen.due_at.filter(|_| record.status.is_open()),
            remediation: details["remediation"].as_str().map(str::to_owned),
            references: references.filter_map(|row| row["uri"].as_str().map(str::to_owned)).collect(),
            identifiers: record.identifiers.clone().unwrap_or_default(),
            proof: details["proof"]["description"].as_str().unwrap_or_default().to_owned(),
            evidence: details["proof"]["details"].clone(),
            probes: Maybe(None),
            entity_type: Word(record.entity_kind),
            collection: collection.name.to_owned(),
            first_seen: seen.first_seen,
            last_seen: seen.last_seen,
            changed: seen.since,
            was_open: Maybe(None),
        }
    }

    /// Returns true for an open issue that was not open at a moment: it was not there yet, or was closed then and has
    /// come back.
    pub fn is_new_since(&self, since: Timestamp) -> bool {
        self.status.0.is_open() && (self.first_seen > since || self.is_back())
    }

    /// Returns true for an open issue that was there and closed at the moment that was asked for.
    pub fn is_back(&self) -> bool {
        self.status.0.is_open() && self.was_open.0 == Some(false)
    }

    /// Returns true for a closed issue that was not closed yet at a moment.
    pub fn is_closed_since(&self, since: Timestamp) -> bool {
        !self.status.0.is_open() && self.changed > since && self.was_open.0 != Some(false)
    }
}

impl Asset {
    /// Returns the row of an entity.
    pub fn of(record: &EntityRecord, seen: Sighting, collection: CollectionRef<'_>) -> Self {
        let summary = &record.summary;
        copied! {
            Self from record { uid, name, scoped, present, seed, tags }
            kind: Word(record.kind),
            addresses: summary.resolutions.clone(),
            tcp_ports: summary.ports.tcp.clone(),
            http_status: summary.http.code,
            http_title: summary.http.title.clone(),
            technologies: summary.technology.technologies.clone(),
            open_issues: summary.issues.current_count,
            collection: collection.name.to_owned(),
            first_seen: seen.first_seen,
            last_seen: seen.last_seen,
        }
    }
}
