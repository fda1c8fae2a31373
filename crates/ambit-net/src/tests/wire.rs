//! The internet of a test: scripted peers by address, a name server from zone text, a guard that records what it was
//! asked.

use super::clock::Clock;
use super::script::{Script, play};
use crate::Refused;
use crate::guard::{Contact, Guard, Transport};
use crate::net::{Net, NetOptions, Session};
use crate::wire::{Datagrams, HalfOpenAnswer, HalfOpenAnswers, Hold, Stream, Wire, WireTime};
use crate::{Grant, Grants, Pace, PaceLimits};
use ambit_model::{Clearance, Timestamp};
use futures::future::BoxFuture;
use ipnet::IpNet;
use std::collections::HashMap;
use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr, SocketAddrV4};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, DuplexStream, ReadBuf};
use tokio::sync::mpsc;

/// What answers at an address.
#[derive(Clone)]
pub(super) enum Peer {
    Refuses,
    /// The connection fails with this.
    Fails(io::ErrorKind),
    /// Says nothing to the first tries, accepts later ones.
    Loses {
        first: usize,
    },
    /// Refuses after so long.
    RefusesAfter(Duration),
    /// Plays the script anew for each connection.
    Plays(Script),
    /// Hands each connection to a function.
    Serves(Arc<dyn Fn(PeerStream) -> BoxFuture<'static, ()> + Send + Sync>),
}

/// Answers datagrams: bytes, and when each reply comes.
pub(super) type NameServer = Arc<dyn Fn(&[u8], WireTime) -> Vec<(Duration, Vec<u8>)> + Send + Sync>;

/// What breaks the socket that it comes to.
pub(super) const BREAKS: &[u8] = b"the socket breaks";

/// The wire of a test.
pub(super) struct TestWire {
    pub(super) clock: Clock,
    peers: Mutex<HashMap<SocketAddr, Peer>>,
    servers: Mutex<HashMap<SocketAddr, NameServer>>,
    pub(super) connections: Mutex<Vec<SocketAddr>>,
    pub(super) datagrams: Arc<AtomicU64>,
    pub(super) resolvers: Mutex<Vec<&'static str>>,
    pub(super) roots: Mutex<Vec<rustls_pki_types::TrustAnchor<'static>>>,
    /// How many questions by half a handshake the system has no room for before it takes one; `None` where it has none
    /// of that kind.
    pub(super) half_open: Mutex<Option<u32>>,
    reserved: Vec<IpNet>,
    chance: AtomicU64,
}

pub(super) const RESOLVER: &str = "198.51.100.53:53";

impl TestWire {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            clock: Clock::default(),
            peers: Mutex::default(),
            servers: Mutex::default(),
            connections: Mutex::default(),
            datagrams: Arc::default(),
            resolvers: Mutex::new(vec![RESOLVER]),
            roots: Mutex::default(),
            half_open: Mutex::default(),
            reserved: ["127.0.0.0/8", "10.0.0.0/8", "169.254.0.0/16", "::1/128"]
                .iter()
                .map(|text| text.parse().unwrap())
                .collect(),
            chance: AtomicU64::new(1),
        })
    }

    pub(super) fn peer(&self, address: &str, peer: Peer) {
        self.peers.lock().unwrap().insert(address.parse().unwrap(), peer);
    }

    pub(super) fn script(&self, address: &str, text: &str) {
        self.peer(address, Peer::Plays(Script::parse(text)));
    }

    pub(super) fn name_server(&self, address: &str, server: NameServer) {
        self.servers.lock().unwrap().insert(address.parse().unwrap(), server);
    }
}

impl Wire for TestWire {
    fn connect(&self, to: SocketAddr) -> BoxFuture<'static, io::Result<Box<dyn Stream>>> {
        let tries = {
            let mut connections = self.connections.lock().unwrap();
            connections.push(to);
            connections.iter().filter(|known| **known == to).count()
        };
        let peer = self.peers.lock().unwrap().get(&to).cloned();
        let clock = self.clock.clone();
        Box::pin(async move {
            let Some(peer) = peer else { return std::future::pending().await };
            match peer {
                Peer::Refuses => return Err(io::ErrorKind::ConnectionRefused.into()),
                Peer::RefusesAfter(long) => {
                    clock.sleep_until(clock.now() + long).await;
                    return Err(io::ErrorKind::ConnectionRefused.into());
                }
                Peer::Fails(kind) => return Err(kind.into()),
                Peer::Loses { first } if tries <= first => return std::future::pending().await,
                _ => {}
            }
            let (ours, theirs) = tokio::io::duplex(64 * 1024);
            let reset = Arc::new(AtomicBool::new(false));
            let stream = PeerStream { stream: theirs, reset: reset.clone(), clock: clock.clone() };
            let serving: BoxFuture<'static, ()> = match peer {
                Peer::Plays(script) => Box::pin(play(script, stream)),
                Peer::Serves(serve) => serve(stream),
                Peer::Refuses | Peer::RefusesAfter(_) | Peer::Fails(_) | Peer::Loses { .. } => {
                    Box::pin(async move { drop(stream) })
                }
            };
            tokio::spawn(clock.track(serving));
            Ok(Box::new(OurStream { stream: ours, reset }) as Box<dyn Stream>)
        })
    }

    fn half_open(&self, to: SocketAddrV4, until: WireTime, answers: &HalfOpenAnswers) -> Option<io::Result<()>> {
        let mut full = self.half_open.lock().unwrap();
        let left = full.as_mut()?;
        if let Some(fewer) = left.checked_sub(1) {
            *left = fewer;
            return Some(Err(io::ErrorKind::WouldBlock.into()));
        }
        let mut connections = self.connections.lock().unwrap();
        connections.push(to.into());
        let tries = connections.iter().filter(|known| **known == to.into()).count();
        let Some(peer) = self.peers.lock().unwrap().get(&to.into()).cloned() else { return Some(Ok(())) };
        let (accepts, after) = match peer {
            Peer::Fails(kind) => return Some(Err(kind.into())),
            Peer::Loses { first } if tries <= first => return Some(Ok(())),
            Peer::Refuses => (false, Duration::ZERO),
            Peer::RefusesAfter(long) => (false, long),
            Peer::Loses { .. } | Peer::Plays(_) | Peer::Serves(_) => (true, Duration::ZERO),
        };
        let (clock, answers, at) = (self.clock.clone(), answers.clone(), self.clock.now() + after);
        let answer = async move {
            clock.sleep_until(at).await;
            if at < until {
                let _ = answers.send(HalfOpenAnswer { from: to, accepts, at });
            }
        };
        tokio::spawn(self.clock.track(Box::pin(answer)));
        Some(Ok(()))
    }

    fn datagrams(&self, _peer: IpAddr) -> io::Result<Box<dyn Datagrams>> {
        let (sender, receiver) = mpsc::unbounded_channel();
        Ok(Box::new(TestDatagrams {
            sent: self.datagrams.clone(),
            servers: self.servers.lock().unwrap().clone(),
            clock: self.clock.clone(),
            sender,
            receiver: tokio::sync::Mutex::new(receiver),
        }))
    }

    fn now(&self) -> WireTime {
        self.clock.now()
    }

    fn date(&self) -> Timestamp {
        Timestamp::parse("2026-06-01").unwrap().plus_ms(self.now().as_millis() as i64)
    }

    fn sleep_until(&self, at: WireTime) -> BoxFuture<'static, ()> {
        self.clock.sleep_until(at)
    }

    fn track(&self, task: BoxFuture<'static, ()>) -> BoxFuture<'static, ()> {
        self.clock.track(task)
    }

    fn hold(&self) -> Box<dyn Hold> {
        struct None;
        impl Hold for None {}
        Box::new(None)
    }

    fn random(&self, buffer: &mut [u8]) {
        for byte in buffer {
            let seed = self.chance.fetch_add(1, Ordering::Relaxed).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            *byte = ((seed ^ seed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 56) as u8;
        }
    }

    fn resolvers(&self) -> Vec<SocketAddr> {
        self.resolvers.lock().unwrap().iter().map(|text| text.parse().unwrap()).collect()
    }

    fn trust_roots(&self) -> Arc<Vec<rustls_pki_types::TrustAnchor<'static>>> {
        Arc::new(self.roots.lock().unwrap().clone())
    }

    fn reserved(&self) -> &[IpNet] {
        &self.reserved
    }
}

/// The peer's end of a connection.
pub(super) struct PeerStream {
    pub(super) stream: DuplexStream,
    /// Set before dropping: our end sees a reset instead of an end.
    pub(super) reset: Arc<AtomicBool>,
    pub(super) clock: Clock,
}

struct OurStream {
    stream: DuplexStream,
    reset: Arc<AtomicBool>,
}

impl AsyncRead for OurStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        let at_end = matches!(read, Poll::Ready(Ok(()))) && buffer.filled().len() == before;
        if at_end && self.reset.load(Ordering::Relaxed) {
            Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()))
        } else {
            read
        }
    }
}

impl AsyncWrite for OurStream {
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

struct TestDatagrams {
    sent: Arc<AtomicU64>,
    servers: HashMap<SocketAddr, NameServer>,
    clock: Clock,
    sender: mpsc::UnboundedSender<(Vec<u8>, SocketAddr)>,
    receiver: tokio::sync::Mutex<mpsc::UnboundedReceiver<(Vec<u8>, SocketAddr)>>,
}

impl Datagrams for TestDatagrams {
    fn send_to<'a>(&'a self, bytes: &'a [u8], to: SocketAddr) -> BoxFuture<'a, io::Result<()>> {
        self.sent.fetch_add(1, Ordering::Relaxed);
        let replies = self.servers.get(&to).map(|server| server(bytes, self.clock.now())).unwrap_or_default();
        for (delay, reply) in replies {
            let (sender, clock) = (self.sender.clone(), self.clock.clone());
            let at = clock.now() + delay;
            let deliver = async move {
                clock.sleep_until(at).await;
                let _ = sender.send((reply, to));
            };
            tokio::spawn(self.clock.track(Box::pin(deliver)));
        }
        Box::pin(async { Ok(()) })
    }

    fn connect(&self, _to: SocketAddr) -> io::Result<()> {
        Ok(())
    }

    fn receive<'a>(&'a self, buffer: &'a mut [u8]) -> BoxFuture<'a, io::Result<(usize, SocketAddr)>> {
        Box::pin(async move {
            let (bytes, from) = self.receiver.lock().await.recv().await.ok_or(io::ErrorKind::BrokenPipe)?;
            if bytes == BREAKS {
                return Err(io::ErrorKind::NetworkDown.into());
            }
            let length = bytes.len().min(buffer.len());
            buffer[..length].copy_from_slice(&bytes[..length]);
            Ok((length, from))
        })
    }
}

/// Allows what lies in 192.0.2.0/24, 198.51.100.0/24, or was named; records every question.
#[derive(Default)]
pub(super) struct TestGuard {
    pub(super) named: Vec<IpAddr>,
    /// Names that are excluded.
    pub(super) excluded: Vec<&'static str>,
    pub(super) asked: Mutex<Vec<Contact>>,
}

impl Guard for TestGuard {
    fn allow(&self, contact: &Contact) -> Result<(), Refused> {
        self.asked.lock().unwrap().push(contact.clone());
        let in_scope = match contact.address {
            IpAddr::V4(four) => matches!(four.octets(), [192, 0, 2, _] | [198, 51, 100..=107, _]),
            IpAddr::V6(_) => false,
        };
        if in_scope || self.named.contains(&contact.address) {
            Ok(())
        } else {
            Err(Refused { address: contact.address, why: "not in scope".into(), in_doubt: false })
        }
    }

    fn allow_name(&self, name: &str, _: Grant) -> Result<(), String> {
        if self.excluded.contains(&name) { Err("excluded".into()) } else { Ok(()) }
    }

    fn named(&self, address: IpAddr) -> bool {
        self.named.contains(&address)
    }
}

/// A session for targets at L3 with look-ups and the sources `rdap` and `plain`, over a fast ledger.
pub(super) fn session(wire: &Arc<TestWire>) -> Session {
    net(wire, PaceLimits { connections_per_address: 1e6, connections_per_block: 1e6, ..PaceLimits::default() })
        .session(Grants::task(Clearance::L3, &["rdap", "plain"]))
}

pub(super) fn net(wire: &Arc<TestWire>, limits: PaceLimits) -> Net {
    Net::new(wire.clone(), Arc::new(TestGuard::default()), Arc::new(Pace::new(limits)), NetOptions::default())
}

/// Runs a test inside a tracked task. The wall-clock limit only turns a hang into a failure.
pub(super) fn run<F, Fut>(test: F)
where
    F: FnOnce(Arc<TestWire>) -> Fut + Send + 'static,
    Fut: Future<Output = ()> + Send,
{
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let wire = TestWire::new();
        let tracked = wire.track(Box::pin({
            let wire = wire.clone();
            async move { test(wire).await }
        }));
        let task = tokio::spawn(tracked);
        match tokio::time::timeout(Duration::from_secs(60), task).await {
            Ok(Ok(())) => {}
            Ok(Err(failed)) => std::panic::resume_unwind(failed.into_panic()),
            Err(_) => panic!("hangs"),
        }
    });
}

/// Only TCP contacts that were made.
pub(super) fn dialled(wire: &TestWire) -> Vec<String> {
    wire.connections.lock().unwrap().iter().map(ToString::to_string).collect()
}

impl TestGuard {
    pub(super) fn tcp(&self) -> Vec<String> {
        self.asked
            .lock()
            .unwrap()
            .iter()
            .filter(|contact| contact.transport == Transport::Tcp)
            .map(|contact| contact.address.to_string())
            .collect()
    }
}
