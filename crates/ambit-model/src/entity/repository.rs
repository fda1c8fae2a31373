//! Repositories of code: their names, and what is known of one.

use super::row::{Empty::Null, Row, contract, seen};
use super::{Kind, Member, code_account};
use crate::task::TaskName::{ExposedRepository, Repository};
use serde::{Deserialize, Serialize};

/// Who has it at its host: `acme`.
pub const OWNER: Member<String> = Member::named("owner");
/// Its name there: `app`.
pub const REPOSITORY_NAME: Member<String> = Member::named("repository_name");
/// Where it is fetched.
pub const REPOSITORY_URI: Member<String> = Member::named("repository_uri");
/// Anybody may read it; null where nobody knows that.
pub const REPOSITORY_PUBLIC: Member<bool> = Member::named("repository_public");
/// What its branches and tags pointed to when it was looked at, sorted.
pub const TIPS: Member<Vec<String>> = Member::named("hidden_tips");
/// Identifies the rules for secrets, and what else was searched for.
pub const RULES: Member<String> = Member::named("hidden_rules");
/// How many commits were looked at, all looks together.
pub const COMMITS: Member<u64> = Member::named("hidden_commits");
/// Secrets in its history.
pub const LEAKS: Member<Vec<Leak>> = Member::named("hidden_leaks");

/// Packages that its lock files name, in exact versions.
pub const PACKAGES: Member<Vec<Package>> = Member::named("hidden_packages");
/// What the files say wrong by which its software is built.
pub const FLAWS: Member<Vec<Flaw>> = Member::named("hidden_flaws");
/// Other repositories that stand in it, which are not searched for that.
pub const SUBMODULES: Member<Vec<Submodule>> = Member::named("hidden_submodules");
/// Files of its history of which Git LFS keeps the content elsewhere.
pub const KEPT_ELSEWHERE: Member<KeptElsewhere> = Member::named("hidden_kept_elsewhere");
/// What of it could not be looked at, a sentence each.
pub const UNREAD: Member<Vec<String>> = Member::named("hidden_unread");
/// How much of it a site handed out that gives out its files.
pub const SERVED: Member<Served> = Member::named("hidden_served");
/// Where it came from, as its settings say, without what opens that.
pub const REMOTES: Member<Vec<String>> = Member::named("hidden_remotes");
/// Files that its index names.
pub const TRACKED: Member<Vec<String>> = Member::named("hidden_tracked_files");

/// How much of a repository a site handed out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Served {
    /// Objects that came alone and have the hash by which they are named.
    pub objects: u64,
    /// Packs that are whole.
    pub packs: u64,
    /// Objects that are named, and that the site does not hand out: it was found in part.
    pub missing: u64,
    /// Of these, answers that are something else than what was asked for.
    pub unlike: u64,
    /// Files that its index names.
    pub tracked: u64,
    /// More may be there than was asked for: a limit was reached, or answers failed.
    pub is_cut: bool,
    /// What was left out, and why.
    pub notes: Vec<String>,
    /// A hash that changes when the index or the settings change.
    pub beside: String,
}

/// Files of a history of which there are only pointers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptElsewhere {
    /// How many, in every version that they had.
    pub files: usize,
    /// The path of the first that was met.
    pub first: String,
}

/// Another repository that is nested in this one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Submodule {
    /// Where it stands.
    pub path: String,
    /// Where it comes from, as `.gitmodules` says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// A package that a lock file names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Package {
    /// The registry, as OSV calls it: `npm`, `PyPI`, `crates.io`.
    pub ecosystem: String,
    pub name: String,
    pub version: String,
    /// The file that names it.
    pub path: String,
}

/// What a file says wrong by which software is built.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Flaw {
    /// The name of its issue.
    pub what: String,
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// What stands there, shortened.
    pub shown: String,
}

/// A secret in a history, at the first place where it stood.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Leak {
    /// The secret, masked: the name of its `UniqueToken`.
    pub token: String,
    /// The service that gave it out.
    pub provider: String,
    /// The rule that found it.
    pub rule: String,
    /// The form alone is not specific; the context identified it.
    pub by_context: bool,
    /// The commit that brought it, or the tag whose message has it; empty where no commit has it that could be read.
    pub commit: String,
    /// The name of the tag; empty of a commit.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tag: String,
    /// Name and address of its author; empty without a commit.
    pub author: String,
    /// When it was made; empty without a commit.
    pub date: String,
    /// The file; empty where it stands in the message of the commit.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// No branch or tag leads to the commit any more; whoever has a copy has it still.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_no_branch: bool,
    /// How many commits brought a file or message with it, and the last of them with its date.
    #[serde(default)]
    pub commits: u64,
    #[serde(default)]
    pub last_commit: String,
    #[serde(default)]
    pub last_date: String,
    /// Files that hold it, by their ids: those at HEAD first, then the newest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Where it is in the tree of HEAD; `None` if that is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_head: Option<AtHead>,
}

/// Where a secret stands in the tree of HEAD, which is the newest commit of the default branch.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct AtHead {
    /// Number of files that hold it there; 0 if it is no longer there.
    pub files: usize,
    /// The first of them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path: String,
}

/// What is known of a repository.
pub(super) const MEMBERS: &[Row] = &[
    contract(OWNER, Null).by(Repository),
    contract(REPOSITORY_NAME, Null).by(Repository),
    contract(REPOSITORY_URI, Null).by(Repository),
    contract(REPOSITORY_PUBLIC, Null).by(Repository),
    seen(TIPS, Repository),
    seen(RULES, Repository),
    seen(COMMITS, Repository),
    seen(LEAKS, Repository),
    seen(PACKAGES, Repository),
    seen(FLAWS, Repository),
    seen(SUBMODULES, Repository),
    seen(KEPT_ELSEWHERE, Repository),
    seen(UNREAD, Repository),
    seen(SERVED, ExposedRepository),
    seen(REMOTES, ExposedRepository),
    seen(TRACKED, ExposedRepository),
];

/// The beginning of the name of a repository in a folder.
const FILE: &str = "file://";

impl Kind {
    /// The kinds of repositories.
    pub const REPOSITORIES: &[Self] = &[Self::GitRepository, Self::GithubRepository, Self::GitlabProject];

    /// Returns the kind and name of what a person typed as a repository: a URL, the absolute path of a folder, or how a
    /// forge spells it for SSH, `git@github.com:owner/name.git`; `None` where it is none of these.
    pub fn of_repository(text: &str) -> Option<(Self, String)> {
        let text = text.trim();
        let by_ssh = of_ssh(text);
        let text = by_ssh.as_deref().unwrap_or(text);
        let bare = text.split_once("://").map_or(text, |(_, rest)| rest);
        let kind = match bare.split('/').next() {
            Some("github.com" | "www.github.com") => Self::GithubRepository,
            Some("gitlab.com") => Self::GitlabProject,
            Some(host) if !text.contains("://") && code_account::OTHER_FORGES.contains(&host) => {
                return Self::of_repository(&format!("https://{bare}"));
            }
            _ if text.contains("://") || text.starts_with('/') => Self::GitRepository,
            _ => return None,
        };
        kind.canonical(text).ok().map(|name| (kind, name))
    }
}

/// The URL of a repository at a forge that somebody spelled for SSH: `git@github.com:owner/name.git`. Where forges have
/// repositories over SSH, they have them over HTTPS as well; of other servers nobody knows that.
fn of_ssh(text: &str) -> Option<String> {
    let (host, path) = match text.strip_prefix("ssh://") {
        Some(rest) => rest.strip_prefix("git@")?.split_once('/')?,
        None => text.strip_prefix("git@")?.split_once(':')?,
    };
    let is_forge = ["github.com", "gitlab.com"].contains(&host) || code_account::OTHER_FORGES.contains(&host);
    is_forge.then(|| format!("https://{host}/{path}"))
}

/// Schemes of the URLs at which servers give repositories, with their ports.
pub(super) const SCHEMES: &[(&str, u16)] = &[("git", 9418), ("http", 80), ("https", 443)];

/// `https://host:port/path`, `git://host:port/path` or `file:///path`. `url`: what the text is as a URL.
pub(super) fn plain(text: &str, url: Result<String, &'static str>) -> Result<String, &'static str> {
    let folder = text.strip_prefix(FILE).or_else(|| text.starts_with('/').then_some(text));
    if let Some(path) = folder {
        let is_plain = path.starts_with('/') && !path.split('/').any(|part| part == "..");
        let path = path.trim_end_matches('/');
        let good = is_plain && !path.is_empty() && !path.chars().any(char::is_control);
        return if good { Ok(format!("{FILE}{path}")) } else { Err("it is no absolute path of a folder") };
    }
    let url = url.map_err(|why| match text.split_once("://") {
        Some(("ssh", _)) => "repositories are read over https, http or git; give such a URL",
        _ => why,
    })?;
    if url.contains('?') { Err("a URL of a repository has no query") } else { Ok(url.trim_end_matches('/').to_owned()) }
}

/// `https://github.com/owner/name`.
pub(super) fn github(text: &str) -> Result<String, &'static str> {
    const WHY: &str = "it is no repository such as https://github.com/example/app";
    let by_ssh = of_ssh(text);
    let text = by_ssh.as_deref().unwrap_or(text);
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    let rest = rest.strip_prefix("www.").unwrap_or(rest);
    let path = rest.strip_prefix("github.com/").ok_or(WHY)?;
    let parts = parts(path).filter(|parts| parts.len() == 2).ok_or(WHY)?;
    // GitHub takes a name in any case for the same.
    Ok(format!("https://github.com/{}", parts.join("/").to_ascii_lowercase()))
}

/// `https://gitlab.com/group/…/name`; the host is that of any GitLab.
pub(super) fn gitlab(text: &str) -> Result<String, &'static str> {
    const WHY: &str = "it is no project such as https://gitlab.com/example/app";
    let by_ssh = of_ssh(text);
    let text = by_ssh.as_deref().unwrap_or(text);
    let rest = text.strip_prefix("https://").or_else(|| (!text.contains("://")).then_some(text)).ok_or(WHY)?;
    let (host, path) = rest.split_once('/').ok_or(WHY)?;
    let host = Kind::DnsRecord.canonical(host).map_err(|_| WHY)?;
    let parts = parts(path).filter(|parts| parts.len() >= 2).ok_or(WHY)?;
    Ok(format!("https://{host}/{}", parts.join("/")))
}

/// The parts of a path at a forge, without what people copy along; `None` where one is no name there.
fn parts(path: &str) -> Option<Vec<&str>> {
    let path = path.trim_end_matches('/');
    let parts: Vec<&str> = path.strip_suffix(".git").unwrap_or(path).split('/').collect();
    let is_name = |part: &&str| {
        !part.is_empty()
            && !part.starts_with('.')
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
    };
    parts.iter().all(is_name).then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_type_as_a_repository_is_one() {
        for (text, kind, name) in [
            ("https://github.com/Acme/App.git", Kind::GithubRepository, "https://github.com/acme/app"),
            ("git@github.com:Acme/app.git", Kind::GithubRepository, "https://github.com/acme/app"),
            ("ssh://git@github.com/acme/app.git", Kind::GithubRepository, "https://github.com/acme/app"),
            ("git@gitlab.com:acme/team/app.git", Kind::GitlabProject, "https://gitlab.com/acme/team/app"),
            ("git@codeberg.org:acme/app", Kind::GitRepository, "https://codeberg.org:443/acme/app"),
            ("github.com/acme/app/", Kind::GithubRepository, "https://github.com/acme/app"),
            ("https://gitlab.com/acme/team/app", Kind::GitlabProject, "https://gitlab.com/acme/team/app"),
            ("https://code.acme.test/app.git", Kind::GitRepository, "https://code.acme.test:443/app.git"),
            ("http://127.0.0.1:8080/app.git/", Kind::GitRepository, "http://127.0.0.1:8080/app.git"),
            ("git://code.acme.test/app.git", Kind::GitRepository, "git://code.acme.test:9418/app.git"),
            ("git://[2001:db8::1]:9419/app", Kind::GitRepository, "git://[2001:db8::1]:9419/app"),
            ("/srv/git/app.git/", Kind::GitRepository, "file:///srv/git/app.git"),
            ("file:///srv/app", Kind::GitRepository, "file:///srv/app"),
        ] {
            assert_eq!(Kind::of_repository(text), Some((kind, name.to_owned())), "{text}");
            assert_eq!(kind.canonical(name).as_deref(), Ok(name));
        }
        for text in [
            "acme.test",
            "app",
            "https://github.com/acme",
            "ssh://git@acme.test/app",
            "git@acme.test:acme/app",
            "file://app",
            "/a/../b",
        ] {
            assert_eq!(Kind::of_repository(text), None, "{text}");
        }
        let why = Kind::GitRepository.canonical("ssh://acme.test/app").unwrap_err().to_string();
        assert!(why.contains("https, http or git"), "{why}");
    }
}
