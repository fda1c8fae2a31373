//! What is told of an answer that shows what it should not, and how much of an answer is searched for it.

/// Bytes of an answer that are searched.
pub(super) const SEARCHED_BYTES: usize = 256 * 1_024;

/// A defect: the name of its issue, and what shows it.
pub(crate) type Shown = (&'static str, String);
