//! Names that could pass for theirs, where a provider answers for every name or an answer is missing.

use super::explorer::empty_facts;
use super::faulty::look_by;
use super::{EPOCH, world};
use ambit_model::facts::Neighbour;
use ambit_model::{Clearance, EdgeKind, Facts, Kind, Uid};
use ambit_tasks::{Answer, Settings, TaskError};
use ambit_world::World;
use std::sync::Arc;
use uuid::Uuid;

/// A provider with names of its customers, which has all others as well.
const PROVIDER: &str = "zone netlify.app of host
  ns ns1.netlify.app 198.51.100.2
name *.netlify.app A 198.51.100.12";
/// All names that are asked for, in one look.
const ALL: &str = "0-10000";

/// What the search for domains like `acme.test` says, where an earlier one led to these; what it finds, and how many
/// stand without being seen.
fn search(lines: &str, known: &[&str]) -> (Result<Answer, TaskError>, Vec<String>, usize) {
    let text = world(lines);
    let world = World::parse(&text, "test.world").unwrap_or_else(|problems| panic!("{problems:?}"));
    let led = |name: &&str| Neighbour {
        edge: EdgeKind::Resembles,
        task: "resembling_domains".to_owned(),
        argument: ALL.to_owned(),
        uid: Uid::of_entity(Uuid::nil(), Kind::Domain, name),
        kind: Kind::Domain,
        name: (*name).to_owned(),
        scoped: false,
        by_evidence: false,
        clearance: Clearance::L2,
        details: Arc::default(),
    };
    let facts = Facts { outward: known.iter().map(led).collect(), ..empty_facts(Kind::Domain, "acme.test") };
    let looked = look_by(Settings::default(), (&world, EPOCH), "resembling_domains", (facts, ALL), |_, _| None);
    (looked.answer, looked.found.edges.into_iter().map(|edge| edge.name).collect(), looked.found.standing.len())
}

#[test]
fn where_every_name_exists_nothing_is_told_of_theirs() {
    let says_so = |error: &TaskError| error.to_string().ends_with(": every name there exists");
    for known in [&[][..], &["acme.netlify.app"]] {
        let (answer, found, _) = search(PROVIDER, known);
        assert!(answer.as_ref().is_err_and(says_so), "{answer:?}");
        assert_eq!(found, Vec::<String>::new());
    }
}

#[test]
fn that_a_domain_is_gone_is_said_though_a_provider_tells_nothing() {
    assert_eq!(search(PROVIDER, &["acme.org"]), (Ok(Answer::Absent), Vec::new(), 0));
    assert_eq!(search(PROVIDER, &["acme.org", "acme.netlify.app"]), (Ok(Answer::Found), Vec::new(), 1), "one stands");
}

#[test]
fn a_name_without_an_answer_is_said_beside_those_that_are_registered() {
    let one = "zone acme.org of host\n  ns ns1.acme.org 198.51.100.2\nzone acmee.test of host\n  ns ns1.acmee.test \
               198.51.100.3\n  answers servfail";
    let two = format!("{one}\nzone acmme.test of host\n  ns ns1.acmme.test 198.51.100.3\n  answers servfail");
    for (lines, said) in [
        (one, "acmee.test: the name server answered SERVFAIL"),
        (&two, "2 names without an answer, acmee.test the first: the name server answered SERVFAIL"),
    ] {
        let failed = TaskError::Failed(said.to_owned());
        assert_eq!(search(lines, &[]), (Ok(Answer::InPart(failed)), vec!["acme.org".to_owned()], 0));
    }
}
