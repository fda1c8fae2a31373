//! `ambit status`: what is open, what runs, and what was last looked at, in one screen.

use crate::api::{ASM, Api, Needs, OURS};
use crate::args::Target;
use crate::clock::{ahead, now};
use crate::config::Settings;
use crate::failure::Failure;
use crate::output::table::{items, text};
use crate::output::{Results, plain};
use ambit_model::Timestamp;
use ambit_model::issue::severity_name;
use ambit_model::percent::escaped;
use serde_json::{Value, json};

#[derive(Debug, clap::Args)]
pub(crate) struct Status {
    #[command(flatten)]
    target: Target,
    /// One JSON object.
    #[arg(long)]
    jsonl: bool,
}

/// Runs the command.
pub(crate) async fn run(status: &Status, settings: &Settings) -> Result<(), Failure> {
    let api = Api::open(&status.target, settings, Needs::Index).await?;
    let mut severities = Vec::new();
    for severity in 1..=5 {
        let count = count(&api, "issues", &format!("status_new:open severity:{severity}")).await?;
        severities.push((severity_name(severity), count));
    }
    let overdue = api.get(&format!("{OURS}/overdue")).await?.result;
    let overdue: i64 = items(&overdue).filter_map(|row| row["overdue"].as_i64()).sum();
    let ours = count(&api, "entities", "present:true scoped:true").await?;
    let all = count(&api, "entities", "present:true").await?;
    let runs = api.get(&format!("{OURS}/collection_runs")).await?.result;
    let collections = crate::api::naming::collections(&api).await?;
    let mut results = Results::open(None)?;
    if status.jsonl {
        let issues: serde_json::Map<String, Value> =
            severities.iter().map(|(name, count)| ((*name).to_owned(), json!(count))).collect();
        results.json(&json!({
            "record": "status", "issues": issues, "entities": all, "scoped": ours, "collections": collections.len(),
            "runs": runs, "overdue": overdue,
        }))?;
        return results.finish();
    }
    let open: u64 = severities.iter().map(|(_, count)| count).sum();
    let parts = severities.iter().filter(|(_, count)| *count > 0).map(|(name, count)| format!("{count} {name}"));
    let parts = parts.collect::<Vec<_>>().join(", ");
    results.line(&match open {
        0 => "issues       none is open".to_owned(),
        _ => format!("issues       {open} open: {parts}"),
    })?;
    if overdue > 0 {
        results.line(&format!("overdue      {overdue}; `ambit issues overdue:true` lists them"))?;
    }
    results.line(&format!("entities     {all}, {ours} of them ours"))?;
    if collections.is_empty() {
        results.line("collections  none; `ambit scan DOMAIN` or `ambit collection create` makes one")?;
    }
    for collection in &collections {
        results.line(&line(collection, &runs))?;
    }
    let stamps = items(&runs).flat_map(|run| [&run["created_at"], &run["finished_at"]]);
    let newest = stamps.filter_map(|stamp| Timestamp::parse(stamp.as_str()?)).max();
    if let Some(ahead) = ahead(newest, now()) {
        results.line(&format!("clock        {ahead}"))?;
    }
    results.finish()
}

async fn count(api: &Api, noun: &str, query: &str) -> Result<u64, Failure> {
    let path = format!("{ASM}/search/{noun}/{}?page_size=0&aggregations=false", escaped(query));
    Ok(api.get(&path).await?.result["total_hits"].as_u64().unwrap_or_default())
}

/// A collection with its last run and its next one.
fn line(collection: &Value, runs: &Value) -> String {
    let name = match text(&collection["printable_name"]) {
        name if name.is_empty() => text(&collection["name"]),
        name => name,
    };
    let run = items(runs).find(|run| run["collection_uuid"] == collection["uuid"]);
    let last = match run {
        None => "no run yet".to_owned(),
        Some(run) if run["finished_at"].is_null() => {
            format!(
                "run {} is {}: {} done, {} open",
                run["id"],
                text(&run["status"]),
                run["work_done"],
                run["work_open"]
            )
        }
        Some(run) => format!("run {} {} at {}", run["id"], text(&run["status"]), text(&run["finished_at"])),
    };
    let next = match text(&collection["next_run_at"]) {
        at if at.is_empty() => "next on demand".to_owned(),
        at => format!("next at {at}"),
    };
    format!("collection   {}: {last}; {next}", plain(&name))
}
