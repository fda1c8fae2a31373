//! A certificate that is served after its last day.

use super::{Judge, Rule};
use crate::certificate;
use ambit_model::entity::certificate as members;
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_MEDIUM, Verdict};
use ambit_model::{Facts, Kind, TaskName, Timestamp};

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "invalid_certificate_expired",
        pretty_name: "Certificate has expired",
        severity: SEVERITY_MEDIUM,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "A service still serves a certificate whose validity has ended. Browsers and programs refuse the \
                      connection or \
                      warn their users, who learn to click warnings away and will do so on the day of a real attack.",
        remediation: "Renew the certificate and install it on every service that the proof names. Let renewal run by \
                      itself (for example with ACME) and watch that the services load the new file.",
        references: &[
            ("https://www.rfc-editor.org/rfc/rfc5280", "description"),
            ("https://cwe.mitre.org/data/definitions/298.html", "description"),
            ("https://www.rfc-editor.org/rfc/rfc8555", "remediation"),
        ],
    },
    applies_to: &[Kind::SslCertificate],
    reads: &[TaskName::TlsGrab],
    judge: Rule::Own(judge),
};

fn judge(facts: &Facts, date: Timestamp) -> Verdict {
    certificate::judge_moment(facts, members::NOT_AFTER, |end| {
        (end < date).then(|| format!("The certificate was valid until {end}."))
    })
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use certificate::sample::{logged, served};
    use serde_json::json;
    crate::samples::Samples::new()
        .reports(served(json!({"not_after": "2026-06-01T11:59:59Z"})))
        .near_miss(served(json!({"not_after": "2026-06-01T12:00:00Z"})))
        .near_miss(logged(json!({"not_after": "2020-01-01T00:00:00Z"})))
        .unknown(served(json!({})))
        .unknown(served(json!({"not_after": "soon"})))
}
