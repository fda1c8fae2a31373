//! Addresses that texts of programs name: sites and interfaces that they may call. Pure.

use super::git_url::{SignIn, is_host, who_signs_in};
use super::mentions::URL;
use ambit_model::Kind;
use regex::Regex;
use std::borrow::Cow;
use std::net::IpAddr;
use std::sync::LazyLock;

/// Addresses of one text that are read.
const ADDRESSES_MAX: usize = 1_200;

/// What a template puts into a path: `${id}`, `{id}`, `%s`, `%1$d`, `:id`.
static HOLE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\$?\{[^}/]*\}|%(?:\d\$)?[sd]\b|:[A-Za-z_]\w*").expect("constant"));
/// Ends of what is shown or run by the app, and called by nobody.
const FILES: &[&str] = &[
    ".css", ".eot", ".gif", ".htm", ".html", ".ico", ".jpeg", ".jpg", ".js", ".md", ".mp4", ".otf", ".pdf", ".png",
    ".svg", ".ttf", ".txt", ".webp", ".woff", ".woff2",
];
/// What ends a sentence, and no address.
const ENDS: &[char] = &['.', ',', ';', ':', '!', '?', '\'', '"', '`', ']', '*', '_', '-', '/'];

/// Hosts of formats and platforms, which stand in every program and are nobody's of interest.
const OF_PLATFORMS: &[&str] = &[
    "android.com",
    "apache.org",
    "apple.com",
    "bouncycastle.org",
    "example.com",
    "example.org",
    "git-lfs.github.com",
    "goo.gl",
    "google.com",
    "jetbrains.com",
    "kotlinlang.org",
    "openssl.org",
    "schema.org",
    "w3.org",
    "xml.org",
    "xmlpull.org",
    "xmlsoap.org",
];

/// Returns the addresses, in canonical form and without their queries; what a template fills in is `{}`.
pub(crate) fn endpoints(text: &str) -> Vec<String> {
    // Scripts write slashes behind backslashes.
    let text = if text.contains("\\/") { Cow::Owned(text.replace("\\/", "/")) } else { Cow::Borrowed(text) };
    let found = URL.find_iter(&text).take(ADDRESSES_MAX);
    found.filter_map(|found| endpoint(found.as_str())).collect()
}

/// True for a host of a format or platform.
pub(crate) fn is_of_platforms(host: &str) -> bool {
    OF_PLATFORMS.iter().any(|known| host.strip_suffix(known).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')))
}

/// A URL whose path opens something, as those of webhooks do, without that path.
pub(crate) fn unopened(url: String) -> String {
    let path =
        url.find("://").and_then(|at| url[at + 3..].find('/').map(|path| &url[at + 3 + path..])).unwrap_or_default();
    // Rules know addresses as people write them.
    let written = [":443/", ":80/"].iter().fold(url.clone(), |url, port| url.replacen(port, "/", 1));
    if path.is_empty() || ambit_secrets::masked(&written).count == 0 {
        return url;
    }
    let site = url.len() - path.len();
    url[..site].to_owned()
}

/// True for what an app asks leave for: the scopes of OAuth are spelled as addresses at some providers.
fn is_scope(host: &str, path: &str) -> bool {
    (host == "www.googleapis.com" && path.starts_with("/auth/")) || path.ends_with("/.default")
}

fn endpoint(url: &str) -> Option<String> {
    let url = url.split(['?', '#', '`', '|', '^']).next().unwrap_or(url);
    let site = url.find("://").map(|at| at + 3)?;
    // Whoever signs in is nobody's business.
    let host = match who_signs_in(&url[site..]) {
        SignIn::Nobody => site,
        // A host with its port, and a path with a sign, are spelled as a user and a password with a slash are.
        SignIn::Until(at) if url[site..site + at].split_once('/').is_some_and(|(first, _)| is_host(first)) => {
            return None;
        }
        SignIn::Until(at) => site + at + 1,
        SignIn::Maybe(_) => return None,
    };
    let path = url[host..].find('/').map_or(url.len(), |at| host + at);
    let filled = HOLE.replace_all(&url[path..], "{}");
    let filled = filled.trim_end_matches(ENDS);
    let name = Kind::AppEndpoint.canonical(&format!("{}{}{filled}", &url[..site], &url[host..path])).ok()?;
    let host = ambit_model::entity::host_of(&name);
    let is_far = match host.parse::<IpAddr>() {
        Ok(address) => !address.is_loopback() && !address.is_unspecified(),
        Err(_) => host.contains('.'),
    };
    (is_far && !is_scope(host, filled) && !FILES.iter().any(|end| filled.to_ascii_lowercase().ends_with(end)))
        .then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told_from_pictures_documents_and_the_machine_itself() {
        for (text, expected) in [
            ("fetch('https://api.acme.test/v1/basket?x=1')", Some("https://api.acme.test:443/v1/basket")),
            (r#""https:\/\/api.acme.test\/v2""#, Some("https://api.acme.test:443/v2")),
            ("base = http://10.0.2.2:8080/api.", Some("http://10.0.2.2:8080/api")),
            ("`https://api.acme.test/users/${id}/mail`", Some("https://api.acme.test:443/users/{}/mail")),
            ("https://api.acme.test/users/%1$s", Some("https://api.acme.test:443/users/{}")),
            ("See https://acme.test/.", Some("https://acme.test:443")),
            ("https://acme.test/logo.PNG", None),
            ("https://ann.lee:tr0ub4dor@api.acme.test/x", Some("https://api.acme.test:443/x")),
            ("https://ann.lee:123/456@api.acme.test/x", None),
            ("https://api.acme.test:8443/users/me@corp.example/x", None),
            ("https://ann.lee:123/456@api/x", None),
            ("https://api.acme.test:8443/users/me@corp/x", None),
            ("http://localhost:3000/api", None),
            ("http://127.0.0.1/api", None),
            ("https://a_b_/x", None),
            ("https://www.googleapis.com/auth/drive.readonly", None),
            ("https://graph.acme.test/.default", None),
            ("https://www.googleapis.com/drive/v3/files", Some("https://www.googleapis.com:443/drive/v3/files")),
        ] {
            assert_eq!(endpoints(text).first().map(String::as_str), expected, "{text}");
        }
    }

    #[test]
    fn hosts_of_platforms_are_no_leads() {
        for (host, expected) in [
            ("schemas.android.com", true),
            ("w3.org", true),
            ("api.acme.test", false),
            ("notw3.org", false),
            ("w3.org.acme.test", false),
        ] {
            assert_eq!(is_of_platforms(host), expected, "{host}");
        }
    }
}
