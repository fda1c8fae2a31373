//! A certificate that its authority has revoked, by the answer that the server itself hands over.

use super::{Judge, Rule};
use crate::certificate::{self, Defect};
use crate::look::shown;
use ambit_model::entity::certificate::{self as members, Standing};
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_MEDIUM};
use ambit_model::{Facts, Kind, TaskName};
use serde_json::json;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "invalid_certificate_revoked",
        pretty_name: "Certificate is revoked",
        severity: SEVERITY_MEDIUM,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-28",
        description: "The authority that issued the certificate has revoked it, and the service presents it all the \
                      same. Clients that ask about revocation refuse the service. If the key was compromised, whoever \
                      has it can pass for the service to all the others.",
        remediation: "Find out why the certificate was revoked, make a new key, and install a new certificate on every \
                      service that presents the old one.",
        references: &[
            ("https://www.rfc-editor.org/rfc/rfc6960", "description"),
            ("https://cwe.mitre.org/data/definitions/299.html", "description"),
            ("https://cheatsheetseries.owasp.org/cheatsheets/Transport_Layer_Security_Cheat_Sheet.html", "remediation"),
        ],
    },
    applies_to: &[Kind::SslCertificate],
    reads: &[TaskName::TlsGrab],
    judge: Rule::Own(|facts, _| certificate::judge(facts, defect)),
};

fn defect(facts: &Facts) -> Option<Result<(), Defect>> {
    // Where nobody says anything nothing is known: servers do not hand the word over at all times.
    let Standing::Revoked { at, reason } = members::REVOCATION.of(&facts.details)? else { return Some(Ok(())) };
    let issuer = members::ISSUER.text(&facts.details).unwrap_or_default();
    let why = reason.as_deref().map(|reason| format!(" ({reason})")).unwrap_or_default();
    Some(Err(Defect {
        description: format!("The certificate, issued by {}, was revoked on {at}{why}.", shown(issuer)),
        details: json!({"issuer": issuer, "revoked_at": at, "reason": reason}),
    }))
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use certificate::sample::{logged, served};
    let sample = |word: serde_json::Value| {
        json!({"issuer": "CN=Acme CA", "hidden_self_signed": false,
            "hidden_revocation": word})
    };
    let revoked =
        |reason: Option<&str>| json!({"status": "revoked", "at": "2026-11-20T10:00:00.000Z", "reason": reason});
    crate::samples::Samples::new()
        .reports(served(sample(revoked(Some("keyCompromise")))))
        .reports(served(sample(revoked(None))))
        .near_miss(served(sample(json!({"status": "good", "at": "2026-11-20T10:00:00.000Z"}))))
        .near_miss(logged(sample(revoked(Some("keyCompromise")))))
        .unknown(served(sample(json!(null))))
        .unknown(served(json!({"issuer": "CN=Acme CA"})))
}
