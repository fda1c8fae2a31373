//! The names of accounts that anyone can read.

use super::Judge;
use crate::exposure;
use crate::look::shown;
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_LOW, Verdict};
use ambit_model::{Facts, Kind, TaskName, Timestamp};

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "exposed_user_listing",
        pretty_name: "User accounts are listed",
        severity: SEVERITY_LOW,
        confidence: Confidence::Confirmed,
        category: "leak",
        added: "2026-11-21",
        description: "An interface of the site lists its accounts with the names by which they sign in. That is half of \
                      what is needed to guess a password.",
        remediation: "Let the interface answer signed-in users only, or leave the sign-in names out.",
        references: &[
            ("https://developer.wordpress.org/rest-api/reference/users/", "description"),
            ("https://cwe.mitre.org/data/definitions/200.html", "description"),
        ],
    },
    applies_to: &[Kind::Uri],
    reads: &[TaskName::ContentFocus],
    judge,
};

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    exposure::judge(facts, &["user_listing"], |path| {
        format!("{} lists its accounts at {}.", facts.name, shown(path))
    })
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    exposure::sample::samples("user_listing", "/wp-json/wp/v2/users", "server_status")
}
