//! The engine as a service: claims runs, carries some side by side, starts those that a schedule calls for, until it is
//! asked to stop.

use crate::hunt::hunt;
use crate::installation::Installation;
use crate::keeping::keep_judged;
use crate::progress::Progress;
use crate::run::{Clock, EngineConfig, RunEnd, drive};
use crate::share::{Share, Shares};
use ambit_model::collection::Collection;
use ambit_model::id::RunId;
use ambit_model::run::{Run, RunState};
use ambit_net::Pace;
use ambit_net::wire::Wire;
use ambit_store::Result;
use ambit_store::engine::{Claimed, Room};
use ambit_tasks::Settings;
use ambit_vulns::Knowledge;
use futures::future::BoxFuture;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{Mutex, watch};
use tokio::task::JoinSet;

/// How often the engine looks for a scheduled run, wall time.
const CLAIM_EVERY: Duration = Duration::from_millis(500);

/// Runs that one process carries side by side. Live ones share the rate limiter; each has its own graph in memory.
const RUNS_AT_ONCE: usize = 5;
/// Long runs among them: the place that is left is kept for short runs and for the administrators'.
const LONG_AT_ONCE: usize = 4;
/// A run that was expected to be short and is carried for longer than this counts as long.
const SHORT_TIME: Duration = Duration::from_secs(600);
/// How long a run goes on before it makes room for a run of a user who has fewer: starting again costs it some seconds.
const SLICE: Duration = Duration::from_secs(600);
/// How often it is seen to that no collection is due later than its schedule says, wall time.
const BRING_FORWARD_EVERY: Duration = Duration::from_secs(60);
/// How often it is asked whether a run must make room, while there is no place.
const GIVE_WAY_EVERY: Duration = Duration::from_secs(5);

/// Wait after a failure of the store, wall time: it is not hammered while it is ill.
const FAILED_WAIT: Duration = Duration::from_secs(5);

/// Makes the wire of a run, live or the collection's simulated one, and returns the rate limiter that uses its clock:
/// one for all live runs of the process, and a fresh one where a clock begins anew. Given by the binary, which alone
/// knows both.
pub type WireMaker =
    Arc<dyn Fn(Collection, Run) -> BoxFuture<'static, Result<(Arc<dyn Wire>, Arc<Pace>), String>> + Send + Sync>;

/// Progress of the runs that this process carries, by run id.
pub type Board = Arc<Mutex<BTreeMap<i64, watch::Receiver<Progress>>>>;

/// What the service needs.
#[derive(Clone)]
pub struct Service {
    pub engine: ambit_store::engine::Engine,
    pub make_wire: WireMaker,
    pub settings: Arc<Settings>,
    /// The administrator's settings for every run.
    pub installation: Installation,
    pub clock: Clock,
    /// What is known against products.
    pub knowledge: Arc<Knowledge>,
    pub board: Board,
    pub stop: watch::Receiver<bool>,
}

/// Runs, hunts, and judges again what is stored whenever the packs change, until `stop`.
pub async fn serve(service: &Service) {
    tokio::join!(
        carry_runs(service),
        hunt(&service.engine, &service.clock, &service.stop),
        keep_judged(&service.engine, &service.knowledge, &service.clock, service.stop.clone()),
    );
}

/// Runs until `stop`, several runs at a time: a long one holds up no other. A run whose wire cannot be made is failed,
/// with the reason in the log. After a failure of the store it goes on: a full disk is freed, a database comes back;
/// what a run had committed is there, and it is taken up again.
async fn carry_runs(service: &Service) {
    let mut stop = service.stop.clone();
    let mut carried = Carried::default();
    while !*stop.borrow() {
        let wait = match carried.take_next(service).await {
            Ok(true) => continue,
            Ok(false) => CLAIM_EVERY,
            Err(error) => {
                tracing::error!(%error, "the engine cannot use the store and tries again");
                FAILED_WAIT
            }
        };
        tokio::select! {
            _ = tokio::time::sleep(wait) => {}
            Some(failed) = carried.next_end() => {
                if failed {
                    tokio::time::sleep(FAILED_WAIT).await;
                }
            }
            _ = stop.changed() => {}
        }
    }
    // Each run saw the same word and gives its leases back.
    while carried.next_end().await.is_some() {}
}

/// Runs under way in this process.
#[derive(Default)]
struct Carried {
    runs: JoinSet<Result<RunEnd>>,
    /// By the task that carries it: a task that panics says no more than its own id.
    places: HashMap<tokio::task::Id, CarriedRun>,
    shares: Shares,
    asked: Option<Instant>,
    /// When it was seen to that no collection is due later than its schedule says.
    brought_forward: Option<Instant>,
}

/// A run that is carried.
struct CarriedRun {
    run: RunId,
    /// It is expected to be short, or an administrator started it.
    short: bool,
    since: Instant,
    give_way: watch::Sender<bool>,
}

impl CarriedRun {
    fn is_long(&self) -> bool {
        !self.short || self.since.elapsed() >= SHORT_TIME
    }
}

impl Carried {
    /// Starts what is due and takes one run more; false where there is none, or no place for it.
    async fn take_next(&mut self, service: &Service) -> Result<bool> {
        let now = (service.clock)();
        service.engine.heartbeat(now).await?;
        if self.brought_forward.is_none_or(|at| at.elapsed() >= BRING_FORWARD_EVERY) {
            service.engine.store().bring_forward(now).await?;
            self.brought_forward = Some(Instant::now());
        }
        service.engine.store().schedule_due(now).await?;
        service.engine.store().end_decisions(now).await?;
        for run in service.engine.pause_left_by_commands(now).await? {
            tracing::warn!(run, "paused: the command that executed it with its own limits has ended");
        }
        let carried: BTreeSet<RunId> = self.places.values().map(|place| place.run).collect();
        let claimed = match self.room() {
            Some(room) => service.engine.claim_next(&carried, room, now).await?,
            None => None,
        };
        let Some(Claimed { run, short }) = claimed else {
            self.make_room(service, &carried).await?;
            return Ok(false);
        };
        let (give_way, asked) = watch::channel(false);
        let (service, share) = (service.clone(), self.shares.join(run.id, run.project));
        let place = CarriedRun { run: run.id, short, since: Instant::now(), give_way };
        self.start(place, async move { carry(&service, &run, share, asked).await });
        Ok(true)
    }

    /// Which runs there is a place for.
    fn room(&self) -> Option<Room> {
        let long = self.places.values().filter(|place| place.is_long()).count();
        match self.places.len() {
            RUNS_AT_ONCE.. => None,
            _ if long >= LONG_AT_ONCE => Some(Room::Short),
            _ => Some(Room::Any),
        }
    }

    /// Asks a run to make room for one whose turn it is, where all places for it are taken.
    async fn make_room(&mut self, service: &Service, carried: &BTreeSet<RunId>) -> Result<()> {
        let soon = self.asked.is_some_and(|at| at.elapsed() < GIVE_WAY_EVERY);
        let long: BTreeSet<RunId> =
            self.places.values().filter(|place| place.since.elapsed() >= SLICE).map(|place| place.run).collect();
        if soon || long.is_empty() || self.room() == Some(Room::Any) {
            return Ok(());
        }
        self.asked = Some(Instant::now());
        let asked = service.engine.run_that_gives_way(carried, &long, (service.clock)()).await?;
        for place in self.places.values().filter(|place| Some(place.run) == asked) {
            tracing::info!(run = place.run, "yields to a waiting run and continues later");
            place.give_way.send_replace(true);
        }
        Ok(())
    }

    fn start(&mut self, place: CarriedRun, carry: impl Future<Output = Result<RunEnd>> + Send + 'static) {
        let task = self.runs.spawn(carry);
        self.places.insert(task.id(), place);
    }

    /// Waits for a run to end; none where no run is under way. True where the run did not end but failed, or its task
    /// panicked: it is free to be taken again.
    async fn next_end(&mut self) -> Option<bool> {
        let (task, outcome) = match self.runs.join_next_with_id().await? {
            Ok((task, end)) => (task, end.map_err(|error| error.to_string())),
            Err(panic) => (panic.id(), Err(panic.to_string())),
        };
        let run = self.places.remove(&task).map(|place| place.run);
        Some(outcome.inspect_err(|error| tracing::error!(run, error, "a run failed and will be resumed")).is_err())
    }
}

/// Carries one claimed run with its share of the process, until `give_way` turns true. A network that cannot be set up
/// ends the run as failed, which is no error.
pub async fn carry(service: &Service, run: &Run, share: Share, give_way: watch::Receiver<bool>) -> Result<RunEnd> {
    let collection = service.engine.collection(run.collection).await?;
    let (wire, pace) = match (service.make_wire)(collection, run.clone()).await {
        Ok(made) => made,
        Err(reason) => {
            tracing::error!(run.id, reason, "the run's network cannot be set up");
            service.engine.finish(run.id, RunState::Failed, &[], (service.clock)()).await?;
            return Ok(RunEnd::Over(RunState::Failed));
        }
    };
    let (progress, shown) = watch::channel(Progress::default());
    service.board.lock().await.insert(run.id, shown);
    let config = EngineConfig {
        engine: service.engine.clone(),
        wire,
        pace,
        settings: service.settings.clone(),
        installation: service.installation.clone(),
        clock: service.clock.clone(),
        knowledge: service.knowledge.clone(),
        progress,
        share: Arc::new(share),
        give_way,
        stop: service.stop.clone(),
    };
    tracing::info!(run = run.id, collection = run.collection_name, "a run is executed here");
    let end = drive(&config, run).await;
    tracing::info!(run = run.id, ?end, "a run is no longer executed here");
    service.board.lock().await.remove(&run.id);
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(run: RunId, short: bool) -> CarriedRun {
        CarriedRun { run, short, since: Instant::now(), give_way: watch::channel(false).0 }
    }

    #[tokio::test]
    async fn a_run_whose_task_panics_is_free_to_be_taken_again() {
        let mut carried = Carried::default();
        carried.start(place(7, false), async { panic!("a fault of a task") });
        assert_eq!(carried.next_end().await, Some(true));
        assert!(carried.places.is_empty());
        assert_eq!(carried.next_end().await, None);
    }

    #[tokio::test]
    async fn one_place_is_kept_for_short_runs() {
        let mut carried = Carried::default();
        for (run, short) in [(1, false), (2, true), (3, false), (4, false)] {
            assert_eq!(carried.room(), Some(Room::Any));
            carried.start(place(run, short), std::future::pending());
        }
        assert_eq!(carried.room(), Some(Room::Any), "three of these are long");
        for place in carried.places.values_mut() {
            place.since = place.since.checked_sub(SHORT_TIME).expect("the machine runs for longer");
        }
        assert_eq!(carried.room(), Some(Room::Short), "by now four are");
        carried.start(place(5, true), std::future::pending());
        assert_eq!(carried.room(), None);
    }
}
