//! Half a handshake (RFC 9293 §3.5): a SYN, and the answer to it. A port that is asked so takes no socket, and a peer's
//! program never hears of it. The sequence number is a keyed hash of the peer, so that only who saw the question can
//! answer it. The answer lands at a port of ours where no connection is: the system resets it, which ends the half-open
//! connection at the peer. IPv4 alone, on Linux, where the process may open raw sockets (CAP_NET_RAW).

use super::START;
use crate::wire::{HalfOpenAnswer, HalfOpenAnswers, WireTime};
use socket2::{Domain, Protocol, SockAddr, SockFilter, Socket, Type};
use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, UdpSocket};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

/// How long it is believed by which address of ours a network is reached.
const ROUTE_HOLDS: Duration = Duration::from_secs(10);
/// Networks that this is remembered of.
const ROUTES_MAX: usize = 16_384;
/// Bytes that the system keeps of answers that we have not read yet; it may give less, and what is lost is asked again.
const INCOMING_BYTES: usize = 4 * 1024 * 1024;
/// How long reading rests after a failure.
const BREATH: Duration = Duration::from_millis(2);
/// The queue of the device is full, as Linux says it.
const ENOBUFS: i32 = 105;

const SYN: u8 = 0x02;
const RST: u8 = 0x04;
const ACK: u8 = 0x10;

/// How often whoever reads answers looks whether anybody may still wait for one, and forgets those who do not.
const READING_STOPS: Duration = Duration::from_millis(500);

/// Asks ports with half a handshake.
pub(super) struct Syn {
    shared: Arc<Shared>,
}

struct Shared {
    key: RandomState,
    /// Nobody else gets its port while this is open.
    _reserved: Socket,
    port: u16,
    /// One raw socket for each of our addresses. Its datagrams keep that source address even if routes change.
    senders: Mutex<HashMap<Ipv4Addr, Arc<UdpSocket>>>,
    routes: Mutex<HashMap<[u8; 3], (Ipv4Addr, Instant)>>,
    waiting: Mutex<HashMap<SocketAddrV4, Vec<Waiting>>>,
}

/// Somebody who asked a port.
struct Waiting {
    until: WireTime,
    answers: HalfOpenAnswers,
}

impl Syn {
    /// Opens what it needs. Fails where the process may not open raw sockets.
    pub(super) fn open() -> io::Result<Self> {
        let incoming = raw()?;
        let reserved = Socket::new(Domain::IPV4, Type::STREAM, Some(Protocol::TCP))?;
        reserved.bind(&SockAddr::from(SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, 0)))?;
        let port = reserved.local_addr()?.as_socket_ipv4().map_or(0, |address| address.port());
        incoming.attach_filter(&to_port(port))?;
        // What the system gives at most, or more of it where the process may ask for that.
        let _ = incoming.set_recv_buffer_size(INCOMING_BYTES);
        let _ = rustix::net::sockopt::set_socket_recv_buffer_size_force(&incoming, INCOMING_BYTES);
        incoming.set_nonblocking(false)?;
        incoming.set_read_timeout(Some(READING_STOPS))?;
        let shared = Arc::new(Shared {
            key: RandomState::new(),
            _reserved: reserved,
            port,
            senders: Mutex::default(),
            routes: Mutex::default(),
            waiting: Mutex::default(),
        });
        // Answers are read by a thread of its own: the runtime may be busy for longer than the system keeps them.
        let asking = Arc::downgrade(&shared);
        let incoming = UdpSocket::from(incoming);
        thread::Builder::new().name("answers to SYN".into()).spawn(move || read(&incoming, &asking))?;
        Ok(Self { shared })
    }

    /// Has what a port says come to `answers` as long as the clock does not show `until`. False where it does already.
    pub(super) fn wait_for(&self, port: SocketAddrV4, until: WireTime, answers: &HalfOpenAnswers) -> bool {
        let mut waiting = locked(&self.shared.waiting);
        // A port is asked by one, but for chance: a list that grows by itself keeps room for four.
        let of_port = waiting.entry(port).or_insert_with(|| Vec::with_capacity(1));
        let is_new = !of_port.iter().any(|other| other.answers.same_channel(answers));
        if is_new {
            of_port.push(Waiting { until, answers: answers.clone() });
        }
        is_new
    }

    /// Asks one port, once. Fails with `WouldBlock` where the system has no room for the packet.
    pub(super) fn send(&self, to: SocketAddrV4) -> io::Result<()> {
        let shared = &self.shared;
        let from = shared.own_address(*to.ip())?;
        let sender = shared.sender(from)?;
        let segment = segment((SocketAddrV4::new(from, shared.port), to), shared.sequence(to));
        // A raw socket takes no port: the segment has it.
        match sender.send_to(&segment, SocketAddrV4::new(*to.ip(), 0)) {
            Err(error) if error.raw_os_error() == Some(ENOBUFS) => Err(ErrorKind::WouldBlock.into()),
            sent => sent.map(|_| ()),
        }
    }
}

impl Shared {
    fn sequence(&self, peer: SocketAddrV4) -> u32 {
        let [a, b, c, d, ..] = self.key.hash_one(peer).to_le_bytes();
        u32::from_le_bytes([a, b, c, d])
    }

    /// The address of ours from which a peer is reached. Fails where there is no way to it.
    fn own_address(&self, peer: Ipv4Addr) -> io::Result<Ipv4Addr> {
        let [a, b, c, _] = peer.octets();
        let known = locked(&self.routes).get(&[a, b, c]).copied();
        if let Some((own, at)) = known
            && at.elapsed() < ROUTE_HOLDS
        {
            return Ok(own);
        }
        // Connecting a datagram socket sends nothing.
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
        socket.connect((peer, 9))?;
        let SocketAddr::V4(own) = socket.local_addr()? else { return Err(ErrorKind::AddrNotAvailable.into()) };
        let mut routes = locked(&self.routes);
        if routes.len() >= ROUTES_MAX {
            routes.clear();
        }
        routes.insert([a, b, c], (*own.ip(), Instant::now()));
        Ok(*own.ip())
    }

    /// Forgets those who have given up.
    fn forget(&self, now: WireTime) {
        locked(&self.waiting).retain(|_, of_port| {
            of_port.retain(|waiting| waiting.until > now && !waiting.answers.is_closed());
            !of_port.is_empty()
        });
    }

    fn sender(&self, own: Ipv4Addr) -> io::Result<Arc<UdpSocket>> {
        let mut senders = locked(&self.senders);
        if let Some(sender) = senders.get(&own) {
            return Ok(sender.clone());
        }
        let socket = raw()?;
        socket.bind(&SockAddr::from(SocketAddrV4::new(own, 0)))?;
        // It is for sending: nothing that comes is kept for it.
        socket.attach_filter(&[SockFilter::new(RETURN, 0, 0, 0)])?;
        let sender = Arc::new(UdpSocket::from(socket));
        senders.insert(own, sender.clone());
        Ok(sender)
    }

    /// Takes a packet: the answer to a question of ours, or nothing to us.
    fn hear(&self, packet: &[u8], at: WireTime) {
        let Some((from, flags, acknowledged)) = answer(packet, self.port) else { return };
        if acknowledged != self.sequence(from).wrapping_add(1) {
            return;
        }
        let accepts = match flags & (SYN | RST | ACK) {
            flags if flags & RST != 0 => false,
            flags if flags & (SYN | ACK) == SYN | ACK => true,
            _ => return,
        };
        for waiting in locked(&self.waiting).remove(&from).into_iter().flatten() {
            // Who asked may have given up meanwhile.
            let _ = waiting.answers.send(HalfOpenAnswer { from, accepts, at });
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn raw() -> io::Result<Socket> {
    let socket = Socket::new(Domain::IPV4, Type::RAW, Some(Protocol::TCP))?;
    socket.set_nonblocking(true)?;
    Ok(socket)
}

/// Reads the answers as long as the sockets are in use.
fn read(incoming: &UdpSocket, asking: &Weak<Shared>) {
    let mut buffer = [0_u8; 256];
    let mut forgotten = START.elapsed();
    loop {
        let heard = incoming.recv(&mut buffer);
        let Some(shared) = asking.upgrade() else { return };
        let now = START.elapsed();
        match heard {
            Ok(length) => shared.hear(&buffer[..length], now),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            // An error of one packet, such as a router's word, says nothing of the others.
            Err(_) => thread::sleep(BREATH),
        }
        if now >= forgotten + READING_STOPS {
            shared.forget(now);
            forgotten = now;
        }
    }
}

// Classic BPF: what the system hands over at all.
const RETURN: u16 = 0x06;

/// TCP to that port: of an IPv4 packet, the destination port behind a header of any length.
fn to_port(port: u16) -> [SockFilter; 5] {
    [
        SockFilter::new(0xb1, 0, 0, 0),
        SockFilter::new(0x48, 0, 0, 2),
        SockFilter::new(0x15, 0, 1, u32::from(port)),
        SockFilter::new(RETURN, 0, 0, 256),
        SockFilter::new(RETURN, 0, 0, 0),
    ]
}

/// Who sent a segment to that port of ours, its flags, and what it acknowledges; `None` for anything else.
fn answer(packet: &[u8], port: u16) -> Option<(SocketAddrV4, u8, u32)> {
    let header = usize::from(packet.first()? & 0x0f) * 4;
    let from: [u8; 4] = packet.get(12..16)?.try_into().ok()?;
    let segment = packet.get(header..)?;
    let number = |at: usize| Some(u16::from_be_bytes(segment.get(at..at + 2)?.try_into().ok()?));
    let acknowledged = u32::from_be_bytes(segment.get(8..12)?.try_into().ok()?);
    let from = SocketAddrV4::new(from.into(), number(0)?);
    (number(2)? == port).then_some((from, *segment.get(13)?, acknowledged))
}

/// A SYN with a maximum segment size, which every system sends (RFC 9293 §3.7.1).
fn segment((from, to): (SocketAddrV4, SocketAddrV4), sequence: u32) -> [u8; 24] {
    let mut segment = [0_u8; 24];
    segment[0..2].copy_from_slice(&from.port().to_be_bytes());
    segment[2..4].copy_from_slice(&to.port().to_be_bytes());
    segment[4..8].copy_from_slice(&sequence.to_be_bytes());
    segment[12] = 6 << 4;
    segment[13] = SYN;
    segment[14..16].copy_from_slice(&64_240_u16.to_be_bytes());
    segment[20..24].copy_from_slice(&[2, 4, 0x05, 0xb4]);
    let sum = checksum(*from.ip(), *to.ip(), &segment);
    segment[16..18].copy_from_slice(&sum.to_be_bytes());
    segment
}

/// RFC 9293 §3.1: of the segment and of the addresses, the protocol and the length.
fn checksum(from: Ipv4Addr, to: Ipv4Addr, segment: &[u8]) -> u16 {
    let length = u32::try_from(segment.len()).unwrap_or(0);
    let words =
        |bytes: &[u8]| -> u32 { bytes.chunks(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(pair[1])).sum() };
    let mut sum = words(&from.octets()) + words(&to.octets()) + 6 + length + words(segment);
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !u16::try_from(sum).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_has_the_checksum_that_the_standard_asks_for() {
        let (from, to) = ("192.0.2.1:40000".parse().unwrap(), "198.51.100.7:443".parse().unwrap());
        let made = segment((from, to), 0x89ab_cdef);
        // Summed with its own checksum a segment gives zero.
        assert_eq!(checksum(*from.ip(), *to.ip(), &made), 0, "{made:?}");
        assert_eq!((made[12] >> 4, made[13]), (6, SYN));
    }

    #[test]
    fn only_what_came_to_our_port_is_an_answer() {
        let mut packet = vec![0_u8; 44];
        packet[0] = 0x46;
        packet[12..16].copy_from_slice(&[198, 51, 100, 7]);
        packet[24..26].copy_from_slice(&443_u16.to_be_bytes());
        packet[26..28].copy_from_slice(&40_000_u16.to_be_bytes());
        packet[32..36].copy_from_slice(&8_u32.to_be_bytes());
        packet[37] = SYN | ACK;
        let from: SocketAddrV4 = "198.51.100.7:443".parse().unwrap();
        assert_eq!(answer(&packet, 40_000), Some((from, SYN | ACK, 8)));
        assert_eq!(answer(&packet, 40_001), None);
        for length in 0..packet.len() {
            answer(&packet[..length], 40_000);
        }
    }
}
