//! Open connections: how many, of whom, and which one goes when there are too many. Whoever has shown a key goes last,
//! and never in the middle of its request: clients without a key that hold thousands of connections do not keep a
//! client with a key out.

use crate::shares::site;
use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tokio::sync::Notify;
use tokio::time::Instant;

/// Of all connections, one address may hold one in so many; proxies that are trusted may hold all.
const SHARE_OF_ADDRESS: usize = 2;

/// The table of open connections.
pub(crate) struct Connections {
    most: usize,
    begun: Instant,
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    open: HashMap<u64, Arc<ConnectionState>>,
    of_site: HashMap<IpAddr, usize>,
    next: u64,
}

/// What is known of a connection.
#[derive(Debug)]
pub(crate) struct ConnectionState {
    number: u64,
    site: IpAddr,
    /// It is from a proxy that is trusted, which speaks for many.
    trusted: bool,
    /// A request on it had a valid key.
    known: AtomicBool,
    /// A request on it is worked on.
    working: AtomicBool,
    /// Milliseconds since the table was made, when the last request began or ended.
    since: AtomicU64,
    /// Tells it to go.
    ended: Notify,
}

impl ConnectionState {
    /// Its number among all connections of this process.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// It has shown a valid key.
    pub(crate) fn show_key(&self) {
        self.known.store(true, Ordering::Relaxed);
    }

    /// Waits until it has to go.
    pub(crate) async fn ended(&self) {
        self.ended.notified().await;
    }

    /// How much it deserves to stay; `None`: it stays.
    fn rank(&self) -> Option<u8> {
        let working = self.working.load(Ordering::Relaxed);
        match (self.trusted || self.known.load(Ordering::Relaxed), working) {
            (false, false) => Some(0),
            (false, true) => Some(1),
            (true, false) => Some(2),
            (true, true) => None,
        }
    }
}

/// A connection's place in the table; dropping it leaves the table.
pub(crate) struct Entry {
    connections: Arc<Connections>,
    standing: Arc<ConnectionState>,
}

impl Entry {
    pub(crate) fn standing(&self) -> &Arc<ConnectionState> {
        &self.standing
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.connections.lock().leave(self.standing.number);
    }
}

/// While it lives, a request on the connection is worked on.
pub(crate) struct Working {
    connections: Arc<Connections>,
    standing: Arc<ConnectionState>,
}

impl Drop for Working {
    fn drop(&mut self) {
        self.standing.since.store(self.connections.now(), Ordering::Relaxed);
        self.standing.working.store(false, Ordering::Relaxed);
    }
}

impl Table {
    fn leave(&mut self, number: u64) {
        let Some(standing) = self.open.remove(&number) else { return };
        let left = self.of_site.get_mut(&standing.site).map_or(0, |count| {
            *count -= 1;
            *count
        });
        if left == 0 {
            self.of_site.remove(&standing.site);
        }
    }

    /// Returns the connection to close first: an idle one without a key, of the site that has most, that has done
    /// nothing for longest.
    fn least(&self, of: Option<IpAddr>) -> Option<u64> {
        let candidates = self.open.values().filter(|standing| of.is_none_or(|site| standing.site == site));
        let ranked = candidates.filter_map(|standing| {
            let crowd = usize::MAX - self.of_site.get(&standing.site).copied().unwrap_or(0);
            let since = standing.since.load(Ordering::Relaxed);
            Some(((standing.rank()?, crowd, since, standing.number), standing.number))
        });
        ranked.min().map(|(_, number)| number)
    }

    fn end(&mut self, number: u64) {
        if let Some(standing) = self.open.get(&number) {
            standing.ended.notify_one();
        }
        self.leave(number);
    }
}

impl Connections {
    /// At most so many at once.
    pub(crate) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { most: most.max(SHARE_OF_ADDRESS), begun: Instant::now(), table: Mutex::default() })
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock()
    }

    fn now(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Lets a connection in. Where there are too many, or too many of its address, the one that deserves least goes;
    /// `None`: all deserve more.
    pub(crate) fn enter(self: &Arc<Self>, address: IpAddr, trusted: bool) -> Option<Entry> {
        let site = site(address);
        let mut table = self.lock();
        let of_site = table.of_site.get(&site).copied().unwrap_or(0);
        let crowded = !trusted && of_site >= self.most / SHARE_OF_ADDRESS;
        if crowded || table.open.len() >= self.most {
            let least = table.least(crowded.then_some(site))?;
            table.end(least);
        }
        let standing = Arc::new(ConnectionState {
            number: table.next,
            site,
            trusted,
            known: AtomicBool::new(false),
            working: AtomicBool::new(false),
            since: AtomicU64::new(self.now()),
            ended: Notify::new(),
        });
        table.next += 1;
        table.open.insert(standing.number, standing.clone());
        *table.of_site.entry(site).or_default() += 1;
        Some(Entry { connections: self.clone(), standing })
    }

    /// Ends the connection that deserves least to stay, where the system has no more to give. False: there is none.
    pub(crate) fn end_one(&self) -> bool {
        let mut table = self.lock();
        let least = table.least(None);
        if let Some(number) = least {
            table.end(number);
        }
        least.is_some()
    }

    /// A request on the connection is worked on until what this gives is dropped.
    pub(crate) fn working(self: &Arc<Self>, standing: &Arc<ConnectionState>) -> Working {
        standing.since.store(self.now(), Ordering::Relaxed);
        standing.working.store(true, Ordering::Relaxed);
        Working { connections: self.clone(), standing: standing.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;

    fn enter(connections: &Arc<Connections>, address: &str) -> Option<Entry> {
        connections.enter(address.parse().unwrap(), false)
    }

    fn has_ended(entry: &Entry) -> bool {
        entry.standing.ended().now_or_never().is_some()
    }

    #[tokio::test]
    async fn the_idle_stranger_of_the_crowd_goes_first() {
        let connections = Connections::new(6);
        let lone = enter(&connections, "192.0.2.1").unwrap();
        let known = enter(&connections, "192.0.2.2").unwrap();
        known.standing().show_key();
        let crowd: Vec<Entry> = (0..3).map(|_| enter(&connections, "192.0.2.9").unwrap()).collect();
        let busy = connections.working(crowd[0].standing());
        let _sixth = enter(&connections, "192.0.2.3").unwrap();
        let _seventh = enter(&connections, "192.0.2.4").unwrap();
        let ended: Vec<bool> = crowd.iter().map(has_ended).collect();
        assert_eq!(ended, [false, true, false], "the oldest that does nothing");
        assert!(!has_ended(&lone) && !has_ended(&known));
        drop(busy);
    }

    #[tokio::test]
    async fn a_key_goes_last_and_never_in_its_request() {
        let connections = Connections::new(4);
        let entries: Vec<Entry> = (1..5).map(|last| enter(&connections, &format!("192.0.2.{last}")).unwrap()).collect();
        entries.iter().for_each(|entry| entry.standing().show_key());
        let working: Vec<Working> = entries[..3].iter().map(|entry| connections.working(entry.standing())).collect();
        let fresh = enter(&connections, "192.0.2.9").unwrap();
        assert!(has_ended(&entries[3]), "the one that does nothing");
        fresh.standing().show_key();
        let last = connections.working(fresh.standing());
        assert!(enter(&connections, "192.0.2.10").is_none(), "all deserve more");
        drop((last, working));
        assert!(enter(&connections, "192.0.2.10").is_some());
    }

    #[tokio::test]
    async fn an_address_has_a_share_and_a_trusted_proxy_has_none() {
        let connections = Connections::new(8);
        let crowd: Vec<Entry> = (0..5).map(|_| enter(&connections, "192.0.2.9").unwrap()).collect();
        assert_eq!(crowd.iter().filter(|entry| has_ended(entry)).count(), 1, "half of eight");
        let proxied: Vec<Entry> =
            (0..4).map(|_| connections.enter("192.0.2.1".parse().unwrap(), true).unwrap()).collect();
        assert!(!proxied.iter().any(has_ended));
        drop(crowd);
        drop(proxied);
        assert!(connections.lock().open.is_empty() && connections.lock().of_site.is_empty());
        assert!(!connections.end_one());
    }
}
