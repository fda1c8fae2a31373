//! What an issue rests on: the probes, and what they left.

use crate::call::Call;
use crate::present::evidence;
use ambit_api::issues::IssueEvidence;
use ambit_api::{Envelope, Result, success};

/// Read what an issue rests on: the probes that its judge reads, when they were made, and what was asked and answered:
/// the beginning of it, with secrets masked.
pub(crate) async fn list(call: Call) -> Result<Envelope<Vec<IssueEvidence>>> {
    Ok(success("Evidence", evidence::probes(&call, call.id()).await?))
}
