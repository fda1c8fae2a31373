//! A certificate that leads to no trusted root.

use super::Judge;
use crate::certificate::{self, Defect};
use crate::look::shown;
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_MEDIUM, Verdict};
use ambit_model::{Facts, Kind, TaskName, Timestamp};
use serde_json::json;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "invalid_certificate_chain",
        pretty_name: "Certificate chain is not trusted",
        severity: SEVERITY_MEDIUM,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "The certificates that the service sends do not lead to an authority that clients trust: the issuer is unknown, \
                      or an intermediate certificate is missing. Some clients repair this from memory, others fail, so it is often \
                      noticed late.",
        remediation: "Install the complete chain that the authority delivered, leaf first and without the root. If an internal \
                      authority issued the certificate, replace it on services that outsiders reach.",
        references: &[
            ("https://www.rfc-editor.org/rfc/rfc5280", "description"),
            ("https://cwe.mitre.org/data/definitions/295.html", "description"),
            (
                "https://cheatsheetseries.owasp.org/cheatsheets/Transport_Layer_Security_Cheat_Sheet.html",
                "remediation",
            ),
        ],
    },
    applies_to: &[Kind::SslCertificate],
    reads: &[TaskName::TlsGrab],
    judge,
};

/// Findings of the chain's verification that count here; a self-signed certificate has an issue of its own.
const DEFECTS: &[(&str, &str)] = &[
    ("unknown_issuer", "is issued by an authority that is not trusted"),
    (
        "incomplete_chain",
        "is served without the intermediate certificate that leads to a trusted authority",
    ),
];

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    certificate::judge(facts, |facts| {
        // The task writes both members in one breath; null says that the chain is sound.
        facts.details.get("hidden_self_signed")?;
        let error = facts.text("hidden_chain_error");
        let defect = DEFECTS.iter().find(|(name, _)| error == Some(*name));
        Some(defect.map_or(Ok(()), |(name, sentence)| {
            let issuer = facts.text("issuer").unwrap_or_default();
            Err(Defect {
                description: format!("The certificate, issued by {}, {sentence}.", shown(issuer)),
                details: json!({"issuer": issuer, "error": name}),
            })
        }))
    })
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use certificate::sample::{logged, served};
    let sample = |error: serde_json::Value| json!({"issuer": "CN=Acme Internal CA", "hidden_self_signed": false, "hidden_chain_error": error});
    crate::samples::Samples::new()
        .reports(served(sample(json!("unknown_issuer"))))
        .reports(served(sample(json!("incomplete_chain"))))
        .near_miss(served(sample(json!(null))))
        .near_miss(served(sample(json!("self_signed"))))
        .near_miss(logged(sample(json!("unknown_issuer"))))
        .unknown(served(json!({"issuer": "CN=Acme Internal CA"})))
}
