//! How well the suppliers of a collection protect what everybody can see of them, as a list.

use crate::api::{Api, OURS};
use crate::failure::Failure;
use crate::output::table::text;
use crate::output::{Results, assessments, plain};
use ambit_model::Timestamp;
use ambit_model::percent::escaped;
use serde_json::Value;

/// Prints the posture of each seed that has one, the worst first: a line with its weightiest reasons, or a JSON object.
pub(super) async fn show(
    api: &Api,
    target: &str,
    (as_of, jsonl): (Option<Timestamp>, bool),
    results: &mut Results,
) -> Result<(), Failure> {
    let found = api.get(target).await?.result;
    let moment = as_of.map_or_else(String::new, |at| format!("?as_of={}", escaped(&at.to_string())));
    let path = format!("{OURS}/user_collections/{}/postures{moment}", escaped(&text(&found["uuid"])));
    let rows = api.get(&path).await?.result;
    let rows = rows.as_array().map(Vec::as_slice).unwrap_or_default();
    if rows.is_empty() {
        let what = "no domain among its seeds has a posture: the workflow third_party_workflow gives one";
        crate::output::hint(&format!("ambit: {what}"));
    }
    for row in rows {
        if jsonl {
            results.json(row)?;
        } else {
            results.line(&line(row))?;
        }
    }
    Ok(())
}

/// ` 57 E  globex.test (Globex Ltd): has no encrypted site; …`
fn line(row: &Value) -> String {
    let organization = row["organization"].as_str().map_or_else(String::new, |name| format!(" ({})", plain(name)));
    let findings = row["findings"].as_array().into_iter().flatten();
    let worst: Vec<String> = findings.take(assessments::WORST).map(|finding| plain(&text(&finding["text"]))).collect();
    let worst = if worst.is_empty() { "nothing to object to".to_owned() } else { worst.join("; ") };
    format!("{:>3} {}  {}{organization}: {worst}", row["score"], text(&row["grade"]), plain(&text(&row["name"])))
}
