//! Decisions that need no path: exclusions, reserved ranges, what people allowed and denied, and seeds, in this order.

use super::never::Exclusions;
use super::{Node, Rules, ScopeReason};
use crate::entity::is_too_wide;
use crate::reserved::Reserved;
use crate::{Clearance, Kind};

/// A decision that needs no path: a hard stop, a person's word, or a seed.
#[derive(Clone)]
pub(super) struct Fixed {
    pub(super) ownership: u16,
    pub(super) clearance: Clearance,
    pub(super) reason: ScopeReason,
}

/// Decisions that are made before any path is considered.
pub(super) struct Words<'a> {
    never: Exclusions,
    denied: Exclusions,
    reserved: &'a Reserved,
    ceiling: Clearance,
}

impl<'a> Words<'a> {
    pub(super) fn new(nodes: &[&Node], rules: &Rules, reserved: &'a Reserved) -> Self {
        Self {
            never: Exclusions::new(&rules.never),
            denied: Exclusions::of_denied(nodes.iter().copied()),
            reserved,
            ceiling: rules.ceiling,
        }
    }

    /// In this order: exclusions, reserved ranges, allow, deny (of the entity, or of what it is on), seed. A block that
    /// is larger than anybody holds can be closed, but nobody can have meant to open it.
    pub(super) fn on(&self, node: &Node) -> Option<Fixed> {
        let open = |reason| Fixed { ownership: 1000, clearance: self.ceiling, reason };
        let may_open = !(node.kind == Kind::NetBlock && is_too_wide(&node.name));
        if self.never.cover(&node.name) {
            Some(Fixed::closed(ScopeReason::Excluded))
        } else if self.reserved.closes_name(&node.name).is_some() {
            Some(Fixed::closed(ScopeReason::Reserved))
        } else if node.allow && may_open {
            Some(open(ScopeReason::Allowed))
        } else if node.deny || self.denied.cover(&node.name) {
            Some(Fixed::closed(ScopeReason::Denied))
        } else {
            (node.seed && may_open).then(|| open(ScopeReason::Seed))
        }
    }
}

impl Fixed {
    pub(super) fn closed(reason: ScopeReason) -> Self {
        Self { ownership: 0, clearance: Clearance::L0, reason }
    }
}
