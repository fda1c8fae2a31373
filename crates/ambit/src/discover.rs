//! What `demo` and `scan` share: a data folder, a collection for these seeds on this wire, one run carried to its end, and what came of it.

use crate::config::Settings;
use crate::failure::Failure;
use crate::folder::Asking;
use crate::output::{hint, plain};
use crate::signals::Stop;
use crate::wires::{self, Simulated};
use crate::{outfit, progress};
use ambit_engine::{Installation, Outfit, Progress, RunEnd, Shares, drive};
use ambit_model::collection::{Collection, Schedule};
use ambit_model::run::{Run, RunState};
use ambit_model::wire::WireChoice;
use ambit_model::{Clearance, Kind, Timestamp, workflow};
use ambit_net::Pace;
use ambit_net::live::LiveOptions;
use ambit_net::wire::Wire;
use ambit_store::engine::Engine;
use ambit_store::{CollectionSettings, NewCollection, NewOwner, Principal, Started, Store};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use uuid::Uuid;

/// How long a command waits for the engine's place before it says who holds it (docs/architecture.md §1.8).
pub(crate) const ENGINE_WAIT: Duration = Duration::from_secs(5);

/// How long a command waits for a run that another engine holds: longer than a dead one's heartbeat lasts on PostgreSQL (20 s,
/// docs/architecture.md §2).
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
    pub(crate) never: Vec<String>,
    /// What the settings say for every run.
    pub(crate) installation: Installation,
    /// Moves the simulated internet to this state.
    pub(crate) state: Option<i64>,
    pub(crate) live: LiveOptions,
    pub(crate) rate: Option<u32>,
    pub(crate) settings: ambit_tasks::Settings,
    /// How a person asks for it afterwards.
    pub(crate) asking: Asking,
    pub(crate) silent: bool,
    /// Every contact with a simulated internet is kept.
    pub(crate) contacts: bool,
}

/// The open folder with the engine's place in it.
pub(crate) struct Place {
    pub(crate) store: Store,
    pub(crate) engine: Engine,
    pub(crate) principal: Principal,
}

/// A run that ended.
pub(crate) struct Finished {
    pub(crate) collection: Collection,
    pub(crate) run: Run,
    /// The feed's revision before the run.
    pub(crate) before: i64,
    pub(crate) simulated: Option<Simulated>,
}

/// The wall clock.
pub(crate) fn now() -> Timestamp {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// Opens the folder, making it and its owner when missing, and takes the engine's place.
pub(crate) async fn open(folder: &Path, name: &str, settings: &Settings) -> Result<Place, Failure> {
    let options = crate::client::options(folder, settings);
    let owner = NewOwner {
        email: "owner@localhost".to_owned(),
        organization: "My organization".to_owned(),
        username: None,
    };
    let (store, _) = Store::init(&options, &owner, now()).await?;
    let engine = store.engine(name, ENGINE_WAIT).await?;
    let principal = store.local_operator().await?;
    Ok(Place { store, engine, principal })
}

/// Finds or makes the collection, resumes or starts its run, and carries it to its end.
pub(crate) async fn discover(place: &Place, job: &Job, stop: &Stop) -> Result<Finished, Failure> {
    let collection = collection(place, job).await?;
    // Whoever came here was asked about each.
    place.store.confirm_large_blocks(&place.principal, collection.uuid, now()).await?;
    place.store.name_seeds(&place.principal, collection.uuid, &job.seeds, now()).await?;
    let run = open_run(place, &collection, job).await?;
    let before = position(place, &run).await?;
    let run = claim(place, &run, job.silent).await?;
    let (wire, simulated): (Arc<dyn Wire>, _) = match &collection.wire {
        WireChoice::Live => (wires::live(job.live.clone()).map_err(Failure::run_time)?, None),
        WireChoice::Simulated { .. } => {
            let simulated = wires::simulated(&place.store, &collection, &run).await.map_err(Failure::run_time)?;
            if job.contacts {
                simulated.wire.keep_requests();
            }
            (simulated.wire.clone(), Some(simulated))
        }
    };
    let (sender, shown) = watch::channel(Progress::default());
    let shower = tokio::spawn(progress::show(shown, job.silent));
    let outfit = Outfit {
        engine: place.engine.clone(),
        wire,
        pace: Arc::new(Pace::new(outfit::limits(job.rate))),
        settings: Arc::new(job.settings.clone()),
        installation: job.installation.clone(),
        clock: Arc::new(now),
        progress: sender,
        share: Arc::new(Shares::default().join(run.id, run.project)),
        give_way: tokio::sync::watch::channel(false).1,
        stop: stop.watch(),
    };
    let end = drive(&outfit, &run).await;
    drop(outfit);
    shower.await.ok();
    match end? {
        RunEnd::Over(RunState::Finished) => {}
        RunEnd::Over(state) => {
            return Err(Failure::run_time(format!(
                "run {} ended as {}; see {}",
                run.id,
                state.name(),
                job.asking.command("run list")
            )));
        }
        RunEnd::Paused => {
            return Err(Failure::partial(format!(
                "run {} was paused; {} lets it go on",
                run.id,
                job.asking.command(&format!("run resume {}", run.id))
            )));
        }
        RunEnd::Stopped | RunEnd::GaveWay => {
            return Err(Failure::interrupted(format!(
                "interrupted: run {} is saved; the same command resumes it",
                run.id
            )));
        }
    }
    let run = place.store.find_run(&place.principal, run.id).await?;
    let collection = place.store.find_collection(&place.principal, collection.uuid).await?.collection;
    Ok(Finished {
        collection,
        run,
        before,
        simulated,
    })
}

/// Takes the run. In a folder the engine's lock has said that nobody else has it; on PostgreSQL an engine that was killed holds it until its heartbeat
/// lapses.
async fn claim(place: &Place, run: &Run, silent: bool) -> Result<Run, Failure> {
    let begun = std::time::Instant::now();
    let mut told = silent;
    while begun.elapsed() < CLAIM_WAIT {
        if let Some(run) = place.engine.claim(run.id, now()).await? {
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
    Err(Failure::run_time(format!(
        "run {} is carried by another engine; stop that one or wait for it",
        run.id
    )))
}

async fn collection(place: &Place, job: &Job) -> Result<Collection, Failure> {
    let (store, principal) = (&place.store, &place.principal);
    let project = store
        .choose_project(principal, None)
        .await?
        .ok_or_else(|| Failure::not_found("the owner is in no project; create one with `ambit project create`"))?;
    let blob = match &job.simulated {
        Some((text, _)) => Some(store.put_blob(text.as_bytes(), now()).await?),
        None => None,
    };
    if let Some(known) = store.find_collection_by_seeds(principal, project, blob, &job.seeds).await? {
        let uuid = known.collection.uuid;
        refuse_other_workflow(&known.collection, job)?;
        tell_lifted(&known.never, job);
        let settings = CollectionSettings {
            level: Some(job.level),
            never: Some(job.never.clone()),
            ..CollectionSettings::default()
        };
        store.change_settings(principal, uuid, &settings, now()).await?;
        if let Some(state) = job.state {
            move_state(place, &known.collection, state).await?;
        }
        return Ok(store.find_collection(principal, uuid).await?.collection);
    }
    let names: Vec<&str> = job.seeds.iter().map(|(_, name)| name.as_str()).collect();
    let (uuid, wire) = match (&job.simulated, blob) {
        (Some((_, name)), Some(blob)) => {
            let uuid = Uuid::new_v5(&COLLECTION_NAMESPACE, format!("{name}#{}", names.join("#")).as_bytes());
            (
                Some(uuid),
                WireChoice::Simulated {
                    blob,
                    state: job.state.unwrap_or(1),
                },
            )
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
        never: job.never.clone(),
        seeds: job.seeds.clone(),
    };
    Ok(store.create_collection(principal, project, &new, now()).await?.collection)
}

/// A collection keeps the workflow that it was made with.
fn refuse_other_workflow(known: &Collection, job: &Job) -> Result<(), Failure> {
    match job.workflow.as_ref().filter(|asked| **asked != known.workflow) {
        Some(asked) => Err(Failure::usage(format!(
            "--workflow {asked}: the collection {} of these targets has the workflow {} and keeps it; leave --workflow out, or use another --data",
            known.name, known.workflow
        ))),
        None => Ok(()),
    }
}

/// Exclusions are those of this run alone: the ones that end are said.
fn tell_lifted(before: &[String], job: &Job) {
    let lifted: Vec<String> = before
        .iter()
        .filter(|pattern| !job.never.contains(pattern))
        .map(|pattern| plain(pattern))
        .collect();
    if !lifted.is_empty() && !job.silent {
        hint(&format!(
            "no longer excluded, because --exclude does not name it this time: {}",
            lifted.join(", ")
        ));
    }
}

/// Another state cancels an unfinished run: what it saw belongs to a time that is over.
async fn move_state(place: &Place, collection: &Collection, state: i64) -> Result<(), Failure> {
    if matches!(collection.wire, WireChoice::Simulated { state: known, .. } if known == state) {
        return Ok(());
    }
    let runs = place.store.list_runs(&place.principal, collection.uuid).await?;
    for run in runs.iter().filter(|run| !run.state.is_over()) {
        place.store.cancel_run(&place.principal, run.id, now()).await?;
        hint(&format!(
            "run {} was unfinished in another state of the simulated internet and is cancelled",
            run.id
        ));
    }
    place.store.set_wire_state(&place.principal, collection.uuid, state, now()).await?;
    Ok(())
}

async fn open_run(place: &Place, collection: &Collection, job: &Job) -> Result<Run, Failure> {
    let run = match place.store.start_run(&place.principal, collection.uuid, None, now()).await? {
        Started::Scheduled(run) => run,
        Started::Open(run) => {
            if !job.silent {
                hint(&format!("resuming run {}", run.id));
            }
            if run.state == RunState::Paused {
                place.store.resume_run(&place.principal, run.id, now()).await?
            } else {
                run
            }
        }
    };
    Ok(run)
}

/// The feed's revision when the run began, kept so that a resumed run still says what is new since then.
async fn position(place: &Place, run: &Run) -> Result<i64, Failure> {
    let reader = format!("run-{}", run.id);
    if let Some(revision) = place.store.position(&reader).await? {
        return Ok(revision);
    }
    let revision = place.store.last_revision().await?;
    place.store.set_position(&reader, revision).await?;
    Ok(revision)
}
