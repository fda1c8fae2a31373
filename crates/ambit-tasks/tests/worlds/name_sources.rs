//! Names that sources tell of: which become entities, and what is said where a source does not answer.

use super::faulty::{Fault, look_with};
use ambit_model::{EdgeKind, Kind, Timestamp};
use ambit_tasks::{Answer, Settings, SourceKeys, TaskError};
use ambit_world::World;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr};

const EPOCH: Timestamp = Timestamp(1_767_225_600_000);

const TEXT: &str = r#"
world told "Told"
seeds acme.test
org acme   "Acme Corp" ours
org agency "An Agency" stranger
block 203.0.113.0/25   of acme   asn AS64500 named ACME-NET
block 203.0.113.128/25 of agency asn AS64501 named AGENCY-NET
zone acme.test of acme
  ns ns1.acme.test 203.0.113.2
zone shop.acme.test of agency
  ns ns1.agency.test 203.0.113.130
zone agency.test of agency
  ns ns1.agency.test
name zq7.acme.test       A 203.0.113.10 archived
name k9.eu.acme.test     A 203.0.113.11 archived
name gone.acme.test      archived
name dangling.acme.test  CNAME nowhere.agency.test archived
name till.shop.acme.test A 203.0.113.140 archived
name *.wild.acme.test    A 203.0.113.12
name x1.wild.acme.test   A 203.0.113.12 archived
name unknown.acme.test   A 203.0.113.13
"#;

fn world() -> World {
    World::parse(TEXT, "told.world").unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn with_keys() -> Settings {
    let keys: SourceKeys = ambit_sources::all().iter().map(|source| (source.name, "s3cret".to_owned())).collect();
    Settings { source_keys: keys, ..Settings::default() }
}

#[test]
fn every_source_is_asked_in_its_way_and_what_exists_of_what_it_tells_is_found() {
    let world = world();
    let expected: BTreeMap<&str, EdgeKind> = [
        ("dangling.acme.test", EdgeKind::Subdomain),
        ("k9.eu.acme.test", EdgeKind::Subdomain),
        ("till.shop.acme.test", EdgeKind::DelegatedSubdomain),
        ("zq7.acme.test", EdgeKind::Subdomain),
    ]
    .into();
    for source in ambit_sources::all() {
        let looked =
            look_with(with_keys(), &world, EPOCH, "name_sources", (Kind::Domain, "acme.test", source.name), |_, _| {
                None
            });
        assert_eq!(looked.answer, Ok(Answer::Found), "{}", source.name);
        let edges: BTreeMap<&str, EdgeKind> =
            looked.found.edges.iter().map(|edge| (edge.name.as_str(), edge.edge)).collect();
        assert_eq!(edges, expected, "{}", source.name);
        let nothing = look_with(
            with_keys(),
            &world,
            EPOCH,
            "name_sources",
            (Kind::Domain, "agency.test", source.name),
            |_, _| None,
        );
        assert_eq!(nothing.answer, Ok(Answer::Absent), "{}", source.name);
    }
}

#[test]
fn a_source_that_does_not_answer_or_wants_a_key_tells_nothing() {
    let world = world();
    let ask = |settings: Settings, source: &str, fault: Fault| {
        let looked = look_with(settings, &world, EPOCH, "name_sources", (Kind::Domain, "acme.test", source), fault);
        (looked.answer, looked.found.edges.len())
    };
    let cut: Fault = |to, _| (to.ip() == shodan()).then_some(ErrorKind::ConnectionReset);
    let (answer, edges) = ask(with_keys(), "shodan", cut);
    let Err(TaskError::SourceDown(why)) = answer else { panic!("{answer:?}") };
    assert!(why.starts_with("Shodan: ") && !why.contains("s3cret") && edges == 0, "{why}");
    let (answer, _) = ask(Settings::default(), "shodan", |_, _| None);
    assert!(matches!(&answer, Err(TaskError::Denied(why)) if why.contains("source_keys")), "{answer:?}");
    let (answer, _) = ask(Settings::default(), "nobody", |_, _| None);
    assert!(matches!(&answer, Err(TaskError::Failed(why)) if why.contains("nobody")), "{answer:?}");
    assert!(!format!("{:?}", with_keys()).contains("s3cret"), "settings do not show keys");
}

/// The sources stand in their order behind 198.19.0.100.
fn shodan() -> IpAddr {
    let place = ambit_sources::all().iter().position(|source| source.name == "shodan").expect("a source");
    IpAddr::V4(Ipv4Addr::new(198, 19, 0, 100 + u8::try_from(place).expect("a few")))
}
