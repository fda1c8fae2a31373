//! One request and its answer, on a connection of its own or one that the run kept.

use super::body::{read_body, read_some};
use super::decode::Decoder;
use super::head::{Framing, Head, could_be_http, could_be_http2, end_of_head, is_http2};
use super::keep::{Channel, HttpPin};
use super::{BodyEnd, Client, Cookie, HttpExchange, HttpRequest, Url};
use crate::door::Door;
use crate::error::{NetError, Phase, Result};
use crate::guard::{Grant, Transport};
use crate::limits::{
    ADDRESSES_TRIED, BODY_KEPT_MAX, CONNECT_TIMEOUT, CONNECTION_IDLE_MAX, COOKIES_MAX, DOWNLOAD_TIMEOUT,
    EXCHANGE_TIMEOUT, HEAD_BYTES_MAX, HEAD_REST_TIMEOUT, HEAD_TIMEOUT, INTERIM_HEADS_MAX, SOURCE_HEAD_TIMEOUT,
    SOURCE_TIMEOUT,
};
use crate::pace::{Bucket, Signal};
use crate::source;
use crate::tls::TlsOptions;
use crate::tls::handshake;
use crate::untrusted::Untrusted;
use crate::wire::{Stream, WireTime};
use ambit_model::Timestamp;
use std::net::SocketAddr;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::io::AsyncWriteExt;

/// One request, one answer. A provider or an operator's host with several addresses is tried on each until one lets us
/// in; of a target's host the lowest address answers for it, come what may.
pub(crate) async fn exchange(client: Client<'_>, request: &HttpRequest) -> Result<HttpExchange> {
    let door = client.door;
    let bytes = request.to_bytes()?;
    door.check_grant(request.grant)?;
    for page in request.pages() {
        door.check_page(request.grant, &page)?;
    }
    if let Grant::Source(provider) = request.grant {
        source::check_url(provider, &request.url, &request.learned)?;
    }
    let addresses = match request.address {
        Some(address) => vec![address],
        None => client.dns.dialled(door, request.grant, &request.url.host, request.url.port).await?,
    };
    let most = if request.grant == Grant::Target { 1 } else { ADDRESSES_TRIED };
    let mut result = Err(NetError::Unreachable("no address".into()));
    for address in addresses.into_iter().take(most) {
        result = exchange_at(client, request, &bytes, address).await;
        let not_let_in = matches!(
            result,
            Err(NetError::ConnectionRefused
                | NetError::Unreachable(_)
                | NetError::Offline(_)
                | NetError::Timeout(Phase::Connecting))
        );
        if !not_let_in {
            break;
        }
    }
    if request.grant == Grant::Target { result } else { result.map_err(NetError::of_helper) }
}

async fn exchange_at(
    client: Client<'_>,
    request: &HttpRequest,
    bytes: &[u8],
    address: SocketAddr,
) -> Result<HttpExchange> {
    let door = client.door;
    let name = request.server_name().filter(|name| !name.is_empty()).unwrap_or(request.identity());
    door.check(request.grant, address, Transport::Tcp, Some(name))?;
    if request.identity() != name {
        // A `Host` beside another name in the handshake is asked for as well.
        door.check(request.grant, address, Transport::Tcp, Some(request.identity()))?;
    }
    let bucket = match request.grant {
        Grant::Target => Bucket::Host(address.ip(), request.identity().to_ascii_lowercase()),
        // Its connections are paced by the host and the provider, and what a host says of our pace is said of no other;
        // those to the operator's own hosts and to receivers are not paced at all.
        Grant::Source(provider) => Bucket::source_host(provider, name),
        Grant::Operator(_) | Grant::Receiver | Grant::PlainReceiver => {
            return on_fresh(client, request, bytes, address, name).await;
        }
    };
    // The rate limit comes before the exchange slot, so that a throttled host takes no slot from other hosts at the
    // same address.
    let _place = match request.grant == Grant::Target {
        true => {
            door.acquire(std::slice::from_ref(&bucket)).await;
            Some(door.exchange_place(address.ip()).await)
        }
        false => None,
    };
    let result = match on_kept(client, request, bytes, address, name).await {
        None => on_fresh(client, request, bytes, address, name).await,
        // Servers close idle connections without notice. The request is repeated once and counted again, because the
        // peer may have received it.
        Some(Err(Failed { cut_unheard: true, .. })) => {
            door.acquire(std::slice::from_ref(&bucket)).await;
            on_fresh(client, request, bytes, address, name).await
        }
        Some(result) => result.map_err(|failed| failed.error),
    };
    report(door, &bucket, &result);
    result
}

/// Asks on a connection that an earlier exchange left open; `None`: there is none for this request.
async fn on_kept(
    client: Client<'_>,
    request: &HttpRequest,
    bytes: &[u8],
    address: SocketAddr,
    name: &str,
) -> Option<Result<HttpExchange, Failed>> {
    let door = client.door;
    let pin = request.shares().then(|| pin(request, address, name))?;
    // Where all contacts wait long, a connection would be cut before its turn comes.
    if door.wait_total() >= CONNECTION_IDLE_MAX {
        return None;
    }
    let channel = client.keeper.take(&pin, door.now())?;
    door.acquire_total(request.grant).await;
    // Scope may have changed since it was opened.
    if let Err(error) = door.check(request.grant, address, Transport::Tcp, Some(name)) {
        return Some(Err(error.into()));
    }
    Some(converse(client, request, bytes, &pin, channel).await)
}

async fn on_fresh(
    client: Client<'_>,
    request: &HttpRequest,
    bytes: &[u8],
    address: SocketAddr,
    name: &str,
) -> Result<HttpExchange> {
    let channel = open(client.door, request, address, name).await?;
    converse(client, request, bytes, &pin(request, address, name), channel).await.map_err(|failed| failed.error)
}

fn pin(request: &HttpRequest, address: SocketAddr, name: &str) -> HttpPin {
    HttpPin {
        address,
        https: request.url.https,
        name: name.to_ascii_lowercase(),
        sni: request.server_name().map(str::to_owned),
        grant: request.grant,
    }
}

/// An exchange that failed.
struct Failed {
    error: NetError,
    /// The connection was cut before a byte of the answer came.
    cut_unheard: bool,
}

impl From<NetError> for Failed {
    fn from(error: NetError) -> Self {
        Self { error, cut_unheard: false }
    }
}

/// Asks and reads the answer; what leaves no doubt about its end leaves its connection for the next.
async fn converse(
    client: Client<'_>,
    request: &HttpRequest,
    bytes: &[u8],
    pin: &HttpPin,
    mut channel: Channel,
) -> Result<HttpExchange, Failed> {
    let door = client.door;
    client.requests.fetch_add(1, Ordering::Relaxed);
    let started = door.now();
    let (whole_max, head_max) = match request.grant {
        // A provider is believed to be at work while it is silent: what it looks up may be large.
        Grant::Source(_) if request.sink.is_some() => (DOWNLOAD_TIMEOUT, SOURCE_HEAD_TIMEOUT),
        Grant::Source(_) => (SOURCE_TIMEOUT, SOURCE_HEAD_TIMEOUT),
        Grant::Target => (EXCHANGE_TIMEOUT, door.patience(pin.address.ip(), HEAD_TIMEOUT)),
        Grant::Operator(_) => (EXCHANGE_TIMEOUT, HEAD_TIMEOUT),
        // As long as the receiver was promised for its answer.
        Grant::Receiver | Grant::PlainReceiver => (EXCHANGE_TIMEOUT, request.timeout),
    };
    let limit = started + request.timeout.min(whole_max);
    let head_limit = limit.min(started + head_max);
    let stream = &mut channel.stream;
    let read = ask(door, stream, bytes, head_limit).await;
    if request.grant == Grant::Target {
        door.note_wait(pin.address.ip(), started, read.as_ref().err().map(|failed| &failed.error));
    }
    let read = read?;
    let mut head = Head::parse(&read.head)?;
    let framing = head.framing(&request.method);
    if end_of_head(&read.head, 0).is_none() {
        head.oddities.insert("head_cut");
    }
    let kept_max = request.body_kept.min(BODY_KEPT_MAX);
    let encodings = if framing == Framing::None { Vec::new() } else { head.encodings() };
    // What went wrong is said in a page, which nobody wants in a file.
    let sink = request.sink.clone().filter(|_| head.status == 200);
    let is_kept = sink.is_none();
    let decoder = Decoder::new(&encodings, kept_max, request.body_read, sink);
    let body = read_body(door, stream, read.rest, framing, decoder, limit).await;
    let stays = request.shares()
        && body.clean
        && !read.interim
        && read.head.starts_with(b"HTTP/1.1 ")
        && head.leaves_open(framing);
    let tls = channel.tls.clone();
    if stays && door.sockets_are_plenty() {
        channel.exchanges += 1;
        client.keeper.put(pin.clone(), channel, door.now());
    }
    Ok(HttpExchange {
        url: request.url.clone(),
        method: request.method.clone(),
        address: pin.address,
        request: bytes.to_vec(),
        tls,
        version: head.version,
        status: head.status,
        reason: head.reason,
        head: read.head,
        headers: head.headers,
        truncated: (is_kept && body.decoded.bytes > body.decoded.kept.len() as u64)
            || !matches!(body.end, BodyEnd::Complete | BodyEnd::Opaque),
        body: body.decoded.kept,
        body_bytes: body.decoded.bytes,
        body_sha256: body.decoded.sha256,
        end: body.end,
        oddities: head.oddities.into_iter().collect(),
        elapsed: door.now() - started,
    })
}

/// Sends the request and reads the head of the answer. It fails with what the peer did; whether the connection was cut
/// before a byte of the answer came is said beside it.
async fn ask(door: &Door, stream: &mut Box<dyn Stream>, bytes: &[u8], limit: WireTime) -> Result<ReadHead, Failed> {
    let sending = async {
        stream.write_all(bytes).await?;
        stream.flush().await
    };
    let sent = door.until(limit, "sending the request", sending).await?;
    let mut heard = false;
    read_head(door, stream, limit, &mut heard).await.map_err(|error| {
        // Some servers respond before they have read the whole request, and then close. The response is preferred;
        // without one the close is reported.
        let error = sent.map_or_else(|sending| NetError::from_io(&sending, "sending the request"), |()| error);
        let cut_unheard = !heard && matches!(error, NetError::Closed(_) | NetError::Reset(_));
        Failed { error, cut_unheard }
    })
}

async fn open(door: &Door, request: &HttpRequest, address: SocketAddr, name: &str) -> Result<Channel> {
    if !request.url.https {
        let connection = door.open(request.grant, address, Some(name), CONNECT_TIMEOUT).await?;
        return Ok(Channel { stream: Box::new(connection), tls: None, exchanges: 0 });
    }
    let sni = request.server_name().filter(|name| !name.is_empty());
    let peer = request.peer.clone().filter(|_| request.grant != Grant::Target);
    let options = TlsOptions { peer, ..TlsOptions::default() };
    let shaken = handshake::connect(door, request.grant, address, sni, &options).await?;
    let (stream, facts) = shaken.into_stream()?;
    // Targets are looked at as they are. Whom we believe, or tell secrets, must prove who they are.
    if request.grant != Grant::Target && !facts.verification.is_trusted() {
        let problems: Vec<&str> = facts.verification.problems.iter().map(|problem| problem.name()).collect();
        return Err(NetError::Tls(format!("{} is not trusted: {}", request.grant, problems.join(", "))));
    }
    Ok(Channel { stream: Box::new(stream), tls: Some(facts), exchanges: 0 })
}

/// The final head, and what came around it.
struct ReadHead {
    head: Vec<u8>,
    /// What came behind it.
    rest: Vec<u8>,
    /// Interim heads came before it.
    interim: bool,
}

fn not_http(bytes: &[u8]) -> NetError {
    let shown = Untrusted::from_bytes(&bytes[..bytes.len().min(64)]);
    NetError::Protocol(format!("not HTTP: the answer begins with {shown}"))
}

/// Reads up to the empty line of the final head. `heard`: a byte came.
async fn read_head(door: &Door, stream: &mut Box<dyn Stream>, limit: WireTime, heard: &mut bool) -> Result<ReadHead> {
    let mut bytes = Vec::new();
    let mut interim = 0;
    let mut dropped = 0;
    let mut searched = 0;
    let mut until = limit;
    loop {
        let is_other = !could_be_http(&bytes);
        if is_other && is_http2(&bytes) {
            return Err(NetError::OtherHttp);
        }
        if is_other && !could_be_http2(&bytes) {
            return Err(not_http(&bytes));
        }
        if let Some(end) = end_of_head(&bytes, searched) {
            if end + dropped > HEAD_BYTES_MAX {
                return Err(NetError::TooLarge("head"));
            }
            let rest = bytes.split_off(end);
            let status = Head::parse(&bytes)?.status;
            if !(100..200).contains(&status) || status == 101 {
                return Ok(ReadHead { head: bytes, rest, interim: interim > 0 });
            }
            interim += 1;
            dropped += end;
            if interim > INTERIM_HEADS_MAX {
                return Err(NetError::Protocol("interim heads without end".into()));
            }
            // What the server does between two heads may take as long as it took to begin.
            until = if rest.is_empty() { limit } else { limit.min(door.now() + HEAD_REST_TIMEOUT) };
            bytes = rest;
            searched = 0;
            continue;
        }
        searched = bytes.len();
        if bytes.len() + dropped > HEAD_BYTES_MAX {
            return Err(NetError::TooLarge("head"));
        }
        let read = read_some(door, stream, &mut bytes, until, "head").await;
        if is_other && !matches!(read, Ok(1..)) {
            return Err(not_http(&bytes));
        }
        if read? == 0 {
            // A head that ends with the connection is taken if its status line is whole.
            return if bytes.contains(&b'\n') {
                Ok(ReadHead { head: bytes, rest: Vec::new(), interim: interim > 0 })
            } else {
                Err(NetError::Closed("head"))
            };
        }
        if searched == 0 {
            until = limit.min(door.now() + HEAD_REST_TIMEOUT);
        }
        *heard = true;
    }
}

/// Reports to the rate limiter what the response says about our pace.
fn report(door: &Door, bucket: &Bucket, result: &Result<HttpExchange>) {
    let signal = match result {
        Ok(exchange) if matches!(exchange.status, 429 | 503) => {
            let pause = exchange.header("retry-after").and_then(|value| retry_after(value.raw(), door.date()));
            // A 503 without a time is a broken page more often than a complaint.
            if exchange.status == 503 && pause.is_none() { Signal::Fine } else { Signal::Busy(pause) }
        }
        Ok(_) => Signal::Fine,
        Err(NetError::Timeout(_) | NetError::Reset(_) | NetError::Closed(_)) => Signal::Failed,
        Err(_) => return,
    };
    door.report(bucket, signal);
}

/// Returns the pause that a header `Retry-After` asks for at `date`: seconds, or a date as
/// `Wed, 21 Oct 2026 07:28:00 GMT` (RFC 9110 §10.2.3); nothing for a date that is over. `None` for anything else.
pub fn retry_after(text: &str, date: Timestamp) -> Option<Duration> {
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

/// Where an answer leads: the next URL, or the text that is none.
pub(super) fn next_hop(exchange: &HttpExchange) -> Option<Result<Url, Untrusted>> {
    if !matches!(exchange.status, 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let location = exchange.header("location")?;
    Some(exchange.url.join(location.raw()).map_err(|_| location.cut(1024)))
}

/// Whether a status says that the server cannot answer now, and nothing of what was asked for.
pub fn is_unavailable(status: u16) -> bool {
    matches!(status, 429 | 502..=504 | 520..=530)
}

impl HttpExchange {
    /// Returns an answer that says something of what was asked for. Fails with [`NetError::Unavailable`] where the
    /// server, or one before it, says that it cannot answer now: 429 (RFC 6585), 502 to 504 (RFC 9110), and 520 to 530,
    /// by which content networks say so of the server behind them.
    pub fn available(self) -> Result<Self> {
        if is_unavailable(self.status) { Err(NetError::Unavailable(self.status)) } else { Ok(self) }
    }

    /// The first header of a name.
    pub fn header(&self, name: &str) -> Option<&Untrusted> {
        self.headers.iter().find(|(known, _)| known.raw().eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// All headers of a name, in order.
    pub(crate) fn headers_named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Untrusted> {
        self.headers.iter().filter(move |(known, _)| known.raw().eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// Cookies that the answer sets, at most `COOKIES_MAX`.
    pub fn cookies(&self) -> Vec<Cookie> {
        self.headers_named("set-cookie").filter_map(|line| Cookie::parse(line.raw())).take(COOKIES_MAX).collect()
    }

    /// The kept body as text.
    pub fn text(&self) -> Untrusted {
        Untrusted::from_bytes(&self.body)
    }

    /// Where a redirect leads; the error is the text that is no URL.
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
