//! Counts over the library, and its lists as CSV (docs/contract/asm.md §8.4 names the paths; the members are ours).

use crate::csv;
use crate::shape::{COUNTS, INTEGER, Object, Shape, member, optional};
use ambit_model::Clearance;
use ambit_model::library::Library;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// How many of each word.
fn counts<'a>(words: impl Iterator<Item = &'a str>) -> BTreeMap<&'a str, i64> {
    let mut counts = BTreeMap::new();
    for word in words {
        *counts.entry(word).or_insert(0) += 1;
    }
    counts
}

/// Counts of entity kinds.
pub fn kinds(library: &Library) -> Value {
    let creatable = library.kinds.iter().filter(|kind| kind.user_creatable).count();
    json!({"total": library.kinds.len(), "user_creatable": creatable})
}

/// Counts of tasks: passive ones contact nobody but resolvers and data providers.
pub fn tasks(library: &Library) -> Value {
    let passive = library.tasks.iter().filter(|task| task.footprint <= Clearance::L1).count();
    json!({"total": library.tasks.len(), "passive": passive, "active": library.tasks.len() - passive})
}

/// Counts of issue kinds.
pub fn issues(library: &Library) -> Value {
    let severities: Vec<String> = library.issues.iter().map(|issue| issue.severity.to_string()).collect();
    json!({
        "total": library.issues.len(),
        "by_severity": counts(severities.iter().map(String::as_str)),
        "by_category": counts(library.issues.iter().map(|issue| issue.category.as_str())),
        "by_status": counts(library.issues.iter().map(|issue| issue.confidence.as_str())),
    })
}

/// Counts of products that can be recognised.
pub fn fingerprints(library: &Library) -> Value {
    let tags = library.fingerprints.iter().flat_map(|entry| entry.tags.iter().map(String::as_str));
    json!({
        "total": library.fingerprints.len(),
        "vendors": counts(library.fingerprints.iter().map(|entry| entry.vendor.as_str())).len(),
        "by_tag": counts(tags),
    })
}

/// How much of everything there is.
pub fn catalog(library: &Library) -> Value {
    json!({
        "entities": library.kinds.len(),
        "tasks": library.tasks.len(),
        "issues": library.issues.len(),
        "fingerprints": library.fingerprints.len(),
    })
}

/// Issue kinds as CSV.
pub fn issues_csv(library: &Library) -> String {
    let head = [
        "name",
        "pretty_name",
        "severity",
        "category",
        "status",
        "added",
        "description",
        "remediation",
    ];
    let rows = library.issues.iter().map(|issue| {
        let severity = issue.severity.to_string();
        let texts = [
            &issue.name,
            &issue.pretty_name,
            &severity,
            &issue.category,
            &issue.confidence,
            &issue.added,
        ];
        let texts = texts.into_iter().chain([&issue.description, &issue.remediation]);
        texts.cloned().collect::<Vec<String>>()
    });
    csv::document(&head, rows)
}

/// Tasks as CSV; kinds are separated by blanks.
pub fn tasks_csv(library: &Library) -> String {
    let head = ["name", "pretty_name", "passive", "allowed_types", "created_types", "description"];
    let rows = library.tasks.iter().map(|task| {
        let names = |kinds: &[ambit_model::Kind]| kinds.iter().map(|kind| kind.type_name()).collect::<Vec<_>>().join(" ");
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

/// Counts of entity kinds.
pub static KIND_STATS: Shape = Shape::Object(&Object {
    name: "LibraryEntityStats",
    members: &[member("total", INTEGER), member("user_creatable", INTEGER)],
    open: false,
});

/// Counts of tasks.
pub static TASK_STATS: Shape = Shape::Object(&Object {
    name: "LibraryTaskStats",
    members: &[member("total", INTEGER), member("passive", INTEGER), member("active", INTEGER)],
    open: false,
});

/// Counts of issue kinds.
pub static ISSUE_STATS: Shape = Shape::Object(&Object {
    name: "LibraryIssueStats",
    members: &[
        member("total", INTEGER),
        member("by_severity", COUNTS),
        member("by_category", COUNTS),
        member("by_status", COUNTS),
    ],
    open: false,
});

/// Counts of products that can be recognised.
pub static FINGERPRINT_STATS: Shape = Shape::Object(&Object {
    name: "LibraryFingerprintStats",
    members: &[member("total", INTEGER), member("vendors", INTEGER), optional("by_tag", COUNTS)],
    open: false,
});

/// How much of everything there is.
pub static CATALOG_STATS: Shape = Shape::Object(&Object {
    name: "LibraryCatalogStats",
    members: &[
        member("entities", INTEGER),
        member("tasks", INTEGER),
        member("issues", INTEGER),
        member("fingerprints", INTEGER),
    ],
    open: false,
});
