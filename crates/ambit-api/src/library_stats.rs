//! Counts over the library, and its lists as CSV (docs/contract/asm.md §8.4 names the paths; the members are ours).

use crate::contract::{Maybe, contract};
use crate::csv;
use ambit_model::Clearance;
use ambit_model::library::Library;
use serde::Serialize;
use std::collections::BTreeMap;

/// How many of each word.
type Counts = BTreeMap<String, i64>;

contract! {
    /// Counts of entity kinds.
    #[derive(Debug, Serialize)]
    pub struct LibraryEntityStats {
        pub total: usize,
        pub user_creatable: usize,
    }

    /// Counts of tasks: passive ones contact nobody but resolvers and data providers.
    #[derive(Debug, Serialize)]
    pub struct LibraryTaskStats {
        pub total: usize,
        pub passive: usize,
        pub active: usize,
    }

    /// Counts of issue kinds.
    #[derive(Debug, Serialize)]
    pub struct LibraryIssueStats {
        pub total: usize,
        pub by_severity: Counts,
        pub by_category: Counts,
        pub by_status: Counts,
    }

    /// Counts of products that can be recognised.
    #[derive(Debug, Serialize)]
    pub struct LibraryFingerprintStats {
        pub total: usize,
        pub vendors: usize,
        pub by_tag: Maybe<Counts>,
    }

    /// How much of everything there is.
    #[derive(Debug, Serialize)]
    pub struct LibraryCatalogStats {
        pub entities: usize,
        pub tasks: usize,
        pub issues: usize,
        pub fingerprints: usize,
    }
}

fn counts(words: impl Iterator<Item = String>) -> Counts {
    let mut counts = BTreeMap::new();
    for word in words {
        *counts.entry(word).or_insert(0) += 1;
    }
    counts
}

impl From<&Library> for LibraryEntityStats {
    fn from(library: &Library) -> Self {
        Self {
            total: library.kinds.len(),
            user_creatable: library.kinds.iter().filter(|kind| kind.user_creatable).count(),
        }
    }
}

impl From<&Library> for LibraryTaskStats {
    fn from(library: &Library) -> Self {
        let passive = library.tasks.iter().filter(|task| task.footprint <= Clearance::L1).count();
        Self { total: library.tasks.len(), passive, active: library.tasks.len() - passive }
    }
}

impl From<&Library> for LibraryIssueStats {
    fn from(library: &Library) -> Self {
        Self {
            total: library.issues.len(),
            by_severity: counts(library.issues.iter().map(|issue| issue.severity.to_string())),
            by_category: counts(library.issues.iter().map(|issue| issue.category.clone())),
            by_status: counts(library.issues.iter().map(|issue| issue.confidence.clone())),
        }
    }
}

impl From<&Library> for LibraryFingerprintStats {
    fn from(library: &Library) -> Self {
        Self {
            total: library.fingerprints.len(),
            vendors: counts(library.fingerprints.iter().map(|entry| entry.vendor.clone())).len(),
            by_tag: Maybe(Some(counts(library.fingerprints.iter().flat_map(|entry| entry.tags.clone())))),
        }
    }
}

impl From<&Library> for LibraryCatalogStats {
    fn from(library: &Library) -> Self {
        Self {
            entities: library.kinds.len(),
            tasks: library.tasks.len(),
            issues: library.issues.len(),
            fingerprints: library.fingerprints.len(),
        }
    }
}

/// Issue kinds as CSV.
pub fn issues_csv(library: &Library) -> String {
    let head = ["name", "pretty_name", "severity", "category", "status", "added", "description", "remediation"];
    let rows = library.issues.iter().map(|issue| {
        let severity = issue.severity.to_string();
        let texts = [&issue.name, &issue.pretty_name, &severity, &issue.category, &issue.confidence, &issue.added];
        let texts = texts.into_iter().chain([&issue.description, &issue.remediation]);
        texts.cloned().collect::<Vec<String>>()
    });
    csv::document(&head, rows)
}

/// Tasks as CSV; kinds are separated by blanks.
pub fn tasks_csv(library: &Library) -> String {
    let head = ["name", "pretty_name", "passive", "allowed_types", "created_types", "description"];
    let rows = library.tasks.iter().map(|task| {
        let names =
            |kinds: &[ambit_model::Kind]| kinds.iter().map(|kind| kind.type_name()).collect::<Vec<_>>().join(" ");
        vec![
            task.name.clone(),
            task.pretty_name.clone(),
            (task.footprint <= Clearance::L1).to_string(),
            names(&task.watches),
            names(&task.produces),
            task.description.clone(),
        ]
    });
    csv::document(&head, rows)
}
