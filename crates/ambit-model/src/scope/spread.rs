//! Spreads ownership and clearance over the edges: the widest paths from the seeds, by parent pointers over indexes.

use super::never::{Exclusions, host_of};
use super::spelled::spells;
use super::surroundings::{Known, Reason, Surroundings};
use super::{DEDICATED_ADDRESS_OWN, Decision, Edge, Node, PATH_STEPS_MAX, Rules, SCOPED_FROM, ScopeReason};
use crate::entity::{Ground, GroundKind, PathStep, registrable};
use crate::reserved::Reserved;
use crate::{Clearance, EdgeKind, Kind, Uid};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::ops::Range;

/// Ownership of a whole domain of which one site was named, in thousandths: below what is theirs, as naming
/// `https://code.example/acme` names no `code.example`.
const DOMAIN_OF_SITE_OWN: u16 = 400;
/// The most that any edge passes on to an address that is shared with third parties (a CDN, a shared host): it is never
/// owned, and only what a browser does is allowed.
const SHARED_OWN: u16 = 200;
const SHARED_CAP: Clearance = Clearance::L2;
/// The clearance of an address that is not known to be theirs: only what a browser does, because others may use it as
/// well.
const UNPROVEN_CAP: Clearance = Clearance::L2;
/// What such an address passes to the services on it: they are known about, and asked for by names alone.
const SERVICE_OF_OTHERS_CAP: Clearance = Clearance::L1;

/// The graph over indexes: nodes in the order of their uids, edges grouped by where they start.
pub(super) struct Graph<'a> {
    pub(super) nodes: Vec<&'a Node>,
    links: Vec<Link<'a>>,
    /// The links of each node, by where they end.
    outward: Vec<Range<usize>>,
    /// What stands before any path.
    fixed: Vec<Option<Fixed>>,
    /// How many foreign registrable domains a certificate names.
    foreign_domains: Vec<usize>,
    pub(super) surroundings: Surroundings,
}

/// An edge whose both ends are known.
pub(super) struct Link<'a> {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) edge: &'a Edge,
}

/// What an edge passes on after its surroundings were considered, and why that differs from its row of the table.
#[derive(Clone, Copy)]
struct Weight {
    own: u16,
    cap: Clearance,
    reason: Option<Reason>,
}

/// A decision that needs no path: a hard stop, a person's word, or a seed.
#[derive(Clone)]
struct Fixed {
    ownership: u16,
    clearance: Clearance,
    reason: ScopeReason,
}

/// What a round found for each node.
pub(super) struct Spread {
    labels: Vec<Option<Label>>,
    /// The highest that any path passes.
    clearances: Vec<Clearance>,
}

/// The best path to a node so far.
#[derive(Clone, Copy)]
struct Label {
    ownership: u16,
    clearance: Clearance,
    steps: usize,
    /// Where it came from; none at a fixed node.
    last: Option<Step>,
}

/// The last edge of a path, as it was weighed.
#[derive(Clone, Copy)]
struct Step {
    link: usize,
    weight: Weight,
}

/// The order in which nodes are finalised: best first. A further step can only make a path worse, so a final node stays
/// final.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Reached {
    ownership: u16,
    clearance: Clearance,
    steps: Reverse<usize>,
    node: Reverse<usize>,
}

impl<'a> Graph<'a> {
    pub(super) fn new(
        nodes: &'a BTreeMap<Uid, Node>,
        edges: &'a BTreeSet<Edge>,
        rules: &Rules,
        reserved: &Reserved,
    ) -> Self {
        let uids: Vec<Uid> = nodes.keys().copied().collect();
        let nodes: Vec<&Node> = nodes.values().collect();
        let words = Words {
            never: Exclusions::new(&rules.never),
            denied: Exclusions::of_denied(nodes.iter().copied()),
            reserved,
            ceiling: rules.ceiling,
        };
        let mut fixed: Vec<Option<Fixed>> = nodes.iter().map(|node| words.on(node)).collect();
        let index = |uid: Uid| uids.binary_search(&uid).ok();
        let mut strangely_named = vec![false; nodes.len()];
        let mut links = Vec::with_capacity(edges.len());
        for edge in edges {
            match (index(edge.from), index(edge.to)) {
                (Some(from), Some(to)) => links.push(Link { from, to, edge }),
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
        let mut graph = Self {
            foreign_domains: foreign_domains(&nodes, &links, &outward),
            nodes,
            links,
            outward,
            fixed,
            surroundings: Surroundings::default(),
        };
        graph.surroundings = Surroundings::new(&graph, strangely_named);
        graph
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

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Finds the best path to every node (Dijkstra on the minimum), given the results of the previous round.
    pub(super) fn spread(&self, known: &Known) -> Spread {
        let mut labels: Vec<Option<Label>> = self.fixed.iter().map(|fixed| fixed.as_ref().map(Label::of)).collect();
        let reached = |node: usize, label: &Label| Reached {
            ownership: label.ownership,
            clearance: label.clearance,
            steps: Reverse(label.steps),
            node: Reverse(node),
        };
        let mut heap: BinaryHeap<Reached> = labels
            .iter()
            .enumerate()
            .filter_map(|(node, label)| label.as_ref().map(|label| reached(node, label)))
            .collect();
        let mut reconciled = vec![false; self.len()];
        while let Some(Reached { node: Reverse(from), .. }) = heap.pop() {
            if std::mem::replace(&mut reconciled[from], true) {
                continue;
            }
            let label = labels[from].expect("what is in the heap has a label");
            if label.is_closed() {
                continue;
            }
            for at in self.outward[from].clone() {
                let to = self.links[at].to;
                if reconciled[to] || self.fixed[to].is_some() {
                    continue;
                }
                let offer = self.offer(label, at, known);
                if labels[to].is_none_or(|best| self.is_better(&offer, &best)) {
                    heap.push(reached(to, &offer));
                    labels[to] = Some(offer);
                }
            }
        }
        let clearances = self.raised(&labels, known);
        Spread { labels, clearances }
    }

    /// What a link offers its end.
    fn offer(&self, label: Label, at: usize, known: &Known) -> Label {
        let weight = self.weigh(&self.links[at], label.ownership, known);
        Label {
            ownership: label.ownership.min(weight.own),
            clearance: label.clearance.min(weight.cap),
            steps: label.steps + 1,
            last: Some(Step { link: at, weight }),
        }
    }

    /// The link's row of the edge table, refined by its surroundings and by the ownership of where it begins. No edge
    /// passes more to a name that was handed to others than the delegation does. What stands on a third party's address
    /// is visited by a name that leads there, never by the address.
    fn weigh(&self, link: &Link<'_>, ownership: u16, known: &Known) -> Weight {
        let mut weight = self.refined(link, known);
        if link.edge.kind == EdgeKind::Service && ownership < SCOPED_FROM {
            weight.cap = weight.cap.min(SERVICE_OF_OTHERS_CAP);
        }
        let handed = EdgeKind::DelegatedSubdomain.rule();
        match self.surroundings.delegated[link.to] {
            Some(cut) if weight.own > handed.own || weight.cap > handed.cap => Weight {
                own: weight.own.min(handed.own),
                cap: weight.cap.min(handed.cap),
                reason: Some(Reason { kind: GroundKind::Delegated, node: cut }),
            },
            _ => weight,
        }
    }

    fn refined(&self, link: &Link<'_>, known: &Known) -> Weight {
        let rule = link.edge.kind.rule();
        let to = self.nodes[link.to];
        let plain = |own, cap| Weight { own, cap, reason: None };
        let as_row =
            |kind: EdgeKind, reason| Weight { own: kind.rule().own, cap: kind.rule().cap, reason: Some(reason) };
        match link.edge.kind {
            EdgeKind::ResolvesTo if !to.shared || known.astray[link.from].is_some() => self.resolved(link, known),
            _ if to.shared => Weight {
                own: rule.own.min(SHARED_OWN),
                cap: rule.cap.min(SHARED_CAP),
                reason: Some(Reason { kind: GroundKind::Shared, node: link.to }),
            },
            EdgeKind::BlockMember => match self.surroundings.foreign_allocation(link.to) {
                Some(reason) => as_row(EdgeKind::Suballocation, reason),
                None => plain(rule.own, rule.cap),
            },
            EdgeKind::Suballocation => match self.surroundings.registrant[link.to] {
                Some(node) => as_row(EdgeKind::BlockMember, Reason { kind: GroundKind::Registrant, node }),
                None => as_row(EdgeKind::Suballocation, Reason { kind: GroundKind::ForeignAllocation, node: link.to }),
            },
            EdgeKind::UnrelatedCertificate if known.on_own_machines[link.from] => {
                as_row(EdgeKind::Certificate, Reason { kind: GroundKind::OwnMachines, node: link.from })
            }
            EdgeKind::Host if to.kind == Kind::Domain => plain(DOMAIN_OF_SITE_OWN, rule.cap),
            EdgeKind::ForeignCertificateName => {
                plain(foreign_name_own(rule.own, self.foreign_domains[link.from]), rule.cap)
            }
            _ => plain(rule.own, rule.cap),
        }
    }

    /// Weighs the edge from a name to its address. The address is theirs with positive evidence, belongs to a third
    /// party behind an alias through that party's name, and is undecided otherwise.
    fn resolved(&self, link: &Link<'_>, known: &Known) -> Weight {
        let rule = EdgeKind::ResolvesTo.rule();
        if let Some(reason) = known.evidence[link.to] {
            let own = DEDICATED_ADDRESS_OWN;
            return Weight { own, cap: rule.cap, reason: Some(reason) };
        }
        let alias = EdgeKind::Alias.rule();
        let astray = known.astray[link.from].map(|node| Reason { kind: GroundKind::ForeignAlias, node });
        match astray {
            Some(_) => Weight { own: alias.own, cap: alias.cap, reason: astray },
            None => Weight { own: rule.own, cap: UNPROVEN_CAP, reason: None },
        }
    }

    /// Better ownership, then clearance, then fewer steps, then the lowest spelling of the last step, so that the
    /// winner never depends on order.
    fn is_better(&self, offer: &Label, known: &Label) -> bool {
        let rank = |label: &Label| (label.ownership, label.clearance, Reverse(label.steps));
        let spelling = |label: &Label| {
            label.last.map(|step| {
                let link = &self.links[step.link];
                let from = self.nodes[link.from];
                (from.kind, from.name.as_str(), link.edge.kind, link.edge.task.as_str())
            })
        };
        rank(offer) > rank(known) || (rank(offer) == rank(known) && spelling(offer) < spelling(known))
    }

    /// Computes the highest clearance that any path passes on, whatever its ownership. It only rises, at most four
    /// times for each node.
    fn raised(&self, labels: &[Option<Label>], known: &Known) -> Vec<Clearance> {
        let mut clearances: Vec<Clearance> =
            labels.iter().map(|label| label.map_or(Clearance::L0, |label| label.clearance)).collect();
        let mut queue: Vec<usize> = (0..self.len()).collect();
        while let Some(from) = queue.pop() {
            if clearances[from] == Clearance::L0 {
                continue;
            }
            let ownership = labels[from].map_or(0, |label| label.ownership);
            for link in &self.links[self.outward[from].clone()] {
                let offered = clearances[from].min(self.weigh(link, ownership, known).cap);
                if self.fixed[link.to].is_none() && offered > clearances[link.to] {
                    clearances[link.to] = offered;
                    queue.push(link.to);
                }
            }
        }
        clearances
    }

    /// The decisions of a round, with their paths.
    pub(super) fn decisions(&self, spread: &Spread) -> BTreeMap<Uid, Decision> {
        let decisions = spread.labels.iter().enumerate().map(|(node, label)| {
            let decision = label.map_or_else(Decision::unreached, |label| Decision {
                ownership: label.ownership,
                clearance: spread.clearances[node],
                reason: self.reason(node, label),
                path: self.path(spread, label),
            });
            (self.nodes[node].uid, decision)
        });
        decisions.collect()
    }

    fn reason(&self, node: usize, label: Label) -> ScopeReason {
        match (&self.fixed[node], label.last) {
            (Some(fixed), _) => fixed.reason.clone(),
            (None, Some(step)) => ScopeReason::Edge(self.links[step.link].edge.kind),
            (None, None) => ScopeReason::Unreached,
        }
    }

    /// The last steps of the path, from the seed's side.
    fn path(&self, spread: &Spread, label: Label) -> Vec<PathStep> {
        let mut path = Vec::with_capacity(label.steps.min(PATH_STEPS_MAX));
        let mut last = label.last;
        while let Some(step) = last.filter(|_| path.len() < PATH_STEPS_MAX) {
            let link = &self.links[step.link];
            let from = self.nodes[link.from];
            path.push(PathStep {
                from_kind: from.kind,
                from_name: from.name.clone(),
                edge: link.edge.kind,
                task: link.edge.task.clone(),
                own: step.weight.own,
                cap: step.weight.cap,
                ground: step
                    .weight
                    .reason
                    .map(|reason| Ground { kind: reason.kind, name: self.nodes[reason.node].name.clone() }),
            });
            last = spread.labels[link.from].and_then(|label| label.last);
        }
        path.reverse();
        path
    }
}

impl Spread {
    /// In thousandths; 0 where no path leads.
    pub(super) fn ownership(&self, node: usize) -> u16 {
        self.labels[node].map_or(0, |label| label.ownership)
    }
}

impl Label {
    fn of(fixed: &Fixed) -> Self {
        Self { ownership: fixed.ownership, clearance: fixed.clearance, steps: 0, last: None }
    }

    /// A closed entity passes nothing on.
    fn is_closed(self) -> bool {
        self.ownership == 0 && self.clearance == Clearance::L0
    }
}

/// Decisions that are made before any path is considered.
struct Words<'a> {
    never: Exclusions,
    denied: Exclusions,
    reserved: &'a Reserved,
    ceiling: Clearance,
}

impl Words<'_> {
    /// In this order: exclusions, reserved ranges, allow, deny (of the entity, or of what it is on), seed.
    fn on(&self, node: &Node) -> Option<Fixed> {
        let open = |reason| Fixed { ownership: 1000, clearance: self.ceiling, reason };
        if self.never.cover(&node.name) {
            Some(Fixed::closed(ScopeReason::Excluded))
        } else if self.reserved.closes_name(&node.name).is_some() {
            Some(Fixed::closed(ScopeReason::Reserved))
        } else if node.allow {
            Some(open(ScopeReason::Allowed))
        } else if node.deny || self.denied.cover(&node.name) {
            Some(Fixed::closed(ScopeReason::Denied))
        } else {
            node.seed.then(|| open(ScopeReason::Seed))
        }
    }
}

impl Fixed {
    fn closed(reason: ScopeReason) -> Self {
        Self { ownership: 0, clearance: Clearance::L0, reason }
    }
}

/// Closes addresses on which only closed names are known: who takes a name out means the machine behind it, also inside
/// a block of theirs. A name that only spells the address is its provider's and does not count. Decisions about the
/// address itself stay.
fn close_by_names(nodes: &[&Node], links: &[Link<'_>], fixed: &mut [Option<Fixed>]) {
    let mut closed_by: Vec<Option<ScopeReason>> = vec![None; nodes.len()];
    let mut has_other = vec![false; nodes.len()];
    for link in links.iter().filter(|link| link.edge.kind == EdgeKind::ResolvesTo) {
        match fixed[link.from].as_ref().filter(|fixed| fixed.ownership == 0) {
            Some(closed) => closed_by[link.to] = closed_by[link.to].take().max(Some(closed.reason.clone())),
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

/// 0.6 / √n for n foreign domains in one certificate; nothing for more than 10 (docs/architecture.md §4).
fn foreign_name_own(own: u16, domains: usize) -> u16 {
    const DOMAINS_MAX: usize = 10;
    if domains > DOMAINS_MAX {
        return 0;
    }
    let divided = f64::from(own) / f64::from(u32::try_from(domains.max(1)).unwrap_or(u32::MAX)).sqrt();
    // Truncation is wanted: thousandths are whole.
    divided as u16
}
