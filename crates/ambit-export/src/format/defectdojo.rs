//! DefectDojo's generic findings.

use super::OPEN;
use crate::words::{advisories, as_it_was, cves, cwes, evidence, files, severity_title};
use crate::{Document, Format};
use ambit_api::exports::Finding;
use ambit_model::Kind;
use ambit_model::issue::{Confidence, Status};
use serde_json::{Value, json};

pub(super) const FORMAT: Format = Format {
    name: "defectdojo",
    about: "generic findings for DefectDojo",
    extension: "json",
    usual_query: OPEN,
    takes_probes: false,
    begin,
    finding: Some(finding),
    asset: None,
    end: |document| document.text.push_str("\n]}\n"),
};

/// Characters of a title that DefectDojo keeps.
const TITLE_CHARS_MAX: usize = 500;

fn begin(document: &mut Document) {
    let about = as_it_was(&document.head).map(|said| format!("\"description\":{},", json!(said)));
    let about = about.unwrap_or_default();
    document.text.push_str(&format!("{{\"name\":\"Ambit\",\"type\":\"Ambit\",{about}\"findings\":["));
}

fn finding(document: &mut Document, finding: &Finding) {
    let status = finding.status.0;
    let title: String = format!("{}: {}", finding.title, finding.entity_name).chars().take(TITLE_CHARS_MAX).collect();
    let mut tags = finding.tags.clone();
    tags.push(finding.category.clone());
    let steps: Vec<String> =
        crate::reproduce(&finding.name, &finding.evidence).into_iter().chain([evidence(finding)]).collect();
    let mut row = json!({
        "title": title,
        "severity": severity_title(finding.severity),
        "description": finding.description,
        "mitigation": finding.remediation.as_deref().unwrap_or_default(),
        "steps_to_reproduce": steps.join("\n"),
        "references": finding.references.join("\n"),
        "date": finding.first_seen.date(),
        "active": status.is_open(),
        "verified": finding.confidence.0 == Confidence::Confirmed,
        "false_p": matches!(status, Status::ClosedFalsePositive | Status::ClosedNoRepro),
        "out_of_scope": status == Status::ClosedOutOfScope,
        "risk_accepted": status == Status::ClosedRiskAccepted,
        "is_mitigated": !status.is_open() && !status.rests_on_fact(),
        "static_finding": false,
        "dynamic_finding": true,
        "unique_id_from_tool": finding.uid.to_string(),
        "vuln_id_from_tool": finding.name,
        "tags": tags,
    });
    let (paths, line) = files(finding);
    if let Some(path) = paths.first() {
        row["file_path"] = json!(path);
        (row["static_finding"], row["dynamic_finding"]) = (json!(true), json!(false));
    }
    if let Some(line) = line {
        row["line"] = json!(line);
    }
    let endpoints = endpoints(finding);
    if !endpoints.is_empty() {
        row["endpoints"] = json!(endpoints);
    } else {
        row["component_name"] = json!(finding.entity_name);
    }
    if let Some(weakness) = cwes(finding).first() {
        row["cwe"] = json!(weakness);
    }
    let vulnerabilities: Vec<&str> = cves(finding).chain(advisories(finding)).map(|id| id.name.as_str()).collect();
    if !vulnerabilities.is_empty() {
        row["vulnerability_ids"] = json!(vulnerabilities);
    }
    document.element(&row);
}

/// Where it is, as a URL or as a host with its port. What has neither has none.
fn endpoints(finding: &Finding) -> Vec<Value> {
    let name = finding.entity_name.as_str();
    match finding.entity_type.0 {
        Kind::Uri | Kind::ApiEndpoint if name.contains("://") => vec![json!(name)],
        Kind::Domain | Kind::DnsRecord | Kind::Mailserver | Kind::Nameserver => vec![json!({"host": name})],
        Kind::IpAddress => vec![json!({"host": name})],
        Kind::NetworkService => service(name).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// `203.0.113.9:23/tcp`, and `[2001:db8::1]:23/tcp`.
fn service(name: &str) -> Option<Value> {
    let (place, protocol) = name.rsplit_once('/')?;
    let (host, port) = place.rsplit_once(':')?;
    let port: u16 = port.parse().ok()?;
    Some(json!({"host": host.trim_matches(['[', ']']), "port": port, "protocol": protocol}))
}
