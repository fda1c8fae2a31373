//! The door: the only holder of the wire. Nothing is sent but through it, and it checks before each contact: the grant
//! of the work, the reserved ranges, the guard, the pace, a free socket. DNS, TCP, TLS and HTTP stand before it and
//! never see the wire itself (`cargo xtask tidy` holds them to it).

mod admissions;
mod connection;
mod losses;
mod outages;
mod rates;
mod responsiveness;
mod timer;
mod turns;

pub(crate) use admissions::Admissions;
pub use connection::Connection;
pub(crate) use outages::{Answered, ProviderHost};
pub(crate) use timer::Timer;
pub(crate) use turns::Waited;
pub use turns::Waits;

use crate::error::{NetError, Phase, Refused, Result};
use crate::guard::{Contact, Grant, Grants, Guard, RESOLVER, Transport, reserved_range};
use crate::http::Url;
use crate::limits::{SOCKETS_FREE_SHARE, SOCKETS_MAX, SWEPT_BY_DATAGRAM_SHARE};
use crate::pace::{Bucket, Pace};
use crate::wire::{Datagrams, HalfOpenAnswers, Hold, Wire, WireTime};
use ambit_model::{Clearance, Timestamp};
use futures::future::BoxFuture;
use losses::Losses;
use outages::Outages;
use responsiveness::Responsiveness;
use rustls::RootCertStore;
use std::io::ErrorKind;
use std::net::{IpAddr, SocketAddr, SocketAddrV4};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore};
use turns::Turns;

/// The way out for one unit of work, with the grants it was given. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Door {
    outside: Arc<Outside>,
    grants: Grants,
    /// Closes the idle connections of the run, so that waiting contacts get their sockets.
    close_idle: Arc<dyn Fn() + Send + Sync>,
    /// Whether this unit of work waits for its turn.
    turns: Arc<Turns>,
}

/// State that is shared by all units of work of a [`crate::Net`].
struct Outside {
    wire: Arc<dyn Wire>,
    guard: Arc<dyn Guard>,
    pace: Arc<Pace>,
    sockets: Arc<Semaphore>,
    /// Sockets open at once.
    sockets_max: usize,
    /// Of these, those from which many ports of an address are asked with datagrams.
    swept: Arc<Semaphore>,
    /// When the next sweep may begin by what those before it send at once. Whoever is to begin next holds it.
    next_sweep: Mutex<WireTime>,
    roots: RootCertStore,
    connections: AtomicU64,
    refused: AtomicU64,
    responsiveness: Responsiveness,
    losses: Losses,
    outages: Outages,
}

/// A contact by datagram that was admitted: it is good for one datagram to its address.
pub(crate) struct Pass {
    to: SocketAddr,
}

/// A datagram socket. It sends only to where a [`Pass`] leads.
pub(crate) struct DatagramSocket {
    inner: Box<dyn Datagrams>,
}

impl Door {
    /// Makes a door without any grant, which permits no contact. `sockets`: how many may be open at once.
    pub(crate) fn new(wire: Arc<dyn Wire>, guard: Arc<dyn Guard>, pace: Arc<Pace>, sockets: usize) -> Self {
        let sockets_max = sockets.clamp(1, SOCKETS_MAX);
        let roots = RootCertStore { roots: wire.trust_roots().to_vec() };
        let outside = Outside {
            wire,
            guard,
            pace,
            sockets: Arc::new(Semaphore::new(sockets_max)),
            sockets_max,
            swept: Arc::new(Semaphore::new((sockets_max / SWEPT_BY_DATAGRAM_SHARE).max(1))),
            next_sweep: Mutex::default(),
            roots,
            connections: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            responsiveness: Responsiveness::default(),
            losses: Losses::default(),
            outages: Outages::default(),
        };
        Self { outside: Arc::new(outside), grants: Grants::none(), close_idle: Arc::new(|| ()), turns: Arc::default() }
    }

    /// The same door, which has idle connections closed where a contact waits for a socket.
    pub(crate) fn closing(self, close_idle: Arc<dyn Fn() + Send + Sync>) -> Self {
        Self { close_idle, ..self }
    }

    /// The same door for one unit of work.
    pub(crate) fn with(&self, grants: Grants) -> Self {
        Self { grants, turns: Arc::new(self.turns.of_another()), ..self.clone() }
    }

    /// Notes that this unit of work waits for its turn, until what is returned is dropped.
    pub(crate) fn waits(&self) -> Waits {
        Waits::new(&self.turns)
    }

    /// Units of work that wait for their turn now.
    pub(crate) fn waiting(&self) -> usize {
        self.turns.waiting()
    }

    /// TCP connections tried so far.
    pub(crate) fn connections(&self) -> u64 {
        self.outside.connections.load(Ordering::Relaxed)
    }

    /// Contacts refused so far.
    pub(crate) fn refused(&self) -> u64 {
        self.outside.refused.load(Ordering::Relaxed)
    }

    fn count_refused(&self) {
        self.outside.refused.fetch_add(1, Ordering::Relaxed);
    }
}

/// Time, randomness and properties of the wire. None of them is a contact.
impl Door {
    /// The date that certificates and judges are measured by.
    pub(crate) fn date(&self) -> Timestamp {
        self.outside.wire.date()
    }

    /// The wire's monotonic clock.
    pub(crate) fn now(&self) -> WireTime {
        self.outside.wire.now()
    }

    /// Waits until the wire's clock shows `at`.
    pub(crate) async fn sleep_until(&self, at: WireTime) {
        self.outside.wire.sleep_until(at).await;
    }

    /// Waits for a future, at most until the wire's clock shows `at`; fails with a time-out of the phase.
    pub(crate) async fn until<T>(
        &self,
        at: WireTime,
        phase: impl Into<Phase>,
        future: impl Future<Output = T>,
    ) -> Result<T> {
        tokio::select! {
            biased;
            value = future => Ok(value),
            () = self.sleep_until(at) => Err(NetError::Timeout(phase.into())),
        }
    }

    /// How long an answer of an address is waited for that usually is waited for so long: less where the last
    /// ones hung ([`Door::note_wait`]).
    pub(crate) fn patience(&self, address: IpAddr, usual: Duration) -> Duration {
        self.outside.responsiveness.patience(address, usual)
    }

    /// Takes what became of a wait for an answer of an address that began at `since`.
    pub(crate) fn note_wait(&self, address: IpAddr, since: WireTime, error: Option<&NetError>) {
        self.outside.responsiveness.note_wait(address, self.now() - since, error);
    }

    /// Wraps a task that waits on the wire ([`Wire::track`]).
    pub(crate) fn track(&self, task: BoxFuture<'static, ()>) -> BoxFuture<'static, ()> {
        self.outside.wire.track(task)
    }

    /// Holds the wire's clock ([`Wire::hold`]).
    pub(crate) fn hold(&self) -> Box<dyn Hold> {
        self.outside.wire.hold()
    }

    /// Fills the buffer with random bytes of the wire.
    pub(crate) fn random(&self, buffer: &mut [u8]) {
        self.outside.wire.random(buffer);
    }

    /// Addresses of the recursive resolvers.
    pub(crate) fn resolvers(&self) -> Vec<SocketAddr> {
        self.outside.wire.resolvers()
    }

    /// The certificate authorities that a browser on this wire trusts.
    pub(crate) fn roots(&self) -> &RootCertStore {
        &self.outside.roots
    }
}

/// Who may be contacted.
impl Door {
    /// Returns the footprint of a ground that this work was given; fails for any other.
    pub(crate) fn check_grant(&self, grant: Grant) -> Result<Clearance> {
        self.grants.check(grant).inspect_err(|_| self.count_refused())
    }

    /// Checks grant, reserved ranges and guard for an address about to be contacted. A contact that lies in a reserved
    /// range, itself or by an IPv4 address embedded in it, is refused unless the administrator opened it; then the
    /// guard is asked. Resolvers are named by the operator as addresses, so that their ranges are not asked; nothing
    /// else is contacted on their ground.
    pub(crate) fn check(
        &self,
        grant: Grant,
        address: SocketAddr,
        transport: Transport,
        name: Option<&str>,
    ) -> Result<()> {
        let Outside { wire, guard, .. } = &*self.outside;
        let footprint = self.check_grant(grant)?;
        let contact = Contact {
            address: address.ip(),
            port: address.port(),
            transport,
            name: name.map(str::to_owned),
            footprint,
            grant,
        };
        let why = if grant == Grant::Operator(RESOLVER) {
            (!wire.resolvers().contains(&address)).then(|| "not a resolver".to_owned())
        } else {
            let range = reserved_range(wire.reserved(), &**guard, contact.address);
            range.map(|range| format!("reserved range {range}, not opened by the administrator"))
        };
        let refused = why.map(|why| Refused { address: contact.address, why, in_doubt: false });
        let checked = refused.map_or_else(|| guard.allow(&contact), Err);
        checked.map_err(|refused| {
            self.count_refused();
            refused.into()
        })
    }

    /// Asks the guard for a name that is about to be looked up in order to contact it.
    pub(crate) fn check_name(&self, grant: Grant, name: &str) -> Result<()> {
        self.outside.guard.allow_name(name, grant).map_err(|why| {
            self.count_refused();
            NetError::NotAllowed(format!("{}: {why}", crate::untrusted::escape(name)))
        })
    }

    /// Asks the guard for a page that is about to be asked for.
    pub(crate) fn check_page(&self, grant: Grant, page: &Url) -> Result<()> {
        self.outside.guard.allow_page(page, grant).map_err(|why| {
            self.count_refused();
            NetError::NotAllowed(format!("{}: {why}", crate::untrusted::escape(&page.to_string())))
        })
    }

    /// Fails where some pages of a host and port must not be asked for, for who does not show which pages it asks for.
    pub(crate) fn check_unseen(&self, host: &str, port: u16) -> Result<()> {
        if !self.outside.guard.has_closed_pages(host, port) {
            return Ok(());
        }
        self.count_refused();
        Err(NetError::NotAllowed(format!("{}:{port}: some of its pages are excluded", crate::untrusted::escape(host))))
    }

    /// Returns whether the installation's administrator opened this very address, or a block around it.
    pub(crate) fn is_named(&self, address: IpAddr) -> bool {
        self.outside.guard.named(address)
    }
}

/// The host of a contact as it is known to its provider.
fn host_of(name: Option<&str>, address: SocketAddr) -> String {
    name.map_or_else(|| address.ip().to_string(), str::to_owned)
}

/// The rates of a connection to a target, the narrowest first, without that of all contacts.
pub(crate) fn rates_of_target(address: IpAddr) -> [Bucket; 2] {
    [Bucket::Address(address), Bucket::block(address)]
}

/// The contacts themselves.
impl Door {
    /// Opens a connection: grant, guard, pace, a free socket, then the wire.
    pub(crate) async fn open(
        &self,
        grant: Grant,
        address: SocketAddr,
        name: Option<&str>,
        limit: Duration,
    ) -> Result<Connection> {
        self.admit_tcp(grant, address, name).await?;
        let place = self.socket().await;
        self.check(grant, address, Transport::Tcp, name)?;
        let connecting = self.outside.wire.connect(address);
        let stream = self.connected(address.ip(), connecting, limit).await?;
        Ok(Connection::new(stream, address, grant, place))
    }

    /// Asks a port of a target that was admitted whether it accepts connections, with half a handshake
    /// ([`Wire::half_open`]).
    pub(crate) fn half_open(
        &self,
        to: SocketAddrV4,
        until: WireTime,
        answers: &HalfOpenAnswers,
    ) -> Option<std::io::Result<()>> {
        self.outside.wire.half_open(to, until, answers)
    }

    /// Asks a port of a target that was admitted whether it accepts connections, by opening one.
    pub(crate) async fn knock(&self, address: SocketAddr, limit: Duration) -> Result<()> {
        let _place = self.socket().await;
        self.check(Grant::Target, address, Transport::Tcp, None)?;
        self.connected(address.ip(), self.outside.wire.connect(address), limit).await.map(drop)
    }

    /// How many of 1,000 answers of ports came only when they were asked again; `None` where too few came to say.
    pub(crate) fn loss_permille(&self) -> Option<u32> {
        self.outside.losses.permille()
    }

    /// Admits one connection: checks the contact, waits for its turn, checks again.
    pub(crate) async fn admit_tcp(&self, grant: Grant, to: SocketAddr, name: Option<&str>) -> Result<()> {
        let buckets = match grant {
            Grant::Target => rates_of_target(to.ip()).to_vec(),
            Grant::Source(provider) => {
                vec![Bucket::source_host(provider, &host_of(name, to)), Bucket::Provider(provider)]
            }
            Grant::Operator(_) | Grant::Receiver | Grant::PlainReceiver => Vec::new(),
        };
        self.admit(grant, to, Transport::Tcp, name, &buckets).await
    }

    /// Waits until a connection stands, at most for `limit`.
    async fn connected<T>(
        &self,
        address: IpAddr,
        connecting: impl Future<Output = std::io::Result<T>>,
        limit: Duration,
    ) -> Result<T> {
        self.count_connection();
        let begun = self.now();
        let answer = self.until(begun + limit, Phase::Connecting, connecting).await?;
        let answer = answer.map_err(|error| match error.kind() {
            // The system gave up before we did.
            ErrorKind::TimedOut => NetError::Timeout(Phase::Connecting),
            _ => NetError::from_io(&error, "connecting"),
        });
        if matches!(answer, Ok(_) | Err(NetError::ConnectionRefused)) {
            self.note_answer(address, self.now() - begun);
        }
        answer
    }

    /// Counts a connection that is tried.
    pub(crate) fn count_connection(&self) {
        self.outside.connections.fetch_add(1, Ordering::Relaxed);
    }

    /// Takes how long an address took to take or refuse a connection.
    pub(crate) fn note_answer(&self, address: IpAddr, waited: Duration) {
        if let Some(is_late) = self.outside.responsiveness.note_connection(address, waited) {
            self.outside.losses.note(is_late);
        }
    }

    /// Whether an address took or refused a connection promptly in this run: where it is silent, it is not slow.
    pub(crate) fn is_prompt(&self, address: IpAddr) -> bool {
        self.outside.responsiveness.is_prompt(address)
    }

    /// Acquires a free socket. Work that waits for one gives up its idle connections first, so that none waits for
    /// another's idle ones.
    pub(crate) async fn socket(&self) -> OwnedSemaphorePermit {
        let sockets = &self.outside.sockets;
        if let Ok(place) = sockets.clone().try_acquire_owned() {
            return place;
        }
        (self.close_idle)();
        sockets.clone().acquire_owned().await.expect("the semaphore is never closed")
    }

    /// One of the places of addresses of which many ports are asked with datagrams.
    pub(crate) async fn swept_place(&self) -> OwnedSemaphorePermit {
        let place = self.waits_for(self.outside.swept.clone().acquire_owned()).await;
        place.expect("the semaphore is never closed")
    }

    /// Returns whether so many sockets are free that idle connections may be kept open.
    pub(crate) fn sockets_are_plenty(&self) -> bool {
        self.outside.sockets.available_permits() >= self.outside.sockets_max / SOCKETS_FREE_SHARE
    }

    /// Opens a datagram socket of the family of `peer`. Nothing is sent yet; `what` names the step in an error.
    pub(crate) fn datagram_socket(&self, peer: IpAddr, what: &'static str) -> Result<DatagramSocket> {
        let opened = self.outside.wire.datagrams(peer);
        opened.map(|inner| DatagramSocket { inner }).map_err(|error| NetError::from_io(&error, what))
    }

    /// Admits one datagram: checks the contact, waits for its turn, checks again.
    pub(crate) async fn admit_datagram(
        &self,
        grant: Grant,
        to: SocketAddr,
        name: Option<&str>,
        buckets: &[Bucket],
    ) -> Result<Pass> {
        self.admit(grant, to, Transport::Udp, name, buckets).await?;
        Ok(Pass { to })
    }
}

impl Pass {
    /// Where it leads.
    pub(crate) fn to(&self) -> SocketAddr {
        self.to
    }
}

impl DatagramSocket {
    /// Sends one datagram to where the pass leads.
    pub(crate) async fn send(&self, pass: Pass, bytes: &[u8]) -> std::io::Result<()> {
        self.inner.send_to(bytes, pass.to).await
    }

    /// Hears `to` alone from now on, and its refusals.
    pub(crate) fn connect(&self, to: SocketAddr) -> std::io::Result<()> {
        self.inner.connect(to)
    }

    /// Receives one datagram, cut at the buffer's length, and who sent it.
    pub(crate) async fn receive(&self, buffer: &mut [u8]) -> std::io::Result<(usize, SocketAddr)> {
        self.inner.receive(buffer).await
    }
}
