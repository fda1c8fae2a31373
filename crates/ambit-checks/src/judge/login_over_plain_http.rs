//! A login form that is served without encryption.

use super::{Judge, Rule};
use crate::site;
use ambit_model::entity::uri;
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_MEDIUM};
use ambit_model::{Facts, Kind, TaskName};

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "login_over_plain_http",
        pretty_name: "Login form is served over plain HTTP",
        severity: SEVERITY_MEDIUM,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "The page asks for a password and is delivered without encryption. Whoever is on the way, for \
                      example in the \
                      same wireless network, can read the password or change the form so that it goes elsewhere.",
        remediation: "Serve the page over HTTPS only, redirect HTTP to it, and set Strict-Transport-Security.",
        references: &[
            ("https://cwe.mitre.org/data/definitions/523.html", "description"),
            ("https://cheatsheetseries.owasp.org/cheatsheets/Authentication_Cheat_Sheet.html", "remediation"),
            ("https://www.rfc-editor.org/rfc/rfc6797", "remediation"),
        ],
    },
    applies_to: &[Kind::Uri],
    reads: &[TaskName::HttpEnrich],
    judge: Rule::Own(|facts, _| site::in_the_clear(facts, defect)),
};

fn defect(facts: &Facts) -> Option<String> {
    // The form is that of the page where a visitor ends without leaving the site; one who is led to https never
    // sees it.
    let secured = uri::HTTPS_REDIRECT.is_true(&facts.details);
    let is_asked = !secured && uri::AUTH_FORMS.is_true(&facts.details);
    is_asked.then(|| format!("{} asks for a password without encryption.", facts.name))
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::{Samples, Told, facts};
    use serde_json::json;
    let page = |name: &str, code: &str, forms: bool| {
        facts(Kind::Uri, name).found(TaskName::HttpEnrich).with(json!({"code": code, "auth.forms": forms}))
    };
    Samples::new()
        .reports(page("http://portal.acme.test", "200", true))
        .reports(page("http://192.0.2.1:8080", "401", true))
        .near_miss(page("https://portal.acme.test", "200", true))
        .near_miss(page("http://portal.acme.test", "200", false))
        .reports(page("http://portal.acme.test", "302", true))
        .near_miss(page("http://portal.acme.test", "301", true).with(json!({"hidden_https_redirect": true})))
        .near_miss(facts(Kind::Uri, "http://portal.acme.test").absent(TaskName::HttpEnrich))
        .unknown(facts(Kind::Uri, "http://portal.acme.test"))
        .unknown(page("http://portal.acme.test", "200", true).failed(TaskName::HttpEnrich))
}
