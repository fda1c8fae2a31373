//! Measurements of a service that anyone can read.

use super::Judge;
use crate::exposure;
use crate::look::shown;
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_LOW, Verdict};
use ambit_model::{Facts, Kind, TaskName, Timestamp};

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "exposed_metrics",
        pretty_name: "Metrics are exposed",
        severity: SEVERITY_LOW,
        confidence: Confidence::Confirmed,
        category: "leak",
        added: "2026-11-21",
        description: "The measurements of a service are public. They tell strangers about versions, load, internal names and how the \
                      service is built, and sometimes count its customers.",
        remediation: "Let only the monitoring system reach the endpoint, or ask for authentication.",
        references: &[
            ("https://prometheus.io/docs/operating/security/", "remediation"),
            ("https://cwe.mitre.org/data/definitions/497.html", "description"),
        ],
    },
    applies_to: &[Kind::Uri],
    reads: &[TaskName::ContentFocus],
    judge,
};

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    exposure::judge(facts, &["metrics"], |path| {
        format!("{} shows its metrics at {}.", facts.name, shown(path))
    })
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    exposure::sample::samples("metrics", "/metrics", "server_status")
}
