//! A certificate for every name below another.

use super::{Judge, Rule};
use crate::certificate::{self, Defect};
use crate::look;
use crate::site::sorted;
use ambit_model::entity::certificate as members;
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_INFO};
use ambit_model::{Facts, Kind, TaskName};
use serde_json::json;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "wildcard_certificate",
        pretty_name: "Wildcard certificate is in use",
        severity: SEVERITY_INFO,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "The certificate is valid for every name directly below a domain. That is allowed and handy, but \
                      whoever takes \
                      its key from the weakest of the machines that hold it can pose as all of those names.",
        remediation: "Know which machines hold the key, and prefer certificates for single names where renewal is \
                      automatic. No action is needed where the key is kept in one well-guarded place.",
        references: &[
            ("https://www.rfc-editor.org/rfc/rfc9525", "description"),
            ("https://cheatsheetseries.owasp.org/cheatsheets/Transport_Layer_Security_Cheat_Sheet.html", "remediation"),
        ],
    },
    applies_to: &[Kind::SslCertificate],
    reads: &[TaskName::TlsGrab],
    judge: Rule::Own(|facts, _| certificate::judge(facts, defect)),
};

fn defect(facts: &Facts) -> Option<Result<(), Defect>> {
    members::NAMES.raw(&facts.details)?;
    let wildcards = sorted(members::NAMES.texts(&facts.details).filter(|name| name.starts_with("*.")));
    Some(if let Some(first) = wildcards.first() {
        Err(Defect {
            description: format!("The certificate covers {}.", look::shown(first)),
            details: json!({"names": wildcards}),
        })
    } else {
        Ok(())
    })
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use certificate::sample::{logged, served};
    crate::samples::Samples::new()
        .reports(served(json!({"hidden_names": ["acme.test", "*.acme.test"]})))
        .near_miss(served(json!({"hidden_names": ["acme.test", "a.acme.test", "b.acme.test"]})))
        .near_miss(served(json!({"hidden_names": []})))
        .near_miss(logged(json!({"hidden_names": ["*.acme.test"]})))
        .unknown(served(json!({"subject": "CN=*.acme.test"})))
}
