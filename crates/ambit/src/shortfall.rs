//! What a finished run fell short of: no seed could be looked at, or steps failed for a reason that lies with us or
//! with a source (exit code 5).

use crate::discover::Finished;
use crate::failure::Result;
use crate::workspace::Workspace;
use ambit_engine::is_fresh;
use ambit_model::facts::{Facts, LastProbe, ProbeOutcome};
use ambit_model::run::{NotDone, NotDoneReason, Run};
use ambit_model::{Clearance, Kind, Uid};
use ambit_store::engine::End;
use ambit_tasks::{Again, Contacts};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Failed steps that the line names; of more it says how many.
const NAMED_MAX: usize = 5;
/// Seeds whose facts are read at once.
const SEEDS_AT_ONCE: usize = 100;

/// Why the run counts as partly done, in a line; `None`: it does not.
pub(crate) async fn of(workspace: &Workspace, finished: &Finished, not_done: &[NotDone]) -> Result<Option<String>> {
    if !is_any_seed_looked_at(workspace, finished).await? {
        let why = not_done.iter().max_by_key(|row| row.count);
        let why = why.map_or_else(String::new, |row| {
            format!(", for example {} × {} ({})", row.count, row.task, row.reason.name())
        });
        return Ok(Some(format!("no target could be probed: every probe failed, or there was nothing to probe{why}")));
    }
    Ok(failed_steps(not_done))
}

fn failed_steps(not_done: &[NotDone]) -> Option<String> {
    let failed: Vec<&NotDone> = not_done.iter().filter(|row| is_shortfall(row)).collect();
    let named: Vec<String> = failed
        .iter()
        .take(NAMED_MAX)
        .map(|row| format!("{} × {} ({})", row.count, row.task, row.reason.name()))
        .collect();
    let more = match failed.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!failed.is_empty()).then(|| format!("partly done, some steps failed: {}{more}", named.join(", ")))
}

/// Whether a reason lies with us or with a source. That a target gives no answer, is slower than anyone waits
/// (tarpits), lies outside scope or waits for a person's yes does not: every run over the real world has those, and its
/// inventory says so where they matter.
fn is_shortfall(row: &NotDone) -> bool {
    match row.reason {
        NotDoneReason::OutOfBudget
        | NotDoneReason::SourceDown
        | NotDoneReason::Denied
        | NotDoneReason::Panicked
        | NotDoneReason::SetAside
        | NotDoneReason::UnknownTask => true,
        // A target may be slower than anyone waits; a source that is has not said what it knows.
        NotDoneReason::OutOfTime => ambit_tasks::find(&row.task).is_some_and(|task| task.asks_sources()),
        // A seed that no task probes still defines what is theirs.
        NotDoneReason::NoTask => row.task != NotDone::SEED,
        NotDoneReason::NoAnswer
        | NotDoneReason::InPart
        | NotDoneReason::LeftOut
        | NotDoneReason::RefusedByScope
        | NotDoneReason::NameUnanswered
        | NotDoneReason::Unconfirmed
        | NotDoneReason::Overlong
        | NotDoneReason::NoSuchName => false,
    }
}

/// Whether this run got an answer about one of the seeds, or about what a seed itself names (the domain of an e-mail
/// address, the host of a URL).
async fn is_any_seed_looked_at(workspace: &Workspace, finished: &Finished) -> Result<bool> {
    let collection = finished.collection.uuid;
    let seeds = workspace.store.list_seeds(&workspace.principal, collection).await?;
    let uids: Vec<Uid> = seeds.iter().map(|seed| Uid::of_entity(collection, seed.kind, &seed.name)).collect();
    for seeds in uids.chunks(SEEDS_AT_ONCE) {
        let facts = facts(workspace, finished, seeds).await?;
        if facts.iter().any(|facts| is_looked_at(facts, finished)) {
            return Ok(true);
        }
        let named: BTreeSet<Uid> = facts.iter().flat_map(named_by).collect();
        let named: Vec<Uid> = named.into_iter().collect();
        let facts = self::facts(workspace, finished, &named).await?;
        if facts.iter().any(|facts| is_looked_at(facts, finished)) {
            return Ok(true);
        }
    }
    Ok(false)
}

async fn facts(workspace: &Workspace, finished: &Finished, uids: &[Uid]) -> Result<Vec<Facts>> {
    // Who stands at the other ends is not asked: a domain has thousands of names.
    let (scoped, by_evidence, clearance) = (false, false, Clearance::L0);
    let anybody = |_: &Uid| Some(End { kind: Kind::DnsRecord, name: "", scoped, by_evidence, clearance });
    let known = workspace.engine.known(finished.run.id, &Arc::default(), uids, anybody).await?;
    Ok(known.into_iter().map(|known| known.facts).collect())
}

/// A task that contacts something came back with an answer in this run, or in an earlier one, so that a scheduled run
/// need not ask again.
fn is_looked_at(facts: &Facts, finished: &Finished) -> bool {
    let run = &finished.run;
    let is_answer = |task, look: &LastProbe| {
        let task = ambit_tasks::task(task);
        let relied_on = || (!run.by_person || task.again != Again::All) && is_fresh(look, task, finished.date);
        look.outcome != ProbeOutcome::Unknown && (look.run == run.id || relied_on())
    };
    let mut probes = facts.probes.iter().filter(|(task, _)| !derives(task.as_str()));
    probes.any(|(task, looks)| looks.values().any(|look| is_answer(*task, look)))
}

/// Whether a scheduled run asked nothing, since all that it may ask was fresh.
pub(crate) fn is_all_fresh(run: &Run, not_done: &[NotDone]) -> bool {
    let is_refused = |row: &NotDone| row.reason == NotDoneReason::RefusedByScope;
    !run.by_person && run.counters.work_done == 0 && not_done.iter().all(is_refused)
}

/// What tasks that contact nothing read from the entity's own name.
fn named_by(facts: &Facts) -> impl Iterator<Item = Uid> {
    let derived = facts.outward.iter().filter(|neighbour| derives(&neighbour.task));
    derived.map(|neighbour| neighbour.uid)
}

fn derives(task: &str) -> bool {
    ambit_tasks::find(task).is_some_and(|task| task.contacts == Contacts::Nothing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_that_we_or_a_source_failed_are_named_and_what_the_outside_is_like_is_not() {
        let row = |reason, count| NotDone {
            reason,
            task: "certificate_log".to_owned(),
            count,
            example: "Domain acme.test".to_owned(),
        };
        let usual = [
            NotDoneReason::NoAnswer,
            NotDoneReason::RefusedByScope,
            NotDoneReason::NameUnanswered,
            NotDoneReason::Unconfirmed,
            NotDoneReason::Overlong,
        ];
        let mut rows: Vec<NotDone> = usual.iter().map(|reason| row(*reason, 7)).collect();
        let of_target = NotDone { task: "port_sweep".to_owned(), ..row(NotDoneReason::OutOfTime, 7) };
        rows.push(of_target);
        assert_eq!(failed_steps(&rows), None);
        let late = failed_steps(&[row(NotDoneReason::OutOfTime, 2)]).expect("a source failed");
        assert!(late.contains("2 × certificate_log (out of time)"), "{late}");
        rows.push(row(NotDoneReason::SourceDown, 3));
        rows.push(row(NotDoneReason::SetAside, 1));
        let line = failed_steps(&rows).expect("steps failed");
        assert!(line.contains("3 × certificate_log (source down), 1 × certificate_log (set aside"), "{line}");
        assert!(!line.contains("no answer") && !line.contains("more"), "{line}");
        rows.extend((0..9).map(|_| row(NotDoneReason::OutOfBudget, 1)));
        assert!(failed_steps(&rows).is_some_and(|line| line.ends_with(" and 6 more")));
    }
}
