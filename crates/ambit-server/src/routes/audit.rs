//! The audit log of a project, for its owners, and of the installation, for its administrator.

use crate::call::{Asking, Call};
use crate::failure::About;
use crate::query::{Limit, ROWS_MAX, query};
use ambit_api::{ApiError, Envelope, ErrorCode, Result, contract, copied, success};
use ambit_model::Timestamp;
use ambit_store::AuditRow;
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

contract! {
    /// A row of the audit log.
    #[derive(Debug, Serialize)]
    pub(crate) struct Entry as "AuditRow" {
        id: i64,
        at: Timestamp,
        user: Option<String>,
        /// The project that it concerns, which may be deleted; null where it concerns the installation.
        project_uuid: Option<Uuid>,
        action: String,
        object: String,
        details: Value,
    }
}

query! { Listed:
    before: Count = "Only rows with smaller ids: the `id` of the last row of the page before.",
    of: Text = "`project` (the default), or `installation` for its administrator.",
}

/// List what people changed in a project, newest first. The administrator of the installation also reads what concerns
/// no project, and with `of=installation` all projects and those that were deleted.
pub(crate) async fn list(call: Asking<(Limit, Listed)>) -> Result<Envelope<Vec<Entry>>> {
    // A page that is asked for by a mistyped name would be the newest one again and again.
    call.takes_only_asked()?;
    let rows = Limit::rows(&call)?;
    let before = Listed::before(&call).whole_number()?.map(|id| i64::try_from(id).unwrap_or(i64::MAX));
    let project = match Listed::of(&call).text {
        None | Some("" | "project") => Some(call.project_or_404()?),
        Some("installation") if call.caller().administrator() => None,
        Some("installation") => return Err(ApiError::new(ErrorCode::Forbidden)),
        Some(_) => return Err(ApiError::invalid("of must be project or installation")),
    };
    let found = rows_of(&call, project, before, rows).await?;
    Ok(success("Audit log", found.into_iter().map(shown).collect()))
}

/// The newest rows of a project before an id, and of the installation too where the caller administers it; without a
/// project all that the caller may read.
async fn rows_of(call: &Call, project: Option<i64>, mut before: Option<i64>, wanted: usize) -> Result<Vec<AuditRow>> {
    let mut rows: Vec<AuditRow> = Vec::new();
    while rows.len() < wanted {
        let page = call.store().list_audit(call.caller(), before, ROWS_MAX).await.about("Project")?;
        let Some(last) = page.last() else { break };
        before = Some(last.id);
        let is_wanted = |row: &AuditRow| project.is_none() || row.project.is_none() || row.project == project;
        rows.extend(page.into_iter().filter(is_wanted));
    }
    rows.truncate(wanted);
    Ok(rows)
}

fn shown(row: AuditRow) -> Entry {
    copied!(Entry from row { id, at, user, project_uuid, action, object, details })
}
