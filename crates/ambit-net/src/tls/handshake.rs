//! The handshake: rustls with a verifier that records instead of refusing, and the old hello where rustls finds no
//! common ground.

use super::hello::{Shown, cipher_name, send_hello};
use super::jarm::{self, Choice};
use super::verify;
use super::{HelloAnswer, Problem, TlsFacts, TlsOptions, TlsSession, TlsVersion};
use crate::door::{Connection, Door};
use crate::error::{NetError, Result};
use crate::guard::Grant;
use crate::limits::{CERTIFICATE_BYTES_MAX, CHAIN_MAX, CONNECT_TIMEOUT, OCSP_BYTES_MAX, TLS_TIMEOUT};
use crate::pace::{Bucket, Signal};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{ResolvesClientCert, Resumption};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::sign::CertifiedKey;
use rustls::{
    AlertDescription, CertificateError, ClientConfig, DigitallySignedStruct, Error, InvalidMessage, SignatureScheme,
};
use std::net::SocketAddr;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use tokio_rustls::TlsConnector;

/// Connects and shakes hands.
pub(crate) async fn connect(
    door: &Door,
    grant: Grant,
    address: SocketAddr,
    sni: Option<&str>,
    options: &TlsOptions,
) -> Result<TlsSession> {
    let connection = door.open(grant, address, sni, CONNECT_TIMEOUT).await?;
    match shake(door, connection, sni, options).await {
        Err(Failed { error, try_old: true }) => old_hello(door, grant, address, sni).await.map_err(|_| error),
        other => other.map_err(|failed| failed.error),
    }
}

/// Shakes hands on a connection that is there.
pub(crate) async fn over(
    door: &Door,
    connection: Connection,
    sni: Option<&str>,
    options: &TlsOptions,
) -> Result<TlsSession> {
    shake(door, connection, sni, options).await.map_err(|failed| failed.error)
}

/// One hello of one version.
pub(crate) async fn hello(
    door: &Door,
    address: SocketAddr,
    sni: Option<&str>,
    version: TlsVersion,
) -> Result<HelloAnswer> {
    Ok(match exchange_hello(door, Grant::Target, address, sni, version).await? {
        Shown::Hello { version: chosen, cipher, chain, .. } if chosen == version => {
            HelloAnswer::Accepted { version, cipher, chain }
        }
        Shown::Hello { version: chosen, .. } => HelloAnswer::Refused(format!("chose {}", chosen.name())),
        Shown::Refused(why) => HelloAnswer::Refused(why),
    })
}

/// The JARM of a server: ten hellos, one connection each. A server that breaks one off refuses that one.
pub(crate) async fn jarm(door: &Door, address: SocketAddr, sni: Option<&str>) -> Result<String> {
    let host = sni.map_or_else(|| address.ip().to_string(), str::to_owned);
    let mut choices: [Choice; jarm::HELLOS] = Default::default();
    for (number, choice) in choices.iter_mut().enumerate() {
        let mut connection = door.open(Grant::Target, address, sni, CONNECT_TIMEOUT).await?;
        let mut random = [0; jarm::RANDOM_BYTES];
        door.random(&mut random);
        let hello = jarm::client_hello(number, &host, &random);
        let limit = door.now() + door.patience(address.ip(), TLS_TIMEOUT);
        *choice = door.until(limit, "TLS hello", jarm::ask(&mut connection, &hello)).await??;
    }
    Ok(jarm::hash(&choices))
}

struct Failed {
    error: NetError,
    /// The peer speaks TLS, or cut the connection without a word: an older hello may show more.
    try_old: bool,
}

async fn shake(
    door: &Door,
    connection: Connection,
    sni: Option<&str>,
    options: &TlsOptions,
) -> Result<TlsSession, Failed> {
    let address = connection.address();
    let failed = |error| Failed { error, try_old: false };
    let name = server_name(address, sni).map_err(failed)?;
    let shown = options.peer.as_ref().and_then(|peer| peer.shown());
    let recorder = Arc::new(Recorder { record: Mutex::default(), shown });
    let connector = TlsConnector::from(Arc::new(client_config(&recorder, options).map_err(failed)?));
    let begun = door.now();
    let limit = begun + door.patience(address.ip(), TLS_TIMEOUT);
    let bucket = Bucket::Address(address.ip());
    let shaken = door.until(limit, "TLS handshake", connector.connect(name, connection)).await;
    door.note_wait(address.ip(), begun, shaken.as_ref().err());
    let shaken = shaken.map_err(failed)?;
    let record = recorder.lock().clone();
    match shaken {
        Ok(stream) => {
            door.report(&bucket, Signal::Fine);
            let state = stream.get_ref().1;
            let version = state
                .protocol_version()
                .and_then(|version| TlsVersion::from_number(version.into()))
                .unwrap_or(record.version);
            let cipher = state
                .negotiated_cipher_suite()
                .map_or_else(|| "unknown".into(), |suite| cipher_name(suite.suite().into()));
            let alpn = state.alpn_protocol().map(|bytes| String::from_utf8_lossy(bytes).into_owned());
            let facts = facts(door, address, sni, record, options);
            let facts = TlsFacts { version, cipher, alpn, complete: true, ..facts };
            Ok(TlsSession { stream: Some(stream), facts })
        }
        // The peer broke off after it had shown its certificate (it wants one of ours, or finds no common signature).
        Err(_) if !record.chain.is_empty() => {
            Ok(TlsSession { stream: None, facts: facts(door, address, sni, record, options) })
        }
        Err(error) => Err(read_failure(&error, options)),
    }
}

fn facts(door: &Door, address: SocketAddr, sni: Option<&str>, record: Record, options: &TlsOptions) -> TlsFacts {
    let roots = options.peer.as_ref().and_then(|peer| peer.roots()).unwrap_or_else(|| door.roots());
    let ip = address.ip().to_string();
    let name = sni.filter(|sni| !sni.is_empty()).unwrap_or(&ip);
    let mut verification = verify(&record.chain, Some(name), roots, door.date());
    if record.chain.is_empty() && record.cut {
        verification.problems = vec![Problem::Unparsable(format!("more than {CERTIFICATE_BYTES_MAX} bytes"))];
    }
    if record.unproven {
        verification.problems.push(Problem::Unproven);
    }
    TlsFacts {
        sni: sni.filter(|sni| !sni.is_empty()).map(str::to_owned),
        version: record.version,
        cipher: "unknown".into(),
        alpn: None,
        chain: record.chain,
        chain_cut: record.cut,
        ocsp: if record.proven { record.ocsp } else { Vec::new() },
        client_certificate_requested: record.client_certificate_requested,
        verification,
        complete: false,
    }
}

/// Reads why rustls gave up.
fn read_failure(error: &std::io::Error, options: &TlsOptions) -> Failed {
    let offered = |name: &[u8]| options.alpn.iter().any(|offered| offered == name);
    match error.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) {
        // A certificate too large for rustls: the old hello reads as much of it as our limits allow.
        Some(Error::InvalidMessage(what @ InvalidMessage::HandshakePayloadTooLarge)) => {
            Failed { error: NetError::Tls(format!("over the limit: {what:?}")), try_old: true }
        }
        Some(Error::InvalidMessage(what)) => {
            Failed { error: NetError::Tls(format!("not TLS: {what:?}")), try_old: false }
        }
        Some(Error::AlertReceived(AlertDescription::NoApplicationProtocol)) if offered(b"http/1.1") => {
            Failed { error: if offered(b"h2") { NetError::NoHttp } else { NetError::OtherHttp }, try_old: false }
        }
        Some(Error::AlertReceived(alert)) => {
            Failed { error: NetError::Tls(format!("the server sent the alert {alert:?}")), try_old: true }
        }
        Some(inner) => Failed { error: NetError::Tls(inner.to_string()), try_old: true },
        None => Failed { error: NetError::from_io(error, "TLS handshake"), try_old: true },
    }
}

/// What an old client offers, best first: most servers choose an older version themselves, some break off at a newer
/// hello than they know.
const OLD_HELLOS: &[TlsVersion] = &[TlsVersion::Tls12, TlsVersion::Tls11, TlsVersion::Tls10];

/// Reads what the server shows to an old client: version, cipher and certificates in clear.
async fn old_hello(door: &Door, grant: Grant, address: SocketAddr, sni: Option<&str>) -> Result<TlsSession> {
    let mut refusal = NetError::Tls("no hello was sent".into());
    for offered in OLD_HELLOS {
        match exchange_hello(door, grant, address, sni, *offered).await? {
            Shown::Hello { version, cipher, chain, cut } => {
                let record = Record { chain, cut, version, ..Record::default() };
                let facts = TlsFacts {
                    cipher: cipher_name(cipher),
                    ..facts(door, address, sni, record, &TlsOptions::default())
                };
                return Ok(TlsSession { stream: None, facts });
            }
            Shown::Refused(why) => refusal = NetError::Tls(why),
        }
    }
    Err(refusal)
}

async fn exchange_hello(
    door: &Door,
    grant: Grant,
    address: SocketAddr,
    sni: Option<&str>,
    version: TlsVersion,
) -> Result<Shown> {
    let mut connection = door.open(grant, address, sni, CONNECT_TIMEOUT).await?;
    let mut random = [0; 64];
    door.random(&mut random);
    let begun = door.now();
    let limit = begun + door.patience(address.ip(), TLS_TIMEOUT);
    let shown = door.until(limit, "TLS hello", send_hello(&mut connection, sni, version, &random)).await;
    door.note_wait(address.ip(), begun, shown.as_ref().err());
    shown?
}

/// The server name for rustls; an address sends none.
fn server_name(address: SocketAddr, sni: Option<&str>) -> Result<ServerName<'static>> {
    match sni.filter(|sni| !sni.is_empty()) {
        Some(name) => ServerName::try_from(name.to_owned()).map_err(|_| NetError::invalid("server name", name)),
        None => Ok(ServerName::IpAddress(address.ip().into())),
    }
}

pub(super) static PROVIDER: LazyLock<Arc<CryptoProvider>> = LazyLock::new(|| Arc::new(ring::default_provider()));

fn client_config(recorder: &Arc<Recorder>, options: &TlsOptions) -> Result<ClientConfig> {
    let mut config = ClientConfig::builder_with_provider(PROVIDER.clone())
        .with_safe_default_protocol_versions()
        .map_err(|error| NetError::Tls(error.to_string()))?
        .dangerous()
        .with_custom_certificate_verifier(recorder.clone())
        .with_client_cert_resolver(recorder.clone());
    config.alpn_protocols.clone_from(&options.alpn);
    // Sessions are never resumed, because a resumed one presents no certificate.
    config.resumption = Resumption::disabled();
    Ok(config)
}

/// Records what the server presents and refuses nothing.
#[derive(Debug)]
struct Recorder {
    record: Mutex<Record>,
    /// What is shown where the server asks for a certificate of ours.
    shown: Option<Arc<CertifiedKey>>,
}

#[derive(Clone, Debug)]
struct Record {
    chain: Vec<Vec<u8>>,
    cut: bool,
    ocsp: Vec<u8>,
    version: TlsVersion,
    /// The server signed with the key of its certificate.
    proven: bool,
    /// It signed with another one.
    unproven: bool,
    client_certificate_requested: bool,
}

impl Default for Record {
    fn default() -> Self {
        Self {
            chain: Vec::new(),
            cut: false,
            ocsp: Vec::new(),
            version: TlsVersion::Tls12,
            proven: false,
            unproven: false,
            client_certificate_requested: false,
        }
    }
}

impl Recorder {
    fn lock(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A wrong signature is noted; one that cannot be checked (old algorithm, weak or unreadable key) is the
    /// certificate's problem, noted elsewhere.
    fn note(
        &self,
        version: TlsVersion,
        result: Result<HandshakeSignatureValid, Error>,
    ) -> Result<HandshakeSignatureValid, Error> {
        let mut record = self.lock();
        record.version = version;
        record.proven |= result.is_ok();
        record.unproven |= matches!(result, Err(Error::InvalidCertificate(CertificateError::BadSignature)));
        Ok(HandshakeSignatureValid::assertion())
    }
}

impl ServerCertVerifier for Recorder {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        ocsp: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let mut record = self.lock();
        let all = std::iter::once(end_entity).chain(intermediates);
        // The first one stays the server's own: what follows one that is too large is left out too.
        let kept = all.clone().take(CHAIN_MAX).take_while(|der| der.len() <= CERTIFICATE_BYTES_MAX);
        record.chain = kept.map(|der| der.to_vec()).collect();
        record.cut = record.chain.len() < all.count();
        record.ocsp = if ocsp.len() > OCSP_BYTES_MAX { Vec::new() } else { ocsp.to_vec() };
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.note(
            TlsVersion::Tls12,
            verify_tls12_signature(message, cert, dss, &PROVIDER.signature_verification_algorithms),
        )
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.note(
            TlsVersion::Tls13,
            verify_tls13_signature(message, cert, dss, &PROVIDER.signature_verification_algorithms),
        )
    }

    /// Old ones too: a server with nothing better shall still show its certificate.
    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        vec![
            SignatureScheme::ECDSA_NISTP256_SHA256,
            SignatureScheme::ECDSA_NISTP384_SHA384,
            SignatureScheme::ECDSA_NISTP521_SHA512,
            SignatureScheme::ED25519,
            SignatureScheme::RSA_PSS_SHA256,
            SignatureScheme::RSA_PSS_SHA384,
            SignatureScheme::RSA_PSS_SHA512,
            SignatureScheme::RSA_PKCS1_SHA256,
            SignatureScheme::RSA_PKCS1_SHA384,
            SignatureScheme::RSA_PKCS1_SHA512,
            SignatureScheme::ECDSA_SHA1_Legacy,
            SignatureScheme::RSA_PKCS1_SHA1,
        ]
    }
}

impl ResolvesClientCert for Recorder {
    fn resolve(&self, _hints: &[&[u8]], _schemes: &[SignatureScheme]) -> Option<Arc<CertifiedKey>> {
        self.lock().client_certificate_requested = true;
        self.shown.clone()
    }

    fn has_certs(&self) -> bool {
        true
    }
}
