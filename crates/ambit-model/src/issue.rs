//! Issues: severity, confidence, statuses and what they mean (docs/contract/asm.md §5), and what a judge or check
//! reports.

use crate::names::names;
use crate::{Kind, Timestamp, Uid};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

/// The number of critical severity; the larger a number, the less severe.
pub const SEVERITY_CRITICAL: i64 = 1;
/// The number of high severity.
pub const SEVERITY_HIGH: i64 = 2;
/// The number of medium severity.
pub const SEVERITY_MEDIUM: i64 = 3;
/// The number of low severity.
pub const SEVERITY_LOW: i64 = 4;
/// The number of what is only informational.
pub const SEVERITY_INFO: i64 = 5;

/// Returns the word of a severity; a number beyond the list is informational.
pub fn severity_name(severity: i64) -> &'static str {
    match severity {
        SEVERITY_CRITICAL => "critical",
        SEVERITY_HIGH => "high",
        SEVERITY_MEDIUM => "medium",
        SEVERITY_LOW => "low",
        _ => "info",
    }
}

names! {
    /// `confirmed` only where it was reproduced; inference is `potential`.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Confidence {
        Potential,
        Confirmed,
    }

    /// The life of an issue (docs/contract/asm.md §5.4).
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Status {
        OpenNew,
        OpenTriaged,
        OpenInProgress,
        Closed,
        ClosedMitigated,
        ClosedResolved,
        ClosedDuplicate,
        ClosedOutOfScope,
        ClosedBenign,
        ClosedRiskAccepted,
        ClosedFalsePositive,
        /// Clients write `closed_no_reproduce` as well.
        #[strum(to_string = "closed_no_repro", serialize = "closed_no_reproduce")]
        ClosedNoRepro,
        ClosedTrackedExternally,
    }
}

impl Status {
    /// `status_new`: the part before the first `_`.
    pub fn coarse(self) -> &'static str {
        if self.is_open() { "open" } else { "closed" }
    }

    /// `status_new_detailed`: the rest; for plain `closed` it is `closed` too.
    pub fn detailed(self) -> &'static str {
        let name = self.name();
        name.split_once('_').map_or(name, |(_, rest)| rest)
    }

    /// One of the three open ones.
    pub fn is_open(self) -> bool {
        matches!(self, Self::OpenNew | Self::OpenTriaged | Self::OpenInProgress)
    }

    /// Returns the status after another proof: what the engine closed is reopened, and what a person decided stays
    /// (docs/architecture.md §1.4).
    pub fn after_proof(self) -> Self {
        match self {
            Self::Closed | Self::ClosedResolved | Self::ClosedMitigated => Self::OpenNew,
            other => other,
        }
    }

    /// Returns whether the status says something of a fact that is there: open, or closed by a person's decision
    /// (accepted, benign, a duplicate …), which holds while the fact stays.
    pub fn rests_on_fact(self) -> bool {
        !matches!(self, Self::Closed | Self::ClosedResolved | Self::ClosedMitigated)
    }

    /// Returns the status after two probes that ended as absent: the fact is gone, and a decision on it ends with it.
    pub fn after_absence(self) -> Self {
        if self.rests_on_fact() { Self::ClosedResolved } else { self }
    }
}

/// How long a person's decision on an issue holds while the fact stays. Written as a moment, or as `change`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Until {
    /// The issue is open again at this moment.
    Moment(Timestamp),
    /// The issue is open again when its proof or its severity changes.
    Change,
}

impl Until {
    /// The word for [`Until::Change`].
    pub const CHANGE: &'static str = "change";

    /// Reads `change`, a moment, or a date, which means the end of that day (UTC); `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        if text == Self::CHANGE {
            return Some(Self::Change);
        }
        Timestamp::parse_end(text).map(Self::Moment)
    }
}

impl std::fmt::Display for Until {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Moment(moment) => moment.fmt(out),
            Self::Change => out.write_str(Self::CHANGE),
        }
    }
}

impl From<Until> for String {
    fn from(until: Until) -> Self {
        until.to_string()
    }
}

impl TryFrom<String> for Until {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text).ok_or_else(|| format!("{text:?} is neither a moment nor {}", Self::CHANGE))
    }
}

/// What a person decided on an issue by setting its status.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// The username.
    pub by: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// `None`: while the fact stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Until>,
}

impl Decision {
    /// The moment at which it ends, if one was named.
    pub fn ends_at(&self) -> Option<Timestamp> {
        match self.until {
            Some(Until::Moment(moment)) => Some(moment),
            Some(Until::Change) | None => None,
        }
    }

    /// Returns whether it is over by `now`, `changed` saying whether proof or severity are others than before.
    pub fn is_over(&self, now: Timestamp, changed: bool) -> bool {
        match self.until {
            Some(Until::Moment(moment)) => moment <= now,
            Some(Until::Change) => changed,
            None => false,
        }
    }
}

/// An identifier such as a CVE.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identifier {
    #[serde(rename = "type")]
    pub kind: String,
    pub name: String,
}

/// A reference of an issue's kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    pub uri: String,
    /// `description`, `remediation`, `detection_rule`, `exploit`, `threat_intel`.
    #[serde(rename = "type")]
    pub kind: String,
}

/// What a judge or a check can report, as data: the library page and the texts of each issue.
#[derive(Clone, Debug, PartialEq)]
pub struct IssueKind {
    /// `snake_case`; completes "this entity has …".
    pub name: &'static str,
    pub pretty_name: &'static str,
    /// 1 (critical) to 5 (informational).
    pub severity: i64,
    pub confidence: Confidence,
    /// `misconfiguration`, `vulnerability`, `leak`, `compromise`, `threat`, `application`, `unknown`.
    pub category: &'static str,
    /// The day it was written, `YYYY-MM-DD`.
    pub added: &'static str,
    pub description: &'static str,
    pub remediation: &'static str,
    /// (uri, type).
    pub references: &'static [(&'static str, &'static str)],
}

/// The verdict of a judge or check on one entity.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The issue is there: one proof for each discriminator.
    Proven(Vec<Proof>),
    /// The probes that it needs succeeded, and it is not there.
    Clear,
    /// The facts it needs are missing; nothing follows.
    Unknown,
}

/// Why an issue is reported.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Proof {
    /// Tells several issues of one kind on one entity apart; `""` where there can be only one. Never a volatile value.
    pub discriminator: String,
    /// One sentence for a person.
    pub description: String,
    /// The facts it rests on. Never a volatile value (dates relative to now, nonces): the record would change on every
    /// run.
    pub details: Value,
    /// Overrides the kind's severity where the proof says more.
    pub severity: Option<i64>,
    /// Overrides the kind's confidence where this one was reproduced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Confidence>,
    /// CVE and the like.
    pub identifiers: Vec<Identifier>,
    /// What the issue is called, and what it is, where the proof says more than the kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<Box<Words>>,
    /// How likely it is exploited, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exploitation: Option<Box<Exploitation>>,
}

/// The texts of an issue that are not those of its kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Words {
    pub pretty_name: String,
    pub description: String,
    /// More is said there.
    pub references: Vec<String>,
}

/// How likely a vulnerability is exploited.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exploitation {
    /// It is in CISA's catalogue of known exploited vulnerabilities.
    pub known: bool,
    /// EPSS, from 0 to 1.
    pub epss_score: Option<f64>,
    pub epss_percentile: Option<f64>,
}

/// One state of an issue, as versions keep it and the API shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IssueRecord {
    pub uid: Uid,
    pub collection: Uuid,
    pub name: String,
    pub pretty_name: String,
    pub upstream: String,
    pub discriminator: String,
    pub entity_uid: Uid,
    pub entity_kind: Kind,
    pub entity_name: String,
    pub severity: i64,
    pub confidence: Confidence,
    pub category: String,
    pub status: Status,
    /// The entity's, at the time.
    pub scoped: bool,
    pub description: String,
    pub identifiers: Option<Vec<Identifier>>,
    /// The contract's `details`: name, added, proof, source, category, severity, references, description, pretty_name,
    /// remediation.
    pub details: Value,
    pub tags: Vec<String>,
    pub ticket_list: Option<Vec<Value>>,
    /// `None` where the status is the engine's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decision>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exploitation: Option<Exploitation>,
    /// The username of who is to see to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
}

impl IssueRecord {
    /// Takes a status from the engine, with which a person's decision ends.
    pub fn move_to(&mut self, status: Status) {
        self.status = status;
        self.decision = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_are_spelled_as_the_contract_spells_them() {
        for (name, coarse, detailed) in [
            ("open_new", "open", "new"),
            ("open_triaged", "open", "triaged"),
            ("open_in_progress", "open", "in_progress"),
            ("closed", "closed", "closed"),
            ("closed_mitigated", "closed", "mitigated"),
            ("closed_resolved", "closed", "resolved"),
            ("closed_duplicate", "closed", "duplicate"),
            ("closed_out_of_scope", "closed", "out_of_scope"),
            ("closed_benign", "closed", "benign"),
            ("closed_risk_accepted", "closed", "risk_accepted"),
            ("closed_false_positive", "closed", "false_positive"),
            ("closed_no_repro", "closed", "no_repro"),
            ("closed_tracked_externally", "closed", "tracked_externally"),
        ] {
            let status = Status::from_name(name).unwrap();
            assert_eq!((status.name(), status.coarse(), status.detailed()), (name, coarse, detailed));
            assert_eq!(serde_json::to_value(status).unwrap(), name);
        }
        assert_eq!(Status::from_name("closed_no_reproduce"), Some(Status::ClosedNoRepro));
        for text in ["", "open", "OPEN_NEW", "closed_", "fixed"] {
            assert_eq!(Status::from_name(text), None, "{text}");
        }
    }

    #[test]
    fn proof_reopens_what_machines_closed_and_leaves_a_persons_word() {
        let reopened = [Status::Closed, Status::ClosedResolved, Status::ClosedMitigated];
        for status in Status::ALL.iter().copied() {
            let expected = if reopened.contains(&status) { Status::OpenNew } else { status };
            assert_eq!(status.after_proof(), expected, "{status:?}");
        }
    }

    #[test]
    fn absence_resolves_what_is_open_and_what_a_person_decided_while_the_fact_was_there() {
        let over = [Status::Closed, Status::ClosedResolved, Status::ClosedMitigated];
        for status in Status::ALL.iter().copied() {
            let expected = if over.contains(&status) { status } else { Status::ClosedResolved };
            assert_eq!(status.after_absence(), expected, "{status:?}");
            assert_eq!(status.after_absence().after_absence(), expected);
        }
        assert_eq!(Status::ClosedRiskAccepted.after_absence().after_proof(), Status::OpenNew);
    }

    #[test]
    fn an_end_is_a_moment_a_day_or_a_change() {
        for (text, shown) in [
            ("change", Some("change")),
            ("2027-01-31", Some("2027-01-31T23:59:59.999Z")),
            ("2027-01-31T12:00:00Z", Some("2027-01-31T12:00:00.000Z")),
            ("tomorrow", None),
            ("", None),
        ] {
            let until = Until::parse(text);
            assert_eq!(until.map(|until| until.to_string()).as_deref(), shown, "{text}");
            if let Some(until) = until {
                let stored = serde_json::to_string(&until).unwrap();
                assert_eq!(serde_json::from_str::<Until>(&stored).unwrap(), until);
            }
        }
    }
}
