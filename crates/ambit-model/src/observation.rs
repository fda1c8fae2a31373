//! What a task reports after a probe, and how it is kept as an interval (docs/architecture.md §1.2).

use crate::run::NotDoneReason;
use crate::{Details, EdgeKind, Kind, Uid};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A probe that ended as absent is repeated after this much wire time before it counts (docs/architecture.md §1.2), in
/// milliseconds.
pub const SECOND_PROBE_AFTER_MS: i64 = 60_000;

/// How often a name that led to addresses is looked up in a run where its look-ups fail, after each failure
/// [`SECOND_PROBE_AFTER_MS`] later. What only it leads to is not contacted meanwhile.
pub const LOOKUPS_MAX: i64 = 3;

/// What counts as seen where a probe found something (docs/architecture.md §1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sighting {
    /// Nothing: the answer was derived from names or from what other tasks saw.
    Nothing,
    /// What it led to: somebody else was asked about the entity, such as a registry, a log or the reverse zone.
    Ends,
    /// The entity as well: it was contacted itself, or the authority was asked in which it lives.
    Entity,
}

/// How a probe ended.
#[derive(Clone, Debug, PartialEq)]
pub enum ProbeResult {
    /// The thing is there: its details, where it led, and the stored bytes.
    Found(Found),
    /// Something is there, and the rest could not be probed: the task says which of the earlier edges stand.
    InPart { found: Found, reason: NotDoneReason, why: String },
    /// The probe succeeded and the thing is not there.
    Absent,
    /// The probe failed, so nothing is known.
    Unknown { reason: NotDoneReason, why: String },
}

impl ProbeResult {
    /// Returns what was seen, if anything was.
    pub fn found(&self) -> Option<&Found> {
        match self {
            Self::Found(found) | Self::InPart { found, .. } => Some(found),
            Self::Absent | Self::Unknown { .. } => None,
        }
    }

    /// Returns why something could not be looked at: the reason, and what was said.
    pub fn not_done(&self) -> Option<(NotDoneReason, &str)> {
        match self {
            Self::InPart { reason, why, .. } | Self::Unknown { reason, why } => Some((*reason, why)),
            Self::Found(_) | Self::Absent => None,
        }
    }
}

/// What a probe saw.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// Members of the entity's details that this task owns.
    pub details: Details,
    /// Entities it led to.
    pub edges: Vec<Discovery>,
    /// Where it led before, by how and to what, that it could not ask about now: that stays known and is not seen.
    pub standing: BTreeSet<(EdgeKind, Uid)>,
    /// Stored bytes.
    pub evidence: Vec<Evidence>,
    /// What there is beyond what is kept, a sentence each: the report of the run says it.
    pub left_out: Vec<String>,
}

/// An entity that a probe discovered, in canonical form, with the edge that leads there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Discovery {
    /// How.
    pub edge: EdgeKind,
    /// Its kind.
    pub kind: Kind,
    /// Its canonical name.
    pub name: String,
    /// What this probe says about *that* entity (a certificate's members, a service's port). It is kept on the edge and
    /// folded into that entity's details while the edge is open, exactly like an observation of the same task whose
    /// argument is the name of the entity that leads there. Empty for most discoveries.
    pub details: Details,
}

/// The label of the evidence that is the body of a page: rules look at it.
pub const BODY: &str = "response";

/// How the label of evidence begins that is one exchange over HTTP: the head of the request as it was sent, then the
/// answer. What it shows, and the path where a probe asks for several, stand behind it.
pub const EXCHANGE: &str = "exchange ";

/// The label of evidence that is a picture of a page as a browser shows it (PNG).
pub const SCREENSHOT: &str = "screenshot";

/// The label of evidence that is a certificate as it was shown (DER).
pub const CERTIFICATE: &str = "certificate";

/// Bytes that back an observation; stored as a blob under their hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// What it is: `response`, `certificate`, `banner` …
    pub label: String,
    /// The bytes, at most 1 MiB.
    pub bytes: Vec<u8>,
}

/// An open observation interval as the fold and the judges see it.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// The task that reported it.
    pub task: String,
    /// The argument it was given (`""` for most tasks).
    pub argument: String,
    /// The members it owns.
    pub details: Details,
}

/// Returns true if two answers are equal apart from the task's volatile members.
pub fn same_answer(old: &Details, new: &Details, volatile: &[&str]) -> bool {
    let stable = |details: &Details| details.iter().filter(|(key, _)| !volatile.contains(&key.as_str())).count();
    stable(old) == stable(new)
        && old
            .iter()
            .filter(|(key, _)| !volatile.contains(&key.as_str()))
            .all(|(key, value)| new.get(key) == Some(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn answers_are_the_same_when_only_volatile_members_differ() {
        let details = |text: serde_json::Value| text.as_object().cloned().unwrap_or_default();
        let old = details(json!({"title": "a", "date": 1}));
        assert!(same_answer(&old, &details(json!({"title": "a", "date": 2})), &["date"]));
        assert!(!same_answer(&old, &details(json!({"title": "b", "date": 1})), &["date"]));
        assert!(!same_answer(&old, &details(json!({"date": 1})), &["date"]));
        assert!(!same_answer(&old, &details(json!({"title": "a", "date": 1, "more": true})), &["date"]));
    }
}
