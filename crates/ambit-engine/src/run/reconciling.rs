//! Scope, plans and issues of what changed, in batches of one transaction each.

use super::{Drive, RunEnd};
use crate::graph::Change;
use crate::judge::{Ground, is_judged_by_discoveries, judge};
use crate::plan::{Terms, plan};
use crate::vulnerabilities::{by_product, look_up};
use ambit_model::estimate::{LARGE_BLOCK_ADDRESSES, LARGE_BLOCK_PORTS};
use ambit_model::facts::LastProbe;
use ambit_model::run::{NotDone, NotDoneReason};
use ambit_model::{Facts, TaskName, Timestamp, Uid};
use ambit_store::StoreError;
use ambit_store::engine::{Dirty, IssueWrite, Known, Reconciliation};
use std::collections::{BTreeSet, HashSet};
use std::time::Duration;

/// Entities reconciled in one transaction.
const RECONCILED_MAX: usize = 400;
/// Entities that are looked through for those that can be reconciled: what several thousand rows change at once.
const DIRTY_MAX: usize = 20_000;
/// How long an entity waits for its other rows before it is reconciled, wall time: a visit of a site ends within it, a
/// sweep does not.
const DEFERRED_MAX: Duration = Duration::from_secs(5);

impl Drive<'_> {
    /// Decides scope, plans and issues of everything that changed; a run with marks left is not finished. Between two
    /// batches a person's word and the process's end are heard: what is not reconciled then keeps its marks, and is
    /// reconciled first by whoever goes on.
    #[tracing::instrument(name = "reconcile", target = "traces", skip_all)]
    pub(super) async fn reconcile_all(&mut self) -> Result<Option<RunEnd>, StoreError> {
        let begun = std::time::Instant::now();
        loop {
            let mut changes = self.decide().await?;
            let mut due = self.due().await?;
            if due.is_empty() && changes.is_empty() {
                break;
            }
            loop {
                let rest = due.split_off(due.len().min(RECONCILED_MAX));
                self.reconcile(due, changes, Vec::new()).await?;
                if let Some(end) = self.control().await? {
                    return Ok(Some(end));
                }
                if rest.is_empty() {
                    break;
                }
                (due, changes) = (rest, self.decide().await?);
            }
        }
        self.progress.entities = self.graph.iter().count();
        self.progress.scoped = self.graph.iter().filter(|(_, state)| state.present && state.decision.scoped()).count();
        self.progress.in_flight = self.flight.running().len();
        self.progress.issues = self.proven.len();
        self.progress.open = self.config.engine.pending(self.run.id, self.config.wire.date()).await?.open;
        self.config.progress.send_replace(self.progress.clone());
        (self.dry, self.unreconciled) = (false, false);
        self.reconciled = (std::time::Instant::now(), begun.elapsed());
        self.spent.reconciling += begun.elapsed();
        Ok(None)
    }

    /// Entities that changed, without those that more rows are under way for: what a visit changes by and by is
    /// reconciled once. None waits longer than [`DEFERRED_MAX`].
    async fn due(&mut self) -> Result<Vec<Dirty>, StoreError> {
        let dirty = self.flight.beside(self.config.engine.dirty(self.run.id, DIRTY_MAX)).await?;
        let under_way: HashSet<Uid> = self.flight.under_way().collect();
        let now = std::time::Instant::now();
        let seen = std::mem::take(&mut self.deferred);
        let mut due = Vec::new();
        for dirty in dirty {
            let since = seen.get(&dirty.uid).copied().unwrap_or(now);
            if under_way.contains(&dirty.uid) && now - since < DEFERRED_MAX {
                self.deferred.insert(dirty.uid, since);
            } else {
                due.push(dirty);
            }
        }
        Ok(due)
    }

    async fn decide(&mut self) -> Result<Vec<Change>, StoreError> {
        let delta = self.config.engine.graph(self.run.collection, self.graph.revision);
        let delta = self.flight.beside(delta).await?;
        let moved = self.graph.apply(delta);
        if !std::mem::take(&mut self.rules_moved) && !moved {
            return Ok(Vec::new());
        }
        let mut changes = self.graph.decide(&self.rules, self.finishing);
        if let Some(alone) = &mut self.alone {
            changes = alone.own(changes, self.graph.iter().map(|(node, _)| node.uid));
        }
        self.guard.show(&self.graph, self.rules.ceiling, &self.rules.never);
        Ok(changes)
    }

    pub(super) async fn reconcile(
        &mut self,
        dirty: Vec<Dirty>,
        changes: Vec<Change>,
        lost: Vec<Uid>,
    ) -> Result<(), StoreError> {
        let date = self.config.wire.date();
        let mut uids: BTreeSet<Uid> = dirty.iter().map(|dirty| dirty.uid).collect();
        uids.extend(changes.iter().map(|change| change.uid));
        // What is decided anew may have lost rows of its plan, and is planned whole.
        let moved: HashSet<Uid> = changes.iter().map(|change| change.uid).collect();
        let raised = changes.iter().filter(|change| change.raised).map(|change| change.uid).collect();
        self.spent.decided += moved.len();
        let before = uids.len();
        uids.extend(self.graph.looked_at_by(&raised));
        self.spent.raised += uids.len() - before;
        if let Some(alone) = &self.alone {
            uids.clone_from(alone.entities());
        }
        let uids: Vec<Uid> = uids.into_iter().collect();
        let mut reconciliation = Reconciliation {
            vulns: Vec::new(),
            run: self.run.id,
            reconciled: dirty,
            decisions: changes.into_iter().map(|change| (change.uid, change.decision, change.present)).collect(),
            lost,
            orphaned: Vec::new(),
            work: Vec::new(),
            sweeps: Vec::new(),
            issues: Vec::new(),
            not_done: Vec::new(),
            at: date,
            now: (self.config.clock)(),
        };
        self.spent.reconciled += uids.len();
        let known = self.config.engine.known(self.run.id, &uids, |uid| self.graph.end(uid));
        let known = self.flight.beside(known).await?;
        let led = known.iter().filter(|known| is_judged_by_discoveries(known.facts.kind));
        let led: Vec<Uid> = led.map(|known| known.facts.uid).collect();
        let leading = self.flight.beside(self.config.engine.leading_probes(&led)).await?;
        for mut known in known {
            // The store still holds the decision of before: tasks plan by the one that is being written.
            if let Some((_, state)) = self.graph.get(&known.facts.uid) {
                known.facts.decision = state.decision.clone();
            }
            let leading = leading.get(&known.facts.uid).map_or(&[][..], Vec::as_slice);
            look_up(&self.config.knowledge, &mut known.facts);
            if let Some(vulns) =
                known.facts.vulnerabilities.as_deref().map(by_product).filter(|vulns| *vulns != known.vulns)
            {
                reconciliation.vulns.push((known.facts.uid, vulns));
            }
            self.plan_and_judge(&mut reconciliation, &known, leading, moved.contains(&known.facts.uid), date);
        }
        let marks = self.planned.marks(&reconciliation.work, &reconciliation.sweeps);
        if !reconciliation.orphaned.is_empty() {
            self.planned.forget();
        }
        self.flight.beside(self.config.engine.reconcile(reconciliation)).await?;
        self.planned.add(marks);
        Ok(())
    }

    fn plan_and_judge(
        &mut self,
        reconciliation: &mut Reconciliation,
        known: &Known,
        leading: &[(TaskName, LastProbe)],
        is_moved: bool,
        date: Timestamp,
    ) {
        let Some((_, state)) = self.graph.get(&known.facts.uid) else { return };
        if state.present {
            let terms = Terms {
                ceiling: self.rules.ceiling,
                by_person: self.run.by_person,
                date,
                settings: &self.config.settings,
                confirmed: &self.confirmed,
                guard: Some(&self.guard),
            };
            let mut planned = plan(&known.facts, &state.decision, &terms);
            if !is_moved {
                self.planned.retain_new(&mut planned.work, &mut planned.sweeps);
            }
            let clearance = state.decision.clearance.min(self.rules.ceiling);
            for (task, refused) in self.alone.iter().flat_map(|alone| alone.refused(&known.facts, clearance)) {
                if self.unconfirmed.insert((known.facts.uid, task)) {
                    reconciliation.not_done.push(refused);
                }
            }
            for task in planned.unconfirmed {
                if self.unconfirmed.insert((known.facts.uid, task)) {
                    reconciliation.not_done.push(unconfirmed(task, &known.facts));
                }
            }
            reconciliation.work.extend(planned.work);
            reconciliation.sweeps.extend(planned.sweeps);
            reconciliation.orphaned.extend(planned.orphaned);
        }
        if self.alone.as_ref().is_some_and(|alone| !alone.judges(&known.facts.uid)) {
            return;
        }
        let ground = Ground { leading, run: self.run.id, by_person: self.run.by_person, date };
        let judged = judge(known, state.present, state.decision.scoped(), &ground, &self.config.settings);
        for write in &judged.writes {
            if let IssueWrite::Prove { entity, kind, proof, .. } = write {
                self.proven.insert((*entity, kind.name, proof.discriminator.clone()));
            }
        }
        reconciliation.issues.extend(judged.writes);
        reconciliation.issues.extend(self.alone.iter().filter_map(|alone| alone.resolves(leading)));
        reconciliation.work.extend(judged.work);
    }
}

/// A sweep that waits for a person's yes.
fn unconfirmed(task: TaskName, facts: &Facts) -> NotDone {
    NotDone {
        reason: NotDoneReason::Unconfirmed,
        task: task.to_string(),
        count: 1,
        example: format!(
            "{} {}: a block of more than {LARGE_BLOCK_ADDRESSES} addresses, or of more probes than \
             {LARGE_BLOCK_PORTS} ports of so many, is swept only after an explicit yes",
            facts.kind.name(),
            facts.name
        ),
    }
}
