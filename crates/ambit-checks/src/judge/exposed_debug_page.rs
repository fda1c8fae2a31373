//! A framework in debug mode, which shows anybody how it is built.

use super::Judge;
use crate::exposure;
use crate::look::shown;
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_MEDIUM, Verdict};
use ambit_model::{Facts, Kind, TaskName, Timestamp};

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "exposed_debug_page",
        pretty_name: "Framework runs in debug mode",
        severity: SEVERITY_MEDIUM,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "The site answers errors with pages for its developers, or has a debugger open. They show paths, \
                      settings, code and sometimes secrets; an open console runs commands.",
        remediation: "Switch the debug mode off in production and log errors on the server instead.",
        references: &[
            ("https://cwe.mitre.org/data/definitions/489.html", "description"),
            ("https://cwe.mitre.org/data/definitions/209.html", "description"),
            ("https://owasp.org/Top10/A05_2021-Security_Misconfiguration/", "remediation"),
        ],
    },
    applies_to: &[Kind::Uri],
    reads: &[TaskName::ContentFocus],
    judge,
};

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    exposure::judge(facts, &["debug_page", "debug"], |path| {
        format!("{} shows a page for developers at {}.", facts.name, shown(path))
    })
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    exposure::sample::samples("debug_page", "/0a1b", "server_status")
}
