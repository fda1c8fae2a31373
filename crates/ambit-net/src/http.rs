//! HTTP/1.1 as an observer: requests byte by byte as asked, answers read leniently and kept as they came, every limit a
//! named constant.

mod body;
pub(crate) mod chain;
mod cookie;
mod decode;
pub(crate) mod exchange;
mod head;
pub(crate) mod keep;
mod request;
mod sink;
pub mod url;

pub use cookie::Cookie;
pub use exchange::{is_unavailable, retry_after};
pub use head::is_http2;
pub use sink::BodySink;
pub use url::Url;

use crate::dns::resolver::Engine;
use crate::door::Door;
use crate::error::NetError;
use crate::guard::Grant;
use crate::tls::{Peer, TlsFacts};
use crate::untrusted::Untrusted;
use keep::Keeper;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

/// What an exchange is made with: the session's door, and what lives as long as the run.
#[derive(Clone, Copy)]
pub(crate) struct Client<'a> {
    pub(crate) door: &'a Door,
    pub(crate) dns: &'a Engine,
    /// The run's connections between two requests.
    pub(crate) keeper: &'a Keeper,
    /// Counts the requests sent.
    pub(crate) requests: &'a AtomicU64,
}

/// A request. [`HttpRequest::get`] gives what a browser would ask; every part can be pinned or replaced.
#[derive(Clone, Debug)]
pub struct HttpRequest {
    /// What is asked for; its host is the `Host` header and the SNI unless they are pinned.
    pub url: Url,
    /// `GET` …; written as it is.
    pub method: String,
    /// Headers after `Host`, in order, written as they are. Defaults: `User-Agent`, `Accept`, `Accept-Encoding`.
    pub headers: Vec<(String, String)>,
    /// The body; `Content-Length` is added where it is not empty and not given.
    pub body: Vec<u8>,
    /// The address to dial. `None`: the host is looked up, and the lowest address that the guard allows is dialled.
    pub address: Option<SocketAddr>,
    /// Server name for TLS. `None`: the URL's host, if it is a name. `Some("")`: none is sent.
    pub sni: Option<String>,
    /// The `Host` header. `None`: the URL's host, with the port where it is not the scheme's.
    pub host: Option<String>,
    /// The request target. `None`: the URL's path and query.
    pub target: Option<String>,
    /// The very bytes to send instead of all of the above (address, SNI and scheme still count).
    pub raw: Option<Vec<u8>>,
    /// The ground of the contact.
    pub grant: Grant,
    /// Hosts beside the provider's own that it may be asked at, where the ground is a data provider: from a list that
    /// it gave itself.
    pub learned: Vec<String>,
    /// What holds between us and this host alone; only where whom we ask must prove who they are (no target).
    pub peer: Option<Arc<Peer>>,
    /// Bytes of the decoded body to keep, at most `BODY_KEPT_MAX`.
    pub body_kept: usize,
    /// Bytes of the decoded body to read, for its length and hash; as many as are kept at least.
    pub body_read: usize,
    /// Time for the whole exchange, at most `EXCHANGE_TIMEOUT`.
    pub timeout: Duration,
    /// May use a connection that carried earlier requests of the run to the same target, and leave it for later
    /// ones. For bulk questions to a site; tasks that record how a peer behaves on a fresh connection leave it off.
    /// Only for GET and OPTIONS without a body.
    pub shared: bool,
    /// Where the body of a 200 goes in place of being kept. Only where the ground is a data provider may it take longer
    /// than other answers.
    pub sink: Option<BodySink>,
}

/// What was answered to one request.
#[derive(Clone, Debug)]
pub struct HttpExchange {
    /// What was asked for.
    pub url: Url,
    /// The method.
    pub method: String,
    /// The address really dialled.
    pub address: SocketAddr,
    /// The bytes sent.
    pub request: Vec<u8>,
    /// What the TLS handshake of the connection showed, also where an earlier exchange made it.
    pub tls: Option<TlsFacts>,
    /// The answer's protocol as it came: `HTTP/1.1`.
    pub version: Untrusted,
    /// The status.
    pub status: u16,
    /// The reason as it came.
    pub reason: Untrusted,
    /// The head as it came, status line to empty line; interim heads are not part of it.
    pub head: Vec<u8>,
    /// Header lines in order, duplicates kept; names as they came.
    pub headers: Vec<(Untrusted, Untrusted)>,
    /// The decoded body, cut at `body_kept`.
    pub body: Vec<u8>,
    /// Bytes of the whole decoded body, as far as it was read.
    pub body_bytes: u64,
    /// SHA-256 of the whole decoded body, as far as it was read, hex.
    pub body_sha256: String,
    /// The kept body is not the whole one (cut, or `end` is not `Complete`).
    pub truncated: bool,
    /// How the body ended.
    pub end: BodyEnd,
    /// Oddities of the answer, as short codes: `bare_lf`, `obs_fold`, `no_reason`, `length_and_chunked`,
    /// `lengths_differ` …, sorted.
    pub oddities: Vec<&'static str>,
    /// Wire time of the whole exchange.
    pub elapsed: Duration,
}

/// How a body ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BodyEnd {
    /// As announced, or by the end of the connection where nothing was announced.
    Complete,
    /// At `body_read`, or at what the request asked to be kept: it may be endless.
    TooLarge,
    /// It decoded to more than `RATIO_MAX` times its size: a compression bomb.
    Bomb,
    /// It dripped below `RATE_MIN`, or was silent for `IDLE_TIMEOUT`.
    TooSlow,
    /// The exchange's time was over.
    Timeout,
    /// The connection was cut in its middle.
    Reset,
    /// The connection ended before the announced length.
    Short,
    /// A chunk or an encoding is broken; what came before it is kept.
    Broken(&'static str),
    /// Encodings that are not read, or more than `ENCODINGS_MAX`: kept as it came.
    Opaque,
}

/// A chain of exchanges over redirects.
#[derive(Clone, Debug)]
pub struct HttpFetch {
    /// Every exchange, in order; at least one.
    pub exchanges: Vec<HttpExchange>,
    /// Why the chain ended.
    pub end: ChainEnd,
}

/// Why a chain of redirects ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChainEnd {
    /// The last answer is no redirect.
    Answer,
    /// More than `REDIRECTS_MAX`.
    TooMany,
    /// A URL came again.
    Loop(Url),
    /// The next hop is not ours to contact: by the guard, by the list of reserved ranges, or as no host of the provider
    /// that is asked.
    OutOfScope {
        /// Where it led.
        url: Url,
        /// Why it was refused.
        why: String,
    },
    /// The next hop is no HTTP URL: kept as it came.
    NotHttp(Untrusted),
    /// The next hop was tried and failed.
    Failed {
        /// Where it led.
        url: Url,
        /// Why.
        error: NetError,
    },
}

impl HttpFetch {
    /// The last exchange.
    pub fn last(&self) -> &HttpExchange {
        self.exchanges.last().expect("a fetch holds at least one exchange")
    }
}
