//! The listener: HTTP/1.1 connections with limits, and an end that lets requests finish. The only listening socket of the program.

use crate::ServerState;
use crate::gate::{self, Connection};
use axum::body::Body;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;

/// Bytes of a head: above every client's search string of 4 KiB with its headers; below what many connections could not hold.
const HEAD_BYTES_MAX: usize = 64 * 1024;
/// Open connections; more wait in the system's queue.
const CONNECTIONS_MAX: usize = 10_000;
/// Pause after a failed accept (too many open files), so that the loop does not spin.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// A listening socket. The program's only one; made here, so that nothing else opens any.
pub struct Listener(TcpListener);

impl Listener {
    /// Takes the address; port 0 picks a free one.
    pub async fn bind(address: SocketAddr) -> io::Result<Self> {
        TcpListener::bind(address).await.map(Self)
    }

    /// Where it listens.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }
}

/// Serves until `shutdown` is over, then lets open requests finish for a while.
pub async fn serve(Listener(listener): Listener, state: Arc<ServerState>, shutdown: impl Future<Output = ()> + Send) -> io::Result<()> {
    let (ended, _) = watch::channel(false);
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let mut connections = JoinSet::new();
    tokio::pin!(shutdown);
    loop {
        let place = tokio::select! {
            () = &mut shutdown => break,
            place = places.clone().acquire_owned() => place.expect("the semaphore is never closed"),
        };
        let accepted = tokio::select! {
            () = &mut shutdown => break,
            accepted = listener.accept() => accepted,
        };
        while connections.try_join_next().is_some() {}
        match accepted {
            Ok((stream, peer)) => {
                connections.spawn(connection(stream, peer.ip(), state.clone(), ended.subscribe(), place));
            }
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop(listener);
    ended.send_replace(true);
    let drained = tokio::time::timeout(state.limits.drain_time, async { while connections.join_next().await.is_some() {} }).await;
    if drained.is_err() {
        tracing::warn!(open = connections.len(), "requests were still open at the end");
        connections.abort_all();
    }
    Ok(())
}

async fn connection(stream: TcpStream, peer: IpAddr, state: Arc<ServerState>, mut ended: watch::Receiver<bool>, _place: OwnedSemaphorePermit) {
    // Answers are written whole; waiting for more to send would only delay them.
    let _ = stream.set_nodelay(true);
    let head_time = state.limits.head_time;
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let number = Connection(NEXT.fetch_add(1, Ordering::Relaxed));
    let service = service_fn(move |mut request: http::Request<Incoming>| {
        let state = state.clone();
        request.extensions_mut().insert(number);
        async move { Ok::<_, Infallible>(gate::answer(state, peer, request.map(Body::new)).await) }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(head_time)
        .max_buf_size(HEAD_BYTES_MAX)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(served);
    // The value that is waited for is dropped at once: it holds a lock.
    let end = async {
        let _ = ended.wait_for(|ended| *ended).await.map(|ended| *ended);
    };
    let outcome = tokio::select! {
        outcome = &mut served => outcome,
        () = end => {
            served.as_mut().graceful_shutdown();
            served.await
        }
    };
    if let Err(error) = outcome {
        tracing::debug!(%error, "a connection ended early");
    }
}
