//! Probes of many things that break off: what they did not come to stays as it was known.

use super::explorer::empty_facts;
use super::faulty::{Fault, Looked, NO_TEXT, look_by};
use super::services::{led, uid};
use super::{EPOCH, world};
use ambit_model::{EdgeKind, Facts, Kind};
use ambit_tasks::{Answer, Settings, TaskError};
use ambit_world::World;
use std::io::ErrorKind;

const NEVER: Fault = |_, _| None;

type End = (EdgeKind, Kind, &'static str);

/// Looks once at what led to these ends before.
fn look(text: &str, task: &str, (kind, name, argument): (Kind, &str, &str), ends: &[End], fault: Fault) -> Looked {
    let world = World::parse(text, "test.world").unwrap_or_else(|problems| panic!("{problems:?}"));
    let outward = ends.iter().map(|end| led(task, argument, *end)).collect();
    let facts = Facts { outward, ..empty_facts(kind, name) };
    look_by(Settings::default(), (&world, EPOCH), task, (facts, argument), fault)
}

fn names(looked: &Looked) -> Vec<&str> {
    looked.found.edges.iter().map(|edge| edge.name.as_str()).collect()
}

fn is_in_part(looked: &Looked) -> bool {
    matches!(looked.answer, Ok(Answer::InPart(_)))
}

/// Resolvers that say nothing after so many answers each.
fn resolvers_with(answers: u32) -> String {
    format!("host 198.19.0.1 198.19.0.2\n  limit {answers} 10h silent\n")
}

#[test]
fn a_walk_of_a_zone_that_breaks_off_keeps_the_names_behind_the_last_answer() {
    let names_of_zone = "name {b,d,f,h,j,l,n}-host.acme.test A 203.0.113.10\n";
    let text = world(&format!("{names_of_zone}{}", resolvers_with(3)))
        .replace("ns ns1.acme.test 203.0.113.2", "ns ns1.acme.test 203.0.113.2\n  signed nsec");
    let end = |name: &'static str| (EdgeKind::Subdomain, Kind::DnsRecord, name);
    let ends = [end("a-gone.acme.test"), end("b-host.acme.test"), end("n-host.acme.test")];
    let looked = look(&text, "nsec_walk", (Kind::Domain, "acme.test", ""), &ends, NEVER);
    assert!(is_in_part(&looked), "{:?}", looked.answer);
    let found = names(&looked);
    assert!(found.contains(&"b-host.acme.test") && !found.contains(&"n-host.acme.test"), "{found:?}");
    let standing = [(EdgeKind::Subdomain, uid(Kind::DnsRecord, "n-host.acme.test"))];
    assert_eq!(looked.found.standing, standing.into(), "the chain says that the first is gone");
}

#[test]
fn a_walk_of_a_zone_that_ends_before_the_end_keeps_the_names_behind() {
    // One name does not answer for itself, and the record before what follows it is that of a name below it. Of another
    // one, which was handed to others, nothing can be asked that follows it.
    let full = format!("{}z", "h".repeat(62));
    let fails = "name dev.acme.test A 203.0.113.11 answers servfail\nname a.dev.acme.test A 203.0.113.12".to_owned();
    let ends = format!("zone {full}.acme.test of host\n  ns ns1.host.test\nname {full}.acme.test A 198.51.100.7");
    for (lines, in_part) in [(fails, true), (ends, false)] {
        let text = world(&format!("name {{b,n}}-host.acme.test A 203.0.113.10\n{lines}"))
            .replace("ns ns1.acme.test 203.0.113.2", "ns ns1.acme.test 203.0.113.2\n  signed nsec");
        let end = |name: &'static str| (EdgeKind::Subdomain, Kind::DnsRecord, name);
        let ends = [end("a-gone.acme.test"), end("b-host.acme.test"), end("n-host.acme.test")];
        let looked = look(&text, "nsec_walk", (Kind::Domain, "acme.test", ""), &ends, NEVER);
        assert_eq!((is_in_part(&looked), looked.answer.is_ok()), (in_part, true), "{:?}", looked.answer);
        let found = names(&looked);
        assert!(found.contains(&"b-host.acme.test") && !found.contains(&"n-host.acme.test"), "{found:?}");
        let standing = [(EdgeKind::Subdomain, uid(Kind::DnsRecord, "n-host.acme.test"))];
        assert_eq!(looked.found.standing, standing.into(), "{lines}");
    }
}

#[test]
fn a_zone_that_breaks_off_while_it_is_transferred_keeps_the_names_that_did_not_come() {
    let text = world(
        "name host-{1..300}.acme.test A 203.0.113.10\nzone away.acme.test of host\n  ns ns1.host.test\nname \
                      www.away.acme.test A 198.51.100.7\nname away.acme.test A 198.51.100.7",
    )
    .replace("ns ns1.acme.test 203.0.113.2", "ns ns1.acme.test 203.0.113.2\n  transfer open");
    let end = |name: &'static str| (EdgeKind::Subdomain, Kind::DnsRecord, name);
    let ends = [end("host-1.acme.test"), end("host-99.acme.test"), end("was.acme.test")];
    let cut: Fault = |to, _| (to.port() == 53).then_some(ErrorKind::UnexpectedEof);
    let entity = (Kind::Domain, "acme.test", "ns1.acme.test");
    let whole = look(&text, "zone_transfer", entity, &ends, NEVER);
    assert_eq!((whole.answer.clone(), whole.found.standing.len()), (Ok(Answer::Found), 0));
    let looked = look(&text, "zone_transfer", entity, &ends, cut);
    assert!(is_in_part(&looked), "{:?}", looked.answer);
    let found = names(&looked);
    assert!((90..299).contains(&found.len()), "{}", found.len());
    let missing = ends.iter().filter(|(_, _, name)| !found.contains(name));
    let standing = missing.map(|(edge, kind, name)| (*edge, uid(*kind, name)));
    assert_eq!(looked.found.standing, standing.collect(), "{found:?}");
    assert!(looked.found.standing.len() > 1, "the test cuts where a known name has not come: {found:?}");
}

#[test]
fn a_part_of_a_zone_is_told_though_one_of_its_names_cannot_be_asked_for() {
    let text =
        world(&format!("name a{NO_TEXT}.acme.test A 203.0.113.9\nname host-{{1..300}}.acme.test A 203.0.113.10"))
            .replace("ns ns1.acme.test 203.0.113.2", "ns ns1.acme.test 203.0.113.2\n  transfer open");
    let cut: Fault = |to, _| (to.port() == 53).then_some(ErrorKind::UnexpectedEof);
    let looked = look(&text, "zone_transfer", (Kind::Domain, "acme.test", "ns1.acme.test"), &[], cut);
    let Ok(Answer::InPart(TaskError::Failed(why))) = &looked.answer else { panic!("{:?}", looked.answer) };
    assert!(why.starts_with("the zone broke off after "), "{why}");
    assert!(looked.found.details.contains_key("hidden_zone_transfer"), "{:?}", looked.found.details);
    let found = names(&looked);
    assert!(found.contains(&"host-1.acme.test"), "{found:?}");
    assert_eq!(looked.found.evidence.len(), 1);
    let zone = String::from_utf8_lossy(&looked.found.evidence[0].bytes).into_owned();
    assert!(zone.contains("a\\255\\255"), "the test changes the name: {zone}");
}

#[test]
fn a_name_in_a_certificate_that_could_not_be_asked_for_stays() {
    let text = world("name a.acme.test A 203.0.113.10\nname b.acme.test A 203.0.113.11 answers truncated");
    let end = |name: &'static str| (EdgeKind::CertificateName, Kind::DnsRecord, name);
    let ends = [end("a.acme.test"), end("b.acme.test"), end("c.acme.test")];
    let world = World::parse(&text, "test.world").unwrap_or_else(|problems| panic!("{problems:?}"));
    let outward = ends.iter().map(|end| led("certificate_names", "acme.test", *end)).collect();
    let names_of_it = serde_json::json!({"hidden_names": ["a.acme.test", "b.acme.test", "c.acme.test"]});
    let details = names_of_it.as_object().cloned().unwrap();
    let facts = Facts { outward, details, ..empty_facts(Kind::SslCertificate, "acme.test (1)") };
    let refused: Fault = |to, _| (to.port() == 53).then_some(ErrorKind::ConnectionRefused);
    let looked = look_by(Settings::default(), (&world, EPOCH), "certificate_names", (facts, "acme.test"), refused);
    assert!(matches!(looked.answer, Ok(Answer::InPart(TaskError::Net(_)))), "{:?}", looked.answer);
    assert_eq!(names(&looked), ["a.acme.test"]);
    let standing = [(EdgeKind::CertificateName, uid(Kind::DnsRecord, "b.acme.test"))];
    assert_eq!(looked.found.standing, standing.into(), "c is not there");
}
