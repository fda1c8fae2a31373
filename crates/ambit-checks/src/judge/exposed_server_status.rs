//! A status page of the web server that anyone can read.

use super::Judge;
use crate::exposure;
use crate::look::shown;
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_LOW, Verdict};
use ambit_model::{Facts, Kind, TaskName, Timestamp};

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "exposed_server_status",
        pretty_name: "Server status page is exposed",
        severity: SEVERITY_LOW,
        confidence: Confidence::Confirmed,
        category: "leak",
        added: "2026-11-21",
        description: "The status page of the web server is public. It shows version, load, and the addresses that other visitors are \
                      asking for at this moment, sometimes with tokens in them.",
        remediation: "Let only the monitoring system and administrators reach the page, or switch the module off.",
        references: &[
            ("https://httpd.apache.org/docs/2.4/mod/mod_status.html", "remediation"),
            ("https://cwe.mitre.org/data/definitions/497.html", "description"),
        ],
    },
    applies_to: &[Kind::Uri],
    reads: &[TaskName::ContentFocus],
    judge,
};

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    exposure::judge(facts, &["server_info", "server_status"], |path| {
        format!("{} shows its server status at {}.", facts.name, shown(path))
    })
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    exposure::sample::samples("server_status", "/server-status", "metrics")
}
