//! A page without the headers that protect its readers.

use super::{Judge, Rule};
use crate::look;
use crate::site;
use ambit_model::entity::uri;
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_INFO, Verdict};
use ambit_model::{Facts, Kind, TaskName, Timestamp};
use serde_json::json;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "missing_security_headers",
        pretty_name: "Important security headers are missing",
        severity: SEVERITY_INFO,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "The page is sent without one or more of the headers that make browsers guard against common \
                      attacks: forced encryption, allowed sources of content, guessing of content types, and being \
                      framed by other sites.",
        remediation: "Send Strict-Transport-Security (over HTTPS), Content-Security-Policy with frame-ancestors, and \
                      X-Content-Type-Options: nosniff with every page. Begin with a policy that only reports and \
                      tighten it.",
        references: &[
            ("https://owasp.org/www-project-secure-headers/", "description"),
            ("https://cheatsheetseries.owasp.org/cheatsheets/HTTP_Headers_Cheat_Sheet.html", "remediation"),
            ("https://cwe.mitre.org/data/definitions/693.html", "description"),
        ],
    },
    applies_to: &[Kind::Uri],
    reads: &[TaskName::HttpEnrich],
    judge: Rule::Own(judge),
};

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    if site::host_name(facts).is_none() {
        return Verdict::Clear;
    }
    look::after(facts, TaskName::HttpEnrich, |facts| {
        if !site::is_page(facts) {
            return Vec::new();
        }
        let missing = missing(facts);
        if missing.is_empty() {
            return Vec::new();
        }
        let description = format!("{} is sent without {}.", facts.name, missing.join(", "));
        vec![look::proof(description, json!({"uri": facts.name, "missing": missing}))]
    })
}

/// The protections that the page lacks, by the header that gives them.
fn missing(facts: &Facts) -> Vec<&'static str> {
    let policies: Vec<String> = site::header(facts, "content-security-policy").map(str::to_ascii_lowercase).collect();
    let framing = policies.iter().any(|policy| policy.contains("frame-ancestors"))
        || site::header(facts, "x-frame-options").next().is_some();
    let transport = !site::is_encrypted(facts) || site::header(facts, "strict-transport-security").next().is_some();
    let sniffing = site::header(facts, "x-content-type-options").any(|value| value.eq_ignore_ascii_case("nosniff"));
    // In a page browsers heed a policy as well, but for who may frame it.
    let policy = !policies.is_empty() || uri::PAGE_POLICIES.texts(&facts.details).next().is_some();
    [
        (policy, "Content-Security-Policy"),
        (transport, "Strict-Transport-Security"),
        (sniffing, "X-Content-Type-Options"),
        (framing, "X-Frame-Options or frame-ancestors"),
    ]
    .into_iter()
    .filter_map(|(there, name)| (!there).then_some(name))
    .collect()
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::{Samples, Told, facts};
    let page = |name: &str, code: &str, headers: &[&str]| {
        facts(Kind::Uri, name).found(TaskName::HttpEnrich).with(json!({"code": code, "headers": headers}))
    };
    let html = "Content-Type: text/html";
    let nosniff = "X-Content-Type-Options: nosniff";
    let policy = "content-security-policy: default-src 'self'; frame-ancestors 'none'";
    let all = [html, nosniff, policy, "Strict-Transport-Security: max-age=63072000"];
    Samples::new()
        .reports(page("https://www.acme.test", "200", &[html]))
        .reports(page("https://www.acme.test", "200", &all[..3]))
        .reports(page("http://www.acme.test", "200", &[html, policy]))
        .near_miss(page("https://www.acme.test", "200", &all))
        .near_miss(page("http://www.acme.test", "200", &all[..3]))
        .near_miss(
            page("http://www.acme.test", "200", &[html, nosniff, "X-Frame-Options: DENY"])
                .with(json!({"hidden_page_policies": ["default-src 'self'"]})),
        )
        .reports(
            page("http://www.acme.test", "200", &[html, nosniff])
                .with(json!({"hidden_page_policies": ["default-src 'self'; frame-ancestors 'none'"]})),
        )
        .near_miss(page("https://www.acme.test", "301", &[html]))
        .near_miss(page("https://api.acme.test", "200", &["Content-Type: application/json"]))
        .near_miss(page("https://192.0.2.1", "200", &[html]))
        .unknown(facts(Kind::Uri, "https://www.acme.test"))
        .unknown(page("https://www.acme.test", "200", &[html]).failed(TaskName::HttpEnrich))
}
