//! A signed zone whose names can be read one after another.

use super::{Judge, Rule};
use crate::look;
use ambit_model::entity::domain;
use ambit_model::issue::{Confidence, IssueKind, Proof, SEVERITY_INFO};
use ambit_model::{Facts, Kind, TaskName};
use serde_json::json;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "dns_zone_enumeration",
        pretty_name: "Signed zone can be walked",
        severity: SEVERITY_INFO,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "The zone is signed with NSEC records, each of which names the next name. Everybody can follow \
                      them and read all names of the zone, as with a zone transfer.",
        remediation: "If the names should not be read by everybody, sign with NSEC3 without extra iterations (RFC \
                      9276), or let the server make up minimal records as it answers.",
        references: &[
            ("https://www.rfc-editor.org/rfc/rfc4033", "description"),
            ("https://www.rfc-editor.org/rfc/rfc5155", "remediation"),
            ("https://www.rfc-editor.org/rfc/rfc9276", "remediation"),
        ],
    },
    applies_to: &[Kind::DnsRecord, Kind::Domain],
    reads: &[TaskName::NsecWalk],
    judge: Rule::Own(|facts, _| look::after_part(facts, TaskName::NsecWalk, prove)),
};

fn prove(facts: &Facts) -> Vec<Proof> {
    let Some(names) = domain::ZONE_WALK.of(&facts.details).map(|walk| walk.names) else {
        return Vec::new();
    };
    let description = format!("The zone {} names {names} of its names one after another.", facts.name);
    vec![look::proof(description, json!({"zone": facts.name, "names": names}))]
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::{Samples, Told, facts};
    let walked = |kind: Kind, name: &str| {
        facts(kind, name).found(TaskName::NsecWalk).with(json!({"hidden_zone_walk": {"names": 12, "whole": true}}))
    };
    Samples::new()
        .reports(walked(Kind::Domain, "acme.test"))
        .reports(walked(Kind::DnsRecord, "lab.acme.test"))
        .reports(
            facts(Kind::Domain, "acme.test")
                .found_in_part(TaskName::NsecWalk)
                .with(json!({"hidden_zone_walk": {"names": 3, "whole": false}})),
        )
        .near_miss(facts(Kind::Domain, "acme.test").absent(TaskName::NsecWalk))
        .unknown(facts(Kind::Domain, "acme.test"))
        .unknown(walked(Kind::Domain, "acme.test").failed(TaskName::NsecWalk))
}
