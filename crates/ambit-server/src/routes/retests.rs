//! Looks at one issue alone: ask for one, and read what came of the newest. Asking inserts a row; the engine finds it.

use crate::call::Call;
use crate::failure::About;
use crate::present::issues::NOUN;
use ambit_api::collection_runs::Retest;
use ambit_api::{Envelope, Result, success};
use ambit_model::issue::IssueRecord;

/// Test one issue again, and nothing else, within its present clearance. This is a run of its own, which takes a minute
/// longer where the fact seems gone; reading this path says what came of it.
pub(crate) async fn start(call: Call) -> Result<Envelope<Option<Retest>>> {
    call.store().start_retest(call.caller(), call.id(), call.project).await.about(NOUN)?;
    shown(&call, "Retest of the issue").await
}

/// Read what came of the newest retest of an issue; null where nobody asked for one.
pub(crate) async fn find(call: Call) -> Result<Envelope<Option<Retest>>> {
    shown(&call, "Newest retest").await
}

async fn shown(call: &Call, message: &str) -> Result<Envelope<Option<Retest>>> {
    let issue = call.store().find_record::<IssueRecord>(call.caller(), call.id(), call.project).await.about(NOUN)?;
    let report = call.store().last_retest(call.caller(), call.id(), call.project).await.about(NOUN)?;
    let retest = report.map(|report| Retest::of(&report.run, &report.not_done, issue.record.status));
    Ok(success(message, retest))
}
