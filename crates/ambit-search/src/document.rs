//! From a record to the members of its index document and to what is stored beside them. Made from the common
//! members only: no branch on an entity's kind.

use crate::running;
use ambit_model::TaskName;
use ambit_model::entity::{EntityRecord, TaskResult, in_account};
use ambit_model::issue::IssueRecord;
use ambit_model::technology::TechnologyRecord;
use ambit_model::{Timestamp, Uid};
use ambit_query::Noun;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

/// Details that a search hit shows; the others stay out of the index (a page body would make it as large as the store).
const DETAILS_KEPT: &[&str] = &["exfil_lookup_identifier"];

/// Details that name the account in which something stands.
const ACCOUNTS: [&str; 2] = [in_account::AWS.name(), in_account::CLOUD.name()];

/// Tasks whose answer says that something is there: a name that resolves, a bucket that answers. Of addresses and sites
/// open ports and answers say it; that an address has a name says nothing.
const SEEN_BY: [TaskName; 2] = [TaskName::BucketProbe, TaskName::Resolve];

/// A record of any noun.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Record {
    Entity(Box<EntityRecord>),
    Issue(Box<IssueRecord>),
    Technology(Box<TechnologyRecord>),
}

/// A record with the columns beside it: what the index stores, and what a hit returns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IndexedRecord {
    /// The project's integer id.
    pub project: i64,
    /// The record's integer id (`dynamic_id` of an issue).
    pub id: i64,
    pub first_seen: Timestamp,
    pub last_seen: Timestamp,
    /// When this state of the record began.
    pub valid_from: Timestamp,
    /// When it ended; `None`: it is what is shown now.
    pub valid_to: Option<Timestamp>,
    /// When the record last came or went before that.
    pub turned_at: Timestamp,
    pub record: Record,
}

/// A change of the index: records that take the place of their former states, and what is no more.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Batch {
    pub records: Vec<IndexedRecord>,
    pub gone: Vec<Uid>,
    /// Collections that were deleted with everything in them.
    pub gone_collections: Vec<Uuid>,
    /// Projects that were deleted, by their integer ids.
    pub gone_projects: Vec<i64>,
    /// Versions that ended by this moment are not kept any more.
    pub kept_since: Option<Timestamp>,
}

impl Record {
    /// Returns what sort of record it is.
    pub fn noun(&self) -> Noun {
        match self {
            Record::Entity(_) => Noun::Entities,
            Record::Issue(_) => Noun::Issues,
            Record::Technology(_) => Noun::Technologies,
        }
    }

    /// Returns true for an entity that is gone and for an issue whose fact is.
    pub fn is_over(&self) -> bool {
        match self {
            Record::Entity(entity) => !entity.present,
            Record::Issue(issue) => !issue.status.rests_on_fact(),
            Record::Technology(_) => false,
        }
    }

    /// Returns the identifier of the record.
    pub fn uid(&self) -> Uid {
        match self {
            Record::Entity(entity) => entity.uid,
            Record::Issue(issue) => issue.uid,
            Record::Technology(technology) => technology.uid,
        }
    }

    /// Returns the collection that has the record.
    pub fn collection(&self) -> Uuid {
        match self {
            Record::Entity(entity) => entity.collection,
            Record::Issue(issue) => issue.collection,
            Record::Technology(technology) => technology.collection,
        }
    }
}

impl IndexedRecord {
    /// The bytes stored in the index: the record without the members that no hit shows.
    pub(crate) fn stored(&self) -> Vec<u8> {
        let mut lean = self.clone();
        match &mut lean.record {
            Record::Entity(entity) => {
                entity.details.retain(|name, _| DETAILS_KEPT.contains(&name.as_str()));
                entity.fingerprint.clear();
                entity.path.clear();
                entity.ancestors.clear();
                entity.task_results.clear();
            }
            Record::Issue(issue) => issue.details = Value::Null,
            Record::Technology(_) => {}
        }
        serde_json::to_vec(&lean).expect("a record is plain data")
    }

    /// Reads what [`IndexedRecord::stored`] wrote.
    pub(crate) fn from_stored(bytes: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(bytes)
    }

    /// Returns the key of the document. A closed version has a key of its own, beside that of the current one.
    pub(crate) fn key(&self) -> Vec<u8> {
        let mut key = self.record.uid().bytes().to_vec();
        if self.valid_to.is_some() {
            key.extend(self.valid_from.0.to_be_bytes());
        }
        key
    }

    /// What identifies the closed version that began when this one did. There is none any more where a run took back
    /// what it had changed. `None` for closed versions.
    pub(crate) fn key_of_its_closing(&self) -> Option<Vec<u8>> {
        let began = self.valid_from.0.to_be_bytes();
        self.valid_to.is_none().then(|| [&self.record.uid().bytes()[..], &began[..]].concat())
    }

    /// The members of the document, nested as in a hit; the uid, which is no text, is left to the engine.
    pub(crate) fn members(&self) -> Value {
        let mut members = match &self.record {
            Record::Entity(entity) => entity_members(entity),
            Record::Issue(issue) => issue_members(issue),
            Record::Technology(technology) => technology_members(technology),
        };
        members["collection_uuid"] = json!(self.record.collection());
        members["first_seen"] = json!(self.first_seen.0);
        members["last_seen"] = json!(self.last_seen.0);
        members["valid_from"] = json!(self.valid_from.0);
        members["valid_to"] = json!(self.valid_to.map(|to| to.0));
        members["turned_at"] = json!(self.turned_at.0);
        members
    }
}

fn entity_members(entity: &EntityRecord) -> Value {
    let mut members = json!({
        "name": entity.name,
        "type": entity.kind.type_name(),
        "hidden": entity.hidden,
        "seed": entity.seed,
        "ownership": entity.ownership / 10,
        "present": entity.present,
        "tags": entity.tags,
        "summary": entity.summary,
    });
    members["shadow"] = shadow(entity);
    members["summary"]["technology"]["running"] = json!(running::of_entity(entity));
    members["summary"]["technology"]["products"] = json!(running::products(entity));
    members
}

/// Returns whether it is in an account, and whether it was seen from outside.
fn shadow(entity: &EntityRecord) -> Value {
    let in_account = ACCOUNTS.iter().any(|member| entity.details.get(*member).is_some_and(|name| !name.is_null()));
    let answered = |result: &TaskResult| SEEN_BY.iter().any(|task| task.as_str() == result.task);
    let summary = &entity.summary;
    let seen = summary.ports.count > 0 || summary.http.code.is_some() || entity.task_results.iter().any(answered);
    json!({
        "asset": [format!("{} {}", entity.kind.name(), entity.name)],
        "in_account": in_account,
        "seen_outside": seen,
    })
}

fn issue_members(issue: &IssueRecord) -> Value {
    let identifiers: Vec<&str> =
        issue.identifiers.iter().flatten().map(|identifier| identifier.name.as_str()).collect();
    let tickets: Vec<String> = issue.ticket_list.iter().flatten().map(ticket_text).collect();
    json!({
        "name": issue.name,
        "present": issue.status.is_open(),
        "pretty_name": issue.pretty_name,
        "upstream": issue.upstream,
        "entity_type": issue.entity_kind.type_name(),
        "entity_name": issue.entity_name,
        "entity_uid": issue.entity_uid,
        "tags": issue.tags,
        "assignee": issue.assignee,
        "summary": {
            "severity": issue.severity,
            "scoped": issue.scoped,
            "confidence": issue.confidence.name(),
            "category": issue.category,
            "status": issue.status.name(),
            "status_new": issue.status.coarse(),
            "status_new_detailed": issue.status.detailed(),
            "identifiers": identifiers,
            "ticket_list": tickets,
        },
    })
}

/// A ticket is counted by its text.
fn ticket_text(ticket: &Value) -> String {
    ticket.as_str().map_or_else(|| ticket.to_string(), str::to_owned)
}

fn technology_members(technology: &TechnologyRecord) -> Value {
    let parts = [&technology.vendor, &technology.product, &technology.version];
    let name: Vec<&str> = parts.into_iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    json!({
        "name": name.join(" "),
        "vendor": technology.vendor,
        "product": technology.product,
        "version": technology.version,
        "cpe": technology.cpe,
        "entity_count": technology.entity_count,
        "present": technology.entity_count > 0,
        "summary": {
            "technology": { "technology_labels": technology.labels, "running": running::of_technology(technology) },
            "vulns": { "vulns": technology.vulns, "current_count": technology.vulns.len() },
        },
    })
}

/// The value at a dotted path; `None` where a member is missing or null.
pub(crate) fn value_at<'a>(members: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(members, |value, part| value.get(part)).filter(|value| !value.is_null())
}
