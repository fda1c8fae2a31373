//! The gate: every request passes here, and every answer leaves here in the envelope, whatever happens behind. Path, method, key, project, body, then
//! the handler, under a time limit and with panics caught.

use crate::answer::{Answer, respond};
use crate::attempts::FAILURES_MAX;
use crate::body::{self, Arrival, Reading};
use crate::call::Call;
use crate::endpoints::{Access, Endpoint, Method, Tree};
use crate::path::{self, Mount, Target};
use crate::{ServerState, failure, quota, request_log};
use ambit_api::{ACCESS_KEY_HEADERS, ApiError, ErrorCode, KEY_NAME, PROJECT_HEADERS, SECRET_KEY_HEADERS, V2_KEY_NAME};
use ambit_model::Timestamp;
use ambit_store::Principal;
use axum::body::Body;
use axum::response::Response;
use futures::FutureExt;
use http::header::{CONTENT_TYPE, HOST, USER_AGENT};
use http::request::Parts;
use http::uri::Authority;
use http::{HeaderMap, Request};
use std::future::Future;
use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Confirms that an account is to be deleted (v3-wire §1.1).
const PASSWORD: &str = "x-user-password";
/// Has the caller's username where many objects are deleted at once (v3-wire §1.1).
const CONFIRM_DELETE: &str = "x-confirm-delete";
/// Seconds until a request that found no place comes back.
const RETRY_S: u32 = 1;

/// Characters of a client's name for itself that are looked at: browsers use some two hundred.
const AGENT_CHARS_MAX: usize = 300;

/// The number of the connection that a request came on, as an extension of the request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Connection(pub(crate) u64);

/// Who asks.
pub(crate) enum Asker {
    /// Whoever has the key in the request; failed attempts are counted by this address.
    Peer(IpAddr),
    /// Somebody whom the program knows already.
    Known(Box<Principal>),
}

/// Answers one request. `peer` is the address that failed attempts are counted by.
pub async fn answer(state: Arc<ServerState>, peer: IpAddr, request: Request<Body>) -> Response {
    answer_to(state, Asker::Peer(peer), request).await
}

/// As [`answer`], to any asker.
pub(crate) async fn answer_to(state: Arc<ServerState>, asker: Asker, request: Request<Body>) -> Response {
    let line = format!("{} {}", request.method(), request_log::shown(request.uri().path()));
    let begun = Instant::now();
    let time = state.limits.request_time + body::allowance(request.headers());
    let manner = path::manner(request.uri().path());
    let outcome = bounded(&line, time, pass(state, asker, request)).await;
    if let Err(error) = &outcome {
        // Quoted, since a caller chooses what stands in it.
        tracing::debug!(request = line, status = error.code.status(), reason = ?error.message, "refused");
    }
    let response = respond(outcome, manner);
    tracing::info!(
        request = line,
        status = response.status().as_u16(),
        ms = begun.elapsed().as_millis(),
        "answered"
    );
    response
}

/// Whatever happens behind, there is an answer in time.
pub(crate) async fn bounded(line: &str, time: Duration, passing: impl Future<Output = Result<Answer, ApiError>>) -> Result<Answer, ApiError> {
    match tokio::time::timeout(time, AssertUnwindSafe(passing).catch_unwind()).await {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(panic)) => {
            tracing::error!(request = line, panic = panic_text(&*panic), "a handler panicked");
            Err(ApiError::new(ErrorCode::Internal))
        }
        Err(_) => {
            tracing::warn!(request = line, "a request took too long");
            Err(ApiError::new(ErrorCode::DeadlineExceeded))
        }
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without text")
}

async fn pass(state: Arc<ServerState>, asker: Asker, request: Request<Body>) -> Result<Answer, ApiError> {
    let Ok(_place) = state.places.try_acquire() else {
        return Err(ApiError::new(ErrorCode::Transient).retry_after(RETRY_S));
    };
    let (head, body) = request.into_parts();
    let target = path::resolve(head.uri.path())?;
    let endpoint = choose(&target, head.method.as_str())?;
    // Health checks name whatever they like.
    if endpoint.access != Access::Open {
        check_host(&state.hosts, &head)?;
    }
    let mut query = path::query_parameters(head.uri.query());
    let now = (state.clock)();
    let content_type = content_type(&head.headers);
    let reading = Reading {
        endpoint,
        headers: &head.headers,
        rooms: &state.rooms,
        idle: state.limits.request_time,
    };
    let mut arrival = Arrival::Waiting(body);
    if endpoint.tree == Tree::V2 && !query.iter().any(|(name, _)| name == V2_KEY_NAME) {
        let whole = arrival.read(&reading, false).await?;
        body::add_fields(&mut query, &content_type, &whole.bytes)?;
        arrival = Arrival::Read(whole);
    }
    let caller = match (endpoint.access, asker) {
        (Access::Open, _) => None,
        (_, Asker::Known(principal)) => Some(*principal),
        (_, Asker::Peer(peer)) => Some(authenticate(&state, peer, target.mount, &head.headers, &query, now).await?),
    };
    check_rate(&state, caller.as_ref(), now)?;
    if endpoint.access == Access::Administrator && !caller.as_ref().is_some_and(Principal::administrator) {
        return Err(ApiError::new(ErrorCode::Forbidden));
    }
    let project = match &caller {
        Some(caller) => project(&state, endpoint.access, caller, &head.headers).await?,
        None => None,
    };
    let before = matches!(arrival, Arrival::Read(_));
    let whole = arrival.read(&reading, true).await?;
    if endpoint.tree == Tree::V2 && !before {
        body::add_fields(&mut query, &content_type, &whole.bytes)?;
    }
    let call = Call {
        state: state.clone(),
        now,
        project,
        caller,
        parameters: target.parameters,
        query,
        body: whole.bytes,
        _room: whole.room,
        base: base(&head.headers),
        content_type,
        path: head.uri.path().to_owned(),
        password: header(&head.headers, PASSWORD),
        confirmation: header(&head.headers, CONFIRM_DELETE),
        agent: agent(&head.headers),
        connection: head.extensions.get::<Connection>().map(|connection| connection.0),
    };
    if !endpoint.tree.is_metered() {
        return (endpoint.handler)(call).await;
    }
    let line = format!("{} {}", head.method, head.uri.path());
    quota::metered(endpoint, call, line, state.limits.request_time).await
}

fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}

fn agent(headers: &HeaderMap) -> String {
    let value = headers.get(USER_AGENT).map(|value| String::from_utf8_lossy(value.as_bytes()));
    value.unwrap_or_default().chars().take(AGENT_CHARS_MAX).collect()
}

fn content_type(headers: &HeaderMap) -> String {
    let value = headers.get(CONTENT_TYPE).map(|value| String::from_utf8_lossy(value.as_bytes()));
    value.unwrap_or_default().into_owned()
}

/// The root of the links in an answer: the host that the client called, since some clients follow links verbatim (v3-wire §1.4).
fn base(headers: &HeaderMap) -> String {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost");
    format!("http://{host}{}", path::WIDER)
}

/// Where host names are configured, a request names one of them: a page that made a browser believe that its own name is this server's (DNS rebinding)
/// is not answered.
fn check_host(hosts: &[String], head: &Parts) -> Result<(), ApiError> {
    if hosts.is_empty() {
        return Ok(());
    }
    let header = head.headers.get(HOST).and_then(|host| host.to_str().ok());
    let named = head.uri.authority().map(Authority::as_str).or(header).unwrap_or_default();
    let name = named.parse::<Authority>().map(|authority| authority.host().to_ascii_lowercase());
    let name = name.unwrap_or_default();
    if hosts.iter().any(|host| host.eq_ignore_ascii_case(&name)) {
        return Ok(());
    }
    Err(ApiError::with(ErrorCode::BadRequest, "This server does not answer for that host"))
}

/// Where a limit is configured, a key has so many requests a minute.
fn check_rate(state: &ServerState, caller: Option<&Principal>, now: Timestamp) -> Result<(), ApiError> {
    let (Some(max), Some(key)) = (state.limits.requests_per_minute, caller.and_then(Principal::key_id)) else {
        return Ok(());
    };
    match state.requests.count(key, max, now) {
        Some(seconds) => Err(ApiError::with(ErrorCode::TooManyRequests, "Too many requests with this key").retry_after(seconds)),
        None => Ok(()),
    }
}

/// The row of the method; 405 names those that there are.
fn choose(target: &Target, method: &str) -> Result<&'static Endpoint, ApiError> {
    let wanted = Method::from_name(method);
    if let Some(endpoint) = target.endpoints.iter().find(|endpoint| Some(endpoint.method) == wanted) {
        return Ok(endpoint);
    }
    let mut allow: Vec<&str> = target.endpoints.iter().map(|endpoint| endpoint.method.name()).collect();
    if allow.contains(&"GET") {
        allow.push("HEAD");
    }
    let allow = allow.join(", ");
    let mut error = ApiError::with(ErrorCode::MethodNotAllowed, format!("Method not allowed here; allowed: {allow}"));
    error.allow = Some(allow);
    Err(error)
}

/// What a request carries as its credential.
#[derive(Debug, PartialEq, Eq)]
struct Credential {
    key: String,
    /// The older tree's access header: the id of the key, or the key again.
    access: Option<String>,
}

/// Finds the credential: the header, then the query, then the two headers of the older tree. In version 2 it is a parameter with a name of its own.
fn credential(mount: &Mount, headers: &HeaderMap, query: &[(String, String)]) -> Result<Option<Credential>, ApiError> {
    if mount.tree == Tree::V2 {
        let asked = query.iter().rev().find(|(name, value)| name == V2_KEY_NAME && !value.trim().is_empty());
        return Ok(asked.map(|(_, key)| Credential {
            key: key.trim().to_owned(),
            access: None,
        }));
    }
    let mut sent = headers.get_all(KEY_NAME).iter();
    if let Some(key) = sent.next() {
        if sent.next().is_some() {
            return Err(ApiError::with(ErrorCode::BadRequest, "The x-apikey header stands twice"));
        }
        // Keys are ASCII; anything else is a wrong key.
        let key = String::from_utf8_lossy(key.as_bytes()).trim().to_owned();
        if !key.is_empty() {
            return Ok(Some(Credential { key, access: None }));
        }
    }
    let asked = query
        .iter()
        .find(|(name, value)| name.eq_ignore_ascii_case(KEY_NAME) && !value.is_empty());
    if let Some((_, key)) = asked {
        let key = key.trim().to_owned();
        return Ok(Some(Credential { key, access: None }));
    }
    let first = |names: [&str; 2]| {
        let values = names.iter().filter_map(|name| headers.get(*name)).filter_map(|value| value.to_str().ok());
        values.map(|value| value.trim().to_owned()).find(|value| !value.is_empty())
    };
    if !mount.legacy_keys {
        return Ok(None);
    }
    Ok(first(ACCESS_KEY_HEADERS)
        .zip(first(SECRET_KEY_HEADERS))
        .map(|(access, key)| Credential { key, access: Some(access) }))
}

async fn authenticate(
    state: &ServerState,
    peer: IpAddr,
    mount: &Mount,
    headers: &HeaderMap,
    query: &[(String, String)],
    now: Timestamp,
) -> Result<Principal, ApiError> {
    let Some(credential) = credential(mount, headers, query)? else {
        return Err(ApiError::new(ErrorCode::AuthenticationRequired));
    };
    let known = match &credential.access {
        Some(access) => state.store.authenticate_pair(access, &credential.key, now).await,
        None => state.store.authenticate(&credential.key, now).await,
    };
    if let Some(principal) = known.map_err(|error| failure::of_store(error, "Key"))? {
        return Ok(principal);
    }
    match state.failures.count(peer, FAILURES_MAX, now) {
        Some(seconds) => Err(ApiError::with(ErrorCode::TooManyRequests, "Too many wrong keys from this address").retry_after(seconds)),
        None => Err(ApiError::new(ErrorCode::WrongCredentials)),
    }
}

/// What the project header names; empty and `None` name nothing (asm-wire §1).
fn named_project(headers: &HeaderMap) -> Option<String> {
    let values = PROJECT_HEADERS.iter().flat_map(|name| headers.get_all(*name));
    values
        .map(|value| String::from_utf8_lossy(value.as_bytes()).trim().to_owned())
        .find(|value| !value.is_empty() && value != "None")
}

/// The project of a call: the named one, which must be the caller's; else the primary one where a project is worked in, and none where objects are
/// found by their id.
async fn project(state: &ServerState, access: Access, caller: &Principal, headers: &HeaderMap) -> Result<Option<i64>, ApiError> {
    let named = named_project(headers);
    let Access::InProject(least) = access else {
        if named.is_none() {
            return Ok(None);
        }
        let chosen = state.store.choose_project(caller, named.as_deref()).await;
        return chosen.map_err(|error| failure::of_store(error, "Project"));
    };
    let chosen = state.store.choose_project(caller, named.as_deref()).await;
    let chosen = chosen.map_err(|error| failure::of_store(error, "Project"))?;
    let role = chosen.and_then(|project| caller.project_role(project));
    if role.is_some_and(|role| role < least) {
        return Err(ApiError::new(ErrorCode::Forbidden));
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::MOUNTS;
    use http::{HeaderName, HeaderValue};

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    fn key_of(mount: usize, pairs: &[(&'static str, &str)], query: &str) -> Result<Option<String>, u16> {
        let found = credential(&MOUNTS[mount], &headers(pairs), &path::query_parameters(Some(query)));
        found
            .map(|found| found.map(|found| format!("{} {:?}", found.key, found.access)))
            .map_err(|error| error.code.status())
    }

    #[test]
    fn the_key_is_found_in_header_query_or_the_two_headers_of_the_older_tree() {
        let (newer, older) = (0, 1);
        let legacy = [("intrigue_access_key", "a"), ("intrigue_secret_key", "s")];
        let hyphens = [("intrigue-access-key", "a"), ("intrigue-secret-key", "s")];
        assert_eq!(key_of(newer, &[("x-apikey", " k ")], "x-apikey=q"), Ok(Some("k None".to_owned())));
        assert_eq!(key_of(newer, &[("x-apikey", "")], "X-ApiKey=q"), Ok(Some("q None".to_owned())));
        assert_eq!(key_of(older, &legacy, ""), Ok(Some("s Some(\"a\")".to_owned())));
        assert_eq!(key_of(older, &hyphens, ""), Ok(Some("s Some(\"a\")".to_owned())));
        assert_eq!(key_of(newer, &legacy, ""), Ok(None));
        assert_eq!(key_of(older, &legacy[1..], ""), Ok(None));
        assert_eq!(key_of(newer, &[], ""), Ok(None));
        assert_eq!(key_of(newer, &[("x-apikey", "k"), ("x-apikey", "l")], ""), Err(400));
        let second = MOUNTS.iter().position(|mount| mount.tree == Tree::V2).unwrap();
        assert_eq!(key_of(second, &[("x-apikey", "k")], "x-apikey=q"), Ok(None));
        assert_eq!(key_of(second, &[], "apikey=q&resource=r"), Ok(Some("q None".to_owned())));
    }

    #[tokio::test]
    async fn a_panic_and_a_stall_are_answers() {
        let time = Duration::from_millis(20);
        let panicked = bounded("GET /x", time, async { panic!("inside") }).await;
        assert_eq!(panicked.map(|_| ()), Err(ApiError::new(ErrorCode::Internal)));
        let stalled = bounded("GET /x", time, std::future::pending()).await;
        assert_eq!(stalled.map(|_| ()), Err(ApiError::new(ErrorCode::DeadlineExceeded)));
    }

    #[test]
    fn only_configured_hosts_are_answered_for() {
        let status = |hosts: &[&str], target: &str, host: Option<&str>| {
            let mut request = Request::builder().uri(target);
            if let Some(host) = host {
                request = request.header("host", host);
            }
            let (head, ()) = request.body(()).unwrap().into_parts();
            let hosts: Vec<String> = hosts.iter().map(|host| (*host).to_owned()).collect();
            check_host(&hosts, &head).map_err(|error| error.code.status())
        };
        assert_eq!(status(&[], "/", Some("anything.test")), Ok(()));
        assert_eq!(status(&["asm.acme.test"], "/", Some("ASM.acme.test:8080")), Ok(()));
        assert_eq!(status(&["[::1]"], "/", Some("[::1]:8080")), Ok(()));
        assert_eq!(status(&["asm.acme.test"], "http://asm.acme.test/x", Some("evil.test")), Ok(()));
        for host in [Some("evil.test"), Some("asm.acme.test.evil.test"), Some("a b"), None] {
            assert_eq!(status(&["asm.acme.test"], "/", host), Err(400), "{host:?}");
        }
    }

    #[test]
    fn a_project_is_named_by_either_header_and_not_by_empty_ones() {
        assert_eq!(named_project(&headers(&[("project-id", "7")])).as_deref(), Some("7"));
        assert_eq!(
            named_project(&headers(&[("project-id", ""), ("project_id", " 8 ")])).as_deref(),
            Some("8")
        );
        for nothing in ["", "  ", "None"] {
            assert_eq!(named_project(&headers(&[("project-id", nothing)])), None);
        }
        assert_eq!(named_project(&headers(&[])), None);
    }
}
