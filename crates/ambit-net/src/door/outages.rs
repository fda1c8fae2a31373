//! Data providers that do not answer: after a few questions in a row a host is left alone for a while, in place of
//! every row's question waiting for it in vain.

use super::Door;
use crate::error::{NetError, Result};
use crate::pace::host_of_source;
use crate::wire::WireTime;
use std::collections::HashMap;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, Semaphore};

/// Questions in a row that a host may leave without an answer before it is left alone.
const UNANSWERED_MAX: u32 = 5;
/// How long it is left alone then; after that one question tries it again.
const LEFT_ALONE: Duration = Duration::from_secs(60);
/// From one complaint of a host that counts to the next: questions that are under way together are complained of
/// together, and the next one comes more slowly.
const COMPLAINTS_APART: Duration = Duration::from_secs(1);
/// Hosts that are remembered; what people name and what WHOIS refers to are few.
const HOSTS_MAX: usize = 1_000;
/// Questions to one host that wait for its rate at once, each with a turn of its own: enough that no turn is lost, and
/// few enough that the turns of a host that is left alone are soon over. The others wait for one of these places.
const TURNS_AHEAD: usize = 8;

/// A provider at a host and port.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ProviderHost {
    provider: &'static str,
    host: String,
    port: u16,
}

/// What became of a question, as far as it says something of the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answered {
    Yes,
    /// Nothing came, and why.
    Silence(String),
    /// It said that it cannot answer now, and in which words.
    Complaint(String),
    /// The question was not put.
    NotAsked,
}

/// The hosts that did not answer the last questions, of one run.
#[derive(Default)]
pub(super) struct Outages(Mutex<HashMap<ProviderHost, Host>>);

struct Host {
    unanswered: u32,
    /// When a question went unanswered last that counts.
    counted_at: WireTime,
    asked_again_at: WireTime,
    why: String,
    gate: Arc<Gate>,
}

/// Where questions to a host wait for its rate.
pub(super) struct Gate {
    pub(super) places: Semaphore,
    /// Told when the host is left alone: whoever waits for a turn then waits no more.
    pub(super) closed: Notify,
}

/// What goes out to data providers.
impl Door {
    /// Fails where a host of a provider is to be left alone now, since it did not answer the last questions.
    pub(crate) fn check_source(&self, place: &ProviderHost) -> Result<()> {
        self.outside.outages.check(place, self.now())
    }

    /// Waits for the turn of a question; fails where its host is left alone meanwhile.
    pub(super) async fn turn_at_source(&self, place: &ProviderHost, turn: impl Future<Output = ()>) -> Result<()> {
        let outages = &self.outside.outages;
        let Some(gate) = outages.gate(place) else {
            turn.await;
            return Ok(());
        };
        let mut closed = pin!(gate.closed.notified());
        closed.as_mut().enable();
        let turn = async {
            let _place = self.waits_for(gate.places.acquire()).await;
            turn.await;
        };
        tokio::select! {
            biased;
            () = closed => Err(outages.left_alone(place)),
            () = turn => Ok(()),
        }
    }

    /// Takes what became of a question to a host of a provider.
    pub(crate) fn note_source(&self, place: &ProviderHost, answered: Answered) {
        self.outside.outages.note(place, answered, self.now());
    }
}

impl ProviderHost {
    pub(crate) fn new(provider: &'static str, host: &str, port: u16) -> Self {
        Self { provider, host: host_of_source(host), port }
    }
}

impl Outages {
    fn lock(&self) -> MutexGuard<'_, HashMap<ProviderHost, Host>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Fails where the host is to be left alone now.
    pub(super) fn check(&self, place: &ProviderHost, now: WireTime) -> Result<()> {
        let mut hosts = self.lock();
        let Some(host) = hosts.get_mut(place).filter(|host| host.is_down()) else { return Ok(()) };
        if now >= host.asked_again_at {
            // Only the question that comes first tries it.
            host.asked_again_at = now + LEFT_ALONE;
            return Ok(());
        }
        Err(host.left_alone())
    }

    /// Where questions to a host wait for its rate; `None` where nothing more is remembered.
    pub(super) fn gate(&self, place: &ProviderHost) -> Option<Arc<Gate>> {
        host(&mut self.lock(), place).map(|host| host.gate.clone())
    }

    /// What is said to those who wait for a turn where a host is left alone meanwhile.
    pub(super) fn left_alone(&self, place: &ProviderHost) -> NetError {
        self.lock().get(place).map_or_else(|| Host::default().left_alone(), Host::left_alone)
    }

    /// Takes what became of a question.
    pub(super) fn note(&self, place: &ProviderHost, answered: Answered, now: WireTime) {
        let mut hosts = self.lock();
        let Some(host) = host(&mut hosts, place) else { return };
        match answered {
            Answered::Yes => host.unanswered = 0,
            Answered::Complaint(_) if host.unanswered > 0 && now < host.counted_at + COMPLAINTS_APART => {}
            Answered::Silence(why) | Answered::Complaint(why) => {
                host.unanswered = host.unanswered.saturating_add(1);
                (host.counted_at, host.asked_again_at, host.why) = (now, now + LEFT_ALONE, why);
                if host.is_down() {
                    host.gate.closed.notify_waiters();
                }
            }
            Answered::NotAsked => {}
        }
    }
}

fn host<'h>(hosts: &'h mut HashMap<ProviderHost, Host>, place: &ProviderHost) -> Option<&'h mut Host> {
    if hosts.len() >= HOSTS_MAX && !hosts.contains_key(place) {
        // Of hosts that answer, and at which no question waits for its turn, there is nothing to remember.
        hosts.retain(|_, host| host.unanswered > 0 || Arc::strong_count(&host.gate) > 1);
    }
    let has_room = hosts.len() < HOSTS_MAX || hosts.contains_key(place);
    has_room.then(|| hosts.entry(place.clone()).or_default())
}

impl Default for Host {
    fn default() -> Self {
        let gate = Gate { places: Semaphore::new(TURNS_AHEAD), closed: Notify::new() };
        let (counted_at, asked_again_at) = (WireTime::ZERO, WireTime::ZERO);
        Self { unanswered: 0, counted_at, asked_again_at, why: String::new(), gate: Arc::new(gate) }
    }
}

impl Host {
    fn is_down(&self) -> bool {
        self.unanswered >= UNANSWERED_MAX
    }

    fn left_alone(&self) -> NetError {
        let Self { unanswered, why, .. } = self;
        NetError::LeftAlone(format!("the last {unanswered} questions were not answered ({why})"))
    }
}

impl Answered {
    /// Reads a failure.
    pub(crate) fn of(error: &NetError) -> Self {
        match error {
            // The peer sent nothing at all.
            NetError::Timeout(_)
            | NetError::ConnectionRefused
            | NetError::Reset(_)
            | NetError::Closed(_)
            | NetError::Unreachable(_)
            | NetError::Offline(_)
            | NetError::Dns(_)
            | NetError::Tls(_) => Self::Silence(error.to_string()),
            NetError::OutOfScope(_)
            | NetError::NotAllowed(_)
            | NetError::NoGrant(_)
            | NetError::Invalid { .. }
            | NetError::LeftAlone(_)
            | NetError::Budget(_) => Self::NotAsked,
            NetError::OtherHttp
            | NetError::NoHttp
            | NetError::Protocol(_)
            | NetError::Unavailable(_)
            | NetError::TooLarge(_) => Self::Yes,
        }
    }
}
