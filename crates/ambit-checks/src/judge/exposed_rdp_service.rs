//! Remote Desktop, open to the internet.

use super::{Judge, Rule};
use crate::service;
use ambit_model::entity::network_service::Service;
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_HIGH, Verdict};
use ambit_model::{Facts, Kind, TaskName, Timestamp};

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "exposed_rdp_service",
        pretty_name: "Remote Desktop is exposed",
        severity: SEVERITY_HIGH,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "A Remote Desktop service answers on the internet. It is among the first doors that break-ins \
                      use: passwords are guessed around the clock, and flaws of the service itself have been exploited \
                      without any password.",
        remediation: "Put the service behind a VPN or a gateway with a second factor, and let the internet no longer \
                      reach the port.",
        references: &[
            ("https://attack.mitre.org/techniques/T1021/001/", "threat_intel"),
            ("https://attack.mitre.org/techniques/T1133/", "threat_intel"),
        ],
    },
    applies_to: &[Kind::NetworkService],
    reads: &[TaskName::ServiceIdentify],
    judge: Rule::Own(judge),
};

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    service::speaks(facts, &[Service::Rdp], |facts, _| format!("Remote Desktop answers at {}.", facts.name))
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::Told;
    crate::samples::Samples::new()
        .reports(service::sample::service(3389, Service::Rdp))
        .near_miss(service::sample::service(3389, Service::Http))
        .near_miss(service::sample::service(3389, Service::Ssh))
        .near_miss(service::sample::unidentified(3389).absent(TaskName::ServiceIdentify))
        .unknown(service::sample::unidentified(3389))
        .unknown(service::sample::service(3389, Service::Rdp).failed(TaskName::ServiceIdentify))
}
