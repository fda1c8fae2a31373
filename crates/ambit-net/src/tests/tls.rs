//! Handshakes with servers of every quality.

use super::certificates::{VERSION_ONE, WEAK};
use super::script::Script;
use super::wire::{Peer, PeerStream, TestWire, dialled, run, session};
use crate::NetError;
use crate::tls::{Certificate, HelloAnswer, KeyType, Problem, TlsOptions, TlsVersion};
use futures::future::BoxFuture;
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use rustls::ServerConfig;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_rustls::TlsAcceptor;

const SERVER: &str = "192.0.2.44:443";

struct Authority {
    params: CertificateParams,
    key: KeyPair,
}

impl Authority {
    /// A new authority, trusted by the wire.
    fn trusted(wire: &TestWire) -> Self {
        let authority = Self::new();
        let der = authority.params.self_signed(&authority.key).unwrap();
        let mut store = rustls::RootCertStore::empty();
        store.add(der.der().clone()).unwrap();
        wire.roots.lock().unwrap().append(&mut store.roots);
        authority
    }

    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.distinguished_name.push(DnType::CommonName, "Test Authority");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.not_before = rcgen::date_time_ymd(2020, 1, 1);
        params.not_after = rcgen::date_time_ymd(2040, 1, 1);
        Self { params, key: KeyPair::generate().unwrap() }
    }

    fn issue(
        &self,
        names: &[&str],
        from: (i32, u8),
        to: (i32, u8),
    ) -> (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>) {
        let (params, key) = leaf(names, from, to);
        let issuer = Issuer::from_params(&self.params, &self.key);
        (vec![params.signed_by(&key, &issuer).unwrap().der().clone()], key.serialize_der().try_into().unwrap())
    }
}

fn leaf(names: &[&str], from: (i32, u8), to: (i32, u8)) -> (CertificateParams, KeyPair) {
    let mut params = CertificateParams::new(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()).unwrap();
    params.distinguished_name = rcgen::DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, names[0]);
    params.distinguished_name.push(DnType::OrganizationName, "Acme \u{1b}[31m");
    params.not_before = rcgen::date_time_ymd(from.0, from.1, 1);
    params.not_after = rcgen::date_time_ymd(to.0, to.1, 1);
    (params, KeyPair::generate().unwrap())
}

fn self_signed(names: &[&str]) -> (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>) {
    let (params, key) = leaf(names, (2026, 1), (2027, 1));
    (vec![params.self_signed(&key).unwrap().der().clone()], key.serialize_der().try_into().unwrap())
}

/// A TLS server that answers every connection with `hi` and closes.
fn serve(
    (chain, key): (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>),
    versions: &'static [&'static rustls::SupportedProtocolVersion],
) -> Peer {
    let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_protocol_versions(versions)
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    accept(TlsAcceptor::from(Arc::new(config)))
}

fn accept(acceptor: TlsAcceptor) -> Peer {
    Peer::Serves(Arc::new(move |peer: PeerStream| -> BoxFuture<'static, ()> {
        let acceptor = acceptor.clone();
        Box::pin(async move {
            if let Ok(mut stream) = acceptor.accept(peer.stream).await {
                let mut asked = [0; 1024];
                let _ = stream.read(&mut asked).await;
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi").await;
                let _ = stream.shutdown().await;
            }
        })
    }))
}

/// A TLS server that answers request after request on one connection.
fn answer_many((chain, key): (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>)) -> Peer {
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_protocol_versions(BOTH)
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    Peer::Serves(Arc::new(move |peer: PeerStream| -> BoxFuture<'static, ()> {
        let acceptor = acceptor.clone();
        Box::pin(async move {
            let Ok(mut stream) = acceptor.accept(peer.stream).await else { return };
            let mut asked = [0; 1024];
            while stream.read(&mut asked).await.is_ok_and(|read| read > 0) {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi").await;
            }
        })
    }))
}

#[test]
fn exchanges_on_one_connection_all_show_its_certificate() {
    run(|wire| async move {
        let authority = Authority::trusted(&wire);
        wire.peer(SERVER, answer_many(authority.issue(&["www.example.test"], (2026, 1), (2027, 1))));
        let session = session(&wire);
        let ask = async |name: &str| {
            let mut request = session.get(&format!("https://{name}/")).unwrap().at(SERVER.parse().unwrap());
            request.shared = true;
            session.http(&request).await.unwrap().tls.unwrap()
        };
        let (first, second) = (ask("www.example.test").await, ask("www.example.test").await);
        assert_eq!(first, second);
        assert!(second.verification.is_trusted() && !second.chain.is_empty());
        assert_eq!(dialled(&wire).len(), 1);
        let other = ask("other.example.test").await;
        assert!(!other.verification.is_trusted());
        assert_eq!(dialled(&wire).len(), 2, "another name is another handshake");
    });
}

const BOTH: &[&rustls::SupportedProtocolVersion] = &[&rustls::version::TLS13, &rustls::version::TLS12];
const ONLY_12: &[&rustls::SupportedProtocolVersion] = &[&rustls::version::TLS12];

async fn problems(wire: &Arc<TestWire>, name: Option<&str>) -> String {
    let shaken = session(wire).tls(SERVER.parse().unwrap(), name, &TlsOptions::default()).await.unwrap();
    assert!(shaken.facts.complete);
    let names: Vec<&str> = shaken.facts.verification.problems.iter().map(|problem| problem.name()).collect();
    names.join(" ")
}

#[test]
fn every_certificate_is_taken_and_its_problems_are_named() {
    for (row, expected) in [
        ("good", ""),
        ("star", ""),
        ("star too deep", "wrong_name"),
        ("other name", "wrong_name"),
        ("no name asked", "wrong_name"),
        ("expired", "expired"),
        ("early", "not_yet_valid"),
        ("expired and other name", "expired wrong_name"),
        ("stranger", "unknown_issuer"),
        ("self-signed", "self_signed"),
    ] {
        run(move |wire| async move {
            let authority = Authority::trusted(&wire);
            let now = ((2026, 1), (2027, 1));
            let (identity, name) = match row {
                "good" => (authority.issue(&["www.example.test"], now.0, now.1), Some("www.example.test")),
                "star" => (authority.issue(&["*.example.test"], now.0, now.1), Some("WWW.example.test")),
                "star too deep" => (authority.issue(&["*.example.test"], now.0, now.1), Some("a.b.example.test")),
                "other name" => (authority.issue(&["other.test"], now.0, now.1), Some("www.example.test")),
                "no name asked" => (authority.issue(&["other.test"], now.0, now.1), None),
                "expired" => (authority.issue(&["www.example.test"], (2024, 1), (2025, 1)), Some("www.example.test")),
                "early" => (authority.issue(&["www.example.test"], (2027, 1), (2028, 1)), Some("www.example.test")),
                "expired and other name" => {
                    (authority.issue(&["other.test"], (2024, 1), (2025, 1)), Some("www.example.test"))
                }
                "stranger" => (Authority::new().issue(&["www.example.test"], now.0, now.1), Some("www.example.test")),
                "self-signed" => (self_signed(&["www.example.test"]), Some("www.example.test")),
                other => panic!("no row {other}"),
            };
            wire.peer(SERVER, serve(identity, BOTH));
            assert_eq!(problems(&wire, name).await, expected, "{row}");
        });
    }
}

#[test]
fn a_handshake_shows_version_cipher_chain_and_the_certificates_words() {
    for (versions, version, cipher) in [
        (BOTH, TlsVersion::Tls13, "TLS_AES_256_GCM_SHA384"),
        (ONLY_12, TlsVersion::Tls12, "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"),
    ] {
        run(move |wire| async move {
            let authority = Authority::trusted(&wire);
            wire.peer(
                SERVER,
                serve(authority.issue(&["www.example.test", "*.example.test"], (2026, 1), (2026, 7)), versions),
            );
            let shaken = session(&wire)
                .tls(SERVER.parse().unwrap(), Some("www.example.test"), &TlsOptions::default())
                .await
                .unwrap();
            let facts = shaken.facts;
            assert_eq!(
                (facts.version, facts.cipher.as_str(), facts.alpn.as_deref()),
                (version, cipher, Some("http/1.1"))
            );
            assert!(facts.verification.is_trusted() && !facts.client_certificate_requested && !facts.chain_cut);
            let certificate = facts.certificate().unwrap().unwrap();
            assert_eq!(certificate.dns_names, ["www.example.test", "*.example.test"]);
            assert_eq!(certificate.subject.escaped(), "CN=www.example.test, O=Acme \\u{1b}[31m");
            assert_eq!(
                (certificate.issuer_cn.unwrap().raw(), certificate.not_after.date().as_str()),
                ("Test Authority", "2026-07-01")
            );
            assert_eq!((certificate.key_type, certificate.key_bits), (KeyType::Ec("P-256".into()), 256));
            assert_eq!(
                (certificate.signature_algorithm.as_str(), certificate.is_ca, certificate.is_self_issued),
                ("ecdsa-with-SHA256", false, false)
            );
        });
    }
}

#[test]
fn pages_come_over_tls_and_sources_must_be_trusted() {
    run(|wire| async move {
        wire.peer(SERVER, serve(self_signed(&["www.example.test"]), BOTH));
        let session = session(&wire);
        let mut request = session.get("https://www.example.test/").unwrap().at(SERVER.parse().unwrap());
        let exchange = session.http(&request).await.unwrap();
        assert_eq!(
            (exchange.body.as_slice(), exchange.tls.unwrap().verification.problems[0].name()),
            (b"hi".as_slice(), "self_signed")
        );
        request.grant = crate::Grant::Source("plain");
        assert_eq!(
            session.http(&request).await.err(),
            Some(NetError::Tls("source plain is not trusted: self_signed".into()))
        );
    });
}

#[test]
fn an_authority_and_a_certificate_of_ours_hold_for_one_peer_alone() {
    run(|wire| async move {
        // Nobody but the request knows this authority.
        let authority = Authority::new();
        let root = authority.params.self_signed(&authority.key).unwrap().der().clone();
        let mut roots = rustls::RootCertStore::empty();
        roots.add(root.clone()).unwrap();
        let verifier =
            rustls::server::WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::new(default_provider()))
                .build()
                .unwrap();
        let (chain, key) = authority.issue(&["k8s.example.test"], (2026, 1), (2027, 1));
        let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_protocol_versions(BOTH)
            .unwrap()
            .with_client_cert_verifier(verifier)
            .with_single_cert(chain, key)
            .unwrap();
        wire.peer(SERVER, accept(TlsAcceptor::from(Arc::new(config))));
        let session = session(&wire);
        let ask = async |peer: Option<crate::tls::Peer>, grant| {
            let request = session.get("https://k8s.example.test/").unwrap().at(SERVER.parse().unwrap()).on(grant);
            let request = crate::http::HttpRequest { peer: peer.map(Arc::new), ..request };
            session.http(&request).await.map(|exchange| exchange.body)
        };
        let source = crate::Grant::Source("plain");
        let own = authority.issue(&["reader"], (2026, 1), (2027, 1));
        let (chain, key) = (vec![own.0[0].to_vec()], own.1.secret_der().to_vec());
        let authorities = [root.to_vec()];
        let known = || crate::tls::Peer::new(&authorities, Some((&chain, &key))).unwrap();
        assert_eq!(ask(Some(known()), source).await.as_deref(), Ok(b"hi".as_slice()));
        assert!(ask(None, source).await.is_err(), "the authority is not everybody's");
        assert!(ask(Some(crate::tls::Peer::new(&authorities, None).unwrap()), source).await.is_err());
        let untrusting = crate::tls::Peer::new(&[], Some((&chain, &key))).unwrap();
        let said = ask(Some(untrusting), source).await.unwrap_err().to_string();
        assert!(said.contains("is not trusted"), "{said}");
        assert!(ask(Some(known()), crate::Grant::Target).await.is_err(), "no target is shown a certificate of ours");
        assert!(!format!("{:?}", known()).contains("key:"), "keys are not told");
        let stranger = Authority::new().issue(&["x"], (2026, 1), (2027, 1)).1.secret_der().to_vec();
        assert!(crate::tls::Peer::new(&authorities, Some((&chain, &stranger))).is_err(), "another's key");
        assert!(crate::tls::Peer::new(&[b"no certificate".to_vec()], None).is_err());
    });
}

#[test]
fn a_server_that_wants_a_certificate_of_ours_still_shows_its_own() {
    for versions in [BOTH, ONLY_12] {
        run(move |wire| async move {
            let authority = Authority::trusted(&wire);
            let (chain, key) = authority.issue(&["www.example.test"], (2026, 1), (2027, 1));
            let mut roots = rustls::RootCertStore::empty();
            roots.add(authority.params.self_signed(&authority.key).unwrap().der().clone()).unwrap();
            let verifier = rustls::server::WebPkiClientVerifier::builder_with_provider(
                Arc::new(roots),
                Arc::new(default_provider()),
            )
            .build()
            .unwrap();
            let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
                .with_protocol_versions(versions)
                .unwrap()
                .with_client_cert_verifier(verifier)
                .with_single_cert(chain, key)
                .unwrap();
            wire.peer(SERVER, accept(TlsAcceptor::from(Arc::new(config))));
            let shaken = session(&wire)
                .tls(SERVER.parse().unwrap(), Some("www.example.test"), &TlsOptions::default())
                .await
                .unwrap();
            assert!(shaken.facts.client_certificate_requested);
            assert_eq!((shaken.facts.chain.len(), shaken.facts.verification.is_trusted()), (1, true));
        });
    }
}

/// Shows the one certificate whatever is asked for, be its key another's.
#[derive(Debug)]
struct Shows(Arc<rustls::sign::CertifiedKey>);

impl rustls::server::ResolvesServerCert for Shows {
    fn resolve(&self, _: rustls::server::ClientHello<'_>) -> Option<Arc<rustls::sign::CertifiedKey>> {
        Some(self.0.clone())
    }
}

#[test]
fn the_word_of_an_authority_counts_only_from_who_proves_to_be_meant() {
    for versions in [BOTH, ONLY_12] {
        for is_their_own in [true, false] {
            run(move |wire| async move {
                let authority = Authority::trusted(&wire);
                let (chain, own) = authority.issue(&["www.example.test"], (2026, 1), (2027, 1));
                let (_, another) = authority.issue(&["www.example.test"], (2026, 1), (2027, 1));
                let key = if is_their_own { own } else { another };
                let key = default_provider().key_provider.load_private_key(key).unwrap();
                let mut shown = rustls::sign::CertifiedKey::new(chain, key);
                shown.ocsp = Some(b"a word".to_vec());
                let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
                    .with_protocol_versions(versions)
                    .unwrap()
                    .with_no_client_auth()
                    .with_cert_resolver(Arc::new(Shows(Arc::new(shown))));
                wire.peer(SERVER, accept(TlsAcceptor::from(Arc::new(config))));
                let facts = session(&wire)
                    .tls(SERVER.parse().unwrap(), Some("www.example.test"), &TlsOptions::default())
                    .await
                    .unwrap()
                    .facts;
                let expected: &[u8] = if is_their_own { b"a word" } else { b"" };
                assert_eq!(facts.ocsp, expected);
                assert_eq!(facts.verification.problems.contains(&Problem::Unproven), !is_their_own);
            });
        }
    }
}

#[test]
fn a_server_that_refuses_every_version_of_http_is_told_from_one_that_refuses_the_one() {
    for (spoken, [one, browser]) in [
        ("http/1.1", [None, None]),
        ("h2", [Some(NetError::OtherHttp), None]),
        ("mqtt", [Some(NetError::OtherHttp), Some(NetError::NoHttp)]),
    ] {
        run(move |wire| async move {
            let (chain, key) = self_signed(&["www.example.test"]);
            let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
                .with_protocol_versions(BOTH)
                .unwrap()
                .with_no_client_auth()
                .with_single_cert(chain, key)
                .unwrap();
            config.alpn_protocols = vec![spoken.as_bytes().to_vec()];
            wire.peer(SERVER, accept(TlsAcceptor::from(Arc::new(config))));
            let session = session(&wire);
            let ask = async |options| session.tls(SERVER.parse().unwrap(), None, &options).await.err();
            assert_eq!(ask(TlsOptions::plain()).await, None, "{spoken}");
            assert_eq!(ask(TlsOptions::default()).await, one, "{spoken}");
            assert_eq!(ask(TlsOptions::browser()).await, browser, "{spoken}");
        });
    }
}

/// Bytes of a server's hello with a certificate, as records of an old version.
pub(super) fn old_server(version: u16, cipher: u16, certificates: &[&[u8]]) -> Vec<u8> {
    let length = |size: usize, bytes: &[u8]| [&(bytes.len() as u64).to_be_bytes()[8 - size..], bytes].concat();
    let hello = [&version.to_be_bytes()[..], &[7; 32], &[0], &cipher.to_be_bytes(), &[0]].concat();
    let certificates = length(3, &certificates.iter().flat_map(|der| length(3, der)).collect::<Vec<u8>>());
    let messages = [vec![2], length(3, &hello), vec![11], length(3, &certificates), vec![14, 0, 0, 0]].concat();
    messages
        .chunks(16 * 1024)
        .flat_map(|part| [vec![22], version.to_be_bytes().to_vec(), length(2, part)].concat())
        .collect()
}

fn hex_text(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("\\x{byte:02x}")).collect()
}

#[test]
fn what_an_old_server_shows_in_clear_is_recorded() {
    run(|wire| async move {
        let (chain, _) = self_signed(&["old.example.test"]);
        wire.script(
            SERVER,
            &format!("read 11\nsend \"{}\"\nhang", hex_text(&old_server(0x0301, 0x002f, &[&chain[0]]))),
        );
        let shaken = session(&wire)
            .tls(SERVER.parse().unwrap(), Some("old.example.test"), &TlsOptions::default())
            .await
            .unwrap();
        assert!(shaken.stream.is_none() && !shaken.facts.complete);
        assert_eq!(
            (shaken.facts.version, shaken.facts.cipher.as_str()),
            (TlsVersion::Tls10, "TLS_RSA_WITH_AES_128_CBC_SHA")
        );
        assert_eq!(shaken.facts.certificate().unwrap().unwrap().dns_names, ["old.example.test"]);
        let session = session(&wire);
        let hello = session.tls_hello(SERVER.parse().unwrap(), None, TlsVersion::Tls10).await.unwrap();
        assert_eq!(
            hello,
            HelloAnswer::Accepted { version: TlsVersion::Tls10, cipher: 0x002f, chain: vec![chain[0].to_vec()] }
        );
        let hello = session.tls_hello(SERVER.parse().unwrap(), None, TlsVersion::Tls12).await.unwrap();
        assert_eq!(hello, HelloAnswer::Refused("chose TLSv1.0".into()));
    });
}

#[test]
fn versions_are_told_apart_by_hellos() {
    run(|wire| async move {
        wire.peer(SERVER, serve(self_signed(&["www.example.test"]), ONLY_12));
        let session = session(&wire);
        let address = SERVER.parse().unwrap();
        for (version, accepted) in [
            (TlsVersion::Tls10, false),
            (TlsVersion::Tls11, false),
            (TlsVersion::Tls12, true),
            (TlsVersion::Tls13, false),
        ] {
            let answer = session.tls_hello(address, Some("www.example.test"), version).await.unwrap();
            assert_eq!(matches!(answer, HelloAnswer::Accepted { .. }), accepted, "{version:?}: {answer:?}");
        }
    });
    run(|wire| async move {
        wire.peer(SERVER, serve(self_signed(&["www.example.test"]), BOTH));
        let answer = session(&wire)
            .tls_hello(SERVER.parse().unwrap(), Some("www.example.test"), TlsVersion::Tls13)
            .await
            .unwrap();
        assert!(matches!(answer, HelloAnswer::Accepted { version: TlsVersion::Tls13, .. }), "{answer:?}");
    });
}

#[test]
fn peers_that_speak_no_tls_end_in_a_clear_outcome() {
    for (script, error) in [
        ("read 5\nsend \"HTTP/1.1 400 Bad Request\\r\\n\\r\\n\"", "tls: not TLS: InvalidContentType"),
        (
            "read 5\nsend \"\\x16\\x03\\x03\\xff\\xff\\x02\\x00\\xff\\xfb\"\nendless \"\\xaa\"",
            "tls: not TLS: MessageTooLarge",
        ),
        ("read 5\nsend \"\\x15\\x03\\x01\\x00\\x02\\x02\\x28\"", "tls: the server sent the alert HandshakeFailure"),
        ("hang", "timed out: TLS handshake"),
        ("read 5\nreset", "connection reset: TLS handshake"),
        ("read 5", "connection closed early: TLS handshake"),
        ("read 5\nsend \"\\x16\\x03\\x01\\x40\\x00\\x02\\xff\\xff\\xff\"\nendless \"\\x00\"", ""),
    ] {
        run(move |wire| async move {
            wire.script(SERVER, script);
            let outcome = session(&wire)
                .tls(SERVER.parse().unwrap(), Some("www.example.test"), &TlsOptions::default())
                .await
                .err()
                .unwrap();
            if !error.is_empty() {
                assert_eq!(outcome.to_string(), error, "{script}");
            }
            assert!(wire.clock.now() <= Duration::from_secs(40), "{script}");
        });
    }
}

#[test]
fn a_certificate_over_the_limit_is_named_and_not_kept() {
    run(|wire| async move {
        let names: Vec<String> =
            (0..1_500).map(|index| format!("san-{index}-{}.example.test", "a".repeat(40))).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let (chain, _) = self_signed(&names);
        wire.peer(SERVER, Peer::Plays(Script::after_bytes(11, old_server(0x0303, 0x002f, &[&chain[0], b"another"]))));
        let shaken = session(&wire).tls(SERVER.parse().unwrap(), Some(names[0]), &TlsOptions::default()).await.unwrap();
        assert_eq!((shaken.facts.chain.len(), shaken.facts.chain_cut), (0, true));
        assert_eq!(shaken.facts.verification.problems[0].name(), "unparsable");
    });
    let names: Vec<String> = (0..600).map(|index| format!("san-{index}.example.test")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let (chain, _) = self_signed(&names);
    assert_eq!(Certificate::parse(&chain[0]).unwrap().dns_names.len(), 600);
}

#[test]
fn bytes_that_are_no_certificate_are_a_recorded_result() {
    for der in [&b""[..], b"\x30\x03\x02\x01", &[0x30; 1000]] {
        assert!(Certificate::parse(der).is_err());
    }
    assert!(Certificate::parse(&vec![0; crate::limits::CERTIFICATE_BYTES_MAX + 1]).is_err());
    run(|wire| async move {
        wire.script(
            SERVER,
            &format!("read 11\nsend \"{}\"\nhang", hex_text(&old_server(0x0301, 0x002f, &[b"no certificate"]))),
        );
        let shaken = session(&wire).tls(SERVER.parse().unwrap(), None, &TlsOptions::default()).await.unwrap();
        assert_eq!(shaken.facts.chain, [b"no certificate".to_vec()]);
        assert_eq!(shaken.facts.verification.problems[0].name(), "unparsable");
    });
}

#[test]
fn weak_and_old_certificates_are_read_and_their_problems_named() {
    let roots = rustls::RootCertStore::empty();
    for (hex_text, name, date, expected) in [
        (WEAK, "weak.example.test", "2026-06-01", "self_signed weak_signature"),
        (WEAK, "weak.example.test", "2031-01-01", "expired self_signed weak_signature"),
        (VERSION_ONE, "one.example.test", "2027-01-01", "self_signed wrong_name weak_signature"),
    ] {
        let chain = [hex::decode(hex_text).unwrap()];
        let verification = crate::tls::verify(&chain, Some(name), &roots, ambit_model::Timestamp::parse(date).unwrap());
        let names: Vec<&str> = verification.problems.iter().map(|problem| problem.name()).collect();
        assert_eq!(names.join(" "), expected);
        let certificate = Certificate::parse(&chain[0]).unwrap();
        assert_eq!(
            (certificate.key_type, certificate.key_bits, certificate.is_self_issued),
            (KeyType::Rsa, 1_024, true)
        );
    }
    let old = Certificate::parse(&hex::decode(VERSION_ONE).unwrap()).unwrap();
    assert_eq!((old.version, old.subject_cn.unwrap().raw(), old.dns_names.len()), (1, "one.example.test", 0));
}
