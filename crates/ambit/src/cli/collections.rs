//! `ambit collection`: collections, on a server or in a data folder.

use super::Place;
use crate::api::{ASM, Api, Needs, escape};
use crate::config::Settings;
use crate::confirm::confirm;
use crate::failure::Failure;
use crate::output::{Results, plain};
use crate::table::text;
use ambit_model::Kind;
use serde_json::{Value, json};
use uuid::Uuid;

/// The workflow where none is named.
const WORKFLOW: &str = "external_discovery_and_assessment";

#[derive(Debug, clap::Args)]
pub(crate) struct Collection {
    #[command(flatten)]
    pub(crate) place: Place,
    #[command(subcommand)]
    pub(crate) action: Action,
}

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Action {
    /// List collections with their counts.
    List {
        /// One JSON object per line.
        #[arg(long)]
        jsonl: bool,
    },
    /// Make a collection; prints its uuid.
    Create {
        /// What people call it.
        name: String,
        /// How it is discovered.
        #[arg(long, value_name = "W", default_value = WORKFLOW)]
        workflow: String,
        /// A domain, host name, address, block or URL to begin with; may be repeated.
        #[arg(long, value_name = "TARGET")]
        seed: Vec<String>,
    },
    /// Everything that is known of one, with its seeds.
    Show {
        collection: Uuid,
        /// One JSON object.
        #[arg(long)]
        jsonl: bool,
    },
    /// Keep it, but refresh it no more.
    Archive { collection: Uuid },
    /// Make an archived collection active again.
    Unarchive { collection: Uuid },
    /// Delete it with everything in it, for good.
    Delete {
        collection: Uuid,
        /// Do not ask.
        #[arg(short = 'y', long)]
        yes: bool,
    },
}

/// Runs the command.
pub(crate) async fn run(command: &Collection, settings: &Settings) -> Result<(), Failure> {
    let api = Api::open(&command.place, settings, Needs::Rows).await?;
    let one = |uuid: &Uuid| format!("{ASM}/user_collections/{uuid}");
    let mut results = Results::open(None)?;
    match &command.action {
        Action::List { jsonl } => {
            for row in list(&api).await? {
                print(&row, *jsonl, &mut results)?;
            }
        }
        Action::Create { name, workflow, seed } => results.line(&create(&api, name, workflow, seed).await?)?,
        Action::Show { collection, jsonl } => show(&api, &one(collection), *jsonl, &mut results).await?,
        Action::Archive { collection } => {
            api.ask("PATCH", &format!("{}/archive", one(collection)), None).await?;
            results.line(&format!("collection {collection} is archived"))?;
        }
        Action::Unarchive { collection } => {
            api.ask("PATCH", &format!("{}/unarchive", one(collection)), None).await?;
            results.line(&format!("collection {collection} is active"))?;
        }
        Action::Delete { collection, yes } => {
            let found = api.get(&one(collection)).await?.result;
            let name = plain(&text(&found["printable_name"]));
            confirm(
                &format!("collection {name} with {} entities will be deleted for good", found["entity_count"]),
                *yes,
            )?;
            api.ask("DELETE", &one(collection), None).await?;
            results.line(&format!("collection {collection} is deleted"))?;
        }
    }
    results.finish()
}

/// The collections of the project.
pub(super) async fn list(api: &Api) -> Result<Vec<Value>, Failure> {
    let mut reply = api.get(&format!("{ASM}/user_collections")).await?;
    Ok(reply.result.as_array_mut().map(std::mem::take).unwrap_or_default())
}

fn print(row: &Value, jsonl: bool, results: &mut Results) -> Result<(), Failure> {
    if jsonl {
        return results.json(row);
    }
    let issues: i64 = row["issues_by_severity"]
        .as_object()
        .into_iter()
        .flatten()
        .filter_map(|(_, count)| count.as_i64())
        .sum();
    let archived = if row["archived"] == true { "  archived" } else { "" };
    results.line(&format!(
        "{}  {}  {}  {} entities  {issues} open issues{archived}",
        text(&row["uuid"]),
        plain(&text(&row["name"])),
        text(&row["workflow_name"]),
        row["entity_count"]
    ))
}

async fn create(api: &Api, name: &str, workflow: &str, seeds: &[String]) -> Result<String, Failure> {
    // Seeds first: a collection without the seeds that were asked for is not what was asked for.
    let seeds: Vec<Value> = seeds.iter().map(|seed| target(seed)).collect::<Result<_, _>>()?;
    let body = json!({"name": name, "workflow_name": workflow});
    let made = api.post(&format!("{ASM}/user_collections"), body).await?.result;
    let uuid = text(&made["uuid"]);
    if !seeds.is_empty() {
        let target = format!("{ASM}/user_collections/{}/user_entities", escape(&uuid));
        let added = api.post(&target, json!({"entities": seeds})).await;
        added.map_err(|error| Failure::partial(format!("collection {uuid} was made, its seeds were not added: {error}")))?;
    }
    Ok(uuid)
}

fn target(typed: &str) -> Result<Value, Failure> {
    let (kind, name) = Kind::of_target(typed).map_err(|error| Failure::usage(format!("--seed {:?}: {error}", plain(typed))))?;
    Ok(json!({"type": kind.name(), "name": name}))
}

async fn show(api: &Api, target: &str, jsonl: bool, results: &mut Results) -> Result<(), Failure> {
    let mut found = api.get(target).await?.result;
    let seeds = api.get(&format!("{target}/user_entities")).await?.result;
    if jsonl {
        found["seeds"] = seeds;
        return results.json(&found);
    }
    print(&found, false, results)?;
    for (word, member) in [
        ("called", "printable_name"),
        ("schedule", "auto_refresh_schedule"),
        ("project", "project_name"),
        ("created", "created_at"),
        ("updated", "last_updated"),
        ("role", "role"),
    ] {
        results.line(&format!("  {word:<9} {}", plain(&text(&found[member]))))?;
    }
    for seed in seeds.as_array().into_iter().flatten() {
        results.line(&format!(
            "  seed      {} {}  (id {})",
            text(&seed["type"]),
            plain(&text(&seed["name"])),
            seed["id"]
        ))?;
    }
    Ok(())
}
