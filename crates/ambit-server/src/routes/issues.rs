//! Issues: detail and status (seed-asm §4, endpoints 16 and 17).

use crate::answer::Answer;
use crate::call::{Call, NAME_CHARS_MAX, text_member};
use crate::failure::of_store;
use ambit_api::{ApiError, issues, success};
use ambit_model::issue::Status;
use serde_json::json;

const NOUN: &str = "Issue";

pub(crate) async fn find(call: Call) -> Result<Answer, ApiError> {
    let uid = call.uid("id", NOUN)?;
    let view = call.state.store.find_issue(call.caller(), uid).await;
    let view = view.map_err(|error| of_store(error, NOUN))?;
    call.narrowed_to(view.project, NOUN)?;
    let result = issues::issue_detail(&view.record, super::sighting(&view), super::collection(&view));
    Ok(Answer::json(&success("successfully returned issue", result)))
}

pub(crate) async fn report_status(call: Call) -> Result<Answer, ApiError> {
    let uid = call.uid("id", NOUN)?;
    let view = call.state.store.find_issue(call.caller(), uid).await;
    call.narrowed_to(view.map_err(|error| of_store(error, NOUN))?.project, NOUN)?;
    let text = text_member(&call.object()?, "status", NAME_CHARS_MAX)?;
    let status = Status::from_name(&text).ok_or_else(|| {
        let allowed: Vec<&str> = Status::ALL.iter().map(|status| status.name()).collect();
        ApiError::invalid(format!("status must be one of {}", allowed.join(", ")))
    })?;
    let done = call.state.store.set_issue_status(call.caller(), uid, status, call.now).await;
    done.map_err(|error| of_store(error, NOUN))?;
    Ok(Answer::json(&success(&format!("Successfully reported status as {}", status.name()), json!(true))))
}
