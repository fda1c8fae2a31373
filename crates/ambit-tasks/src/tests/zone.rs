//! Looks at zones at a resolver on loopback: one that fails at some sorts of records, and one that knows names that no
//! host has.

use super::facts;
use crate::{Answer, Context, Settings, TaskError, find};
use ambit_model::observation::Found;
use ambit_model::{Clearance, Kind};
use ambit_net::live::{LiveOptions, LiveWire};
use ambit_net::net::NetOptions;
use ambit_net::{Grants, Net, Pace, PaceLimits};
use serde_json::{Value, json};
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
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
    std::thread::spawn(move || {
        let mut question = [0; 512];
        while let Ok((length, from)) = socket.recv_from(&mut question) {
            let _ = socket.send_to(&answer(&question[..length]), from);
        }
    });
    at
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
    let (facts, settings) = (facts(Kind::Domain, "acme.test", known), Settings::default());
    let context = Context::new(&session, &facts, "", &settings);
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
