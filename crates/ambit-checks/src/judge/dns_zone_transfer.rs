//! A name server that hands its whole zone to anyone.

use super::{Judge, Rule};
use crate::look;
use crate::site::sorted;
use ambit_model::entity::domain;
use ambit_model::issue::{Confidence, IssueKind, Proof, SEVERITY_MEDIUM};
use ambit_model::{Facts, Kind, TaskName};
use serde_json::json;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "dns_zone_transfer",
        pretty_name: "Name server allows zone transfer",
        severity: SEVERITY_MEDIUM,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "A name server of the domain answers a zone transfer from anywhere. Everybody can read all names \
                      of the zone at \
                      once: internal systems, test machines and whatever else was meant to go unnoticed.",
        remediation: "Restrict transfers on the named servers to the addresses of your secondary servers, best with a \
                      shared key (TSIG).",
        references: &[
            ("https://www.rfc-editor.org/rfc/rfc5936", "description"),
            ("https://csrc.nist.gov/pubs/sp/800/81/2/final", "remediation"),
            ("https://www.rfc-editor.org/rfc/rfc8945", "remediation"),
        ],
    },
    applies_to: &[Kind::DnsRecord, Kind::Domain],
    reads: &[TaskName::ZoneTransfer],
    judge: Rule::Own(|facts, _| look::after_part(facts, TaskName::ZoneTransfer, prove)),
};

fn prove(facts: &Facts) -> Vec<Proof> {
    let servers = domain::ZONE_TRANSFER.items(&facts.details).map(|transfer| transfer.server);
    let servers = sorted(servers);
    let Some(first) = servers.first() else {
        return Vec::new();
    };
    let description = format!("{first} hands the zone {} to anyone who asks.", facts.name);
    vec![look::proof(description, json!({"zone": facts.name, "servers": servers}))]
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::{Samples, Told, facts};
    let domain = |servers: serde_json::Value| {
        facts(Kind::Domain, "acme.test").found(TaskName::ZoneTransfer).with(json!({"hidden_zone_transfer": servers}))
    };
    Samples::new()
        .reports(domain(json!([{"server": "ns2.acme.test", "records": 40}])))
        .reports(
            domain(json!([{"server": "ns2.acme.test", "records": 40}]))
                .failed_at(TaskName::ZoneTransfer, "ns1.acme.test"),
        )
        .near_miss(facts(Kind::Domain, "acme.test").absent(TaskName::ZoneTransfer))
        .reports(
            facts(Kind::DnsRecord, "lab.acme.test")
                .found(TaskName::ZoneTransfer)
                .with(json!({"hidden_zone_transfer": [{"server": "ns.lab.acme.test", "records": 9}]})),
        )
        .reports(
            facts(Kind::Domain, "acme.test")
                .found_in_part(TaskName::ZoneTransfer)
                .with(json!({"hidden_zone_transfer": [{"server": "ns1.acme.test", "records": 100}]})),
        )
        .unknown(facts(Kind::Domain, "acme.test").found_in_part(TaskName::ZoneTransfer))
        .near_miss(domain(json!([])))
        .unknown(facts(Kind::Domain, "acme.test"))
        .unknown(
            facts(Kind::Domain, "acme.test")
                .absent(TaskName::ZoneTransfer)
                .failed_at(TaskName::ZoneTransfer, "ns1.acme.test"),
        )
}
