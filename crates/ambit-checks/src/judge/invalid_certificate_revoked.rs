//! A certificate that its authority has revoked, by the answer that the server itself hands over.

use super::Judge;
use crate::certificate::{self, Defect};
use crate::look::shown;
use ambit_model::entity::certificate as members;
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_MEDIUM, Verdict};
use ambit_model::{Facts, Kind, TaskName, Timestamp};
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
    judge,
};

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    certificate::judge(facts, |facts| {
        // The task writes both members in one breath; null says that nobody called it revoked.
        members::SELF_SIGNED.of(&facts.details)?;
        Some(members::REVOCATION.of(&facts.details).map_or(Ok(()), |revocation| {
            let issuer = members::ISSUER.text(&facts.details).unwrap_or_default();
            let why = revocation.reason.as_deref().map(|reason| format!(" ({reason})")).unwrap_or_default();
            Err(Defect {
                description: format!(
                    "The certificate, issued by {}, was revoked on {}{why}.",
                    shown(issuer),
                    revocation.at
                ),
                details: json!({"issuer": issuer, "revoked_at": revocation.at, "reason": revocation.reason}),
            })
        }))
    })
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use certificate::sample::{logged, served};
    let sample = |word: serde_json::Value| {
        json!({"issuer": "CN=Acme CA", "hidden_self_signed": false,
            "hidden_revocation": word})
    };
    let revoked = || json!({"at": "2026-11-20T10:00:00.000Z", "reason": "keyCompromise"});
    crate::samples::Samples::new()
        .reports(served(sample(revoked())))
        .reports(served(sample(json!({"at": "2026-11-20T10:00:00.000Z", "reason": null}))))
        .near_miss(served(sample(json!(null))))
        .near_miss(logged(sample(revoked())))
        .unknown(served(json!({"issuer": "CN=Acme CA"})))
}
