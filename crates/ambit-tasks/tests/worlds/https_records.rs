//! HTTPS records (RFC 9460): what they lead to, and what they must not lead to.

use super::explorer::{Explorer, empty_facts};
use super::faulty::look_by;
use super::{EPOCH, compare, explore, world};
use ambit_model::entity::domain::{self, HttpsRecord};
use ambit_model::facts::ProbeOutcome;
use ambit_model::scope::Decision;
use ambit_model::{Clearance, Facts, Kind, TaskName};
use ambit_tasks::{Answer, Settings};
use ambit_world::World;

/// Somebody else, with a block and a domain.
const OTHER: &str = "org other \"Somebody Else\" stranger\nblock 192.0.2.0/24 of other asn AS64503 named OTHER-NET\n\
                     zone other.test of other\n  ns ns1.other.test 192.0.2.53\n";

/// Explores, and sees to it that truth and contacts are as they should be.
fn explored(lines: &str, ceiling: Clearance) -> Explorer {
    let (explorer, truth) = explore(&world(&format!("{OTHER}{lines}")), ceiling);
    let (missed, unexpected) = compare(&explorer, &truth);
    assert_eq!(explorer.outside(), Vec::<String>::new(), "contacts outside clearance");
    let is_whole = missed.is_empty() || ceiling < Clearance::L3;
    assert!(is_whole && unexpected.is_empty(), "missed {missed:#?}\nunexpected {unexpected:#?}");
    explorer
}

fn records(explorer: &Explorer, kind: Kind, name: &str) -> Vec<HttpsRecord> {
    domain::HTTPS.items(&explorer.details(kind, name)).collect()
}

/// One line a record, as short as it is said.
fn shown(records: &[HttpsRecord]) -> Vec<String> {
    let text = |record: &HttpsRecord| {
        let HttpsRecord { priority, target, alpn, port, hints, ech } = record;
        format!("{priority} {target} {} {} {} {ech}", alpn.join(","), port.unwrap_or_default(), hints.join(","))
    };
    records.iter().map(text).collect()
}

#[test]
fn a_service_on_another_port_or_host_is_found() {
    let lines = "name acme.test A 203.0.113.10\nname www.acme.test A 203.0.113.11 HTTPS 1 . alpn h2,h3 port 18765 hint \
                 203.0.113.11 hint 192.0.2.66 ech HTTPS 2 edgq-7.acme.test\nname edgq-7.acme.test A 203.0.113.12\n\
                 site https://www.acme.test:18765 \"Shop\"\nhost 192.0.2.66\n  port 443 https\n";
    let explorer = explored(lines, Clearance::L3);
    assert_eq!(
        shown(&records(&explorer, Kind::DnsRecord, "www.acme.test")),
        ["1 www.acme.test h2,h3 18765 192.0.2.66,203.0.113.11 true", "2 edgq-7.acme.test  0  false"]
    );
    let scoped: Vec<String> = explorer.scoped().map(|(_, name)| name).collect();
    for there in ["https://www.acme.test:18765", "203.0.113.11:18765/tcp", "edgq-7.acme.test"] {
        assert!(scoped.iter().any(|name| name == there), "{there}: {scoped:?}");
    }
    assert!(explorer.present().all(|(_, name)| name != "192.0.2.66"), "a hint is no address of the name");
    // A browser goes there as well.
    let visited = explored(lines, Clearance::L2);
    assert!(visited.scoped().any(|(_, name)| name == "https://www.acme.test:18765"));
}

#[test]
fn on_a_machine_of_many_no_other_port_is_asked() {
    let explorer = explored(
        "name acme.test A 203.0.113.10\nname shop.acme.test A 198.51.100.77 HTTPS 1 . port 8443\n\
         site https://shop.acme.test:8443 \"Shop\"\n",
        Clearance::L3,
    );
    assert!(explorer.present().all(|(_, name)| !name.contains(":8443")));
}

#[test]
fn an_alias_at_the_top_of_a_zone_leads_to_its_target_and_one_that_is_gone_dangles() {
    let explorer = explored(
        "name acme.test HTTPS 0 frontq-3.acme.test\nname frontq-3.acme.test A 203.0.113.12\n\
         name old.acme.test A 203.0.113.13 HTTPS 0 app.never-there.test\n\
         name www.acme.test A 203.0.113.10 HTTPS 0 .\n",
        Clearance::L3,
    );
    assert_eq!(shown(&records(&explorer, Kind::Domain, "acme.test")), ["0 frontq-3.acme.test  0  false"]);
    assert_eq!(shown(&records(&explorer, Kind::DnsRecord, "www.acme.test")), ["0 .  0  false"]);
    assert!(explorer.scoped().any(|(_, name)| name == "frontq-3.acme.test"));
    let old = explorer.facts(Kind::DnsRecord, "old.acme.test");
    assert_eq!(old.outcome_at(TaskName::Dangling, "HTTPS"), Some(ProbeOutcome::Found));
    let dangling = &old.details["hidden_dangling"][0];
    assert_eq!((&dangling["record"], &dangling["reason"]), (&"HTTPS".into(), &"unregistered".into()));
    let top = explorer.facts(Kind::Domain, "acme.test");
    assert_eq!(top.outcome_at(TaskName::Dangling, "HTTPS"), Some(ProbeOutcome::Absent));
}

#[test]
fn a_strangers_target_is_known_and_not_contacted() {
    let explorer = explored(
        "name acme.test A 203.0.113.10 HTTPS 0 cdn.other.test\n\
         name www.acme.test A 203.0.113.11 HTTPS 1 edge.other.test port 8443 hint 192.0.2.71\n\
         name {cdn,edge}.other.test A 192.0.2.{70,71}\n\
         host 192.0.2.70 192.0.2.71\n  port 8443 https\n  port 443 https\nsite https://acme.test \"A\"\n",
        Clearance::L3,
    );
    for name in ["cdn.other.test", "edge.other.test"] {
        let decision = explorer.facts(Kind::DnsRecord, name).decision;
        assert_eq!((decision.scoped(), decision.clearance), (false, Clearance::L1), "{name}");
    }
    assert!(explorer.scoped().any(|(_, name)| name == "https://acme.test:443"), "its own address stays its own");
}

#[test]
fn a_server_that_fails_at_the_type_alone_and_bytes_against_the_rules_cost_nothing_else() {
    for words in [
        "HTTPS 1 . port 8443 fails HTTPS",
        "HTTPS raw 00",
        "HTTPS raw 000100000300020035000300020035",
        "HTTPS raw 0001000000000200ff",
        "HTTPS raw 0001ffffffff",
        "HTTPS 1 . port 8443 HTTPS raw 0001000004000101",
    ] {
        let explorer = explored(&format!("name acme.test A 203.0.113.10 {words}\n"), Clearance::L1);
        let facts = explorer.facts(Kind::Domain, "acme.test");
        assert_eq!(facts.outcome(TaskName::Resolve), Some(ProbeOutcome::Found), "{words}");
        assert!(records(&explorer, Kind::Domain, "acme.test").is_empty(), "{words}");
    }
}

#[test]
fn what_was_known_holds_while_the_type_fails_and_is_gone_with_the_record() {
    let known = HttpsRecord { priority: 1, target: "edge.other.test".to_owned(), ..HttpsRecord::default() };
    let looked = |words: &str| {
        let text = world(&format!("name acme.test A 203.0.113.10 {words}\n"));
        let world = World::parse(&text, "test.world").unwrap_or_else(|problems| panic!("{problems:?}"));
        let facts = empty_facts(Kind::Domain, "acme.test");
        let details = [domain::HTTPS.is(vec![known.clone()])].into_iter().collect();
        let facts = Facts { details, decision: Decision { ownership: 1_000, ..facts.decision.clone() }, ..facts };
        let looked = look_by(Settings::default(), (&world, EPOCH), "resolve", (facts, ""), |_, _| None);
        assert_eq!(looked.answer, Ok(Answer::Found));
        let led = looked.found.edges.iter().any(|edge| edge.name == "edge.other.test");
        (domain::HTTPS.items(&looked.found.details).count(), led)
    };
    assert_eq!(looked("fails HTTPS"), (1, true));
    assert_eq!(looked("HTTPS raw 00"), (1, true));
    assert_eq!(looked(""), (0, false));
}
