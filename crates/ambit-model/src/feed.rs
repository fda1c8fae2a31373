//! The change feed: one row per changed record, in commit order (docs/architecture.md §1.5).

use crate::Uid;
use crate::names::names;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

names! {
    /// Which sort of record changed.
    #[derive(Serialize, Deserialize)]
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

    /// What happened to the record.
    #[derive(Serialize, Deserialize)]
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

impl FeedRow {
    /// Returns the uuid of a collection, a project or a run, which the feed keeps in the first half of the uid; of
    /// other nouns it means nothing.
    pub fn uuid(&self) -> Uuid {
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&self.uid.bytes()[..16]);
        Uuid::from_bytes(bytes)
    }
}
