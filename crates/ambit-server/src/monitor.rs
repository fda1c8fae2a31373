//! A listener for monitors alone: `/metrics`, without a key, and nothing else. It is for an address that only monitors
//! reach.

use crate::figures;
use crate::serve::Listener;
use crate::signature::{Exposition, Reply};
use crate::state::ServerState;
use axum::body::Body;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Request, Response, StatusCode};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// Monitors that are connected at once.
const CONNECTIONS_MAX: usize = 16;
/// How long a connection may last: a monitor asks every few seconds and may keep it.
const CONNECTION_TIME: Duration = Duration::from_secs(300);
/// How long the head of a request may take, and a connection may be idle.
const HEAD_TIME: Duration = Duration::from_secs(60);

/// Answers monitors until `shutdown` is over.
pub async fn serve_metrics(listener: Listener, state: Arc<ServerState>, shutdown: impl Future<Output = ()> + Send) {
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let mut connections = JoinSet::new();
    tokio::pin!(shutdown);
    loop {
        let accepted = async {
            let place = Arc::clone(&places).acquire_owned().await;
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            () = &mut shutdown => break,
            accepted = accepted => accepted,
        };
        while connections.try_join_next().is_some() {}
        let (Ok(place), Ok(stream)) = (place, accepted) else { continue };
        let state = state.clone();
        connections.spawn(async move {
            let service = service_fn(|request: Request<Incoming>| {
                let state = state.clone();
                async move { Ok::<_, Infallible>(answer(&state, &request).await) }
            });
            let mut http = http1::Builder::new();
            let served = http
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD_TIME)
                .serve_connection(TokioIo::new(stream), service);
            // However the connection ended, the monitoring system will connect again.
            let _ = tokio::time::timeout(CONNECTION_TIME, served).await;
            drop(place);
        });
    }
}

async fn answer(state: &ServerState, request: &Request<Incoming>) -> Response<Body> {
    let asks = matches!(request.method().as_str(), "GET" | "HEAD") && request.uri().path() == "/metrics";
    let mut response = if asks {
        Response::new(Body::from(figures::text(state).await))
    } else {
        let mut response = Response::new(Body::from("only GET /metrics is here\n"));
        *response.status_mut() = StatusCode::NOT_FOUND;
        response
    };
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(Exposition::CONTENT_TYPE));
    response
}
