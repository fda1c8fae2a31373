//! What surrounds a node and does not depend on decisions: registrants, blocks within blocks, delegations. It is read
//! once; what depends on decisions is in `known.rs`.

use super::Node;
use super::blocks::{Blocks, Reason};
use super::graph::{Graph, Link};
use super::registrant::{holder_key, registrant_key};
use crate::entity::{host_of, shared_suffix};
use crate::{EdgeKind, Kind, TaskName, platforms};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::net::IpAddr;

/// Facts about nodes that do not depend on decisions.
pub(super) struct Surroundings {
    /// Blocks that are given, and the parts of them that are others'.
    pub(super) blocks: Blocks,
    /// Of an address: the narrowest of those around it.
    block: Vec<Option<Reason>>,
    /// Of an address: whether third parties share it, whatever the block around it says.
    pub(super) is_shared: Vec<bool>,
    /// Of a domain, an address or a block: who registered it, where that is the registrant of a seed or writes from a
    /// mailbox in a seed's domain.
    pub(super) registrant: Vec<Option<usize>>,
    /// Of a domain: who registered it, where it is known who registered a seed, and this is somebody else.
    pub(super) stranger: Vec<Option<usize>>,
    /// Names in domains and zones that an account of theirs holds, or that an app which was named proves to be its own.
    pub(super) is_in_account: Vec<bool>,
    /// Of a name: the name at or above it that is delegated to other authorities.
    pub(super) delegated: Vec<Option<usize>>,
    /// Names below suffixes of providers.
    pub(super) customers: Customers,
    /// Sites, services and certificates that show nothing of their owner: they are at addresses that others share.
    pub(super) crowd: HashSet<usize>,
    /// Domains that are seeds and that nothing closes.
    seed_domains: HashSet<String>,
    /// Names that stand in certificates, each with the nodes of the names at it and above it.
    certified: Vec<(usize, Vec<usize>)>,
}

impl Surroundings {
    pub(super) fn new(graph: &Graph<'_>) -> Self {
        let keys = registrant_keys(graph);
        let registrant = registrants(graph, &keys);
        let stranger = strangers(graph, &registrant);
        let seed_domains = seed_domains(graph).map(str::to_owned).collect();
        let blocks = Blocks::new(graph, &registrant);
        let addresses: Vec<Option<IpAddr>> = graph.nodes.iter().map(|node| address(node)).collect();
        let is_shared = |(at, address): (usize, &Option<IpAddr>)| {
            let shared = graph.nodes[at].shared;
            address.map_or(shared.is_shared(), |address| blocks.is_shared(address, shared))
        };
        Self {
            is_shared: addresses.iter().enumerate().map(is_shared).collect(),
            block: addresses.iter().map(|address| blocks.around((*address)?)).collect(),
            blocks,
            delegated: delegated(graph),
            is_in_account: in_account(graph),
            registrant,
            stranger,
            customers: Customers::new(graph),
            crowd: crowd(graph),
            seed_domains,
            certified: certified(graph),
        }
    }

    /// Returns the names in certificates that are theirs or lie below one that is.
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
        self.block[address].filter(Reason::is_given)
    }

    /// The block that an address is in, within one that is a seed or announced, and that is registered to somebody
    /// else, or of which that could not be asked.
    pub(super) fn foreign_allocation(&self, node: usize) -> Option<Reason> {
        self.block[node].filter(|reason| !reason.is_given())
    }
}

/// Names below a suffix whose holder gives them to its customers (`github.io`).
pub(super) struct Customers {
    /// Of a name below such a suffix: the length of that.
    suffix: Vec<Option<usize>>,
    /// Whether the suffix, or a name above it, is a seed or allowed: the provider itself is looked at. A deny takes
    /// nothing from that: what its customers hold would count for more.
    is_named: Vec<bool>,
}

impl Customers {
    fn new(graph: &Graph<'_>) -> Self {
        let is_named_host =
            |node: &&&Node| matches!(node.kind, Kind::Domain | Kind::DnsRecord) && (node.seed || node.allow);
        let named: HashSet<&str> = graph.nodes.iter().filter(is_named_host).map(|node| node.name.as_str()).collect();
        let is_within = |suffix: &str| levels(suffix).any(|level| named.contains(level));
        let (mut suffix, mut is_named) = (vec![None; graph.len()], vec![false; graph.len()]);
        for (at, node) in graph.nodes.iter().enumerate().filter(|(_, node)| is_name(node.kind)) {
            let Some(above) = shared_suffix(&node.name) else { continue };
            suffix[at] = Some(above.len());
            is_named[at] = is_within(above);
        }
        Self { suffix, is_named }
    }

    /// True for a name that the suffix, or a name above it, leads to.
    pub(super) fn is_told_by_provider(&self, graph: &Graph<'_>, link: &Link<'_>) -> bool {
        let (from, to) = (graph.nodes[link.from], graph.nodes[link.to]);
        let suffix = self.suffix[link.to].map(|length| &to.name[to.name.len() - length..]);
        is_name(from.kind) && suffix.is_some_and(|suffix| levels(suffix).any(|level| level == from.name))
    }

    /// True for a name below a suffix that is a seed or allowed, or that lies below a name which is.
    pub(super) fn is_of_named(&self, node: usize) -> bool {
        self.is_named[node]
    }
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

fn address(node: &Node) -> Option<IpAddr> {
    node.name.parse().ok().filter(|_| node.kind == Kind::IpAddress)
}

/// Who allows one domain of somebody's has not named what else its registrant holds.
fn is_seed_domain(graph: &Graph<'_>, node: usize) -> bool {
    graph.nodes[node].kind == Kind::Domain && graph.nodes[node].seed && graph.is_given(node)
}

fn seed_domains<'a>(graph: &'a Graph<'_>) -> impl Iterator<Item = &'a str> {
    (0..graph.len()).filter(|node| is_seed_domain(graph, *node)).map(|node| graph.nodes[node].name.as_str())
}

/// The organisations that registered something.
fn organizations<'a>(graph: &'a Graph<'_>) -> impl Iterator<Item = &'a Link<'a>> {
    graph.links_of(EdgeKind::Registrant).filter(|link| graph.nodes[link.to].kind == Kind::Organization)
}

/// Those who registered domains that are seeds and speak for themselves.
fn registrant_keys(graph: &Graph<'_>) -> HashSet<String> {
    let domains: HashSet<&str> = seed_domains(graph).collect();
    let speaks = |node: usize| is_seed_domain(graph, node) && speaks_for_itself(graph, node, &domains);
    let names = organizations(graph).filter(|link| speaks(link.from)).map(|link| &graph.nodes[link.to].name);
    names.map(|name| registrant_key(name)).filter(|key| !key.is_empty()).collect()
}

/// True where it is known who registered a seed, also one that something closes: else a deny would make those strangers
/// less strange.
fn knows_registrant(graph: &Graph<'_>) -> bool {
    let is_seed = |node: usize| graph.nodes[node].kind == Kind::Domain && graph.nodes[node].seed;
    let seeds = (0..graph.len()).filter(|node| is_seed(*node));
    let domains: HashSet<&str> = seeds.map(|node| graph.nodes[node].name.as_str()).collect();
    let speaks = |node: usize| is_seed(node) && speaks_for_itself(graph, node, &domains);
    let mut registered = organizations(graph).filter(|link| speaks(link.from));
    registered.any(|link| holder_key(&graph.nodes[link.to].name).is_some())
}

/// Of each domain that is registered to somebody else than the registrant of any seed, and than an organisation that
/// is a seed: who that is. Nobody is somebody else where it is not known who registered a seed.
fn strangers(graph: &Graph<'_>, registrant: &[Option<usize>]) -> Vec<Option<usize>> {
    let mut found: Vec<Option<usize>> = vec![None; graph.len()];
    if !knows_registrant(graph) {
        return found;
    }
    let is_seed = |node: &usize| graph.nodes[*node].kind == Kind::Organization && graph.nodes[*node].seed;
    let seeds = (0..graph.len()).filter(|node| is_seed(node) && graph.is_given(*node));
    let registered = organizations(graph).filter(|link| is_seed_domain(graph, link.from)).map(|link| link.to);
    let theirs: HashSet<String> =
        seeds.chain(registered).filter_map(|node| holder_key(&graph.nodes[node].name)).collect();
    let is_domain = |node: usize| graph.nodes[node].kind == Kind::Domain && registrant[node].is_none();
    let mut own = HashSet::new();
    for link in organizations(graph).filter(|link| is_domain(link.from)) {
        let Some(key) = holder_key(&graph.nodes[link.to].name) else { continue };
        if theirs.contains(&key) {
            own.insert(link.from);
            continue;
        }
        let known = found[link.from].get_or_insert(link.to);
        if graph.nodes[link.to].name < graph.nodes[*known].name {
            *known = link.to;
        }
    }
    for node in own {
        found[node] = None;
    }
    found
}

/// Of each domain, address and block, its registrant where that is the one of a seed's domain, or a mailbox in one.
fn registrants(graph: &Graph<'_>, keys: &HashSet<String>) -> Vec<Option<usize>> {
    let mut found = vec![None; graph.len()];
    let domains: HashSet<&str> = seed_domains(graph).collect();
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

/// True for the kinds whose names are those of hosts and domains.
pub(super) fn is_name(kind: Kind) -> bool {
    matches!(kind, Kind::Domain | Kind::DnsRecord | Kind::Nameserver | Kind::Mailserver)
}

/// Sites and services at addresses that third parties share, and the certificates that they showed. What they say may
/// be a customer's word: that the machine is theirs shows nothing of it.
fn crowd(graph: &Graph<'_>) -> HashSet<usize> {
    let is_shared = |node: &&Node| node.kind == Kind::IpAddress && node.shared.is_shared();
    let addresses: HashSet<&str> =
        graph.nodes.iter().copied().filter(is_shared).map(|node| node.name.as_str()).collect();
    if addresses.is_empty() {
        return HashSet::new();
    }
    let is_there = |node: &usize| addresses.contains(host_of(&graph.nodes[*node].name));
    let mut crowd: HashSet<usize> = (0..graph.len()).filter(is_there).collect();
    let certificates = graph.links_of(EdgeKind::Certificate).filter(|link| crowd.contains(&link.from));
    let certificates: Vec<usize> = certificates.map(|link| link.to).collect();
    crowd.extend(certificates);
    crowd
}

/// The name and those above it.
pub(super) fn levels(name: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(name), |name| name.split_once('.').map(|(_, above)| above))
}

/// The names that certificates may tell of, each with the nodes of the names at it and above it; of one below a
/// provider's suffix, with those below that.
fn certified(graph: &Graph<'_>) -> Vec<(usize, Vec<usize>)> {
    let named = graph.links_of(EdgeKind::CertificateName).chain(graph.links_of(EdgeKind::DelegatedSubdomain));
    let ends: BTreeSet<usize> = named.map(|link| link.to).collect();
    if ends.is_empty() {
        return Vec::new();
    }
    let is_name = |node: &usize| matches!(graph.nodes[*node].kind, Kind::Domain | Kind::DnsRecord);
    let mut named: HashMap<&str, Vec<usize>> = HashMap::new();
    for node in (0..graph.len()).filter(is_name) {
        named.entry(&graph.nodes[node].name).or_default().push(node);
    }
    let above = |end: usize| {
        let name = graph.nodes[end].name.as_str();
        let suffix = shared_suffix(name).map_or(0, str::len);
        levels(name)
            .take_while(move |level| level.len() > suffix)
            .filter_map(|level| named.get(level))
            .flatten()
            .copied()
    };
    ends.into_iter().map(|end| (end, above(end).collect())).collect()
}

/// Returns the names that accounts hold, those that apps which a person named prove to be theirs, and those below them.
fn in_account(graph: &Graph<'_>) -> Vec<bool> {
    let linked = graph.links_of(EdgeKind::AppLink).filter(|link| graph.is_given(link.from));
    let held = graph.links_of(EdgeKind::CloudAccount).chain(linked);
    let held = held.map(|link| graph.nodes[link.to]).filter(|node| is_name(node.kind));
    let held: HashSet<&str> = held.map(|node| node.name.as_str()).collect();
    if held.is_empty() {
        return vec![false; graph.len()];
    }
    let of = |node: &&Node| is_name(node.kind) && levels(&node.name).any(|level| held.contains(level));
    graph.nodes.iter().map(of).collect()
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
