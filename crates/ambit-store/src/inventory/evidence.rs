//! What an issue rests on: the probes that its judge reads, with the evidence that they left.

use crate::db::rows::{columns, select};
use crate::db::sql::values;
use crate::engine::commit::EvidenceList;
use crate::inventory::views::{IssueView, find};
use crate::{Principal, Result, Store};
use ambit_model::facts::ProbeOutcome;
use ambit_model::user::CollectionRole;
use ambit_model::{Item, Kind, TaskName, Timestamp, Uid};

/// Probes that are read of one issue at most: a service that is asked by many names has as many.
const PROBES_MAX: usize = 10;
/// Edges that are looked through for them: a certificate that thousands of services show is told by any of these.
const LEADING_MAX: i64 = 1_000;

columns! {
    /// A probe, with what it left.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ProbeLeft of l {
        pub task: String,
        pub argument: String,
        /// What was probed: the issue's entity, or one that leads to it.
        pub kind: Kind = "e.kind",
        pub name: String = "e.name",
        pub outcome: ProbeOutcome,
        /// When it was probed; of a simulated internet, whose clock is another, when the run began.
        pub at: Timestamp = "CASE WHEN c.wire_blob IS NULL THEN l.at ELSE COALESCE(r.started_at, l.at) END",
        /// Why it failed.
        pub reason: Option<String>,
        /// Label and hash of each piece, as the newest probe that found something left it.
        pub evidence: EvidenceList = (json "COALESCE(l.evidence, '[]')"),
    }
}

impl Store {
    /// Returns the probes of an entity by one task, with what they left; the newest first.
    pub async fn entity_probes(
        &self,
        principal: &Principal,
        id: &str,
        project: Option<i64>,
        task: TaskName,
    ) -> Result<Vec<ProbeLeft>> {
        let mut tx = self.read().await?;
        let base = find(&mut tx, principal, Item::Entity, id, project, CollectionRole::Viewer).await?;
        let sql = format!("{} WHERE l.uid = $1 AND l.task = $2", probes());
        let mut probes: Vec<ProbeLeft> = tx.read_all(&sql, values![base.uid, task.as_str()]).await?;
        tx.rollback().await?;
        probes.sort_by_key(|probe| std::cmp::Reverse(probe.at));
        Ok(probes)
    }

    /// Returns an issue with the probes that it rests on: those of the tasks that `reads` names for its kind, at its
    /// entity; where there are none, at the entities that lead there, as services lead to a certificate.
    pub async fn issue_evidence(
        &self,
        principal: &Principal,
        id: &str,
        project: Option<i64>,
        reads: impl FnOnce(&str) -> Vec<TaskName> + Send,
    ) -> Result<(IssueView, Vec<ProbeLeft>)> {
        let mut tx = self.read().await?;
        let view: IssueView =
            find(&mut tx, principal, Item::Issue, id, project, CollectionRole::Viewer).await?.view()?;
        let tasks = reads(&view.record.name);
        let is_read = |task: &str| tasks.iter().any(|known| known.as_str() == task);
        let entity = view.record.entity_uid;
        let sql = "SELECT uid, task, argument FROM looks WHERE uid = $1";
        let mut keys: Vec<(Uid, String, String)> = tx.read_all(sql, values![entity]).await?;
        keys.retain(|(_, task, _)| is_read(task));
        if keys.is_empty() {
            let sql = "SELECT from_uid, task, argument FROM edges WHERE to_uid = $1 AND closed_at IS NULL LIMIT $2";
            keys = tx.read_all(sql, values![entity, LEADING_MAX]).await?;
            keys.retain(|(_, task, _)| is_read(task));
        }
        keys.sort();
        keys.dedup();
        keys.truncate(PROBES_MAX);
        let sql = format!("{} WHERE l.uid = $1 AND l.task = $2 AND l.argument = $3", probes());
        let mut probes = Vec::new();
        for (uid, task, argument) in &keys {
            probes.extend(tx.read_first::<ProbeLeft>(&sql, values![*uid, task, argument]).await?);
        }
        tx.rollback().await?;
        Ok((view, probes))
    }
}

/// The rows of probes, without a condition.
fn probes() -> String {
    select::<ProbeLeft>(
        "FROM looks l JOIN entities e ON e.uid = l.uid JOIN collections c ON c.id = e.collection_id \
         LEFT JOIN runs r ON r.id = l.run_id",
    )
}
