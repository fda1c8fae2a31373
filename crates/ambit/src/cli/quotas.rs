//! `ambit quota`: how much users and groups may use.

use super::Data;
use crate::config::Settings;
use crate::discover::now;
use crate::failure::Failure;
use crate::output::Results;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Quota {
    /// Set how much a user or group may use; works beside a running server.
    Set {
        #[command(flatten)]
        data: Data,
        /// Username, e-mail address or name of a group.
        #[arg(value_name = "USER|GROUP")]
        subject: String,
        /// The quota, such as `api_requests_daily`.
        name: String,
        /// How much of it; 1000000000 is no cap.
        #[arg(value_name = "N")]
        allowed: i64,
    },
    /// List what was set for a user or group.
    List {
        #[command(flatten)]
        data: Data,
        /// Username, e-mail address or name of a group.
        #[arg(value_name = "USER|GROUP")]
        subject: String,
    },
}

/// Runs the command.
pub(crate) async fn run(quota: &Quota, settings: &Settings) -> Result<(), Failure> {
    let mut results = Results::open(None)?;
    match quota {
        Quota::Set {
            data,
            subject,
            name,
            allowed,
        } => {
            let (store, principal) = crate::client::folder(data, settings).await?;
            store.set_quota(&principal, subject, name, *allowed, now()).await?;
            results.line(&format!("{subject} may use {allowed} of {name}"))?;
        }
        Quota::List { data, subject } => {
            let (store, principal) = crate::client::folder(data, settings).await?;
            for quota in store.list_quotas(&principal, subject).await? {
                results.line(&format!("{}  {}", quota.name, quota.allowed))?;
            }
        }
    }
    results.finish()
}
