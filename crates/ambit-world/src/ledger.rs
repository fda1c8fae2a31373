//! Every contact that was made, counted: who was reached on which port, under which name.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

/// What is counted apart: where, whether by datagram, and the name that was asked for.
pub(crate) type Key = (SocketAddr, bool, Option<String>);

/// The counts of one wire.
#[derive(Clone, Default)]
pub(crate) struct Ledger {
    counts: Arc<Mutex<BTreeMap<Key, u64>>>,
}

impl Ledger {
    /// A contact without a connection of its own: a datagram, or a knock that was refused.
    pub(crate) fn count(&self, to: SocketAddr, datagram: bool, name: Option<String>) {
        let mut counts = self.counts.lock().expect("nothing panics under the ledger's lock");
        *counts.entry((to, datagram, name)).or_default() += 1;
    }

    /// Begins a connection, which counts when it ends: under the names that were asked for, or without one.
    pub(crate) fn visit(&self, to: SocketAddr) -> Visit {
        Visit {
            ledger: self.clone(),
            to,
            names: Mutex::default(),
        }
    }

    pub(crate) fn counts(&self) -> BTreeMap<Key, u64> {
        self.counts.lock().expect("nothing panics under the ledger's lock").clone()
    }
}

/// A connection being counted.
pub(crate) struct Visit {
    ledger: Ledger,
    to: SocketAddr,
    names: Mutex<Vec<String>>,
}

impl Visit {
    /// The client asked for this name, by SNI or `Host`. An address is no name.
    pub(crate) fn named(&self, name: &str) {
        let mut names = self.names.lock().expect("nothing panics under the lock of names");
        if name.parse::<std::net::IpAddr>().is_err() && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        let names = std::mem::take(self.names.get_mut().expect("nothing panics under the lock of names"));
        if names.is_empty() {
            self.ledger.count(self.to, false, None);
        }
        for name in names {
            self.ledger.count(self.to, false, Some(name));
        }
    }
}
