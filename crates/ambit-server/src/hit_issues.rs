//! The open issues that the hits of an entity search list: one more question to the store for a whole page.

use crate::call::Call;
use crate::failure::of_store;
use ambit_api::{ApiError, entities};
use ambit_model::{Timestamp, Uid};
use serde_json::Value;

/// Fills the `issues` of hits that have open ones, as they were at a moment (`None`: now).
pub(crate) async fn fill(call: &Call, project: i64, hits: &mut [Value], at: Option<Timestamp>) -> Result<(), ApiError> {
    let uid_of = |hit: &Value| hit["id"].as_str().and_then(|id| id.parse::<Uid>().ok());
    let with_issues: Vec<Uid> = hits
        .iter()
        .filter(|hit| hit["summary"]["issues"]["current_count"] != 0)
        .filter_map(uid_of)
        .collect();
    if with_issues.is_empty() {
        return Ok(());
    }
    let found = call.state.store.open_issues_of(call.caller(), project, &with_issues, at).await;
    let found = found.map_err(|error| of_store(error, "Project"))?;
    for hit in hits {
        if let Some(open) = uid_of(hit).and_then(|uid| found.get(&uid)) {
            hit["issues"] = entities::hit_issues(open);
        }
    }
    Ok(())
}
