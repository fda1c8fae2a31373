//! Projects: list, create, delete (docs/contract/asm.md §6), and ours: change.

use crate::answer::Answer;
use crate::call::{Call, NAME_CHARS_MAX, flag_member, optional_text, text_member};
use crate::failure::About;
use ambit_api::{ApiError, projects, success};
use ambit_model::user::ProjectRole;
use ambit_store::{ProjectSettings, ProjectView};
use serde_json::Value;

const NOUN: &str = "Project";

/// List the projects of the caller.
pub(crate) async fn list(call: Call) -> Result<Answer, ApiError> {
    let found = call.store().list_projects(call.caller()).await.about(NOUN)?;
    let result: Value = found.iter().map(|view| shown(&call, view)).collect();
    Ok(Answer::json(&success("Projects", result)))
}

/// Create a project; the caller becomes its owner.
pub(crate) async fn create(call: Call) -> Result<Answer, ApiError> {
    let name = text_member(&call.object()?, "name", NAME_CHARS_MAX)?;
    let created = call.store().create_project(call.caller(), &name, call.now).await.about(NOUN)?;
    Ok(Answer::json(&success("Projects", shown(&call, &created))))
}

/// Change name and description, for owners; or make it the caller's primary project.
pub(crate) async fn change(call: Call) -> Result<Answer, ApiError> {
    let uuid = call.uuid("uuid", NOUN)?;
    let view = call.store().find_project(call.caller(), uuid).await.about(NOUN)?;
    call.narrowed_to(view.project.id, NOUN)?;
    let body = call.change(&projects::PROJECT_SETTINGS, &projects::PROJECT)?;
    let description = match body.get("description") {
        None => None,
        Some(Value::Null) => Some(String::new()),
        Some(Value::String(text)) => Some(text.trim().to_owned()),
        Some(_) => return Err(ApiError::invalid("description must be text")),
    };
    let settings = ProjectSettings {
        name: optional_text(&body, "name", NAME_CHARS_MAX)?,
        description,
        primary: flag_member(&body, "primary")?.unwrap_or(false),
    };
    call.store().change_project(call.caller(), uuid, &settings, call.now).await.about(NOUN)?;
    let mut view = call.store().find_project(call.caller(), uuid).await.about(NOUN)?;
    view.primary |= settings.primary;
    Ok(Answer::json(&success("Project updated", shown(&call, &view))))
}

/// Delete a project with everything in it.
pub(crate) async fn delete(call: Call) -> Result<Answer, ApiError> {
    let uuid = call.uuid("uuid", NOUN)?;
    let view = call.store().find_project(call.caller(), uuid).await.about(NOUN)?;
    call.narrowed_to(view.project.id, NOUN)?;
    let deleted = call.store().delete_project(call.caller(), uuid, call.now).await.about(NOUN)?;
    let result = projects::deleted_project(&deleted.project, deleted.primary, &call.state.plan);
    Ok(Answer::json(&success("Deleted Project", result)))
}

fn shown(call: &Call, view: &ProjectView) -> Value {
    let role = view.role.unwrap_or(ProjectRole::Member);
    projects::project(&view.project, role, view.primary, &call.state.plan)
}
