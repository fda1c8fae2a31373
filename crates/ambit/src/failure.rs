//! How a command fails: one line for a person and an exit code for a script.

use ambit_store::StoreError;
use std::fmt;

pub(crate) const RUN_TIME: u8 = 1;
pub(crate) const USAGE: u8 = 2;
pub(crate) const ACCESS: u8 = 3;
pub(crate) const NOT_FOUND: u8 = 4;
/// Valid, but some steps failed; stderr says which.
pub(crate) const PARTIAL: u8 = 5;
pub(crate) const SCOPE: u8 = 6;
/// `--fail-on` was met.
pub(crate) const THRESHOLD: u8 = 10;
pub(crate) const INTERRUPTED: u8 = 130;

/// Every exit code with its meaning, for the help and docs/reference.md.
pub(crate) const CODES: &[(u8, &str)] = &[
    (0, "Done."),
    (RUN_TIME, "A run-time error."),
    (USAGE, "Wrong usage."),
    (ACCESS, "Access denied."),
    (NOT_FOUND, "Not found."),
    (
        PARTIAL,
        "Partly done; stderr says what failed: no target could be probed, a source was down, a budget was used up, \
         a task broke.",
    ),
    (SCOPE, "Refused by scope (every target is excluded), or by the person who was asked."),
    (THRESHOLD, "The threshold of `--fail-on` was met."),
    (INTERRUPTED, "Interrupted; the state is saved, and how to go on is printed."),
];

/// Returns the exit codes as a part of the help of the program.
pub(crate) fn help_of_codes() -> String {
    let lines = CODES.iter().map(|(code, meaning)| format!("  {code:>3}  {meaning}"));
    format!("Exit codes:\n{}", lines.collect::<Vec<_>>().join("\n"))
}

/// The result of a command or a part of one, where it names no other error.
pub(crate) type Result<T, E = Failure> = std::result::Result<T, E>;

/// A command's failure.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) code: u8,
    message: String,
    /// Lines after the first, for a person who mends a file.
    pub(crate) more: Vec<String>,
}

impl Failure {
    fn new(code: u8, message: impl Into<String>) -> Self {
        // Makes a message of one line.
        let message: String = message.into();
        Self { code, message: message.split_whitespace().collect::<Vec<_>>().join(" "), more: Vec::new() }
    }

    /// With further lines, to be printed below the first.
    pub(crate) fn with_more(self, more: Vec<String>) -> Self {
        Self { more, ..self }
    }

    /// Returns the same failure with an addition to its message.
    pub(crate) fn beside(self, also: &str) -> Self {
        Self { message: format!("{}; {also}", self.message), ..self }
    }

    /// The program or its surroundings failed.
    pub(crate) fn run_time(message: impl Into<String>) -> Self {
        Self::new(RUN_TIME, message)
    }

    /// What was typed makes no sense.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(USAGE, message)
    }

    /// Not allowed.
    pub(crate) fn access(message: impl Into<String>) -> Self {
        Self::new(ACCESS, message)
    }

    /// No such thing.
    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self::new(NOT_FOUND, message)
    }

    /// Some steps failed.
    pub(crate) fn partial(message: impl Into<String>) -> Self {
        Self::new(PARTIAL, message)
    }

    /// Scope refuses all of it.
    pub(crate) fn scope(message: impl Into<String>) -> Self {
        Self::new(SCOPE, message)
    }

    /// `--fail-on` was met.
    pub(crate) fn threshold(message: impl Into<String>) -> Self {
        Self::new(THRESHOLD, message)
    }

    /// Ctrl-C or SIGTERM.
    pub(crate) fn interrupted(message: impl Into<String>) -> Self {
        Self::new(INTERRUPTED, message)
    }

    /// Whether the program was asked to stop.
    pub(crate) fn is_interruption(&self) -> bool {
        self.code == INTERRUPTED
    }

    /// An exit code without words: they were printed already.
    pub(crate) fn silent(code: u8) -> Self {
        Self { code, message: String::new(), more: Vec::new() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let message = error.to_string();
        match error {
            StoreError::NotFound => Self::not_found(message),
            StoreError::Forbidden(_) => Self::access(message),
            StoreError::Invalid(_) => Self::usage(message),
            StoreError::Damaged { .. } | StoreError::Lost { .. } => Self::partial(message),
            _ => Self::run_time(message),
        }
    }
}
