//! A key of a service in what a site sends to everybody.

use super::Judge;
use crate::look;
use ambit_model::entity::mentioned;
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_HIGH, Verdict};
use ambit_model::{EdgeKind, Facts, Kind, TaskName, Timestamp};
use serde_json::json;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "exposed_secret_in_page",
        pretty_name: "Secret key in a page",
        severity: SEVERITY_HIGH,
        confidence: Confidence::Confirmed,
        category: "leak",
        added: "2026-11-21",
        description: "The page or a script of the site holds a key with which programs sign in to a service. Every \
                      visitor can read it and use the service in the name of the organisation.",
        remediation: "Revoke the key at its provider, and let the server talk to the service instead of the page.",
        references: &[
            ("https://cwe.mitre.org/data/definitions/798.html", "description"),
            ("https://cheatsheetseries.owasp.org/cheatsheets/Secrets_Management_Cheat_Sheet.html", "remediation"),
        ],
    },
    applies_to: &[Kind::Uri],
    reads: &[TaskName::LinkedHosts],
    judge,
};

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    look::after(facts, TaskName::LinkedHosts, |facts| {
        let keys = facts.to(EdgeKind::Token).filter(|token| mentioned::SENSITIVE.is_true(&token.details));
        let proof = |token: &ambit_model::facts::Neighbour| {
            let provider = mentioned::TOKEN_PROVIDER.text(&token.details).unwrap_or("a service");
            let description = format!("{} holds a key of {provider}.", facts.name);
            look::proof_of(
                &token.name,
                description,
                json!({"uri": facts.name, "key": token.name, "provider": provider}),
            )
        };
        keys.map(proof).collect()
    })
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::{Samples, Told, facts};
    let site = |sensitive: bool| {
        let mut site = facts(Kind::Uri, "https://shop.acme.test").found(TaskName::LinkedHosts);
        site.outward.push(ambit_model::facts::Neighbour {
            edge: EdgeKind::Token,
            task: TaskName::LinkedHosts.to_string(),
            argument: String::new(),
            uid: ambit_model::Uid::from_bytes([3; 32]),
            kind: Kind::UniqueToken,
            name: "AKIA0000#1f".to_owned(),
            scoped: true,
            clearance: ambit_model::Clearance::L1,
            details: json!({"sensitive": sensitive, "provider": "Amazon Web Services"})
                .as_object()
                .cloned()
                .unwrap_or_default()
                .into(),
        });
        site
    };
    Samples::new()
        .reports_each(site(true), &["AKIA0000#1f"])
        .near_miss(site(false))
        .near_miss(facts(Kind::Uri, "https://shop.acme.test").absent(TaskName::LinkedHosts))
        .unknown(facts(Kind::Uri, "https://shop.acme.test"))
        .unknown(site(true).failed(TaskName::LinkedHosts))
}
