//! TLS as an observer: a handshake that records instead of refusing, the whole chain, and a hello prober for versions
//! that rustls does not speak.

mod certificate;
pub(crate) mod handshake;
mod hello;
mod jarm;
mod ocsp;
mod peer;
mod verify;

pub use certificate::{Certificate, KeyType};
pub use ocsp::Standing;
pub use peer::Peer;
pub(crate) use verify::verify;

use crate::door::Connection;
use crate::error::{NetError, Result};
use ambit_model::Timestamp;
use std::sync::Arc;
use tokio_rustls::client::TlsStream;

/// How to shake hands.
#[derive(Clone, Debug)]
pub struct TlsOptions {
    /// ALPN protocols offered, in order. Default: `http/1.1`.
    pub alpn: Vec<Vec<u8>>,
    /// What holds between us and this peer alone; `None`: what holds for everybody.
    pub peer: Option<Arc<Peer>>,
}

impl TlsOptions {
    /// Options that offer no protocol.
    pub fn plain() -> Self {
        Self { alpn: Vec::new(), peer: None }
    }

    /// Options that offer what a browser does. Nothing here speaks HTTP/2: they are for a handshake alone.
    pub fn browser() -> Self {
        Self { alpn: vec![b"h2".to_vec(), b"http/1.1".to_vec()], peer: None }
    }
}

impl Default for TlsOptions {
    fn default() -> Self {
        Self { alpn: vec![b"http/1.1".to_vec()], peer: None }
    }
}

/// Everything that a handshake showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFacts {
    /// SNI that was sent.
    pub sni: Option<String>,
    /// The negotiated version.
    pub version: TlsVersion,
    /// The negotiated cipher suite by its IANA name, or its number in hex.
    pub cipher: String,
    /// The protocol that ALPN chose.
    pub alpn: Option<String>,
    /// Certificates as DER, the server's own first, at most `CHAIN_MAX` of at most `CERTIFICATE_BYTES_MAX` each.
    pub chain: Vec<Vec<u8>>,
    /// Certificates were left out because of a limit.
    pub chain_cut: bool,
    /// What its authority said of the server's certificate in the handshake (OCSP), as it came; empty where nothing was
    /// said, or more than `OCSP_BYTES_MAX`, and where the server did not prove that the certificate is its own.
    pub ocsp: Vec<u8>,
    /// The server asked for a certificate of ours.
    pub client_certificate_requested: bool,
    /// The verdict of a browser.
    pub verification: Verification,
    /// The handshake was completed: data can flow. False: only the hello was read (old versions), or the peer broke off
    /// after its certificate.
    pub complete: bool,
}

impl TlsFacts {
    /// The server's own certificate, parsed; `None` where none came, `Err` with the reason where it cannot be parsed.
    pub fn certificate(&self) -> Option<Result<Certificate, String>> {
        self.chain.first().map(|der| Certificate::parse(der))
    }

    /// Whether the server's own certificate is revoked, by its authority's word in the handshake; `None` where nothing
    /// was said that holds at this date.
    pub fn standing(&self, date: Timestamp) -> Option<Standing> {
        ocsp::standing(&self.ocsp, &self.chain, date)
    }
}

/// Versions of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TlsVersion {
    /// SSL 3.0
    Ssl3,
    /// TLS 1.0
    Tls10,
    /// TLS 1.1
    Tls11,
    /// TLS 1.2
    Tls12,
    /// TLS 1.3
    Tls13,
}

impl TlsVersion {
    /// `TLSv1.2` and so on.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ssl3 => "SSLv3",
            Self::Tls10 => "TLSv1.0",
            Self::Tls11 => "TLSv1.1",
            Self::Tls12 => "TLSv1.2",
            Self::Tls13 => "TLSv1.3",
        }
    }

    /// The number on the wire.
    pub fn number(self) -> u16 {
        match self {
            Self::Ssl3 => 0x0300,
            Self::Tls10 => 0x0301,
            Self::Tls11 => 0x0302,
            Self::Tls12 => 0x0303,
            Self::Tls13 => 0x0304,
        }
    }

    /// The version of a number on the wire.
    pub fn from_number(number: u16) -> Option<Self> {
        [Self::Ssl3, Self::Tls10, Self::Tls11, Self::Tls12, Self::Tls13]
            .into_iter()
            .find(|version| version.number() == number)
    }
}

/// What a browser with the wire's trust roots would say at the wire's date. No problem: trusted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verification {
    /// Every problem found, in the order of [`Problem`].
    pub problems: Vec<Problem>,
}

impl Verification {
    /// A browser would accept it.
    pub fn is_trusted(&self) -> bool {
        self.problems.is_empty()
    }
}

/// Why a browser would refuse a chain.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Problem {
    /// The server showed no certificate.
    NoCertificate,
    /// The server's certificate cannot be parsed; the reason.
    Unparsable(String),
    /// Its time is over.
    Expired,
    /// Its time has not begun.
    NotYetValid,
    /// The certificate is self-signed and not trusted.
    SelfSigned,
    /// No chain to a trusted authority.
    UnknownIssuer,
    /// It is not for the name that was asked for.
    WrongName,
    /// A signature or key that no browser accepts (or not checkable: weak keys, old algorithms).
    WeakSignature,
    /// It may not be used for servers, or another constraint is broken; the reason.
    Constraint(String),
    /// The server did not prove that it holds the key.
    Unproven,
}

impl Problem {
    /// A short name for records: `expired`, `self_signed` …
    pub fn name(&self) -> &'static str {
        match self {
            Self::NoCertificate => "no_certificate",
            Self::Unparsable(_) => "unparsable",
            Self::Expired => "expired",
            Self::NotYetValid => "not_yet_valid",
            Self::SelfSigned => "self_signed",
            Self::UnknownIssuer => "unknown_issuer",
            Self::WrongName => "wrong_name",
            Self::WeakSignature => "weak_signature",
            Self::Constraint(_) => "constraint",
            Self::Unproven => "unproven",
        }
    }
}

/// A TLS connection with what its handshake showed.
pub struct TlsSession {
    /// The decrypted stream; `None` where the handshake was not completed (`facts.complete`).
    pub stream: Option<TlsStream<Connection>>,
    /// What the handshake showed.
    pub facts: TlsFacts,
}

impl TlsSession {
    /// The decrypted stream. Fails with `Tls` where the handshake showed a certificate and was not completed.
    pub fn into_stream(self) -> Result<(TlsStream<Connection>, TlsFacts)> {
        match self.stream {
            Some(stream) => Ok((stream, self.facts)),
            None => Err(NetError::Tls(format!(
                "no data flows: the server showed {} and its certificate only",
                self.facts.version.name()
            ))),
        }
    }
}

/// What a server answered to one hello of one version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HelloAnswer {
    /// It speaks the version: the cipher (IANA number) it chose and its certificates (none for TLS 1.3, where they are
    /// encrypted).
    Accepted {
        /// The version of its hello.
        version: TlsVersion,
        /// The cipher suite's number.
        cipher: u16,
        /// DER certificates.
        chain: Vec<Vec<u8>>,
    },
    /// It refused: with an alert (its number), another version, or by closing.
    Refused(String),
}
