//! A session that is opened by a form: filled in once, on the page that a person named, and sent to nobody but the
//! application.

use super::inside::{self, REDIRECTS_MAX, Reached, kept_out, target};
use super::{FORM, MASKED_MIN, Session, Shown, mask, refused, spelled};
use crate::ask::web;
use crate::read::login::{self, origin};
use crate::{Context, TaskError};
use ambit_cloud::form::encoded;
use ambit_net::http::{HttpExchange, Url};
use std::collections::BTreeMap;

/// Cookies of a session at most, and bytes of each.
const COOKIES_MAX: usize = 50;
const COOKIE_BYTES_MAX: usize = 4_096;

/// Fills in the form of the page at `login_url`, or of the front page, and keeps the cookies that the answers set.
/// Fails unless the page behind the form is one that asks nobody who is there.
pub(super) async fn logged_in(
    cx: &Context<'_>,
    start: &Url,
    login_url: Option<&str>,
    (name, password): (&str, &str),
) -> Result<Vec<(String, String)>, TaskError> {
    let page = login_url.map_or_else(|| Ok(start.clone()), Url::parse);
    let page = page.map_err(|_| refused("its login_url is no URL"))?;
    let mut cookies = BTreeMap::new();
    let shown = web::get(cx, &page, web::PAGE_BYTES).await?;
    let shown = onward(cx, shown, &mut cookies).await?;
    if let Some(away) = shown.away.filter(|away| origin(away) != origin(start)) {
        let to = origin(&away);
        return Err(refused(&format!("{page} leads to {to}, and user and password are for the application alone")));
    }
    let form = login::filled_in(&web::text(&shown.answer), &shown.answer.url, name, password);
    let form = form.ok_or_else(|| refused("its page has no form with a password that is sent by POST"))?;
    if origin(&form.action) != origin(start) {
        return Err(refused("the form is sent to another origin than the application"));
    }
    // Frameworks that refuse forged requests ask from where a form comes.
    let from = shown.answer.url.with_path(shown.answer.url.path_only()).to_string();
    let request = web::request(cx, &form.action)?.with_method("POST");
    let mut request = request.with_header("Origin", &origin(&shown.answer.url)).with_header("Referer", &from);
    if !cookies.is_empty() {
        request = request.with_header("Cookie", &written(&cookies));
    }
    let before = cookies.clone();
    let answer = cx.net.http(&request.with_body(FORM, encoded(&form.fields).into_bytes())).await?;
    let (status, is_refused) = (answer.status, answer.status >= 400);
    let mut reached = onward(cx, answer, &mut cookies).await?;
    // A reader of pages may log what it reads.
    let secrets = cookies.values().map(String::as_str).chain([password]).filter(|text| text.len() >= MASKED_MIN);
    let secrets: Vec<Vec<u8>> = secrets.flat_map(spelled).collect();
    mask(&mut reached.answer.body, &secrets.iter().map(Vec::as_slice).collect::<Vec<_>>());
    let asked = kept_out(cx, &reached).await;
    let session = || Session { secrets, ..in_session(start, &cookies) };
    let is_let_in = !is_refused
        && asked.is_none()
        // An application may know who came by one cookie, which the form does not change.
        && (cookies != before || is_known(cx, (start, &page), session()).await?);
    if !is_let_in {
        let asked = asked.map(|why| format!(": {why}")).unwrap_or_default();
        return Err(refused(&format!("the form does not accept user and password (status {status}){asked}")));
    }
    Ok(vec![("Cookie".to_owned(), written(&cookies))])
}

/// Whether a session shows that somebody signed in: its form is gone, or another page is shown that is not shown to a
/// visitor who did not sign in.
async fn is_known(cx: &Context<'_>, (start, form): (&Url, &Url), session: Session) -> Result<bool, TaskError> {
    let mut cookies = BTreeMap::new();
    let asked = onward(cx, web::get(cx, form, web::PAGE_BYTES).await?, &mut cookies).await?;
    let visitor = in_session(start, &cookies);
    let has_form = kept_out(cx, &asked).await.is_some();
    if has_form && inside::let_in(cx, &session, form).await?.is_some() {
        return Ok(true);
    }
    let Some(front) = inside::let_in(cx, &session, start).await? else { return Ok(false) };
    let Some(other) = inside::let_in(cx, &visitor, start).await? else { return Ok(true) };
    // What differs from time to time is shown once.
    let again = inside::let_in(cx, &session, start).await?;
    Ok(again.is_some_and(|again| front.shows_again(&again, &other)))
}

/// A session that cookies show.
fn in_session(start: &Url, cookies: &BTreeMap<String, String>) -> Session {
    let headers = if cookies.is_empty() { Vec::new() } else { vec![("Cookie".to_owned(), written(cookies))] };
    Session { origin: origin(start), shown: Shown::Headers(headers), ..Session::default() }
}

/// Follows the redirects of an answer within its origin, as a browser does: by GET, with the cookies that were set.
async fn onward(
    cx: &Context<'_>,
    mut answer: HttpExchange,
    cookies: &mut BTreeMap<String, String>,
) -> Result<Reached, TaskError> {
    keep_cookies(&answer, cookies);
    for _ in 0..REDIRECTS_MAX {
        let to = match target(&answer) {
            Some(to) if origin(&to) == origin(&answer.url) => to,
            away => return Ok(Reached { answer, away }),
        };
        let header = [("Cookie".to_owned(), written(cookies))];
        answer = web::get_in(cx, &to, web::PAGE_BYTES, &header[..usize::from(!cookies.is_empty())]).await?;
        keep_cookies(&answer, cookies);
    }
    Ok(Reached { answer, away: None })
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
