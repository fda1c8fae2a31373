//! Connections that carry several exchanges: when they do, when they must not, and that nothing said too early is ever
//! an answer.

use super::wire::{Peer, PeerStream, TestGuard, TestWire, dialled, net, run, session};
use crate::Refused;
use crate::guard::{Contact, Guard};
use crate::http::{HttpExchange, HttpRequest};
use crate::limits::{CONNECTION_IDLE_MAX, CONNECTIONS_KEPT_MAX, CONNECTIONS_KEPT_PER_SITE, EXCHANGES_PER_CONNECTION};
use crate::net::{Net, NetOptions};
use crate::{Grants, NetError, Pace, PaceLimits, Session};
use ambit_model::Clearance;
use futures::future::BoxFuture;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const SITE: &str = "192.0.2.80:80";
const HELLO: &str = r#"read-head
    send "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
"#;

fn shared(session: &Session, url: &str) -> HttpRequest {
    HttpRequest { shared: true, ..session.get(url).unwrap() }
}

async fn ask(session: &Session) -> Result<HttpExchange, NetError> {
    session.http(&shared(session, "http://192.0.2.80/")).await
}

/// The second of two requests, as its body or its error, and how many connections both took.
async fn second(wire: &Arc<TestWire>) -> (String, usize) {
    let session = session(wire);
    ask(&session).await.unwrap();
    let second = match ask(&session).await {
        Ok(exchange) => exchange.text().raw().to_owned(),
        Err(error) => error.to_string(),
    };
    (second, dialled(wire).len())
}

#[test]
fn plain_answers_share_a_connection() {
    for framed in [
        r"Content-Length: 2\r\n\r\nhi",
        r"Connection: keep-alive\r\nContent-Length: 2\r\n\r\nhi",
        r"Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
    ] {
        run(move |wire| async move {
            let answer = format!("read-head\nsend \"HTTP/1.1 200 OK\\r\\n{framed}\"\n");
            wire.script(SITE, &format!("{}hang", answer.repeat(2)));
            assert_eq!(second(&wire).await, ("hi".to_owned(), 1), "{framed}");
        });
    }
}

/// Answers to a first request after which the connection is closed; `{ok}`: a good status line.
const CLOSING: &[&str] = &[
    // It says so, or may mean so.
    r"{ok}Connection: close\r\nContent-Length: 2\r\n\r\nhi",
    r"{ok}Connection: keep-alive, x\r\nContent-Length: 2\r\n\r\nhi",
    r"{ok}Upgrade: h2c\r\nContent-Length: 2\r\n\r\nhi",
    r"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi",
    r"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nhi",
    // There is more than one way to say where it ends.
    r"{ok}Content-Length: 2\r\nContent-Length: 2\r\n\r\nhi",
    r"{ok}Content-Length: 2, 2\r\n\r\nhi",
    r"{ok}Content-Length: +2\r\n\r\nhi",
    r"{ok}Content-Length: 2\r\nTransfer-Encoding: identity\r\n\r\nhi",
    r"{ok}Content-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
    r"{ok}Transfer-Encoding: gzip, chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
    r"{ok}Transfer-Encoding: chunked\r\n\r\n2;x=y\r\nhi\r\n0\r\n\r\n",
    r"{ok}Transfer-Encoding: chunked\r\n\r\n 2\r\nhi\r\n0\r\n\r\n",
    r"{ok}Transfer-Encoding: chunked\r\n\r\n2\nhi\r\n0\r\n\r\n",
    r"{ok}Transfer-Encoding: chunked\r\n\r\n2\r\nhi\n0\r\n\r\n",
    r"{ok}Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\n",
    r"{ok}Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nX: y\r\n\r\n",
    // The head is odd.
    r"HTTP/1.1 200 OK\nContent-Length: 2\n\nhi",
    r"\r\n{ok}Content-Length: 2\r\n\r\nhi",
    r"{ok}Content-Length: 2\r\n folded\r\n\r\nhi",
    r"{ok}Content-Length : 2\r\n\r\nhi",
    r"HTTP/1.1 100 Continue\r\n\r\n{ok}Content-Length: 2\r\n\r\nhi",
    r"HTTP/1.1 204 No\r\nContent-Length: 2\r\n\r\n",
    r"HTTP/1.1 304 No\r\n\r\n",
    // Something follows, or the body ends before its framing does.
    r"{ok}Content-Length: 2\r\n\r\nhi\r\n",
    r"{ok}Content-Length: 2\r\n\r\nhiHTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison",
    r"{ok}Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison",
    r"{ok}Content-Encoding: gzip\r\nContent-Length: 15\r\n\r\nthis is no gzip",
];

#[test]
fn doubtful_answers_end_their_connection_and_nothing_behind_them_is_an_answer() {
    for answer in CLOSING {
        run(move |wire| async move {
            let answer = answer.replace("{ok}", r"HTTP/1.1 200 OK\r\n");
            let poison = "read-head\nsend \"HTTP/1.1 200 OK\\r\\nContent-Length: 6\\r\\n\\r\\npoison\"\nhang";
            wire.script(SITE, &format!("read-head\nsend \"{answer}\"\n{poison}"));
            let (second, connections) = second(&wire).await;
            assert!(!second.contains("poison"), "{answer}: {second}");
            assert_eq!(connections, 2, "{answer}");
        });
    }
}

#[test]
fn what_comes_unasked_between_two_requests_closes_the_connection() {
    run(|wire| async move {
        let unasked = "wait 1s\nsend \"HTTP/1.1 200 OK\\r\\nContent-Length: 6\\r\\n\\r\\npoison\"\nhang";
        wire.script(SITE, &format!("{HELLO}{unasked}"));
        let session = session(&wire);
        ask(&session).await.unwrap();
        session.sleep(Duration::from_secs(2)).await;
        assert_eq!(ask(&session).await.unwrap().text().raw(), "hello");
        assert_eq!(dialled(&wire).len(), 2);
    });
}

#[test]
fn a_kept_connection_that_is_cut_is_replaced_once_and_only_before_the_first_byte() {
    for (then, expected) in [
        // The peer closes in the very moment of the second request.
        ("read-head", ("hello", 2)),
        ("read-head\nreset", ("hello", 2)),
        // It has begun to answer, or only says nothing: that is an answer of a kind.
        ("read-head\nsend \"HT\"", ("connection closed early: head", 1)),
        ("read-head\nsend \"HTTP/1.1 2\"\nreset", ("connection reset: head", 1)),
        ("read-head\nhang", ("timed out: head", 1)),
    ] {
        run(move |wire| async move {
            wire.script(SITE, &format!("{HELLO}{then}"));
            assert_eq!(second(&wire).await, (expected.0.to_owned(), expected.1), "{then}");
        });
    }
    // The fresh one is cut too: that is the answer.
    run(|wire| async move {
        wire.script(SITE, &format!("{HELLO}read-head"));
        let session = session(&wire);
        ask(&session).await.unwrap();
        wire.script(SITE, "read-head");
        assert_eq!(ask(&session).await.unwrap_err(), NetError::Closed("head"));
        assert_eq!(dialled(&wire).len(), 2);
    });
}

#[test]
fn only_plain_questions_to_the_same_target_share() {
    run(|wire| async move {
        wire.script(SITE, &format!("{}hang", HELLO.repeat(9)));
        let session = session(&wire);
        let plain = || shared(&session, "http://192.0.2.80/");
        let raw = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n".to_vec();
        for (what, request, connections) in [
            ("first", plain(), 1),
            ("the same", plain(), 1),
            ("not shared", HttpRequest { shared: false, ..plain() }, 2),
            ("a method that changes something", plain().with_method("POST"), 3),
            ("a body", plain().with_body("text/plain", b"x".to_vec()), 4),
            ("raw bytes", HttpRequest { raw: Some(raw), ..plain() }, 5),
            ("a word about the connection", plain().with_header("Upgrade", "h2c"), 6),
            ("its own framing", plain().with_header("Content-Length", "0"), 7),
            ("another host", shared(&session, "http://www.example.test/").at(SITE.parse().unwrap()), 8),
            ("the same host in capitals", shared(&session, "http://WWW.example.test/").at(SITE.parse().unwrap()), 8),
            ("the first connection is still there", plain(), 8),
        ] {
            session.http(&request).await.unwrap();
            assert_eq!(dialled(&wire).len(), connections, "{what}");
        }
    });
}

#[test]
fn connections_grow_old_and_are_few() {
    run(|wire| async move {
        wire.script(SITE, &format!("{}hang", HELLO.repeat(EXCHANGES_PER_CONNECTION + 1)));
        let session = session(&wire);
        for _ in 0..=EXCHANGES_PER_CONNECTION {
            ask(&session).await.unwrap();
        }
        assert_eq!(dialled(&wire).len(), 2, "after so many exchanges a new one");
        session.sleep(CONNECTION_IDLE_MAX).await;
        ask(&session).await.unwrap();
        assert_eq!(dialled(&wire).len(), 3, "after so long a new one");
    });
    run(|wire| async move {
        let options = NetOptions { sockets: 4 * CONNECTIONS_KEPT_MAX, ..NetOptions::default() };
        let limits = PaceLimits { connections_per_address: 1e6, connections_per_block: 1e6, ..PaceLimits::default() };
        let pace = Arc::new(Pace::new(limits));
        let net = Net::new(wire.clone(), Arc::new(TestGuard::default()), pace, options);
        let session = net.session(Grants::task(Clearance::L3, &[]));
        let hosts = CONNECTIONS_KEPT_MAX + 1;
        for round in 0..2 {
            for host in 0..hosts {
                let site = format!("192.0.2.{}:{}", 1 + host % 250, 80 + host / 250);
                wire.script(&site, &format!("{}hang", HELLO.repeat(2)));
                session.http(&shared(&session, &format!("http://{site}/"))).await.unwrap();
            }
            assert_eq!(dialled(&wire).len(), hosts * (round + 1), "the oldest gave way, one after the other");
        }
    });
}

#[test]
fn units_of_work_of_one_run_share_connections_and_a_site_keeps_few() {
    run(|wire| async move {
        let slow = HELLO.replace("send", "wait 2s\n    send");
        wire.script(SITE, &format!("{}hang", slow.repeat(20)));
        let net = net(&wire, PaceLimits::default());
        let session = || net.session(Grants::task(Clearance::L3, &[]));
        ask(&session()).await.unwrap();
        ask(&session()).await.unwrap();
        assert_eq!(dialled(&wire).len(), 1);
        let sessions: Vec<Session> = (0..CONNECTIONS_KEPT_PER_SITE + 2).map(|_| session()).collect();
        for opened in [CONNECTIONS_KEPT_PER_SITE + 1, 2] {
            let before = dialled(&wire).len();
            for answer in futures::future::join_all(sessions.iter().map(ask)).await {
                answer.unwrap();
            }
            assert_eq!(dialled(&wire).len() - before, opened, "the others had been kept");
        }
    });
}

#[test]
fn kept_connections_never_take_the_last_sockets() {
    run(|wire| async move {
        for host in 1..=3 {
            wire.script(&format!("192.0.2.{host}:80"), &format!("{}hang", HELLO.repeat(3)));
        }
        let options = NetOptions { sockets: 2, ..NetOptions::default() };
        let net =
            Net::new(wire.clone(), Arc::new(TestGuard::default()), Arc::new(Pace::new(PaceLimits::default())), options);
        let (one, two) = (net.session(Grants::task(Clearance::L3, &[])), net.session(Grants::task(Clearance::L3, &[])));
        let get = async |session: &Session, host: u8| {
            session.http(&shared(session, &format!("http://192.0.2.{host}/"))).await.unwrap()
        };
        get(&one, 1).await;
        get(&two, 2).await;
        // Half of the sockets are idle at most, and a session that needs one gives up its own: nobody waits for ever.
        get(&one, 3).await;
        get(&two, 3).await;
        get(&two, 1).await;
        assert!(wire.clock.now() < Duration::from_secs(1), "took {:?}", wire.clock.now());
    });
}

/// Allows everything until it is told otherwise.
#[derive(Default)]
struct Moody {
    closed: AtomicBool,
}

impl Guard for Moody {
    fn allow(&self, contact: &Contact) -> Result<(), Refused> {
        let why = "out of scope by now".to_owned();
        let refused = Refused { address: contact.address, why, in_doubt: false };
        if self.closed.load(Ordering::Relaxed) { Err(refused) } else { Ok(()) }
    }

    fn named(&self, _address: IpAddr) -> bool {
        false
    }
}

#[test]
fn every_request_on_a_kept_connection_asks_the_guard() {
    run(|wire| async move {
        let received = Arc::new(AtomicBool::new(false));
        let heard = received.clone();
        wire.peer(
            SITE,
            Peer::Serves(Arc::new(move |mut peer: PeerStream| -> BoxFuture<'static, ()> {
                let heard = heard.clone();
                Box::pin(async move {
                    use tokio::io::{AsyncReadExt, AsyncWriteExt};
                    let mut asked = [0; 1024];
                    let _ = peer.stream.read(&mut asked).await;
                    let _ = peer.stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi").await;
                    heard.store(peer.stream.read(&mut asked).await.is_ok_and(|read| read > 0), Ordering::Relaxed);
                })
            })),
        );
        let guard = Arc::new(Moody::default());
        let net =
            Net::new(wire.clone(), guard.clone(), Arc::new(Pace::new(PaceLimits::default())), NetOptions::default());
        let session = net.session(Grants::task(Clearance::L3, &[]));
        ask(&session).await.unwrap();
        guard.closed.store(true, Ordering::Relaxed);
        assert!(matches!(ask(&session).await, Err(NetError::OutOfScope(_))));
        assert_eq!(net.counters().refused, 1);
        drop(session);
        assert!(!received.load(Ordering::Relaxed), "nothing was sent");
    });
}

#[test]
fn the_pace_of_requests_holds_on_a_kept_connection() {
    run(|wire| async move {
        wire.script(SITE, &format!("{}hang", HELLO.repeat(30)));
        let session = session(&wire);
        for _ in 0..21 {
            ask(&session).await.unwrap();
        }
        assert_eq!(dialled(&wire).len(), 1);
        assert!(wire.clock.now() >= Duration::from_millis(1_900), "10 requests a second: {:?}", wire.clock.now());
    });
}
