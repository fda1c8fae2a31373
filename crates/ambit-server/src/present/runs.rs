//! The run of a path, and how a run is shown.

use crate::call::Call;
use crate::failure::About;
use crate::path::{RunName, UuidOrId};
use ambit_api::Result;
use ambit_api::collection_runs::RunDetail;
use ambit_model::Timestamp;
use ambit_model::run::Run;
use ambit_store::RunReport;

/// The noun for answers with 404.
pub(crate) const NOUN: &str = "Collection run";

/// The run of the path, by its integer id or its uuid.
pub(crate) async fn run(call: &Call) -> Result<Run> {
    let found = match RunName::of(call)? {
        UuidOrId::Uuid(uuid) => call.store().find_run_by_uuid(call.caller(), uuid).await,
        UuidOrId::Id(id) => call.store().find_run(call.caller(), id).await,
    };
    found.about(NOUN)
}

/// A run with what it did and did not do, as its readers see it.
pub(crate) fn detail(report: &RunReport, now: Timestamp) -> RunDetail {
    RunDetail::of(&report.run, &report.stages, &report.not_done, now)
}
