//! A record in a zone of theirs that points at an address of the provider which none of their accounts holds.

use super::Judge;
use crate::look;
use ambit_model::entity::in_account::{self, ZoneAddress};
use ambit_model::entity::network;
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_MEDIUM, Verdict};
use ambit_model::{EdgeKind, Facts, Kind, TaskName, Timestamp};
use serde_json::{Value, json};

/// The provider whose accounts are read, as the owner of its addresses is called.
const PROVIDER: &str = "Amazon Web Services";

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "cloud_dangling_address",
        pretty_name: "DNS record points at an address that is not held",
        severity: SEVERITY_MEDIUM,
        confidence: Confidence::Potential,
        category: "misconfiguration",
        added: "2026-11-27",
        description: "A record in your zone points at an address of the provider which no account of yours that is \
                      connected holds. Addresses that are given back go to the next customer, who then speaks in \
                      this name, gets certificates for it and reads the cookies of its visitors.",
        remediation: "Remove the record, or point it at an address that you hold. If an account of yours that is not \
                      connected holds the address, connect it. Remove records before you give addresses back.",
        references: &[
            ("https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/elastic-ip-addresses-eip.html", "description"),
            ("https://developer.mozilla.org/en-US/docs/Web/Security/Subdomain_takeovers", "remediation"),
        ],
    },
    applies_to: &[Kind::DnsRecord, Kind::Domain],
    reads: &[TaskName::AwsAccount, TaskName::CloudAttribution, TaskName::Resolve],
    judge,
};

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    let points: Vec<ZoneAddress> = in_account::ZONE_ADDRESSES.items(&facts.details).collect();
    let (mut gone, mut is_unknown) = (Vec::new(), false);
    for point in points {
        if point.held == Some(true) {
            continue;
        }
        let address = facts.to(EdgeKind::ResolvesTo).find(|neighbour| neighbour.name == point.address);
        let providers: Option<Vec<String>> = address.and_then(|address| network::CLOUD_PROVIDERS.of(&address.details));
        let is_held = address.is_some_and(|address| in_account::AWS.raw(&address.details).is_some());
        match (providers, point.held) {
            _ if is_held => {}
            // Whose address it is was not looked up, or not yet.
            (None, _) => is_unknown = true,
            (Some(providers), _) if !providers.iter().any(|name| name == PROVIDER) => {}
            (Some(_), None) => is_unknown = true,
            (Some(_), Some(_)) => gone.push(point),
        }
    }
    let Some(first) = gone.first() else {
        return if is_unknown { Verdict::Unknown } else { Verdict::Clear };
    };
    let description = format!(
        "The {} record of {} points at {}, which is an address of {PROVIDER} that no connected account holds.",
        first.record, facts.name, first.address
    );
    let records: Vec<Value> =
        gone.iter().map(|point| json!({"record": point.record, "target": point.address})).collect();
    Verdict::Proven(vec![look::proof(description, json!({"name": facts.name, "records": records}))])
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::{Samples, Told, facts, neighbour};
    let name = |held: Value| {
        let point = json!({"record": "A", "address": "203.0.113.9", "held": held});
        facts(Kind::DnsRecord, "old.acme.test").with(json!({"hidden_aws_zone_addresses": [point]}))
    };
    let at = |details: Value| neighbour(EdgeKind::ResolvesTo, Kind::IpAddress, "203.0.113.9", false, details);
    let amazon = || at(json!({"cloud_providers": [PROVIDER]}));
    Samples::new()
        .reports(name(json!(false)).leads_to(amazon()))
        .near_miss(name(json!(true)).leads_to(amazon()))
        .near_miss(
            name(json!(false))
                .leads_to(at(json!({"cloud_providers": [PROVIDER], "hidden_aws_account": "Production (1)"}))),
        )
        .near_miss(name(json!(false)).leads_to(at(json!({"cloud_providers": ["Hetzner"]}))))
        .near_miss(facts(Kind::DnsRecord, "www.acme.test").leads_to(amazon()))
        .unknown(name(json!(null)).leads_to(amazon()))
        .unknown(name(json!(false)))
        .unknown(name(json!(false)).leads_to(at(json!({}))))
}
