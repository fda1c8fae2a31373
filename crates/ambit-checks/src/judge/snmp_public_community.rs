//! An SNMP agent that answers requests with the community `public`.

use super::{Judge, Rule};
use crate::service;
use ambit_model::entity::network_service::{self, Service};
use ambit_model::issue::{Confidence, IssueKind, Proof, SEVERITY_HIGH};
use ambit_model::{Facts, Kind, TaskName};

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "snmp_public_community",
        pretty_name: "SNMP accepts the community string public",
        severity: SEVERITY_HIGH,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-23",
        description: "The SNMP agent answers whoever gives the community public, with which devices are sold. It tells \
                      interfaces, routes, users and software of the device to anybody, may take changes, and sends \
                      large answers to the forged address of a victim.",
        remediation: "Use SNMP version 3 with authentication and encryption, remove the communities of versions 1 and \
                      2c, and let only the addresses of your monitoring ask.",
        references: &[
            ("https://www.rfc-editor.org/rfc/rfc3584", "description"),
            ("https://cwe.mitre.org/data/definitions/1392.html", "description"),
        ],
    },
    applies_to: &[Kind::NetworkService],
    reads: &[TaskName::ServiceIdentify],
    judge: Rule::Proofs(prove),
};

fn prove(facts: &Facts) -> Vec<Proof> {
    let is_snmp = network_service::SERVICE.of(&facts.details) == Some(Service::Snmp);
    if !is_snmp || !network_service::NO_AUTHENTICATION.is_true(&facts.details) {
        return Vec::new();
    }
    let sentence = format!("The SNMP agent at {} answers the community public.", facts.name);
    vec![service::exposed(facts, Service::Snmp.as_str(), sentence)]
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::Told;
    use serde_json::json;
    use service::sample::{datagram_service, service};
    let open = |open: bool| json!({"hidden_no_authentication": open});
    crate::samples::Samples::new()
        .reports(datagram_service(161, Service::Snmp).with(open(true)))
        .near_miss(datagram_service(161, Service::Snmp))
        .near_miss(datagram_service(161, Service::Snmp).with(open(false)))
        .near_miss(service(11211, Service::Memcached).with(open(true)))
        .unknown(datagram_service(161, Service::Snmp).with(open(true)).failed(TaskName::ServiceIdentify))
}
