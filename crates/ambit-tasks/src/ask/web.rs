//! Requests to a site at a binding, as all tasks of the web make them.

use crate::front_pages::Visited;
use crate::read::charset;
use crate::read::page::Page;
use crate::{Context, Result, TaskError};
use ambit_model::entity::uri;
use ambit_model::facts::{LastProbe, ProbeOutcome};
use ambit_model::moment::DAY_MS;
use ambit_model::{TaskName, Timestamp};
use ambit_net::http::{BodyEnd, HttpExchange, HttpRequest, Url, is_unavailable};
use ambit_net::{Grant, Meaning, NetError, Phase};
use std::net::SocketAddr;
use std::sync::Arc;

/// Bytes of a page that are read into its facts.
pub(crate) const PAGE_BYTES: usize = 1_024 * 1_024;

/// The URL of the site that the context is about.
pub(crate) fn site(cx: &Context<'_>) -> Result<Url> {
    Url::parse(&cx.facts.name).map_err(TaskError::from)
}

/// A GET request to the site of the context, at the binding of its argument.
pub(crate) fn request(cx: &Context<'_>, url: &Url) -> Result<HttpRequest> {
    let mut request = cx.net.get(&url.to_string())?;
    if !cx.argument.is_empty() {
        let socket = cx.argument.parse::<SocketAddr>();
        let socket = socket.map_err(|_| TaskError::Failed(format!("not a binding: {:?}", cx.argument)))?;
        request.address = Some(SocketAddr::new(socket.ip(), url.port));
    }
    request.grant = Grant::Target;
    Ok(request)
}

/// One page of the site, redirects not followed, on a connection that other pages share.
pub(crate) async fn get(cx: &Context<'_>, url: &Url, body_kept: usize) -> Result<HttpExchange, NetError> {
    get_in(cx, url, body_kept, &[]).await
}

/// The same in a session: with the headers that show it.
pub(crate) async fn get_in(
    cx: &Context<'_>,
    url: &Url,
    body_kept: usize,
    session: &[(String, String)],
) -> Result<HttpExchange, NetError> {
    let mut request =
        request(cx, url).map_err(|error| NetError::Invalid { what: "binding", text: error.to_string() })?;
    request.body_kept = body_kept;
    request.shared = true;
    let request = session.iter().fold(request, |request, (name, value)| request.with_header(name, value));
    cx.net.http(&request).await
}

/// How long a site must answer with a temporary error before that counts as its answer, in milliseconds.
pub(crate) const OUTAGE_MS: i64 = DAY_MS / 2;

/// The front page of the site, with what its redirects led to. Fails with what kept it from being read, or with
/// [`NetError::Unavailable`] where the site has had another page before and says that it cannot answer now: that says
/// nothing of what is there. A site that says so for longer is believed.
pub(crate) async fn visit(cx: &Context<'_>, url: &Url) -> Result<Arc<Visited>, NetError> {
    let fetch = visited(cx, url).await?;
    let stays = fetch.exchanges.iter().take_while(|exchange| is_same_site(&exchange.url, url));
    let status = stays.last().unwrap_or_else(|| fetch.last()).status;
    let known = uri::CODE.of(&cx.facts.details).and_then(|code| code.parse().ok());
    if known.is_some_and(|known| !is_unavailable(known)) {
        unless_outage(cx, TaskName::HttpEnrich, status)?;
    }
    Ok(fetch)
}

/// Fails where a status says that the site cannot answer now, unless a task has heard that for as long as it is
/// believed then.
pub(crate) fn unless_outage(cx: &Context<'_>, task: TaskName, status: u16) -> Result<(), NetError> {
    match is_unavailable(status) && !lasts(cx.facts.probe_at(task, cx.argument), cx.net.date()) {
        true => Err(NetError::Unavailable(status)),
        false => Ok(()),
    }
}

/// Fails with a silence where it is one, unless a task has met that for as long as a site is waited for.
pub(crate) fn unless_silence(cx: &Context<'_>, task: TaskName, error: NetError) -> Result<(), NetError> {
    let is_silence = matches!(error, NetError::Timeout(Phase::Connecting));
    if is_silence && !lasts(cx.facts.probe_at(task, cx.argument), cx.net.date()) { Err(error) } else { Ok(()) }
}

/// True where the newest probe failed, and the page that the site had was seen last before an outage would have ended:
/// however often the site was visited meanwhile.
fn lasts(last: Option<&LastProbe>, date: Timestamp) -> bool {
    last.is_some_and(|last| {
        let seen = last.confirmed.unwrap_or(last.at);
        last.outcome == ProbeOutcome::Unknown && date.0.saturating_sub(seen.0) >= OUTAGE_MS
    })
}

pub(crate) fn is_same_site(a: &Url, b: &Url) -> bool {
    (a.https, &a.host, a.port) == (b.https, &b.host, b.port)
}

/// Rows of the run that are under way for the same site share one visit, also where it fails.
async fn visited(cx: &Context<'_>, url: &Url) -> Result<Arc<Visited>, NetError> {
    let mut request =
        request(cx, url).map_err(|error| NetError::Invalid { what: "binding", text: error.to_string() })?;
    request.body_kept = PAGE_BYTES;
    let key = request.address.map(|address| (address, url.to_string()));
    let fetch = async || cx.net.fetch(&request).await.map(|fetch| Arc::new(Visited::from(fetch)));
    let (Some(memory), Some(key)) = (cx.memory, key) else { return fetch().await };
    memory.front_pages.entry(key).get_or_init(fetch).await.clone()
}

/// An error where the other side broke its body off or would not end it: asking it for more costs much and tells
/// nothing.
pub(crate) fn whole(exchange: HttpExchange) -> Result<HttpExchange> {
    match exchange.end {
        BodyEnd::Complete | BodyEnd::Opaque => Ok(exchange),
        ref end => Err(TaskError::Failed(format!("its answer to {} ended {end:?}", exchange.url))),
    }
}

/// The first value of a header.
pub(crate) fn header<'a>(exchange: &'a HttpExchange, name: &str) -> Option<&'a str> {
    let mut named = exchange.headers.iter().filter(|(known, _)| known.raw().eq_ignore_ascii_case(name));
    named.next().map(|(_, value)| value.raw().trim())
}

/// The media type without parameters, lower case.
pub(crate) fn media_type(exchange: &HttpExchange) -> String {
    let value = header(exchange, "content-type").unwrap_or("");
    value.split(';').next().unwrap_or("").trim().to_ascii_lowercase()
}

/// The body as text, in the characters in which it is written.
pub(crate) fn text(exchange: &HttpExchange) -> String {
    charset::text(&exchange.body, header(exchange, "content-type").unwrap_or(""))
}

/// True where a body looks like a page for people.
pub(crate) fn is_html(exchange: &HttpExchange) -> bool {
    media_type(exchange).contains("html") || begins_as_page(&exchange.body)
}

/// What an answer of a visit holds; `None` where that is no page for people.
pub(crate) fn page<'a>(visit: &'a Visited, exchange: &HttpExchange) -> Option<&'a Page> {
    let parse = || Page::parse(&text(exchange), &exchange.url);
    if is_html(exchange) { visit.page(exchange, parse) } else { None }
}

/// True where a body begins as a page for people does.
pub(crate) fn begins_as_page(body: &[u8]) -> bool {
    let start = text_start(body);
    start.starts_with("<!doctype html") || start.starts_with("<html")
}

/// The first characters of a body, lower case, blanks in front removed.
fn text_start(body: &[u8]) -> String {
    let start = String::from_utf8_lossy(&body[..body.len().min(256)]);
    start.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']).to_ascii_lowercase()
}

/// Returns true for a page that must not be asked for: the site's other pages may be.
pub(crate) fn is_closed(error: &NetError) -> bool {
    error.meaning() == Meaning::NotAsked
}

/// Returns true for a failure that is an answer: nothing listens there, or it does not speak HTTP.
pub(crate) fn is_no_answer(error: &NetError) -> bool {
    matches!(error, NetError::ConnectionRefused | NetError::Protocol(_) | NetError::Tls(_))
}

/// Returns what was asked for; `None` where the failure to get it is an answer: nothing that speaks HTTP is there.
pub(crate) fn answered<T>(asked: Result<T, NetError>) -> Result<Option<T>> {
    match asked {
        Ok(answer) => Ok(Some(answer)),
        Err(error) if is_no_answer(&error) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_that_cannot_answer_is_believed_after_half_a_day_however_often_it_is_visited() {
        const HOUR_MS: i64 = DAY_MS / 24;
        let probe = |outcome, at_h, confirmed_h: Option<i64>| LastProbe {
            confirmed: confirmed_h.map(|hours| Timestamp(hours * HOUR_MS)),
            ..LastProbe::new(outcome, Timestamp(at_h * HOUR_MS), 1)
        };
        let now = Timestamp(100 * HOUR_MS);
        let asked = |probe: LastProbe| lasts(Some(&probe), now);
        assert!(!lasts(None, now), "nobody asked before");
        assert!(asked(probe(ProbeOutcome::Unknown, 99, Some(88))), "every hour for half a day");
        assert!(!asked(probe(ProbeOutcome::Unknown, 99, Some(89))), "not yet for half a day");
        assert!(!asked(probe(ProbeOutcome::Found, 76, Some(76))), "it answered when it was asked last");
        assert!(asked(probe(ProbeOutcome::Unknown, 76, None)));
    }
}
