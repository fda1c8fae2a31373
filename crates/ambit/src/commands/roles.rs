//! `ambit role`: who may do what in projects and collections, on a server or in a data folder.

use crate::api::naming;
use crate::api::{ASM, Api, Needs};
use crate::args::{Client, word};
use crate::config::Settings;
use crate::failure::Result;
use crate::output::table::{shown, text};
use crate::output::{Results, lines, plain};
use ambit_model::user::{CollectionRole, ProjectRole};
use serde_json::json;

pub(crate) type Role = Client<Action>;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Action {
    /// Add a user to a project as member or owner. An administrator of the installation adds at once; anybody else
    /// sends an invitation.
    Project {
        /// The project's name, number or uuid.
        #[arg(value_name = "PROJECT")]
        name: String,
        /// E-mail address or username.
        #[arg(value_name = "USER")]
        user: String,
        /// member or owner.
        #[arg(value_parser = word::<ProjectRole>)]
        role: ProjectRole,
    },
    /// Give a user of the project a role in a collection: viewer, analyst or admin.
    Collection {
        /// The collection's name or uuid.
        collection: String,
        /// E-mail address, username, or the number that `ambit project users` shows.
        #[arg(value_name = "USER")]
        user: String,
        /// viewer reads, analyst also decides on issues, admin also changes settings and scope, starts runs and may
        /// delete the collection for good.
        #[arg(value_parser = word::<CollectionRole>)]
        role: CollectionRole,
    },
    /// List the users who were given a role in a collection.
    List {
        /// The collection's name or uuid.
        collection: String,
        /// One JSON object per line.
        #[arg(long)]
        jsonl: bool,
    },
}

/// Runs the command.
pub(crate) async fn run(command: &Role, settings: &Settings) -> Result<()> {
    let api = Api::open(&command.target, settings, Needs::Rows).await?;
    let users = |collection: &str| format!("{ASM}/user_collections/{collection}/collection_project_users");
    let mut results = Results::open(None)?;
    match &command.action {
        Action::Project { name, user, role } => {
            let uuid = naming::project(&api, name).await?;
            let body = json!({"emails": [user], "role": role.name()});
            let added = api.post(&format!("{ASM}/projects/{uuid}/users/bulk"), body).await?.result;
            results.rows(&added, false, lines::member)?;
        }
        Action::Collection { collection, user, role } => {
            let uuid = naming::collection(&api, collection).await?;
            api.post(&users(&uuid), json!({"user": user, "role": role.name()})).await?;
            results.line(&format!("{} is {} of {}", plain(user), role.name(), plain(collection)))?;
        }
        Action::List { collection, jsonl } => {
            let uuid = naming::collection(&api, collection).await?;
            results.rows(&api.get(&users(&uuid)).await?.result, *jsonl, |row| {
                format!("{}  {}  {}", row["project_user_id"], shown(row, "user.email"), text(&row["role"]))
            })?;
        }
    }
    results.finish()
}
