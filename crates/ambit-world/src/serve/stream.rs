//! Connections in memory: a pair of ends, of which the client's can see a reset.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, DuplexStream, ReadBuf};

/// Bytes in flight in each direction: what a socket's buffers hold.
const BUFFER_BYTES: usize = 16 << 10;

/// The client's end.
pub(crate) struct ClientStream {
    inner: DuplexStream,
    reset: Arc<AtomicBool>,
}

/// A new connection: the client's end, the server's end, and the switch that turns the end into a reset.
pub(crate) fn pair() -> (ClientStream, DuplexStream, Arc<AtomicBool>) {
    let (inner, server) = tokio::io::duplex(BUFFER_BYTES);
    let reset = Arc::new(AtomicBool::new(false));
    let client = ClientStream { inner, reset: reset.clone() };
    (client, server, reset)
}

impl AsyncRead for ClientStream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(cx, buffer))?;
        let ended = buffer.filled().len() == before && buffer.remaining() > 0;
        if ended && self.reset.load(Ordering::Acquire) {
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for ClientStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}
