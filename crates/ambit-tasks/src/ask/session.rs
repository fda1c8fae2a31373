//! The session in which an application is looked at, where an integration of the collection opens one: a header, a
//! cookie, a form that is filled in once, or a token that a provider of OpenID Connect gives to a client. It is shown
//! to the origin that the integration names and to nobody else.

use super::provider::{NOBODY, patiently};
use crate::ask::web;
use crate::read::frontier::shape;
use crate::read::login::{self, origin};
use crate::task::SESSIONS;
use crate::{Context, TaskError};
use ambit_cloud::Refusal;
use ambit_cloud::form::{encoded, escaped};
use ambit_model::application_session::{ApplicationSession, Opening, cookie_values, unschemed};
use ambit_net::http::{HttpExchange, Url};
use ambit_net::{Grant, NetError, Untrusted, limits};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use std::collections::BTreeMap;

/// The status of an answer that there are too many requests (RFC 6585).
pub(crate) const TOO_MANY_REQUESTS: u16 = 429;
/// How fields of a form are sent.
const FORM: &str = "application/x-www-form-urlencoded";
/// Cookies of a session at most, and bytes of each.
const COOKIES_MAX: usize = 50;
const COOKIE_BYTES_MAX: usize = 4_096;
/// Redirects on the way from the page that a person named to one that shows whether the session is accepted.
const REDIRECTS_MAX: usize = 5;
/// Shortest text that is masked where the application repeats it: shorter ones stand in pages by chance.
const MASKED_MIN: usize = 4;
/// What stands in place of each of its bytes.
const MASK: u8 = b'*';

/// A session of an application: what its requests show, and what of it nobody may read.
#[derive(Default)]
pub(crate) struct Session {
    /// Where it is shown; empty: nowhere.
    origin: String,
    /// Headers that each request there has.
    headers: Vec<(String, String)>,
    secrets: Vec<Vec<u8>>,
    /// Where the page that a person named led to when it was opened, without what differs from time to time.
    landed: String,
}

impl Session {
    fn new(given: &ApplicationSession, start: &Url, headers: Vec<(String, String)>) -> Self {
        let values = headers.iter().flat_map(|(name, value)| match name.as_str() {
            "Cookie" => cookie_values(value).collect::<Vec<_>>(),
            _ => vec![unschemed(value)],
        });
        let secrets = given.secrets().into_iter().chain(values).filter(|text| text.len() >= MASKED_MIN);
        let mut secrets: Vec<Vec<u8>> = secrets.flat_map(spelled).collect();
        // What holds another goes first.
        secrets.sort_by_key(|text| std::cmp::Reverse(text.len()));
        Self { origin: origin(start), headers, secrets, landed: String::new() }
    }

    /// Returns whether an integration opened it.
    pub(crate) fn is_open(&self) -> bool {
        !self.headers.is_empty()
    }

    /// One page of the site; in the session where it is that of the session, and without what opens it. Fails as the
    /// exchange does.
    pub(crate) async fn get(&self, cx: &Context<'_>, url: &Url, body_kept: usize) -> Result<HttpExchange, NetError> {
        if origin(url) != self.origin {
            return web::get(cx, url, body_kept).await;
        }
        let mut exchange = web::get_in(cx, url, body_kept, &self.headers).await?;
        self.mask(&mut exchange.body);
        self.mask(&mut exchange.head);
        self.mask(&mut exchange.request);
        for (_, value) in &mut exchange.headers {
            let mut text = value.raw().as_bytes().to_vec();
            if self.mask(&mut text) {
                *value = Untrusted::new(String::from_utf8_lossy(&text).into_owned());
            }
        }
        Ok(exchange)
    }

    /// Masks what opens the session where an answer repeats it; returns whether it did.
    fn mask(&self, bytes: &mut [u8]) -> bool {
        let mut masked = false;
        for secret in &self.secrets {
            let finder = memchr::memmem::Finder::new(secret);
            let mut at = 0;
            while let Some(found) = finder.find(&bytes[at..]) {
                bytes[at + found..at + found + secret.len()].fill(MASK);
                (at, masked) = (at + found + secret.len(), true);
            }
        }
        masked
    }
}

/// Opens the session of the application at a URL; without an integration for it, requests show nothing. Fails if the
/// integration cannot be opened or does not say what it opens with, or the application does not accept it.
pub(crate) async fn open(cx: &Context<'_>, start: &Url) -> Result<Session, TaskError> {
    let Some(account) = cx.settings.application(&origin(start)) else { return Ok(Session::default()) };
    let given = ApplicationSession::of(account.opened()?, &account.settings);
    let given = given.map_err(|missing| refused(&format!("the integration lacks {missing}")))?;
    let headers = match &given.opening {
        Opening::Header { name, value } => vec![(name.clone(), value.clone())],
        Opening::Cookie(cookies) => vec![("Cookie".to_owned(), cookies.clone())],
        Opening::Form { username, password, page } => {
            logged_in(cx, start, page.as_deref(), (username, password)).await?
        }
        Opening::Token { client, secret, url, scope } => {
            by_token(cx, (url, scope.as_deref()), (client, secret)).await?
        }
    };
    let mut session = Session::new(&given, start, headers);
    session.landed = landing(&accepted(cx, &session, start).await?);
    Ok(session)
}

/// A text in the bytes by which pages may repeat it.
fn spelled(text: &str) -> Vec<Vec<u8>> {
    let little = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let mut spelled = vec![text.as_bytes().to_vec(), little, big];
    let latin: Option<Vec<u8>> = text.chars().map(|letter| u8::try_from(letter).ok()).collect();
    spelled.extend(latin.filter(|_| !text.is_ascii()));
    spelled
}

fn refused(why: &str) -> TaskError {
    TaskError::Denied(format!("the session of the application cannot be opened: {why}"))
}

/// Whether a session that is open is accepted still; one that nobody opened has no end. Fails if it is over, or that
/// cannot be told.
pub(crate) async fn holds(cx: &Context<'_>, session: &Session, start: &Url) -> Result<(), TaskError> {
    if !session.is_open() {
        return Ok(());
    }
    let answer = accepted(cx, session, start).await?;
    let landed = landing(&answer);
    if landed == session.landed {
        return Ok(());
    }
    let status = answer.status;
    if status == TOO_MANY_REQUESTS {
        return Err(TaskError::Net(NetError::Unavailable(status)));
    }
    if status >= 500 {
        return Err(TaskError::Failed(format!("{start} cannot answer any more (status {status})")));
    }
    Err(TaskError::Denied(format!("{start} led to {} before and leads to {landed} now", session.landed)))
}

/// Where an answer came from, without what differs from time to time, and whether it is an error.
fn landing(answer: &HttpExchange) -> String {
    let (url, error) = (&answer.url, answer.status >= 400);
    let target = web::header(answer, "location").filter(|_| (300..400).contains(&answer.status));
    let url = target.and_then(|target| url.join(target).ok()).unwrap_or_else(|| url.clone());
    let path = shape(&url.with_path(url.path_only()));
    format!("{}{path}{}", origin(&url), if error { " with an error" } else { "" })
}

/// Looks at the page that a person named, as the session shows it, and returns the last answer. Where that still asks
/// who is there, the session is over, and a walk would take all that stands behind it for gone.
async fn accepted(cx: &Context<'_>, session: &Session, start: &Url) -> Result<HttpExchange, TaskError> {
    let mut url = start.clone();
    let mut redirects = 0;
    loop {
        let answer = session.get(cx, &url, web::PAGE_BYTES).await?;
        let asks = web::is_html(&answer) && login::filled_in(&web::text(&answer), &url, "", "").is_some();
        if matches!(answer.status, 401 | 403) || asks {
            return Err(refused(&format!("{url} still asks who is there (status {})", answer.status)));
        }
        let target = web::header(&answer, "location").filter(|_| (300..400).contains(&answer.status));
        let target = target.and_then(|target| url.join(target).ok()).filter(|target| origin(target) == origin(&url));
        let Some(target) = target.filter(|_| redirects < REDIRECTS_MAX) else { return Ok(answer) };
        redirects += 1;
        url = target;
    }
}

/// Fills in the form of the page at `login_url`, or of the front page, and keeps the cookies that the answer sets.
async fn logged_in(
    cx: &Context<'_>,
    start: &Url,
    login_url: Option<&str>,
    (name, password): (&str, &str),
) -> Result<Vec<(String, String)>, TaskError> {
    let page = login_url.map_or_else(|| Ok(start.clone()), Url::parse);
    let page = page.map_err(|_| refused("its login_url is no URL"))?;
    let shown = web::get(cx, &page, web::PAGE_BYTES).await?;
    let mut cookies = BTreeMap::new();
    keep_cookies(&shown, &mut cookies);
    let form = login::filled_in(&web::text(&shown), &page, name, password);
    let form = form.ok_or_else(|| refused("its page has no form with a password that is sent by POST"))?;
    if origin(&form.action) != origin(start) {
        return Err(refused("the form is sent to another origin than the application"));
    }
    let mut request = web::request(cx, &form.action)?.with_method("POST");
    if !cookies.is_empty() {
        request = request.with_header("Cookie", &written(&cookies));
    }
    request = request.with_body(FORM, encoded(&form.fields).into_bytes());
    let answer = cx.net.http(&request).await?;
    let before = cookies.clone();
    keep_cookies(&answer, &mut cookies);
    let is_asked_again = login::filled_in(&web::text(&answer), &form.action, name, password).is_some();
    if answer.status >= 400 || is_asked_again || cookies == before {
        return Err(refused(&format!("the form does not accept user and password (status {})", answer.status)));
    }
    Ok(vec![("Cookie".to_owned(), written(&cookies))])
}

fn keep_cookies(answer: &HttpExchange, cookies: &mut BTreeMap<String, String>) {
    let set = answer.headers.iter().filter(|(name, _)| name.raw().eq_ignore_ascii_case("set-cookie"));
    for (_, value) in set.filter(|(_, value)| value.raw().len() <= COOKIE_BYTES_MAX) {
        let Some((name, value)) = value.raw().split(';').next().and_then(|pair| pair.split_once('=')) else { continue };
        let name = name.trim();
        if !name.is_empty() && (cookies.len() < COOKIES_MAX || cookies.contains_key(name)) {
            cookies.insert(name.to_owned(), value.trim().to_owned());
        }
    }
}

fn written(cookies: &BTreeMap<String, String>) -> String {
    cookies.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("; ")
}

/// Asks the provider at a URL for a token in the client's own name (RFC 6749 §4.4).
async fn by_token(
    cx: &Context<'_>,
    (url, scope): (&str, Option<&str>),
    (id, key): (&str, &str),
) -> Result<Vec<(String, String)>, TaskError> {
    let shown = format!("Basic {}", STANDARD.encode(format!("{}:{}", escaped(id), escaped(key))));
    let mut fields = vec![("grant_type".to_owned(), "client_credentials".to_owned())];
    fields.extend(scope.map(|scope| ("scope".to_owned(), scope.to_owned())));
    let body = encoded(&fields);
    let dressed = || {
        let mut request = cx.net.get(url)?;
        (request.learned, request.timeout) = (vec![url.to_owned()], limits::SOURCE_TIMEOUT);
        let request = request.with_method("POST").on(Grant::Source(SESSIONS)).with_header("Authorization", &shown);
        Ok(request.with_body(FORM, body.clone().into_bytes()))
    };
    let words = "the provider of OpenID Connect";
    let token = patiently(cx, (NOBODY, &format!("{words}, token")), dressed, token).await?;
    Ok(vec![("Authorization".to_owned(), format!("Bearer {token}"))])
}

fn token(status: u16, body: &[u8]) -> Result<String, Refusal> {
    let answer: Value = serde_json::from_slice(body).unwrap_or_default();
    match (status, answer["access_token"].as_str()) {
        (200, Some(token)) => Ok(token.to_owned()),
        (429 | 503, _) => Err(Refusal::Throttled(format!("status {status}"))),
        (400 | 401 | 403, _) => {
            let why = answer["error"].as_str().unwrap_or_default();
            Err(Refusal::Denied(format!("status {status} {why}").trim().to_owned()))
        }
        _ => Err(Refusal::Other(format!("status {status}, no access_token"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_read_and_a_refusal_says_why() {
        let read = |status, body: &str| token(status, body.as_bytes()).map_err(|why| why.to_string());
        assert_eq!(read(200, r#"{"access_token":"t","token_type":"Bearer"}"#), Ok("t".to_owned()));
        assert_eq!(read(401, r#"{"error":"invalid_client"}"#), Err("denied: status 401 invalid_client".to_owned()));
        assert_eq!(read(429, ""), Err("too many requests: status 429".to_owned()));
        assert_eq!(read(200, "<html>"), Err("status 200, no access_token".to_owned()));
    }

    #[test]
    fn what_opens_a_session_is_masked_in_whatever_characters_a_page_repeats_it() {
        let secrets = spelled("pässw0rd").into_iter().chain(spelled("t0ken")).collect();
        let session = Session { secrets, ..Session::default() };
        let units = |unit: fn(u16) -> [u8; 2]| "you: t0ken pässw0rd".encode_utf16().flat_map(unit).collect::<Vec<u8>>();
        let utf8 = "you: t0ken pässw0rd".as_bytes().to_vec();
        for (mut body, media) in [
            (utf8, "text/html"),
            (b"you: t0ken p\xe4ssw0rd".to_vec(), "text/html; charset=latin1"),
            (units(u16::to_le_bytes), "text/html; charset=utf-16le"),
            (units(u16::to_be_bytes), "text/html; charset=utf-16be"),
        ] {
            assert!(session.mask(&mut body));
            let text = crate::read::charset::text(&body, media);
            assert!(
                text.starts_with("you: ") && !text.contains("ssw0rd") && !text.contains("t0ken"),
                "{media}: {text}"
            );
        }
    }

    #[test]
    fn fields_are_sent_so_that_nothing_of_them_is_taken_for_more() {
        let field = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(encoded(&[field("user", "ann"), field("pw", "a&b=c d/ü")]), "user=ann&pw=a%26b%3Dc%20d%2F%C3%BC");
    }
}
