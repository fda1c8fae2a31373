//! A site that says in which version its software is: whoever looks for a vulnerability of that version finds it by a
//! search, without a visit.

use super::{Judge, Rule};
use crate::look;
use ambit_model::entity::uri;
use ambit_model::issue::{Confidence, IssueKind, Proof, SEVERITY_INFO};
use ambit_model::{Facts, Kind, TaskName};
use serde_json::json;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "version_disclosure",
        pretty_name: "Software version is disclosed",
        severity: SEVERITY_INFO,
        confidence: Confidence::Confirmed,
        category: "leak",
        added: "2026-11-25",
        description: "The site says in its headers or its page which software it runs in which version. Visitors do \
                      not need that; whoever searches for a version with a known vulnerability finds the site by it.",
        remediation: "Configure the software not to show its version (nginx: `server_tokens off`; Apache: \
                      `ServerTokens Prod`; PHP: `expose_php = Off`), and remove such headers at the proxy. This hides \
                      nothing from who tries, and is no substitute for updates.",
        references: &[
            ("https://cwe.mitre.org/data/definitions/200.html", "description"),
            ("https://owasp.org/Top10/A05_2021-Security_Misconfiguration/", "remediation"),
        ],
    },
    applies_to: &[Kind::Uri],
    reads: &[TaskName::HttpEnrich],
    judge: Rule::Proofs(prove),
};

/// Headers that name software, lower case.
const HEADERS: &[&str] = &[
    "server",
    "x-aspnet-version",
    "x-aspnetmvc-version",
    "x-generator",
    "x-jenkins",
    "x-powered-by",
    "x-runtime-version",
];

fn prove(facts: &Facts) -> Vec<Proof> {
    let mut shown: Vec<String> =
        uri::HEADERS.texts(&facts.details).filter(|line| tells(line)).map(str::to_owned).collect();
    let generator = facts.details.get(uri::GENERATOR.name()).and_then(|generator| generator.as_str());
    shown.extend(generator.filter(|text| has_version(text)).map(|text| format!("generator {text}")));
    if shown.is_empty() {
        return Vec::new();
    }
    let description = format!("{} says {}.", facts.name, look::shown(&shown.join(", ")));
    vec![look::proof(description, json!({"uri": facts.name, "shown": shown}))]
}

/// Whether a header line names software in a version.
fn tells(line: &str) -> bool {
    line.split_once(':').is_some_and(|(name, value)| {
        HEADERS.iter().any(|header| name.trim().eq_ignore_ascii_case(header)) && has_version(value)
    })
}

/// Whether there are two numbers with a dot in between, behind no letter: `1.24`, and not `h2.0`.
fn has_version(text: &str) -> bool {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '.'));
    let mut digits = words.map(|word| word.trim_start_matches(['v', 'V']));
    digits.any(|word| {
        let mut parts = word.split('.');
        let mut number = || {
            let part = parts.next().unwrap_or_default();
            part.starts_with(|c: char| c.is_ascii_digit())
        };
        number() && number()
    })
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::{Samples, Told, facts};
    use serde_json::Value;
    let site = |headers: &[&str], generator: Option<&str>| {
        let generator: Value = generator.into();
        facts(Kind::Uri, "https://www.acme.test")
            .found(TaskName::HttpEnrich)
            .with(json!({"headers": headers, "generator": generator}))
    };
    Samples::new()
        .reports(site(&["Content-Type: text/html", "Server: nginx/1.24.0"], None))
        .reports(site(&["Server: nginx", "X-Powered-By: PHP/8.1"], None))
        .reports(site(&["X-Jenkins: 2.440"], None))
        .reports(site(&["Server: Jetty(10.0.18)"], None))
        .reports(site(&[], Some("WordPress 6.4.1")))
        .near_miss(site(&["Server: nginx", "X-Powered-By: PHP", "Via: 1.1 varnish", "Server: Apache/2"], Some("Hugo")))
        .near_miss(site(&["X-Frame-Options: DENY", "Server: example.com", "Server: h2o2.s3"], None))
        .near_miss(facts(Kind::Uri, "https://www.acme.test").absent(TaskName::HttpEnrich))
        .unknown(facts(Kind::Uri, "https://www.acme.test"))
        .unknown(site(&["Server: nginx/1.24.0"], None).failed(TaskName::HttpEnrich))
}
