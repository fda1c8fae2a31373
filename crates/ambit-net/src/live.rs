//! The live wire: real sockets, the machine's clocks and randomness, its resolvers, the trust roots of browsers.

#[cfg(target_os = "linux")]
mod syn;

use crate::guard::Transport;
use crate::limits::{SOCKETS_DEFAULT, SOCKETS_MAX};
#[cfg(target_os = "linux")]
use crate::wire::HalfOpenAnswers;
use crate::wire::{Datagrams, Hold, Stream, Wire, WireTime};
use ambit_model::Timestamp;
use ambit_model::reserved::{DOCUMENTATION, INTERNAL, networks};
use futures::future::BoxFuture;
use ipnet::IpNet;
use rand::Rng;
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, TrustAnchor};
use socket2::{Domain, Protocol, SockRef, Socket, Type};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, UdpSocket};
use std::path::Path;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::task::Poll;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use std::{fs, io};

/// Receive buffer of a datagram socket, bytes: answers to a full window of questions that arrive while we compute.
const DATAGRAM_BUFFER_BYTES: usize = 4 * 1024 * 1024;
/// Resolver addresses read from the system's file.
const RESOLVERS_MAX: usize = 16;
/// Descriptors left to the rest of the program.
const DESCRIPTORS_KEPT: usize = 200;

/// The beginning of this process's wire time: one for all live wires, so that they can share a rate limiter.
static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Real sockets.
pub struct LiveWire {
    resolvers: Vec<SocketAddr>,
    roots: Arc<Vec<TrustAnchor<'static>>>,
    reserved: Vec<IpNet>,
    witness: Option<Arc<dyn Witness>>,
    half_open: HalfOpen,
}

/// Hears of each contact before it is made, to write it down. Resolvers are not told of: the operator named them.
pub trait Witness: std::fmt::Debug + Send + Sync {
    /// Takes note of a connection that is about to be tried, or of a datagram that is about to be sent. Fails if it
    /// cannot be noted; then it is not made.
    fn contacted(&self, transport: Transport, to: SocketAddr) -> io::Result<()>;
}

/// Settings of a live wire.
#[derive(Clone, Debug, Default)]
pub struct LiveOptions {
    /// Resolvers. Empty: the system's.
    pub resolvers: Vec<SocketAddr>,
    /// Certificate authorities that are trusted beside those of browsers.
    pub authorities: Vec<TrustAnchor<'static>>,
    /// Who hears of contacts.
    pub witness: Option<Arc<dyn Witness>>,
    /// Ports are probed by connecting to them, even where the process may send packets of its own.
    pub connect_only: bool,
}

/// Ports are probed with half a handshake where the system permits it, which is tried when the first is.
#[derive(Default)]
struct HalfOpen {
    never: bool,
    #[cfg(target_os = "linux")]
    syn: std::sync::OnceLock<Option<syn::Syn>>,
}

impl HalfOpen {
    /// Where raw sockets are not permitted, connecting says the same, with more work for both sides.
    #[cfg(target_os = "linux")]
    fn opened(&self) -> Option<&syn::Syn> {
        if self.never {
            return None;
        }
        self.syn.get_or_init(|| syn::Syn::open().ok()).as_ref()
    }
}

impl LiveWire {
    /// Reads the system's resolvers and this machine's own addresses. The error names the file.
    pub fn new(options: &LiveOptions) -> io::Result<Self> {
        LazyLock::force(&START);
        let resolvers = if options.resolvers.is_empty() {
            system_resolvers(Path::new("/etc/resolv.conf"))?
        } else {
            options.resolvers.clone()
        };
        let mut roots: Vec<TrustAnchor<'static>> = webpki_roots::TLS_SERVER_ROOTS.to_vec();
        roots.extend(options.authorities.iter().cloned());
        let mut reserved = networks(&[INTERNAL, DOCUMENTATION].concat());
        reserved.extend(own_addresses().into_iter().map(IpNet::from));
        let half_open = HalfOpen { never: options.connect_only, ..HalfOpen::default() };
        Ok(Self { resolvers, roots: Arc::new(roots), reserved, witness: options.witness.clone(), half_open })
    }

    /// Tells the witness of a contact.
    fn tell(&self, transport: Transport, to: SocketAddr) -> io::Result<()> {
        match &self.witness {
            Some(witness) if !self.resolvers.contains(&to) => witness.contacted(transport, to),
            _ => Ok(()),
        }
    }
}

impl Wire for LiveWire {
    fn connect(&self, to: SocketAddr) -> BoxFuture<'static, io::Result<Box<dyn Stream>>> {
        let noted = self.tell(Transport::Tcp, to);
        Box::pin(async move {
            noted?;
            let socket = if to.is_ipv4() { tokio::net::TcpSocket::new_v4() } else { tokio::net::TcpSocket::new_v6() }?;
            // Closing resets: no port of ours stays in TIME_WAIT after a sweep of thousands. What we send is answered
            // before we close.
            SockRef::from(&socket).set_linger(Some(Duration::ZERO))?;
            // What this machine has no way to is known at once. The same word later comes from a router, and speaks of
            // this one address.
            let mut connecting = pin!(socket.connect(to));
            let stream = match futures::poll!(connecting.as_mut()) {
                Poll::Ready(at_once) => at_once?,
                Poll::Pending => connecting.await.map_err(said_on_the_way)?,
            };
            stream.set_nodelay(true)?;
            Ok(Box::new(stream) as Box<dyn Stream>)
        })
    }

    #[cfg(target_os = "linux")]
    fn half_open(&self, to: SocketAddrV4, until: WireTime, answers: &HalfOpenAnswers) -> Option<io::Result<()>> {
        let syn = self.half_open.opened()?;
        // Asked again while its answer is awaited, it is the same contact.
        let told = if syn.wait_for(to, until, answers) { self.tell(Transport::Tcp, to.into()) } else { Ok(()) };
        Some(told.and_then(|()| syn.send(to)))
    }

    fn carries_programs(&self) -> bool {
        true
    }

    fn datagrams(&self, peer: IpAddr) -> io::Result<Box<dyn Datagrams>> {
        let (domain, any): (_, IpAddr) = if peer.is_ipv4() {
            (Domain::IPV4, Ipv4Addr::UNSPECIFIED.into())
        } else {
            (Domain::IPV6, Ipv6Addr::UNSPECIFIED.into())
        };
        let socket = Socket::new(domain, Type::DGRAM, Some(Protocol::UDP))?;
        // The kernel may give less; then the window of questions finds its size by the loss.
        let _ = socket.set_recv_buffer_size(DATAGRAM_BUFFER_BYTES);
        socket.set_nonblocking(true)?;
        socket.bind(&SocketAddr::new(any, 0).into())?;
        let socket = tokio::net::UdpSocket::from_std(UdpSocket::from(socket))?;
        let witness = self.witness.clone().map(|witness| (witness, self.resolvers.clone()));
        Ok(Box::new(LiveDatagrams { socket, connected: AtomicBool::new(false), witness }))
    }

    fn now(&self) -> WireTime {
        START.elapsed()
    }

    fn date(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    fn sleep_until(&self, at: WireTime) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep_until((*START + at).into()))
    }

    fn track(&self, task: BoxFuture<'static, ()>) -> BoxFuture<'static, ()> {
        task
    }

    fn hold(&self) -> Box<dyn Hold> {
        Box::new(NoHold)
    }

    fn random(&self, buffer: &mut [u8]) {
        rand::rng().fill_bytes(buffer);
    }

    fn resolvers(&self) -> Vec<SocketAddr> {
        self.resolvers.clone()
    }

    fn trust_roots(&self) -> Arc<Vec<TrustAnchor<'static>>> {
        self.roots.clone()
    }

    fn reserved(&self) -> &[IpNet] {
        &self.reserved
    }
}

/// Reads an error that came after the connection was begun.
fn said_on_the_way(error: io::Error) -> io::Error {
    if error.kind() == io::ErrorKind::NetworkUnreachable {
        io::Error::new(io::ErrorKind::HostUnreachable, error)
    } else {
        error
    }
}

/// The machine's clock cannot be held.
struct NoHold;
impl Hold for NoHold {}

struct LiveDatagrams {
    socket: tokio::net::UdpSocket,
    connected: AtomicBool,
    /// Who hears of datagrams, and to whom they are not told of.
    witness: Option<(Arc<dyn Witness>, Vec<SocketAddr>)>,
}

impl Datagrams for LiveDatagrams {
    fn send_to<'a>(&'a self, bytes: &'a [u8], to: SocketAddr) -> BoxFuture<'a, io::Result<()>> {
        Box::pin(async move {
            if let Some((witness, resolvers)) = &self.witness
                && !resolvers.contains(&to)
            {
                witness.contacted(Transport::Udp, to)?;
            }
            // Some systems take no address on a connected socket.
            let sent = match self.connected.load(Ordering::Relaxed) {
                true => self.socket.send(bytes).await,
                false => self.socket.send_to(bytes, to).await,
            };
            sent.map(|_| ())
        })
    }

    fn connect(&self, to: SocketAddr) -> io::Result<()> {
        SockRef::from(&self.socket).connect(&to.into())?;
        self.connected.store(true, Ordering::Relaxed);
        Ok(())
    }

    fn receive<'a>(&'a self, buffer: &'a mut [u8]) -> BoxFuture<'a, io::Result<(usize, SocketAddr)>> {
        Box::pin(self.socket.recv_from(buffer))
    }
}

/// Sockets that this process may have open at once: what the machine allows, less some for the program's own files.
pub(crate) fn sockets_allowed() -> usize {
    let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let soft = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max open files"))
        .and_then(|rest| rest.split_whitespace().next()?.parse::<usize>().ok());
    soft.map_or(SOCKETS_DEFAULT, |soft| soft.saturating_sub(DESCRIPTORS_KEPT).clamp(64, SOCKETS_MAX))
}

/// The `nameserver` lines of the system's file.
fn system_resolvers(path: &Path) -> io::Result<Vec<SocketAddr>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(parse_resolvers(&text)),
        // A machine without that file may still reach its own server by address; a look-up then says that there is no
        // resolver.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(named(path, &error)),
    }
}

fn parse_resolvers(text: &str) -> Vec<SocketAddr> {
    let address = |line: &str| {
        let mut words = line.split_whitespace();
        // A zone (`fe80::1%eth0`) names an interface; such a resolver needs it and is left out.
        (words.next()? == "nameserver").then(|| words.next()?.parse::<IpAddr>().ok()).flatten()
    };
    text.lines().filter_map(address).take(RESOLVERS_MAX).map(|address| SocketAddr::new(address, 53)).collect()
}

/// The authorities of a PEM file. The error names the file.
pub fn read_authorities(path: &Path) -> io::Result<Vec<TrustAnchor<'static>>> {
    let pem = fs::read(path).map_err(|error| named(path, &error))?;
    let wrong = |why: String| io::Error::new(io::ErrorKind::InvalidData, format!("{}: {why}", path.display()));
    let mut roots = Vec::new();
    for certificate in CertificateDer::pem_slice_iter(&pem) {
        let certificate = certificate.map_err(|error| wrong(format!("not PEM: {error}")))?;
        let mut store = rustls::RootCertStore::empty();
        store.add(certificate).map_err(|error| wrong(format!("not a certificate authority: {error}")))?;
        roots.append(&mut store.roots);
    }
    if roots.is_empty() { Err(wrong("no certificate in it".into())) } else { Ok(roots) }
}

fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// This machine's own addresses, as far as it tells: never a target unless the administrator opens them.
pub fn own_addresses() -> Vec<IpAddr> {
    let mut own: Vec<IpAddr> = Vec::new();
    // Linux: the local routing table and the interfaces' IPv6 addresses.
    let table = fs::read_to_string("/proc/net/fib_trie").unwrap_or_default();
    own.extend(parse_fib_trie(&table).into_iter().map(IpAddr::V4));
    let interfaces = fs::read_to_string("/proc/net/if_inet6").unwrap_or_default();
    own.extend(parse_if_inet6(&interfaces).into_iter().map(IpAddr::V6));
    // Elsewhere: the address by which packets would leave. Connecting a datagram socket sends nothing.
    for (any, peer) in [("0.0.0.0:0", "192.0.2.1:9"), ("[::]:0", "[2001:db8::1]:9")] {
        let local = UdpSocket::bind(any).and_then(|socket| socket.connect(peer).and_then(|()| socket.local_addr()));
        own.extend(local.map(|local| local.ip()).ok().filter(|ip| !ip.is_unspecified()));
    }
    own.sort();
    own.dedup();
    own
}

/// Lines `|-- ADDRESS` that are followed by `/32 host LOCAL`.
fn parse_fib_trie(text: &str) -> Vec<Ipv4Addr> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let local = |pair: &[&str]| {
        pair[1].starts_with("/32 host LOCAL").then(|| pair[0].strip_prefix("|-- ")?.parse().ok()).flatten()
    };
    lines.windows(2).filter_map(local).collect()
}

/// First word of each line: 32 hex digits.
fn parse_if_inet6(text: &str) -> Vec<Ipv6Addr> {
    text.lines()
        .filter_map(|line| u128::from_str_radix(line.split_whitespace().next()?, 16).ok())
        .map(Ipv6Addr::from)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolvers_are_read_from_the_systems_file() {
        let text = "# comment\nsearch example.test\nnameserver 192.0.2.53\nnameserver ::1 # local\nnameserver \
                    fe80::1%eth0\nnameserver nonsense\noptions edns0\n";
        assert_eq!(parse_resolvers(text), ["192.0.2.53:53".parse().unwrap(), "[::1]:53".parse().unwrap()]);
    }

    #[test]
    fn own_addresses_are_read_from_the_kernels_tables() {
        let trie = "Main:\n  +-- 0.0.0.0/0 3 0 5\n     |-- 192.0.2.7\n        /32 host LOCAL\n     |-- \
                    192.0.2.255\n        /32 link BROADCAST\n";
        assert_eq!(parse_fib_trie(trie), [Ipv4Addr::new(192, 0, 2, 7)]);
        let interfaces = "20010db8000000000000000000000001 02 40 00 80 eth0\n";
        assert_eq!(parse_if_inet6(interfaces), ["2001:db8::1".parse::<Ipv6Addr>().unwrap()]);
    }

    #[test]
    fn reserved_ranges_and_this_machine_s_own_addresses_are_no_targets() {
        let wire =
            LiveWire::new(&LiveOptions { resolvers: vec!["127.0.0.1:53".parse().unwrap()], ..LiveOptions::default() })
                .unwrap();
        let is_reserved = |address: IpAddr| wire.reserved().iter().any(|range| range.contains(&address));
        for address in ["127.0.0.1", "169.254.169.254", "fd00:ec2::254", "64:ff9b:1::1", "203.0.113.7"] {
            assert!(is_reserved(address.parse().unwrap()), "{address}");
        }
        assert!(own_addresses().into_iter().all(is_reserved));
        for address in ["8.8.8.8", "2606:4700::1111"] {
            assert!(!is_reserved(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn a_router_speaks_of_an_address_and_the_machine_of_itself() {
        use crate::NetError;
        // ENETDOWN, ENETUNREACH, EHOSTUNREACH of Linux.
        for (number, offline_at_once, offline_later) in [(100, true, true), (101, true, false), (113, false, false)] {
            let read = |error: io::Error| matches!(NetError::from_io(&error, "connecting"), NetError::Offline(_));
            let error = || io::Error::from_raw_os_error(number);
            assert_eq!((read(error()), read(said_on_the_way(error()))), (offline_at_once, offline_later), "{number}");
        }
    }

    #[test]
    fn an_authorities_file_that_is_none_is_named() {
        let error = read_authorities(Path::new("/nonexistent/ca.pem")).err().unwrap();
        assert!(error.to_string().contains("/nonexistent/ca.pem"), "{error}");
    }
}
