//! Which graphs may match: for each word, and for each exact name of a node, the graphs that have it or had it. A candidate is looked at again by the
//! meaning of the query itself, so that what is listed too often costs time and never a wrong answer.

use ambit_query::graphs::{GraphFacts, GraphQuery, Leaf, Phrase, canonical_address, words};
use std::collections::{BTreeSet, HashMap};

/// Terms and the numbers of graphs, ascending.
#[derive(Debug, Default)]
pub(super) struct Terms(HashMap<String, BTreeSet<i64>>);

impl Terms {
    /// Adds a graph under each of its terms.
    pub(super) fn add(&mut self, graph: &GraphFacts) {
        let mut terms = BTreeSet::new();
        for text in graph.texts() {
            terms.extend(words(text).map(|word| format!("w{word}")));
        }
        for node in &graph.nodes {
            match node.kind.as_str() {
                "ip_address" => terms.insert(format!("n{}", canonical_address(&node.entity_id))),
                "file" | "domain" => terms.insert(format!("n{}", node.entity_id.to_ascii_lowercase())),
                "url" => terms.insert(format!("n{}", node.entity_id)) | terms.insert(format!("n{}", node.text)),
                _ => false,
            };
        }
        for term in terms {
            self.0.entry(term).or_default().insert(graph.number);
        }
    }

    /// Numbers of all graphs that can match; `None`: any can.
    pub(super) fn candidates(&self, query: &GraphQuery) -> Option<BTreeSet<i64>> {
        match query {
            GraphQuery::All | GraphQuery::Not(_) => None,
            GraphQuery::And(all) => {
                let mut found = all.iter().filter_map(|one| self.candidates(one));
                let first = found.next()?;
                Some(found.fold(first, |kept, other| kept.intersection(&other).copied().collect()))
            }
            GraphQuery::Or(any) => {
                let found: Option<Vec<_>> = any.iter().map(|one| self.candidates(one)).collect();
                Some(found?.into_iter().flatten().collect())
            }
            GraphQuery::Leaf(leaf) => self.of_leaf(leaf),
        }
    }

    fn of_leaf(&self, leaf: &Leaf) -> Option<BTreeSet<i64>> {
        match leaf {
            Leaf::Name(phrase) | Leaf::Label(phrase) | Leaf::Free(phrase) => self.of_phrase(phrase),
            Leaf::File(names) | Leaf::Url(names) => Some(names.iter().flat_map(|name| self.of_term(&format!("n{name}"))).collect()),
            Leaf::Domain(name) | Leaf::IpAddress(name) => Some(self.of_term(&format!("n{name}"))),
            Leaf::Id(id) => self.of_phrase(&Phrase::new(id)),
            // A name that is equal as a whole may have no word in it.
            Leaf::Node(_, _, phrase) if phrase.words.is_empty() => None,
            Leaf::Node(_, _, phrase) => self.of_phrase(phrase),
            Leaf::Owner(_) | Leaf::Group(_) | Leaf::VisibleToUser(_) | Leaf::VisibleToGroup(_) | Leaf::Private(_) | Leaf::Figure(..) => None,
        }
    }

    fn of_term(&self, term: &str) -> BTreeSet<i64> {
        self.0.get(term).cloned().unwrap_or_default()
    }

    /// Graphs with every whole word; a beginning of a word narrows nothing.
    fn of_phrase(&self, phrase: &Phrase) -> Option<BTreeSet<i64>> {
        let whole = phrase.words.len() - usize::from(phrase.prefix && !phrase.words.is_empty());
        let mut found = phrase.words[..whole].iter().map(|word| self.0.get(&format!("w{word}")));
        let Some(first) = found.next() else {
            // Without any word nothing is found; with a beginning alone anything may be.
            return (!phrase.prefix || phrase.words.is_empty()).then(BTreeSet::new);
        };
        let mut kept = first.cloned().unwrap_or_default();
        for other in found {
            kept.retain(|number| other.is_some_and(|other| other.contains(number)));
        }
        Some(kept)
    }
}
