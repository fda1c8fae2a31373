//! An archive or a dump that anyone can fetch.

use super::Judge;
use crate::exposure;
use crate::look::shown;
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_HIGH, Verdict};
use ambit_model::{Facts, Kind, TaskName, Timestamp};

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "exposed_backup",
        pretty_name: "Backup file is exposed",
        severity: SEVERITY_HIGH,
        confidence: Confidence::Confirmed,
        category: "leak",
        added: "2026-11-21",
        description: "The web server hands out a backup: an archive of the site or a dump of a database. It may hold source code, \
                      passwords and the data of users.",
        remediation: "Remove the file and store backups outside the folders that are served. Treat what it holds as read by \
                      strangers: change passwords and find out whether people must be told.",
        references: &[
            ("https://cwe.mitre.org/data/definitions/530.html", "description"),
            ("https://cwe.mitre.org/data/definitions/538.html", "description"),
        ],
    },
    applies_to: &[Kind::Uri],
    reads: &[TaskName::ContentFocus],
    judge,
};

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    exposure::judge(facts, &["database_dump", "backup"], |path| {
        format!("{} serves a backup at {}.", facts.name, shown(path))
    })
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    exposure::sample::samples("backup", "/backup.zip", "git_repository")
}
