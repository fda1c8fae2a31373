//! Integrations of a project and the collections that use them (docs/contract/asm.md §3.6). Secrets come in here and
//! never go out.

use crate::call::{Call, CallWith};
use crate::failure::About;
use crate::path::{CollectionUuid, IntegrationUseUuid, IntegrationUuid};
use crate::present::projects;
use ambit_api::integrations::{
    self as wire, Integration, IntegrationCollection, JiraProject, NewIntegrationCollection,
};
use ambit_api::{ApiError, Envelope, Result, copied, read, success};
use ambit_model::application_session::ApplicationSession;
use ambit_model::entity::aws;
use ambit_model::workflow::{SESSION, cloud_provider};
use ambit_store::{IntegrationChange, IntegrationUse, IntegrationView, NewIntegration};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

const NOUN: &str = "Integration";
const USE: &str = "Integration collection";
const CREATED: &str = "Integration created";
const CHANGED: &str = "Integration updated";
/// The type whose secrets the provider's own clients name.
const AWS: &str = "AwsCredential";
/// Members that are secret in every type of integration.
const SECRETS: &[&str] = &[
    "api_key",
    "api_token",
    "application_secret",
    "aws_secret_access_key",
    "aws_session_token",
    "client_secret",
    "consumer_key",
    "kubeconfig",
    "password",
    "private_key",
    "secret_key",
    "token",
];

/// List the integrations of a project; of their secrets only the names are shown.
pub(crate) async fn list(call: Call) -> Result<Envelope<Vec<Integration>>> {
    Ok(success("Integrations", of_project(&call).await?.into_iter().map(shown).collect()))
}

/// List the Jira projects that the settings of the project's integrations name.
pub(crate) async fn jira_projects(call: Call) -> Result<Envelope<Vec<JiraProject>>> {
    let views = of_project(&call).await?;
    Ok(success("Jira projects", views.iter().flat_map(|view| JiraProject::of(view.uuid, &view.settings)).collect()))
}

/// Create an integration of a project; its secrets are sealed and never shown.
pub(crate) async fn create(call: CallWith<wire::NewIntegration>) -> Result<Envelope<Integration>> {
    let project = projects::project(&call).await?;
    let body = call.read()?;
    let new = NewIntegration {
        name: body.name.0,
        kind: body.kind.0.0.to_owned(),
        secrets: body.secrets.0.unwrap_or_default(),
        settings: body.settings.0.unwrap_or_default(),
    };
    if new.kind == SESSION {
        check_session(&new.secrets, &new.settings)?;
    }
    check_settings(&new.settings)?;
    check_kubeconfig(&call, &new.kind, &new.secrets, &new.settings)?;
    let created = call.store().create_integration(call.caller(), project, &new).await.about("Project")?;
    let message = told(CREATED, lacks(&call, &new.kind, &new.secrets, &new.settings));
    Ok(success(&message, shown(created)))
}

/// Change the name of an integration, or replace its secrets or its settings.
///
/// The next run uses what is new. An integration that replaces another has other accounts, so keys that expire are
/// replaced here.
pub(crate) async fn change(call: CallWith<wire::IntegrationSettings>) -> Result<Envelope<Integration>> {
    let uuid = IntegrationUuid::of(&call)?;
    let known = call.store().find_integration(call.caller(), uuid).await.about(NOUN)?;
    let body: wire::IntegrationSettings = read(call.change::<Integration>()?)?;
    let change =
        IntegrationChange { name: body.name.0.map(|name| name.0), secrets: body.secrets.0, settings: body.settings.0 };
    // Settings say to whom secrets are shown: who does not know these must not lead them elsewhere.
    if change.settings.is_some() && change.secrets.is_none() {
        return Err(ApiError::invalid("give the secrets as well to change the settings of an integration"));
    }
    if known.kind == SESSION
        && let Some(secrets) = &change.secrets
    {
        check_session(secrets, change.settings.as_ref().unwrap_or(&known.settings))?;
    }
    check_settings(change.settings.as_ref().unwrap_or(&Map::new()))?;
    if let Some(secrets) = &change.secrets {
        check_kubeconfig(&call, &known.kind, secrets, change.settings.as_ref().unwrap_or(&known.settings))?;
    }
    let changed = call.store().change_integration(call.caller(), uuid, &change).await.about(NOUN)?;
    // What secrets lack is reported only when they are set.
    let lacking = change.secrets.and_then(|secrets| lacks(&call, &known.kind, &secrets, &changed.settings));
    let message = told(CHANGED, lacking);
    Ok(success(&message, shown(changed)))
}

/// The form of this type is our own. For the others, clients send what their providers issue.
fn check_session(secrets: &Map<String, Value>, settings: &Map<String, Value>) -> Result<()> {
    let read = ApplicationSession::of(secrets, settings);
    read.map(drop).map_err(|missing| ApiError::invalid(format!("an {SESSION} needs {missing}")))
}

/// Refuses a file that opens no cluster, as one whose user gets a token by a program: nothing is run for it.
fn check_kubeconfig(
    call: &Call,
    kind: &str,
    secrets: &Map<String, Value>,
    settings: &Map<String, Value>,
) -> Result<()> {
    let Some(file) = secrets.get("kubeconfig").and_then(Value::as_str).filter(|file| !file.trim().is_empty()) else {
        return Ok(());
    };
    let provider = cloud_provider(kind, settings);
    let cloud = call.state.library.clouds.iter().find(|cloud| provider.is_some_and(|provider| provider == cloud.name));
    match cloud.and_then(|cloud| cloud.kubeconfig).and_then(|unfit| unfit(file)) {
        Some(why) => Err(ApiError::invalid(format!("the secret kubeconfig cannot be used: {why}"))),
        None => Ok(()),
    }
}

/// Refuses a secret among the settings, which everybody in the project reads.
fn check_settings(settings: &Map<String, Value>) -> Result<()> {
    match settings.keys().find(|name| SECRETS.contains(&name.as_str())) {
        Some(name) => {
            Err(ApiError::invalid(format!("{name} is a secret: give it among the secrets, not the settings")))
        }
        None => Ok(()),
    }
}

/// What an integration lacks until it opens anything. Clients of the contract give a role alone, whatever this
/// installation can do with it.
fn lacks(call: &Call, kind: &str, secrets: &Map<String, Value>, settings: &Map<String, Value>) -> Option<String> {
    let library = &call.state.library;
    let has = |name: &str| {
        let given = secrets.get(name).or_else(|| settings.get(name)).and_then(Value::as_str);
        given.is_some_and(|text| !text.trim().is_empty())
    };
    if kind == AWS {
        let missing = aws::missing(secrets, library.aws_keys).map(str::to_owned);
        return missing.or_else(|| unknown_services(settings, &library.aws_services));
    }
    let provider = cloud_provider(kind, settings)?;
    let Some(cloud) = library.clouds.iter().find(|cloud| cloud.name == provider) else {
        let names: Vec<&str> = library.clouds.iter().map(|cloud| cloud.name.as_str()).collect();
        return Some(format!("the setting provider, which is one of {}", names.join(", ")));
    };
    if cloud.kubeconfig.is_some() && has("kubeconfig") {
        return None;
    }
    let missing: Vec<&str> = cloud.secrets.iter().map(String::as_str).filter(|name| !has(name)).collect();
    (!missing.is_empty()).then(|| format!("the secrets named {}", missing.join(", ")))
}

/// Services that a setting names and that nobody asks about.
fn unknown_services(settings: &Map<String, Value>, known: &BTreeSet<String>) -> Option<String> {
    let listed = settings.get("services")?;
    let named: Vec<&str> = match listed {
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        listed => {
            let is_between = |letter: char| letter == ',' || letter.is_whitespace();
            listed.as_str()?.split(is_between).filter(|name| !name.is_empty()).collect()
        }
    };
    let unknown: Vec<&str> = named.iter().filter(|name| !known.contains(**name)).copied().collect();
    let names = || known.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    let are_all = !named.is_empty() && unknown.len() == named.len();
    are_all.then(|| format!("services that are read: {} is none of {}", unknown.join(", "), names()))
}

/// What was done, and what is lacking until it opens anything.
fn told(done: &str, lacking: Option<String>) -> String {
    lacking.map_or_else(|| done.to_owned(), |missing| format!("{done}, and opens nothing yet: it lacks {missing}"))
}

/// Remove an integration with its secrets and its uses.
pub(crate) async fn delete(call: Call) -> Result<Envelope<bool>> {
    let uuid = IntegrationUuid::of(&call)?;
    call.store().delete_integration(call.caller(), uuid).await.about(NOUN)?;
    Ok(success("Integration deleted", true))
}

/// List which collections of a project use which integrations.
pub(crate) async fn list_uses(call: Call) -> Result<Envelope<Vec<IntegrationCollection>>> {
    let Some(project) = call.project else {
        return Ok(success("Integration collections", Vec::new()));
    };
    let uses = call.store().list_integration_uses(call.caller(), project).await.about("Project")?;
    Ok(success("Integration collections", uses.into_iter().map(shown_use).collect()))
}

/// Attach an integration of the project to a collection; repeating it is harmless.
pub(crate) async fn add_use(call: CallWith<NewIntegrationCollection>) -> Result<Envelope<IntegrationCollection>> {
    let collection = CollectionUuid::of(&call)?;
    let integration = call.read()?.integration_uuid.0;
    let added = call.store().add_integration_use(call.caller(), collection, integration).await.about(NOUN)?;
    Ok(success("Integration collection created", shown_use(added)))
}

/// Detach an integration from a collection.
pub(crate) async fn remove_use(call: Call) -> Result<Envelope<bool>> {
    let uuid = IntegrationUseUuid::of(&call)?;
    call.store().delete_integration_use(call.caller(), uuid).await.about(USE)?;
    Ok(success("Integration collection deleted", true))
}

async fn of_project(call: &Call) -> Result<Vec<IntegrationView>> {
    let project = projects::project(call).await?;
    call.store().list_integrations(call.caller(), project).await.about("Project")
}

fn shown(view: IntegrationView) -> Integration {
    copied! {
        Integration from view { id, uuid, name, kind, settings, secret_names, project_uuid, created_at }
        project_id: view.project,
        created_by_email: view.created_by,
    }
}

fn shown_use(of: IntegrationUse) -> IntegrationCollection {
    copied! {
        IntegrationCollection from of {
            id, uuid, integration_uuid, integration_name, collection_uuid, collection_name, created_at,
        }
        integration_type: of.integration_kind,
    }
}
