//! Datagram sockets that carry many questions at once: one receiver per socket matches answers by server, id and the
//! question itself.

use super::message::{Match, Question, id_of, matches};
use crate::door::{DatagramSocket, Door, Pass};
use crate::error::{NetError, Phase, Result};
use crate::limits::DNS_DATAGRAM_MAX;
use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::task::AbortHandle;

/// Sockets per address family. Each has a random port of its own; more would buy little, since every one carries 65,536
/// questions per server.
const LANES: usize = 2;
/// Tries to find an id that is not in flight.
const ID_TRIES: usize = 16;
/// Errors of a socket in a row after which its receiver stops; the next question opens another socket.
const RECEIVE_ERRORS_MAX: usize = 100;

/// The sockets of one wire, opened when first needed.
#[derive(Default)]
pub(super) struct Lanes {
    four: [Mutex<Option<Arc<Lane>>>; LANES],
    six: [Mutex<Option<Arc<Lane>>>; LANES],
    next: AtomicUsize,
}

/// An answer as it came.
pub(super) enum Reply {
    /// Its bytes.
    Answer(Vec<u8>),
    /// It differs in the case of letters.
    OtherCase,
}

impl Lanes {
    /// Sends a question to where the pass leads and waits for the answer to it, for at most `limit` of wire time.
    /// `new_question` gives it an id.
    pub(super) async fn exchange(
        &self,
        door: &Door,
        pass: Pass,
        new_question: impl Fn() -> Question,
        limit: Duration,
    ) -> Result<Reply> {
        for _ in 0..ID_TRIES {
            let lane = self.lane(door, pass.to().ip())?;
            let question = new_question();
            let (told, answer) = oneshot::channel();
            let Some(waiting) = Waiting::enter(&lane, pass.to(), &question, told) else {
                continue;
            };
            let until = door.now() + limit;
            let sent = lane.socket.send(pass, &question.bytes).await;
            sent.map_err(|error| NetError::from_io(&error, "sending a DNS question"))?;
            let reply = door.until(until, Phase::Resolving, answer).await?;
            drop(waiting);
            return reply.map_err(|_| NetError::Unreachable("the DNS socket is closed".into()));
        }
        Err(NetError::Budget("no free DNS id".into()))
    }

    fn lane(&self, door: &Door, peer: IpAddr) -> Result<Arc<Lane>> {
        let index = self.next.fetch_add(1, Ordering::Relaxed) % LANES;
        let slot = if peer.is_ipv4() { &self.four[index] } else { &self.six[index] };
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lane) = slot.as_ref().filter(|lane| !lane.receiver.is_finished()) {
            return Ok(lane.clone());
        }
        let lane = Arc::new(Lane::open(door, peer)?);
        *slot = Some(lane.clone());
        Ok(lane)
    }
}

struct Lane {
    socket: Arc<DatagramSocket>,
    flight: Arc<Mutex<Flight>>,
    receiver: AbortHandle,
    serial: AtomicUsize,
}

type Flight = HashMap<(SocketAddr, u16), Expected>;

struct Expected {
    /// Tells two questions apart that had the same id one after the other.
    serial: usize,
    section: Box<[u8]>,
    told: oneshot::Sender<Reply>,
}

impl Lane {
    fn open(door: &Door, peer: IpAddr) -> Result<Self> {
        let socket = Arc::new(door.datagram_socket(peer, "opening a DNS socket")?);
        let flight = Arc::new(Mutex::new(Flight::new()));
        let receiver = tokio::spawn(door.track(Box::pin(receive(socket.clone(), flight.clone())))).abort_handle();
        Ok(Self { socket, flight, receiver, serial: AtomicUsize::new(0) })
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        self.receiver.abort();
    }
}

async fn receive(socket: Arc<DatagramSocket>, flight: Arc<Mutex<Flight>>) {
    let mut buffer = vec![0; DNS_DATAGRAM_MAX];
    let mut errors = 0;
    while errors < RECEIVE_ERRORS_MAX {
        match socket.receive(&mut buffer).await {
            Ok((length, from)) => {
                errors = 0;
                deliver(&flight, &buffer[..length], from);
            }
            Err(_) => errors += 1,
        }
    }
    // Questions that still wait see the closed channel.
    lock(&flight).clear();
}

/// Delivers an answer to the question that waits for it. Anything else (unsolicited, late or forged answers) is
/// dropped.
fn deliver(flight: &Mutex<Flight>, datagram: &[u8], from: SocketAddr) {
    let Some(id) = id_of(datagram) else { return };
    let mut flight = lock(flight);
    let Some(expected) = flight.get(&(from, id)) else { return };
    let reply = match matches(&expected.section, datagram) {
        Match::Yes => Reply::Answer(datagram.to_vec()),
        Match::Case => Reply::OtherCase,
        Match::No => return,
    };
    if let Some(expected) = flight.remove(&(from, id)) {
        // The asker may have given up in this moment.
        let _ = expected.told.send(reply);
    }
}

/// A place in the table of questions in flight; leaves it when dropped.
struct Waiting<'a> {
    lane: &'a Lane,
    key: (SocketAddr, u16),
    serial: usize,
}

impl<'a> Waiting<'a> {
    /// Enters a question; `None` where its id is in flight to the same server.
    fn enter(lane: &'a Lane, server: SocketAddr, question: &Question, told: oneshot::Sender<Reply>) -> Option<Self> {
        let key = (server, question.id);
        let mut flight = lock(&lane.flight);
        if flight.contains_key(&key) {
            return None;
        }
        let serial = lane.serial.fetch_add(1, Ordering::Relaxed);
        flight.insert(key, Expected { serial, section: question.section().into(), told });
        Some(Self { lane, key, serial })
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut flight = lock(&self.lane.flight);
        if flight.get(&self.key).is_some_and(|expected| expected.serial == self.serial) {
            flight.remove(&self.key);
        }
    }
}

fn lock(flight: &Mutex<Flight>) -> MutexGuard<'_, Flight> {
    flight.lock().unwrap_or_else(PoisonError::into_inner)
}
