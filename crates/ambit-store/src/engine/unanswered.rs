//! What a run asked and got no whole answer to, and what it did not plan.

use super::Engine;
use super::commit::UNKNOWN;
use super::facts::said;
use crate::Result;
use crate::db::rows::{Rows, columns, named};
use crate::db::sql::values;
use ambit_model::facts::ProbeOutcome;
use ambit_model::id::RunId;
use ambit_model::{TaskName, Uid};

/// How the newest probe of an entity ended that was not answered at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lookup {
    pub name: String,
    pub outcome: ProbeOutcome,
    /// Of where the task led: what was seen in the run.
    pub seen: Vec<String>,
}

columns! {
    /// A probe that could be planned.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct ProbeAt of v { pub uid: Uid, pub task: String, pub argument: String }
}

impl Engine {
    /// Returns the entities that a task asked about in this run and of which its newest answer, if it is of this run,
    /// is none or only a part, or came when it asked again.
    pub async fn lookups(&self, run: RunId, task: TaskName) -> Result<Vec<Lookup>> {
        let sql = format!(
            "SELECT DISTINCT e.name, {}, t.name FROM work w
             JOIN looks l ON l.uid = w.uid AND l.task = w.task AND l.argument = w.argument
             JOIN entities e ON e.uid = w.uid
             LEFT JOIN edges x ON x.from_uid = w.uid AND x.task = w.task AND x.argument = w.argument AND x.closed_at \
             IS NULL
             LEFT JOIN entities t ON t.uid = x.to_uid AND t.seen_to = (SELECT number FROM runs WHERE id = $1)
             WHERE w.run_id = $1 AND w.task = $2 AND l.run_id = $1 AND (l.outcome = {UNKNOWN} OR w.look > 1)
             ORDER BY e.name, ended, t.name",
            said("l.")
        );
        let rows: Vec<(String, ProbeOutcome, Option<String>)> =
            self.read(move |tx| Box::pin(async move { tx.read_all(&sql, values![run, task.as_str()]).await })).await?;
        let mut lookups: Vec<Lookup> = Vec::new();
        for (name, outcome, seen) in rows {
            match lookups.last_mut() {
                Some(known) if known.name == name && known.outcome == outcome => known.seen.extend(seen),
                _ => lookups.push(Lookup { name, outcome, seen: seen.into_iter().collect() }),
            }
        }
        Ok(lookups)
    }

    /// Returns those of some probes that were not planned in a run.
    pub async fn unplanned(&self, run: RunId, probes: Vec<ProbeAt>) -> Result<Vec<ProbeAt>> {
        if probes.is_empty() {
            return Ok(probes);
        }
        let row = |probe: ProbeAt| named! { run, uid: probe.uid, task: probe.task, argument: probe.argument };
        let rows: Rows = probes.into_iter().map(row).collect();
        // Rows that only fill up a statement are empty.
        let sql = "SELECT v.uid, v.task, v.argument FROM v WHERE v.uid IS NOT NULL AND NOT EXISTS (SELECT 1 FROM work \
                   w WHERE w.run_id = v.run AND w.uid = v.uid AND w.task = v.task AND w.argument = v.argument) ORDER \
                   BY v.uid, v.task, v.argument";
        self.read(move |tx| Box::pin(async move { tx.read_with(rows, sql).await })).await
    }
}
