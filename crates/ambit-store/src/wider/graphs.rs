//! Graphs of the wider API: kept as they were sent, with their access lists and counters (docs/contract/graphs.md §1).
//! Public ones are everybody's to see, private ones the owner's and those of the editors and viewers on its lists,
//! directly or through a group. What a caller may not see is
//! `NotFound`.

use crate::db::rows::{Rows, columns, list, named, select};
use crate::db::sql::{Tx, from_json, to_json, values, whole};
use crate::db::writer::transaction;
use crate::inventory::feed;
use crate::people::users;
use crate::wider::quota::{Cost, charge, quota_groups};
use crate::{Caller, Principal, Result, Store, StoreError};
use ambit_model::feed::{Noun, What};
use ambit_model::{Timestamp, Uid};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Bytes of a graph's document: tens of thousands of nodes.
const DOCUMENT_BYTES_MAX: usize = 16 * 1024 * 1024;
/// People on one list of a graph.
const COLLABORATORS_MAX: i64 = 1_000;
/// The name under which creating private graphs is noted in the usage of the day.
const USAGE_NAME: &str = "graphs";
/// Graphs of one reading at most.
const GRAPHS_MAX: usize = 1_000;

/// What a graph is made of.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewGraph {
    /// `graph_data`, `nodes`, `links` and whatever else was sent, but for what the server keeps itself.
    pub document: Map<String, Value>,
    pub private: bool,
}

columns! {
    /// A graph.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Graph of g {
        /// Counts graphs in the order in which they were made.
        pub number: i64,
        /// `g` and 64 hexadecimal characters.
        pub id: String,
        /// Username of the owner.
        pub owner: String = "u.username",
        pub owner_id: i64,
        /// The group that the owner drew quotas from when it was made.
        pub group: Option<String> = "o.name",
        pub private: bool,
        pub created_at: Timestamp,
        pub modified_at: Timestamp,
        pub comments: i64,
        pub views: i64,
        pub document: Map<String, Value> = (json),
    }
}

/// What a caller may do with a graph that it may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GraphRight {
    View,
    /// Change it and its lists.
    Edit,
    /// Also delete it.
    Own,
}

/// The two lists of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Viewer,
    Editor,
}

/// Somebody on a list.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Collaborator {
    /// By username.
    User(String),
    /// By name.
    Group(String),
}

/// A graph as the index needs it.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphChange {
    pub graph: Graph,
    pub revision: i64,
    pub deleted: bool,
    pub access: Vec<(Role, Collaborator)>,
    /// Texts of its comments.
    pub comments: Vec<String>,
}

impl Role {
    fn name(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Editor => "editor",
        }
    }
}

const JOINS: &str = "FROM graphs g JOIN users u ON u.id = g.owner_id LEFT JOIN user_groups o ON o.id = g.group_id";
/// The graphs that a user may see; the value of each place is the user's id.
const VISIBLE: &str = "g.deleted_at IS NULL AND (g.private = 0 OR g.owner_id = $1 OR EXISTS (SELECT 1 FROM \
                       graph_access a WHERE a.graph = g.number
    AND ((a.subject = 'user' AND a.subject_id = $2)
    OR (a.subject = 'group' AND a.subject_id IN (SELECT m.group_id FROM group_members m WHERE m.user_id = $3)))))";

/// A graph that a user may see.
pub(crate) async fn visible(tx: &mut Tx, user: i64, id: &str) -> Result<Graph> {
    let sql = select::<Graph>(&format!("{JOINS} WHERE {VISIBLE} AND g.id = $4"));
    tx.find(&sql, values![user, user, user, id]).await
}

async fn right(tx: &mut Tx, user: i64, id: &str) -> Result<(i64, GraphRight)> {
    let sql = format!("SELECT g.number, g.owner_id FROM graphs g WHERE {VISIBLE} AND g.id = $4");
    let (number, owner): (i64, i64) = tx.find(&sql, values![user, user, user, id]).await?;
    if owner == user {
        return Ok((number, GraphRight::Own));
    }
    let sql = "SELECT 1 FROM graph_access a WHERE a.graph = $1 AND a.role = 'editor' AND ((a.subject = 'user' AND \
               a.subject_id = $2)
               OR (a.subject = 'group' AND a.subject_id IN (SELECT m.group_id FROM group_members m WHERE m.user_id = \
               $3))) LIMIT 1";
    let editor = tx.exists(sql, values![number, user, user]).await?;
    Ok((number, if editor { GraphRight::Edit } else { GraphRight::View }))
}

async fn require(tx: &mut Tx, user: i64, id: &str, least: GraphRight) -> Result<i64> {
    let (number, has) = right(tx, user, id).await?;
    if has < least {
        return Err(StoreError::Forbidden("this needs another right to the graph".to_owned()));
    }
    Ok(number)
}

fn feed_uid(id: &str) -> Result<Uid> {
    id.get(1..).and_then(|hex| hex.parse().ok()).ok_or(StoreError::NotFound)
}

/// Writes the row of the feed, the last lock of a transaction, and what searches wait for.
pub(crate) async fn note(tx: &mut Tx, id: &str, what: What, now: Timestamp) -> Result<()> {
    let allotted = feed::allot(tx, &[feed::Stamp::Shared], now).await?;
    let (revision, at) = allotted.nth(0);
    let row = named! {
        revision,
        project_id: 0,
        collection_id: None::<i64>,
        noun: Noun::Graph.name(),
        uid: feed_uid(id)?,
        what: what.name(),
        at,
        person: true,
    };
    tx.insert("feed", Rows::from_iter([row]), "").await?;
    tx.run("UPDATE graphs SET revision = $1 WHERE id = $2", values![revision, id]).await?;
    Ok(())
}

/// The id of a collaborator; one that does not exist is `NotFound`.
pub(crate) async fn subject(tx: &mut Tx, collaborator: &Collaborator) -> Result<(&'static str, i64)> {
    match collaborator {
        Collaborator::User(name) => Ok(("user", users::find(tx, name).await?.id)),
        Collaborator::Group(name) => {
            Ok(("group", tx.find("SELECT id FROM user_groups WHERE name = $1", values![name.trim()]).await?))
        }
    }
}

/// The same of somebody whom the caller may name: a group that the caller is not in does not exist, but for the
/// administrator of the installation.
pub(crate) async fn known_subject(
    tx: &mut Tx,
    principal: &Principal,
    collaborator: &Collaborator,
) -> Result<(&'static str, i64)> {
    let (kind, id) = subject(tx, collaborator).await?;
    let hidden = matches!(collaborator, Collaborator::Group(_))
        && !principal.administrator()
        && !principal.groups().contains(&id);
    if hidden { Err(StoreError::NotFound) } else { Ok((kind, id)) }
}

fn document_text(document: &Map<String, Value>) -> Result<String> {
    let text = to_json(document);
    if text.len() > DOCUMENT_BYTES_MAX {
        return Err(StoreError::Invalid(format!("a graph is at most {DOCUMENT_BYTES_MAX} bytes of JSON")));
    }
    Ok(text)
}

const ACCESS: &str = "SELECT a.graph, a.role, u.username, o.name FROM graph_access a
    LEFT JOIN users u ON a.subject = 'user' AND u.id = a.subject_id LEFT JOIN user_groups o ON a.subject = 'group' AND \
    o.id = a.subject_id";

/// A row of `ACCESS`: graph, role, user, group.
type Access = (i64, String, Option<String>, Option<String>);

fn access((graph, role, user, group): Access) -> Option<(i64, Role, Collaborator)> {
    let role = if role == Role::Editor.name() { Role::Editor } else { Role::Viewer };
    let collaborator = user.map(Collaborator::User).or(group.map(Collaborator::Group))?;
    Some((graph, role, collaborator))
}

/// A graph with its revision, and when it was deleted.
type ChangedGraph = (Graph, i64, Option<i64>);

async fn changes(tx: &mut Tx, graphs: Vec<ChangedGraph>) -> Result<Vec<GraphChange>> {
    let mut out = BTreeMap::new();
    let mut order = Vec::new();
    let mut ids = BTreeMap::new();
    for (graph, revision, deleted_at) in graphs {
        order.push(graph.number);
        ids.insert(graph.id.clone(), graph.number);
        let change =
            GraphChange { revision, deleted: deleted_at.is_some(), graph, access: Vec::new(), comments: Vec::new() };
        out.insert(change.graph.number, change);
    }
    let head = format!("{ACCESS} WHERE a.graph IN");
    let rows: Vec<Access> = tx.read_in(&head, Vec::new(), &order, "ORDER BY a.id").await?;
    for (graph, role, collaborator) in rows.into_iter().filter_map(access) {
        if let Some(change) = out.get_mut(&graph) {
            change.access.push((role, collaborator));
        }
    }
    let keys: Vec<String> = ids.keys().cloned().collect();
    let head = "SELECT item_id, text FROM comments WHERE item_type = 'graph' AND item_id IN";
    for (id, text) in tx.read_in::<(String, String), _>(head, Vec::new(), &keys, "ORDER BY number").await? {
        if let Some(change) = ids.get(&id).and_then(|number| out.get_mut(number)) {
            change.comments.push(text);
        }
    }
    Ok(order.into_iter().filter_map(|number| out.remove(&number)).collect())
}

impl Store {
    /// Makes a graph of the caller's. A private one is charged in the same transaction. Fails with `QuotaExceeded`
    /// where the caller has no private graphs left, with `Forbidden` where none are allowed, and with `Invalid` for a
    /// document that is too large.
    pub async fn create_graph(&self, caller: &Caller, new: &NewGraph) -> Result<Graph> {
        let (user, now, private, document) = (caller.user_id(), caller.now, new.private, document_text(&new.document)?);
        let id = format!("g{}", hex::encode(rand::random::<[u8; 32]>()));
        transaction!(self, Person, async |tx| {
            if private {
                charge(tx, user, Cost::PrivateGraphs(1), USAGE_NAME, now).await?;
            }
            let groups = quota_groups(tx, user, false).await?;
            let row = named! {
                id: &id,
                owner_id: user,
                group_id: groups.intelligence.or(groups.api),
                private,
                created_at: now,
                modified_at: now,
                document,
                revision: 0,
            };
            tx.insert_one("graphs", row).await?;
            note(tx, &id, What::Appeared, now).await?;
            visible(tx, user, &id).await
        })
    }

    /// A graph that the caller may see.
    pub async fn find_graph(&self, principal: &Principal, id: &str) -> Result<Graph> {
        visible(&mut self.read().await?, principal.user_id(), id).await
    }

    /// The same, counted as a view.
    pub async fn view_graph(&self, principal: &Principal, id: &str) -> Result<Graph> {
        let (user, id) = (principal.user_id(), id.to_owned());
        transaction!(self, Person, async |tx| {
            let number = require(tx, user, &id, GraphRight::View).await?;
            tx.run("UPDATE graphs SET views = views + 1 WHERE number = $1", values![number]).await?;
            visible(tx, user, &id).await
        })
    }

    /// What the caller may do with a graph; `None`: it is not there for this caller.
    pub async fn graph_right(&self, principal: &Principal, id: &str) -> Result<Option<GraphRight>> {
        match right(&mut self.read().await?, principal.user_id(), id).await {
            Ok((_, right)) => Ok(Some(right)),
            Err(StoreError::NotFound) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Replaces attributes whole; for editors. Making it private is charged in the same transaction. Fails as
    /// [`Store::create_graph`] does.
    pub async fn change_graph(
        &self,
        caller: &Caller,
        id: &str,
        attributes: &Map<String, Value>,
        private: Option<bool>,
    ) -> Result<Graph> {
        let (user, now, id, attributes) = (caller.user_id(), caller.now, id.to_owned(), attributes.clone());
        transaction!(self, Person, async |tx| {
            let number = require(tx, user, &id, GraphRight::Edit).await?;
            let lock = if tx.is_postgres() { " FOR UPDATE" } else { "" };
            let sql = format!("SELECT private, document FROM graphs WHERE number = $1{lock}");
            let (was_private, document): (bool, String) = tx.read_one(&sql, values![number]).await?;
            let mut document: Map<String, Value> = from_json(&document)?;
            document.extend(attributes);
            let document = document_text(&document)?;
            let private = private.unwrap_or(was_private);
            if private && !was_private {
                charge(tx, user, Cost::PrivateGraphs(1), USAGE_NAME, now).await?;
            }
            let sql = "UPDATE graphs SET private = $1, document = $2, modified_at = $3 WHERE number = $4";
            tx.run(sql, values![private, document, now, number]).await?;
            note(tx, &id, What::Changed, now).await?;
            visible(tx, user, &id).await
        })
    }

    /// Deletes a graph; for its owner.
    pub async fn delete_graph(&self, caller: &Caller, id: &str) -> Result<()> {
        let (user, now, id) = (caller.user_id(), caller.now, id.to_owned());
        transaction!(self, Person, async |tx| {
            let number = require(tx, user, &id, GraphRight::Own).await?;
            tx.run("UPDATE graphs SET deleted_at = $1 WHERE number = $2", values![now, number]).await?;
            note(tx, &id, What::Disappeared, now).await
        })
    }

    /// Who is on a list of a graph, in the order in which they came.
    pub async fn collaborators(&self, principal: &Principal, id: &str, role: Role) -> Result<Vec<Collaborator>> {
        let mut tx = self.read().await?;
        let number = require(&mut tx, principal.user_id(), id, GraphRight::View).await?;
        let sql = format!("{ACCESS} WHERE a.graph = $1 AND a.role = $2 ORDER BY a.id");
        let rows: Vec<Access> = tx.read_all(&sql, values![number, role.name()]).await?;
        Ok(rows.into_iter().filter_map(access).map(|(_, _, collaborator)| collaborator).collect())
    }

    /// Puts people and groups on a list; for editors. Those who are there already stay. Fails with `NotFound`, and adds
    /// nobody, where one of them is not there or is a group that the caller is not in, and with `Invalid` where the
    /// list would be too long.
    pub async fn add_collaborators(
        &self,
        caller: &Caller,
        id: &str,
        role: Role,
        collaborators: &[Collaborator],
    ) -> Result<()> {
        let (caller, id, collaborators) = (caller.clone(), id.to_owned(), collaborators.to_vec());
        transaction!(self, Person, async |tx| {
            let number = require(tx, caller.user_id(), &id, GraphRight::Edit).await?;
            for collaborator in &collaborators {
                let (subject, subject_id) = known_subject(tx, &caller, collaborator).await?;
                let row = named! { graph: number, role: role.name(), subject, subject_id };
                tx.insert_new("graph_access", "graph, role, subject, subject_id", row).await?;
            }
            let sql = "SELECT COUNT(*) FROM graph_access WHERE graph = $1 AND role = $2";
            if tx.read_one::<i64>(sql, values![number, role.name()]).await? > COLLABORATORS_MAX {
                return Err(StoreError::Invalid(format!("at most {COLLABORATORS_MAX} {}s of a graph", role.name())));
            }
            note(tx, &id, What::Changed, caller.now).await
        })
    }

    /// Takes somebody off a list; for editors. `NotFound` where they are not on it.
    pub async fn remove_collaborator(
        &self,
        caller: &Caller,
        id: &str,
        role: Role,
        collaborator: &Collaborator,
    ) -> Result<()> {
        let (user, now, id, collaborator) = (caller.user_id(), caller.now, id.to_owned(), collaborator.clone());
        transaction!(self, Person, async |tx| {
            let number = require(tx, user, &id, GraphRight::Edit).await?;
            let (subject, subject_id) = subject(tx, &collaborator).await?;
            let sql = "DELETE FROM graph_access WHERE graph = $1 AND role = $2 AND subject = $3 AND subject_id = $4";
            tx.change(sql, values![number, role.name(), subject, subject_id]).await?;
            note(tx, &id, What::Changed, now).await
        })
    }

    /// Graphs that changed after a revision, in its order; deleted ones say so.
    pub async fn graphs_since(&self, revision: i64, limit: usize) -> Result<Vec<GraphChange>> {
        let mut tx = self.read().await?;
        let sql = format!(
            "SELECT {}, g.revision, g.deleted_at {JOINS} WHERE g.revision > $1 ORDER BY g.revision LIMIT $2",
            list::<Graph>()
        );
        let changed = tx.read_all(&sql, values![revision, whole(limit.min(GRAPHS_MAX))]).await?;
        changes(&mut tx, changed).await
    }

    /// The revision of the last change of any graph: what searches over graphs wait for.
    pub async fn graph_revision(&self) -> Result<i64> {
        self.read().await?.read_one("SELECT COALESCE(MAX(revision), 0) FROM graphs", Vec::new()).await
    }

    /// The views of every graph, by number.
    pub async fn graph_views(&self) -> Result<Vec<(i64, i64)>> {
        self.read().await?.read_all("SELECT number, views FROM graphs WHERE views > 0", Vec::new()).await
    }

    /// The graphs of some numbers that the caller may see, in the order of the numbers given.
    pub async fn graphs_numbered(&self, principal: &Principal, numbers: &[i64]) -> Result<Vec<Graph>> {
        let user = principal.user_id();
        let head = select::<Graph>(&format!("{JOINS} WHERE {VISIBLE} AND g.number IN"));
        let mut found = BTreeMap::new();
        if !numbers.is_empty() {
            let graphs: Vec<Graph> = self.read().await?.read_in(&head, values![user, user, user], numbers, "").await?;
            found.extend(graphs.into_iter().map(|graph| (graph.number, graph)));
        }
        Ok(numbers.iter().filter_map(|number| found.remove(number)).collect())
    }

    /// The graphs of which a user (or a group) is owner, editor or viewer and which the caller may see, newest first.
    pub async fn graphs_of(&self, principal: &Principal, of: &Collaborator) -> Result<Vec<i64>> {
        let mut tx = self.read().await?;
        let (subject, id) = subject(&mut tx, of).await?;
        let owned = if subject == "user" { "g.owner_id" } else { "g.group_id" };
        let user = principal.user_id();
        let sql = format!(
            "SELECT g.number FROM graphs g WHERE {VISIBLE} AND ({owned} = $4
             OR EXISTS (SELECT 1 FROM graph_access x WHERE x.graph = g.number AND x.subject = $5 AND x.subject_id = \
             $6)) ORDER BY g.number DESC"
        );
        tx.read_all(&sql, values![user, user, user, id, subject, id]).await
    }
}
