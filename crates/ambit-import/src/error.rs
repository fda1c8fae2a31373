//! Why a file cannot be read, in one line.

/// Why a file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// Something in one line is not what the tool writes there.
    #[error("line {line}: {why}")]
    Line { line: usize, why: String },
    /// It is not what the tool writes at all.
    #[error("{0}")]
    File(String),
}

impl ImportError {
    pub(crate) fn file(why: impl Into<String>) -> Self {
        Self::File(why.into())
    }

    pub(crate) fn line(line: usize, why: impl Into<String>) -> Self {
        Self::Line { line, why: why.into() }
    }
}
