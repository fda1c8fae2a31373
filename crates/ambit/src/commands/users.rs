//! `ambit user`: people of the installation, on a server or in a data folder; for its administrator.

use crate::api::{Api, Needs, OURS};
use crate::args::{Client, Lines};
use crate::config::Settings;
use crate::confirm::confirm;
use crate::failure::Result;
use crate::output::table::{shown, text};
use crate::output::{Results, hint};
use ambit_model::Timestamp;
use ambit_model::percent::escaped;
use serde_json::{Value, json};

pub(crate) type User = Client<Action>;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Action {
    /// Create a user; prints the username.
    Create {
        /// E-mail address.
        #[arg(long, value_name = "E")]
        email: String,
        /// The user's id in the wider API (default: the part before the @).
        #[arg(long, value_name = "USERNAME")]
        name: Option<String>,
        /// Make the user an administrator of the installation.
        #[arg(long)]
        administrator: bool,
        /// Add the user to this project of yours (name, number or uuid) at once; it becomes the user's primary project.
        #[arg(long = "in", value_name = "PROJECT")]
        home: Option<String>,
        /// Add the user to this group at once.
        #[arg(long, value_name = "GROUP")]
        group: Option<String>,
    },
    /// Suspend a user: keys, sessions and signed links are refused until `resume`.
    Suspend {
        /// Username or e-mail address.
        username: String,
    },
    /// Let a suspended user in again.
    Resume {
        /// Username or e-mail address.
        username: String,
    },
    /// List users.
    List(Lines),
    /// Give a user or group a privilege.
    Grant {
        /// Username, e-mail address or name of a group.
        #[arg(value_name = "USERNAME|GROUP")]
        username: String,
        /// feeds, intelligence or premium-api.
        privilege: String,
        /// Last day on which it is valid (until the end of that day, UTC).
        #[arg(long, value_name = "DATE", value_parser = crate::args::date)]
        expires: Option<Timestamp>,
    },
    /// Revoke a privilege from a user or group.
    Revoke {
        /// Username, e-mail address or name of a group.
        #[arg(value_name = "USERNAME|GROUP")]
        username: String,
        /// feeds, intelligence or premium-api.
        privilege: String,
    },
    /// Delete a user with keys, rights and memberships; what the user created stays.
    Delete {
        /// Username or e-mail address.
        username: String,
        /// Do not ask.
        #[arg(short = 'y', long)]
        yes: bool,
    },
}

/// Runs the command.
pub(crate) async fn run(command: &User, settings: &Settings) -> Result<()> {
    let api = Api::open(&command.target, settings, Needs::Rows).await?;
    let users = format!("{OURS}/users");
    let held =
        |username: &str, privilege: &str| format!("{OURS}/privileges/{}/{}", escaped(username), escaped(privilege));
    let mut results = Results::open(None)?;
    match &command.action {
        Action::Create { email, name, administrator, home, group } => {
            let mut body = json!({"email": email, "username": name, "administrator": administrator, "group": group});
            if let Some(home) = home {
                body["project"] = json!(crate::api::naming::project(&api, home).await?);
            }
            let made = api.post(&users, body).await?.result;
            results.line(&text(&made["username"]))?;
        }
        Action::Suspend { username } => {
            set_status(&api, username, "suspended").await?;
            results.line(&format!("user {username} is suspended"))?;
        }
        Action::Resume { username } => {
            set_status(&api, username, "active").await?;
            results.line(&format!("user {username} is active"))?;
        }
        Action::List(Lines { jsonl }) => results.rows(&api.get(&users).await?.result, *jsonl, line)?,
        Action::Grant { username, privilege, expires } => {
            let body = json!({"expires_at": expires});
            api.ask("PUT", &held(username, privilege), Some(body)).await?;
            results.line(&format!("{username} has {privilege}"))?;
        }
        Action::Revoke { username, privilege } => {
            api.delete(&held(username, privilege)).await?;
            results.line(&format!("{username} does not have {privilege}"))?;
        }
        Action::Delete { username, yes } => {
            confirm(&format!("user {username} will be deleted, with every key"), *yes)?;
            api.delete(&format!("{users}/{}", escaped(username))).await?;
            results.line(&format!("user {username} is deleted"))?;
            hint(&format!(
                "notification receivers that {username} created are stopped; `ambit notify list` shows them, and \
                 `ambit notify replay` takes one over"
            ));
        }
    }
    results.finish()
}

async fn set_status(api: &Api, username: &str, status: &str) -> Result<()> {
    let target = format!("{OURS}/users/{}/status", escaped(username));
    api.ask("PUT", &target, Some(json!({"status": status}))).await.map(|_| ())
}

fn line(user: &Value) -> String {
    let role = if user["administrator"] == true { "administrator" } else { "user" };
    let since = user["created_at"].as_str().and_then(|at| at.get(..10)).unwrap_or_default();
    format!("{}  {}  {role}  since {since}", shown(user, "username"), shown(user, "email"))
}
