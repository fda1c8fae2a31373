//! Scope, plans and issues of what changed, in batches of one transaction each.

use super::planned::Mark;
use super::{Drive, RunEnd};
use crate::graph::{Change, Graph};
use crate::judge::{Ground, is_judged_by_discoveries, judge};
use crate::plan::{Terms, plan};
use crate::vulnerabilities::{by_product, look_up};
use ambit_model::estimate::{LARGE_BLOCK_ADDRESSES, LARGE_BLOCK_PORTS};
use ambit_model::facts::LastProbe;
use ambit_model::id::RunId;
use ambit_model::run::{NotDone, NotDoneReason};
use ambit_model::seeds::Seeds;
use ambit_model::{Facts, TaskName, Timestamp, Uid};
use ambit_store::Result;
use ambit_store::engine::{Dirty, Engine, IssueWrite, Known, LeadingProbes, Reconciliation};
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

/// Entities reconciled in one transaction.
pub(super) const RECONCILED_MAX: usize = 400;
/// Entities that are looked through for those that can be reconciled: what several thousand rows change at once.
const DIRTY_MAX: usize = 20_000;
/// How long an entity waits for its other rows before it is reconciled, wall time: a visit of a site ends within it, a
/// sweep does not.
const DEFERRED_MAX: Duration = Duration::from_secs(5);

/// What one transaction reconciles: of everything that changed, as many entities as it takes up.
#[derive(Default)]
struct Part {
    dirty: Vec<Dirty>,
    changes: Vec<Change>,
    /// Entities whose plan follows from what was decided of others.
    following: Vec<Uid>,
    /// Entities that no path leads to any more.
    lost: Vec<Uid>,
}

impl Part {
    /// How many entities it takes up, or a few more: one may be decided anew and marked.
    fn size(&self) -> usize {
        self.dirty.len().max(self.changes.len())
    }
}

/// A part, with the entities that it plans for and judges.
struct Batch {
    part: Part,
    uids: Vec<Uid>,
    /// Entities with a new scope decision.
    moved: HashSet<Uid>,
}

/// Shares out what changed, decisions first, and marks what follows from them with the first ones: those that are not
/// stored when the process ends are made again. A decision that moves tens of thousands of entities is written in many
/// transactions: their facts would not fit into memory.
fn parts(due: Vec<Dirty>, changes: Vec<Change>, mut following: BTreeSet<Uid>) -> VecDeque<Part> {
    for uid in due.iter().map(|dirty| &dirty.uid).chain(changes.iter().map(|change| &change.uid)) {
        following.remove(uid);
    }
    let mut following: Vec<Uid> = following.into_iter().collect();
    let mut marks: HashMap<Uid, Dirty> = due.iter().map(|dirty| (dirty.uid, *dirty)).collect();
    let (mut due, mut changes) = (due.into_iter(), changes.into_iter());
    let mut parts = VecDeque::new();
    loop {
        let changes: Vec<Change> = changes.by_ref().take(RECONCILED_MAX).collect();
        let mut dirty: Vec<Dirty> = changes.iter().filter_map(|change| marks.remove(&change.uid)).collect();
        let room = RECONCILED_MAX - changes.len();
        dirty.extend(due.by_ref().filter_map(|dirty| marks.remove(&dirty.uid)).take(room));
        if dirty.is_empty() && changes.is_empty() && following.is_empty() {
            return parts;
        }
        parts.push_back(Part { dirty, changes, following: std::mem::take(&mut following), ..Part::default() });
    }
}

/// What the store says of the entities of a batch.
struct Read {
    known: Vec<Known>,
    leading: LeadingProbes,
}

async fn read(engine: &Engine, run: RunId, seeds: &Arc<Seeds>, graph: &Graph, batch: &Batch) -> Result<Read> {
    let known = engine.known(run, seeds, &batch.uids, |uid| graph.end(uid)).await?;
    let led = known.iter().filter(|known| is_judged_by_discoveries(known.facts.kind));
    let led: Vec<Uid> = led.map(|known| known.facts.uid).collect();
    let leading = engine.leading_probes(&led).await?;
    Ok(Read { known, leading })
}

impl Drive<'_> {
    /// Decides scope, plans and issues of everything that changed; a run with marks left is not finished. Between two
    /// batches the process's end is heard, and, once all that was decided is stored, a person's word: what is not
    /// reconciled then keeps its marks, and is reconciled first by whoever goes on. What is committed between two
    /// batches is reconciled the next time, and so is what is left when a person's word comes.
    #[tracing::instrument(name = "reconcile", target = "traces", skip_all)]
    pub(super) async fn reconcile_all(&mut self) -> Result<Option<RunEnd>> {
        let begun = std::time::Instant::now();
        let mut is_behind = false;
        while !is_behind {
            let changes = self.decide().await?;
            let due = self.due().await?;
            let resolved = self.resolved();
            if due.is_empty() && changes.is_empty() && resolved.is_empty() {
                break;
            }
            let done = self.progress.done;
            let raised = changes.iter().filter(|change| change.raised).map(|change| change.uid).collect();
            let mut following = self.graph.looked_at_by(&raised);
            following.extend(resolved);
            let parts = parts(due, changes, following);
            if let Some(end) = self.reconcile_in_parts(parts).await? {
                return Ok(Some(end));
            }
            is_behind = self.progress.done > done || self.is_told;
        }
        self.count_found();
        self.progress.in_flight = self.flight.running().len();
        (self.progress.reconciling, self.progress.issues) = (0, self.proven.len());
        let pending = self.config.engine.pending(self.run.id, self.config.wire.date()).await?;
        self.progress.open = pending.open;
        self.undone = (u64::try_from(pending.rest).unwrap_or(0), self.progress.done);
        self.show();
        (self.dry, self.unreconciled) = (false, is_behind);
        self.reconciled = (std::time::Instant::now(), begun.elapsed());
        self.spent.reconciling += begun.elapsed();
        Ok(None)
    }

    /// Reconciles a part at a time. While one is written, what the next needs is read: what the write changes of that
    /// is marked by it, and reconciled once more. The graph holds what was decided as if it were stored: only an end,
    /// after which it is read anew, comes before all of that is.
    async fn reconcile_in_parts(&mut self, mut parts: VecDeque<Part>) -> Result<Option<RunEnd>> {
        let mut batch = self.batch(parts.pop_front().unwrap_or_default());
        let mut read =
            self.flight.beside(read(&self.config.engine, self.run.id, &self.seeds, &self.graph, &batch)).await?;
        loop {
            let (reconciliation, marks) = self.prepare(batch, read);
            let write = self.config.engine.reconcile(reconciliation);
            let Some(next) = parts.pop_front() else {
                self.flight.beside(write).await?;
                self.planned.add(marks);
                return self.control().await;
            };
            let is_decided = next.changes.is_empty();
            self.progress.reconciling = next.size() + parts.iter().map(Part::size).sum::<usize>();
            self.config.progress.send_replace(self.progress.clone());
            batch = self.batch(next);
            let reading = self::read(&self.config.engine, self.run.id, &self.seeds, &self.graph, &batch);
            let (written, known) = self.flight.beside(futures::future::join(write, reading)).await;
            written?;
            self.planned.add(marks);
            read = known?;
            if let Some(end) = self.control().await? {
                return Ok(Some(end));
            }
            if !is_decided {
                continue;
            }
            if self.is_told {
                return Ok(None);
            }
            self.carry_on().await?;
        }
    }

    /// Commits what has ended and starts what waits, once decisions are stored: what ends during a long reconciliation
    /// would take up memory until it is over, and what could start would wait as long.
    async fn carry_on(&mut self) -> Result<()> {
        self.unreconciled = true;
        if self.flight.is_due() {
            self.commit().await?;
        }
        self.lease().await?;
        self.flight.start();
        Ok(())
    }

    /// Entities that changed, without those that more rows are under way for: what a visit changes by and by is
    /// reconciled once. None waits longer than [`DEFERRED_MAX`].
    async fn due(&mut self) -> Result<Vec<Dirty>> {
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

    async fn decide(&mut self) -> Result<Vec<Change>> {
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

    /// Reconciles entities that no path leads to any more, and in a run that looks at one issue what it looks at.
    pub(super) async fn reconcile(&mut self, lost: Vec<Uid>) -> Result<()> {
        let batch = self.batch(Part { lost, ..Part::default() });
        let read = self.flight.beside(read(&self.config.engine, self.run.id, &self.seeds, &self.graph, &batch)).await?;
        let (reconciliation, marks) = self.prepare(batch, read);
        self.flight.beside(self.config.engine.reconcile(reconciliation)).await?;
        self.planned.add(marks);
        Ok(())
    }

    /// The entities that a batch plans for and judges.
    fn batch(&mut self, part: Part) -> Batch {
        let mut uids: BTreeSet<Uid> = part.dirty.iter().map(|dirty| dirty.uid).collect();
        // What is decided anew may have lost rows of its plan, and is planned whole.
        let moved: HashSet<Uid> = part.changes.iter().map(|change| change.uid).collect();
        uids.extend(&moved);
        self.spent.decided += moved.len();
        self.spent.raised += part.following.len();
        if let Some(alone) = &self.alone {
            uids.clone_from(alone.entities());
        }
        self.spent.reconciled += uids.len();
        Batch { part, uids: uids.into_iter().collect(), moved }
    }

    /// Plans for and judges the entities of a batch; with what is to be remembered of the plan once it is stored.
    fn prepare(&mut self, batch: Batch, read: Read) -> (Reconciliation, Vec<Mark>) {
        let date = self.config.wire.date();
        let Part { dirty, changes, following, lost } = batch.part;
        let mut reconciliation = Reconciliation {
            vulns: Vec::new(),
            run: self.run.id,
            reconciled: dirty,
            following,
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
        for mut known in read.known {
            // The store still holds the decision of before: tasks plan by the one that is being written.
            if let Some((_, state)) = self.graph.get(&known.facts.uid) {
                known.facts.decision = state.decision.clone();
            }
            let leading = read.leading.get(&known.facts.uid).map_or(&[][..], Vec::as_slice);
            look_up(&self.config.knowledge, &mut known.facts);
            if let Some(vulns) =
                known.facts.vulnerabilities.as_deref().map(by_product).filter(|vulns| *vulns != known.vulns)
            {
                reconciliation.vulns.push((known.facts.uid, vulns));
            }
            let is_moved = batch.moved.contains(&known.facts.uid);
            self.plan_and_judge(&mut reconciliation, &known, leading, is_moved, date);
        }
        let marks = self.planned.marks(&reconciliation.work, &reconciliation.sweeps);
        if !reconciliation.orphaned.is_empty() {
            self.planned.forget();
        }
        (reconciliation, marks)
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
        let mut in_doubt = Vec::new();
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
            in_doubt = planned.in_doubt;
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
            for (task, what) in planned.left_out {
                if self.left_out.insert((known.facts.uid, task)) {
                    reconciliation.not_done.push(left_out(task, &known.facts, &what));
                }
            }
            reconciliation.work.extend(planned.work);
            reconciliation.sweeps.extend(planned.sweeps);
            reconciliation.orphaned.extend(planned.orphaned);
        }
        self.in_doubt.plan(&known.facts, in_doubt);
        if self.alone.as_ref().is_some_and(|alone| !alone.judges(&known.facts.uid)) {
            return;
        }
        let ground = Ground { leading, run: self.run.id, by_person: self.run.by_person, refresh: self.refresh, date };
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

/// What there is beyond what a task asks about.
fn left_out(task: TaskName, facts: &Facts, what: &str) -> NotDone {
    NotDone {
        reason: NotDoneReason::LeftOut,
        task: task.to_string(),
        count: 1,
        example: format!("{} {}: {what}", facts.kind.name(), facts.name),
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
             {LARGE_BLOCK_PORTS} ports of so many, is swept only after an explicit confirmation",
            facts.kind.name(),
            facts.name
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_model::scope::Decision;

    fn uid(number: u16) -> Uid {
        let mut bytes = [0; 32];
        bytes[..2].copy_from_slice(&number.to_be_bytes());
        Uid::from_bytes(bytes)
    }

    #[test]
    fn decisions_come_first_each_with_its_mark_and_no_transaction_takes_up_more_than_its_share() {
        let due: Vec<Dirty> =
            (0..1_000).map(|number| Dirty { uid: uid(number), mark: i64::from(number) + 1 }).collect();
        let change =
            |number| Change { uid: uid(number), decision: Decision::unreached(), present: true, raised: false };
        let changes: Vec<Change> = (500..1_100).map(change).collect();
        let parts = parts(due, changes, (999..1_102).map(uid).collect());
        let entities = |part: &Part| -> BTreeSet<Uid> {
            part.dirty.iter().map(|dirty| dirty.uid).chain(part.changes.iter().map(|change| change.uid)).collect()
        };
        let sizes: Vec<_> = parts.iter().map(|part| (part.changes.len(), entities(part).len())).collect();
        assert_eq!(sizes, [(400, 400), (200, 400), (0, 300)]);
        assert!(parts[0].dirty.iter().all(|dirty| dirty.uid >= uid(500)), "marks go with their decisions");
        let following: Vec<usize> = parts.iter().map(|part| part.following.len()).collect();
        assert_eq!(following, [2, 0, 0], "what is neither marked nor decided itself");
        let mut marks: Vec<i64> = parts.iter().flat_map(|part| part.dirty.iter().map(|dirty| dirty.mark)).collect();
        marks.sort_unstable();
        assert_eq!(marks, (1..=1_000).collect::<Vec<i64>>(), "every mark once");
    }
}
