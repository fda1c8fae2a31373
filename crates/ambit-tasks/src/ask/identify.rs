//! Identifies the protocol and product of a service. It listens first, then asks what the port suggests, then what most
//! services understand: in the clear, and inside TLS if the service begins with that. Nothing here logs in or writes.

use crate::Context;
use crate::read::greeting::{self, Greeting};
use crate::read::technology;
use crate::tasks::tls_grab::TLS_PORTS;
use ambit_fingerprints::{Product, Set};
use ambit_model::entity::network_service::Service;
use ambit_net::http::{HttpExchange, Url};
use ambit_net::tcp::{Banner, BannerOptions};
use ambit_net::tls::TlsOptions;
use ambit_net::{Grant, Meaning, NetError, Phase};
use std::net::SocketAddr;
use std::time::Duration;

/// The prefix of the name of a web server, if the service sent nothing else.
pub(crate) const SERVER: &str = "Server: ";

/// What a service showed of itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Identity {
    /// The protocol's name; `None` if it was not recognised.
    pub(crate) service: Option<Service>,
    /// The connection begins with TLS, and the protocol is spoken inside.
    pub(crate) ssl: bool,
    /// The first bytes of the service, before or after a question.
    pub(crate) said: Vec<u8>,
    /// Products that showed themselves.
    pub(crate) products: Vec<Product>,
    /// True if it serves without authentication.
    pub(crate) no_authentication: bool,
}

impl Identity {
    /// Where it is spoken to.
    pub(crate) fn layer(&self) -> Layer {
        if self.ssl { Layer::Tls } else { Layer::Plain }
    }

    /// Returns the protocol as far as it was recognised: `TLS` if only that was, `?` for an unknown greeting, `None` if
    /// the service stayed silent.
    pub(crate) fn voice(&self) -> Option<&'static str> {
        let unknown = || (!self.said.is_empty()).then_some("?");
        self.service.map(Service::as_str).or(self.ssl.then_some("TLS")).or_else(unknown)
    }
}

/// How long a service may take to greet: most do at once, slow name look-ups on their side take a few seconds.
const GREETING_TIMEOUT: Duration = Duration::from_secs(6);
/// How long an answer to a question may take.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(4);
/// Bytes of a greeting or an answer that are read.
const BYTES_MAX: usize = 4_096;
/// Bytes of a web answer's body that are read to recognise a product.
const BODY_KEPT: usize = 16 * 1_024;

/// A question, and the ports on which it is the first to ask.
struct Probe {
    ports: &'static [u16],
    send: &'static [u8],
}

/// Small questions that a service of the port understands; each is answered without any login.
const PROBES: &[Probe] = &[
    Probe {
        ports: &[6379, 6380, 26379],
        send: b"PING\r\n",
    },
    // PostgreSQL: may we speak TLS? One byte comes back.
    Probe {
        ports: &[5432, 5433],
        send: &[0, 0, 0, 8, 4, 0xd2, 0x16, 0x2f],
    },
    // RDP: an X.224 connection request that offers TLS and CredSSP.
    Probe {
        ports: &[3389],
        send: &[3, 0, 0, 19, 14, 0xe0, 0, 0, 0, 0, 0, 1, 0, 8, 0, 3, 0, 0, 0],
    },
    Probe {
        ports: &[139, 445],
        send: SMB_NEGOTIATE,
    },
    // LDAP: a search for the root entry, which is public by design.
    Probe {
        ports: &[389, 636, 3268, 3269],
        send: b"\x30\x25\x02\x01\x01\x63\x20\x04\x00\x0a\x01\x00\x0a\x01\x00\x02\x01\x00\x02\x01\x00\x01\x01\x00\x87\x0bobjectClass\x30\x00",
    },
    Probe {
        ports: &[11211, 11214],
        send: VERSION,
    },
    Probe {
        ports: &[27017, 27018],
        send: MONGO_HELLO,
    },
    Probe {
        ports: &[1883, 8883],
        send: b"\x10\x11\x00\x04MQTT\x04\x02\x00\x0f\x00\x05ambit",
    },
    Probe {
        ports: &[5671, 5672],
        send: b"AMQP\x00\x00\x09\x01",
    },
    Probe {
        ports: &[1433, 1434],
        send: &[
            0x12, 1, 0, 0x2f, 0, 0, 1, 0, 0, 0, 0x1a, 0, 6, 1, 0, 0x20, 0, 1, 2, 0, 0x21, 0, 1, 3, 0, 0x22, 0, 4, 4, 0,
            0x26, 0, 1, 0xff, 17, 0, 0,
            0, 0, 0, 2, 0, 0, 0, 0, 0, 0,
        ],
    },
    Probe {
        ports: &[554],
        send: b"OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n",
    },
    Probe {
        ports: &[53],
        send: b"\x00\x11\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x01",
    },
    Probe {
        ports: &[2181],
        send: b"ruok",
    },
];

/// Asks memcached for its version.
const VERSION: &[u8] = b"version\r\n";

/// An SMB1 negotiation that offers SMB2, so that servers of every age answer.
const SMB_NEGOTIATE: &[u8] = b"\x00\x00\x00\x45\xffSMB\x72\x00\x00\x00\x00\x18\x01\x28\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x22\x00\x02NT LM 0.12\x00\x02SMB 2.002\x00\x02SMB 2.???\x00";

/// MongoDB's OP_QUERY `admin.$cmd {isMaster: 1}`.
const MONGO_HELLO: &[u8] = b"\x3a\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\xd4\x07\x00\x00\x00\x00\x00\x00admin.$cmd\x00\x00\x00\x00\x00\xff\xff\xff\xff\x13\x00\x00\x00\x10isMaster\x00\x01\x00\x00\x00\x00";

/// Ports whose service never greets, be it inside TLS: listening first would only cost time.
const SILENT_PORTS: &[u16] = &[
    80, 81, 443, 444, 445, 636, 853, 1433, 2083, 2087, 2096, 2376, 3000, 3269, 3389, 4443, 5000, 5061, 5432, 5433,
    5671, 5986, 6379, 6380, 6443, 7443, 8000, 8008, 8080, 8081, 8088, 8333, 8443, 8444, 8883, 8888, 9000, 9043, 9090,
    9200, 9443, 10250, 10443, 11211, 27017,
];

/// What lies between the connection and the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layer {
    /// Nothing.
    Plain,
    /// TLS from the first byte.
    Tls,
}

/// Identifies the service. Fails only if it could not be reached at all.
pub(crate) async fn identify(cx: &Context<'_>, socket: SocketAddr) -> Result<Identity, NetError> {
    let mut failure = None;
    let encrypted_first = TLS_PORTS.contains(&socket.port());
    if encrypted_first && let Some(identity) = encrypted(cx, socket, &mut failure).await? {
        return Ok(identity);
    }
    let mut identity = by_port(cx, socket, Layer::Plain, &mut failure).await;
    if identity.service.is_none() && !encrypted_first {
        // Whether it begins with TLS says nothing of the way to it that is not known yet.
        if let Some(inside) = encrypted(cx, socket, &mut None).await? {
            return Ok(better(identity, inside));
        }
    }
    if identity.service.is_none() {
        identity = better(identity, by_custom(cx, socket, Layer::Plain, &mut failure).await);
    }
    heard(identity, failure)
}

/// Returns what was heard, or the failure if nothing could be reached.
fn heard(identity: Identity, failure: Option<NetError>) -> Result<Identity, NetError> {
    match failure {
        Some(error) if identity.service.is_none() && identity.said.is_empty() && unreachable(&error) => Err(error),
        _ => Ok(identity),
    }
}

/// Who speaks inside TLS; `None` where the service does not begin with TLS. An error only where it does, and then could
/// not be reached again.
async fn encrypted(
    cx: &Context<'_>,
    socket: SocketAddr,
    failure: &mut Option<NetError>,
) -> Result<Option<Identity>, NetError> {
    let may_be_web = match cx.net.tls(socket, None, &TlsOptions::browser()).await {
        Ok(_) => true,
        // It speaks TLS, and inside another protocol.
        Err(NetError::NoHttp) => false,
        Err(error) => {
            *failure = failure.take().or(Some(error));
            return Ok(None);
        }
    };
    let mut lost = None;
    let mut identity = by_port(cx, socket, Layer::Tls, &mut lost).await;
    if identity.service.is_none() {
        let later = match may_be_web {
            true => by_custom(cx, socket, Layer::Tls, &mut lost).await,
            false => by_line(cx, socket, Layer::Tls).await,
        };
        identity = better(identity, later);
    }
    identity.ssl = true;
    heard(identity, lost).map(Some)
}

/// What services send unasked, or in answer to the question of their port.
async fn by_port(cx: &Context<'_>, socket: SocketAddr, layer: Layer, failure: &mut Option<NetError>) -> Identity {
    let (port, rules) = (socket.port(), &*cx.settings.fingerprints);
    let mut identity = Identity::default();
    if !SILENT_PORTS.contains(&port) {
        // Where TLS is not the custom it was listened to before, and the handshake has just shown that it is awake.
        let again = layer == Layer::Tls && !TLS_PORTS.contains(&port);
        let patience = if again { ANSWER_TIMEOUT } else { GREETING_TIMEOUT };
        match ask(cx, socket, layer, b"", patience).await {
            Ok(said) => identity = read(rules, &said, port, false),
            Err(error) => *failure = failure.take().or(Some(error)),
        }
    }
    let probe = PROBES.iter().find(|probe| probe.ports.contains(&port));
    if let Some(probe) = probe.filter(|_| identity.service.is_none()) {
        match ask(cx, socket, layer, probe.send, ANSWER_TIMEOUT).await {
            Ok(said) => identity = better(identity, read(rules, &said, port, true)),
            Err(error) => *failure = failure.take().or(Some(error)),
        }
    }
    identity
}

/// What most services understand: HTTP, a line.
async fn by_custom(cx: &Context<'_>, socket: SocketAddr, layer: Layer, failure: &mut Option<NetError>) -> Identity {
    match web(cx, socket, layer).await {
        Ok(identity) => return identity,
        // HTTP/2 alone.
        Err(NetError::OtherHttp) => return Identity { service: Some(Service::Http), ..Identity::default() },
        Err(error) => *failure = failure.take().or(Some(error)),
    }
    by_line(cx, socket, layer).await
}

/// Identifies protocols of lines by their answer to a line.
async fn by_line(cx: &Context<'_>, socket: SocketAddr, layer: Layer) -> Identity {
    match ask(cx, socket, layer, b"PING\r\n", ANSWER_TIMEOUT).await {
        // Memcached at another port than its own, or whatever knows no PING either.
        Ok(said) if said.starts_with(b"ERROR\r\n") => match ask(cx, socket, layer, VERSION, ANSWER_TIMEOUT).await {
            Ok(version) => read(&cx.settings.fingerprints, &version, socket.port(), true),
            Err(_) => Identity { said, ..Identity::default() },
        },
        Ok(said) => read(&cx.settings.fingerprints, &said, socket.port(), true),
        Err(_) => Identity::default(),
    }
}

async fn web(cx: &Context<'_>, socket: SocketAddr, layer: Layer) -> Result<Identity, NetError> {
    let url = Url::site(layer == Layer::Tls, &socket.ip().to_string(), socket.port())?;
    let mut request = cx.net.get(&url.to_string())?;
    request.address = Some(socket);
    request.grant = Grant::Target;
    request.body_kept = BODY_KEPT;
    let exchange = cx.net.http(&request).await?;
    Ok(read_web(&cx.settings.fingerprints, &exchange))
}

/// The identity of a web service: its server, and products that serve anonymous requests.
fn read_web(rules: &Set, exchange: &HttpExchange) -> Identity {
    let header = |name: &str| {
        let mut named = exchange.headers.iter().filter(|(known, _)| known.raw().eq_ignore_ascii_case(name));
        named.next().map(|(_, value)| value.raw().to_owned())
    };
    let body = String::from_utf8_lossy(&exchange.body);
    let mut products: Vec<Product> =
        header("server").iter().flat_map(|server| technology::web_servers(rules, server)).collect();
    let welcome = greeting::welcome(&body);
    // CouchDB welcomes everybody; Elasticsearch only whom it serves.
    let open = exchange.status == 200 && welcome.as_ref().is_some_and(|product| product.product == "Elasticsearch");
    products.extend(welcome);
    Identity {
        service: Some(Service::Http),
        ssl: false,
        said: header("server").map(|server| format!("{SERVER}{server}").into_bytes()).unwrap_or_default(),
        products,
        no_authentication: open,
    }
}

/// One connection: sends, then reads what comes first. Silence is an empty answer.
async fn ask(
    cx: &Context<'_>,
    socket: SocketAddr,
    layer: Layer,
    send: &[u8],
    timeout: Duration,
) -> Result<Vec<u8>, NetError> {
    let options = BannerOptions { send: send.to_vec(), bytes_max: BYTES_MAX, timeout };
    Ok(read_banner(cx, socket, layer, &options).await?.bytes)
}

/// Reads a banner, in the clear or inside TLS.
pub(crate) async fn read_banner(
    cx: &Context<'_>,
    socket: SocketAddr,
    layer: Layer,
    options: &BannerOptions,
) -> Result<Banner, NetError> {
    match layer {
        Layer::Plain => cx.net.read_banner(socket, None, options).await,
        Layer::Tls => cx.net.read_banner_inside(socket, None, options).await,
    }
}

fn read(rules: &Set, said: &[u8], port: u16, asked: bool) -> Identity {
    let Some(Greeting { service, products, no_authentication }) = greeting::read(rules, said, port, asked) else {
        return Identity { said: said.to_vec(), ..Identity::default() };
    };
    Identity { service: Some(service), ssl: false, said: said.to_vec(), products, no_authentication }
}

/// The later identity, with what was heard before where it heard nothing.
fn better(earlier: Identity, mut later: Identity) -> Identity {
    if later.said.is_empty() {
        later.said = earlier.said;
    }
    later
}

/// True where the failure says that nothing was reached, rather than that the question was not understood.
fn unreachable(error: &NetError) -> bool {
    match error {
        NetError::Timeout(phase) => *phase == Phase::Connecting,
        NetError::ConnectionRefused | NetError::Unreachable(_) | NetError::Offline(_) => true,
        _ => error.meaning() == Meaning::NotAsked || matches!(error, NetError::Budget(_)),
    }
}
