//! A name that anybody could take over at its provider.

use super::{Judge, Rule};
use crate::look;
use ambit_model::entity::domain::{self, DanglingReason};
use ambit_model::facts::ProbeOutcome;
use ambit_model::issue::{Confidence, IssueKind, Proof, SEVERITY_HIGH, Verdict};
use ambit_model::{Facts, Kind, TaskName, Timestamp};
#[cfg(test)]
use serde_json::Value;
use serde_json::json;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "subdomain_takeover",
        pretty_name: "Subdomain can be taken over",
        severity: SEVERITY_HIGH,
        confidence: Confidence::Confirmed,
        category: "vulnerability",
        added: "2026-11-21",
        description: "The name is an alias to a hosting provider, and the provider says that nobody has claimed it \
                      there. Whoever \
                      opens an account and claims it serves pages, sets cookies and gets certificates in this name.",
        remediation: "Remove the DNS record at once, or claim the name at the provider. From then on remove the record \
                      first and the hosted site second.",
        references: &[
            (
                "https://owasp.org/www-project-web-security-testing-guide/latest/4-Web_Application_Security_Testing/02-Configuration_and_Deployment_Management_Testing/10-Test_for_Subdomain_Takeover",
                "description",
            ),
            ("https://cwe.mitre.org/data/definitions/284.html", "description"),
        ],
    },
    applies_to: &[Kind::DnsRecord, Kind::Domain],
    reads: &[TaskName::Dangling, TaskName::Takeover],
    judge: Rule::Own(judge),
};

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    let by_name = look::after(facts, TaskName::Dangling, |facts| free_in_dns(facts).into_iter().collect());
    let by_answer = look::after(facts, TaskName::Takeover, |facts| unclaimed(facts).into_iter().collect());
    match (by_answer, by_name) {
        (Verdict::Proven(proofs), _) | (_, Verdict::Proven(proofs)) => Verdict::Proven(proofs),
        (Verdict::Clear, Verdict::Clear) => Verdict::Clear,
        // The provider is asked only where its answer decides.
        (Verdict::Unknown, Verdict::Clear) if facts.outcome(TaskName::Takeover).is_none() && !needs_answer(facts) => {
            Verdict::Clear
        }
        _ => Verdict::Unknown,
    }
}

/// True where it is reported: the alias leads to the provider, and the provider (or its zone) says that the name is
/// free.
pub(super) fn is_claimable(facts: &Facts) -> bool {
    let answered = facts.outcome(TaskName::Takeover) == Some(ProbeOutcome::Found);
    (answered && unclaimed(facts).is_some()) || free_in_dns(facts).is_some()
}

/// The provider itself says that nobody has claimed the name.
fn unclaimed(facts: &Facts) -> Option<Proof> {
    let told = domain::TAKEOVER.of(&facts.details)?;
    Some(proof(facts, &told.provider, &told.target))
}

/// The name at the provider does not exist, so that anyone may create it.
fn free_in_dns(facts: &Facts) -> Option<Proof> {
    domain::DANGLING
        .items(&facts.details)
        .filter(|item| item.record == "CNAME" && item.reason == DanglingReason::Nxdomain)
        .find_map(|item| Some(proof(facts, &item.provider?, &item.target)))
}

fn proof(facts: &Facts, provider: &str, target: &str) -> Proof {
    let (at, to) = (look::shown(provider), look::shown(target));
    let description = format!("{} is an alias to {to}, which is unclaimed at {at}.", facts.name);
    look::proof(description, json!({"name": facts.name, "provider": provider, "target": target}))
}

/// True where the provider's names always resolve, so that only its answer can tell.
fn needs_answer(facts: &Facts) -> bool {
    domain::DANGLING.items(&facts.details).any(|item| item.reason == DanglingReason::UnclaimedPattern)
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::{Samples, Told, facts};
    let name = || facts(Kind::DnsRecord, "shop.acme.test");
    let dangling = |reason: &str, provider: Value| {
        let item = json!({"record": "CNAME", "target": "acme.host.example", "reason": reason, "provider": provider});
        name().found(TaskName::Dangling).with(json!({"hidden_dangling": [item]}))
    };
    let pattern = || dangling("unclaimed_pattern", json!("GitHub Pages"));
    let takeover =
        json!({"hidden_takeover": {"provider": "GitHub Pages", "target": "acme.github.io", "proof": "no site here"}});
    Samples::new()
        .reports(pattern().found(TaskName::Takeover).with(takeover.clone()))
        .reports(dangling("nxdomain", json!("Azure")))
        .near_miss(pattern().absent(TaskName::Takeover).with(takeover.clone()))
        .near_miss(dangling("nxdomain", json!(null)))
        .near_miss(name().absent(TaskName::Dangling).absent(TaskName::Takeover))
        .near_miss(name().absent(TaskName::Dangling))
        .unknown(name())
        .unknown(pattern())
        .unknown(pattern().failed(TaskName::Dangling).absent(TaskName::Takeover))
        .unknown(pattern().failed(TaskName::Takeover).with(takeover))
        .unknown(dangling("nxdomain", json!("Azure")).failed(TaskName::Dangling))
}
