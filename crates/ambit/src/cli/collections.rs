//! `ambit collection`: collections of a data folder.

use super::Data;
use crate::config::Settings;
use crate::failure::Failure;
use crate::output::Results;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Collection {
    /// List collections with their counts.
    List {
        #[command(flatten)]
        data: Data,
        /// One JSON object per line.
        #[arg(long)]
        jsonl: bool,
    },
}

/// Runs the command.
pub(crate) async fn run(collection: &Collection, settings: &Settings) -> Result<(), Failure> {
    let Collection::List { data, jsonl } = collection;
    let (store, principal) = crate::client::folder(data, settings).await?;
    let mut results = Results::open(None)?;
    for view in store.list_collections(&principal, None).await? {
        let shown = &view.collection;
        if *jsonl {
            results.json(&ambit_api::collections::collection(shown, view.role))?;
        } else {
            let open: i64 = shown.issues_by_severity.values().sum();
            results.line(&format!(
                "{}  {}  {}  {} entities  {open} open issues",
                shown.uuid, shown.name, shown.workflow, shown.entity_count
            ))?;
        }
    }
    results.finish()
}
