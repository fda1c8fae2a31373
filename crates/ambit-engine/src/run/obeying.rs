//! Changes that people make to scope during a run: the guard, the plans and the work in flight follow within a second.

use super::{Drive, EngineConfig, RunEnd};
use crate::work::refused;
use ambit_model::run::Run;
use ambit_model::scope::Rules;
use ambit_model::workflow;
use ambit_store::Result;
use ambit_store::engine::Work;

/// The rules of the run's collection as they are now, with the exclusions of the whole installation.
pub(super) async fn rules(config: &EngineConfig, run: &Run) -> Result<Rules> {
    let collection = config.engine.collection(run.collection).await?;
    Ok(Rules {
        ceiling: workflow::ceiling(&collection.workflow, collection.level),
        never: config.installation.never_in(config.engine.rules(run.collection).await?),
    })
}

impl Drive<'_> {
    /// Takes over what people changed: level, exclusions, allow and deny lists. Rows that are louder than their
    /// entity's clearance now end as refused.
    pub(super) async fn obey(&mut self) -> Result<Option<RunEnd>> {
        self.is_told = false;
        // Whoever changed scope took rows out of the plan.
        self.planned.forget();
        self.scope_revision = self.config.engine.scope_revision(self.run.collection).await?;
        self.confirmed = self.config.engine.confirmed_blocks(self.run.collection).await?;
        let rules = rules(self.config, self.run).await?;
        self.rules_moved |= rules != self.rules;
        self.rules = rules;
        let end = self.reconcile_all().await?;
        self.end_uncleared();
        Ok(end)
    }

    fn end_uncleared(&mut self) {
        let is_uncleared = |work: &Work| {
            let clearance =
                self.graph.get(&work.uid).map(|(_, state)| state.decision.clearance.min(self.rules.ceiling));
            let footprint = ambit_tasks::find(&work.task).map(|task| task.footprint);
            clearance.zip(footprint).is_some_and(|(clearance, footprint)| footprint > clearance)
        };
        self.flight.cut_off(is_uncleared, refused);
    }
}
