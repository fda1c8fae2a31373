//! A configuration file that anyone can fetch.

use super::Judge;
use crate::exposure;
use crate::look::shown;
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_HIGH, Verdict};
use ambit_model::{Facts, Kind, TaskName, Timestamp};

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "exposed_configuration_file",
        pretty_name: "Configuration file is exposed",
        severity: SEVERITY_HIGH,
        confidence: Confidence::Confirmed,
        category: "leak",
        added: "2026-11-21",
        description: "The web server hands out a configuration or password file of the application. Such files hold credentials, or \
                      hashes that can be guessed at leisure.",
        remediation: "Move the file out of the folder that is served or refuse its name, and change every secret that it holds.",
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
    exposure::judge(facts, &["config_file", "htpasswd", "wp_config"], |path| {
        format!("{} serves a configuration file at {}.", facts.name, shown(path))
    })
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    exposure::sample::samples("wp_config", "/wp-config.php.bak", "env_file")
}
