//! A private key that anyone can fetch.

use super::Judge;
use crate::exposure;
use crate::look::shown;
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_CRITICAL, Verdict};
use ambit_model::{Facts, Kind, TaskName, Timestamp};

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "exposed_private_key",
        pretty_name: "Private key is exposed",
        severity: SEVERITY_CRITICAL,
        confidence: Confidence::Confirmed,
        category: "leak",
        added: "2026-11-21",
        description: "The web server hands out a file with a private key. Whoever has it can pose as the service or the person that \
                      it belongs to, and read traffic that relied on it.",
        remediation: "Remove the file, revoke the certificates and remove the authorised keys that belong to it, and replace the key \
                      everywhere. Find out how it came there.",
        references: &[
            ("https://cwe.mitre.org/data/definitions/321.html", "description"),
            (
                "https://cheatsheetseries.owasp.org/cheatsheets/Key_Management_Cheat_Sheet.html",
                "remediation",
            ),
        ],
    },
    applies_to: &[Kind::Uri],
    reads: &[TaskName::ContentFocus],
    judge,
};

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    exposure::judge(facts, &["private_key"], |path| {
        format!("{} serves a private key at {}.", facts.name, shown(path))
    })
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    exposure::sample::samples("private_key", "/server.key", "backup")
}
