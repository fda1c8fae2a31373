//! A record in a zone of theirs that leads to an address of a provider, or a load balancer, which none of their
//! accounts there holds.

use super::{Judge, Rule};
use crate::look;
use ambit_model::entity::in_account::{self, ZoneTarget};
use ambit_model::entity::{domain, network};
use ambit_model::facts::ProbeOutcome;
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_MEDIUM, Verdict};
use ambit_model::{EdgeKind, Facts, Kind, TaskName, Timestamp};
use serde_json::{Value, json};
use std::net::IpAddr;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "cloud_dangling_address",
        pretty_name: "DNS record points at an address that you do not hold",
        severity: SEVERITY_MEDIUM,
        confidence: Confidence::Potential,
        category: "misconfiguration",
        added: "2026-11-27",
        description: "A record in your zone points at an address of a provider, or is an alias of a load balancer, \
                      which no account of yours that is connected holds. Addresses that are given back go to the next \
                      customer, who then speaks in this name, gets certificates for it and reads the cookies of its \
                      visitors.",
        remediation: "Remove the record, or point it at an address that you hold. If an account of yours that is not \
                      connected holds the address, connect it. Remove records before you give addresses back.",
        references: &[
            ("https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/elastic-ip-addresses-eip.html", "description"),
            ("https://developer.mozilla.org/en-US/docs/Web/Security/Subdomain_takeovers", "remediation"),
        ],
    },
    applies_to: &[Kind::DnsRecord, Kind::Domain],
    reads: &[
        TaskName::AwsAccount,
        TaskName::CloudAccount,
        TaskName::CloudAttribution,
        TaskName::Resolve,
        TaskName::WildcardProfile,
    ],
    judge: Rule::Own(judge),
};

/// What holds a target.
#[derive(Debug, PartialEq)]
enum Holder {
    /// An account of theirs, or a third party.
    Somebody,
    Unknown,
    /// No account, of this owner of the addresses around it.
    Nobody(String),
}

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    let (mut gone, mut is_unknown) = (Vec::new(), false);
    // The alias of a wildcard is looked up: `dangling_wildcard`.
    for target in in_account::zone_targets(&facts.details).filter(|target| target.record != "CNAME") {
        match holder(facts, &target) {
            Holder::Somebody => {}
            Holder::Unknown => is_unknown = true,
            Holder::Nobody(owner) => gone.push((target, owner)),
        }
    }
    let Some((first, owner)) = gone.first() else {
        return if is_unknown { Verdict::Unknown } else { Verdict::Clear };
    };
    let (record, name, target) = (&first.record, name_of(facts, first), &first.target);
    let description = if is_address(first) {
        format!(
            "The {record} record of {name} points at {target}, which is an address of {owner} that no connected \
             account holds."
        )
    } else {
        format!(
            "The {record} record of {name} is an alias of {target}, a load balancer of {owner} that no connected \
             account has, and leads nowhere."
        )
    };
    let records: Vec<Value> =
        gone.iter().map(|(target, _)| json!({"record": target.record, "target": target.target})).collect();
    Verdict::Proven(vec![look::proof(description, json!({"name": name, "records": records}))])
}

/// The name of a record: its own, or that of the wildcard.
fn name_of(facts: &Facts, target: &ZoneTarget) -> String {
    if target.wildcard { format!("*.{}", facts.name) } else { facts.name.clone() }
}

fn is_address(target: &ZoneTarget) -> bool {
    target.target.parse::<IpAddr>().is_ok()
}

fn holder(facts: &Facts, target: &ZoneTarget) -> Holder {
    if target.held.values().any(|held| *held == Some(true)) {
        return Holder::Somebody;
    }
    if !is_address(target) {
        return of_alias(facts, target);
    }
    if target.wildcard {
        // The proof has the owner only for a record without a name that leads there.
        return match target.held.iter().find(|(_, held)| **held == Some(false)) {
            Some((owner, _)) => Holder::Nobody(owner.clone()),
            None => Holder::Unknown,
        };
    }
    let address = facts.to(EdgeKind::ResolvesTo).find(|neighbour| neighbour.name == target.target);
    let Some(details) = address.map(|address| &address.details) else { return Holder::Unknown };
    if in_account::AWS.raw(details).is_some() || in_account::CLOUD.raw(details).is_some() {
        return Holder::Somebody;
    }
    // Whose address it is was not looked up, or not yet.
    let Some(owners) = network::CLOUD_PROVIDERS.of(details) else { return Holder::Unknown };
    let said: Vec<(&String, &Option<bool>)> = target.held.iter().filter(|(owner, _)| owners.contains(owner)).collect();
    match said.iter().find(|(_, held)| **held == Some(false)) {
        _ if said.iter().any(|(_, held)| held.is_none()) => Holder::Unknown,
        Some((owner, _)) => Holder::Nobody((*owner).clone()),
        None => Holder::Somebody,
    }
}

/// An alias of a load balancer in an account that is not connected leads somewhere all the same.
fn of_alias(facts: &Facts, target: &ZoneTarget) -> Holder {
    let missed = target.held.iter().find(|(_, held)| **held == Some(false)).map(|(owner, _)| owner);
    let outcome = if target.wildcard { of_nobodys(facts) } else { facts.outcome(TaskName::Resolve) };
    match (outcome, missed) {
        (Some(ProbeOutcome::Found), _) => Holder::Somebody,
        (Some(ProbeOutcome::Absent), Some(owner)) => Holder::Nobody(owner.clone()),
        _ => Holder::Unknown,
    }
}

/// Returns whether names that do not exist resolve, by a wildcard.
fn of_nobodys(facts: &Facts) -> Option<ProbeOutcome> {
    let types = domain::WILDCARD_TYPES.raw(&facts.details).and_then(Value::as_array);
    let leads = types.into_iter().flatten().any(|of| matches!(of.as_str(), Some("A" | "AAAA")));
    match facts.outcome(TaskName::WildcardProfile) {
        Some(ProbeOutcome::Found) if !leads => Some(ProbeOutcome::Absent),
        outcome => outcome,
    }
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::{Samples, Told, facts, neighbour};
    let amazon = "Amazon Web Services";
    let name = |member: &str, target: &str, held: Value| {
        let target = json!({"record": "A", "target": target, "held": held});
        facts(Kind::DnsRecord, "old.acme.test").with(json!({ member: [target] }))
    };
    let aws = |held: Value| name("hidden_aws_zone_targets", "203.0.113.9", json!({ amazon: held }));
    let cloud = |held: Value| name("hidden_cloud_zone_targets", "203.0.113.9", held);
    let alias =
        |held: Value| name("hidden_aws_zone_targets", "old-1.eu-west-1.elb.amazonaws.com", json!({ amazon: held }));
    let wildcard = |target: &str, held: Value| {
        let target = json!({"record": "A", "target": target, "held": { amazon: held }, "wildcard": true});
        facts(Kind::DnsRecord, "apps.acme.test").with(json!({"hidden_aws_zone_targets": [target]}))
    };
    let every = |held: Value| wildcard("old-1.eu-west-1.elb.amazonaws.com", held);
    let alias_of_all = json!({"hidden_aws_zone_targets": [
        {"record": "CNAME", "target": "old.vendor.test", "held": {}, "wildcard": true}]});
    let at = |details: Value| neighbour(EdgeKind::ResolvesTo, Kind::IpAddress, "203.0.113.9", false, details);
    let of = |owner: &str| at(json!({"cloud_providers": [owner]}));
    Samples::new()
        .reports(aws(json!(false)).leads_to(of(amazon)))
        .reports(cloud(json!({"DigitalOcean": false, amazon: null})).leads_to(of("DigitalOcean")))
        .reports(alias(json!(false)).absent(TaskName::Resolve))
        .reports(every(json!(false)).absent(TaskName::WildcardProfile))
        .reports(every(json!(false)).found(TaskName::WildcardProfile).with(json!({"hidden_wildcard_types": ["TXT"]})))
        .reports(wildcard("203.0.113.9", json!(false)))
        .near_miss(every(json!(false)).found(TaskName::WildcardProfile).with(json!({"hidden_wildcard_types": ["A"]})))
        .near_miss(every(json!(true)).absent(TaskName::WildcardProfile))
        .near_miss(facts(Kind::DnsRecord, "apps.acme.test").with(alias_of_all))
        .near_miss(aws(json!(true)).leads_to(of(amazon)))
        .near_miss(cloud(json!({"DigitalOcean": false, amazon: true})).leads_to(of("DigitalOcean")))
        .near_miss(cloud(json!({"DigitalOcean": false})).leads_to(of(amazon)))
        .near_miss(aws(json!(false)).leads_to(at(json!({"cloud_providers": [amazon], "hidden_aws_account": "A (1)"}))))
        .near_miss(
            aws(json!(false)).leads_to(at(json!({"cloud_providers": [amazon], "hidden_cloud_account": "terraform:1"}))),
        )
        .near_miss(aws(json!(false)).leads_to(of("Hetzner")))
        .near_miss(facts(Kind::DnsRecord, "www.acme.test").leads_to(of(amazon)))
        .near_miss(alias(json!(false)).found(TaskName::Resolve))
        .near_miss(alias(json!(true)).absent(TaskName::Resolve))
        .unknown(every(json!(false)).absent(TaskName::Resolve))
        .unknown(every(json!(null)).absent(TaskName::WildcardProfile))
        .unknown(wildcard("203.0.113.9", json!(null)))
        .unknown(aws(json!(null)).leads_to(of(amazon)))
        .unknown(cloud(json!({"DigitalOcean": null})).leads_to(of("DigitalOcean")))
        .unknown(aws(json!(false)))
        .unknown(aws(json!(false)).leads_to(at(json!({}))))
        .unknown(alias(json!(false)).failed(TaskName::Resolve))
        .unknown(alias(json!(null)).absent(TaskName::Resolve))
}
