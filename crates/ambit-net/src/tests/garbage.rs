//! Whatever bytes come, no reader panics, and what is read stays within its limits.

use super::script::Script;
use super::wire::{Peer, RESOLVER, run, session};
use crate::dns::RecordType;
use crate::http::{Cookie, Url};
use crate::tls::{Certificate, TlsOptions};
use crate::untrusted::escape;
use proptest::prelude::*;
use std::sync::Arc;
use std::time::Duration;

/// Good bytes with some of them changed, cut or repeated: garbage that gets past the first check.
fn spoilt(good: Vec<u8>) -> impl Strategy<Value = Vec<u8>> {
    let length = good.len();
    (prop::collection::vec((0..length, any::<u8>()), 0..6), 0..=length, any::<bool>()).prop_map(
        move |(changes, cut, whole)| {
            let mut bytes = good.clone();
            for (at, byte) in changes {
                bytes[at] = byte;
            }
            if !whole {
                bytes.truncate(cut);
            }
            bytes
        },
    )
}

fn certificate() -> Vec<u8> {
    let params = rcgen::CertificateParams::new(vec!["www.example.test".to_owned(), "192.0.2.1".to_owned()]).unwrap();
    params.self_signed(&rcgen::KeyPair::generate().unwrap()).unwrap().der().to_vec()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn urls(text in "\\PC{0,60}",
    prefix in prop::sample::select(vec!["", "http://", "https://[", "http://1.", "//", "/\\", "http://%"])) {
        let text = format!("{prefix}{text}");
        let base = Url::parse("https://example.test/a/b?c").unwrap();
        for url in [Url::parse(&text), base.join(&text)].into_iter().flatten() {
            prop_assert_eq!(Url::parse(&url.to_string()), Ok(url.clone()), "canonical: {}", url);
            prop_assert!(url.path.starts_with('/') && url.path.bytes().all(|byte| byte.is_ascii_graphic()));
        }
    }

    #[test]
    fn cookies_and_shown_text(text in any::<String>()) {
        let _ = Cookie::parse(&text);
        prop_assert!(!escape(&text).chars().any(char::is_control));
    }

    #[test]
    fn certificates(der in spoilt(certificate())) {
        let _ = Certificate::parse(&der);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn answers_of_web_servers(bytes in spoilt(
        b"HTTP/1.1 200 OK\r\nA: b\r\n c\r\nContent-Encoding: gzip\r\nTransfer-Encoding: \
          chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\nT: t\r\n\r\n".to_vec(),
    )) {
        run(|wire| async move {
            wire.peer("192.0.2.80:80", Peer::Plays(Script::answer(bytes)));
            let session = session(&wire);
            if let Ok(exchange) = session.http(&session.get("http://192.0.2.80/").unwrap()).await {
                assert!(exchange.body.len() <= crate::limits::BODY_KEPT);
            }
            assert!(wire.clock.now() <= Duration::from_secs(61));
        });
    }

    #[test]
    fn answers_of_name_servers(changes in prop::collection::vec((12usize..120, any::<u8>()), 0..5),
    cut in 0usize..120) {
        run(move |wire| async move {
            wire.name_server(RESOLVER, Arc::new(move |question, _| {
                let end = question.len() - 11;
                let mut bytes = question[..end].to_vec();
                bytes[2..12].copy_from_slice(&[0x85, 0x80, 0, 1, 0, 2, 0, 0, 0, 0]);
                bytes.extend_from_slice(b"\xc0\x0c\x00\x05\x00\x01\x00\x00\x00\x3c\x00\x07\x04next\xc0\x10\xc0\x2c\x00\x01\x00\x01\x00\x00\x00\x3c\x00\x04\xc0\x00\x02\x01");
                for (at, byte) in &changes {
                    // Behind the question, which must be repeated.
                    if let Some(changed) = bytes.get_mut(at.max(&end).to_owned()) {
                        *changed = *byte;
                    }
                }
                bytes.truncate(cut.max(end));
                vec![(Duration::from_millis(1), bytes)]
            }));
            let _ = session(&wire).lookup("www.example.test", RecordType::A).await;
            assert!(wire.clock.now() <= Duration::from_secs(30));
        });
    }

    #[test]
    fn answers_of_tls_servers(bytes in spoilt(super::tls::old_server(0x0301, 0x002f, &[&certificate()]))) {
        run(|wire| async move {
            wire.peer("192.0.2.80:443", Peer::Plays(Script::after_bytes(11, bytes)));
            let _ = session(&wire).tls("192.0.2.80:443".parse().unwrap(), None, &TlsOptions::default()).await;
            assert!(wire.clock.now() <= Duration::from_secs(61));
        });
    }
}
