//! Issues: detail and status (seed-asm §4, endpoints 16 and 17). An issue is named by its uid or its uuid.

use super::entities::collection;
use crate::answer::Answer;
use crate::call::{Call, NAME_CHARS_MAX, text_member};
use crate::failure::of_store;
use ambit_api::{ApiError, Sighting, issues, success};
use ambit_model::issue::Status;
use ambit_store::IssueView;
use serde_json::{Map, Value, json};

pub(crate) const NOUN: &str = "Issue";

pub(crate) async fn find(call: Call) -> Result<Answer, ApiError> {
    let view = call.state.store.find_issue(call.caller(), call.parameter("id"), call.project).await;
    let view = view.map_err(|error| of_store(error, NOUN))?;
    let result = issues::issue_detail(&view.record, sighting(&view), view.entity_id, collection(&view.collection));
    Ok(Answer::json(&success("successfully returned issue", result)))
}

pub(crate) async fn report_status(call: Call) -> Result<Answer, ApiError> {
    // What the caller may not see is 404, whatever the body says.
    let id = call.parameter("id");
    let seen = call.state.store.find_issue(call.caller(), id, call.project).await;
    seen.map_err(|error| of_store(error, NOUN))?;
    let status = status_member(&call.object()?)?;
    let done = call.state.store.set_issue_status(call.caller(), id, call.project, status, call.now).await;
    done.map_err(|error| of_store(error, NOUN))?;
    let message = format!("Successfully reported status as {}", status.name());
    Ok(Answer::json(&success(&message, json!(true))))
}

/// The status that a body names.
pub(crate) fn status_member(body: &Map<String, Value>) -> Result<Status, ApiError> {
    let text = text_member(body, "status", NAME_CHARS_MAX)?;
    Status::from_name(&text).ok_or_else(|| {
        let allowed: Vec<&str> = Status::ALL.iter().map(|status| status.name()).collect();
        ApiError::invalid(format!("status must be one of {}", allowed.join(", ")))
    })
}

/// What the shapes need beside the record.
pub(crate) fn sighting(view: &IssueView) -> Sighting {
    Sighting {
        id: view.id,
        first_seen: view.first_seen,
        last_seen: view.last_seen,
        since: view.updated_at,
    }
}
