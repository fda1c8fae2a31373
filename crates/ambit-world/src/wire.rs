//! The simulated internet as a wire: connections and datagrams in memory, on a virtual clock.

use crate::clock::{Clock, Sleep};
use crate::dns::{self, Asked, message};
use crate::draft::Unlisted;
use crate::exchange::{Exchange, Observer};
use crate::internet::Internet;
use crate::ledger::Ledger;
use crate::plan::RESOLVERS;
use crate::serve::connection::Connection;
use crate::serve::{self, Knock};
use crate::turns::Turns;
use ambit_model::Timestamp;
use ambit_model::reserved::{INTERNAL, networks};
use ambit_net::wire::{Datagrams, Hold, Stream, Wire, WireTime};
use futures::future::BoxFuture;
use ipnet::IpNet;
use parking_lot::Mutex;
use rustls_pki_types::TrustAnchor;
use std::collections::BTreeMap;
use std::future::{Future, poll_fn};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Poll, Waker};
use std::time::Duration;

/// When nobody answers, a system gives up connecting after this long.
const CONNECT_PATIENCE: Duration = Duration::from_secs(127);
/// The shortest time there is on the clock.
const MOMENT: Duration = Duration::from_nanos(1);
/// Port of DNS.
const DNS_PORT: u16 = 53;
/// Datagrams that wait to be received on one socket; later ones are lost, as with a socket's buffer.
const INBOX_MAX: usize = 4_096;

/// The wire of one state of a world at one epoch.
pub struct SimulatedWire {
    pub(crate) internet: Arc<Internet>,
    pub(crate) ledger: Ledger,
    turns: Turns,
    clock: Clock,
    roots: Arc<Vec<TrustAnchor<'static>>>,
    reserved: Vec<IpNet>,
    random: AtomicU64,
}

impl SimulatedWire {
    pub(crate) fn new(internet: Internet) -> Self {
        let mut store = rustls::RootCertStore::empty();
        store.add(internet.authorities.root()).expect("our own root is well-formed");
        Self {
            internet: Arc::new(internet),
            ledger: Ledger::default(),
            turns: Turns::default(),
            clock: Clock::default(),
            roots: Arc::new(store.roots),
            // Those for documentation and measurement are public here: worlds live in them.
            reserved: networks(INTERNAL),
            random: AtomicU64::new(0),
        }
    }
}

impl SimulatedWire {
    /// From now on this hears of every contact with its answer; the first observer stays.
    pub fn observe(&self, observer: Observer) {
        self.ledger.observe(observer);
    }
}

impl Wire for SimulatedWire {
    fn connect(&self, to: SocketAddr) -> BoxFuture<'static, io::Result<Box<dyn Stream>>> {
        let (internet, clock, ledger) = (self.internet.clone(), self.clock.clone(), self.ledger.clone());
        let to = SocketAddr::new(ambit_model::entity::unmapped(to.ip()), to.port());
        Box::pin(connect((internet, clock, ledger, self.turns.clone()), to))
    }

    fn datagrams(&self, _peer: IpAddr) -> io::Result<Box<dyn Datagrams>> {
        Ok(Box::new(SimulatedDatagrams {
            internet: self.internet.clone(),
            clock: self.clock.clone(),
            ledger: self.ledger.clone(),
            turns: self.turns.clone(),
            inbox: Mutex::default(),
            connected: AtomicBool::new(false),
        }))
    }

    fn now(&self) -> WireTime {
        self.clock.now()
    }

    fn date(&self) -> Timestamp {
        date(&self.internet, &self.clock)
    }

    /// The client's patience ends behind everything that its peers do at the same moment: whether an answer came in
    /// time must not depend on which of two threads is quicker.
    fn sleep_until(&self, at: WireTime) -> BoxFuture<'static, ()> {
        Box::pin(self.clock.sleep_until(at.saturating_add(MOMENT)))
    }

    /// `tokio::task::yield_now` parks a task without a wake that the clock sees: hold the clock around it.
    fn track(&self, task: BoxFuture<'static, ()>) -> BoxFuture<'static, ()> {
        Box::pin(self.clock.track(task))
    }

    fn hold(&self) -> Box<dyn Hold> {
        Box::new(self.clock.hold())
    }

    fn random(&self, buffer: &mut [u8]) {
        for part in buffer.chunks_mut(32) {
            let turn = self.random.fetch_add(1, Ordering::Relaxed);
            let bytes = crate::pki::derive(&self.internet.world, "random", &format!("{} {turn}", self.internet.state));
            part.copy_from_slice(&bytes[..part.len()]);
        }
    }

    fn resolvers(&self) -> Vec<SocketAddr> {
        RESOLVERS.iter().map(|address| SocketAddr::new(*address, 53)).collect()
    }

    fn trust_roots(&self) -> Arc<Vec<TrustAnchor<'static>>> {
        self.roots.clone()
    }

    fn reserved(&self) -> &[IpNet] {
        &self.reserved
    }
}

fn date(internet: &Internet, clock: &Clock) -> Timestamp {
    let ms = i64::try_from(clock.now().as_millis()).unwrap_or(i64::MAX);
    internet.start().plus_ms(ms)
}

fn exchange(
    date: Timestamp,
    to: SocketAddr,
    datagram: bool,
    name: Option<String>,
    asked: &str,
    answer: String,
) -> Exchange {
    Exchange { date, to, datagram, name, asked: asked.to_owned(), answer }
}

async fn connect(
    (internet, clock, ledger, turns): (Arc<Internet>, Clock, Ledger, Turns),
    to: SocketAddr,
) -> io::Result<Box<dyn Stream>> {
    let host = internet.hosts.get(&to.ip());
    let knock = host.map_or(Knock::Filtered, |host| serve::knock(host, to.port()));
    let answer = match knock {
        Knock::Filtered => "silent",
        Knock::Closed => "refused",
        Knock::Open => "open",
    };
    let date = date(&internet, &clock);
    ledger.tell(|| exchange(date, to, false, None, "connect", answer.to_owned()));
    match knock {
        Knock::Filtered => {
            ledger.count(to, false, None, "");
            clock.sleep(CONNECT_PATIENCE).await;
            Err(io::ErrorKind::TimedOut.into())
        }
        Knock::Closed => {
            ledger.count(to, false, None, "");
            clock.sleep(host.map_or(Duration::ZERO, |host| host.latency)).await;
            Err(io::ErrorKind::ConnectionRefused.into())
        }
        Knock::Open => {
            let (visit, turn) = (ledger.visit(to), turns.connection(to));
            clock.sleep(host.map_or(Duration::ZERO, |host| host.latency)).await;
            let (client, server, reset) = serve::pair();
            let connection =
                Connection { internet: internet.clone(), clock: clock.clone(), to, visit, turns, turn, reset };
            tokio::spawn(clock.track(Box::pin(serve::serve(connection, server))));
            Ok(Box::new(client))
        }
    }
}

/// The bytes of a datagram; `None`: the host says that nothing listens there.
type Reply = Option<Vec<u8>>;

/// Datagrams on their way to a socket, by arrival.
#[derive(Default)]
struct Inbox {
    waiting: BTreeMap<(Duration, u64), (Reply, SocketAddr)>,
    sent: u64,
    receivers: Vec<Waker>,
}

struct SimulatedDatagrams {
    internet: Arc<Internet>,
    clock: Clock,
    ledger: Ledger,
    turns: Turns,
    inbox: Mutex<Inbox>,
    connected: AtomicBool,
}

impl SimulatedDatagrams {
    /// The answer to a datagram, or the word that nothing listens there, and how long that takes; `None` where nobody
    /// answers.
    fn answer(&self, bytes: &[u8], to: SocketAddr) -> Option<(Duration, Reply)> {
        let question = (to.port() == DNS_PORT).then(|| message::read(bytes)).flatten();
        // What resolvers are asked is no contact with the name asked about, and would be a list of all words.
        let counted = question.as_ref().filter(|_| !RESOLVERS.contains(&to.ip()));
        let asked = counted.map(|question| format!("dns {}", question.rtype)).unwrap_or_default();
        self.ledger.count(to, true, counted.map(|question| question.name.clone()), &asked);
        let (answered, dns) = self.answered(bytes, to, question.as_ref());
        self.ledger.tell(|| {
            let asked = question.as_ref().map(|question| format!("dns {}", question.rtype)).unwrap_or_default();
            let name = question.as_ref().map(|question| question.name.clone());
            let answer = match (&dns, &answered) {
                (Some(dns), _) => dns.words(),
                (None, Some((_, Some(bytes)))) => format!("{} bytes", bytes.len()),
                (None, Some((_, None))) => "refused".to_owned(),
                (None, None) => "silent".to_owned(),
            };
            exchange(date(&self.internet, &self.clock), to, true, name, &asked, answer)
        });
        answered
    }

    /// The same, and what was answered where it is DNS.
    fn answered(
        &self,
        bytes: &[u8],
        to: SocketAddr,
        question: Option<&message::Question>,
    ) -> (Option<(Duration, Reply)>, Option<message::Answer>) {
        let Some(host) = self.internet.hosts.get(&to.ip()) else { return (None, None) };
        if let Some(service) = host.datagrams.get(&to.port()) {
            return (serve::datagram::answer(service, bytes).map(|answer| (host.latency, Some(answer))), None);
        }
        if !host.dns || to.port() != DNS_PORT {
            return ((host.unlisted == Unlisted::Closed).then_some((host.latency, None)), None);
        }
        let Some(question) = question else { return (None, None) };
        let (now, inside) = (self.clock.now(), !RESOLVERS.contains(&to.ip()));
        let asked = Asked { draft: &self.internet.draft, state: self.internet.state, now, question, inside };
        let answer = self.turns.refusal(to.ip(), &host.limits, now, false).unwrap_or_else(|| match inside {
            false => dns::recursive(&asked),
            true => dns::authoritative(&asked, to.ip(), false),
        });
        let said = || (host.latency + answer.delay, Some(message::write(question, &answer, true)));
        ((!answer.silent).then(said), Some(answer))
    }
}

impl Datagrams for SimulatedDatagrams {
    fn send_to<'a>(&'a self, bytes: &'a [u8], to: SocketAddr) -> BoxFuture<'a, io::Result<()>> {
        Box::pin(async move {
            let answer = self.answer(bytes, to);
            // Only a connected socket hears refusals.
            let heard = |said: &Reply| said.is_some() || self.connected.load(Ordering::Relaxed);
            if let Some((delay, answer)) = answer.filter(|(_, said)| heard(said)) {
                let arrives = self.clock.now() + delay;
                let receivers = {
                    let mut inbox = self.inbox.lock();
                    if inbox.waiting.len() >= INBOX_MAX {
                        return Ok(());
                    }
                    inbox.sent += 1;
                    let key = (arrives, inbox.sent);
                    inbox.waiting.insert(key, (answer, to));
                    std::mem::take(&mut inbox.receivers)
                };
                receivers.into_iter().for_each(Waker::wake);
            }
            Ok(())
        })
    }

    fn connect(&self, _to: SocketAddr) -> io::Result<()> {
        self.connected.store(true, Ordering::Relaxed);
        Ok(())
    }

    fn receive<'a>(&'a self, buffer: &'a mut [u8]) -> BoxFuture<'a, io::Result<(usize, SocketAddr)>> {
        // Keeps the timer of the next arrival between polls.
        let mut arrival: Option<Pin<Box<Sleep>>> = None;
        Box::pin(poll_fn(move |cx| {
            loop {
                let arrives = {
                    let mut inbox = self.inbox.lock();
                    let now = self.clock.now();
                    match inbox.waiting.first_entry() {
                        Some(first) if first.key().0 <= now => {
                            let (bytes, from) = first.remove();
                            let Some(bytes) = bytes else {
                                return Poll::Ready(Err(io::ErrorKind::ConnectionRefused.into()));
                            };
                            let length = bytes.len().min(buffer.len());
                            buffer[..length].copy_from_slice(&bytes[..length]);
                            return Poll::Ready(Ok((length, from)));
                        }
                        first => {
                            let arrives = first.map(|first| first.key().0);
                            if !inbox.receivers.iter().any(|known| known.will_wake(cx.waker())) {
                                inbox.receivers.push(cx.waker().clone());
                            }
                            arrives
                        }
                    }
                };
                let Some(arrives) = arrives else { return Poll::Pending };
                if arrival.insert(Box::pin(self.clock.sleep_until(arrives))).as_mut().poll(cx).is_pending() {
                    return Poll::Pending;
                }
            }
        }))
    }
}
