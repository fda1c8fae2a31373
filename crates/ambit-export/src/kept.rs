//! What a document must hold until its end: kinds of issue that rules are made of, entities that are listed once, and
//! what a report counts. All of it is bounded.

use ambit_api::exports::Finding;
use ambit_model::{Kind, Uid};
use std::collections::BTreeMap;

/// Entities that a document lists once at its end or must not repeat: some 100 bytes of memory each.
pub(crate) const ENTITIES_MAX: usize = 200_000;

/// What is held.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    /// One issue of each name: there are as many as there are judges and exposures.
    pub(crate) kinds: BTreeMap<String, Finding>,
    pub(crate) entities: BTreeMap<Uid, (Kind, String)>,
    pub(crate) report: Report,
}

/// What a report shows.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// The worst open issues.
    pub(crate) worst: Vec<Finding>,
    /// Issues that were closed after the report's date.
    pub(crate) closed: Vec<Finding>,
    pub(crate) closed_count: u64,
    /// Open issues by severity, 1 to 5, beginning at 0.
    pub(crate) by_severity: [u64; 5],
    /// Of those, what came after the report's date for the first time, and what was closed then and has come back.
    pub(crate) new_count: u64,
    pub(crate) back_count: u64,
    /// Open issues by name: how many, worst severity, title.
    pub(crate) by_name: BTreeMap<String, (u64, i64, String)>,
    /// Open issues by kind of entity.
    pub(crate) by_kind: BTreeMap<&'static str, u64>,
}

impl Kept {
    /// Remembers the kind of an issue; returns true for the first of it.
    pub(crate) fn kind(&mut self, finding: &Finding) -> bool {
        if self.kinds.contains_key(&finding.name) {
            return false;
        }
        self.kinds.insert(finding.name.clone(), finding.clone()).is_none()
    }

    /// Remembers an entity; returns true for the first time.
    pub(crate) fn entity(&mut self, uid: Uid, kind: Kind, name: &str) -> bool {
        self.entities.insert(uid, (kind, name.to_owned())).is_none()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.entities.len() > ENTITIES_MAX
    }
}
