//! `ambit work`: carries runs of a shared database beside other engines, without a server and without an index.

use super::serve;
use crate::args::Data;
use crate::config::Settings;
use crate::engine_config::Given;
use crate::failure::{Failure, Result};
use crate::folder;
use crate::local_store::options;
use crate::output::hint;
use crate::signals::{END_WITHIN, Stop};
use crate::workspace::{self, Workspace};
use ambit_store::Store;
use std::path::Path;

#[derive(Debug, clap::Args)]
pub(crate) struct Work {
    #[command(flatten)]
    pub(crate) data: Data,
    /// The PostgreSQL database that the servers use (default: AMBIT_DATABASE).
    #[arg(long, value_name = "URL")]
    pub(crate) database: Option<String>,
}

/// Runs until it is asked to stop; leases are given back then.
pub(crate) async fn run(work: &Work, silent: bool, settings: &mut Settings) -> Result<()> {
    settings.flag("database", work.database.clone());
    if settings.get("database").is_none() {
        return Err(Failure::usage(
            "work needs a PostgreSQL database that servers share: give --database URL or AMBIT_DATABASE; with a data \
             folder alone, use `ambit serve`, which executes runs itself",
        ));
    }
    let stop = Stop::listen()?;
    let given = Given::read(settings)?;
    let folder = folder::data(work.data.data.as_deref(), settings)?;
    let Some(workspace) = stop.unless_asked(open(&folder, settings)).await else {
        return Ok(());
    };
    let service = serve::service(&workspace?, &stop, given);
    if !silent {
        hint("executing runs; Ctrl-C stops and returns them to the queue");
    }
    let carrying = async {
        ambit_engine::serve(&service).await;
        service.engine.store().close().await;
    };
    if stop.at_most(END_WITHIN, carrying).await.is_none() {
        // Everything committed is safe; the runs lapse and are taken up by another engine.
        tracing::warn!("work that did not finish in time was abandoned");
    }
    Ok(())
}

async fn open(folder: &Path, settings: &Settings) -> Result<Workspace> {
    let store = Store::open(&options(folder, settings)).await?;
    workspace::enter(store, "work", Some(folder), settings).await
}
