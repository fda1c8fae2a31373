//! What several formats say alike: severities, statuses, entities as addresses, text that a page cannot mistake for its
//! own.

use crate::Head;
use ambit_api::exports::Finding;
use ambit_model::entity::NameForm;
use ambit_model::hidden::is_hidden;
use ambit_model::issue::{Identifier, Status};
use ambit_model::percent::escaped_but;
use ambit_model::{Kind, Timestamp};

/// The word of a severity with a capital letter.
pub(crate) fn severity_title(severity: i64) -> &'static str {
    match severity {
        1 => "Critical",
        2 => "High",
        3 => "Medium",
        4 => "Low",
        _ => "Info",
    }
}

/// An address that names an entity: its own where it is a URL, else `dns:`, `ip:` and so on with its name escaped.
pub(crate) fn address(kind: Kind, name: &str) -> String {
    let scheme = match kind.form() {
        NameForm::Url if name.contains("://") => return uri(name),
        NameForm::Url => "uri",
        NameForm::Host => "dns",
        NameForm::Address => "ip",
        NameForm::Mailbox => "mailto",
        NameForm::Port => "service",
        NameForm::Certificate => "certificate",
        NameForm::Other => "entity",
    };
    format!("{scheme}:{}", escaped_but(name, b":/@"))
}

/// The files of a repository in which a finding is, by their paths there, and the line where one is told. An issue of
/// another entity has none.
pub(crate) fn files(finding: &Finding) -> (Vec<&str>, Option<u64>) {
    if !Kind::REPOSITORIES.contains(&finding.entity_type.0) {
        return (Vec::new(), None);
    }
    let one = finding.evidence["path"].as_str().filter(|path| !path.is_empty());
    let several = finding.evidence["paths"].as_array().into_iter().flatten().filter_map(serde_json::Value::as_str);
    let line = finding.evidence["line"].as_u64().filter(|line| one.is_some() && *line > 0);
    (one.into_iter().chain(several).take(FILES_MAX).collect(), line)
}

/// Files of one finding that are listed.
const FILES_MAX: usize = 50;

/// A URL with nothing in it but what a URI may hold (RFC 3986 §2).
pub(crate) fn uri(url: &str) -> String {
    escaped_but(url, b":/?#[]@!$&'()*+,;=%")
}

/// `2026-11-23 09:41 UTC`.
pub(crate) fn minute(moment: Timestamp) -> String {
    let text = moment.to_string();
    format!("{} {} UTC", &text[..10], &text[11..16])
}

/// `As it was at 2026-11-23 09:41 UTC.`; `None` for a document of the present.
pub(crate) fn as_it_was(head: &Head) -> Option<String> {
    head.as_of.map(|moment| format!("As it was at {}.", minute(moment)))
}

/// Text that stands between tags or in an attribute of a page, without hidden characters.
pub(crate) fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            c if is_hidden(c) => {}
            c => out.push(c),
        }
    }
    out
}

/// Identifiers that begin with `CVE-`.
pub(crate) fn cves(finding: &Finding) -> impl Iterator<Item = &Identifier> {
    finding.identifiers.iter().filter(|identifier| identifier.name.starts_with("CVE-"))
}

/// Identifiers of vulnerabilities in other databases, such as `GHSA-` and `MAL-`.
pub(crate) fn advisories(finding: &Finding) -> impl Iterator<Item = &Identifier> {
    let is_of_another = |name: &str| !name.starts_with("CVE-") && !name.starts_with("CWE-");
    finding.identifiers.iter().filter(move |identifier| is_of_another(&identifier.name))
}

/// What the vulnerability is known by that a finding is of: its CVE id, else that of another database.
pub(crate) fn vulnerability(finding: &Finding) -> Option<&str> {
    cves(finding).chain(advisories(finding)).next().map(|identifier| identifier.name.as_str())
}

/// Where weaknesses of the common list are described: the number follows.
const WEAKNESSES: &str = "https://cwe.mitre.org/data/definitions/";

/// The numbers of the common weaknesses that identifiers and references name, each once.
pub(crate) fn cwes(finding: &Finding) -> Vec<u32> {
    let named = finding.identifiers.iter().filter_map(|identifier| identifier.name.strip_prefix("CWE-"));
    let linked = finding.references.iter().filter_map(|uri| uri.strip_prefix(WEAKNESSES)?.strip_suffix(".html"));
    let mut numbers: Vec<u32> = Vec::new();
    for number in named.chain(linked).filter_map(|number| number.parse().ok()) {
        if !numbers.contains(&number) {
            numbers.push(number);
        }
    }
    numbers
}

/// Returns one sentence: the proof, or else the description of the issue.
pub(crate) fn message(finding: &Finding) -> &str {
    if finding.proof.is_empty() { &finding.description } else { &finding.proof }
}

/// What was seen, as a text: the sentence, and the facts it rests on.
pub(crate) fn evidence(finding: &Finding) -> String {
    let mut lines = Vec::new();
    if !finding.proof.is_empty() && finding.proof != finding.description {
        lines.push(finding.proof.clone());
    }
    for (name, value) in finding.evidence.as_object().into_iter().flatten() {
        let shown = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        lines.push(format!("{name}: {shown}"));
    }
    lines.join("\n")
}

/// Whether a person closed it by a decision that holds while the fact stays.
pub(crate) fn is_decided(status: Status) -> bool {
    !status.is_open() && status.rests_on_fact()
}
