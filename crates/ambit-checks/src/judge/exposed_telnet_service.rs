//! Telnet, open to the internet.

use super::{Judge, Rule};
use crate::service;
use ambit_model::entity::network_service::{self, Service};
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_HIGH, Verdict};
use ambit_model::{Facts, Kind, TaskName, Timestamp};

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "exposed_telnet_service",
        pretty_name: "Telnet is exposed",
        severity: SEVERITY_HIGH,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "A Telnet service answers on the internet. Telnet carries names, passwords and everything else \
                      unencrypted, and \
                      machines that still speak it are guessed and taken over by automated programs within hours.",
        remediation: "Switch Telnet off and use SSH. Where a device speaks nothing else, let only a management network \
                      reach it.",
        references: &[
            ("https://www.rfc-editor.org/rfc/rfc854", "description"),
            ("https://cwe.mitre.org/data/definitions/319.html", "description"),
            ("https://www.rfc-editor.org/rfc/rfc4251", "remediation"),
        ],
    },
    applies_to: &[Kind::NetworkService],
    reads: &[TaskName::ServiceIdentify],
    judge: Rule::Own(judge),
};

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    match service::speaks(facts, &[Service::Telnet], |facts, _| format!("Telnet answers at {}.", facts.name)) {
        // Inside TLS nobody reads along.
        Verdict::Proven(_) if network_service::SSL.is_true(&facts.details) => Verdict::Clear,
        verdict => verdict,
    }
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::Told;
    crate::samples::Samples::new()
        .reports(service::sample::service(23, Service::Telnet))
        .reports(service::sample::service(2323, Service::Telnet))
        .near_miss(service::sample::service(992, Service::Telnet).with(serde_json::json!({"ssl": true})))
        .near_miss(service::sample::service(23, Service::Ssh))
        .near_miss(service::sample::service(23, Service::Http))
        .near_miss(service::sample::unidentified(23).absent(TaskName::ServiceIdentify))
        .unknown(service::sample::unidentified(23))
        .unknown(service::sample::service(23, Service::Telnet).failed(TaskName::ServiceIdentify))
}
