//! Live sockets, against listeners of this process on the loopback.

use crate::Refused;
use crate::dns::RecordType;
use crate::guard::{Contact, Guard};
use crate::live::{LiveOptions, LiveWire};
use crate::net::{Net, NetOptions, Session};
use crate::wire::Wire as _;
use crate::{AnswerFrom, Grants, Pace, PaceLimits, PortAnswer};
use ambit_model::Clearance;
use socket2::{Domain, Socket, Type};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, UdpSocket};
use tokio::sync::mpsc::unbounded_channel;

/// Names the loopback and allows nothing else.
struct Loopback;

impl Guard for Loopback {
    fn allow(&self, contact: &Contact) -> Result<(), Refused> {
        if contact.address.is_loopback() {
            Ok(())
        } else {
            Err(Refused { address: contact.address, why: "not the loopback".into(), in_doubt: false })
        }
    }

    fn allow_name(&self, name: &str, _grant: crate::Grant) -> Result<(), String> {
        Err(format!("{name}: not the loopback"))
    }

    fn named(&self, address: IpAddr) -> bool {
        address.is_loopback()
    }
}

pub(super) fn live_session(resolver: SocketAddr) -> Session {
    session_by(LiveOptions { resolvers: vec![resolver], ..LiveOptions::default() })
}

pub(super) fn session_by(options: LiveOptions) -> Session {
    let wire = LiveWire::new(&options).unwrap();
    let limits = PaceLimits { connections_per_address: 1e6, connections_per_block: 1e6, ..PaceLimits::default() };
    Net::new(Arc::new(wire), Arc::new(Loopback), Arc::new(Pace::new(limits)), NetOptions::default())
        .session(Grants::task(Clearance::L3, &[]))
}

#[tokio::test]
async fn ports_pages_and_banners_come_over_real_sockets() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let open = listener.local_addr().unwrap();
    let closed = {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        listener.local_addr().unwrap()
    };
    let serving = tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut asked = [0; 1024];
                if stream.read(&mut asked).await.is_ok_and(|length| length > 0) {
                    let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello").await;
                }
            });
        }
    });
    let session = live_session("127.0.0.1:9".parse().unwrap());
    let sweep = session.sweep_ports(open.ip(), &[open.port(), closed.port()]).await.unwrap();
    assert_eq!((sweep.open, sweep.closed), (vec![open.port()], vec![closed.port()]));
    let exchange = session.http(&session.get(&format!("http://{open}/")).unwrap()).await.unwrap();
    assert_eq!(exchange.body, b"hello");
    let reserved = session.connect("192.0.2.1:80".parse().unwrap(), None).await;
    assert!(reserved.is_err(), "a reserved address opens no socket");
    serving.abort();
}

/// Half a handshake says what connecting says, and the program that listens never hears of it. Where the process may
/// not send it, both sweeps connect.
#[tokio::test]
async fn half_a_handshake_says_what_connecting_says() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let open = listener.local_addr().unwrap();
    // Bound and not listening: nobody else gets them meanwhile.
    let refusing: Vec<Socket> = (0..50)
        .map(|_| {
            let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
            socket.bind(&SocketAddr::from(([127, 0, 0, 1], 0)).into()).unwrap();
            socket
        })
        .collect();
    let closed: Vec<SocketAddr> =
        refusing.iter().map(|socket| socket.local_addr().unwrap().as_socket().unwrap()).collect();
    let resolvers = vec!["127.0.0.1:9".parse().unwrap()];
    let wire = LiveWire::new(&LiveOptions { resolvers: resolvers.clone(), ..LiveOptions::default() }).unwrap();
    let until = wire.now() + Duration::from_secs(600);
    let (answers, mut answered) = unbounded_channel();
    let four = |socket: SocketAddr| match socket {
        SocketAddr::V4(four) => four,
        SocketAddr::V6(six) => panic!("asked for an address of IPv4, got {six}"),
    };
    let asked = wire.half_open(four(open), until, &answers);
    let is_permitted = asked.is_some();
    if let Some(asked) = asked {
        asked.unwrap();
        let answer = answered.recv().await.unwrap();
        assert_eq!((answer.from, answer.accepts), (four(open), true));
        // Two who ask one port at once are both answered.
        let (others, mut others_answered) = unbounded_channel();
        for answers in [&answers, &others] {
            wire.half_open(four(closed[0]), until, answers).unwrap().unwrap();
        }
        for answered in [&mut answered, &mut others_answered] {
            let answer = answered.recv().await.unwrap();
            assert_eq!((answer.from, answer.accepts), (four(closed[0]), false));
        }
    }
    let ports: Vec<u16> = closed.iter().map(SocketAddr::port).chain([open.port()]).collect();
    let mut seen = Vec::new();
    for connect_only in [false, true] {
        let session = session_by(LiveOptions { resolvers: resolvers.clone(), connect_only, ..LiveOptions::default() });
        let sweep = session.sweep_ports(open.ip(), &ports).await.unwrap();
        let accepted = std::iter::from_fn(|| listener.accept().ok()).count();
        seen.push((sweep.open, sweep.closed.len(), sweep.filtered, sweep.failed, accepted));
    }
    let told = |accepted| (vec![open.port()], closed.len(), Vec::new(), Vec::new(), accepted);
    assert_eq!(seen, [told(usize::from(!is_permitted)), told(1)]);
}

#[tokio::test]
async fn one_datagram_tells_an_answer_from_a_refusal_and_from_silence() {
    let echo = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let silent = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let (speaks, says_nothing) = (echo.local_addr().unwrap(), silent.local_addr().unwrap());
    let closed = UdpSocket::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    // Answers twice: from a port of its own, and from the one that was asked.
    let serving = tokio::spawn(async move {
        let elsewhere = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let mut buffer = [0; 64];
        while let Ok((length, from)) = echo.recv_from(&mut buffer).await {
            elsewhere.send_to(b"elsewhere", from).await.unwrap();
            echo.send_to(&buffer[..length], from).await.unwrap();
        }
    });
    let session = live_session("127.0.0.1:9".parse().unwrap());
    let wait = Duration::from_millis(300);
    let ask = async |address: SocketAddr, answers| session.ask_port(address, b"hello", answers, wait).await;
    assert_eq!(ask(speaks, AnswerFrom::ThatPort).await, Ok(PortAnswer::Said(b"hello".to_vec())));
    assert_eq!(ask(speaks, AnswerFrom::AnyPort).await, Ok(PortAnswer::Said(b"elsewhere".to_vec())));
    assert_eq!(ask(closed, AnswerFrom::ThatPort).await, Ok(PortAnswer::Closed));
    assert_eq!(ask(closed, AnswerFrom::AnyPort).await, Ok(PortAnswer::Silent));
    assert_eq!(ask(says_nothing, AnswerFrom::ThatPort).await, Ok(PortAnswer::Silent));
    assert_eq!(session.datagram(closed, b"hello", wait).await, Ok(PortAnswer::Closed));
    let mut buffer = [0; 64];
    assert_eq!(silent.recv_from(&mut buffer).await.unwrap().0, 5);
    assert!(silent.try_recv_from(&mut buffer).is_err(), "never a second datagram");
    let reserved = ask("192.0.2.1:123".parse().unwrap(), AnswerFrom::ThatPort).await;
    assert!(reserved.is_err(), "a reserved address opens no socket");
    serving.abort();
}

#[tokio::test]
async fn thousands_of_names_come_over_a_real_socket() {
    let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let resolver = socket.local_addr().unwrap();
    // Answers every question with 192.0.2.1.
    let serving = tokio::spawn(async move {
        let mut buffer = [0; 512];
        while let Ok((length, from)) = socket.recv_from(&mut buffer).await {
            let question = &buffer[..length - 11];
            let mut answer = question.to_vec();
            answer[2..12].copy_from_slice(&[0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0]);
            answer.extend_from_slice(&[0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 1]);
            let _ = socket.send_to(&answer, from).await;
        }
    });
    let session = live_session(resolver);
    let names: Vec<String> = (0..3_000).map(|index| format!("name-{index}.example.test")).collect();
    let answers =
        futures::future::join_all(names.iter().map(|name| session.lookup_uncached(name, RecordType::A))).await;
    let good = answers
        .iter()
        .flatten()
        .filter(|answer| answer.addresses().eq(["192.0.2.1".parse::<IpAddr>().unwrap()]))
        .count();
    assert_eq!(good, names.len());
    serving.abort();
}
