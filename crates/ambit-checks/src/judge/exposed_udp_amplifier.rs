//! A service over UDP that answers strangers, and with which attackers flood their victims.

use super::{Judge, Rule};
use crate::{look, service};
use ambit_model::entity::network_service::{self, Service};
use ambit_model::issue::{Confidence, IssueKind, Proof, SEVERITY_MEDIUM};
use ambit_model::{Facts, Kind, TaskName};

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "exposed_udp_amplifier",
        pretty_name: "UDP amplifier is exposed",
        severity: SEVERITY_MEDIUM,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-23",
        description: "A service that belongs into a local network answers over UDP on the internet. Attackers send it \
                      small questions with the forged address of a victim, and its larger answers flood the victim; it \
                      also tells strangers what is inside, or gives them files.",
        remediation: "Let the service listen on the inner network only, turn UDP off where it is not needed, and \
                      filter the port at the border.",
        references: &[
            ("https://www.cisa.gov/news-events/alerts/2014/01/17/udp-based-amplification-attacks", "threat_intel"),
            ("https://cwe.mitre.org/data/definitions/406.html", "description"),
        ],
    },
    applies_to: &[Kind::NetworkService],
    reads: &[TaskName::ServiceIdentify],
    judge: Rule::Proofs(prove),
};

/// Protocols whose answers to strangers are larger than the questions.
const AMPLIFIERS: &[Service] = &[Service::Mdns, Service::Memcached, Service::Netbios, Service::Ssdp, Service::Tftp];

fn prove(facts: &Facts) -> Vec<Proof> {
    let spoken = network_service::SERVICE.of(&facts.details).filter(|spoken| AMPLIFIERS.contains(spoken));
    let Some(spoken) = spoken.filter(|_| facts.name.ends_with("/udp")) else { return Vec::new() };
    let sentence = format!("{} answers anybody over UDP at {}.", look::shown(spoken.as_str()), facts.name);
    vec![service::exposed(facts, spoken.as_str(), sentence)]
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::Told;
    use service::sample::{datagram_service, service};
    crate::samples::Samples::new()
        .reports(datagram_service(11211, Service::Memcached))
        .reports(datagram_service(1900, Service::Ssdp))
        .near_miss(service(11211, Service::Memcached))
        .near_miss(datagram_service(123, Service::Ntp))
        .near_miss(datagram_service(443, Service::Quic))
        .unknown(datagram_service(1900, Service::Ssdp).failed(TaskName::ServiceIdentify))
}
