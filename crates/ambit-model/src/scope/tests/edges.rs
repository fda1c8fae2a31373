//! Each kind of edge, each rule that needs no path and each thing that paths end at: the smallest graph that has it,
//! and what is decided there (docs/architecture.md §4, decision 24).

use super::*;
use crate::edge::EDGES;

/// Graphs, one below the other. The lines that begin with `=` say what is decided, of each node but the seeds:
/// ownership, clearance and reason.
const TABLE: &str = include_str!("edges.txt");

/// Rules that decide without a path.
const PATHLESS: [ScopeReason; 7] = [
    ScopeReason::Unreached,
    ScopeReason::Seed,
    ScopeReason::Allowed,
    ScopeReason::Denied,
    ScopeReason::Excluded,
    ScopeReason::Reserved,
    ScopeReason::Evidence,
];

/// One graph of the table.
struct Case<'a> {
    title: &'a str,
    graph: String,
    never: Vec<&'a str>,
    expected: Vec<String>,
}

fn cases() -> Vec<Case<'static>> {
    let case = |text: &'static str| {
        let mut case = Case { title: "", graph: String::new(), never: Vec::new(), expected: Vec::new() };
        for line in text.lines().map(str::trim) {
            match line.split_once(' ') {
                Some(("#", title)) => case.title = title,
                Some(("=", decided)) => case.expected.push(decided.to_owned()),
                Some(("never", pattern)) => case.never.push(pattern),
                _ => case.graph.push_str(&format!("{line}\n")),
            }
        }
        case.expected.sort();
        case
    };
    TABLE.split("\n\n").map(case).collect()
}

/// `name ownership clearance reason` of each node but the seeds, as where no reserved range is open.
fn decided(world: &World, never: &[&str]) -> Vec<String> {
    let rules = Rules { ceiling: Clearance::L3, never: never.iter().map(|pattern| (*pattern).to_owned()).collect() };
    let reserved = Reserved::new(crate::reserved::networks(crate::reserved::INTERNAL), Vec::new());
    let (decisions, _) = decide_again(&world.nodes, &world.edges, &rules, &reserved, |_| None);
    let named = decisions.into_iter().filter_map(|node| Some((world.nodes[&node.uid].name.clone(), node.decision?)));
    let mut shown = shown(&named.collect());
    shown.retain(|line| !line.ends_with(" 1000 L3 seed"));
    shown.sort();
    shown
}

#[test]
fn each_edge_and_each_end_of_a_path_is_decided_as_the_table_says() {
    let mut wrong = Vec::new();
    for Case { title, graph, never, expected } in cases() {
        let decided = decided(&world(&graph), &never);
        if decided != expected {
            wrong.push(format!("{title}\n  = {}", decided.join("\n  = ")));
        }
    }
    assert!(wrong.is_empty(), "decided otherwise:\n{}", wrong.join("\n"));
}

#[test]
fn each_edge_and_each_rule_stands_in_the_table() {
    let lines = cases().into_iter().flat_map(|case| case.expected);
    let reasons: BTreeSet<String> = lines.filter_map(|line| line.rsplit(' ').next().map(str::to_owned)).collect();
    let rules = PATHLESS.iter().filter(|reason| **reason != ScopeReason::Seed).map(ToString::to_string);
    let all = EDGES.iter().map(|rule| rule.kind.name()).chain(rules);
    let missing: Vec<String> = all.filter(|reason| !reasons.contains(reason)).collect();
    assert!(missing.is_empty(), "no graph of the table ends in {}", missing.join(", "));
}
