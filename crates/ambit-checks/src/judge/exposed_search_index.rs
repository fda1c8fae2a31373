//! A search engine that shows its data to everybody.

use super::Judge;
use crate::exposure;
use crate::look::shown;
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_HIGH, Verdict};
use ambit_model::{Facts, Kind, TaskName, Timestamp};

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "exposed_search_index",
        pretty_name: "Search engine is open to everybody",
        severity: SEVERITY_HIGH,
        confidence: Confidence::Confirmed,
        category: "leak",
        added: "2026-11-21",
        description: "A search engine answers requests of strangers and names its indices. Whoever finds it can read the \
                      documents in them, and often change or delete them.",
        remediation: "Bind the service to internal addresses and switch its authentication on. Assume that the data was \
                      read.",
        references: &[
            (
                "https://www.elastic.co/guide/en/elasticsearch/reference/current/security-minimal-setup.html",
                "remediation",
            ),
            ("https://cwe.mitre.org/data/definitions/306.html", "description"),
        ],
    },
    applies_to: &[Kind::Uri],
    reads: &[TaskName::ContentFocus],
    judge,
};

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    exposure::judge(facts, &["search_index"], |path| {
        format!("{} names its indices at {}.", facts.name, shown(path))
    })
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    exposure::sample::samples("search_index", "/_cat/indices", "server_status")
}
