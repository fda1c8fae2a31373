//! Why a file cannot be read, in one line.

/// The result of reading a file, where it names no other error.
pub(crate) type Result<T, E = ImportError> = std::result::Result<T, E>;

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
