//! Integrations of a project and the collections that use them (docs/contract/asm.md §3.6). Secrets come in here and never go out.

use crate::answer::Answer;
use crate::call::{Call, NAME_CHARS_MAX, text_member};
use crate::failure::About;
use crate::present::{collections, projects};
use ambit_api::integrations::{self, Integration, IntegrationCollection};
use ambit_api::{ApiError, success};
use ambit_store::{IntegrationUse, IntegrationView, NewIntegration};
use serde_json::{Map, Value, json};
use uuid::Uuid;

const NOUN: &str = "Integration";
const USE: &str = "Integration collection";

/// List the integrations of a project; of their secrets only the names are shown.
pub(crate) async fn list(call: Call) -> Result<Answer, ApiError> {
    let rows: Value = of_project(&call)
        .await?
        .iter()
        .map(|view| integrations::integration(wire(view)))
        .collect();
    Ok(Answer::json(&success("Integrations", rows)))
}

/// List the Jira projects that the settings of the project's integrations name.
pub(crate) async fn jira_projects(call: Call) -> Result<Answer, ApiError> {
    let views = of_project(&call).await?;
    let rows: Value = views.iter().flat_map(|view| integrations::jira_projects(wire(view))).collect();
    Ok(Answer::json(&success("Jira projects", rows)))
}

/// Make an integration of a project; its secrets are sealed and never shown.
pub(crate) async fn create(call: Call) -> Result<Answer, ApiError> {
    let project = projects::project(&call).await?;
    let body = call.object()?;
    let new = NewIntegration {
        name: text_member(&body, "name", NAME_CHARS_MAX)?,
        kind: text_member(&body, "type", NAME_CHARS_MAX)?,
        secrets: object_member(&body, "secrets")?,
        settings: object_member(&body, "settings")?,
    };
    let created = call
        .store()
        .create_integration(call.caller(), project, &new, call.now)
        .await
        .about("Project")?;
    Ok(Answer::json(&success("Integration created", integrations::integration(wire(&created)))))
}

/// Remove an integration with its secrets and its uses.
pub(crate) async fn delete(call: Call) -> Result<Answer, ApiError> {
    let uuid = call.uuid("uuid", NOUN)?;
    let view = call.store().find_integration(call.caller(), uuid).await.about(NOUN)?;
    call.narrowed_to(view.project, NOUN)?;
    call.store().delete_integration(call.caller(), uuid, call.now).await.about(NOUN)?;
    Ok(Answer::json(&success("Integration deleted", json!(true))))
}

/// List which collections of a project use which integrations.
pub(crate) async fn list_uses(call: Call) -> Result<Answer, ApiError> {
    let Some(project) = call.project else {
        return Ok(Answer::json(&success("Integration collections", json!([]))));
    };
    let uses = call.store().list_integration_uses(call.caller(), project).await.about("Project")?;
    let rows: Value = uses.iter().map(shown_use).collect();
    Ok(Answer::json(&success("Integration collections", rows)))
}

/// Let a collection use an integration of its project; saying it twice is harmless.
pub(crate) async fn add_use(call: Call) -> Result<Answer, ApiError> {
    let collection = collections::collection(&call).await?;
    let named = text_member(&call.object()?, "integration_uuid", NAME_CHARS_MAX)?;
    let integration: Uuid = named.parse().map_err(|_| ApiError::invalid("integration_uuid must be a uuid"))?;
    let added = call
        .store()
        .add_integration_use(call.caller(), collection, integration, call.now)
        .await
        .about(NOUN)?;
    Ok(Answer::json(&success("Integration collection created", shown_use(&added))))
}

/// End the use of an integration in a collection.
pub(crate) async fn remove_use(call: Call) -> Result<Answer, ApiError> {
    let uuid = call.uuid("uuid", USE)?;
    call.store()
        .delete_integration_use(call.caller(), uuid, call.project, call.now)
        .await
        .about(USE)?;
    Ok(Answer::json(&success("Integration collection deleted", json!(true))))
}

async fn of_project(call: &Call) -> Result<Vec<IntegrationView>, ApiError> {
    let project = projects::project(call).await?;
    call.store().list_integrations(call.caller(), project).await.about("Project")
}

/// A member that is an object; missing and null are an empty one.
fn object_member(body: &Map<String, Value>, name: &str) -> Result<Map<String, Value>, ApiError> {
    match body.get(name) {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(object)) => Ok(object.clone()),
        Some(_) => Err(ApiError::invalid(format!("{name} must be an object"))),
    }
}

fn wire(view: &IntegrationView) -> Integration<'_> {
    Integration {
        id: view.id,
        uuid: view.uuid,
        project: view.project,
        project_uuid: view.project_uuid,
        name: &view.name,
        kind: &view.kind,
        settings: &view.settings,
        secret_names: &view.secret_names,
        created_at: view.created_at,
        created_by: view.created_by.as_deref(),
    }
}

fn shown_use(of: &IntegrationUse) -> Value {
    integrations::integration_collection(IntegrationCollection {
        id: of.id,
        uuid: of.uuid,
        integration_uuid: of.integration_uuid,
        integration_name: &of.integration_name,
        integration_kind: &of.integration_kind,
        collection_uuid: of.collection_uuid,
        collection_name: &of.collection_name,
        created_at: of.created_at,
    })
}
