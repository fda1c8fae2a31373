//! The session in which an application is looked at, where an integration of the collection opens one: a header, a
//! cookie, a form that is filled in once, or a token that a provider of OpenID Connect gives to a client. It is shown
//! to the origin that the integration names and to nobody else.

use super::provider::patiently;
use crate::ask::web;
use crate::read::login::{self, origin};
use crate::task::SESSIONS;
use crate::{Account, Context, TaskError};
use ambit_cloud::Refusal;
use ambit_cloud::form::{encoded, escaped};
use ambit_net::http::{HttpExchange, Url};
use ambit_net::{Grant, limits};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use std::collections::BTreeMap;

/// How fields of a form are sent.
const FORM: &str = "application/x-www-form-urlencoded";
/// Cookies of a session at most, and bytes of each.
const COOKIES_MAX: usize = 50;
const COOKIE_BYTES_MAX: usize = 4_096;

/// Headers that each request of the session has.
pub(crate) type Session = Vec<(String, String)>;

/// Opens the session of the application at a URL; without an integration for it, requests show nothing.
///
/// # Errors
/// The integration does not say what it opens with, or the application does not accept it.
pub(crate) async fn open(cx: &Context<'_>, start: &Url) -> Result<Session, TaskError> {
    let Some(account) = cx.settings.application(&origin(start)) else { return Ok(Vec::new()) };
    let secret = |name: &str| text(account.secrets.get(name));
    if let Some(header) = secret("header") {
        let (name, value) = header.split_once(':').ok_or_else(|| refused("its header is no name, colon, value"))?;
        return Ok(vec![(name.trim().to_owned(), value.trim().to_owned())]);
    }
    if let Some(cookie) = secret("cookie") {
        return Ok(vec![("Cookie".to_owned(), cookie.to_owned())]);
    }
    if let (Some(name), Some(password)) = (secret("username"), secret("password")) {
        return logged_in(cx, start, account, (name, password)).await;
    }
    if let (Some(id), Some(key)) = (secret("client_id"), secret("client_secret")) {
        return by_token(cx, account, (id, key)).await;
    }
    Err(refused("it has none of header, cookie, username and password, client_id and client_secret"))
}

fn text(value: Option<&Value>) -> Option<&str> {
    value?.as_str().map(str::trim).filter(|text| !text.is_empty())
}

fn refused(why: &str) -> TaskError {
    TaskError::Denied(format!("the session of the application cannot be opened: {why}"))
}

/// Fills in the form of the page `login_url`, or of the front page, and keeps the cookies that the answer sets.
async fn logged_in(
    cx: &Context<'_>,
    start: &Url,
    account: &Account,
    (name, password): (&str, &str),
) -> Result<Session, TaskError> {
    let page = match text(account.settings.get("login_url")) {
        Some(given) => Url::parse(given).map_err(|_| refused("its login_url is no URL"))?,
        None => start.clone(),
    };
    if origin(&page) != origin(start) {
        return Err(refused("its login_url is at another origin than the application"));
    }
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

/// Asks the provider at `token_url` for a token in the client's own name (RFC 6749 §4.4).
async fn by_token(cx: &Context<'_>, account: &Account, (id, key): (&str, &str)) -> Result<Session, TaskError> {
    let url = text(account.settings.get("token_url")).ok_or_else(|| refused("it has no setting token_url"))?;
    if !url.starts_with("https://") || Url::parse(url).is_err() {
        return Err(refused("its token_url is no https URL"));
    }
    let shown = format!("Basic {}", STANDARD.encode(format!("{}:{}", escaped(id), escaped(key))));
    let mut fields = vec![("grant_type".to_owned(), "client_credentials".to_owned())];
    fields.extend(text(account.settings.get("scope")).map(|scope| ("scope".to_owned(), scope.to_owned())));
    let body = encoded(&fields);
    let dressed = || {
        let mut request = cx.net.get(url)?;
        (request.learned, request.timeout) = (vec![url.to_owned()], limits::SOURCE_TIMEOUT);
        let request = request.with_method("POST").on(Grant::Source(SESSIONS)).with_header("Authorization", &shown);
        Ok(request.with_body(FORM, body.clone().into_bytes()))
    };
    let words = "the provider of OpenID Connect";
    let token = patiently(cx, words, &format!("{words}, token"), dressed, token).await?;
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
    fn fields_are_sent_so_that_nothing_of_them_is_taken_for_more() {
        let field = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(encoded(&[field("user", "ann"), field("pw", "a&b=c d/ü")]), "user=ann&pw=a%26b%3Dc%20d%2F%C3%BC");
    }
}
