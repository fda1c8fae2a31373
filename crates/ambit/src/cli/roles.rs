//! `ambit role`: who may do what in projects and collections, on a server or in a data folder.

use super::{Place, naming};
use crate::api::{ASM, Api, Needs};
use crate::config::Settings;
use crate::failure::Failure;
use crate::output::{Results, plain};
use crate::table::text;
use ambit_model::user::{CollectionRole, ProjectRole};
use serde_json::json;

#[derive(Debug, clap::Args)]
pub(crate) struct Role {
    #[command(flatten)]
    pub(crate) place: Place,
    #[command(subcommand)]
    pub(crate) action: Action,
}

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Action {
    /// Add a person to a project as member or owner.
    Project {
        /// The project's name, number or uuid.
        #[arg(value_name = "PROJECT")]
        of: String,
        /// E-mail address of the user.
        email: String,
        #[arg(value_parser = project_role)]
        role: ProjectRole,
    },
    /// Give a member of the project a role in a collection: viewer, analyst or admin.
    Collection {
        /// The collection's name or uuid.
        collection: String,
        /// E-mail address or number of the member (`ambit project users` shows both).
        member: String,
        #[arg(value_parser = collection_role)]
        role: CollectionRole,
    },
    /// List who was given a role in a collection.
    List {
        /// The collection's name or uuid.
        collection: String,
    },
}

fn project_role(word: &str) -> Result<ProjectRole, String> {
    ProjectRole::from_name(word).ok_or_else(|| "expected member or owner".to_owned())
}

fn collection_role(word: &str) -> Result<CollectionRole, String> {
    CollectionRole::from_name(word).ok_or_else(|| "expected viewer, analyst or admin".to_owned())
}

/// Runs the command.
pub(crate) async fn run(command: &Role, settings: &Settings) -> Result<(), Failure> {
    let api = Api::open(&command.place, settings, Needs::Rows).await?;
    let users = |collection: &str| format!("{ASM}/user_collections/{collection}/collection_project_users");
    let mut results = Results::open(None)?;
    match &command.action {
        Action::Project { of, email, role } => {
            let project = naming::project(&api, of).await?;
            let body = json!({"emails": [email], "role": role.name()});
            let added = api.post(&format!("{ASM}/projects/{project}/users/bulk"), body).await?.result;
            for row in added.as_array().into_iter().flatten() {
                results.line(&format!("{}  {}  {}", row["id"], plain(&text(&row["email"])), text(&row["role"])))?;
            }
        }
        Action::Collection { collection, member, role } => {
            let uuid = naming::collection(&api, collection).await?;
            let number = naming::member(&api, &uuid, member).await?;
            let body = json!({"project_user_id": number, "role": role.name()});
            api.post(&users(&uuid), body).await?;
            results.line(&format!("member {} is {} of {}", plain(member), role.name(), plain(collection)))?;
        }
        Action::List { collection } => {
            for row in api
                .get(&users(&naming::collection(&api, collection).await?))
                .await?
                .result
                .as_array()
                .into_iter()
                .flatten()
            {
                results.line(&format!(
                    "{}  {}  {}",
                    row["project_user_id"],
                    plain(&text(&row["user"]["email"])),
                    text(&row["role"])
                ))?;
            }
        }
    }
    results.finish()
}
