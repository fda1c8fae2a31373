//! Blocks that are given and the parts of them that are others': what an address in them is worth, whatever leads to
//! it. Scope decides by them, and so does the guard of addresses that nobody decided of yet.

use super::SharedBy;
use super::graph::{Graph, Link};
use super::registrant::registrant_key;
use crate::entity::{GroundKind, is_too_wide};
use crate::networks::Networks;
use crate::{EdgeKind, Kind};
use ipnet::IpNet;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::net::IpAddr;

/// Bits of the addresses of a given block in which each is meant as if it had been named: 256 of them.
const MEANT_BITS_MAX: u8 = 8;

/// Why an edge counts for more or less, and the node that shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reason {
    pub(super) kind: GroundKind,
    pub(super) node: usize,
}

impl Reason {
    /// True for a block that is given: a person named or allowed it, or a network that is given announces it.
    pub(super) fn is_given(&self) -> bool {
        matches!(self.kind, GroundKind::SeededBlock | GroundKind::AnnouncedBlock)
    }
}

/// The edges to blocks within others that are not theirs with these, as far as is known, and what that is told as.
pub(super) const APART: [(EdgeKind, GroundKind); 2] =
    [(EdgeKind::UnknownPart, GroundKind::UnknownPart), (EdgeKind::Suballocation, GroundKind::ForeignAllocation)];

/// Blocks that a person named or allowed or that a network which is given announces, and the parts of them that
/// somebody else registered or of which that could not be asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Blocks {
    known: Networks<Reason>,
    /// Those that a person named or allowed and that are so small that each address is meant.
    meant: Vec<IpNet>,
}

impl Blocks {
    /// `registrant`: of each node, who registered it where that is one of theirs.
    pub(super) fn new(graph: &Graph<'_>, registrant: &[Option<usize>]) -> Self {
        let mut known: HashMap<IpNet, Reason> = HashMap::new();
        let net = |node: usize| graph.nodes[node].name.parse::<IpNet>().ok().map(|net| net.trunc());
        // A registration to a third party overrides a block whose holder could not be determined.
        for (edge, kind) in APART {
            for link in graph.links_of(edge).filter(|link| registrant[link.to].is_none()) {
                known.extend(net(link.to).map(|net| (net, Reason { kind, node: link.to })));
            }
        }
        for (net, node) in registered_apart(graph).into_iter().filter(|(_, node)| registrant[*node].is_none()) {
            known.insert(net, Reason { kind: GroundKind::ForeignAllocation, node });
        }
        let is_block = |node: &usize| graph.nodes[*node].kind == Kind::NetBlock && graph.is_given(*node);
        let named: Vec<usize> = (0..graph.len()).filter(is_block).collect();
        for node in &named {
            let kind = GroundKind::SeededBlock;
            known.extend(net(*node).map(|net| (net, Reason { kind, node: *node })));
        }
        for link in announced(graph).filter(|link| !graph.is_given(link.to)) {
            let kind = GroundKind::AnnouncedBlock;
            known.extend(net(link.to).map(|net| (net, Reason { kind, node: link.to })));
        }
        let is_small = |net: &IpNet| net.max_prefix_len() - net.prefix_len() <= MEANT_BITS_MAX;
        Self { meant: named.into_iter().filter_map(net).filter(is_small).collect(), known: known.into_iter().collect() }
    }

    /// The narrowest of them around an address, and what it is.
    pub(super) fn around(&self, address: IpAddr) -> Option<Reason> {
        self.narrowest(address).map(|(_, reason)| reason)
    }

    /// The block that is given around an address; `None` where there is none, or a part of it that is others' is around
    /// the address.
    pub fn given(&self, address: IpAddr) -> Option<IpNet> {
        self.narrowest(address).filter(|(_, reason)| reason.is_given()).map(|(net, _)| net)
    }

    /// Returns whether third parties share an address, whatever the block around it says. Who was given a block, or
    /// announces it, may serve others there, so that their names say nothing against it; where only the registrant's
    /// name speaks for it, they do. A known platform is one in a block as well, unless a person named so few addresses
    /// that each of them is meant.
    pub fn is_shared(&self, address: IpAddr, shared: SharedBy) -> bool {
        match shared {
            SharedBy::Nobody => false,
            SharedBy::Names => self.given(address).is_none(),
            SharedBy::Platform => self.given(address).is_none() || !self.meant.iter().any(|net| net.contains(&address)),
        }
    }

    fn narrowest(&self, address: IpAddr) -> Option<(IpNet, Reason)> {
        self.known.narrowest(address).map(|(net, reason)| (net, *reason))
    }
}

/// The edges to blocks that networks which are given announce. A default route is nobody's block.
fn announced<'a>(graph: &'a Graph<'_>) -> impl Iterator<Item = &'a Link<'a>> {
    let is_block = |node: usize| !is_too_wide(&graph.nodes[node].name);
    graph.links_of(EdgeKind::Announces).filter(move |link| graph.is_given(link.from) && is_block(link.to))
}

/// Blocks that addresses told of and that somebody else registered: the registrants of the narrowest block around the
/// address are known, and so are those of a given block around that, or of one that a given network announces, and none
/// is the same.
fn registered_apart(graph: &Graph<'_>) -> Vec<(IpNet, usize)> {
    let is_given = |node: &usize| graph.nodes[*node].kind == Kind::NetBlock && graph.is_given(*node);
    let announced = announced(graph).map(|link| link.to);
    let given: BTreeSet<usize> = (0..graph.len()).filter(is_given).chain(announced).collect();
    if given.is_empty() {
        return Vec::new();
    }
    let mut holders: HashMap<usize, HashSet<String>> = HashMap::new();
    for link in graph.links_of(EdgeKind::Registrant).filter(|link| graph.nodes[link.to].kind == Kind::Organization) {
        holders.entry(link.from).or_default().insert(registrant_key(&graph.nodes[link.to].name));
    }
    let net = |node: usize| graph.nodes[node].name.parse::<IpNet>().ok().map(|net| net.trunc());
    let given = given.into_iter().filter_map(|node| Some((net(node)?, holders.get(&node)?)));
    let given: Vec<(IpNet, &HashSet<String>)> = given.collect();
    let mut apart = Vec::new();
    for link in graph.links_of(EdgeKind::CoveringBlock).filter(|link| !graph.is_given(link.to)) {
        let (Some(block), Some(own)) = (net(link.to), holders.get(&link.from)) else { continue };
        let around = given.iter().filter(|(net, _)| net.contains(&block) && net.prefix_len() < block.prefix_len());
        let narrowest = around.max_by_key(|(net, _)| net.prefix_len());
        if narrowest.is_some_and(|(_, holders)| own.is_disjoint(holders)) {
            apart.push((block, link.to));
        }
    }
    apart
}
