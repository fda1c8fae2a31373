//! What a run does while nothing runs: it waits, closes what nothing leads to any more, or ends.

use super::reconciling::RECONCILED_MAX;
use super::{CONTROL_EVERY, Drive, RunEnd};
use ambit_model::observation::Sighting;
use ambit_model::run::RunState;
use ambit_model::{Kind, Timestamp};
use ambit_store::Result;
use ambit_store::engine::Fresh;
use ambit_tasks::Sights;
use std::time::Duration;

/// Wait before asking again while only other engines hold leases, wall time.
const OTHERS_WAIT: Duration = Duration::from_millis(200);

impl Drive<'_> {
    /// Nothing runs: wait for rows that may start later, close what was lost, or finish.
    pub(super) async fn rest(&mut self, hold: Box<dyn ambit_net::wire::Hold>) -> Result<Option<RunEnd>> {
        self.dry = false;
        let date = self.config.wire.date();
        let pending = self.config.engine.pending(self.run.id, date).await?;
        if pending.dirty > 0 {
            return self.reconcile_all().await;
        } else if pending.open == 0 && pending.leased == 0 {
            if self.alone.is_some() {
                return self.end_alone().await;
            }
            let lost = self.graph.lost();
            if self.finishing && lost.is_empty() {
                self.rely().await?;
                self.derive().await?;
                self.progress.left = None;
                self.store_progress().await?;
                return Ok(Some(RunEnd::Over(RunState::Finished)));
            }
            // Entities that nothing leads to disappear only now.
            (self.finishing, self.rules_moved) = (true, true);
            for some in lost.chunks(RECONCILED_MAX) {
                self.reconcile(some.to_vec()).await?;
            }
            return self.reconcile_all().await;
        } else if let Some(at) = pending.not_before.filter(|at| *at > date) {
            drop(hold);
            self.wait_for(at, date).await;
        } else {
            drop(hold);
            tokio::time::sleep(OTHERS_WAIT).await;
        }
        Ok(None)
    }

    /// A scheduled run has seen what it did not ask again because it is fresh, as of the date at which it was taken up.
    #[tracing::instrument(target = "traces", skip_all)]
    async fn rely(&self) -> Result<()> {
        if self.run.by_person {
            return Ok(());
        }
        let fresh = ambit_tasks::ALL.iter().flat_map(|task| {
            let since = Timestamp(self.date.0.saturating_sub(task.ttl_ms));
            let of = move |kind: &Kind| Fresh {
                task: task.name.as_str(),
                kind: *kind,
                since,
                sighting: task.sighting(*kind),
            };
            task.watches.iter().map(of)
        });
        self.config.engine.rely(self.run.id, fresh.collect(), (self.config.clock)()).await
    }

    /// Entities that derive from something that was seen count as seen with it.
    #[tracing::instrument(target = "traces", skip_all)]
    async fn derive(&self) -> Result<()> {
        let derived = ambit_tasks::ALL.iter().filter(|task| task.sights == Sights::All(Sighting::Nothing));
        let derived = derived.map(|task| task.name.as_str()).collect();
        self.config.engine.derive(self.run.id, derived, (self.config.clock)()).await
    }

    /// Waits on the wire's clock, at most as long as a person's word may wait on a live one.
    async fn wait_for(&self, at: Timestamp, date: Timestamp) {
        let wait = Duration::from_millis(u64::try_from(at.0 - date.0).unwrap_or(0));
        let wire = self.config.wire.clone();
        let (sender, receiver) = tokio::sync::oneshot::channel();
        let until = wire.now() + wait;
        let sleeper = wire.clone().track(Box::pin(async move {
            wire.sleep_until(until).await;
            sender.send(()).ok();
        }));
        let sleeper = tokio::spawn(sleeper);
        tokio::select! {
            _ = receiver => {}
            _ = tokio::time::sleep(CONTROL_EVERY) => {}
        }
        sleeper.abort();
    }
}
