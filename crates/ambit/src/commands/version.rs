//! `ambit version`: the version, alone, on stdout.

use crate::failure::Failure;

#[derive(Debug, clap::Args)]
pub(crate) struct Version {}

/// The version of the workspace.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Prints name and version.
pub(crate) fn run() -> Result<(), Failure> {
    crate::output::write_all(format!("ambit {VERSION}\n").as_bytes())
}
