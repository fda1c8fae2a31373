//! Issues: detail and status (docs/contract/asm.md §6). An issue is named by its uid or its uuid.

use crate::answer::Answer;
use crate::call::Call;
use crate::failure::About;
use crate::present::entities::collection;
use crate::present::issues::{NOUN, sighting};
use crate::window::start;
use ambit_api::issues::{IssueDetail, IssueVersion, NewStatus};
use ambit_api::{ApiError, success};

/// Read an issue.
pub(crate) async fn find(call: Call) -> Result<Answer, ApiError> {
    let view = call.store().find_issue(call.caller(), call.id(), call.project).await.about(NOUN)?;
    let result = IssueDetail::of(&view.record, sighting(&view), view.entity_id, collection(&view.collection));
    Ok(Answer::json(&success("successfully returned issue", result)))
}

/// Report the status of an issue.
pub(crate) async fn report_status(call: Call) -> Result<Answer, ApiError> {
    // What the caller may not see is 404, whatever the body says.
    let id = call.id();
    call.store().find_issue(call.caller(), id, call.project).await.about(NOUN)?;
    let status = call.read::<NewStatus>()?.status.0;
    call.store().set_issue_status(call.caller(), id, call.project, status, call.now).await.about(NOUN)?;
    let message = format!("Successfully reported status as {}", status.name());
    Ok(Answer::json(&success(&message, true)))
}

/// List the versions of an issue, oldest first: its status, who decided it, why, and until when.
pub(crate) async fn history(call: Call) -> Result<Answer, ApiError> {
    let (id, start) = (call.parameter("id"), start(&call)?);
    let versions = call.store().issue_history(call.caller(), id, call.project, start).await.about(NOUN)?;
    let before = std::iter::once(None).chain(versions.iter().map(|version| Some(&version.record)));
    let shown: Vec<IssueVersion> = versions
        .iter()
        .zip(before)
        .map(|(version, before)| IssueVersion::of(version.at, &version.record, before))
        .collect();
    Ok(Answer::json(&success("History", shown)))
}
