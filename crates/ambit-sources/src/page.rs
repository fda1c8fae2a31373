//! One page of the answer of a source, and the reasons why there may be none.

use std::collections::BTreeSet;

/// One page of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// Host names below the domain, in small letters, a wildcard without its star.
    pub names: BTreeSet<String>,
    /// Texts in which names were looked for.
    pub told: usize,
    /// What the next page is asked for with.
    pub cursor: Option<String>,
    /// Whether there are more pages, where the source says so.
    pub more: Option<bool>,
}

/// Why an answer tells nothing. That is no statement about the domain.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The key is missing, wrong or of too little weight.
    #[error("it does not accept the key (status {0})")]
    Denied(u16),
    /// It was asked too often.
    #[error("it was asked too often (status {0})")]
    TooOften(u16),
    /// Another status.
    #[error("status {0}")]
    Status(u16),
    /// The source reported why it did not look.
    #[error("it says: {0}")]
    Said(String),
    /// The answer has another form.
    #[error("its answer cannot be read: {0}")]
    Unreadable(String),
}
