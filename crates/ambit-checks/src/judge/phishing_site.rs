//! A site of others that copies theirs and asks for passwords.

use super::{Judge, Rule};
use crate::look;
use ambit_model::entity::domain;
use ambit_model::impersonation::Standing;
use ambit_model::issue::{Confidence, IssueKind, Proof, SEVERITY_CRITICAL};
use ambit_model::{Facts, Kind, TaskName};
use serde_json::json;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "phishing_site",
        pretty_name: "Site copies yours and asks for passwords",
        severity: SEVERITY_CRITICAL,
        confidence: Confidence::Potential,
        category: "threat",
        added: "2026-11-25",
        description: "The front page of a domain that resembles yours is a copy of your page (its text, title, icon, \
                      tracking identifiers or files) and asks for a password. Whoever signs in there gives the \
                      password to somebody else.",
        remediation: "Report the site to its hoster, its registrar and the lists of browsers at once, block it in \
                      your networks, and warn your customers and staff. Reset the passwords of those who signed in \
                      there. Keep the evidence that is stored with this issue.",
        references: &[
            ("https://attack.mitre.org/techniques/T1566/002/", "threat_intel"),
            ("https://safebrowsing.google.com/safebrowsing/report_phish/", "remediation"),
            ("https://apwg.org/reportphishing/", "remediation"),
        ],
    },
    applies_to: &[Kind::Domain],
    reads: &[TaskName::Impersonation],
    judge: Rule::Proofs(prove),
};

fn prove(facts: &Facts) -> Vec<Proof> {
    let page = domain::FRONT_PAGE.of(&facts.details).unwrap_or_default();
    let assessment = domain::IMPERSONATION.of(&facts.details);
    let phishes = assessment.filter(|made| made.standing == Standing::Active && made.copies && made.asks_password);
    let proof = phishes.map(|made| {
        let to: Vec<String> = made.posts_to.iter().map(|host| look::shown(host)).collect();
        let sent = if to.is_empty() { String::new() } else { format!(" The password goes to {}.", to.join(", ")) };
        let description =
            format!("{} is a copy of the page of {} and asks for a password.{sent}", look::shown(&page.url), made.of);
        let details = json!({
            "domain": made.of, "lookalike": facts.name, "url": page.url, "posts_to": made.posts_to,
            "loads_from": page.loads_from, "reasons": made.reasons,
        });
        look::proof(description, details)
    });
    proof.into_iter().collect()
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::{Samples, Told, facts};
    let site = |standing: &str, copies: bool, asks: bool| {
        facts(Kind::Domain, "acrne.test").found_at(TaskName::Impersonation, "0a1b").with(json!({
            "hidden_front_page": {"url": "https://acrne.test/", "status": 200, "login": asks},
            "hidden_impersonation": {"of": "acme.test", "standing": standing, "score": 60, "copies": copies,
                "reasons": [], "asks_password": asks, "posts_to": ["collect.evil.test"], "takes_mail": [],
                "sends_mail": false}
        }))
    };
    Samples::new()
        .reports(site("active", true, true))
        // A namesake with a login of its own, and a copy that asks for nothing.
        .near_miss(site("active", false, true))
        .near_miss(site("active", true, false))
        .near_miss(site("defensive", true, true))
        .unknown(facts(Kind::Domain, "acrne.test"))
        .unknown(site("active", true, true).failed_at(TaskName::Impersonation, "0a1b"))
}
