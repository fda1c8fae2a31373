//! Many ports of an address, each asked with a datagram.

use super::live::live_session;
use super::wire::{BREAKS, NameServer, TestGuard, TestWire, net, run};
use crate::net::{Net, NetOptions, Session};
use crate::{AnswerFrom, Grants, NetError, Pace, PaceLimits, PortQuestion, ReadAnswer};
use ambit_model::Clearance;
use futures::FutureExt;
use futures::future::join_all;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::UdpSocket;

const WAIT: Duration = Duration::from_secs(3);

fn question(port: u16, answers: AnswerFrom) -> PortQuestion {
    PortQuestion { port, payload: port.to_string().into_bytes(), answers }
}

/// Takes the words `answer PORT` for an answer.
fn read(ports: Vec<u16>) -> ReadAnswer<u16> {
    Box::new(move |number, bytes| (bytes == words(ports[number]).as_bytes()).then(|| ports[number]))
}

fn words(port: u16) -> String {
    format!("answer {port}")
}

async fn ask(
    session: &Session,
    address: &str,
    questions: &[PortQuestion],
    wait: Duration,
) -> Vec<Result<Option<u16>, NetError>> {
    let ports = questions.iter().map(|question| question.port).collect();
    session.ask_ports(address.parse().unwrap(), questions.to_vec(), read(ports), wait).await.end().await
}

fn answering(wire: &TestWire, socket: &str, after: Duration) {
    let said = words(socket.parse::<SocketAddr>().unwrap().port()).into_bytes();
    wire.name_server(socket, Arc::new(move |_, _| vec![(Duration::ZERO, b"junk".to_vec()), (after, said.clone())]));
}

#[test]
fn silence_of_many_ports_is_waited_for_once_and_the_rates_hold() {
    run(|wire| async move {
        answering(&wire, "192.0.2.1:107", Duration::from_millis(2_900));
        let session = net(&wire, PaceLimits::default()).session(Grants::task(Clearance::L3, &[]));
        let questions: Vec<PortQuestion> = (100..120).map(|port| question(port, AnswerFrom::ThatPort)).collect();
        let said = ask(&session, "192.0.2.1", &questions, WAIT).await;
        let expected = (100..120).map(|port| Ok((port == 107).then_some(port))).collect::<Vec<_>>();
        assert_eq!(said, expected, "what came first was no answer");
        assert_eq!(wire.datagrams.load(Ordering::Relaxed), 20, "each is asked once");
        // Five at once, and the others at 50/s.
        let took = wire.clock.now();
        assert!((Duration::from_millis(3_280)..Duration::from_millis(3_400)).contains(&took), "{took:?}");
    });
}

#[test]
fn where_all_have_answered_nothing_is_waited_for() {
    run(|wire| async move {
        for socket in ["192.0.2.1:107", "192.0.2.1:108"] {
            answering(&wire, socket, Duration::from_millis(40));
        }
        let session = net(&wire, PaceLimits::default()).session(Grants::task(Clearance::L3, &[]));
        let questions = [107, 108].map(|port| question(port, AnswerFrom::ThatPort));
        assert_eq!(ask(&session, "192.0.2.1", &questions, WAIT).await, [Ok(Some(107)), Ok(Some(108))]);
        assert_eq!(wire.clock.now(), Duration::from_millis(40));
    });
}

#[test]
fn a_unit_of_work_that_only_waits_for_silence_is_told_as_waiting() {
    run(|wire| async move {
        let net = net(&wire, PaceLimits::default());
        let session = net.session(Grants::task(Clearance::L3, &[]));
        let questions = [107, 108].map(|port| question(port, AnswerFrom::ThatPort));
        let address = "192.0.2.1".parse().unwrap();
        let asking = session.ask_ports(address, questions.to_vec(), read(vec![107, 108]), WAIT).await;
        assert_eq!(net.waiting(), 0);
        let mut end = Box::pin(asking.end());
        assert!(end.as_mut().now_or_never().is_none());
        assert_eq!(net.waiting(), 1);
        assert_eq!(end.await, [Ok(None), Ok(None)]);
        assert_eq!(net.waiting(), 0);
    });
}

#[test]
fn what_scope_forbids_is_not_asked_and_fails() {
    run(|wire| async move {
        let session = net(&wire, PaceLimits::default()).session(Grants::task(Clearance::L3, &[]));
        for address in ["203.0.113.1", "127.0.0.1"] {
            let said = ask(&session, address, &[107, 108].map(|port| question(port, AnswerFrom::AnyPort)), WAIT).await;
            assert!(said.iter().all(|said| matches!(said, Err(NetError::OutOfScope(_)))), "{said:?}");
        }
        assert_eq!((wire.datagrams.load(Ordering::Relaxed), wire.clock.now()), (0, Duration::ZERO));
    });
}

#[test]
fn an_address_takes_one_socket_and_gives_it_back() {
    run(|wire| async move {
        let addresses: Vec<String> = (1..=40).map(|last| format!("192.0.2.{last}")).collect();
        for address in &addresses {
            answering(&wire, &format!("{address}:107"), Duration::from_millis(100));
        }
        let options = NetOptions { sockets: 4, ..NetOptions::default() };
        let limits = PaceLimits { connections_per_address: 1e6, connections_per_block: 1e6, ..PaceLimits::default() };
        let net = Net::new(wire.clone(), Arc::new(TestGuard::default()), Arc::new(Pace::new(limits)), options);
        let session = &net.session(Grants::task(Clearance::L3, &[]));
        let questions = &[107, 108].map(|port| question(port, AnswerFrom::ThatPort));
        let said = join_all(addresses.iter().map(|address| ask(session, address, questions, WAIT))).await;
        assert!(said.iter().all(|said| *said == [Ok(Some(107)), Ok(None)]), "{said:?}");
        assert_eq!(wire.clock.now(), 20 * WAIT, "two at a time: the other sockets are for connections");
    });
}

#[test]
fn the_rates_hold_where_an_address_waited_for_a_socket() {
    run(|wire| async move {
        let sent = Arc::new(Mutex::new(Vec::new()));
        for port in 100..115 {
            let sent = sent.clone();
            let notes: NameServer = Arc::new(move |_, now| {
                sent.lock().unwrap().push(now);
                Vec::new()
            });
            wire.name_server(&format!("192.0.2.2:{port}"), notes);
        }
        let options = NetOptions { sockets: 1, ..NetOptions::default() };
        let pace = Arc::new(Pace::new(PaceLimits::default()));
        let net = Net::new(wire.clone(), Arc::new(TestGuard::default()), pace, options);
        let session = &net.session(Grants::task(Clearance::L3, &[]));
        let one = [question(107, AnswerFrom::ThatPort)];
        let many: Vec<PortQuestion> = (100..115).map(|port| question(port, AnswerFrom::ThatPort)).collect();
        futures::join!(ask(session, "192.0.2.1", &one, WAIT), ask(session, "192.0.2.2", &many, WAIT));
        let sent = sent.lock().unwrap();
        let (first, last) = (sent[0], sent[14]);
        assert!(first >= WAIT, "it waited until the other address gave up its socket: {first:?}");
        let at_once = sent.iter().filter(|at| **at == first).count();
        // The turn of the first one is over; after it five at once, and the others at 50/s.
        assert!(at_once <= 6 && last - first >= Duration::from_millis(170), "{at_once} at once: {sent:?}");
    });
}

#[test]
fn the_rates_hold_where_a_socket_broke_and_others_wait_for_one() {
    run(|wire| async move {
        let sent = Arc::new(Mutex::new(Vec::new()));
        for port in 100..115 {
            let sent = sent.clone();
            let notes: NameServer = Arc::new(move |_, now| {
                sent.lock().unwrap().push(now);
                if port == 100 { vec![(Duration::from_millis(50), BREAKS.to_vec())] } else { Vec::new() }
            });
            wire.name_server(&format!("192.0.2.2:{port}"), notes);
        }
        let options = NetOptions { sockets: 1, ..NetOptions::default() };
        let pace = Arc::new(Pace::new(PaceLimits::default()));
        let net = Net::new(wire.clone(), Arc::new(TestGuard::default()), pace, options);
        let session = &net.session(Grants::task(Clearance::L3, &[]));
        let one = [question(107, AnswerFrom::ThatPort)];
        let many: Vec<PortQuestion> = (100..115).map(|port| question(port, AnswerFrom::ThatPort)).collect();
        let (said, _) = futures::join!(ask(session, "192.0.2.2", &many, WAIT), ask(session, "192.0.2.1", &one, WAIT));
        let sent = sent.lock().unwrap();
        let failed = said.iter().filter(|said| said.is_err()).count();
        assert!((5..10).contains(&failed), "what was asked before may have been answered: {said:?}");
        // Five at once, and the others at 50/s.
        let at_once = sent.iter().map(|at| sent.iter().filter(|other| *other == at).count()).max();
        assert_eq!((sent.len(), at_once), (15, Some(5)), "{sent:?}");
        assert!(sent[14] < WAIT, "nobody took its place: {sent:?}");
    });
}

#[tokio::test]
async fn only_the_port_that_was_asked_answers_for_itself() {
    let bind = async |at: &str| UdpSocket::bind(at).await.unwrap();
    let port = |socket: &UdpSocket| socket.local_addr().unwrap().port();
    let (silent, liar, elsewhere) = (bind("127.0.0.1:0").await, bind("127.0.0.1:0").await, bind("127.0.0.1:0").await);
    let neighbour = bind("127.0.0.2:0").await;
    let ports = [port(&silent), port(&liar)];
    let serving = tokio::spawn(async move {
        let (_, asker) = liar.recv_from(&mut [0; 64]).await.unwrap();
        for port in ports {
            neighbour.send_to(words(port).as_bytes(), asker).await.unwrap();
            elsewhere.send_to(words(port).as_bytes(), asker).await.unwrap();
        }
        liar.send_to(words(ports[0]).as_bytes(), asker).await.unwrap();
        liar.recv_from(&mut [0; 64]).await
    });
    let session = live_session("127.0.0.1:9".parse().unwrap());
    let questions = ports.map(|port| question(port, AnswerFrom::ThatPort));
    let said = ask(&session, "127.0.0.1", &questions, Duration::from_millis(300)).await;
    assert_eq!(said, [Ok(None), Ok(None)], "a lie is no answer");
    serving.abort();
    let mut buffer = [0; 64];
    assert_eq!(silent.recv_from(&mut buffer).await.unwrap().0, ports[0].to_string().len());
    assert!(silent.try_recv_from(&mut buffer).is_err(), "never a second datagram");
}

#[tokio::test]
async fn another_port_of_the_address_answers_where_the_protocol_has_it_so() {
    let bind = async |at: &str| UdpSocket::bind(at).await.unwrap();
    let port = |socket: &UdpSocket| socket.local_addr().unwrap().port();
    let (speaks, moves, silent) = (bind("127.0.0.1:0").await, bind("127.0.0.1:0").await, bind("127.0.0.1:0").await);
    let closed: IpAddr = "127.0.0.1".parse().unwrap();
    let closed = UdpSocket::bind((closed, 0)).await.unwrap().local_addr().unwrap().port();
    let ports = [port(&speaks), port(&moves), port(&silent)];
    let serving = tokio::spawn(async move {
        let elsewhere = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let neighbour = UdpSocket::bind("127.0.0.2:0").await.unwrap();
        let (_, asker) = moves.recv_from(&mut [0; 64]).await.unwrap();
        speaks.send_to(b"junk", asker).await.unwrap();
        speaks.send_to(words(ports[0]).as_bytes(), asker).await.unwrap();
        elsewhere.send_to(words(ports[1]).as_bytes(), asker).await.unwrap();
        neighbour.send_to(words(ports[2]).as_bytes(), asker).await.unwrap();
        (speaks, moves)
    });
    let session = live_session("127.0.0.1:9".parse().unwrap());
    let mut questions = vec![question(closed, AnswerFrom::ThatPort), question(ports[0], AnswerFrom::ThatPort)];
    questions.extend([ports[1], ports[2]].map(|port| question(port, AnswerFrom::AnyPort)));
    let said = ask(&session, "127.0.0.1", &questions, Duration::from_millis(300)).await;
    assert_eq!(said, [Ok(None), Ok(Some(ports[0])), Ok(Some(ports[1])), Ok(None)]);
    drop((serving.await.unwrap(), silent));
}
