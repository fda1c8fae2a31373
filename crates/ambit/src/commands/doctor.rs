//! `ambit doctor`: is a data folder whole, who works on it, is the search index up to date; and its rebuilding, while a
//! server goes on. A look changes no schema.

use crate::args::Data;
use crate::clock::{ahead, now};
use crate::config::Settings;
use crate::failure::{Failure, Result};
use crate::local_store::{INDEX_FOLDER, index_failure};
use crate::output::{Results, hint, plain};
use ambit_search::{Index, IndexError};
use ambit_store::{Schema, Store, StoreError};
use std::path::Path;
use std::time::Duration;

/// The database's file in a data folder.
const DATABASE: &str = "ambit.db";
/// Between two looks whether the index has been rebuilt.
const LOOK: Duration = Duration::from_millis(200);
/// Looks until the wait is given up: ten minutes, longer than a rebuild of some million records.
const LOOKS_MAX: u32 = 3_000;
/// What is said where only the database was looked at.
const NOT_CHECKED: &str = "the search index and the engine were not checked";

#[derive(Debug, clap::Args)]
pub(crate) struct Doctor {
    #[command(flatten)]
    pub(crate) data: Data,
    /// Rebuild the search index. A running server does it and goes on serving; without one, this command does.
    #[arg(long)]
    pub(crate) rebuild_index: bool,
    /// Accept the secret that is there as that of the installation, if the installation's own is lost for good. API
    /// keys and credentials must then be created again.
    #[arg(long)]
    pub(crate) accept_secret: bool,
}

/// Runs the command: one line for each thing that was looked at. Exit code 5 where something is wrong.
pub(crate) async fn run(command: &Doctor, settings: &Settings) -> Result<()> {
    let folder = crate::folder::data(command.data.data.as_deref(), settings)?;
    crate::local_store::refuse_server(&command.data, settings)?;
    if command.accept_secret {
        Store::accept_secret(&crate::local_store::options(&folder, settings)).await?;
        hint("the secret is accepted: `ambit key create` makes a key, and integrations need their secrets again");
    }
    let opened = Store::open_unmigrated(&crate::local_store::options(&folder, settings)).await;
    let (store, schema) = match opened {
        Err(StoreError::Damaged { place, why }) => return damaged(&format!("{place}: {why}")),
        Err(lost @ StoreError::Lost { .. }) => return damaged(&lost.to_string()),
        Err(StoreError::Bug(why)) => return damaged(&format!("{}: {why}", folder.display())),
        Err(StoreError::Uninitialised(place)) if Path::new(&place).join(DATABASE).exists() => {
            let problem = format!(
                "{place}/{DATABASE} holds no installation: its creation was interrupted; `ambit init` completes it"
            );
            return wrong(&problem, NOT_CHECKED);
        }
        opened => opened?,
    };
    if let Some(problem) = store.check().await?.into_iter().next() {
        return damaged(&format!("{}: {problem}", folder.display()));
    }
    if !schema.is_newest() {
        return old_schema(schema, command.rebuild_index);
    }
    look(command, &folder, &store).await
}

/// Of a database that is damaged nothing else is asked: its answers would be no answers.
fn damaged(problem: &str) -> Result<()> {
    let remedy = "the database is damaged: `ambit restore` makes a folder of a backup";
    wrong(problem, &format!("{remedy}; {NOT_CHECKED}"))
}

/// Prints what is wrong with the database, and ends with exit code 5 and a message.
fn wrong(problem: &str, message: &str) -> Result<()> {
    let mut results = Results::open(None)?;
    results.line(&health_line("database", Some(problem.to_owned())))?;
    results.finish()?;
    Err(Failure::partial(message))
}

/// Looks at all but the database, which is whole.
async fn look(command: &Doctor, folder: &Path, store: &Store) -> Result<()> {
    let (engine, standing) = if let Some(why) = store.why_read_only() {
        let why = match why {
            StoreError::Full { .. } => "the disk is full",
            _ => "the folder is read-only",
        };
        (None, format!("not checked: {why}"))
    } else {
        match store.engine("doctor", Duration::ZERO).await {
            Ok(engine) => (Some(engine), "free".to_owned()),
            Err(StoreError::Busy { holder }) => (None, plain(&holder)),
            Err(StoreError::Full { .. }) => (None, "not checked: the disk is full".to_owned()),
            Err(error) => return Err(error.into()),
        }
    };
    if command.rebuild_index {
        rebuild(folder, store, engine.is_some()).await?;
    }
    let mut results = Results::open(None)?;
    results.line(&health_line("database", None))?;
    let is_ours = engine.is_some() || store.is_read_only();
    let state = index_state(folder, store, is_ours).await?;
    let is_wrong = matches!(state, IndexState::Wrong(_));
    results.line(&match state {
        IndexState::Whole => health_line("index", None),
        IndexState::NotBuilt if store.is_read_only() => {
            format!("{:<10} not built; searches need a folder that can be written", "index")
        }
        IndexState::NotBuilt => format!("{:<10} not built yet: the first search or server builds it", "index"),
        IndexState::Wrong(problem) => health_line("index", Some(problem)),
    })?;
    results.line(&format!("{:<10} {standing}", "engine"))?;
    // Not wrong by itself: what was stamped ahead stays so until the clock has come there.
    if let Some(ahead) = ahead(store.newest_stamp().await?, now()) {
        results.line(&format!("{:<10} {ahead}", "clock"))?;
    }
    results.finish()?;
    if is_wrong {
        return Err(Failure::partial("the search index is damaged; `ambit doctor --rebuild-index` rebuilds it"));
    }
    Ok(())
}

/// What is said of one part: `database   ok`, or what is wrong with it.
fn health_line(what: &str, problem: Option<String>) -> String {
    let state = problem.map_or_else(|| "ok".to_owned(), |problem| format!("wrong: {}", plain(&problem)));
    format!("{what:<10} {state}")
}

/// Of a schema that is older than this program only the database itself is looked at: all else would have to bring it
/// up first.
fn old_schema(schema: Schema, rebuild: bool) -> Result<()> {
    let old = format!("the schema {} is older than this program ({})", schema.version, schema.newest);
    let remedy = "`ambit backup` copies it as it is, `ambit migrate` upgrades it";
    if rebuild {
        return Err(Failure::run_time(format!("the index was not rebuilt: {old}; {remedy}")));
    }
    let mut results = Results::open(None)?;
    results.line(&health_line("database", None))?;
    results.line(&format!("{:<10} {}, older than {}", "schema", schema.version, schema.newest))?;
    results.finish()?;
    Err(Failure::partial(format!("{NOT_CHECKED}: {old}; {remedy}")))
}

/// How the search index is.
enum IndexState {
    Whole,
    /// Nobody has searched yet.
    NotBuilt,
    Wrong(String),
}

/// Every byte of the index is looked at. Behind is wrong only where nobody brings it up: a server does.
async fn index_state(folder: &Path, store: &Store, free: bool) -> Result<IndexState> {
    let place = folder.join(INDEX_FOLDER);
    let opened = tokio::task::spawn_blocking(move || Index::open_read_only(&place, None)).await;
    let opened = opened.map_err(|error| Failure::run_time(format!("the search index cannot be checked: {error}")))?;
    match opened {
        Ok(index) if !index.is_of(store).await.map_err(index_failure)? => {
            let remedy = if free {
                "the next search or server rebuilds it"
            } else {
                "the process that has the folder open rebuilds it"
            };
            Ok(IndexState::Wrong(format!(
                "it is older than the changes that the database keeps, or belongs to another state of the database; \
                 {remedy}"
            )))
        }
        Ok(index) => {
            let (reached, newest) = (index.committed().map_err(index_failure)?, store.last_revision().await?);
            let behind = newest - reached;
            if behind > 0 {
                hint(&format!("the index is {behind} revisions behind; the next search or server updates it"));
            }
            Ok(IndexState::Whole)
        }
        Err(IndexError::Missing(_)) if free => Ok(IndexState::NotBuilt),
        Err(error) => Ok(IndexState::Wrong(error.to_string())),
    }
}

/// By this command where nobody else writes the index, else by whoever does.
async fn rebuild(folder: &Path, store: &Store, free: bool) -> Result<()> {
    let written = if free { crate::local_store::bring_up_index(folder, store).await? } else { None };
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
    Err(Failure::partial("the process that writes the index is still rebuilding it"))
}
