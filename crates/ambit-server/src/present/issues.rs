//! Issues: what their shapes need beside the record.

use super::entities::{collection, sighting};
use crate::call::Call;
use ambit_api::Sighting;
use ambit_api::issues::IssueDetail;
use ambit_store::IssueView;

pub(crate) const NOUN: &str = "Issue";

/// Returns the detail of an issue, with the day on which it is due.
pub(crate) fn detail(call: &Call, view: &IssueView) -> IssueDetail {
    let due_days = view.collection.due_days.unwrap_or(call.state.due_days);
    let due_at = due_days.due_at(view.record.severity, view.turned_at);
    let seen = Sighting { due_at, ..sighting(view) };
    IssueDetail::of(&view.record, seen, view.entity_id, collection(&view.collection))
}
