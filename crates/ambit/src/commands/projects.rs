//! `ambit project`: projects, on a server or in a data folder.

use crate::api::naming;
use crate::api::{ASM, Api, Needs, OURS};
use crate::args::{Client, Lines};
use crate::config::Settings;
use crate::confirm::confirm;
use crate::failure::Result;
use crate::output::table::{shown, text};
use crate::output::{Results, lines, plain};
use serde_json::json;

pub(crate) type Project = Client<Action>;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Action {
    /// List the projects that you are in; the primary one is marked.
    List(Lines),
    /// Create a project; prints its uuid.
    Create {
        /// Name of the project.
        name: String,
    },
    /// List the users of a project.
    Users {
        /// Name, number or uuid of the project.
        #[arg(value_name = "PROJECT")]
        of: String,
        /// One JSON object per line.
        #[arg(long)]
        jsonl: bool,
    },
    /// Leave a project; its last owner cannot.
    Leave {
        /// Name, number or uuid of the project.
        name: String,
    },
    /// Delete a project with everything in it, for good.
    Delete {
        /// Name, number or uuid of the project.
        #[arg(value_name = "PROJECT")]
        of: String,
        /// Do not ask.
        #[arg(short = 'y', long)]
        yes: bool,
    },
}

/// Runs the command.
pub(crate) async fn run(command: &Project, settings: &Settings) -> Result<()> {
    let api = Api::open(&command.target, settings, Needs::Rows).await?;
    let projects = format!("{ASM}/projects");
    let mut results = Results::open(None)?;
    match &command.action {
        Action::List(Lines { jsonl }) => {
            results.rows(&api.get(&projects).await?.result, *jsonl, |row| {
                let primary = if row["primary"] == true { "  primary" } else { "" };
                let (uuid, name, role) = (text(&row["uuid"]), shown(row, "name"), text(&row["role"]));
                format!("{uuid}  {}  {name}  {role}{primary}", row["id"])
            })?;
        }
        Action::Create { name } => {
            let made = api.post(&projects, json!({"name": name})).await?.result;
            results.line(&text(&made["uuid"]))?;
        }
        Action::Users { of, jsonl } => {
            let uuid = naming::project(&api, of).await?;
            results.rows(&api.get(&format!("{projects}/{uuid}/users")).await?.result, *jsonl, lines::member)?;
        }
        Action::Leave { name } => {
            let uuid = naming::project(&api, name).await?;
            api.delete(&format!("{OURS}/projects/{uuid}/membership")).await?;
            results.line(&format!("you left project {}", plain(name)))?;
        }
        Action::Delete { of, yes } => {
            let uuid = naming::project(&api, of).await?;
            confirm(&format!("project {} ({uuid}) will be deleted with everything in it", plain(of)), *yes)?;
            api.delete(&format!("{projects}/{uuid}")).await?;
            results.line(&format!("project {uuid} is deleted"))?;
        }
    }
    results.finish()
}
