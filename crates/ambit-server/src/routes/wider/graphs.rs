//! Graphs (docs/contract/graphs.md §1 and §4): searched, made, read, changed, deleted; what they are related to.

use crate::answer::Answer;
use crate::call::Call;
use crate::failure::{About, of_search};
use crate::object_body::body_attributes;
use crate::page;
use crate::present::graphs::{NOUN, shown};
use crate::present::{accounts, collaborators, comments, groups, objects};
use ambit_api::{ApiError, ErrorCode};
use ambit_model::id::blob_hash;
use ambit_query::graphs::{GraphOrder, Leaf, SortKey, parse_graph_query};
use ambit_search::graphs::{GraphPage, GraphSearch};
use ambit_store::{Graph, NewGraph, Role};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// What the server keeps itself: ignored where a client sends it.
const READ_ONLY: [&str; 4] = ["creation_date", "last_modified_date", "comments_count", "views_count"];
/// Names that clients cannot hold as attributes (docs/contract/wider.md §1.3).
const FORBIDDEN: [&str; 9] =
    ["id", "type", "error", "relationships", "context_attributes", "get", "set_data", "to_dict", "from_dict"];

/// Make a graph; without a body, search graphs.
///
/// Without a body a search, with one a creation (docs/contract/graphs.md §2).
pub(crate) async fn post(call: Call) -> Result<Answer, ApiError> {
    if call.body.is_empty() { search(call).await } else { create(call).await }
}

/// Search graphs.
pub(crate) async fn search(call: Call) -> Result<Answer, ApiError> {
    let bad = |message: String| ApiError::with(ErrorCode::BadRequest, message);
    let filter = call.query("filter").unwrap_or_default();
    let mut query = parse_graph_query(filter, &url_names).map_err(|error| bad(format!("Filter: {error}")))?;
    let order = match call.query("order").map(str::trim).filter(|order| !order.is_empty()) {
        Some(text) => GraphOrder::parse(text).map_err(|error| bad(format!("Order: {error}")))?,
        None => GraphOrder::default(),
    };
    let paging = page::paging(&call, page::LIMIT_DEFAULT, page::LIMIT_MAX)?;
    let after = paging.after.as_deref().map(place).transpose()?;
    let mut users = BTreeSet::from([call.caller().username().to_owned()]);
    query.each_leaf(&mut |leaf| {
        if let Leaf::VisibleToUser(user) = leaf {
            users.insert(user.clone());
        }
    });
    let groups_of = groups_of(&call, users).await?;
    let found = GraphSearch {
        query,
        order,
        user: call.caller().username().to_owned(),
        groups: groups_of.get(call.caller().username()).cloned().unwrap_or_default(),
        groups_of,
        after,
        limit: paging.limit,
    };
    let found = call.state.graphs.search(call.store(), found).await;
    answer_page(&call, found.map_err(|error| of_search(error.into()))?, paging.limit).await
}

async fn answer_page(call: &Call, found: GraphPage, limit: usize) -> Result<Answer, ApiError> {
    let graphs = call.store().graphs_numbered(call.caller(), &found.numbers).await.about(NOUN)?;
    let items = graphs.into_iter().map(|graph| shown(call, graph)).collect();
    let next = found.next.map(|key| match key {
        SortKey::Text(text, number) => json!([text, number]).to_string().into_bytes(),
        SortKey::Number(value, number) => json!([value, number]).to_string().into_bytes(),
    });
    Ok(page::answer(call, items, limit, next, Some(found.total)))
}

/// The place in a cursor.
fn place(bytes: &[u8]) -> Result<SortKey, ApiError> {
    let bad = || ApiError::with(ErrorCode::BadRequest, "Invalid cursor");
    let value: Value = serde_json::from_slice(bytes).map_err(|_| bad())?;
    let number = value.get(1).and_then(Value::as_i64).ok_or_else(bad)?;
    match value.get(0) {
        Some(Value::String(text)) => Ok(SortKey::Text(text.clone(), number)),
        Some(Value::Number(value)) => Ok(SortKey::Number(value.as_i64().ok_or_else(bad)?, number)),
        _ => Err(bad()),
    }
}

/// The other names that a node may have for a URL.
fn url_names(url: &str) -> Vec<String> {
    vec![blob_hash(url.as_bytes()).to_string(), BASE64_URL_SAFE_NO_PAD.encode(url)]
}

async fn groups_of(call: &Call, users: BTreeSet<String>) -> Result<BTreeMap<String, Vec<String>>, ApiError> {
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
fn checked(mut attributes: Map<String, Value>) -> Result<(Map<String, Value>, Option<bool>), ApiError> {
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

async fn create(call: Call) -> Result<Answer, ApiError> {
    let (mut document, private) = checked(body_attributes(&call, "graph", None)?)?;
    document.entry("graph_data").or_insert_with(|| json!({}));
    document.entry("nodes").or_insert_with(|| json!([]));
    document.entry("links").or_insert_with(|| json!([]));
    let new = NewGraph { document, private: private.unwrap_or(false) };
    let made = call.store().create_graph(call.caller(), &new, call.now).await.about(NOUN)?;
    Ok(page::one(&call, shown(&call, made)))
}

/// Read a graph; counts as a view.
pub(crate) async fn find(call: Call) -> Result<Answer, ApiError> {
    let graph =
        call.store().view_graph(call.caller(), call.parameter("id")).await.about_named(NOUN, call.parameter("id"))?;
    let wanted = page::names(&call, "relationships").unwrap_or_default();
    let mut relationships = Map::new();
    for name in wanted {
        let related = all_related(&call, &graph, &name).await?;
        let own = format!("{}/graphs/{}", call.base, graph.id);
        let mut entry =
            json!({"links": {"self": format!("{own}/relationships/{name}"), "related": format!("{own}/{name}")}});
        entry["data"] = match related {
            Value::Array(all) => {
                entry["meta"] = json!({"count": all.len()});
                Value::Array(all.iter().map(page::described).collect())
            }
            Value::Null => Value::Null,
            one => page::described(&one),
        };
        relationships.insert(name, entry);
    }
    let mut found = shown(&call, graph);
    if !relationships.is_empty() {
        found["relationships"] = Value::Object(relationships);
    }
    Ok(page::one(&call, found))
}

/// Replace attributes of a graph.
pub(crate) async fn change(call: Call) -> Result<Answer, ApiError> {
    let id = call.parameter("id");
    let (attributes, private) = checked(body_attributes(&call, "graph", Some(id))?)?;
    let changed = call
        .store()
        .change_graph(call.caller(), id, &attributes, private, call.now)
        .await
        .about_named(NOUN, call.parameter("id"))?;
    Ok(page::one(&call, shown(&call, changed)))
}

/// Delete a graph. The answer is empty.
pub(crate) async fn delete(call: Call) -> Result<Answer, ApiError> {
    call.store()
        .delete_graph(call.caller(), call.parameter("id"), call.now)
        .await
        .about_named(NOUN, call.parameter("id"))?;
    Ok(Answer::empty())
}

/// Draw a graph.
pub(crate) async fn screenshot(call: Call) -> Result<Answer, ApiError> {
    let graph = call.store().find_graph(call.caller(), call.parameter("id")).await;
    let document = Value::Object(graph.about_named(NOUN, call.parameter("id"))?.document);
    let drawn = tokio::task::spawn_blocking(move || crate::picture::draw(&document)).await;
    let drawn = drawn.map_err(|_| ApiError::new(ErrorCode::Internal))?;
    Ok(Answer::bytes("image/png", drawn.into()))
}

/// What a graph is related to: an object, null, or a list.
async fn all_related(call: &Call, graph: &Graph, name: &str) -> Result<Value, ApiError> {
    let store = call.store();
    Ok(match name {
        "owner" => {
            let account = store.account_by_id(graph.owner_id).await.about("User")?;
            accounts::brief(call, &account)
        }
        "group" => match &graph.group {
            Some(group) => {
                let group = store.group_account(group).await.about("Group")?;
                groups::brief(call, &group)
            }
            None => Value::Null,
        },
        "editors" => Value::Array(collaborators::shown(call, &graph.id, Role::Editor).await?),
        "viewers" => Value::Array(collaborators::shown(call, &graph.id, Role::Viewer).await?),
        "comments" => {
            let found = store.comments_on("graph", &graph.id).await.about("Comment")?;
            Value::Array(found.iter().map(|comment| comments::shown(call, comment)).collect())
        }
        "items" => {
            Value::Array(items(graph).iter().map(|(kind, id)| ambit_api::objects::descriptor(kind, id)).collect())
        }
        _ => return Err(ApiError::not_found(&format!("Relationship {name}"))),
    })
}

/// The nodes that are objects, in the order of the nodes, each once: type and id.
fn items(graph: &Graph) -> Vec<(String, String)> {
    let nodes = graph.document.get("nodes").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let text = |node: &Value, name: &str| node.get(name).and_then(Value::as_str).map(str::to_owned);
    let mut seen = BTreeSet::new();
    nodes
        .iter()
        .filter_map(|node| text(node, "type").zip(text(node, "entity_id")))
        .filter(|(kind, _)| objects::KINDS.contains(&kind.as_str()))
        .filter(|item| seen.insert(item.clone()))
        .collect()
}

/// List the files, URLs, domains and addresses of a graph.
pub(crate) async fn full_items(call: Call) -> Result<Answer, ApiError> {
    let graph = call.store().find_graph(call.caller(), call.parameter("id")).await;
    let items = items(&graph.about_named(NOUN, call.parameter("id"))?);
    let paging = page::paging(&call, page::LIMIT_DEFAULT, page::LIMIT_MAX)?;
    let total = items.len();
    let (items, next) = page::slice(&paging, items)?;
    let mut found = Vec::new();
    for (kind, id) in &items {
        found.push(objects::shown_or_missing(&call, kind, id).await?);
    }
    Ok(page::answer(&call, found, paging.limit, next, Some(total)))
}

/// Read what a graph is related to: owner, group, editors or viewers.
pub(crate) async fn relationship(call: Call) -> Result<Answer, ApiError> {
    relationship_in(&call, false).await
}

/// Read the descriptors of what a graph is related to.
pub(crate) async fn relationship_described(call: Call) -> Result<Answer, ApiError> {
    relationship_in(&call, true).await
}

async fn relationship_in(call: &Call, described: bool) -> Result<Answer, ApiError> {
    let name = call.parameter("relationship");
    let graph =
        call.store().find_graph(call.caller(), call.parameter("id")).await.about_named(NOUN, call.parameter("id"))?;
    let mut found = all_related(call, &graph, name).await?;
    if described && let Value::Array(all) = &mut found {
        all.iter_mut().for_each(|item| *item = page::described(item));
    }
    // Clients read only the first page of these two lists (docs/contract/wider.md §9).
    let whole = ["editors", "viewers"].contains(&name);
    match found {
        Value::Array(all) => page::of_list(call, all, if whole { page::LIMIT_MAX } else { page::LIMIT_DEFAULT }),
        one => page::answer_related(call, one, described),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
