//! Evidence around a node, beside its best path, that strengthens or weakens an edge: positive evidence that an address
//! is theirs, blocks within blocks, delegations and aliases to third parties. Evidence that does not depend on
//! decisions is read once, the rest again after each round.

use super::Node;
use super::graph::{Graph, Link};
use crate::entity::{GroundKind, host_of};
use crate::{EdgeKind, Kind, platforms};
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
    /// Of an address in a block that is a seed or allowed: that block; of one in a block within it that somebody else
    /// registered: that one.
    pub(super) block: Vec<Option<Reason>>,
    /// Of an address or a block: who registered it, where that is the registrant of a seed or writes from a mailbox in
    /// a seed's domain.
    pub(super) registrant: Vec<Option<usize>>,
    /// Of a name: the name at or above it that is delegated to other authorities.
    pub(super) delegated: Vec<Option<usize>>,
}

/// What is known after a round. Each round can only add to what is theirs, so stopping early decides too little, never
/// too much.
#[derive(PartialEq, Eq)]
pub(super) struct Known {
    /// Of an address: what shows that it is theirs.
    pub(super) evidence: Vec<Option<Reason>>,
    /// Of a name: the foreign name that its aliases lead through.
    pub(super) astray: Vec<Option<usize>>,
    /// Names that have addresses, all of which are theirs.
    pub(super) on_own_machines: Vec<bool>,
}

impl Surroundings {
    pub(super) fn new(graph: &Graph<'_>) -> Self {
        let registrant = registrants(graph);
        Self { block: blocks(graph, &registrant), delegated: delegated(graph), registrant }
    }

    fn in_block(&self, node: usize, kind: GroundKind) -> Option<Reason> {
        self.block[node].filter(|reason| reason.kind == kind)
    }

    /// The block registered to somebody else, within a block that is a seed, that an address is in.
    pub(super) fn foreign_allocation(&self, node: usize) -> Option<Reason> {
        self.in_block(node, GroundKind::ForeignAllocation)
    }
}

impl Known {
    /// Before the first round nothing that needs evidence is theirs, and every alias leads to a third party.
    pub(super) fn nothing(graph: &Graph<'_>) -> Self {
        let nobody = |_: usize| false;
        Self {
            evidence: vec![None; graph.len()],
            astray: astray(graph, &nobody),
            on_own_machines: vec![false; graph.len()],
        }
    }

    /// What a round shows, after which `scoped` nodes are theirs.
    pub(super) fn after(graph: &Graph<'_>, around: &Surroundings, scoped: &impl Fn(usize) -> bool) -> Self {
        let astray = astray(graph, scoped);
        Self {
            evidence: evidence(graph, around, scoped, &astray),
            on_own_machines: on_own_machines(graph, scoped),
            astray,
        }
    }
}

/// Returns the positive evidence for each address that one of their names resolves to and that is not known to be
/// shared. The block's registration is their title to the address, whoever else has names there; a reverse name or a
/// certificate only describes the machine, so that a third party's name on it is evidence to the contrary.
fn evidence(
    graph: &Graph<'_>,
    around: &Surroundings,
    scoped: &impl Fn(usize) -> bool,
    astray: &[Option<usize>],
) -> Vec<Option<Reason>> {
    let mut named = vec![false; graph.len()];
    let mut strange = graph.strangely_named.clone();
    for link in graph.links_of(EdgeKind::ResolvesTo) {
        if scoped(link.from) {
            named[link.to] = true;
        } else {
            strange[link.to] |= !super::spells(host_of(&graph.nodes[link.from].name), &graph.nodes[link.to].name);
        }
    }
    let of = |node: usize| {
        if !named[node] || graph.nodes[node].shared {
            return None;
        }
        let title = around.in_block(node, GroundKind::SeededBlock).or_else(|| {
            let registrant = around.registrant[node]?;
            Some(Reason { kind: GroundKind::Registrant, node: registrant })
        });
        let of_machine =
            || reverse_name(graph, node, scoped, astray).or_else(|| default_certificate(graph, node, scoped));
        title.or_else(|| if strange[node] { None } else { of_machine() })
    };
    (0..graph.len()).map(of).collect()
}

/// A reverse name that is theirs and leads back to the address by itself.
fn reverse_name(
    graph: &Graph<'_>,
    address: usize,
    scoped: &impl Fn(usize) -> bool,
    astray: &[Option<usize>],
) -> Option<Reason> {
    let pointers = graph.outward(address).filter(|link| link.edge.kind == EdgeKind::Pointer);
    let confirmed =
        |name: usize| scoped(name) && astray[name].is_none() && graph.joins(name, address, EdgeKind::ResolvesTo);
    let name = pointers.map(|link| link.to).find(|name| confirmed(*name))?;
    Some(Reason { kind: GroundKind::ReverseName, node: name })
}

/// Returns the certificate that the address presents without SNI, if it names something of theirs and nothing that was
/// delegated to others.
fn default_certificate(graph: &Graph<'_>, address: usize, scoped: &impl Fn(usize) -> bool) -> Option<Reason> {
    let shown = graph.outward(address).filter(|link| link.edge.kind == EdgeKind::DefaultCertificate);
    let theirs = |certificate: usize| {
        let mut names = graph.outward(certificate).filter(|link| link.edge.kind == EdgeKind::CertificateName);
        let strange =
            |link: &Link<'_>| matches!(link.edge.kind, EdgeKind::DelegatedSubdomain | EdgeKind::ForeignCertificateName);
        names.any(|link| scoped(link.to)) && !graph.outward(certificate).any(strange)
    };
    let certificate = shown.map(|link| link.to).find(|certificate| theirs(*certificate))?;
    Some(Reason { kind: GroundKind::DefaultCertificate, node: certificate })
}

/// Returns for each name the first name in its chain of aliases that belongs to a third party. A known platform's
/// counts as none, because it serves us by our name.
fn astray(graph: &Graph<'_>, scoped: &impl Fn(usize) -> bool) -> Vec<Option<usize>> {
    let mut astray = vec![None; graph.len()];
    for link in graph.links_of(EdgeKind::Alias).filter(|link| !scoped(link.to)) {
        let known = astray[link.from].get_or_insert(link.to);
        // The lowest name, whatever the order in which they are met.
        if graph.nodes[link.to].name < graph.nodes[*known].name {
            *known = link.to;
        }
    }
    astray
}

fn on_own_machines(graph: &Graph<'_>, scoped: &impl Fn(usize) -> bool) -> Vec<bool> {
    let (mut own, mut strange) = (vec![false; graph.len()], vec![false; graph.len()]);
    for link in graph.links_of(EdgeKind::ResolvesTo) {
        let side = if scoped(link.to) { &mut own } else { &mut strange };
        side[link.from] = true;
    }
    own.iter().zip(strange).map(|(own, strange)| *own && !strange).collect()
}

/// A registrant's name as it is compared: letters and digits of any script in lower case, words apart by one blank.
/// Nothing is guessed beyond that.
fn registrant_key(name: &str) -> String {
    let words = name.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// Returns true for a seed domain whose name servers are known and are its own, another seed's or a known platform's.
/// One that a third party serves may be registered by that party in its own name: its registrant holds the blocks of
/// all of its customers.
fn speaks_for_itself(graph: &Graph<'_>, domain: usize, domains: &HashSet<&str>) -> bool {
    let servers = graph.outward(domain).map(|link| graph.nodes[link.to]).filter(|node| node.kind == Kind::Nameserver);
    let mut servers = servers.map(|node| node.name.as_str()).peekable();
    servers.peek().is_some()
        && servers
            .all(|server| platforms::is_name_server(server) || levels(server).any(|level| domains.contains(level)))
}

/// Of each address and block, its registrant where that is the one of a seed's domain, or a mailbox in one.
fn registrants(graph: &Graph<'_>) -> Vec<Option<usize>> {
    let mut found = vec![None; graph.len()];
    // Who allows one domain of somebody's has not named what else its registrant holds.
    let is_seed =
        |node: usize| graph.nodes[node].kind == Kind::Domain && graph.nodes[node].seed && graph.is_given(node);
    let named = || graph.links_of(EdgeKind::Registrant).filter(|link| graph.nodes[link.to].kind == Kind::Organization);
    let domains: HashSet<&str> =
        (0..graph.len()).filter(|node| is_seed(*node)).map(|node| graph.nodes[node].name.as_str()).collect();
    let keys: HashSet<String> = named()
        .filter(|link| is_seed(link.from) && speaks_for_itself(graph, link.from, &domains))
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
fn levels(name: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(name), |name| name.split_once('.').map(|(_, above)| above))
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

/// Returns for each address the narrowest block around it, of those that are seeds and those within them that are
/// registered to others.
fn blocks(graph: &Graph<'_>, registrant: &[Option<usize>]) -> Vec<Option<Reason>> {
    let mut reasons = vec![None; graph.len()];
    let mut known: HashMap<IpNet, Reason> = HashMap::new();
    let net = |node: usize| graph.nodes[node].name.parse::<IpNet>().ok().map(|net| net.trunc());
    for link in graph.links_of(EdgeKind::Suballocation).filter(|link| registrant[link.to].is_none()) {
        let kind = GroundKind::ForeignAllocation;
        known.extend(net(link.to).map(|net| (net, Reason { kind, node: link.to })));
    }
    for node in (0..graph.len()).filter(|node| graph.nodes[*node].kind == Kind::NetBlock && graph.is_given(*node)) {
        let kind = GroundKind::SeededBlock;
        known.extend(net(node).map(|net| (net, Reason { kind, node })));
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
