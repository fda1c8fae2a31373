//! The DNS engine against name servers of every kind.

use super::wire::{NameServer, Peer, PeerStream, RESOLVER, TestWire, run, session};
use crate::dns::{DnsAnswer, Rcode, RecordType, Transfer, Unfinished};
use crate::wire::WireTime;
use crate::{Meaning, NetError, Phase};
use futures::future::{BoxFuture, join_all};
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// Zone text: `NAME TYPE DATA` a line; a name with `!` in front is a behaviour: `!NAME servfail [TYPE]|refused|lost
/// N|truncate|lower|garbage|forge`.
#[derive(Clone, Default)]
struct Zone {
    records: Vec<(String, String, String)>,
    odd: HashMap<String, String>,
    asked: Arc<Mutex<HashMap<String, usize>>>,
}

impl Zone {
    fn parse(text: &str) -> Self {
        let mut zone = Self::default();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let mut words = line.splitn(3, ' ');
            let (name, second, rest) = (words.next().unwrap(), words.next().unwrap(), words.next().unwrap_or_default());
            match name.strip_prefix('!') {
                Some(name) => drop(zone.odd.insert(name.to_owned(), format!("{second} {rest}").trim().to_owned())),
                None => zone.records.push((name.to_owned(), second.to_owned(), rest.to_owned())),
            }
        }
        zone
    }

    fn server(self) -> NameServer {
        Arc::new(move |question, _| self.answer(question, true))
    }

    /// Replies to a question, with their delays.
    fn answer(&self, question: &[u8], datagram: bool) -> Vec<(Duration, Vec<u8>)> {
        let (name, rtype) = read_question(question);
        let count = {
            let mut asked = self.asked.lock().unwrap();
            let count = asked.entry(name.clone()).or_insert(0);
            *count += 1;
            *count
        };
        let soon = Duration::from_millis(20);
        let odd = self.odd.get(&name).map(String::as_str).unwrap_or_default();
        let good = |question: &[u8]| self.reply(question, &name, rtype);
        let with_rcode = |rcode: u8| {
            let mut reply = message(question, &[], &[]);
            reply[3] |= rcode;
            reply
        };
        match odd.split_once(' ').unwrap_or((odd, "")) {
            ("servfail", kind) if kind.is_empty() || kind == RecordType(rtype).to_string() => {
                vec![(soon, with_rcode(2))]
            }
            ("refused", _) => vec![(soon, with_rcode(5))],
            ("formerr-edns", _) if question.ends_with(&[0, 0, 0, 0, 0, 0]) => vec![(soon, with_rcode(1))],
            ("lost", times) if count <= times.parse().unwrap() => vec![],
            ("truncate", _) if datagram => {
                let mut reply = message(question, &[], &[]);
                reply[2] |= 2;
                vec![(soon, reply)]
            }
            ("lower", _) if datagram => vec![(soon, good(&question.to_ascii_lowercase()))],
            ("garbage", _) => vec![(soon, [&question[..2], b"\x84\x00\x00\x01\x00\x09", &question[8..]].concat())],
            // A forger that does not know the id, then the answer.
            ("forge", _) => {
                let mut forged = good(question);
                forged[1] ^= 1;
                let mut other = good(question);
                other[13] ^= 0x01;
                vec![(Duration::ZERO, forged), (Duration::ZERO, other), (soon, good(question))]
            }
            _ => vec![(soon, good(question))],
        }
    }

    fn reply(&self, question: &[u8], name: &str, rtype: u16) -> Vec<u8> {
        let wanted = RecordType(rtype).to_string();
        let exists = self.records.iter().any(|(owner, ..)| owner == name);
        let star = name.split_once('.').map(|(_, parent)| format!("*.{parent}"));
        let owner = if exists { name.to_owned() } else { star.unwrap_or_default() };
        let own: Vec<_> = self.records.iter().filter(|(known, ..)| *known == owner).collect();
        let mut answers: Vec<(String, String, String)> = Vec::new();
        for (_, kind, data) in &own {
            // `A pool 192.0.2.1 192.0.2.2 …` answers with one of them by the name's hash.
            if let Some(pool) = data.strip_prefix("pool ") {
                let pool: Vec<&str> = pool.split(' ').collect();
                let hash = name.bytes().fold(7usize, |hash, byte| hash.wrapping_mul(31).wrapping_add(byte.into()));
                answers.push((name.to_owned(), kind.clone(), pool[hash / 64 % pool.len()].to_owned()));
            } else if *kind == wanted {
                answers.push((name.to_owned(), kind.clone(), data.clone()));
            } else if kind == "CNAME" {
                answers.push((name.to_owned(), kind.clone(), data.clone()));
                let mut at = data.clone();
                for _ in 0..12 {
                    let found: Vec<_> = self
                        .records
                        .iter()
                        .filter(|(owner, kind, _)| *owner == at && (*kind == wanted || kind == "CNAME"))
                        .cloned()
                        .collect();
                    answers.extend(found.clone());
                    match found.iter().find(|(_, kind, _)| kind == "CNAME") {
                        Some((_, _, next)) => at = next.clone(),
                        None => break,
                    }
                }
            }
        }
        let soa = ("test".to_owned(), "SOA".to_owned(), "ns.test host.test 1 2 3 4 60".to_owned());
        let mut reply = message(question, &answers, if answers.is_empty() { std::slice::from_ref(&soa) } else { &[] });
        if own.is_empty() {
            reply[3] |= 3;
        }
        reply
    }
}

fn read_question(question: &[u8]) -> (String, u16) {
    let mut labels = Vec::new();
    let mut at = 12;
    while question[at] != 0 {
        let length = usize::from(question[at]);
        labels.push(String::from_utf8_lossy(&question[at + 1..at + 1 + length]).to_ascii_lowercase());
        at += 1 + length;
    }
    (labels.join("."), u16::from_be_bytes([question[at + 1], question[at + 2]]))
}

fn encode_name(name: &str) -> Vec<u8> {
    let labels = name.split('.').filter(|label| !label.is_empty());
    labels.flat_map(|label| [&[label.len() as u8], label.as_bytes()].concat()).chain([0]).collect()
}

fn message(question: &[u8], answers: &[(String, String, String)], authority: &[(String, String, String)]) -> Vec<u8> {
    let end = 12 + encode_name(&read_question(question).0).len() + 4;
    let mut bytes = question[..end].to_vec();
    bytes[2] = 0x85;
    bytes[3] = 0x80;
    bytes[6..8].copy_from_slice(&(answers.len() as u16).to_be_bytes());
    bytes[8..10].copy_from_slice(&(authority.len() as u16).to_be_bytes());
    bytes[10..12].copy_from_slice(&[0, 0]);
    for (name, kind, data) in answers.iter().chain(authority) {
        let rdata = match kind.as_str() {
            "A" => data.parse::<std::net::Ipv4Addr>().unwrap().octets().to_vec(),
            "AAAA" => data.parse::<std::net::Ipv6Addr>().unwrap().octets().to_vec(),
            "CNAME" | "NS" => encode_name(data),
            "TXT" => [&[data.len() as u8], data.as_bytes()].concat(),
            "SOA" => {
                let words: Vec<&str> = data.split(' ').collect();
                let numbers = words[2..].iter().flat_map(|word| word.parse::<u32>().unwrap().to_be_bytes());
                encode_name(words[0]).into_iter().chain(encode_name(words[1])).chain(numbers).collect()
            }
            "MX" => [vec![0, 10], encode_name(data)].concat(),
            other => panic!("no encoding for {other}"),
        };
        let rtype: RecordType = kind.parse().unwrap();
        bytes.extend(encode_name(name));
        bytes.extend(rtype.0.to_be_bytes());
        bytes.extend([0, 1, 0, 0, 1, 44]);
        bytes.extend((rdata.len() as u16).to_be_bytes());
        bytes.extend(rdata);
    }
    bytes
}

/// The same zone over TCP.
fn over_tcp(zone: Zone) -> Peer {
    Peer::Serves(Arc::new(move |mut peer: PeerStream| -> BoxFuture<'static, ()> {
        let zone = zone.clone();
        Box::pin(async move {
            while let Ok(length) = peer.stream.read_u16().await {
                let mut question = vec![0; length.into()];
                peer.stream.read_exact(&mut question).await.unwrap();
                for (_, reply) in zone.answer(&question, false) {
                    let framed = [&(reply.len() as u16).to_be_bytes()[..], &reply].concat();
                    if peer.stream.write_all(&framed).await.is_err() {
                        return;
                    }
                }
            }
        })
    }))
}

fn show(answer: Result<&DnsAnswer, &NetError>) -> String {
    match answer {
        Err(error) => error.to_string(),
        Ok(answer) => {
            let chain: String = answer.chain.iter().map(|alias| format!("> {} ", alias.target)).collect();
            let records: Vec<String> = answer.records.iter().map(|record| record.data.to_string()).collect();
            let endless = if answer.endless { " endless" } else { "" };
            format!("{} {chain}[{}]{endless}", answer.rcode, records.join(", "))
        }
    }
}

const ZONE: &str = "
    www.test A 192.0.2.1
    www.test A 192.0.2.2
    www.test A 192.0.2.1
    six.test AAAA 2001:db8::1
    alias.test CNAME middle.test
    middle.test CNAME www.test
    dangling.test CNAME gone.test
    one.test CNAME two.test
    two.test CNAME one.test
    mail.test MX mx.test
    text.test TXT v=spf1 -all
    fail.test A 192.0.2.9
    !fail.test servfail
    deny.test A 192.0.2.9
    !deny.test refused
    slow.test A 192.0.2.3
    !slow.test lost 2
    dead.test A 192.0.2.9
    !dead.test lost 99
    long.test TXT long
    !long.test truncate
    lower.test A 192.0.2.4
    !lower.test lower
    broken.test A 192.0.2.9
    !broken.test garbage
    forged.test A 192.0.2.5
    !forged.test forge
    old.test A 192.0.2.6
    !old.test formerr-edns
";

#[test]
fn names_are_looked_up() {
    for (name, rtype, expected) in [
        ("www.test", RecordType::A, "NOERROR [192.0.2.1, 192.0.2.2]"),
        ("WWW.Test.", RecordType::A, "NOERROR [192.0.2.1, 192.0.2.2]"),
        ("www.test", RecordType::TXT, "NOERROR []"),
        ("nothing.test", RecordType::A, "NXDOMAIN []"),
        ("six.test", RecordType::AAAA, "NOERROR [2001:db8::1]"),
        ("alias.test", RecordType::A, "NOERROR > middle.test > www.test [192.0.2.1, 192.0.2.2]"),
        ("alias.test", RecordType::CNAME, "NOERROR [middle.test]"),
        ("dangling.test", RecordType::A, "NXDOMAIN > gone.test []"),
        ("one.test", RecordType::A, "NOERROR > two.test [] endless"),
        ("mail.test", RecordType::MX, "NOERROR [10 mx.test]"),
        ("text.test", RecordType::TXT, "NOERROR [\"v=spf1 -all\"]"),
        ("fail.test", RecordType::A, "the name server answered SERVFAIL"),
        ("deny.test", RecordType::A, "the name server answered REFUSED"),
        ("slow.test", RecordType::A, "NOERROR [192.0.2.3]"),
        ("dead.test", RecordType::A, "timed out: DNS answer"),
        ("long.test", RecordType::TXT, "NOERROR [\"long\"]"),
        ("lower.test", RecordType::A, "NOERROR [192.0.2.4]"),
        ("forged.test", RecordType::A, "NOERROR [192.0.2.5]"),
        ("old.test", RecordType::A, "NOERROR [192.0.2.6]"),
        ("a..b", RecordType::A, "not a valid DNS name: a..b"),
        ("bad name.test", RecordType::A, "not a valid DNS name: bad name.test"),
    ] {
        run(move |wire| async move {
            let zone = Zone::parse(ZONE);
            wire.peer(RESOLVER, over_tcp(zone.clone()));
            wire.name_server(RESOLVER, zone.server());
            let answer = session(&wire).lookup(name, rtype).await;
            assert_eq!(show(answer.as_deref()), expected, "{name}");
            assert!(wire.clock.now() <= Duration::from_secs(15));
            if let Err(error @ (NetError::Dns(_) | NetError::Timeout(_))) = answer {
                assert_eq!(error.meaning(), Meaning::Unknown);
            }
        });
    }
    run(|wire| async move {
        wire.name_server(RESOLVER, Zone::parse(ZONE).server());
        let error = session(&wire).lookup("broken.test", RecordType::A).await.err().unwrap();
        assert!(matches!(&error, NetError::Protocol(why) if why.starts_with("malformed DNS answer")), "{error}");
    });
}

#[test]
fn where_one_resolver_fails_the_other_is_asked() {
    for (broken, limit) in [("!fail.test servfail\n!www.test servfail", 1), ("!www.test lost 99", 3)] {
        run(move |wire| async move {
            let second = "198.51.100.54:53";
            *wire.resolvers.lock().unwrap() = vec![RESOLVER, second];
            wire.name_server(RESOLVER, Zone::parse(&format!("www.test A 192.0.2.1\n{broken}")).server());
            wire.name_server(second, Zone::parse("www.test A 192.0.2.1").server());
            let answer = session(&wire).lookup("www.test", RecordType::A).await.unwrap();
            assert_eq!((answer.addresses().count(), answer.server.to_string().as_str()), (1, second));
            assert!(wire.clock.now() < Duration::from_secs(limit));
        });
    }
    run(|wire| async move {
        wire.resolvers.lock().unwrap().clear();
        let error = session(&wire).lookup("www.test", RecordType::A).await.err().unwrap();
        assert_eq!(error.to_string(), "unreachable: no resolver is set up");
    });
}

#[test]
fn a_resolver_that_refuses_tcp_leaves_the_name_unknown() {
    run(|wire| async move {
        wire.peer(RESOLVER, Peer::Refuses);
        wire.name_server(RESOLVER, Zone::parse(ZONE).server());
        let error = session(&wire).lookup("long.test", RecordType::TXT).await.err().unwrap();
        assert_eq!(error.meaning(), Meaning::Unknown, "{error}");
    });
}

#[test]
fn a_chain_that_never_ends_is_cut() {
    run(|wire| async move {
        let links: String = (0..20).map(|index| format!("c{index}.test CNAME c{}.test\n", index + 1)).collect();
        wire.name_server(RESOLVER, Zone::parse(&links).server());
        let answer = session(&wire).lookup("c0.test", RecordType::A).await.unwrap();
        assert_eq!((answer.chain.len(), answer.endless, answer.is_empty()), (crate::limits::DNS_CHAIN_MAX, true, true));
    });
}

#[test]
fn aliases_at_which_resolvers_fail_are_followed_one_by_one() {
    let links = (0..20).map(|index| format!("c{index}.test CNAME c{}.test\n!c{index}.test servfail A\n", index + 1));
    let zone = links.collect::<String>()
        + "c20.test A 192.0.2.7
           one.test CNAME two.test
           two.test CNAME one.test
           !one.test servfail A
           !two.test servfail A
           sick.test CNAME lame.test
           !sick.test servfail A
           !lame.test servfail
           fail.test A 192.0.2.9
           !fail.test servfail A";
    run(move |wire| async move {
        wire.name_server(RESOLVER, Zone::parse(&zone).server());
        let session = session(&wire);
        for (name, aliases, addresses, endless) in
            [("c18.test", 2, 1, false), ("c4.test", 16, 1, false), ("c3.test", 16, 0, true), ("one.test", 1, 0, true)]
        {
            let answer = session.lookup(name, RecordType::A).await.unwrap();
            let told = (answer.chain.len(), answer.addresses().count(), answer.endless);
            assert_eq!(told, (aliases, addresses, endless), "{name}");
        }
        // Nobody says what these lead to.
        for name in ["sick.test", "fail.test"] {
            let error = session.lookup(name, RecordType::A).await.err().unwrap();
            assert_eq!(error.to_string(), "the name server answered SERVFAIL", "{name}");
        }
    });
}

#[test]
fn one_question_is_asked_for_many_askers_and_for_as_long_as_the_answer_holds() {
    run(|wire| async move {
        let zone = Zone::parse("www.test A 192.0.2.1");
        let asked = zone.asked.clone();
        wire.name_server(RESOLVER, zone.server());
        let session = session(&wire);
        let count = || asked.lock().unwrap().values().sum::<usize>();
        let answers = join_all((0..50).map(|_| session.lookup("www.test", RecordType::A))).await;
        assert!(answers.iter().all(Result::is_ok));
        assert_eq!(count(), 1, "many at once");
        session.sleep(Duration::from_secs(299)).await;
        session.lookup("www.test", RecordType::A).await.unwrap();
        assert_eq!(count(), 1, "within its 300 s");
        session.sleep(Duration::from_secs(2)).await;
        session.lookup("www.test", RecordType::A).await.unwrap();
        assert_eq!(count(), 2, "after them");
        session.lookup("none.test", RecordType::A).await.unwrap();
        session.lookup("none.test", RecordType::A).await.unwrap();
        assert_eq!(count(), 3, "that there is nothing is an answer too");
        session.sleep(Duration::from_secs(61)).await;
        session.lookup("none.test", RecordType::A).await.unwrap();
        assert_eq!(count(), 4, "for as long as the zone says");
    });
}

#[test]
fn many_who_wait_for_the_same_silence_wait_once() {
    run(|wire| async move {
        wire.name_server(RESOLVER, Zone::parse("!dead.test lost 4\ndead.test A 192.0.2.1").server());
        let session = session(&wire);
        let answers = join_all((0..20).map(|_| session.lookup("dead.test", RecordType::A))).await;
        assert!(answers.iter().all(|answer| answer.as_ref().err() == Some(&NetError::Timeout(Phase::Resolving))));
        assert!(wire.clock.now() <= Duration::from_secs(14), "{:?}", wire.clock.now());
        session.sleep(Duration::from_secs(31)).await;
        assert!(session.lookup("dead.test", RecordType::A).await.is_ok(), "a failure is soon forgotten");
    });
}

#[test]
fn of_thousands_of_names_none_is_lost_though_a_twentieth_of_the_datagrams_are() {
    run(|wire| async move {
        let zone = Zone::parse("*.test A 192.0.2.1");
        let sent = AtomicUsize::new(0);
        let server: NameServer = Arc::new(move |question, _| match sent.fetch_add(1, Ordering::Relaxed) % 20 {
            7 => vec![],
            _ => zone.answer(question, true),
        });
        wire.name_server(RESOLVER, server);
        let session = session(&wire);
        let names: Vec<String> = (0..5_000).map(|index| format!("n{index}.test")).collect();
        let answers = join_all(names.iter().map(|name| session.lookup_uncached(name, RecordType::A))).await;
        assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 5_000);
    });
}

/// A name server that answers so many questions within each span and refuses the others, and all below `refused.test`.
fn limited(most: usize, span: Duration, asked: Arc<AtomicUsize>) -> NameServer {
    let zone = Zone::parse("*.test A 192.0.2.1");
    let state = Mutex::new((Duration::ZERO, 0));
    Arc::new(move |question, now| {
        asked.fetch_add(1, Ordering::Relaxed);
        let mut state = state.lock().unwrap();
        if now >= state.0 + span {
            *state = (now, 0);
        }
        state.1 += 1;
        let refused = state.1 > most || read_question(question).0.ends_with("refused.test");
        let mut replies = zone.answer(question, true);
        if refused {
            let mut refusal = message(question, &[], &[]);
            refusal[3] |= 5;
            replies = vec![(Duration::from_millis(20), refusal)];
        }
        replies
    })
}

/// Looks up so many names below `zone`; returns how many were answered.
async fn answered(session: &crate::Session, zone: &str, count: usize) -> usize {
    let names: Vec<String> = (0..count).map(|index| format!("n{index}.{zone}")).collect();
    let answers = join_all(names.iter().map(|name| session.lookup_uncached(name, RecordType::A))).await;
    answers.iter().filter(|answer| answer.is_ok()).count()
}

#[test]
fn of_a_resolver_that_refuses_what_is_too_much_no_name_is_lost() {
    for (most, span, names, seconds) in [(20, 1, 300, 30), (100, 60, 250, 200), (1_000, 1, 5_000, 15)] {
        run(move |wire| async move {
            let asked = Arc::new(AtomicUsize::new(0));
            wire.name_server(RESOLVER, limited(most, Duration::from_secs(span), asked.clone()));
            assert_eq!(answered(&session(&wire), "test", names).await, names, "{most} each {span} s");
            let (time, asked) = (wire.clock.now(), asked.load(Ordering::Relaxed));
            assert!(time < Duration::from_secs(seconds), "{most} each {span} s: {time:?}");
            assert!(asked < names * 3, "{most} each {span} s: {asked} questions");
        });
    }
}

#[test]
fn a_resolver_that_refuses_everything_or_some_names_is_believed() {
    run(|wire| async move {
        let asked = Arc::new(AtomicUsize::new(0));
        wire.name_server(RESOLVER, limited(0, Duration::from_secs(1), asked.clone()));
        assert_eq!(answered(&session(&wire), "test", 100).await, 0);
        assert!(wire.clock.now() < Duration::from_secs(1), "{:?}", wire.clock.now());
        assert_eq!(asked.load(Ordering::Relaxed), 200, "each is tried twice");
    });
    run(|wire| async move {
        wire.name_server(RESOLVER, limited(usize::MAX, Duration::from_secs(1), Arc::default()));
        let session = session(&wire);
        let (refused, others) = tokio::join!(answered(&session, "refused.test", 500), answered(&session, "test", 500));
        assert_eq!((refused, others), (0, 500));
        assert!(wire.clock.now() < Duration::from_secs(90), "once, then it is believed: {:?}", wire.clock.now());
    });
}

#[test]
fn wildcards_are_sampled_until_nothing_new_comes() {
    run(|wire| async move {
        wire.name_server(
            RESOLVER,
            Zone::parse(
                "*.one.test A 192.0.2.1
                 *.pool.test A pool 192.0.2.1 192.0.2.2 192.0.2.3 192.0.2.4 192.0.2.5 192.0.2.6 192.0.2.7 192.0.2.8
                 *.alias.test CNAME shop.test
                 shop.test A 192.0.2.77
                 www.one.test A 192.0.2.9
                 !x.fail.test servfail",
            )
            .server(),
        );
        let session = session(&wire);
        let profile = session.wildcard("none.test", RecordType::A).await.unwrap();
        assert_eq!((profile.is_wildcard(), profile.complete, profile.samples), (false, true, 3));
        let profile = session.wildcard("one.test", RecordType::A).await.unwrap();
        assert_eq!((profile.values.as_slice(), profile.complete), (["192.0.2.1".to_owned()].as_slice(), true));
        assert!(profile.explains(&session.lookup_uncached("random.one.test", RecordType::A).await.unwrap()));
        assert!(!profile.explains(&session.lookup_uncached("www.one.test", RecordType::A).await.unwrap()));
        let profile = session.wildcard("pool.test", RecordType::A).await.unwrap();
        assert_eq!((profile.values.len(), profile.complete), (8, true));
        let profile = session.wildcard("alias.test", RecordType::A).await.unwrap();
        assert_eq!(profile.values, ["CNAME shop.test"]);
        let before = wire.datagrams.load(Ordering::Relaxed);
        session.wildcard("alias.test", RecordType::A).await.unwrap();
        assert_eq!(wire.datagrams.load(Ordering::Relaxed), before, "kept for the run");
    });
    run(|wire| async move {
        wire.name_server(RESOLVER, Arc::new(|_, _: WireTime| vec![]));
        let unknown = session(&wire).wildcard("silent.test", RecordType::A).await;
        assert_eq!(unknown.err(), Some(NetError::Timeout(Phase::Resolving)), "silence is no proof that there is none");
    });
}

#[test]
fn what_a_wildcard_that_fails_at_times_was_seen_to_give_is_kept() {
    run(|wire| async move {
        let names = Mutex::new(Vec::new());
        wire.name_server(
            RESOLVER,
            Arc::new(move |question: &[u8], _: WireTime| {
                let (name, _) = read_question(question);
                let mut names = names.lock().unwrap();
                let at = names.iter().position(|known| *known == name).unwrap_or(names.len());
                if at == names.len() {
                    names.push(name.clone());
                }
                // Eight of ten fail, and the last ones of those asked at once do not.
                let reply = if at % 10 < 8 {
                    let mut reply = message(question, &[], &[]);
                    reply[3] |= 2;
                    reply
                } else {
                    message(question, &[(name, "A".to_owned(), format!("192.0.2.{at}"))], &[])
                };
                vec![(Duration::from_millis(20), reply)]
            }),
        );
        let profile = session(&wire).wildcard("lossy.test", RecordType::A).await.unwrap();
        assert!(profile.is_wildcard() && !profile.complete, "{profile:?}");
    });
}

#[test]
fn one_server_is_asked_directly() {
    run(|wire| async move {
        let server = "192.0.2.53:53";
        wire.name_server(
            server,
            Zone::parse("www.test A 192.0.2.1\n!deny.test refused\ndeny.test A 192.0.2.1").server(),
        );
        let session = session(&wire);
        let answer = session.ask(server.parse().unwrap(), "www.test", RecordType::A).await.unwrap();
        assert_eq!((answer.authoritative, answer.addresses().count()), (true, 1));
        let lame = session.ask(server.parse().unwrap(), "deny.test", RecordType::A).await;
        assert_eq!(lame.err(), Some(NetError::Dns(Rcode::REFUSED)));
        let silent = session.ask("192.0.2.54:53".parse().unwrap(), "www.test", RecordType::A).await;
        assert_eq!(silent.err(), Some(NetError::Timeout(Phase::Resolving)));
    });
}

type Record = (&'static str, &'static str, &'static str);

const SOA: Record = ("zone.test", "SOA", "ns.test host.test 1 2 3 4 5");
const HOST: Record = ("host.zone.test", "A", "192.0.2.1");

/// A server that answers AXFR with these messages, and then hangs up or stays.
fn transfers(messages: Vec<Vec<Record>>, rcode: u8, stays: bool) -> Peer {
    Peer::Serves(Arc::new(move |mut peer: PeerStream| -> BoxFuture<'static, ()> {
        let messages = messages.clone();
        Box::pin(async move {
            let length = peer.stream.read_u16().await.unwrap();
            let mut question = vec![0; length.into()];
            peer.stream.read_exact(&mut question).await.unwrap();
            assert_eq!(read_question(&question), ("zone.test".to_owned(), 252));
            for records in messages {
                let records: Vec<_> = records
                    .into_iter()
                    .map(|(name, kind, data)| (name.to_owned(), kind.to_owned(), data.to_owned()))
                    .collect();
                let mut reply = message(&question, &records, &[]);
                reply[3] |= rcode;
                peer.stream.write_all(&[&(reply.len() as u16).to_be_bytes()[..], &reply].concat()).await.unwrap();
            }
            if stays {
                std::future::pending::<()>().await;
            }
        })
    }))
}

/// What a transfer of the zone from this server comes to.
async fn transferred(wire: &Arc<TestWire>, server: Peer) -> String {
    wire.peer("192.0.2.53:53", server);
    match session(wire).transfer("192.0.2.53:53".parse().unwrap(), "zone.test").await {
        Ok(Transfer::Given { records, unfinished }) => {
            let end = match unfinished {
                None => "complete".to_owned(),
                Some(Unfinished::BrokeOff) => "cut".to_owned(),
                Some(Unfinished::Limit(limit)) => format!("up to {limit}"),
            };
            format!("given {} {end}", records.len())
        }
        Ok(Transfer::Denied(rcode)) => format!("denied {rcode}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_zone_is_transferred_refused_or_cut() {
    for (messages, rcode, expected) in [
        (vec![vec![SOA, HOST], vec![HOST, SOA]], 0, "given 3 complete"),
        (vec![vec![SOA, HOST, SOA]], 0, "given 2 complete"),
        (vec![vec![SOA, HOST]], 0, "given 2 cut"),
        (vec![vec![]], 5, "denied REFUSED"),
        (vec![vec![]], 9, "denied NOTAUTH"),
        (vec![vec![]], 0, "denied REFUSED"),
        (
            vec![vec![HOST]],
            0,
            "the peer broke the protocol: a zone transfer that does not begin with the start of authority",
        ),
        (vec![], 0, "connection closed early: DNS over TCP"),
    ] {
        run(move |wire| async move {
            assert_eq!(transferred(&wire, transfers(messages, rcode, false)).await, expected);
        });
    }
    run(|wire| async move {
        wire.peer("192.0.2.53:53", Peer::Refuses);
        let error = session(&wire).transfer("192.0.2.53:53".parse().unwrap(), "zone.test").await.err().unwrap();
        assert_eq!(error.meaning(), Meaning::Absent);
    });
}

#[test]
fn a_transfer_that_reaches_a_limit_says_which() {
    run(|wire| async move {
        let slow = transfers(vec![vec![SOA, HOST]], 0, true);
        assert_eq!(transferred(&wire, slow).await, "given 2 up to 60 s");
    });
    for (hosts, expected) in [(99_999, "given 100000 complete"), (100_000, "given 100000 up to 100000 records")] {
        run(move |wire| async move {
            let all: Vec<Record> = [SOA].into_iter().chain(std::iter::repeat_n(HOST, hosts)).chain([SOA]).collect();
            let large = transfers(all.chunks(1_999).map(<[Record]>::to_vec).collect(), 0, false);
            assert_eq!(transferred(&wire, large).await, expected, "the end stands beside what is left out");
        });
    }
}
