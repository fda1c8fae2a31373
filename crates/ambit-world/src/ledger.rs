//! Every contact that was made, counted: who was reached on which port, under which name, and, where somebody wants to
//! know, with which request.

use crate::exchange::{Exchange, Observer};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};

/// What is counted apart: where, whether by datagram, and the name that was asked for.
pub(crate) type Key = (SocketAddr, bool, Option<String>);

/// Longest text of a request that is kept, in characters: more tells no two of them apart.
const REQUEST_CHARS_MAX: usize = 256;

/// The counts of one wire.
#[derive(Clone, Default)]
pub(crate) struct Ledger {
    counts: Arc<Mutex<Counts>>,
    observer: Arc<OnceLock<Observer>>,
}

#[derive(Default)]
struct Counts {
    contacts: BTreeMap<Key, u64>,
    /// Contacts by what was asked; `None` unless somebody wants to know, since each path is a row.
    requests: Option<BTreeMap<(Key, String), u64>>,
}

impl Ledger {
    /// From now on requests are kept.
    pub(crate) fn keep_requests(&self) {
        self.with(|counts| counts.requests = Some(BTreeMap::new()));
    }

    /// From now on this hears of every exchange; the first observer stays.
    pub(crate) fn observe(&self, observer: Observer) {
        self.observer.set(observer).ok();
    }

    /// Reports an exchange to the observer, if there is one.
    pub(crate) fn tell(&self, exchange: impl FnOnce() -> Exchange) {
        if let Some(observer) = self.observer.get() {
            observer(&exchange());
        }
    }

    /// A contact without a connection of its own: a datagram with what it asked for, or a knock that was refused.
    pub(crate) fn count(&self, to: SocketAddr, datagram: bool, name: Option<String>, asked: &str) {
        self.with(|counts| {
            let key = (to, datagram, name);
            counts.request(&key, asked);
            *counts.contacts.entry(key).or_default() += 1;
        });
    }

    /// Begins a connection, which counts when it ends: under the names that were asked for, or without one. Among the
    /// requests it is one without a word.
    pub(crate) fn visit(&self, to: SocketAddr) -> Visit {
        self.with(|counts| counts.request(&(to, false, None), ""));
        Visit { ledger: self.clone(), to, names: Mutex::default() }
    }

    pub(crate) fn counts(&self) -> BTreeMap<Key, u64> {
        self.with(|counts| counts.contacts.clone())
    }

    /// The contacts by request; empty where nobody wanted to know.
    pub(crate) fn requests(&self) -> BTreeMap<(Key, String), u64> {
        self.with(|counts| counts.requests.clone().unwrap_or_default())
    }

    fn with<T>(&self, work: impl FnOnce(&mut Counts) -> T) -> T {
        work(&mut self.counts.lock())
    }
}

impl Counts {
    fn request(&mut self, key: &Key, asked: &str) {
        if let Some(requests) = &mut self.requests {
            let asked = asked.chars().take(REQUEST_CHARS_MAX).collect();
            *requests.entry((key.clone(), asked)).or_default() += 1;
        }
    }
}

/// A connection being counted.
pub(crate) struct Visit {
    ledger: Ledger,
    to: SocketAddr,
    names: Mutex<Vec<String>>,
}

impl Visit {
    /// Tells of an exchange on this connection, where somebody listens.
    pub(crate) fn tell(&self, exchange: impl FnOnce() -> Exchange) {
        self.ledger.tell(exchange);
    }

    /// The client made a request, under this name by SNI, `Host` or a DNS question, or under none. An address is no
    /// name.
    pub(crate) fn asked(&self, name: Option<&str>, request: &str) {
        let name = name.filter(|name| name.parse::<std::net::IpAddr>().is_err());
        let mut names = self.names.lock();
        if let Some(name) = name.filter(|name| !names.iter().any(|known| known == name)) {
            names.push(name.to_owned());
        }
        let key = (self.to, false, name.map(str::to_owned));
        self.ledger.with(|counts| counts.request(&key, request));
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        let names = std::mem::take(self.names.get_mut());
        self.ledger.with(|counts| {
            if names.is_empty() {
                *counts.contacts.entry((self.to, false, None)).or_default() += 1;
            }
            for name in names {
                *counts.contacts.entry((self.to, false, Some(name))).or_default() += 1;
            }
        });
    }
}
