//! A description of an interface that anyone can read.

use super::Judge;
use crate::exposure;
use crate::look::shown;
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_INFO, Verdict};
use ambit_model::{Facts, Kind, TaskName, Timestamp};

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "exposed_api_document",
        pretty_name: "API document is exposed",
        severity: SEVERITY_INFO,
        confidence: Confidence::Confirmed,
        category: "leak",
        added: "2026-11-21",
        description: "A machine-readable description of an API (OpenAPI or Swagger) is public. For a public API that is as it should \
                      be; for an internal one it hands strangers a map of every call and its parameters.",
        remediation: "Decide whether the API is meant for the public. If not, put the document and the API behind authentication.",
        references: &[
            ("https://spec.openapis.org/oas/latest.html", "description"),
            (
                "https://owasp.org/API-Security/editions/2023/en/0xa9-improper-inventory-management/",
                "remediation",
            ),
        ],
    },
    applies_to: &[Kind::Uri],
    reads: &[TaskName::ContentFocus],
    judge,
};

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    exposure::judge(facts, &["api_document"], |path| {
        format!("{} serves an API document at {}.", facts.name, shown(path))
    })
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    exposure::sample::samples("api_document", "/openapi.json", "graphql")
}
