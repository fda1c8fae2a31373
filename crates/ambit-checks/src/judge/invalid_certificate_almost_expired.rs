//! A certificate that ends within 30 days.

use super::{Judge, Rule};
use crate::certificate;
use ambit_model::entity::certificate as members;
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_LOW, Verdict};
use ambit_model::moment::DAY_MS;
use ambit_model::{Facts, Kind, TaskName, Timestamp};

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "invalid_certificate_almost_expired",
        pretty_name: "Certificate is about to expire",
        severity: SEVERITY_LOW,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "A certificate in service ends within the next 30 days. Certificates that renew themselves are \
                      replaced about a \
                      third of their lifetime before the end, so this one may depend on somebody remembering it.",
        remediation: "Renew the certificate now and check that the services named in the proof load the new one. If \
                      renewal is automatic, find out why it has not run.",
        references: &[
            ("https://www.rfc-editor.org/rfc/rfc5280", "description"),
            ("https://www.rfc-editor.org/rfc/rfc8555", "remediation"),
        ],
    },
    applies_to: &[Kind::SslCertificate],
    reads: &[TaskName::TlsGrab],
    judge: Rule::Own(judge),
};

/// Days before the end from which a certificate is reported: the usual lead of automatic renewal for 90-day
/// certificates.
const LEAD_DAYS: i64 = 30;

fn judge(facts: &Facts, date: Timestamp) -> Verdict {
    certificate::judge_moment(facts, members::NOT_AFTER, |end| {
        let is_near = (date..date.plus_ms(LEAD_DAYS * DAY_MS)).contains(&end);
        is_near.then(|| format!("The certificate is valid only until {end}."))
    })
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use certificate::sample::{logged, served};
    use serde_json::json;
    crate::samples::Samples::new()
        .reports(served(json!({"not_after": "2026-06-01T12:00:00Z"})))
        .reports(served(json!({"not_after": "2026-07-01T11:59:59Z"})))
        .near_miss(served(json!({"not_after": "2026-07-01T12:00:00Z"})))
        .near_miss(served(json!({"not_after": "2026-06-01T11:59:59Z"})))
        .near_miss(logged(json!({"not_after": "2026-06-10T00:00:00Z"})))
        .unknown(served(json!({})))
}
