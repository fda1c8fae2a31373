//! Blocks that a network announces, where a registry says nothing of some of them.

use super::EPOCH;
use super::explorer::empty_facts;
use super::faulty::{Fault, Looked, look_by};
use ambit_model::entity::autonomous_system;
use ambit_model::facts::Neighbour;
use ambit_model::{Clearance, Details, EdgeKind, Facts, Kind, Uid};
use ambit_tasks::{Answer, Settings};
use ambit_world::World;
use std::sync::Arc;
use uuid::Uuid;

fn world(lines: &str) -> World {
    let text = format!(
        "world announced \"Announced\"\nseeds AS64500\norg acme \"Acme Corp\" ours\norg tenant \"A Tenant\" \
         stranger\norg lir \"Registry\" vendor\nblock 192.0.2.0/24 of lir asn AS64509 named LIR\nzone lir.test of \
         lir\n  ns ns1.lir.test 192.0.2.2\nname rdap.lir.test A 192.0.2.7\n{lines}\n"
    );
    World::parse(&text, "test.world").unwrap_or_else(|problems| panic!("{problems:?}"))
}

/// Two blocks of theirs, one of which has a part of theirs, one of a customer's, and one of which a registry tells that
/// does not answer.
fn parts(registry: &str) -> String {
    format!(
        "block 198.18.0.0/22 of acme asn AS64500 named ACME-NET\nblock 198.18.1.0/28 of acme asn AS64500 named \
         ACME-PART\nblock 198.18.1.16/28 of tenant asn AS64500 named TENANT-PART\nblock 198.18.2.0/28 of tenant asn \
         AS64500 named SILENT-PART{registry}\nblock 198.18.8.0/24 of acme asn AS64500 named ACME-TWO\n"
    )
}

const SILENT: &str = " registry http://rdap.lir.test/";

fn led(edge: EdgeKind, block: &str) -> Neighbour {
    Neighbour {
        edge,
        task: "announced_blocks".to_owned(),
        argument: String::new(),
        uid: Uid::of_entity(Uuid::nil(), Kind::NetBlock, block),
        kind: Kind::NetBlock,
        name: block.to_owned(),
        scoped: edge == EdgeKind::Announces,
        by_evidence: false,
        clearance: Clearance::L1,
        details: Arc::default(),
    }
}

fn looked(world: &World, before: Vec<Neighbour>, own_parts: &[&str], fault: Fault) -> Looked {
    let parts: Vec<String> = own_parts.iter().map(|part| (*part).to_owned()).collect();
    let facts = Facts {
        outward: before,
        details: Details::from_iter([autonomous_system::OWN_PARTS.is(parts)]),
        ..empty_facts(Kind::AutonomousSystem, "AS64500")
    };
    look_by(Settings::default(), (world, EPOCH), "announced_blocks", (facts, ""), fault)
}

/// The edges, and how many stand.
fn leads(looked: &Looked) -> (Vec<String>, usize) {
    let edges = looked.found.edges.iter().map(|lead| format!("{} {}", lead.edge.name(), lead.name));
    (edges.collect(), looked.found.standing.len())
}

#[test]
fn a_part_that_no_registry_tells_of_is_left_out_and_named_and_the_rest_goes_on() {
    let whole = looked(&world(&parts("")), Vec::new(), &[], |_, _| None);
    assert_eq!(whole.answer, Ok(Answer::Found));
    let tenants = "suballocation 198.18.1.16/28";
    let (first, second) = ("announces 198.18.0.0/22", "announces 198.18.8.0/24");
    assert_eq!(leads(&whole).0, [tenants, "suballocation 198.18.2.0/28", first, second]);
    assert_eq!(
        whole.found.details,
        Details::from_iter([autonomous_system::OWN_PARTS.is(vec!["198.18.1.0/28".to_owned()])])
    );

    let in_part = looked(&world(&parts(SILENT)), Vec::new(), &[], |_, _| None);
    assert!(matches!(in_part.answer, Ok(Answer::InPart(_))), "{:?}", in_part.answer);
    assert_eq!(
        leads(&in_part),
        ([tenants, "unknown_part 198.18.2.0/28", first, second].map(str::to_owned).to_vec(), 0)
    );
    let named = &in_part.found.left_out;
    assert!(named.len() == 1 && named[0].starts_with("198.18.2.0/28, since no registry"), "{named:?}");
}

#[test]
fn what_an_earlier_look_said_of_a_part_stands_where_it_cannot_be_asked_now() {
    let world = world(&parts(SILENT));
    let whole = || led(EdgeKind::Announces, "198.18.0.0/22");
    let others = looked(&world, vec![whole(), led(EdgeKind::Suballocation, "198.18.2.0/28")], &[], |_, _| None);
    assert!(matches!(others.answer, Ok(Answer::InPart(_))), "{:?}", others.answer);
    assert_eq!(
        others.found.standing,
        [(EdgeKind::Suballocation, led(EdgeKind::Suballocation, "198.18.2.0/28").uid)].into()
    );
    assert!(others.found.left_out.is_empty() && !leads(&others).0.iter().any(|lead| lead.contains("unknown")));

    let theirs = looked(&world, vec![whole()], &["198.18.2.0/28"], |_, _| None);
    assert!(leads(&theirs).0.iter().all(|lead| !lead.contains("198.18.2.0/28")), "{:?}", leads(&theirs));
    let parts: Vec<&str> = autonomous_system::OWN_PARTS.texts(&theirs.found.details).collect();
    assert_eq!(parts, ["198.18.1.0/28", "198.18.2.0/28"]);

    let unknown = looked(&world, vec![whole(), led(EdgeKind::UnknownPart, "198.18.2.0/28")], &[], |_, _| None);
    assert!(leads(&unknown).0.contains(&"unknown_part 198.18.2.0/28".to_owned()), "{:?}", leads(&unknown));
}

#[test]
fn where_no_registry_answers_nothing_is_told() {
    let world = world(
        &parts(SILENT)
            .replace("-NET\n", &format!("-NET{SILENT}\n"))
            .replace("-PART\n", &format!("-PART{SILENT}\n"))
            .replace("-TWO\n", &format!("-TWO{SILENT}\n")),
    );
    let looked = looked(&world, vec![led(EdgeKind::Announces, "198.18.0.0/22")], &[], |_, _| None);
    assert!(looked.answer.is_err(), "{:?}", looked.answer);
    assert_eq!(leads(&looked), (Vec::new(), 0));
}

#[test]
fn a_block_with_parts_that_were_not_asked_about_is_left_out_and_named() {
    let lines = "block 198.18.0.0/16 of acme asn AS64500 named ACME-NET\nblock 198.18.{0..249}.0/28 of acme asn \
                 AS64500 named ACME-PART\nblock 198.18.{0..249}.32/28 of acme asn AS64500 named ACME-PART\nblock \
                 198.18.{0..249}.64/28 of acme asn AS64500 named ACME-PART\nblock 198.18.{0..249}.96/28 of tenant asn \
                 AS64500 named TENANT-PART\nblock 203.0.113.0/24 of acme asn AS64500 named ACME-TWO\nblock \
                 203.0.113.16/28 of tenant asn AS64500 named TENANT-TWO\nblock 203.0.112.0/24 of acme asn AS64500 \
                 named ACME-THREE\n";
    let looked = looked(&world(lines), Vec::new(), &[], |_, _| None);
    assert_eq!(looked.answer, Ok(Answer::Found));
    let (edges, _) = leads(&looked);
    assert!(!edges.iter().any(|lead| lead.contains("198.18.")), "{edges:?}");
    assert!(edges.contains(&"announces 203.0.112.0/24".to_owned()), "{edges:?}");
    let said = "198.18.0.0/16, of which AS64500 announces too many parts: name those that are meant";
    assert!(looked.found.left_out.contains(&said.to_owned()), "{:?}", looked.found.left_out);
}
