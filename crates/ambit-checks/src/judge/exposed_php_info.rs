//! A page that prints the whole PHP configuration.

use super::Judge;
use crate::exposure;
use crate::look::shown;
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_LOW, Verdict};
use ambit_model::{Facts, Kind, TaskName, Timestamp};

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "exposed_php_info",
        pretty_name: "PHP configuration page is exposed",
        severity: SEVERITY_LOW,
        confidence: Confidence::Confirmed,
        category: "leak",
        added: "2026-11-21",
        description: "A page prints the output of phpinfo(): versions, paths, modules and all environment variables, which often \
                      include passwords.",
        remediation: "Delete the page. Change secrets that appear among the environment variables.",
        references: &[
            ("https://www.php.net/manual/en/function.phpinfo.php", "description"),
            ("https://cwe.mitre.org/data/definitions/497.html", "description"),
        ],
    },
    applies_to: &[Kind::Uri],
    reads: &[TaskName::ContentFocus],
    judge,
};

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    exposure::judge(facts, &["phpinfo"], |path| {
        format!("{} prints its PHP configuration at {}.", facts.name, shown(path))
    })
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    exposure::sample::samples("phpinfo", "/phpinfo.php", "server_status")
}
