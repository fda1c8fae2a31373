//! A repository that anyone can fetch.

use super::Judge;
use crate::exposure;
use crate::look::shown;
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_HIGH, Verdict};
use ambit_model::{Facts, Kind, TaskName, Timestamp};

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "exposed_version_control",
        pretty_name: "Version control repository is exposed",
        severity: SEVERITY_HIGH,
        confidence: Confidence::Confirmed,
        category: "leak",
        added: "2026-11-21",
        description: "The web server hands out the files of a version control system. From them the whole source code can be put \
                      together again, with its history and with every secret that was ever committed.",
        remediation: "Remove the folder from what is served, and refuse names that begin with a dot. Deploy an export instead of a \
                      checkout, and change secrets that the history holds.",
        references: &[
            ("https://cwe.mitre.org/data/definitions/527.html", "description"),
            (
                "https://owasp.org/www-project-web-security-testing-guide/latest/4-Web_Application_Security_Testing/02-Configuration_and_Deployment_Management_Testing/04-Review_Old_Backup_and_Unreferenced_Files_for_Sensitive_Information",
                "description",
            ),
        ],
    },
    applies_to: &[Kind::Uri],
    reads: &[TaskName::ContentFocus],
    judge,
};

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    let what = &["git_repository", "hg_repository", "svn_repository"];
    exposure::judge_groups(facts, what, folder, |path| {
        format!("{} serves the repository file {}.", facts.name, shown(path))
    })
}

/// The repository's own folder, so that its files are one issue: `/app/.git` of `/app/.git/config`.
fn folder(path: &str) -> &str {
    let start = path.find("/.").map_or(0, |at| at + 1);
    let end = path[start..].find('/').map_or(path.len(), |at| start + at);
    &path[..end]
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::Told;
    use exposure::sample::{probed, unprobed};
    let files = [
        ("git_repository", "/.git/HEAD"),
        ("git_repository", "/.git/config"),
        ("svn_repository", "/app/.svn/entries"),
    ];
    crate::samples::Samples::new()
        .reports_each(probed(&files), &["/.git", "/app/.svn"])
        .near_miss(probed(&[("env_file", "/.git/HEAD")]))
        .near_miss(unprobed().absent(TaskName::ContentFocus))
        .unknown(unprobed())
        .unknown(probed(&files).failed(TaskName::ContentFocus))
}
