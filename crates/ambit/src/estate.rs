//! What a simulated internet holds beside what answers on it: accounts, which a run opens by integrations, and packages
//! of apps, which it reads from files.

use crate::failure::{Failure, Result};
use crate::wires::parse_world;
use crate::workspace::Workspace;
use ambit_model::Kind;
use ambit_model::collection::Collection;
use ambit_model::entity::host_of;
use ambit_model::workflow::{APPLICATIONS, CLOUD_ACCOUNTS, CODE_REPOSITORIES, MOBILE_APPS, Workflow};
use ambit_store::NewIntegration;
use ambit_world::Account;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The folder of the packages of simulated apps inside a data folder.
const APPS_FOLDER: &str = "apps";

/// Writes the packages of a simulated internet into the data folder, where the workflow reads some: each by its app.
pub(crate) fn packages(
    folder: &Path,
    simulated: Option<&(String, String)>,
    workflow: &str,
) -> Result<BTreeMap<(Kind, String), PathBuf>> {
    let mut packages = BTreeMap::new();
    let Some((text, name)) = simulated.filter(|_| workflow == MOBILE_APPS.name) else { return Ok(packages) };
    let folder = folder.join(APPS_FOLDER);
    let unwritten = |error: std::io::Error| Failure::run_time(format!("cannot write {}: {error}", folder.display()));
    std::fs::create_dir_all(&folder).map_err(unwritten)?;
    for (file, bytes) in parse_world(text, name)?.packages() {
        let path = folder.join(file);
        std::fs::write(&path, bytes).map_err(unwritten)?;
        let app = ambit_tasks::app_in(&path).map_err(|why| Failure::run_time(format!("{}: {why}", path.display())))?;
        packages.insert(app, path);
    }
    Ok(packages)
}

/// The types of integration that open the accounts of a simulated internet.
pub(crate) fn credentials(text: &str, name: &str) -> Result<Vec<String>> {
    Ok(parse_world(text, name)?.accounts().iter().map(|account| kind_of(account).to_owned()).collect())
}

/// Gives a collection the integrations that open the accounts of its simulated internet, where its workflow has use for
/// some and it has none yet.
pub(crate) async fn link(
    workspace: &Workspace,
    collection: &Collection,
    (text, name): &(String, String),
) -> Result<()> {
    let store = &workspace.store;
    let is_used =
        [APPLICATIONS.name, CLOUD_ACCOUNTS.name, CODE_REPOSITORIES.name].contains(&collection.workflow.as_str());
    if !is_used || !store.list_credentials(collection.uuid).await?.is_empty() {
        return Ok(());
    }
    let world = parse_world(text, name)?;
    let integrations: Vec<NewIntegration> = match collection.workflow.as_str() {
        of if of == CODE_REPOSITORIES.name => world.forge_tokens().into_iter().map(forge).collect(),
        of if of == APPLICATIONS.name => world.sessions().into_iter().map(session).collect(),
        _ => world.accounts().into_iter().map(integration).collect(),
    };
    // All or none: a scan that is killed here would leave the rest out for ever.
    Ok(store.create_integrations_for(&workspace.caller(), collection.uuid, &integrations).await?)
}

/// Providers whose accounts have a type of integration of their own.
const OWN_TYPES: [(&str, &str); 3] = [("aws", "AwsCredential"), ("azure", "AzureCredential"), ("gcp", "GcpCredential")];

/// Forges whose tokens have a type of integration of their own.
const FORGE_TYPES: [(&str, &str); 3] =
    [("bitbucket.org", "BitbucketCredential"), ("github.com", "GithubCredential"), ("gitlab.com", "GitlabCredential")];

fn own_type(account: &Account) -> Option<&'static str> {
    OWN_TYPES.iter().find(|(provider, _)| *provider == account.provider).map(|(_, kind)| *kind)
}

fn kind_of(account: &Account) -> &'static str {
    own_type(account).unwrap_or("CloudCredential")
}

fn integration(account: Account) -> NewIntegration {
    let (kind, own) = (kind_of(&account).to_owned(), own_type(&account));
    let Account { title, provider, secrets, mut settings } = account;
    if own.is_none() {
        settings.insert("provider".to_owned(), json!(provider));
    }
    NewIntegration { name: title, kind, secrets, settings }
}

/// The integration that signs in to an application.
fn session((title, origin, user, password): (String, String, String, String)) -> NewIntegration {
    let secrets = [("username".to_owned(), json!(user)), ("password".to_owned(), json!(password))];
    let settings = [("origin".to_owned(), json!(origin))];
    NewIntegration {
        name: title,
        kind: ambit_model::workflow::SESSION.to_owned(),
        secrets: secrets.into_iter().collect(),
        settings: settings.into_iter().collect(),
    }
}

/// The integration by which a forge shows what the holder of a token may see.
fn forge((title, account, token): (String, String, String)) -> NewIntegration {
    let secrets = [("token".to_owned(), json!(token))].into_iter().collect();
    let host = host_of(&account);
    let own = FORGE_TYPES.iter().find(|(forge, _)| *forge == host).map(|(_, kind)| *kind);
    let settings = match own {
        Some(_) => serde_json::Map::new(),
        None => [("server".to_owned(), json!(format!("https://{host}")))].into_iter().collect(),
    };
    NewIntegration { name: title, kind: own.unwrap_or("GiteaCredential").to_owned(), secrets, settings }
}

/// The workflow of a name, or the usual one.
pub(crate) fn workflow_of(name: Option<&str>) -> Workflow {
    name.and_then(ambit_model::workflow::find).unwrap_or(ambit_model::workflow::EXTERNAL_DISCOVERY)
}
