//! An open connection with the place that it takes among the process's sockets. Only the door opens one.

use crate::guard::Grant;
use crate::wire::Stream;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::OwnedSemaphorePermit;

/// A TCP connection that the guard has allowed.
pub struct Connection {
    stream: Box<dyn Stream>,
    address: SocketAddr,
    grant: Grant,
    /// Its place among the sockets.
    _place: OwnedSemaphorePermit,
}

impl Connection {
    pub(super) fn new(stream: Box<dyn Stream>, address: SocketAddr, grant: Grant, place: OwnedSemaphorePermit) -> Self {
        Self { stream, address, grant, _place: place }
    }

    /// The peer.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The ground on which it was opened.
    pub fn grant(&self) -> Grant {
        self.grant
    }
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "connection to {}", self.address)
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
