//! What happens on an open connection: one handler per connection, each an actor that reads and writes bytes and waits
//! on the wire's clock.

mod banner;
pub(crate) mod checkout;
pub(crate) mod connection;
pub(crate) mod datagram;
mod hello;
mod hostile;
pub(crate) mod http;
mod http2;
mod mongodb;
pub(crate) mod page;
pub(crate) mod request;
mod stream;
mod tls;

use crate::draft::{Service, Unlisted};
use crate::internet::{Host, Port};
use connection::{Connection, idle};
use tokio::io::DuplexStream;

pub(crate) use stream::pair;

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
