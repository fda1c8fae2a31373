//! `ambit run`: runs of a data folder. The engine that carries a run hears of pause, resume and cancel within seconds.

use super::Data;
use crate::config::Settings;
use crate::discover::now;
use crate::failure::Failure;
use crate::output::Results;
use ambit_store::Started;
use uuid::Uuid;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Run {
    /// List the runs of a collection, newest first.
    List {
        #[command(flatten)]
        data: Data,
        /// The collection's uuid (default: every collection).
        collection: Option<Uuid>,
    },
    /// Ask for a run; an engine claims it.
    Start {
        #[command(flatten)]
        data: Data,
        collection: Uuid,
    },
    /// Stop a run in order; it can be resumed.
    Pause {
        #[command(flatten)]
        data: Data,
        run: i64,
    },
    /// Go on with a paused run.
    Resume {
        #[command(flatten)]
        data: Data,
        run: i64,
    },
    /// End a run; what it found stays.
    Cancel {
        #[command(flatten)]
        data: Data,
        run: i64,
    },
}

/// Runs the command.
pub(crate) async fn run(run: &Run, settings: &Settings) -> Result<(), Failure> {
    let mut results = Results::open(None)?;
    match run {
        Run::List { data, collection } => list(data, *collection, settings, &mut results).await?,
        Run::Start { data, collection } => {
            let (store, principal) = crate::client::folder(data, settings).await?;
            let (word, run) = match store.start_run(&principal, *collection, None, now()).await? {
                Started::Scheduled(run) => ("scheduled", run),
                Started::Open(run) => ("open already", run),
            };
            results.line(&format!("run {} is {word}", run.id))?;
        }
        Run::Pause { data, run } => {
            let (store, principal) = crate::client::folder(data, settings).await?;
            results.line(&state(&store.pause_run(&principal, *run, now()).await?))?;
        }
        Run::Resume { data, run } => {
            let (store, principal) = crate::client::folder(data, settings).await?;
            results.line(&state(&store.resume_run(&principal, *run, now()).await?))?;
        }
        Run::Cancel { data, run } => {
            let (store, principal) = crate::client::folder(data, settings).await?;
            results.line(&state(&store.cancel_run(&principal, *run, now()).await?))?;
        }
    }
    results.finish()
}

fn state(run: &ambit_model::run::Run) -> String {
    format!("run {} is {}", run.id, run.state.name())
}

async fn list(data: &Data, collection: Option<Uuid>, settings: &Settings, results: &mut Results) -> Result<(), Failure> {
    let (store, principal) = crate::client::folder(data, settings).await?;
    let collections = match collection {
        Some(uuid) => vec![uuid],
        None => store
            .list_collections(&principal, None)
            .await?
            .into_iter()
            .map(|view| view.collection.uuid)
            .collect(),
    };
    for uuid in collections {
        for run in store.list_runs(&principal, uuid).await? {
            let begun = run.started_at.map_or_else(|| "-".to_owned(), |at| at.to_string());
            let counters = &run.counters;
            results.line(&format!(
                "{}  {}  {}  started {begun}  {} done, {} open, {} unanswered, {} new entities",
                run.id,
                run.collection_name,
                run.state.name(),
                counters.work_done,
                counters.work_open,
                counters.work_unknown,
                counters.new_entities
            ))?;
        }
    }
    Ok(())
}
