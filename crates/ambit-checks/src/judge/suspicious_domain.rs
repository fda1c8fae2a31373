//! A foreign domain that resembles one of theirs and is probably meant to pass for it.

use super::{Judge, Rule};
use crate::look;
use ambit_model::entity::domain;
use ambit_model::impersonation::{Assessment, Reason, SERIOUS_FROM, SUSPICIOUS_FROM};
use ambit_model::issue::{Confidence, IssueKind, Proof, SEVERITY_HIGH, SEVERITY_MEDIUM};
use ambit_model::{Facts, Kind, TaskName};
use serde_json::json;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "suspicious_domain",
        pretty_name: "Domain is probably meant to pass for yours",
        severity: SEVERITY_MEDIUM,
        confidence: Confidence::Potential,
        category: "threat",
        added: "2026-11-25",
        description: "Somebody else holds a domain that resembles yours, and what it is ready for, its age and its \
                      page suggest that it is meant to pass for it. The proof lists each reason with its weight. Such \
                      domains serve phishing, forged invoices and the collection of stray mail.",
        remediation: "Look at the reasons. If the domain is yours, add it as a seed. If it is used against you, warn \
                      those who may be deceived, block it in your mail and name servers, and ask its registrar and \
                      hoster to act, or open a dispute.",
        references: &[
            ("https://attack.mitre.org/techniques/T1583/001/", "threat_intel"),
            ("https://www.icann.org/resources/pages/help/dndr/udrp-en", "remediation"),
        ],
    },
    applies_to: &[Kind::Domain],
    reads: &[TaskName::Impersonation],
    judge: Rule::Proofs(prove),
};

fn prove(facts: &Facts) -> Vec<Proof> {
    let assessment = domain::IMPERSONATION.of(&facts.details);
    let assessment = assessment.filter(|assessment| assessment.score >= SUSPICIOUS_FROM);
    assessment.map(|assessment| proof(&facts.name, &assessment)).into_iter().collect()
}

fn proof(name: &str, assessment: &Assessment) -> Proof {
    let reasons: Vec<String> = assessment.reasons.iter().map(worded).collect();
    let description =
        format!("{name} scores {} of 100 for passing for {}: {}.", assessment.score, assessment.of, reasons.join("; "));
    let severity = if assessment.score >= SERIOUS_FROM { SEVERITY_HIGH } else { SEVERITY_MEDIUM };
    let details = json!({
        "domain": assessment.of, "lookalike": name, "score": assessment.score, "standing": assessment.standing,
        "reasons": assessment.reasons,
    });
    Proof { severity: Some(severity), ..look::proof(description, details) }
}

fn worded(reason: &Reason) -> String {
    format!("{} ({:+})", reason.text, reason.points)
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::{Samples, Told, facts};
    let assessed = |standing: &str, score: i32| {
        facts(Kind::Domain, "acrne.test").found_at(TaskName::Impersonation, "0a1b").with(json!({
            "hidden_impersonation": {"of": "acme.test", "standing": standing, "score": score, "copies": false,
                "reasons": [{"points": score, "text": "resembles acme.test"}], "asks_password": false,
                "posts_to": [], "takes_mail": ["mx.evil.test"], "sends_mail": true}
        }))
    };
    Samples::new()
        .reports(assessed("active", 40))
        .reports(assessed("active", 100))
        // A namesake of old, and a domain that somebody parked.
        .near_miss(assessed("active", 39))
        .near_miss(assessed("parked", 30))
        .near_miss(assessed("defensive", 0))
        .unknown(facts(Kind::Domain, "acrne.test"))
        .unknown(assessed("active", 80).failed_at(TaskName::Impersonation, "0a1b"))
}
