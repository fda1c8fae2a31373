//! Other repositories that stand in one, of which its history has only the id of a commit: where they stand, and where
//! they come from. They are not searched for that. Pure.

use crate::read::git_url::{HIDDEN, SignIn, who_signs_in};
use ambit_model::Kind;
use ambit_model::entity::repository::Submodule;
use std::collections::{BTreeMap, BTreeSet};

/// The file that says where they come from.
pub(super) const NAMED_IN: &str = ".gitmodules";
/// Those of one repository that are kept.
const SUBMODULES_MAX: usize = 1_000;

/// Returns their paths, and their addresses if the file names them.
pub(super) fn of(paths: &BTreeSet<String>, named: &str) -> Vec<Submodule> {
    let (mut urls, mut path, mut url) = (BTreeMap::new(), None, None);
    for line in named.lines().map(str::trim).chain(["["]) {
        if line.starts_with('[') {
            urls.extend(path.take().zip(url.take()));
        } else if let Some((name, value)) = line.split_once('=') {
            let value = value.trim().trim_matches('"').trim_end_matches('/').to_owned();
            match name.trim().to_ascii_lowercase().as_str() {
                "path" => path = Some(value),
                "url" => url = Some(value),
                _ => {}
            }
        }
    }
    let submodule =
        |path: &String| Submodule { path: path.clone(), url: urls.get(path).map(|url| without_password(url)) };
    paths.iter().take(SUBMODULES_MAX).map(submodule).collect()
}

/// An address as it may be shown: without a password, and without who signs in, which over SSH belongs to it.
fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let at = match who_signs_in(rest) {
        SignIn::Nobody => return url.to_owned(),
        SignIn::Until(at) => at,
        SignIn::Maybe(_) => return format!("{scheme}://{HIDDEN}"),
    };
    let (who, place) = (&rest[..at], &rest[at + 1..]);
    let is_ssh = scheme.to_ascii_lowercase().split('+').any(|part| part == "ssh");
    match who.split(':').next().filter(|user| is_ssh && !user.is_empty()) {
        Some(user) => format!("{scheme}://{user}@{place}"),
        None => format!("{scheme}://{place}"),
    }
}

/// Returns the repository that a submodule of the one at `above` is, where that is a URL of a server.
pub(super) fn repository(submodule: &Submodule, above: &str) -> Option<(Kind, String)> {
    let url = submodule.url.as_deref().filter(|url| !matches!(url.split_once("://"), Some((_, HIDDEN))))?;
    let url = if url.starts_with("./") || url.starts_with("../") { joined(above, url)? } else { url.to_owned() };
    Kind::of_repository(&url).filter(|(_, name)| !name.starts_with("file://"))
}

/// A way that begins at another repository. Where a site hands one out, that is not where it came from.
fn joined(above: &str, way: &str) -> Option<String> {
    let (mut above, mut way) = (above.trim_end_matches('/'), way);
    if above.ends_with("/.git") {
        return None;
    }
    loop {
        if let Some(rest) = way.strip_prefix("../") {
            let (upper, _) =
                above.rsplit_once('/').filter(|(upper, _)| upper.contains("://") && !upper.ends_with('/'))?;
            (above, way) = (upper, rest);
        } else if let Some(rest) = way.strip_prefix("./") {
            way = rest;
        } else {
            return Some(format!("{above}/{way}"));
        }
    }
}

/// Says that they are not searched; `None` where there are none.
pub(super) fn told(submodules: &[Submodule]) -> Option<String> {
    let first = submodules.first()?;
    let count = super::unread::counted(submodules.len(), "submodule");
    let count = if submodules.len() < SUBMODULES_MAX { count } else { format!("at least {count}") };
    let which = if submodules.len() == 1 {
        "is searched only where it is a seed itself"
    } else {
        "are searched only where they are seeds themselves"
    };
    Some(format!("{count}, which {which}: {} the first", first.path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn submodules_lead_to_the_repositories_that_they_are() {
        let above = "https://github.com/acme/app";
        for (url, expected) in [
            ("https://github.com/Acme/lib.git", Some("GithubRepository https://github.com/acme/lib")),
            ("git@github.com:acme/lib.git", Some("GithubRepository https://github.com/acme/lib")),
            ("../lib.git", Some("GithubRepository https://github.com/acme/lib")),
            ("./../../other/lib", Some("GithubRepository https://github.com/other/lib")),
            ("https://ann:not-a-secret@git.acme.test/lib.git", Some("GitRepository https://git.acme.test:443/lib.git")),
            ("https://ann.lee:123/456@git/lib", None),
            ("https://git.acme.test:7990/scm/team@corp/lib", None),
            ("git@git.acme.test:lib.git", None),
            ("../../../../lib", None),
            ("/srv/git/lib", None),
            ("lib", None),
            ("", None),
        ] {
            let named =
                format!("[submodule \"lib\"]\n\tpath = libs/lib\n\turl = {url}\n[submodule \"x\"]\n\tpath = x\n");
            let paths = BTreeSet::from(["libs/lib".to_owned(), "unnamed".to_owned()]);
            let all = of(&paths, &named);
            let led: Vec<_> = all.iter().filter_map(|one| repository(one, above)).collect();
            let led: Vec<String> = led.iter().map(|(kind, name)| format!("{} {name}", kind.name())).collect();
            assert_eq!(led, expected.into_iter().collect::<Vec<_>>(), "{url}");
            let shown = serde_json::to_string(&all).unwrap();
            assert!(!shown.contains("not-a-secret"), "{shown}");
            let said = "2 submodules, which are searched only where they are seeds themselves: libs/lib the first";
            assert_eq!(told(&all).as_deref(), Some(said));
        }
        assert_eq!(told(&[]), None);
    }

    #[test]
    fn no_address_of_a_submodule_shows_a_password() {
        for (url, shown) in [
            ("https://ann:not-a-secret@git.acme.test/lib", "https://git.acme.test/lib"),
            ("https://ann@git.acme.test/lib", "https://git.acme.test/lib"),
            ("https://ann:not@a-secret@git.acme.test/lib", "https://git.acme.test/lib"),
            ("https://ann:not/a/secret@git.acme.test/lib", "https://git.acme.test/lib"),
            ("https://ann:not/a@secret@git.acme.test:8443/lib", "https://git.acme.test:8443/lib"),
            ("https://git.acme.test/@acme/lib", "https://git.acme.test/@acme/lib"),
            ("https://git.acme.test:8443/@acme/lib", "https://git.acme.test:8443/@acme/lib"),
            ("https://[2001:db8::1]:8443/@acme/lib", "https://[2001:db8::1]:8443/@acme/lib"),
            ("https://ann:not-a-secret@git.acme.test/@acme/lib", "https://git.acme.test/@acme/lib"),
            ("https://ann:123/456@git.acme.test/lib", "https://git.acme.test/lib"),
            ("https://ann.lee:123/456@git.acme.test/lib", "https://git.acme.test/lib"),
            ("https://ann.lee:123/456@git/lib", "https://…"),
            ("https://ann.lee:123456/78@git/lib", "https://git/lib"),
            ("https://cdn.acme.test:8443/npm/react@latest/x.js", "https://…"),
            ("https://cdn.acme.test:8443/gh/o/r@main/x.js", "https://…"),
            ("https://git.acme.test:7990/scm/team@corp/lib", "https://…"),
            ("https://192.0.2.7:7990/scm/team@corp/lib", "https://192.0.2.7:7990/scm/team@corp/lib"),
            ("ssh://ann.lee:123/456@git/lib", "ssh://…"),
            ("https://ann:123456@git.acme.test/lib", "https://git.acme.test/lib"),
            ("https://ann:not@a/secret@git.acme.test/lib", "https://git.acme.test/lib"),
            ("https://ann:not@a.word/secret@git.acme.test:8443/@acme/lib", "https://git.acme.test:8443/@acme/lib"),
            ("https://ann:not@a/secret@git/lib", "https://git/lib"),
            ("https://git.acme.test:8443/lib@v1.2", "https://git.acme.test:8443/lib@v1.2"),
            ("https://git/@acme/lib", "https://git/@acme/lib"),
            ("https://git:8443/@acme/lib", "https://git:8443/@acme/lib"),
            ("ssh://git@git.acme.test/lib", "ssh://git@git.acme.test/lib"),
            ("ssh://git.acme.test:2222/lib", "ssh://git.acme.test:2222/lib"),
            ("ssh://git:not-a-secret@git.acme.test:2222/lib", "ssh://git@git.acme.test:2222/lib"),
            ("ssh://git:not/a@secret@git.acme.test/lib", "ssh://git@git.acme.test/lib"),
            ("SSH://git:not-a-secret@git.acme.test/lib", "SSH://git@git.acme.test/lib"),
            ("git+ssh://git:not-a-secret@git.acme.test/lib", "git+ssh://git@git.acme.test/lib"),
            ("git@github.com:acme/lib.git", "git@github.com:acme/lib.git"),
        ] {
            assert_eq!(without_password(url), shown, "{url}");
        }
    }

    #[test]
    fn submodules_beyond_those_that_are_kept_are_told() {
        let paths: BTreeSet<String> = (0..=SUBMODULES_MAX).map(|at| format!("libs/{at:04}")).collect();
        let all = of(&paths, "");
        let said = "at least 1000 submodules, which are searched only where they are seeds themselves: libs/0000 the \
                    first";
        assert_eq!((all.len(), told(&all).as_deref()), (SUBMODULES_MAX, Some(said)));
    }
}
