//! Issues: what their shapes need beside the record.

use ambit_api::Sighting;
use ambit_store::IssueView;

pub(crate) const NOUN: &str = "Issue";

/// What the shapes need beside the record.
pub(crate) fn sighting(view: &IssueView) -> Sighting {
    Sighting { id: view.id, first_seen: view.first_seen, last_seen: view.last_seen, since: view.updated_at }
}
