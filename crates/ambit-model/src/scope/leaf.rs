//! Decides what hangs on one edge and leads nowhere, without the rest of the graph: what is added to a large collection
//! is decided with it. It answers only where the whole graph could say nothing else.

use super::fixed::{Fixed, Words};
use super::spread::SERVICE_OF_OTHERS_CAP;
use super::{Decision, Node, PATH_STEPS_MAX, Rules, SCOPED_FROM, ScopeReason};
use crate::entity::PathStep;
use crate::reserved::Reserved;
use crate::{EdgeKind, Kind, TaskName};

/// What decides in addition to paths: the rules of a collection, and its deny list.
pub struct Leaves<'a> {
    words: Words<'a>,
}

/// Where a leaf hangs, as it is decided.
#[derive(Clone, Copy, Debug)]
pub struct Stem<'a> {
    pub kind: Kind,
    pub name: &'a str,
    pub decision: &'a Decision,
}

impl<'a> Leaves<'a> {
    /// Leaves of a collection with these rules, all of whose denied entities are given.
    pub fn new(denied: &[Node], rules: &Rules, reserved: &'a Reserved) -> Self {
        let denied: Vec<&Node> = denied.iter().collect();
        Self { words: Words::new(&denied, rules, reserved) }
    }

    /// Returns what a rule or a person's word decides, which needs no path.
    pub fn given(&self, node: &Node) -> Option<Decision> {
        self.words.on(node).map(|fixed| decision(&fixed))
    }

    /// Decides a node with this one edge inward and none outward, as [`super::decide`] would; for it nothing else is
    /// decided otherwise. `None` where the rest of the graph has a say. Of a name the caller knows that no level of it
    /// is delegated, of an address that no block of the graph around it is narrower than the one that leads there.
    pub fn decide(&self, leaf: &Node, stem: Stem<'_>, edge: EdgeKind, task: &str) -> Option<Decision> {
        if let Some(given) = self.given(leaf) {
            return Some(given);
        }
        let of_stem = stem.decision;
        if leaf.shared.is_shared() || !hangs(edge, leaf.kind, of_stem, task) {
            return None;
        }
        if of_stem.ownership == 0 {
            // What is closed passes nothing on. Of what is not reached, perhaps nobody decided yet.
            return of_stem.is_closed().then(Decision::unreached);
        }
        let rule = edge.rule();
        let is_others = edge == EdgeKind::Service && of_stem.ownership < SCOPED_FROM;
        let cap = if is_others { rule.cap.min(SERVICE_OF_OTHERS_CAP) } else { rule.cap };
        let mut path = of_stem.path.clone();
        path.push(PathStep {
            from_kind: stem.kind,
            from_name: stem.name.to_owned(),
            edge,
            task: task.to_owned(),
            own: rule.own,
            cap,
            ground: None,
        });
        // Cut at the seed's end.
        path.drain(..path.len().saturating_sub(PATH_STEPS_MAX));
        Some(Decision {
            ownership: of_stem.ownership.min(rule.own),
            clearance: of_stem.clearance.min(cap),
            reason: ScopeReason::Edge(edge),
            path,
            evidence: Vec::new(),
        })
    }
}

/// Returns whether the edge counts as its row of the table says, whatever surrounds it. A block that nobody named may
/// lie in one that a third party registered, and a mailbox can be evidence for its domain.
fn hangs(edge: EdgeKind, leaf: Kind, stem: &Decision, task: &str) -> bool {
    let is_named = matches!(stem.reason, ScopeReason::Seed | ScopeReason::Allowed);
    match (edge, leaf) {
        (EdgeKind::Site, Kind::Uri)
        | (EdgeKind::Api, Kind::ApiEndpoint)
        | (EdgeKind::Service, Kind::NetworkService)
        | (EdgeKind::Link, Kind::DnsRecord) => true,
        (EdgeKind::BlockMember, Kind::IpAddress) => is_named,
        (EdgeKind::Contact, Kind::EmailAddress) => is_named && task != TaskName::MailPolicy.as_str(),
        _ => false,
    }
}

fn decision(fixed: &Fixed) -> Decision {
    Decision {
        ownership: fixed.ownership,
        clearance: fixed.clearance,
        reason: fixed.reason.clone(),
        path: Vec::new(),
        evidence: Vec::new(),
    }
}
