//! Projects: list, create, delete (docs/contract/asm.md §6), and ours: change.

use crate::call::{Call, CallWith};
use crate::failure::About;
use crate::path::ProjectUuid;
use ambit_api::projects::{self as wire, Project};
use ambit_api::{Envelope, Result, read, success};
use ambit_model::user::ProjectRole;
use ambit_store::{ProjectSettings, ProjectView};

const NOUN: &str = "Project";

/// List the projects of the caller.
pub(crate) async fn list(call: Call) -> Result<Envelope<Vec<Project>>> {
    let found = call.store().list_projects(call.caller()).await.about(NOUN)?;
    Ok(success("Projects", found.iter().map(|view| shown(&call, view)).collect()))
}

/// Create a project; the caller becomes its owner.
pub(crate) async fn create(call: CallWith<wire::NewProject>) -> Result<Envelope<Project>> {
    let name = call.read()?.name.0;
    let created = call.store().create_project(call.caller(), &name).await.about(NOUN)?;
    Ok(success("Projects", shown(&call, &created)))
}

/// Change name and description, for owners; or make it the caller's primary project.
pub(crate) async fn change(call: CallWith<wire::ProjectSettings>) -> Result<Envelope<Project>> {
    let uuid = ProjectUuid::of(&call)?;
    call.store().find_project(call.caller(), uuid).await.about(NOUN)?;
    let body = call.change::<Project>()?;
    let has_description = body.contains_key("description");
    let body: wire::ProjectSettings = read(body)?;
    let settings = ProjectSettings {
        name: body.name.0.map(|name| name.0),
        // Null and blank take it away.
        description: has_description.then(|| body.description.0.unwrap_or_default().trim().to_owned()),
        primary: body.primary.0.unwrap_or(false),
    };
    call.store().change_project(call.caller(), uuid, &settings).await.about(NOUN)?;
    let mut view = call.store().find_project(call.caller(), uuid).await.about(NOUN)?;
    view.primary |= settings.primary;
    Ok(success("Project updated", shown(&call, &view)))
}

/// Delete a project with everything in it.
pub(crate) async fn delete(call: Call) -> Result<Envelope<Project>> {
    let uuid = ProjectUuid::of(&call)?;
    let deleted = call.store().delete_project(call.caller(), uuid).await.about(NOUN)?;
    let result = Project::deleted(&deleted.project, deleted.primary, &call.state.plan);
    Ok(success("Deleted Project", result))
}

fn shown(call: &Call, view: &ProjectView) -> Project {
    let role = view.role.unwrap_or(ProjectRole::Member);
    Project::of(&view.project, role, view.primary, &call.state.plan)
}
