//! What domains, addresses and URLs are related to. What the inventory does not answer is an empty list.

use super::objects::{Known, known, shown};
use super::{comments, graphs};
use crate::call::Call;
use crate::failure::{About, of_search};
use ambit_api::ApiError;
use ambit_api::inventory_objects::ResolutionAttributes;
use ambit_api::objects::Object;
use ambit_model::EdgeKind;
use ambit_model::object::ObjectType;
use ambit_query::graphs::{GraphOrder, GraphQuery, Leaf, canonical_address};
use ambit_search::graphs::GraphSearch;
use ambit_store::{KnownObject, Neighbour};

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

pub(crate) const ADDRESS_RELATIONSHIPS: &[(&str, &str)] =
    &[COMMENTS, GRAPHS, RESOLUTIONS, ("urls", "Sites on the address.")];
pub(crate) const URL_RELATIONSHIPS: &[(&str, &str)] = &[
    COMMENTS,
    ("embedded_urls", "Pages below the site."),
    GRAPHS,
    ("network_location", "The name that the site is on."),
    ("redirects_to", "Hosts that the page redirects to."),
];

/// Graphs of one object at most.
const GRAPHS_MAX: usize = 1_000;

pub(crate) async fn related(call: &Call, kind: ObjectType, name: &str, found: &Known) -> Result<Vec<Object>, ApiError> {
    match name {
        "graphs" => graphs_with(call, kind, found).await,
        "resolutions" => resolutions(call, kind, &found.inventory).await,
        "comments" => comments_on(call, kind, found).await,
        name => by_edges(call, kind, name, &found.inventory).await,
    }
}

/// What an object is related to, by name; `None`: nobody whom the caller may ask knows it.
pub(crate) async fn related_to(
    call: &Call,
    kind: ObjectType,
    id: &str,
    name: &str,
) -> Result<Option<Vec<Object>>, ApiError> {
    match known(call, kind, id).await? {
        Some(found) => related(call, kind, name, &found).await.map(Some),
        None => Ok(None),
    }
}

async fn neighbours(call: &Call, found: &[KnownObject]) -> Result<Vec<Neighbour>, ApiError> {
    let uids: Vec<_> = found.iter().map(|one| one.uid).collect();
    call.store().neighbours(&uids).await.about("Object")
}

/// What edges lead to, by name.
async fn by_edges(call: &Call, kind: ObjectType, name: &str, found: &[KnownObject]) -> Result<Vec<Object>, ApiError> {
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
async fn resolutions(call: &Call, kind: ObjectType, found: &[KnownObject]) -> Result<Vec<Object>, ApiError> {
    let outward = match kind {
        ObjectType::Domain => true,
        ObjectType::IpAddress => false,
        ObjectType::File | ObjectType::Url => return Ok(Vec::new()),
    };
    let own = found.first().map(|one| one.record.name.clone()).unwrap_or_default();
    let mut pairs: Vec<Object> = neighbours(call, found)
        .await?
        .into_iter()
        .filter(|one| one.edge == EdgeKind::ResolvesTo && one.outward == outward)
        .map(|one| {
            let other = one.object.record.name;
            let (address, host) = if outward { (&other, &own) } else { (&own, &other) };
            let attributes = ResolutionAttributes {
                date: one.object.first_seen.into(),
                host_name: host.clone(),
                ip_address: address.clone(),
            };
            Object::unaddressed("resolution", &format!("{address}{host}"), &attributes)
        })
        .collect();
    pairs.sort_by(|a, b| a.id.cmp(&b.id));
    pairs.dedup_by(|a, b| a.id == b.id);
    Ok(pairs)
}

/// Graphs with the object, newest first.
async fn graphs_with(call: &Call, kind: ObjectType, found: &Known) -> Result<Vec<Object>, ApiError> {
    let name = found.inventory.first().map_or_else(|| found.id.clone(), |one| one.record.name.clone());
    let leaf = match kind {
        ObjectType::Domain => Leaf::Domain(name.to_lowercase()),
        ObjectType::File => Leaf::File(vec![name.to_lowercase()]),
        ObjectType::IpAddress => Leaf::IpAddress(canonical_address(&name)),
        ObjectType::Url => Leaf::Url(found.spellings()),
    };
    graphs_that(call, leaf).await
}

/// Graphs that a condition finds, newest first.
pub(crate) async fn graphs_that(call: &Call, leaf: Leaf) -> Result<Vec<Object>, ApiError> {
    let store = call.store();
    let groups = store.groups_of(call.caller().user_id(), false).await.about("Graph")?;
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
    let graphs = store.graphs_numbered(call.caller(), &page.numbers).await.about("Graph")?;
    Ok(graphs.iter().map(|graph| graphs::shown(call, graph)).collect())
}

/// The comments on an object, newest first.
pub(crate) async fn comments_on(call: &Call, kind: ObjectType, found: &Known) -> Result<Vec<Object>, ApiError> {
    let mut comments = Vec::new();
    for id in found.ids() {
        comments.extend(call.store().comments_on(kind.name(), &id).await.about(comments::NOUN)?);
    }
    comments.sort_by_key(|comment| std::cmp::Reverse(comment.at));
    Ok(comments.iter().map(|comment| comments::shown(call, comment)).collect())
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
}
