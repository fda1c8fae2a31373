//! Facts for tests, in one line each, and the samples that every judge must bring: one that it reports, a near-miss
//! twin that it must not, and one whose looks are missing.

use ambit_model::edge::EdgeKind;
use ambit_model::facts::{LastProbe, Neighbour, ProbeOutcome};
use ambit_model::scope::Decision;
use ambit_model::seeds::Seeds;
use ambit_model::{Clearance, Facts, Kind, TaskName, Timestamp, Uid};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The wire date of all samples.
pub(crate) const DATE: &str = "2026-06-01T12:00:00Z";

/// What one judge brings.
#[derive(Default)]
pub(crate) struct Samples {
    /// Facts, and the discriminators it must report.
    pub(crate) reports: Vec<(Facts, Vec<&'static str>)>,
    /// Facts that look alike and are clear.
    pub(crate) near_misses: Vec<Facts>,
    /// Facts of which nothing may be said.
    pub(crate) unknown: Vec<Facts>,
}

impl Samples {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Must be reported, once.
    pub(crate) fn reports(self, facts: Facts) -> Self {
        self.reports_each(facts, &[""])
    }

    /// Must be reported, once for each discriminator.
    pub(crate) fn reports_each(mut self, facts: Facts, discriminators: &[&'static str]) -> Self {
        self.reports.push((facts, discriminators.to_vec()));
        self
    }

    /// Looks alike and must be clear.
    pub(crate) fn near_miss(mut self, facts: Facts) -> Self {
        self.near_misses.push(facts);
        self
    }

    /// Nothing may be said.
    pub(crate) fn unknown(mut self, facts: Facts) -> Self {
        self.unknown.push(facts);
        self
    }
}

/// Facts of a present, scoped entity of which nothing is known yet.
pub(crate) fn facts(kind: Kind, name: &str) -> Facts {
    Facts {
        uid: Uid::from_bytes([1; 32]),
        kind,
        name: kind.canonical(name).unwrap(),
        seed: false,
        present: true,
        decision: Decision {
            ownership: 990,
            clearance: Clearance::L3,
            reason: "subdomain".into(),
            path: Vec::new(),
            evidence: Vec::new(),
        },
        details: serde_json::Map::new(),
        probes: BTreeMap::new(),
        inward: Vec::new(),
        outward: Vec::new(),
        seeds: Arc::new(Seeds::from_iter([(Kind::Domain, "acme.test".to_owned())])),
        vulnerabilities: None,
        maintained: Vec::new(),
    }
}

/// A neighbour of which nothing is known.
pub(crate) fn neighbour(edge: EdgeKind, kind: Kind, name: &str, scoped: bool, details: Value) -> Neighbour {
    Neighbour {
        edge,
        task: "sample".to_owned(),
        argument: String::new(),
        uid: Uid::from_bytes([2; 32]),
        kind,
        name: kind.canonical(name).unwrap(),
        scoped,
        by_evidence: false,
        clearance: Clearance::L2,
        details: details.as_object().cloned().unwrap_or_default().into(),
    }
}

/// Reading aids for samples.
pub(crate) trait Told: Sized {
    /// Adds members.
    fn with(self, details: Value) -> Self;
    /// The task looked and found something.
    fn found(self, task: TaskName) -> Self;
    /// The task's look at an argument found something.
    fn found_at(self, task: TaskName, argument: &str) -> Self;
    /// The task looked and found something; the rest could not be looked at.
    fn found_in_part(self, task: TaskName) -> Self;
    /// The same of the task's look at an argument.
    fn found_in_part_at(self, task: TaskName, argument: &str) -> Self;
    /// The task's look at an argument found nothing.
    fn absent_at(self, task: TaskName, argument: &str) -> Self;
    /// The task looked and found nothing.
    fn absent(self, task: TaskName) -> Self;
    /// The task's look failed.
    fn failed(self, task: TaskName) -> Self;
    /// The task's look at an argument failed.
    fn failed_at(self, task: TaskName, argument: &str) -> Self;
    /// An open edge away.
    fn leads_to(self, neighbour: Neighbour) -> Self;
    /// An open edge from elsewhere.
    fn led_from(self, neighbour: Neighbour) -> Self;
    /// A person gave it.
    fn seed(self) -> Self;
}

impl Told for Facts {
    fn with(mut self, details: Value) -> Self {
        self.details.extend(details.as_object().cloned().unwrap_or_default());
        self
    }

    fn found(self, task: TaskName) -> Self {
        look(self, task, "", ProbeOutcome::Found)
    }

    fn found_at(self, task: TaskName, argument: &str) -> Self {
        look(self, task, argument, ProbeOutcome::Found)
    }

    fn found_in_part(self, task: TaskName) -> Self {
        look(self, task, "", ProbeOutcome::InPart)
    }

    fn found_in_part_at(self, task: TaskName, argument: &str) -> Self {
        look(self, task, argument, ProbeOutcome::InPart)
    }

    fn absent_at(self, task: TaskName, argument: &str) -> Self {
        look(self, task, argument, ProbeOutcome::Absent)
    }

    fn absent(self, task: TaskName) -> Self {
        look(self, task, "", ProbeOutcome::Absent)
    }

    fn failed(self, task: TaskName) -> Self {
        look(self, task, "", ProbeOutcome::Unknown)
    }

    fn failed_at(self, task: TaskName, argument: &str) -> Self {
        look(self, task, argument, ProbeOutcome::Unknown)
    }

    fn leads_to(mut self, neighbour: Neighbour) -> Self {
        self.outward.push(neighbour);
        self
    }

    fn led_from(mut self, neighbour: Neighbour) -> Self {
        self.inward.push(neighbour);
        self
    }

    fn seed(mut self) -> Self {
        self.seed = true;
        self
    }
}

fn look(mut facts: Facts, task: TaskName, argument: &str, outcome: ProbeOutcome) -> Facts {
    let look = LastProbe::new(outcome, Timestamp::parse(DATE).unwrap(), 1);
    facts.probes.entry(task).or_default().insert(argument.to_owned(), look);
    facts
}
