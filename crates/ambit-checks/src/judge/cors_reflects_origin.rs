//! A site that lets any other site read what it shows to its visitors.

use super::{Judge, Rule};
use crate::look;
use ambit_model::entity::uri;
use ambit_model::issue::{Confidence, IssueKind, Proof, SEVERITY_MEDIUM};
use ambit_model::{Facts, Kind, TaskName};
use serde_json::json;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "cors_reflects_origin",
        pretty_name: "CORS allows any origin with credentials",
        severity: SEVERITY_MEDIUM,
        confidence: Confidence::Confirmed,
        category: "vulnerability",
        added: "2026-11-21",
        description: "The site repeats whatever origin a request names as allowed, and allows credentials. Any page \
                      that a signed-in visitor opens can read what the site shows to that visitor.",
        remediation: "Compare the origin with a list of your own sites, and name only those. Do not allow credentials \
                      where they are not needed.",
        references: &[
            ("https://developer.mozilla.org/en-US/docs/Web/HTTP/Guides/CORS", "description"),
            ("https://cwe.mitre.org/data/definitions/942.html", "description"),
            ("https://cheatsheetseries.owasp.org/cheatsheets/HTML5_Security_Cheat_Sheet.html", "remediation"),
        ],
    },
    applies_to: &[Kind::Uri],
    reads: &[TaskName::CorsProbe],
    judge: Rule::Proofs(prove),
};

fn prove(facts: &Facts) -> Vec<Proof> {
    if !uri::FOREIGN_ORIGIN.of(&facts.details).is_some_and(|answer| answer.credentials) {
        return Vec::new();
    }
    let description = format!("{} lets the site of a stranger read with its visitor's credentials.", facts.name);
    vec![look::proof(description, json!({"uri": facts.name}))]
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::{Samples, Told, facts};
    let site = |credentials: bool| {
        let answer = json!({"hidden_foreign_origin": {"credentials": credentials}});
        facts(Kind::Uri, "https://api.acme.test").found(TaskName::CorsProbe).with(answer)
    };
    Samples::new()
        .reports(site(true))
        .near_miss(site(false))
        .near_miss(facts(Kind::Uri, "https://api.acme.test").absent(TaskName::CorsProbe))
        .unknown(facts(Kind::Uri, "https://api.acme.test"))
        .unknown(site(true).failed(TaskName::CorsProbe))
}
