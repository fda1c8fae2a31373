//! The engine as a service: claims runs, carries some side by side, starts those that a schedule calls for, until it is asked to stop.

use crate::progress::Progress;
use crate::run::{Clock, Outfit, RunEnd, drive};
use ambit_model::collection::Collection;
use ambit_model::id::RunId;
use ambit_model::run::{Run, RunState};
use ambit_net::wire::Wire;
use ambit_store::StoreError;
use ambit_tasks::Settings;
use futures::future::BoxFuture;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, watch};
use tokio::task::{JoinError, JoinSet};

/// How often the engine looks for a scheduled run, wall time.
const CLAIM_EVERY: Duration = Duration::from_millis(500);

/// Runs that one process carries side by side. They share the ledger of manners; each has its own rows in flight and its own graph in memory.
const RUNS_AT_ONCE: usize = 4;

/// Wait after a failure of the store, wall time: it is not hammered while it is ill.
const FAILED_WAIT: Duration = Duration::from_secs(5);

/// Makes the wire of a run: live, or the collection's simulated one. Given by the binary, which alone knows both.
pub type WireMaker = Arc<dyn Fn(Collection, Run) -> BoxFuture<'static, Result<Arc<dyn Wire>, String>> + Send + Sync>;

/// Progress of the runs that this process carries, by run id.
pub type Board = Arc<Mutex<BTreeMap<i64, watch::Receiver<Progress>>>>;

/// What the service needs.
#[derive(Clone)]
pub struct Service {
    pub engine: ambit_store::engine::Engine,
    pub make_wire: WireMaker,
    pub pace: Arc<ambit_net::Pace>,
    pub settings: Arc<Settings>,
    pub clock: Clock,
    pub board: Board,
    pub stop: watch::Receiver<bool>,
}

/// Runs until `stop`, several runs at a time: a long one holds up no other. A run whose wire cannot be made is failed, with the reason in the log. After a
/// failure of the store it goes on: a full disk is freed, a database comes back; what a run had committed is there, and it is taken up again.
pub async fn serve(service: &Service) {
    let mut stop = service.stop.clone();
    let mut carried = Carried::default();
    while !*stop.borrow() {
        let wait = match carried.take_next(service).await {
            Ok(true) => continue,
            Ok(false) => CLAIM_EVERY,
            Err(error) => {
                tracing::error!(%error, "the engine's store failed, it is tried again");
                FAILED_WAIT
            }
        };
        tokio::select! {
            _ = tokio::time::sleep(wait) => {}
            Some(ended) = carried.runs.join_next() => {
                if carried.ended(ended) {
                    tokio::time::sleep(FAILED_WAIT).await;
                }
            }
            _ = stop.changed() => {}
        }
    }
    // Each run saw the same word and gives its leases back.
    while let Some(ended) = carried.runs.join_next().await {
        carried.ended(ended);
    }
}

/// Runs under way in this process.
#[derive(Default)]
struct Carried {
    runs: JoinSet<(RunId, Result<RunEnd, StoreError>)>,
    ids: BTreeSet<RunId>,
}

impl Carried {
    /// Starts what is due and takes one run more; false where there is none, or no place for it.
    async fn take_next(&mut self, service: &Service) -> Result<bool, StoreError> {
        let now = (service.clock)();
        service.engine.heartbeat(now).await?;
        service.engine.store().schedule_due(now).await?;
        if self.ids.len() >= RUNS_AT_ONCE {
            return Ok(false);
        }
        let Some(run) = service.engine.claim_run(&self.ids, now).await? else {
            return Ok(false);
        };
        self.ids.insert(run.id);
        let service = service.clone();
        self.runs.spawn(async move { (run.id, carry(&service, &run).await) });
        Ok(true)
    }

    /// True where the run did not end but failed: it is free to be taken again.
    fn ended(&mut self, ended: Result<(RunId, Result<RunEnd, StoreError>), JoinError>) -> bool {
        match ended {
            Ok((id, end)) => {
                self.ids.remove(&id);
                end.inspect_err(|error| tracing::error!(run = id, %error, "a run broke off and is taken up again"))
                    .is_err()
            }
            Err(error) => {
                // Which run it was is not known any more: those that still go refuse to be claimed twice by their fences.
                tracing::error!(%error, "a run's task ended badly; a restart takes it up");
                true
            }
        }
    }
}

/// Carries one claimed run.
pub async fn carry(service: &Service, run: &Run) -> Result<RunEnd, StoreError> {
    let collection = service.engine.collection(run.collection).await?;
    let wire = match (service.make_wire)(collection, run.clone()).await {
        Ok(wire) => wire,
        Err(reason) => {
            tracing::error!(run.id, reason, "the run's wire cannot be made");
            service.engine.finish(run.id, RunState::Failed, (service.clock)()).await?;
            return Ok(RunEnd::Over(RunState::Failed));
        }
    };
    let (progress, shown) = watch::channel(Progress::default());
    service.board.lock().await.insert(run.id, shown);
    let outfit = Outfit {
        engine: service.engine.clone(),
        wire,
        pace: service.pace.clone(),
        settings: service.settings.clone(),
        clock: service.clock.clone(),
        progress,
        stop: service.stop.clone(),
    };
    let end = drive(&outfit, run).await;
    service.board.lock().await.remove(&run.id);
    end
}
