//! Searches over graphs: what they can ask is kept beside the store and brought up to its last change before each search, so that a search never shows
//! less than what was committed before it. The tree's own meaning (`ambit_query::graphs`) is what is evaluated.

mod words;

#[cfg(test)]
mod tests;

use ambit_model::moment::SECOND_MS;
use ambit_query::graphs::{Figure, GraphFacts, GraphOrder, GraphQuery, Leaf, NodeFacts, OrderField, SortKey};
use ambit_store::{Collaborator, GraphChange, Store, StoreError};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Arc, RwLock};
use tokio::sync::Mutex;
use words::Terms;

/// Graphs read from the store at once.
const BATCH: usize = 500;

/// The graphs of an installation, as searches see them.
#[derive(Clone, Default)]
pub struct GraphIndex {
    kept: Arc<RwLock<Kept>>,
    /// The revision that was read to; held while reading on, so that one reads for all.
    reached: Arc<Mutex<i64>>,
}

/// Graphs by number, and where their words are.
#[derive(Default)]
struct Kept {
    graphs: BTreeMap<i64, GraphFacts>,
    terms: Terms,
}

impl Kept {
    fn put(&mut self, graph: GraphFacts) {
        self.terms.add(&graph);
        self.graphs.insert(graph.number, graph);
    }
}

/// What is searched.
#[derive(Clone, Debug)]
pub struct GraphSearch {
    pub query: GraphQuery,
    pub order: GraphOrder,
    /// Username of the caller and names of the caller's groups: only what they may see is found.
    pub user: String,
    pub groups: Vec<String>,
    /// Groups of the users whom the query names.
    pub groups_of: BTreeMap<String, Vec<String>>,
    /// Only what comes after this place.
    pub after: Option<SortKey>,
    pub limit: usize,
}

/// A page of graphs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphPage {
    /// Numbers of the graphs, in order.
    pub numbers: Vec<i64>,
    /// Where the page ends, if there are more.
    pub next: Option<SortKey>,
    pub total: usize,
}

impl GraphIndex {
    /// Searches, after reading what changed.
    pub async fn search(&self, store: &Store, search: GraphSearch) -> Result<GraphPage, StoreError> {
        self.follow(store).await?;
        let views = if asks_for_views(&search) {
            store.graph_views().await?
        } else {
            Vec::new()
        };
        let index = self.clone();
        let found = tokio::task::spawn_blocking(move || index.find(&search, &views)).await;
        found.map_err(|error| StoreError::Bug(format!("a graph search ended early: {error}")))
    }

    /// Reads every change that was committed before the call.
    async fn follow(&self, store: &Store) -> Result<(), StoreError> {
        let mut reached = self.reached.lock().await;
        loop {
            let changes = store.graphs_since(*reached, BATCH).await?;
            let Some(last) = changes.last() else { return Ok(()) };
            *reached = last.revision;
            self.write(|kept| {
                for change in changes {
                    if change.deleted {
                        kept.graphs.remove(&change.graph.number);
                    } else {
                        kept.put(facts(change));
                    }
                }
            });
        }
    }

    fn write(&self, act: impl FnOnce(&mut Kept)) {
        act(&mut self.kept.write().expect("nobody panics while holding it"));
    }

    fn find(&self, search: &GraphSearch, views: &[(i64, i64)]) -> GraphPage {
        if !views.is_empty() {
            self.write(|kept| {
                for (number, views) in views {
                    if let Some(graph) = kept.graphs.get_mut(number) {
                        graph.views_count = *views;
                    }
                }
            });
        }
        let groups = |user: &str| search.groups_of.get(user).cloned().unwrap_or_default();
        let kept = self.kept.read().expect("nobody panics while holding it");
        let candidates: Box<dyn Iterator<Item = &GraphFacts>> = match kept.terms.candidates(&search.query) {
            Some(numbers) => Box::new(numbers.into_iter().filter_map(|number| kept.graphs.get(&number))),
            None => Box::new(kept.graphs.values()),
        };
        let found = candidates.filter(|graph| graph.is_visible_to(&search.user, &search.groups) && search.query.matches(graph, &groups));
        let mut keys: Vec<SortKey> = found.map(|graph| search.order.key(graph)).collect();
        drop(kept);
        let total = keys.len();
        keys.sort_unstable();
        if search.order.descending {
            keys.reverse();
        }
        if let Some(after) = &search.after {
            keys.retain(|key| search.order.is_after(key, after));
        }
        let more = keys.len() > search.limit;
        keys.truncate(search.limit);
        GraphPage {
            next: keys.last().filter(|_| more).cloned(),
            numbers: keys.iter().map(number).collect(),
            total,
        }
    }
}

fn number(key: &SortKey) -> i64 {
    match key {
        SortKey::Text(_, number) | SortKey::Number(_, number) => *number,
    }
}

/// Views raise no revision: they are read where they matter.
fn asks_for_views(search: &GraphSearch) -> bool {
    let mut asked = search.order.field == OrderField::ViewsCount;
    search
        .query
        .clone()
        .each_leaf(&mut |leaf| asked |= matches!(leaf, Leaf::Figure(Figure::ViewsCount, ..)));
    asked
}

fn text(value: &Value, pointer: &str) -> String {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// What searches see of a graph as it was sent.
fn facts(change: GraphChange) -> GraphFacts {
    let graph = change.graph;
    let document = Value::Object(graph.document);
    let nodes = document.get("nodes").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let (mut users, mut groups) = (Vec::new(), Vec::new());
    for (_, collaborator) in change.access {
        match collaborator {
            Collaborator::User(name) => users.push(name),
            Collaborator::Group(name) => groups.push(name),
        }
    }
    GraphFacts {
        number: graph.number,
        name: text(&document, "/graph_data/description"),
        id: graph.id,
        owner: graph.owner,
        group: graph.group,
        private: graph.private,
        creation_date: graph.created_at.0.div_euclid(SECOND_MS),
        last_modified_date: graph.modified_at.0.div_euclid(SECOND_MS),
        comments_count: graph.comments,
        views_count: graph.views,
        users,
        groups,
        total_nodes: i64::try_from(nodes.len()).unwrap_or(i64::MAX),
        nodes: nodes.iter().map(node_facts).collect(),
        comments: change.comments,
    }
}

fn node_facts(node: &Value) -> NodeFacts {
    NodeFacts {
        kind: text(node, "/type"),
        entity_id: text(node, "/entity_id"),
        text: text(node, "/text"),
        custom_type: text(node, "/entity_attributes/custom_type"),
    }
}
