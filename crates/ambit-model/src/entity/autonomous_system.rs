//! What is known of a network that announces routes under its number.

use super::Member;
use super::mentioned;
use super::row::{Empty::Null, Row, contract, seen};
use crate::task::TaskName::AnnouncedBlocks;

/// Blocks within others that it announces that registries said are its holder's as well: they are known where a later
/// question about one of them fails.
pub const OWN_PARTS: Member<Vec<String>> = Member::named("hidden_own_parts");

/// What is known of a network.
pub(super) const MEMBERS: &[Row] = &[contract(mentioned::ORIGIN, Null), seen(OWN_PARTS, AnnouncedBlocks)];
