//! A stream whose peer must take what it asked for: an answer that nobody reads is given up, and so is one that is read
//! too slowly.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

/// Bytes a second that a peer takes at least of an answer, beyond what the system holds for it: a line of 64 kilobits
/// does.
const RATE_MIN: u64 = 8 * 1024;

/// A stream with a limit on how long its peer may take nothing.
pub(crate) struct Paced<S> {
    stream: S,
    idle: Duration,
    /// When the peer is given up; there only while it is behind.
    deadline: Option<Pin<Box<Sleep>>>,
}

impl<S> Paced<S> {
    /// A peer that takes nothing for `idle` is given up.
    pub(crate) fn new(stream: S, idle: Duration) -> Self {
        Self { stream, idle, deadline: None }
    }

    /// What was taken gives time for more.
    fn taken(&mut self, bytes: usize) {
        if let Some(deadline) = &mut self.deadline {
            let until = extended(deadline.deadline(), bytes, Instant::now(), self.idle);
            deadline.as_mut().reset(until);
        }
    }

    /// Fails if the stream has not accepted any bytes for too long.
    fn behind<T>(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<T>> {
        let idle = self.idle;
        let deadline = self.deadline.get_or_insert_with(|| Box::pin(tokio::time::sleep(idle)));
        ready!(deadline.as_mut().poll(cx));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the peer does not read its answer")))
    }
}

/// The deadline after so many bytes were taken: it moves by the time that they may take, and is never further away than
/// a pause may last.
fn extended(deadline: Instant, bytes: usize, now: Instant, idle: Duration) -> Instant {
    let earned = Duration::from_millis(bytes as u64 * 1_000 / RATE_MIN);
    (deadline + earned).min(now + idle)
}

impl<S: AsyncRead + Unpin> AsyncRead for Paced<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, into)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Paced<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match Pin::new(&mut self.stream).poll_write(cx, bytes) {
            Poll::Pending => self.behind(cx),
            Poll::Ready(written) => {
                self.taken(*written.as_ref().unwrap_or(&0));
                Poll::Ready(written)
            }
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match Pin::new(&mut self.stream).poll_write_vectored(cx, slices) {
            Poll::Pending => self.behind(cx),
            Poll::Ready(written) => {
                self.taken(*written.as_ref().unwrap_or(&0));
                Poll::Ready(written)
            }
        }
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// It is asked to flush when nothing is left to write.
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(cx);
        if flushed.is_ready() {
            self.deadline = None;
        }
        flushed
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    #[tokio::test]
    async fn an_answer_that_nobody_reads_is_given_up_and_one_that_is_read_is_not() {
        let idle = Duration::from_millis(30);
        let (ours, theirs) = tokio::io::duplex(1_000);
        let mut paced = Paced::new(ours, idle);
        let begun = Instant::now();
        let error = paced.write_all(&[0; 5_000]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert!(begun.elapsed() >= idle);
        drop(theirs);
        let (ours, mut theirs) = tokio::io::duplex(1_000);
        let mut paced = Paced::new(ours, idle);
        let reader = tokio::spawn(async move {
            let mut bytes = Vec::new();
            theirs.read_to_end(&mut bytes).await.map(|_| bytes.len())
        });
        paced.write_all(&[0; 500_000]).await.unwrap();
        paced.flush().await.unwrap();
        assert!(paced.deadline.is_none());
        drop(paced);
        assert_eq!(reader.await.unwrap().unwrap(), 500_000);
    }

    #[test]
    fn who_reads_slower_than_the_rate_uses_the_time_up() {
        let idle = Duration::from_secs(10);
        let begun = Instant::now();
        // What is taken each second, and when the deadline has passed.
        let ends = |bytes: usize| {
            let mut deadline = begun + idle;
            (1..120).find(|second| {
                let now = begun + Duration::from_secs(*second);
                deadline = extended(deadline, bytes, now, idle);
                deadline <= now
            })
        };
        assert_eq!(ends(0), Some(10));
        assert_eq!(ends(4 * 1024), Some(20), "half the rate");
        assert_eq!(ends(8 * 1024), None);
        assert_eq!(ends(1 << 20), None);
    }
}
