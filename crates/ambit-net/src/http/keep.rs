//! Connections that are kept between the exchanges of one run, whichever of its sessions made them: only after a
//! response whose end is unambiguous, only for the very same target, and never one on which the peer sent anything
//! unsolicited. Each exchange asks the guard again, with the grants of its own session.

use crate::guard::Grant;
use crate::limits::{CONNECTION_IDLE_MAX, CONNECTIONS_KEPT_MAX, CONNECTIONS_KEPT_PER_SITE, EXCHANGES_PER_CONNECTION};
use crate::tls::TlsFacts;
use crate::wire::{Stream, WireTime};
use futures::FutureExt as _;
use std::net::SocketAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::io::AsyncReadExt as _;

/// What must be the same for a request to share a connection with an earlier one.
#[derive(Clone, Debug, PartialEq, Eq)]
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

/// The idle connections of a run, the longest idle first.
#[derive(Default)]
pub(crate) struct Keeper {
    idle: Mutex<Vec<Idle>>,
}

impl Keeper {
    /// Takes a connection for this pin that is still silent and open.
    pub(crate) fn take(&self, pin: &HttpPin, now: WireTime) -> Option<Channel> {
        loop {
            let mut channel = {
                let mut idle = self.fresh(now);
                let at = idle.iter().rposition(|idle| idle.pin == *pin)?;
                idle.remove(at).channel
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
        if idle.iter().filter(|idle| idle.pin == pin).count() >= CONNECTIONS_KEPT_PER_SITE {
            idle.iter().position(|idle| idle.pin == pin).map(|at| idle.remove(at));
        } else if idle.len() >= CONNECTIONS_KEPT_MAX {
            idle.remove(0);
        }
        idle.push(Idle { pin, channel, since: now });
    }

    /// Closes all that are idle.
    pub(crate) fn clear(&self) {
        let closed = std::mem::take(&mut *self.lock());
        drop(closed);
    }

    fn fresh(&self, now: WireTime) -> MutexGuard<'_, Vec<Idle>> {
        let mut idle = self.lock();
        idle.retain(|idle| now < idle.since + CONNECTION_IDLE_MAX);
        idle
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Idle>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns true if the peer has neither sent anything nor closed since its last response. Anything it sent would be
/// mistaken for the next response.
fn is_silent(stream: &mut Box<dyn Stream>) -> bool {
    stream.read(&mut [0; 1]).now_or_never().is_none()
}
