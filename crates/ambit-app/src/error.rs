//! Why a package cannot be read.

/// The result of reading a package, where it names no other error.
pub(crate) type Result<T, E = AppError> = std::result::Result<T, E>;

/// Why a package cannot be read.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum AppError {
    /// It is no package of an app.
    #[error("no app package: {0}")]
    NotAnApp(String),
    /// It is one, and something in it is not as its format says.
    #[error("broken app package: {0}")]
    Broken(String),
    /// It holds more than is read of any.
    #[error("app package beyond the limits: {0}")]
    TooLarge(String),
}
