//! What runs did, level by level, and what they did not do. The engine's commits count it.

use crate::db::rows::list;
use crate::db::sql::{Tx, values};
use crate::inventory::runs::{self, LEASED, OPEN};
use crate::{Principal, Result, Store, StoreError};
use ambit_model::Clearance;
use ambit_model::id::RunId;
use ambit_model::run::{NotDone, Run, Stage, TaskWork};
use ambit_model::user::ProjectRole;
use std::collections::BTreeMap;

/// A run with what it did and did not do.
#[derive(Clone, Debug, PartialEq)]
pub struct RunReport {
    pub run: Run,
    /// The levels that it has, or had, work of, quietest first.
    pub stages: Vec<Stage>,
    /// By reason and task.
    pub not_done: Vec<NotDone>,
}

impl Store {
    /// A run by its integer id, with what it did and did not do.
    pub async fn find_run_report(&self, principal: &Principal, id: RunId) -> Result<RunReport> {
        let run = self.find_run(principal, id).await?;
        let reports = reports(&mut self.read().await?, vec![run]).await?;
        reports.into_iter().next().ok_or(StoreError::NotFound)
    }

    /// The newest run of each collection of a project that the caller may read, by the collection's id. Collections
    /// without a run have none.
    pub async fn list_newest_runs(&self, principal: &Principal, project: i64) -> Result<Vec<RunReport>> {
        principal.require_project(project, ProjectRole::Member)?;
        let mut tx = self.read().await?;
        let mut newest = runs::newest(&mut tx, project).await?;
        newest.retain(|(_, collection)| principal.collection_role(project, *collection).is_some());
        reports(&mut tx, newest.into_iter().map(|(run, _)| run).collect()).await
    }
}

async fn reports(tx: &mut Tx, runs: Vec<Run>) -> Result<Vec<RunReport>> {
    let ids: Vec<RunId> = runs.iter().map(|run| run.id).collect();
    let mut stages = stages(tx, &ids).await?;
    let mut not_done: BTreeMap<RunId, Vec<NotDone>> = BTreeMap::new();
    let head = format!("SELECT run_id, {} FROM not_done WHERE run_id IN", list::<NotDone>());
    for (run, row) in tx.read_in::<(RunId, NotDone), _>(&head, Vec::new(), &ids, "").await? {
        not_done.entry(run).or_default().push(row);
    }
    let mut reports = Vec::with_capacity(runs.len());
    for run in runs {
        let mut not_done = not_done.remove(&run.id).unwrap_or_default();
        not_done.sort_by(|a, b| (a.reason.name(), &a.task).cmp(&(b.reason.name(), &b.task)));
        let mut stages = stages.remove(&run.id).unwrap_or_default();
        if !run.state.is_over() {
            count_open(tx, run.id, &mut stages).await?;
        }
        reports.push(RunReport { run, stages: stages.into_values().collect(), not_done });
    }
    Ok(reports)
}

/// The stages of runs, without what is open.
async fn stages(tx: &mut Tx, runs: &[RunId]) -> Result<BTreeMap<RunId, BTreeMap<Clearance, Stage>>> {
    let mut stages: BTreeMap<RunId, BTreeMap<Clearance, Stage>> = BTreeMap::new();
    let head = "SELECT run_id, footprint, task, done, unknown FROM run_tasks WHERE run_id IN";
    let tail = "ORDER BY run_id, footprint, task";
    for row in tx.read_in::<(RunId, Clearance, String, i64, i64), _>(head, Vec::new(), runs, tail).await? {
        let (run, footprint, task, done, unknown) = row;
        let stage = stage(stages.entry(run).or_default(), footprint);
        stage.tasks.push(TaskWork { task, done, unknown });
    }
    Ok(stages)
}

/// The stage of a footprint. What sends nothing goes with what is passive.
fn stage(stages: &mut BTreeMap<Clearance, Stage>, footprint: Clearance) -> &mut Stage {
    let level = footprint.max(Clearance::L1);
    stages.entry(level).or_insert_with(|| Stage { level, open: 0, tasks: Vec::new() })
}

/// Adds what is planned or under way.
async fn count_open(tx: &mut Tx, run: RunId, stages: &mut BTreeMap<Clearance, Stage>) -> Result<()> {
    for state in [OPEN, LEASED] {
        let sql = format!(
            "SELECT w.footprint, COUNT(*) FROM work w WHERE w.run_id = $1 AND w.state = {state} GROUP BY w.footprint"
        );
        for (footprint, open) in tx.read_all::<(Clearance, i64)>(&sql, values![run]).await? {
            stage(stages, footprint).open += open;
        }
    }
    Ok(())
}
