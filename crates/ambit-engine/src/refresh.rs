//! What a run that a person starts leaves out, since an earlier run asked for it within its time to live: searches of
//! which nothing that they rest on has changed (docs/decisions/0225-a-refresh-verifies-what-is-known.md).

use ambit_model::entity::domain;
use ambit_model::facts::{Facts, LastProbe, ProbeOutcome};
use ambit_model::id::RunId;
use ambit_model::run::Run;
use ambit_model::{EdgeKind, TaskName, Timestamp, Uid};
use ambit_tasks::{Again, Task};
use std::collections::{BTreeSet, HashMap};

/// A run that relies on what earlier ones searched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refresh {
    run: RunId,
    /// The wire's date when the run was taken up.
    date: Timestamp,
    /// By which settings it searches.
    searched: i64,
}

/// What becomes of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asks {
    /// Everything is asked for.
    All,
    /// What was found before is.
    Found,
    /// Nothing: the earlier answer stands.
    Nothing,
}

impl Refresh {
    /// Returns what a run relies on. A scheduled run does not plan what is fresh, a retest looks anew, and a person may
    /// want everything.
    pub(crate) fn of(run: &Run, date: Timestamp, searched: i64) -> Option<Self> {
        let refreshes = run.by_person && run.retests.is_none() && !run.full;
        refreshes.then_some(Self { run: run.id, date, searched })
    }

    /// Returns what a row of the task asks for.
    pub(crate) fn asks(&self, task: &Task, facts: &Facts, argument: &str, led: &mut Led) -> Asks {
        let Some(probe) = facts.probe_at(task.name, argument).filter(|probe| self.relies_on(task, probe)) else {
            return Asks::All;
        };
        if !task.again.rests_on().iter().all(|on| self.is_unchanged(facts, *on, argument, probe.at)) {
            return Asks::All;
        }
        match (task.again, probe.outcome) {
            (Again::Found(_) | Again::UnlessAbsent(_), ProbeOutcome::Absent) => Asks::Nothing,
            (Again::Found(_), ProbeOutcome::Found) => Asks::Found,
            (Again::UnlessGone, _) if self.are_there(task, facts, argument, led) => Asks::Nothing,
            _ => Asks::All,
        }
    }

    /// True for an answer of an earlier run that found nothing and stands for this one, whatever it rests on: where
    /// that has changed, it is asked again in this run.
    pub(crate) fn stands(&self, task: &Task, probe: &LastProbe) -> bool {
        let nothing = probe.outcome == ProbeOutcome::Absent;
        nothing && matches!(task.again, Again::Found(_) | Again::UnlessAbsent(_)) && self.relies_on(task, probe)
    }

    /// True for what an earlier run searched by the same settings within the time to live. The date of a simulated wire
    /// may lie before: that is another state of it.
    fn relies_on(&self, task: &Task, probe: &LastProbe) -> bool {
        let age = self.date.0.abs_diff(probe.at.0);
        // An answer still stands that one probe alone did not find any more.
        let is_in_doubt = probe.outcome == ProbeOutcome::Absent && probe.since.is_some();
        !is_in_doubt
            && probe.run != self.run
            && probe.outcome.is_whole()
            && probe.searched == Some(self.searched)
            && age < task.ttl_ms.unsigned_abs()
    }

    /// True where this run asked a task at the place, or at the entity where the task knows no such place, and its
    /// answer is the one that stood at a date.
    fn is_unchanged(&self, facts: &Facts, on: TaskName, argument: &str, at: Timestamp) -> bool {
        let unchanged = |probe: &LastProbe| {
            let whole = probe.run == self.run && probe.outcome.is_whole();
            whole && probe.since.is_none_or(|since| since <= at)
        };
        match facts.probe_at(on, argument) {
            Some(probe) => unchanged(probe),
            None => facts.looked(on) && facts.probes_of(on).all(|(_, probe)| unchanged(probe)),
        }
    }

    /// True where the zone says in this run of every name that a guess led to that it is there, and as much theirs.
    fn are_there(&self, task: &Task, facts: &Facts, argument: &str, led: &mut Led) -> bool {
        let unanswered = domain::SWEEP_UNANSWERED.raw(&facts.details).is_some_and(|names| !names.is_null());
        !unanswered
            && led.of(facts).are_told(task.name, argument, |name| {
                let probe = facts.probe_at(TaskName::Subdomain, name);
                probe.is_some_and(|probe| probe.run == self.run && probe.outcome == ProbeOutcome::Found)
            })
    }
}

/// Where guesses led to, and what the zone says of that, by entity: a hub has thousands of names, and rows for each.
#[derive(Default)]
pub(crate) struct Led(HashMap<Uid, Names>);

/// The names that tasks led to from an entity.
#[derive(Default)]
struct Names {
    /// By task and argument: each with its edge.
    guessed: HashMap<(String, String), Vec<(String, EdgeKind)>>,
    /// The edges by which the zone knows them.
    told: BTreeSet<(String, EdgeKind)>,
}

impl Led {
    fn of(&mut self, facts: &Facts) -> &Names {
        self.0.entry(facts.uid).or_insert_with(|| {
            let mut names = Names::default();
            for end in &facts.outward {
                let Some(task) = ambit_tasks::find(&end.task) else { continue };
                if task.name == TaskName::Subdomain && end.argument == end.name {
                    names.told.insert((end.name.clone(), end.edge));
                } else if task.again == Again::UnlessGone {
                    let key = (end.task.clone(), end.argument.clone());
                    names.guessed.entry(key).or_default().push((end.name.clone(), end.edge));
                }
            }
            names
        })
    }
}

impl Names {
    /// Returns whether the zone knows every name that a task led to by the same edge, and it was asked for that now.
    fn are_told(&self, task: TaskName, argument: &str, is_asked: impl Fn(&str) -> bool) -> bool {
        let guessed = self.guessed.get(&(task.as_str().to_owned(), argument.to_owned()));
        guessed.into_iter().flatten().all(|end| self.told.contains(end) && is_asked(&end.0))
    }
}

#[cfg(test)]
mod tests;
