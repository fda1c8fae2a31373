//! `ambit man`: manual pages, one for each command, made of the same texts as `--help`.

use super::Cli;
use crate::failure::{Failure, Result};
use clap::CommandFactory as _;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct Manual {
    /// The command whose page is printed, such as `collection create` (default: the program itself).
    #[arg(conflicts_with = "to")]
    pub(crate) command: Vec<String>,
    /// Write the pages of all commands into this folder, which must exist.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) to: Option<PathBuf>,
}

/// Prints one page, or writes all of them. Fails where there is no such command, and where the folder cannot be
/// written.
pub(crate) fn run(manual: &Manual) -> Result<()> {
    let mut program = Cli::command();
    program.build();
    if let Some(folder) = &manual.to {
        return clap_mangen::generate_to(program, folder)
            .map_err(|error| Failure::run_time(format!("{}: the pages cannot be written: {error}", folder.display())));
    }
    let mut command = &program;
    for word in &manual.command {
        command = command.find_subcommand(word).ok_or_else(|| {
            let named = manual.command.join(" ");
            Failure::usage(format!("there is no command {named:?}; `ambit help` lists the commands"))
        })?;
    }
    let mut page = Vec::new();
    let rendered = clap_mangen::Man::new(command.clone()).render(&mut page);
    rendered.map_err(|error| Failure::run_time(format!("the page cannot be made: {error}")))?;
    crate::output::write_all(&page)
}
