//! `ambit issue`: one issue, on a server or in a data folder.

use super::item::{self, History, ISSUE, Note, Tag};
use crate::api::{ASM, escape};
use crate::args::Target;
use crate::config::Settings;
use crate::failure::Failure;
use crate::output::lines;
use crate::output::table::{at, text};
use crate::output::{Results, plain};
use ambit_model::Timestamp;
use ambit_model::issue::Status;
use serde_json::json;

#[derive(Debug, clap::Args)]
pub(crate) struct Issue {
    #[command(flatten)]
    pub(crate) target: Target,
    #[command(subcommand)]
    pub(crate) action: Action,
}

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Action {
    /// Everything that is known of it.
    Show {
        /// Its uid or uuid.
        issue: String,
        /// As it was at that moment (a date is the end of that day, UTC).
        #[arg(long, value_name = "DATE", value_parser = crate::args::date)]
        as_of: Option<Timestamp>,
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
    },
    /// When it changed, and which members.
    History(History),
    /// List its notes, or write one.
    Note(Note),
    /// List its tags, or add and remove some.
    Tag(Tag),
}

fn status(word: &str) -> Result<Status, String> {
    let known = || Status::ALL.map(Status::name).join(", ");
    Status::from_name(word).ok_or_else(|| format!("expected one of {}", known()))
}

/// Runs the command.
pub(crate) async fn run(command: &Issue, settings: &Settings) -> Result<(), Failure> {
    let target = &command.target;
    match &command.action {
        Action::Show { issue, as_of, jsonl } => show(issue, *as_of, *jsonl, target, settings).await,
        Action::Status { issue, status } => {
            let (api, uid) = item::find(ISSUE, issue, target, settings).await?;
            api.post(&format!("{ASM}/issues/{uid}/status"), json!({"status": status.name()})).await?;
            let mut results = Results::open(None)?;
            results.line(&format!("{uid} is {}", status.name()))?;
            results.finish()
        }
        Action::History(history) => item::history(ISSUE, history, target, settings).await,
        Action::Note(note) => item::note(ISSUE, note, target, settings).await,
        Action::Tag(tag) => item::tag(ISSUE, tag, target, settings).await,
    }
}

async fn show(
    typed: &str,
    as_of: Option<Timestamp>,
    jsonl: bool,
    target: &Target,
    settings: &Settings,
) -> Result<(), Failure> {
    let (api, uid) = item::find(ISSUE, typed, target, settings).await?;
    let issue = match as_of {
        None => api.get(&format!("{ASM}/issues/{uid}")).await?.result,
        Some(moment) => {
            let moment = escape(&moment.to_string());
            let path = format!("{ASM}/time_series/point_in_time/issues/{uid}?point_in_time={moment}");
            api.get(&path).await?.result["issue"].take()
        }
    };
    let mut results = Results::open(None)?;
    if jsonl {
        results.json(&issue)?;
        return results.finish();
    }
    results.line(&lines::issue(&issue))?;
    for (word, member) in [
        ("uid", "uid"),
        ("entity uid", "entity_uid"),
        ("first seen", "first_seen"),
        ("last seen", "last_seen"),
        ("tags", "tags"),
        ("about", "description"),
        ("proof", "details.proof"),
        ("remedy", "details.remediation"),
    ] {
        let value = text(at(&issue, member));
        if !value.is_empty() {
            results.line(&format!("  {word:<11} {}", plain(&value)))?;
        }
    }
    results.finish()
}
