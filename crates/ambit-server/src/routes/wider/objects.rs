//! Domains, addresses and URLs: a view of the inventory of the caller's projects (v3-wire §6). What nobody whom the caller may ask knows is 404; a
//! relationship that the inventory does not answer is an empty list. Nothing is made up.

use super::{comments, files, page, votes};
use crate::answer::Answer;
use crate::call::Call;
use crate::failure::{of_search, of_store};
use ambit_api::objects::{missing, object};
use ambit_api::{ApiError, ErrorCode};
use ambit_model::EdgeKind;
use ambit_model::id::blob_hash;
use ambit_model::object::ObjectType;
use ambit_query::graphs::{GraphOrder, GraphQuery, Leaf, canonical_address};
use ambit_search::graphs::GraphSearch;
use ambit_store::{KnownObject, Neighbour, StoreError};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde_json::{Map, Value, json};

/// Types of node that are objects.
pub(crate) const KINDS: [&str; 4] = ["file", "url", "domain", "ip_address"];
const GRAPHS: (&str, &str) = ("graphs", "Graphs with it that the caller may see.");
const COMMENTS: (&str, &str) = ("comments", "Comments on it.");
const RESOLUTIONS: (&str, &str) = ("resolutions", "Which names and addresses belonged together.");
/// Relationships by type, for `/metadata`; a test compares them with what is answered.
pub(crate) const DOMAIN_RELATIONSHIPS: &[(&str, &str)] = &[
    ("cname_records", "Names that the name is an alias of."),
    COMMENTS,
    GRAPHS,
    ("immediate_parent", "The domain that the name belongs to."),
    RESOLUTIONS,
    ("subdomains", "Names below the domain."),
    ("urls", "Sites on the name."),
];
pub(crate) const ADDRESS_RELATIONSHIPS: &[(&str, &str)] = &[COMMENTS, GRAPHS, RESOLUTIONS, ("urls", "Sites on the address.")];
pub(crate) const URL_RELATIONSHIPS: &[(&str, &str)] = &[
    COMMENTS,
    ("embedded_urls", "Pages below the site."),
    GRAPHS,
    ("network_location", "The name that the site is on."),
    ("redirects_to", "Hosts that the page redirects to."),
];
/// Characters of a hexadecimal SHA-256.
const SHA256_CHARS: usize = 64;

/// The type that the path names by its collection.
fn kind(call: &Call) -> ObjectType {
    let below = call.path.trim_start_matches('/').trim_start_matches("api/v3");
    let collection = below.split('/').find(|segment| !segment.is_empty()).unwrap_or_default();
    ObjectType::from_collection(collection).expect("rows with these handlers begin with a collection of objects")
}

fn not_found(kind: ObjectType, id: &str) -> ApiError {
    let name = match kind {
        ObjectType::Domain => "Domain",
        ObjectType::File => "File",
        ObjectType::IpAddress => "IP address",
        ObjectType::Url => "URL",
    };
    ApiError::with(ErrorCode::NotFound, format!("{name} \"{id}\" not found"))
}

/// The name that an id stands for: URLs are named by their base64.
fn name_of(kind: ObjectType, id: &str) -> Option<String> {
    if kind != ObjectType::Url || id.contains("://") {
        return Some(id.to_owned());
    }
    String::from_utf8(BASE64_URL_SAFE_NO_PAD.decode(id.trim_end_matches('=')).ok()?).ok()
}

/// The names under which a URL may be known: itself, and the SHA-256 of its canonical form.
pub(crate) fn url_names(text: &str) -> Vec<String> {
    if !text.contains("://") {
        return Vec::new();
    }
    let submitted = files::submitted(text).map(|url| blob_hash(url.as_bytes()).to_string());
    [Some(text.to_owned()), submitted].into_iter().flatten().collect()
}

/// What the caller's collections know of an object; empty: nothing.
async fn known(call: &Call, kind: ObjectType, id: &str) -> Result<Vec<KnownObject>, ApiError> {
    let store = &call.state.store;
    let failed = |error| of_store(error, "Object");
    let hash = kind == ObjectType::Url && id.len() == SHA256_CHARS && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    if hash {
        let wanted = id.to_ascii_lowercase();
        let names = store.names_of_kinds(call.caller(), kind.kinds()).await.map_err(failed)?;
        let found = names.into_iter().find(|(_, name)| blob_hash(name.as_bytes()).to_string() == wanted);
        let names: Vec<_> = found.into_iter().collect();
        return store.known_objects(call.caller(), &names).await.map_err(failed);
    }
    let names = name_of(kind, id).map(|name| kind.names(&name)).unwrap_or_default();
    store.known_objects(call.caller(), &names).await.map_err(failed)
}

/// True for an object that the caller's projects know.
pub(crate) async fn is_known(call: &Call, kind: &str, id: &str) -> Result<bool, ApiError> {
    match ObjectType::from_name(kind) {
        Some(ObjectType::File) => Ok(files::shown_if_known(call, id).await?.is_some()),
        Some(kind) => Ok(!known(call, kind, id).await?.is_empty()),
        None => Ok(false),
    }
}

/// The id of an object by its name.
fn id_of(kind: ObjectType, name: &str) -> String {
    match kind {
        ObjectType::Url => blob_hash(name.as_bytes()).to_string(),
        ObjectType::Domain | ObjectType::File | ObjectType::IpAddress => name.to_owned(),
    }
}

/// One object from what all collections know of it: the first sight, the last, the tags of all.
pub(crate) fn shown(call: &Call, kind: ObjectType, found: &[KnownObject]) -> Option<Value> {
    let name = &found.first()?.record.name;
    let first = found.iter().map(|one| one.first_seen).min()?;
    let last = found.iter().map(|one| one.last_seen).max()?;
    let mut tags: Vec<&String> = found.iter().flat_map(|one| &one.record.tags).collect();
    tags.sort();
    tags.dedup();
    let mut attributes = Map::from_iter([
        ("tags".to_owned(), json!(tags)),
        ("first_seen_date".to_owned(), page::seconds(first)),
        ("last_modification_date".to_owned(), page::seconds(last)),
        ("reputation".to_owned(), json!(0)),
        ("last_analysis_stats".to_owned(), no_engines()),
        ("last_analysis_results".to_owned(), json!({})),
        ("total_votes".to_owned(), json!({"harmless": 0, "malicious": 0})),
    ]);
    if kind == ObjectType::Url {
        attributes.insert("url".to_owned(), json!(name));
        attributes.insert("last_final_url".to_owned(), json!(name));
    }
    Some(object(&call.base, kind.collection(), kind.name(), &id_of(kind, name), attributes))
}

/// No engine looked: all counts are 0.
fn no_engines() -> Value {
    json!({"malicious": 0, "suspicious": 0, "undetected": 0, "harmless": 0, "timeout": 0})
}

/// An object by the type and id of a node; one that is not known says so in the collection (v3-wire §1.3).
pub(crate) async fn shown_or_missing(call: &Call, kind: &str, id: &str) -> Result<Value, ApiError> {
    let Some(object_type) = ObjectType::from_name(kind) else {
        return Ok(missing(kind, id));
    };
    if object_type == ObjectType::File {
        return Ok(files::shown_if_known(call, id).await?.unwrap_or_else(|| missing(kind, id)));
    }
    let found = known(call, object_type, id).await?;
    let found = match shown(call, object_type, &found) {
        None if object_type == ObjectType::Url => submitted_url(call, id).await?,
        found => found,
    };
    Ok(found.unwrap_or_else(|| missing(kind, id)))
}

/// Adds up the votes on an object.
pub(crate) async fn count_votes(call: &Call, kind: ObjectType, found: &mut Value) -> Result<(), ApiError> {
    let id = found["id"].as_str().unwrap_or_default().to_owned();
    found["attributes"]["total_votes"] = votes::total(call, kind.name(), &id).await?;
    Ok(())
}

/// A URL that somebody submitted, by its SHA-256 or base64.
pub(crate) async fn submitted_url(call: &Call, id: &str) -> Result<Option<Value>, ApiError> {
    let hash = match name_of(ObjectType::Url, id) {
        Some(name) if id.len() != SHA256_CHARS => blob_hash(name.as_bytes()).to_string(),
        _ => id.to_owned(),
    };
    let found = match call.state.store.submitted_url(&hash).await {
        Ok(found) => found,
        Err(StoreError::NotFound) => return Ok(None),
        Err(error) => return Err(of_store(error, "URL")),
    };
    let attributes = Map::from_iter([
        ("url".to_owned(), json!(found.url)),
        ("last_final_url".to_owned(), json!(found.url)),
        ("first_submission_date".to_owned(), page::seconds(found.first_at)),
        ("last_submission_date".to_owned(), page::seconds(found.last_at)),
        ("times_submitted".to_owned(), json!(found.submissions)),
        ("last_analysis_stats".to_owned(), no_engines()),
        ("last_analysis_results".to_owned(), json!({})),
        ("total_votes".to_owned(), json!({"harmless": 0, "malicious": 0})),
        ("reputation".to_owned(), json!(0)),
        ("tags".to_owned(), json!([])),
    ]);
    Ok(Some(object(&call.base, "urls", "url", &found.sha256, attributes)))
}

async fn required(call: &Call) -> Result<(ObjectType, Vec<KnownObject>), ApiError> {
    let (kind, id) = (kind(call), call.parameter("id"));
    let found = known(call, kind, id).await?;
    if found.is_empty() { Err(not_found(kind, id)) } else { Ok((kind, found)) }
}

pub(crate) async fn find(call: Call) -> Result<Answer, ApiError> {
    let (kind, id) = (kind(&call), call.parameter("id"));
    if kind == ObjectType::Url
        && known(&call, kind, id).await?.is_empty()
        && let Some(mut found) = submitted_url(&call, id).await?
    {
        count_votes(&call, kind, &mut found).await?;
        return Ok(page::one(&call, found));
    }
    let (kind, found) = required(&call).await?;
    let mut found = shown(&call, kind, &found).ok_or_else(|| not_found(kind, call.parameter("id")))?;
    count_votes(&call, kind, &mut found).await?;
    Ok(page::one(&call, found))
}

pub(crate) async fn relationship(call: Call) -> Result<Answer, ApiError> {
    relationship_in(&call, false).await
}

pub(crate) async fn relationship_described(call: Call) -> Result<Answer, ApiError> {
    relationship_in(&call, true).await
}

async fn relationship_in(call: &Call, described: bool) -> Result<Answer, ApiError> {
    let (kind, found) = required(call).await?;
    let mut items = related(call, kind, call.parameter("relationship"), &found).await?;
    if described {
        items.iter_mut().for_each(|item| *item = page::described(item));
    }
    page::of_list(call, items, page::LIMIT_DEFAULT)
}

async fn related(call: &Call, kind: ObjectType, name: &str, found: &[KnownObject]) -> Result<Vec<Value>, ApiError> {
    match name {
        "graphs" => graphs_with(call, kind, found).await,
        "resolutions" => resolutions(call, kind, found).await,
        "comments" => comments_on(call, kind, found).await,
        name => by_edges(call, kind, name, found).await,
    }
}

/// What an object is related to, by name; `None`: nobody whom the caller may ask knows it.
pub(crate) async fn related_to(call: &Call, kind: ObjectType, id: &str, name: &str) -> Result<Option<Vec<Value>>, ApiError> {
    let found = known(call, kind, id).await?;
    if found.is_empty() {
        return Ok(None);
    }
    related(call, kind, name, &found).await.map(Some)
}

async fn neighbours(call: &Call, found: &[KnownObject]) -> Result<Vec<Neighbour>, ApiError> {
    let uids: Vec<_> = found.iter().map(|one| one.uid).collect();
    call.state.store.neighbours(&uids).await.map_err(|error| of_store(error, "Object"))
}

/// What edges lead to, by name.
async fn by_edges(call: &Call, kind: ObjectType, name: &str, found: &[KnownObject]) -> Result<Vec<Value>, ApiError> {
    let Some(relationship) = kind.relationships().iter().find(|one| one.name == name) else {
        return Ok(Vec::new());
    };
    let target = relationship.leads_to;
    let mut objects: Vec<KnownObject> = neighbours(call, found)
        .await?
        .into_iter()
        .filter(|one| relationship.edges.contains(&(one.edge, one.outward)))
        .filter(|one| target.kinds().contains(&one.object.record.kind))
        .map(|one| one.object)
        .collect();
    objects.sort_by(|a, b| a.record.name.cmp(&b.record.name));
    let same = objects.chunk_by(|a, b| a.record.name == b.record.name);
    Ok(same.filter_map(|same| shown(call, target, same)).collect())
}

/// Names and addresses that belong together; the id of each is the address and the name.
async fn resolutions(call: &Call, kind: ObjectType, found: &[KnownObject]) -> Result<Vec<Value>, ApiError> {
    let outward = match kind {
        ObjectType::Domain => true,
        ObjectType::IpAddress => false,
        ObjectType::File | ObjectType::Url => return Ok(Vec::new()),
    };
    let own = found.first().map(|one| one.record.name.clone()).unwrap_or_default();
    let mut pairs: Vec<(String, Value)> = neighbours(call, found)
        .await?
        .into_iter()
        .filter(|one| one.edge == EdgeKind::ResolvesTo && one.outward == outward)
        .map(|one| {
            let other = one.object.record.name;
            let (address, host) = if outward { (&other, &own) } else { (&own, &other) };
            let attributes = Map::from_iter([
                ("date".to_owned(), page::seconds(one.object.first_seen)),
                ("host_name".to_owned(), json!(host)),
                ("ip_address".to_owned(), json!(address)),
            ]);
            let id = format!("{address}{host}");
            (id.clone(), object(&call.base, "resolutions", "resolution", &id, attributes))
        })
        .collect();
    pairs.sort_by(|a, b| a.0.cmp(&b.0));
    pairs.dedup_by(|a, b| a.0 == b.0);
    Ok(pairs.into_iter().map(|(_, object)| object).collect())
}

/// Graphs with the object, newest first.
async fn graphs_with(call: &Call, kind: ObjectType, found: &[KnownObject]) -> Result<Vec<Value>, ApiError> {
    let name = found.first().map(|one| one.record.name.clone()).unwrap_or_default();
    let leaf = match kind {
        ObjectType::Domain => Leaf::Domain(name.to_lowercase()),
        ObjectType::File => Leaf::File(vec![name.to_lowercase()]),
        ObjectType::IpAddress => Leaf::IpAddress(canonical_address(&name)),
        ObjectType::Url => Leaf::Url(vec![name.clone(), id_of(kind, &name), BASE64_URL_SAFE_NO_PAD.encode(&name)]),
    };
    graphs_that(call, leaf).await
}

/// Graphs that a condition finds, newest first.
pub(crate) async fn graphs_that(call: &Call, leaf: Leaf) -> Result<Vec<Value>, ApiError> {
    let store = &call.state.store;
    let failed = |error| of_store(error, "Graph");
    let groups = store.groups_of(call.caller().user_id(), false).await.map_err(failed)?;
    let search = GraphSearch {
        query: GraphQuery::Leaf(leaf),
        order: GraphOrder::default(),
        user: call.caller().username().to_owned(),
        groups: groups.into_iter().map(|group| group.group.name).collect(),
        groups_of: std::collections::BTreeMap::new(),
        after: None,
        limit: GRAPHS_MAX,
    };
    let page = call.state.graphs.search(store, search).await.map_err(|error| of_search(error.into()))?;
    let graphs = store.graphs_numbered(call.caller(), &page.numbers).await.map_err(failed)?;
    Ok(graphs.into_iter().map(|graph| super::graphs::shown(call, graph)).collect())
}

/// Graphs of one object at most.
const GRAPHS_MAX: usize = 1_000;

/// Type and id of the object of the path, which must be known.
pub(crate) async fn item(call: &Call) -> Result<(ObjectType, String), ApiError> {
    let (kind, id) = (kind(call), call.parameter("id"));
    let found = shown_or_missing(call, kind.name(), id).await?;
    match found.get("id").and_then(Value::as_str).filter(|_| found.get("error").is_none()) {
        Some(id) => Ok((kind, id.to_owned())),
        None => Err(not_found(kind, id)),
    }
}

async fn comments_on(call: &Call, kind: ObjectType, found: &[KnownObject]) -> Result<Vec<Value>, ApiError> {
    let id = found.first().map(|one| id_of(kind, &one.record.name)).unwrap_or_default();
    let comments = call.state.store.comments_on(kind.name(), &id).await;
    let comments = comments.map_err(|error| of_store(error, "Comment"))?;
    Ok(comments.iter().map(|comment| comments::shown(call, comment)).collect())
}

pub(crate) async fn comments(call: Call) -> Result<Answer, ApiError> {
    let (kind, found) = required(&call).await?;
    let items = comments_on(&call, kind, &found).await?;
    page::of_list(&call, items, page::LIMIT_DEFAULT)
}

pub(crate) async fn add_comment(call: Call) -> Result<Answer, ApiError> {
    let (kind, found) = required(&call).await?;
    let text = comments::text(&call)?;
    let id = found.first().map(|one| id_of(kind, &one.record.name)).unwrap_or_default();
    let made = call.state.store.add_comment(call.caller(), kind.name(), &id, &text, call.now).await;
    let made = made.map_err(|error| of_store(error, "Comment"))?;
    Ok(page::one(&call, comments::shown(&call, &made)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_metadata_says_is_what_edges_answer() {
        for (kind, listed) in [
            (ObjectType::Domain, DOMAIN_RELATIONSHIPS),
            (ObjectType::IpAddress, ADDRESS_RELATIONSHIPS),
            (ObjectType::Url, URL_RELATIONSHIPS),
        ] {
            let beside = ["comments", "graphs", "resolutions"];
            let by_edges: Vec<_> = listed.iter().copied().filter(|(name, _)| !beside.contains(name)).collect();
            let mut known: Vec<_> = kind.relationships().iter().map(|one| (one.name, one.description)).collect();
            known.sort_unstable();
            assert_eq!(by_edges, known);
        }
    }

    #[test]
    fn urls_are_named_by_their_base64() {
        let url = "https://www.acme.test:443";
        let id = BASE64_URL_SAFE_NO_PAD.encode(url);
        assert_eq!(name_of(ObjectType::Url, &id).as_deref(), Some(url));
        assert_eq!(name_of(ObjectType::Domain, "acme.test").as_deref(), Some("acme.test"));
        assert_eq!(name_of(ObjectType::Url, "***"), None);
    }
}
