//! HTTP: the table of endpoints, the gate in front of them, the handlers, the documents. It reads and writes rows of the store and asks the index;
//! it knows neither engine nor tasks.

#![recursion_limit = "256"]

mod answer;
mod attempts;
mod body;
mod call;
mod connections;
mod documents;
mod door;
mod encoding;
mod endpoints;
mod failure;
mod form;
mod gate;
mod health;
mod hit_issues;
mod local;
mod openapi;
mod origin;
mod paced;
mod path;
mod picture;
mod quota;
mod request_log;
mod rights;
mod routes;
mod serve;
mod shares;
mod tls;
mod upload;
mod window;

pub use answer::Answer;
pub use call::Call;
pub use door::{Door, Phase};
pub use endpoints::{Access, ENDPOINTS, Endpoint, Handler, Method, Parameter, Tree};
pub use local::{Question, ask};
pub use openapi::{document as openapi_document, text as openapi_text};
pub use origin::{Hosts, Outside, public_url};
pub use path::MOUNTS;
pub use quota::rules::{Price, Rule};
pub use rights::Right;
pub use serve::{Listener, serve};
pub use tls::Tls;

use ambit_api::projects::Plan;
use ambit_api::{ApiError, ErrorCode};
use ambit_model::Timestamp;
use ambit_model::library::Library;
use ambit_model::reserved::Reserved;
use ambit_search::Index;
use ambit_search::graphs::GraphIndex;
use ambit_store::{Store, StoreError};
use attempts::Windows;
use shares::Shares;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

/// Batches of feeds, of up to 60 MB each, that are made at once.
const BATCHES_MAX: usize = 2;

/// Bytes of answers that are on their way at once, in KiB; of one owner half.
const ANSWERS_KIB: i64 = 96 * 1024;
/// Requests of one owner that wait for a place at most: two thousand clients of one key do.
const WAITING_MAX: usize = 4_096;

/// How long a peer may take, and how much there is of what they share. The defaults are for everyone; tests shorten them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// A head must be complete within this time, or the connection ends: slow senders cost a connection, but not for ever.
    pub head_time: Duration,
    /// A request, from its place to its answer: longer than the longest search, shorter than clients wait. Also how long a body may stand still.
    pub request_time: Duration,
    /// How long a search waits for the index to have what people changed.
    pub index_wait: Duration,
    /// Time for open requests after the end was asked for; the process as a whole has 10 s.
    pub drain_time: Duration,
    /// Requests of one key in a minute; `None`: as many as there are places.
    pub requests_per_minute: Option<u32>,
    /// How long a request waits for a place among those that are worked on.
    pub place_wait: Duration,
    /// How long a peer may take nothing of its answer.
    pub write_idle: Duration,
    /// A body that was refused is drained until nothing comes for so long.
    pub linger: Duration,
    /// How long a request waits for a server that starts.
    pub start_wait: Duration,
    /// Open connections; beyond, those that deserve least are closed.
    pub connections: usize,
    /// Requests that are worked on at once. More would not be faster, only each of them slower.
    pub places: usize,
    /// Of these, how many one key or address has at most.
    pub places_each: usize,
}

/// Requests of one key that are worked on at once, for each core, and at least: what waits for the disk leaves the core to others.
const PLACES_OF_CORE: usize = 4;
const PLACES_EACH_MIN: usize = 8;
/// Keys that have their whole share at once.
const SHARES: usize = 4;

impl Default for Limits {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let places_each = (PLACES_OF_CORE * cores).max(PLACES_EACH_MIN);
        Self {
            head_time: Duration::from_secs(10),
            request_time: Duration::from_secs(30),
            index_wait: Duration::from_secs(5),
            drain_time: Duration::from_secs(8),
            requests_per_minute: None,
            place_wait: Duration::from_secs(10),
            write_idle: Duration::from_secs(10),
            linger: Duration::from_secs(2),
            start_wait: Duration::from_secs(5),
            connections: 10_000,
            places: places_each * SHARES,
            places_each,
        }
    }
}

/// Wall time, given by the binary.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// What the server works on.
pub struct ServerState {
    pub store: Store,
    /// `None` in commands that do not search.
    index: Option<Index>,
    /// What searches over graphs see.
    pub(crate) graphs: GraphIndex,
    pub library: Arc<Library>,
    pub clock: Clock,
    pub plan: Plan,
    /// Whoever may invite makes accounts for addresses that nobody has; else only the administrator of the installation does.
    pub open_accounts: bool,
    /// Where no seed may lie: the reserved ranges that the administrator did not open.
    pub reserved: Reserved,
    pub(crate) limits: Limits,
    /// Wrong keys by address.
    pub(crate) failures: Windows<IpAddr>,
    /// Requests by key.
    pub(crate) requests: Windows<i64>,
    /// Calls of the wider API that cost nothing, until they are written.
    pub(crate) free_counts: quota::FreeCounts,
    /// Places among the requests that are worked on.
    pub(crate) places: Shares,
    /// Bytes of answers on their way, in KiB.
    pub(crate) answers: Shares,
    /// Whether requests can be answered.
    pub(crate) health: health::Health,
    /// Batches of feeds that are made at once: each holds its lines in memory.
    pub(crate) batches: Semaphore,
    /// Where bodies are held.
    pub(crate) rooms: body::Rooms,
}

impl ServerState {
    /// A server over a store and its index. `clock` gives wall time.
    pub async fn new(store: Store, index: Index, library: Arc<Library>, clock: Clock) -> Result<Self, StoreError> {
        Self::with(store, Some(index), library, clock).await
    }

    /// As [`ServerState::new`], for questions that need no index; a search is then refused.
    pub async fn without_index(store: Store, library: Arc<Library>, clock: Clock) -> Result<Self, StoreError> {
        Self::with(store, None, library, clock).await
    }

    /// Sets other limits, before the first request.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
        self.places = places(&limits);
    }

    /// The search index.
    pub(crate) fn index(&self) -> Result<&Index, ApiError> {
        self.index
            .as_ref()
            .ok_or_else(|| ApiError::with(ErrorCode::Transient, "The search index is not open here"))
    }

    async fn with(store: Store, index: Option<Index>, library: Arc<Library>, clock: Clock) -> Result<Self, StoreError> {
        Ok(Self {
            store,
            graphs: index.as_ref().map(|index| index.graphs().clone()).unwrap_or_default(),
            index,
            library,
            clock,
            plan: Plan::default(),
            limits: Limits::default(),
            open_accounts: false,
            reserved: Reserved::internal(Vec::new()),
            failures: Windows::default(),
            requests: Windows::default(),
            free_counts: quota::FreeCounts::default(),
            places: places(&Limits::default()),
            answers: Shares::new(ANSWERS_KIB, ANSWERS_KIB / 2, WAITING_MAX),
            health: health::Health::default(),
            batches: Semaphore::new(BATCHES_MAX),
            rooms: body::Rooms::default(),
        })
    }
}

fn places(limits: &Limits) -> Shares {
    let count = |places: usize| i64::try_from(places).unwrap_or(i64::MAX);
    Shares::new(count(limits.places), count(limits.places_each), WAITING_MAX)
}
