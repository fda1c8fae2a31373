//! Issues: detail and status (docs/contract/asm.md §6). An issue is named by its uid or its uuid.

use crate::answer::Answer;
use crate::call::Call;
use crate::failure::About;
use crate::present::entities::collection;
use crate::present::issues::{NOUN, sighting};
use ambit_api::issues::{IssueDetail, NewStatus};
use ambit_api::{ApiError, success};

/// Read an issue.
pub(crate) async fn find(call: Call) -> Result<Answer, ApiError> {
    let view = call.store().find_issue(call.caller(), call.parameter("id"), call.project).await.about(NOUN)?;
    let result = IssueDetail::of(&view.record, sighting(&view), view.entity_id, collection(&view.collection));
    Ok(Answer::json(&success("successfully returned issue", result)))
}

/// Report the status of an issue.
pub(crate) async fn report_status(call: Call) -> Result<Answer, ApiError> {
    // What the caller may not see is 404, whatever the body says.
    let id = call.parameter("id");
    call.store().find_issue(call.caller(), id, call.project).await.about(NOUN)?;
    let status = call.read::<NewStatus>()?.status.0;
    call.store().set_issue_status(call.caller(), id, call.project, status, call.now).await.about(NOUN)?;
    let message = format!("Successfully reported status as {}", status.name());
    Ok(Answer::json(&success(&message, true)))
}
