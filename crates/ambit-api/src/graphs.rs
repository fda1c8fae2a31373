//! Entities and their edges as a graph of the wider API: nodes and links as clients of graphs write them
//! (docs/contract/graphs.md §1). Ours is only that it is made from the inventory; kept and searched it is like any
//! other graph.

use crate::contract::{Maybe, contract};
use crate::objects::Seconds;
use ambit_model::id::blob_hash;
use ambit_model::object::ObjectType;
use ambit_model::{EdgeKind, Kind, Uid};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::TAU;

/// Steps from the first entities that can be asked for: three lead from a name over its address to all that stands
/// there.
pub const DEPTH_MAX: u64 = 3;
/// The version of the form, for clients that look.
const FORM_VERSION: &str = "api-1.0.0";
/// Distance between rings, and of neighbours on a ring, in the units of a canvas.
const RING: f64 = 200.0;
const SPACING: f64 = 40.0;

/// An entity of the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    pub uid: Uid,
    pub kind: Kind,
    /// The canonical name.
    pub name: String,
    /// Steps from the first entities.
    pub depth: usize,
}

/// An edge between two of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Link {
    pub from: Uid,
    pub kind: EdgeKind,
    pub to: Uid,
}

/// The attributes of a graph: each entity a node on the ring of its depth, each edge two links through a node that
/// names it, shared by all edges of a kind that leave the same entity. Entities that are one object (a name as domain
/// and as record) share a node. Edges to entities that are not among the nodes are left out.
pub fn graph_document(title: &str, entities: &[Node], edges: &[Link]) -> Map<String, Value> {
    let mut drawing = Drawing::default();
    let mut ids: BTreeMap<Uid, String> = BTreeMap::new();
    let mut rings: BTreeMap<usize, Vec<Value>> = BTreeMap::new();
    for entity in entities {
        let id = entity_id(entity);
        if drawing.seen.insert(id.clone()) {
            rings.entry(entity.depth).or_default().push(node(entity, &id));
        }
        ids.insert(entity.uid, id);
    }
    for (depth, ring) in rings {
        drawing.place(depth, ring);
    }
    let edges: BTreeSet<&Link> = edges.iter().collect();
    for edge in edges {
        if let (Some(from), Some(to)) = (ids.get(&edge.from), ids.get(&edge.to))
            && from != to
        {
            drawing.link(from, &edge.kind.name(), to);
        }
    }
    Map::from_iter([
        ("graph_data".to_owned(), json!({"description": title, "version": FORM_VERSION})),
        ("nodes".to_owned(), Value::Array(drawing.nodes)),
        ("links".to_owned(), Value::Array(drawing.links)),
        ("representation".to_owned(), json!("force_graph")),
    ])
}

/// URLs are named by their hash, as in the rest of the wider API.
fn entity_id(entity: &Node) -> String {
    if ObjectType::of_kind(entity.kind) == Some(ObjectType::Url) {
        return blob_hash(entity.name.as_bytes()).to_string();
    }
    entity.name.clone()
}

fn node(entity: &Node, id: &str) -> Value {
    let node_type = ObjectType::node_type(entity.kind);
    let mut attributes = json!({"has_detections": 0, "uid": entity.uid});
    if node_type == "custom" {
        attributes["custom_type"] = json!(entity.kind.name());
    }
    json!({"entity_id": id, "type": node_type, "text": entity.name, "entity_attributes": attributes})
}

#[derive(Default)]
struct Drawing {
    nodes: Vec<Value>,
    links: Vec<Value>,
    /// Ids of nodes, and pairs of ids that are linked.
    seen: BTreeSet<String>,
    linked: BTreeSet<(String, String)>,
    places: BTreeMap<String, (f64, f64)>,
}

impl Drawing {
    fn place(&mut self, depth: usize, ring: Vec<Value>) {
        let size = ring.len().max(1) as f64;
        let radius = match (depth, ring.len()) {
            (0, 1) => 0.0,
            _ => (RING * (depth + 1) as f64).max(size * SPACING / TAU),
        };
        for (index, node) in ring.into_iter().enumerate() {
            let angle = TAU * index as f64 / size;
            self.add(node, radius * angle.cos(), radius * angle.sin());
        }
    }

    fn add(&mut self, mut node: Value, x: f64, y: f64) {
        let (x, y) = (x.round(), y.round());
        node["index"] = json!(self.nodes.len());
        node["x"] = json!(x);
        node["y"] = json!(y);
        let id = node["entity_id"].as_str().unwrap_or_default().to_owned();
        self.places.insert(id, (x, y));
        self.nodes.push(node);
    }

    /// Links two nodes through one that says how.
    fn link(&mut self, from: &str, kind: &str, to: &str) {
        let between = format!("relationships_{kind}_{}", from.replace('.', ""));
        if self.seen.insert(between.clone()) {
            let at = |id: &str| self.places.get(id).copied().unwrap_or_default();
            let ((from_x, from_y), (to_x, to_y)) = (at(from), at(to));
            let node = json!({"entity_id": between, "type": "relationship", "text": "",
            "entity_attributes": {"relationship_type": kind}});
            self.add(node, f64::midpoint(from_x, to_x), f64::midpoint(from_y, to_y));
        }
        for (source, target) in [(from, between.as_str()), (between.as_str(), to)] {
            if self.linked.insert((source.to_owned(), target.to_owned())) {
                self.links.push(json!({"source": source, "target": target, "connection_type": kind}));
            }
        }
    }
}

contract! {
    /// The body: an entity or a query, and how the graph is to be.
    #[derive(Debug, Deserialize)]
    pub struct NewInventoryGraph {
        pub entity: Maybe<String>,
        pub query: Maybe<String>,
        pub depth: Maybe<i64>,
        pub name: Maybe<String>,
        pub private: Maybe<bool>,
    }

    /// The graph that was made: `complete` is false where there was more than a graph holds.
    #[derive(Debug, Serialize)]
    pub struct InventoryGraph {
        pub id: String,
        pub name: String,
        pub private: bool,
        pub entities: usize,
        pub links: usize,
        pub complete: bool,
    }

    /// An entity in its neighbourhood, so many steps from what was asked for.
    #[derive(Debug, Serialize)]
    pub struct NeighbourhoodEntity {
        pub uid: Uid,
        #[serde(rename = "type")]
        pub kind: String,
        pub name: String,
        pub depth: usize,
    }

    /// An edge between two entities of the neighbourhood.
    #[derive(Debug, Serialize)]
    pub struct NeighbourhoodEdge {
        pub from: Uid,
        pub kind: String,
        pub to: Uid,
    }

    /// The neighbours of entities; `complete` is false if there are more than an answer holds.
    #[derive(Debug, Serialize)]
    pub struct Neighbourhood {
        pub entities: Vec<NeighbourhoodEntity>,
        pub edges: Vec<NeighbourhoodEdge>,
        pub complete: bool,
    }
}

impl Neighbourhood {
    /// Entities and the edges between them; edges to entities that are not among them are left out.
    pub fn of(entities: Vec<Node>, links: &[Link], complete: bool) -> Self {
        let known: BTreeSet<Uid> = entities.iter().map(|entity| entity.uid).collect();
        let edges = links.iter().filter(|link| known.contains(&link.from) && known.contains(&link.to));
        Self {
            edges: edges
                .map(|link| NeighbourhoodEdge { from: link.from, kind: link.kind.name(), to: link.to })
                .collect(),
            entities: entities
                .into_iter()
                .map(|entity| NeighbourhoodEntity {
                    uid: entity.uid,
                    kind: entity.kind.type_name(),
                    name: entity.name,
                    depth: entity.depth,
                })
                .collect(),
            complete,
        }
    }
}

/// The attributes of a graph of the wider API: as they were sent, and those that the server keeps.
#[derive(Debug, Serialize)]
pub struct GraphAttributes<'a> {
    #[serde(flatten)]
    pub document: &'a Map<String, Value>,
    pub private: bool,
    pub creation_date: Seconds,
    pub last_modified_date: Seconds,
    pub comments_count: i64,
    pub views_count: i64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn entity(kind: Kind, name: &str, depth: usize) -> Node {
        let uid = Uid::of_entity(Uuid::nil(), kind, name);
        Node { uid, kind, name: name.to_owned(), depth }
    }

    #[test]
    fn edges_go_through_a_node_that_names_them_and_one_object_is_one_node() {
        let domain = entity(Kind::Domain, "acme.test", 0);
        let record = entity(Kind::DnsRecord, "acme.test", 0);
        let one = entity(Kind::IpAddress, "203.0.113.1", 1);
        let two = entity(Kind::IpAddress, "203.0.113.2", 1);
        let block = entity(Kind::NetBlock, "203.0.113.0/24", 2);
        let link = |from: &Node, kind, to: &Node| Link { from: from.uid, kind, to: to.uid };
        let edges = [
            link(&domain, EdgeKind::ResolvesTo, &one),
            link(&record, EdgeKind::ResolvesTo, &one),
            link(&domain, EdgeKind::ResolvesTo, &two),
            link(&one, EdgeKind::CoveringBlock, &block),
            link(&domain, EdgeKind::RegistrableDomain, &record),
            link(&domain, EdgeKind::ResolvesTo, &entity(Kind::IpAddress, "203.0.113.9", 1)),
        ];
        let document = graph_document("Acme", &[domain, record, one, two, block], &edges);
        let nodes = document["nodes"].as_array().unwrap();
        let mut shown: Vec<_> =
            nodes.iter().map(|node| format!("{} {}", node["type"], node["entity_id"]).replace('"', "")).collect();
        shown.sort();
        let expected = [
            "custom 203.0.113.0/24",
            "domain acme.test",
            "ip_address 203.0.113.1",
            "ip_address 203.0.113.2",
            "relationship relationships_covering_block_20301131",
            "relationship relationships_resolves_to_acmetest",
        ];
        assert_eq!(shown, expected);
        assert_eq!(document["links"].as_array().unwrap().len(), 5);
        assert_eq!(document["graph_data"]["description"], "Acme");
    }
}
