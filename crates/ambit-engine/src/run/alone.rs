//! A run that looks at one issue alone: it plans what the issue's judge reads, at the issue's entity or at those that
//! lead to it, decides scope of nothing else, and counts nothing as gone (decision 0105).

use super::{Drive, EngineConfig, RunEnd};
use crate::graph::Change;
use crate::judge::{Ground, UPSTREAM, is_judged_by_discoveries, still_proven};
use crate::vulnerabilities::look_up;
use ambit_checks::Judge;
use ambit_model::facts::{Facts, LastProbe};
use ambit_model::issue::IssueRecord;
use ambit_model::run::{NotDone, NotDoneReason, RetestVerdict, Run, RunState};
use ambit_model::seeds::Seeds;
use ambit_model::{Clearance, SkippedTasks, TaskName, Uid};
use ambit_store::engine::IssueWrite;
use ambit_store::{Result, StoreError};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Entities that lead to the issue's and are looked at in its place, at most: a certificate that thousands of services
/// show is there if one of these shows it.
const LEADING_MAX: usize = 50;

/// What such a run looks at.
pub(super) struct Alone {
    issue: IssueRecord,
    judge: Option<&'static Judge>,
    /// The entities that are probed: that of the issue, and for a kind that discoveries describe also those that lead
    /// to it.
    entities: BTreeSet<Uid>,
    /// What was known when the run was taken up. Scope of what it finds beside that is decided, so that it is stored
    /// whole.
    known: Option<BTreeSet<Uid>>,
    /// All was looked at, and judged once more.
    is_judged: bool,
}

impl Alone {
    /// What a run looks at that looks at one issue; `None` for all others.
    pub(super) async fn of(config: &EngineConfig, run: &Run, seeds: &Arc<Seeds>) -> Result<Option<Self>> {
        let Some(uid) = run.retests else { return Ok(None) };
        let issue = config.engine.issue(uid).await?.ok_or(StoreError::NotFound)?;
        let of_issue = |judge: &&&Judge| judge.issue.name == issue.name && issue.upstream == UPSTREAM;
        let judge = ambit_checks::all().iter().find(of_issue).copied();
        let mut entities = BTreeSet::from([issue.entity_uid]);
        if let Some(judge) = judge
            && is_judged_by_discoveries(issue.entity_kind)
        {
            let known = config.engine.known(run.id, seeds, &[issue.entity_uid], |_| None).await?;
            let inward = known.iter().flat_map(|known| &known.facts.inward);
            let leading = inward.filter(|end| judge.reads.iter().any(|task| task.as_str() == end.task));
            entities.extend(leading.map(|end| end.uid).take(LEADING_MAX));
        }
        Ok(Some(Self { issue, judge, entities, known: None, is_judged: false }))
    }

    /// Everything but what the issue's judge reads.
    pub(super) fn skipped(&self) -> SkippedTasks {
        let reads = self.judge.map_or(&[][..], |judge| judge.reads);
        SkippedTasks::all_but(&reads.iter().copied().collect())
    }

    pub(super) fn entities(&self) -> &BTreeSet<Uid> {
        &self.entities
    }

    /// Returns true for the issue's own entity.
    pub(super) fn judges(&self, uid: &Uid) -> bool {
        self.issue.entity_uid == *uid
    }

    /// Returns whether the entities that led to that of the issue were probed and none of them leads there any more:
    /// for example, the certificate was replaced, so that nothing shows the issue.
    fn has_lost_its_leads(&self, leading: &[(TaskName, LastProbe)]) -> bool {
        let reads = self.judge.map_or(&[][..], |judge| judge.reads);
        self.entities.len() > 1 && !leading.iter().any(|(task, _)| reads.contains(task))
    }

    /// Returns what becomes of the issue at the end of the run, beside the result of its judge.
    pub(super) fn resolves(&self, leading: &[(TaskName, LastProbe)]) -> Option<IssueWrite> {
        let over = self.is_judged && self.has_lost_its_leads(leading);
        over.then_some(IssueWrite::Resolve { issue: self.issue.uid })
    }

    /// Returns the decisions that concern the entities of this test or entities that it found. `known` lists the
    /// entities of the graph.
    pub(super) fn own(&mut self, changes: Vec<Change>, known: impl Iterator<Item = Uid>) -> Vec<Change> {
        let before = self.known.get_or_insert_with(|| known.collect());
        let is_own = |change: &Change| self.entities.contains(&change.uid) || !before.contains(&change.uid);
        changes.into_iter().filter(is_own).collect()
    }

    /// Returns the tasks that this clearance does not allow.
    pub(super) fn refused(&self, facts: &Facts, clearance: Clearance) -> Vec<(TaskName, NotDone)> {
        let reads = self.judge.map_or(&[][..], |judge| judge.reads);
        let tasks = reads.iter().map(|task| ambit_tasks::task(*task));
        let louder = tasks.filter(|task| task.watches.contains(&facts.kind) && task.footprint > clearance);
        let (kind, name, may) = (facts.kind.name(), &facts.name, clearance.level());
        let row = |task: &ambit_tasks::Task| {
            let needs = task.footprint.level();
            let example = format!("{kind} {name}: its clearance is {may}, and the test needs {needs}");
            let reason = NotDoneReason::RefusedByScope;
            (task.name, NotDone { reason, task: task.name.to_string(), count: 1, example })
        };
        louder.map(row).collect()
    }

    /// Returns the reason if there was neither a probe nor a refusal.
    fn nothing_asked(&self, present: bool) -> NotDone {
        let why = match (self.judge, present) {
            (None, _) => "no judge of this version reports it",
            (_, false) => "the entity on which it was found no longer exists; the next run checks whether it is back",
            _ => "no probe is possible now; the next run searches again from the seeds",
        };
        NotDone {
            reason: NotDoneReason::NoTask,
            task: self.issue.name.clone(),
            count: 1,
            example: format!("{} {}: {why}", self.issue.entity_kind.name(), self.issue.entity_name),
        }
    }
}

impl Drive<'_> {
    /// All was looked at: the issue is judged once more, by what came last, before the run is over.
    pub(super) async fn end_alone(&mut self) -> Result<Option<RunEnd>> {
        if let Some(alone) = &mut self.alone
            && !std::mem::replace(&mut alone.is_judged, true)
        {
            self.reconcile(Vec::new()).await?;
            return self.reconcile_all().await;
        }
        Ok(Some(RunEnd::Over(RunState::Finished)))
    }

    /// Notes what came of the look at one issue, and returns why it could not look.
    pub(super) async fn note_verdict(&self, alone: &Alone) -> Result<Vec<NotDone>> {
        let entity = alone.issue.entity_uid;
        let present = self.graph.get(&entity).is_some_and(|(_, state)| state.present);
        let proven = if present { self.still_proven(alone).await? } else { None };
        let verdict = match proven {
            Some(true) => RetestVerdict::Open,
            Some(false) => RetestVerdict::Closed,
            None => RetestVerdict::CouldNotLook,
        };
        self.config.engine.note_verdict(self.run.id, verdict).await?;
        let is_unsaid = proven.is_none() && self.progress.done == 0 && self.unconfirmed.is_empty();
        Ok(is_unsaid.then(|| alone.nothing_asked(present)).into_iter().collect())
    }

    async fn still_proven(&self, alone: &Alone) -> Result<Option<bool>> {
        let (Some(judge), entity) = (alone.judge, alone.issue.entity_uid) else { return Ok(None) };
        let known = self.config.engine.known(self.run.id, &self.seeds, &[entity], |uid| self.graph.end(uid)).await?;
        let leading = self.config.engine.leading_probes(&[entity]).await?;
        let leading = leading.get(&entity).map_or(&[][..], Vec::as_slice);
        if alone.has_lost_its_leads(leading) {
            return Ok(Some(false));
        }
        let ground =
            Ground { leading, run: self.run.id, by_person: true, refresh: None, date: self.config.wire.date() };
        let Some(mut known) = known.into_iter().next() else { return Ok(None) };
        look_up(&self.config.knowledge, &mut known.facts);
        Ok(still_proven(judge, &known, &alone.issue.discriminator, &ground, &self.config.settings))
    }
}
