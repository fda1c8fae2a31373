//! `ambit changes`: what happened, in the order of commits.

use super::{Data, Output};
use crate::config::Settings;
use crate::failure::Failure;
use crate::output::{Results, plain};
use ambit_model::feed::Noun;
use serde_json::json;

/// Rows read at once.
const PAGE: usize = 1_000;

#[derive(Debug, clap::Args)]
pub(crate) struct Changes {
    #[command(flatten)]
    pub(crate) data: Data,
    #[command(flatten)]
    pub(crate) output: Output,
    /// Only what came after this revision.
    #[arg(long, value_name = "REVISION", default_value_t = 0)]
    pub(crate) after: i64,
    /// Records that were only seen again, too.
    #[arg(long)]
    pub(crate) seen: bool,
}

/// Runs the command.
pub(crate) async fn run(command: &Changes, settings: &Settings) -> Result<(), Failure> {
    let (store, principal) = crate::client::folder(&command.data, settings).await?;
    let project = store
        .choose_project(&principal, None)
        .await?
        .ok_or_else(|| Failure::not_found("the owner is in no project"))?;
    let mut results = Results::open(command.output.output.as_deref())?;
    let mut after = command.after;
    loop {
        let changes = store.changes(&principal, project, after, PAGE).await?;
        let Some(last) = changes.last() else { break };
        after = last.row.revision;
        for change in changes
            .iter()
            .filter(|change| command.seen || change.row.what != ambit_model::feed::What::Seen)
        {
            let row = &change.row;
            if command.output.jsonl {
                results.json(&json!({
                    "record": "change", "revision": row.revision, "at": change.at, "noun": row.noun.name(), "uid": row.uid,
                    "what": row.what.name(), "text": text(change),
                }))?;
            } else {
                results.line(&format!(
                    "{}  {}  {} {}  {}",
                    row.revision,
                    change.at,
                    row.noun.name(),
                    row.what.name(),
                    plain(&text(change))
                ))?;
            }
        }
    }
    results.finish()
}

/// What changed, in words: kind and name of an entity, name and entity of an issue, product of a technology.
fn text(change: &ambit_store::Change) -> String {
    let Some(record) = &change.record else {
        return change.collection.as_ref().map_or_else(String::new, |collection| collection.name.clone());
    };
    let word = |member: &str| record[member].as_str().unwrap_or_default();
    match change.row.noun {
        Noun::Entity => format!("{} {}", word("kind"), word("name")),
        Noun::Issue => format!("{} on {} {}", word("name"), word("entity_kind"), word("entity_name")),
        Noun::Technology => format!("{} {} {}", word("vendor"), word("product"), word("version")),
        Noun::Collection | Noun::Project | Noun::Run => String::new(),
    }
}
