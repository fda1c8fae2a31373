//! Issues: what their shapes need beside the record, and the status that a body names.

use crate::call::{NAME_CHARS_MAX, text_member};
use ambit_api::{ApiError, Sighting};
use ambit_model::issue::Status;
use ambit_store::IssueView;
use serde_json::{Map, Value};

pub(crate) const NOUN: &str = "Issue";

/// The status that a body names.
pub(crate) fn status_member(body: &Map<String, Value>) -> Result<Status, ApiError> {
    let text = text_member(body, "status", NAME_CHARS_MAX)?;
    Status::from_name(&text).ok_or_else(|| {
        let allowed: Vec<&str> = Status::ALL.iter().map(|status| status.name()).collect();
        ApiError::invalid(format!("status must be one of {}", allowed.join(", ")))
    })
}

/// What the shapes need beside the record.
pub(crate) fn sighting(view: &IssueView) -> Sighting {
    Sighting {
        id: view.id,
        first_seen: view.first_seen,
        last_seen: view.last_seen,
        since: view.updated_at,
    }
}
