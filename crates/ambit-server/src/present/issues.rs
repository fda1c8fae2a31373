//! Issues: what their shapes need beside the record.

use crate::call::Call;
use ambit_api::Sighting;
use ambit_store::IssueView;

pub(crate) const NOUN: &str = "Issue";

/// Returns what the body needs in addition to the record.
pub(crate) fn sighting(call: &Call, view: &IssueView) -> Sighting {
    let due_days = view.collection.due_days.unwrap_or(call.state.due_days);
    Sighting {
        id: view.id,
        first_seen: view.first_seen,
        last_seen: view.last_seen,
        since: view.updated_at,
        due_at: due_days.due_at(view.record.severity, view.turned_at),
    }
}
