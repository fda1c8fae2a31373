//! Runs of a collection: list, start (docs/contract/asm.md §6), and ours: the newest ones, read, pause, resume, cancel.
//! Starting one inserts a row; the engine finds it.

use crate::call::{Asking, Call, CallWith};
use crate::failure::About;
use crate::path::CollectionUuid;
use crate::present::runs::{NOUN, detail, run};
use crate::query::query;
use ambit_api::collection_runs::{CollectionRun, RunDetail, StartedRun};
use ambit_api::plans::{NewRun, Plan};
use ambit_api::words::{Word, Words};
use ambit_api::{ApiError, Envelope, Maybe, Result, success};
use ambit_model::estimate::estimate;
use ambit_model::run::Run;
use ambit_model::user::CollectionRole;
use ambit_model::{Clearance, Kind, workflow};

/// List the runs of a collection, newest first.
pub(crate) async fn list(call: Call) -> Result<Envelope<Vec<CollectionRun>>> {
    let uuid = CollectionUuid::of(&call)?;
    let runs = call.store().list_runs(call.caller(), uuid).await.about("Collection")?;
    Ok(success("Collection runs retrieved!", runs.iter().map(|run| CollectionRun::of(run, call.now)).collect()))
}

/// Schedule a run of a collection. The answer has its plan beside `result`. A block of more than 65,536 addresses needs
/// confirm_large. With full it searches everything again, also what an earlier run searched within its time to live.
pub(crate) async fn start(call: CallWith<Maybe<NewRun>>) -> Result<StartedRun> {
    let uuid = CollectionUuid::of(&call)?;
    let asked = call.read_if_sent()?.unwrap_or_default();
    let (confirm, full) = (asked.confirm_large.0.unwrap_or(false), asked.full.0.unwrap_or(false));
    let (plan, role) = planned(&call, uuid, None, confirm).await?;
    // Only those who may start a run are told what prevents it.
    if role == CollectionRole::Admin
        && let Some(refusal) = plan.lacking().or_else(|| plan.unconfirmed())
    {
        return Err(ApiError::invalid(refusal));
    }
    if confirm {
        call.store()
            .confirm_large_blocks(call.caller(), uuid, plan.ports_per_swept_address)
            .await
            .about("Collection")?;
    }
    // A run that is open already is the answer to the wish for one: asking twice is harmless.
    call.store().start_run(call.caller(), uuid, full).await.about("Collection")?;
    Ok(StartedRun { success: true, message: "Collection scan", result: true, plan })
}

query! { Level: level: (Word<Clearance>) = "Estimates as if this were the level of the collection." }

/// Estimate what a run of a collection would ask, in numbers. The estimate covers the seeds; what is found beside them
/// adds to it.
pub(crate) async fn plan(call: Asking<Level>) -> Result<Envelope<Plan>> {
    let uuid = CollectionUuid::of(&call)?;
    let level = Level::level(&call).text.map(|word| {
        Clearance::from_word(word).ok_or_else(|| ApiError::invalid(format!("level {}", Clearance::refusal(word))))
    });
    let level = level.transpose()?;
    let (plan, _) = planned(&call, uuid, level, false).await?;
    Ok(success("Collection plan", plan))
}

/// What a run of the collection asks for its seeds, at its own level or another, with the caller's role. `confirm`:
/// every large block counts as confirmed.
async fn planned(
    call: &Call,
    uuid: uuid::Uuid,
    level: Option<Clearance>,
    confirm: bool,
) -> Result<(Plan, CollectionRole)> {
    let store = call.store();
    let view = store.find_collection(call.caller(), uuid).await.about("Collection")?;
    let seeds = store.list_seeds(call.caller(), uuid).await.about("Collection")?;
    let names: Vec<(Kind, String)> = seeds.iter().map(|seed| (seed.kind, seed.name.clone())).collect();
    let of = &view.collection;
    let uses = store.list_integration_uses(call.caller(), of.project).await.about("Collection")?;
    let linked = uses.into_iter().filter(|used| used.collection_uuid == uuid).map(|used| used.integration_kind);
    let kinds: Vec<Kind> = seeds.iter().map(|seed| seed.kind).collect();
    let linked: Vec<String> = linked.collect();
    let missing = workflow::find(&of.workflow).map(|workflow| workflow.missing(&kinds, &linked)).unwrap_or_default();
    let level = workflow::ceiling(&of.workflow, level.unwrap_or(of.level));
    let volumes = call.state.library.volumes.with_ports(view.collection.ports.as_ref());
    let skipped = of.skipped_tasks.and(&call.state.library.outside(&of.workflow));
    let counted = estimate(&names, level, &view.never, &volumes.without(&skipped));
    let is_confirmed = |name: &str| confirm || seeds.iter().any(|seed| seed.confirmed && seed.name == name);
    Ok((Plan::of(&counted, level, is_confirmed, missing), view.role))
}

/// Read a run, with what it did not do and why.
pub(crate) async fn find(call: Call) -> Result<Envelope<RunDetail>> {
    let run = run(&call).await?;
    shown(&call, &run, "Collection run retrieved!").await
}

/// List the newest run of each collection of a project, with what it did not do and why.
pub(crate) async fn newest(call: Call) -> Result<Envelope<Vec<RunDetail>>> {
    let project = call.project_or_404()?;
    let reports = call.store().list_newest_runs(call.caller(), project).await.about("Project")?;
    Ok(success("Collection runs retrieved!", reports.iter().map(|report| detail(report, call.now)).collect()))
}

/// Pause a run.
pub(crate) async fn pause(call: Call) -> Result<Envelope<RunDetail>> {
    let run = run(&call).await?;
    let paused = call.store().pause_run(call.caller(), run.id).await.about(NOUN)?;
    shown(&call, &paused, "Collection run paused").await
}

/// Resume a paused run.
pub(crate) async fn resume(call: Call) -> Result<Envelope<RunDetail>> {
    let run = run(&call).await?;
    let resumed = call.store().resume_run(call.caller(), run.id).await.about(NOUN)?;
    shown(&call, &resumed, "Collection run resumed").await
}

/// Cancel a run.
pub(crate) async fn cancel(call: Call) -> Result<Envelope<RunDetail>> {
    let run = run(&call).await?;
    let cancelled = call.store().cancel_run(call.caller(), run.id).await.about(NOUN)?;
    shown(&call, &cancelled, "Collection run cancelled").await
}

async fn shown(call: &Call, run: &Run, message: &str) -> Result<Envelope<RunDetail>> {
    let report = call.store().find_run_report(call.caller(), run.id).await.about(NOUN)?;
    Ok(success(message, detail(&report, call.now)))
}
