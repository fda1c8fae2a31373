//! `ambit group`: groups of users, on a server or in a data folder; for the administrator of the installation.

use crate::api::{Api, Needs, OURS};
use crate::args::{Client, Lines};
use crate::config::Settings;
use crate::confirm::confirm;
use crate::failure::Result;
use crate::output::Results;
use crate::output::table::{shown, text};
use ambit_model::percent::escaped;
use serde_json::{Value, json};

pub(crate) type Group = Client<Action>;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Action {
    /// Create a group; prints its name.
    Create {
        /// Name of the group.
        #[arg(long, value_name = "G")]
        name: String,
        /// Username of a member; repeatable.
        #[arg(long, value_name = "USERNAME")]
        member: Vec<String>,
    },
    /// List groups with their members.
    List(Lines),
    /// Add users to a group.
    Add {
        /// Name of the group.
        group: String,
        /// Usernames or e-mail addresses.
        #[arg(required = true, value_name = "USERNAME")]
        members: Vec<String>,
        /// Add them as administrators of the group.
        #[arg(long)]
        administrator: bool,
    },
    /// Remove a user from a group.
    Remove {
        /// Name of the group.
        group: String,
        /// Username or e-mail address.
        username: String,
    },
    /// Leave a group.
    Leave {
        /// Name of the group.
        group: String,
    },
    /// Delete a group with its service accounts, privileges and quotas; its members stay.
    Delete {
        /// Name of the group.
        group: String,
        /// Do not ask.
        #[arg(short = 'y', long)]
        yes: bool,
    },
}

/// Runs the command.
pub(crate) async fn run(command: &Group, settings: &Settings) -> Result<()> {
    let api = Api::open(&command.target, settings, Needs::Rows).await?;
    let groups = format!("{OURS}/groups");
    let one = |group: &str| format!("{groups}/{}", escaped(group));
    let mut results = Results::open(None)?;
    match &command.action {
        Action::Create { name, member } => {
            let made = api.post(&groups, json!({"name": name, "members": member})).await?.result;
            results.line(&text(&made["name"]))?;
        }
        Action::List(Lines { jsonl }) => results.rows(&api.get(&groups).await?.result, *jsonl, line)?,
        Action::Add { group, members, administrator } => {
            let body = json!({"members": members, "administrator": administrator});
            api.post(&format!("{}/members", one(group)), body).await?;
            results.line(&format!("{} in {group}", members.join(", ")))?;
        }
        Action::Remove { group, username } => {
            api.delete(&format!("{}/members/{}", one(group), escaped(username))).await?;
            results.line(&format!("{username} is not in {group}"))?;
        }
        Action::Leave { group } => {
            api.delete(&format!("{}/membership", one(group))).await?;
            results.line(&format!("you left group {group}"))?;
        }
        Action::Delete { group, yes } => {
            confirm(&format!("group {group} will be deleted with its privileges and quotas"), *yes)?;
            api.delete(&one(group)).await?;
            results.line(&format!("group {group} is deleted"))?;
        }
    }
    results.finish()
}

fn line(group: &Value) -> String {
    format!("{}  {}", shown(group, "name"), shown(group, "members"))
}
