//! What `demo` and `scan` share: a data folder, a collection for these seeds on this wire, one run carried to its end,
//! and what came of it.

use crate::clock::now;
use crate::failure::{Failure, Result};
use crate::folder::Asking;
use crate::output::{hint, plain};
use crate::signals::Stop;
use crate::wire_log::WireLog;
use crate::wires::{self, Simulated};
use crate::workspace::Workspace;
use crate::{estate, progress};
use ambit_engine::{EngineConfig, Installation, Progress, RunEnd, Shares, drive};
use ambit_model::collection::{Collection, Schedule};
use ambit_model::id::RunId;
use ambit_model::ports::PortList;
use ambit_model::run::{Run, RunState};
use ambit_model::scope::Exclusions;
use ambit_model::wire::WireChoice;
use ambit_model::{Clearance, Kind, Timestamp, workflow};
use ambit_net::live::LiveOptions;
use ambit_net::wire::Wire;
use ambit_net::{Pace, PaceLimits};
use ambit_store::{CollectionSettings, NewCollection, Started};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use uuid::Uuid;

/// How long a command waits for a run that another engine holds: longer than a dead one's heartbeat lasts on PostgreSQL
/// (20 s, docs/architecture.md §2).
const CLAIM_WAIT: Duration = Duration::from_secs(25);

/// How often it asks meanwhile.
const CLAIM_EVERY: Duration = Duration::from_millis(500);

/// The namespace of the demo's collection uuid, so that its uids are the same everywhere.
const COLLECTION_NAMESPACE: Uuid = Uuid::from_u128(0x6f3f_6b0c_95d4_4c0e_9a51_2f5b_1f0a_7c33);

/// What to discover.
pub(crate) struct Job {
    pub(crate) seeds: Vec<(Kind, String)>,
    /// The text of a simulated internet, with its name; `None` on live sockets.
    pub(crate) simulated: Option<(String, String)>,
    /// `None`: the one that the collection has, or the default of a new one.
    pub(crate) workflow: Option<String>,
    pub(crate) level: Clearance,
    /// The ports that flags ask for; `None`: those of the settings.
    pub(crate) ports: Option<PortList>,
    pub(crate) never: Vec<String>,
    /// Everything is searched again, however fresh what earlier runs found.
    pub(crate) full: bool,
    /// What the settings say for every run.
    pub(crate) installation: Installation,
    /// Moves the simulated internet to this state.
    pub(crate) state: Option<i64>,
    pub(crate) live: LiveOptions,
    pub(crate) limits: PaceLimits,
    pub(crate) settings: ambit_tasks::Settings,
    /// How a person asks for it afterwards.
    pub(crate) asking: Asking,
    pub(crate) silent: bool,
    /// Every contact with a simulated internet is kept.
    pub(crate) contacts: bool,
    /// Where each of them is written with its answer.
    pub(crate) wire_log: WireLog,
}

/// A run that ended.
pub(crate) struct Finished {
    pub(crate) collection: Collection,
    pub(crate) run: Run,
    /// The feed's revision before the run.
    pub(crate) before: i64,
    /// The wire's date when the run was taken up: what is fresh is so as of then.
    pub(crate) date: Timestamp,
    pub(crate) simulated: Option<Simulated>,
    /// What was never to be looked at.
    pub(crate) never: Exclusions,
}

/// Finds or makes the collection, resumes or starts its run, and carries it to its end.
pub(crate) async fn discover(workspace: &Workspace, job: &Job, stop: &Stop) -> Result<Finished> {
    let collection = collection(workspace, job).await?;
    if let Some(simulated) = &job.simulated {
        estate::link(workspace, &collection, simulated).await?;
    }
    // The user has confirmed each large block by now.
    let ports = u64::try_from(job.settings.swept_ports.len()).unwrap_or(u64::MAX);
    workspace.store.confirm_large_blocks(&workspace.caller(), collection.uuid, ports).await?;
    workspace.store.name_seeds(&workspace.caller(), collection.uuid, &job.seeds).await?;
    let run = open_run(workspace, &collection, job).await?;
    let before = position(workspace, &run).await?;
    let run = claim(workspace, &run, job.silent).await?;
    let (wire, simulated): (Arc<dyn Wire>, _) = match &collection.wire {
        WireChoice::Live => {
            let options = wires::seen(&job.live, workspace.recorder.as_ref(), &collection, &run);
            (wires::live(options).map_err(Failure::run_time)?, None)
        }
        WireChoice::Simulated { .. } => {
            let simulated = wires::simulated(&workspace.store, &collection, &run).await.map_err(Failure::run_time)?;
            if job.contacts {
                simulated.wire.keep_requests();
            }
            job.wire_log.listen(&simulated.wire);
            (simulated.wire.clone(), Some(simulated))
        }
    };
    let clock: ambit_engine::Clock = Arc::new(now);
    ambit_engine::tell(&workspace.engine, &workspace.knowledge, &clock, &stop.watch()).await?;
    ambit_engine::reassess(&workspace.engine, &workspace.knowledge, &clock, &stop.watch()).await?;
    let date = wire.date();
    let (sender, shown) = watch::channel(Progress::default());
    let shower = tokio::spawn(progress::show(shown, job.silent));
    let config = EngineConfig {
        engine: workspace.engine.clone(),
        wire,
        pace: Arc::new(Pace::new(job.limits.clone())),
        settings: Arc::new(job.settings.clone()),
        installation: job.installation.clone(),
        clock,
        knowledge: workspace.knowledge.clone(),
        progress: sender,
        share: Arc::new(Shares::default().join(run.id, run.project)),
        give_way: tokio::sync::watch::channel(false).1,
        stop: stop.watch(),
    };
    let end = drive(&config, &run).await;
    drop(config);
    shower.await.ok();
    let end = end?;
    // A person stopped it: what still runs would be taken up by a server that is started to read what was found.
    if end == RunEnd::Stopped {
        workspace.store.pause_run(&workspace.caller(), run.id).await?;
    }
    check_end(&end, run.id, job)?;
    workspace.store.tidy(now()).await?;
    let run = workspace.store.find_run(&workspace.principal, run.id).await?;
    let collection = workspace.store.find_collection(&workspace.principal, collection.uuid).await?.collection;
    let never = Exclusions::new(&job.installation.never_in(job.never.clone()));
    Ok(Finished { collection, run, before, date, simulated, never })
}

/// Fails with what to do next where the run did not come to its end.
fn check_end(end: &RunEnd, run: RunId, job: &Job) -> Result<()> {
    match end {
        RunEnd::Over(state) if *state != RunState::Finished => Err(Failure::run_time(format!(
            "run {run} ended as {}; see {}",
            state.name(),
            job.asking.command("run list")
        ))),
        end => check_over(end, run, &job.asking.command(&format!("run resume {run}"))),
    }
}

/// Fails where the run is not over. `resume` is the command that resumes it.
pub(crate) fn check_over(end: &RunEnd, run: RunId, resume: &str) -> Result<()> {
    match end {
        RunEnd::Over(_) => Ok(()),
        RunEnd::Paused => Err(Failure::partial(format!("run {run} was paused; {resume} resumes it"))),
        RunEnd::Rests => Err(Failure::partial(format!(
            "run {run} is paused by a rest window of its collection; the same command resumes it afterwards"
        ))),
        RunEnd::Stopped | RunEnd::GaveWay => {
            Err(Failure::interrupted(format!("interrupted: run {run} is saved; the same command resumes it")))
        }
    }
}

/// Takes the run. In a folder the engine's lock has said that nobody else has it; on PostgreSQL an engine that was
/// killed holds it until its heartbeat lapses.
async fn claim(workspace: &Workspace, run: &Run, silent: bool) -> Result<Run> {
    let begun = std::time::Instant::now();
    let mut told = silent;
    while begun.elapsed() < CLAIM_WAIT {
        if let Some(run) = workspace.engine.claim(run.id, now()).await? {
            return Ok(run);
        }
        if !told {
            hint(&format!(
                "run {} is held by another engine; waiting up to {} s for it to end or to lapse",
                run.id,
                CLAIM_WAIT.as_secs()
            ));
            told = true;
        }
        tokio::time::sleep(CLAIM_EVERY).await;
    }
    Err(Failure::run_time(format!("run {} is executed by another engine; stop that engine or wait for it", run.id)))
}

async fn collection(workspace: &Workspace, job: &Job) -> Result<Collection> {
    let (store, principal) = (&workspace.store, &workspace.principal);
    let project = store
        .choose_project(principal, None)
        .await?
        .ok_or_else(|| Failure::not_found("the owner is in no project; create one with `ambit project create`"))?;
    let blob = match &job.simulated {
        Some((text, _)) => Some(store.put_blob(text.as_bytes(), now()).await?),
        None => None,
    };
    let same = store.find_collection_by_seeds(principal, project, blob, &job.seeds).await?;
    if let Some(known) = same.made_with_them {
        let uuid = known.collection.uuid;
        refuse_other_workflow(&known.collection, job)?;
        tell_lifted(&known.never, job);
        let settings = CollectionSettings {
            level: Some(job.level),
            ports: Some(job.ports.clone()),
            skipped_tasks: Some(job.settings.skipped.clone()),
            never: Some(job.never.clone()),
            ..CollectionSettings::default()
        };
        store.change_settings(&workspace.caller(), uuid, &settings).await?;
        if let Some(state) = job.state {
            move_state(workspace, &known.collection, state).await?;
        }
        return Ok(store.find_collection(principal, uuid).await?.collection);
    }
    tell_apart(&same.made_empty, job);
    let names: Vec<&str> = job.seeds.iter().map(|(_, name)| name.as_str()).collect();
    let (uuid, wire) = match (&job.simulated, blob) {
        (Some((_, name)), Some(blob)) => {
            let uuid = Uuid::new_v5(&COLLECTION_NAMESPACE, format!("{name}#{}", names.join("#")).as_bytes());
            (Some(uuid), WireChoice::Simulated { blob, state: job.state.unwrap_or(1) })
        }
        _ => (None, WireChoice::Live),
    };
    let printable_name = names.first().map_or_else(|| "scan".to_owned(), |name| (*name).to_owned());
    let new = NewCollection {
        uuid,
        printable_name,
        workflow: job.workflow.clone().unwrap_or_else(|| workflow::DEFAULT.to_owned()),
        schedule: Schedule::OnDemand,
        wire,
        level: job.level,
        ports: job.ports.clone(),
        skipped_tasks: job.settings.skipped.clone(),
        timing: ambit_model::timing::Timing::default(),
        never: job.never.clone(),
        seeds: job.seeds.clone(),
    };
    Ok(store.create_collection(&workspace.caller(), project, &new).await?.collection)
}

/// A collection keeps the workflow that it was made with.
fn refuse_other_workflow(known: &Collection, job: &Job) -> Result<()> {
    match job.workflow.as_ref().filter(|asked| **asked != known.workflow) {
        Some(asked) => Err(Failure::usage(format!(
            "--workflow {asked}: the collection {} of these targets has the workflow {} and keeps it; leave --workflow \
             out, or use another --data",
            known.name, known.workflow
        ))),
        None => Ok(()),
    }
}

/// Exclusions are those of this run alone: the ones that end are said.
fn tell_lifted(before: &[String], job: &Job) {
    let lifted: Vec<String> =
        before.iter().filter(|pattern| !job.never.contains(pattern)).map(|pattern| plain(pattern)).collect();
    if !lifted.is_empty() && !job.silent {
        hint(&format!("no longer excluded, because --exclude does not name it this time: {}", lifted.join(", ")));
    }
}

/// Collections of the API keep their level, exclusions and schedule: a scan of the same seeds has one of its own.
fn tell_apart(made_empty: &[String], job: &Job) {
    if !made_empty.is_empty() && !job.silent {
        let names = made_empty.join(", ");
        hint(&format!("not used, because it was created over the API, although its seeds are the same: {names}"));
    }
}

/// Another state cancels an unfinished run: what it saw belongs to a time that is over.
async fn move_state(workspace: &Workspace, collection: &Collection, state: i64) -> Result<()> {
    if matches!(collection.wire, WireChoice::Simulated { state: known, .. } if known == state) {
        return Ok(());
    }
    let runs = workspace.store.list_runs(&workspace.principal, collection.uuid).await?;
    for run in runs.iter().filter(|run| !run.state.is_over()) {
        workspace.store.cancel_run(&workspace.caller(), run.id).await?;
        hint(&format!("run {} was unfinished in another state of the simulated internet and is cancelled", run.id));
    }
    workspace.store.set_wire_state(&workspace.caller(), collection.uuid, state).await?;
    Ok(())
}

/// What an unfinished run has left out by now it does not search any more.
async fn refuse_unfinished(workspace: &Workspace, collection: &Collection, job: &Job) -> Result<()> {
    let runs = workspace.store.list_runs(&workspace.principal, collection.uuid).await?;
    match runs.iter().find(|run| !run.state.is_over() && !run.full) {
        Some(run) => Err(Failure::usage(format!(
            "--full: run {0} is unfinished and does not search everything; the same command without --full resumes it, \
             {1} cancels it",
            run.id,
            job.asking.command(&format!("run cancel {}", run.id))
        ))),
        None => Ok(()),
    }
}

async fn open_run(workspace: &Workspace, collection: &Collection, job: &Job) -> Result<Run> {
    if job.full {
        refuse_unfinished(workspace, collection, job).await?;
    }
    let run = match workspace.store.start_run(&workspace.caller(), collection.uuid, job.full).await? {
        Started::Scheduled(run) => run,
        Started::Open(run) => {
            if !job.silent {
                hint(&format!("resuming run {}", run.id));
            }
            if run.state == RunState::Paused {
                workspace.store.resume_run(&workspace.caller(), run.id).await?
            } else {
                run
            }
        }
    };
    Ok(run)
}

/// The feed's revision when the run began, kept so that a resumed run still says what is new since then.
async fn position(workspace: &Workspace, run: &Run) -> Result<i64> {
    let reader = format!("run-{}", run.id);
    if let Some(revision) = workspace.store.position(&reader).await? {
        return Ok(revision);
    }
    let revision = workspace.store.last_revision().await?;
    workspace.store.set_position(&reader, revision).await?;
    Ok(revision)
}
