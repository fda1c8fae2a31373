//! `ambit backup` and `ambit restore`: everything of an installation, as it was at one moment, in a folder of its own.

use crate::args::Data;
use crate::config::Settings;
use crate::failure::{Failure, Result};
use crate::output::Results;
use ambit_store::Store;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct Backup {
    #[command(flatten)]
    pub(crate) data: Data,
    /// Folder for the backup, without an installation in it. The backup contains the secret: protect it like the data
    /// folder.
    #[arg(value_name = "FOLDER")]
    pub(crate) target: PathBuf,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Restore {
    #[command(flatten)]
    pub(crate) data: Data,
    /// The folder that `ambit backup` wrote.
    #[arg(value_name = "FOLDER")]
    pub(crate) backup: PathBuf,
}

/// Runs `ambit backup`.
pub(crate) async fn back_up(command: &Backup, settings: &Settings) -> Result<()> {
    let (store, _) = crate::local_store::unmigrated(&command.data, settings).await?;
    store.back_up(&command.target).await?;
    let mut results = Results::open(None)?;
    results.line(&command.target.display().to_string())?;
    results.finish()
}

/// Runs `ambit restore`.
pub(crate) async fn restore(command: &Restore, settings: &Settings) -> Result<()> {
    let folder = crate::folder::data(command.data.data.as_deref(), settings)?;
    if settings.get("database").is_some() {
        return Err(Failure::usage(
            "restore makes a folder with its own database, but `database` is configured: unset AMBIT_DATABASE",
        ));
    }
    ambit_store::restore(&command.backup, &folder).await?;
    let store = Store::open(&crate::local_store::options(&folder, settings)).await?;
    if let Some(problem) = store.check().await?.first() {
        return Err(Failure::partial(format!("restored, but the database is damaged: {problem}")));
    }
    let mut results = Results::open(None)?;
    results.line(&folder.display().to_string())?;
    results.finish()
}
