//! The ledger of contacts: what this installation sent a packet to on the real internet, so that "was it us?" has an
//! answer. Each line is chained to the one before by its hash, so that what was changed, left out or put in between is
//! seen; the hash of the newest line, noted elsewhere, shows that nothing was cut off at the end.

mod page;
mod read;

pub(crate) use page::{Entry, GENESIS};
pub(crate) use read::{Ledger, Range};

use crate::clock::now;
use ambit_api::contacts::{self, Contact};
use ambit_model::Timestamp;
use ambit_net::Transport;
use ambit_net::live::Witness;
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet, btree_map};
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{fmt, io, thread};
use uuid::Uuid;

/// The folder of the ledger inside a data folder.
const FOLDER: &str = "ledger";
/// How long contacts wait to be written: what a killed process may leave out.
const WAIT: Duration = Duration::from_secs(2);
/// Addresses that wait at most: the next contact writes them first. Where they cannot be written, nothing more is
/// contacted.
const WAITING_MAX: usize = 10_000;

/// Where runs write down whom they contact.
#[derive(Clone)]
pub(crate) struct Recorder(Arc<Inner>);

struct Inner {
    folder: PathBuf,
    waiting: Mutex<Waiting>,
}

/// Collection, run and address.
type Key = (Uuid, i64, IpAddr);

#[derive(Default)]
struct Waiting {
    contacts: BTreeMap<Key, Contacts>,
    is_followed: bool,
    /// When writing failed last, and why, until it succeeds.
    failed: Option<(Instant, String)>,
}

/// What was sent to one address by one run since it was written last.
struct Contacts {
    from: Timestamp,
    to: Timestamp,
    tcp: BTreeSet<u16>,
    udp: BTreeSet<u16>,
    count: u64,
}

impl Recorder {
    /// The recorder of a data folder. Nothing is made there before the first contact.
    pub(crate) fn new(data: &Path) -> Self {
        Self(Arc::new(Inner { folder: data.join(FOLDER), waiting: Mutex::default() }))
    }

    /// What writes down the contacts of one run.
    pub(crate) fn of_run(&self, collection: Uuid, run: i64) -> Arc<dyn Witness> {
        Arc::new(OfRun { recorder: self.clone(), collection, run })
    }

    /// Begins to write what waits, every `WAIT`, until the recorder is gone.
    fn follow(&self) {
        let inner = Arc::downgrade(&self.0);
        let follower = thread::Builder::new().name("ledger".to_owned());
        let begun = follower.spawn(move || {
            loop {
                thread::sleep(WAIT);
                let Some(inner) = inner.upgrade() else { break };
                if let Err(error) = inner.flush() {
                    tracing::error!(%error, "the ledger of contacts cannot be written");
                }
            }
        });
        if let Err(error) = begun {
            tracing::error!(%error, "the ledger of contacts is written only when the program ends");
        }
    }
}

/// How a server reads the ledger of a data folder.
pub(crate) fn of_server(data: &Path) -> ambit_server::LedgerFn {
    let ledger = Ledger::of(data);
    Arc::new(move |network, (from, to)| {
        let (found, since) = ledger.find(network, Range { from, to })?;
        Ok(contacts::Contacts { since, contacts: found.iter().map(contact).collect(), more: false })
    })
}

/// An entry as the API shows it.
pub(crate) fn contact(entry: &Entry) -> Contact {
    let ports = |ports: &[u16]| ports.iter().copied().map(i64::from).collect();
    Contact {
        from: entry.from,
        to: entry.to,
        collection_uuid: entry.collection,
        run: entry.run,
        address: entry.address.to_string(),
        tcp: ports(&entry.tcp),
        udp: ports(&entry.udp),
        contacts: entry.contacts,
    }
}

impl Inner {
    /// Writes the waiting entries while others are added. Entries that cannot be written keep waiting.
    fn flush(&self) -> io::Result<()> {
        let taken = std::mem::take(&mut self.waiting.lock().contacts);
        if taken.is_empty() {
            return Ok(());
        }
        let entries: Vec<Entry> = taken.iter().map(|(key, contacts)| entry(*key, contacts)).collect();
        let written = page::append(&self.folder, &entries);
        let mut waiting = self.waiting.lock();
        waiting.failed = written.as_ref().err().map(|error| (Instant::now(), error.to_string()));
        if written.is_err() {
            waiting.give_back(taken);
        }
        written
    }

    /// Makes room for another address. Where writing failed just now, it is not tried for each contact again.
    fn make_room(&self) -> io::Result<()> {
        let failed = self.waiting.lock().failed.clone().filter(|(at, _)| at.elapsed() < WAIT);
        let tried = failed.map_or_else(|| self.flush(), |(_, why)| Err(io::Error::other(why)));
        tried.map_err(|error| io::Error::other(format!("the ledger of contacts cannot be written: {error}")))
    }
}

impl Waiting {
    fn give_back(&mut self, taken: BTreeMap<Key, Contacts>) {
        for (key, contacts) in taken {
            match self.contacts.entry(key) {
                btree_map::Entry::Vacant(place) => drop(place.insert(contacts)),
                btree_map::Entry::Occupied(mut later) => later.get_mut().take_in(contacts),
            }
        }
    }
}

impl Contacts {
    fn take_in(&mut self, others: Self) {
        self.from = self.from.min(others.from);
        self.to = self.to.max(others.to);
        self.tcp.extend(others.tcp);
        self.udp.extend(others.udp);
        self.count += others.count;
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if let Err(error) = self.flush() {
            tracing::error!(%error, "the last contacts are not in the ledger");
        }
    }
}

fn entry((collection, run, address): Key, contacts: &Contacts) -> Entry {
    Entry {
        from: contacts.from,
        to: contacts.to,
        collection,
        run,
        address,
        tcp: contacts.tcp.iter().copied().collect(),
        udp: contacts.udp.iter().copied().collect(),
        contacts: contacts.count,
    }
}

struct OfRun {
    recorder: Recorder,
    collection: Uuid,
    run: i64,
}

impl fmt::Debug for OfRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OfRun").field("collection", &self.collection).field("run", &self.run).finish_non_exhaustive()
    }
}

impl Witness for OfRun {
    fn contacted(&self, transport: Transport, to: SocketAddr) -> io::Result<()> {
        let (at, address) = (now(), to.ip().to_canonical());
        let mut waiting = self.recorder.0.waiting.lock();
        if waiting.contacts.len() >= WAITING_MAX {
            drop(waiting);
            self.recorder.0.make_room()?;
            waiting = self.recorder.0.waiting.lock();
        }
        let begins = !std::mem::replace(&mut waiting.is_followed, true);
        let contacts = waiting.contacts.entry((self.collection, self.run, address)).or_insert_with(|| Contacts {
            from: at,
            to: at,
            tcp: BTreeSet::new(),
            udp: BTreeSet::new(),
            count: 0,
        });
        contacts.to = at;
        contacts.count += 1;
        match transport {
            Transport::Tcp => contacts.tcp.insert(to.port()),
            Transport::Udp => contacts.udp.insert(to.port()),
        };
        drop(waiting);
        if begins {
            self.recorder.follow();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
