//! The cookie of a browser's session: how it is said, where it is read, and what shows that a request that carries one
//! comes from a page of this server.

use crate::call::Call;
use crate::mount::{Tree, WIDER};
use crate::parameter::{In, Parameter, Parameters};
use crate::router::Target;
use ambit_api::shape::TEXT;
use ambit_api::{ApiError, ErrorCode, Result};
use http::header::{COOKIE, HeaderName, ORIGIN};
use http::{HeaderMap, Method, Uri};

/// Its name.
const NAME: &str = "ambit_session";
/// The cookie of a sign-in by a provider that is under way, and its seconds.
const CARRIED: &str = "ambit_sign_in";
const CARRIED_S: u32 = 600;
/// Paths of the wider API at which pages of the interface read and change.
const USED: [&str; 4] = [
    "/graphs",
    "/graphs/{id}",
    "/graphs/{id}/relationships/{relationship}",
    "/graphs/{id}/relationships/{relationship}/{member}",
];
/// Those that they only read: what else is done there needs a key.
const READ: [&str; 7] = [
    "/collections/{id}",
    "/domains/{id}",
    "/files/{id}",
    "/ip_addresses/{id}",
    "/urls/{id}",
    "/users/{id}/api_usage",
    "/users/{id}/overall_quotas",
];
/// What a browser says of where a request comes from (Fetch Metadata).
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Sets the cookie. `base` is the root of the wider API's links, whose scheme says whether the browser is under TLS.
pub(crate) fn set(session: &str, base: &str) -> String {
    format!("{NAME}={session}{}", attributes(base))
}

/// Takes the cookie away.
pub(crate) fn clear(base: &str) -> String {
    format!("{NAME}={}; Max-Age=0", attributes(base))
}

/// Without an age, so that it ends with the browser at the latest; the store ends it after a day's work.
fn attributes(base: &str) -> &'static str {
    if base.starts_with("https:") {
        "; Path=/; HttpOnly; SameSite=Strict; Secure"
    } else {
        "; Path=/; HttpOnly; SameSite=Strict"
    }
}

/// The session that a request carries, where a session is looked for: in the trees that the interface asks, and at the
/// paths of the wider API that it uses, for what it does there.
pub(crate) fn session(method: &Method, target: &Target, headers: &HeaderMap) -> Option<String> {
    let is_at = |paths: &[&str]| target.endpoints.iter().any(|endpoint| paths.contains(&endpoint.path));
    let is_asked = match target.mount.tree {
        Tree::Asm => !target.mount.legacy_keys,
        Tree::Ambit => true,
        Tree::Wider => is_at(&USED) || reads(method) && is_at(&READ),
        Tree::V2 | Tree::Open => false,
    };
    if !is_asked {
        return None;
    }
    value(headers, NAME)
}

/// The value of a cookie that a request carries.
fn value(headers: &HeaderMap, wanted: &str) -> Option<String> {
    let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
    let mut pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, value)| *name == wanted && !value.is_empty()).map(|(_, value)| value.to_owned())
}

/// Lets a browser carry something until it comes back from a provider, which sends it by a link of its own page: a
/// stricter cookie would stay behind.
pub(crate) fn carry(sealed: &str, base: &str) -> String {
    format!("{CARRIED}={sealed}; Path=/sign_in; Max-Age={CARRIED_S}; HttpOnly; SameSite=Lax{}", secure(base))
}

/// Takes that away.
pub(crate) fn carried_no_more(base: &str) -> String {
    format!("{CARRIED}=; Path=/sign_in; Max-Age=0; HttpOnly; SameSite=Lax{}", secure(base))
}

/// What a browser carries.
pub(crate) enum Carried {}

impl Carried {
    /// What it carries, sealed.
    pub(crate) fn sealed(call: &Call) -> Option<String> {
        value(call.headers.with(In::Cookie, CARRIED), CARRIED)
    }
}

impl Parameters for Carried {
    fn list() -> Vec<Parameter> {
        let doc = "What this browser carries while it signs in by a provider, sealed.";
        vec![Parameter { place: In::Cookie, name: CARRIED, shape: TEXT, required: false, doc }]
    }
}

fn secure(base: &str) -> &'static str {
    if base.starts_with("https:") { "; Secure" } else { "" }
}

/// Refuses a request by a session that a page of somebody else made a browser send. One that does not say where it
/// comes from may read and change nothing, since no page learns the answer to what it made a browser ask.
pub(crate) fn check_page(method: &Method, headers: &HeaderMap, base: &str) -> Result<()> {
    if is_own_page(headers, base).unwrap_or(reads(method)) { Ok(()) } else { Err(foreign()) }
}

fn reads(method: &Method) -> bool {
    [Method::GET, Method::HEAD].contains(method)
}

/// Refuses a page of somebody else that would sign a browser in, as another than the person at it. Programs, which say
/// nothing of pages, may.
pub(crate) fn check_door(headers: &HeaderMap, base: &str) -> Result<()> {
    if is_own_page(headers, base).unwrap_or(true) { Ok(()) } else { Err(foreign()) }
}

fn foreign() -> ApiError {
    let message = "A session is good for this server's own pages only; programs send a key in the header x-apikey";
    ApiError::with(ErrorCode::Forbidden, message)
}

/// Whether a page of this server sent a request; `None`: a person typed it, or nothing is said.
fn is_own_page(headers: &HeaderMap, base: &str) -> Option<bool> {
    let said = |name: &HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    match (said(&SEC_FETCH_SITE), said(&ORIGIN)) {
        (Some("same-origin"), _) => Some(true),
        (Some("none"), _) | (None, None) => None,
        (Some(_), _) => Some(false),
        (None, Some(origin)) => Some(is_own(origin, base)),
    }
}

/// True where an origin is the scheme and host of the address that the client called.
fn is_own(origin: &str, base: &str) -> bool {
    let parts = |text: &str| {
        let uri: Uri = text.parse().ok()?;
        Some((uri.scheme_str()?.to_owned(), uri.authority()?.as_str().to_ascii_lowercase()))
    };
    parts(origin).is_some_and(|origin| Some(origin) == parts(base.trim_end_matches(WIDER)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::router::resolve;
    use http::HeaderValue;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let pairs = pairs.iter();
        pairs.map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap())).collect()
    }

    #[test]
    fn a_session_is_read_where_the_interface_asks_alone() {
        let sent = headers(&[("cookie", "a=b; ambit_session=s; c=d")]);
        for (path, reads, changes) in [
            ("/api/v3/asm/projects", true, true),
            ("/api/ambit/v1/keys", true, true),
            ("/api/v3/graphs", true, true),
            ("/api/v3/graphs/g1", true, true),
            ("/api/v3/graphs/g1/relationships/viewers", true, true),
            ("/api/v3/graphs/g1/relationships/viewers/ann", true, true),
            ("/api/v3/users/ann/overall_quotas", true, false),
            ("/api/v3/users/ann/api_usage", true, false),
            ("/api/v3/domains/acme.test", true, false),
            ("/api/v3/ip_addresses/192.0.2.1", true, false),
            ("/api/v3/urls/u1", true, false),
            ("/api/v3/files/f1", true, false),
            ("/api/v3/collections/c1", true, false),
            ("/api/v3/collections", false, false),
            ("/api/v3/domains/acme.test/comments", false, false),
            ("/api/v3/files/f1/download", false, false),
            ("/api/v3/graphs/g1/owner", false, false),
            ("/api/v3/users/ann", false, false),
            ("/api/v3/me", false, false),
            ("/api/v1/projects", false, false),
            ("/vtapi/v2/file/report", false, false),
            ("/issues", false, false),
        ] {
            let target = resolve(path).unwrap();
            for (method, read) in [(Method::GET, reads), (Method::HEAD, reads), (Method::DELETE, changes)] {
                assert_eq!(session(&method, &target, &sent).is_some(), read, "{method} {path}");
            }
        }
        let projects = resolve("/api/v3/asm/projects").unwrap();
        for none in ["", "ambit_session=", "xambit_session=s", "ambit_session"] {
            assert_eq!(session(&Method::GET, &projects, &headers(&[("cookie", none)])), None, "{none}");
        }
    }

    #[test]
    fn only_own_pages_change_anything_by_a_session() {
        let base = "https://asm.test:8443/api/v3";
        for (said, reads, changes) in [
            (&[("sec-fetch-site", "same-origin")][..], true, true),
            (&[("sec-fetch-site", "same-origin"), ("origin", "https://asm.test:8443")], true, true),
            (&[("sec-fetch-site", "none")], true, false),
            (&[("sec-fetch-site", "same-site")], false, false),
            (&[("sec-fetch-site", "cross-site"), ("origin", "https://asm.test:8443")], false, false),
            (&[("origin", "https://asm.test:8443")], true, true),
            (&[("origin", "https://ASM.test:8443")], true, true),
            (&[("origin", "https://asm.test")], false, false),
            (&[("origin", "http://asm.test:8443")], false, false),
            (&[("origin", "https://asm.test:8443.evil.test")], false, false),
            (&[("origin", "null")], false, false),
            (&[], true, false),
        ] {
            let sent = headers(said);
            assert_eq!(check_page(&Method::GET, &sent, base).is_ok(), reads, "{said:?}");
            for method in [Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
                assert_eq!(check_page(&method, &sent, base).is_ok(), changes, "{method} {said:?}");
            }
        }
    }

    #[test]
    fn the_cookie_is_for_the_server_alone_and_secure_under_tls() {
        assert_eq!(set("s", "https://a.test/api/v3"), "ambit_session=s; Path=/; HttpOnly; SameSite=Strict; Secure");
        assert_eq!(set("s", "http://a.test/api/v3"), "ambit_session=s; Path=/; HttpOnly; SameSite=Strict");
        assert!(clear("http://a.test/api/v3").ends_with("Max-Age=0"));
    }
}
