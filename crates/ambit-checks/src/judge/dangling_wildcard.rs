//! A wildcard record that leads to something that is gone.

use super::{Judge, Rule};
use crate::look;
use ambit_model::entity::domain::{self, Dangling, DanglingReason};
use ambit_model::issue::{Confidence, IssueKind, Proof, SEVERITY_HIGH, SEVERITY_LOW};
use ambit_model::{Facts, Kind, TaskName};
use serde_json::json;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "dangling_wildcard",
        pretty_name: "Wildcard record leads nowhere",
        severity: SEVERITY_LOW,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-28",
        description: "All names below that have no record of their own are an alias to a target that does not exist. \
                      Whoever registers or claims the target serves pages, sets cookies and gets certificates in any \
                      of these names, also in ones that nobody has thought of.",
        remediation: "Remove the wildcard record, or point it to a target that you hold.",
        references: &[
            (
                "https://owasp.org/www-project-web-security-testing-guide/latest/4-Web_Application_Security_Testing/02-Configuration_and_Deployment_Management_Testing/10-Test_for_Subdomain_Takeover",
                "description",
            ),
            ("https://csrc.nist.gov/pubs/sp/800/81/2/final", "remediation"),
        ],
    },
    applies_to: &[Kind::DnsRecord, Kind::Domain],
    reads: &[TaskName::WildcardProfile],
    judge: Rule::Proofs(prove),
};

fn prove(facts: &Facts) -> Vec<Proof> {
    let items: Vec<Dangling> = domain::WILDCARD_DANGLING.items(&facts.details).collect();
    let Some(first) = items.first() else { return Vec::new() };
    // A provider gives its names to whoever asks, a registry its domains.
    let is_free = |item: &Dangling| item.provider.is_some() || item.reason == DanglingReason::Unregistered;
    let at = first.provider.as_deref().map(|at| format!(" at {}", look::shown(at))).unwrap_or_default();
    let target = look::shown(&first.target);
    let description = format!("*.{} is an alias to {target}{at}, which does not exist.", facts.name);
    let details = json!({"name": format!("*.{}", facts.name), "records": items});
    let severity = items.iter().any(is_free).then_some(SEVERITY_HIGH);
    vec![Proof { severity, ..look::proof(description, details) }]
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::{Samples, Told, facts};
    let domain = || facts(Kind::Domain, "acme.test");
    let dangling = |reason: &str| {
        let item = json!({"record": "CNAME", "target": "app.gone.example", "reason": reason, "provider": null});
        domain().found(TaskName::WildcardProfile).with(json!({"hidden_wildcard_dangling": [item]}))
    };
    Samples::new()
        .reports(dangling("unregistered"))
        .reports(dangling("nxdomain"))
        .near_miss(domain().found(TaskName::WildcardProfile).with(json!({"hidden_wildcard": {"A": ["203.0.113.1"]}})))
        .near_miss(domain().absent(TaskName::WildcardProfile))
        .unknown(domain())
        .unknown(dangling("nxdomain").failed(TaskName::WildcardProfile))
}
