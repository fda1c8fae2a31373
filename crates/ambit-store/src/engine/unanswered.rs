//! What a run asked and got no whole answer to.

use super::Engine;
use super::commit::UNKNOWN;
use crate::Result;
use crate::db::sql::values;
use ambit_model::TaskName;
use ambit_model::id::RunId;

impl Engine {
    /// Returns the names of the entities that a task asked about in this run and of which its newest answer, if it is
    /// of this run, is none or only a part.
    pub async fn unanswered(&self, run: RunId, task: TaskName) -> Result<Vec<String>> {
        let sql = format!(
            "SELECT DISTINCT e.name FROM work w JOIN looks l ON l.uid = w.uid AND l.task = w.task AND l.argument = \
             w.argument JOIN entities e ON e.uid = w.uid WHERE w.run_id = $1 AND w.task = $2 AND l.run_id = $3 AND \
             l.outcome = {UNKNOWN}"
        );
        self.read(move |tx| Box::pin(async move { tx.read_all(&sql, values![run, task.as_str(), run]).await })).await
    }
}
