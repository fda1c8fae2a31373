//! Scope, plans and issues of what changed, in batches of one transaction each.

use super::{Drive, RunEnd};
use crate::graph::Change;
use crate::judge::judge;
use crate::plan::{Terms, plan};
use ambit_model::estimate::LARGE_BLOCK_ADDRESSES;
use ambit_model::run::{NotDone, NotDoneReason};
use ambit_model::{Facts, TaskName, Timestamp, Uid};
use ambit_store::StoreError;
use ambit_store::engine::{Dirty, IssueWrite, Known, Settlement};
use std::collections::BTreeSet;

/// Entities settled in one transaction.
const SETTLE_MAX: usize = 400;

impl Drive<'_> {
    /// Scope, plans and issues of everything that changed; a run with marks left is not finished. Between two batches a
    /// person's word and the process's end are heard: what is not settled then keeps its marks, and is settled first by
    /// whoever goes on.
    pub(super) async fn settle_all(&mut self) -> Result<Option<RunEnd>, StoreError> {
        let begun = std::time::Instant::now();
        loop {
            let changes = self.decide().await?;
            let dirty = self.outfit.engine.dirty(self.run.id, SETTLE_MAX).await?;
            if dirty.is_empty() && changes.is_empty() {
                break;
            }
            self.settle(dirty, changes, Vec::new()).await?;
            if let Some(end) = self.control().await? {
                return Ok(Some(end));
            }
        }
        self.progress.entities = self.graph.iter().count();
        self.progress.scoped = self.graph.iter().filter(|(_, state)| state.present && state.decision.scoped()).count();
        self.progress.flying = self.flying.len();
        self.progress.issues = self.proven.len();
        self.progress.open = self.outfit.engine.pending(self.run.id, self.outfit.wire.date()).await?.open;
        self.outfit.progress.send_replace(self.progress.clone());
        (self.dry, self.unsettled) = (false, false);
        self.settled = (std::time::Instant::now(), begun.elapsed());
        Ok(None)
    }

    async fn decide(&mut self) -> Result<Vec<Change>, StoreError> {
        let delta = self.outfit.engine.graph(self.run.collection, self.graph.revision).await?;
        let moved = self.graph.apply(delta);
        if !std::mem::take(&mut self.rules_moved) && !moved {
            return Ok(Vec::new());
        }
        let changes = self.graph.decide(&self.rules);
        self.guard.show(&self.graph, self.rules.ceiling, &self.rules.never);
        Ok(changes)
    }

    pub(super) async fn settle(
        &mut self,
        dirty: Vec<Dirty>,
        changes: Vec<Change>,
        lost: Vec<Uid>,
    ) -> Result<(), StoreError> {
        let date = self.outfit.wire.date();
        let mut uids: BTreeSet<Uid> = dirty.iter().map(|dirty| dirty.uid).collect();
        uids.extend(changes.iter().map(|change| change.uid));
        let uids: Vec<Uid> = uids.into_iter().collect();
        let mut settlement = Settlement {
            run: self.run.id,
            settled: dirty,
            decisions: changes.into_iter().map(|change| (change.uid, change.decision, change.present)).collect(),
            relied: Vec::new(),
            lost,
            unbound: Vec::new(),
            work: Vec::new(),
            sweeps: Vec::new(),
            issues: Vec::new(),
            not_done: Vec::new(),
            at: date,
            now: (self.outfit.clock)(),
        };
        for mut known in self.outfit.engine.known(self.run.id, &uids, |uid| self.graph.end(uid)).await? {
            // The store still holds the decision of before: tasks plan by the one that is being written.
            if let Some((_, state)) = self.graph.get(&known.facts.uid) {
                known.facts.decision = state.decision.clone();
            }
            self.plan_and_judge(&mut settlement, &known, date);
        }
        self.outfit.engine.settle(settlement).await
    }

    fn plan_and_judge(&mut self, settlement: &mut Settlement, known: &Known, date: Timestamp) {
        let Some((_, state)) = self.graph.get(&known.facts.uid) else { return };
        if state.present {
            let terms = Terms {
                ceiling: self.rules.ceiling,
                by_person: self.run.by_person,
                date,
                settings: &self.outfit.settings,
                confirmed: &self.confirmed,
                guard: Some(&self.guard),
            };
            let planned = plan(&known.facts, &state.decision, &terms);
            for task in planned.unconfirmed {
                if self.unconfirmed.insert((known.facts.uid, task)) {
                    settlement.not_done.push(unconfirmed(task, &known.facts));
                }
            }
            if planned.relied {
                settlement.relied.push(known.facts.uid);
            }
            settlement.work.extend(planned.work);
            settlement.sweeps.extend(planned.sweeps);
            settlement.unbound.extend(planned.unbound);
        }
        let judged = judge(known, state.present, state.decision.scoped(), date, &self.outfit.settings);
        for write in &judged.writes {
            if let IssueWrite::Prove { entity, kind, proof, .. } = write {
                self.proven.insert((*entity, kind.name, proof.discriminator.clone()));
            }
        }
        settlement.issues.extend(judged.writes);
        settlement.work.extend(judged.work);
    }
}

/// A sweep that waits for a person's yes.
fn unconfirmed(task: TaskName, facts: &Facts) -> NotDone {
    NotDone {
        reason: NotDoneReason::Unconfirmed,
        task: task.to_string(),
        count: 1,
        example: format!(
            "{} {}: a block of more than {LARGE_BLOCK_ADDRESSES} addresses is swept only after an explicit yes",
            facts.kind.name(),
            facts.name
        ),
    }
}
