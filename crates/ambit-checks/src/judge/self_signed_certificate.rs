//! A certificate that vouches for itself.

use super::{Judge, Rule};
use crate::certificate::{self, Defect};
use crate::look::shown;
use ambit_model::entity::certificate as members;
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_LOW};
use ambit_model::{Facts, Kind, TaskName};
use serde_json::json;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "self_signed_certificate",
        pretty_name: "Certificate is self-signed",
        severity: SEVERITY_LOW,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "The certificate is signed with its own key: nobody else vouches for it. A client cannot tell it \
                      from one that an attacker in between has made, so people are trained to accept warnings.",
        remediation: "Use a certificate of a public authority for services that the public reaches. For internal \
                      services use an \
                      authority of your own whose root your clients trust, and keep the service off the internet.",
        references: &[
            ("https://cwe.mitre.org/data/definitions/295.html", "description"),
            ("https://cheatsheetseries.owasp.org/cheatsheets/Transport_Layer_Security_Cheat_Sheet.html", "remediation"),
        ],
    },
    applies_to: &[Kind::SslCertificate],
    reads: &[TaskName::TlsGrab],
    judge: Rule::Own(|facts, _| certificate::judge(facts, defect)),
};

fn defect(facts: &Facts) -> Option<Result<(), Defect>> {
    Some(if certificate::is_self_signed(facts)? {
        let subject = members::SUBJECT.text(&facts.details).unwrap_or(&facts.name);
        Err(Defect {
            description: format!("The certificate of {} is its own issuer.", shown(subject)),
            details: json!({"subject": subject}),
        })
    } else {
        Ok(())
    })
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use certificate::sample::{logged, served};
    let own = json!({"subject": "CN=www.acme.test", "issuer": "CN=www.acme.test"});
    crate::samples::Samples::new()
        .reports(served(json!({"subject": "CN=www.acme.test", "hidden_self_signed": true})))
        .reports(served(own.clone()))
        .near_miss(served(json!({"subject": "CN=www.acme.test", "issuer": "CN=www.acme.test CA"})))
        .near_miss(served(json!({"subject": "CN=acme", "issuer": "CN=acme", "hidden_self_signed": false})))
        .near_miss(logged(own))
        .unknown(served(json!({"subject": "CN=www.acme.test"})))
}
