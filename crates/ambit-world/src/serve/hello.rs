//! The first bytes of TLS, by hand: what a client offers, and the answers that no modern library gives any more.

use super::connection::Peer;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};

/// Longest client hello, in bytes: what servers accept.
const HELLO_BYTES_MAX: usize = 64 << 10;
/// Head of a plain request that is looked at, in bytes.
const PLAIN_HEAD_BYTES_MAX: u64 = 8 << 10;
/// TLS 1.0, as in the header of a record.
const TLS_1_0: u16 = 0x0301;
/// Alert: no name as asked (RFC 6066 §3).
pub(super) const UNRECOGNIZED_NAME: u8 = 112;
/// Alert: no version in common.
pub(super) const PROTOCOL_VERSION: u8 = 70;

/// A client's hello.
#[derive(Debug, Default)]
pub(super) struct ClientHello {
    /// All bytes that were read, for the library to read again.
    pub raw: Vec<u8>,
    pub server_name: Option<String>,
    legacy_version: u16,
    /// Of the extension; empty without one.
    supported_versions: Vec<u16>,
    ciphers: Vec<u16>,
}

impl ClientHello {
    /// Whether the client would speak TLS 1.0.
    pub(super) fn takes_old(&self) -> bool {
        if self.supported_versions.is_empty() {
            self.legacy_version >= TLS_1_0
        } else {
            self.supported_versions.contains(&TLS_1_0)
        }
    }

    /// Whether TLS 1.1 is the newest that the client speaks.
    pub(super) fn only_old(&self) -> bool {
        let newest = self.supported_versions.iter().copied().filter(|version| version >> 8 == 3).max();
        newest.unwrap_or(self.legacy_version) < 0x0303
    }
}

/// Reads a hello; `None` for anything else.
pub(super) async fn read(stream: &mut impl Peer) -> Option<ClientHello> {
    let mut raw = Vec::new();
    let mut message = Vec::new();
    loop {
        let mut head = [0; 5];
        stream.read_exact(&mut head[..1]).await.ok()?;
        if head[0] != 22 {
            return None;
        }
        stream.read_exact(&mut head[1..]).await.ok()?;
        let length = usize::from(u16::from_be_bytes([head[3], head[4]]));
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await.ok()?;
        raw.extend(head);
        raw.extend(&body);
        message.extend(body);
        let whole = message
            .get(1..4)
            .map(|length| usize::from(length[0]) << 16 | usize::from(length[1]) << 8 | usize::from(length[2]));
        if whole.is_some_and(|whole| message.len() >= whole + 4) {
            break;
        }
        if raw.len() > HELLO_BYTES_MAX || length == 0 {
            return None;
        }
    }
    let mut hello = parse(&message)?;
    hello.raw = raw;
    Some(hello)
}

/// The host that a plain HTTP request names, of which the first byte was read as TLS; `None` for anything else.
pub(super) async fn plain_host(stream: &mut impl Peer) -> Option<String> {
    let mut head = BufReader::new(stream.take(PLAIN_HEAD_BYTES_MAX)).lines();
    while let Ok(Some(line)) = head.next_line().await {
        match line.split_once(':') {
            Some((name, host)) if name.eq_ignore_ascii_case("host") => {
                let host = host.trim();
                return Some(host.rsplit_once(':').map_or(host, |(host, _)| host).to_owned());
            }
            _ if line.is_empty() => return None,
            _ => {}
        }
    }
    None
}

/// A reader of length-prefixed parts.
struct Parts<'a>(&'a [u8]);

impl<'a> Parts<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (part, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(part)
    }

    fn word(&mut self) -> Option<u16> {
        self.take(2).map(|bytes| u16::from_be_bytes([bytes[0], bytes[1]]))
    }

    fn short(&mut self) -> Option<&'a [u8]> {
        let length = self.take(1)?[0];
        self.take(usize::from(length))
    }

    fn long(&mut self) -> Option<&'a [u8]> {
        let length = self.word()?;
        self.take(usize::from(length))
    }
}

fn parse(message: &[u8]) -> Option<ClientHello> {
    let mut parts = Parts(message);
    if parts.take(4)?[0] != 1 {
        return None;
    }
    let mut hello = ClientHello { legacy_version: parts.word()?, ..ClientHello::default() };
    parts.take(32)?;
    parts.short()?;
    let words = |bytes: &[u8]| bytes.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect();
    hello.ciphers = words(parts.long()?);
    parts.short()?;
    let Some(extensions) = parts.long() else { return Some(hello) };
    let mut extensions = Parts(extensions);
    while let Some(kind) = extensions.word() {
        let mut body = Parts(extensions.long()?);
        match kind {
            0 => hello.server_name = server_name(&mut body),
            43 => hello.supported_versions = words(body.short()?),
            _ => {}
        }
    }
    Some(hello)
}

fn server_name(body: &mut Parts<'_>) -> Option<String> {
    let mut list = Parts(body.long()?);
    let kind = list.take(1)?[0];
    let name = list.long()?;
    (kind == 0).then(|| String::from_utf8_lossy(name).trim_end_matches('.').to_ascii_lowercase())
}

/// Ends a handshake with a fatal alert.
pub(super) async fn alert(stream: &mut impl Peer, description: u8) {
    let _ = stream.write_all(&[21, 3, 3, 0, 2, 2, description]).await;
    let _ = stream.flush().await;
}

/// The first flight of a TLS 1.0 server: hello, certificate, done. Enough for anyone who only asks which versions there
/// are; nothing follows.
pub(super) async fn old_flight(
    stream: &mut impl Peer,
    hello: &ClientHello,
    chain: &[rustls_pki_types::CertificateDer<'_>],
    random: [u8; 32],
) {
    const SIGNALLING: [u16; 2] = [0x00ff, 0x5600];
    const AES_128_SHA: u16 = 0x002f;
    let offered = hello.ciphers.iter().copied().find(|cipher| !SIGNALLING.contains(cipher) && cipher >> 8 != 0x13);
    let cipher = if hello.ciphers.contains(&AES_128_SHA) { Some(AES_128_SHA) } else { offered };
    let Some(cipher) = cipher else { return alert(stream, 40).await };
    let mut server_hello = TLS_1_0.to_be_bytes().to_vec();
    server_hello.extend(random);
    server_hello.push(0);
    server_hello.extend(cipher.to_be_bytes());
    server_hello.push(0);
    let mut list = Vec::new();
    for certificate in chain {
        list.extend(length24(certificate.len()));
        list.extend_from_slice(certificate);
    }
    let certificates = [&length24(list.len())[..], &list].concat();
    let mut flight = handshake(2, &server_hello);
    flight.extend(handshake(11, &certificates));
    flight.extend(handshake(14, &[]));
    for record in flight.chunks(16_384) {
        let length = u16::try_from(record.len()).expect("at most 16 KiB").to_be_bytes();
        if stream.write_all(&[&[22, 3, 1][..], &length, record].concat()).await.is_err() {
            return;
        }
    }
    let _ = stream.flush().await;
}

fn length24(length: usize) -> [u8; 3] {
    let bytes = length.to_be_bytes();
    [bytes[5], bytes[6], bytes[7]]
}

fn handshake(kind: u8, body: &[u8]) -> Vec<u8> {
    [&[kind][..], &length24(body.len()), body].concat()
}
