//! A repository that anyone can fetch.

use super::Exposure;
use ambit_model::exposure::{GIT_REPOSITORY, Place, Probe, Response};
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_HIGH};
use regex::Regex;
use std::sync::LazyLock;

pub(super) const EXPOSURE: Exposure = Exposure {
    issue: IssueKind {
        name: "exposed_version_control",
        pretty_name: "Version control repository is exposed",
        severity: SEVERITY_HIGH,
        confidence: Confidence::Confirmed,
        category: "leak",
        added: "2026-11-21",
        description: "The web server hands out the files of a version control system. From them the whole source code \
                      can be put together again, with its history and with every secret that was ever committed. \
                      Where git's own can be, it is looked through as a repository of its own.",
        remediation: "Remove the folder from what is served, and refuse names that begin with a dot. Deploy an export \
                      instead of a checkout, and change secrets that the history holds.",
        references: &[
            ("https://cwe.mitre.org/data/definitions/527.html", "description"),
            (
                "https://owasp.org/www-project-web-security-testing-guide/latest/4-Web_Application_Security_Testing/02-Configuration_and_Deployment_Management_Testing/04-Review_Old_Backup_and_Unreferenced_Files_for_Sensitive_Information",
                "description",
            ),
        ],
    },
    sentence: "serves the repository file",
    group: folder,
    probes: &[
        Probe {
            what: GIT_REPOSITORY,
            place: Place::Paths(&["/.git/HEAD", "/.git/config"]),
            proof: git,
            matches: &[
                Response::plain("ref: refs/heads/main\n"),
                Response::plain("[core]\n\trepositoryformatversion = 0\n"),
                Response::html("[core]\n\trepositoryformatversion = 0\n"),
            ],
            twins: &[
                Response::html("<title>Test</title>Nothing to see"),
                Response::plain("ref: refs/heads/main is the usual branch"),
                Response::html("<pre>[core]\n\trepositoryformatversion = 0\n</pre>"),
            ],
        },
        Probe {
            what: "svn_repository",
            place: Place::Paths(&["/.svn/entries", "/.svn/wc.db", "/.hg/requires"]),
            proof: svn,
            matches: &[
                Response::plain("12\n\ndir\n"),
                Response::plain("SQLite format 3\0rest"),
                Response::plain("revlogv1\nstore\n"),
            ],
            twins: &[Response::plain("12 entries\n"), Response::html("<p>SQLite format 3")],
        },
    ],
};

fn git(response: &Response<'_>) -> Option<String> {
    static HEAD: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\A(ref: refs/[A-Za-z0-9_./-]{1,200}|[0-9a-f]{40})\s*\z").expect("constant"));
    let text = response.text();
    if let Some(found) = HEAD.captures(&text) {
        return Some(found[1].to_owned());
    }
    let config = !response.has_tags() && text.contains("[core]") && text.contains("repositoryformatversion");
    config.then(|| "[core] repositoryformatversion".to_owned())
}

fn svn(response: &Response<'_>) -> Option<String> {
    static ENTRIES: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\A\d{1,2}\s*\n\s*(\n|dir)").expect("constant"));
    let text = response.text();
    if response.is_html {
        None
    } else if response.body.starts_with(b"SQLite format 3\0") {
        Some("SQLite format 3 (wc.db)".to_owned())
    } else if ENTRIES.is_match(&text) {
        Some("svn entries".to_owned())
    } else {
        text.lines().any(|line| line == "revlogv1").then(|| "revlogv1".to_owned())
    }
}

/// The repository's own folder, so that its files are one issue: `/app/.git` of `/app/.git/config`.
fn folder(path: &str) -> &str {
    let start = path.find("/.").map_or(0, |at| at + 1);
    let end = path[start..].find('/').map_or(path.len(), |at| start + at);
    &path[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_one_repository_are_one_issue() {
        let folders = ["/.git/HEAD", "/.git/config", "/app/.svn/entries"].map(folder);
        assert_eq!(folders, ["/.git", "/.git", "/app/.svn"]);
    }
}
