//! `ambit status`: open issues, active runs, and when each collection was last refreshed, in one screen.

use crate::api::{ASM, Api, Needs, OURS};
use crate::args::Target;
use crate::clock::{ahead, now};
use crate::config::Settings;
use crate::failure::{Failure, Result};
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

/// What is counted by searches.
struct Counts {
    severities: Vec<(&'static str, u64)>,
    ours: u64,
    all: u64,
}

impl Counts {
    async fn of(api: &Api) -> Result<Self> {
        let mut severities = Vec::new();
        for severity in 1..=5 {
            let count = count(api, "issues", &format!("status_new:open severity:{severity}")).await?;
            severities.push((severity_name(severity), count));
        }
        let ours = count(api, "entities", "present:true scoped:true").await?;
        Ok(Self { severities, ours, all: count(api, "entities", "present:true").await? })
    }

    fn issues(&self) -> String {
        let open: u64 = self.severities.iter().map(|(_, count)| count).sum();
        let counted = self.severities.iter().filter(|(_, count)| *count > 0);
        let parts = counted.map(|(name, count)| format!("{count} {name}")).collect::<Vec<_>>().join(", ");
        if open == 0 { "none is open".to_owned() } else { format!("{open} open: {parts}") }
    }
}

/// Runs the command.
pub(crate) async fn run(status: &Status, settings: &Settings) -> Result<()> {
    // Where nothing can be written, an index that is behind stays so; what needs none is shown all the same.
    let (api, uncounted) = match Api::open(&status.target, settings, Needs::Index).await {
        Ok(api) => (api, None),
        Err(why) => match Api::open(&status.target, settings, Needs::Rows).await {
            Ok(api) => (api, Some(why)),
            Err(_) => return Err(why),
        },
    };
    let counts = if uncounted.is_none() { Some(Counts::of(&api).await?) } else { None };
    let overdue = api.get(&format!("{OURS}/overdue")).await?.result;
    let overdue: i64 = items(&overdue).filter_map(|row| row["overdue"].as_i64()).sum();
    let runs = api.get(&format!("{OURS}/collection_runs")).await?.result;
    let collections = crate::api::naming::collections(&api).await?;
    let mut results = Results::open(None)?;
    if status.jsonl {
        let issues = counts.as_ref().map(|counts| {
            let named = counts.severities.iter().map(|(name, count)| ((*name).to_owned(), json!(count)));
            named.collect::<serde_json::Map<String, Value>>()
        });
        results.json(&json!({
            "record": "status", "issues": issues, "entities": counts.as_ref().map(|counts| counts.all),
            "scoped": counts.as_ref().map(|counts| counts.ours), "collections": collections.len(), "runs": runs,
            "overdue": overdue,
        }))?;
        results.finish()?;
        return partly(uncounted);
    }
    let unknown = || "not counted".to_owned();
    results.line(&format!("issues       {}", counts.as_ref().map_or_else(unknown, Counts::issues)))?;
    if overdue > 0 {
        results.line(&format!("overdue      {overdue}; `ambit issues overdue:true` lists them"))?;
    }
    let entities = counts.map_or_else(unknown, |counts| format!("{}, {} of them ours", counts.all, counts.ours));
    results.line(&format!("entities     {entities}"))?;
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
    results.finish()?;
    partly(uncounted)
}

/// Fails where something was not counted, with the reason.
fn partly(uncounted: Option<Failure>) -> Result<()> {
    uncounted.map_or(Ok(()), |why| Err(Failure::partial(format!("issues and entities were not counted: {why}"))))
}

async fn count(api: &Api, noun: &str, query: &str) -> Result<u64> {
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
