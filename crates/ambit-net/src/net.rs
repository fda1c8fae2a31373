//! The door itself: [`Net`] for a run, [`Session`] for one unit of work.

mod connection;
mod sources;

pub use connection::Connection;

use crate::dns::cache::Cache;
use crate::dns::resolver::Engine;
use crate::dns::{DnsAnswer, RecordType, Transfer, WildcardProfile};
use crate::error::NetError;
use crate::guard::{self, Contact, Grant, Grants, Guard, Transport};
use crate::http::keep::{Channel, HttpPin, Keeper};
use crate::http::{HttpExchange, HttpFetch, HttpRequest, Url};
use crate::limits;
use crate::pace::{Cell, Pace, Signal};
use crate::tcp::{Banner, BannerOptions, PortState, PortSweep, StartTls};
use crate::tls::{HelloAnswer, TlsOptions, TlsSession, TlsVersion};
use crate::wire::{Wire, WireTime};
use ambit_model::Timestamp;
use rustls::RootCertStore;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

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
    dns: Engine,
    roots: RootCertStore,
    /// Lists of data providers, by provider and URL.
    lists: Cache<(&'static str, String), HttpFetch>,
    sockets: Arc<Semaphore>,
    connections: AtomicU64,
    requests: AtomicU64,
    refused: AtomicU64,
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
            sockets: crate::live::sockets_allowed(),
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
        let dns = Engine::new(&*wire);
        let roots = RootCertStore {
            roots: wire.trust_roots().to_vec(),
        };
        let sockets = Arc::new(Semaphore::new(options.sockets.clamp(1, limits::SOCKETS_MAX)));
        let [connections, requests, refused] = [(); 3].map(|()| AtomicU64::new(0));
        Self {
            inner: Arc::new(Inner {
                wire,
                guard,
                pace,
                options,
                dns,
                roots,
                lists: Cache::new(),
                sockets,
                connections,
                requests,
                refused,
            }),
        }
    }

    /// The view that one unit of work gets.
    pub fn session(&self, grants: Grants) -> Session {
        Session {
            net: self.clone(),
            grants,
            keeper: Arc::default(),
        }
    }

    /// What was done so far.
    pub fn counters(&self) -> Counters {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let inner = &self.inner;
        Counters {
            connections: read(&inner.connections),
            questions: read(&inner.dns.questions),
            questions_lost: read(&inner.dns.lost),
            requests: read(&inner.requests),
            refused: read(&inner.refused),
        }
    }
}

/// The door for one unit of work, with the grants it was given. All methods are cancel-safe: dropping one closes its sockets.
#[derive(Clone)]
pub struct Session {
    net: Net,
    grants: Grants,
    /// Connections between two requests; closed with the session.
    keeper: Arc<Keeper>,
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

    /// Did the installation's administrator open this very address, or a block around it? Then it is looked at, even in a reserved range.
    pub fn is_named(&self, address: IpAddr) -> bool {
        self.net.inner.guard.named(address)
    }

    // ── names ──

    /// Looks a name up through the resolvers (L1), by the run's cache. NXDOMAIN and NODATA are answers; SERVFAIL, REFUSED and silence are errors.
    pub async fn lookup(&self, name: &str, rtype: RecordType) -> Result<Arc<DnsAnswer>, NetError> {
        self.net.inner.dns.lookup(self, name, rtype).await
    }

    /// Looks a name up like [`Session::lookup`], without reading or filling the cache: for sweeps of names that mostly do not exist.
    pub async fn lookup_uncached(&self, name: &str, rtype: RecordType) -> Result<DnsAnswer, NetError> {
        self.net.inner.dns.lookup_uncached(self, name, rtype).await
    }

    /// A and AAAA records of a name: sorted addresses. An error only where neither could be asked.
    pub async fn addresses(&self, name: &str) -> Result<Vec<IpAddr>, NetError> {
        let (four, six) = futures::join!(self.lookup(name, RecordType::A), self.lookup(name, RecordType::AAAA));
        if let (Err(error), Err(_)) = (&four, &six) {
            return Err(error.clone());
        }
        let mut addresses: Vec<IpAddr> = [four, six].iter().flatten().flat_map(|answer| answer.addresses()).collect();
        addresses.sort();
        Ok(addresses)
    }

    /// Asks one name server directly (a target: the guard is asked with the question's name). No recursion is desired.
    pub async fn ask(&self, server: SocketAddr, name: &str, rtype: RecordType) -> Result<DnsAnswer, NetError> {
        self.net.inner.dns.ask(self, server, name, rtype).await
    }

    /// Asks a name server for a whole zone. That it refuses is an answer.
    pub async fn transfer(&self, server: SocketAddr, zone: &str) -> Result<Transfer, NetError> {
        crate::dns::transfer::transfer(self, server, zone).await
    }

    /// What random names below `level` are answered with, sampled until nothing new comes. Kept for the run.
    pub async fn wildcard(&self, level: &str, rtype: RecordType) -> Result<Arc<WildcardProfile>, NetError> {
        self.net.inner.dns.wildcard(self, level, rtype).await
    }

    // ── ports and streams ──

    /// Opens a TCP connection to a target. `name` is what the contact is for, as the guard sees it.
    pub async fn connect(&self, address: SocketAddr, name: Option<&str>) -> Result<Connection, NetError> {
        self.open(Grant::Target, address, name, limits::CONNECT_TIMEOUT).await
    }

    /// Looks whether a port accepts connections.
    pub async fn probe_port(&self, address: SocketAddr) -> Result<PortState, NetError> {
        crate::tcp::sweep::probe(self, address).await
    }

    /// Looks at many ports of one address, many at once, at the ledger's pace; what did not answer is tried again, and the loss is measured.
    pub async fn sweep_ports(&self, address: IpAddr, ports: &[u16]) -> Result<PortSweep, NetError> {
        crate::tcp::sweep::sweep(self, address, ports).await
    }

    /// Asks many sockets of many addresses once each, with a short time limit: who of a block is there? A refusal of one by scope is that one's answer.
    pub async fn knock(&self, sockets: &[SocketAddr]) -> Result<Vec<(SocketAddr, Result<PortState, NetError>)>, NetError> {
        crate::tcp::sweep::knock(self, sockets).await
    }

    /// Connects and reads what the service says first.
    pub async fn read_banner(&self, address: SocketAddr, name: Option<&str>, options: &BannerOptions) -> Result<Banner, NetError> {
        crate::tcp::banner::read(self, address, name, options).await
    }

    /// Shakes hands, then reads what the service says first inside TLS. `sni`: `None` sends no name. No ALPN is offered.
    pub async fn read_banner_inside(&self, address: SocketAddr, sni: Option<&str>, options: &BannerOptions) -> Result<Banner, NetError> {
        crate::tcp::banner::read_inside(self, address, sni, options).await
    }

    /// Leads a plain connection to the point where TLS begins. Gives the connection and everything that the server said on the way.
    pub async fn start_tls(&self, connection: Connection, protocol: StartTls, name: &str) -> Result<(Connection, Banner), NetError> {
        crate::tcp::starttls::lead(self, connection, protocol, name).await
    }

    /// Sends one datagram to a target and waits for the answer to it, at most `wait` for each of two tries. `None`: silence, which says nothing.
    pub async fn datagram(&self, address: SocketAddr, payload: &[u8], wait: Duration) -> Result<Option<Vec<u8>>, NetError> {
        crate::udp::exchange(self, address, payload, wait).await
    }

    // ── TLS ──

    /// Connects and shakes hands. `sni`: `None` sends no name. Certificates of any quality are recorded, not refused; where rustls finds no common
    /// ground, an old hello reads what the server shows in clear (`facts.complete` is false then).
    pub async fn tls(&self, address: SocketAddr, sni: Option<&str>, options: &TlsOptions) -> Result<TlsSession, NetError> {
        crate::tls::handshake::connect(self, Grant::Target, address, sni, options).await
    }

    /// Shakes hands on a connection that is already there (after [`Session::start_tls`]).
    pub async fn tls_over(&self, connection: Connection, sni: Option<&str>, options: &TlsOptions) -> Result<TlsSession, NetError> {
        crate::tls::handshake::over(self, connection, sni, options).await
    }

    /// Sends one hello of one version and reads the answer: which versions does the server speak?
    pub async fn tls_hello(&self, address: SocketAddr, sni: Option<&str>, version: TlsVersion) -> Result<HelloAnswer, NetError> {
        crate::tls::handshake::hello(self, address, sni, version).await
    }

    // ── HTTP ──

    /// A GET request for a URL, with this program's usual headers.
    pub fn get(&self, url: &str) -> Result<HttpRequest, NetError> {
        Ok(HttpRequest::get(Url::parse(url)?, &self.options().user_agent))
    }

    /// One request, one answer; redirects are not followed.
    pub async fn http(&self, request: &HttpRequest) -> Result<HttpExchange, NetError> {
        crate::http::exchange::exchange(self, request).await
    }

    /// Follows redirects, each hop under the guard. An error only where the first exchange failed; a later failure ends the chain with its reason.
    pub async fn fetch(&self, request: &HttpRequest) -> Result<HttpFetch, NetError> {
        crate::http::chain::fetch(self, request).await
    }
}

/// What the engines of this crate share: the checks, the waiting, the opening.
impl Session {
    pub(crate) fn wire(&self) -> &Arc<dyn Wire> {
        &self.net.inner.wire
    }

    pub(crate) fn pace(&self) -> &Pace {
        &self.net.inner.pace
    }

    pub(crate) fn options(&self) -> &NetOptions {
        &self.net.inner.options
    }

    pub(crate) fn roots(&self) -> &RootCertStore {
        &self.net.inner.roots
    }

    pub(crate) fn home(&self) -> Option<&guard::Home> {
        self.grants.home.as_ref()
    }

    pub(crate) fn count_request(&self) {
        self.net.inner.requests.fetch_add(1, Ordering::Relaxed);
    }

    /// Tells the ledger how a contact went.
    pub(crate) fn report(&self, cell: &Cell, signal: Signal) {
        self.pace().report(self.now(), cell, signal);
    }

    /// Is this ground given to the session?
    pub(crate) fn check_grant(&self, grant: Grant) -> Result<ambit_model::Clearance, NetError> {
        self.grants.check(grant).inspect_err(|_| self.count_refused())
    }

    fn count_refused(&self) {
        self.net.inner.refused.fetch_add(1, Ordering::Relaxed);
    }

    /// Checks grant, reserved ranges and guard for an address about to be contacted.
    pub(crate) fn check(&self, grant: Grant, address: SocketAddr, transport: Transport, name: Option<&str>) -> Result<(), NetError> {
        let footprint = self.check_grant(grant)?;
        let contact = Contact {
            address: address.ip(),
            port: address.port(),
            transport,
            name: name.map(str::to_owned),
            footprint,
            grant,
        };
        guard::check(&**self.wire(), &*self.net.inner.guard, &contact).inspect_err(|_| self.count_refused())
    }

    /// Asks the guard for a name that is about to be looked up in order to contact it.
    fn check_name(&self, grant: Grant, name: &str) -> Result<(), NetError> {
        self.net.inner.guard.allow_name(name, grant).map_err(|why| {
            self.count_refused();
            NetError::NotAllowed(format!("{}: {why}", crate::untrusted::escape(name)))
        })
    }

    /// Checks a contact, waits for its turn, and checks again: scope may have changed while it waited.
    pub(crate) async fn admit(
        &self,
        grant: Grant,
        address: SocketAddr,
        transport: Transport,
        name: Option<&str>,
        cells: &[Cell],
    ) -> Result<(), NetError> {
        self.check(grant, address, transport, name)?;
        let before = self.now();
        self.pace().turn(&**self.wire(), cells, self.home()).await;
        self.turn_over_all(grant).await;
        if self.now() > before {
            self.check(grant, address, transport, name)
        } else {
            Ok(())
        }
    }

    /// Waits for a contact's turn among all, after its turn with its own peer: what then waits no more goes out at once, so that no second ever sees more
    /// than the limit. The operator's own hosts are not counted, resolvers are.
    pub(crate) async fn turn_over_all(&self, grant: Grant) {
        if matches!(grant, Grant::Target | Grant::Source(_) | Grant::Operator(guard::RESOLVER)) {
            self.pace().turn(&**self.wire(), &[Cell::Total], self.home()).await;
        }
    }

    /// A free socket. Who waits for one keeps none idle, so that nobody waits for nothing.
    async fn socket(&self) -> OwnedSemaphorePermit {
        let sockets = &self.net.inner.sockets;
        if let Ok(place) = sockets.clone().try_acquire_owned() {
            return place;
        }
        self.keeper.clear();
        sockets.clone().acquire_owned().await.expect("the semaphore is never closed")
    }

    /// A connection for this pin that an earlier exchange of the session left open.
    pub(crate) fn kept(&self, pin: &HttpPin) -> Option<Channel> {
        self.keeper.take(pin, self.now())
    }

    /// Leaves a connection open for the session's next exchange, while sockets are plenty.
    pub(crate) fn keep(&self, pin: HttpPin, channel: Channel) {
        let all = self.options().sockets.clamp(1, limits::SOCKETS_MAX);
        if self.net.inner.sockets.available_permits() >= all / limits::SOCKETS_FREE_SHARE {
            self.keeper.put(pin, channel, self.now());
        }
    }

    /// Opens a connection: grant, guard, pace, a free socket, then the wire.
    pub(crate) async fn open(&self, grant: Grant, address: SocketAddr, name: Option<&str>, limit: Duration) -> Result<Connection, NetError> {
        self.check(grant, address, Transport::Tcp, name)?;
        let cells = match grant {
            Grant::Target => vec![Cell::Address(address.ip()), Cell::block(address.ip())],
            Grant::Source(provider) => vec![Cell::Provider(provider)],
            Grant::Operator(_) => Vec::new(),
        };
        self.admit(grant, address, Transport::Tcp, name, &cells).await?;
        let place = self.socket().await;
        self.check(grant, address, Transport::Tcp, name)?;
        self.net.inner.connections.fetch_add(1, Ordering::Relaxed);
        let at = self.now() + limit;
        let connecting = self.wire().connect(address);
        let stream = until(&**self.wire(), at, "connection", connecting)
            .await?
            .map_err(|error| NetError::from_io(&error, "connecting"))?;
        Ok(Connection {
            stream,
            address,
            grant,
            _place: place,
        })
    }

    /// The addresses to dial for a host: the host itself, or those of its addresses that may be contacted on this ground, the lowest first.
    pub(crate) async fn dialled(&self, grant: Grant, host: &str, port: u16) -> Result<Vec<SocketAddr>, NetError> {
        let is_local = matches!(grant, Grant::Operator(_)) && (host == "localhost" || host.ends_with(".localhost"));
        let addresses = match host.parse::<IpAddr>() {
            Ok(address) => vec![address],
            // Never asked of a resolver (RFC 6761 §6.3); a target of that name is looked up like any other, and refused.
            Err(_) if is_local => vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()],
            Err(_) => {
                self.check_name(grant, host)?;
                self.addresses(host).await?
            }
        };
        let mut refused = None;
        let mut allowed = Vec::new();
        for address in addresses {
            let address = SocketAddr::new(address, port);
            match self.check(grant, address, Transport::Tcp, Some(host)) {
                Ok(()) => allowed.push(address),
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        match refused {
            _ if !allowed.is_empty() => Ok(allowed),
            Some(refused) => Err(refused),
            None => Err(NetError::Unreachable(format!("{} has no address", crate::untrusted::escape(host)))),
        }
    }
}

/// Waits for a future, at most until the wire's clock shows `at`.
pub(crate) async fn until<T>(wire: &dyn Wire, at: WireTime, what: &'static str, future: impl Future<Output = T>) -> Result<T, NetError> {
    tokio::select! {
        biased;
        value = future => Ok(value),
        () = wire.sleep_until(at) => Err(NetError::Timeout(what)),
    }
}
