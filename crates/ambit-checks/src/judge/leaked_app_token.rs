//! A secret in the package of an app.

use super::{Judge, Rule};
use crate::look;
use ambit_model::entity::app::{PackedSecret, SECRETS};
use ambit_model::issue::{Confidence, IssueKind, Proof, SEVERITY_HIGH};
use ambit_model::{Facts, Kind, TaskName};
use serde_json::json;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "leaked_app_token",
        pretty_name: "App contains a secret",
        severity: SEVERITY_HIGH,
        confidence: Confidence::Potential,
        category: "leak",
        added: "2026-11-23",
        description: "The package of an app holds a key, token or password. Whoever has the app can take it out and \
                      use it.",
        remediation: "Revoke the secret at its provider, and let a server of yours ask in the name of the app. A key \
                      that must be in the app is bound to the app and to what the app needs.",
        references: &[("https://cwe.mitre.org/data/definitions/798.html", "description")],
    },
    applies_to: Kind::APPS,
    reads: &[TaskName::AppPackage],
    judge: Rule::Proofs(prove),
};

fn prove(facts: &Facts) -> Vec<Proof> {
    SECRETS.items(&facts.details).map(|secret| proof(facts, &secret)).collect()
}

fn proof(facts: &Facts, secret: &PackedSecret) -> Proof {
    let description =
        format!("A secret of {} stands in {} of the package.", secret.provider, look::shown(&secret.path));
    let details = json!({
        "app": facts.name, "token": secret.token, "provider": secret.provider, "rule": secret.rule,
        "path": secret.path,
    });
    let severity = look::of_secret(&secret.rule, secret.by_context);
    Proof { severity, ..look::proof_of(&secret.token, description, details) }
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::{Samples, Told, facts};
    let app = || facts(Kind::AndroidApp, "org.acme.app");
    let secrets = |tokens: &[&str]| {
        let secret = |token: &&str| {
            json!({"token": token, "provider": "GitHub", "rule": "github-token", "by_context": false,
                "path": "classes.dex"})
        };
        json!({"hidden_secrets": tokens.iter().map(secret).collect::<Vec<_>>()})
    };
    Samples::new()
        .reports_each(
            app().found(TaskName::AppPackage).with(secrets(&["ghp_one… (sha256 1f)"])),
            &["ghp_one… (sha256 1f)"],
        )
        .near_miss(app().found(TaskName::AppPackage).with(secrets(&[])))
        .unknown(app())
        .unknown(app().with(secrets(&["ghp_one… (sha256 1f)"])).failed(TaskName::AppPackage))
}
