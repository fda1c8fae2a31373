//! Searches over graphs: what they can ask is kept in an index beside the store and brought up to its last change
//! before each search, so that a search never shows less than what was committed before it. What a query means is said
//! by `ambit_query::graphs`.

#[cfg(test)]
mod tests;
mod walks;

pub use walks::GraphWalk;

use crate::background::{blocking, later};
use crate::embedded::{GraphMoment, GraphPages, Graphs, Reached};
use crate::error::{IndexError, Result};
use ambit_model::Timestamp;
use ambit_model::canonical_url::{canonical_url, url_id};
use ambit_model::moment::SECOND_MS;
use ambit_query::graphs::{Figure, GraphFacts, GraphOrder, GraphQuery, Leaf, NodeFacts, OrderField, SortKey};
use ambit_store::{Collaborator, GraphChange, Store};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, MutexGuard, PoisonError};
use tokio::sync::Mutex;
use walks::{Views, Walks};

/// Graphs read from the store at once.
const BATCH: usize = 500;
/// Graphs written before a commit, so that few wait in memory and a large beginning is not lost as a whole.
const COMMIT_GRAPHS: usize = 2_000;
/// Revisions after which the milestone is renewed where no graph changed: far fewer than the store keeps milestones of.
const MILESTONE_AGE_MAX: i64 = 10_000;
/// Their folder within that of the other index.
const FOLDER: &str = "graphs";

/// The graphs of an installation, as searches see them. Cheap to clone; all clones are the same.
#[derive(Clone, Default)]
pub struct GraphIndex {
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    /// `None`: in memory.
    place: Option<PathBuf>,
    /// Opened by the first search; held while reading on, so that one reads for all.
    graphs: Mutex<Option<Graphs>>,
    walks: std::sync::Mutex<Walks>,
    /// A search failed as it does not in a whole index: the next one looks at every byte again.
    suspected: AtomicBool,
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
    /// Graphs that are kept on disk, within the folder of the other index. Where another process writes them, this one
    /// keeps its own in memory.
    pub(crate) fn within(folder: &Path) -> Self {
        let inner = Inner { place: Some(folder.join(FOLDER)), ..Inner::default() };
        GraphIndex { inner: Arc::new(inner) }
    }

    /// Searches, after reading what changed.
    pub async fn search(&self, store: &Store, search: GraphSearch) -> Result<GraphPage> {
        let (moment, views) = self.present(store, &search).await?;
        self.find(moment, views, search).await
    }

    /// A page of a walk: the first, or the one behind `search.after` in the walk that its cursor names. All pages are
    /// of the moment of the first one; where the walk is no longer kept, the next is of the present. Answers with the
    /// walk where there are more.
    pub async fn walk(
        &self,
        store: &Store,
        search: GraphSearch,
        walk: Option<GraphWalk>,
        now: Timestamp,
    ) -> Result<(GraphPage, Option<GraphWalk>)> {
        let user = search.user.clone();
        let kept = walk.and_then(|walk| Some((walk, self.walks().resume(walk, &user, now)?)));
        let (walk, (moment, views)) = match kept {
            Some((walk, kept)) => (Some(walk), kept),
            None => (None, self.present(store, &search).await?),
        };
        let page = self.find(moment.clone(), views.clone(), search).await?;
        if page.next.is_none() {
            walk.into_iter().for_each(|walk| self.walks().end(walk));
            return Ok((page, None));
        }
        let walk = walk.unwrap_or_else(|| self.walks().begin(&user, moment, views, now));
        Ok((page, Some(walk)))
    }

    fn walks(&self) -> MutexGuard<'_, Walks> {
        self.inner.walks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is committed now, with the views where a search asks for them.
    async fn present(&self, store: &Store, search: &GraphSearch) -> Result<(GraphMoment, Views)> {
        let (index, followed) = (self.clone(), store.clone());
        // A caller that goes away does not end what others wait for too.
        let following = tokio::spawn(async move { index.follow(&followed).await }).await;
        let moment = following.map_err(|error| IndexError::Stopped(error.to_string()))??;
        let views = if asks_for_views(search) { store.graph_views().await? } else { Vec::new() };
        Ok((moment, Arc::new(views.into_iter().collect())))
    }

    async fn find(&self, moment: GraphMoment, views: Views, search: GraphSearch) -> Result<GraphPage> {
        let found = blocking(move || find(&moment, &search, &views)).await;
        if found.is_err() {
            self.inner.suspected.store(true, Ordering::Relaxed);
        }
        found
    }

    /// Lets go of everything: the next search reads all graphs anew.
    pub(crate) async fn forget(&self) -> Result<()> {
        self.walks().clear();
        let mut held = self.inner.graphs.lock().await;
        let mut graphs = self.take(&mut held).await?;
        *held = Some(blocking(move || graphs.clear().map(|()| graphs)).await?);
        Ok(())
    }

    /// Reads every change that was committed before the call. What fails is given up, and begun anew from what was
    /// committed last.
    pub(crate) async fn follow(&self, store: &Store) -> Result<GraphMoment> {
        let mut held = self.inner.graphs.lock().await;
        if self.inner.suspected.swap(false, Ordering::Relaxed) {
            *held = None;
        }
        let mut graphs = self.take(&mut held).await?;
        let footing = store.footing(graphs.reached.milestone).await?;
        if !footing.known {
            if graphs.reached != Reached::default() {
                tracing::warn!("the index of graphs was made from another state of the database and is rebuilt");
            }
            self.walks().clear();
            graphs = blocking(move || graphs.clear().map(|()| graphs)).await?;
        }
        let (mut reached, mut written) = (graphs.reached.revision, 0);
        let mut milestone = footing.newest;
        loop {
            let changes = store.graphs_since(reached, BATCH).await?;
            let Some(last) = changes.last() else { break };
            reached = last.revision;
            written += changes.len();
            milestone = later(store, milestone).await?;
            let due = written % COMMIT_GRAPHS < changes.len();
            let commit = due.then_some(Reached { revision: reached, milestone });
            graphs = blocking(move || write(graphs, changes, commit)).await?;
        }
        let old = milestone.revision - graphs.reached.milestone.revision >= MILESTONE_AGE_MAX;
        if graphs.reached.revision < reached || !footing.known || old {
            graphs =
                blocking(move || write(graphs, Vec::new(), Some(Reached { revision: reached, milestone }))).await?;
        }
        Ok(held.insert(graphs).moment())
    }

    async fn take(&self, held: &mut Option<Graphs>) -> Result<Graphs> {
        if let Some(graphs) = held.take() {
            return Ok(graphs);
        }
        let place = self.inner.place.clone();
        blocking(move || match place.map(|place| Graphs::open(&place)) {
            None | Some(Err(IndexError::Locked(_))) => Graphs::in_memory(),
            Some(opened) => opened,
        })
        .await
    }
}

/// Writes changes, and commits them with what was written before where a revision is given.
fn write(mut graphs: Graphs, changes: Vec<GraphChange>, commit: Option<Reached>) -> Result<Graphs> {
    for change in changes {
        if change.deleted {
            graphs.remove(change.graph.number);
        } else {
            graphs.put(&facts(change))?;
        }
    }
    if let Some(reached) = commit {
        graphs.commit(reached)?;
    }
    Ok(graphs)
}

fn find(moment: &GraphMoment, search: &GraphSearch, views: &HashMap<i64, i64>) -> Result<GraphPage> {
    let pages = GraphPages {
        order: search.order,
        // One more says whether there are more.
        limit: search.limit + 1,
        after: search.after.as_ref(),
        views,
    };
    let groups_of = |user: &str| search.groups_of.get(user).cloned().unwrap_or_default();
    let (total, mut keys) = moment.find(&search.query, (&search.user, &search.groups), &groups_of, &pages)?;
    let more = keys.len() > search.limit;
    keys.truncate(search.limit);
    Ok(GraphPage { next: keys.last().filter(|_| more).cloned(), numbers: keys.iter().map(number).collect(), total })
}

fn number(key: &SortKey) -> i64 {
    match key {
        SortKey::Text(_, number) | SortKey::Number(_, number) => *number,
    }
}

/// Views raise no revision: they are read where they matter.
fn asks_for_views(search: &GraphSearch) -> bool {
    let mut asked = search.order.field == OrderField::ViewsCount;
    search.query.clone().each_leaf(&mut |leaf| asked |= matches!(leaf, Leaf::Figure(Figure::ViewsCount, ..)));
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
        more: more(&document),
    }
}

/// Texts of one graph that are kept beside those of its nodes; and how deep they are looked for.
const MORE_MAX: usize = 10_000;
const DEPTH_MAX: usize = 16;

/// The texts of a graph that no modifier is about, for free words.
fn more(document: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let known = |name: &str| matches!(name, "description" | "entity_id" | "source" | "target" | "text" | "type");
    for part in ["graph_data", "nodes", "links"] {
        add_texts(document.get(part).unwrap_or(&Value::Null), &known, DEPTH_MAX, &mut found);
    }
    found
}

/// Adds the texts inside a value, but for members that are known.
fn add_texts(value: &Value, known: &impl Fn(&str) -> bool, depth: usize, found: &mut BTreeSet<String>) {
    match value {
        _ if depth == 0 || found.len() >= MORE_MAX => {}
        Value::String(text) if !text.is_empty() => drop(found.insert(text.clone())),
        Value::Array(items) => items.iter().for_each(|item| add_texts(item, known, depth - 1, found)),
        Value::Object(members) => members
            .iter()
            .filter(|(name, value)| !(value.is_string() && known(name)))
            .for_each(|(_, value)| add_texts(value, known, depth - 1, found)),
        _ => {}
    }
}

fn node_facts(node: &Value) -> NodeFacts {
    let facts = NodeFacts {
        kind: text(node, "/type"),
        entity_id: text(node, "/entity_id"),
        text: text(node, "/text"),
        custom_type: text(node, "/entity_attributes/custom_type"),
        url_ids: Vec::new(),
    };
    match facts.kind.as_str() {
        "url" => NodeFacts { url_ids: url_ids(&[&facts.entity_id, &facts.text]), ..facts },
        _ => facts,
    }
}

/// The ids of URLs that a node may be named by: as they are, or in base64 as clients write it.
fn url_ids(names: &[&str]) -> Vec<String> {
    let decoded = |name: &str| String::from_utf8(BASE64_URL_SAFE_NO_PAD.decode(name).ok()?).ok();
    let of_name = |name: &&str| canonical_url(name).or_else(|| canonical_url(&decoded(name)?));
    let mut ids: Vec<String> = names.iter().filter_map(of_name).map(|url| url_id(&url)).collect();
    ids.dedup();
    ids
}
