//! What happens on an open connection: one handler per connection, each an actor that reads and writes bytes and waits
//! on the wire's clock.

mod banner;
mod hello;
mod hostile;
mod http;
mod mongodb;
mod page;
mod stream;
mod tls;

use crate::clock::Clock;
use crate::draft::{Service, Unlisted};
use crate::internet::{Host, Internet, Port};
use crate::ledger::Visit;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, DuplexStream};

pub(crate) use http::{Request, Response, answer};
pub(crate) use page::escape;
pub(crate) use stream::pair;

/// A server closes a connection on which nothing was asked for so long.
const IDLE: Duration = Duration::from_secs(75);
/// One byte of a tarpit.
const TARPIT_STEP: Duration = Duration::from_secs(10);

/// Both sides of a conversation.
pub(crate) trait Peer: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Peer for T {}

/// What a handler knows.
pub(crate) struct Connection {
    pub internet: Arc<Internet>,
    pub clock: Clock,
    pub to: SocketAddr,
    pub visit: Visit,
    /// Set before the end, the client sees a reset instead of an orderly end.
    pub reset: Arc<AtomicBool>,
}

/// How a port answers the first packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Knock {
    Open,
    Closed,
    Filtered,
}

/// How a port of a host answers.
pub(crate) fn knock(host: &Host, port: u16) -> Knock {
    match host.port(port) {
        Some(Port::Service(Service::Closed, _)) => Knock::Closed,
        Some(Port::Service(Service::Filtered, _)) => Knock::Filtered,
        Some(_) => Knock::Open,
        None => match host.unlisted {
            Unlisted::Closed => Knock::Closed,
            Unlisted::Filtered => Knock::Filtered,
            Unlisted::Open => Knock::Open,
        },
    }
}

/// Serves one connection to its end.
pub(crate) async fn serve(connection: Connection, mut stream: DuplexStream) {
    let internet = connection.internet.clone();
    let Some(host) = internet.hosts.get(&connection.to.ip()) else { return };
    match host.port(connection.to.port()) {
        Some(Port::Web(web)) if web.tls => tls::web(&connection, host, web, stream).await,
        Some(Port::Web(web)) => http::web(&connection, host, web, &mut stream).await,
        Some(Port::Dns) => crate::dns::stream::serve(&connection, &mut stream).await,
        Some(Port::Source(source, certificate)) => {
            tls::source(&connection, *source, certificate.as_ref(), stream).await
        }
        Some(Port::Service(service, certificate)) => {
            banner::serve(&connection, service, certificate.as_ref(), stream).await
        }
        None => idle(&connection, &mut stream).await,
    }
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

    /// A value that differs at every moment, and is the same for the same moment: session identifiers, nonces.
    pub(crate) fn fresh(&self, purpose: &str, thing: &str) -> String {
        let moment = format!("{thing} {} {}", self.internet.state, self.now_ms());
        hex::encode(&crate::pki::derive(&self.internet.world, purpose, &moment)[..16])
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
