//! A hello of our own, for versions and ciphers that rustls does not speak: sends a ClientHello, reads ServerHello and
//! Certificate as they come in clear, and breaks off.

use super::TlsVersion;
use crate::error::{NetError, Result};
use crate::limits::{CERTIFICATE_BYTES_MAX, CHAIN_MAX, HELLO_BYTES_MAX};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// What a server showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    /// Its choice and its certificates; `cut` where some were left out because of a limit.
    Hello { version: TlsVersion, cipher: u16, chain: Vec<Vec<u8>>, cut: bool },
    /// An alert, or the end of the connection.
    Refused(String),
}

/// Suites offered up to TLS 1.2, by IANA's numbers and names: the good ones first, then everything that old servers
/// insist on.
const OLD_CIPHERS: &[(u16, &str)] = &[
    (0xc02b, "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"),
    (0xc02f, "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"),
    (0xc02c, "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"),
    (0xc030, "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"),
    (0xcca9, "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256"),
    (0xcca8, "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256"),
    (0x009e, "TLS_DHE_RSA_WITH_AES_128_GCM_SHA256"),
    (0x009f, "TLS_DHE_RSA_WITH_AES_256_GCM_SHA384"),
    (0xccaa, "TLS_DHE_RSA_WITH_CHACHA20_POLY1305_SHA256"),
    (0xc023, "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256"),
    (0xc027, "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256"),
    (0xc024, "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384"),
    (0xc028, "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384"),
    (0xc009, "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA"),
    (0xc013, "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA"),
    (0xc00a, "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA"),
    (0xc014, "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA"),
    (0x0067, "TLS_DHE_RSA_WITH_AES_128_CBC_SHA256"),
    (0x006b, "TLS_DHE_RSA_WITH_AES_256_CBC_SHA256"),
    (0x0033, "TLS_DHE_RSA_WITH_AES_128_CBC_SHA"),
    (0x0039, "TLS_DHE_RSA_WITH_AES_256_CBC_SHA"),
    (0x0032, "TLS_DHE_DSS_WITH_AES_128_CBC_SHA"),
    (0x0038, "TLS_DHE_DSS_WITH_AES_256_CBC_SHA"),
    (0x009c, "TLS_RSA_WITH_AES_128_GCM_SHA256"),
    (0x009d, "TLS_RSA_WITH_AES_256_GCM_SHA384"),
    (0x003c, "TLS_RSA_WITH_AES_128_CBC_SHA256"),
    (0x003d, "TLS_RSA_WITH_AES_256_CBC_SHA256"),
    (0x002f, "TLS_RSA_WITH_AES_128_CBC_SHA"),
    (0x0035, "TLS_RSA_WITH_AES_256_CBC_SHA"),
    (0x0041, "TLS_RSA_WITH_CAMELLIA_128_CBC_SHA"),
    (0x0084, "TLS_RSA_WITH_CAMELLIA_256_CBC_SHA"),
    (0x0096, "TLS_RSA_WITH_SEED_CBC_SHA"),
    (0xc008, "TLS_ECDHE_ECDSA_WITH_3DES_EDE_CBC_SHA"),
    (0xc012, "TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA"),
    (0x0016, "TLS_DHE_RSA_WITH_3DES_EDE_CBC_SHA"),
    (0x0013, "TLS_DHE_DSS_WITH_3DES_EDE_CBC_SHA"),
    (0x000a, "TLS_RSA_WITH_3DES_EDE_CBC_SHA"),
    (0xc007, "TLS_ECDHE_ECDSA_WITH_RC4_128_SHA"),
    (0xc011, "TLS_ECDHE_RSA_WITH_RC4_128_SHA"),
    (0x0005, "TLS_RSA_WITH_RC4_128_SHA"),
    (0x0004, "TLS_RSA_WITH_RC4_128_MD5"),
    (0x0009, "TLS_RSA_WITH_DES_CBC_SHA"),
    (0x0015, "TLS_DHE_RSA_WITH_DES_CBC_SHA"),
    (0x0012, "TLS_DHE_DSS_WITH_DES_CBC_SHA"),
    (0x0003, "TLS_RSA_EXPORT_WITH_RC4_40_MD5"),
    (0x0006, "TLS_RSA_EXPORT_WITH_RC2_CBC_40_MD5"),
    (0x0008, "TLS_RSA_EXPORT_WITH_DES40_CBC_SHA"),
    (0x0014, "TLS_DHE_RSA_EXPORT_WITH_DES40_CBC_SHA"),
    (0x0011, "TLS_DHE_DSS_EXPORT_WITH_DES40_CBC_SHA"),
    (0x00ff, "TLS_EMPTY_RENEGOTIATION_INFO_SCSV"),
];
/// Suites offered for TLS 1.3.
const NEW_CIPHERS: &[(u16, &str)] = &[
    (0x1301, "TLS_AES_128_GCM_SHA256"),
    (0x1302, "TLS_AES_256_GCM_SHA384"),
    (0x1303, "TLS_CHACHA20_POLY1305_SHA256"),
    (0x1304, "TLS_AES_128_CCM_SHA256"),
    (0x1305, "TLS_AES_128_CCM_8_SHA256"),
];
/// Signature algorithms offered for TLS 1.2 and 1.3, old ones too.
const SIGNATURES: &[u16] =
    &[0x0403, 0x0503, 0x0603, 0x0807, 0x0804, 0x0805, 0x0806, 0x0401, 0x0501, 0x0601, 0x0203, 0x0201, 0x0202];
/// Bytes that a record counts for, at least.
const RECORD_COST: usize = 1024;
/// x25519, P-256, P-384, P-521.
const GROUPS: &[u16] = &[0x001d, 0x0017, 0x0018, 0x0019];

/// IANA's name of a suite, or its number in hex.
pub(crate) fn cipher_name(number: u16) -> String {
    let known = OLD_CIPHERS.iter().chain(NEW_CIPHERS).find(|(known, _)| *known == number);
    known.map_or_else(|| format!("0x{number:04x}"), |(_, name)| (*name).to_owned())
}

/// Sends a hello of `version` and reads the answer. `random`: 32 bytes for the hello, 32 for a key share.
pub(super) async fn send_hello(
    stream: &mut (impl AsyncRead + AsyncWrite + Unpin),
    sni: Option<&str>,
    version: TlsVersion,
    random: &[u8; 64],
) -> Result<Shown> {
    let failed = |error: std::io::Error| NetError::from_io(&error, "TLS hello");
    stream.write_all(&client_hello(sni.unwrap_or_default(), version, random)).await.map_err(failed)?;
    stream.flush().await.map_err(failed)?;
    let mut handshake = Handshake::default();
    let mut read = 0;
    loop {
        let mut head = [0; 5];
        if let Err(error) = stream.read_exact(&mut head).await {
            return match NetError::from_io(&error, "TLS hello") {
                NetError::Closed(_) => Ok(Shown::Refused("closed the connection".into())),
                NetError::Reset(_) => Ok(Shown::Refused("reset the connection".into())),
                other => Err(other),
            };
        }
        let length = usize::from(u16::from_be_bytes([head[3], head[4]]));
        if !matches!(head[0], 21 | 22) || head[1] != 3 || length == 0 {
            return Err(NetError::Protocol("not TLS".into()));
        }
        let mut record = vec![0; length];
        stream.read_exact(&mut record).await.map_err(failed)?;
        if head[0] == 21 {
            return Ok(Shown::Refused(format!("alert {}", record.get(1).copied().unwrap_or(0))));
        }
        // A record costs us more than its bytes: many tiny ones reach the limit sooner.
        read += length.max(RECORD_COST);
        if let Some(shown) = handshake.take(&record)? {
            return Ok(shown);
        }
        if read > HELLO_BYTES_MAX {
            return Err(NetError::TooLarge("TLS hello"));
        }
    }
}

fn client_hello(sni: &str, version: TlsVersion, random: &[u8; 64]) -> Vec<u8> {
    let is_new = version == TlsVersion::Tls13;
    let ciphers = if is_new { NEW_CIPHERS } else { OLD_CIPHERS };
    let mut body = version.number().min(0x0303).to_be_bytes().to_vec();
    body.extend_from_slice(&random[..32]);
    // A session id makes middleboxes take a 1.3 hello for a resumption (RFC 8446 §D.4).
    body.extend(prefixed(1, if is_new { &random[32..] } else { &[] }));
    let ciphers: Vec<u16> = ciphers.iter().map(|(number, _)| *number).collect();
    body.extend(prefixed(2, &numbers(&ciphers)));
    body.extend_from_slice(&[1, 0]);
    if version > TlsVersion::Ssl3 {
        body.extend(prefixed(2, &extensions(sni, version, random)));
    }
    let message = [&[1][..], &prefixed(3, &body)].concat();
    let record_version = version.number().min(0x0301).to_be_bytes();
    [&[22][..], &record_version, &prefixed(2, &message)].concat()
}

fn extensions(sni: &str, version: TlsVersion, random: &[u8; 64]) -> Vec<u8> {
    let mut extensions = Vec::new();
    let mut add = |number: u16, data: &[u8]| {
        extensions.extend_from_slice(&number.to_be_bytes());
        extensions.extend(prefixed(2, data));
    };
    if !sni.is_empty() {
        add(0, &prefixed(2, &[&[0][..], &prefixed(2, sni.as_bytes())].concat()));
    }
    add(10, &prefixed(2, &numbers(GROUPS)));
    add(11, &[1, 0]);
    if version >= TlsVersion::Tls12 {
        add(13, &prefixed(2, &numbers(SIGNATURES)));
    }
    if version == TlsVersion::Tls13 {
        add(43, &[2, 3, 4]);
        let share = [&[0, 0x1d][..], &prefixed(2, &random[32..])].concat();
        add(51, &prefixed(2, &share));
    }
    extensions
}

fn numbers(numbers: &[u16]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_be_bytes()).collect()
}

/// Bytes behind their length in `size` bytes.
pub(super) fn prefixed(size: usize, bytes: &[u8]) -> Vec<u8> {
    let length = (bytes.len() as u64).to_be_bytes();
    [&length[8 - size..], bytes].concat()
}

/// The server's side of a handshake as far as it was read. Each byte is looked at once, however small the parts are
/// that it comes in.
#[derive(Default)]
struct Handshake {
    /// The beginning of a message that is not whole yet.
    begun: Vec<u8>,
    /// Version and cipher of the server's hello.
    chosen: Option<(TlsVersion, u16)>,
}

impl Handshake {
    /// Takes a record; `None` while something is missing.
    fn take(&mut self, record: &[u8]) -> Result<Option<Shown>> {
        self.begun.extend_from_slice(record);
        let bytes = std::mem::take(&mut self.begun);
        let mut rest = &bytes[..];
        while let Some((kind, body, after)) = next_message(rest) {
            if let Some(shown) = self.read(kind, body)? {
                return Ok(Some(shown));
            }
            rest = after;
        }
        self.begun = rest.to_vec();
        Ok(None)
    }

    fn read(&mut self, kind: u8, body: &[u8]) -> Result<Option<Shown>> {
        match (kind, self.chosen) {
            (2, None) => {
                let (version, cipher) = read_server_hello(body)?;
                self.chosen = Some((version, cipher));
                // What follows is encrypted.
                Ok((version == TlsVersion::Tls13).then(|| Shown::Hello {
                    version,
                    cipher,
                    chain: Vec::new(),
                    cut: false,
                }))
            }
            (11, Some((version, cipher))) => {
                read_chain(body).map(|(chain, cut)| Some(Shown::Hello { version, cipher, chain, cut }))
            }
            // A server without certificate (anonymous suites) ends its hello.
            (14, Some((version, cipher))) => Ok(Some(Shown::Hello { version, cipher, chain: Vec::new(), cut: false })),
            (_, Some(_)) => Ok(None),
            (_, None) => Err(NetError::Protocol("a handshake that does not begin with the server's hello".into())),
        }
    }
}

/// A whole message at the beginning: kind, body, what follows.
fn next_message(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (head, rest) = bytes.split_at_checked(4)?;
    let length = usize::from(head[1]) << 16 | usize::from(head[2]) << 8 | usize::from(head[3]);
    let (body, rest) = rest.split_at_checked(length)?;
    Some((head[0], body, rest))
}

fn read_server_hello(body: &[u8]) -> Result<(TlsVersion, u16)> {
    let read = || {
        let old = u16::from_be_bytes([*body.first()?, *body.get(1)?]);
        let session = usize::from(*body.get(34)?);
        let cipher = u16::from_be_bytes([*body.get(35 + session)?, *body.get(36 + session)?]);
        let extensions = body.get(40 + session..).unwrap_or_default();
        TlsVersion::from_number(selected_version(extensions).unwrap_or(old)).map(|version| (version, cipher))
    };
    read().ok_or_else(|| NetError::Protocol("a server hello that cannot be read".into()))
}

/// The version in the extension `supported_versions`.
fn selected_version(mut extensions: &[u8]) -> Option<u16> {
    loop {
        let (head, rest) = extensions.split_at_checked(4)?;
        let (data, rest) = rest.split_at_checked(usize::from(u16::from_be_bytes([head[2], head[3]])))?;
        if head[..2] == [0, 43] {
            return Some(u16::from_be_bytes([*data.first()?, *data.get(1)?]));
        }
        extensions = rest;
    }
}

/// The certificates that keep within the limits, and whether some do not.
fn read_chain(body: &[u8]) -> Result<(Vec<Vec<u8>>, bool)> {
    let broken = || NetError::Protocol("a certificate message that cannot be read".into());
    let mut rest = body.get(3..).ok_or_else(broken)?;
    let mut chain = Vec::new();
    let mut cut = false;
    while !rest.is_empty() {
        let (head, after) = rest.split_at_checked(3).ok_or_else(broken)?;
        let length = usize::from(head[0]) << 16 | usize::from(head[1]) << 8 | usize::from(head[2]);
        let (der, after) = after.split_at_checked(length).ok_or_else(broken)?;
        // The first one stays the server's own: what follows one that is too large is left out too.
        if cut || length > CERTIFICATE_BYTES_MAX || chain.len() == CHAIN_MAX {
            cut = true;
        } else {
            chain.push(der.to_vec());
        }
        rest = after;
    }
    Ok((chain, cut))
}
