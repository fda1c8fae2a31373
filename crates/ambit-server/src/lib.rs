//! HTTP: the table of endpoints, the gate in front of them, the handlers, the documents. It reads and writes rows of
//! the store and asks the index; it knows neither engine nor tasks.

#![recursion_limit = "256"]

mod addresses;
mod answer;
mod attempts;
mod body;
mod call;
mod connections;
mod cookie;
mod document;
mod door;
mod encoding;
mod endpoint;
mod endpoints;
mod failure;
mod figures;
mod form;
mod gate;
mod header;
mod health;
mod indicators;
mod interface;
mod limits;
mod local;
mod metrics;
mod monitor;
mod mount;
mod object_body;
mod oidc;
mod openapi;
mod origin;
mod paced;
mod page;
mod parameter;
mod path;
mod percent;
mod picture;
mod present;
mod query;
mod quota;
mod request_log;
mod request_span;
mod rights;
mod rooms;
mod router;
mod routes;
mod rules;
mod searching;
mod serve;
mod shares;
mod signature;
mod state;
mod submissions;
mod tls;
mod tokens;
mod upload;
mod window;

pub use answer::Answer;
pub use call::Call;
pub use door::{Door, Phase};
pub use endpoint::{Access, Changes, Endpoint, Handler, Method};
pub use endpoints::ENDPOINTS;
pub use interface::Interface;
pub use limits::Limits;
pub use local::{Question, ask};
pub use monitor::serve_metrics;
pub use mount::{MOUNTS, Tree};
pub use oidc::{AskProvider, Provider, ProviderAsk, ProviderSettings, group_role};
pub use openapi::{document as openapi_document, text as openapi_text};
pub use origin::{Hosts, Outside, public_url};
pub use parameter::{In, Parameter};
pub use quota::rules::{Price, Rule};
pub use request_span::SpanFns;
pub use rights::Right;
pub use serve::{Listener, serve};
pub use state::{Clock, LedgerFn, ReadSeeds, Sample, ServerState};
pub use tls::Tls;

use ambit_model::library::Library;
use ambit_search::Index;
use ambit_store::Store;
use std::sync::Arc;

impl ServerState {
    /// A server over a store and its index. `clock` gives wall time.
    pub fn new(store: Store, index: Index, library: Arc<Library>, clock: Clock) -> Self {
        Self::with(store, Some(index), library, clock, openapi_document)
    }

    /// As [`ServerState::new`], for questions that need no index; a search is then refused.
    pub fn without_index(store: Store, library: Arc<Library>, clock: Clock) -> Self {
        Self::with(store, None, library, clock, openapi_document)
    }
}
