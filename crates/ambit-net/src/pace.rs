//! The rate limiter: how fast each target, block, server and provider may be contacted. There is one per wire and
//! process, shared by all sessions, and its time is wire time. It slows down when a peer complains and recovers when it
//! does not.

use crate::guard::Home;
use crate::limits::{ERRORS_IN_A_ROW, ERRORS_PAUSE, EXCHANGES_PER_ADDRESS, RETRY_AFTER_MAX};
use crate::source;
use crate::wire::WireTime;
use std::collections::HashMap;
use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Rates, per second, with defaults that are polite.
#[derive(Clone, Debug, PartialEq)]
pub struct PaceLimits {
    /// Contacts of every kind and to every peer together: connections, datagrams, requests on an open connection, and
    /// questions to resolvers. What the operator's own hosts are sent is not counted. `None`: no limit over all.
    pub total: Option<f64>,
    /// Connections to one address.
    pub connections_per_address: f64,
    /// Connections into one /24 or /48.
    pub connections_per_block: f64,
    /// HTTP requests to one host at one address.
    pub requests_per_host: f64,
    /// Questions to one authoritative name server.
    pub questions_per_server: f64,
    /// Requests to one data provider.
    pub requests_per_provider: f64,
    /// Requests to one provider whose interface is made for programs, and says itself when they are too many.
    pub requests_per_interface: f64,
    /// Questions to one resolver; `None`: as fast as its window allows.
    pub questions_per_resolver: Option<f64>,
}

impl Default for PaceLimits {
    fn default() -> Self {
        Self {
            total: None,
            connections_per_address: 50.0,
            connections_per_block: 300.0,
            requests_per_host: 10.0,
            questions_per_server: 100.0,
            requests_per_provider: 2.0,
            requests_per_interface: 10.0,
            questions_per_resolver: None,
        }
    }
}

impl PaceLimits {
    /// Limits for a person's `--rate`: so many contacts per second over all, and to no single peer more than that. A
    /// rate above what one peer is usually asked for does not make us ruder to it.
    pub fn at_rate(contacts: f64) -> Self {
        let default = Self::default();
        let contacts = contacts.max(RATE_MIN);
        Self {
            total: Some(contacts),
            connections_per_address: default.connections_per_address.min(contacts),
            connections_per_block: default.connections_per_block.min(contacts),
            requests_per_host: default.requests_per_host.min(contacts),
            questions_per_server: default.questions_per_server.min(contacts),
            requests_per_provider: default.requests_per_provider.min(contacts),
            requests_per_interface: default.requests_per_interface.min(contacts),
            questions_per_resolver: default.questions_per_resolver,
        }
    }

    /// Whose rates a person can set, each of one peer of its kind.
    pub const PEERS: [&'static str; 6] = ["address", "block", "host", "server", "provider", "resolver"];

    /// Sets the rate of each peer of a kind, per second, above or below what is usual. False where no peer is called
    /// so. What peers complain of still slows us down.
    pub fn set(&mut self, peer: &str, rate: f64) -> bool {
        let rate = rate.max(RATE_MIN);
        match peer {
            "address" => self.connections_per_address = rate,
            "block" => self.connections_per_block = rate,
            "host" => self.requests_per_host = rate,
            "server" => self.questions_per_server = rate,
            "provider" => (self.requests_per_provider, self.requests_per_interface) = (rate, rate),
            "resolver" => self.questions_per_resolver = Some(rate),
            _ => return false,
        }
        true
    }

    fn rate(&self, bucket: &Bucket) -> Option<f64> {
        match bucket {
            Bucket::Total => self.total,
            Bucket::Address(_) => Some(self.connections_per_address),
            Bucket::Block(_) => Some(self.connections_per_block),
            Bucket::Host(..) => Some(self.requests_per_host),
            Bucket::Server(_) => Some(self.questions_per_server),
            // One host of a provider is asked no faster than all of them together.
            Bucket::Provider(provider) | Bucket::SourceHost(provider, _) => match source::interfaces(provider) {
                0 => Some(self.requests_per_provider),
                interfaces => Some(self.requests_per_interface * f64::from(interfaces)),
            },
            Bucket::Resolver(_) => self.questions_per_resolver,
        }
    }
}

/// What a rate is kept for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Bucket {
    /// Contacts of every kind.
    Total,
    /// Connections to an address.
    Address(IpAddr),
    /// Connections into the /24 or /48 that begins here.
    Block(IpAddr),
    /// HTTP requests to a host name at an address.
    Host(IpAddr, String),
    /// Questions to an authoritative name server.
    Server(IpAddr),
    /// Requests to a data provider.
    Provider(&'static str),
    /// Requests to a host of a data provider. One that complains says nothing of the other hosts.
    SourceHost(&'static str, String),
    /// Questions to a resolver.
    Resolver(IpAddr),
}

impl Bucket {
    /// The block of an address.
    pub(crate) fn block(address: IpAddr) -> Self {
        Self::Block(block_of(address))
    }

    /// A host of a data provider ([`host_of_source`]).
    pub(crate) fn source_host(provider: &'static str, host: &str) -> Self {
        Self::SourceHost(provider, host_of_source(host))
    }

    fn is_home(&self, home: Option<&Home>) -> bool {
        match (self, home) {
            (Self::Address(address) | Self::Host(address, _), Some(Home::Block(home))) => {
                block_of(*address) == block_of(*home)
            }
            (Self::Block(block), Some(Home::Block(home))) => *block == block_of(*home),
            (Self::Server(_), Some(Home::Zone(_))) => true,
            (Self::Provider(provider) | Self::SourceHost(provider, _), Some(Home::Provider(home))) => provider == home,
            _ => false,
        }
    }
}

/// A host of a data provider, by its name in any case or by its address, which URLs write in brackets.
pub(crate) fn host_of_source(host: &str) -> String {
    host.trim_matches(['[', ']']).to_ascii_lowercase()
}

/// The first address of the /24 or /48 around an address.
fn block_of(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(four) => IpAddr::V4((u32::from(four) & 0xffff_ff00).into()),
        IpAddr::V6(six) => {
            let [a, b, c, ..] = six.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0))
        }
    }
}

/// The outcome of a contact, as far as the rate limiter is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signal {
    /// It answered.
    Fine,
    /// The peer complained about the rate (429, 503), perhaps with a time to wait.
    Busy(Option<Duration>),
    /// It cut the connection, or did not answer in time.
    Failed,
}

/// The state of one rate.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// When the next contact is due by the rate alone.
    next: WireTime,
    /// Share of the rate that the peer's complaints have left: `FACTOR_MIN`..=1.
    factor: f64,
    /// Nothing before this.
    blocked_until: WireTime,
    /// Failures in a row.
    failures: u32,
    /// When the factor was last cut.
    cut_at: Option<WireTime>,
}

/// The slowest that a person can make us, contacts per second.
const RATE_MIN: f64 = 0.01;
/// The slowest that complaints can make us.
const FACTOR_MIN: f64 = 1.0 / 64.0;
/// Share of the full rate won back by each answer without complaint.
const RECOVERY: f64 = 1.0 / 32.0;
/// At most one cut in this time: contacts in flight complain together.
const CUT_PAUSE: Duration = Duration::from_secs(1);
/// Failures in a row from which the rate is cut.
const FAILURES_TO_CUT: u32 = 3;
/// How long a peer is left alone that complains without naming a time.
const BUSY_PAUSE: Duration = Duration::from_secs(1);
/// Contacts that may be made at once after a rest, as a part of a second.
const BURST_SECONDS: f64 = 0.1;
/// Entries kept of peers that rest: with more, those are dropped, and again when there are twice as many as were left.
const RESTING_MAX: usize = 8_192;

/// The rate limiter.
pub struct Pace {
    limits: PaceLimits,
    engines: AtomicUsize,
    buckets: Mutex<Pruned<Bucket, Entry>>,
    exchanges: Mutex<Pruned<IpAddr, Arc<Semaphore>>>,
}

/// Entries of peers, from which those at rest are dropped now and then.
struct Pruned<K, V> {
    entries: HashMap<K, V>,
    /// With more entries than these, some are dropped.
    enough: usize,
}

impl<K, V> Default for Pruned<K, V> {
    fn default() -> Self {
        Self { entries: HashMap::new(), enough: RESTING_MAX }
    }
}

impl<K: Eq + Hash, V> Pruned<K, V> {
    /// Drops the entries at rest where there are many. Each is looked at seldom, however many of them are in use.
    fn prune(&mut self, in_use: impl Fn(&V) -> bool) {
        if self.entries.len() > self.enough {
            self.entries.retain(|_, entry| in_use(entry));
            self.enough = RESTING_MAX.max(2 * self.entries.len());
            self.entries.shrink_to(self.enough);
        }
    }
}

impl Pace {
    /// Makes a rate limiter without any history.
    pub fn new(limits: PaceLimits) -> Self {
        Self { limits, engines: AtomicUsize::new(1), buckets: Mutex::default(), exchanges: Mutex::default() }
    }

    /// Sets how many engines are alive. Contacts outside the work's own partition are limited to the rate divided by
    /// that number.
    pub fn set_engines(&self, live: usize) {
        self.engines.store(live.max(1), Ordering::Relaxed);
    }

    /// Returns the number of engines that was last set.
    pub fn engines(&self) -> usize {
        self.engines.load(Ordering::Relaxed)
    }

    /// Returns the rate over all of this engine, where there is one.
    pub fn total(&self) -> Option<f64> {
        self.limits.total.map(|rate| rate / self.engines() as f64)
    }

    /// How long the next contact of a bucket would wait for its turn. Takes no place.
    pub(crate) fn wait(&self, now: WireTime, bucket: &Bucket) -> Duration {
        let Some(rate) = self.limits.rate(bucket) else { return Duration::ZERO };
        match self.lock(now).entries.get(bucket) {
            Some(entry) => entry.due(now, rate * entry.factor / self.engines() as f64).saturating_sub(now),
            None => Duration::ZERO,
        }
    }

    /// Reserves the next slot of a rate and returns its time.
    pub(crate) fn reserve(&self, now: WireTime, bucket: &Bucket, home: Option<&Home>) -> WireTime {
        let Some(mut rate) = self.limits.rate(bucket) else { return now };
        if !bucket.is_home(home) {
            rate /= self.engines() as f64;
        }
        let mut buckets = self.lock(now);
        let entry = buckets.entries.entry(bucket.clone()).or_insert(Entry::new(now));
        rate *= entry.factor;
        let at = entry.due(now, rate);
        entry.next = entry.next.max(now).max(entry.blocked_until) + Duration::from_secs_f64(1.0 / rate);
        at
    }

    /// Notes how a contact went.
    pub(crate) fn report(&self, now: WireTime, bucket: &Bucket, signal: Signal) {
        let mut buckets = self.lock(now);
        let entry = buckets.entries.entry(bucket.clone()).or_insert(Entry::new(now));
        match signal {
            Signal::Fine => {
                entry.failures = 0;
                entry.factor = (entry.factor + RECOVERY).min(1.0);
            }
            Signal::Busy(pause) => {
                entry.failures = 0;
                entry.cut(now);
                entry.blocked_until = entry.blocked_until.max(now + pause.unwrap_or(BUSY_PAUSE).min(RETRY_AFTER_MAX));
            }
            Signal::Failed => {
                entry.failures += 1;
                if entry.failures >= FAILURES_TO_CUT {
                    entry.cut(now);
                }
                if entry.failures >= ERRORS_IN_A_ROW {
                    // Half of the count stays, so that a peer which still fails is left alone sooner.
                    entry.failures /= 2;
                    entry.blocked_until = entry.blocked_until.max(now + ERRORS_PAUSE);
                }
            }
        }
    }

    /// One of the places for HTTP exchanges with an address.
    pub(crate) async fn exchange_place(&self, address: IpAddr) -> OwnedSemaphorePermit {
        let places = {
            let mut exchanges = self.exchanges.lock().unwrap_or_else(PoisonError::into_inner);
            exchanges.prune(|places| Arc::strong_count(places) > 1);
            exchanges.entries.entry(address).or_insert_with(|| Arc::new(Semaphore::new(EXCHANGES_PER_ADDRESS))).clone()
        };
        places.acquire_owned().await.expect("the semaphore is never closed")
    }

    fn lock(&self, now: WireTime) -> MutexGuard<'_, Pruned<Bucket, Entry>> {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        buckets
            .prune(|entry| entry.next > now || entry.blocked_until > now || entry.factor < 1.0 || entry.failures > 0);
        buckets
    }
}

impl Entry {
    fn new(now: WireTime) -> Self {
        Self { next: now, factor: 1.0, blocked_until: WireTime::ZERO, failures: 0, cut_at: None }
    }

    /// When the next contact's turn is at this rate.
    fn due(&self, now: WireTime, rate: f64) -> WireTime {
        let credit = Duration::from_secs_f64(1.0 / rate).mul_f64((rate * BURST_SECONDS - 1.0).max(0.0));
        self.next.saturating_sub(credit).max(now).max(self.blocked_until)
    }

    fn cut(&mut self, now: WireTime) {
        if self.cut_at.is_none_or(|at| now >= at + CUT_PAUSE) {
            self.factor = (self.factor / 2.0).max(FACTOR_MIN);
            self.cut_at = Some(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn address(last: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, last])
    }

    fn seconds(value: f64) -> WireTime {
        Duration::from_secs_f64(value)
    }

    proptest! {
        #[test]
        fn no_second_sees_more_than_the_rate_and_its_burst(rate in 1u32..200,
        gaps in prop::collection::vec(0u64..50, 1..400)) {
            let pace = Pace::new(PaceLimits { connections_per_address: f64::from(rate), ..PaceLimits::default() });
            let bucket = Bucket::Address(address(1));
            let mut now = Duration::ZERO;
            let mut turns = Vec::new();
            for gap in gaps {
                now += Duration::from_millis(gap);
                let at = pace.reserve(now, &bucket, None);
                prop_assert!(at >= now);
                turns.push(at);
            }
            prop_assert!(turns.is_sorted(), "first come, first served");
            let most = f64::from(rate) * (1.0 + BURST_SECONDS) + 2.0;
            for (index, start) in turns.iter().enumerate() {
                let within = turns[index..].iter().filter(|at| **at < *start + Duration::from_secs(1)).count();
                prop_assert!(within as f64 <= most, "{within} in one second at rate {rate}");
            }
        }
    }

    #[test]
    fn other_targets_do_not_wait() {
        let pace = Pace::new(PaceLimits::default());
        for _ in 0..500 {
            pace.reserve(Duration::ZERO, &Bucket::Address(address(1)), None);
        }
        assert!(pace.reserve(Duration::ZERO, &Bucket::Address(address(1)), None) > seconds(9.0));
        assert_eq!(pace.reserve(Duration::ZERO, &Bucket::Address(address(2)), None), Duration::ZERO);
    }

    #[test]
    fn complaints_slow_down_and_answers_recover() {
        let pace = Pace::new(PaceLimits::default());
        let bucket = Bucket::Host(address(1), "www.example.test".into());
        let step = |now: WireTime| {
            pace.reserve(now, &bucket, None);
            pace.reserve(now, &bucket, None) - now
        };
        assert_eq!(step(seconds(1.0)), seconds(0.1));
        pace.report(seconds(2.0), &bucket, Signal::Busy(Some(seconds(30.0))));
        assert_eq!(pace.reserve(seconds(2.0), &bucket, None), seconds(32.0), "Retry-After is honoured");
        assert_eq!(step(seconds(40.0)), seconds(0.2), "half the rate");
        for _ in 0..32 {
            pace.report(seconds(50.0), &bucket, Signal::Fine);
        }
        assert_eq!(step(seconds(60.0)), seconds(0.1), "recovered");
        pace.report(seconds(70.0), &bucket, Signal::Busy(Some(seconds(1e6))));
        assert_eq!(pace.reserve(seconds(70.0), &bucket, None), seconds(70.0) + RETRY_AFTER_MAX, "cut to the limit");
    }

    #[test]
    fn a_peer_that_only_fails_is_left_alone_for_a_while() {
        let pace = Pace::new(PaceLimits::default());
        let bucket = Bucket::Host(address(1), String::new());
        for _ in 0..ERRORS_IN_A_ROW - 1 {
            pace.report(seconds(1.0), &bucket, Signal::Failed);
        }
        assert!(pace.reserve(seconds(1.0), &bucket, None) < seconds(2.0));
        pace.report(seconds(1.0), &bucket, Signal::Failed);
        assert!(pace.reserve(seconds(1.0), &bucket, None) >= seconds(1.0) + ERRORS_PAUSE);
        assert_eq!(pace.reserve(seconds(1.0), &Bucket::Host(address(1), "other".into()), None), seconds(1.0));
    }

    #[test]
    fn outside_its_partition_an_engine_takes_its_share() {
        let pace = Pace::new(PaceLimits { connections_per_address: 1.0, ..PaceLimits::default() });
        pace.set_engines(4);
        let home = Home::Block(address(200));
        let bucket = Bucket::Address(address(1));
        pace.reserve(Duration::ZERO, &bucket, Some(&home));
        assert_eq!(pace.reserve(Duration::ZERO, &bucket, Some(&home)), seconds(1.0));
        let stranger = Bucket::Address(IpAddr::from([198, 51, 100, 1]));
        pace.reserve(Duration::ZERO, &stranger, Some(&home));
        assert_eq!(pace.reserve(Duration::ZERO, &stranger, Some(&home)), seconds(4.0));
    }

    #[test]
    fn a_rate_of_a_person_is_kept_over_all_and_by_each() {
        let default = PaceLimits::default();
        let slow = PaceLimits::at_rate(5.0);
        assert_eq!(slow.total, Some(5.0));
        assert_eq!((slow.connections_per_address, slow.connections_per_block, slow.requests_per_host), (5.0, 5.0, 5.0));
        assert_eq!((slow.questions_per_server, slow.requests_per_provider), (5.0, default.requests_per_provider));
        let fast = PaceLimits::at_rate(1e6);
        assert_eq!(fast, PaceLimits { total: Some(1e6), ..default }, "nobody is asked more often than usual");
        assert!(PaceLimits::at_rate(0.0).total.is_some_and(|rate| rate > 0.0));
    }

    #[test]
    fn a_person_sets_the_rate_of_each_kind_of_peer() {
        let address: IpAddr = "192.0.2.1".parse().unwrap();
        let buckets = [
            Bucket::Address(address),
            Bucket::block(address),
            Bucket::Host(address, "a.test".to_owned()),
            Bucket::Server(address),
            Bucket::Provider("a-source"),
            Bucket::Resolver(address),
        ];
        let mut limits = PaceLimits::at_rate(5.0);
        for (number, (peer, bucket)) in PaceLimits::PEERS.iter().zip(&buckets).enumerate() {
            let rate = 1_000.0 + f64::from(u32::try_from(number).unwrap());
            assert!(limits.set(peer, rate));
            assert_eq!(limits.rate(bucket), Some(rate), "{peer}");
        }
        assert_eq!(limits.total, Some(5.0));
        assert!(!limits.set("peer", 1.0));
        assert!(limits.set("host", 0.0) && limits.requests_per_host > 0.0);
    }

    #[test]
    fn the_wait_of_a_cell_is_told_without_taking_a_place() {
        let pace = Pace::new(PaceLimits::at_rate(2.0));
        assert_eq!(pace.wait(seconds(1.0), &Bucket::Total), Duration::ZERO);
        pace.reserve(seconds(1.0), &Bucket::Total, None);
        for _ in 0..2 {
            assert_eq!(pace.wait(seconds(1.0), &Bucket::Total), seconds(0.5));
        }
        assert_eq!(pace.reserve(seconds(1.0), &Bucket::Total, None), seconds(1.5));
        assert_eq!(Pace::new(PaceLimits::default()).wait(seconds(1.0), &Bucket::Total), Duration::ZERO, "no limit");
    }
}
