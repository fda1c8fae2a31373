//! Measures searches over many graphs: `graph_rate FOLDER [GRAPHS]`, 100,000 graphs of 50 nodes by default. The folder
//! is filled once, as people would through the store; a second run only measures. Each class is asked many times, one
//! after the other, and its p50 and p99 are printed.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a measurement that people start")]

use ambit_model::Timestamp;
use ambit_query::graphs::{GraphOrder, parse_graph_query};
use ambit_search::Index;
use ambit_search::graphs::{GraphIndex, GraphSearch};
use ambit_store::{NewGraph, NewOwner, Options, Principal, Store};
use futures::future::join_all;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

const GRAPHS: u64 = 100_000;
const NODES: u64 = 50;
/// Graphs that are made side by side, to share commits.
const AT_ONCE: u64 = 500;
/// Times that each class is asked, after a few that warm up.
const ASKED: usize = 200;
const WARM: usize = 5;
const LIMIT: usize = 40;
/// 2026-01-01, and the time between two graphs.
const BEGIN: i64 = 1_767_225_600_000;
const STEP_MS: i64 = 60_000;
const WORDS: &[&str] = &[
    "phishing", "malware", "campaign", "invoice", "loader", "panel", "botnet", "wiper", "harbour", "falcon", "orchid",
    "granite", "amber", "lantern",
];

/// Each class with the query that it asks; `{}` is a number that differs each time.
const CLASSES: &[(&str, &str, &str)] = &[
    ("everything, newest change first", "", "last_modified_date-"),
    ("everything, by name", "", "name"),
    ("a name of two words", "name:\"falcon {}\"", "name"),
    ("a frequent word anywhere", "phishing", "creation_date-"),
    ("a rare word anywhere", "case{}", "creation_date-"),
    ("an exact domain", "domain:host{}.example.test", "name"),
    ("a beginning of a word", "name:phish*", "name"),
    ("figures", "total_nodes:40+ views_count:0 creation_date:2026-02-01+", "views_count-"),
    ("operators", "(name:falcon OR label:orchid) AND NOT domain:host{}.example.test", "name"),
    ("a negation alone", "NOT name:falcon", "name"),
    ("an owner", "owner:owner private:false", "comments_count-"),
];

fn mix(number: u64) -> u64 {
    let mut x = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

fn word(seed: u64) -> &'static str {
    WORDS[usize::try_from(mix(seed) % WORDS.len() as u64).unwrap()]
}

fn graph(number: u64) -> NewGraph {
    let node = |index: u64| {
        let seed = mix(number * NODES + index);
        let (kind, id) = match seed % 3 {
            0 => ("domain", format!("host{}.example.test", seed % 500_000)),
            1 => ("ip_address", format!("198.18.{}.{}", seed % 256, (seed >> 8) % 256)),
            _ => ("file", format!("{seed:016x}{seed:016x}{seed:016x}{seed:016x}")),
        };
        json!({"type": kind, "entity_id": id, "index": index, "x": 1.5, "y": 2.5,
        "text": format!("{} {}", word(seed), seed % 1_000)})
    };
    let name = format!("{} {} case{number}", word(number), number % 1_000);
    let document = json!({
        "graph_data": {"description": name, "version": "api-1.0.0"},
        "nodes": (0..NODES).map(node).collect::<Vec<Value>>(),
        "links": [],
    });
    let Value::Object(document) = document else {
        return NewGraph::default();
    };
    NewGraph { document, private: false }
}

async fn fill(store: &Store, principal: &Principal, graphs: u64) {
    let begun = Instant::now();
    for first in (0..graphs).step_by(usize::try_from(AT_ONCE).unwrap()) {
        let made = (first..(first + AT_ONCE).min(graphs)).map(|number| {
            let at = Timestamp(BEGIN + i64::try_from(number).unwrap() * STEP_MS);
            async move { store.create_graph(&principal.at(at), &graph(number)).await.unwrap() }
        });
        join_all(made).await;
    }
    println!("{graphs} graphs made in {:.0} s", begun.elapsed().as_secs_f64());
}

async fn ask(index: &GraphIndex, store: &Store, user: &str, (text, order): (&str, &str), round: usize) -> (f64, usize) {
    let text = text.replace("{}", &(mix(round as u64) % 1_000).to_string());
    let search = GraphSearch {
        query: parse_graph_query(&text, &|_| Vec::new()).unwrap(),
        order: GraphOrder::parse(order).unwrap(),
        user: user.to_owned(),
        groups: Vec::new(),
        groups_of: BTreeMap::new(),
        after: None,
        limit: LIMIT,
    };
    let begun = Instant::now();
    let page = index.search(store, search).await.unwrap();
    (begun.elapsed().as_secs_f64() * 1_000.0, page.total)
}

fn resident_mb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) / 1_024
}

#[tokio::main]
async fn main() {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().expect("graph_rate FOLDER [GRAPHS]");
    let graphs = arguments.next().map_or(GRAPHS, |number| number.parse().unwrap());
    let options = Options::folder(Path::new(&folder));
    let owner = NewOwner { email: "owner@example.org".to_owned(), organization: "Bench".to_owned(), username: None };
    let (store, _) = Store::init(&options, &owner, Timestamp(BEGIN)).await.unwrap();
    let principal = store.local_operator().await.unwrap();
    if store.graph_revision().await.unwrap() == 0 {
        fill(&store, &principal, graphs).await;
    }
    let index = Index::open(&Path::new(&folder).join("index")).unwrap().graphs().clone();
    let user = principal.username().to_owned();
    let (first, total) = ask(&index, &store, &user, ("", "name"), 0).await;
    println!(
        "first search of {total} graphs, which reads those that the index does not have: {:.1} s, then {} MB resident",
        first / 1_000.0,
        resident_mb()
    );
    println!("{:>9} {:>9} {:>9}  class (ms)", "p50", "p99", "found");
    for (class, query, order) in CLASSES {
        let mut taken = Vec::new();
        let mut found = 0;
        for round in 0..WARM + ASKED {
            let (ms, total) = ask(&index, &store, &user, (query, order), round).await;
            found = total;
            taken.extend((round >= WARM).then_some(ms));
        }
        taken.sort_by(f64::total_cmp);
        println!("{:>9.2} {:>9.2} {found:>9}  {class}", taken[ASKED / 2], taken[ASKED * 99 / 100]);
    }
}
