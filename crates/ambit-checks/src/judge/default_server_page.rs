//! A server on which nobody has put a site.

use super::{Judge, Rule};
use crate::look;
use ambit_model::entity::uri;
use ambit_model::issue::{Confidence, IssueKind, Proof, SEVERITY_INFO};
use ambit_model::{Facts, Kind, TaskName};
use serde_json::json;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "default_server_page",
        pretty_name: "Default page of a web server is shown",
        severity: SEVERITY_INFO,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "The site shows the page of a freshly installed server. Nobody uses it, so nobody looks after it \
                      either: it is patched late and its other defaults stand open, too.",
        remediation: "Switch the server off if it is not needed. Otherwise replace the page, and answer unknown names \
                      with an error.",
        references: &[
            ("https://cwe.mitre.org/data/definitions/1188.html", "description"),
            ("https://owasp.org/Top10/A05_2021-Security_Misconfiguration/", "remediation"),
        ],
    },
    applies_to: &[Kind::Uri],
    reads: &[TaskName::HttpEnrich],
    judge: Rule::Proofs(prove),
};

fn prove(facts: &Facts) -> Vec<Proof> {
    let Some(product) = uri::DEFAULT_PAGE.text(&facts.details) else {
        return Vec::new();
    };
    let description = format!("{} shows the default page of {product}.", facts.name);
    vec![look::proof(description, json!({"uri": facts.name, "product": product}))]
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::{Samples, Told, facts};
    let site = |product: Option<&str>| {
        facts(Kind::Uri, "http://192.0.2.1").found(TaskName::HttpEnrich).with(json!({"hidden_default_page": product}))
    };
    Samples::new()
        .reports(site(Some("nginx")))
        .near_miss(site(None))
        .near_miss(facts(Kind::Uri, "http://192.0.2.1").absent(TaskName::HttpEnrich))
        .unknown(facts(Kind::Uri, "http://192.0.2.1"))
        .unknown(site(Some("nginx")).failed(TaskName::HttpEnrich))
}
