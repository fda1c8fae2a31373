//! A name that was handed to name servers that are not there.

use super::{Judge, Rule};
use crate::look;
use ambit_model::entity::domain::{self, DanglingReason, DeadDelegation};
use ambit_model::facts::ProbeOutcome;
use ambit_model::issue::{Confidence, IssueKind, Proof, SEVERITY_HIGH, SEVERITY_MEDIUM};
use ambit_model::{Facts, Kind, TaskName};
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
    reads: &[TaskName::Delegations, TaskName::Referrals],
    judge: Rule::Proofs(prove),
};

fn prove(facts: &Facts) -> Vec<Proof> {
    let mut names: BTreeMap<String, BTreeSet<DeadDelegation>> = BTreeMap::new();
    for item in domain::DEAD_DELEGATIONS.items(&facts.details) {
        names.entry(item.name.clone()).or_default().insert(item);
    }
    // What the zone's own servers say of them.
    for item in domain::DEAD_REFERRALS.items(&facts.details) {
        if let Some(dead) = names.get_mut(&item.name) {
            dead.insert(item);
        }
    }
    let was_handed = |name: &&String| referral(facts, name) != Some(ProbeOutcome::Absent);
    names.iter().filter(|(name, _)| was_handed(name)).map(|(name, dead)| proof(facts, name, dead)).collect()
}

/// Whether the zone's own servers hand the name to others, where they could be asked.
fn referral(facts: &Facts, name: &str) -> Option<ProbeOutcome> {
    facts.outcome_at(TaskName::Referrals, name)
}

/// The proof of one name. A server in a domain that anybody may register is the graver case. That a name fails while
/// its zone answers shows a dead delegation only where a referral is seen: one server may fail at one name.
fn proof(facts: &Facts, name: &str, dead: &BTreeSet<DeadDelegation>) -> Proof {
    let is_free = dead.iter().any(|item| item.reason == DanglingReason::Unregistered);
    let missing: Vec<&str> =
        dead.iter().filter(|item| item.reason != DanglingReason::Lame).map(|item| item.target.as_str()).collect();
    let is_seen = !missing.is_empty() || referral(facts, name) == Some(ProbeOutcome::Found);
    let (zone, shown) = (&facts.name, look::shown(name));
    let description = match missing.first() {
        Some(server) => {
            format!("{zone} hands {shown} to the name server {}, which does not exist.", look::shown(server))
        }
        None if is_seen => format!("{zone} hands {shown} to name servers of which none answers for it."),
        None => {
            format!("{zone} answers, and nobody does for {shown}, as where a name is handed to servers that are gone.")
        }
    };
    let details = json!({"zone": zone, "name": name, "missing": missing});
    let confidence = (!is_seen).then_some(Confidence::Potential);
    Proof { severity: is_free.then_some(SEVERITY_HIGH), confidence, ..look::proof_of(name, description, details) }
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
    use ambit_model::Timestamp;
    use ambit_model::issue::Verdict;

    #[test]
    fn a_server_in_a_domain_that_anyone_may_register_weighs_more() {
        let of = |reason: &str| {
            let item = json!({"name": "old.acme.test", "target": "ns1.gone.example", "reason": reason});
            let zone = facts(Kind::Domain, "acme.test")
                .found(TaskName::Delegations)
                .with(json!({"hidden_dead_delegations": [item]}));
            match JUDGE.verdict(&zone, Timestamp(0)) {
                Verdict::Proven(proofs) => (proofs[0].severity, proofs[0].discriminator.clone()),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(of("unregistered"), (Some(SEVERITY_HIGH), "old.acme.test".to_owned()));
        assert_eq!(of("lame"), (None, "old.acme.test".to_owned()));
    }

    #[test]
    fn a_name_that_fails_was_handed_away_where_its_zone_says_so() {
        let lame = json!({"name": "old.acme.test", "target": "old.acme.test", "reason": "lame"});
        let gone = json!({"name": "old.acme.test", "target": "ns1.gone.example", "reason": "unregistered"});
        let zone = || {
            let zone = facts(Kind::Domain, "acme.test").found(TaskName::Delegations);
            zone.with(json!({"hidden_dead_delegations": [lame]}))
        };
        let of = |facts: Facts| match JUDGE.verdict(&facts, Timestamp(0)) {
            Verdict::Proven(proofs) => Some((proofs[0].severity, proofs[0].confidence)),
            Verdict::Clear => None,
            other => panic!("{other:?}"),
        };
        assert_eq!(of(zone()), Some((None, Some(Confidence::Potential))), "nobody asked the zone's own servers");
        let (referrals, name) = (TaskName::Referrals, "old.acme.test");
        assert_eq!(of(zone().failed_at(referrals, name)), Some((None, Some(Confidence::Potential))));
        assert_eq!(of(zone().absent_at(referrals, name)), None);
        assert_eq!(of(zone().found_at(referrals, name)), Some((None, None)));
        let both = json!({"hidden_dead_delegations": [lame], "hidden_dead_referrals": [gone]});
        let free = zone().found_at(referrals, name).with(both);
        assert_eq!(of(free), Some((Some(SEVERITY_HIGH), None)));
    }
}
