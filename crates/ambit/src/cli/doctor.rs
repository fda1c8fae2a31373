//! `ambit doctor`: is a data folder whole, who works on it, is the search index up to date; and its rebuilding, while a server goes on. A look changes no
//! schema.

use super::Data;
use crate::client::{INDEX_FOLDER, index_failure};
use crate::config::Settings;
use crate::failure::Failure;
use crate::output::{Results, hint, plain};
use ambit_search::{Index, IndexError};
use ambit_store::{Schema, Store, StoreError};
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
    let (store, schema) = crate::client::unmigrated(&command.data, settings).await?;
    if !schema.is_newest() {
        return old_schema(&store, schema, command.rebuild_index).await;
    }
    let (engine, holder) = match store.engine("doctor", Duration::ZERO).await {
        Ok(engine) => (Some(engine), None),
        Err(StoreError::Busy { holder }) => (None, Some(holder)),
        Err(error) => return Err(error.into()),
    };
    if command.rebuild_index {
        rebuild(&folder, &store, engine.is_some()).await?;
    }
    let mut results = Results::open(None)?;
    let mut wrong = 0;
    let mut say = |what: &str, problem: Option<String>| {
        wrong += u32::from(problem.is_some());
        results.line(&verdict(what, problem))
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

fn verdict(what: &str, problem: Option<String>) -> String {
    let verdict = problem.map_or_else(|| "ok".to_owned(), |problem| format!("wrong: {}", plain(&problem)));
    format!("{what:<10} {verdict}")
}

/// Of a schema that is older than this program only the database itself is looked at: all else would have to bring it up first.
async fn old_schema(store: &Store, schema: Schema, rebuild: bool) -> Result<(), Failure> {
    let old = format!("the schema {} is older than this program ({})", schema.version, schema.newest);
    let remedy = "`ambit backup` copies it as it is, `ambit migrate` brings it up";
    if rebuild {
        return Err(Failure::run_time(format!("the index was not rebuilt: {old}; {remedy}")));
    }
    let problem = store.check().await?.into_iter().next();
    let damaged = problem.is_some();
    let mut results = Results::open(None)?;
    results.line(&verdict("database", problem))?;
    results.line(&format!("{:<10} {}, older than {}", "schema", schema.version, schema.newest))?;
    results.finish()?;
    if damaged {
        return Err(Failure::partial("the database is wrong: a backup mends it"));
    }
    Err(Failure::partial(format!("index and engine were not looked at: {old}; {remedy}")))
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

/// By this command where nobody else writes the index, else by whoever does.
async fn rebuild(folder: &Path, store: &Store, free: bool) -> Result<(), Failure> {
    let written = if free {
        crate::serve::bring_up_index(folder, store).await?
    } else {
        None
    };
    if let Some(index) = written {
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
