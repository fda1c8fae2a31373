//! A name that was handed to name servers that are not there.

use super::Judge;
use crate::look;
use ambit_model::entity::domain::{self, DanglingReason, DeadDelegation};
use ambit_model::issue::{Confidence, IssueKind, Proof, SEVERITY_HIGH, SEVERITY_MEDIUM, Verdict};
use ambit_model::{Facts, Kind, TaskName, Timestamp};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "dangling_delegation",
        pretty_name: "Delegation leads nowhere",
        severity: SEVERITY_MEDIUM,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-23",
        description: "The zone hands a name to name servers that do not exist or do not answer for it. Whoever becomes \
                      one of them, by registering the domain that the server is in or by taking the zone at the same \
                      DNS provider, answers for the name and all below it: web sites, mail and certificates.",
        remediation: "Remove the NS records of the name if nobody needs it, or set up its zone at servers that you \
                      hold. Remove delegations before you give up a zone at a provider.",
        references: &[
            (
                "https://owasp.org/www-project-web-security-testing-guide/latest/4-Web_Application_Security_Testing/02-Configuration_and_Deployment_Management_Testing/10-Test_for_Subdomain_Takeover",
                "description",
            ),
            ("https://csrc.nist.gov/pubs/sp/800/81/2/final", "remediation"),
        ],
    },
    applies_to: &[Kind::DnsRecord, Kind::Domain],
    reads: &[TaskName::Delegations],
    judge,
};

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    look::after(facts, TaskName::Delegations, |facts| {
        let mut names: BTreeMap<String, BTreeSet<DeadDelegation>> = BTreeMap::new();
        for item in domain::DEAD_DELEGATIONS.items(&facts.details) {
            names.entry(item.name.clone()).or_default().insert(item);
        }
        names.iter().map(|(name, dead)| proof(facts, name, dead)).collect()
    })
}

/// The proof of one name. A server in a domain that anybody may register is the graver case.
fn proof(facts: &Facts, name: &str, dead: &BTreeSet<DeadDelegation>) -> Proof {
    let is_free = dead.iter().any(|item| item.reason == DanglingReason::Unregistered);
    let missing: Vec<&str> =
        dead.iter().filter(|item| item.reason != DanglingReason::Lame).map(|item| item.target.as_str()).collect();
    let to = match missing.first() {
        Some(server) => format!("the name server {}, which does not exist", look::shown(server)),
        None => "name servers of which none answers for it".to_owned(),
    };
    let description = format!("{} hands {} to {to}.", facts.name, look::shown(name));
    let details = json!({"zone": facts.name, "name": name, "missing": missing});
    Proof { severity: is_free.then_some(SEVERITY_HIGH), ..look::proof_of(name, description, details) }
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::{Samples, Told, facts};
    let zone = || facts(Kind::Domain, "acme.test");
    let dead = |target: &str, reason: &str| {
        let item = json!({"name": "old.acme.test", "target": target, "reason": reason});
        zone().found(TaskName::Delegations).with(json!({"hidden_dead_delegations": [item]}))
    };
    Samples::new()
        .reports_each(dead("ns1.gone.example", "unregistered"), &["old.acme.test"])
        .reports_each(dead("ns1.gone.example", "nxdomain"), &["old.acme.test"])
        .reports_each(dead("old.acme.test", "lame"), &["old.acme.test"])
        .near_miss(zone().absent(TaskName::Delegations))
        .unknown(zone())
        .unknown(zone().failed(TaskName::Delegations))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{Told, facts};

    #[test]
    fn a_server_in_a_domain_that_anyone_may_register_weighs_more() {
        let of = |reason: &str| {
            let item = json!({"name": "old.acme.test", "target": "ns1.gone.example", "reason": reason});
            let zone = facts(Kind::Domain, "acme.test")
                .found(TaskName::Delegations)
                .with(json!({"hidden_dead_delegations": [item]}));
            match (JUDGE.judge)(&zone, Timestamp(0)) {
                Verdict::Proven(proofs) => (proofs[0].severity, proofs[0].discriminator.clone()),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(of("unregistered"), (Some(SEVERITY_HIGH), "old.acme.test".to_owned()));
        assert_eq!(of("lame"), (None, "old.acme.test".to_owned()));
    }
}
