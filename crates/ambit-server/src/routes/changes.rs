//! What changed in a project, in the order in which it was committed. A reader asks again from `after` and misses
//! nothing.

use crate::call::Asking;
use crate::failure::About;
use crate::query::{Limit, query};
use ambit_api::changes::{Change, Changes};
use ambit_api::{Envelope, Result, success};

query! { Listed: after: Count = "Only changes after this revision: the `after` of the list before." }

/// List what changed in a project, in the order of commits.
pub(crate) async fn list(call: Asking<(Listed, Limit)>) -> Result<Envelope<Changes>> {
    let after = Listed::after(&call).whole_number()?.unwrap_or(0);
    let after = i64::try_from(after).unwrap_or(i64::MAX);
    let limit = Limit::rows(&call)?;
    let project = call.project_or_404()?;
    let found = call.store().changes(call.caller(), project, after, limit).await.about("Project")?;
    // Behind the last revision there is none to go on from: such a place is of a database that was restored since.
    let next = match found.last() {
        Some(change) => change.row.revision,
        None => after.min(call.store().last_revision().await.about("Project")?),
    };
    let changes: Vec<Change> = found
        .iter()
        .map(|change| {
            let collection = change.collection.as_ref().map(|collection| collection.uuid);
            Change::of(&change.row, change.at, change.person, change.record.as_ref(), collection)
        })
        .collect();
    Ok(success("Changes", Changes { changes, after: next }))
}
