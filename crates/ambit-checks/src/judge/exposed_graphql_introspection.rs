//! A GraphQL interface that describes itself to anyone.

use super::Judge;
use crate::exposure;
use crate::look::shown;
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_LOW, Verdict};
use ambit_model::{Facts, Kind, TaskName, Timestamp};

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "exposed_graphql_introspection",
        pretty_name: "GraphQL introspection is enabled",
        severity: SEVERITY_LOW,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "The GraphQL endpoint answers introspection queries from anyone, and so lists every type, query and change that \
                      the application knows, also those that no page uses.",
        remediation: "Switch introspection off in production unless the API is meant for the public, and make sure that every field \
                      checks who asks.",
        references: &[
            ("https://cheatsheetseries.owasp.org/cheatsheets/GraphQL_Cheat_Sheet.html", "remediation"),
            ("https://graphql.org/learn/introspection/", "description"),
        ],
    },
    applies_to: &[Kind::Uri],
    reads: &[TaskName::ContentFocus],
    judge,
};

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    exposure::judge(facts, &["graphql"], |path| {
        format!("{} answers introspection at {}.", facts.name, shown(path))
    })
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    exposure::sample::samples("graphql", "/graphql", "api_document")
}
