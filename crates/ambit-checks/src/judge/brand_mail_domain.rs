//! A foreign domain that resembles one of theirs and is ready to take their stray mail.

use super::{Judge, Rule};
use crate::look;
use ambit_model::entity::domain;
use ambit_model::impersonation::Standing;
use ambit_model::issue::{Confidence, IssueKind, Proof, SEVERITY_MEDIUM};
use ambit_model::{Facts, Kind, TaskName};
use serde_json::json;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "brand_mail_domain",
        pretty_name: "Domain that resembles yours takes mail",
        severity: SEVERITY_MEDIUM,
        confidence: Confidence::Potential,
        category: "threat",
        added: "2026-11-25",
        description: "Somebody else holds a domain that can be mistaken for yours and runs mail for it. Mail to you \
                      that is typed wrongly arrives there, and mail from there passes for yours at a glance, with \
                      every check of the sender passed.",
        remediation: "Find out who runs it. Consider marking mail from this domain in your own mail system, and \
                      telling partners who pay your invoices. Register the nearest variants yourself, with a null MX \
                      and the policy v=spf1 -all.",
        references: &[
            ("https://attack.mitre.org/techniques/T1583/001/", "threat_intel"),
            ("https://www.rfc-editor.org/rfc/rfc7505", "remediation"),
        ],
    },
    applies_to: &[Kind::Domain],
    reads: &[TaskName::Impersonation],
    judge: Rule::Proofs(prove),
};

/// From this score mail is reported: a namesake of old under another suffix has mail of its own.
const MAIL_FROM: i32 = 30;

fn prove(facts: &Facts) -> Vec<Proof> {
    let assessment = domain::IMPERSONATION.of(&facts.details);
    let ready = assessment
        .filter(|made| made.standing == Standing::Active && made.score >= MAIL_FROM && !made.takes_mail.is_empty());
    let proof = ready.map(|made| {
        let servers: Vec<String> = made.takes_mail.iter().map(|server| look::shown(server)).collect();
        let sends = if made.sends_mail { ", and it allows somebody to send in its name" } else { "" };
        let description =
            format!("{} resembles {} and takes mail at {}{sends}.", facts.name, made.of, servers.join(", "));
        let details = json!({
            "domain": made.of, "lookalike": facts.name, "mail_servers": made.takes_mail, "sends": made.sends_mail,
        });
        look::proof(description, details)
    });
    proof.into_iter().collect()
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::{Samples, Told, facts};
    let scored = |standing: &str, score: i32, servers: &[&str]| {
        facts(Kind::Domain, "acrne.test").found_at(TaskName::Impersonation, "0a1b").with(json!({
            "hidden_impersonation": {"of": "acme.test", "standing": standing, "score": score, "copies": false,
                "reasons": [], "asks_password": false, "posts_to": [], "takes_mail": servers, "sends_mail": true}
        }))
    };
    let domain = |standing: &str, servers: &[&str]| scored(standing, 45, servers);
    Samples::new()
        .reports(domain("active", &["mx.evil.test"]))
        // A namesake of old, one that takes no mail, and one that they hold themselves.
        .near_miss(scored("active", 25, &["mx.bakery.test"]))
        .near_miss(domain("active", &[]))
        .near_miss(domain("defensive", &["mx.acme.test"]))
        .near_miss(domain("parked", &["mx.parking.test"]))
        .unknown(facts(Kind::Domain, "acrne.test"))
        .unknown(domain("active", &["mx.evil.test"]).failed_at(TaskName::Impersonation, "0a1b"))
}
