//! Ports, banners, datagrams and STARTTLS.

use super::wire::{Peer, run, session};
use crate::guard::{Contact, Guard};
use crate::net::{Net, NetOptions};
use crate::tcp::{BannerOptions, StartTls};
use crate::{Grants, Meaning, NetError, Pace, PaceLimits, Phase, PortAnswer, Refused};
use ambit_model::Clearance;
use std::io::ErrorKind;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

#[test]
fn a_port_is_open_closed_or_unknown() {
    run(|wire| async move {
        wire.script("192.0.2.1:22", "hang");
        wire.peer("192.0.2.1:23", Peer::Refuses);
        let session = session(&wire);
        let sweep = session.sweep_ports("192.0.2.1".parse().unwrap(), &[22, 23, 24]).await.unwrap();
        assert_eq!((sweep.open, sweep.closed, sweep.filtered), (vec![22], vec![23], vec![24]));
        let refused = session.connect("192.0.2.1:23".parse().unwrap(), None).await.err().unwrap();
        assert_eq!((refused.clone(), refused.meaning()), (NetError::ConnectionRefused, Meaning::Absent));
        wire.peer("192.0.2.1:25", Peer::Fails(ErrorKind::TimedOut));
        for silent in ["192.0.2.1:24", "192.0.2.1:25"] {
            let error = session.connect(silent.parse().unwrap(), None).await.err().unwrap();
            assert_eq!((error.clone(), error.meaning()), (NetError::Timeout(Phase::Connecting), Meaning::Unknown));
        }
    });
}

#[test]
fn a_sweep_finds_every_open_port_among_silent_and_closed_ones() {
    run(|wire| async move {
        for port in (1..=1000).step_by(7) {
            wire.peer(&format!("192.0.2.1:{port}"), Peer::Refuses);
        }
        for port in [22, 80, 443, 999] {
            wire.script(&format!("192.0.2.1:{port}"), "hang");
        }
        let ports: Vec<u16> = (1..=1000).collect();
        let sweep = session(&wire).sweep_ports("192.0.2.1".parse().unwrap(), &ports).await.unwrap();
        assert_eq!(sweep.open, [22, 80, 443, 999]);
        assert_eq!(sweep.open.len() + sweep.closed.len() + sweep.filtered.len(), 1000);
        assert_eq!((sweep.loss_permille, sweep.failed), (0, vec![]));
        assert!(wire.clock.now() < Duration::from_secs(20));
    });
}

/// Allows so many contacts, and none after.
struct Fickle {
    left: AtomicI64,
}

impl Guard for Fickle {
    fn allow(&self, contact: &Contact) -> Result<(), Refused> {
        let why = "out of scope by now".to_owned();
        let is_left = self.left.fetch_sub(1, Ordering::Relaxed) > 0;
        if is_left { Ok(()) } else { Err(Refused { address: contact.address, why, in_doubt: false }) }
    }

    fn named(&self, _address: IpAddr) -> bool {
        false
    }
}

#[test]
fn a_sweep_ends_where_scope_refuses_a_contact() {
    run(|wire| async move {
        // Each port is checked once before anything is asked, and again when its turn has come.
        let guard = Arc::new(Fickle { left: AtomicI64::new(1_000 + 100) });
        let pace = Arc::new(Pace::new(PaceLimits::default()));
        let net = Net::new(wire.clone(), guard.clone(), pace, NetOptions::default());
        let ports: Vec<u16> = (1..=1_000).collect();
        let session = net.session(Grants::task(Clearance::L3, &[]));
        let swept = session.sweep_ports("192.0.2.1".parse().unwrap(), &ports).await;
        assert!(matches!(swept, Err(NetError::OutOfScope(_))), "{swept:?}");
        let refused = -guard.left.load(Ordering::Relaxed);
        assert!(refused <= 32, "{refused} contacts were tried after scope had changed");
    });
}

#[test]
fn half_a_handshake_says_what_connecting_says_and_is_sent_again_after_a_second() {
    let seen = [None, Some(0), Some(3)].map(|half_open| {
        let (sender, receiver) = std::sync::mpsc::channel();
        run(move |wire| async move {
            *wire.half_open.lock().unwrap() = half_open;
            let lost = if half_open.is_some() { 3 } else { 1 };
            for (port, peer) in [
                (22, Peer::Loses { first: 0 }),
                (23, Peer::Refuses),
                (25, Peer::Loses { first: lost }),
                (26, Peer::RefusesAfter(Duration::from_millis(1_200))),
                (27, Peer::RefusesAfter(Duration::from_secs(9))),
                (28, Peer::Fails(ErrorKind::NetworkUnreachable)),
            ] {
                wire.peer(&format!("192.0.2.1:{port}"), peer);
            }
            let ports = [22, 23, 24, 25, 26, 27, 28];
            let sweep = session(&wire).sweep_ports("192.0.2.1".parse().unwrap(), &ports).await.unwrap();
            let failed: Vec<u16> = sweep.failed.iter().map(|(port, _)| *port).collect();
            let asked = wire.connections.lock().unwrap().iter().filter(|to| to.port() == 24).count();
            sender.send((sweep.open, sweep.closed, sweep.filtered, failed, asked)).unwrap();
        });
        receiver.recv().unwrap()
    });
    let told = |asked| (vec![22, 25], vec![23, 26], vec![24, 27], vec![28], asked);
    assert_eq!(seen, [told(2), told(4), told(4)]);
}

#[test]
fn ports_that_the_system_has_no_room_to_ask_are_not_called_silent() {
    run(|wire| async move {
        *wire.half_open.lock().unwrap() = Some(u32::MAX);
        wire.peer("192.0.2.1:22", Peer::Refuses);
        let session = session(&wire);
        let sweep = session.sweep_ports("192.0.2.1".parse().unwrap(), &[22]).await.unwrap();
        assert_eq!((sweep.failed.len(), sweep.filtered.len()), (1, 0));
        assert!(sweep.failed[0].1.to_string().contains("cannot queue"), "{sweep:?}");
    });
}

#[test]
fn a_machine_without_a_network_has_not_looked() {
    for (kind, offline) in
        [(ErrorKind::NetworkUnreachable, true), (ErrorKind::NetworkDown, true), (ErrorKind::HostUnreachable, false)]
    {
        run(move |wire| async move {
            wire.peer("192.0.2.1:22", Peer::Fails(kind));
            let session = session(&wire);
            let socket: std::net::SocketAddr = "192.0.2.1:22".parse().unwrap();
            let lost = |error: &NetError| matches!(error, NetError::Offline(_)) && error.meaning() == Meaning::Unknown;
            let swept = session.sweep_ports(socket.ip(), &[22]).await.unwrap();
            let knocked = session.knock(&[socket.ip()], &[socket.port()]).await.unwrap();
            if offline {
                assert!(lost(&knocked.failed[0].1), "{kind}: {knocked:?}");
                assert!(
                    swept.failed.iter().all(|(_, error)| lost(error)) && swept.failed.len() == 1,
                    "{kind}: {swept:?}"
                );
            } else {
                assert_eq!((knocked.silent, swept.filtered), (vec![socket], vec![22]));
            }
        });
    }
}

#[test]
fn what_a_service_says_first_is_read_within_limits() {
    for (script, bytes, truncated, closed) in [
        ("send \"220 ready\\r\\n\"\nhang", b"220 ready\r\n".to_vec(), false, false),
        ("send \"a\"\nwait 0.2s\nsend \"b\"\nhang", b"ab".to_vec(), false, false),
        ("send \"bye\"", b"bye".to_vec(), false, true),
        ("hang", vec![], false, false),
        ("endless \"0123456789\"", b"0123456789".repeat(1639)[..16384].to_vec(), true, false),
        ("drip 0.4s \"x\"", b"x".repeat(26), false, false),
    ] {
        run(move |wire| async move {
            wire.script("192.0.2.1:25", script);
            let banner = session(&wire)
                .read_banner("192.0.2.1:25".parse().unwrap(), None, &BannerOptions::default())
                .await
                .unwrap();
            assert_eq!((banner.bytes, banner.truncated, banner.closed), (bytes, truncated, closed), "{script}");
            assert!(wire.clock.now() <= Duration::from_secs(10), "{script}");
        });
    }
    run(|wire| async move {
        wire.script("192.0.2.1:6379", "read-line\nsend \"+PONG\\r\\n\"\nhang");
        let options = BannerOptions { send: b"PING\r\n".to_vec(), ..BannerOptions::default() };
        let banner = session(&wire).read_banner("192.0.2.1:6379".parse().unwrap(), None, &options).await.unwrap();
        assert_eq!(banner.text().raw(), "+PONG\r\n");
    });
    run(|wire| async move {
        wire.script("192.0.2.1:25", "reset");
        let error =
            session(&wire).read_banner("192.0.2.1:25".parse().unwrap(), None, &BannerOptions::default()).await.err();
        assert_eq!(error, Some(NetError::Reset("banner")));
    });
}

#[test]
fn plain_text_leads_to_tls_in_every_protocol() {
    let ldap_ok = r"\x30\x0c\x02\x01\x01\x78\x07\x0a\x01\x00\x04\x00\x04\x00";
    for (protocol, script) in [
        (
            StartTls::Smtp,
            "send \"220-hello\\r\\n220 ready\\r\\n\"\nread-line\nsend \"250-mx\\r\\n250 \
             STARTTLS\\r\\n\"\nread-line\nsend \"220 go\\r\\nTLS\"\nhang"
                .to_owned(),
        ),
        (
            StartTls::Imap,
            "send \"* OK ready\\r\\n\"\nread-line\nsend \"* CAPABILITY x\\r\\na1 OK go\\r\\nTLS\"\nhang".to_owned(),
        ),
        (StartTls::Pop3, "send \"+OK ready\\r\\n\"\nread-line\nsend \"+OK go\\r\\nTLS\"\nhang".to_owned()),
        (StartTls::Ftp, "send \"220 ftp\\r\\n\"\nread-line\nsend \"234 go\\r\\nTLS\"\nhang".to_owned()),
        (StartTls::Postgres, "read 8\nsend \"STLS\"\nhang".to_owned()),
        (StartTls::Ldap, format!("read 31\nsend \"{ldap_ok}TLS\"\nhang")),
        (
            StartTls::Xmpp,
            "read 10\nsend \"<stream:stream><stream:features><starttls/></stream:features>\"\nread 10\nsend \
             \"<proceed/>TLS\"\nhang"
                .to_owned(),
        ),
    ] {
        run(move |wire| async move {
            wire.script("192.0.2.1:1", &script);
            let session = session(&wire);
            let connection = session.connect("192.0.2.1:1".parse().unwrap(), None).await.unwrap();
            let (mut connection, said) = session
                .start_tls(connection, protocol, "mx.example.test")
                .await
                .unwrap_or_else(|error| panic!("{protocol:?}: {error}"));
            let mut next = [0; 3];
            tokio::io::AsyncReadExt::read_exact(&mut connection, &mut next).await.unwrap();
            assert_eq!(&next, b"TLS", "{protocol:?}: not one byte of the handshake is lost");
            assert!(!said.bytes.is_empty() && !said.bytes.ends_with(b"TLS"));
        });
    }
}

#[test]
fn a_refused_starttls_says_so() {
    for (protocol, script, error) in [
        (
            StartTls::Smtp,
            "send \"220 x\\r\\n\"\nread-line\nsend \"250 x\\r\\n\"\nread-line\nsend \"454 no \\x1b[31m\\r\\n\"\nhang",
            "tls: the server refused TLS: 454 no \\u{1b}[31m",
        ),
        (StartTls::Postgres, "read 8\nsend \"N\"\nhang", "tls: the server offers no TLS"),
        (
            StartTls::Ldap,
            "read 31\nsend \"\\x30\\x0c\\x02\\x01\\x01\\x78\\x07\\x0a\\x01\\x34\\x04\\x00\\x04\\x00\"\nhang",
            "tls: the server refused StartTLS with result 52",
        ),
        (StartTls::Imap, "hang", "timed out: STARTTLS dialogue"),
        (StartTls::Pop3, "endless \"x\"", "over the limit: line of a reply"),
        (StartTls::Smtp, "endless \"220-x\\r\\n\"", "over the limit: lines of a reply"),
        (StartTls::Ftp, "send \"220 x\\r\\n\"\nread-line\nreset", "connection reset: STARTTLS dialogue"),
    ] {
        run(move |wire| async move {
            wire.script("192.0.2.1:1", script);
            let session = session(&wire);
            let connection = session.connect("192.0.2.1:1".parse().unwrap(), None).await.unwrap();
            let refused = session.start_tls(connection, protocol, "mx.example.test").await.err().unwrap();
            assert_eq!(refused.to_string(), error);
        });
    }
}

#[test]
fn a_sweep_asks_again_where_answers_are_lost_and_measures_the_loss() {
    run(|wire| async move {
        for port in 1..=60u16 {
            wire.peer(&format!("192.0.2.1:{port}"), Peer::Loses { first: usize::from(port % 3 == 0) });
        }
        let ports: Vec<u16> = (1..=60).collect();
        let sweep = session(&wire).sweep_ports("192.0.2.1".parse().unwrap(), &ports).await.unwrap();
        assert_eq!((sweep.open.len(), sweep.filtered.len(), sweep.loss_permille), (60, 0, 333));
    });
}

/// What the addresses of a block say of which so many of 200 answer at one port at once, and at the other only after
/// the question was repeated; ten lose the first question, and one is silent: how many are closed, how many silent, and
/// why the others failed.
fn knocked(late: u8, slow: bool) -> (usize, usize, Vec<String>) {
    let (sender, receiver) = std::sync::mpsc::channel();
    run(move |wire| async move {
        let address = |last: u8, port: u16| format!("192.0.2.{last}:{port}");
        let after = || Peer::RefusesAfter(Duration::from_millis(1_200));
        for last in 0..200 {
            wire.peer(&address(last, 80), if last < late && slow { after() } else { Peer::Refuses });
            wire.peer(&address(last, 443), if last < late { after() } else { Peer::Refuses });
        }
        for last in 200..210 {
            wire.peer(&address(last, 80), Peer::Loses { first: 1 });
        }
        (200..=210).for_each(|last| wire.peer(&address(last, 443), Peer::Refuses));
        // In any order.
        let addresses: Vec<IpAddr> = (0..=210).rev().map(|last| IpAddr::from([192, 0, 2, last])).collect();
        let said = session(&wire).knock(&addresses, &[80, 443]).await.unwrap();
        let failed = said.failed.iter().map(|(socket, error)| format!("{socket}: {error}")).collect();
        sender.send((said.closed.len() + said.open.len(), said.silent.len(), failed)).unwrap();
    });
    receiver.recv().unwrap()
}

#[test]
fn a_block_is_asked_again_where_the_way_to_it_loses_questions_and_silence_is_no_answer_where_it_loses_most() {
    assert_eq!(knocked(0, false), (411, 11, Vec::new()), "nothing says that questions are lost");
    assert_eq!(knocked(200, true), (411, 11, Vec::new()), "they are slow");
    assert_eq!(knocked(10, false), (421, 1, Vec::new()));
    let (answered, silent, failed) = knocked(200, false);
    assert_eq!((answered, silent, failed.len()), (421, 0, 1));
    assert!(failed[0].starts_with("192.0.2.210:80: ") && failed[0].contains("lower the rate"), "{failed:?}");
}

#[test]
fn where_the_way_loses_nothing_an_address_is_asked_a_few_ports_again_before_all() {
    run(|wire| async move {
        let session = session(&wire);
        let prompt: Vec<u16> = (1..=120).collect();
        (1..=120).for_each(|port| wire.peer(&format!("192.0.2.1:{port}"), Peer::Refuses));
        session.knock(&[IpAddr::from([192, 0, 2, 1])], &prompt).await.unwrap();
        let ports: Vec<u16> = (1..=200).collect();
        let asked = |address: &str| {
            let connections = wire.connections.lock().unwrap();
            connections.iter().filter(|to| to.ip().to_string() == address).count()
        };
        wire.peer("192.0.2.2:80", Peer::Refuses);
        let sweep = session.sweep_ports("192.0.2.2".parse().unwrap(), &ports).await.unwrap();
        assert_eq!((sweep.closed.len(), sweep.filtered.len(), asked("192.0.2.2")), (1, 199, 232));
        // One that loses a question shows it by the ports that are usually open, and is asked for all.
        for port in [22, 190] {
            wire.peer(&format!("192.0.2.3:{port}"), Peer::Loses { first: 1 });
        }
        let sweep = session.sweep_ports("192.0.2.3".parse().unwrap(), &ports).await.unwrap();
        assert_eq!(sweep.open, [22, 190]);
    });
}

#[test]
fn an_address_that_was_prompt_is_not_taken_for_slow_where_it_is_silent() {
    run(|wire| async move {
        let session = session(&wire);
        let silent = [192, 0, 2, 80].into();
        let swept = async || {
            let begun = session.now();
            let sweep = session.sweep_ports(silent, &[8_001, 8_002]).await.unwrap();
            (sweep.filtered.len(), (session.now() - begun).as_secs())
        };
        assert_eq!(swept().await, (2, 11), "two tries, and a longer one");
        wire.peer("192.0.2.80:443", Peer::Refuses);
        assert_eq!(session.sweep_ports(silent, &[443]).await.unwrap().closed, [443]);
        assert_eq!(swept().await, (2, 5), "two tries");
    });
}

#[test]
fn a_datagram_is_answered_or_not() {
    run(|wire| async move {
        let answers = |delay: u64| -> super::wire::NameServer {
            Arc::new(move |bytes, _| vec![(Duration::from_millis(delay), [b"re: ", bytes].concat())])
        };
        wire.name_server("192.0.2.1:161", answers(900));
        wire.name_server("192.0.2.1:123", answers(5_000));
        let session = session(&wire);
        let second = Duration::from_secs(1);
        assert_eq!(
            session.datagram("192.0.2.1:161".parse().unwrap(), b"hello", second).await,
            Ok(PortAnswer::Said(b"re: hello".to_vec()))
        );
        for (port, why) in [(123, "too late"), (500, "silent")] {
            let answer = session.datagram(SocketAddr::new("192.0.2.1".parse().unwrap(), port), b"hello", second).await;
            assert_eq!(answer, Ok(PortAnswer::Silent), "{why}");
        }
        assert!(session.datagram("203.0.113.1:161".parse().unwrap(), b"hello", second).await.is_err());
    });
}
