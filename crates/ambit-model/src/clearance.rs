//! What may be done to an entity, and what a task needs: the five levels of docs/architecture.md §3.1.

use serde::{Deserialize, Serialize};

/// A clearance level. An entity *has* one by scope; a task *needs* one as its footprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Clearance {
    /// The entity is known, and nothing may be sent because of it.
    L0,
    /// Passive sources and DNS through the resolver.
    L1,
    /// What a browser does: one connection, one page, one TLS handshake.
    L2,
    /// Sweeps and probes that the other side can notice.
    L3,
    /// Logins, writes, exploit checks.
    L4,
}

impl Clearance {
    /// All levels, lowest first.
    pub const ALL: [Self; 5] = [Self::L0, Self::L1, Self::L2, Self::L3, Self::L4];

    /// The level of `--level passive|polite|normal|intensive`, or `None` for another word.
    pub fn from_level(word: &str) -> Option<Self> {
        match word {
            "passive" => Some(Self::L1),
            "polite" => Some(Self::L2),
            "normal" => Some(Self::L3),
            "intensive" => Some(Self::L4),
            _ => None,
        }
    }

    /// Returns the word of `--level` for it. L0, which may send nothing, is `passive` as well.
    pub fn level(self) -> &'static str {
        match self {
            Self::L0 | Self::L1 => "passive",
            Self::L2 => "polite",
            Self::L3 => "normal",
            Self::L4 => "intensive",
        }
    }

    /// 0 to 4, as it is stored.
    pub fn number(self) -> i64 {
        match self {
            Self::L0 => 0,
            Self::L1 => 1,
            Self::L2 => 2,
            Self::L3 => 3,
            Self::L4 => 4,
        }
    }

    /// The level of a stored number; `None` outside 0..=4.
    pub fn from_number(number: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.number() == number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_ordered_and_read_from_words_and_numbers() {
        assert!(Clearance::ALL.is_sorted());
        for level in Clearance::ALL {
            assert_eq!(Clearance::from_number(level.number()), Some(level));
        }
        for (word, level) in [("passive", "L1"), ("polite", "L2"), ("normal", "L3"), ("intensive", "L4")] {
            let read = Clearance::from_level(word).unwrap();
            assert_eq!((format!("{read:?}").as_str(), read.level()), (level, word));
        }
        for word in ["", "Normal", "L3", "aggressive"] {
            assert_eq!(Clearance::from_level(word), None);
        }
        assert_eq!((Clearance::from_number(-1), Clearance::from_number(5)), (None, None));
    }
}
