//! Runs of a collection: list, start (seed-asm §4, endpoints 10 and 11), and ours: read, pause, resume, cancel. Starting one inserts a row; the engine
//! finds it.

use crate::answer::Answer;
use crate::call::Call;
use crate::failure::of_store;
use ambit_api::{ApiError, collection_runs, success};
use ambit_model::run::Run;
use serde_json::{Value, json};

const NOUN: &str = "Collection run";

pub(crate) async fn list(call: Call) -> Result<Answer, ApiError> {
    let uuid = collection(&call).await?;
    let runs = call.state.store.list_runs(call.caller(), uuid).await;
    let runs = runs.map_err(|error| of_store(error, "Collection"))?;
    let result: Value = runs.iter().map(|run| collection_runs::collection_run(run, call.now)).collect();
    Ok(Answer::json(&success("Collection runs retrieved!", result)))
}

pub(crate) async fn start(call: Call) -> Result<Answer, ApiError> {
    let uuid = collection(&call).await?;
    let started = call.state.store.start_run(call.caller(), uuid, None, call.now).await;
    // A run that is open already is the answer to the wish for one: asking twice is harmless.
    started.map_err(|error| of_store(error, "Collection"))?;
    Ok(Answer::json(&success("Collection scan", json!(true))))
}

pub(crate) async fn find(call: Call) -> Result<Answer, ApiError> {
    let run = run(&call).await?;
    shown(&call, &run, "Collection run retrieved!").await
}

pub(crate) async fn pause(call: Call) -> Result<Answer, ApiError> {
    let run = run(&call).await?;
    let paused = call.state.store.pause_run(call.caller(), run.id, call.now).await;
    shown(&call, &paused.map_err(|error| of_store(error, NOUN))?, "Collection run paused").await
}

pub(crate) async fn resume(call: Call) -> Result<Answer, ApiError> {
    let run = run(&call).await?;
    let resumed = call.state.store.resume_run(call.caller(), run.id, call.now).await;
    shown(&call, &resumed.map_err(|error| of_store(error, NOUN))?, "Collection run resumed").await
}

pub(crate) async fn cancel(call: Call) -> Result<Answer, ApiError> {
    let run = run(&call).await?;
    let cancelled = call.state.store.cancel_run(call.caller(), run.id, call.now).await;
    shown(&call, &cancelled.map_err(|error| of_store(error, NOUN))?, "Collection run cancelled").await
}

/// The collection of the path, in the project that the header names, if it names one.
async fn collection(call: &Call) -> Result<uuid::Uuid, ApiError> {
    let uuid = call.uuid("collection_uuid", "Collection")?;
    if call.project.is_some() {
        let found = call.state.store.find_collection(call.caller(), uuid).await;
        let found = found.map_err(|error| of_store(error, "Collection"))?;
        call.narrowed_to(found.collection.project, "Collection")?;
    }
    Ok(uuid)
}

/// The run of the path.
async fn run(call: &Call) -> Result<Run, ApiError> {
    let id = call.parameter("id").parse().map_err(|_| ApiError::not_found(NOUN))?;
    let run = call.state.store.find_run(call.caller(), id).await;
    let run = run.map_err(|error| of_store(error, NOUN))?;
    call.narrowed_to(run.project, NOUN)?;
    Ok(run)
}

async fn shown(call: &Call, run: &Run, message: &str) -> Result<Answer, ApiError> {
    let not_done = call.state.store.list_not_done(call.caller(), run.id).await;
    let not_done = not_done.map_err(|error| of_store(error, NOUN))?;
    Ok(Answer::json(&success(message, collection_runs::run_detail(run, &not_done, call.now))))
}
