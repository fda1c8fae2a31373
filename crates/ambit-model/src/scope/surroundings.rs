//! What stands around a node, beside its best path, and holds whatever is decided: registrants, blocks within blocks,
//! delegations. It is read once; what depends on decisions is in `known.rs`.

use super::Node;
use super::SharedBy;
use super::graph::{Graph, Link};
use crate::entity::{GroundKind, host_of};
use crate::{EdgeKind, Kind, TaskName, platforms};
use ipnet::IpNet;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::net::IpAddr;

/// Why an edge counts for more or less, and the node that shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reason {
    pub(super) kind: GroundKind,
    pub(super) node: usize,
}

/// What holds whatever is decided of paths.
pub(super) struct Surroundings {
    /// Of an address in a block that is a seed or allowed, or that a network which is one announces: that block; of one
    /// in a block within it that somebody else registered: that one.
    pub(super) block: Vec<Option<Reason>>,
    /// Of an address: whether third parties share it, whatever the block around it says.
    pub(super) is_shared: Vec<bool>,
    /// Of a domain, an address or a block: who registered it, where that is the registrant of a seed or writes from a
    /// mailbox in a seed's domain.
    pub(super) registrant: Vec<Option<usize>>,
    /// Of a name: the name at or above it that is delegated to other authorities.
    pub(super) delegated: Vec<Option<usize>>,
    /// Domains that are seeds and that nothing closes.
    seed_domains: HashSet<String>,
    /// Names that stand in certificates, each with the nodes of the names at it and above it.
    certified: Vec<(usize, Vec<usize>)>,
}

impl Surroundings {
    pub(super) fn new(graph: &Graph<'_>) -> Self {
        let registrant = registrants(graph);
        let seed_domains = seed_domains(graph).map(str::to_owned).collect();
        let block = blocks(graph, &registrant);
        Self {
            is_shared: shared(graph, &block),
            block,
            delegated: delegated(graph),
            registrant,
            seed_domains,
            certified: certified(graph),
        }
    }

    /// Of a name that stands in a certificate: whether one of theirs is at it or above it.
    pub(super) fn within_theirs(&self, scoped: &impl Fn(usize) -> bool) -> HashSet<usize> {
        let within = self.certified.iter().filter(|(_, above)| above.iter().any(|node| scoped(*node)));
        within.map(|(name, _)| *name).collect()
    }

    /// True for a name that is a seed's domain, or below one.
    pub(super) fn is_in_seed(&self, name: &str) -> bool {
        levels(name).any(|level| self.seed_domains.contains(level))
    }

    /// True for an address in a block that is a seed or theirs by a seed, or that the registrant of a seed holds.
    pub(super) fn is_registered_as_theirs(&self, address: usize) -> bool {
        self.registrant[address].is_some() || self.given_block(address).is_some()
    }

    /// The block that is a seed, or that a network which is one announces, that an address is in.
    pub(super) fn given_block(&self, address: usize) -> Option<Reason> {
        self.block[address].filter(is_given)
    }

    /// The block that an address is in, within one that is a seed or announced, and that is registered to somebody
    /// else, or of which that could not be asked.
    pub(super) fn foreign_allocation(&self, node: usize) -> Option<Reason> {
        self.block[node].filter(|reason| !is_given(reason))
    }
}

/// True for a block that is a seed, or that a network which is one announces.
fn is_given(reason: &Reason) -> bool {
    matches!(reason.kind, GroundKind::SeededBlock | GroundKind::AnnouncedBlock)
}

/// The edges to blocks within others that are not theirs with these, as far as is known, and what that is told as.
pub(super) const APART: [(EdgeKind, GroundKind); 2] =
    [(EdgeKind::UnknownPart, GroundKind::UnknownPart), (EdgeKind::Suballocation, GroundKind::ForeignAllocation)];

/// A registrant's name as it is compared: letters and digits of any script in lower case, words apart by one blank.
/// Nothing is guessed beyond that.
pub fn registrant_key(name: &str) -> String {
    let words = name.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// Returns true for a seed domain whose name servers are known and are its own, another seed's or a known platform's.
/// One that a third party serves may be registered by that party in its own name: its registrant holds the blocks of
/// all of its customers.
fn speaks_for_itself(graph: &Graph<'_>, domain: usize, domains: &HashSet<&str>) -> bool {
    let servers = graph.outward(domain).filter(|link| is_own_server(graph, link));
    let mut servers = servers.map(|link| graph.nodes[link.to].name.as_str()).peekable();
    servers.peek().is_some()
        && servers
            .all(|server| platforms::is_name_server(server) || levels(server).any(|level| domains.contains(level)))
}

/// True for a link from a name to one of its name servers, and not to one of a name below it that it was handed to.
pub(super) fn is_own_server(graph: &Graph<'_>, link: &Link<'_>) -> bool {
    graph.nodes[link.to].kind == Kind::Nameserver && link.edge.task != TaskName::Referrals.as_str()
}

/// Who allows one domain of somebody's has not named what else its registrant holds.
fn is_seed_domain(graph: &Graph<'_>, node: usize) -> bool {
    graph.nodes[node].kind == Kind::Domain && graph.nodes[node].seed && graph.is_given(node)
}

fn seed_domains<'a>(graph: &'a Graph<'_>) -> impl Iterator<Item = &'a str> {
    (0..graph.len()).filter(|node| is_seed_domain(graph, *node)).map(|node| graph.nodes[node].name.as_str())
}

/// Of each domain, address and block, its registrant where that is the one of a seed's domain, or a mailbox in one.
fn registrants(graph: &Graph<'_>) -> Vec<Option<usize>> {
    let mut found = vec![None; graph.len()];
    let named = || graph.links_of(EdgeKind::Registrant).filter(|link| graph.nodes[link.to].kind == Kind::Organization);
    let domains: HashSet<&str> = seed_domains(graph).collect();
    let keys: HashSet<String> = named()
        .filter(|link| is_seed_domain(graph, link.from) && speaks_for_itself(graph, link.from, &domains))
        .map(|link| registrant_key(&graph.nodes[link.to].name))
        .filter(|key| !key.is_empty())
        .collect();
    let theirs = |node: &Node| match node.kind {
        Kind::Organization => !keys.is_empty() && keys.contains(&registrant_key(&node.name)),
        Kind::EmailAddress => levels(host_of(&node.name)).any(|level| domains.contains(level)),
        _ => false,
    };
    for link in graph.links_of(EdgeKind::Registrant).filter(|link| theirs(graph.nodes[link.to])) {
        let known = found[link.from].get_or_insert(link.to);
        if graph.nodes[link.to].name < graph.nodes[*known].name {
            *known = link.to;
        }
    }
    found
}

/// The name and those above it.
pub(super) fn levels(name: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(name), |name| name.split_once('.').map(|(_, above)| above))
}

/// The ends of `certificate_name` edges, each with the nodes of the names at it and above it.
fn certified(graph: &Graph<'_>) -> Vec<(usize, Vec<usize>)> {
    let ends: BTreeSet<usize> = graph.links_of(EdgeKind::CertificateName).map(|link| link.to).collect();
    if ends.is_empty() {
        return Vec::new();
    }
    let is_name = |node: &usize| matches!(graph.nodes[*node].kind, Kind::Domain | Kind::DnsRecord);
    let mut named: HashMap<&str, Vec<usize>> = HashMap::new();
    for node in (0..graph.len()).filter(is_name) {
        named.entry(&graph.nodes[node].name).or_default().push(node);
    }
    let above = |end: usize| levels(&graph.nodes[end].name).filter_map(|level| named.get(level)).flatten().copied();
    ends.into_iter().map(|end| (end, above(end).collect())).collect()
}

/// Returns names that were delegated to other authorities, and those below them. What the domain's own zone serves is
/// theirs, and so is a name that is a seed.
fn delegated(graph: &Graph<'_>) -> Vec<Option<usize>> {
    let mut cuts: HashMap<&str, usize> = HashMap::new();
    for link in graph.links_of(EdgeKind::DelegatedSubdomain) {
        cuts.insert(&graph.nodes[link.to].name, link.to);
    }
    for link in graph.links_of(EdgeKind::Subdomain) {
        cuts.remove(graph.nodes[link.to].name.as_str());
    }
    if cuts.is_empty() {
        return vec![None; graph.len()];
    }
    let given: HashSet<&str> =
        (0..graph.len()).filter(|node| graph.is_given(*node)).map(|node| graph.nodes[node].name.as_str()).collect();
    let of = |node: &&Node| {
        let host =
            matches!(node.kind, Kind::DnsRecord | Kind::Nameserver | Kind::Mailserver).then_some(node.name.as_str())?;
        levels(host).take_while(|level| !given.contains(level)).find_map(|level| cuts.get(level).copied())
    };
    graph.nodes.iter().map(of).collect()
}

/// Blocks that addresses told of and that somebody else registered: the registrants of the narrowest block around the
/// address are known, and so are those of a given block around that, or of one that a given network announces, and none
/// is the same.
fn registered_apart(graph: &Graph<'_>) -> Vec<(IpNet, usize)> {
    let is_given = |node: &usize| graph.nodes[*node].kind == Kind::NetBlock && graph.is_given(*node);
    let announced = graph.links_of(EdgeKind::Announces).filter(|link| graph.is_given(link.from)).map(|link| link.to);
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

/// Returns for each address the narrowest block around it, of those that are seeds and those within them that are
/// registered to others.
fn blocks(graph: &Graph<'_>, registrant: &[Option<usize>]) -> Vec<Option<Reason>> {
    let mut reasons = vec![None; graph.len()];
    let mut known: HashMap<IpNet, Reason> = HashMap::new();
    let net = |node: usize| graph.nodes[node].name.parse::<IpNet>().ok().map(|net| net.trunc());
    // What is registered to somebody else is told behind what nobody could be asked about.
    for (edge, kind) in APART {
        for link in graph.links_of(edge).filter(|link| registrant[link.to].is_none()) {
            known.extend(net(link.to).map(|net| (net, Reason { kind, node: link.to })));
        }
    }
    for (net, node) in registered_apart(graph).into_iter().filter(|(_, node)| registrant[*node].is_none()) {
        known.insert(net, Reason { kind: GroundKind::ForeignAllocation, node });
    }
    for node in (0..graph.len()).filter(|node| graph.nodes[*node].kind == Kind::NetBlock && graph.is_given(*node)) {
        let kind = GroundKind::SeededBlock;
        known.extend(net(node).map(|net| (net, Reason { kind, node })));
    }
    let announced = graph.links_of(EdgeKind::Announces).filter(|link| graph.is_given(link.from));
    for link in announced.filter(|link| !graph.is_given(link.to)) {
        let kind = GroundKind::AnnouncedBlock;
        known.extend(net(link.to).map(|net| (net, Reason { kind, node: link.to })));
    }
    if known.is_empty() {
        return reasons;
    }
    let lengths: BTreeSet<u8> = known.keys().map(IpNet::prefix_len).collect();
    let narrowest = |address: IpAddr| {
        let around = lengths.iter().rev().filter_map(|length| IpNet::new(address, *length).ok());
        around.filter_map(|net| known.get(&net.trunc()).copied()).next()
    };
    for (node, reason) in reasons.iter_mut().enumerate().filter(|(node, _)| graph.nodes[*node].kind == Kind::IpAddress)
    {
        *reason = graph.nodes[node].name.parse().ok().and_then(narrowest);
    }
    reasons
}

/// Bits of the addresses of a given block in which each is meant as if it had been named: 256 of them.
const MEANT_BITS_MAX: u8 = 8;

/// Returns which addresses third parties share, whatever the block around them says. Who was given a block, or
/// announces it, may serve others there, so that their names say nothing against it; where only the registrant's name
/// speaks for it, they do. A known platform is one in a block as well, unless a person named so few addresses that each
/// of them is meant.
fn shared(graph: &Graph<'_>, block: &[Option<Reason>]) -> Vec<bool> {
    let net = |node: usize| graph.nodes[node].name.parse::<IpNet>().ok();
    let is_small = |net: &IpNet| net.max_prefix_len() - net.prefix_len() <= MEANT_BITS_MAX;
    let is_block = |node: &usize| graph.nodes[*node].kind == Kind::NetBlock && graph.is_given(*node);
    let named: Vec<IpNet> = (0..graph.len()).filter(is_block).filter_map(net).filter(is_small).collect();
    let is_named = |node: usize| {
        let address = graph.nodes[node].name.parse::<IpAddr>();
        address.is_ok_and(|address| named.iter().any(|net| net.contains(&address)))
    };
    let of = |node: usize| match graph.nodes[node].shared {
        SharedBy::Nobody => false,
        SharedBy::Names => block[node].filter(is_given).is_none(),
        SharedBy::Platform => block[node].filter(is_given).is_none() || !is_named(node),
    };
    (0..graph.len()).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::registrant_key;

    #[test]
    fn registrants_are_equal_but_for_case_and_punctuation() {
        assert_eq!(registrant_key("ACME Tools, Ltd."), registrant_key("Acme  Tools Ltd"));
        assert_ne!(registrant_key("Acme Tools Ltd"), registrant_key("Acme Tools Limited"));
        assert_ne!(registrant_key("Acme"), registrant_key("Acme Group"));
        assert_eq!(registrant_key(" - "), "");
    }
}
