//! What the program can find and report, on the wire (docs/contract/asm.md §8.4). Clients page these lists by number
//! and read `more` beside `result`, not in it.

use crate::contract::{Contract, contract, copied, shape_of, words};
use crate::envelope::{Envelope, success};
use crate::request::Day;
use crate::shape::Shape;
use ambit_model::library::{FingerprintEntry, IssueEntry, KindEntry, TaskEntry};
use ambit_model::workflow::{self, Workflow};
use ambit_model::{Clearance, Kind};
use serde::Serialize;
use serde_json::Value;

/// Who wrote the tasks.
const AUTHOR: &str = "Ambit";

/// A page of a list: the envelope with `more` at its top level.
#[derive(Debug, Serialize)]
pub struct LibraryPage<T> {
    #[serde(flatten)]
    envelope: Envelope<Vec<T>>,
    more: bool,
}

impl<T: Contract> Contract for LibraryPage<T> {
    const SHAPE: &'static Shape =
        shape_of! { ("",) ("success",) bool; ("message",) String; ("result",) Vec<T>; ("more",) bool; };
}

impl<T: Serialize> LibraryPage<T> {
    /// A page of a list.
    pub fn of(message: &str, rows: Vec<T>, more: bool) -> Self {
        Self { envelope: success(message, rows), more }
    }
}

words! {
    /// How the matches of a fingerprint go together.
    pub enum MatchLogic {
        Any = "any",
    }
}

contract! {
    /// An entity kind.
    #[derive(Debug, Serialize)]
    pub struct LibraryEntity {
        pub name: String,
        pub description: String,
        pub user_creatable: bool,
        pub example: String,
        pub sensitive: bool,
    }

    /// A task. Passive is what contacts nobody but resolvers and data providers.
    #[derive(Debug, Serialize)]
    pub struct LibraryTask {
        pub name: String,
        pub pretty_name: String,
        pub description: String,
        pub authors: Vec<&'static str>,
        #[serde(rename = "type")]
        pub kind: &'static str,
        pub passive: bool,
        pub allowed_types: Vec<String>,
        pub created_types: Vec<String>,
        pub example_entities: Vec<ExampleEntity>,
        pub allowed_options: Vec<Value>,
        pub references: Vec<Value>,
    }

    /// A workflow: what it begins with, how loud it may be, and its tasks.
    #[derive(Debug, Serialize)]
    pub struct LibraryWorkflow {
        pub name: &'static str,
        pub pretty_name: &'static str,
        /// The loudest level that its runs may have.
        pub ceiling: &'static str,
        /// Kinds of seed of which a collection needs one.
        pub seeds: Vec<String>,
        /// Types of integration of which a collection needs one.
        pub credentials: Vec<&'static str>,
        /// Types of integration that show it more than everybody sees; a collection needs none of them.
        pub helped_by: Vec<&'static str>,
        /// Names of the tasks that run at its ceiling.
        pub tasks: Vec<String>,
    }

    /// An entity that a task looks at.
    #[derive(Debug, Serialize)]
    pub struct ExampleEntity {
        #[serde(rename = "type")]
        pub kind: String,
        pub name: &'static str,
    }

    /// An issue kind.
    #[derive(Debug, Serialize)]
    pub struct LibraryIssue {
        pub name: String,
        pub pretty_name: String,
        pub added: Day,
        pub severity: i64,
        pub category: String,
        pub status: LibraryConfidence,
        pub description: String,
        pub remediation: String,
        pub references: Vec<Value>,
        pub identifiers: Vec<Value>,
        pub affected_software: Vec<Value>,
    }

    /// A product that can be recognised, with the members that fingerprint items of entities have (docs/contract/asm.md
    /// §4.6).
    #[derive(Debug, Serialize)]
    pub struct LibraryFingerprint {
        pub cpe: Option<String>,
        pub hide: bool,
        pub tags: Vec<String>,
        #[serde(rename = "type")]
        pub kind: &'static str,
        pub tasks: (),
        pub issues: (),
        pub method: &'static str,
        pub update: (),
        pub vendor: String,
        pub product: String,
        pub version: (),
        pub inference: bool,
        pub description: String,
        pub match_logic: MatchLogic,
        pub positive_matches: Vec<FingerprintMatch>,
    }

    /// What shows a product.
    #[derive(Debug, Serialize)]
    pub struct FingerprintMatch {
        pub match_type: String,
        pub match_content: String,
    }
}

/// How sure a finding is, as judges are listed.
#[derive(Debug, Serialize)]
pub struct LibraryConfidence(String);

impl Contract for LibraryConfidence {
    const SHAPE: &'static Shape = &Shape::OneOf(|| vec!["confirmed", "potential"]);
}

impl From<&KindEntry> for LibraryEntity {
    fn from(entry: &KindEntry) -> Self {
        Self {
            name: entry.kind.type_name(),
            description: entry.description.clone(),
            user_creatable: entry.user_creatable,
            example: entry.example.clone(),
            sensitive: false,
        }
    }
}

impl From<&TaskEntry> for LibraryTask {
    fn from(entry: &TaskEntry) -> Self {
        let names = |kinds: &[Kind]| kinds.iter().map(|kind| kind.type_name()).collect();
        let examples = entry.watches.iter().map(|kind| ExampleEntity { kind: kind.type_name(), name: kind.example() });
        Self {
            name: entry.name.clone(),
            pretty_name: entry.pretty_name.clone(),
            description: entry.description.clone(),
            authors: vec![AUTHOR],
            kind: "discovery",
            passive: entry.footprint <= Clearance::L1,
            allowed_types: names(&entry.watches),
            created_types: names(&entry.produces),
            example_entities: examples.collect(),
            allowed_options: Vec::new(),
            references: Vec::new(),
        }
    }
}

impl LibraryWorkflow {
    /// Returns the workflows with their tasks, in the order of the contract.
    pub fn all(tasks: &[TaskEntry]) -> Vec<Self> {
        let of = |workflow: &Workflow| Self {
            name: workflow.name,
            pretty_name: workflow.pretty_name,
            ceiling: workflow.ceiling.level(),
            seeds: workflow.seeds.iter().map(|kind| kind.type_name()).collect(),
            credentials: workflow.credentials.to_vec(),
            helped_by: workflow.helped_by.to_vec(),
            tasks: tasks
                .iter()
                .filter(|task| task.workflows.contains(&workflow.name) && task.footprint <= workflow.ceiling)
                .map(|task| task.name.clone())
                .collect(),
        };
        workflow::ALL.iter().map(of).collect()
    }
}

impl From<&IssueEntry> for LibraryIssue {
    fn from(entry: &IssueEntry) -> Self {
        copied! {
            Self from entry { name, pretty_name, severity, category, description, remediation, references }
            added: Day(entry.added.clone()),
            status: LibraryConfidence(entry.confidence.clone()),
            identifiers: Vec::new(),
            affected_software: Vec::new(),
        }
    }
}

impl From<&FingerprintEntry> for LibraryFingerprint {
    fn from(entry: &FingerprintEntry) -> Self {
        let matches = entry
            .matches
            .iter()
            .map(|one| FingerprintMatch { match_type: one.place.clone(), match_content: one.content.clone() });
        copied! {
            Self from entry { cpe, tags, vendor, product }
            hide: false,
            kind: "fingerprint",
            tasks: (),
            issues: (),
            method: "ident",
            update: (),
            version: (),
            inference: entry.cpe.is_some(),
            description: format!("{} {}", entry.vendor, entry.product),
            match_logic: MatchLogic::Any,
            positive_matches: matches.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_that_asks_resolvers_only_is_passive() {
        let one = LibraryTask::from(&TaskEntry {
            name: "resolve".to_owned(),
            pretty_name: "Resolve".to_owned(),
            description: "asks for addresses".to_owned(),
            footprint: Clearance::L1,
            workflows: vec![workflow::EXTERNAL_DISCOVERY.name],
            watches: vec![Kind::Domain],
            produces: vec![Kind::IpAddress],
        });
        assert!(one.passive);
        assert_eq!(one.created_types, ["Platform::Entity::IpAddress"]);
    }
}
