//! The door: what a server is before anybody is let in. It answers `/livez` from the first moment on, also while the
//! store is migrated or the index built; everything else waits a while for that, or is told to come back.

use crate::answer::{Manner, Wishes, respond};
use crate::gate::{Asker, answer_to};
use crate::limits::Limits;
use crate::origin::{Outside, Peer, one_host};
use crate::signature::Reply;
use crate::state::ServerState;
use crate::tls::Tls;
use crate::{health, router};
use axum::body::Body;
use axum::response::Response;
use http::Request;
use std::sync::Arc;
use tokio::sync::watch;

/// How far the start is.
#[derive(Clone)]
pub enum Phase {
    /// What is being done before requests are answered: the end of a sentence.
    Starting(String),
    Ready(Arc<ServerState>),
}

/// What the listener needs to accept requests.
#[derive(Clone)]
pub struct Door {
    pub(crate) limits: Limits,
    pub(crate) outside: Arc<Outside>,
    pub(crate) tls: Option<Tls>,
    phase: watch::Receiver<Phase>,
}

impl Door {
    /// A door of a server that starts; what the sender says counts.
    pub fn new(limits: Limits, outside: Outside, tls: Option<Tls>) -> (Self, watch::Sender<Phase>) {
        let (sender, phase) = watch::channel(Phase::Starting("the server is starting".to_owned()));
        let door = Self { limits, outside: Arc::new(outside), tls, phase };
        (door, sender)
    }

    /// Answers a request, once the server is ready; health at once.
    pub(crate) async fn answer(&self, peer: Peer, request: Request<Body>) -> Response {
        let path = request.uri().path();
        let health = path.trim_matches('/');
        if health == "livez" && names_one_host(&request) && matches!(request.method().as_str(), "GET" | "HEAD") {
            let wishes = Wishes::of(Manner::Envelope, request.headers());
            return respond(Ok(health::alive().answer()), &wishes, None).await;
        }
        let found = match &*self.phase.borrow() {
            Phase::Ready(state) => Ok(state.clone()),
            Phase::Starting(why) => Err(why.clone()),
        };
        let found = match found {
            Err(_) if health != "readyz" => self.ready().await,
            found => found,
        };
        match found {
            Ok(state) => answer_to(state, Asker::Peer(peer, self.outside.clone()), request).await,
            Err(why) => {
                let wishes = Wishes::of(router::manner(path), request.headers());
                respond(Err(health::not_ready(&why)), &wishes, None).await
            }
        }
    }

    /// Waits a while for the start; the error is what is still being done.
    async fn ready(&self) -> Result<Arc<ServerState>, String> {
        let mut phase = self.phase.clone();
        let ready = async {
            match phase.wait_for(|phase| matches!(phase, Phase::Ready(_))).await {
                Ok(phase) => match &*phase {
                    Phase::Ready(state) => Some(state.clone()),
                    Phase::Starting(_) => None,
                },
                Err(_) => None,
            }
        };
        if let Ok(Some(state)) = tokio::time::timeout(self.limits.start_wait, ready).await {
            return Ok(state);
        }
        match &*self.phase.borrow() {
            Phase::Ready(state) => Ok(state.clone()),
            Phase::Starting(why) => Err(why.clone()),
        }
    }
}

/// What is no request is no health check either: the gate refuses it.
fn names_one_host(request: &Request<Body>) -> bool {
    one_host(request.headers(), request.version()).is_ok()
}
