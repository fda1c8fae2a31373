//! The rate over all: whoever is contacted for whatever reason takes a place in it, the operator's own hosts take none.

use super::wire::{RESOLVER, TestGuard, TestWire, dialled, net, run};
use crate::dns::RecordType;
use crate::http::HttpRequest;
use crate::net::{Net, NetOptions};
use crate::{Grant, Grants, Pace, PaceLimits, PortAnswer, Session};
use ambit_model::Clearance;
use futures::FutureExt as _;
use futures::future::{BoxFuture, join_all};
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

const ANSWER: &str = "read-head\nsend \"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nhi\"\n";

/// A resolver that knows no name.
fn resolver(wire: &TestWire) {
    let unknown = |question: &[u8]| {
        let mut reply = question.to_vec();
        (reply[2], reply[3]) = (0x81, 0x83);
        reply
    };
    wire.name_server(RESOLVER, Arc::new(move |question, _| vec![(Duration::from_millis(20), unknown(question))]));
}

fn shared(session: &Session, url: &str) -> HttpRequest {
    HttpRequest { shared: true, ..session.get(url).unwrap() }
}

#[test]
fn no_more_contacts_than_the_rate_go_out_whoever_is_asked() {
    run(|wire| async move {
        resolver(&wire);
        let hosts = ["192.0.2.1:22", "192.0.2.2:22", "198.51.100.1:22", "198.51.100.2:22"];
        for host in hosts {
            wire.script(host, "hang");
        }
        wire.name_server("192.0.2.3:161", Arc::new(|_, _| vec![(Duration::ZERO, b"here".to_vec())]));
        wire.script("192.0.2.80:80", &ANSWER.repeat(2));
        let session = net(&wire, PaceLimits::at_rate(1.0)).session(Grants::task(Clearance::L3, &[]));
        let mut contacts: Vec<BoxFuture<'_, ()>> = Vec::new();
        for host in hosts {
            contacts
                .push(session.connect(host.parse().unwrap(), None).map(|connected| drop(connected.unwrap())).boxed());
        }
        for name in ["a.example.test", "b.example.test", "c.example.test"] {
            contacts.push(session.lookup(name, RecordType::A).map(|answer| drop(answer.unwrap())).boxed());
        }
        let asked = session.datagram("192.0.2.3:161".parse().unwrap(), b"who", Duration::from_secs(1));
        contacts.push(asked.map(|answer| assert_eq!(answer, Ok(PortAnswer::Said(b"here".to_vec())))).boxed());
        join_all(contacts).await;
        // Two requests on one connection are two contacts as well.
        for _ in 0..2 {
            assert_eq!(session.http(&shared(&session, "http://192.0.2.80/")).await.unwrap().body, b"hi");
        }
        assert_eq!((dialled(&wire).len(), wire.datagrams.load(Ordering::Relaxed)), (5, 4));
        let took = wire.clock.now();
        assert!(
            (Duration::from_secs(9)..Duration::from_millis(9_500)).contains(&took),
            "10 contacts at 1/s took {took:?}"
        );
    });
}

#[test]
fn where_all_wait_long_no_connection_is_kept_for_a_turn_that_comes_too_late() {
    run(|wire| async move {
        wire.script("192.0.2.80:80", &format!("{ANSWER}wait 5s\n"));
        let session = net(&wire, PaceLimits::at_rate(0.1)).session(Grants::task(Clearance::L3, &[]));
        for _ in 0..3 {
            assert_eq!(session.http(&shared(&session, "http://192.0.2.80/")).await.unwrap().body, b"hi");
        }
        assert_eq!(dialled(&wire).len(), 3);
        assert!(wire.clock.now() < Duration::from_secs(21), "each takes one place: {:?}", wire.clock.now());
    });
}

#[test]
fn the_operators_own_hosts_take_no_place() {
    run(|wire| async move {
        wire.script("127.0.0.1:8080", ANSWER);
        let guard = TestGuard { named: vec!["127.0.0.1".parse().unwrap()], ..TestGuard::default() };
        let pace = Arc::new(Pace::new(PaceLimits::at_rate(0.1)));
        let session =
            Net::new(wire.clone(), Arc::new(guard), pace, NetOptions::default()).session(Grants::operator("server"));
        for _ in 0..3 {
            let request = session.get("http://127.0.0.1:8080/").unwrap().on(Grant::Operator("server"));
            assert_eq!(session.http(&request).await.unwrap().body, b"hi");
        }
        assert_eq!(wire.clock.now(), Duration::ZERO);
    });
}

#[test]
fn a_unit_of_work_that_waits_for_its_turn_is_told_once() {
    run(|wire| async move {
        wire.script("192.0.2.80:80", "hang");
        let net = net(&wire, PaceLimits::at_rate(1.0));
        let (one, two) = (net.session(Grants::task(Clearance::L3, &[])), net.session(Grants::task(Clearance::L3, &[])));
        assert_eq!(net.waiting(), 0);
        let site = "192.0.2.80:80".parse().unwrap();
        drop(one.connect(site, None).await.unwrap());
        let mut contacts: Vec<_> = [&one, &one, &two].map(|session| Box::pin(session.connect(site, None))).into();
        for contact in &mut contacts {
            assert!(contact.as_mut().now_or_never().is_none());
        }
        assert_eq!(net.waiting(), 2, "both units wait, one of them for two contacts");
        drop(contacts.remove(0));
        assert_eq!(net.waiting(), 2);
        drop(contacts.remove(0));
        assert_eq!(net.waiting(), 1);
        contacts.remove(0).await.unwrap();
        assert_eq!(net.waiting(), 0);
        assert_eq!(two.waited(), wire.clock.now(), "and no longer than all took");
        let other = two.waits();
        assert_eq!(net.waiting(), 1);
        drop(other);
        assert_eq!(net.waiting(), 0);
    });
}

#[test]
fn sweeps_that_share_the_rate_over_all_end_one_after_another_and_no_later() {
    let swept = |total: Option<f64>, in_turn: bool| {
        let (sender, receiver) = std::sync::mpsc::channel();
        run(move |wire| async move {
            let limits = PaceLimits { total, ..PaceLimits::default() };
            let net = net(&wire, limits);
            let sweep = |range: u8| {
                let session = net.session(Grants::task(Clearance::L3, &[]));
                async move {
                    let addresses: Vec<IpAddr> = (0..=255).map(|last| IpAddr::from([198, 51, range, last])).collect();
                    if in_turn {
                        session.begin_sweep(2 * addresses.len()).await;
                    }
                    session.knock(&addresses, &[80, 443]).await.unwrap();
                    session.now()
                }
            };
            let ended = join_all((100..108).map(sweep)).await;
            let first_of_last =
                wire.connections.lock().unwrap().iter().position(|to| to.to_string().starts_with("198.51.107."));
            sender.send((ended, first_of_last.unwrap())).unwrap();
        });
        receiver.recv().unwrap()
    };
    let (shared, _) = swept(Some(600.0), false);
    let (in_turn, first_of_last) = swept(Some(600.0), true);
    let all = *shared.iter().max().unwrap();
    assert!(in_turn.is_sorted(), "{in_turn:?}");
    assert!(
        in_turn[0] < all / 2 && first_of_last > 2_000,
        "{in_turn:?}, {first_of_last} of 4096 before the last begins"
    );
    assert!(*in_turn.last().unwrap() <= all + Duration::from_secs(1), "{in_turn:?} and not {shared:?}");
    assert_eq!(swept(None, true), swept(None, false), "nobody waits where each has a rate of its own");
}
