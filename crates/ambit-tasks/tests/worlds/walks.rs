//! Zones that tell their names by what they say of names that they do not have.

use super::explorer::empty_facts;
use super::faulty::{Fault, look, look_by};
use super::services::led;
use super::{EPOCH, world};
use ambit_model::{EdgeKind, Facts, Kind};
use ambit_tasks::{Answer, Settings};
use ambit_world::World;

const NAMES: &str = "name acme.test A 203.0.113.10
name www.acme.test A 203.0.113.10
name vpn.acme.test A 203.0.113.11
name mail.vpn.acme.test A 203.0.113.12
name zq81-unguessable.acme.test A 203.0.113.13
name txt.acme.test TXT \"nothing else\"
name dev.acme.test CNAME www.acme.test";

const NEVER: Fault = |_, _| None;

/// The names that a walk of the zone tells, and what it kept as evidence.
fn walked(signed: &str) -> (Result<Answer, ambit_tasks::TaskError>, Vec<String>, String) {
    walked_with(signed, "")
}

/// The same of a zone with more lines.
fn walked_with(signed: &str, lines: &str) -> (Result<Answer, ambit_tasks::TaskError>, Vec<String>, String) {
    let text = world(&format!("{NAMES}\n{lines}"))
        .replace("ns ns1.acme.test 203.0.113.2", &format!("ns ns1.acme.test 203.0.113.2{signed}"));
    let world = World::parse(&text, "test.world").unwrap_or_else(|problems| panic!("{problems:?}"));
    let looked = look(&world, EPOCH, "nsec_walk", (Kind::Domain, "acme.test", ""), NEVER);
    let mut names: Vec<String> = looked.found.edges.iter().map(|lead| lead.name.clone()).collect();
    names.sort();
    let evidence: Vec<String> =
        looked.found.evidence.iter().map(|one| String::from_utf8_lossy(&one.bytes).into_owned()).collect();
    (looked.answer, names, evidence.join("\n"))
}

#[test]
fn a_zone_with_nsec3_tells_the_names_that_the_list_knows() {
    let (answer, names, evidence) = walked("\n  signed nsec3");
    assert_eq!(answer, Ok(Answer::Found));
    assert_eq!(names, ["dev.acme.test", "mail.vpn.acme.test", "ns1.acme.test", "vpn.acme.test", "www.acme.test"]);
    assert!(evidence.starts_with("8 hashes, all of the zone"), "{evidence}");
}

#[test]
fn a_known_name_of_a_zone_with_nsec3_stays_though_no_list_has_it() {
    let text = world(NAMES).replace("ns ns1.acme.test 203.0.113.2", "ns ns1.acme.test 203.0.113.2\n  signed nsec3");
    let world = World::parse(&text, "test.world").unwrap_or_else(|problems| panic!("{problems:?}"));
    let known = ["zq81-unguessable.acme.test", "zq82-gone.acme.test"]
        .map(|name| led("nsec_walk", "", (EdgeKind::Subdomain, Kind::DnsRecord, name)));
    let facts = Facts { outward: known.to_vec(), ..empty_facts(Kind::Domain, "acme.test") };
    let looked = look_by(Settings::default(), (&world, EPOCH), "nsec_walk", (facts, ""), NEVER);
    let names: Vec<&str> = looked.found.edges.iter().map(|lead| lead.name.as_str()).collect();
    assert!(names.contains(&"zq81-unguessable.acme.test") && !names.contains(&"zq82-gone.acme.test"), "{names:?}");
    assert!(looked.found.standing.is_empty() && looked.found.left_out.is_empty(), "the chain tells all");
}

#[test]
fn a_zone_that_is_not_signed_tells_nothing() {
    assert_eq!(walked(""), (Ok(Answer::Absent), Vec::new(), String::new()));
}

#[test]
fn a_zone_with_nsec_is_walked_from_name_to_name() {
    let (answer, names, _) = walked("\n  signed nsec");
    assert_eq!(answer, Ok(Answer::Found));
    assert!(names.contains(&"zq81-unguessable.acme.test".to_owned()), "{names:?}");
}

#[test]
fn a_walk_goes_on_behind_a_delegation_whose_label_has_no_room() {
    let front = "h".repeat(62);
    let handed =
        format!("zone {front}a.acme.test of host\n  ns ns1.host.test\nname {front}a.acme.test A 198.51.100.7\n");
    for more in [String::new(), format!("name {front}b.acme.test A 203.0.113.14")] {
        let (answer, names, _) = walked_with("\n  signed nsec", &format!("{handed}{more}"));
        assert_eq!(answer, Ok(Answer::Found));
        assert!(names.contains(&"zq81-unguessable.acme.test".to_owned()), "{names:?}");
    }
}

#[test]
fn a_zone_whose_servers_make_its_records_up_is_not_walked() {
    for signed in ["minimal", "compact"] {
        for wildcard in ["", "name *.acme.test A 203.0.113.15", "name *.acme.test CNAME www.acme.test"] {
            let walked = walked_with(&format!("\n  signed {signed}"), wildcard);
            assert_eq!(walked, (Ok(Answer::Absent), Vec::new(), String::new()), "{signed}: {wildcard}");
        }
    }
}
