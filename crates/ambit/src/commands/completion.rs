//! `ambit completion`: completion scripts.

use super::Cli;
use crate::failure::Result;
use clap::CommandFactory as _;

#[derive(Debug, clap::Args)]
pub(crate) struct Completion {
    /// bash, elvish, fish, powershell or zsh.
    pub(crate) shell: clap_complete::Shell,
}

/// Prints the script.
pub(crate) fn run(completion: &Completion) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(completion.shell, &mut Cli::command(), "ambit", &mut script);
    crate::output::write_all(&script)
}
