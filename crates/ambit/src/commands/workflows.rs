//! `ambit workflow`: the sets of tasks that a collection may have, on a server or in a data folder.

use crate::api::{ASM, Api, Needs};
use crate::args::{Client, Lines};
use crate::config::Settings;
use crate::failure::Result;
use crate::library;
use crate::output::Results;
use crate::output::table::{items, text};
use ambit_api::library::LibraryWorkflow;
use serde_json::{Value, json};

pub(crate) type Workflow = Client<Action>;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Action {
    /// List the workflows: highest level, accepted seeds and integrations, and tasks.
    List(Lines),
}

/// Runs the command.
pub(crate) async fn run(command: &Workflow, settings: &Settings) -> Result<()> {
    let workflows = match Api::server(&command.target, settings) {
        Some(_) => {
            let api = Api::open(&command.target, settings, Needs::Rows).await?;
            api.get(&format!("{ASM}/library/workflows")).await?.result
        }
        // The workflows are those of this program. They do not depend on the folder, which need not exist.
        None => json!(LibraryWorkflow::all(&library::tasks())),
    };
    let mut results = Results::open(None)?;
    let Action::List(Lines { jsonl }) = &command.action;
    for row in items(&workflows) {
        if *jsonl {
            results.json(row)?;
        } else {
            print(row, &mut results)?;
        }
    }
    results.finish()
}

fn print(row: &Value, results: &mut Results) -> Result<()> {
    results.line(&format!("{}  {}", text(&row["name"]), text(&row["pretty_name"])))?;
    let names = |member: &str| items(&row[member]).map(text).collect::<Vec<_>>();
    let short = |kind: String| kind.rsplit("::").next().map_or_else(String::new, str::to_owned);
    results.line(&format!("  at most      {}", text(&row["ceiling"])))?;
    for (word, parts) in [
        ("seeds", names("seeds").into_iter().map(short).collect()),
        ("credentials", names("credentials")),
        ("helped by", names("helped_by")),
        ("tasks", names("tasks")),
    ] {
        if !parts.is_empty() {
            results.line(&format!("  {word:<12} {}", parts.join(", ")))?;
        }
    }
    Ok(())
}
