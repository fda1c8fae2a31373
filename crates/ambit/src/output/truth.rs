//! How a run on a simulated internet did: what was planted against what was found (docs/architecture.md §3: computed
//! after the run, by the binary alone).

use ambit_model::Kind;
use ambit_model::scope::Exclusions;
use ambit_world::{Truth, Verdict};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// What the inventory holds: present entities with whether they are scoped, and open issues by name, kind and entity
/// name.
#[derive(Debug, Default)]
pub(crate) struct Inventory {
    pub(crate) entities: BTreeSet<(Kind, String)>,
    pub(crate) scoped: BTreeSet<(Kind, String)>,
    pub(crate) issues: BTreeSet<(String, Kind, String)>,
    /// Issues that a person closed by a decision: they are found, and nobody asks for them any more.
    pub(crate) decided: BTreeSet<(String, Kind, String)>,
}

/// The comparison, as texts that name each difference.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Score {
    pub(crate) planted: usize,
    pub(crate) found: usize,
    pub(crate) missed: Vec<String>,
    pub(crate) unexpected: Vec<String>,
}

/// Compares. What the truth does not score counts neither way, nor does the absence of what was never to be looked at.
pub(crate) fn score(truth: &Truth, inventory: &Inventory, never: &Exclusions) -> Score {
    // An entity that is only mentioned must be known, whoever owns it.
    let holds = |key: &&(Kind, String)| {
        let there = if key.0.is_known_by_mention() { &inventory.entities } else { &inventory.scoped };
        there.contains(*key)
    };
    let (found, missed): (Vec<_>, Vec<_>) =
        truth.entities.iter().filter(|key| holds(key) || !never.cover(&key.1)).partition(holds);
    let is_known = |key: &&(String, Kind, String)| inventory.issues.contains(*key) || inventory.decided.contains(*key);
    let (proven, unproven): (Vec<_>, Vec<_>) =
        truth.issues.iter().filter(|key| is_known(key) || !never.cover(&key.2)).partition(is_known);
    let mut score = Score {
        planted: found.len() + missed.len() + proven.len() + unproven.len(),
        found: found.len() + proven.len(),
        ..Score::default()
    };
    score.missed.extend(missed.iter().map(|(kind, name)| format!("{} {name}", kind.name())));
    score.missed.extend(unproven.iter().map(|(issue, kind, name)| format!("{issue} on {} {name}", kind.name())));
    let extra = inventory.scoped.iter().filter(|(kind, name)| truth.entity(*kind, name) == Verdict::Unexpected);
    score.unexpected.extend(extra.map(|(kind, name)| format!("{} {name}", kind.name())));
    let extra =
        inventory.issues.iter().filter(|(issue, kind, name)| truth.issue(issue, *kind, name) == Verdict::Unexpected);
    score.unexpected.extend(extra.map(|(issue, kind, name)| format!("{issue} on {} {name}", kind.name())));
    score
}

impl Score {
    /// Adds the figures to the summary; the names of what differs go beside them.
    pub(crate) fn add_to(&self, summary: &mut Value, outside: &[String]) {
        let figures = json!({
            "planted": self.planted,
            "found": self.found,
            "missed": self.missed.len(),
            "unexpected": self.unexpected.len(),
            "contacts_outside_clearance": outside.len(),
            "missed_names": self.missed,
            "unexpected_names": self.unexpected,
            "contacts": outside,
        });
        if let (Some(summary), Value::Object(figures)) = (summary.as_object_mut(), figures) {
            summary.extend(figures);
        }
    }
}
