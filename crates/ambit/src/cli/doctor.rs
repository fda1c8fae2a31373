//! `ambit doctor`: is a data folder whole, who works on it, is the search index up to date; and its rebuilding, while a server goes on.

use super::Data;
use crate::client::{INDEX_FOLDER, index_failure};
use crate::config::Settings;
use crate::failure::Failure;
use crate::output::{Results, hint, plain};
use ambit_search::{Index, IndexError};
use ambit_store::engine::Engine;
use ambit_store::{Store, StoreError};
use std::path::Path;
use std::time::Duration;

/// Between two looks whether the index has been rebuilt.
const LOOK: Duration = Duration::from_millis(200);
/// Looks until the wait is given up: ten minutes, longer than a rebuild of some million records.
const LOOKS_MAX: u32 = 3_000;

#[derive(Debug, clap::Args)]
pub(crate) struct Doctor {
    #[command(flatten)]
    pub(crate) data: Data,
    /// Build the search index anew: by whoever writes it, which goes on serving, else by this command.
    #[arg(long)]
    pub(crate) rebuild_index: bool,
}

/// Runs the command: one line for each thing that was looked at. Exit code 5 where something is wrong.
pub(crate) async fn run(command: &Doctor, settings: &Settings) -> Result<(), Failure> {
    let folder = crate::folder::data(command.data.data.as_deref(), settings)?;
    let (store, _) = crate::client::folder(&command.data, settings).await?;
    let (engine, holder) = match store.engine("doctor", Duration::ZERO).await {
        Ok(engine) => (Some(engine), None),
        Err(StoreError::Busy { holder }) => (None, Some(holder)),
        Err(error) => return Err(error.into()),
    };
    if command.rebuild_index {
        rebuild(&folder, &store, engine.as_ref()).await?;
    }
    let mut results = Results::open(None)?;
    let mut wrong = 0;
    let mut say = |what: &str, problem: Option<String>| {
        wrong += u32::from(problem.is_some());
        let verdict = problem.map_or_else(|| "ok".to_owned(), |problem| format!("wrong: {}", plain(&problem)));
        results.line(&format!("{what:<10} {verdict}"))
    };
    say("database", store.check().await?.into_iter().next())?;
    say("index", index_problem(&folder, &store, engine.is_some()).await?)?;
    results.line(&format!(
        "engine     {}",
        holder.map_or_else(|| "free".to_owned(), |holder| plain(&holder))
    ))?;
    results.finish()?;
    match wrong {
        0 => Ok(()),
        1 => Err(Failure::partial(
            "one thing is wrong; `ambit doctor --rebuild-index` mends an index, a backup a database",
        )),
        _ => Err(Failure::partial(
            "several things are wrong; `ambit doctor --rebuild-index` mends an index, a backup a database",
        )),
    }
}

/// Every byte of the index is looked at. Behind is wrong only where nobody brings it up: a server does.
async fn index_problem(folder: &Path, store: &Store, free: bool) -> Result<Option<String>, Failure> {
    let place = folder.join(INDEX_FOLDER);
    let opened = tokio::task::spawn_blocking(move || Index::open_read_only(&place)).await;
    let opened = opened.map_err(|error| Failure::run_time(format!("the search index cannot be looked at: {error}")))?;
    match opened {
        Ok(index) => {
            let (reached, newest) = (index.reached(), store.last_revision().await?);
            let behind = newest - reached;
            if behind > 0 {
                hint(&format!("the index is {behind} revisions behind; the next search or server brings it up"));
            }
            Ok(None)
        }
        // Made by the first search or server.
        Err(IndexError::Missing(_)) if free => Ok(None),
        Err(error) => Ok(Some(error.to_string())),
    }
}

async fn rebuild(folder: &Path, store: &Store, engine: Option<&Engine>) -> Result<(), Failure> {
    if engine.is_some() {
        let index = crate::serve::bring_up_index(folder, store).await?;
        return ambit_search::rebuild(&index, store).await.map_err(index_failure);
    }
    let wish = ambit_search::ask_rebuild(store).await.map_err(index_failure)?;
    for _ in 0..LOOKS_MAX {
        if ambit_search::is_rebuilt(store, wish).await.map_err(index_failure)? {
            return Ok(());
        }
        tokio::time::sleep(LOOK).await;
    }
    Err(Failure::partial(
        "the index's writer was asked for a rebuild and has not finished it yet; it goes on",
    ))
}
