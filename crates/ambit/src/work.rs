//! `ambit work`: carries runs of a shared database beside other engines, without a server and without an index.

use crate::cli::work::Work;
use crate::client::options;
use crate::config::Settings;
use crate::discover::{ENGINE_WAIT, Place};
use crate::failure::Failure;
use crate::output::hint;
use crate::signals::Stop;
use crate::{folder, serve};
use ambit_store::Store;

/// Runs until it is asked to stop; leases are given back then.
pub(crate) async fn run(work: &Work, silent: bool, settings: &mut Settings) -> Result<(), Failure> {
    settings.flag("database", work.database.clone());
    if settings.get("database").is_none() {
        return Err(Failure::usage(
            "work needs a PostgreSQL database that servers share: give --database URL or AMBIT_DATABASE; over a data folder `ambit serve` carries the runs itself",
        ));
    }
    let stop = Stop::listen()?;
    let folder = folder::data(work.data.data.as_deref(), settings)?;
    let store = Store::open(&options(&folder, settings)).await?;
    let engine = store.engine("work", ENGINE_WAIT).await?;
    let principal = store.local_operator().await?;
    let service = serve::service(&Place { store, engine, principal }, &stop, settings)?;
    if !silent {
        hint("carrying runs; Ctrl-C ends it and gives them back");
    }
    ambit_engine::serve(&service).await;
    service.engine.store().close().await;
    Ok(())
}
