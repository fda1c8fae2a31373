//! The people of a project.

use crate::answer::Answer;
use crate::call::Call;
use crate::failure::of_store;
use ambit_api::{ApiError, success, users};
use serde_json::Value;

const NOUN: &str = "Project";

pub(crate) async fn list(call: Call) -> Result<Answer, ApiError> {
    let uuid = call.uuid("uuid", NOUN)?;
    let view = call.state.store.find_project(call.caller(), uuid).await;
    call.narrowed_to(view.map_err(|error| of_store(error, NOUN))?.project.id, NOUN)?;
    let members = call.state.store.list_members(call.caller(), uuid).await;
    let members = members.map_err(|error| of_store(error, NOUN))?;
    let result: Value = members
        .iter()
        .map(|member| users::project_user(member.id, &member.user, member.role))
        .collect();
    Ok(Answer::json(&success("Project users", result)))
}
