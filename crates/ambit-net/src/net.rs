//! The door itself: [`Net`] for a run, [`Session`] for one unit of work.

use crate::dns::{DnsAnswer, RecordType, Transfer, WildcardProfile};
use crate::error::NetError;
use crate::guard::{Grants, Guard};
use crate::http::{HttpExchange, HttpFetch, HttpRequest};
use crate::limits;
use crate::pace::Pace;
use crate::tcp::{Banner, BannerOptions, PortState, PortSweep, StartTls};
use crate::tls::{HelloAnswer, TlsOptions, TlsSession, TlsVersion};
use crate::wire::{Stream, Wire, WireTime};
use ambit_model::Timestamp;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// One per run and process: the wire, the guard, the ledger of manners, the DNS engine with the run's cache. Cheap to clone.
/// Made and used inside a tokio runtime, in a task that the wire tracks.
#[derive(Clone)]
pub struct Net {
    inner: Arc<Inner>,
}

struct Inner {
    wire: Arc<dyn Wire>,
    guard: Arc<dyn Guard>,
    pace: Arc<Pace>,
    options: NetOptions,
}

/// Settings of a [`Net`].
#[derive(Clone, Debug)]
pub struct NetOptions {
    /// Sockets open at once. Default: what the machine allows, at most `SOCKETS_MAX`.
    pub sockets: usize,
    /// Probes of one sweep in flight.
    pub sweep_in_flight: usize,
    /// How the program names itself in requests. Default: `ambit/VERSION`.
    pub user_agent: String,
}

impl Default for NetOptions {
    fn default() -> Self {
        Self {
            sockets: limits::SOCKETS_DEFAULT,
            sweep_in_flight: limits::SWEEP_IN_FLIGHT,
            user_agent: concat!("ambit/", env!("CARGO_PKG_VERSION")).into(),
        }
    }
}

/// What a [`Net`] has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// TCP connections tried.
    pub connections: u64,
    /// DNS questions sent, retries included.
    pub questions: u64,
    /// DNS questions that stayed without an answer after all tries.
    pub questions_lost: u64,
    /// HTTP requests sent.
    pub requests: u64,
    /// Contacts that guard or grant refused.
    pub refused: u64,
}

impl Net {
    /// Opens nothing yet.
    pub fn new(wire: Arc<dyn Wire>, guard: Arc<dyn Guard>, pace: Arc<Pace>, options: NetOptions) -> Self {
        Self {
            inner: Arc::new(Inner { wire, guard, pace, options }),
        }
    }

    /// The view that one unit of work gets.
    pub fn session(&self, grants: Grants) -> Session {
        Session { net: self.clone(), grants }
    }

    /// What was done so far.
    pub fn counters(&self) -> Counters {
        Counters::default()
    }
}

/// The door for one unit of work, with the grants it was given. All methods are cancel-safe: dropping one closes its sockets.
#[derive(Clone)]
pub struct Session {
    net: Net,
    grants: Grants,
}

impl Session {
    // ── time and chance ──

    /// The date that certificates and judges are measured by.
    pub fn date(&self) -> Timestamp {
        self.net.inner.wire.date()
    }

    /// The wire's monotonic clock.
    pub fn now(&self) -> WireTime {
        self.net.inner.wire.now()
    }

    /// Waits on the wire's clock.
    pub async fn sleep(&self, duration: Duration) {
        self.net.inner.wire.sleep_until(self.now() + duration).await;
    }

    /// Fills the buffer with random bytes (seeded in simulated wires).
    pub fn random(&self, buffer: &mut [u8]) {
        self.net.inner.wire.random(buffer);
    }

    // ── names ──

    /// Looks a name up through the resolvers (L1), by the run's cache. NXDOMAIN and NODATA are answers; SERVFAIL, REFUSED and silence are errors.
    pub async fn lookup(&self, name: &str, rtype: RecordType) -> Result<Arc<DnsAnswer>, NetError> {
        pending(&(self, name, rtype))
    }

    /// Looks a name up like [`Session::lookup`], without reading or filling the cache: for sweeps of names that mostly do not exist.
    pub async fn lookup_uncached(&self, name: &str, rtype: RecordType) -> Result<DnsAnswer, NetError> {
        pending(&(self, name, rtype))
    }

    /// A and AAAA records of a name: sorted addresses. An error only where neither could be asked.
    pub async fn addresses(&self, name: &str) -> Result<Vec<IpAddr>, NetError> {
        pending(&(self, name))
    }

    /// Asks one name server directly (a target: the guard is asked with the question's name). No recursion is desired.
    pub async fn ask(&self, server: SocketAddr, name: &str, rtype: RecordType) -> Result<DnsAnswer, NetError> {
        pending(&(self, server, name, rtype))
    }

    /// Asks a name server for a whole zone. That it refuses is an answer.
    pub async fn transfer(&self, server: SocketAddr, zone: &str) -> Result<Transfer, NetError> {
        pending(&(self, server, zone))
    }

    /// What random names below `level` are answered with, sampled until nothing new comes. Kept for the run.
    pub async fn wildcard(&self, level: &str, rtype: RecordType) -> Result<Arc<WildcardProfile>, NetError> {
        pending(&(self, level, rtype))
    }

    // ── ports and streams ──

    /// Opens a TCP connection to a target. `name` is what the contact is for, as the guard sees it.
    pub async fn connect(&self, address: SocketAddr, name: Option<&str>) -> Result<Connection, NetError> {
        pending(&(self, address, name))
    }

    /// Looks whether a port accepts connections.
    pub async fn probe_port(&self, address: SocketAddr) -> Result<PortState, NetError> {
        pending(&(self, address))
    }

    /// Looks at many ports of one address, many at once, at the ledger's pace; what did not answer is tried again, and the loss is measured.
    pub async fn sweep_ports(&self, address: IpAddr, ports: &[u16]) -> Result<PortSweep, NetError> {
        pending(&(self, address, ports))
    }

    /// Connects and reads what the service says first.
    pub async fn read_banner(&self, address: SocketAddr, name: Option<&str>, options: &BannerOptions) -> Result<Banner, NetError> {
        pending(&(self, address, name, options))
    }

    /// Leads a plain connection to the point where TLS begins. Gives the connection and everything that the server said on the way.
    pub async fn start_tls(&self, connection: Connection, protocol: StartTls, name: &str) -> Result<(Connection, Banner), NetError> {
        pending(&(self, &connection, protocol, name))
    }

    // ── TLS ──

    /// Connects and shakes hands. `sni`: `None` sends no name. Certificates of any quality are recorded, not refused; where rustls finds no common
    /// ground, an old hello reads what the server shows in clear (`facts.complete` is false then).
    pub async fn tls(&self, address: SocketAddr, sni: Option<&str>, options: &TlsOptions) -> Result<TlsSession, NetError> {
        pending(&(self, address, sni, options))
    }

    /// Shakes hands on a connection that is already there (after [`Session::start_tls`]).
    pub async fn tls_over(&self, connection: Connection, sni: Option<&str>, options: &TlsOptions) -> Result<TlsSession, NetError> {
        pending(&(self, &connection, sni, options))
    }

    /// Sends one hello of one version and reads the answer: which versions does the server speak?
    pub async fn tls_hello(&self, address: SocketAddr, sni: Option<&str>, version: TlsVersion) -> Result<HelloAnswer, NetError> {
        pending(&(self, address, sni, version))
    }

    // ── HTTP ──

    /// A GET request for a URL, with this program's usual headers.
    pub fn get(&self, url: &str) -> Result<HttpRequest, NetError> {
        pending(&(self, url))
    }

    /// One request, one answer; redirects are not followed.
    pub async fn http(&self, request: &HttpRequest) -> Result<HttpExchange, NetError> {
        pending(&(self, request))
    }

    /// Follows redirects, each hop under the guard. An error only where the first exchange failed; a later failure ends the chain with its reason.
    pub async fn fetch(&self, request: &HttpRequest) -> Result<HttpFetch, NetError> {
        pending(&(self, request))
    }

    /// Asks a data provider by URL, by name through the resolvers; redirects are followed as the same provider's.
    pub async fn source(&self, provider: &'static str, url: &str) -> Result<HttpFetch, NetError> {
        pending(&(self, provider, url))
    }

    /// Sends one line to a data provider without HTTP (WHOIS) and reads until it closes.
    pub async fn source_line(&self, provider: &'static str, host: &str, port: u16, line: &str) -> Result<Banner, NetError> {
        pending(&(self, provider, host, port, line))
    }
}

/// The engines behind these signatures land in this order: DNS, TCP, TLS, HTTP.
fn pending<T, W>(_what: &W) -> Result<T, NetError> {
    Err(NetError::Budget("this engine is not linked yet".into()))
}

/// A TCP connection that the guard has allowed.
pub struct Connection {
    stream: Box<dyn Stream>,
    address: SocketAddr,
}

impl Connection {
    /// The peer.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl AsyncRead for Connection {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
