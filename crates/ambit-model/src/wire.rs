//! The wire of a collection: the internet that all of its runs use (docs/architecture.md §2).

use serde::{Deserialize, Serialize};

/// Live sockets, or a simulated internet whose text is stored as a blob.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WireChoice {
    Live,
    /// The blob of the simulated internet's text, and the state that it stays in unless a person moves it (from 1).
    Simulated {
        blob: crate::id::BlobHash,
        state: i64,
    },
}
