//! A console that runs scripts on the server for whoever asks.

use super::Judge;
use crate::exposure;
use crate::look::shown;
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_CRITICAL, Verdict};
use ambit_model::{Facts, Kind, TaskName, Timestamp};

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "exposed_script_console",
        pretty_name: "Script console is exposed",
        severity: SEVERITY_CRITICAL,
        confidence: Confidence::Confirmed,
        category: "vulnerability",
        added: "2026-11-21",
        description: "The script console of a build server is open to strangers. It runs any code on the server, with all \
                      that the server may reach: sources, credentials, the machines that it deploys to.",
        remediation: "Switch authentication on, let nobody but administrators use the console, and keep the server within \
                      the own network. Treat its credentials as known to strangers.",
        references: &[
            ("https://www.jenkins.io/doc/book/managing/script-console/", "description"),
            ("https://www.jenkins.io/doc/book/security/", "remediation"),
        ],
    },
    applies_to: &[Kind::Uri],
    reads: &[TaskName::ContentFocus],
    judge,
};

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    exposure::judge(facts, &["script_console"], |path| {
        format!("{} runs scripts for everybody at {}.", facts.name, shown(path))
    })
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    exposure::sample::samples("script_console", "/script", "server_status")
}
