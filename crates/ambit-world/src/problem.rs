//! What is wrong with a world file, said with file, line and word.

use std::fmt;

/// Problems kept of one file; a file that is wrong everywhere is not better described by more.
pub(crate) const PROBLEMS_MAX: usize = 100;

/// Longest word that a message repeats, in characters.
const WORD_CHARS_MAX: usize = 60;

/// One error of a world file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Problem {
    /// The file's name as it was given.
    pub file: String,
    /// From 1.
    pub line: usize,
    /// The word at fault, or nothing.
    pub word: String,
    /// The fault, and what was expected.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: ", self.file, self.line)?;
        if !self.word.is_empty() {
            write!(f, "`{}`: ", self.word)?;
        }
        f.write_str(&self.message)
    }
}

/// A problem before the file's name is added: line, word, message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub line: usize,
    pub word: String,
    pub message: String,
}

impl Fault {
    /// `word` is shown escaped and cut, since it may be anything.
    pub(crate) fn new(line: usize, word: &str, message: impl Into<String>) -> Self {
        let word: String = word.chars().take(WORD_CHARS_MAX).flat_map(char::escape_debug).collect();
        Self { line, word, message: message.into() }
    }

    pub(crate) fn in_file(self, file: &str) -> Problem {
        Problem { file: file.to_owned(), line: self.line, word: self.word, message: self.message }
    }
}
