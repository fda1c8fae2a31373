//! A remote screen, open to the internet.

use super::{Judge, Rule};
use crate::service;
use ambit_model::entity::network_service::Service;
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_HIGH, Verdict};
use ambit_model::{Facts, Kind, TaskName, Timestamp};

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "exposed_vnc_service",
        pretty_name: "VNC is exposed",
        severity: SEVERITY_HIGH,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "A VNC service answers on the internet. Most variants know only a password of eight characters \
                      and no encryption, so whoever listens or guesses gets the screen, the mouse and the keyboard.",
        remediation: "Reach the screen through a VPN or an SSH tunnel only, and let the service listen on the loopback \
                      address.",
        references: &[
            ("https://www.rfc-editor.org/rfc/rfc6143", "description"),
            ("https://attack.mitre.org/techniques/T1021/005/", "threat_intel"),
        ],
    },
    applies_to: &[Kind::NetworkService],
    reads: &[TaskName::ServiceIdentify],
    judge: Rule::Own(judge),
};

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    service::speaks(facts, &[Service::Vnc], |facts, _| format!("VNC answers at {}.", facts.name))
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::Told;
    crate::samples::Samples::new()
        .reports(service::sample::service(5900, Service::Vnc))
        .near_miss(service::sample::service(5900, Service::Ssh))
        .near_miss(service::sample::service(5901, Service::Http))
        .near_miss(service::sample::unidentified(5900).absent(TaskName::ServiceIdentify))
        .unknown(service::sample::unidentified(5900))
        .unknown(service::sample::service(5900, Service::Vnc).failed(TaskName::ServiceIdentify))
}
