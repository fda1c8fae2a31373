//! Why a decision of scope came out as it did. Its stored text is part of the contract (`scoped_reason`).

use crate::EdgeKind;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The reason of a decision: a rule that needs no path, or the kind of the last edge of the best path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum ScopeReason {
    /// No path reaches it.
    Unreached,
    /// A person gave it.
    Seed,
    /// A person put it on the allow list.
    Allowed,
    /// The entity is on the deny list, or on something that is; of an address also: only names that are closed resolve
    /// to it.
    Denied,
    /// An exclusion covers it: of the collection, or of the whole installation.
    Excluded,
    /// It lies in a reserved range that the installation's administrator did not open.
    Reserved,
    /// Evidence shows that a domain which nobody named is, or may be, a seed's owner's.
    Evidence,
    /// The best path ends in an edge of this kind.
    Edge(EdgeKind),
    /// A newer version stored it; it is kept as it is.
    Unknown(String),
}

/// The reasons without a path, with their stored texts.
const FIXED: [(ScopeReason, &str); 7] = [
    (ScopeReason::Unreached, "unreached"),
    (ScopeReason::Seed, "seed"),
    (ScopeReason::Allowed, "allow_list_override"),
    (ScopeReason::Denied, "deny_list_override"),
    (ScopeReason::Excluded, "hard_stop"),
    (ScopeReason::Reserved, "reserved_range"),
    (ScopeReason::Evidence, "evidence"),
];

impl fmt::Display for ScopeReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Edge(kind) => f.write_str(&kind.name()),
            Self::Unknown(text) => f.write_str(text),
            fixed => f.write_str(FIXED.iter().find(|(reason, _)| reason == fixed).map_or("", |(_, text)| text)),
        }
    }
}

impl From<&str> for ScopeReason {
    /// Reads the stored text. One that this version does not know survives as it is.
    fn from(text: &str) -> Self {
        let fixed = FIXED.into_iter().find(|(_, known)| *known == text).map(|(reason, _)| reason);
        let edge = || EdgeKind::from_name(text).map(Self::Edge);
        fixed.or_else(edge).unwrap_or_else(|| Self::Unknown(text.to_owned()))
    }
}

impl From<String> for ScopeReason {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<ScopeReason> for String {
    fn from(reason: ScopeReason) -> Self {
        reason.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edge::EDGES;

    #[test]
    fn every_reason_is_stored_under_its_text_and_read_again_and_an_unknown_one_survives() {
        let edges = EDGES.iter().map(|rule| (ScopeReason::Edge(rule.kind), rule.kind.name()));
        let unknown = (ScopeReason::Unknown("of_tomorrow".to_owned()), "of_tomorrow".to_owned());
        let fixed = FIXED.map(|(reason, text)| (reason, text.to_owned()));
        for (reason, text) in fixed.into_iter().chain(edges).chain([unknown]) {
            let stored = serde_json::to_string(&reason).unwrap();
            assert_eq!(stored, format!("{text:?}"));
            assert_eq!(serde_json::from_str::<ScopeReason>(&stored).unwrap(), reason, "{text}");
        }
    }
}
