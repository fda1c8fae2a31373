//! What tasks see of the outside: [`Net`] for a run, [`Session`] for one unit of work. It opens nothing itself: each
//! call goes to an engine of DNS, TCP, TLS or HTTP, and those go through the door.

mod sources;

use crate::browser::Browser;
use crate::dns::cache::Cache;
use crate::dns::resolver::Engine;
use crate::dns::{DnsAnswer, RecordType, Transfer, WildcardProfile};
use crate::door::{Connection, Door, Waits};
use crate::error::{NetError, Result};
use crate::guard::{Grant, Grants, Guard};
use crate::http::keep::Keeper;
use crate::http::{Client, HttpExchange, HttpFetch, HttpRequest, Url};
use crate::limits;
use crate::pace::Pace;
use crate::tcp::{Answers, Banner, BannerOptions, PortSweep, StartTls};
use crate::tls::{HelloAnswer, TlsOptions, TlsSession, TlsVersion};
use crate::udp::{AnswerFrom, Asking, PortAnswer, PortQuestion, ReadAnswer};
use crate::wire::{Hold, Wire, WireTime};
use ambit_model::Timestamp;
use futures::future::BoxFuture;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// One per run and process: the wire, the guard, the rate limiter, the DNS engine with the run's cache. Cheap to
/// clone. Made and used inside a tokio runtime, in a task that the wire tracks.
#[derive(Clone)]
pub struct Net {
    inner: Arc<Inner>,
}

struct Inner {
    /// The door without grants: each session gets its own.
    door: Door,
    /// Connections between two requests, of whichever sessions.
    keeper: Arc<Keeper>,
    options: NetOptions,
    dns: Engine,
    /// Lists of data providers, by provider and URL.
    lists: Cache<(&'static str, String), HttpFetch>,
    requests: AtomicU64,
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
    /// HTTP requests sent.
    pub requests: u64,
    /// Contacts that guard or grant refused.
    pub refused: u64,
}

impl Net {
    /// Opens nothing yet.
    pub fn new(wire: Arc<dyn Wire>, guard: Arc<dyn Guard>, pace: Arc<Pace>, options: NetOptions) -> Self {
        let keeper = Arc::<Keeper>::default();
        let idle = keeper.clone();
        let door = Door::new(wire, guard, pace, options.sockets).closing(Arc::new(move || idle.clear()));
        Self {
            inner: Arc::new(Inner {
                dns: Engine::new(&door),
                door,
                keeper,
                options,
                lists: Cache::new(),
                requests: AtomicU64::new(0),
            }),
        }
    }

    /// The view that one unit of work gets.
    pub fn session(&self, grants: Grants) -> Session {
        Session { net: self.clone(), door: self.inner.door.with(grants) }
    }

    /// Units of work that wait for their turn now: for the pace of a peer, for a place among those that ask it, for
    /// another unit that asks the same. They hold a little memory, and nothing else.
    pub fn waiting(&self) -> usize {
        self.inner.door.waiting()
    }

    /// What was done so far.
    pub fn counters(&self) -> Counters {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let inner = &self.inner;
        Counters {
            connections: inner.door.connections(),
            questions: read(&inner.dns.questions),
            requests: read(&inner.requests),
            refused: inner.door.refused(),
        }
    }
}

/// The door for one unit of work, with the grants it was given. All methods are cancel-safe: dropping one closes its
/// sockets. Before anything is sent, each fails with `NoGrant` where the grant for its target was not given, and with
/// `OutOfScope` or `NotAllowed` where the guard refuses it.
#[derive(Clone)]
pub struct Session {
    net: Net,
    door: Door,
}

impl Session {
    // ── time and chance ──

    /// The date that certificates and judges are measured by.
    pub fn date(&self) -> Timestamp {
        self.door.date()
    }

    /// The wire's monotonic clock.
    pub fn now(&self) -> WireTime {
        self.door.now()
    }

    /// Waits for what a peer does at most until the wire's clock shows `at`; fails with a time-out of the step.
    pub async fn until<T>(&self, at: WireTime, step: &'static str, future: impl Future<Output = T>) -> Result<T> {
        self.door.until(at, step, future).await
    }

    /// Holds the wire's clock until it is dropped: for work on another thread, which a simulated wire cannot see.
    pub fn hold(&self) -> Box<dyn Hold> {
        self.door.hold()
    }

    /// Waits on the wire's clock.
    pub async fn sleep(&self, duration: Duration) {
        self.door.sleep_until(self.now() + duration).await;
    }

    /// Notes that this unit of work waits for another one, until what is returned is dropped.
    pub fn waits(&self) -> Waits {
        self.door.waits()
    }

    /// Waits for what another unit of work does first. That time is no work of this one, as where it waits for the rate
    /// limiter.
    pub async fn waits_for<T>(&self, other: impl Future<Output = T>) -> T {
        self.door.waits_for(other).await
    }

    /// How long this unit of work waited for the rate limiter, up to the turn that it waits for now. That time is no
    /// work.
    pub fn waited(&self) -> Duration {
        self.door.waited()
    }

    /// How much of that for what else this process sends: for its turns among all, and for those of other sweeps.
    pub fn waited_for_others(&self) -> Duration {
        self.door.waited_for_others()
    }

    /// How long resolvers that refuse what is too much were left alone since the run began. That is no work either.
    pub fn resolvers_paused(&self) -> Duration {
        self.net.inner.dns.paused.sum()
    }

    /// Fills the buffer with random bytes (seeded in simulated wires).
    pub fn random(&self, buffer: &mut [u8]) {
        self.door.random(buffer);
    }

    /// Returns whether the installation's administrator opened this very address, or a block around it. It is then
    /// looked at even in a reserved range.
    pub fn is_named(&self, address: IpAddr) -> bool {
        self.door.is_named(address)
    }

    // ── names ──

    /// Looks a name up through the resolvers (L1), by the run's cache. NXDOMAIN and NODATA are answers; SERVFAIL,
    /// REFUSED and silence are errors.
    pub async fn lookup(&self, name: &str, rtype: RecordType) -> Result<Arc<DnsAnswer>> {
        self.net.inner.dns.lookup(&self.door, name, rtype).await
    }

    /// Looks a name up like [`Session::lookup`], and fails as that does, without reading or filling the cache: for
    /// sweeps of names that mostly do not exist.
    pub async fn lookup_uncached(&self, name: &str, rtype: RecordType) -> Result<DnsAnswer> {
        self.net.inner.dns.lookup_uncached(&self.door, name, rtype, &limits::DNS_TRIES).await
    }

    /// The same, but fails after two tries: where most names are never answered, such as below a wildcard whose server
    /// is silent.
    pub async fn lookup_briefly(&self, name: &str, rtype: RecordType) -> Result<DnsAnswer> {
        self.net.inner.dns.lookup_uncached(&self.door, name, rtype, &limits::DNS_TRIES_BRIEF).await
    }

    /// Looks up the addresses of a name that should not exist, and asks for the NSEC or NSEC3 records that prove it.
    /// That they are missing is no error; it fails as [`Session::lookup`] does.
    pub async fn lookup_denial(&self, name: &str) -> Result<DnsAnswer> {
        self.net.inner.dns.lookup_denial(&self.door, name).await
    }

    /// A and AAAA records of a name: sorted addresses. An error only where neither could be asked.
    pub async fn addresses(&self, name: &str) -> Result<Vec<IpAddr>> {
        self.net.inner.dns.addresses(&self.door, name).await
    }

    /// Asks one name server directly (a target: the guard is asked with the question's name). No recursion is desired.
    /// Any answer but NOERROR and NXDOMAIN is an error, and so is silence after four tries.
    pub async fn ask(&self, server: SocketAddr, name: &str, rtype: RecordType) -> Result<DnsAnswer> {
        self.net.inner.dns.ask(&self.door, server, name, rtype).await
    }

    /// Asks a name server for a whole zone. That it refuses is an answer.
    pub async fn transfer(&self, server: SocketAddr, zone: &str) -> Result<Transfer> {
        crate::dns::transfer::transfer(&self.door, server, zone).await
    }

    /// What random names below `level` are answered with, sampled until nothing new comes. Kept for the run. Fails
    /// where more than five samples failed and none was answered with a value.
    pub async fn wildcard(&self, level: &str, rtype: RecordType) -> Result<Arc<WildcardProfile>> {
        self.net.inner.dns.wildcard(&self.door, level, rtype).await
    }

    // ── ports and streams ──

    /// Opens a TCP connection to a target. `name` is what the contact is for, as the guard sees it. A port that refuses
    /// and one that is silent are different errors.
    pub async fn connect(&self, address: SocketAddr, name: Option<&str>) -> Result<Connection> {
        self.door.open(Grant::Target, address, name, limits::CONNECT_TIMEOUT).await
    }

    /// Opens a TCP connection to a host on a ground of its own: the operator's, or a receiver's. Each address of the
    /// host is tried until one lets us in; where none does, it fails as the last one did.
    pub async fn connect_to(&self, grant: Grant, host: &str, port: u16) -> Result<Connection> {
        let addresses = self.net.inner.dns.dialled(&self.door, grant, host, port).await?;
        let mut opened = Err(NetError::Unreachable("no address".into()));
        for address in addresses.into_iter().take(limits::ADDRESSES_TRIED) {
            opened = self.door.open(grant, address, Some(host), limits::CONNECT_TIMEOUT).await;
            if opened.is_ok() {
                break;
            }
        }
        opened.map_err(NetError::of_helper)
    }

    /// Probes many ports of one address, many at once and within the rate limits. Ports without an answer are tried
    /// again, and the loss is measured. Ports that are refused or that cannot be asked are in the result, not an error.
    pub async fn sweep_ports(&self, address: IpAddr, ports: &[u16]) -> Result<PortSweep> {
        crate::tcp::sweep::sweep(&self.door, address, ports, self.net.inner.options.sweep_in_flight).await
    }

    /// Waits until a sweep of so many contacts may begin: where all contacts share a rate, sweeps that began before go
    /// first.
    pub async fn begin_sweep(&self, contacts: usize) {
        self.door.begin_sweep(contacts).await;
    }

    /// Probes a few ports, none given twice, of many addresses with a short time limit, to find the live addresses of a
    /// block: a port of every address before the next port, once each, and up to twice more where the way to them loses
    /// questions. A socket that scope refuses has failed with that refusal.
    pub async fn knock(&self, addresses: &[IpAddr], ports: &[u16]) -> Result<Answers<SocketAddr>> {
        crate::tcp::knock::knock(&self.door, addresses, ports, self.net.inner.options.sweep_in_flight).await
    }

    /// Connects and reads what the service says first. Silence is an empty banner; a reset before the first byte is an
    /// error.
    pub async fn read_banner(
        &self,
        address: SocketAddr,
        name: Option<&str>,
        options: &BannerOptions,
    ) -> Result<Banner> {
        crate::tcp::banner::read(&self.door, address, name, options).await
    }

    /// Shakes hands, then reads what the service says first inside TLS. `sni`: `None` sends no name. No ALPN is
    /// offered. Fails with `Tls` where the handshake was not completed, also if it showed a certificate.
    pub async fn read_banner_inside(
        &self,
        address: SocketAddr,
        sni: Option<&str>,
        options: &BannerOptions,
    ) -> Result<Banner> {
        crate::tcp::banner::read_inside(&self.door, address, sni, options).await
    }

    /// Leads a plain connection to the point where TLS begins. Gives the connection and everything that the server said
    /// on the way. Fails where the server offers no TLS or leaves the dialogue, and where `name` cannot stand in one.
    pub async fn start_tls(
        &self,
        connection: Connection,
        protocol: StartTls,
        name: &str,
    ) -> Result<(Connection, Banner)> {
        crate::tcp::starttls::lead(&self.door, connection, protocol, name).await
    }

    /// Sends one datagram to a target and waits for the answer to it, at most `wait` for each of two tries. After
    /// a refusal there is no second one.
    pub async fn datagram(&self, address: SocketAddr, payload: &[u8], wait: Duration) -> Result<PortAnswer> {
        crate::udp::exchange(&self.door, address, payload, wait).await
    }

    /// Sends one datagram to a port of a target and waits for the first answer, at most `wait`. Nothing is repeated:
    /// silence says nothing, and like a refusal it is an answer. Fails where the datagram did not go out.
    pub async fn ask_port(
        &self,
        address: SocketAddr,
        payload: &[u8],
        answers: AnswerFrom,
        wait: Duration,
    ) -> Result<PortAnswer> {
        crate::udp::ask_port(&self.door, address, payload, answers, wait).await
    }

    /// Sends a datagram for each question to a target, as fast as the rate limits let them out, and takes the answers
    /// that come meanwhile; [`Asking::end`] waits for the others, until `wait` after the last was sent. They share one
    /// socket, and nothing is repeated.
    pub async fn ask_ports<T: Send>(
        &self,
        address: IpAddr,
        questions: Vec<PortQuestion>,
        read: ReadAnswer<T>,
        wait: Duration,
    ) -> Asking<T> {
        crate::udp::ask_ports(&self.door, address, questions, read, wait).await
    }

    // ── TLS ──

    /// Connects and shakes hands. `sni`: `None` sends no name. Certificates of any quality are recorded, not refused;
    /// where rustls finds no common ground, an old hello reads what the server shows in clear (`facts.complete` is
    /// false then).
    pub async fn tls(&self, address: SocketAddr, sni: Option<&str>, options: &TlsOptions) -> Result<TlsSession> {
        crate::tls::handshake::connect(&self.door, Grant::Target, address, sni, options).await
    }

    /// Shakes hands on a connection that is already there (after [`Session::start_tls`]). Fails where the server showed
    /// no certificate before it broke off; no old hello is tried.
    pub async fn tls_over(
        &self,
        connection: Connection,
        sni: Option<&str>,
        options: &TlsOptions,
    ) -> Result<TlsSession> {
        crate::tls::handshake::over(&self.door, connection, sni, options).await
    }

    /// Sends a ClientHello of one version, and returns the answer, which shows whether the server supports that
    /// version. That it refuses is an answer; that it speaks no TLS is an error.
    pub async fn tls_hello(&self, address: SocketAddr, sni: Option<&str>, version: TlsVersion) -> Result<HelloAnswer> {
        crate::tls::handshake::hello(&self.door, address, sni, version).await
    }

    /// Asks a server with ten odd hellos and returns its JARM, 62 characters by which servers of one make are known.
    /// Only zeros: it speaks no TLS. Fails where one of the ten connections did not come about, or
    /// its hello was left without an answer.
    pub async fn jarm(&self, address: SocketAddr, sni: Option<&str>) -> Result<String> {
        crate::tls::handshake::jarm(&self.door, address, sni).await
    }

    /// Takes a picture (PNG, at most 1 MiB) of a page of a site that is reached at one address, in a browser of this
    /// machine. What the page wants of hosts that may not be contacted stays away. Fails with what the connection to
    /// the site failed of, or with `Budget` where the browser cannot be run or leaves no picture.
    pub async fn picture(&self, browser: &Browser, site: &Url, address: SocketAddr) -> Result<Vec<u8>> {
        let waits = self.waits();
        let _place = browser.place().await;
        drop(waits);
        let open =
            |host: String, port: u16| -> BoxFuture<'_, _> { Box::pin(self.open_for_page((site, address), host, port)) };
        crate::browser::picture(browser, site, &open).await
    }

    /// What a page of a site wants to be opened: the site itself at its address, and hosts that the guard allows.
    async fn open_for_page(&self, (site, address): (&Url, SocketAddr), host: String, port: u16) -> Result<Connection> {
        // What a browser asks for inside a tunnel cannot be seen.
        self.door.check_unseen(&host, port)?;
        if (host.as_str(), port) == (site.host.as_str(), site.port) {
            return self.connect(address, Some(&host)).await;
        }
        if let Ok(literal) = host.parse::<IpAddr>() {
            return self.connect(SocketAddr::new(literal, port), None).await;
        }
        // Nothing is looked up of names that may not be contacted: a page makes them up as it likes.
        self.door.check_name(Grant::Target, &host)?;
        let addresses = self.addresses(&host).await?;
        let first = addresses.first().ok_or_else(|| NetError::Unreachable("no address".into()))?;
        self.connect(SocketAddr::new(*first, port), Some(&host)).await
    }

    // ── HTTP ──

    /// A GET request for a URL, with this program's usual headers. Fails with `Invalid` for a text that is no URL of
    /// http or https.
    pub fn get(&self, url: &str) -> Result<HttpRequest> {
        Ok(HttpRequest::get(Url::parse(url)?, &self.net.inner.options.user_agent))
    }

    /// One request, one answer; redirects are not followed. An answer of any status is no error.
    pub async fn http(&self, request: &HttpRequest) -> Result<HttpExchange> {
        crate::http::exchange::exchange(self.client(), request).await
    }

    /// Follows redirects, each hop under the guard. An error only where the first exchange failed; a later failure ends
    /// the chain with its reason.
    pub async fn fetch(&self, request: &HttpRequest) -> Result<HttpFetch> {
        crate::http::chain::fetch(self.client(), request).await
    }

    fn client(&self) -> Client<'_> {
        let inner = &self.net.inner;
        Client { door: &self.door, dns: &inner.dns, keeper: &inner.keeper, requests: &inner.requests }
    }
}
