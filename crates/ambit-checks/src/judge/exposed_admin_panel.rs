//! A database administration that anyone can open.

use super::Judge;
use crate::exposure;
use crate::look::shown;
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_MEDIUM, Verdict};
use ambit_model::{Facts, Kind, TaskName, Timestamp};

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "exposed_admin_panel",
        pretty_name: "Administration panel is exposed",
        severity: SEVERITY_MEDIUM,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "The sign-in page of a tool that administers databases is public. Its password can be guessed from \
                      anywhere, and its own flaws can be used by everybody.",
        remediation: "Let only the administrators reach the tool, through a private network or a gateway that asks who is \
                      there, or remove it.",
        references: &[
            ("https://cwe.mitre.org/data/definitions/419.html", "description"),
            ("https://owasp.org/Top10/A05_2021-Security_Misconfiguration/", "remediation"),
        ],
    },
    applies_to: &[Kind::Uri],
    reads: &[TaskName::ContentFocus],
    judge,
};

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    exposure::judge(facts, &["admin_panel"], |path| {
        format!("{} lets everybody open its administration at {}.", facts.name, shown(path))
    })
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    exposure::sample::samples("admin_panel", "/phpmyadmin/", "server_status")
}
