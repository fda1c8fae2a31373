//! Random graphs and queries: what the index finds is what the meaning of the query says, one graph after the other.

use super::{GraphSearch, find, node_facts};
use crate::embedded::{Graphs, Reached};
use crate::error::IndexError;
use crate::tests::Scratch;
use ambit_model::canonical_url::url_id;
use ambit_query::graphs::{GraphFacts, GraphOrder, NodeFacts, parse_graph_query};
use proptest::prelude::*;
use serde_json::json;
use std::collections::{BTreeMap, HashMap};

const WORDS: [&str; 7] = ["kill", "switch", "Acme", "a.test", "192.0.2.1", "bear!", ""];

fn at(revision: i64) -> Reached {
    Reached { revision, ..Reached::default() }
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(WORDS.to_vec()), 0..3).prop_map(|words| words.join(" "))
}

fn node() -> impl Strategy<Value = NodeFacts> {
    let kinds = ["file", "domain", "ip_address", "url", "custom", "actor"];
    let custom = prop::sample::select(vec!["", "actor", "victim"]);
    (prop::sample::select(kinds.to_vec()), prop::sample::select(WORDS.to_vec()), text(), custom).prop_map(
        |(kind, entity_id, text, custom)| NodeFacts {
            kind: kind.to_owned(),
            entity_id: entity_id.to_owned(),
            text,
            custom_type: custom.to_owned(),
            url_ids: Vec::new(),
        },
    )
}

fn graph() -> impl Strategy<Value = GraphFacts> {
    let owner = prop::sample::select(vec!["ann", "bob"]);
    let nodes = prop::collection::vec(node(), 0..4);
    (text(), owner, any::<bool>(), 0i64..3, nodes, prop::collection::vec(text(), 0..2)).prop_map(
        |(name, owner, private, views_count, nodes, comments)| GraphFacts {
            name,
            owner: owner.to_owned(),
            private,
            views_count,
            total_nodes: i64::try_from(nodes.len()).unwrap(),
            nodes,
            comments,
            ..GraphFacts::default()
        },
    )
}

fn condition() -> impl Strategy<Value = String> {
    let modifiers =
        ["", "name:", "label:", "file:", "domain:", "ip_address:", "url:", "actor:", "victim:", "id:", "owner:"];
    let values = ["kill", "\"kill switch\"", "Acme", "ac*", "a.test", "192.0.2.1", "bear!", "ann", "g1", "none"];
    prop_oneof![
        (prop::sample::select(modifiers.to_vec()), prop::sample::select(values.to_vec()))
            .prop_map(|(modifier, value)| format!("{modifier}{value}")),
        prop::sample::select(vec!["private:true", "total_nodes:1+", "views_count:1-"]).prop_map(str::to_owned),
    ]
}

fn query() -> impl Strategy<Value = String> {
    condition().prop_recursive(3, 8, 2, |inner| {
        prop_oneof![
            (inner.clone(), prop::sample::select(vec![" ", " AND ", " OR "]), inner.clone())
                .prop_map(|(a, operator, b)| format!("({a}{operator}{b})")),
            inner.prop_map(|a| format!("NOT ({a})")),
        ]
    })
}

proptest! {
    #[test]
    fn the_index_finds_what_the_query_means(graphs in prop::collection::vec(graph(), 0..12), text in query(),
    order in 0usize..6, limit in 1usize..5) {
        let graphs: Vec<GraphFacts> = (1..).zip(graphs).map(|(number, graph)| GraphFacts { number,
        id: format!("g{number}"), ..graph }).collect();
        let mut index = Graphs::in_memory().unwrap();
        for graph in &graphs {
            // A state before, in a segment of its own for some: its words must not be found.
            index.put(&GraphFacts { name: "kill switch none".to_owned(), ..graph.clone() }).unwrap();
            if graph.number % 3 == 0 {
                index.commit(at(graph.number)).unwrap();
            }
            index.put(graph).unwrap();
        }
        index.commit(at(100)).unwrap();
        let moment = index.moment();
        let views: HashMap<i64, i64> = graphs.iter().map(|graph| (graph.number, graph.views_count)).collect();
        let order = ["name", "owner-", "creation_date", "last_modified_date-", "views_count-", "comments_count"][order];
        let order = GraphOrder::parse(order).unwrap();
        let query = parse_graph_query(&text, &|_| Vec::new()).unwrap();
        let mut expected: Vec<_> = graphs
            .iter()
            .filter(|graph| graph.is_visible_to("ann", &[]) && query.matches(graph, &|_| Vec::new()))
            .map(|graph| order.key(graph))
            .collect();
        expected.sort();
        if order.descending {
            expected.reverse();
        }
        let (mut found, mut after) = (Vec::new(), None);
        loop {
            let search = GraphSearch {
                query: query.clone(),
                order,
                user: "ann".to_owned(),
                groups: Vec::new(),
                groups_of: BTreeMap::new(),
                after,
                limit,
            };
            let page = find(&moment, &search, &views).unwrap();
            prop_assert_eq!(page.total, expected.len());
            found.extend(page.numbers);
            match page.next {
                Some(next) => after = Some(next),
                None => break,
            }
        }
        let numbers: Vec<i64> = expected.iter().map(super::number).collect();
        prop_assert_eq!(found, numbers, "{}", text);
    }
}

fn named(number: i64, name: &str) -> GraphFacts {
    GraphFacts {
        number,
        id: format!("g{number}"),
        name: name.to_owned(),
        owner: "ann".to_owned(),
        ..GraphFacts::default()
    }
}

fn total(index: &Graphs, text: &str) -> usize {
    let search = GraphSearch {
        query: parse_graph_query(text, &|_| Vec::new()).unwrap(),
        order: GraphOrder::default(),
        user: "ann".to_owned(),
        groups: Vec::new(),
        groups_of: BTreeMap::new(),
        after: None,
        limit: 10,
    };
    find(&index.moment(), &search, &HashMap::new()).unwrap().total
}

#[test]
fn a_folder_goes_on_where_it_was_and_is_written_by_one() {
    let scratch = Scratch::new();
    let mut index = Graphs::open(scratch.path()).unwrap();
    index.put(&named(1, "kill switch")).unwrap();
    index.commit(at(7)).unwrap();
    index.put(&named(2, "kill switch, never committed")).unwrap();
    assert!(matches!(Graphs::open(scratch.path()).map(|_| ()), Err(IndexError::Locked(_))));
    drop(index);
    let index = Graphs::open(scratch.path()).unwrap();
    assert_eq!((index.reached.revision, total(&index, "kill")), (7, 1));
}

#[test]
fn a_damaged_folder_begins_anew() {
    for end in ["term", "fast", "pos", "idx"] {
        let scratch = Scratch::new();
        let mut index = Graphs::open(scratch.path()).unwrap();
        index.put(&named(1, "kill switch")).unwrap();
        index.commit(at(7)).unwrap();
        drop(index);
        let mut files = std::fs::read_dir(scratch.path()).unwrap().map(|entry| entry.unwrap().path());
        let damaged = files.find(|path| path.extension().is_some_and(|other| other == end)).unwrap();
        let mut bytes = std::fs::read(&damaged).unwrap();
        // At the end stands what the engine says of the file, and some of that is of no consequence.
        bytes[0] ^= 1;
        std::fs::write(&damaged, bytes).unwrap();
        let mut index = Graphs::open(scratch.path()).unwrap();
        assert_eq!((index.reached.revision, total(&index, "kill")), (0, 0), "{end}");
        index.put(&named(1, "kill switch")).unwrap();
        index.commit(at(8)).unwrap();
        assert_eq!(total(&index, "kill"), 1, "{end}");
    }
}

#[test]
fn a_url_node_has_the_id_of_its_canonical_url_however_it_names_it() {
    let id = url_id("http://www.a.test/");
    for (node, expected) in [
        (json!({"type": "url", "entity_id": "http://WWW.A.test:80/"}), vec![id.clone()]),
        (json!({"type": "url", "entity_id": "www.a.test", "text": "http://www.a.test"}), vec![id.clone()]),
        (json!({"type": "url", "entity_id": "aHR0cDovL3d3dy5hLnRlc3Q", "text": "home"}), vec![id.clone()]),
        (json!({"type": "url", "entity_id": id, "text": ""}), Vec::new()),
        (json!({"type": "url"}), Vec::new()),
        (json!({"type": "domain", "entity_id": "www.a.test"}), Vec::new()),
    ] {
        assert_eq!(node_facts(&node).url_ids, expected, "{node}");
    }
}
