//! The interfaces of GitHub, GitLab, Gitea and Bitbucket: repositories and members of accounts, and search by a word.

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
const BITBUCKET: &str = "api.bitbucket.org";
/// Where repositories at Bitbucket are.
const BITBUCKET_SITE: &str = "bitbucket.org";
/// Where the interface of Gitea begins, at any other host.
const GITEA_API: &str = "/api/v1";
/// The names beside which a token is shown by git.
const GIT_USERS: [&str; 3] = ["x-access-token", "oauth2", "x-token-auth"];

/// Whether a request is to the interface of a forge, and not to a repository at it.
pub(super) fn is_asked(host: &str, request: &Request) -> bool {
    match host {
        GITHUB | BITBUCKET => true,
        GITLAB => request.path().starts_with(GITLAB_API),
        _ => request.path().starts_with(GITEA_API),
    }
}

/// Whether a request shows the token of the account that has what stands at a URL.
pub(super) fn shows_token(connection: &Connection, url: &str, request: &Request) -> bool {
    let forges = &connection.internet.draft.forges;
    let forge = forges.iter().find(|(account, _)| code_account::has(account, url)).map(|(_, forge)| forge);
    forge.is_some_and(|forge| is_shown(forge, request))
}

fn is_shown(forge: &Forge, request: &Request) -> bool {
    let Some(token) = &forge.token else { return false };
    let basic = |user: &&str| format!("Basic {}", STANDARD.encode(format!("{user}:{token}")));
    let is_one = |shown: &str| shown == format!("Bearer {token}") || GIT_USERS.iter().any(|user| shown == basic(user));
    request.header("authorization").is_some_and(is_one)
}

pub(super) fn respond(connection: &Connection, host: &str, request: &Request) -> Response {
    if host == GITHUB && request.path() == "/search/code" && request.header("authorization").is_none() {
        return Response::new(401, "application/json", "{\"message\":\"Requires authentication\"}");
    }
    let found = match host {
        GITHUB => github(connection, request),
        GITLAB => gitlab(connection, request),
        BITBUCKET => bitbucket(connection, request),
        _ => gitea(connection, host, request),
    };
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
        return Some(hits(found.into_iter().map(shown_github).collect(), request));
    }
    if let ["search", "code"] = parts[..] {
        let asked = request.parameter("q")?;
        let found = holding(connection, GITHUB_SITE, asked.trim_matches('"'));
        let found = found.map(|repository| json!({"repository": shown_github(repository)}));
        return Some(hits(found.collect(), request));
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

/// A page of what GitHub found.
fn hits(found: Vec<Value>, request: &Request) -> Value {
    let count = found.len();
    json!({"total_count": count, "incomplete_results": false, "items": paged(found.into_iter(), request)})
}

fn gitlab(connection: &Connection, request: &Request) -> Option<Value> {
    let path = request.path().strip_prefix(GITLAB_API)?.trim_matches('/').replace("%2F", "/");
    let shown = |repository: &Repository| json!({"web_url": repository.url()});
    match path.as_str() {
        "users" => return Some(json!([])),
        "projects" => {
            let found = bearing(connection, GITLAB, &request.parameter("search")?);
            return Some(paged(found.into_iter().map(shown), request));
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

fn gitea(connection: &Connection, host: &str, request: &Request) -> Option<Value> {
    let path = request.path().strip_prefix(GITEA_API)?.trim_matches('/');
    if path == "repos/search" {
        let found = bearing(connection, host, &request.parameter("q")?);
        let items = found.into_iter().map(shown_gitea);
        return Some(json!({"ok": true, "data": page_of(items, request, "limit")}));
    }
    let mut parts = path.strip_prefix("orgs/")?.split('/');
    let account = format!("https://{host}/{}", parts.next()?.to_ascii_lowercase());
    let forge = connection.internet.draft.forges.get(&account)?;
    let may_see = is_shown(forge, request);
    let people = || forge.members.iter().map(|member| json!({"html_url": format!("https://{host}/{member}")}));
    let items: Vec<Value> = match parts.next() {
        None => return Some(json!({"full_name": forge.title, "website": forge.website})),
        Some("repos") => {
            let own = repositories(connection, &account).filter(|repository| may_see || !repository.private);
            let own = own.map(shown_gitea);
            let fork = |fork| json!({"clone_url": format!("{account}/{fork}.git"), "fork": true});
            own.chain(forge.forks.iter().map(fork)).collect()
        }
        Some("public_members") => people().collect(),
        Some("members") if may_see => people().collect(),
        Some(_) => return None,
    };
    Some(page_of(items.into_iter(), request, "limit"))
}

fn shown_gitea(repository: &Repository) -> Value {
    json!({"clone_url": format!("{}.git", repository.url()), "fork": false})
}

fn bitbucket(connection: &Connection, request: &Request) -> Option<Value> {
    let path = request.path().strip_prefix("/2.0/")?.trim_matches('/');
    let (sort, name) = path.split_once('/')?;
    let account = format!("https://{BITBUCKET_SITE}/{}", name.to_ascii_lowercase());
    let forge = connection.internet.draft.forges.get(&account)?;
    if sort == "workspaces" {
        return Some(json!({"type": "workspace", "slug": name, "name": forge.title}));
    }
    let may_see = is_shown(forge, request);
    let own = repositories(connection, &account).filter(|repository| may_see || !repository.private);
    let shown = |url: String, parent: Value| json!({"links": {"html": {"href": url}}, "parent": parent});
    let own = own.map(|repository| shown(repository.url(), Value::Null));
    let fork = |fork: &String| shown(format!("{account}/{fork}"), json!({"type": "repository"}));
    let values: Vec<Value> = own.chain(forge.forks.iter().map(fork)).collect();
    (sort == "repositories").then(|| json!({"values": values}))
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

/// The repositories at a host that everybody may read and whose files hold a text.
fn holding<'a>(connection: &'a Connection, host: &'a str, text: &str) -> impl Iterator<Item = &'a Repository> {
    let holds = move |repository: &&Repository| {
        let mut files = repository.commits.iter().flat_map(|commit| &commit.files);
        files.any(|(_, file)| file.as_ref().is_some_and(|file| file.contains(text)))
    };
    let all = connection.internet.draft.repositories.values();
    all.filter(move |repository| repository.host == host && !repository.private).filter(holds)
}

/// The page of a list that is asked for.
fn paged(items: impl Iterator<Item = Value>, request: &Request) -> Value {
    page_of(items, request, "per_page")
}

/// The same, where `size` names how long a page is.
fn page_of(items: impl Iterator<Item = Value>, request: &Request, size: &str) -> Value {
    let number = |name: &str, usual: usize| request.parameter(name).and_then(|text| text.parse().ok()).unwrap_or(usual);
    let (page, size) = (number("page", 1).max(1), number(size, 30));
    items.skip((page - 1) * size).take(size).collect()
}
