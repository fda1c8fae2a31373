//! A site whose certificate is for other names.

use super::{Judge, Rule};
use crate::look;
use crate::site;
use ambit_model::entity::{domain, uri};
use ambit_model::facts::ProbeOutcome;
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_MEDIUM, Verdict};
use ambit_model::{EdgeKind, Facts, Kind, TaskName, Timestamp};
use serde_json::json;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "invalid_certificate_name",
        pretty_name: "Certificate does not match the host name",
        severity: SEVERITY_MEDIUM,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "The site answers over TLS with a certificate that does not name it. Browsers warn and programs \
                      refuse. Often the server has no certificate for this name and sends the one of its default site.",
        remediation: "Issue a certificate that has this name among its alternative names and configure the server to \
                      send it for this name. If the name is no longer used, remove its DNS record.",
        references: &[
            ("https://www.rfc-editor.org/rfc/rfc9525", "description"),
            ("https://cwe.mitre.org/data/definitions/297.html", "description"),
            ("https://cheatsheetseries.owasp.org/cheatsheets/Transport_Layer_Security_Cheat_Sheet.html", "remediation"),
        ],
    },
    applies_to: &[Kind::Uri],
    reads: &[TaskName::HttpEnrich],
    judge: Rule::Own(judge),
};

/// Names of the certificate that a proof repeats; certificates of providers hold hundreds.
const NAMES_MAX: usize = 20;

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    let Some(host) = site::host_name(facts).filter(|_| site::is_encrypted(facts)) else {
        return Verdict::Clear;
    };
    let names = || uri::ALT_NAMES.texts(&facts.details);
    let seen = uri::CERTIFICATE_CHAIN.items(&facts.details).next().is_some() || names().next().is_some();
    let is_covered = names().any(|name| covers(name, host));
    let turned_away = turned_away(facts);
    if seen && !is_covered && turned_away.is_some_and(|code| code >= 500) {
        // A server that cannot answer now does not say whether it knows the name.
        return Verdict::Unknown;
    }
    let verdict = look::after(facts, TaskName::HttpEnrich, |_| {
        let mut names = site::sorted(names());
        if !seen || is_covered || turned_away.is_some() {
            return Vec::new();
        }
        names.truncate(NAMES_MAX);
        let description = format!("The certificate that is served for {host} does not name it.");
        vec![look::proof(description, json!({"host": host, "names": names}))]
    });
    // Without any certificate among the facts, nobody looked at one.
    if verdict == Verdict::Clear && !seen && facts.outcome(TaskName::HttpEnrich) == Some(ProbeOutcome::Found) {
        Verdict::Unknown
    } else {
        verdict
    }
}

/// The status by which the server turns away whoever asks for the name over TLS, where the name has a page of its own
/// over plain HTTP, at the port that browsers ask: the server does not know the name over TLS, and no visitor is led
/// there. Of many such names on one server each would be told the same of its default site. A page at another port says
/// nothing of the name: most servers there answer for any.
fn turned_away(facts: &Facts) -> Option<u16> {
    let code = |text: &str| text.parse::<u16>().ok();
    let mut sites = facts.from(EdgeKind::Site).flat_map(|name| domain::SITES.items(&name.details));
    let is_page = |site: &domain::SiteSeen| code(&site.code).is_some_and(|code| (200..300).contains(&code));
    let is_browsed = |site: &domain::SiteSeen| site.uri.starts_with("http://") && site.uri.ends_with(":80");
    let status = uri::CODE.text(&facts.details).and_then(code).filter(|code| *code >= 400)?;
    sites.any(|site| is_browsed(&site) && is_page(&site)).then_some(status)
}

/// RFC 9525 §6.3: equal but for letter case, or `*` as the whole leftmost label for exactly one label.
fn covers(name: &str, host: &str) -> bool {
    let name = name.to_ascii_lowercase();
    match name.strip_prefix("*.") {
        Some(parent) => host.split_once('.').is_some_and(|(_, rest)| rest == parent),
        None => name == host,
    }
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::{Samples, Told, facts, neighbour};
    let site = |name: &str, names: &[&str]| {
        let chain = json!([{"subjectCommonName": "x"}]);
        facts(Kind::Uri, name).found(TaskName::HttpEnrich).with(json!({"alt_names": names, "certificate_chain": chain}))
    };
    let in_plain = |port: u16, code: &str, plain: &str| {
        let uri = format!("http://www.acme.test:{port}");
        let sites = json!({"hidden_sites": [{"uri": uri, "address": format!("192.0.2.1:{port}"), "code": plain}]});
        let name = neighbour(EdgeKind::Site, Kind::DnsRecord, "www.acme.test", true, sites);
        site("https://www.acme.test", &["other.example"]).with(json!({"code": code})).led_from(name)
    };
    Samples::new()
        .reports(site("https://www.acme.test", &["other.example"]))
        .reports(site("https://www.acme.test", &[]))
        .reports(site("https://a.b.acme.test:8443", &["*.acme.test"]))
        .reports(site("https://acme.test", &["*.acme.test"]))
        .near_miss(site("https://www.acme.test", &["WWW.acme.test"]))
        .near_miss(site("https://www.acme.test", &["*.acme.test"]))
        .near_miss(in_plain(80, "404", "200"))
        .unknown(in_plain(80, "503", "200"))
        .reports(in_plain(80, "200", "200"))
        .reports(in_plain(80, "404", "301"))
        .reports(in_plain(8080, "404", "200"))
        .near_miss(site("https://192.0.2.1", &["www.acme.test"]))
        .near_miss(site("http://www.acme.test", &["other.example"]))
        .near_miss(facts(Kind::Uri, "https://www.acme.test").absent(TaskName::HttpEnrich))
        .unknown(facts(Kind::Uri, "https://www.acme.test"))
        .unknown(facts(Kind::Uri, "https://www.acme.test").found(TaskName::HttpEnrich))
        .unknown(site("https://www.acme.test", &["other.example"]).failed(TaskName::HttpEnrich))
}
