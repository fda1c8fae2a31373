//! One collection as `ambit collection show` prints it.

use super::{print, timing, told};
use crate::api::{Api, OURS};
use crate::failure::Result;
use crate::output::table::{shown, text};
use crate::output::{Results, plain};
use ambit_model::percent::escaped;
use serde_json::Value;

/// Prints a collection with its seeds and what it lacks.
pub(super) async fn show(api: &Api, target: &str, jsonl: bool, results: &mut Results) -> Result<()> {
    let mut found = api.get(target).await?.result;
    let seeds = api.get(&format!("{target}/user_entities")).await?.result;
    let plan = api.get(&format!("{OURS}/user_collections/{}/plan", escaped(&text(&found["uuid"])))).await?.result;
    if jsonl {
        found["seeds"] = seeds;
        found["missing"] = plan["missing"].clone();
        return results.json(&found);
    }
    print(&found, false, results)?;
    settings_of(&found, results)?;
    for (word, member) in
        [("project", "project_name"), ("created", "created_at"), ("updated", "last_updated"), ("role", "role")]
    {
        results.line(&format!("  {word:<9} {}", shown(&found, member)))?;
    }
    results.rows(&seeds, false, |seed| {
        format!("  seed      {} {}  (id {})", text(&seed["type"]), shown(seed, "name"), seed["id"])
    })?;
    results.rows(&plan["missing"], false, |what| format!("  missing   {}", plain(&text(what))))
}

/// What may be changed of a collection, one line each.
pub(super) fn settings_of(found: &Value, results: &mut Results) -> Result<()> {
    let members = [
        ("called", "printable_name"),
        ("schedule", "auto_refresh_schedule"),
        ("next run", "next_run_at"),
        ("level", "level"),
        ("ports", "ports"),
        ("skips", "skipped_tasks"),
        ("never", "exclusions"),
        ("due", "due_days"),
    ];
    // An expression stands in the place of the word.
    let is_replaced = |member: &str| member == "auto_refresh_schedule" && found["timing"]["cron"].is_string();
    results.members(found, 9, members.into_iter().filter(|(_, member)| !is_replaced(member)))?;
    for (word, value) in timing::lines(&found["timing"]).into_iter().chain(told::lines(found)) {
        results.line(&format!("  {word:<9} {}", plain(&value)))?;
    }
    Ok(())
}
