//! The engine as a service: claims runs one after another, starts those that a schedule calls for, until it is asked to stop.

use crate::progress::Progress;
use crate::run::{Clock, Outfit, RunEnd, drive};
use ambit_model::collection::Collection;
use ambit_model::run::{Run, RunState};
use ambit_net::wire::Wire;
use ambit_store::StoreError;
use ambit_tasks::Settings;
use futures::future::BoxFuture;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, watch};

/// How often the engine looks for a scheduled run, wall time.
const CLAIM_EVERY: Duration = Duration::from_millis(500);

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

/// Runs until `stop`. A run whose wire cannot be made is failed, with the reason in the log; the service goes on.
pub async fn serve(service: &Service) -> Result<(), StoreError> {
    let mut stop = service.stop.clone();
    while !*stop.borrow() {
        let now = (service.clock)();
        service.engine.heartbeat(now).await?;
        service.engine.store().schedule_due(now).await?;
        if let Some(run) = service.engine.claim_run(now).await? {
            carry(service, &run).await?;
            continue;
        }
        tokio::select! {
            _ = tokio::time::sleep(CLAIM_EVERY) => {}
            _ = stop.changed() => {}
        }
    }
    Ok(())
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
