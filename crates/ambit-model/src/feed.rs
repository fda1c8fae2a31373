//! The change feed: one row per changed record, in commit order (docs/architecture.md §1.5).

use crate::Uid;
use serde::{Deserialize, Serialize};

/// Which sort of record changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Noun {
    Entity,
    Issue,
    Technology,
    Collection,
    Project,
    Run,
    /// A graph of the installation; it belongs to no project.
    Graph,
}

impl Noun {
    /// Every noun.
    pub const ALL: [Self; 7] =
        [Self::Entity, Self::Issue, Self::Technology, Self::Collection, Self::Project, Self::Run, Self::Graph];

    /// As stored.
    pub fn name(self) -> &'static str {
        match self {
            Self::Entity => "entity",
            Self::Issue => "issue",
            Self::Technology => "technology",
            Self::Collection => "collection",
            Self::Project => "project",
            Self::Run => "run",
            Self::Graph => "graph",
        }
    }

    /// The noun of a stored name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|noun| noun.name() == name)
    }
}

/// What happened to the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// It was not there before, or had gone.
    Appeared,
    /// What the API shows of it changed.
    Changed,
    /// It is no longer present, or the issue closed.
    Disappeared,
    /// Only `last_seen` moved.
    Seen,
}

impl What {
    /// As stored.
    pub fn name(self) -> &'static str {
        match self {
            Self::Appeared => "appeared",
            Self::Changed => "changed",
            Self::Disappeared => "disappeared",
            Self::Seen => "seen",
        }
    }

    /// The change of a stored name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Appeared, Self::Changed, Self::Disappeared, Self::Seen].into_iter().find(|what| what.name() == name)
    }
}

/// One row of the feed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedRow {
    /// Counted in commit order, without gaps visible to readers.
    pub revision: i64,
    pub project: i64,
    pub noun: Noun,
    pub uid: Uid,
    pub what: What,
}
