//! A name server that looks up names for everybody.

use super::{Judge, Rule};
use crate::look;
use ambit_model::entity::network_service;
use ambit_model::issue::{Confidence, IssueKind, Proof, SEVERITY_MEDIUM};
use ambit_model::{Facts, Kind, TaskName};
use serde_json::json;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "open_dns_resolver",
        pretty_name: "Name server is an open resolver",
        severity: SEVERITY_MEDIUM,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "The name server resolves names for strangers. Attackers send it small questions with the forged \
                      address of a victim, and its large answers flood the victim; its cache can be probed and \
                      poisoned, too.",
        remediation: "Let only your own networks ask for recursion, and run authority and recursion on different \
                      servers.",
        references: &[
            ("https://www.rfc-editor.org/rfc/rfc5358", "description"),
            ("https://cwe.mitre.org/data/definitions/406.html", "description"),
        ],
    },
    applies_to: &[Kind::NetworkService],
    reads: &[TaskName::OpenResolver],
    judge: Rule::Proofs(prove),
};

fn prove(facts: &Facts) -> Vec<Proof> {
    if !network_service::OPEN_RESOLVER.is_true(&facts.details) {
        return Vec::new();
    }
    let description = format!("{} resolves names for everybody.", facts.name);
    vec![look::proof(description, json!({"at": facts.name}))]
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::{Samples, Told};
    let service = || crate::service::sample::unidentified(53);
    let open = || service().found(TaskName::OpenResolver).with(json!({"hidden_open_resolver": true}));
    Samples::new()
        .reports(open())
        .near_miss(service().absent(TaskName::OpenResolver))
        .near_miss(service().found(TaskName::OpenResolver))
        .unknown(service())
        .unknown(open().failed(TaskName::OpenResolver))
}
