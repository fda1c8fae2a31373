//! Services that begin with TLS, databases that let anybody in, and looks that fail because the network or a provider
//! does.

use super::faulty::{Fault, Looked, look, look_by};
use super::{EPOCH, compare, explore, explorer, world};
use ambit_model::facts::Neighbour;
use ambit_model::run::NotDoneReason;
use ambit_model::{Clearance, Details, EdgeKind, Facts, Kind, Uid};
use ambit_tasks::{Answer, Settings, TaskError};
use ambit_world::World;
use serde_json::json;
use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use uuid::Uuid;

/// A host of theirs with many services.
const HOST: &str = "name acme.test A 203.0.113.25 A 203.0.113.26
host 203.0.113.25
  port 465 smtp \"mail.acme.test ESMTP Postfix\" tls @mail
  port 990 ftp \"(vsFTPd 3.0.3)\" anonymous tls @mail
  port 993 imap \"Dovecot ready.\" tls @mail
  port 995 pop3 \"Dovecot ready.\" tls @mail
  port 4444 pop3 \"Dovecot ready.\" tls @mail
  port 5555 banner \"\" tls @mail
  port 6380 redis open tls @mail
  port 27017 mongodb open
  port 27018 mongodb password
host 203.0.113.26
  port 27017 mongodb open old
  port 27018 mongodb open tls @mail
site https://acme.test:8443 \"Acme\"
  at 203.0.113.25  default
cert mail
  names mail.acme.test";

const NEVER: Fault = |_, _| None;

fn identified(socket: &str) -> (Looked, Details) {
    let world = World::parse(&world(HOST), "test.world").unwrap_or_else(|problems| panic!("{problems:?}"));
    let name = format!("{socket}/tcp");
    let looked = look(&world, EPOCH, "service_identify", (Kind::NetworkService, &name, ""), NEVER);
    let details = looked.found.details.clone();
    (looked, details)
}

#[test]
fn a_service_inside_tls_is_known_by_what_it_says_there() {
    for (port, service) in [(465, "SMTP"), (990, "FTP"), (993, "IMAP"), (995, "POP3"), (4444, "POP3"), (6380, "REDIS")]
    {
        let (looked, details) = identified(&format!("203.0.113.25:{port}"));
        assert_eq!(looked.answer, Ok(Answer::Found), "{port}");
        assert_eq!((&details["service"], &details["ssl"]), (&json!(service), &json!(true)), "{port}: {details:?}");
        assert!(!details.contains_key("hidden_starttls"), "{port}: it begins with TLS");
        if port != 4444 {
            assert!(
                looked.took < Duration::from_secs(6),
                "{port}: where TLS is the custom nobody waits first: {:?}",
                looked.took
            );
        }
    }
    assert_eq!(identified("203.0.113.25:990").1["hidden_anonymous_ftp"], json!(true));
    assert!(identified("203.0.113.25:6380").1["hidden_open_redis"].is_object());
    let (_, nothing) = identified("203.0.113.25:5555");
    assert_eq!((&nothing["service"], &nothing["ssl"]), (&json!(null), &json!(true)), "{nothing:?}");
    let (_, web) = identified("203.0.113.25:8443");
    assert_eq!((&web["service"], &web["ssl"]), (&json!("HTTP"), &json!(true)), "{web:?}");
}

#[test]
fn a_mongodb_of_any_age_says_whether_it_lets_anybody_in() {
    for (socket, open) in [
        ("203.0.113.25:27017", true),
        ("203.0.113.25:27018", false),
        ("203.0.113.26:27017", true),
        ("203.0.113.26:27018", true),
    ] {
        let (looked, details) = identified(socket);
        assert_eq!((looked.answer, &details["service"]), (Ok(Answer::Found), &json!("MONGODB")), "{socket}");
        assert_eq!(details.get("hidden_no_authentication"), open.then_some(&json!(true)), "{socket}: {details:?}");
    }
}

#[test]
fn services_inside_tls_and_databases_are_found_with_their_certificates() {
    let (explorer, truth) = explore(&world(HOST), Clearance::L3);
    let (missed, unexpected) = compare(&explorer, &truth);
    assert!(missed.is_empty() && unexpected.is_empty(), "missed {missed:#?}\nunexpected {unexpected:#?}");
    assert_eq!(explorer.outside(), Vec::<String>::new());
}

#[test]
fn a_lost_network_closes_no_port() {
    let lost: Fault = |_, _| Some(ErrorKind::NetworkUnreachable);
    let unreachable: Fault = |_, _| Some(ErrorKind::HostUnreachable);
    let world = World::parse(&world(HOST), "test.world").unwrap_or_else(|problems| panic!("{problems:?}"));
    for (task, entity) in [
        ("port_sweep", (Kind::IpAddress, "203.0.113.25", "")),
        ("block_sweep", (Kind::NetBlock, "203.0.113.0/28", "0-16")),
        ("service_identify", (Kind::NetworkService, "203.0.113.25:993/tcp", "")),
        ("service_identify", (Kind::NetworkService, "203.0.113.25:27017/tcp", "")),
    ] {
        let looked = look(&world, EPOCH, task, entity, lost);
        assert!(
            matches!(&looked.answer, Err(error) if error.to_string().contains("no way out of this machine")),
            "{task}: {:?}",
            looked.answer
        );
    }
    // Lost after the handshake: that it speaks TLS is no reason to forget what it speaks inside.
    let later: Fault = |_, now| (now > Duration::ZERO).then_some(ErrorKind::NetworkUnreachable);
    let looked = look(&world, EPOCH, "service_identify", (Kind::NetworkService, "203.0.113.25:993/tcp", ""), later);
    assert!(matches!(&looked.answer, Err(error) if error.reason() == NotDoneReason::NoAnswer), "{:?}", looked.answer);
    let filtered = look(&world, EPOCH, "port_sweep", (Kind::IpAddress, "203.0.113.25", ""), unreachable);
    assert_eq!(filtered.answer, Ok(Answer::Absent), "a filter's word is an answer");
}

#[test]
fn what_a_sweep_found_stands_where_the_rest_could_not_be_asked() {
    let some: Fault = |to, _| matches!(to.port(), 465 | 993).then_some(ErrorKind::NetworkUnreachable);
    let world = World::parse(&world(HOST), "test.world").unwrap_or_else(|problems| panic!("{problems:?}"));
    let known = json!({"ports": [{"number": 993, "protocol": "tcp"}, {"number": 995, "protocol": "tcp"}]});
    let service = |port: u16| format!("203.0.113.25:{port}/tcp");
    let known_at = |port: u16| led("port_sweep", "", (EdgeKind::Service, Kind::NetworkService, service(port).as_str()));
    let facts = Facts {
        details: known.as_object().cloned().unwrap(),
        outward: vec![known_at(993), known_at(995)],
        ..explorer::empty_facts(Kind::IpAddress, "203.0.113.25")
    };
    let looked = look_by(Settings::default(), (&world, EPOCH), "port_sweep", (facts, ""), some);
    assert!(matches!(&looked.answer, Ok(Answer::InPart(TaskError::Net(_)))), "{:?}", looked.answer);
    let found = |port: u16| looked.found.edges.iter().any(|edge| edge.name == service(port));
    assert_eq!([465, 990, 993, 995].map(found), [false, true, false, true], "{:?}", looked.found.edges);
    let standing = [(EdgeKind::Service, uid(Kind::NetworkService, &service(993)))];
    assert_eq!(looked.found.standing, standing.into(), "it stays known and is not seen");
    let ports = looked.found.details["ports"].as_array().unwrap();
    assert!(ports.iter().any(|port| port["number"] == 993), "{ports:?}");

    let one: Fault = |to, _| to.ip().to_string().ends_with(".26").then_some(ErrorKind::NetworkUnreachable);
    let looked = look(&world, EPOCH, "block_sweep", (Kind::NetBlock, "203.0.113.16/28", "0-16"), one);
    assert!(matches!(&looked.answer, Ok(Answer::InPart(TaskError::Net(_)))), "{:?}", looked.answer);
    let found: Vec<&str> = looked.found.edges.iter().map(|edge| edge.name.as_str()).collect();
    assert_eq!(found, ["203.0.113.25"]);
}

#[test]
fn what_is_known_is_not_seen_where_nothing_could_be_asked() {
    let lost: Fault = |_, _| Some(ErrorKind::NetworkUnreachable);
    let text = format!("{HOST}\nname ftp.acme.test A 203.0.113.12 answers silent");
    let world = World::parse(&world(&text), "test.world").unwrap_or_else(|problems| panic!("{problems:?}"));
    let words = Settings { words: Arc::from(["ftp".to_owned()]), ..Settings::default() };
    let ports = json!({"ports": [{"number": 993, "protocol": "tcp"}, {"number": 123, "protocol": "udp"}]});
    for (settings, task, (kind, name, argument), end, fault) in [
        (Settings::default(), "port_sweep", (Kind::IpAddress, "203.0.113.25", ""), None, lost),
        (Settings::default(), "udp_sweep", (Kind::IpAddress, "203.0.113.25", ""), None, lost),
        (
            Settings::default(),
            "block_sweep",
            (Kind::NetBlock, "203.0.113.16/28", "0-16"),
            Some((EdgeKind::BlockMember, Kind::IpAddress, "203.0.113.25")),
            lost,
        ),
        (
            words,
            "name_sweep",
            (Kind::Domain, "acme.test", "0-1"),
            Some((EdgeKind::Subdomain, Kind::DnsRecord, "ftp.acme.test")),
            NEVER,
        ),
    ] {
        let led = end.map(|end| led(task, argument, end));
        let facts = Facts {
            details: ports.as_object().cloned().unwrap(),
            outward: led.into_iter().collect(),
            ..explorer::empty_facts(kind, name)
        };
        let looked = look_by(settings, (&world, EPOCH), task, (facts, argument), fault);
        assert!(looked.answer.is_err(), "{task}: {:?}", looked.answer);
    }
}

pub(super) fn uid(kind: Kind, name: &str) -> Uid {
    Uid::of_entity(Uuid::nil(), kind, name)
}

/// An end to which a task led with an argument.
pub(super) fn led(task: &str, argument: &str, (edge, kind, name): (EdgeKind, Kind, &str)) -> Neighbour {
    Neighbour {
        edge,
        task: task.to_owned(),
        argument: argument.to_owned(),
        uid: uid(kind, name),
        kind,
        name: name.to_owned(),
        scoped: true,
        by_evidence: false,
        clearance: Clearance::L3,
        details: Arc::default(),
    }
}

#[test]
fn a_guessed_name_without_an_answer_stays_what_it_was() {
    let text = world(
        "name www.acme.test A 203.0.113.10\nname mail.acme.test A 203.0.113.11 answers silent\nname \
         ftp.acme.test A 203.0.113.12 answers silent",
    );
    let world = World::parse(&text, "test.world").unwrap_or_else(|problems| panic!("{problems:?}"));
    let known = |name| led("name_sweep", "0-250", (EdgeKind::Subdomain, Kind::DnsRecord, name));
    let outward = vec![known("mail.acme.test"), known("vpn.acme.test")];
    let facts = Facts { outward, ..explorer::empty_facts(Kind::Domain, "acme.test") };
    let looked = look_by(Settings::default(), (&world, EPOCH), "name_sweep", (facts, "0-250"), NEVER);
    let found: Vec<&str> = looked.found.edges.iter().map(|edge| edge.name.as_str()).collect();
    assert_eq!((looked.answer, found), (Ok(Answer::Found), vec!["ns1.acme.test", "www.acme.test"]));
    let standing = [(EdgeKind::Subdomain, uid(Kind::DnsRecord, "mail.acme.test"))];
    assert_eq!(looked.found.standing, standing.into(), "one has no answer, and the other is gone");
}

#[test]
fn a_certificate_log_that_is_overloaded_is_asked_once_more_and_not_for_ever() {
    const LOG: IpAddr = IpAddr::V4(Ipv4Addr::new(198, 19, 0, 10));
    let for_a_while: Fault =
        |to: SocketAddr, now| (to.ip() == LOG && now < Duration::from_secs(5)).then_some(ErrorKind::ConnectionReset);
    let for_ever: Fault = |to, _| (to.ip() == LOG).then_some(ErrorKind::ConnectionReset);
    let text = world("name acme.test A 203.0.113.10\nsite https://acme.test \"Acme\"");
    let world = World::parse(&text, "test.world").unwrap_or_else(|problems| panic!("{problems:?}"));
    let ask = |fault| look(&world, EPOCH, "certificate_log", (Kind::Domain, "acme.test", ""), fault);
    let later = ask(for_a_while);
    assert_eq!((later.answer, later.found.edges.len()), (Ok(Answer::Found), 1));
    assert!(later.took > Duration::from_secs(60) && later.took < Duration::from_secs(70), "{:?}", later.took);
    let never = ask(for_ever);
    assert!(matches!(&never.answer, Err(TaskError::SourceDown(_))), "{:?}", never.answer);
    assert!(never.took < Duration::from_secs(70), "{:?}", never.took);
}

#[test]
fn what_a_registry_said_stands_where_its_registrar_does_not_answer() {
    const RDAP: IpAddr = IpAddr::V4(Ipv4Addr::new(198, 19, 0, 11));
    const REGISTRY: IpAddr = IpAddr::V4(Ipv4Addr::new(198, 19, 0, 15));
    let text = world("name acme.test A 203.0.113.10");
    let world = World::parse(&text, "test.world").unwrap_or_else(|problems| panic!("{problems:?}"));
    let ask = |fault| look(&world, EPOCH, "registration", (Kind::Domain, "acme.test", ""), fault);
    // No name leads to the registrar's server.
    let told = ask(|to, _| (to.ip() == RDAP).then_some(ErrorKind::ConnectionReset));
    assert_eq!(told.answer, Ok(Answer::Found));
    assert_eq!(told.found.details["hidden_registration"]["registrant"], "Acme Corp");
    // What the root says of the registry is nothing about the domain.
    let silent = ask(|to, _| (to.ip() == RDAP || to.ip() == REGISTRY).then_some(ErrorKind::ConnectionReset));
    assert!(matches!(&silent.answer, Err(TaskError::SourceDown(_))), "{:?}", silent.answer);
}
