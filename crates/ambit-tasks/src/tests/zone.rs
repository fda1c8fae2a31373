//! Looks at zones at a resolver on loopback: one that fails at some sorts of records, one that knows names that no host
//! has, and one with hundreds of pointers of each address.

use super::facts;
use crate::{Answer, Context, Settings, TaskError, find};
use ambit_model::facts::Neighbour;
use ambit_model::observation::Found;
use ambit_model::{Clearance, EdgeKind, Facts, Kind, TaskName, Uid};
use ambit_net::live::{LiveOptions, LiveWire};
use ambit_net::net::NetOptions;
use ambit_net::{Grants, Net, Pace, PaceLimits};
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::Arc;

const MX: u16 = 15;
const TXT: u16 = 16;
const NSEC: u16 = 47;
/// Names are compared by a resolver; each of its answers names the one that was asked for.
const QUESTION: [u8; 2] = [0xc0, 0x0c];

/// A resolver that answers so.
fn resolver(answer: impl Fn(&[u8]) -> Vec<u8> + Send + 'static) -> SocketAddr {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let at = socket.local_addr().unwrap();
    serve(socket, answer);
    at
}

fn serve(socket: UdpSocket, answer: impl Fn(&[u8]) -> Vec<u8> + Send + 'static) {
    std::thread::spawn(move || {
        let mut question = [0; 512];
        while let Ok((length, from)) = socket.recv_from(&mut question) {
            let _ = socket.send_to(&answer(&question[..length]), from);
        }
    });
}

/// A resolver whose answers are too long for a datagram.
fn long_winded(answer: impl Fn(&[u8]) -> Vec<u8> + Send + 'static) -> SocketAddr {
    let both = || {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let socket = UdpSocket::bind(listener.local_addr().unwrap()).ok()?;
        Some((listener, socket))
    };
    let (listener, socket) = std::iter::repeat_with(both).take(100).flatten().next().unwrap();
    let at = listener.local_addr().unwrap();
    serve(socket, |asked| {
        let mut cut = answered(asked, 0, &[]);
        cut[2] |= 2;
        cut
    });
    let framed = move |mut stream: TcpStream| -> std::io::Result<()> {
        let mut length = [0; 2];
        stream.read_exact(&mut length)?;
        let mut asked = vec![0; usize::from(u16::from_be_bytes(length))];
        stream.read_exact(&mut asked)?;
        let said = answer(&asked);
        let length = u16::try_from(said.len()).unwrap().to_be_bytes();
        stream.write_all(&[&length[..], &said].concat())
    };
    std::thread::spawn(move || listener.incoming().flatten().for_each(|stream| drop(framed(stream))));
    at
}

/// Of every address 300 pointers: `000.acme.test` to `299.acme.test`.
fn pointers(asked: &[u8]) -> Vec<u8> {
    let mut answer = answered(asked, 0, &[]);
    answer[6..8].copy_from_slice(&300_u16.to_be_bytes());
    for number in 0..300 {
        let data = [format!("\x03{number:03}").as_bytes(), b"\x04acme\x04test\0"].concat();
        let length = u16::try_from(data.len()).unwrap().to_be_bytes();
        let end = end(asked);
        answer.extend([&QUESTION, &asked[end - 4..end], &[0, 0, 0, 60], &length, &data].concat());
    }
    answer
}

/// Of every name one mail server and one text; questions of these types fail.
fn answer(asked: &[u8], failing: &[u16]) -> Vec<u8> {
    let rtype = rtype(asked);
    let data: &[u8] = match rtype {
        _ if failing.contains(&rtype) => &[],
        MX => b"\0\x0a\x04mail\xc0\x0c",
        TXT => b"\x06v=spf1",
        _ => &[],
    };
    answered(asked, if failing.contains(&rtype) { 2 } else { 0 }, data)
}

/// Where the question ends.
fn end(asked: &[u8]) -> usize {
    let labels = asked[12..].iter().position(|byte| *byte == 0).unwrap();
    12 + labels + 5
}

fn rtype(asked: &[u8]) -> u16 {
    let end = end(asked);
    u16::from_be_bytes([asked[end - 4], asked[end - 3]])
}

/// The answer with a code and one record of what was asked for, if any.
fn answered(asked: &[u8], code: u8, data: &[u8]) -> Vec<u8> {
    let end = end(asked);
    let mut answer = [&asked[..2], &[0x81, 0x80 | code, 0, 1, 0, u8::from(!data.is_empty()), 0, 0, 0, 0]].concat();
    answer.extend(&asked[12..end]);
    if !data.is_empty() {
        let length = u16::try_from(data.len()).unwrap().to_be_bytes();
        answer.extend([&QUESTION, &asked[end - 4..end], &[0, 0, 0, 60], &length, data].concat());
    }
    answer
}

/// A zone with NSEC of three names: the top, one of bytes that no host name has, and a host.
fn chained(asked: &[u8]) -> Vec<u8> {
    if rtype(asked) != NSEC {
        return answered(asked, 3, &[]);
    }
    let label = match asked[12..14].to_ascii_lowercase().as_slice() {
        b"\x04a" => [&[16][..], &[1; 15], &[0xff]].concat(),
        b"\x10\x01" => b"\x06a-host".to_vec(),
        _ => Vec::new(),
    };
    // An address, and the record itself.
    let types = b"\0\x06\x40\0\0\0\0\x01";
    answered(asked, 0, &[&label[..], b"\x04acme\x04test\0", types].concat())
}

fn looked(failing: &'static [u16], known: Value) -> (Result<Answer, TaskError>, Found) {
    look(resolver(move |asked| answer(asked, failing)), "zone_profile", known)
}

fn look(resolver: SocketAddr, task: &str, known: Value) -> (Result<Answer, TaskError>, Found) {
    look_at(resolver, (task, ""), &facts(Kind::Domain, "acme.test", known))
}

fn look_at(resolver: SocketAddr, (task, argument): (&str, &str), facts: &Facts) -> (Result<Answer, TaskError>, Found) {
    struct Anybody;
    impl ambit_net::Guard for Anybody {
        fn allow(&self, _: &ambit_net::Contact) -> Result<(), ambit_net::Refused> {
            Ok(())
        }

        fn named(&self, _: std::net::IpAddr) -> bool {
            true
        }
    }
    let options = LiveOptions { resolvers: vec![resolver], connect_only: true, ..LiveOptions::default() };
    let wire = LiveWire::new(&options).unwrap();
    let pace = Arc::new(Pace::new(PaceLimits::default()));
    let net = Net::new(Arc::new(wire), Arc::new(Anybody), pace, NetOptions::default());
    let session = net.session(Grants::task(Clearance::L3, &[]));
    let settings = Settings::default();
    let context = Context::new(&session, facts, argument, &settings);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let answer = runtime.block_on((find(task).unwrap().run)(&context));
    (answer, context.into_found())
}

#[test]
fn what_a_zone_says_is_told_where_one_question_fails_and_what_was_known_of_the_rest_stands() {
    let known = || {
        json!({
            "txt_records": ["v=spf1 include:old.test"],
            "mx_records": [{"priority": 20, "host": "old.acme.test"}],
        })
    };
    let of = |failing| {
        let (answer, found) = looked(failing, known());
        let is_in_part = matches!(answer, Ok(Answer::InPart(_)));
        assert_eq!((is_in_part, answer == Ok(Answer::Found)), (!failing.is_empty(), failing.is_empty()), "{answer:?}");
        (found.details["mx_records"][0]["host"].clone(), found.details["txt_records"][0].clone())
    };
    assert_eq!(of(&[]), (json!("mail.acme.test"), json!("v=spf1")));
    assert_eq!(of(&[TXT]), (json!("mail.acme.test"), json!("v=spf1 include:old.test")));
    assert_eq!(of(&[MX]), (json!("old.acme.test"), json!("v=spf1")));
    let (answer, found) = looked(&[2, 6, MX, TXT], known());
    assert!(answer.is_err() && found.details.is_empty(), "{answer:?}");
}

#[test]
fn a_walk_of_a_zone_goes_on_behind_a_name_that_is_long_as_text() {
    let (answer, found) = look(resolver(chained), "nsec_walk", json!({}));
    let names: Vec<&str> = found.edges.iter().map(|edge| edge.name.as_str()).collect();
    assert_eq!((answer, names), (Ok(Answer::Found), vec!["a-host.acme.test"]));
    assert_eq!(found.details["hidden_zone_walk"]["whole"], true, "{:?}", found.details);
}

#[test]
fn pointers_behind_those_that_are_read_of_one_answer_stand_and_others_are_gone() {
    let uid = |label: u8| Uid::from_bytes([label; 32]);
    let led = |label: u8, (task, argument): (TaskName, &str)| Neighbour {
        edge: EdgeKind::Pointer,
        task: task.as_str().to_owned(),
        argument: argument.to_owned(),
        uid: uid(label),
        kind: Kind::DnsRecord,
        name: format!("{}.acme.test", u16::from(label) + 44),
        scoped: true,
        by_evidence: false,
        clearance: Clearance::L3,
        details: Arc::default(),
    };
    let resolver = long_winded(pointers);
    let look = |kind: Kind, name: &str, (task, argument): (TaskName, &str), known: &[u8]| {
        let outward = known.iter().map(|label| led(*label, (task, argument))).collect();
        look_at(resolver, (task.as_str(), argument), &Facts { outward, ..facts(kind, name, json!({})) })
    };
    // 144 is read, 255 is the last that is.
    let (answer, found) = look(Kind::IpAddress, "203.0.113.5", (TaskName::Ptr, ""), &[100, 211, 212, 255]);
    assert_eq!((answer, found.edges.len()), (Ok(Answer::Found), 20));
    assert!(found.edges.iter().any(|edge| edge.name == "144.acme.test"), "{:?}", found.edges);
    assert_eq!(found.standing, [212, 255].map(|label| (EdgeKind::Pointer, uid(label))).into());
    let (_, found) = look(Kind::IpAddress, "203.0.113.5", (TaskName::Ptr, ""), &(212..=255).collect::<Vec<u8>>());
    assert_eq!(found.standing.len(), 20, "a server does not make them more and more");
    let (swept, found) = look(Kind::NetBlock, "203.0.113.0/30", (TaskName::PtrSweep, "0-4"), &[100]);
    assert!(swept.is_err() && found.edges.is_empty(), "nobody says what is gone: {swept:?}");
}
