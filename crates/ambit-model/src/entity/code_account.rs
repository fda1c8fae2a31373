//! Accounts at forges of code, of organisations and of people: their names, and what is known of one.

use super::row::{Empty::Null, Row, contract};
use super::{Kind, Member};
use crate::task::TaskName::CodeAccount;

/// What the forge calls it: `Organization`, `User`, `Group`.
pub(crate) const ACCOUNT_TYPE: Member<String> = Member::named("account_type");
/// Its name for people.
pub const TITLE: Member<String> = Member::named("title");
/// The site that it says to be its own.
pub const WEBSITE: Member<String> = Member::named("website");

/// What is known of an account.
pub(super) const MEMBERS: &[Row] = &[
    contract(ACCOUNT_TYPE, Null).by(CodeAccount),
    contract(TITLE, Null).by(CodeAccount),
    contract(WEBSITE, Null).by(CodeAccount),
];

const GITHUB: &str = "https://github.com/";
/// Hosts of other forges, which everybody may use.
pub(super) const OTHER_FORGES: &[&str] = &["bitbucket.org", "codeberg.org", "gitea.com"];
/// Letters of the name of an account.
const NAME_CHARS_MAX: usize = 100;

impl Kind {
    /// The kinds of accounts at forges.
    pub const CODE_ACCOUNTS: &[Self] = &[Self::CodeAccount, Self::GithubAccount, Self::GitlabAccount];

    /// What the search for code begins with.
    pub const CODE: &[Self] = &[
        Self::CodeAccount,
        Self::GitRepository,
        Self::GithubAccount,
        Self::GithubRepository,
        Self::GitlabAccount,
        Self::GitlabProject,
        Self::UniqueKeyword,
        Self::UniqueToken,
    ];

    /// Returns the kind and name of what a person typed as a repository, or as an account at a forge; `None` where it
    /// is neither. A path of several parts at a GitLab is taken for a project.
    pub fn of_code(text: &str) -> Option<(Self, String)> {
        let forge = Self::of_forge(text);
        let account = |kind: Self| kind.canonical(text).ok().map(|name| (kind, name));
        // Elsewhere than at these forges any URL may be a repository.
        if let Some(other) = forge.filter(|kind| *kind == Self::CodeAccount).and_then(account) {
            return Some(other);
        }
        Self::of_repository(text).or_else(|| account(forge?))
    }

    /// Returns the kind of the accounts at the forge that a text begins with; `None` where it begins with none.
    pub fn of_forge(text: &str) -> Option<Self> {
        let text = text.trim();
        let bare = text.split_once("://").map_or(text, |(_, rest)| rest);
        match bare.split('/').next()? {
            "github.com" | "www.github.com" => Some(Self::GithubAccount),
            "gitlab.com" => Some(Self::GitlabAccount),
            host if OTHER_FORGES.contains(&host) => Some(Self::CodeAccount),
            _ => None,
        }
    }
}

/// Returns what a forge calls the account of this name: `acme`, `acme/team`. A word is itself.
pub fn path_of(name: &str) -> &str {
    let rest = name.split_once("://").map_or(name, |(_, rest)| rest);
    rest.split_once('/').map_or(rest, |(_, path)| path)
}

/// Returns whether a repository stands below an account. Letter case does not count there.
pub fn has(account: &str, repository: &str) -> bool {
    let repository = &repository.replacen(":443/", "/", 1);
    let above = repository.get(..account.len()).is_some_and(|start| start.eq_ignore_ascii_case(account));
    above && repository[account.len()..].starts_with('/')
}

/// Returns kind and name of the account that has a repository at a forge; `None` for one that is elsewhere.
pub fn of_repository(kind: Kind, name: &str) -> Option<(Kind, String)> {
    let account = match kind {
        Kind::GithubRepository => Kind::GithubAccount,
        Kind::GitlabProject => Kind::GitlabAccount,
        _ => return None,
    };
    let (owner, _) = name.rsplit_once('/')?;
    Some((account, account.canonical(owner).ok()?))
}

/// `https://github.com/owner`, or the bare name.
pub(super) fn github(text: &str) -> Result<String, &'static str> {
    const WHY: &str = "it is no account such as https://github.com/example";
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    let rest = rest.strip_prefix("www.").unwrap_or(rest);
    let name = rest.strip_prefix("github.com/").unwrap_or(rest).trim_end_matches('/');
    let is_bare = name == text || rest != name;
    if is_bare && is_name(name) { Ok(format!("{GITHUB}{}", name.to_ascii_lowercase())) } else { Err(WHY) }
}

/// `https://gitlab.com/group/…`; the host is that of any GitLab.
pub(super) fn gitlab(text: &str) -> Result<String, &'static str> {
    const WHY: &str = "it is no account such as https://gitlab.com/example";
    let rest = text.strip_prefix("https://").or_else(|| (!text.contains("://")).then_some(text)).ok_or(WHY)?;
    let (host, path) = rest.split_once('/').ok_or(WHY)?;
    let host = Kind::DnsRecord.canonical(host).map_err(|_| WHY)?;
    let path = path.trim_end_matches('/');
    let is_part = |part: &str| is_name(&part.replace('.', "-"));
    if path.split('/').all(is_part) { Ok(format!("https://{host}/{}", path.to_ascii_lowercase())) } else { Err(WHY) }
}

/// `https://codeberg.org/owner`; the host is that of any forge that is neither GitHub nor a GitLab for everybody.
pub(super) fn other(text: &str) -> Result<String, &'static str> {
    const WHY: &str = "it is no account such as https://codeberg.org/example";
    let rest = text.strip_prefix("https://").or_else(|| (!text.contains("://")).then_some(text)).ok_or(WHY)?;
    let (host, name) = rest.trim_end_matches('/').split_once('/').ok_or(WHY)?;
    let host = Kind::DnsRecord.canonical(host).map_err(|_| WHY)?;
    match host.as_str() {
        "github.com" | "www.github.com" => Err("an account at GitHub is of the kind GithubAccount"),
        "gitlab.com" => Err("an account at GitLab is of the kind GitlabAccount"),
        _ if is_name(&name.replace('.', "-")) => Ok(format!("https://{host}/{}", name.to_ascii_lowercase())),
        _ => Err(WHY),
    }
}

/// Letters, digits, hyphens and underscores, and no hyphen in front.
fn is_name(text: &str) -> bool {
    let good = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    !text.is_empty() && text.len() <= NAME_CHARS_MAX && !text.starts_with('-') && text.bytes().all(good)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_type_as_an_account_is_one() {
        for (text, kind, name) in [
            ("https://github.com/Acme", Kind::GithubAccount, "https://github.com/acme"),
            ("www.github.com/acme/", Kind::GithubAccount, "https://github.com/acme"),
            ("https://gitlab.com/Acme", Kind::GitlabAccount, "https://gitlab.com/acme"),
            ("https://github.com/acme/app", Kind::GithubRepository, "https://github.com/acme/app"),
            ("https://gitlab.com/acme/team", Kind::GitlabProject, "https://gitlab.com/acme/team"),
            ("https://codeberg.org/Acme/", Kind::CodeAccount, "https://codeberg.org/acme"),
            ("bitbucket.org/acme", Kind::CodeAccount, "https://bitbucket.org/acme"),
            ("codeberg.org/acme/app.git", Kind::GitRepository, "https://codeberg.org:443/acme/app.git"),
            ("https://bitbucket.org/acme/app", Kind::GitRepository, "https://bitbucket.org:443/acme/app"),
        ] {
            assert_eq!(Kind::of_code(text), Some((kind, name.to_owned())), "{text}");
            assert_eq!(kind.canonical(name).as_deref(), Ok(name));
        }
        for text in ["acme", "https://github.com", "https://github.com/", "https://acme.test/acme/x"] {
            assert!(Kind::of_code(text).is_none_or(|(kind, _)| kind == Kind::GitRepository), "{text}");
        }
        assert_eq!(Kind::GithubAccount.canonical("Acme-Tools").as_deref(), Ok("https://github.com/acme-tools"));
        for text in ["-acme", "acme/app", "a b", "https://evil.test/acme", "https://github.com/acme/app", "acme.test"] {
            assert!(Kind::GithubAccount.canonical(text).is_err(), "{text}");
        }
        let own = Kind::CodeAccount.canonical("https://git.acme.test/Acme.Tools");
        assert_eq!(own.as_deref(), Ok("https://git.acme.test/acme.tools"));
        for text in ["https://github.com/acme", "https://git.acme.test/a/b", "https://git.acme.test", "http://a.test/b"]
        {
            assert!(Kind::CodeAccount.canonical(text).is_err(), "{text}");
        }
        let sub = Kind::GitlabAccount.canonical("https://code.acme.test/group/team");
        assert_eq!(sub.as_deref(), Ok("https://code.acme.test/group/team"));
    }

    #[test]
    fn a_repository_stands_below_its_account() {
        assert!(has("https://github.com/acme", "https://github.com/Acme/app"));
        assert!(!has("https://github.com/acme", "https://github.com/acme-tools/app"));
        assert!(!has("https://github.com/acme", "https://github.com/acme"));
        assert!(has("https://codeberg.org/acme", "https://codeberg.org:443/acme/app.git"));
        let of = |kind, name| of_repository(kind, name).map(|(kind, name)| format!("{} {name}", kind.name()));
        let github = of(Kind::GithubRepository, "https://github.com/Acme/app");
        assert_eq!(github.as_deref(), Some("GithubAccount https://github.com/acme"));
        let gitlab = of(Kind::GitlabProject, "https://gitlab.com/acme/team/app");
        assert_eq!(gitlab.as_deref(), Some("GitlabAccount https://gitlab.com/acme/team"));
        assert_eq!(of(Kind::GitRepository, "https://code.acme.test:443/acme/app.git"), None);
        assert_eq!(path_of("https://gitlab.com/acme/team"), "acme/team");
        assert_eq!(path_of("acmetools"), "acmetools");
    }
}
