//! `ambit user`: people of the installation.

use super::Data;
use crate::config::Settings;
use crate::discover::now;
use crate::failure::Failure;
use crate::output::Results;
use ambit_model::Timestamp;
use ambit_store::NewUser;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum User {
    /// Make a user.
    Create {
        #[command(flatten)]
        data: Data,
        /// E-mail address.
        #[arg(long, value_name = "E")]
        email: String,
        /// The user's id in the wider API (default: the part before the @).
        #[arg(long, value_name = "USERNAME")]
        name: Option<String>,
    },
    /// List users.
    List {
        #[command(flatten)]
        data: Data,
    },
    /// Give a privilege.
    Grant {
        #[command(flatten)]
        data: Data,
        username: String,
        privilege: String,
        /// Last day that it holds.
        #[arg(long, value_name = "DATE", value_parser = super::keys::date)]
        expires: Option<Timestamp>,
    },
}

/// Runs the command.
pub(crate) async fn run(user: &User, settings: &Settings) -> Result<(), Failure> {
    let mut results = Results::open(None)?;
    match user {
        User::Create { data, email, name } => {
            let (store, principal) = crate::client::folder(data, settings).await?;
            let new = NewUser {
                email: email.clone(),
                username: name.clone(),
                administrator: false,
            };
            let made = store.create_user(&principal, &new, now()).await?;
            results.line(&made.username)?;
        }
        User::List { data } => {
            let (store, principal) = crate::client::folder(data, settings).await?;
            for user in store.list_users(&principal).await? {
                let role = if user.administrator { "administrator" } else { "user" };
                results.line(&format!("{}  {}  {role}  since {}", user.username, user.email, user.created_at.date()))?;
            }
        }
        User::Grant {
            data,
            username,
            privilege,
            expires,
        } => {
            let (store, principal) = crate::client::folder(data, settings).await?;
            store.grant_privilege(&principal, username, privilege, *expires, now()).await?;
            results.line(&format!("{username} has {privilege}"))?;
        }
    }
    results.finish()
}
