//! The error of the query languages: the wrong word, its position, and what was expected.

/// Longest part of a wrong word that a message repeats, in characters: enough to recognise it.
const SHOWN_CHARS_MAX: usize = 80;

/// A query that cannot be read. The text is for the person who wrote the query.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{word}` at character {position}: expected {expected}")]
pub struct QueryError {
    /// Where the word begins, in characters, counted from 1.
    pub position: usize,
    /// The word as written, shortened when it is long.
    pub word: String,
    /// What would have been right.
    pub expected: String,
}

impl QueryError {
    /// `at` is the byte offset of `word` in `text`.
    pub(crate) fn new(text: &str, at: usize, word: &str, expected: impl Into<String>) -> Self {
        let mut shown: String = word.chars().take(SHOWN_CHARS_MAX).collect();
        if shown.len() < word.len() {
            shown.push('…');
        }
        QueryError { position: text[..at].chars().count() + 1, word: shown, expected: expected.into() }
    }
}
