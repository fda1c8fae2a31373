//! What domains, addresses and URLs are related to. What the inventory does not answer is an empty list.

use super::linked::linked;
use super::objects::{Known, known, shown};
use super::{certificates, comments, facts, files, graphs, objects, registrations, votes};
use crate::call::Call;
use crate::failure::{About, of_search};
use crate::page::{self, Relationships};
use ambit_api::files::SubmissionAttributes;
use ambit_api::inventory_objects::ResolutionAttributes;
use ambit_api::objects::{Object, ObjectCollection, Related, Seconds};
use ambit_api::{ApiError, Maybe, Result};
use ambit_model::EdgeKind;
use ambit_model::entity::{domain, host_of, registrable};
use ambit_model::object::ObjectType;
use ambit_query::graphs::{GraphOrder, GraphQuery, Leaf, canonical_address};
use ambit_search::graphs::GraphSearch;
use ambit_store::{Edges, KnownObject, Submission};
use serde_json::Value;
use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};

/// A relationship of a type of object.
pub(crate) struct Relationship {
    pub(crate) name: &'static str,
    /// For `/metadata`.
    pub(crate) description: &'static str,
    by: By,
}

/// How a relationship is answered.
#[derive(Clone, Copy)]
enum By {
    Certificates,
    Comments,
    /// Names of the zone that lie below it.
    Below,
    /// By open edges that lead away from the object: their kinds, and to what.
    Edges(&'static [EdgeKind], ObjectType),
    Graphs,
    /// The name or address that a URL is on: one.
    Host,
    /// The name that is one label shorter: one.
    Parent,
    /// Names in the records of a type.
    Records(&'static str),
    /// The domain that was registered: one.
    Registered,
    Registration,
    Resolutions,
    /// The address that answered last: one.
    Serving,
    /// Names beside it, below the same name.
    Siblings,
    /// Sites whose last answer came from the address.
    Sites,
    Votes,
}

const fn relationship(name: &'static str, description: &'static str, by: By) -> Relationship {
    Relationship { name, description, by }
}

const COMMENTS: Relationship = relationship("comments", "Comments on it.", By::Comments);
const GRAPHS: Relationship = relationship("graphs", "Graphs with it that the caller may see.", By::Graphs);
const RESOLUTIONS: Relationship =
    relationship("resolutions", "Which names and addresses belonged together.", By::Resolutions);
const REGISTRATIONS: Relationship = relationship("historical_whois", "What registries told of it.", By::Registration);
const CERTIFICATES: Relationship = relationship(
    "historical_ssl_certificates",
    "Certificates that were served there, or that name it.",
    By::Certificates,
);
const VOTES: Relationship = relationship("votes", "Votes on it.", By::Votes);

/// From a domain to the names below it.
const BELOW: &[EdgeKind] = &[EdgeKind::Subdomain, EdgeKind::DelegatedSubdomain];

/// From a name to its addresses.
const RESOLVES: &[EdgeKind] = &[EdgeKind::ResolvesTo];
/// From a name or service to its sites.
const SITE: &[EdgeKind] = &[EdgeKind::Site];

/// Those of domains, in alphabetical order.
pub(crate) const DOMAIN: &[Relationship] = &[
    relationship("caa_records", "Authorities that may issue certificates for it.", By::Records("CAA")),
    relationship(
        "cname_records",
        "Names that the name is an alias of.",
        By::Edges(&[EdgeKind::Alias, EdgeKind::HostedAlias], ObjectType::Domain),
    ),
    COMMENTS,
    GRAPHS,
    CERTIFICATES,
    REGISTRATIONS,
    relationship("immediate_parent", "The name above it.", By::Parent),
    relationship("mx_records", "Its mail exchangers.", By::Records("MX")),
    relationship("ns_records", "Its name servers.", By::Records("NS")),
    relationship("parent", "The registered domain that it belongs to.", By::Registered),
    RESOLUTIONS,
    relationship("siblings", "Names beside it.", By::Siblings),
    relationship("soa_records", "The first server of its zone.", By::Records("SOA")),
    relationship("subdomains", "Names below the domain.", By::Below),
    relationship("urls", "Sites on the name.", By::Edges(SITE, ObjectType::Url)),
    VOTES,
];

/// Those of addresses.
pub(crate) const ADDRESS: &[Relationship] = &[
    COMMENTS,
    GRAPHS,
    CERTIFICATES,
    REGISTRATIONS,
    RESOLUTIONS,
    relationship("urls", "Sites on the address.", By::Sites),
    VOTES,
];

/// Those of URLs.
pub(crate) const URL: &[Relationship] = &[
    COMMENTS,
    relationship("embedded_urls", "Pages below the site.", By::Edges(&[EdgeKind::Page], ObjectType::Url)),
    GRAPHS,
    relationship("last_serving_ip_address", "The address that answered last.", By::Serving),
    relationship("network_location", "The name or address that the site is on.", By::Host),
    relationship(
        "redirects_to",
        "Hosts that the page redirects to.",
        By::Edges(&[EdgeKind::Redirect], ObjectType::Domain),
    ),
    VOTES,
];

/// Graphs of one object at most.
const GRAPHS_MAX: usize = 1_000;
/// Relationships that one call may ask for within objects: more than any client knows of one type.
const ASKED_MAX: usize = 40;
/// Descriptors of a relationship that an object contains; its `next` leads to the others.
const DESCRIPTORS_MAX: usize = 20;

fn of_type(kind: ObjectType) -> &'static [Relationship] {
    match kind {
        ObjectType::Domain => DOMAIN,
        ObjectType::File => &[],
        ObjectType::IpAddress => ADDRESS,
        ObjectType::Url => URL,
    }
}

/// What an object is related to by a name; nothing by one that its type does not have.
pub(crate) async fn related(call: &Call, kind: ObjectType, name: &str, found: &Known) -> Result<Related> {
    let Some(relationship) = of_type(kind).iter().find(|one| one.name == name) else {
        return Ok(Related::Many(Vec::new()));
    };
    let own = found.inventory.first().map_or("", |one| one.record.name.as_str());
    let many = match relationship.by {
        By::Host => return host(call, found.text().unwrap_or_default()).await,
        By::Parent => {
            let above = own.split_once('.').map(|(_, above)| above);
            let is_public = |above: &&str| registrable(above).is_some();
            return one(call, ObjectType::Domain, above.filter(is_public)).await;
        }
        By::Registered => {
            return one(call, ObjectType::Domain, registrable(own).filter(|domain| *domain != own)).await;
        }
        By::Serving => {
            let address = facts::serving_address(&found.inventory);
            return one(call, ObjectType::IpAddress, address.as_deref()).await;
        }
        By::Below => below(call, own).await?,
        By::Certificates => certificates::of(call, &found.inventory).await?,
        By::Comments => comments_on(call, kind, found).await?,
        By::Edges(edges, leads_to) => by_edges(call, edges, leads_to, &found.inventory).await?,
        By::Graphs => graphs_with(call, kind, found).await?,
        By::Records(rtype) => named_in_records(call, rtype, &found.inventory).await?,
        By::Registration => registrations::of(call, kind, found).await?,
        By::Resolutions => resolutions(call, kind, &found.inventory).await?,
        By::Siblings => siblings(call, own).await?,
        By::Sites => sites(call, own, &found.inventory).await?,
        By::Votes => votes::on(call, kind, &found.ids()).await?,
    };
    Ok(Related::Many(many))
}

/// What an object is related to, by name, where that is many; `None`: nobody whom the caller may ask knows it.
pub(crate) async fn related_to(call: &Call, kind: ObjectType, id: &str, name: &str) -> Result<Option<Vec<Object>>> {
    let Some(found) = known(call, kind, id).await? else { return Ok(None) };
    match related(call, kind, name, &found).await? {
        Related::Many(all) => Ok(Some(all)),
        Related::One(one) => Ok(Some(vec![*one])),
        Related::Nothing => Ok(Some(Vec::new())),
    }
}

/// The relationships that a request asks for within objects. Too many are refused, and so is what cannot be a name: a
/// client would take what is left out for what is not there.
pub(crate) fn asked(call: &Call) -> Result<Vec<String>> {
    let names = page::names(Relationships::relationships(call)).unwrap_or_default();
    if names.len() > ASKED_MAX {
        return Err(ApiError::bad(format!("At most {ASKED_MAX} relationships can be asked for at once")));
    }
    let is_name = |name: &str| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    match names.iter().find(|name| !is_name(name)) {
        Some(name) => Err(ApiError::bad(format!("{name:?} is no name of a relationship"))),
        None => Ok(names),
    }
}

/// Adds the relationships that the request asks for to an object: their first descriptors, how many there are, and
/// where the others are. One that its type does not have is empty.
pub(crate) async fn embed(call: &Call, object: &mut Object) -> Result<()> {
    let names = asked(call)?;
    let kind = ObjectType::from_name(&object.kind).filter(|_| object.error.is_none() && !names.is_empty());
    let Some(kind) = kind else { return Ok(()) };
    // A URL is looked for by itself: by its hash, the names of all are read.
    let id = object.attribute("url").and_then(Value::as_str).unwrap_or(&object.id).to_owned();
    let found = if kind == ObjectType::File { None } else { known(call, kind, &id).await? };
    let file = if kind == ObjectType::File { Some(files::hashes(call, &id).await?) } else { None };
    for name in &names {
        let related = match (&found, &file) {
            (Some(found), _) => related(call, kind, name, found).await?,
            (None, Some(file)) => Related::Many(of_file(call, file, name).await?),
            (None, None) => Related::Many(Vec::new()),
        };
        relate(call, object, name, &related);
    }
    Ok(())
}

/// Adds to an object of a list the votes on it and the relationships that the request asks for.
pub(crate) async fn complete(call: &Call, object: &mut Object) -> Result<()> {
    if let Some(kind) = ObjectType::from_name(&object.kind).filter(|_| object.error.is_none()) {
        objects::count_votes(call, kind, object).await?;
    }
    embed(call, object).await
}

/// Adds a relationship to an object: its first descriptors, how many there are, and where the others are.
pub(crate) fn relate(call: &Call, object: &mut Object, name: &str, related: &Related) {
    let Related::Many(all) = related else { return object.relate(name, related, false) };
    let part = all.get(..DESCRIPTORS_MAX).unwrap_or(all);
    let is_cut = part.len() < all.len();
    let next = is_cut.then(|| page::after_first(call, &object.address_of(name), DESCRIPTORS_MAX));
    object.relate_part(name, part, all.len(), next);
}

/// An object by the type and id of a list, with the relationships that the request asks for; one that is not known says
/// so.
pub(crate) async fn listed(call: &Call, kind: &str, id: &str) -> Result<Object> {
    let mut found = objects::shown_or_missing(call, kind, id).await?;
    complete(call, &mut found).await?;
    Ok(found)
}

/// What a file with these hashes, the SHA-256 first, is related to by a name; nothing by one that files do not have.
pub(crate) async fn of_file(call: &Call, hashes: &[String], name: &str) -> Result<Vec<Object>> {
    let Some(sha256) = hashes.first() else { return Ok(Vec::new()) };
    match name {
        "comments" => comments::on(call, ObjectType::File.name(), sha256).await,
        "graphs" => graphs_that(call, Leaf::File(hashes.to_vec())).await,
        "submissions" => submissions(call, sha256).await,
        "votes" => votes::on(call, ObjectType::File, std::slice::from_ref(sha256)).await,
        _ => Ok(Vec::new()),
    }
}

/// Who submitted a file, and when.
async fn submissions(call: &Call, sha256: &str) -> Result<Vec<Object>> {
    let Some(file) = files::known(call, sha256).await? else { return Ok(Vec::new()) };
    let found = call.store().submissions(sha256, file.visibility).await.about(files::NOUN)?;
    let shown = |one: Submission| {
        let date = Seconds::from(one.at);
        let id = format!("f-{sha256}-{}-{}", date.0, one.source);
        let attributes = SubmissionAttributes { date, interface: "api", source_key: one.source, name: Maybe(one.name) };
        Object::unaddressed("submission", &id, &attributes)
    };
    Ok(found.into_iter().map(shown).collect())
}

/// Answers with the asked page of a list of objects, each with the votes on it and the relationships that the request
/// asks for.
pub(crate) async fn page_of(call: &Call, all: Vec<Object>) -> Result<ObjectCollection> {
    let with_relationships = async |mut object: Object| {
        complete(call, &mut object).await?;
        Ok(object)
    };
    page::of_records(call, all, with_relationships).await
}

async fn one(call: &Call, kind: ObjectType, name: Option<&str>) -> Result<Related> {
    let Some(name) = name else { return Ok(Related::Nothing) };
    Ok(objects::find(call, kind, name).await?.map_or(Related::Nothing, Related::from))
}

async fn host(call: &Call, url: &str) -> Result<Related> {
    let host = host_of(url);
    let kind = if host.parse::<IpAddr>().is_ok() { ObjectType::IpAddress } else { ObjectType::Domain };
    one(call, kind, Some(host).filter(|host| !host.is_empty())).await
}

/// Names in the records of a type; one that nobody knows more of says so.
async fn named_in_records(call: &Call, rtype: &str, found: &[KnownObject]) -> Result<Vec<Object>> {
    let mut objects = Vec::new();
    for name in facts::names_in_records(found, rtype) {
        objects.push(objects::shown_or_missing(call, ObjectType::Domain.name(), &name).await?);
    }
    Ok(objects)
}

/// Names of the zone that a name is in, as its registrable domain leads to them.
async fn names_of_zone(call: &Call, own: &str) -> Result<Vec<Object>> {
    let top = registrable(own).unwrap_or(own);
    let mut zone = ObjectType::Domain.names(top);
    zone.extend(ObjectType::Domain.names(own));
    zone.dedup();
    let zone = call.store().known_objects(call.caller(), &zone).await.about("Object")?;
    by_edges(call, BELOW, ObjectType::Domain, &zone).await
}

/// Names below a name.
async fn below(call: &Call, own: &str) -> Result<Vec<Object>> {
    let end = format!(".{own}");
    Ok(names_of_zone(call, own).await?.into_iter().filter(|object| object.id.ends_with(&end)).collect())
}

/// Names below the same name; a registered domain has none.
async fn siblings(call: &Call, own: &str) -> Result<Vec<Object>> {
    let above = own.split_once('.').map(|(_, above)| above);
    if above.is_none_or(|above| registrable(above).is_none()) {
        return Ok(Vec::new());
    }
    let beside = |object: &Object| object.id != own && object.id.split_once('.').map(|(_, rest)| rest) == above;
    Ok(names_of_zone(call, own).await?.into_iter().filter(beside).collect())
}

/// Sites on the services of an address, and sites on its names that answered there.
async fn sites(call: &Call, address: &str, found: &[KnownObject]) -> Result<Vec<Object>> {
    let services = linked(call, found, Edges::away(&[EdgeKind::Service])).await?;
    let names = linked(call, found, Edges::towards(RESOLVES)).await?;
    let mut sites = linked(call, &services, Edges::away(SITE)).await?;
    let is_here = |socket: &str| socket.parse::<SocketAddr>().is_ok_and(|at| at.ip().to_string() == address);
    let seen = names.iter().flat_map(|name| domain::SITES.items(&name.record.details));
    let here: BTreeSet<String> = seen.filter(|site| is_here(&site.address)).map(|site| site.uri).collect();
    let of_names = linked(call, &names, Edges::away(SITE)).await?.into_iter();
    sites.extend(of_names.filter(|site| {
        let serving = facts::serving_address(std::slice::from_ref(site));
        here.contains(&site.record.name) || serving.is_none_or(|serving| serving == address)
    }));
    sites.retain(|site| ObjectType::Url.kinds().contains(&site.record.kind));
    Ok(as_objects(call, ObjectType::Url, sites))
}

/// What edges lead to.
async fn by_edges(call: &Call, kinds: &[EdgeKind], target: ObjectType, found: &[KnownObject]) -> Result<Vec<Object>> {
    let mut near = linked(call, found, Edges::away(kinds)).await?;
    near.retain(|one| target.kinds().contains(&one.record.kind));
    Ok(as_objects(call, target, near))
}

/// Entities of one type as objects, each name once.
fn as_objects(call: &Call, kind: ObjectType, mut found: Vec<KnownObject>) -> Vec<Object> {
    found.sort_by(|a, b| (&a.record.name, a.uid).cmp(&(&b.record.name, b.uid)));
    found.dedup_by(|a, b| a.uid == b.uid);
    let same = found.chunk_by(|a, b| a.record.name == b.record.name);
    same.filter_map(|same| shown(call, kind, same)).collect()
}

/// Names and addresses that belong together; the id of each is the address and the name.
async fn resolutions(call: &Call, kind: ObjectType, found: &[KnownObject]) -> Result<Vec<Object>> {
    let outward = kind == ObjectType::Domain;
    let edges = if outward { Edges::away(RESOLVES) } else { Edges::towards(RESOLVES) };
    let own = found.first().map(|one| one.record.name.clone()).unwrap_or_default();
    let mut pairs: Vec<Object> = linked(call, found, edges)
        .await?
        .into_iter()
        .map(|one| {
            let other = one.record.name;
            let (address, host) = if outward { (&other, &own) } else { (&own, &other) };
            let attributes = ResolutionAttributes {
                date: one.first_seen.into(),
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
async fn graphs_with(call: &Call, kind: ObjectType, found: &Known) -> Result<Vec<Object>> {
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
pub(crate) async fn graphs_that(call: &Call, leaf: Leaf) -> Result<Vec<Object>> {
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
pub(crate) async fn comments_on(call: &Call, kind: ObjectType, found: &Known) -> Result<Vec<Object>> {
    let mut comments = Vec::new();
    for id in found.ids() {
        comments.extend(call.store().comments_on(call.caller(), kind.name(), &id).await.about(comments::NOUN)?);
    }
    comments.sort_by_key(|comment| std::cmp::Reverse(comment.at));
    Ok(comments.iter().map(|comment| comments::shown(call, comment)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relationships_stand_once_and_in_order() {
        for list in [DOMAIN, ADDRESS, URL] {
            let names: Vec<&str> = list.iter().map(|one| one.name).collect();
            let mut sorted = names.clone();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(names, sorted);
            assert!(list.iter().all(|one| one.description.ends_with('.')));
        }
    }
}
