//! Scope: who owns an entity, and what may be done to it (design §7, `research/discovery.md` §3.2). Pure: a graph and rules in, decisions out.

use crate::entity::PathStep;
use crate::{Clearance, EdgeKind, Kind, Uid};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// Ownership from which an entity counts as scoped, in thousandths.
pub const SCOPED_FROM: u16 = 900;

/// Ownership of a name's address on which only scoped names are known, in thousandths.
pub const DEDICATED_ADDRESS_OWN: u16 = 900;

/// Steps kept of a path; longer ones are cut at the seed's end so that a record stays small.
pub const PATH_STEPS_MAX: usize = 64;

/// Rounds of the fixed point between names and the addresses they share; names seldom depend on addresses, so two are the rule.
const ROUNDS_MAX: usize = 8;

/// The two answers for one entity, with their reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// In thousandths.
    pub ownership: u16,
    pub clearance: Clearance,
    /// `seed`, `allow_list_override`, `deny_list_override`, `hard_stop`, or the kind of the last edge of the best path; `unreached` without one.
    pub reason: String,
    /// From the seed, edge by edge.
    pub path: Vec<PathStep>,
}

impl Decision {
    /// What is decided of an entity that nothing leads to.
    pub fn unreached() -> Self {
        Self {
            ownership: 0,
            clearance: Clearance::L0,
            reason: "unreached".to_owned(),
            path: Vec::new(),
        }
    }

    /// `scoped` of the API: ownership of at least 0.9, or an allow override.
    pub fn scoped(&self) -> bool {
        self.ownership >= SCOPED_FROM
    }
}

/// An entity as scope sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    pub uid: Uid,
    pub kind: Kind,
    pub name: String,
    pub seed: bool,
    pub allow: bool,
    pub deny: bool,
    /// Shared by strangers: a CDN, a shared host, a provider. Such an address passes at most L2 and is never owned.
    pub shared: bool,
}

/// An open edge as scope sees it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    pub from: Uid,
    pub to: Uid,
    pub kind: EdgeKind,
    /// The task that saw it.
    pub task: String,
}

/// The ceiling of the collection: level asked for and workflow, and the patterns of `--exclude`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    pub ceiling: Clearance,
    /// Names, `*.name` patterns, addresses and blocks that are never touched; no allow overrides them.
    pub never: Vec<String>,
}

/// Decides the scope of every node. Deterministic: equal graphs give equal decisions, whatever their order.
pub fn decide(nodes: &BTreeMap<Uid, Node>, edges: &BTreeSet<Edge>, rules: &Rules) -> BTreeMap<Uid, Decision> {
    let graph = Graph::new(nodes, edges, rules);
    let mut dedicated = BTreeSet::new();
    let mut decisions = graph.spread(&dedicated);
    for _ in 0..ROUNDS_MAX {
        let found = graph.dedicated(&decisions);
        if found == dedicated {
            break;
        }
        dedicated = found;
        decisions = graph.spread(&dedicated);
    }
    decisions
}

/// True where a `never` pattern covers the name: equal, below `*.`, the host of a URL or service, or an address in a block.
pub fn is_never(name: &str, never: &[String]) -> bool {
    let host = host_of(name);
    never.iter().any(|pattern| match pattern.strip_prefix("*.") {
        Some(parent) => host.strip_suffix(parent).is_some_and(|rest| rest.ends_with('.')),
        None => {
            let block = pattern.parse::<ipnet::IpNet>().ok();
            let address = host.parse::<std::net::IpAddr>().ok();
            pattern == name || pattern == host || block.zip(address).is_some_and(|(block, address)| block.contains(&address))
        }
    })
}

/// The host name or address in an entity's name: of a URL, of `address:port/tcp`, of an e-mail address, or the name itself.
pub fn host_of(name: &str) -> &str {
    let rest = name.split_once("://").map_or(name, |(_, rest)| rest);
    let rest = rest.split(['/', '?']).next().unwrap_or(rest);
    let rest = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    match rest.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
        Some((address, _)) => address,
        None if rest.matches(':').count() == 1 => rest.split(':').next().unwrap_or(rest),
        None => rest,
    }
}

struct Graph<'a> {
    nodes: &'a BTreeMap<Uid, Node>,
    rules: &'a Rules,
    outward: BTreeMap<Uid, Vec<&'a Edge>>,
    inward: BTreeMap<Uid, Vec<&'a Edge>>,
}

/// A node on its way to being settled: best ownership first, then highest clearance, fewest steps, lowest uid.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Reached {
    ownership: u16,
    clearance: Clearance,
    steps: std::cmp::Reverse<usize>,
    uid: std::cmp::Reverse<Uid>,
}

impl<'a> Graph<'a> {
    fn new(nodes: &'a BTreeMap<Uid, Node>, edges: &'a BTreeSet<Edge>, rules: &'a Rules) -> Self {
        let (mut outward, mut inward) = (BTreeMap::<Uid, Vec<&Edge>>::new(), BTreeMap::<Uid, Vec<&Edge>>::new());
        for edge in edges {
            outward.entry(edge.from).or_default().push(edge);
            inward.entry(edge.to).or_default().push(edge);
        }
        Self {
            nodes,
            rules,
            outward,
            inward,
        }
    }

    /// Spreads ownership and clearance from the seeds over the widest paths (Dijkstra on the minimum).
    fn spread(&self, dedicated: &BTreeSet<Uid>) -> BTreeMap<Uid, Decision> {
        let mut best: BTreeMap<Uid, Decision> = self.nodes.keys().map(|uid| (*uid, Decision::unreached())).collect();
        let mut heap = BinaryHeap::new();
        for node in self.nodes.values() {
            if let Some(decision) = self.fixed(node) {
                heap.push(reached(node.uid, &decision));
                best.insert(node.uid, decision);
            }
        }
        let mut settled = BTreeSet::new();
        while let Some(Reached { uid, .. }) = heap.pop() {
            let uid = uid.0;
            if !settled.insert(uid) {
                continue;
            }
            let from = best[&uid].clone();
            for edge in self.outward.get(&uid).into_iter().flatten() {
                let Some(node) = self.nodes.get(&edge.to) else { continue };
                if settled.contains(&edge.to) || self.fixed(node).is_some() {
                    continue;
                }
                let Some(offer) = self.offer(&self.nodes[&uid], &from, edge, node, dedicated) else {
                    continue;
                };
                let known = &best[&edge.to];
                if better(&offer, known) {
                    heap.push(reached(edge.to, &offer));
                    best.insert(edge.to, offer);
                }
            }
        }
        self.raise_clearances(&mut best, dedicated);
        best
    }

    /// Hard stops and a person's word stand before any path, in this order: never, allow, deny, seed.
    fn fixed(&self, node: &Node) -> Option<Decision> {
        let decide = |ownership, clearance, reason: &str| {
            Some(Decision {
                ownership,
                clearance,
                reason: reason.to_owned(),
                path: Vec::new(),
            })
        };
        if is_never(&node.name, &self.rules.never) {
            decide(0, Clearance::L0, "hard_stop")
        } else if node.allow {
            decide(1000, self.rules.ceiling, "allow_list_override")
        } else if node.deny {
            decide(0, Clearance::L0, "deny_list_override")
        } else if node.seed {
            decide(1000, self.rules.ceiling, "seed")
        } else {
            None
        }
    }

    /// What one edge offers its end.
    fn offer(&self, from: &Node, decision: &Decision, edge: &Edge, to: &Node, dedicated: &BTreeSet<Uid>) -> Option<Decision> {
        let (own, cap) = self.weigh(edge, to, dedicated);
        // A seed that is an address or a block is the person's own word about everything on it; a closed entity passes nothing on.
        if decision.clearance == Clearance::L0 && decision.ownership == 0 {
            return None;
        }
        let mut path = decision.path.clone();
        path.push(PathStep {
            from_kind: from.kind,
            from_name: from.name.clone(),
            edge: edge.kind,
            task: edge.task.clone(),
            own,
            cap,
        });
        if path.len() > PATH_STEPS_MAX {
            path.remove(0);
        }
        Some(Decision {
            ownership: decision.ownership.min(own),
            clearance: decision.clearance.min(cap),
            reason: edge.kind.name(),
            path,
        })
    }

    /// The edge's row of the table, refined by its surroundings.
    fn weigh(&self, edge: &Edge, to: &Node, dedicated: &BTreeSet<Uid>) -> (u16, Clearance) {
        let rule = edge.kind.rule();
        match edge.kind {
            EdgeKind::ResolvesTo if to.shared => (200, Clearance::L2),
            EdgeKind::ResolvesTo if dedicated.contains(&edge.to) => (DEDICATED_ADDRESS_OWN, rule.cap),
            EdgeKind::ResolvesTo => (rule.own, Clearance::L2),
            EdgeKind::ForeignCertificateName => {
                let domains = self
                    .outward
                    .get(&edge.from)
                    .into_iter()
                    .flatten()
                    .filter(|other| other.kind == edge.kind)
                    .count();
                (foreign_name_own(rule.own, domains), rule.cap)
            }
            _ => (rule.own, rule.cap),
        }
    }

    /// Addresses on which every known name is scoped, and which nobody shares.
    fn dedicated(&self, decisions: &BTreeMap<Uid, Decision>) -> BTreeSet<Uid> {
        let resolves = |edge: &&&Edge| edge.kind == EdgeKind::ResolvesTo;
        self.nodes
            .values()
            .filter(|node| !node.shared)
            .filter(|node| {
                let mut names = self.inward.get(&node.uid).into_iter().flatten().filter(resolves).peekable();
                names.peek().is_some() && names.all(|edge| decisions.get(&edge.from).is_some_and(Decision::scoped))
            })
            .map(|node| node.uid)
            .collect()
    }

    /// The best path counts for ownership; the highest clearance that any path passes counts for clearance.
    fn raise_clearances(&self, best: &mut BTreeMap<Uid, Decision>, dedicated: &BTreeSet<Uid>) {
        let mut queue: Vec<Uid> = best.keys().copied().collect();
        while let Some(uid) = queue.pop() {
            let clearance = best[&uid].clearance;
            if clearance == Clearance::L0 {
                continue;
            }
            for edge in self.outward.get(&uid).into_iter().flatten() {
                let Some(node) = self.nodes.get(&edge.to) else { continue };
                if self.fixed(node).is_some() {
                    continue;
                }
                let offered = clearance.min(self.weigh(edge, node, dedicated).1);
                let known = best.get_mut(&edge.to).expect("every node has a decision");
                if offered > known.clearance {
                    known.clearance = offered;
                    queue.push(edge.to);
                }
            }
        }
    }
}

/// 0.6 / √n for n names of foreign domains in one certificate; nothing for more than 10 (`research/discovery.md` §3.2).
fn foreign_name_own(own: u16, domains: usize) -> u16 {
    const DOMAINS_MAX: usize = 10;
    if domains > DOMAINS_MAX {
        return 0;
    }
    let divided = f64::from(own) / f64::from(u32::try_from(domains.max(1)).unwrap_or(u32::MAX)).sqrt();
    // Truncation is wanted: thousandths are whole.
    divided as u16
}

fn reached(uid: Uid, decision: &Decision) -> Reached {
    Reached {
        ownership: decision.ownership,
        clearance: decision.clearance,
        steps: std::cmp::Reverse(decision.path.len()),
        uid: std::cmp::Reverse(uid),
    }
}

/// Better ownership, then clearance, then the shorter path, then the lowest spelling, so that the winner never depends on order.
fn better(offer: &Decision, known: &Decision) -> bool {
    let rank = |decision: &Decision| (decision.ownership, decision.clearance, std::cmp::Reverse(decision.path.len()));
    if known.reason == "unreached" {
        return true;
    }
    let spelling = |decision: &Decision| {
        decision
            .path
            .last()
            .map(|step| (step.from_kind, step.from_name.clone(), step.edge, step.task.clone()))
    };
    rank(offer) > rank(known) || (rank(offer) == rank(known) && spelling(offer) < spelling(known))
}
