//! `ambit version`: the version, alone, on stdout.

use crate::failure::Result;

#[derive(Debug, clap::Args)]
pub(crate) struct Version {}

/// The version of the workspace.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Prints name and version.
pub(crate) fn run() -> Result<()> {
    crate::output::write_all(format!("ambit {VERSION}\n").as_bytes())
}
