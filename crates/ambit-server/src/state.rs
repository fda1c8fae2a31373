//! What the server works on: the store, the index, and what its requests share.

use crate::attempts::Windows;
use crate::health::Health;
use crate::interface::Interface;
use crate::limits::Limits;
use crate::metrics::Metrics;
use crate::oidc::Provider;
use crate::quota::free::FreeCounts;
use crate::request_span::SpanFns;
use crate::rooms::Rooms;
use crate::shares::Shares;
use ambit_api::contacts::Contacts;
use ambit_api::projects::Plan;
use ambit_api::{ApiError, ErrorCode, Result};
use ambit_model::id::BlobHash;
use ambit_model::library::Library;
use ambit_model::reserved::{IpNet, Reserved};
use ambit_model::wire::WireChoice;
use ambit_model::{DueDays, Kind, Timestamp};
use ambit_search::Index;
use ambit_search::graphs::GraphIndex;
use ambit_store::Store;
use serde_json::Value;
use std::net::IpAddr;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Batches of feeds, of up to 60 MB each, that are made at once.
const BATCHES_MAX: usize = 2;
/// Searches for content that read at once, each one file after the other: the other readers of the store stay for
/// everybody else.
const CONTENT_SEARCHES_MAX: usize = 1;
/// Bytes of answers that are on their way at once, in KiB; of one owner half.
const ANSWERS_KIB: i64 = 96 * 1024;
/// Who listens to events at once, of one key half: each costs some reads of the store in a second.
const LISTENERS_MAX: i64 = 200;
/// Requests of one owner that wait for a place at most: two thousand clients of one key do.
const WAITING_MAX: usize = 4_096;

/// Wall time, given by the binary.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// Reads seeds out of the text of an internet, or says why that is not possible.
pub type ReadSeeds = fn() -> Result<Vec<(Kind, String)>, String>;

/// An organisation that people look around in, with an internet of its own: nobody is contacted for it.
pub struct Sample {
    /// The project that holds it.
    pub project: &'static str,
    /// What is kept of its internet.
    pub internet: &'static str,
    /// The wire of a collection that uses what is kept.
    pub wire: fn(BlobHash) -> WireChoice,
    /// Reads the seeds out of the internet: only where somebody asks for the sample.
    pub seeds: ReadSeeds,
}

/// Reads the ledger of contacts, given by the binary: what was sent to a network from one moment to another.
pub type LedgerFn = Arc<dyn Fn(IpNet, (Timestamp, Timestamp)) -> std::io::Result<Contacts> + Send + Sync>;

/// What the server works on.
pub struct ServerState {
    pub store: Store,
    /// `None` in commands that do not search.
    index: Option<Index>,
    /// What searches over graphs see.
    pub(crate) graphs: GraphIndex,
    pub library: Arc<Library>,
    pub clock: Clock,
    /// Makes the description of the API.
    pub(crate) openapi: fn() -> Value,
    pub plan: Plan,
    /// The web interface, where the program brings one.
    pub interface: Interface,
    /// What people may look around in, where the program brings it.
    pub sample: Option<Sample>,
    /// Whom those may ask who are contacted by runs: a URL.
    pub contact: Option<String>,
    /// The provider by which people sign in, where there is one.
    pub oidc: Option<Arc<Provider>>,
    /// Makes requests part of the traces of those who ask, where spans are sent somewhere.
    pub spans: Option<SpanFns>,
    /// The ledger of contacts; `None` where there is no data folder.
    pub ledger: Option<LedgerFn>,
    /// Whoever may invite makes accounts for addresses that nobody has; else only the administrator of the installation
    /// does.
    pub open_accounts: bool,
    /// Files that people upload are for their project, where they do not say otherwise.
    pub private_uploads: bool,
    /// By when issues are to be closed where their collection says nothing of it.
    pub due_days: DueDays,
    /// Where no seed may lie: the reserved ranges that the administrator did not open.
    pub reserved: Reserved,
    pub(crate) limits: Limits,
    /// Wrong keys by address.
    pub(crate) failures: Windows<IpAddr>,
    /// Requests by key.
    pub(crate) requests: Windows<i64>,
    /// Addresses that nobody has, by the user who named them.
    pub(crate) addresses: Windows<i64>,
    /// Calls of the wider API that cost nothing, until they are written.
    pub(crate) free_counts: FreeCounts,
    /// Places among the requests that are worked on.
    pub(crate) places: Shares,
    /// Bytes of answers on their way, in KiB.
    pub(crate) answers: Shares,
    /// What was answered.
    pub(crate) metrics: Metrics,
    /// Whether requests can be answered.
    pub(crate) health: Health,
    /// Batches of feeds that are made at once: each holds its lines in memory.
    pub(crate) batches: Semaphore,
    /// Searches for content that read files at once.
    pub(crate) content_searches: Semaphore,
    /// Where bodies are held.
    pub(crate) rooms: Rooms,
    /// Who listens to events.
    pub(crate) listeners: Shares,
}

impl ServerState {
    /// Sets other limits, before the first request.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
        self.places = places(&limits);
    }

    /// The search index.
    pub(crate) fn index(&self) -> Result<&Index> {
        self.index.as_ref().ok_or_else(|| ApiError::with(ErrorCode::Transient, "The search index is not open here"))
    }

    /// A server that describes itself by what `openapi` gives.
    pub(crate) fn with(
        store: Store,
        index: Option<Index>,
        library: Arc<Library>,
        clock: Clock,
        openapi: fn() -> Value,
    ) -> Self {
        Self {
            store,
            graphs: index.as_ref().map(|index| index.graphs().clone()).unwrap_or_default(),
            index,
            library,
            clock,
            openapi,
            plan: Plan::default(),
            interface: Interface::default(),
            sample: None,
            limits: Limits::default(),
            contact: None,
            spans: None,
            ledger: None,
            oidc: None,
            open_accounts: false,
            private_uploads: false,
            due_days: DueDays::default(),
            reserved: Reserved::internal(Vec::new()),
            failures: Windows::minutes(),
            requests: Windows::minutes(),
            addresses: Windows::hours(),
            free_counts: FreeCounts::default(),
            places: places(&Limits::default()),
            answers: Shares::new(ANSWERS_KIB, ANSWERS_KIB / 2, WAITING_MAX),
            metrics: Metrics::default(),
            health: Health::default(),
            batches: Semaphore::new(BATCHES_MAX),
            content_searches: Semaphore::new(CONTENT_SEARCHES_MAX),
            rooms: Rooms::default(),
            listeners: Shares::new(LISTENERS_MAX, LISTENERS_MAX / 2, 1),
        }
    }
}

fn places(limits: &Limits) -> Shares {
    let count = |places: usize| i64::try_from(places).unwrap_or(i64::MAX);
    Shares::new(count(limits.places), count(limits.places_each), WAITING_MAX)
}
