//! Windows file sharing, open to the internet.

use super::{Judge, Rule};
use crate::service;
use ambit_model::entity::network_service::Service;
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_HIGH, Verdict};
use ambit_model::{Facts, Kind, TaskName, Timestamp};

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "exposed_smb_service",
        pretty_name: "SMB file sharing is exposed",
        severity: SEVERITY_HIGH,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "A file-sharing service (SMB) answers on the internet. It gives away names of machines and users, \
                      invites password guessing, and has had flaws that spread from machine to machine without help.",
        remediation: "Block TCP port 445 at the edge of the network in both directions. Share files with the outside \
                      over a service made for it.",
        references: &[
            ("https://learn.microsoft.com/en-us/windows-server/storage/file-server/smb-secure-traffic", "remediation"),
            ("https://attack.mitre.org/techniques/T1021/002/", "threat_intel"),
        ],
    },
    applies_to: &[Kind::NetworkService],
    reads: &[TaskName::ServiceIdentify],
    judge: Rule::Own(judge),
};

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    service::speaks(facts, &[Service::Smb], |facts, _| format!("SMB answers at {}.", facts.name))
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::Told;
    crate::samples::Samples::new()
        .reports(service::sample::service(445, Service::Smb))
        .near_miss(service::sample::service(445, Service::Http))
        .near_miss(service::sample::service(445, Service::Rdp))
        .near_miss(service::sample::unidentified(445).absent(TaskName::ServiceIdentify))
        .unknown(service::sample::unidentified(445))
        .unknown(service::sample::service(445, Service::Smb).failed(TaskName::ServiceIdentify))
}
