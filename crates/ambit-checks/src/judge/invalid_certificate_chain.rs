//! A certificate that leads to no trusted root.

use super::{Judge, Rule};
use crate::certificate::{self, Defect};
use crate::look::shown;
use ambit_model::entity::certificate::{self as members, ChainError};
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_MEDIUM};
use ambit_model::{Facts, Kind, TaskName};
use serde_json::json;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "invalid_certificate_chain",
        pretty_name: "Certificate chain is not trusted",
        severity: SEVERITY_MEDIUM,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "The certificates that the service sends do not lead to an authority that clients trust: the \
                      issuer is unknown, or an intermediate certificate is missing. Some clients repair this from \
                      memory, others fail, so it is often noticed late.",
        remediation: "Install the complete chain that the authority delivered, leaf first and without the root. If an \
                      internal authority issued the certificate, replace it on services that outsiders reach.",
        references: &[
            ("https://www.rfc-editor.org/rfc/rfc5280", "description"),
            ("https://cwe.mitre.org/data/definitions/295.html", "description"),
            ("https://cheatsheetseries.owasp.org/cheatsheets/Transport_Layer_Security_Cheat_Sheet.html", "remediation"),
        ],
    },
    applies_to: &[Kind::SslCertificate],
    reads: &[TaskName::TlsGrab],
    judge: Rule::Own(|facts, _| certificate::judge(facts, defect)),
};

fn defect(facts: &Facts) -> Option<Result<(), Defect>> {
    // The task writes both members in one breath; null says that the chain is sound.
    members::SELF_SIGNED.of(&facts.details)?;
    // A self-signed certificate has an issue of its own.
    let error = members::CHAIN_ERROR.of(&facts.details).filter(|error| *error == ChainError::UnknownIssuer);
    Some(error.map_or(Ok(()), |error| {
        let issuer = members::ISSUER.text(&facts.details).unwrap_or_default();
        Err(Defect {
            description: format!(
                "The certificate, issued by {}, is issued by an authority that is not trusted.",
                shown(issuer)
            ),
            details: json!({"issuer": issuer, "error": error}),
        })
    }))
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use certificate::sample::{logged, served};
    let sample = |error: serde_json::Value| {
        json!({"issuer": "CN=Acme Internal CA", "hidden_self_signed": false,
    "hidden_chain_error": error})
    };
    crate::samples::Samples::new()
        .reports(served(sample(json!("unknown_issuer"))))
        .near_miss(served(sample(json!(null))))
        .near_miss(served(sample(json!("self_signed"))))
        .near_miss(logged(sample(json!("unknown_issuer"))))
        .unknown(served(json!({"issuer": "CN=Acme Internal CA"})))
}
