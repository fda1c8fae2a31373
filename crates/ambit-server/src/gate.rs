//! The gate: every request passes here, and every answer leaves here in the envelope, whatever happens behind. Path,
//! method, host, key, body, then a place among the requests that are worked on, then the handler, each under a time
//! limit and with panics caught. Nobody holds a place who has not shown a key and sent everything.

use crate::answer::{Answer, Wishes, respond};
use crate::attempts::count_wrong_key;
use crate::body::{self, Arriving};
use crate::call::Call;
use crate::connections::Working;
use crate::endpoint::{Access, Changes, Endpoint, Method};
use crate::failure::About;
use crate::limits::{bounded, caught, in_time};
use crate::metrics::Route;
use crate::mount::{Mount, Tree, WIDER};
use crate::origin::{Origin, Outside, Peer};
use crate::parameter::Headers;
use crate::quota::rules::Price;
use crate::request_span::{REQUEST_ID, RequestSpan};
use crate::router::{self, Target};
use crate::shares::{Owner, Share, site};
use crate::state::ServerState;
use crate::upload::Upload;
use crate::{cookie, percent, quota, request_log, upload};
use ambit_api::{
    ACCESS_KEY_HEADERS, ApiError, ErrorCode, KEY_NAME, PROJECT_HEADERS, Result, SECRET_KEY_HEADERS, V2_KEY_NAME,
};
use ambit_model::Timestamp;
use ambit_store::{Caller, Principal};
use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::request::Parts;
use http::{HeaderMap, Request};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Instant;
use tracing::Instrument as _;

/// Seconds until a request that found no place comes back.
const RETRY_S: u32 = 1;

/// Who asks.
pub(crate) enum Asker {
    /// Whoever has the key in the request, and how the server is reached.
    Peer(Peer, Arc<Outside>),
    /// A principal that was authenticated before.
    Known(Box<Principal>),
}

impl Asker {
    /// The number of the connection that the request came on, among all of this process.
    fn connection(&self) -> Option<u64> {
        match self {
            Self::Peer(peer, _) => peer.number(),
            Self::Known(_) => None,
        }
    }
}

/// What a request holds until its answer is made.
#[derive(Default)]
struct Held {
    place: Option<Arc<Share>>,
    /// What the bytes of its answer are counted against.
    answer: Option<Share>,
    working: Option<Working>,
    /// Where it went.
    route: Option<Route>,
}

/// Answers one request.
pub(crate) async fn answer_to(state: Arc<ServerState>, asker: Asker, request: Request<Body>) -> Response {
    let (head, body) = request.into_parts();
    let path = request_log::shown(head.uri.path());
    let told = RequestSpan::begin(&head.method, &path, &head.headers, state.spans);
    let line = format!("{} {path}", head.method);
    let (mut response, route) = answer(&state, asker, (head, body), line).instrument(told.span.clone()).await;
    told.end(route, response.status());
    response.headers_mut().insert(REQUEST_ID, told.id());
    response
}

/// The answer, and where the request went.
async fn answer(
    state: &Arc<ServerState>,
    asker: Asker,
    (head, body): (Parts, Body),
    line: String,
) -> (Response, Option<Route>) {
    let begun = Instant::now();
    let wishes = Wishes::of(router::manner(head.uri.path()), &head.headers);
    let mut arriving = Arriving::new(&head.headers, body, state.limits.request_time);
    let mut held = Held::default();
    let passage = Passage { state, head: &Arc::new(head), line: &line };
    let outcome = caught(&line, passage.pass(&asker, &mut arriving, &mut held)).await;
    if let Err(error) = &outcome {
        // The reason is quoted, because a caller can influence its text.
        tracing::debug!(request = line, status = error.code.status(), reason = ?error.message, "refused");
    }
    if arriving.is_left() {
        tokio::spawn(arriving.drain(state.limits.linger));
    }
    let response = respond(outcome, &wishes, held.answer).await;
    state.metrics.count(held.route, response.status().as_u16(), begun.elapsed());
    tracing::info!(request = line, status = response.status().as_u16(), ms = begun.elapsed().as_millis(), "answered");
    (response, held.route)
}

/// A request on its way to its handler.
struct Passage<'a> {
    state: &'a Arc<ServerState>,
    head: &'a Arc<Parts>,
    /// The line for the log.
    line: &'a str,
}

/// Who asks, once that is known.
struct Identity {
    /// `None`: anybody may.
    principal: Option<Principal>,
    project: Option<i64>,
    /// Whose share it takes; `None` for the program itself.
    owner: Option<Owner>,
}

/// A body that has come.
#[derive(Default)]
struct Received {
    bytes: Bytes,
    room: Option<Share>,
    upload: Option<Upload>,
}

impl Passage<'_> {
    async fn pass(&self, asker: &Asker, arriving: &mut Arriving, held: &mut Held) -> Result<Answer> {
        let target = router::resolve(self.head.uri.path())?;
        let endpoint = choose(&target, self.head.method.as_str())?;
        let (prefix, path, method) = (target.mount.prefix, endpoint.path, endpoint.method.name());
        held.route = Some(Route { prefix, path, method });
        let origin = self.origin(asker)?;
        let mut query = percent::query_parameters(self.head.uri.query());
        let now = (self.state.clock)();
        let content_type = content_type(&self.head.headers);
        let way = Way { target: &target, endpoint, origin: &origin, content_type: &content_type, now };
        let identity = self.identify(&way, asker, arriving, &mut query).await?;
        let administrator = identity.principal.as_ref().is_some_and(Principal::administrator);
        let received = self.receive(&way, identity.owner, arriving, &mut query).await;
        let received = received.map_err(|error| self.explained(error, administrator))?;
        check_scope(endpoint, identity.principal.as_ref(), !received.bytes.is_empty())?;
        if let (Some(owner), false) = (identity.owner, endpoint.light) {
            self.take_place(asker, owner, held).await?;
        }
        let peer = matches!(asker, Asker::Peer(..)).then_some(origin.address);
        let names = endpoint.handler.signature.names;
        let call = Call {
            state: self.state.clone(),
            now,
            project: identity.project,
            caller: identity.principal.map(|principal| Caller { principal, now }),
            parameters: target.parameters,
            query,
            names,
            body: received.bytes,
            upload: received.upload,
            room: received.room,
            place: held.place.clone(),
            base: origin.base,
            content_type,
            path: self.head.uri.path().to_owned(),
            head_only: self.head.method == http::Method::HEAD,
            headers: Headers::new(Arc::clone(self.head), names),
            takes_pages: takes_pages(&self.head.headers),
            connection: asker.connection(),
            peer,
        };
        let time = self.state.limits.request_time;
        let outcome = if endpoint.tree.is_metered() {
            quota::metered(endpoint, call, self.line.to_owned(), time).await
        } else {
            bounded(self.line, time, (endpoint.handler.answer)(call)).await
        };
        outcome.map_err(|error| self.explained(error, administrator))
    }

    /// Those who may know the reason are told why the store is not available.
    fn explained(&self, mut error: ApiError, administrator: bool) -> ApiError {
        if administrator
            && error.code == ErrorCode::Transient
            && let Some(why) = self.state.store.trouble()
        {
            error.message = format!("Not available now: {why}");
        }
        error
    }

    fn origin(&self, asker: &Asker) -> Result<Origin> {
        match asker {
            Asker::Peer(peer, outside) => outside.origin(peer, self.head),
            Asker::Known(_) => Ok(Origin {
                address: IpAddr::V4(Ipv4Addr::LOCALHOST),
                base: format!("http://localhost{}", WIDER),
                answered: true,
            }),
        }
    }

    /// Finds out who asks, and in which project.
    async fn identify(
        &self,
        way: &Way<'_>,
        asker: &Asker,
        arriving: &mut Arriving,
        query: &mut Vec<(String, String)>,
    ) -> Result<Identity> {
        let state = self.state;
        let stranger = Owner::Address(site(way.origin.address));
        let (principal, owner) = match (way.endpoint.access, asker) {
            (Access::Open, Asker::Peer(..)) => {
                if way.endpoint.body.is_some() {
                    cookie::check_door(&self.head.headers, &way.origin.base)?;
                }
                (None, Some(stranger))
            }
            (Access::Open, Asker::Known(_)) => (None, None),
            (_, Asker::Known(principal)) => (Some((**principal).clone()), None),
            (_, Asker::Peer(peer, _)) => {
                if way.endpoint.tree == Tree::V2 && !query.iter().any(|(name, _)| name == V2_KEY_NAME) {
                    let within = state.limits.head_time;
                    let key =
                        arriving.key_in_form(way.content_type, V2_KEY_NAME, &state.rooms, stranger, within).await?;
                    query.extend(key.map(|key| (V2_KEY_NAME.to_owned(), key)));
                }
                let found = authenticate(state, way, self.head, query);
                let principal = in_time(self.line, state.limits.request_time, found).await?;
                peer.show_key();
                let owner = principal.key_id().map_or(stranger, Owner::Key);
                (Some(principal), Some(owner))
            }
        };
        check_rate(state, principal.as_ref(), way.now)?;
        check_scope(way.endpoint, principal.as_ref(), false)?;
        if way.endpoint.access == Access::Administrator && !principal.as_ref().is_some_and(Principal::administrator) {
            return Err(ApiError::new(ErrorCode::Forbidden));
        }
        let project = match &principal {
            Some(caller) => {
                let found = project(state, way.endpoint, caller, &self.head.headers);
                in_time(self.line, state.limits.request_time, found).await?
            }
            None => None,
        };
        Ok(Identity { principal, project, owner })
    }

    /// Reads the body of a row that has one; other bodies are left unread.
    async fn receive(
        &self,
        way: &Way<'_>,
        owner: Option<Owner>,
        arriving: &mut Arriving,
        query: &mut Vec<(String, String)>,
    ) -> Result<Received> {
        let ours = matches!(way.endpoint.tree, Tree::Asm | Tree::Ambit | Tree::Open);
        let uploads = way.endpoint.cost.price == Price::Upload;
        let most = match (ours, uploads) {
            _ if way.endpoint.access == Access::Open => body::OPEN_BYTES_MAX,
            (true, _) => body::BYTES_MAX,
            (false, true) => body::UPLOAD_BYTES_MAX,
            (false, false) => body::WIDER_BYTES_MAX,
        };
        arriving.check_announced(most)?;
        if way.endpoint.body.is_none() {
            return Ok(Received::default());
        }
        let needed = arriving.expected(if uploads { body::UPLOAD_HELD_BYTES } else { most });
        let room = match owner.filter(|_| needed > 0) {
            Some(owner) => Some(self.state.rooms.room(owner, needed, self.state.limits.request_time).await?),
            None => None,
        };
        if uploads {
            let upload = upload::receive(self.state, arriving, way.content_type, way.now).await?;
            query.extend(upload.parameters());
            return Ok(Received { room, upload: Some(upload), ..Received::default() });
        }
        let mut bytes = arriving.whole(most).await?;
        match way.endpoint.tree {
            Tree::V2 => body::add_fields(query, way.content_type, &bytes)?,
            _ => bytes = body::without_nothing(bytes, way.endpoint.changes == Changes::WithBody),
        }
        // Clients of the wider API put any type on JSON (docs/contract/wider.md §9).
        if ours {
            body::check_content_type(&self.head.headers, &bytes)?;
        }
        Ok(Received { bytes, room, upload: None })
    }

    /// Takes a place among the requests that are worked on, once the caller's answers of before have gone out.
    async fn take_place(&self, asker: &Asker, owner: Owner, held: &mut Held) -> Result<()> {
        let busy = || ApiError::with(ErrorCode::Transient, "Too many requests at once; try again").retry_after(RETRY_S);
        let wait = self.state.limits.place_wait;
        held.answer = Some(self.state.answers.take(owner, 1, wait).await.ok_or_else(busy)?);
        held.place = Some(Arc::new(self.state.places.take(owner, 1, wait).await.ok_or_else(busy)?));
        if let Asker::Peer(peer, _) = asker {
            held.working = peer.working();
        }
        Ok(())
    }
}

/// Where a request goes, and what its head says.
struct Way<'a> {
    target: &'a Target,
    endpoint: &'static Endpoint,
    origin: &'a Origin,
    content_type: &'a str,
    now: Timestamp,
}

/// True for a browser at which a person sits: a program asks for JSON, or for anything.
fn takes_pages(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    accepted.flat_map(|value| value.split(',')).any(|kind| kind.trim().starts_with("text/html"))
}

fn content_type(headers: &HeaderMap) -> String {
    let value = headers.get(CONTENT_TYPE).map(|value| String::from_utf8_lossy(value.as_bytes()));
    value.unwrap_or_default().into_owned()
}

/// Where a limit is configured, a key has so many requests a minute.
fn check_rate(state: &ServerState, caller: Option<&Principal>, now: Timestamp) -> Result<()> {
    let (Some(max), Some(key)) = (state.limits.requests_per_minute, caller.and_then(Principal::key_id)) else {
        return Ok(());
    };
    match state.requests.count(key, max, now) {
        Some(seconds) => {
            Err(ApiError::with(ErrorCode::TooManyRequests, "Too many requests with this key").retry_after(seconds))
        }
        None => Ok(()),
    }
}

/// Refuses what the key in the request may not do, whoever its user is.
fn check_scope(endpoint: &Endpoint, caller: Option<&Principal>, has_body: bool) -> Result<()> {
    let scope = caller.map(Principal::scope).unwrap_or_default();
    if scope.read_only && endpoint.changes.applies(has_body) {
        return Err(ApiError::with(ErrorCode::Forbidden, "This key can only read"));
    }
    if scope.project.is_some() && !endpoint.in_one_project {
        return Err(ApiError::with(ErrorCode::Forbidden, "This key is for one project only"));
    }
    Ok(())
}

/// The row of the method; 405 names those that there are.
fn choose(target: &Target, method: &str) -> Result<&'static Endpoint> {
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

/// Finds the credential: the header, then the query, then the two headers of the older tree. In version 2 it is a
/// parameter with a name of its own.
fn credential(mount: &Mount, headers: &HeaderMap, query: &[(String, String)]) -> Result<Option<Credential>> {
    if mount.tree == Tree::V2 {
        let asked = query.iter().rev().find(|(name, value)| name == V2_KEY_NAME && !value.trim().is_empty());
        return Ok(asked.map(|(_, key)| Credential { key: key.trim().to_owned(), access: None }));
    }
    let mut sent = headers.get_all(KEY_NAME).iter();
    if let Some(key) = sent.next() {
        if sent.any(|other| other != key) {
            return Err(ApiError::bad("The x-apikey header stands twice, with different keys"));
        }
        // Keys are ASCII; anything else is a wrong key.
        let key = String::from_utf8_lossy(key.as_bytes()).trim().to_owned();
        if !key.is_empty() {
            return Ok(Some(Credential { key, access: None }));
        }
    }
    let asked = query.iter().find(|(name, value)| name.eq_ignore_ascii_case(KEY_NAME) && !value.is_empty());
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
    way: &Way<'_>,
    head: &Parts,
    query: &[(String, String)],
) -> Result<Principal> {
    let (now, target, headers) = (way.now, &way.target, &head.headers);
    let credential = match (credential(target.mount, headers, query)?, cookie::session(&head.method, target, headers)) {
        (Some(credential), _) => credential,
        (None, Some(key)) => {
            way.origin.check_host()?;
            cookie::check_page(&head.method, headers, &way.origin.base)?;
            Credential { key, access: None }
        }
        (None, None) => {
            way.origin.check_host()?;
            return Err(ApiError::new(ErrorCode::AuthenticationRequired));
        }
    };
    let known = match &credential.access {
        Some(access) => state.store.authenticate_pair(access, &credential.key, now).await,
        None => state.store.authenticate(&credential.key, now).await,
    };
    if let Some(principal) = known.about("Key")? {
        return Ok(principal);
    }
    count_wrong_key(&state.failures, way.origin.address, now)?;
    Err(ApiError::new(ErrorCode::WrongCredentials))
}

/// What the project header names; empty and `None` name nothing (docs/contract/asm.md §1.3). Headers that name several
/// projects are refused: whichever was taken, somebody would read and write elsewhere than where they think.
fn named_project(headers: &HeaderMap) -> Result<Option<String>> {
    let values = PROJECT_HEADERS.iter().flat_map(|name| headers.get_all(*name));
    let mut named = values
        .map(|value| String::from_utf8_lossy(value.as_bytes()).trim().to_owned())
        .filter(|value| !value.is_empty() && value != "None");
    let first = named.next();
    match named.find(|other| Some(other) != first.as_ref()) {
        None => Ok(first),
        Some(_) => Err(ApiError::bad("The request names several projects: send one")),
    }
}

/// The project of a call that reads it: the named one, which must be the caller's; else the primary one where a project
/// is worked in, and none where objects are found by their id.
async fn project(
    state: &ServerState,
    endpoint: &Endpoint,
    caller: &Principal,
    headers: &HeaderMap,
) -> Result<Option<i64>> {
    if !endpoint.reads_project {
        return Ok(None);
    }
    let named = named_project(headers)?;
    let Access::InProject(least) = endpoint.access else {
        if named.is_none() {
            return Ok(None);
        }
        let chosen = state.store.choose_project(caller, named.as_deref()).await;
        return chosen.about("Project");
    };
    let chosen = state.store.choose_project(caller, named.as_deref()).await.about("Project")?;
    let role = chosen.and_then(|project| caller.project_role(project));
    if role.is_some_and(|role| role < least) {
        return Err(ApiError::new(ErrorCode::Forbidden));
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mount::MOUNTS;
    use http::{HeaderName, HeaderValue};

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    fn key_of(mount: usize, pairs: &[(&'static str, &str)], query: &str) -> Result<Option<String>, u16> {
        let found = credential(&MOUNTS[mount], &headers(pairs), &percent::query_parameters(Some(query)));
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
        assert_eq!(key_of(newer, &[("x-apikey", "k"), ("x-apikey", "k")], ""), Ok(Some("k None".to_owned())));
        let second = MOUNTS.iter().position(|mount| mount.tree == Tree::V2).unwrap();
        assert_eq!(key_of(second, &[("x-apikey", "k")], "x-apikey=q"), Ok(None));
        assert_eq!(key_of(second, &[], "apikey=q&resource=r"), Ok(Some("q None".to_owned())));
    }

    #[test]
    fn a_project_is_named_by_either_header_and_not_by_empty_ones() {
        let named = |pairs: &[(&'static str, &str)]| named_project(&headers(pairs)).map_err(|error| error.code);
        assert_eq!(named(&[("project-id", "7")]), Ok(Some("7".to_owned())));
        assert_eq!(named(&[("project-id", ""), ("project_id", " 8 ")]), Ok(Some("8".to_owned())));
        for nothing in ["", "  ", "None"] {
            assert_eq!(named(&[("project-id", nothing)]), Ok(None));
        }
        assert_eq!(named(&[]), Ok(None));
        assert_eq!(named(&[("project-id", "7"), ("project_id", "7")]), Ok(Some("7".to_owned())));
        assert_eq!(named(&[("project-id", "7"), ("project-id", "8")]), Err(ErrorCode::BadRequest));
    }
}
