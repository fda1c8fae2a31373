//! TLS of the server's own listener: a certificate and its key from two files, read again when they change, while
//! connections go on with what they began with.

use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::{Arc, RwLock};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

/// Between two looks at the files.
const LOOK_EVERY: Duration = Duration::from_secs(30);
/// Bytes of a file at most: chains have a few kilobytes.
const FILE_BYTES_MAX: u64 = 1024 * 1024;
/// The only protocol above it.
const ALPN: &[u8] = b"http/1.1";

/// The listener's TLS. Clones share the certificate.
#[derive(Clone)]
pub struct Tls {
    acceptor: TlsAcceptor,
    files: Arc<Files>,
}

#[derive(Debug)]
struct Files {
    certificate: PathBuf,
    key: PathBuf,
    current: RwLock<Arc<CertifiedKey>>,
    /// What the files were when they were read.
    read: RwLock<State>,
}

/// Both files, where they are there.
type State = [Option<Metadata>; 2];

fn same(one: &State, other: &State) -> bool {
    let of = |state: &State| state.each_ref().map(|file| file.as_ref().map(|file| (file.len(), file.modified().ok())));
    of(one) == of(other)
}

impl ResolvesServerCert for Files {
    fn resolve(&self, _hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        self.current.read().ok().map(|current| current.clone())
    }
}

impl Tls {
    /// Reads a certificate with its chain and its key, both PEM. The error names the file and what is wrong with it.
    pub fn load(certificate: &Path, key: &Path) -> Result<Self, String> {
        let files = Arc::new(Files {
            certificate: certificate.to_owned(),
            key: key.to_owned(),
            current: RwLock::new(Arc::new(read(certificate, key)?)),
            read: RwLock::new(state(certificate, key)),
        });
        let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions();
        let builder = builder.map_err(|error| format!("TLS cannot be set up: {error}"))?;
        let mut config = builder.with_no_client_auth().with_cert_resolver(files.clone());
        config.alpn_protocols = vec![ALPN.to_vec()];
        Ok(Self { acceptor: TlsAcceptor::from(Arc::new(config)), files })
    }

    /// Reads the files again; new connections have what they hold. On an error the old certificate stays.
    pub fn reload(&self) -> Result<(), String> {
        let files = &self.files;
        let now = state(&files.certificate, &files.key);
        if let Ok(mut read) = files.read.write() {
            *read = now;
        }
        let fresh = Arc::new(read(&files.certificate, &files.key)?);
        if let Ok(mut current) = files.current.write() {
            *current = fresh;
        }
        Ok(())
    }

    /// True where the files are no longer what was read.
    fn has_changed(&self) -> bool {
        let now = state(&self.files.certificate, &self.files.key);
        self.files.read.read().is_ok_and(|read| !same(&read, &now))
    }

    /// Reads the files again whenever they change, for ever.
    pub(crate) async fn follow(self) {
        loop {
            tokio::time::sleep(LOOK_EVERY).await;
            let tls = self.clone();
            let looked =
                tokio::task::spawn_blocking(move || if tls.has_changed() { Some(tls.reload()) } else { None }).await;
            match looked {
                Ok(Some(Ok(()))) => tracing::info!("the certificate was reloaded"),
                Ok(Some(Err(why))) => tracing::error!(why, "the changed certificate cannot be used; the old one stays"),
                Ok(None) | Err(_) => {}
            }
        }
    }

    /// Greets a client.
    pub(crate) async fn accept<S: AsyncRead + AsyncWrite + Unpin>(&self, stream: S) -> std::io::Result<TlsStream<S>> {
        self.acceptor.accept(stream).await
    }
}

fn state(certificate: &Path, key: &Path) -> State {
    [certificate, key].map(|path| std::fs::metadata(path).ok())
}

fn read(certificate: &Path, key: &Path) -> Result<CertifiedKey, String> {
    let (chain, secret) = (contents(certificate, "certificate")?, contents(key, "key")?);
    let wrong = |path: &Path, why: &dyn std::fmt::Display| format!("{}: {why}", path.display());
    let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(&chain)
        .collect::<Result<_, _>>()
        .map_err(|error| wrong(certificate, &format!("not PEM: {error}")))?;
    if chain.is_empty() {
        return Err(wrong(certificate, &"holds no certificate (PEM, CERTIFICATE)"));
    }
    let secret = PrivateKeyDer::from_pem_slice(&secret)
        .map_err(|_| wrong(key, &"holds no private key (PEM, PRIVATE KEY, without a password)"))?;
    let fits = CertifiedKey::from_der(chain, secret, &ring::default_provider());
    fits.map_err(|error| format!("{} does not belong to {}: {error}", key.display(), certificate.display()))
}

fn contents(path: &Path, what: &str) -> Result<Vec<u8>, String> {
    let unreadable = |error: std::io::Error| format!("the {what} {} cannot be read: {error}", path.display());
    if std::fs::metadata(path).map_err(unreadable)?.len() > FILE_BYTES_MAX {
        return Err(format!("the {what} {} is larger than {FILE_BYTES_MAX} bytes", path.display()));
    }
    std::fs::read(path).map_err(unreadable)
}
