//! Ports that are asked with half a handshake. A run waits for the answers of tens of thousands at once, so that each
//! is a row of a table here and not a task of its own.

use crate::door::{Door, Timer};
use crate::error::{NetError, Phase, Result};
use crate::limits::REPEATED_AFTER;
use crate::wire::{HalfOpenAnswer, HalfOpenAnswers, WireTime};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::io::ErrorKind;
use std::net::SocketAddrV4;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// How long the system is left alone that has no room for a question.
const BREATH: Duration = Duration::from_millis(2);
/// Times that a question is sent. A system that connects does the same within three seconds.
const SENT_MAX: u8 = 2;

/// The ports of one sweep that have not answered yet.
pub(super) struct HalfOpen<'d> {
    door: &'d Door,
    /// How long each answer is waited for.
    limit: Duration,
    asked: HashMap<SocketAddrV4, Asked>,
    /// When each of them is to be looked at next: it is asked again then, or given up. Those that have answered
    /// meanwhile are still in it.
    due: BinaryHeap<Reverse<(WireTime, SocketAddrV4)>>,
    answers: HalfOpenAnswers,
    /// One for each that was asked, or a few more where one is asked again as its answer comes.
    answered: UnboundedReceiver<HalfOpenAnswer>,
    timer: Timer,
}

/// A port that was asked.
struct Asked {
    at: WireTime,
    /// How often the system took the question.
    sent: u8,
}

impl<'d> HalfOpen<'d> {
    pub(super) fn new(door: &'d Door, limit: Duration) -> Self {
        let (answers, answered) = unbounded_channel();
        Self { door, limit, asked: HashMap::new(), due: BinaryHeap::new(), answers, answered, timer: Timer::default() }
    }

    /// Returns how many have not answered yet.
    pub(super) fn len(&self) -> usize {
        self.asked.len()
    }

    /// Asks a port that was admitted, each once. `None` where the wire cannot ask in this way.
    pub(super) fn ask(&mut self, to: SocketAddrV4) -> Option<Result<()>> {
        let at = self.door.now();
        let sent = self.send(to, Asked { at, sent: 0 }, at)?;
        self.door.count_connection();
        Some(sent)
    }

    /// Sends a question, and notes when its port is to be looked at next.
    fn send(&mut self, to: SocketAddrV4, asked: Asked, now: WireTime) -> Option<Result<()>> {
        let end = asked.at + self.limit;
        let (next, sent) = match self.door.half_open(to, end, &self.answers)? {
            Ok(()) if asked.sent + 1 < SENT_MAX => (now + REPEATED_AFTER, asked.sent + 1),
            Ok(()) => (end, asked.sent + 1),
            Err(error) if error.kind() == ErrorKind::WouldBlock => (now + BREATH, asked.sent),
            Err(error) => return Some(Err(NetError::from_io(&error, "connecting"))),
        };
        self.asked.insert(to, Asked { sent, ..asked });
        self.due.push(Reverse((next.min(end), to)));
        Some(Ok(()))
    }

    /// Waits for the next port that answers or is given up: whether it accepts connections, as connecting would say
    /// it. `None` where none is asked. Nothing is lost where the wait is broken off.
    pub(super) async fn next(&mut self) -> Option<(SocketAddrV4, Result<()>)> {
        while !self.asked.is_empty() {
            // What came in time counts, however late it is read.
            if let Ok(answer) = self.answered.try_recv() {
                if let Some(told) = self.take(&answer) {
                    return Some(told);
                }
                continue;
            }
            let Reverse((at, to)) = self.due.peek().copied()?;
            let now = self.door.now();
            if at <= now {
                self.due.pop();
                if let Some(ended) = self.look_at(to, now) {
                    return Some((to, ended));
                }
                continue;
            }
            tokio::select! {
                biased;
                Some(answer) = self.answered.recv() => {
                    if let Some(told) = self.take(&answer) {
                        return Some(told);
                    }
                }
                () = self.timer.wait(self.door, at) => {}
            }
        }
        None
    }

    /// Takes an answer. One that comes again was heard already.
    fn take(&mut self, answer: &HalfOpenAnswer) -> Option<(SocketAddrV4, Result<()>)> {
        let asked = self.asked.remove(&answer.from)?;
        self.door.note_answer((*answer.from.ip()).into(), answer.at.saturating_sub(asked.at));
        Some((answer.from, if answer.accepts { Ok(()) } else { Err(NetError::ConnectionRefused) }))
    }

    /// Asks a port again, or gives it up where its time is over.
    fn look_at(&mut self, to: SocketAddrV4, now: WireTime) -> Option<Result<()>> {
        let asked = self.asked.remove(&to)?;
        if now < asked.at + self.limit {
            return self.send(to, asked, now)?.err().map(Err);
        }
        Some(Err(match asked.sent {
            0 => NetError::Budget("the system cannot queue more packets: lower the rate".into()),
            _ => NetError::Timeout(Phase::Connecting),
        }))
    }
}
