//! The HTTP client against peers of every kind.

use super::script::Script;
use super::wire::{Peer, TestWire, dialled, net, run, session};
use crate::http::{BodyEnd, BodySink, ChainEnd, HttpExchange, HttpRequest, Url};
use crate::{NetError, Phase, Session};
use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;

const SITE: &str = "192.0.2.80:80";

fn get(session: &Session, url: &str) -> HttpRequest {
    session.get(url).unwrap()
}

async fn ask(wire: &Arc<TestWire>) -> Result<HttpExchange, NetError> {
    let session = session(wire);
    session.http(&get(&session, "http://192.0.2.80/")).await
}

#[test]
fn a_long_body_goes_to_its_sink_and_is_not_kept() {
    for (head, bytes_max, written, end) in [
        ("200 OK", 100, "hello", BodyEnd::Complete),
        ("200 OK", 3, "hel", BodyEnd::TooLarge),
        ("404 Not Found", 100, "", BodyEnd::Complete),
    ] {
        run(move |wire| async move {
            let answer = format!("read-head\nsend \"HTTP/1.1 {head}\\r\\nContent-Length: 5\\r\\n\\r\\nhello\"\nhang");
            wire.script(SITE, &answer);
            let session = session(&wire);
            let into = Arc::new(Mutex::new(Vec::new()));
            let request = get(&session, "http://192.0.2.80/").into_sink(BodySink::new(into.clone(), bytes_max));
            let exchange = session.http(&request).await.unwrap();
            assert_eq!(
                (String::from_utf8(into.lock().unwrap().clone()).unwrap().as_str(), exchange.end),
                (written, end)
            );
            assert_eq!(exchange.body.is_empty(), head.starts_with("200"), "{head}");
        });
    }
}

#[test]
fn an_ordinary_answer_is_kept_as_it_came() {
    run(|wire| async move {
        wire.script(
            SITE,
            r#"read-head
               send "HTTP/1.1 200 OK\r\nServer: one\r\nserver: two\r\nSet-Cookie: a=1; Secure\r\n"
               send "Content-Length: 5\r\n\r\nhelloIGNORED"
               hang"#,
        );
        let exchange = ask(&wire).await.unwrap();
        assert_eq!(
            exchange.head,
            b"HTTP/1.1 200 OK\r\nServer: one\r\nserver: two\r\nSet-Cookie: a=1; Secure\r\nContent-Length: 5\r\n\r\n"
        );
        assert_eq!(
            (exchange.status, exchange.reason.raw(), exchange.body.as_slice()),
            (200, "OK", b"hello".as_slice())
        );
        let servers: Vec<&str> = exchange.headers_named("SERVER").map(|value| value.raw()).collect();
        assert_eq!(servers, ["one", "two"]);
        assert!(exchange.cookies()[0].secure);
        assert_eq!((exchange.end, exchange.truncated, exchange.oddities), (BodyEnd::Complete, false, vec![]));
        assert_eq!(
            String::from_utf8(exchange.request).unwrap(),
            format!(
                "GET / HTTP/1.1\r\nHost: 192.0.2.80\r\nUser-Agent: ambit/{}\r\nAccept: */*\r\nAccept-Encoding: gzip, \
                 deflate\r\nConnection: close\r\n\r\n",
                env!("CARGO_PKG_VERSION")
            )
        );
        assert_eq!(exchange.body_sha256, "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824");
    });
}

/// What the peer does after it has read the request (`{ok}`: a good status line), and the outcome as `STATUS END BODY
/// ODDITIES` or the error.
const HOSTILE: &[(&str, &str)] = &[
    // What is odd but readable is read and noted.
    (r#"send "HTTP/1.1 200\nA: b\n\nbody""#, "200 Complete body [bare_lf no_reason]"),
    (r#"send "{ok}A: b\r\n  folded\r\n\r\nbody""#, "200 Complete body [obs_fold]"),
    (r#"send "{ok}Content-Length: 4\r\nContent-Length: 9\r\n\r\nbody!""#, "200 Complete body [lengths_differ]"),
    (
        r#"send "{ok}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n4;x=y\r\nbody\r\n0\r\nT: t\r\n\r\n""#,
        "200 Complete body [length_and_chunked]",
    ),
    (r#"send "{ok}Content-Length: -1\r\n\r\nbody""#, "200 Complete body [bad_length]"),
    (r#"send "{ok}X\xff\x00: \xfe\r\n\r\nbo\xffdy""#, "200 Complete bo\u{fffd}dy [not_utf8 nul]"),
    (r#"send "{ok}no colon here\r\nSpace : x\r\n\r\n""#, "200 Complete  [no_colon space_before_colon]"),
    (r#"send "\r\nHTTP/1.1 200 OK\r\n\r\nbody""#, "200 Complete body []"),
    (
        r#"send "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nLink: x\r\n\r\nHTTP/1.1 204 No\r\n\r\nbody""#,
        "204 Complete  []",
    ),
    (r#"send "{ok}Server: x""#, "200 Complete  [bare_lf head_cut]"),
    // Bodies that are not what they say.
    ("send \"{ok}Content-Length: 100\\r\\n\\r\\nshort\"", "200 Short short []"),
    ("send \"{ok}Content-Length: 100\\r\\n\\r\\ncut\"\nreset", "200 Reset cut []"),
    (
        "send \"{ok}Transfer-Encoding: chunked\\r\\n\\r\\n3\\r\\nabc\\r\\nzzz\\r\\n\"",
        "200 Broken(\"chunk size\") abc []",
    ),
    ("send \"{ok}Transfer-Encoding: chunked\\r\\n\\r\\n3\\r\\nabcdef\"", "200 Broken(\"chunk end\") abc []"),
    ("send \"{ok}Transfer-Encoding: chunked\\r\\n\\r\\n\"\nendless \"1\"", "200 Broken(\"chunk size\")  []"),
    ("send \"{ok}Transfer-Encoding: chunked\\r\\n\\r\\nffffffffffffffff\\r\\nhello\"\nhang", "200 TooSlow hello []"),
    ("send \"{ok}Content-Encoding: gzip\\r\\n\\r\\nthis is no gzip\"", "200 Broken(\"content coding\")  []"),
    ("send \"{ok}Content-Encoding: gzip, gzip, gzip\\r\\n\\r\\nraw\"", "200 Opaque raw []"),
    ("send \"{ok}Content-Encoding: rot13\\r\\n\\r\\nraw\"", "200 Opaque raw []"),
    // Bodies without end.
    ("send \"{ok}Content-Length: 9999999999999\\r\\n\\r\\n\"\ndrip 1s \"z\"", "200 TooSlow zzzzzzzzzzzz []"),
    ("send \"{ok}\\r\\n\"\ndrip 11s \"z\"", "200 TooSlow z []"),
    ("send \"{ok}\\r\\nstart\"\nhang", "200 TooSlow start []"),
    // Heads that are none.
    ("hang", "timed out: head"),
    ("reset", "connection reset: head"),
    ("", "connection closed early: head"),
    (r#"send "HTTP/1.1 200 OK""#, "connection closed early: head"),
    ("send \"{ok}\"\ndrip 1s \"X: y\\r\\n\"", "timed out: head"),
    ("send \"{ok}\"\nendless \"X: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\\r\\n\"", "over the limit: head"),
    ("send \"{ok}\"\nrepeat 101 \"X: y\\r\\n\"\nsend \"\\r\\n\"", "over the limit: headers"),
    (r#"endless "HTTP/1.1 100 Continue\r\n\r\n""#, "the peer broke the protocol: interim heads without end"),
    (
        r#"send "SSH-2.0-x\x1b[31m\r\n""#,
        "the peer broke the protocol: not HTTP: the answer begins with SSH-2.0-x\\u{1b}[31m\\r\\n",
    ),
    (
        r#"send "\x00\x00\x12\x04\x00\x00\x00\x00\x00""#,
        "the server does not speak HTTP/1.1, and HTTP/2 is not spoken here",
    ),
    (
        "send \"\\x00\\x00\"\nwait 1s\nsend \"\\x12\\x04\\x00\\x00\\x00\\x00\\x00\"",
        "the server does not speak HTTP/1.1, and HTTP/2 is not spoken here",
    ),
    (
        r#"send "\x00\x00\x11\x04\x00\x00\x00\x00\x00""#,
        r"the peer broke the protocol: not HTTP: the answer begins with \u{0}\u{0}\u{11}\u{4}\u{0}\u{0}\u{0}\u{0}\u{0}",
    ),
    (r#"send "\x00\x00""#, r"the peer broke the protocol: not HTTP: the answer begins with \u{0}\u{0}"),
    ("send \"\\x00\"\nhang", r"the peer broke the protocol: not HTTP: the answer begins with \u{0}"),
    (r#"send "HTTP/1.1 abc OK\r\n\r\n""#, "the peer broke the protocol: not an HTTP status line: HTTP/1.1 abc OK"),
    (
        r#"send "\x16\x03\x03\xff\xff""#,
        "the peer broke the protocol: not HTTP: the answer begins with \\u{16}\\u{3}\\u{3}\u{fffd}\u{fffd}",
    ),
];

#[test]
fn every_hostile_peer_ends_in_a_clear_outcome() {
    for (script, expected) in HOSTILE {
        run(move |wire| async move {
            let script = script.replace("{ok}", r"HTTP/1.1 200 OK\r\n");
            wire.script(SITE, &format!("read-head\n{script}"));
            let outcome = match ask(&wire).await {
                Ok(exchange) => format!(
                    "{} {:?} {} [{}]",
                    exchange.status,
                    exchange.end,
                    exchange.text().raw(),
                    exchange.oddities.join(" ")
                ),
                Err(error) => error.to_string(),
            };
            assert_eq!(outcome, *expected, "{script}");
            assert!(wire.clock.now() <= Duration::from_secs(61), "{script}: took {:?}", wire.clock.now());
        });
    }
}

#[test]
fn endless_bodies_end_at_the_limit_and_only_the_beginning_is_kept() {
    for framing in ["Content-Length: 9999999999999\\r\\n", "", "Transfer-Encoding: chunked\\r\\n"] {
        run(move |wire| async move {
            let part = "A".repeat(0x4000);
            let part = if framing.starts_with('T') { format!("4000\\r\\n{part}\\r\\n") } else { part };
            wire.script(SITE, &format!("read-head\nsend \"HTTP/1.1 200 OK\\r\\n{framing}\\r\\n\"\nendless \"{part}\""));
            let exchange = ask(&wire).await.unwrap();
            assert_eq!(
                (exchange.end, exchange.truncated, exchange.body.len()),
                (BodyEnd::TooLarge, true, crate::limits::BODY_KEPT)
            );
            // However the bytes arrive, as many are read: the hash of the body depends on it.
            let chunks = |read: u64| read / 0x4008 * 0x4000 + (read % 0x4008).saturating_sub(6);
            let read = crate::limits::BODY_READ_MAX as u64;
            assert_eq!(exchange.body_bytes, if framing.starts_with('T') { chunks(read) } else { read });
        });
    }
}

#[test]
fn a_body_of_which_little_is_wanted_is_not_read_to_its_end() {
    run(|wire| async move {
        wire.script(SITE, "read-head\nsend \"HTTP/1.1 200 OK\\r\\n\\r\\n\"\nendless \"0123456789\"");
        let session = session(&wire);
        let request = HttpRequest { body_kept: 16, body_read: 32, ..get(&session, "http://192.0.2.80/") };
        let exchange = session.http(&request).await.unwrap();
        assert_eq!((exchange.end, exchange.body.as_slice()), (BodyEnd::TooLarge, b"0123456789012345".as_slice()));
        assert!(exchange.body_bytes <= 32, "{}", exchange.body_bytes);
    });
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn bare_deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn brotli(bytes: &[u8]) -> Vec<u8> {
    let mut encoded = Vec::new();
    brotli::BrotliCompress(&mut &bytes[..], &mut encoded, &brotli::enc::BrotliEncoderParams::default()).unwrap();
    encoded
}

async fn ask_encoded(wire: &Arc<TestWire>, coding: &str, body: Vec<u8>) -> HttpExchange {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\nContent-Length: {}\r\n\r\n", body.len());
    wire.peer(SITE, Peer::Plays(Script::answer([head.into_bytes(), body].concat())));
    ask(wire).await.unwrap()
}

#[test]
fn encodings_are_undone() {
    let plain = "all work and no play ".repeat(500).into_bytes();
    let zstd = zstd::encode_all(&plain[..], 3).unwrap();
    for (coding, body) in [
        ("gzip", gzip(&plain)),
        ("x-gzip", gzip(&plain)),
        ("deflate", zlib(&plain)),
        ("deflate", bare_deflate(&plain)),
        ("br", brotli(&plain)),
        ("zstd", zstd),
        ("gzip, br", brotli(&gzip(&plain))),
        ("identity, gzip", gzip(&plain)),
    ] {
        let plain = plain.clone();
        run(move |wire| async move {
            let exchange = ask_encoded(&wire, coding, body).await;
            assert_eq!(exchange.end, BodyEnd::Complete, "{coding}");
            assert!(exchange.body == plain, "{coding}");
        });
    }
}

#[test]
fn compression_bombs_are_stopped() {
    // 24 MiB of zeros: about 24 KiB as gzip, 150 bytes as two layers, some bytes as brotli.
    let zeros = vec![0; 24 << 20];
    let gz = gzip(&zeros);
    for (coding, body) in [
        ("gzip", gz.clone()),
        ("gzip, gzip", gzip(&gz)),
        ("zstd", zstd::encode_all(&zeros[..], 1).unwrap()),
        ("br", brotli(&zeros)),
    ] {
        run(move |wire| async move {
            let exchange = ask_encoded(&wire, coding, body).await;
            assert_eq!((exchange.end, exchange.truncated), (BodyEnd::Bomb, true), "{coding}");
            assert!(exchange.body_bytes <= 11 << 20, "{coding}: {}", exchange.body_bytes);
        });
    }
    // A broken tail after good data keeps the data.
    run(|wire| async move {
        let plain: Vec<u8> =
            (0..20_000u32).flat_map(|number| number.wrapping_mul(2_654_435_761).to_be_bytes()).collect();
        let mut body = gzip(&plain);
        let middle = body.len() / 2;
        body.truncate(middle);
        let exchange = ask_encoded(&wire, "gzip", [body, vec![0xff; 100]].concat()).await;
        assert!(exchange.body.len() > 1_000 && plain.starts_with(&exchange.body[..1_000]));
    });
}

#[test]
fn pins_and_exact_bytes_go_out_as_asked() {
    run(|wire| async move {
        let answer = "read-head\nsend \"HTTP/1.1 200 OK\\r\\nContent-Length: 0\\r\\n\\r\\n\"";
        wire.script("192.0.2.81:8080", answer);
        let session = session(&wire);
        let mut request = get(&session, "http://www.example.test/a?b")
            .at("192.0.2.81:8080".parse().unwrap())
            .with_method("POST")
            .with_body("text/plain", b"x=1".to_vec());
        request.host = Some("other.example.test".into());
        request.target = Some("/../raw%zz".into());
        let sent = String::from_utf8(session.http(&request).await.unwrap().request).unwrap();
        assert!(sent.starts_with("POST /../raw%zz HTTP/1.1\r\nHost: other.example.test\r\n"), "{sent}");
        assert!(
            sent.ends_with("Content-Type: text/plain\r\nContent-Length: 3\r\nConnection: close\r\n\r\nx=1"),
            "{sent}"
        );
        request.raw = Some(b"GET  / HTTP/9.9\nX\0: \xff\r\n\r\n".to_vec());
        assert_eq!(session.http(&request).await.unwrap().request, b"GET  / HTTP/9.9\nX\0: \xff\r\n\r\n");

        for broken in [
            get(&session, "http://192.0.2.81/").with_header("X", "a\r\nInjected: b"),
            get(&session, "http://192.0.2.81/").with_method("GET / HTTP/1.1\r\nX:"),
            HttpRequest { host: Some("a\nb".into()), ..get(&session, "http://192.0.2.81/") },
        ] {
            assert!(matches!(session.http(&broken).await, Err(NetError::Invalid { .. })));
        }
        assert_eq!(dialled(&wire), ["192.0.2.81:8080"; 2], "a broken request opens no socket");
    });
}

fn redirect(to: &str) -> String {
    format!("read-head\nsend \"HTTP/1.1 302 Found\\r\\nLocation: {to}\\r\\nContent-Length: 0\\r\\n\\r\\n\"")
}

#[test]
fn redirects_into_forbidden_places_end_the_chain_with_a_note() {
    for (location, end) in [
        (
            "http://169.254.169.254/latest/",
            "not contacted: 169.254.169.254: reserved range 169.254.0.0/16, not opened by the administrator",
        ),
        (
            "http://[::ffff:127.0.0.1]:9120/",
            "not contacted: ::ffff:127.0.0.1: reserved range 127.0.0.0/8, not opened by the administrator",
        ),
        (
            "http://2130706433:9120/",
            "not contacted: 127.0.0.1: reserved range 127.0.0.0/8, not opened by the administrator",
        ),
        ("http://0x7f.1/", "not contacted: 127.0.0.1: reserved range 127.0.0.0/8, not opened by the administrator"),
        ("http://203.0.113.9/", "not contacted: 203.0.113.9: not in scope"),
    ] {
        run(move |wire| async move {
            wire.script(SITE, &redirect(location));
            let session = session(&wire);
            let fetch = session.fetch(&get(&session, "http://192.0.2.80/")).await.unwrap();
            match &fetch.end {
                ChainEnd::OutOfScope { why, .. } => assert_eq!(why, end),
                other => panic!("{location}: {other:?}"),
            }
            assert_eq!((fetch.exchanges.len(), fetch.last().status), (1, 302));
            assert_eq!(dialled(&wire), [SITE], "{location}");
        });
    }
    for location in ["file:///etc/passwd", "javascript:alert(1)", "gopher://x/"] {
        run(move |wire| async move {
            wire.script(SITE, &redirect(location));
            let session = session(&wire);
            let fetch = session.fetch(&get(&session, "http://192.0.2.80/")).await.unwrap();
            assert_eq!(fetch.end, ChainEnd::NotHttp(crate::Untrusted::new(location)));
        });
    }
}

#[test]
fn redirects_end() {
    run(|wire| async move {
        wire.script(SITE, &redirect("/"));
        let session = session(&wire);
        let fetch = session.fetch(&get(&session, "http://192.0.2.80/")).await.unwrap();
        assert_eq!(fetch.end, ChainEnd::Loop(Url::parse("http://192.0.2.80/").unwrap()));
        assert_eq!(fetch.exchanges.len(), 1);
    });
    run(|wire| async move {
        wire.script(SITE, &redirect("x/"));
        let session = session(&wire);
        let fetch = session.fetch(&get(&session, "http://192.0.2.80/")).await.unwrap();
        assert_eq!((fetch.end, fetch.exchanges.len()), (ChainEnd::TooMany, 11));
    });
    run(|wire| async move {
        wire.script(SITE, &redirect("http://192.0.2.99:81/"));
        let session = session(&wire);
        let fetch = session.fetch(&get(&session, "http://192.0.2.80/")).await.unwrap();
        let url = Url::parse("http://192.0.2.99:81/").unwrap();
        assert_eq!(fetch.end, ChainEnd::Failed { url, error: NetError::Timeout(Phase::Connecting) });
    });
}

#[test]
fn a_chain_keeps_pins_on_its_host_and_secrets_on_their_origin() {
    run(|wire| async move {
        wire.script(
            "192.0.2.80:80",
            "read-head\nsend \"HTTP/1.1 301 Moved\\r\\nSet-Cookie: sid=7\\r\\nLocation: \
             http://www.example.test:81/next\\r\\n\\r\\n\"",
        );
        wire.script("192.0.2.80:81", &redirect("http://192.0.2.90/"));
        wire.script("192.0.2.90:80", "read-head\nsend \"HTTP/1.1 200 OK\\r\\n\\r\\n\"");
        let session = session(&wire);
        let request = get(&session, "http://www.example.test/")
            .at("192.0.2.80:80".parse().unwrap())
            .with_header("Authorization", "Basic secret");
        let fetch = session.fetch(&request).await.unwrap();
        assert_eq!(fetch.end, ChainEnd::Answer);
        assert_eq!(
            dialled(&wire),
            ["192.0.2.80:80", "192.0.2.80:81", "192.0.2.90:80"],
            "the pin holds while the host does"
        );
        let sent: Vec<String> =
            fetch.exchanges.iter().map(|exchange| String::from_utf8(exchange.request.clone()).unwrap()).collect();
        let secrets: Vec<(bool, bool)> =
            sent.iter().map(|text| (text.contains("Basic secret"), text.contains("Cookie: sid=7"))).collect();
        assert_eq!(secrets, [(true, false), (false, true), (false, false)]);
    });
}

#[test]
fn a_busy_host_is_asked_more_slowly() {
    run(|wire| async move {
        wire.script(SITE, "read-head\nsend \"HTTP/1.1 429 Slow down\\r\\nRetry-After: 40\\r\\n\\r\\n\"");
        assert_eq!(ask(&wire).await.unwrap().status, 429);
        let session = session(&wire);
        // The ledger belongs to the net: another session of the same one waits.
        let before = wire.clock.now();
        let pair = [get(&session, "http://192.0.2.80/a"), get(&session, "http://192.0.2.80/b")];
        session.http(&pair[0]).await.unwrap();
        session.http(&pair[1]).await.unwrap();
        assert!(wire.clock.now() - before >= Duration::from_secs(40));
    });
}

#[test]
fn a_host_of_a_provider_that_asks_for_a_pause_holds_up_no_other_host_of_it() {
    run(|wire| async move {
        wire.script(SITE, "read-head\nsend \"HTTP/1.1 429 Slow down\\r\\nRetry-After: 40\\r\\n\\r\\n\"");
        wire.script("192.0.2.90:80", "read-head\nsend \"HTTP/1.1 200 OK\\r\\nContent-Length: 0\\r\\n\\r\\n\"");
        let session = session(&wire);
        let ask = async |url: &str| session.source("plain", url).await.unwrap().last().status;
        assert_eq!(ask("http://192.0.2.80/").await, 429);
        for _ in 0..5 {
            assert_eq!(ask("http://192.0.2.90/").await, 200);
        }
        assert!(wire.clock.now() < Duration::from_secs(5), "{:?}", wire.clock.now());
        assert_eq!(ask("http://192.0.2.80/").await, 429);
        assert!(wire.clock.now() >= Duration::from_secs(40), "{:?}", wire.clock.now());
    });
}

#[test]
fn hosts_of_a_provider_share_its_rate() {
    run(|wire| async move {
        let hosts = ["192.0.2.80", "192.0.2.90"];
        for host in hosts {
            let answer = "read-head\nsend \"HTTP/1.1 200 OK\\r\\nContent-Length: 0\\r\\n\\r\\n\"";
            wire.script(&format!("{host}:80"), answer);
        }
        let session = session(&wire);
        for host in hosts.into_iter().cycle().take(9) {
            session.source("plain", &format!("http://{host}/")).await.unwrap();
        }
        assert!(wire.clock.now() >= Duration::from_secs(4), "two requests each second: {:?}", wire.clock.now());
    });
}

#[test]
fn the_rest_of_a_head_that_has_begun_is_waited_for_five_seconds() {
    for (script, waited) in [
        ("send \"HTTP/1.1 200 OK\\r\\nX: \"\ndrip 1s \"a\"", 5),
        ("wait 4s\nsend \"HTTP/1.1 200\"\nhang", 9),
        ("wait 4s\nsend \"HTTP/1.1 200\"\nwait 4s\nsend \" OK\\r\\nContent-Length: 0\\r\\n\\r\\n\"\nhang", 8),
        (
            "send \"HTTP/1.1 102 Processing\\r\\n\\r\\n\"\nwait 9s\nsend \"HTTP/1.1 200 OK\\r\\n\"\n\
             send \"Content-Length: 0\\r\\n\\r\\n\"\nhang",
            9,
        ),
    ] {
        run(move |wire| async move {
            wire.script(SITE, &format!("read-head\n{script}"));
            let outcome = ask(&wire).await.map(|exchange| exchange.status);
            assert!(matches!(outcome, Ok(200) | Err(NetError::Timeout(_))), "{script}: {outcome:?}");
            assert_eq!(wire.clock.now().as_secs(), waited, "{script}");
        });
    }
}

#[test]
fn a_receiver_has_as_long_to_answer_as_the_request_says() {
    for (waits, answered) in [(14, Some(200)), (16, None)] {
        run(move |wire| async move {
            let answer = "send \"HTTP/1.1 200 OK\\r\\nContent-Length: 0\\r\\n\\r\\n\"\nhang";
            wire.script(SITE, &format!("read-head\nwait {waits}s\n{answer}"));
            let session = net(&wire, crate::PaceLimits::default()).session(crate::Grants::receivers());
            let mut request = get(&session, "http://192.0.2.80/").on(crate::Grant::Receiver);
            request.timeout = Duration::from_secs(15);
            assert_eq!(session.http(&request).await.ok().map(|exchange| exchange.status), answered, "{waits} s");
        });
    }
}

#[test]
fn an_address_that_lets_questions_hang_is_waited_for_less_until_it_answers() {
    run(|wire| async move {
        let silent = "read-head\nhang";
        let slow = "read-head\nwait 4s\nsend \"HTTP/1.1 200 OK\\r\\nContent-Length: 0\\r\\n\\r\\n\"\nhang";
        for port in [81, 82, 83] {
            wire.script(&format!("192.0.2.80:{port}"), silent);
        }
        wire.script("192.0.2.81:80", slow);
        let session = session(&wire);
        let waited = async |place: &str| {
            let begun = session.now();
            let status =
                session.http(&get(&session, &format!("http://{place}/"))).await.ok().map(|answer| answer.status);
            ((session.now() - begun).as_secs(), status)
        };
        assert_eq!(waited("192.0.2.80:81").await, (10, None));
        assert_eq!(waited("192.0.2.80:82").await, (10, None));
        assert_eq!(waited("192.0.2.80:83").await, (3, None), "the third is waited for less, whatever its port");
        assert_eq!(waited("192.0.2.81").await, (4, Some(200)), "another address is another matter");
        wire.script("192.0.2.80:84", "read-head\nsend \"HTTP/1.1 404 No\\r\\nContent-Length: 0\\r\\n\\r\\n\"\nhang");
        wire.script("192.0.2.80:80", slow);
        assert_eq!(waited("192.0.2.80").await, (3, None));
        assert_eq!(waited("192.0.2.80:84").await, (0, Some(404)));
        assert_eq!(waited("192.0.2.80").await, (4, Some(200)), "it answers again");
    });
}

#[test]
fn many_large_bodies_at_once_wait_for_memory_and_all_come() {
    run(|wire| async move {
        let body = "B".repeat(32 * 1024);
        let script = format!(
            "read-head\nsend \"HTTP/1.1 200 OK\\r\\n\\r\\n\"\nrepeat 16 \"{body}\"\nwait 1s\nrepeat 16 \"{body}\""
        );
        let session = session(&wire);
        let urls: Vec<String> = (1..=150).map(|host| format!("192.0.2.{host}:80")).collect();
        for address in &urls {
            wire.script(address, &script);
        }
        let asking = urls.iter().map(|address| {
            let request = get(&session, &format!("http://{address}/"));
            let session = session.clone();
            async move { session.http(&request).await.map(|exchange| (exchange.end, exchange.body.len())) }
        });
        for outcome in futures::future::join_all(asking).await {
            assert_eq!(outcome, Ok((BodyEnd::Complete, 1024 * 1024)));
        }
    });
}

#[test]
fn a_command_reaches_the_operators_own_server_and_nothing_else() {
    run(|wire| async move {
        wire.script("127.0.0.1:8080", "read-head\nsend \"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\n{}\"");
        let pace = Arc::new(crate::Pace::new(crate::PaceLimits::default()));
        let net =
            crate::Net::new(wire.clone(), Arc::new(crate::guard::OperatorOnly), pace, crate::NetOptions::default());
        let session = net.session(crate::Grants::operator("server"));
        let request = get(&session, "http://localhost:8080/api").on(crate::Grant::Operator("server"));
        assert_eq!(session.http(&request).await.unwrap().body, b"{}");
        assert!(session.http(&request.clone().on(crate::Grant::Operator("webhook"))).await.is_err());
        assert!(session.http(&request.on(crate::Grant::Target)).await.is_err());
        // What does not answer is the server's failure, not its absence.
        let gone = get(&session, "http://localhost:8081/").on(crate::Grant::Operator("server"));
        wire.peer("127.0.0.1:8081", Peer::Refuses);
        wire.peer("[::1]:8081", Peer::Refuses);
        assert_eq!(session.http(&gone).await.err().unwrap().meaning(), crate::Meaning::Unknown);
    });
}

#[test]
fn windows_that_a_peer_chooses_count_as_memory() {
    run(|wire| async move {
        let plain = "window ".repeat(30_000).into_bytes();
        let body = brotli(&plain);
        let head = format!("HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: {}\r\n\r\n", body.len());
        let session = session(&wire);
        let mut asking = Vec::new();
        for host in 1..=40 {
            let address = format!("192.0.2.{host}:80");
            wire.peer(&address, Peer::Plays(Script::answer([head.as_bytes(), &body].concat())));
            let request = get(&session, &format!("http://{address}/"));
            let session = session.clone();
            asking.push(async move { session.http(&request).await.map(|exchange| exchange.body.len()) });
        }
        for outcome in futures::future::join_all(asking).await {
            assert_eq!(outcome, Ok(plain.len()));
        }
    });
}

#[test]
fn a_provider_may_take_a_minute_to_begin_and_a_target_may_not() {
    run(|wire| async move {
        wire.script(SITE, "read-head\nwait 55s\nsend \"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\n[]\"");
        let session = session(&wire);
        assert_eq!(ask(&wire).await.err(), Some(NetError::Timeout(Phase::Step("head"))));
        let fetch = session.source("plain", "http://192.0.2.80/").await.unwrap();
        assert_eq!((fetch.last().body.as_slice(), fetch.last().truncated), (&b"[]"[..], false));
        wire.script(SITE, "read-head\nhang");
        let before = wire.clock.now();
        assert_eq!(
            session.source("plain", "http://192.0.2.80/").await.err(),
            Some(NetError::Timeout(Phase::Step("head")))
        );
        assert!(wire.clock.now() - before <= crate::limits::EXCHANGE_TIMEOUT);
    });
}

#[test]
fn a_providers_list_may_be_longer_than_a_page_and_is_not_endless() {
    const MIB: usize = 1024 * 1024;
    run(|wire| async move {
        let session = session(&wire);
        let serve = |length: usize| {
            let part = "0123456789abcdef".repeat(MIB / 16);
            wire.script(
                SITE,
                &format!(
                    "read-head\nsend \"HTTP/1.1 200 OK\\r\\nContent-Length: {}\\r\\n\\r\\n\"\nrepeat {length} \
                     \"{part}\"\nhang",
                    length * MIB
                ),
            );
        };
        serve(12);
        let page = session.source("plain", "http://192.0.2.80/").await.unwrap();
        assert_eq!((&page.last().end, page.last().truncated), (&BodyEnd::TooLarge, true));
        let list = session.source_list("plain", "http://192.0.2.80/").await.unwrap();
        assert_eq!(
            (&list.last().end, list.last().truncated, list.last().body.len()),
            (&BodyEnd::Complete, false, 12 * MIB)
        );
        serve(40);
        let endless = session.source_list("plain", "http://192.0.2.80/").await.unwrap();
        assert_eq!(
            (&endless.last().end, endless.last().truncated, endless.last().body.len()),
            (&BodyEnd::TooLarge, true, crate::limits::SOURCE_LIST_MAX)
        );
    });
}
