//! One request and its answer, and chains of them over redirects.

use super::body::{read_body, read_some};
use super::decode::Decoder;
use super::head::{Framing, Head, could_be_http, end_of_head};
use super::{BodyEnd, ChainEnd, Cookie, HttpExchange, HttpFetch, HttpRequest, Url};
use crate::error::NetError;
use crate::guard::{Grant, Transport};
use crate::limits::{
    ADDRESSES_TRIED, BODY_KEPT_MAX, CONNECT_TIMEOUT, COOKIES_MAX, EXCHANGE_TIMEOUT, HEAD_BYTES_MAX, HEAD_TIMEOUT, INTERIM_HEADS_MAX, REDIRECTS_MAX,
};
use crate::net::{Session, until};
use crate::pace::{Cell, Signal};
use crate::tls::handshake;
use crate::tls::{TlsFacts, TlsOptions};
use crate::untrusted::Untrusted;
use crate::wire::{Stream, WireTime};
use ambit_model::Timestamp;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::AsyncWriteExt;

/// One request, one answer. A provider or an operator's host with several addresses is tried on each until one lets us in; of a target's host the
/// lowest address answers for it, come what may.
pub(crate) async fn exchange(session: &Session, request: &HttpRequest) -> Result<HttpExchange, NetError> {
    let bytes = request.to_bytes()?;
    session.check_grant(request.grant)?;
    let addresses = match request.address {
        Some(address) => vec![address],
        None => session.dialled(request.grant, &request.url.host, request.url.port).await?,
    };
    let most = if request.grant == Grant::Target { 1 } else { ADDRESSES_TRIED };
    let mut result = Err(NetError::Unreachable("no address".into()));
    for address in addresses.into_iter().take(most) {
        result = exchange_at(session, request, &bytes, address).await;
        let not_let_in = matches!(
            result,
            Err(NetError::ConnectionRefused | NetError::Unreachable(_) | NetError::Timeout("connection"))
        );
        if !not_let_in {
            break;
        }
    }
    if request.grant == Grant::Target {
        result
    } else {
        result.map_err(NetError::of_helper)
    }
}

async fn exchange_at(session: &Session, request: &HttpRequest, bytes: &[u8], address: SocketAddr) -> Result<HttpExchange, NetError> {
    let name = request.server_name().filter(|name| !name.is_empty()).unwrap_or(request.identity());
    session.check(request.grant, address, Transport::Tcp, Some(name))?;
    let cell = match request.grant {
        Grant::Target => Cell::Host(address.ip(), request.identity().to_ascii_lowercase()),
        // Its connections are paced by the provider, those to the operator's own hosts not at all.
        Grant::Source(provider) => Cell::Provider(provider),
        Grant::Operator(_) => return run(session, request, bytes, address, name).await,
    };
    // First the turn, then the place: a host that wants to be left alone takes no place from its neighbours at the address.
    let _place = match request.grant == Grant::Target {
        true => {
            session.pace().turn(&**session.wire(), std::slice::from_ref(&cell), session.home()).await;
            Some(session.pace().exchange_place(address.ip()).await)
        }
        false => None,
    };
    let result = run(session, request, bytes, address, name).await;
    report(session, &cell, &result);
    result
}

async fn run(session: &Session, request: &HttpRequest, bytes: &[u8], address: SocketAddr, name: &str) -> Result<HttpExchange, NetError> {
    session.count_request();
    let (mut stream, tls) = open(session, request, address, name).await?;
    let started = session.now();
    let limit = started + request.timeout.min(EXCHANGE_TIMEOUT);
    let head_limit = limit.min(started + HEAD_TIMEOUT);
    let sent = until(&**session.wire(), head_limit, "sending the request", async {
        stream.write_all(bytes).await?;
        stream.flush().await
    })
    .await?;
    let (head_bytes, rest) = match (read_head(session, &mut stream, head_limit).await, sent) {
        (Ok(read), _) => read,
        // Some peers answer before they have read all, and cut: the answer counts, else the cut.
        (Err(_), Err(error)) => return Err(NetError::from_io(&error, "sending the request")),
        (Err(error), Ok(())) => return Err(error),
    };
    let head_after = session.now() - started;
    let mut head = Head::parse(&head_bytes)?;
    let framing = head.framing(&request.method);
    if end_of_head(&head_bytes, 0).is_none() {
        head.oddities.insert("head_cut");
    }
    let kept_max = request.body_kept.min(BODY_KEPT_MAX);
    let decoder = Decoder::new(&if framing == Framing::None { Vec::new() } else { head.encodings() }, kept_max);
    let body = read_body(session, &mut stream, rest, framing, decoder, limit).await;
    Ok(HttpExchange {
        url: request.url.clone(),
        method: request.method.clone(),
        address,
        request: bytes.to_vec(),
        tls,
        version: head.version,
        status: head.status,
        reason: head.reason,
        head: head_bytes,
        headers: head.headers,
        truncated: body.decoded.bytes > body.decoded.kept.len() as u64 || !matches!(body.end, BodyEnd::Complete | BodyEnd::Opaque),
        body: body.decoded.kept,
        body_bytes: body.decoded.bytes,
        body_sha256: body.decoded.sha256,
        end: body.end,
        oddities: head.oddities.into_iter().collect(),
        head_after,
        elapsed: session.now() - started,
    })
}

async fn open(session: &Session, request: &HttpRequest, address: SocketAddr, name: &str) -> Result<(Box<dyn Stream>, Option<TlsFacts>), NetError> {
    if !request.url.https {
        let connection = session.open(request.grant, address, Some(name), CONNECT_TIMEOUT).await?;
        return Ok((Box::new(connection), None));
    }
    let sni = request.server_name().filter(|name| !name.is_empty());
    let shaken = handshake::connect(session, request.grant, address, sni, &TlsOptions::default()).await?;
    let Some(stream) = shaken.stream else {
        return Err(NetError::Tls(format!(
            "no data flows: the server showed {} and its certificate only",
            shaken.facts.version.name()
        )));
    };
    // Targets are looked at as they are. Whom we believe, or tell secrets, must prove who they are.
    if request.grant != Grant::Target && !shaken.facts.verification.is_trusted() {
        let problems: Vec<&str> = shaken.facts.verification.problems.iter().map(|problem| problem.name()).collect();
        return Err(NetError::Tls(format!("{} is not trusted: {}", request.grant, problems.join(", "))));
    }
    Ok((Box::new(stream), Some(shaken.facts)))
}

/// Reads up to the empty line of the final head. Gives the head and what came behind it.
async fn read_head(session: &Session, stream: &mut Box<dyn Stream>, limit: WireTime) -> Result<(Vec<u8>, Vec<u8>), NetError> {
    let mut bytes = Vec::new();
    let mut interim = 0;
    let mut dropped = 0;
    let mut searched = 0;
    loop {
        if !could_be_http(&bytes) {
            let shown = Untrusted::from_bytes(&bytes[..bytes.len().min(64)]);
            return Err(NetError::Protocol(format!("not HTTP: the answer begins with {shown}")));
        }
        if let Some(end) = end_of_head(&bytes, searched) {
            if end + dropped > HEAD_BYTES_MAX {
                return Err(NetError::TooLarge("head"));
            }
            let rest = bytes.split_off(end);
            let status = Head::parse(&bytes)?.status;
            if !(100..200).contains(&status) || status == 101 {
                return Ok((bytes, rest));
            }
            interim += 1;
            dropped += end;
            if interim > INTERIM_HEADS_MAX {
                return Err(NetError::Protocol("interim heads without end".into()));
            }
            bytes = rest;
            searched = 0;
            continue;
        }
        searched = bytes.len();
        if bytes.len() + dropped > HEAD_BYTES_MAX {
            return Err(NetError::TooLarge("head"));
        }
        if read_some(session, stream, &mut bytes, limit, "head").await? == 0 {
            // A head that ends with the connection is taken if its status line is whole.
            return if bytes.contains(&b'\n') {
                Ok((bytes, Vec::new()))
            } else {
                Err(NetError::Closed("head"))
            };
        }
    }
}

/// Tells the ledger what the answer says about our pace.
fn report(session: &Session, cell: &Cell, result: &Result<HttpExchange, NetError>) {
    let signal = match result {
        Ok(exchange) if matches!(exchange.status, 429 | 503) => {
            let pause = exchange.header("retry-after").and_then(|value| retry_after(value.raw(), session.date()));
            // A 503 without a time is a broken page more often than a complaint.
            if exchange.status == 503 && pause.is_none() {
                Signal::Fine
            } else {
                Signal::Busy(pause)
            }
        }
        Ok(_) => Signal::Fine,
        Err(NetError::Timeout(_) | NetError::Reset(_) | NetError::Closed(_)) => Signal::Failed,
        Err(_) => return,
    };
    session.report(cell, signal);
}

/// Seconds, or a date as `Wed, 21 Oct 2026 07:28:00 GMT` (RFC 9110 §10.2.3).
fn retry_after(text: &str, date: Timestamp) -> Option<Duration> {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    if let Ok(seconds) = text.trim().parse() {
        return Some(Duration::from_secs(seconds));
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let [_, day, month, year, time, "GMT"] = words.as_slice() else {
        return None;
    };
    let month = MONTHS.iter().position(|name| name == month)? + 1;
    let moment = Timestamp::parse(&format!("{year}-{month:02}-{day:0>2}T{time}Z"))?;
    Some(Duration::from_millis(u64::try_from(moment.0.saturating_sub(date.0)).unwrap_or(0)))
}

/// Follows redirects.
pub(crate) async fn fetch(session: &Session, request: &HttpRequest) -> Result<HttpFetch, NetError> {
    let mut request = request.clone();
    let most = request.redirects.min(REDIRECTS_MAX);
    let mut jar = Jar::default();
    let mut exchanges: Vec<HttpExchange> = Vec::new();
    loop {
        let exchange = match exchange(session, &request).await {
            Ok(exchange) => exchange,
            Err(error) if exchanges.is_empty() => return Err(error),
            Err(error) => {
                let url = request.url.clone();
                let end = match error {
                    NetError::OutOfScope(refused) => ChainEnd::OutOfScope {
                        url,
                        why: refused.to_string(),
                    },
                    error => ChainEnd::Failed { url, error },
                };
                return Ok(HttpFetch { exchanges, end });
            }
        };
        let next = next_hop(&exchange);
        jar.take(&exchange);
        let url = exchange.url.clone();
        exchanges.push(exchange);
        let next = match next {
            None => {
                return Ok(HttpFetch {
                    exchanges,
                    end: ChainEnd::Answer,
                });
            }
            Some(Err(location)) => {
                return Ok(HttpFetch {
                    exchanges,
                    end: ChainEnd::NotHttp(location),
                });
            }
            Some(Ok(next)) => next,
        };
        let again = exchanges.iter().any(|seen| seen.url == next) && !jar.is_fresh();
        if again {
            return Ok(HttpFetch {
                exchanges,
                end: ChainEnd::Loop(next),
            });
        }
        if exchanges.len() > most {
            return Ok(HttpFetch {
                exchanges,
                end: ChainEnd::TooMany,
            });
        }
        let status = exchanges.last().map_or(0, |last| last.status);
        request = redirected(request, &url, next, status);
        jar.give(&mut request);
    }
}

/// Where an answer leads: the next URL, or the text that is none.
fn next_hop(exchange: &HttpExchange) -> Option<Result<Url, Untrusted>> {
    if !matches!(exchange.status, 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let location = exchange.header("location")?;
    Some(exchange.url.join(location.raw()).map_err(|_| location.cut(1024)))
}

/// The request for the next hop: pins hold while the host stays, credentials while the origin stays, the method as browsers do.
fn redirected(mut request: HttpRequest, from: &Url, to: Url, status: u16) -> HttpRequest {
    let same_host = to.host == request.identity() || to.host == from.host;
    let same_origin = same_host && (to.https, to.port) == (from.https, from.port);
    request.address = request
        .address
        .filter(|_| same_host)
        .map(|address| SocketAddr::new(address.ip(), to.port));
    request.sni = None;
    request.host = None;
    request.target = None;
    request.raw = None;
    let becomes_get = status == 303 && request.method != "HEAD" || matches!(status, 301 | 302) && request.method == "POST";
    if becomes_get {
        request.method = "GET".into();
        request.body.clear();
    }
    request.headers.retain(|(name, _)| {
        let name = name.to_ascii_lowercase();
        let secret = matches!(name.as_str(), "authorization" | "proxy-authorization" | "cookie");
        let of_body = matches!(name.as_str(), "content-type" | "content-length" | "transfer-encoding");
        let kept_secret = !secret || same_origin;
        let kept_of_body = !of_body || !becomes_get;
        name != "host" && kept_secret && kept_of_body
    });
    request.url = to;
    request
}

/// Cookies of one chain: sent back only to the host that set them, so that redirects which wait for one end.
#[derive(Default)]
struct Jar {
    /// Host, name, value, only over TLS.
    cookies: Vec<(String, String, String, bool)>,
    /// The last answer changed a cookie.
    changed: bool,
}

impl Jar {
    fn take(&mut self, exchange: &HttpExchange) {
        let before = self.cookies.clone();
        for cookie in exchange.cookies() {
            let usable = |text: &str| text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b';');
            if !usable(cookie.name.raw()) || !usable(cookie.value.raw()) {
                continue;
            }
            let host = exchange.url.host.clone();
            self.cookies.retain(|(known, name, ..)| !(*known == host && name == cookie.name.raw()));
            if self.cookies.len() < COOKIES_MAX {
                self.cookies
                    .push((host, cookie.name.raw().to_owned(), cookie.value.raw().to_owned(), cookie.secure));
            }
        }
        self.changed = self.cookies.len() != before.len();
    }

    /// Would the same URL be asked with other cookies than before?
    fn is_fresh(&self) -> bool {
        self.changed
    }

    fn give(&self, request: &mut HttpRequest) {
        let pairs: Vec<String> = self
            .cookies
            .iter()
            .filter(|(host, _, _, secure)| *host == request.url.host && (request.url.https || !secure))
            .map(|(_, name, value, _)| if name.is_empty() { value.clone() } else { format!("{name}={value}") })
            .collect();
        if !pairs.is_empty() {
            request.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("cookie"));
            request.headers.push(("Cookie".into(), pairs.join("; ")));
        }
    }
}

impl HttpExchange {
    /// The first header of a name.
    pub fn header(&self, name: &str) -> Option<&Untrusted> {
        self.headers
            .iter()
            .find(|(known, _)| known.raw().eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }

    /// All headers of a name, in order.
    pub fn headers_named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Untrusted> {
        self.headers
            .iter()
            .filter(move |(known, _)| known.raw().eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }

    /// Cookies that the answer sets, at most `COOKIES_MAX`.
    pub fn cookies(&self) -> Vec<Cookie> {
        self.headers_named("set-cookie")
            .filter_map(|line| Cookie::parse(line.raw()))
            .take(COOKIES_MAX)
            .collect()
    }

    /// The kept body as text.
    pub fn text(&self) -> Untrusted {
        Untrusted::from_bytes(&self.body)
    }

    /// Where a redirect leads: the URL, or the text that is none.
    pub fn redirect(&self) -> Option<Result<Url, Untrusted>> {
        next_hop(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_is_read_as_seconds_or_as_a_date() {
        let date = Timestamp::parse("2026-10-21T07:27:00Z").unwrap();
        for (text, seconds) in [
            ("120", Some(120)),
            ("Wed, 21 Oct 2026 07:28:00 GMT", Some(60)),
            ("Wed, 21 Oct 2026 07:26:00 GMT", Some(0)),
            ("Wed, 1 Nov 2026 07:27:00 GMT", Some(11 * 86_400)),
            ("soon", None),
            ("-1", None),
            ("Wed, 99 Oct 2026 07:28:00 GMT", None),
        ] {
            assert_eq!(retry_after(text, date), seconds.map(Duration::from_secs), "{text}");
        }
    }
}
