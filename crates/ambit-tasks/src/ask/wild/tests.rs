//! Names beside wildcards that fail at times, at a resolver on loopback.

use super::*;
use crate::Settings;
use crate::tests::facts;
use ambit_model::{Clearance, Kind};
use ambit_net::live::{LiveOptions, LiveWire};
use ambit_net::net::NetOptions;
use ambit_net::{Contact, Grants, Guard, Net, Pace, PaceLimits, Refused};
use futures::future::BoxFuture;
use std::net::{IpAddr, Ipv4Addr, UdpSocket};

/// What a resolver answers for a name and a type: an alias, an address, or neither.
pub(crate) enum Reply {
    Fails(Rcode),
    Address([u8; 4]),
    Alias(&'static str, [u8; 4]),
    Soa,
}

struct Anybody;

impl Guard for Anybody {
    fn allow(&self, _: &Contact) -> Result<(), Refused> {
        Ok(())
    }

    fn named(&self, _: IpAddr) -> bool {
        true
    }
}

/// What is done with the context of a probe of `acme.test`.
pub(crate) type Look<T> = for<'a> fn(&'a Context<'a>) -> BoxFuture<'a, T>;

/// Does it where the resolver says that.
pub(crate) fn looked<T>(say: impl Fn(&str, RecordType) -> Reply + Send + 'static, look: Look<T>) -> T {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let at = socket.local_addr().unwrap();
    std::thread::spawn(move || {
        let mut question = [0; 4_096];
        while let Ok((length, from)) = socket.recv_from(&mut question) {
            let (name, end) = name_of(&question[..length]);
            let rtype = RecordType(u16::from_be_bytes([question[end], question[end + 1]]));
            socket.send_to(&reply(&question[..end + 4], &say(&name, rtype), rtype), from).unwrap();
        }
    });
    let facts = facts(Kind::Domain, "acme.test", serde_json::Value::Null);
    let options = LiveOptions { resolvers: vec![at], connect_only: true, ..LiveOptions::default() };
    let wire = LiveWire::new(&options).unwrap();
    let pace = Arc::new(Pace::new(PaceLimits::default()));
    let net = Net::new(Arc::new(wire), Arc::new(Anybody), pace, NetOptions::default());
    let session = net.session(Grants::task(Clearance::L3, &[]));
    let settings = Settings::default();
    let context = Context::new(&session, &facts, "", &settings);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(look(&context))
}

/// The name of a question, and where its type stands.
fn name_of(question: &[u8]) -> (String, usize) {
    let (mut labels, mut at) = (Vec::new(), 12);
    while question[at] != 0 {
        let end = at + 1 + usize::from(question[at]);
        labels.push(String::from_utf8_lossy(&question[at + 1..end]).to_ascii_lowercase());
        at = end;
    }
    (labels.join("."), at + 1)
}

fn reply(question: &[u8], said: &Reply, asked: RecordType) -> Vec<u8> {
    let wire_name = |name: &str| -> Vec<u8> {
        name.split('.').flat_map(|label| [&[label.len() as u8], label.as_bytes()].concat()).chain([0]).collect()
    };
    let record = |owner: &[u8], rtype: RecordType, data: &[u8]| {
        let length = (data.len() as u16).to_be_bytes();
        [owner, &rtype.0.to_be_bytes(), &[0, 1, 0, 0, 0, 60], &length, data].concat()
    };
    // The name of the question, by where it stands.
    let own: &[u8] = &[0xc0, 12];
    let soa = |owner: &[u8]| record(owner, RecordType::SOA, &[&[0, 0], &[0, 0, 0, 60].repeat(5)[..]].concat());
    let (rcode, answers, authority) = match said {
        Reply::Fails(Rcode::NXDOMAIN) => (Rcode::NXDOMAIN, vec![], vec![soa(&wire_name("acme.test"))]),
        Reply::Fails(rcode) => (*rcode, vec![], vec![]),
        Reply::Address(address) => (Rcode::NOERROR, vec![record(own, RecordType::A, address)], vec![]),
        Reply::Soa => (Rcode::NOERROR, vec![soa(own)], vec![]),
        Reply::Alias(target, address) => {
            let mut answers = vec![record(own, RecordType::CNAME, &wire_name(target))];
            if asked == RecordType::A {
                answers.push(record(&wire_name(target), RecordType::A, address));
            }
            (Rcode::NOERROR, answers, vec![])
        }
    };
    let mut bytes = question.to_vec();
    (bytes[2], bytes[3]) = (0x81, 0x80 | rcode.0 as u8);
    bytes[6..8].copy_from_slice(&(answers.len() as u16).to_be_bytes());
    bytes[8..10].copy_from_slice(&(authority.len() as u16).to_be_bytes());
    bytes[10..12].copy_from_slice(&[0, 0]);
    [bytes, answers.concat(), authority.concat()].concat()
}

/// Whether a name below `acme.test` exists.
fn existence(
    say: impl Fn(&str, RecordType) -> Reply + Send + 'static,
    look: Look<Result<Existence, NetError>>,
) -> Result<Existence, NetError> {
    looked(say, look)
}

fn of_www<'a>(cx: &'a Context<'a>) -> BoxFuture<'a, Result<Existence, NetError>> {
    Box::pin(async move { Wild::of(cx, "acme.test").await?.existence(cx, "www.acme.test").await })
}

/// A wildcard that fails; random names beside `www` are answered so, by turns.
fn beside(controls: [fn() -> Reply; CONTROLS]) -> Result<Existence, NetError> {
    let names: Vec<String> = (0..CONTROLS).map(|index| control("www.acme.test", index, "acme.test")).collect();
    let say = move |name: &str, rtype| match (name, rtype) {
        ("acme.test", _) => Reply::Soa,
        ("www.acme.test", RecordType::A) => Reply::Address([192, 0, 2, 9]),
        _ => names.iter().position(|known| known == name).map_or(Reply::Fails(Rcode::SERVFAIL), |at| controls[at]()),
    };
    existence(say, of_www)
}

#[test]
fn beside_a_wildcard_that_fails_random_names_must_fail_alike_or_answer() {
    let failed: fn() -> Reply = || Reply::Fails(Rcode::SERVFAIL);
    let unable: fn() -> Reply = || Reply::Fails(Rcode::NOTIMP);
    let other: fn() -> Reply = || Reply::Address([192, 0, 2, 50]);
    assert!(beside([failed, failed, failed]) == Ok(Existence::Name));
    assert!(beside([failed, other, unable]) == Ok(Existence::Name));
    assert!(matches!(beside([failed, unable, failed]), Err(NetError::Dns(_))), "nobody knows");
}

#[test]
fn a_name_that_fails_is_compared_with_the_alias_of_a_healthy_wildcard() {
    let of = |alias: &'static str| {
        let say = move |name: &str, rtype| match (name, rtype) {
            ("acme.test", _) => Reply::Soa,
            ("www.acme.test", RecordType::CNAME) => Reply::Alias(alias, [192, 0, 2, 7]),
            ("www.acme.test", _) => Reply::Fails(Rcode::SERVFAIL),
            _ => Reply::Alias("shop.test", [192, 0, 2, 7]),
        };
        existence(say, of_www)
    };
    assert!(matches!(of("shop.test"), Err(NetError::Dns(Rcode::SERVFAIL))), "its target fails at times");
    assert!(of("own.test") == Ok(Existence::Name));
}
