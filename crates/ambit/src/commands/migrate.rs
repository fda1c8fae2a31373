//! `ambit migrate`: the schema of a data folder, or of a PostgreSQL database, brought up to what this program knows,
//! and what was done for it.

use crate::args::Data;
use crate::config::Settings;
use crate::failure::Failure;
use crate::local_store::{options, refuse_server};
use crate::output::Results;
use ambit_store::{Migrated, Store};

#[derive(Debug, clap::Args)]
pub(crate) struct Migrate {
    #[command(flatten)]
    pub(crate) data: Data,
    /// The PostgreSQL database that the servers use (default: AMBIT_DATABASE, else the database in the data folder).
    #[arg(long, value_name = "URL")]
    pub(crate) database: Option<String>,
}

/// Runs the command.
pub(crate) async fn run(migrate: &Migrate, settings: &mut Settings) -> Result<(), Failure> {
    settings.flag("database", migrate.database.clone());
    refuse_server(&migrate.data, settings)?;
    let folder = crate::folder::data(migrate.data.data.as_deref(), settings)?;
    let (store, migrated) = Store::open_migrating(&options(&folder, settings)).await?;
    store.close().await;
    let mut results = Results::open(None)?;
    results.line(&said(&migrated))?;
    results.finish()
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
