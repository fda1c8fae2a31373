//! The run of a path, and how a run is shown.

use crate::call::Call;
use crate::failure::About;
use ambit_api::collection_runs::RunDetail;
use ambit_api::{ApiError, Result};
use ambit_model::Timestamp;
use ambit_model::run::Run;
use ambit_store::RunReport;

/// The noun for answers with 404.
pub(crate) const NOUN: &str = "Collection run";

/// The run of the path, by its integer id or its uuid.
pub(crate) async fn run(call: &Call) -> Result<Run> {
    if let Ok(uuid) = call.id().parse() {
        return call.store().find_run_by_uuid(call.caller(), uuid).await.about(NOUN);
    }
    let id = call.id().parse().map_err(|_| ApiError::not_found(NOUN))?;
    call.store().find_run(call.caller(), id).await.about(NOUN)
}

/// A run with what it did and did not do, as its readers see it.
pub(crate) fn detail(report: &RunReport, now: Timestamp) -> RunDetail {
    RunDetail::of(&report.run, &report.stages, &report.not_done, now)
}
