//! A message broker that lets anyone in.

use super::{Judge, Rule};
use crate::service;
use ambit_model::entity::network_service::{self, Service};
use ambit_model::issue::{Confidence, IssueKind, Proof, SEVERITY_HIGH};
use ambit_model::{Facts, Kind, TaskName};

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "open_message_broker",
        pretty_name: "Message broker is open to anyone",
        severity: SEVERITY_HIGH,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "A message broker (MQTT) on the internet accepts connections without a name or password. Anybody \
                      can listen to what devices and programs tell each other, and send commands in their name.",
        remediation: "Take the broker off the internet or ask for a name and password over TLS, with rights for each \
                      topic.",
        references: &[
            ("https://cwe.mitre.org/data/definitions/306.html", "description"),
            ("https://docs.oasis-open.org/mqtt/mqtt/v5.0/mqtt-v5.0.html", "description"),
        ],
    },
    applies_to: &[Kind::NetworkService],
    reads: &[TaskName::ServiceIdentify],
    judge: Rule::Proofs(prove),
};

fn prove(facts: &Facts) -> Vec<Proof> {
    let open = network_service::SERVICE.of(&facts.details) == Some(Service::Mqtt)
        && network_service::NO_AUTHENTICATION.is_true(&facts.details);
    if !open {
        return Vec::new();
    }
    let sentence = format!("A message broker at {} accepts connections without a password.", facts.name);
    vec![service::exposed(facts, "MQTT", sentence)]
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::Told;
    use serde_json::json;
    use service::sample::{service, unidentified};
    let open = || json!({"hidden_no_authentication": true});
    crate::samples::Samples::new()
        .reports(service(1883, Service::Mqtt).with(open()))
        .near_miss(service(1883, Service::Mqtt))
        .near_miss(service(1883, Service::Memcached).with(open()))
        .unknown(unidentified(1883))
        .unknown(service(1883, Service::Mqtt).with(open()).failed(TaskName::ServiceIdentify))
}
