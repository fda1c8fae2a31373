//! `ambit run`: runs, on a server or in a data folder. The engine that carries a run hears of pause, resume and cancel
//! within seconds.

use crate::api::naming;
use crate::api::{ASM, Api, Needs, OURS};
use crate::args::{Client, Output};
use crate::config::Settings;
use crate::confirm;
use crate::failure::{Failure, Result};
use crate::output::lines;
use crate::output::table::text;
use crate::output::{Results, hint, plain};
use serde_json::{Value, json};
use std::time::Duration;

/// Between two looks at a run that is watched: its counters are written about once a second.
const LOOK: Duration = Duration::from_secs(1);
/// Looks after which a run that nothing carries is spoken of.
const QUIET_LOOKS: u32 = 10;

pub(crate) type Run = Client<Action>;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Action {
    /// List the runs of a collection, newest first.
    List {
        /// The collection's name or uuid (default: every collection of the project).
        collection: Option<String>,
        /// One JSON object per line.
        #[arg(long)]
        jsonl: bool,
    },
    /// Estimate what a run of a collection would send; starts nothing.
    Plan {
        /// The collection's name or uuid.
        collection: String,
        /// One JSON object.
        #[arg(long)]
        jsonl: bool,
    },
    /// Schedule a run, which an engine then executes; prints on stderr an estimate of what it will send.
    Start {
        /// The collection's name or uuid.
        collection: String,
        /// Search everything again, also what an earlier run searched within its time to live.
        #[arg(long)]
        full: bool,
        /// Do not ask before a block of more than 65,536 addresses is swept.
        #[arg(long)]
        yes_large: bool,
    },
    /// Show one run, with what it did not do and why.
    Show {
        /// Number of the run, as `run list` shows it.
        run: i64,
        /// One JSON object.
        #[arg(long)]
        jsonl: bool,
    },
    /// Pause a run; it can be resumed.
    Pause {
        /// Number of the run, as `run list` shows it.
        run: i64,
    },
    /// Resume a paused run.
    Resume {
        /// Number of the run, as `run list` shows it.
        run: i64,
    },
    /// Cancel a run; what it found stays.
    Cancel {
        /// Number of the run, as `run list` shows it.
        run: i64,
    },
    /// Follow a run to its end: its progress on stderr, its last line on stdout.
    Watch {
        /// Number of the run, as `run list` shows it.
        run: i64,
        /// One JSON object at the end.
        #[arg(long)]
        jsonl: bool,
    },
}

/// Runs the command.
pub(crate) async fn run(command: &Run, settings: &Settings, silent: bool) -> Result<()> {
    let api = Api::open(&command.target, settings, Needs::Rows).await?;
    let mut results = Results::open(None)?;
    match &command.action {
        Action::List { collection, jsonl } => list(&api, collection.as_deref(), *jsonl, &mut results).await?,
        Action::Plan { collection, jsonl } => {
            let plan = plan(&api, &naming::collection(&api, collection).await?).await?;
            if *jsonl {
                results.json(&plan)?;
            } else {
                results.line(&format!("level {}", text(&plan["level"])))?;
                for line in lines::plan(&plan) {
                    results.line(&line)?;
                }
                for line in lines::plan_by_task(&plan) {
                    results.line(&format!("  {line}"))?;
                }
            }
        }
        Action::Start { collection, full, yes_large } => {
            let collection = naming::collection(&api, collection).await?;
            let plan = plan(&api, &collection).await?;
            if !silent {
                lines::plan(&plan).iter().for_each(|line| hint(line));
            }
            confirm::large(&plan, *yes_large)?;
            let is_large = plan["large_blocks"].as_array().is_some_and(|blocks| !blocks.is_empty());
            start(&api, &collection, json!({"confirm_large": is_large, "full": full}), &mut results).await?;
        }
        Action::Show { run, jsonl } => show(&api.get(&one(*run)).await?.result, *jsonl, &mut results)?,
        Action::Pause { run } => results.line(&state(&order(&api, *run, "pause").await?))?,
        Action::Resume { run } => results.line(&state(&order(&api, *run, "resume").await?))?,
        Action::Cancel { run } => results.line(&state(&order(&api, *run, "cancel").await?))?,
        Action::Watch { run, jsonl } => return watch(&api, *run, *jsonl, silent, results).await,
    }
    results.finish()
}

fn one(run: i64) -> String {
    format!("{OURS}/collection_runs/{run}")
}

async fn order(api: &Api, run: i64, verb: &str) -> Result<Value> {
    Ok(api.ask("POST", &format!("{}/{verb}", one(run)), None).await?.result)
}

fn state(run: &Value) -> String {
    format!("run {} is {}", run["id"], text(&run["status"]))
}

async fn list(api: &Api, collection: Option<&str>, jsonl: bool, results: &mut Results) -> Result<()> {
    let collections = match collection {
        Some(typed) => vec![naming::collection(api, typed).await?],
        None => naming::collections(api).await?.iter().map(|row| text(&row["uuid"])).collect(),
    };
    for uuid in collections {
        for run in runs(api, &uuid).await? {
            results.row(&run, jsonl, lines::run)?;
        }
    }
    Ok(())
}

async fn runs(api: &Api, collection: &str) -> Result<Vec<Value>> {
    api.list(&format!("{ASM}/collections/{collection}/collection_runs")).await
}

async fn plan(api: &Api, collection: &str) -> Result<Value> {
    Ok(api.get(&format!("{OURS}/user_collections/{collection}/plan")).await?.result)
}

/// What each task of a plan sends; with `--jsonl` the whole plan as a document.
pub(crate) fn show_tasks(plan: &Value, output: &Output) -> Result<()> {
    if output.jsonl {
        let mut results = Results::open(output.output.as_deref())?;
        results.json(plan)?;
        return results.finish();
    }
    lines::plan_by_task(plan).iter().for_each(|line| hint(&format!("    {line}")));
    Ok(())
}

async fn start(api: &Api, collection: &str, body: Value, results: &mut Results) -> Result<()> {
    api.post(&format!("{ASM}/collections/{collection}/collection_runs"), body).await?;
    // The newest is the one that was made, or the open one that is already there.
    let runs = runs(api, collection).await?;
    let newest = runs.first().ok_or_else(|| Failure::run_time("the requested run does not exist"))?;
    results.line(&state(newest))
}

fn show(run: &Value, jsonl: bool, results: &mut Results) -> Result<()> {
    if jsonl {
        return results.json(run);
    }
    results.line(&lines::run(run))?;
    if run["full"] == true {
        results.line("  full      everything is searched again")?;
    }
    if let Some(until) = run["rests_until"].as_str() {
        results.line(&format!("  paused    until {}: a rest window of its collection has begun", plain(until)))?;
    }
    for line in lines::not_done(run) {
        results.line(&line)?;
    }
    Ok(())
}

async fn watch(api: &Api, run: i64, jsonl: bool, silent: bool, mut results: Results) -> Result<()> {
    let mut shown = String::new();
    let mut quiet = 0;
    let ended = loop {
        let found = api.get(&one(run)).await?.result;
        let line = lines::run(&found);
        if line != shown && !silent {
            hint(&line);
        }
        quiet = if line == shown { quiet + 1 } else { 0 };
        shown = line;
        if matches!(found["status"].as_str(), Some("finished" | "failed" | "cancelled") | None) {
            break found;
        }
        if quiet == QUIET_LOOKS && api.is_folder() && !silent {
            hint("no progress: is an engine running on this folder? `ambit serve` starts one");
        }
        tokio::time::sleep(LOOK).await;
    };
    show(&ended, jsonl, &mut results)?;
    results.finish()?;
    match ended["status"].as_str() {
        Some("finished") => Ok(()),
        _ => Err(Failure::partial(state(&ended))),
    }
}
