//! The audit log of a project, for its owners.

use crate::answer::Answer;
use crate::call::Call;
use crate::failure::About;
use ambit_api::{ApiError, contract, copied, success};
use ambit_model::Timestamp;
use ambit_store::AuditRow;
use serde::Serialize;
use serde_json::Value;

/// Rows where the caller does not say.
const ROWS_DEFAULT: usize = 100;
/// Most rows of an answer.
const ROWS_MAX: usize = 1_000;

contract! {
    /// A row of the audit log.
    #[derive(Debug, Serialize)]
    pub(crate) struct Entry as "AuditRow" {
        id: i64,
        at: Timestamp,
        user: Option<String>,
        action: String,
        object: String,
        details: Value,
    }
}

/// List what people changed in a project, newest first.
pub(crate) async fn list(call: Call) -> Result<Answer, ApiError> {
    let rows = match call.query("limit") {
        Some(text) => text.parse().map_err(|_| ApiError::invalid("limit must be a whole number from 0"))?,
        None => ROWS_DEFAULT,
    };
    let project = call.project_or_404()?;
    let found = rows_of(&call, project, rows.min(ROWS_MAX)).await?;
    let result: Vec<Entry> = found.into_iter().map(shown).collect();
    Ok(Answer::json(&success("Audit log", result)))
}

/// The newest rows of a project; of the installation too where the caller administers it.
async fn rows_of(call: &Call, project: i64, wanted: usize) -> Result<Vec<AuditRow>, ApiError> {
    let mut rows: Vec<AuditRow> = Vec::new();
    let mut before = None;
    while rows.len() < wanted {
        let page = call.store().list_audit(call.caller(), before, ROWS_MAX).await.about("Project")?;
        let Some(last) = page.last() else { break };
        before = Some(last.id);
        rows.extend(page.into_iter().filter(|row| row.project.is_none_or(|of| of == project)));
    }
    rows.truncate(wanted);
    Ok(rows)
}

fn shown(row: AuditRow) -> Entry {
    copied!(Entry from row { id, at, user, action, object, details })
}
