//! Graphs (docs/contract/graphs.md §1 and §4): searched, made, read, changed, deleted; what they are related to.

use crate::answer::Answer;
use crate::call::{Asking, Call, CallWith};
use crate::failure::{About, of_search};
use crate::object_body::{body_attributes, check_numbers};
use crate::page::{self, Attributes, One, Page, RelatedPage};
use crate::present::graphs::{NOUN, shown};
use crate::present::{accounts, collaborators, comments, groups, objects, relationships};
use crate::query::query;
use crate::signature::{Empty, Png, Reply};
use ambit_api::objects::{NewObject, Object, ObjectCollection, OneObject, Related, RelatedObjects, value};
use ambit_api::{ApiError, ErrorCode, Maybe, Result};
use ambit_model::canonical_url::url_id;
use ambit_model::id::blob_hash;
use ambit_model::object::ObjectType;
use ambit_query::graphs::{GraphOrder, Leaf, SortKey, parse_graph_query};
use ambit_search::graphs::{GraphSearch, GraphWalk};
use ambit_store::{Graph, NewGraph, Role};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// What the server keeps itself: ignored where a client sends it.
const READ_ONLY: [&str; 4] = ["creation_date", "last_modified_date", "comments_count", "views_count"];
/// Names that clients cannot hold as attributes (docs/contract/wider.md §1.3).
const FORBIDDEN: [&str; 9] =
    ["id", "type", "error", "relationships", "context_attributes", "get", "set_data", "to_dict", "from_dict"];

query! { Searched:
    filter: Text = "Modifiers and free text with AND, OR, NOT and parentheses; see the documentation of graph search.",
    order: Text =
        "name, owner, creation_date, last_modified_date, views_count or comments_count; - behind it reverses.",
}

/// Create a graph; without a body, search graphs.
pub(crate) async fn post(call: CallWith<Maybe<NewObject>, (Searched, RelatedPage)>) -> Result<RelatedObjects> {
    if call.body.is_empty() {
        search(call.0.into()).await.map(Into::into)
    } else {
        create(call.0).await.map(Into::into)
    }
}

/// Search graphs.
pub(crate) async fn search(call: Asking<(Searched, RelatedPage)>) -> Result<ObjectCollection> {
    let filter = Searched::filter(&call).or_empty();
    let mut query = parse_graph_query(filter, &url_names).map_err(|error| ApiError::bad(format!("Filter: {error}")))?;
    let order = match Searched::order(&call).text.map(str::trim).filter(|order| !order.is_empty()) {
        Some(text) => GraphOrder::parse(text).map_err(|error| ApiError::bad(format!("Order: {error}")))?,
        None => GraphOrder::default(),
    };
    let paging = page::paging(&call, page::LIMIT_DEFAULT, page::LIMIT_MAX)?;
    let (walk, after) = paging.after.as_deref().map(place).transpose()?.unzip();
    let mut users = BTreeSet::from([call.caller().username().to_owned()]);
    query.each_leaf(&mut |leaf| {
        if let Leaf::VisibleToUser(user) = leaf {
            users.insert(user.clone());
        }
    });
    let groups_of = groups_of(&call, users).await?;
    let search = GraphSearch {
        query,
        order,
        user: call.caller().username().to_owned(),
        groups: groups_of.get(call.caller().username()).cloned().unwrap_or_default(),
        groups_of,
        after,
        limit: paging.limit,
    };
    walk_on(&call, search, walk).await
}

/// Answers with a page of a walk. One whose graphs are all gone since the walk began is passed over: a page without
/// graphs is the end to clients.
async fn walk_on(call: &Call, mut search: GraphSearch, mut walk: Option<GraphWalk>) -> Result<ObjectCollection> {
    let limit = search.limit;
    loop {
        let found = call.state.graphs.walk(call.store(), search.clone(), walk, call.now).await;
        let (found, goes_on) = found.map_err(|error| of_search(error.into()))?;
        let graphs = call.store().graphs_numbered(call.caller(), &found.numbers).await.about(NOUN)?;
        if graphs.is_empty() && found.next.is_some() {
            (search.after, walk) = (found.next, goes_on);
            continue;
        }
        let mut items = Vec::new();
        for graph in &graphs {
            items.push(with_relationships(shown(call, graph), &embedded(call, graph).await?));
        }
        let next = found.next.zip(goes_on).map(|(key, walk)| cursor(walk, key));
        return Ok(page::answer(call, items, limit, next, Some(found.total)));
    }
}

fn cursor(walk: GraphWalk, place: SortKey) -> Vec<u8> {
    let (found, number) = match place {
        SortKey::Text(text, number) => (Value::from(text), number),
        SortKey::Number(value, number) => (Value::from(value), number),
    };
    value(&(walk, found, number)).to_string().into_bytes()
}

/// The walk and the place in a cursor.
fn place(bytes: &[u8]) -> Result<(GraphWalk, SortKey)> {
    let bad = || ApiError::bad("Invalid cursor");
    let (walk, found, number) = serde_json::from_slice(bytes).map_err(|_| bad())?;
    let place = match found {
        Value::String(text) => SortKey::Text(text, number),
        Value::Number(value) => SortKey::Number(value.as_i64().ok_or_else(bad)?, number),
        _ => return Err(bad()),
    };
    Ok((walk, place))
}

/// The other names that a node may have for a URL, which may itself be in base64.
fn url_names(url: &str) -> Vec<String> {
    let of_base64 = objects::key(ObjectType::Url.name(), url);
    vec![url_id(url), blob_hash(url.as_bytes()).to_string(), BASE64_URL_SAFE_NO_PAD.encode(url), of_base64]
}

async fn groups_of(call: &Call, users: BTreeSet<String>) -> Result<BTreeMap<String, Vec<String>>> {
    let store = call.store();
    let mut out = BTreeMap::new();
    for user in users {
        let Some(account) = store.account(&user).await.if_found()? else {
            continue;
        };
        let groups = store.groups_of(account.user.id, false).await.about("Group")?;
        out.insert(user, groups.into_iter().map(|group| group.group.name).collect());
    }
    Ok(out)
}

/// The attributes of a body, checked as far as the server reads them: nodes and links stay as they are.
fn checked(mut attributes: Map<String, Value>) -> Result<(Map<String, Value>, Option<bool>)> {
    let invalid = |message: &str| Err(ApiError::invalid(message));
    attributes.retain(|name, _| !READ_ONLY.contains(&name.as_str()));
    if let Some(name) = attributes.keys().find(|name| FORBIDDEN.contains(&name.as_str())) {
        return Err(ApiError::invalid(format!("An attribute cannot be named {name}")));
    }
    let private = match attributes.shift_remove("private") {
        None => None,
        Some(Value::Bool(private)) => Some(private),
        Some(_) => return invalid("The attribute private must be true or false"),
    };
    for name in ["nodes", "links"] {
        let fine = |items: &Vec<Value>| items.iter().all(Value::is_object);
        if attributes.get(name).is_some_and(|value| !value.as_array().is_some_and(fine)) {
            return Err(ApiError::invalid(format!("The attribute {name} must be a list of objects")));
        }
    }
    if attributes.get("graph_data").is_some_and(|data| !data.is_object()) {
        return invalid("The attribute graph_data must be an object");
    }
    Ok((attributes, private))
}

/// The attributes of a graph in a body, and whether it is to be private if that is said.
fn sent(call: &Call, id: Option<&str>) -> Result<(Map<String, Value>, Option<bool>)> {
    let attributes = body_attributes(call, "graph", id)?;
    check_numbers(call)?;
    checked(attributes)
}

async fn create(call: Call) -> Result<OneObject> {
    let (mut document, private) = sent(&call, None)?;
    document.entry("graph_data").or_insert_with(|| Map::new().into());
    for list in ["nodes", "links"] {
        document.entry(list).or_insert_with(|| Value::Array(Vec::new()));
    }
    let new = NewGraph { document, private: private.unwrap_or(false) };
    let made = call.store().create_graph(call.caller(), &new).await.about(NOUN)?;
    Ok(page::one(&call, shown(&call, &made)))
}

/// Read a graph; counts as a view.
pub(crate) async fn find(call: Asking<One>) -> Result<OneObject> {
    let graph = find_named(&call).await?;
    let related = embedded(&call, &graph).await?;
    // A request for the head, or one that fails, shows nobody the graph.
    let graph = match call.head_only {
        true => graph,
        false => call.store().view_graph(call.caller(), call.id()).await.about_named(NOUN, call.id())?,
    };
    Ok(page::one(&call, with_relationships(shown(&call, &graph), &related)))
}

/// What a graph is related to by the names that the request asks for beside it. One that graphs do not have is empty.
async fn embedded(call: &Call, graph: &Graph) -> Result<Vec<(String, Related)>> {
    let mut related = Vec::new();
    for name in relationships::asked(call)? {
        let all = all_related(call, graph, &name).await?.unwrap_or_else(|| Related::Many(Vec::new()));
        related.push((name, all));
    }
    Ok(related)
}

fn with_relationships(mut object: Object, related: &[(String, Related)]) -> Object {
    for (name, all) in related {
        object.relate(name, all, true);
    }
    object
}

/// Replace attributes of a graph.
pub(crate) async fn change(call: CallWith<Maybe<NewObject>, Attributes>) -> Result<OneObject> {
    let (attributes, private) = sent(&call, Some(call.id()))?;
    let changed = call.store().change_graph(call.caller(), call.id(), &attributes, private).await;
    Ok(page::one(&call, shown(&call, &changed.about_named(NOUN, call.id())?)))
}

/// Delete a graph. The answer is empty.
pub(crate) async fn delete(call: Call) -> Result<Empty> {
    call.store().delete_graph(call.caller(), call.id()).await.about_named(NOUN, call.id())?;
    Ok(Empty)
}

async fn find_named(call: &Call) -> Result<Graph> {
    call.store().find_graph(call.caller(), call.id()).await.about_named(NOUN, call.id())
}

/// Draw a graph.
pub(crate) async fn screenshot(call: Call) -> Result<Png> {
    let document = Value::Object(find_named(&call).await?.document);
    let drawn = tokio::task::spawn_blocking(move || crate::picture::draw(&document)).await;
    let drawn = drawn.map_err(|_| ApiError::new(ErrorCode::Internal))?;
    Ok(Png(Answer::bytes(Png::CONTENT_TYPE, drawn.into())))
}

/// What a graph is related to: an object, nothing, or a list; `None` by a name that graphs do not have.
async fn all_related(call: &Call, graph: &Graph, name: &str) -> Result<Option<Related>> {
    Ok(Some(match name {
        "owner" => accounts::brief_by_id(call, graph.owner_id).await?.into(),
        "group" => match &graph.group {
            Some(group) => groups::brief_named(call, group).await?.into(),
            None => Related::Nothing,
        },
        "editors" => Related::Many(collaborators::shown(call, &graph.id, Role::Editor).await?),
        "viewers" => Related::Many(collaborators::shown(call, &graph.id, Role::Viewer).await?),
        "comments" => Related::Many(comments::on(call, "graph", &graph.id).await?),
        "items" => Related::Many(items(graph).iter().map(|(kind, id)| Object::descriptor(kind, id)).collect()),
        _ => return Ok(None),
    }))
}

/// The nodes that are objects, in the order of the nodes, each object once, however it is spelled: type and id.
fn items(graph: &Graph) -> Vec<(String, String)> {
    let nodes = graph.document.get("nodes").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let text = |node: &Value, name: &str| node.get(name).and_then(Value::as_str).map(str::to_owned);
    let mut seen = BTreeSet::new();
    nodes
        .iter()
        .filter_map(|node| text(node, "type").zip(text(node, "entity_id")))
        .filter(|(kind, _)| ObjectType::from_name(kind).is_some())
        .filter(|(kind, id)| seen.insert((kind.clone(), objects::key(kind, id))))
        .collect()
}

/// List the files, URLs, domains and addresses of a graph.
pub(crate) async fn full_items(call: Asking<RelatedPage>) -> Result<ObjectCollection> {
    let graph = find_named(&call).await?;
    let (call, items) = (&call, items(&graph));
    page::of_records(call, items, |(kind, id)| async move { relationships::listed(call, &kind, &id).await }).await
}

/// Read what a graph is related to, in full or as descriptors.
pub(crate) async fn relationship(call: Asking<Page>, described: bool) -> Result<RelatedObjects> {
    let call = &call;
    let name = call.parameter("relationship");
    let found = all_related(call, &find_named(call).await?, name).await?;
    match found.ok_or_else(|| ApiError::not_found(&format!("Relationship {name}")))? {
        // Clients read only the first page of these two lists (docs/contract/wider.md §9).
        Related::Many(all) if ["editors", "viewers"].contains(&name) => {
            let all = if described { all.iter().map(Object::described).collect() } else { all };
            page::of_list(call, all, page::LIMIT_MAX).map(Into::into)
        }
        // docs/contract/graphs.md §2.
        found if name == "group" => page::answer_counted(call, found, described),
        found => page::answer_related(call, found, described),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn attributes_are_checked_only_as_far_as_they_are_read() {
        let check = |value: Value| checked(value.as_object().unwrap().clone()).map_err(|error| error.message);
        let sent = json!({"private": true, "creation_date": 1, "nodes": [{"odd": 1.5}], "links": [], "graph_data": {},
        "more": null});
        let (kept, private) = check(sent).unwrap();
        assert_eq!(private, Some(true));
        assert_eq!(Value::Object(kept), json!({"nodes": [{"odd": 1.5}], "links": [], "graph_data": {}, "more": null}));
        for bad in [
            json!({"private": 1}),
            json!({"nodes": {}}),
            json!({"nodes": [1]}),
            json!({"graph_data": "x"}),
            json!({"id": "x"}),
        ] {
            assert!(check(bad.clone()).is_err(), "{bad}");
        }
    }
}
