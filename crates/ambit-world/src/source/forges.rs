//! What forges of code tell of accounts, by the interfaces of GitHub and of GitLab: repositories, members, and what
//! bears a word.

use crate::draft::{Forge, Repository};
use crate::serve::connection::Connection;
use crate::serve::request::{Request, Response};
use ambit_model::Kind;
use ambit_model::entity::code_account;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

const GITHUB: &str = "api.github.com";
const GITLAB: &str = "gitlab.com";
/// Where the interface of GitLab begins.
const GITLAB_API: &str = "/api/v4";

/// Whether a request is to the interface of a forge, and not to a repository at it.
pub(super) fn is_asked(host: &str, request: &Request) -> bool {
    host == GITHUB || (host == GITLAB && request.path().starts_with(GITLAB_API))
}

/// Whether a request shows the token of the account that has what stands at a URL.
pub(super) fn shows_token(connection: &Connection, url: &str, request: &Request) -> bool {
    let forges = &connection.internet.draft.forges;
    let forge = forges.iter().find(|(account, _)| code_account::has(account, url)).map(|(_, forge)| forge);
    forge.is_some_and(|forge| is_shown(forge, request))
}

fn is_shown(forge: &Forge, request: &Request) -> bool {
    let Some(token) = &forge.token else { return false };
    let basic = format!("Basic {}", STANDARD.encode(format!("x-access-token:{token}")));
    request.header("authorization").is_some_and(|shown| shown == basic || shown == format!("Bearer {token}"))
}

pub(super) fn respond(connection: &Connection, host: &str, request: &Request) -> Response {
    let found = if host == GITHUB { github(connection, request) } else { gitlab(connection, request) };
    match found {
        Some(answer) => Response::new(200, "application/json", answer.to_string()),
        None => Response::new(404, "application/json", "{\"message\":\"Not Found\"}"),
    }
}

fn github(connection: &Connection, request: &Request) -> Option<Value> {
    let parts: Vec<&str> = request.path().trim_matches('/').split('/').collect();
    if let ["search", "repositories"] = parts[..] {
        let asked = request.parameter("q")?;
        let found = bearing(connection, GITHUB_SITE, asked.split([' ', '+']).next()?);
        let items: Vec<Value> = found.into_iter().map(shown_github).collect();
        return Some(json!({"total_count": items.len(), "items": items}));
    }
    let (sort, name) = (parts.first()?, parts.get(1)?);
    let account = format!("https://{GITHUB_SITE}/{}", name.to_ascii_lowercase());
    let forge = connection.internet.draft.forges.get(&account)?;
    let may_see = is_shown(forge, request);
    let people = || {
        forge
            .members
            .iter()
            .map(|member| json!({"login": member, "html_url": format!("https://{GITHUB_SITE}/{member}")}))
    };
    let below = |wanted: bool| {
        let own = repositories(connection, &account).filter(move |repository| repository.private == wanted);
        own.map(shown_github).collect::<Vec<_>>()
    };
    match (*sort, parts.get(2).copied()) {
        ("users", None) => Some(json!({
            "login": name, "html_url": account, "type": "Organization", "name": forge.title, "blog": forge.website,
        })),
        ("users", Some("repos")) => {
            let forks = forge.forks.iter().map(|fork| json!({"html_url": format!("{account}/{fork}"), "fork": true}));
            Some(paged(below(false).into_iter().chain(forks), request))
        }
        ("orgs", Some("repos")) if may_see => Some(paged(below(true).into_iter(), request)),
        ("orgs", Some("repos")) => Some(json!([])),
        ("orgs", Some("public_members")) => Some(paged(people(), request)),
        ("orgs", Some("members")) if may_see => Some(paged(people(), request)),
        _ => None,
    }
}

/// Where repositories at GitHub are.
const GITHUB_SITE: &str = "github.com";

fn shown_github(repository: &Repository) -> Value {
    json!({"html_url": repository.url(), "fork": false, "private": repository.private})
}

fn gitlab(connection: &Connection, request: &Request) -> Option<Value> {
    let path = request.path().strip_prefix(GITLAB_API)?.trim_matches('/').replace("%2F", "/");
    let shown = |repository: &Repository| json!({"web_url": repository.url()});
    match path.as_str() {
        "users" => return Some(json!([])),
        "projects" => {
            return Some(bearing(connection, GITLAB, &request.parameter("search")?).into_iter().map(shown).collect());
        }
        _ => {}
    }
    let asked = path.strip_prefix("groups/")?;
    let name = asked.strip_suffix("/projects").unwrap_or(asked);
    let account = format!("https://{GITLAB}/{}", name.to_ascii_lowercase());
    let forge = connection.internet.draft.forges.get(&account).filter(|forge| forge.kind == Kind::GitlabAccount)?;
    if name == asked {
        return Some(json!({"web_url": account, "name": forge.title, "full_path": name}));
    }
    Some(paged(repositories(connection, &account).filter(|repository| !repository.private).map(shown), request))
}

fn repositories<'a>(connection: &'a Connection, account: &'a str) -> impl Iterator<Item = &'a Repository> {
    let all = connection.internet.draft.repositories.iter();
    all.filter(move |(url, _)| code_account::has(account, url)).map(|(_, repository)| repository)
}

/// The repositories at a host that everybody may read and whose path or newest texts bear a word.
fn bearing<'a>(connection: &'a Connection, host: &str, word: &str) -> Vec<&'a Repository> {
    let word = word.to_lowercase();
    let bears = |repository: &&Repository| {
        let mut files = repository.commits.iter().flat_map(|commit| &commit.files);
        let in_readme = files.any(|(path, text)| {
            path.eq_ignore_ascii_case("README.md")
                && text.as_ref().is_some_and(|text| text.to_lowercase().contains(&word))
        });
        repository.path.to_lowercase().contains(&word) || in_readme
    };
    let all = connection.internet.draft.repositories.values();
    all.filter(|repository| repository.host == host && !repository.private).filter(bears).collect()
}

/// The page of a list that is asked for.
fn paged(items: impl Iterator<Item = Value>, request: &Request) -> Value {
    let number = |name: &str, usual: usize| request.parameter(name).and_then(|text| text.parse().ok()).unwrap_or(usual);
    let (page, size) = (number("page", 1).max(1), number("per_page", 30));
    items.skip((page - 1) * size).take(size).collect()
}
