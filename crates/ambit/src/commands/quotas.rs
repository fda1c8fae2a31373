//! `ambit quota`: how much users and groups may use, on a server or in a data folder.

use crate::api::{Api, Needs, OURS};
use crate::args::Client;
use crate::config::Settings;
use crate::failure::Result;
use crate::output::Results;
use crate::output::table::shown;
use ambit_model::percent::escaped;
use serde_json::{Value, json};

pub(crate) type Quota = Client<Action>;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Action {
    /// Set how much a user or group may use; can be used while a server is running.
    Set {
        /// Username, e-mail address or name of a group.
        #[arg(value_name = "USER|GROUP")]
        subject: String,
        /// The quota, such as `api_requests_daily`.
        name: String,
        /// How much of it may be used; 1000000000 means unlimited.
        #[arg(value_name = "N")]
        allowed: i64,
    },
    /// List what was set for a user or group.
    List {
        /// Username, e-mail address or name of a group.
        #[arg(value_name = "USER|GROUP")]
        subject: String,
        /// One JSON object per line.
        #[arg(long)]
        jsonl: bool,
    },
}

/// Runs the command.
pub(crate) async fn run(command: &Quota, settings: &Settings) -> Result<()> {
    let api = Api::open(&command.target, settings, Needs::Rows).await?;
    let quotas = |subject: &str| format!("{OURS}/quotas/{}", escaped(subject));
    let mut results = Results::open(None)?;
    match &command.action {
        Action::Set { subject, name, allowed } => {
            let body = json!({"allowed": allowed});
            api.ask("PUT", &format!("{}/{}", quotas(subject), escaped(name)), Some(body)).await?;
            results.line(&format!("{subject} may use {allowed} of {name}"))?;
        }
        Action::List { subject, jsonl } => {
            let line = |quota: &Value| format!("{}  {}", shown(quota, "name"), quota["allowed"]);
            results.rows(&api.get(&quotas(subject)).await?.result, *jsonl, line)?;
        }
    }
    results.finish()
}
