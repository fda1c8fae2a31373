//! TLS in front of a service: chooses the certificate by the name asked for, then lets the library speak.

use super::connection::{Connection, IDLE, Peer, gone};
use super::hello::{self, ClientHello};
use super::{http, http2};
use crate::draft::{Alpn, TlsVersions};
use crate::internet::{Host, Source, Web};
use crate::pki::{Certificate, derive};
use rustls::server::{ClientHello as Offer, NoServerSessionStorage, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

/// The versions and protocols of a port, whatever its certificate.
#[derive(Clone, Copy, Default)]
struct Spoken {
    versions: TlsVersions,
    alpn: Alpn,
}

/// Serves the sites of a TLS port.
pub(super) async fn web(connection: &Connection, host: &Host, web: &Web, mut stream: impl Peer) {
    let Some(Some(hello)) = connection.within(IDLE, hello::read(&mut stream)).await else {
        // Who asks in plain text says a name all the same.
        if let Some(Some(name)) = connection.within(IDLE, hello::plain_host(&mut stream)).await {
            connection.visit.asked(Some(&name), "http");
        }
        hello::alert(&mut stream, 10).await;
        return;
    };
    connection.visit.asked(hello.server_name.as_deref(), "tls");
    let Some(certificate) = web.certificate(hello.server_name.as_deref(), &host.unknown, connection.turn) else {
        connection.tell(hello.server_name.as_deref(), "tls", || "alert".to_owned());
        hello::alert(&mut stream, hello::UNRECOGNIZED_NAME).await;
        return;
    };
    let spoken = Spoken { versions: web.versions(), alpn: web.alpn() };
    if let Some(mut stream) = accept(connection, certificate, spoken, hello, stream).await {
        if spoken.alpn == Alpn::Two || stream.get_ref().1.alpn_protocol() == Some(&b"h2"[..]) {
            http2::turn_away(connection, &mut stream).await;
        } else {
            http::web(connection, host, web, &mut stream).await;
        }
        let _ = stream.shutdown().await;
    }
}

/// Serves a data provider, with TLS where it has a certificate.
pub(super) async fn source(
    connection: &Connection,
    source: Source,
    certificate: Option<&Arc<Certificate>>,
    mut stream: impl Peer,
) {
    let Some(certificate) = certificate else {
        return crate::source::serve(connection, source, &mut stream).await;
    };
    let Some(Some(hello)) = connection.within(IDLE, hello::read(&mut stream)).await else {
        return;
    };
    connection.visit.asked(hello.server_name.as_deref(), "tls");
    if let Some(mut stream) = accept(connection, certificate, Spoken::default(), hello, stream).await {
        crate::source::serve(connection, source, &mut stream).await;
        let _ = stream.shutdown().await;
    }
}

/// Speaks TLS on a connection that has just agreed to it.
pub(super) async fn upgrade<S: Peer>(
    connection: &Connection,
    certificate: &Certificate,
    alpn: Alpn,
    mut stream: S,
) -> Option<TlsStream<Prefixed<S>>> {
    let hello = connection.within(IDLE, hello::read(&mut stream)).await??;
    connection.visit.asked(hello.server_name.as_deref(), "tls");
    accept(connection, certificate, Spoken { alpn, ..Spoken::default() }, hello, stream).await
}

/// Completes the handshake whose hello was read already; `None` where it ended there.
async fn accept<S: Peer>(
    connection: &Connection,
    certificate: &Certificate,
    spoken: Spoken,
    hello: ClientHello,
    mut stream: S,
) -> Option<TlsStream<Prefixed<S>>> {
    connection.tell(hello.server_name.as_deref(), "tls", || certificate.words());
    let by_hand = match spoken.versions {
        TlsVersions::OnlyOld => true,
        TlsVersions::AlsoOld => hello.only_old(),
        TlsVersions::Modern | TlsVersions::Twelve => false,
    };
    if by_hand {
        if hello.takes_old() {
            let random = derive(&connection.internet.world, "hello", &connection.now_ms().to_string());
            hello::old_flight(&mut stream, &hello, &certificate.chain, random).await;
            connection.within(IDLE, gone(&mut stream)).await;
        } else {
            hello::alert(&mut stream, hello::PROTOCOL_VERSION).await;
        }
        return None;
    }
    let acceptor = TlsAcceptor::from(server_config(certificate, spoken));
    let prefixed = Prefixed { first: hello.raw, taken: 0, stream };
    match connection.within(IDLE, acceptor.accept(prefixed).into_fallible()).await? {
        Ok(stream) => Some(stream),
        // The other side may still be speaking: it hears why this was the end.
        Err((_, mut stream)) => {
            let _ = stream.shutdown().await;
            connection.within(IDLE, gone(&mut stream)).await;
            None
        }
    }
}

/// Built once for a certificate and a choice of versions.
fn server_config(certificate: &Certificate, spoken: Spoken) -> Arc<rustls::ServerConfig> {
    let only_twelve = certificate.twelve_only || spoken.versions != TlsVersions::Modern;
    let kept = &certificate.configs[usize::from(only_twelve)][spoken.alpn as usize];
    kept.get_or_init(|| Arc::new(build_config(certificate, only_twelve, spoken.alpn))).clone()
}

fn build_config(certificate: &Certificate, only_twelve: bool, alpn: Alpn) -> rustls::ServerConfig {
    let both: &[&rustls::SupportedProtocolVersion] = &[&rustls::version::TLS13, &rustls::version::TLS12];
    let twelve: &[&rustls::SupportedProtocolVersion] = &[&rustls::version::TLS12];
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = rustls::ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(if only_twelve { twelve } else { both })
        .expect("the provider has both versions");
    let mut key = CertifiedKey::new(certificate.chain.clone(), certificate.key.clone());
    key.ocsp.clone_from(&certificate.ocsp);
    let mut config = builder.with_no_client_auth().with_cert_resolver(Arc::new(Fixed(Arc::new(key))));
    config.alpn_protocols = alpn.names().iter().map(|name| name.as_bytes().to_vec()).collect();
    // Nothing is remembered between connections: an answer never depends on an earlier one.
    config.session_storage = Arc::new(NoServerSessionStorage {});
    config.send_tls13_tickets = 0;
    config
}

/// The one certificate that was chosen before.
#[derive(Debug)]
struct Fixed(Arc<CertifiedKey>);

impl ResolvesServerCert for Fixed {
    fn resolve(&self, _: Offer<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.0.clone())
    }
}

/// A stream whose first bytes were read already.
pub(super) struct Prefixed<S> {
    first: Vec<u8>,
    taken: usize,
    stream: S,
}

impl<S: Peer> AsyncRead for Prefixed<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.taken < self.first.len() {
            let length = buffer.remaining().min(self.first.len() - self.taken);
            let taken = self.taken;
            buffer.put_slice(&self.first[taken..taken + length]);
            self.taken += length;
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<S: Peer> AsyncWrite for Prefixed<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    /// Writes all at once: an alert behind a hello is sent by the one write that follows an error.
    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let whole: Vec<u8> = parts.iter().flat_map(|part| part.iter().copied()).collect();
        Pin::new(&mut self.stream).poll_write(cx, &whole)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
