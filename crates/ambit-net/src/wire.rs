//! The wire: what lies below DNS, TLS and HTTP. Two implementations exist: live sockets here, and the simulated
//! internet in its own crate. Nothing above may ask which one it is.

use ambit_model::Timestamp;
use futures::future::BoxFuture;
pub use rustls_pki_types::TrustAnchor;
use std::future::poll_fn;
use std::io;
use std::mem::MaybeUninit;
use std::net::{IpAddr, SocketAddr, SocketAddrV4};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::mpsc::UnboundedSender;

/// A byte stream to a peer.
pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// A datagram socket.
pub trait Datagrams: Send + Sync {
    /// Sends one datagram.
    fn send_to<'a>(&'a self, bytes: &'a [u8], to: SocketAddr) -> BoxFuture<'a, io::Result<()>>;
    /// Connects the socket: from then on it hears `to` alone, and that nothing listens there (ICMP port unreachable)
    /// is a refused connection in `receive` or `send_to`.
    fn connect(&self, to: SocketAddr) -> io::Result<()>;
    /// Receives one datagram, cut at the buffer's length.
    fn receive<'a>(&'a self, buffer: &'a mut [u8]) -> BoxFuture<'a, io::Result<(usize, SocketAddr)>>;
}

/// What a port says that was asked with half a handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HalfOpenAnswer {
    pub from: SocketAddrV4,
    /// It accepts connections; else it refuses them.
    pub accepts: bool,
    /// When the answer came.
    pub at: WireTime,
}

/// Where answers of ports go.
pub type HalfOpenAnswers = UnboundedSender<HalfOpenAnswer>;

/// Time since the wire was made; never goes back.
pub type WireTime = Duration;

/// Keeps the wire's clock from jumping ahead while it lives (no effect on live wires).
pub trait Hold: Send {}

/// Bytes that are taken from a stream at once.
const TAKEN_BYTES_MAX: usize = 8 * 1024;

/// Waits for bytes of a stream and adds them to those that came before; returns how many, 0 at the end. Memory for them
/// is taken only when they are there: a run waits at thousands of streams at once.
pub(crate) async fn read_more(stream: &mut (impl AsyncRead + Unpin), bytes: &mut Vec<u8>) -> io::Result<usize> {
    poll_fn(|cx| {
        let mut room = [MaybeUninit::uninit(); TAKEN_BYTES_MAX];
        let mut taken = ReadBuf::uninit(&mut room);
        ready!(Pin::new(&mut *stream).poll_read(cx, &mut taken))?;
        bytes.extend_from_slice(taken.filled());
        Poll::Ready(Ok(taken.filled().len()))
    })
    .await
}

/// An internet: streams, datagrams, clock and date, randomness, resolvers, trust roots, reserved ranges.
pub trait Wire: Send + Sync {
    /// Opens a TCP connection. The guard has allowed the address. No time-out of its own: the caller races it with
    /// `sleep_until`.
    /// `NetworkUnreachable` and `NetworkDown` say that this machine has no way there; what others say of the way is
    /// `HostUnreachable`.
    fn connect(&self, to: SocketAddr) -> BoxFuture<'static, io::Result<Box<dyn Stream>>>;

    /// Asks a port with half a handshake, which takes no socket. What it says comes to `answers` as long as the clock
    /// does not show `until`; asked again meanwhile, it says it once. `None` where this wire cannot: then connecting is
    /// the way to know. `WouldBlock` says that the system has no room for the question now; other errors are those of
    /// `connect`.
    fn half_open(&self, _to: SocketAddrV4, _until: WireTime, _answers: &HalfOpenAnswers) -> Option<io::Result<()>> {
        None
    }

    /// Returns whether the streams of other programs can be carried over it: its clock is theirs.
    fn carries_programs(&self) -> bool {
        false
    }

    /// Opens a datagram socket on a random local port of the family of `peer`.
    fn datagrams(&self, peer: IpAddr) -> io::Result<Box<dyn Datagrams>>;

    /// The monotonic clock.
    fn now(&self) -> WireTime;

    /// The date that certificates and judges are measured by.
    fn date(&self) -> Timestamp;

    /// Waits until the monotonic clock shows `at`.
    fn sleep_until(&self, at: WireTime) -> BoxFuture<'static, ()>;

    /// Wraps a task, so that the wire's clock may jump ahead only while every wrapped task is parked in a wait of the
    /// wire. Everything that waits on the wire runs inside one. Live wires return the future as it is.
    fn track(&self, task: BoxFuture<'static, ()>) -> BoxFuture<'static, ()>;

    /// Holds the clock, as a task that computes does.
    fn hold(&self) -> Box<dyn Hold>;

    /// Fills the buffer with random bytes (DNS ids, 0x20, sampling); simulated ones are seeded.
    fn random(&self, buffer: &mut [u8]);

    /// Addresses of the recursive resolvers.
    fn resolvers(&self) -> Vec<SocketAddr>;

    /// The certificate authorities that a browser on this internet trusts, as DER.
    fn trust_roots(&self) -> Arc<Vec<TrustAnchor<'static>>>;

    /// Ranges that are never a target unless a seed or an operator names them.
    fn reserved(&self) -> &[ipnet::IpNet];
}
