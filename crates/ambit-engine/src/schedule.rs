//! The engine as a service: claims runs, carries some side by side, starts those that a schedule calls for, until it is asked to stop.

use crate::hunt::hunt;
use crate::progress::Progress;
use crate::run::{Clock, Outfit, RunEnd, drive};
use ambit_model::collection::Collection;
use ambit_model::id::RunId;
use ambit_model::run::{Run, RunState};
use ambit_net::Pace;
use ambit_net::wire::Wire;
use ambit_store::StoreError;
use ambit_tasks::Settings;
use futures::future::BoxFuture;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, watch};
use tokio::task::JoinSet;

/// How often the engine looks for a scheduled run, wall time.
const CLAIM_EVERY: Duration = Duration::from_millis(500);

/// Runs that one process carries side by side. Live ones share the ledger of manners; each has its own rows in flight and its own graph in memory.
const RUNS_AT_ONCE: usize = 4;

/// Wait after a failure of the store, wall time: it is not hammered while it is ill.
const FAILED_WAIT: Duration = Duration::from_secs(5);

/// Makes the wire of a run, live or the collection's simulated one, and gives the ledger of manners that goes by its clock: one for all live runs of the
/// process, and a fresh one where a clock begins anew. Given by the binary, which alone knows both.
pub type WireMaker = Arc<dyn Fn(Collection, Run) -> BoxFuture<'static, Result<(Arc<dyn Wire>, Arc<Pace>), String>> + Send + Sync>;

/// Progress of the runs that this process carries, by run id.
pub type Board = Arc<Mutex<BTreeMap<i64, watch::Receiver<Progress>>>>;

/// What the service needs.
#[derive(Clone)]
pub struct Service {
    pub engine: ambit_store::engine::Engine,
    pub make_wire: WireMaker,
    pub settings: Arc<Settings>,
    pub clock: Clock,
    pub board: Board,
    pub stop: watch::Receiver<bool>,
}

/// Runs and hunts until `stop`.
pub async fn serve(service: &Service) {
    tokio::join!(carry_runs(service), hunt(&service.engine, &service.clock, &service.stop));
}

/// Runs until `stop`, several runs at a time: a long one holds up no other. A run whose wire cannot be made is failed, with the reason in the log. After a
/// failure of the store it goes on: a full disk is freed, a database comes back; what a run had committed is there, and it is taken up again.
async fn carry_runs(service: &Service) {
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
    runs: JoinSet<Result<RunEnd, StoreError>>,
    /// Which run a task carries: a task that panics says no more than its own id.
    ids: HashMap<tokio::task::Id, RunId>,
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
        let carried = self.ids.values().copied().collect();
        let Some(run) = service.engine.claim_run(&carried, now).await? else {
            return Ok(false);
        };
        let service = service.clone();
        self.start(run.id, async move { carry(&service, &run).await });
        Ok(true)
    }

    fn start(&mut self, run: RunId, carry: impl Future<Output = Result<RunEnd, StoreError>> + Send + 'static) {
        let task = self.runs.spawn(carry);
        self.ids.insert(task.id(), run);
    }

    /// Waits for a run to end; none where no run is under way. True where the run did not end but failed, or its task panicked: it is free to be taken again.
    async fn next_end(&mut self) -> Option<bool> {
        let (task, outcome) = match self.runs.join_next_with_id().await? {
            Ok((task, end)) => (task, end.map_err(|error| error.to_string())),
            Err(panic) => (panic.id(), Err(panic.to_string())),
        };
        let run = self.ids.remove(&task);
        Some(
            outcome
                .inspect_err(|error| tracing::error!(run, error, "a run broke off and is taken up again"))
                .is_err(),
        )
    }
}

/// Carries one claimed run.
pub async fn carry(service: &Service, run: &Run) -> Result<RunEnd, StoreError> {
    let collection = service.engine.collection(run.collection).await?;
    let (wire, pace) = match (service.make_wire)(collection, run.clone()).await {
        Ok(made) => made,
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
        pace,
        settings: service.settings.clone(),
        clock: service.clock.clone(),
        progress,
        stop: service.stop.clone(),
    };
    let end = drive(&outfit, run).await;
    service.board.lock().await.remove(&run.id);
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_run_whose_task_panics_is_free_to_be_taken_again() {
        let mut carried = Carried::default();
        carried.start(7, async { panic!("a fault of a task") });
        assert_eq!(carried.next_end().await, Some(true));
        assert!(carried.ids.is_empty(), "{:?}", carried.ids);
        assert_eq!(carried.next_end().await, None);
    }
}
