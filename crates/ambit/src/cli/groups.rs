//! `ambit group`: groups of users.

use super::Data;
use crate::config::Settings;
use crate::discover::now;
use crate::failure::Failure;
use crate::output::Results;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Group {
    /// Make a group.
    Create {
        #[command(flatten)]
        data: Data,
        /// Its name.
        #[arg(long, value_name = "G")]
        name: String,
        /// Username of a member; repeatable.
        #[arg(long, value_name = "USERNAME")]
        member: Vec<String>,
    },
    /// List groups with their members.
    List {
        #[command(flatten)]
        data: Data,
    },
}

/// Runs the command.
pub(crate) async fn run(group: &Group, settings: &Settings) -> Result<(), Failure> {
    let mut results = Results::open(None)?;
    match group {
        Group::Create { data, name, member } => {
            let (store, principal) = crate::client::folder(data, settings).await?;
            let made = store.create_group(&principal, name, member, now()).await?;
            results.line(&made.name)?;
        }
        Group::List { data } => {
            let (store, principal) = crate::client::folder(data, settings).await?;
            for (group, members) in store.list_groups(&principal).await? {
                let names: Vec<String> = members.into_iter().map(|user| user.username).collect();
                results.line(&format!("{}  {}", group.name, names.join(", ")))?;
            }
        }
    }
    results.finish()
}
