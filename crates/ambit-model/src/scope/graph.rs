//! The graph over indexes: nodes in the order of their uids, edges grouped by where they start, and what stands before
//! any path. It weighs nothing.

use super::fixed::{Fixed, Words};
use super::spelled::spells;
use super::{Edge, Node, Rules, ScopeReason};
use crate::entity::{host_of, registrable};
use crate::reserved::Reserved;
use crate::{Clearance, EdgeKind, Kind, Uid};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Nodes, edges, and the decisions that need no path.
pub(super) struct Graph<'a> {
    pub(super) nodes: Vec<&'a Node>,
    pub(super) links: Vec<Link<'a>>,
    /// The links of each node, by where they end.
    pub(super) outward: Vec<Range<usize>>,
    /// Decisions that precede any path.
    pub(super) fixed: Vec<Option<Fixed>>,
    /// How many foreign registrable domains a certificate names.
    pub(super) foreign_domains: Vec<usize>,
    /// Addresses to which a name resolves that is not among the nodes.
    pub(super) strangely_named: Vec<bool>,
    /// Domains of third parties that resemble one of theirs: no evidence makes them theirs.
    pub(super) resembling: Vec<bool>,
    /// The highest clearance of the collection.
    pub(super) ceiling: Clearance,
}

/// An edge whose both ends are known.
pub(super) struct Link<'a> {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) edge: &'a Edge,
}

impl<'a> Graph<'a> {
    pub(super) fn new(
        nodes: &'a BTreeMap<Uid, Node>,
        edges: &'a BTreeSet<Edge>,
        rules: &Rules,
        reserved: &Reserved,
    ) -> Self {
        let uids: Vec<Uid> = nodes.keys().copied().collect();
        let mut place = Cursor::default();
        let nodes: Vec<&Node> = nodes.values().collect();
        let words = Words::new(&nodes, rules, reserved);
        let mut fixed: Vec<Option<Fixed>> = nodes.iter().map(|node| words.on(node)).collect();
        let index = |uid: Uid| uids.binary_search(&uid).ok();
        let (mut strangely_named, mut resembling) = (vec![false; nodes.len()], vec![false; nodes.len()]);
        let mut links = Vec::with_capacity(edges.len());
        for edge in edges {
            match (place.of(edge.from, &uids), index(edge.to)) {
                (Some(from), Some(to)) => {
                    resembling[to] |= edge.kind == EdgeKind::Resembles;
                    links.push(Link { from, to, edge });
                }
                (None, Some(to)) if edge.kind == EdgeKind::ResolvesTo => strangely_named[to] = true,
                _ => {}
            }
        }
        // The set is ordered by the uid of the start, and indexes follow the uids.
        let mut outward = vec![0..0; nodes.len()];
        for (at, link) in links.iter().enumerate() {
            let range = &mut outward[link.from];
            let start = if range.start == range.end { at } else { range.start };
            *range = start..at + 1;
        }
        close_by_names(&nodes, &links, &mut fixed);
        Self {
            foreign_domains: foreign_domains(&nodes, &links, &outward),
            nodes,
            links,
            outward,
            fixed,
            strangely_named,
            resembling,
            ceiling: rules.ceiling,
        }
    }

    /// Returns true for seeds and allowed entities that nothing closes.
    pub(super) fn is_given(&self, node: usize) -> bool {
        self.fixed[node].as_ref().is_some_and(|fixed| fixed.ownership > 0)
    }

    pub(super) fn outward(&self, node: usize) -> impl Iterator<Item = &Link<'a>> {
        self.links[self.outward[node].clone()].iter()
    }

    pub(super) fn links_of(&self, kind: EdgeKind) -> impl Iterator<Item = &Link<'a>> {
        self.links.iter().filter(move |link| link.edge.kind == kind)
    }

    /// True where an edge of the kind leads from the one to the other.
    pub(super) fn joins(&self, from: usize, to: usize, kind: EdgeKind) -> bool {
        let links = &self.links[self.outward[from].clone()];
        let first = links.partition_point(|link| link.to < to);
        links[first..].iter().take_while(|link| link.to == to).any(|link| link.edge.kind == kind)
    }

    /// The nodes to which a path of edges leads from a seed, and the seeds.
    pub(super) fn reached(&self) -> Vec<bool> {
        let mut reached: Vec<bool> = self.nodes.iter().map(|node| node.seed).collect();
        let mut queue: Vec<usize> = (0..self.len()).filter(|node| reached[*node]).collect();
        while let Some(from) = queue.pop() {
            for link in self.outward(from) {
                if !std::mem::replace(&mut reached[link.to], true) {
                    queue.push(link.to);
                }
            }
        }
        reached
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }
}

/// The last index that was asked for: edges come in the order of the uids where they start, so that each index is
/// found beside the one before.
#[derive(Default)]
struct Cursor(usize);

impl Cursor {
    fn of(&mut self, uid: Uid, uids: &[Uid]) -> Option<usize> {
        while uids.get(self.0).is_some_and(|known| *known < uid) {
            self.0 += 1;
        }
        (uids.get(self.0) == Some(&uid)).then_some(self.0)
    }
}

/// Closes addresses on which only closed names are known, or names that are aliases through closed ones: who takes a
/// name out means the machine behind it, also inside a block of theirs. A name that only spells the address is its
/// provider's and does not count. Decisions about the address itself stay.
fn close_by_names(nodes: &[&Node], links: &[Link<'_>], fixed: &mut [Option<Fixed>]) {
    let closed = |node: usize| fixed[node].as_ref().filter(|fixed| fixed.ownership == 0).map(|fixed| &fixed.reason);
    let mut cut: Vec<Option<ScopeReason>> = (0..nodes.len()).map(|node| closed(node).cloned()).collect();
    for link in links.iter().filter(|link| matches!(link.edge.kind, EdgeKind::Alias | EdgeKind::HostedAlias)) {
        if cut[link.from].is_none() {
            cut[link.from] = closed(link.to).cloned();
        }
    }
    let mut closed_by: Vec<Option<ScopeReason>> = vec![None; nodes.len()];
    let mut has_other = vec![false; nodes.len()];
    for link in links.iter().filter(|link| link.edge.kind == EdgeKind::ResolvesTo) {
        match &cut[link.from] {
            Some(reason) => closed_by[link.to] = closed_by[link.to].take().max(Some(reason.clone())),
            None => has_other[link.to] |= !spells(host_of(&nodes[link.from].name), &nodes[link.to].name),
        }
    }
    for (at, fixed) in fixed.iter_mut().enumerate() {
        let reason =
            closed_by[at].take().filter(|_| fixed.is_none() && !has_other[at] && nodes[at].kind == Kind::IpAddress);
        *fixed = fixed.take().or(reason.map(Fixed::closed));
    }
}

/// For each certificate, how many different registrable domains its foreign names belong to.
fn foreign_domains(nodes: &[&Node], links: &[Link<'_>], outward: &[Range<usize>]) -> Vec<usize> {
    let domains = |range: &Range<usize>| {
        let names = links[range.clone()]
            .iter()
            .filter(|link| link.edge.kind == EdgeKind::ForeignCertificateName)
            .map(|link| nodes[link.to].name.as_str());
        names.map(|name| registrable(name).unwrap_or(name)).collect::<BTreeSet<_>>().len()
    };
    outward.iter().map(domains).collect()
}
