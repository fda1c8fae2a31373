//! `ambit issues` and `ambit issue`: the findings of a data folder.

use super::{Data, Output};
use crate::client::Searcher;
use crate::config::Settings;
use crate::discover::now;
use crate::failure::Failure;
use crate::output::{Results, plain};
use crate::report::issue_text;
use ambit_model::issue::Status;
use ambit_query::Noun;
use ambit_search::Record;

#[derive(Debug, clap::Args)]
pub(crate) struct Issues {
    /// Search string, such as `severity_lte:2 status_new:open`.
    #[arg(value_name = "QUERY")]
    pub(crate) query: Vec<String>,
    #[command(flatten)]
    pub(crate) data: Data,
    #[command(flatten)]
    pub(crate) output: Output,
    /// Print only how many match.
    #[arg(long)]
    pub(crate) count: bool,
}

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Issue {
    /// Everything that is known of one issue.
    Show {
        /// Its uid or uuid.
        issue: String,
        #[command(flatten)]
        data: Data,
        /// One JSON object.
        #[arg(long)]
        jsonl: bool,
    },
    /// Set its status.
    Status {
        /// Its uid or uuid.
        issue: String,
        /// open_new, open_triaged, open_in_progress, closed, closed_mitigated …
        #[arg(value_parser = status)]
        status: Status,
        #[command(flatten)]
        data: Data,
    },
}

fn status(word: &str) -> Result<Status, String> {
    let known = || Status::ALL.map(Status::name).join(", ");
    Status::from_name(word).ok_or_else(|| format!("expected one of {}", known()))
}

/// Runs `ambit issues`.
pub(crate) async fn search(command: &Issues, settings: &Settings) -> Result<(), Failure> {
    let searcher = Searcher::open(&command.data, settings).await?;
    let mut results = Results::open(command.output.output.as_deref())?;
    let contexts = crate::client::collections(&searcher).await?;
    let total = searcher
        .each(Noun::Issues, &command.query.join(" "), now(), |hit| {
            let Record::Issue(record) = &hit.record else { return Ok(()) };
            match (command.count, command.output.jsonl) {
                (true, _) => Ok(()),
                (false, true) => {
                    let mut line =
                        ambit_api::issues::issue_hit(record, crate::records::indexed(hit), crate::records::named(&contexts, record.collection)?);
                    line["record"] = serde_json::json!("issue");
                    results.json(&line)
                }
                (false, false) => results.line(&format!("{}  {}", issue_text(record), record.status.name())),
            }
        })
        .await?;
    if command.count {
        results.line(&total.to_string())?;
    }
    results.finish()
}

/// Runs `ambit issue`.
pub(crate) async fn one(command: &Issue, settings: &Settings) -> Result<(), Failure> {
    let mut results = Results::open(None)?;
    match command {
        Issue::Show { issue, data, jsonl } => {
            let (store, principal) = crate::client::folder(data, settings).await?;
            let view = store.find_issue(&principal, issue, None).await?;
            let detail = ambit_api::issues::issue_detail(
                &view.record,
                crate::records::viewed_issue(&view),
                view.entity_id,
                crate::records::collection(&view.collection),
            );
            if *jsonl {
                results.json(&detail)?;
            } else {
                let record = &view.record;
                results.line(&issue_text(record))?;
                results.line(&format!("  status      {}", record.status.name()))?;
                results.line(&format!("  first seen  {}", view.first_seen))?;
                results.line(&format!("  last seen   {}", view.last_seen))?;
                results.line(&format!("  {}", plain(&record.description)))?;
                for member in ["proof", "remediation"] {
                    let text = &record.details[member];
                    let text = text.as_str().map_or_else(|| text.to_string(), str::to_owned);
                    results.line(&format!("  {member}: {}", plain(&text)))?;
                }
            }
        }
        Issue::Status { issue, status, data } => {
            let (store, principal) = crate::client::folder(data, settings).await?;
            store.set_issue_status(&principal, issue, None, *status, now()).await?;
            results.line(&format!("{issue} is {}", status.name()))?;
        }
    }
    results.finish()
}
