//! A Redis server without a password.

use super::{Judge, Rule};
use crate::service;
use ambit_model::entity::network_service;
use ambit_model::issue::{Confidence, IssueKind, Proof, SEVERITY_CRITICAL};
use ambit_model::{Facts, Kind, TaskName};

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "open_redis_service",
        pretty_name: "Redis is open to anyone",
        severity: SEVERITY_CRITICAL,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "A Redis server on the internet answers commands without a password. Anybody can read and change \
                      what it holds, and by writing files through it often run programs on the machine.",
        remediation: "Take the server off the internet: bind it to an internal address and filter the port. Set a \
                      password or access lists, keep protected mode on, and treat the machine as possibly taken over.",
        references: &[
            ("https://redis.io/docs/latest/operate/oss_and_stack/management/security/", "remediation"),
            ("https://cwe.mitre.org/data/definitions/306.html", "description"),
        ],
    },
    applies_to: &[Kind::NetworkService],
    reads: &[TaskName::ServiceIdentify],
    judge: Rule::Proofs(prove),
};

fn prove(facts: &Facts) -> Vec<Proof> {
    if network_service::OPEN_REDIS.of(&facts.details).is_none() {
        return Vec::new();
    }
    vec![service::exposed(facts, "REDIS", format!("Redis answers at {} without a password.", facts.name))]
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::Told;
    use ambit_model::entity::network_service::Service;
    use serde_json::json;
    use service::sample::{service, unidentified};
    let open = || service(6379, Service::Redis).with(json!({"hidden_open_redis": {"version": "7.0.1"}}));
    crate::samples::Samples::new()
        .reports(open())
        .near_miss(service(6379, Service::Redis))
        .near_miss(service(6379, Service::Http))
        .unknown(unidentified(6379))
        .unknown(open().failed(TaskName::ServiceIdentify))
}
