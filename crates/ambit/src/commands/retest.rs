//! `ambit issue retest`: looks again at what one issue rests on, and says what came of it. In a data folder without a
//! server the command carries the look itself.

use super::item::{self, ISSUE};
use super::serve;
use crate::api::{Api, Needs, OURS};
use crate::args::Target;
use crate::clock::now;
use crate::config::Settings;
use crate::engine_config::Given;
use crate::failure::Failure;
use crate::local_store::options;
use crate::output::table::text;
use crate::output::{Results, hint, plain};
use crate::signals::Stop;
use crate::{folder, workspace};
use ambit_engine::{RunEnd, Shares};
use ambit_model::id::RunId;
use ambit_store::{Store, StoreError};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::sync::watch;

/// Between two looks at what came of it, where somebody else carries it.
const LOOK: Duration = Duration::from_secs(1);

/// What is looked at again.
#[derive(Debug, clap::Args)]
pub(crate) struct Retest {
    /// Its uid or uuid.
    issue: String,
    /// Ask for it, and do not wait for what comes of it.
    #[arg(long)]
    no_wait: bool,
    /// One JSON object.
    #[arg(long)]
    jsonl: bool,
}

/// Runs the command. It fails where it could not look.
pub(crate) async fn run(retest: &Retest, target: &Target, settings: &Settings) -> Result<(), Failure> {
    let (api, uid) = item::find(ISSUE, &retest.issue, target, settings).await?;
    let path = format!("{OURS}/issues/{uid}/retest");
    let mut answer = api.ask("POST", &path, None).await?.result;
    let mut results = Results::open(None)?;
    let api = if retest.no_wait {
        api
    } else {
        let api = carried(api, answer["run"].as_i64().unwrap_or_default(), target, settings).await?;
        answer = end(&api, &path).await?;
        api
    };
    drop(api);
    if retest.jsonl {
        results.json(&answer)?;
    } else {
        results.line(&line(&uid, &answer))?;
        for row in answer["not_done"].as_array().into_iter().flatten() {
            results.line(&format!(
                "  not done  {} × {} ({}), for example {}",
                row["count"],
                text(&row["task"]),
                plain(&text(&row["reason"])),
                plain(&text(&row["example"]))
            ))?;
        }
    }
    results.finish()?;
    match answer["verdict"].as_str() {
        Some("could_not_look") => Err(Failure::partial(format!("run {} could not test the issue", answer["run"]))),
        _ => Ok(()),
    }
}

/// What came of it, on one line.
fn line(uid: &str, answer: &Value) -> String {
    let uid = plain(&uid.chars().take(16).collect::<String>());
    let (run, status) = (&answer["run"], text(&answer["issue_status"]));
    match answer["verdict"].as_str() {
        Some("open") => format!("{uid} is still there: run {run} looked at it; its status is {status}"),
        Some("closed") => format!("{uid} is not there any more: run {run} looked at it; its status is {status}"),
        Some(_) => format!("{uid} could not be looked at by run {run}; its status stays {status}"),
        None => format!("{uid} is looked at by run {run}, which is {}", text(&answer["status"])),
    }
}

/// Carries the run where the way to the API is a data folder in which no engine works; answers with a way to the API.
async fn carried(api: Api, run: RunId, target: &Target, settings: &Settings) -> Result<Api, Failure> {
    if !api.is_folder() {
        return Ok(api);
    }
    // The folder is opened anew, with an engine in it.
    drop(api);
    let place = folder::data(target.data.as_deref(), settings)?;
    let store = Store::open(&options(&place, settings)).await?;
    match store.engine("retest", Duration::ZERO).await {
        // Whoever works there carries it.
        Err(StoreError::Busy { .. }) => hint("an engine works on this folder and looks; waiting for it"),
        Err(error) => return Err(error.into()),
        Ok(engine) => {
            drop(engine);
            let workspace = workspace::enter(store, "retest", Some(&place), settings).await?;
            let stop = Stop::listen()?;
            let service = serve::service(&workspace, &stop, Given::read(settings)?);
            if let Some(run) = workspace.engine.claim(run, now()).await? {
                let share = Shares::default().join(run.id, run.project);
                check(ambit_engine::carry(&service, &run, share, watch::channel(false).1).await?, run.id)?;
            }
        }
    }
    Api::open(target, settings, Needs::Rows).await
}

/// Fails where a look did not come to its end here.
fn check(end: RunEnd, run: RunId) -> Result<(), Failure> {
    match end {
        RunEnd::Over(_) => Ok(()),
        RunEnd::Rests => Err(Failure::partial(format!(
            "run {run} rests in a window of its collection; the same command resumes it after that"
        ))),
        RunEnd::Paused => Err(Failure::partial(format!("run {run} was paused; `ambit run resume {run}` resumes it"))),
        RunEnd::Stopped | RunEnd::GaveWay => {
            Err(Failure::interrupted(format!("interrupted: run {run} is saved; the same command resumes it")))
        }
    }
}

/// Waits for the end of a look.
async fn end(api: &Api, path: &str) -> Result<Value, Failure> {
    loop {
        let answer = api.get(path).await?.result;
        if answer.is_null() || answer["verdict"] != json!(null) {
            return Ok(answer);
        }
        tokio::time::sleep(LOOK).await;
    }
}
