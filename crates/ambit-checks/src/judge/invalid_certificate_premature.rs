//! A certificate that is served before its first day.

use super::{Judge, Rule};
use crate::certificate;
use ambit_model::entity::certificate as members;
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_MEDIUM, Verdict};
use ambit_model::{Facts, Kind, TaskName, Timestamp};

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "invalid_certificate_premature",
        pretty_name: "Certificate is not yet valid",
        severity: SEVERITY_MEDIUM,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "A service serves a certificate whose validity has not begun. Clients refuse it like an expired \
                      one. The usual causes are a certificate that was installed too early and an issuing machine \
                      whose clock is wrong.",
        remediation: "Serve the previous certificate until the new one begins, or issue it again. Check the clock of \
                      the machine that issued it.",
        references: &[
            ("https://www.rfc-editor.org/rfc/rfc5280", "description"),
            ("https://cwe.mitre.org/data/definitions/295.html", "description"),
        ],
    },
    applies_to: &[Kind::SslCertificate],
    reads: &[TaskName::TlsGrab],
    judge: Rule::Own(judge),
};

fn judge(facts: &Facts, date: Timestamp) -> Verdict {
    certificate::judge_moment(facts, members::NOT_BEFORE, |start| {
        (start > date).then(|| format!("The certificate is valid only from {start}."))
    })
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use certificate::sample::{logged, served};
    use serde_json::json;
    crate::samples::Samples::new()
        .reports(served(json!({"not_before": "2026-06-01T12:00:01Z"})))
        .near_miss(served(json!({"not_before": "2026-06-01T12:00:00Z"})))
        .near_miss(logged(json!({"not_before": "2027-01-01T00:00:00Z"})))
        .unknown(served(json!({"not_after": "2027-01-01T00:00:00Z"})))
}
