//! A password prompt that is served without encryption.

use super::{Judge, Rule};
use crate::site;
use ambit_model::entity::uri;
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_MEDIUM};
use ambit_model::{Facts, Kind, TaskName};

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "basic_auth_over_plain_http",
        pretty_name: "Basic authentication is used over plain HTTP",
        severity: SEVERITY_MEDIUM,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "The site asks for a name and password by HTTP Basic authentication without encryption. The \
                      browser sends both in readable form with every single request, for anyone on the way to read.",
        remediation: "Serve the site over HTTPS only and redirect HTTP to it before the password is asked for.",
        references: &[
            ("https://www.rfc-editor.org/rfc/rfc7617", "description"),
            ("https://cwe.mitre.org/data/definitions/319.html", "description"),
            ("https://cheatsheetseries.owasp.org/cheatsheets/Transport_Layer_Security_Cheat_Sheet.html", "remediation"),
        ],
    },
    applies_to: &[Kind::Uri],
    reads: &[TaskName::HttpEnrich],
    judge: Rule::Own(|facts, _| site::in_the_clear(facts, defect)),
};

fn defect(facts: &Facts) -> Option<String> {
    let is_asked = uri::AUTH_BASIC.is_true(&facts.details);
    is_asked.then(|| format!("{} asks for a password by Basic authentication without encryption.", facts.name))
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::{Samples, Told, facts};
    use serde_json::json;
    let page = |name: &str, basic: bool| {
        facts(Kind::Uri, name).found(TaskName::HttpEnrich).with(json!({"code": "401", "auth.basic": basic}))
    };
    Samples::new()
        .reports(page("http://stores.acme.test", true))
        .near_miss(page("https://stores.acme.test", true))
        .near_miss(page("http://stores.acme.test", false))
        .near_miss(facts(Kind::Uri, "http://stores.acme.test").absent(TaskName::HttpEnrich))
        .unknown(facts(Kind::Uri, "http://stores.acme.test"))
        .unknown(page("http://stores.acme.test", true).failed(TaskName::HttpEnrich))
}
