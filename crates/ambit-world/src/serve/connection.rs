//! An open connection: what its handler knows of it, and waiting on the wire's clock.

use crate::clock::Clock;
use crate::exchange::Exchange;
use crate::internet::Internet;
use crate::ledger::Visit;
use crate::turns::Turns;
use std::borrow::Cow;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};

/// A server closes a connection on which nothing was asked for so long.
pub(crate) const IDLE: Duration = Duration::from_secs(75);

/// Both sides of a conversation.
pub(crate) trait Peer: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Peer for T {}

/// What a handler knows.
pub(crate) struct Connection {
    pub internet: Arc<Internet>,
    pub clock: Clock,
    pub to: SocketAddr,
    pub visit: Visit,
    pub turns: Turns,
    /// How many connections the port had before.
    pub turn: usize,
    /// Set before the end, the client sees a reset instead of an orderly end.
    pub reset: Arc<AtomicBool>,
}

impl Connection {
    /// The end that a client sees as a reset.
    pub(crate) fn reset(&self) {
        self.reset.store(true, Ordering::Release);
    }

    /// Milliseconds of wire time.
    pub(crate) fn now_ms(&self) -> u128 {
        self.clock.now().as_millis()
    }

    /// The date on the wire now.
    pub(crate) fn date(&self) -> ambit_model::Timestamp {
        let ms = i64::try_from(self.now_ms()).unwrap_or(i64::MAX);
        self.internet.start().plus_ms(ms)
    }

    /// Tells what the client asked under which name, and how that was answered.
    pub(crate) fn tell(&self, name: Option<&str>, asked: &str, answer: impl FnOnce() -> String) {
        self.visit.tell(|| Exchange {
            date: self.date(),
            to: self.to,
            datagram: false,
            name: name.map(str::to_owned),
            asked: asked.to_owned(),
            answer: answer(),
        });
    }

    /// A value that differs at every moment, and is the same for the same moment: session identifiers, nonces.
    pub(crate) fn fresh(&self, purpose: &str, thing: &str) -> String {
        let moment = format!("{thing} {} {}", self.internet.state, self.now_ms());
        hex::encode(&crate::pki::derive(&self.internet.world, purpose, &moment)[..16])
    }

    /// A text that may name the number of the connection, or the time.
    pub(crate) fn filled<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if !text.contains('{') {
            return Cow::Borrowed(text);
        }
        let number = (self.turn + 1).to_string();
        Cow::Owned(text.replace("{connection}", &number).replace("{time}", &http_date(self.date())))
    }

    /// The future's outcome, or `None` when `limit` of wire time has passed.
    pub(crate) async fn within<T>(&self, limit: Duration, future: impl Future<Output = T>) -> Option<T> {
        let sleep = self.clock.sleep(limit);
        tokio::pin!(future);
        tokio::select! {
            biased;
            outcome = &mut future => Some(outcome),
            () = sleep => None,
        }
    }

    /// Waits, but not longer than the client stays.
    pub(crate) async fn pause(&self, length: Duration, stream: &mut impl Peer) -> bool {
        self.within(length, gone(stream)).await.is_none()
    }
}

/// Says nothing until the client goes or an hour has passed.
pub(crate) async fn idle(connection: &Connection, stream: &mut impl Peer) {
    connection.within(Duration::from_secs(3_600), gone(stream)).await;
}

/// Reads and forgets until the client closes its side.
pub(crate) async fn gone(stream: &mut impl Peer) {
    let mut buffer = [0; 4_096];
    while matches!(stream.read(&mut buffer).await, Ok(1..)) {}
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`.
pub(crate) fn http_date(moment: ambit_model::Timestamp) -> String {
    let at = time::OffsetDateTime::from_unix_timestamp(moment.0.div_euclid(1_000))
        .unwrap_or(time::OffsetDateTime::UNIX_EPOCH);
    let (weekday, month) = (at.weekday().to_string(), at.month().to_string());
    format!(
        "{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT",
        &weekday[..3],
        at.day(),
        &month[..3],
        at.year(),
        at.hour(),
        at.minute(),
        at.second()
    )
}
