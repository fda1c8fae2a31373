//! Searches at forges of code: what they lead to, and what is said of one that the forge or a limit cut.

use super::explorer::empty_facts;
use super::faulty::{Looked, look_by};
use ambit_model::facts::Neighbour;
use ambit_model::{Clearance, EdgeKind, Facts, Kind, TaskName, Timestamp, Uid};
use ambit_tasks::{Answer, Settings, TaskError};
use ambit_world::World;
use std::sync::Arc;

const EPOCH: Timestamp = Timestamp(1_767_225_600_000);
const ASKED: &str = "github search";
/// A repository that was found before.
const KNOWN: &str = "https://github.com/acme/known";

/// Searches GitHub for a word, where it answers so.
fn searched(answers: &[String]) -> Looked {
    let answers: String = answers.iter().map(|line| format!("  answers api.github.com {line}\n")).collect();
    let text = format!(
        "world forges \"Forges\"\nseeds acme.test\norg acme \"Acme Corp\" ours\nblock 203.0.113.0/26 of acme asn \
         AS64500 named ACME-NET\nzone acme.test of acme\n  ns ns1.acme.test 203.0.113.2\naccount hetzner \"Forges\" of \
         acme\n  shown \"nobody\"\n{answers}"
    );
    let world = World::parse(&text, "forges.world").unwrap_or_else(|problems| panic!("{problems:?}"));
    let known = Neighbour {
        edge: EdgeKind::RepositoryWord,
        task: TaskName::CodeAccount.as_str().to_owned(),
        argument: ASKED.to_owned(),
        uid: Uid::of_entity(uuid::Uuid::nil(), Kind::GithubRepository, KNOWN),
        kind: Kind::GithubRepository,
        name: KNOWN.to_owned(),
        scoped: false,
        by_evidence: false,
        clearance: Clearance::L0,
        details: Arc::default(),
    };
    let facts = Facts { outward: vec![known], ..empty_facts(Kind::UniqueKeyword, "acmetools") };
    look_by(Settings::default(), (&world, EPOCH), "code_account", (facts, ASKED), |_, _| None)
}

/// An answer with so many hits from this one on.
fn hits(first: usize, count: usize, is_cut: bool) -> String {
    let item = |number: usize| format!("{{'html_url':'https://github.com/acme/app{number}'}}");
    let items: Vec<String> = (first..first + count).map(item).collect();
    format!("freely json \"{{'incomplete_results':{is_cut},'items':[{}]}}\"", items.join(","))
}

#[test]
fn a_search_of_several_pages_is_read_to_its_end() {
    let looked = searched(&[format!("when &page=2 {}", hits(100, 7, false)), hits(0, 100, false)]);
    assert_eq!((looked.answer, looked.found.edges.len()), (Ok(Answer::Found), 107));
    assert!(looked.found.standing.is_empty(), "what is not among the hits is gone");
}

#[test]
fn a_search_with_more_hits_than_are_read_is_named_and_what_was_known_stands() {
    let page = |number: usize| format!("when &page={number} {}", hits(number * 100, 100, false));
    let pages: Vec<String> = (2..=11).rev().map(page).chain([hits(100, 100, false)]).collect();
    let looked = searched(&pages);
    let why = "GitHub, search has more than 10 pages";
    assert_eq!(looked.answer, Ok(Answer::InPart(TaskError::OutOfBudget(why.to_owned()))));
    assert_eq!((looked.found.edges.len(), looked.found.standing.len()), (1_000, 1));
}

#[test]
fn a_search_that_the_forge_gave_up_is_named_and_no_hit_of_it_means_nothing() {
    let why = "GitHub, search: the provider reports an incomplete result";
    let error = TaskError::SourceDown(why.to_owned());
    let looked = searched(&[hits(0, 3, true)]);
    assert_eq!(looked.answer, Ok(Answer::InPart(error.clone())));
    assert_eq!((looked.found.edges.len(), looked.found.standing.len()), (3, 1));
    assert_eq!(searched(&[hits(0, 0, true)]).answer, Err(error));
    assert_eq!(searched(&[hits(0, 0, false)]).answer, Ok(Answer::Found));
}
