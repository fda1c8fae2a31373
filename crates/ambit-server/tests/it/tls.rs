//! TLS of the listener: requests under it, links that say so, and a certificate that changes while connections go on.

use ambit_server::{Door, Limits, Listener, Outside, Tls};
use rustls::pki_types::ServerName;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// A folder with a certificate and its key.
struct Files(PathBuf);

impl Files {
    fn new() -> Self {
        let folder = std::env::temp_dir().join(format!("ambit-tls-{}", uuid::Uuid::new_v4()));
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a fresh certificate; gives it.
    fn renew(&self) -> rustls::pki_types::CertificateDer<'static> {
        let made = rcgen::generate_simple_self_signed(vec!["asm.acme.test".to_owned()]).unwrap();
        std::fs::write(self.path("cert.pem"), made.cert.pem()).unwrap();
        std::fs::write(self.path("key.pem"), made.signing_key.serialize_pem()).unwrap();
        made.cert.der().clone()
    }

    fn load(&self) -> Result<Tls, String> {
        Tls::load(&self.path("cert.pem"), &self.path("key.pem"))
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A connection that trusts just this certificate.
async fn connect(
    address: &str,
    trusted: &rustls::pki_types::CertificateDer<'static>,
) -> std::io::Result<TlsStream<TcpStream>> {
    let mut roots = rustls::RootCertStore::empty();
    roots.add(trusted.clone()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let mut config = builder.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let name = ServerName::try_from("asm.acme.test").unwrap();
    TlsConnector::from(Arc::new(config)).connect(name, TcpStream::connect(address).await?).await
}

async fn is_alive(stream: &mut TlsStream<TcpStream>) -> bool {
    stream.write_all(b"GET /livez HTTP/1.1\r\nhost: asm.acme.test\r\n\r\n").await.unwrap();
    let mut answer = vec![0; 4096];
    let size = stream.read(&mut answer).await.unwrap();
    answer[..size].starts_with(b"HTTP/1.1 200 ")
}

#[tokio::test]
async fn a_certificate_is_renewed_while_connections_go_on() {
    let files = Files::new();
    let first = files.renew();
    let tls = files.load().unwrap();
    let (door, _phase) = Door::new(Limits::default(), Outside::default(), Some(tls.clone()));
    let listener = Listener::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let address = listener.address().unwrap().to_string();
    let serving = tokio::spawn(ambit_server::serve(listener, door, std::future::pending()));
    let mut old = connect(&address, &first).await.unwrap();
    assert_eq!(old.get_ref().1.alpn_protocol(), Some(&b"http/1.1"[..]));
    assert!(is_alive(&mut old).await);
    let second = files.renew();
    tls.reload().unwrap();
    assert!(is_alive(&mut old).await, "it goes on with what it began with");
    assert!(connect(&address, &first).await.is_err());
    assert!(is_alive(&mut connect(&address, &second).await.unwrap()).await);
    // What cannot be used changes nothing.
    std::fs::write(files.path("cert.pem"), "nonsense").unwrap();
    assert!(tls.reload().is_err());
    assert!(is_alive(&mut connect(&address, &second).await.unwrap()).await);
    serving.abort();
}

#[test]
fn what_is_wrong_with_the_files_is_said() {
    let files = Files::new();
    let why = |certificate: &Path, key: &Path| Tls::load(certificate, key).err().unwrap();
    assert!(why(&files.path("cert.pem"), &files.path("key.pem")).contains("cert.pem cannot be read"));
    files.renew();
    let (certificate, key) = (files.path("cert.pem"), files.path("key.pem"));
    assert!(why(&key, &key).contains("holds no certificate"));
    assert!(why(&certificate, &certificate).contains("holds no private key"));
    let other = Files::new();
    other.renew();
    assert!(why(&certificate, &other.path("key.pem")).contains("does not belong to"));
}
