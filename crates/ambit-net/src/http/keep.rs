//! Connections that are kept between the exchanges of one run, whichever of its sessions made them: only after a
//! response whose end is unambiguous, only for the very same target, and never one on which the peer sent anything
//! unsolicited. Each exchange asks the guard again, with the grants of its own session.

use crate::guard::Grant;
use crate::limits::{CONNECTION_IDLE_MAX, CONNECTIONS_KEPT_MAX, CONNECTIONS_KEPT_PER_SITE, EXCHANGES_PER_CONNECTION};
use crate::tls::TlsFacts;
use crate::wire::{Stream, WireTime};
use futures::FutureExt as _;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::net::SocketAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::io::AsyncReadExt as _;

/// What must be the same for a request to share a connection with an earlier one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct HttpPin {
    pub(crate) address: SocketAddr,
    pub(crate) https: bool,
    /// The name that the guard was asked for: SNI, else `Host`. Two hosts never share a connection.
    pub(crate) name: String,
    /// SNI as sent.
    pub(crate) sni: Option<String>,
    pub(crate) grant: Grant,
}

/// A connection on which whole exchanges may be made.
pub(crate) struct Channel {
    pub(crate) stream: Box<dyn Stream>,
    /// What its handshake showed.
    pub(crate) tls: Option<TlsFacts>,
    /// Answers that it has brought.
    pub(crate) exchanges: usize,
}

struct Idle {
    pin: HttpPin,
    channel: Channel,
    since: WireTime,
}

/// The idle connections by the order in which they came, and which of them lead to each target.
#[derive(Default)]
struct Kept {
    by_age: BTreeMap<u64, Idle>,
    by_pin: HashMap<HttpPin, VecDeque<u64>>,
    next: u64,
}

/// The idle connections of a run.
#[derive(Default)]
pub(crate) struct Keeper {
    idle: Mutex<Kept>,
}

impl Keeper {
    /// Takes a connection for this pin that is still silent and open, the youngest first.
    pub(crate) fn take(&self, pin: &HttpPin, now: WireTime) -> Option<Channel> {
        loop {
            let mut channel = {
                let mut idle = self.fresh(now);
                let number = *idle.by_pin.get(pin)?.back()?;
                idle.remove(number)?.channel
            };
            if is_silent(&mut channel.stream) {
                return Some(channel);
            }
        }
    }

    /// Keeps a connection whose last answer left no doubt about its end; the longest idle one gives way: of its site
    /// where that has enough, else of all.
    pub(crate) fn put(&self, pin: HttpPin, channel: Channel, now: WireTime) {
        if channel.exchanges >= EXCHANGES_PER_CONNECTION {
            return;
        }
        let mut idle = self.fresh(now);
        let of_site = idle.by_pin.get(&pin).filter(|numbers| numbers.len() >= CONNECTIONS_KEPT_PER_SITE);
        let of_all = || idle.by_age.keys().next().filter(|_| idle.by_age.len() >= CONNECTIONS_KEPT_MAX);
        let closed = of_site.and_then(VecDeque::front).or_else(of_all).copied();
        let closed = closed.map(|number| idle.remove(number));
        idle.add(Idle { pin, channel, since: now });
        // Connections are closed when nobody waits for the list.
        drop(idle);
        drop(closed);
    }

    /// Closes all that are idle.
    pub(crate) fn clear(&self) {
        let closed = std::mem::take(&mut *self.lock());
        drop(closed);
    }

    fn fresh(&self, now: WireTime) -> MutexGuard<'_, Kept> {
        let mut idle = self.lock();
        while let Some((&number, _)) = idle.by_age.first_key_value().filter(|(_, idle)| idle.is_old(now)) {
            idle.remove(number);
        }
        idle
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn add(&mut self, idle: Idle) {
        self.by_pin.entry(idle.pin.clone()).or_default().push_back(self.next);
        self.by_age.insert(self.next, idle);
        self.next += 1;
    }

    fn remove(&mut self, number: u64) -> Option<Idle> {
        let idle = self.by_age.remove(&number)?;
        if let Some(numbers) = self.by_pin.get_mut(&idle.pin) {
            numbers.retain(|other| *other != number);
            if numbers.is_empty() {
                self.by_pin.remove(&idle.pin);
            }
        }
        Some(idle)
    }
}

impl Idle {
    fn is_old(&self, now: WireTime) -> bool {
        now >= self.since + CONNECTION_IDLE_MAX
    }
}

/// Returns true if the peer has neither sent anything nor closed since its last response. Anything it sent would be
/// mistaken for the next response.
fn is_silent(stream: &mut Box<dyn Stream>) -> bool {
    stream.read(&mut [0; 1]).now_or_never().is_none()
}
