//! A public name of a private address.

use super::{Judge, Rule};
use crate::address;
use crate::look;
use ambit_model::issue::{Confidence, IssueKind, Proof, SEVERITY_LOW};
use ambit_model::{Facts, Kind, TaskName};
use serde_json::json;
use std::collections::BTreeSet;
use std::net::IpAddr;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "internal_system_exposed_via_dns",
        pretty_name: "Public DNS reveals a private address",
        severity: SEVERITY_LOW,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "The public DNS gives a private or link-local address for this name. Outsiders cannot reach it, \
                      but they learn names and addressing of the inside; and a page that they control under a similar \
                      address can be made to answer in its place on a foreign network.",
        remediation: "Keep internal names in an internal zone (split DNS) and remove the record from the public one.",
        references: &[
            ("https://www.rfc-editor.org/rfc/rfc1918", "description"),
            ("https://www.rfc-editor.org/rfc/rfc6890", "description"),
            ("https://csrc.nist.gov/pubs/sp/800/81/2/final", "remediation"),
        ],
    },
    applies_to: &[Kind::DnsRecord, Kind::Domain],
    reads: &[TaskName::Resolve],
    judge: Rule::Proofs(prove),
};

fn prove(facts: &Facts) -> Vec<Proof> {
    let addresses: BTreeSet<IpAddr> =
        address::of(facts).filter(|address| is_internal(*address) && !is_meant(facts, *address)).collect();
    let Some(first) = addresses.first() else {
        return Vec::new();
    };
    let description = format!("{} has the private address {first} in the public DNS.", facts.name);
    vec![look::proof(description, json!({"name": facts.name, "addresses": addresses}))]
}

/// True where a seed names the address or a block around it: this private network is the one that is looked at, from
/// within.
fn is_meant(facts: &Facts, address: IpAddr) -> bool {
    let blocks = || facts.seeds.of_kind(Kind::NetBlock).filter_map(|name| name.parse::<ipnet::IpNet>().ok());
    facts.seeds.contain_of_kind(Kind::IpAddress, &address.to_string()) || blocks().any(|block| block.contains(&address))
}

/// Private (RFC 1918), shared (RFC 6598), link-local (RFC 3927, RFC 4291) or unique local (RFC 4193); loopback has an
/// issue of its own.
fn is_internal(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => {
            let [a, b, ..] = v4.octets();
            v4.is_private() || v4.is_link_local() || (a == 100 && (64..128).contains(&b))
        }
        IpAddr::V6(v6) => v6.is_unique_local() || v6.is_unicast_link_local(),
    }
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::address::sample::resolved;
    use crate::samples::{Samples, Told, facts};
    use ambit_model::seeds::Seeds;
    use std::sync::Arc;
    let seeded = |address: &str, kind: Kind, seed: &str| {
        let mut facts = resolved(&[address]);
        facts.seeds = Arc::new(Seeds::from_iter([(kind, seed.to_owned())]));
        facts
    };
    Samples::new()
        .near_miss(seeded("10.1.2.3", Kind::NetBlock, "10.1.0.0/16"))
        .near_miss(seeded("fd00::1", Kind::IpAddress, "fd00::1"))
        .reports(seeded("10.2.2.3", Kind::NetBlock, "10.1.0.0/16"))
        .reports(resolved(&["192.168.3.4"]))
        .reports(resolved(&["8.8.4.4", "100.64.0.1"]))
        .reports(resolved(&["fd00::1"]))
        .reports(resolved(&["::ffff:10.0.0.1"]))
        .near_miss(resolved(&["100.128.0.1", "172.32.0.1", "2a00::1"]))
        .near_miss(resolved(&["127.0.0.1"]))
        .near_miss(facts(Kind::DnsRecord, "gone.acme.test").absent(TaskName::Resolve))
        .unknown(facts(Kind::DnsRecord, "www.acme.test"))
        .unknown(resolved(&["10.0.0.1"]).failed(TaskName::Resolve))
}
