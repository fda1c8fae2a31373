//! The listener: HTTP/1.1 connections with limits, and an end that lets requests finish. The only listening socket of
//! the program.

use crate::answer::ending;
use crate::connections::{Connections, Entry};
use crate::door::Door;
use crate::origin::Peer;
use crate::paced::Paced;
use axum::body::Body;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// Bytes of a head: above every client's search string of 4 KiB with its headers; below what many connections could not
/// hold.
const HEAD_BYTES_MAX: usize = 64 * 1024;
/// Pause after a failed accept (too many open files), so that the loop does not spin while a connection makes room.
const ACCEPT_PAUSE: Duration = Duration::from_millis(5);
/// Connections that the system holds until they are accepted: a burst of clients is not refused. The system's own limit
/// may be lower.
const BACKLOG: u32 = 4_096;

/// A listening socket. The program's only one; made here, so that nothing else opens any.
pub struct Listener(TcpListener);

impl Listener {
    /// Takes the address; port 0 picks a free one. All addresses of IPv6 are those of IPv4 too, and where the machine
    /// has no IPv6, those alone.
    pub async fn bind(address: SocketAddr) -> io::Result<Self> {
        match listen(address) {
            Err(error)
                if address.ip().is_unspecified() && address.is_ipv6() && error.kind() != io::ErrorKind::AddrInUse =>
            {
                listen(SocketAddr::from((Ipv4Addr::UNSPECIFIED, address.port())))
            }
            listening => listening,
        }
        .map(Self)
    }

    /// Waits for the next connection.
    pub(crate) async fn accept(&self) -> io::Result<TcpStream> {
        Ok(self.0.accept().await?.0)
    }

    /// Where it listens.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }
}

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // A server that starts again takes the port of the one before, whose last connections may linger.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Serves until `shutdown` is over, then lets open requests finish for a while.
pub async fn serve(
    Listener(listener): Listener,
    door: Door,
    shutdown: impl Future<Output = ()> + Send,
) -> io::Result<()> {
    let (ended, _) = watch::channel(false);
    let open = Connections::new(door.limits.connections);
    let mut connections = JoinSet::new();
    let follower = door.tls.clone().map(|tls| tokio::spawn(tls.follow()));
    tokio::pin!(shutdown);
    loop {
        let accepted = tokio::select! {
            () = &mut shutdown => break,
            accepted = listener.accept() => accepted,
        };
        while connections.try_join_next().is_some() {}
        match accepted {
            Ok((stream, peer)) => {
                // If every open connection has priority over a new one without a key, the new one is closed.
                if let Some(entry) = open.enter(peer.ip(), door.outside.is_trusted(peer.ip())) {
                    connections.spawn(connection(stream, peer, door.clone(), open.clone(), entry, ended.subscribe()));
                }
            }
            Err(error) => {
                if !open.end_one() {
                    tracing::warn!(%error, "a connection could not be accepted");
                }
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop(listener);
    ended.send_replace(true);
    let drained =
        tokio::time::timeout(door.limits.drain_time, async { while connections.join_next().await.is_some() {} }).await;
    if drained.is_err() {
        tracing::warn!(open = connections.len(), "requests were still being answered at shutdown");
        connections.abort_all();
    }
    follower.iter().for_each(tokio::task::JoinHandle::abort);
    Ok(())
}

/// One connection, until it ends, is told to, or another deserves its place more.
async fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    door: Door,
    open: Arc<Connections>,
    entry: Entry,
    ended: watch::Receiver<bool>,
) {
    // Answers are written whole; waiting for more to send would only delay them.
    let _ = stream.set_nodelay(true);
    let standing = entry.standing().clone();
    let mut from = Peer::new(peer.ip(), door.tls.is_some());
    from.connection = Some((open, standing.clone()));
    let paced = Paced::new(stream, door.limits.write_idle);
    let served = async {
        match &door.tls {
            None => http(paced, from, &door, ended).await,
            Some(tls) => match tokio::time::timeout(door.limits.head_time, tls.accept(paced)).await {
                Ok(Ok(stream)) => http(stream, from, &door, ended).await,
                Ok(Err(error)) => tracing::debug!(%error, "a TLS handshake failed"),
                Err(_) => tracing::debug!("a TLS handshake timed out"),
            },
        }
    };
    tokio::select! {
        () = served => {}
        () = standing.ended() => tracing::debug!("a connection was closed to make room for another"),
    }
}

/// Waits for the end that the server was asked for. The value that is waited for is dropped at once: it holds a lock.
async fn over(mut ended: watch::Receiver<bool>) {
    let _ = ended.wait_for(|ended| *ended).await.map(|ended| *ended);
}

/// The requests of a connection.
async fn http<S: AsyncRead + AsyncWrite + Unpin>(stream: S, peer: Peer, door: &Door, ended: watch::Receiver<bool>) {
    let service = service_fn(|request: http::Request<Incoming>| {
        let (peer, end) = (peer.clone(), over(ended.clone()));
        async move { Ok::<_, Infallible>(ending(door.answer(peer, request.map(Body::new)).await, end)) }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(door.limits.head_time)
        .max_buf_size(HEAD_BYTES_MAX)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(served);
    let outcome = tokio::select! {
        outcome = &mut served => outcome,
        () = over(ended.clone()) => {
            served.as_mut().graceful_shutdown();
            served.await
        }
    };
    if let Err(error) = outcome {
        tracing::debug!(%error, "a connection ended early");
    }
}
