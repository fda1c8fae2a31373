//! Scope: who owns an entity, and what may be done to it (docs/architecture.md §4). Pure: a graph and rules in,
//! decisions out.

mod blocks;
mod fixed;
mod graph;
mod known;
mod leaf;
mod never;
mod pages;
mod reason;
mod registrant;
mod sharing;
mod sisters;
mod spelled;
mod spread;
mod surroundings;
#[cfg(test)]
mod tests;

pub use blocks::Blocks;
pub use leaf::{Leaves, Stem};
pub(crate) use never::is_never;
pub use never::{Exclusions, exclusion};
pub use reason::ScopeReason;
pub use registrant::{is_hidden_registrant, registrant_key};
pub use sharing::SharedBy;
pub use sisters::{PRIOR, by_evidence};
pub use spelled::spells;

use crate::entity::{Evidence, PathStep};
use crate::reserved::Reserved;
use crate::{Clearance, EdgeKind, Kind, Uid};
use graph::Graph;
use known::Known;
use serde::{Deserialize, Serialize};
use spread::Spreading;
use std::collections::{BTreeMap, BTreeSet};
use surroundings::Surroundings;

/// Ownership from which an entity counts as scoped, in thousandths.
pub const SCOPED_FROM: u16 = 900;

/// Ownership of a name's address that positive evidence shows to be theirs, in thousandths.
pub(crate) const DEDICATED_ADDRESS_OWN: u16 = 900;

/// Steps kept of a path; longer ones are cut at the seed's end so that a record stays small.
pub(crate) const PATH_STEPS_MAX: usize = 64;

/// Rounds of the fixed point between names and the addresses they share. Each round can only add addresses that are
/// theirs, so stopping early decides too little, never too much; names seldom depend on addresses, so two rounds are
/// the rule.
const ROUNDS_MAX: usize = 8;

/// The two answers for one entity, with their reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// In thousandths.
    pub ownership: u16,
    pub clearance: Clearance,
    pub reason: ScopeReason,
    /// From the seed, edge by edge.
    pub path: Vec<PathStep>,
    /// Of a domain that nobody named: what shows that it is theirs, the strongest first. It may not suffice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
}

impl Decision {
    /// Returns the decision for an entity that no path reaches.
    pub fn unreached() -> Self {
        Self {
            ownership: 0,
            clearance: Clearance::L0,
            reason: ScopeReason::Unreached,
            path: Vec::new(),
            evidence: Vec::new(),
        }
    }

    /// Returns true if an exclusion, the deny list or a reserved range closes it, which no evidence overrides.
    pub fn is_closed(&self) -> bool {
        self.clearance == Clearance::L0
            && matches!(self.reason, ScopeReason::Denied | ScopeReason::Excluded | ScopeReason::Reserved)
    }

    /// `scoped` of the API: ownership of at least 0.9, or an allow override.
    pub fn scoped(&self) -> bool {
        self.ownership >= SCOPED_FROM
    }
}

/// What [`decide_again`] says of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decided {
    pub uid: Uid,
    /// Whether a path of edges leads from a seed to it, whatever the edges pass on.
    pub reached: bool,
    /// Whether evidence alone makes it theirs, or the domain that it is in, and no account that holds it.
    pub by_evidence: bool,
    /// `None` where it is the decision of before.
    pub decision: Option<Decision>,
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
    /// Of an address: by whom third parties are shown to share it. Such an address passes on at most L2 and is never
    /// owned, unless a block around it says otherwise.
    pub shared: SharedBy,
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
///
/// Ownership is that of the best path, clearance the highest that any path passes; `path` and `reason` explain the
/// ownership. Ties are decided by clearance, then the fewest steps, then the lowest spelling of the last step. Costs
/// about one pass over the edges for each round and no allocation for each edge: paths are put together from parent
/// pointers at the end.
pub fn decide(nodes: &BTreeMap<Uid, Node>, edges: &BTreeSet<Edge>, rules: &Rules) -> BTreeMap<Uid, Decision> {
    let (decided, _) = decide_again(nodes, edges, rules, &Reserved::default(), |_| None);
    decided.into_iter().filter_map(|node| Some((node.uid, node.decision?))).collect()
}

/// Decides as [`decide`], where what lies in a reserved range is closed, also to seeds and the allow list. Returns
/// every node in the order of uids, with its decision only where that differs from the one of `before`: of a large
/// estate little is decided otherwise than a moment ago. Beside them it hands out the blocks by which it decided, for
/// addresses that are no nodes yet.
pub fn decide_again<'a>(
    nodes: &BTreeMap<Uid, Node>,
    edges: &BTreeSet<Edge>,
    rules: &Rules,
    reserved: &Reserved,
    before: impl Fn(&Uid) -> Option<&'a Decision>,
) -> (Vec<Decided>, Blocks) {
    let graph = Graph::new(nodes, edges, rules, reserved);
    let surroundings = Surroundings::new(&graph);
    let spreading = Spreading { graph: &graph, surroundings: &surroundings };
    let mut known = Known::nothing(&graph, &surroundings);
    let mut spread = spreading.spread(&known);
    for _ in 0..ROUNDS_MAX {
        let shown = Known::after(&graph, &surroundings, &|node| spread.ownership(node) >= SCOPED_FROM);
        if shown == known {
            break;
        }
        known = shown;
        spread = spreading.spread(&known);
    }
    let reached = graph.reached();
    let nodes = graph.nodes.iter().enumerate().map(|(at, node)| {
        let held = before(&node.uid).is_some_and(|before| spreading.decides(&spread, &known, at, before));
        let decision = (!held).then(|| spreading.decision(&spread, &known, at));
        let by_evidence = known.by_evidence[at] && !surroundings.is_in_account[at] && !graph.is_given(at);
        Decided { uid: node.uid, reached: reached[at], by_evidence, decision }
    });
    let decided = nodes.collect();
    (decided, surroundings.blocks)
}
