//! What an issue rests on: the probes, and what they left.

use crate::answer::Answer;
use crate::call::Call;
use crate::failure::About;
use crate::present::evidence;
use crate::present::issues::NOUN;
use ambit_api::{ApiError, success};
use std::collections::BTreeSet;

/// Pieces of one answer at most.
const PIECES_MAX: usize = 8;

/// Read what an issue rests on: the probes that its judge reads, when they were made, and what was asked and answered:
/// the beginning of it, with secrets masked.
pub(crate) async fn list(call: Call) -> Result<Answer, ApiError> {
    let reads = |name: &str| call.state.library.reads(name).to_vec();
    let found = call.store().issue_evidence(call.caller(), call.id(), call.project, reads).await;
    let (issue, probes) = found.about(NOUN)?;
    let facts = &issue.record.details["proof"]["details"];
    let (mut shown, mut told) = (Vec::new(), BTreeSet::new());
    for left in &probes {
        let mut probe = evidence::probe(left);
        for (label, hash) in &left.evidence {
            // A certificate that several names show is told once.
            if !evidence::belongs(facts, label) || told.len() >= PIECES_MAX || !told.insert(hash) {
                continue;
            }
            let bytes = call.store().blob(*hash).await.about(NOUN)?;
            probe.pieces.push(evidence::piece(&issue.record.category, label, *hash, bytes.as_deref()));
        }
        shown.push(probe);
    }
    Ok(Answer::json(&success("Evidence", shown)))
}
