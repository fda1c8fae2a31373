//! Spreads ownership and clearance over the edges: the widest paths from the seeds, by parent pointers over indexes.

use super::blocks::{APART, Reason};
use super::fixed::Fixed;
use super::graph::{Graph, Link};
use super::known::Known;
use super::sisters::SISTER_CAP;
use super::surroundings::Surroundings;
use super::{DEDICATED_ADDRESS_OWN, Decision, PATH_STEPS_MAX, SCOPED_FROM, ScopeReason};
use crate::entity::{Evidence, EvidenceKind, Ground, GroundKind, PathStep};
use crate::{Clearance, EdgeKind, Kind};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A graph with what surrounds its nodes: all that the rounds of one decision share.
pub(super) struct Spreading<'a> {
    pub(super) graph: &'a Graph<'a>,
    pub(super) surroundings: &'a Surroundings,
}

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
pub(super) const SERVICE_OF_OTHERS_CAP: Clearance = Clearance::L1;

/// What an edge passes on after its surroundings were considered, and why that differs from its row of the table.
#[derive(Clone, Copy)]
struct Weight {
    own: u16,
    cap: Clearance,
    reason: Option<Reason>,
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

impl Spreading<'_> {
    /// Finds the best path to every node (Dijkstra on the minimum), given the results of the previous round.
    pub(super) fn spread(&self, known: &Known) -> Spread {
        let mut labels: Vec<Option<Label>> = (0..self.graph.len()).map(|node| self.start(node, known)).collect();
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
        let mut reconciled = vec![false; self.graph.len()];
        while let Some(Reached { node: Reverse(from), .. }) = heap.pop() {
            if std::mem::replace(&mut reconciled[from], true) {
                continue;
            }
            let label = labels[from].expect("what is in the heap has a label");
            if label.is_closed() {
                continue;
            }
            for at in self.graph.outward[from].clone() {
                let to = self.graph.links[at].to;
                if reconciled[to] || self.graph.fixed[to].is_some() {
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

    /// Returns the decision at a node before any path: that of a person, or else that of the evidence about a domain.
    /// Since impersonators imitate such evidence, a domain that resembles theirs needs the decision of a person.
    fn start(&self, node: usize, known: &Known) -> Option<Label> {
        let by_evidence = || {
            let sister = known.sisters[node].as_ref().filter(|_| !self.graph.resembling[node])?;
            let (ownership, cap) = sister.standing()?;
            Some(Label { ownership, clearance: cap.min(self.graph.ceiling), steps: 0, last: None })
        };
        self.graph.fixed[node].as_ref().map(Label::of).or_else(by_evidence)
    }

    /// What a link offers its end.
    fn offer(&self, label: Label, at: usize, known: &Known) -> Label {
        let weight = self.weigh(&self.graph.links[at], label.ownership, known);
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
        // An account that holds it, or an app that it names itself, shows more than evidence does.
        let is_shown = matches!(link.edge.kind, EdgeKind::CloudAccount | EdgeKind::AppLink);
        if known.by_evidence[link.to] && !is_shown {
            weight.cap = weight.cap.min(SISTER_CAP);
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
        let to = self.graph.nodes[link.to];
        let is_shared = self.surroundings.is_shared[link.to];
        let plain = |own, cap| Weight { own, cap, reason: None };
        let as_row =
            |kind: EdgeKind, reason| Weight { own: kind.rule().own, cap: kind.rule().cap, reason: Some(reason) };
        match link.edge.kind {
            EdgeKind::ResolvesTo if !is_shared || known.foreign_aliases[link.from].is_some() => {
                self.resolved(link, known)
            }
            // The provider itself names the account, whoever else is known to use such addresses.
            EdgeKind::CloudAccount => plain(rule.own, rule.cap),
            EdgeKind::BlockMember if let Some(reason) = self.surroundings.foreign_allocation(link.to) => {
                as_row(EdgeKind::Suballocation, reason)
            }
            _ if is_shared => Weight {
                own: rule.own.min(SHARED_OWN),
                cap: rule.cap.min(SHARED_CAP),
                reason: Some(Reason { kind: GroundKind::Shared, node: link.to }),
            },
            kind if let Some((_, ground)) = APART.into_iter().find(|(edge, _)| *edge == kind) => {
                match self.surroundings.registrant[link.to] {
                    Some(node) => as_row(EdgeKind::BlockMember, Reason { kind: GroundKind::Registrant, node }),
                    None => as_row(kind, Reason { kind: ground, node: link.to }),
                }
            }
            // Below a provider's suffix a name is a domain of its own, which a customer has, and so is what lies in it.
            kind if (kind == EdgeKind::Subdomain && to.kind == Kind::Domain) || self.is_customers(link, known) => {
                let rule = EdgeKind::RegistrableDomain.rule();
                plain(rule.own, rule.cap)
            }
            EdgeKind::UnrelatedCertificate if known.on_own_machines[link.from] => {
                as_row(EdgeKind::Certificate, Reason { kind: GroundKind::OwnMachines, node: link.from })
            }
            // A host of theirs may show a certificate of the domain that it is in and of its neighbours there.
            EdgeKind::CertificateName if !known.within.contains(&link.to) => {
                as_row(EdgeKind::ForeignCertificateName, Reason { kind: GroundKind::NoneAbove, node: link.to })
            }
            EdgeKind::Host if to.kind == Kind::Domain => plain(DOMAIN_OF_SITE_OWN, rule.cap),
            EdgeKind::ForeignCertificateName => {
                plain(foreign_name_own(rule.own, self.graph.foreign_domains[link.from]), rule.cap)
            }
            _ => plain(rule.own, rule.cap),
        }
    }

    /// True for a name below a provider's suffix that only the provider leads to, by its zone or a certificate.
    fn is_customers(&self, link: &Link<'_>, known: &Known) -> bool {
        let customers = &self.surroundings.customers;
        let by_provider = || customers.is_told_by_provider(self.graph, link);
        match link.edge.kind {
            EdgeKind::Subdomain | EdgeKind::OwnServer => by_provider(),
            EdgeKind::DelegatedSubdomain | EdgeKind::CertificateName => {
                by_provider() || (customers.is_of_named(link.to) && !known.within.contains(&link.to))
            }
            _ => false,
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
        let foreign_alias =
            known.foreign_aliases[link.from].map(|node| Reason { kind: GroundKind::ForeignAlias, node });
        match foreign_alias {
            Some(_) => Weight { own: alias.own, cap: alias.cap, reason: foreign_alias },
            None => Weight { own: rule.own, cap: UNPROVEN_CAP, reason: None },
        }
    }

    /// Better ownership, then clearance, then fewer steps, then the lowest spelling of the last step, so that the
    /// winner never depends on order.
    fn is_better(&self, offer: &Label, known: &Label) -> bool {
        let rank = |label: &Label| (label.ownership, label.clearance, Reverse(label.steps));
        let spelling = |label: &Label| {
            label.last.map(|step| {
                let link = &self.graph.links[step.link];
                let from = self.graph.nodes[link.from];
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
        let mut queue: Vec<usize> = (0..self.graph.len()).collect();
        while let Some(from) = queue.pop() {
            if clearances[from] == Clearance::L0 {
                continue;
            }
            let ownership = labels[from].map_or(0, |label| label.ownership);
            for link in &self.graph.links[self.graph.outward[from].clone()] {
                let passed = if self.is_titled(link, known) { self.graph.ceiling } else { clearances[from] };
                let offered = passed.min(self.weigh(link, ownership, known).cap);
                if self.graph.fixed[link.to].is_none() && offered > clearances[link.to] {
                    clearances[link.to] = offered;
                    queue.push(link.to);
                }
            }
        }
        clearances
    }

    /// True for an address of a sister's name that is registered to them: that is their title to the address, whatever
    /// may be done to the name.
    fn is_titled(&self, link: &Link<'_>, known: &Known) -> bool {
        link.edge.kind == EdgeKind::ResolvesTo
            && known.by_evidence[link.from]
            && known.evidence[link.to].is_some_and(|reason| reason.kind.is_title())
    }

    /// The decision of a round for a node, with its path.
    pub(super) fn decision(&self, spread: &Spread, known: &Known, node: usize) -> Decision {
        spread.labels[node].map_or_else(Decision::unreached, |label| {
            let mut path: Vec<PathStep> = self.steps(spread, label).map(|(step, link)| self.told(step, link)).collect();
            path.reverse();
            let evidence = self.evidence(node, label, known);
            let evidence = evidence.map(|(kind, name, weight)| Evidence { kind, name: name.to_owned(), weight });
            Decision {
                ownership: label.ownership,
                clearance: spread.clearances[node],
                reason: self.reason(node, label),
                path,
                evidence: evidence.collect(),
            }
        })
    }

    /// Returns whether a round decides so of a node; nothing is copied to find that out.
    pub(super) fn decides(&self, spread: &Spread, known: &Known, node: usize, decision: &Decision) -> bool {
        let Some(label) = spread.labels[node] else { return *decision == Decision::unreached() };
        decision.ownership == label.ownership
            && decision.clearance == spread.clearances[node]
            && decision.reason == self.reason(node, label)
            && self
                .evidence(node, label, known)
                .eq(decision.evidence.iter().map(|piece| (piece.kind, piece.name.as_str(), piece.weight)))
            && self.steps(spread, label).count() == decision.path.len()
            && self.steps(spread, label).zip(decision.path.iter().rev()).all(|((step, link), told)| {
                let ground = told.ground.as_ref().map(|ground| (ground.kind, ground.name.as_str()));
                let from = self.graph.nodes[link.from];
                (told.from_kind, told.from_name.as_str()) == (from.kind, from.name.as_str())
                    && (told.edge, told.task.as_str()) == (link.edge.kind, link.edge.task.as_str())
                    && (told.own, told.cap, ground) == (step.weight.own, step.weight.cap, self.ground(step))
            })
    }

    fn reason(&self, node: usize, label: Label) -> ScopeReason {
        match (&self.graph.fixed[node], label.last) {
            (Some(fixed), _) => fixed.reason.clone(),
            (None, Some(step)) => ScopeReason::Edge(self.graph.links[step.link].edge.kind),
            (None, None) => ScopeReason::Evidence,
        }
    }

    fn evidence<'a>(
        &'a self,
        node: usize,
        label: Label,
        known: &'a Known,
    ) -> impl Iterator<Item = (EvidenceKind, &'a str, i32)> {
        let pieces = known.sisters[node].iter().flat_map(move |sister| sister.told(label.last.is_none()));
        pieces.map(|(kind, node)| (kind, self.graph.nodes[node].name.as_str(), kind.weight()))
    }

    /// The last steps of the path, the very last first.
    fn steps<'a>(&'a self, spread: &'a Spread, label: Label) -> impl Iterator<Item = (Step, &'a Link<'a>)> {
        let last = label.last.map(|step| (step, &self.graph.links[step.link]));
        let before = |(_, link): &(Step, &'a Link<'a>)| {
            let step = spread.labels[link.from].and_then(|label| label.last)?;
            Some((step, &self.graph.links[step.link]))
        };
        std::iter::successors(last, before).take(PATH_STEPS_MAX)
    }

    fn ground(&self, step: Step) -> Option<(GroundKind, &str)> {
        step.weight.reason.map(|reason| (reason.kind, self.graph.nodes[reason.node].name.as_str()))
    }

    fn told(&self, step: Step, link: &Link<'_>) -> PathStep {
        let from = self.graph.nodes[link.from];
        PathStep {
            from_kind: from.kind,
            from_name: from.name.clone(),
            edge: link.edge.kind,
            task: link.edge.task.clone(),
            own: step.weight.own,
            cap: step.weight.cap,
            ground: self.ground(step).map(|(kind, name)| Ground { kind, name: name.to_owned() }),
        }
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
