//! HTTP: the table of endpoints, the gate in front of them, the handlers, the documents. It reads and writes rows of the store and asks the index;
//! it knows neither engine nor tasks.

#![recursion_limit = "256"]

mod answer;
mod attempts;
mod body;
mod call;
mod documents;
mod endpoints;
mod failure;
mod form;
mod gate;
mod hit_issues;
mod local;
mod openapi;
mod path;
mod picture;
mod quota;
mod request_log;
mod rights;
mod routes;
mod serve;
mod window;

pub use answer::Answer;
pub use call::Call;
pub use endpoints::{Access, ENDPOINTS, Endpoint, Handler, Method, Parameter, Tree};
pub use gate::answer;
pub use local::{Question, ask};
pub use openapi::{document as openapi_document, text as openapi_text};
pub use path::MOUNTS;
pub use quota::rules::{Price, Rule};
pub use rights::Right;
pub use serve::{Listener, serve};

use ambit_api::projects::Plan;
use ambit_api::{ApiError, ErrorCode};
use ambit_model::Timestamp;
use ambit_model::library::Library;
use ambit_search::Index;
use ambit_search::graphs::GraphIndex;
use ambit_store::{Store, StoreError};
use attempts::Windows;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

/// Requests answered at once; more are told to come back. Clients of the contract send up to 100 in parallel.
const REQUESTS_MAX: usize = 1_024;

/// Batches of feeds, of up to 60 MB each, that are made at once.
const BATCHES_MAX: usize = 2;

/// How long a peer may take. The defaults are for everyone; tests shorten them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// A head must be complete within this time, or the connection ends: slow senders cost a connection, but not for ever.
    pub head_time: Duration,
    /// A request, from its head to its answer: longer than the longest search, shorter than clients wait.
    pub request_time: Duration,
    /// How long a search waits for the index to have what people changed.
    pub index_wait: Duration,
    /// Time for open requests after the end was asked for; the process as a whole has 10 s.
    pub drain_time: Duration,
    /// Requests of one key in a minute; `None`: as many as there are places.
    pub requests_per_minute: Option<u32>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            head_time: Duration::from_secs(10),
            request_time: Duration::from_secs(30),
            index_wait: Duration::from_secs(5),
            drain_time: Duration::from_secs(8),
            requests_per_minute: None,
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
    pub limits: Limits,
    /// Host names that are answered for, without port; empty: all.
    pub hosts: Vec<String>,
    /// Wrong keys by address.
    pub(crate) failures: Windows<IpAddr>,
    /// Requests by key.
    pub(crate) requests: Windows<i64>,
    /// Calls of the wider API that cost nothing, until they are written.
    pub(crate) free_counts: quota::FreeCounts,
    pub(crate) places: Semaphore,
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
            hosts: Vec::new(),
            failures: Windows::default(),
            requests: Windows::default(),
            free_counts: quota::FreeCounts::default(),
            places: Semaphore::new(REQUESTS_MAX),
            batches: Semaphore::new(BATCHES_MAX),
            rooms: body::Rooms::default(),
        })
    }
}
