//! The proxy through which a browser goes out: the site at the address that is looked at, other hosts where the guard
//! allows them, and nothing else.

use crate::door::Connection;
use crate::error::{NetError, Phase, Result};
use crate::http::Url;
use futures::StreamExt;
use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use std::sync::Mutex;
use std::sync::PoisonError;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Connections of one picture.
const CONNECTIONS_MAX: usize = 100;
/// Bytes of the head of a request to the proxy.
const HEAD_BYTES_MAX: usize = 32 * 1_024;
/// Bytes of one connection in each direction.
const BYTES_MAX: u64 = 16 * 1_024 * 1_024;

/// Opens a connection to a port of a host, where that is allowed.
pub(crate) type Open<'a> = dyn Fn(String, u16) -> BoxFuture<'a, Result<Connection>> + Send + Sync + 'a;

pub(super) struct Proxy<'p, 'a> {
    site: &'p Url,
    open: &'p Open<'a>,
    /// What became of the connections to the site itself.
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    answered: bool,
    failed: Option<NetError>,
}

/// Where the browser wants to go.
struct Wanted {
    host: String,
    port: u16,
    /// A tunnel, in which the browser speaks TLS itself.
    tunnel: bool,
    /// What is sent there first.
    first: Vec<u8>,
}

impl<'p, 'a> Proxy<'p, 'a> {
    pub(super) fn new(site: &'p Url, open: &'p Open<'a>) -> Self {
        Self { site, open, seen: Mutex::default() }
    }

    /// Serves connections; ends only where the listener fails, or after too many.
    pub(super) async fn serve(&self, listener: &TcpListener) {
        let mut under_way = FuturesUnordered::new();
        let mut taken = 0;
        loop {
            tokio::select! {
                accepted = listener.accept(), if taken < CONNECTIONS_MAX => {
                    let Ok((stream, _)) = accepted else { return };
                    taken += 1;
                    under_way.push(self.carry(stream));
                }
                Some(()) = under_way.next() => {}
                else => std::future::pending().await,
            }
        }
    }

    /// Whether the site itself sent anything; else why not.
    pub(super) fn answered(&self) -> Result<()> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        match &seen.failed {
            _ if seen.answered => Ok(()),
            Some(error) => Err(error.clone()),
            None => Err(NetError::Timeout(Phase::Step("browser"))),
        }
    }

    async fn carry(&self, mut browser: TcpStream) {
        let Some(wanted) = wanted(&mut browser).await else { return };
        let is_site = (wanted.host.as_str(), wanted.port) == (self.site.host.as_str(), self.site.port);
        let mut peer = match (self.open)(wanted.host, wanted.port).await {
            Ok(peer) => peer,
            Err(error) => {
                if is_site {
                    self.seen.lock().unwrap_or_else(PoisonError::into_inner).failed = Some(error);
                }
                let _ = browser.write_all(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n").await;
                return;
            }
        };
        let first = match wanted.tunnel {
            true => browser.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await,
            false => peer.write_all(&wanted.first).await,
        };
        if first.is_err() {
            return;
        }
        let (mut from_browser, mut to_browser) = browser.split();
        let (from_peer, mut to_peer) = tokio::io::split(&mut peer);
        let asking = async {
            let _ = tokio::io::copy(&mut (&mut from_browser).take(BYTES_MAX), &mut to_peer).await;
            let _ = to_peer.shutdown().await;
        };
        let answering = async {
            let mut from_peer = from_peer.take(BYTES_MAX);
            let mut one = [0; 1];
            if from_peer.read(&mut one).await.is_ok_and(|length| length > 0) {
                if is_site {
                    self.seen.lock().unwrap_or_else(PoisonError::into_inner).answered = true;
                }
                let _ = to_browser.write_all(&one).await;
                let _ = tokio::io::copy(&mut from_peer, &mut to_browser).await;
            }
            let _ = to_browser.shutdown().await;
        };
        tokio::join!(asking, answering);
    }
}

/// Reads what the browser asks of the proxy (RFC 9112 §3.2.2, RFC 9110 §9.3.6); `None` where it is nothing of that.
async fn wanted(browser: &mut TcpStream) -> Option<Wanted> {
    let mut head = Vec::new();
    let end = loop {
        if let Some(end) = head.windows(4).position(|four| four == b"\r\n\r\n") {
            break end + 4;
        }
        if head.len() > HEAD_BYTES_MAX || browser.read_buf(&mut head).await.ok()? == 0 {
            return None;
        }
    };
    let text = std::str::from_utf8(&head[..end]).ok()?;
    let (line, rest) = text.split_once("\r\n")?;
    let mut words = line.split(' ');
    let (method, target) = (words.next()?, words.next()?);
    if method == "CONNECT" {
        let (host, port) = target.rsplit_once(':')?;
        let host = host.trim_matches(['[', ']']).to_ascii_lowercase();
        return Some(Wanted { host, port: port.parse().ok()?, tunnel: true, first: Vec::new() });
    }
    let url = Url::parse(target).ok()?;
    let headers = rest.lines().filter(|line| {
        let name = line.split(':').next().unwrap_or_default();
        !name.is_empty() && !["proxy-connection", "connection"].iter().any(|ours| name.eq_ignore_ascii_case(ours))
    });
    let mut first = format!("{method} {} HTTP/1.1\r\n", url.path);
    for header in headers {
        first.push_str(header);
        first.push_str("\r\n");
    }
    // One request a connection: the next may be for another host.
    first.push_str("Connection: close\r\n\r\n");
    let mut first = first.into_bytes();
    first.extend_from_slice(&head[end..]);
    Some(Wanted { host: url.host.clone(), port: url.port, tunnel: false, first })
}
