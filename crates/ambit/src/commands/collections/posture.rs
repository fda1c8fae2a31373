//! How well the suppliers of a collection protect what everybody can see of them, as a list.

use crate::api::{ASM, Api, escape};
use crate::failure::Failure;
use crate::output::table::text;
use crate::output::{Results, assessments, plain};
use ambit_model::entity::domain;
use ambit_model::{Details, Kind, Timestamp, Uid};
use serde_json::{Value, json};
use uuid::Uuid;

/// Prints the posture of each seed that has one, the worst first: a line with its weightiest reasons, or a JSON object.
pub(super) async fn show(
    api: &Api,
    target: &str,
    (as_of, jsonl): (Option<Timestamp>, bool),
    results: &mut Results,
) -> Result<(), Failure> {
    let found = api.get(target).await?.result;
    let uuid = text(&found["uuid"]);
    let collection = Uuid::parse_str(&uuid).map_err(|_| Failure::run_time(format!("{uuid:?} is no uuid")))?;
    let moment = as_of.map_or_else(String::new, |at| format!("?as_of={}", escape(&at.to_string())));
    let seeds = api.get(&format!("{target}/user_entities")).await?.result;
    let mut rows = Vec::new();
    for seed in seeds.as_array().into_iter().flatten() {
        let name = text(&seed["name"]);
        let Some(kind) = Kind::from_name(&text(&seed["type"])) else { continue };
        let uid = Uid::of_entity(collection, kind, &name);
        // What was not there yet, or has not been looked at, has no posture.
        let Some(entity) = api.find(&format!("{ASM}/entities/{uid}/raw{moment}")).await? else { continue };
        rows.extend(row(&name, &uid, &entity["details"]));
    }
    rows.sort_by(|a, b| (&a["score"].as_i64(), &a["name"].as_str()).cmp(&(&b["score"].as_i64(), &b["name"].as_str())));
    if rows.is_empty() {
        let what = "no domain among its seeds has a posture: the workflow third_party_workflow gives one";
        crate::output::hint(&format!("ambit: {what}"));
    }
    for row in &rows {
        if jsonl {
            results.json(row)?;
        } else {
            results.line(&line(row))?;
        }
    }
    Ok(())
}

/// The posture of an entity as a row; `None` where it has none.
fn row(name: &str, uid: &Uid, details: &Value) -> Option<Value> {
    let details: &Details = details.as_object()?;
    let posture = domain::POSTURE.of(details)?;
    let suppliers: Vec<domain::Supplier> = domain::SUPPLIERS.items(details).collect();
    Some(json!({
        "name": name, "uid": uid.to_string(), "score": posture.score, "grade": posture.grade,
        "organization": posture.organization, "findings": posture.findings, "unknown": posture.unknown,
        "suppliers": suppliers,
    }))
}

/// ` 57 E  globex.test (Globex Ltd): has no encrypted site; …`
fn line(row: &Value) -> String {
    let organization = row["organization"].as_str().map_or_else(String::new, |name| format!(" ({})", plain(name)));
    let findings = row["findings"].as_array().into_iter().flatten();
    let worst: Vec<String> = findings.take(assessments::WORST).map(|finding| plain(&text(&finding["text"]))).collect();
    let worst = if worst.is_empty() { "nothing to object to".to_owned() } else { worst.join("; ") };
    format!("{:>3} {}  {}{organization}: {worst}", row["score"], text(&row["grade"]), plain(&text(&row["name"])))
}
