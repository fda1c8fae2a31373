//! What a round of decisions shows, beside best paths, that strengthens or weakens an edge: positive evidence that an
//! address is theirs, aliases to third parties, sister domains. It is read again after each round.

use super::Node;
use super::blocks::Reason;
use super::graph::{Graph, Link};
use super::sisters::{Sister, sisters};
use super::surroundings::{Surroundings, is_name, levels};
use crate::EdgeKind;
use crate::entity::{GroundKind, host_of};
use std::collections::HashSet;

/// What is known after a round. Each round can only add to what is theirs, so stopping early decides too little, never
/// too much.
#[derive(PartialEq, Eq)]
pub(super) struct Known {
    /// Of an address: what shows that it is theirs.
    pub(super) evidence: Vec<Option<Reason>>,
    /// Of a name: the foreign name that its aliases lead through.
    pub(super) foreign_aliases: Vec<Option<usize>>,
    /// Names that have addresses, all of which are theirs.
    pub(super) on_own_machines: Vec<bool>,
    /// Of a domain that nobody named: the evidence that it is theirs.
    pub(super) sisters: Vec<Option<Sister>>,
    /// A domain that is theirs by evidence alone, and the names in it.
    pub(super) by_evidence: Vec<bool>,
    /// Names in certificates that are theirs or lie below one that is: there a certificate shows more.
    pub(super) within: HashSet<usize>,
}

impl Known {
    /// Before the first round nothing that needs evidence is theirs, and every alias leads to a third party.
    pub(super) fn nothing(graph: &Graph<'_>, around: &Surroundings) -> Self {
        let nobody = |_: usize| false;
        Self {
            evidence: vec![None; graph.len()],
            foreign_aliases: foreign_aliases(graph, &nobody),
            on_own_machines: vec![false; graph.len()],
            sisters: vec![None; graph.len()],
            by_evidence: vec![false; graph.len()],
            within: around.within_theirs(&|node| graph.is_given(node)),
        }
    }

    /// What a round shows, after which `scoped` nodes are theirs.
    pub(super) fn after(graph: &Graph<'_>, around: &Surroundings, scoped: &impl Fn(usize) -> bool) -> Self {
        let foreign_aliases = foreign_aliases(graph, scoped);
        let evidence = evidence(graph, around, scoped, &foreign_aliases);
        let sisters = sisters(graph, around, scoped);
        let by_evidence = by_evidence(graph, &sisters);
        let within = around.within_theirs(scoped);
        Self {
            evidence,
            on_own_machines: on_own_machines(graph, scoped),
            foreign_aliases,
            sisters,
            by_evidence,
            within,
        }
    }
}

/// Returns the domains that are theirs by evidence alone, and the names in them.
fn by_evidence(graph: &Graph<'_>, sisters: &[Option<Sister>]) -> Vec<bool> {
    let stand = |node: &usize| sisters[*node].as_ref().is_some_and(Sister::is_theirs) && !graph.resembling[*node];
    let domains: HashSet<&str> = (0..graph.len()).filter(stand).map(|node| graph.nodes[node].name.as_str()).collect();
    if domains.is_empty() {
        return vec![false; graph.len()];
    }
    let within = |node: &&Node| is_name(node.kind) && levels(&node.name).any(|level| domains.contains(level));
    graph.nodes.iter().map(within).collect()
}

/// Returns the positive evidence for each address that one of their names resolves to and that is not known to be
/// shared. The block's registration is their title to the address, whoever else has names there; a reverse name or a
/// certificate only describes the machine, so that a third party's name on it is evidence to the contrary.
fn evidence(
    graph: &Graph<'_>,
    around: &Surroundings,
    scoped: &impl Fn(usize) -> bool,
    foreign_aliases: &[Option<usize>],
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
        if !named[node] || around.is_shared[node] {
            return None;
        }
        let title = around.given_block(node).or_else(|| {
            let registrant = around.registrant[node]?;
            Some(Reason { kind: GroundKind::Registrant, node: registrant })
        });
        let of_machine =
            || reverse_name(graph, node, scoped, foreign_aliases).or_else(|| default_certificate(graph, node, scoped));
        title.or_else(|| if strange[node] { None } else { of_machine() })
    };
    (0..graph.len()).map(of).collect()
}

/// Of several that would do, the one that is named: the order in which they are met must not decide what is told.
fn first_by_name(graph: &Graph<'_>, nodes: impl Iterator<Item = usize>) -> Option<usize> {
    nodes.min_by(|one, other| graph.nodes[*one].name.cmp(&graph.nodes[*other].name))
}

/// A reverse name that is theirs and leads back to the address by itself.
fn reverse_name(
    graph: &Graph<'_>,
    address: usize,
    scoped: &impl Fn(usize) -> bool,
    foreign_aliases: &[Option<usize>],
) -> Option<Reason> {
    let pointers = graph.outward(address).filter(|link| link.edge.kind == EdgeKind::Pointer);
    let confirmed = |name: usize| {
        scoped(name) && foreign_aliases[name].is_none() && graph.joins(name, address, EdgeKind::ResolvesTo)
    };
    let name = first_by_name(graph, pointers.map(|link| link.to).filter(|name| confirmed(*name)))?;
    Some(Reason { kind: GroundKind::ReverseName, node: name })
}

/// Returns the certificate that the address presents without SNI, if it names something of theirs and nothing of
/// others, such as what was delegated.
fn default_certificate(graph: &Graph<'_>, address: usize, scoped: &impl Fn(usize) -> bool) -> Option<Reason> {
    let shown = graph.outward(address).filter(|link| link.edge.kind == EdgeKind::DefaultCertificate);
    let theirs = |certificate: usize| {
        let mut names = graph.outward(certificate).filter(|link| link.edge.kind == EdgeKind::CertificateName);
        let strange = |link: &Link<'_>| match link.edge.kind {
            EdgeKind::DelegatedSubdomain | EdgeKind::ForeignCertificateName => true,
            EdgeKind::CertificateName => !scoped(link.to),
            _ => false,
        };
        names.any(|link| scoped(link.to)) && !graph.outward(certificate).any(strange)
    };
    let certificate = first_by_name(graph, shown.map(|link| link.to).filter(|certificate| theirs(*certificate)))?;
    Some(Reason { kind: GroundKind::DefaultCertificate, node: certificate })
}

/// Returns for each name the first name in its chain of aliases that belongs to a third party. A known platform's
/// counts as none, because it serves us by our name.
fn foreign_aliases(graph: &Graph<'_>, scoped: &impl Fn(usize) -> bool) -> Vec<Option<usize>> {
    let mut foreign_aliases = vec![None; graph.len()];
    for link in graph.links_of(EdgeKind::Alias).filter(|link| !scoped(link.to)) {
        let known = foreign_aliases[link.from].get_or_insert(link.to);
        // The lowest name, whatever the order in which they are met.
        if graph.nodes[link.to].name < graph.nodes[*known].name {
            *known = link.to;
        }
    }
    foreign_aliases
}

fn on_own_machines(graph: &Graph<'_>, scoped: &impl Fn(usize) -> bool) -> Vec<bool> {
    let (mut own, mut strange) = (vec![false; graph.len()], vec![false; graph.len()]);
    for link in graph.links_of(EdgeKind::ResolvesTo) {
        let side = if scoped(link.to) { &mut own } else { &mut strange };
        side[link.from] = true;
    }
    own.iter().zip(strange).map(|(own, strange)| *own && !strange).collect()
}
