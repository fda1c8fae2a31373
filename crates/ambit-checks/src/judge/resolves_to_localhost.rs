//! A public name of the loopback address.

use super::{Judge, Rule};
use crate::address;
use crate::look;
use ambit_model::issue::{Confidence, IssueKind, Proof, SEVERITY_INFO};
use ambit_model::{Facts, Kind, TaskName};
use serde_json::json;
use std::collections::BTreeSet;
use std::net::IpAddr;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "resolves_to_localhost",
        pretty_name: "Name resolves to the loopback address",
        severity: SEVERITY_INFO,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "The public DNS gives a loopback address for this name, so that it means the machine of whoever \
                      asks. Programs that trust the name, or cookies set for its parent domain, can then be used by \
                      anything that runs on that machine.",
        remediation: "Remove the record. For local development use localhost or a name below it, which need no public \
                      record.",
        references: &[
            ("https://www.rfc-editor.org/rfc/rfc6761", "description"),
            ("https://www.rfc-editor.org/rfc/rfc1912", "remediation"),
        ],
    },
    applies_to: &[Kind::DnsRecord, Kind::Domain],
    reads: &[TaskName::Resolve],
    judge: Rule::Proofs(prove),
};

fn prove(facts: &Facts) -> Vec<Proof> {
    let addresses: BTreeSet<IpAddr> = address::of(facts).filter(IpAddr::is_loopback).collect();
    let Some(first) = addresses.first() else {
        return Vec::new();
    };
    let description = format!("{} has the loopback address {first} in the public DNS.", facts.name);
    vec![look::proof(description, json!({"name": facts.name, "addresses": addresses}))]
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::address::sample::resolved;
    use crate::samples::{Samples, Told, facts};
    Samples::new()
        .reports(resolved(&["127.0.0.1"]))
        .reports(resolved(&["127.8.9.10", "::1"]))
        .near_miss(resolved(&["128.0.0.1", "::2"]))
        .near_miss(resolved(&["10.0.0.1"]))
        .near_miss(facts(Kind::DnsRecord, "gone.acme.test").absent(TaskName::Resolve))
        .unknown(facts(Kind::DnsRecord, "www.acme.test"))
        .unknown(resolved(&["127.0.0.1"]).failed(TaskName::Resolve))
}
