//! A file of settings and secrets that anyone can fetch.

use super::Judge;
use crate::exposure;
use crate::look::shown;
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_CRITICAL, Verdict};
use ambit_model::{Facts, Kind, TaskName, Timestamp};

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "exposed_environment_file",
        pretty_name: "Environment file is exposed",
        severity: SEVERITY_CRITICAL,
        confidence: Confidence::Confirmed,
        category: "leak",
        added: "2026-11-21",
        description: "The web server hands out the environment file of an application. Such files hold passwords of databases and \
                      mail servers, keys of cloud accounts and the secret that signs sessions.",
        remediation: "Remove the file from the folder that is served, and refuse names that begin with a dot. Then change every \
                      secret that it holds: it must be taken as read.",
        references: &[
            ("https://cwe.mitre.org/data/definitions/538.html", "description"),
            (
                "https://cheatsheetseries.owasp.org/cheatsheets/Secrets_Management_Cheat_Sheet.html",
                "remediation",
            ),
        ],
    },
    applies_to: &[Kind::Uri],
    reads: &[TaskName::ContentFocus],
    judge,
};

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    exposure::judge(facts, &["env_file"], |path| {
        format!("{} serves the environment file {}.", facts.name, shown(path))
    })
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    exposure::sample::samples("env_file", "/.env", "php_info")
}
