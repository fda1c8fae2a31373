//! What several formats say alike: severities, statuses, entities as addresses, text that a page cannot mistake for its
//! own.

use ambit_api::exports::Finding;
use ambit_model::Kind;
use ambit_model::issue::{Identifier, Status};

/// The word of a severity: 1 is critical, 5 informational.
pub(crate) fn severity(severity: i64) -> &'static str {
    match severity {
        1 => "critical",
        2 => "high",
        3 => "medium",
        4 => "low",
        _ => "info",
    }
}

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
    if kind.is_url() && name.starts_with("http") {
        return escaped(name, b":/?#[]@!$&'()*+,;=%");
    }
    let scheme = match kind {
        kind if kind.is_url() => "uri",
        Kind::AwsEC2Instance | Kind::Domain | Kind::DnsRecord | Kind::Mailserver | Kind::Nameserver => "dns",
        Kind::IpAddress | Kind::NetBlock => "ip",
        Kind::EmailAddress => "mailto",
        Kind::NetworkService => "service",
        Kind::SslCertificate | Kind::PreCertificate => "certificate",
        _ => "entity",
    };
    format!("{scheme}:{}", escaped(name, b":/@"))
}

/// Everything but unreserved characters and `also`, percent-escaped.
fn escaped(text: &str, also: &[u8]) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) || also.contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// Text that stands between tags or in an attribute of a page. Control characters, which a page cannot show, and those
/// that turn the direction of writing are left out.
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
            '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' => {}
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

/// Identifiers that begin with `CVE-`.
pub(crate) fn cves(finding: &Finding) -> impl Iterator<Item = &Identifier> {
    finding.identifiers.iter().filter(|identifier| identifier.name.starts_with("CVE-"))
}

/// Where weaknesses of the common list are described: the number follows.
const WEAKNESSES: &str = "https://cwe.mitre.org/data/definitions/";

/// The numbers of the common weaknesses that identifiers and references name.
pub(crate) fn cwes(finding: &Finding) -> Vec<u32> {
    let named = finding.identifiers.iter().filter_map(|identifier| identifier.name.strip_prefix("CWE-"));
    let linked = finding.references.iter().filter_map(|uri| uri.strip_prefix(WEAKNESSES)?.strip_suffix(".html"));
    let mut numbers: Vec<u32> = named.chain(linked).filter_map(|number| number.parse().ok()).collect();
    numbers.dedup();
    numbers
}

/// One sentence: what was seen, else what the issue is.
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
