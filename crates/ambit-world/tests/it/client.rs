//! A client that knows nothing but bytes: DNS messages by hand, TLS by the library with a verifier that records.

use ambit_net::wire::{Stream, Wire};
use ambit_world::SimulatedWire;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls_pki_types::{CertificateDer, ServerName, UnixTime};
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::oneshot;

/// How long the client waits for anything.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Client {
    wire: Arc<SimulatedWire>,
}

/// An answer to a request.
pub(crate) struct Answer {
    pub(crate) head: String,
    pub(crate) body: String,
    pub(crate) chain: Vec<CertificateDer<'static>>,
    /// The chain led to a root of the wire, now, for the name.
    pub(crate) trusted: bool,
}

impl Client {
    pub(crate) fn new(wire: Arc<SimulatedWire>) -> Self {
        Self { wire }
    }

    pub(crate) fn now(&self) -> Duration {
        self.wire.now()
    }

    /// Runs a task on the wire's clock; `None` when patience ended.
    async fn run<T: Send + 'static>(&self, task: impl Future<Output = T> + Send + 'static) -> Option<T> {
        let (done, result) = oneshot::channel();
        let wire = self.wire.clone();
        tokio::spawn(self.wire.track(Box::pin(async move {
            let limit = wire.sleep_until(wire.now() + PATIENCE);
            let outcome = tokio::select! {
                outcome = task => Some(outcome),
                () = limit => None,
            };
            let _ = done.send(outcome);
        })));
        result.await.unwrap()
    }

    async fn open(wire: &SimulatedWire, address: &str, port: u16) -> io::Result<Box<dyn Stream>> {
        wire.connect(SocketAddr::new(address.parse().unwrap(), port)).await
    }

    pub(crate) async fn knock(&self, address: &str, port: u16) -> &'static str {
        let (wire, address) = (self.wire.clone(), address.to_owned());
        match self.run(async move { Self::open(&wire, &address, port).await.map(|_| ()) }).await {
            Some(Ok(())) => "open",
            Some(Err(error)) if error.kind() == io::ErrorKind::ConnectionRefused => "closed",
            Some(Err(_)) | None => "filtered",
        }
    }

    /// Says something and reads until there is so much, the end, or patience ends.
    pub(crate) async fn talk(&self, address: &str, port: u16, say: &[u8], wanted: usize) -> io::Result<Vec<u8>> {
        let (wire, address, say) = (self.wire.clone(), address.to_owned(), say.to_vec());
        let heard = Arc::new(Mutex::new(Vec::new()));
        let hears = heard.clone();
        let outcome: Option<io::Result<()>> = self
            .run(async move {
                let mut stream = Self::open(&wire, &address, port).await?;
                stream.write_all(&say).await?;
                loop {
                    let missing = wanted - hears.lock().unwrap().len();
                    let mut buffer = vec![0; missing];
                    let count = stream.read(&mut buffer).await?;
                    hears.lock().unwrap().extend(&buffer[..count]);
                    if count == 0 || count == missing {
                        return Ok(());
                    }
                }
            })
            .await;
        outcome.unwrap_or(Ok(()))?;
        Ok(Arc::try_unwrap(heard)
            .map_or_else(|heard| heard.lock().unwrap().clone(), |heard| heard.into_inner().unwrap()))
    }

    pub(crate) async fn get(&self, address: &str, sni: Option<&str>, host: &str, path: &str) -> io::Result<Answer> {
        self.send_tls((address, 443), sni.unwrap_or("none.invalid"), get(host, path)).await
    }

    /// Sends a request over TLS and reads to the end.
    pub(crate) async fn send_tls(&self, to: (&str, u16), sni: &str, request: String) -> io::Result<Answer> {
        let wire = self.wire.clone();
        let (address, port, sni) = (to.0.to_owned(), to.1, sni.to_owned());
        let answer = self.run(async move {
            let stream = Self::open(&wire, &address, port).await?;
            let mut roots = rustls::RootCertStore::empty();
            roots.roots = wire.trust_roots().to_vec();
            let provider = Arc::new(rustls::crypto::ring::default_provider());
            let strict =
                WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider.clone()).build().unwrap();
            let verifier = Arc::new(Recorder {
                strict,
                seconds: u64::try_from(wire.date().0 / 1_000).unwrap(),
                trusted: Mutex::new(false),
            });
            let mut config = rustls::ClientConfig::builder_with_provider(provider)
                .with_safe_default_protocol_versions()
                .unwrap()
                .dangerous()
                .with_custom_certificate_verifier(verifier.clone())
                .with_no_client_auth();
            config.alpn_protocols = vec![b"http/1.1".to_vec()];
            let connector = tokio_rustls::TlsConnector::from(Arc::new(config));
            let mut stream = connector.connect(ServerName::try_from(sni).unwrap(), stream).await?;
            let chain = stream
                .get_ref()
                .1
                .peer_certificates()
                .unwrap_or_default()
                .iter()
                .map(|cert| cert.clone().into_owned())
                .collect();
            let (head, body) = exchange(&mut stream, &request).await?;
            let trusted = *verifier.trusted.lock().unwrap();
            Ok(Answer { head, body, chain, trusted })
        });
        answer.await.unwrap_or_else(|| Err(io::ErrorKind::TimedOut.into()))
    }

    pub(crate) async fn get_plain(&self, address: &str, host: &str, path: &str) -> io::Result<Answer> {
        self.send_plain((address, 80), get(host, path)).await
    }

    /// Sends a request in plain text and reads to the end.
    pub(crate) async fn send_plain(&self, to: (&str, u16), request: String) -> io::Result<Answer> {
        let (wire, address, port) = (self.wire.clone(), to.0.to_owned(), to.1);
        let answer = self.run(async move {
            let mut stream = Self::open(&wire, &address, port).await?;
            let (head, body) = exchange(&mut stream, &request).await?;
            Ok(Answer { head, body, chain: Vec::new(), trusted: false })
        });
        answer.await.unwrap_or_else(|| Err(io::ErrorKind::TimedOut.into()))
    }

    /// Sends a datagram; `None`: nobody answered.
    pub(crate) async fn send_datagram(&self, address: &str, port: u16, bytes: Vec<u8>) -> Option<Vec<u8>> {
        let (wire, to) = (self.wire.clone(), SocketAddr::new(address.parse().unwrap(), port));
        let answer = self.run(async move {
            let socket = wire.datagrams(to.ip()).unwrap();
            socket.send_to(&bytes, to).await.unwrap();
            let mut buffer = [0; 2_000];
            let (length, _) = socket.receive(&mut buffer).await.ok()?;
            Some(buffer[..length].to_vec())
        });
        answer.await.flatten()
    }

    /// Lets wire time pass.
    pub(crate) async fn pass(&self, time: Duration) {
        let wire = self.wire.clone();
        self.run(async move { wire.sleep_until(wire.now() + time).await }).await;
    }

    /// A client hello of TLS 1.0; what came back.
    pub(crate) async fn old_hello(&self, address: &str, name: &str) -> Vec<u8> {
        let list = [&[0][..], &u16::try_from(name.len()).unwrap().to_be_bytes(), name.as_bytes()].concat();
        let sni = [&u16::try_from(list.len()).unwrap().to_be_bytes()[..], &list].concat();
        let extension = [&[0, 0][..], &u16::try_from(sni.len()).unwrap().to_be_bytes(), &sni].concat();
        let mut body = vec![3, 1];
        body.extend([7; 32]);
        body.extend([0, 0, 4, 0, 0x2f, 0, 0x35, 1, 0]);
        body.extend(u16::try_from(extension.len()).unwrap().to_be_bytes());
        body.extend(extension);
        let length = u32::try_from(body.len()).unwrap().to_be_bytes();
        let message = [&[1][..], &length[1..], &body].concat();
        let record = [&[22, 3, 1][..], &u16::try_from(message.len()).unwrap().to_be_bytes(), &message].concat();
        self.talk(address, 443, &record, 11).await.unwrap()
    }

    pub(crate) async fn resolve(&self, name: &str, rtype: &str) -> String {
        self.ask("198.19.0.1", name, rtype).await.replacen(" ra", "", 1)
    }

    pub(crate) async fn ask(&self, server: &str, name: &str, rtype: &str) -> String {
        let wire = self.wire.clone();
        let to = SocketAddr::new(server.parse().unwrap(), 53);
        let query = query(name, rtype);
        let answer = self.run(async move {
            let socket = wire.datagrams(to.ip()).unwrap();
            socket.send_to(&query, to).await.unwrap();
            let mut buffer = [0; 2_000];
            let (length, from) = socket.receive(&mut buffer).await.unwrap();
            assert_eq!(from, to);
            show(&buffer[..length])
        });
        answer.await.unwrap_or_else(|| "silence".to_owned())
    }

    pub(crate) async fn ask_tcp(&self, server: &str, name: &str, rtype: &str) -> String {
        let (wire, server, query) = (self.wire.clone(), server.to_owned(), query(name, rtype));
        let transfer = rtype == "AXFR";
        let answer = self.run(async move {
            let mut stream = Self::open(&wire, &server, 53).await.unwrap();
            stream.write_u16(u16::try_from(query.len()).unwrap()).await.unwrap();
            stream.write_all(&query).await.unwrap();
            let mut shown = String::new();
            loop {
                let length = stream.read_u16().await.unwrap();
                let mut message = vec![0; usize::from(length)];
                stream.read_exact(&mut message).await.unwrap();
                shown.push_str(&show(&message));
                if !transfer || !shown.starts_with("NOERROR") || shown.matches("SOA").count() == 2 {
                    return shown;
                }
            }
        });
        answer.await.unwrap_or_else(|| "silence".to_owned())
    }
}

fn get(host: &str, path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")
}

async fn exchange(
    stream: &mut (impl tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin),
    request: &str,
) -> io::Result<(String, String)> {
    stream.write_all(request.as_bytes()).await?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").ok_or(io::ErrorKind::UnexpectedEof)?;
    Ok((format!("{head}\r\n"), body.to_owned()))
}

/// Accepts everything, and remembers whether a strict client would have.
#[derive(Debug)]
struct Recorder {
    strict: Arc<WebPkiServerVerifier>,
    seconds: u64,
    trusted: Mutex<bool>,
}

impl ServerCertVerifier for Recorder {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let now = UnixTime::since_unix_epoch(Duration::from_secs(self.seconds));
        let outcome = self.strict.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now);
        *self.trusted.lock().unwrap() = outcome.is_ok();
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &rustls::DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &rustls::DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.strict.verify_tls13_signature(message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<rustls::SignatureScheme> {
        self.strict.supported_verify_schemes()
    }
}

const TYPES: &[(&str, u16)] = &[
    ("A", 1),
    ("NS", 2),
    ("CNAME", 5),
    ("SOA", 6),
    ("PTR", 12),
    ("MX", 15),
    ("TXT", 16),
    ("AAAA", 28),
    ("SRV", 33),
    ("DNAME", 39),
    ("DS", 43),
    ("NSEC", 47),
    ("SVCB", 64),
    ("HTTPS", 65),
    ("AXFR", 252),
    ("CAA", 257),
];

fn query(name: &str, rtype: &str) -> Vec<u8> {
    let number = TYPES.iter().find(|(known, _)| *known == rtype).unwrap().1;
    let mut bytes = vec![0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
    for label in name.split('.') {
        bytes.push(u8::try_from(label.len()).unwrap());
        bytes.extend(label.as_bytes());
    }
    bytes.push(0);
    bytes.extend(number.to_be_bytes());
    bytes.extend([0, 1]);
    bytes
}

/// Response code, flags and answers of a message in one line.
fn show(bytes: &[u8]) -> String {
    let word = |at: usize| u16::from_be_bytes([bytes[at], bytes[at + 1]]);
    assert_eq!(word(0), 0x1234);
    let mut out = match word(2) & 15 {
        0 => "NOERROR",
        2 => "SERVFAIL",
        3 => "NXDOMAIN",
        5 => "REFUSED",
        _ => "OTHER",
    }
    .to_owned();
    for (bit, flag) in [(0x0400, " aa"), (0x0200, " tc"), (0x0080, " ra")] {
        if word(2) & bit != 0 {
            out.push_str(flag);
        }
    }
    let mut at = 12;
    name(bytes, &mut at);
    at += 4;
    let records: Vec<String> = (0..word(6)).map(|_| record(bytes, &mut at)).collect();
    if !records.is_empty() {
        out.push(' ');
        out.push_str(&records.join("; "));
    }
    out
}

fn record(bytes: &[u8], at: &mut usize) -> String {
    let owner = name(bytes, at);
    let number = u16::from_be_bytes([bytes[*at], bytes[*at + 1]]);
    let rtype = TYPES.iter().find(|(_, known)| *known == number).unwrap().0;
    let length = usize::from(u16::from_be_bytes([bytes[*at + 8], bytes[*at + 9]]));
    *at += 10;
    let data = &bytes[*at..*at + length];
    let mut inner = *at;
    *at += length;
    let word = |at: usize| u16::from_be_bytes([data[at], data[at + 1]]);
    let shown = match rtype {
        "A" => std::net::Ipv4Addr::from(<[u8; 4]>::try_from(data).unwrap()).to_string(),
        "AAAA" => std::net::Ipv6Addr::from(<[u8; 16]>::try_from(data).unwrap()).to_string(),
        "MX" => {
            inner += 2;
            format!("{} {}", word(0), name(bytes, &mut inner))
        }
        "SRV" => {
            inner += 6;
            format!("{} {} {} {}", word(0), word(2), word(4), name(bytes, &mut inner))
        }
        "TXT" => {
            let mut text = Vec::new();
            let mut rest = data;
            while let Some((length, after)) = rest.split_first() {
                text.extend(&after[..usize::from(*length)]);
                rest = &after[usize::from(*length)..];
            }
            String::from_utf8_lossy(&text).into_owned()
        }
        "CAA" => {
            let tag = usize::from(data[1]);
            format!(
                "{} {} {}",
                data[0],
                String::from_utf8_lossy(&data[2..2 + tag]),
                String::from_utf8_lossy(&data[2 + tag..])
            )
        }
        "DS" => format!("{} {} {} {}", word(0), data[2], data[3], hex::encode(&data[4..])),
        "HTTPS" | "SVCB" => hex::encode(data),
        "SOA" => String::new(),
        _ => name(bytes, &mut inner),
    };
    format!("{owner} {rtype} {shown}")
}

fn name(bytes: &[u8], at: &mut usize) -> String {
    let mut labels = Vec::new();
    loop {
        let length = usize::from(bytes[*at]);
        if length & 0xc0 == 0xc0 {
            let mut target = (length & 0x3f) << 8 | usize::from(bytes[*at + 1]);
            *at += 2;
            labels.push(name(bytes, &mut target));
            break;
        }
        *at += 1;
        if length == 0 {
            break;
        }
        labels.push(String::from_utf8_lossy(&bytes[*at..*at + length]).to_ascii_lowercase());
        *at += length;
    }
    labels.join(".")
}
