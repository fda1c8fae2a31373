//! Graphs of what Ambit knows: the neighbourhood of an entity, or what a search finds, saved as a graph of the caller's
//! like any other. Ours.

use crate::call::{Asking, Call, CallWith};
use crate::failure::About;
use crate::present::entities::NOUN as ENTITY;
use crate::query::query;
use crate::searching::found_uids;
use ambit_api::graphs::{DEPTH_MAX, InventoryGraph, Link, Neighbourhood, NewInventoryGraph, Node, graph_document};
use ambit_api::{ApiError, Envelope, Result, success};
use ambit_model::Uid;
use ambit_model::entity::EntityRecord;
use ambit_store::NewGraph;
use serde_json::Value;
use std::collections::BTreeSet;

/// Entities of one graph at most: more is a hairball that no client draws.
const ENTITIES_MAX: usize = 1_000;
/// Characters of a graph's name.
const NAME_CHARS_MAX: usize = 200;

/// What the body asks for.
enum Asked {
    Entity(String),
    Query(String),
}

/// Create a graph of an entity's neighbourhood, or of what a search finds; private unless the body says otherwise.
pub(crate) async fn create(mut call: CallWith<NewInventoryGraph>) -> Result<Envelope<InventoryGraph>> {
    let body = call.read()?;
    let asked = asked(body.entity.0, body.query.0)?;
    let depth = depth(body.depth.0, &asked)?;
    let private = body.private.0.unwrap_or(true);
    if body.name.0.as_ref().is_some_and(|name| name.chars().count() > NAME_CHARS_MAX) {
        return Err(ApiError::invalid(format!("name has more than {NAME_CHARS_MAX} characters")));
    }
    let (nodes, links, complete) = around(&mut call, &asked, depth).await?;
    let name = match body.name.0 {
        Some(name) => name,
        None => usual_name(&asked, &nodes),
    };
    let document = graph_document(&name, &nodes, &links);
    let new = NewGraph { document, private };
    let made = call.store().create_graph(call.caller(), &new).await.about("Graph")?;
    let links = new.document.get("links").and_then(Value::as_array).map_or(0, Vec::len);
    let result = InventoryGraph { id: made.id, name, private: made.private, entities: nodes.len(), links, complete };
    Ok(success("Graph made", result))
}

query! { Around:
    entity: Text = "The uid or uuid of an entity; either this or `query`.",
    query: Text = "A search string over entities.",
    depth: Count = "Steps from there, at most 3: 1 by default around an entity, 0 around what a search finds.",
}

/// Compute the graph around an entity, or around what a search finds. Nothing is stored.
pub(crate) async fn neighbourhood(mut call: Asking<Around>) -> Result<Envelope<Neighbourhood>> {
    let asked = asked(Around::entity(&call).text.map(str::to_owned), Around::query(&call).text.map(str::to_owned))?;
    let depth = Around::depth(&call).whole_number()?.map(|depth| i64::try_from(depth).unwrap_or(i64::MAX));
    let depth = self::depth(depth, &asked)?;
    let (nodes, links, complete) = around(&mut call, &asked, depth).await?;
    Ok(success("Neighbourhood", Neighbourhood::of(nodes, &links, complete)))
}

/// Returns the requested entities with their neighbours; false if there are more than a graph holds.
async fn around(call: &mut Call, asked: &Asked, depth: u64) -> Result<(Vec<Node>, Vec<Link>, bool)> {
    let (first, total) = match asked {
        Asked::Entity(id) => {
            let view = call.store().find_record::<EntityRecord>(call.caller(), id, call.project).await.about(ENTITY)?;
            (vec![view.record.uid], 1)
        }
        Asked::Query(query) => {
            // An entity is found by its id in any project of the caller, a search works in one.
            call.project = call.project.or(call.caller().primary());
            found_uids(call, query).await?
        }
    };
    let all_first = total <= first.len() as u64;
    let (nodes, links, complete) = gather(call, first, depth).await?;
    Ok((nodes, links, complete && all_first))
}

fn asked(entity: Option<String>, query: Option<String>) -> Result<Asked> {
    match (entity, query) {
        (Some(entity), None) => Ok(Asked::Entity(entity)),
        (None, Some(query)) => Ok(Asked::Query(query)),
        _ => Err(ApiError::invalid("give either entity (a uid or uuid) or query (a search string)")),
    }
}

/// An entity alone is no graph; what a search finds is.
fn depth(asked_for: Option<i64>, asked: &Asked) -> Result<u64> {
    let Some(depth) = asked_for else {
        return Ok(u64::from(matches!(asked, Asked::Entity(_))));
    };
    let depth = u64::try_from(depth).ok().filter(|depth| *depth <= DEPTH_MAX);
    depth.ok_or_else(|| ApiError::invalid(format!("depth must be a number from 0 to {DEPTH_MAX}")))
}

fn usual_name(asked: &Asked, nodes: &[Node]) -> String {
    match (asked, nodes.first()) {
        (Asked::Query(query), _) => query.chars().take(NAME_CHARS_MAX).collect(),
        (Asked::Entity(_), Some(node)) => node.name.chars().take(NAME_CHARS_MAX).collect(),
        (Asked::Entity(id), None) => id.clone(),
    }
}

/// The entities within some steps of the first ones, and the edges between them; false where a graph holds no more of
/// them.
async fn gather(call: &Call, first: Vec<Uid>, depth: u64) -> Result<(Vec<Node>, Vec<Link>, bool)> {
    let store = call.store();
    let (mut nodes, mut links, mut complete) = (Vec::new(), BTreeSet::new(), true);
    let mut seen: BTreeSet<Uid> = first.iter().copied().collect();
    let mut front = first;
    for step in 0..=depth {
        let room = ENTITIES_MAX - nodes.len();
        complete &= front.len() <= room;
        front.truncate(room);
        let found = store.objects_of(call.caller(), &front).await.about(ENTITY)?;
        front = found.iter().map(|object| object.uid).collect();
        nodes.extend(found.into_iter().map(|object| Node {
            uid: object.uid,
            kind: object.record.kind,
            name: object.record.name,
            depth: usize::try_from(step).unwrap_or(usize::MAX),
        }));
        let mut next = Vec::new();
        for (from, kind, to) in store.open_edges(&front).await.about(ENTITY)? {
            links.insert(Link { from, kind, to });
            next.extend([from, to].into_iter().filter(|uid| seen.insert(*uid)));
        }
        front = next;
    }
    Ok((nodes, links.into_iter().collect(), complete))
}
