//! `ambit migrate`: the schema of a data folder, or of a PostgreSQL database, brought up to what this program knows,
//! and what was done for it; and with `--to` an installation moved from its data folder to PostgreSQL.

use crate::args::Data;
use crate::config::Settings;
use crate::failure::{Failure, Result};
use crate::local_store::{bring_up_index, options, refuse_server};
use crate::output::{Results, hint};
use ambit_store::{Migrated, Options, Store};
use std::path::Path;

#[derive(Debug, clap::Args)]
pub(crate) struct Migrate {
    #[command(flatten)]
    pub(crate) data: Data,
    /// The PostgreSQL database that the servers use (default: AMBIT_DATABASE, else the database in the data folder).
    #[arg(long, value_name = "URL")]
    pub(crate) database: Option<String>,
    /// Copy everything from the database in the data folder to this PostgreSQL database, which must be empty; stop all
    /// servers first; the source is not changed.
    #[arg(long, value_name = "URL", conflicts_with = "database")]
    pub(crate) to: Option<String>,
}

/// Runs the command.
pub(crate) async fn run(migrate: &Migrate, settings: &mut Settings) -> Result<()> {
    settings.flag("database", migrate.database.clone());
    refuse_server(&migrate.data, settings)?;
    let folder = crate::folder::data(migrate.data.data.as_deref(), settings)?;
    if let Some(url) = &migrate.to {
        return transfer(&folder, url, settings).await;
    }
    let (store, migrated) = Store::open_migrating(&options(&folder, settings)).await?;
    store.close().await;
    let mut results = Results::open(None)?;
    results.line(&said(&migrated))?;
    results.finish()
}

/// Moves the installation of a folder, and sees to it that the folder's search index is one of the new database.
async fn transfer(folder: &Path, url: &str, settings: &Settings) -> Result<()> {
    if settings.get("database").is_some() {
        return Err(Failure::usage(
            "--to moves what is in a data folder's own database, but `database` is configured: unset AMBIT_DATABASE",
        ));
    }
    let source = options(folder, settings);
    let target = Options { database: Some(url.to_owned()), ..source.clone() };
    let store = Store::open(&source).await?;
    let moved = store.transfer(&target).await;
    store.close().await;
    let moved = moved?;
    let there = Store::open(&target).await?;
    bring_up_index(folder, &there).await?;
    there.close().await;
    let mut results = Results::open(None)?;
    results.line(&format!("moved {} rows of {} tables to {}", moved.rows, moved.tables, moved.to))?;
    results.finish()?;
    hint(
        "set AMBIT_DATABASE to it for every server and command, and keep the data folder: its secret decrypts what is \
          sealed",
    );
    Ok(())
}

fn said(migrated: &Migrated) -> String {
    let version = migrated.version;
    let names: Vec<String> = migrated.ran.iter().map(|(minute, title)| format!("{minute} {title}")).collect();
    match names.len() {
        0 => format!("nothing to do: the schema is {version}"),
        1 => format!("ran 1 migration: {}; the schema is {version}", names[0]),
        count => format!("ran {count} migrations: {}; the schema is {version}", names.join(", ")),
    }
}
