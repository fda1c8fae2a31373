//! A DNS record that leads to something that is gone.

use super::{Judge, Rule};
use crate::look;
use ambit_model::entity::domain::{self, DanglingReason};
use ambit_model::issue::{Confidence, IssueKind, Proof, SEVERITY_HIGH, SEVERITY_LOW};
use ambit_model::{EdgeKind, Facts, Kind, TaskName};
use serde_json::{Value, json};
use std::collections::BTreeSet;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "dangling_record",
        pretty_name: "DNS record leads nowhere",
        severity: SEVERITY_LOW,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "A record of the name leads to a target that does not exist, is not registered, or does not \
                      answer for the zone. Nothing works there today; the danger is that somebody else may one day \
                      register or claim the target and then speak in this name.",
        remediation: "Remove the record if nobody needs it, or point it to a target that you hold. Make removing DNS \
                      records a step of taking any service down.",
        references: &[
            (
                "https://owasp.org/www-project-web-security-testing-guide/latest/4-Web_Application_Security_Testing/02-Configuration_and_Deployment_Management_Testing/10-Test_for_Subdomain_Takeover",
                "description",
            ),
            ("https://csrc.nist.gov/pubs/sp/800/81/2/final", "remediation"),
        ],
    },
    applies_to: &[Kind::DnsRecord, Kind::Domain],
    reads: &[TaskName::Dangling, TaskName::Takeover],
    judge: Rule::Proofs(prove),
};

fn prove(facts: &Facts) -> Vec<Proof> {
    if super::subdomain_takeover::is_claimable(facts) {
        // The graver issue says it all.
        return Vec::new();
    }
    let is_handed = facts.from(EdgeKind::DelegatedSubdomain).next().is_some();
    // A provider whose names always answer says nothing by its pattern alone.
    let records: BTreeSet<(String, String, DanglingReason)> = domain::DANGLING
        .items(&facts.details)
        .filter(|item| item.reason != DanglingReason::UnclaimedPattern)
        // The zone that handed it away is told of it: `dangling_delegation`.
        .filter(|item| item.reason != DanglingReason::Lame || !is_handed)
        .map(|item| (item.record, item.target, item.reason))
        .collect();
    let Some((record, target, _)) = records.first() else {
        return Vec::new();
    };
    // Whoever registers the target's domain speaks in this name, as an alias or its name server, or reads its
    // mail.
    let claimed = records.iter().any(|(record, _, reason)| {
        *reason == DanglingReason::Unregistered && matches!(record.as_str(), "CNAME" | "HTTPS" | "MX" | "NS")
    });
    let description = format!("The {record} record of {} leads to {}, which is gone.", facts.name, look::shown(target));
    let records: Vec<Value> = records
        .iter()
        .map(|(record, target, reason)| json!({"record": record, "target": target, "reason": reason}))
        .collect();
    vec![Proof {
        severity: claimed.then_some(SEVERITY_HIGH),
        ..look::proof(description, json!({"name": facts.name, "records": records}))
    }]
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::{Samples, Told, facts};
    let name = || facts(Kind::DnsRecord, "old.acme.test");
    let dangling = |reason: &str, provider: Value| {
        let item = json!({"record": "CNAME", "target": "app.gone.example", "reason": reason, "provider": provider});
        name().found(TaskName::Dangling).with(json!({"hidden_dangling": [item]}))
    };
    Samples::new()
        .reports(dangling("nxdomain", json!(null)))
        .reports(dangling("lame", json!(null)))
        .reports(dangling("unregistered", json!("Heroku")))
        .near_miss(dangling("nxdomain", json!("Azure")))
        .near_miss(dangling("unclaimed_pattern", json!("GitHub Pages")))
        .near_miss(name().absent(TaskName::Dangling))
        .unknown(name())
        .unknown(dangling("nxdomain", json!(null)).failed(TaskName::Dangling))
}

#[cfg(test)]
mod tests {
    use crate::samples::{Told, facts};
    use ambit_model::issue::Verdict;
    use ambit_model::{Kind, TaskName, Timestamp};
    use serde_json::json;

    #[test]
    fn a_target_that_anyone_may_register_weighs_more() {
        let severity = |record: &str, reason: &str| {
            let item = json!({"record": record, "target": "gone.example", "reason": reason, "provider": null});
            let name = facts(Kind::DnsRecord, "old.acme.test")
                .found(TaskName::Dangling)
                .with(json!({"hidden_dangling": [item]}));
            match super::JUDGE.verdict(&name, Timestamp(0)) {
                Verdict::Proven(proofs) => proofs[0].severity,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(severity("CNAME", "unregistered"), Some(2));
        assert_eq!(severity("NS", "unregistered"), Some(2));
        assert_eq!(severity("MX", "unregistered"), Some(2));
        assert_eq!(severity("HTTPS", "unregistered"), Some(2));
        assert_eq!(severity("MX", "nxdomain"), None);
        assert_eq!(severity("CNAME", "nxdomain"), None);
    }
}
