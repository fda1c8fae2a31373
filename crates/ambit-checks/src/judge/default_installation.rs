//! An application as it was installed: nobody has set it up, or nobody uses it.

use super::{Judge, Rule};
use crate::look;
use ambit_model::entity::uri;
use ambit_model::issue::{Confidence, IssueKind, Proof, SEVERITY_HIGH, SEVERITY_LOW};
use ambit_model::{Facts, Kind, TaskName};
use serde_json::json;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "default_installation",
        pretty_name: "Application was installed and not configured",
        severity: SEVERITY_LOW,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-25",
        description: "The site shows the page of an application that was installed and not used since. Its defaults, \
                      often with known accounts and examples, stand open, and nobody patches what nobody uses. Where \
                      the page is that of its set-up, whoever opens it first becomes its administrator.",
        remediation: "Finish the set-up where only administrators reach it, or remove the application. Remove its \
                      examples and change its default accounts.",
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
    let Some(found) = uri::DEFAULT_INSTALLATION.of(&facts.details) else {
        return Vec::new();
    };
    let product = &found.product;
    let description = if found.awaits_setup {
        format!("{} lets whoever opens it set {product} up.", facts.name)
    } else {
        format!("{} shows {product} as it was installed.", facts.name)
    };
    let details = json!({"uri": facts.name, "product": product, "awaits_setup": found.awaits_setup});
    let severity = found.awaits_setup.then_some(SEVERITY_HIGH);
    vec![Proof { severity, ..look::proof(description, details) }]
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::{Samples, Told, facts};
    let site = |product: Option<&str>| {
        let found = product.map(|product| json!({"product": product, "awaits_setup": false}));
        facts(Kind::Uri, "http://192.0.2.1")
            .found(TaskName::HttpEnrich)
            .with(json!({"hidden_default_installation": found, "fingerprint": [{"product": "Tomcat"}]}))
    };
    Samples::new()
        .reports(site(Some("Tomcat")))
        .near_miss(site(None))
        .near_miss(facts(Kind::Uri, "http://192.0.2.1").absent(TaskName::HttpEnrich))
        .unknown(facts(Kind::Uri, "http://192.0.2.1"))
        .unknown(site(Some("Tomcat")).failed(TaskName::HttpEnrich))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{Told, facts};
    use ambit_model::Timestamp;
    use ambit_model::issue::Verdict;

    #[test]
    fn one_that_anybody_may_set_up_is_graver_than_one_that_nobody_uses() {
        for (awaits_setup, severity) in [(true, Some(SEVERITY_HIGH)), (false, None)] {
            let site = facts(Kind::Uri, "http://192.0.2.1")
                .found(TaskName::HttpEnrich)
                .with(json!({"hidden_default_installation": {"product": "Jenkins", "awaits_setup": awaits_setup}}));
            let Verdict::Proven(proofs) = JUDGE.verdict(&site, Timestamp(0)) else { panic!("{awaits_setup}") };
            assert_eq!(proofs[0].severity, severity);
        }
    }
}
