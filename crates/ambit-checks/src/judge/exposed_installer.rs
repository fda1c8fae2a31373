//! A set-up wizard that waits for whoever comes first.

use super::Judge;
use crate::exposure;
use crate::look::shown;
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_HIGH, Verdict};
use ambit_model::{Facts, Kind, TaskName, Timestamp};

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "exposed_installer",
        pretty_name: "Installer is exposed",
        severity: SEVERITY_HIGH,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "The set-up of an application was not finished or not removed: whoever opens it first may choose the \
                      administrator and take the application over, often the server with it.",
        remediation: "Finish the installation and remove its pages, or let only the administrators reach them until then.",
        references: &[
            ("https://cwe.mitre.org/data/definitions/1188.html", "description"),
            ("https://owasp.org/Top10/A05_2021-Security_Misconfiguration/", "remediation"),
        ],
    },
    applies_to: &[Kind::Uri],
    reads: &[TaskName::ContentFocus],
    judge,
};

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    exposure::judge(facts, &["installer"], |path| {
        format!("{} offers its installation to everybody at {}.", facts.name, shown(path))
    })
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    exposure::sample::samples("installer", "/install.php", "server_status")
}
