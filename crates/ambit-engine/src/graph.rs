//! The scope graph of a collection, kept in memory and brought up to date from the store's revisions. Decides; never
//! writes.

use ambit_model::reserved::Reserved;
use ambit_model::scope::{self, Blocks, Decided, Decision, Edge, Node, Rules};
use ambit_model::{Clearance, EdgeKind, Kind, Uid};
use ambit_store::engine::{End, GraphDelta};
use std::collections::{BTreeMap, BTreeSet};

/// A collection's entities and open edges, with what was decided of them last.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    /// The store's revision that this shows.
    pub(crate) revision: i64,
    nodes: BTreeMap<Uid, Node>,
    edges: BTreeSet<Edge>,
    state: BTreeMap<Uid, State>,
    /// Entities to which no path led when it was decided last.
    unreached: BTreeSet<Uid>,
    /// What was theirs by evidence alone when it was decided last.
    by_evidence: BTreeSet<Uid>,
    /// The given blocks and the parts of them that are others', as it was decided last.
    blocks: Blocks,
    /// What is closed to everybody but the installation's administrator.
    reserved: Reserved,
}

/// What is stored of a node beside its identity.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct State {
    /// Has an open `found` interval.
    pub(crate) observed: bool,
    pub(crate) present: bool,
    pub(crate) decision: Decision,
}

/// A decision that differs from the stored one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Change {
    pub(crate) uid: Uid,
    pub(crate) decision: Decision,
    pub(crate) present: bool,
    /// More may be done there than before.
    pub(crate) raised: bool,
}

impl Graph {
    /// An empty graph on an internet with these reserved ranges.
    pub(crate) fn beside(reserved: Reserved) -> Self {
        Self { reserved, ..Self::default() }
    }

    /// Takes in what changed. True where scope may be decided otherwise now: most records change in what scope does not
    /// look at.
    pub(crate) fn apply(&mut self, delta: GraphDelta) -> bool {
        let mut moved = self.revision == 0;
        self.revision = delta.revision;
        for known in delta.nodes {
            let uid = known.node.uid;
            let state = State { observed: known.observed, present: known.present, decision: known.decision };
            if self.state.get(&uid) != Some(&state) {
                self.state.insert(uid, state);
                moved = true;
            }
            if self.nodes.get(&uid) != Some(&known.node) {
                self.nodes.insert(uid, known.node);
                moved = true;
            }
        }
        for edge in delta.closed {
            moved |= self.edges.remove(&edge);
        }
        for edge in delta.opened {
            moved |= self.edges.insert(edge);
        }
        moved
    }

    /// Decides every node again and returns what differs from the store. The changes are taken as stored. Nothing is
    /// gone before the run is `ending`: what no path leads to for a while, because an answer that held it was replaced,
    /// may be found again by the next one.
    pub(crate) fn decide(&mut self, rules: &Rules, ending: bool) -> Vec<Change> {
        let before = |uid: &Uid| self.state.get(uid).map(|state| &state.decision);
        let (decided, blocks) = scope::decide_again(&self.nodes, &self.edges, rules, &self.reserved, before);
        let mut changes = Vec::new();
        self.blocks = blocks;
        self.unreached = decided.iter().filter(|node| !node.reached).map(|node| node.uid).collect();
        self.by_evidence = decided.iter().filter(|node| node.by_evidence).map(|node| node.uid).collect();
        for Decided { uid, reached, decision, .. } in decided {
            let Some(state) = self.state.get_mut(&uid) else { continue };
            let present = state.observed || reached || (state.present && !ending);
            if state.present == present && decision.is_none() {
                continue;
            }
            let decision = decision.unwrap_or_else(|| state.decision.clone());
            let raised = decision.clearance > state.decision.clearance;
            state.present = present;
            state.decision = decision.clone();
            changes.push(Change { uid, decision, present, raised });
        }
        changes
    }

    /// Entities that no path of open edges leads to any more, though old observations of theirs are still open.
    pub(crate) fn lost(&self) -> Vec<Uid> {
        let observed = |uid: &&Uid| self.state.get(uid).is_some_and(|state| state.observed);
        self.unreached.iter().filter(observed).copied().collect()
    }

    /// The node and state of an entity.
    pub(crate) fn get(&self, uid: &Uid) -> Option<(&Node, &State)> {
        Some((self.nodes.get(uid)?, self.state.get(uid)?))
    }

    /// What edges show of an entity at their other end.
    pub(crate) fn end(&self, uid: &Uid) -> Option<End<'_>> {
        let (node, state) = self.get(uid)?;
        Some(End {
            kind: node.kind,
            name: &node.name,
            scoped: state.decision.scoped(),
            by_evidence: self.by_evidence.contains(uid),
            clearance: state.decision.clearance,
        })
    }

    /// Every node with its state.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Node, &State)> {
        self.nodes.iter().filter_map(|(uid, node)| Some((node, self.state.get(uid)?)))
    }

    /// The given blocks and the parts of them that are others', by which the last decision was made.
    pub(crate) fn blocks(&self) -> &Blocks {
        &self.blocks
    }

    /// Names with an alias that leads to what is not theirs. What a platform serves by their name is no such alias.
    pub(crate) fn with_foreign_alias(&self) -> impl Iterator<Item = &str> {
        let is_others = |uid: &Uid| self.state.get(uid).is_none_or(|state| !state.decision.scoped());
        let aliases = self.edges.iter().filter(move |edge| edge.kind == EdgeKind::Alias && is_others(&edge.to));
        aliases.filter_map(|edge| self.nodes.get(&edge.from)).map(|node| node.name.as_str())
    }

    /// The addresses to which a name resolves, as far as is known.
    pub(crate) fn addresses_of(&self, name: &str) -> impl Iterator<Item = &str> {
        let named: BTreeSet<Uid> = self.nodes.values().filter(|node| node.name == name).map(|node| node.uid).collect();
        let resolves =
            self.edges.iter().filter(move |edge| edge.kind == EdgeKind::ResolvesTo && named.contains(&edge.from));
        resolves.filter_map(|edge| self.nodes.get(&edge.to)).map(|node| node.name.as_str())
    }

    /// Names that are theirs, or that may be visited, with each of the addresses to which they resolve, as far as is
    /// known. Names of others, and those that only spell an address, show nothing of whose that is.
    pub(crate) fn resolutions(&self) -> impl Iterator<Item = (&str, &Node, &State)> {
        self.edges.iter().filter(|edge| edge.kind == EdgeKind::ResolvesTo).filter_map(|edge| {
            let ((from, of_name), (to, state)) = (self.get(&edge.from)?, self.get(&edge.to)?);
            let shows = of_name.decision.clearance >= Clearance::L2 && !scope::spells(&from.name, &to.name);
            shows.then_some((from.name.as_str(), to, state))
        })
    }

    /// Names that resolve to these addresses, and the sites of those names: what may be done there follows the address.
    pub(crate) fn looked_at_by(&self, addresses: &BTreeSet<Uid>) -> BTreeSet<Uid> {
        if addresses.is_empty() {
            return BTreeSet::new();
        }
        let to_them = |edge: &&Edge| edge.kind == EdgeKind::ResolvesTo && addresses.contains(&edge.to);
        let names: BTreeSet<Uid> = self.edges.iter().filter(to_them).map(|edge| edge.from).collect();
        let of_them = |edge: &&Edge| matches!(edge.kind, EdgeKind::Site | EdgeKind::Page) && names.contains(&edge.from);
        let sites = self.edges.iter().filter(of_them).map(|edge| edge.to);
        sites.chain(names.iter().copied()).collect()
    }

    /// The addresses to which any of these names resolve, as far as is known.
    pub(crate) fn addresses_of_any(&self, names: &BTreeSet<String>) -> BTreeSet<Uid> {
        let is_named = |uid: &Uid| self.nodes.get(uid).is_some_and(|node| names.contains(&node.name));
        let leads = self.edges.iter().filter(|edge| edge.kind == EdgeKind::ResolvesTo && is_named(&edge.from));
        leads.map(|edge| edge.to).collect()
    }

    /// What is contacted at these addresses: they, what is there, and what looks at them.
    pub(crate) fn contacted_at(&self, addresses: BTreeSet<Uid>) -> BTreeSet<Uid> {
        if addresses.is_empty() {
            return addresses;
        }
        let is_place =
            |uid: &Uid| self.nodes.get(uid).is_some_and(|node| matches!(node.kind, Kind::NetworkService | Kind::Uri));
        let there = self.edges.iter().filter(|edge| addresses.contains(&edge.from) && is_place(&edge.to));
        let mut contacted = self.looked_at_by(&addresses);
        contacted.extend(there.map(|edge| edge.to));
        contacted.extend(addresses);
        contacted
    }

    /// Canonical names of the seeds.
    pub(crate) fn seeds(&self) -> Vec<(Kind, String)> {
        self.nodes.values().filter(|node| node.seed).map(|node| (node.kind, node.name.clone())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_model::scope::SharedBy;
    use ambit_model::{Clearance, EdgeKind};
    use ambit_store::engine::GraphNode;
    use uuid::Uuid;

    fn node(kind: Kind, name: &str, seed: bool, observed: bool) -> GraphNode {
        let uid = Uid::of_entity(Uuid::nil(), kind, name);
        GraphNode {
            node: Node { uid, kind, name: name.to_owned(), seed, allow: false, deny: false, shared: SharedBy::Nobody },
            observed,
            present: false,
            decision: Decision::unreached(),
        }
    }

    fn rules() -> Rules {
        Rules { ceiling: Clearance::L3, never: Vec::new() }
    }

    #[test]
    fn a_node_without_a_way_from_a_seed_is_lost_and_one_with_a_way_is_not() {
        let (seed, name) =
            (node(Kind::Domain, "acme.test", true, true), node(Kind::DnsRecord, "www.acme.test", false, true));
        let edge =
            Edge { from: seed.node.uid, to: name.node.uid, kind: EdgeKind::Subdomain, task: "zone_profile".to_owned() };
        let mut graph = Graph::default();
        graph.apply(GraphDelta {
            revision: 1,
            nodes: vec![seed, name.clone()],
            opened: vec![edge.clone()],
            closed: Vec::new(),
        });
        let changes = graph.decide(&rules(), true);
        assert_eq!(changes.len(), 2);
        assert!(changes.iter().all(|change| change.present && change.decision.scoped()));
        assert!(graph.lost().is_empty());
        assert!(graph.decide(&rules(), true).is_empty(), "deciding twice changes nothing");
        graph.apply(GraphDelta { revision: 2, nodes: Vec::new(), opened: Vec::new(), closed: vec![edge] });
        let changes = graph.decide(&rules(), true);
        assert_eq!(changes.len(), 1);
        assert!(changes[0].present, "its own observations are still open");
        assert_eq!(graph.lost(), vec![name.node.uid]);
    }

    #[test]
    fn what_scope_does_not_look_at_needs_no_new_decision() {
        let mut seed = node(Kind::Domain, "acme.test", true, true);
        let delta =
            |revision, node: &GraphNode| GraphDelta { revision, nodes: vec![node.clone()], ..GraphDelta::default() };
        let mut graph = Graph::default();
        assert!(graph.apply(delta(1, &seed)), "the first look");
        let changes = graph.decide(&rules(), true);
        // What was decided comes back once it is stored.
        (seed.decision, seed.present) = (changes[0].decision.clone(), changes[0].present);
        assert!(!graph.apply(delta(2, &seed)));
        seed.node.deny = true;
        assert!(graph.apply(delta(3, &seed)), "a person's word");
        seed.observed = false;
        assert!(graph.apply(delta(4, &seed)));
    }
}
