//! Comma-separated values, safe to open in a spreadsheet.

use super::OPEN;
use crate::{Document, Format, words};
use ambit_api::csv::{line, list};
use ambit_api::exports::{Asset, Finding};
use ambit_model::issue::severity_name;

pub(super) const FORMAT: Format = Format {
    name: "csv",
    about: "comma-separated values for a spreadsheet",
    extension: "csv",
    usual_query: OPEN,
    takes_probes: false,
    begin,
    finding: Some(finding),
    asset: Some(asset),
    end: |_| {},
};

const FINDING: &[&str] = &[
    "severity",
    "title",
    "entity_type",
    "entity_name",
    "status",
    "assignee",
    "due_at",
    "confidence",
    "proof",
    "remediation",
    "references",
    "identifiers",
    "tags",
    "first_seen",
    "last_seen",
    "collection",
    "name",
    "uid",
];

const ASSET: &[&str] = &[
    "type",
    "name",
    "scoped",
    "addresses",
    "tcp_ports",
    "http_status",
    "http_title",
    "technologies",
    "open_issues",
    "tags",
    "first_seen",
    "last_seen",
    "collection",
    "uid",
];

fn begin(document: &mut Document) {
    let head = if document.head.of_entities { ASSET } else { FINDING };
    document.text.push_str(&line(head.iter().copied()));
}

fn finding(document: &mut Document, finding: &Finding) {
    let identifiers: Vec<&str> = finding.identifiers.iter().map(|identifier| identifier.name.as_str()).collect();
    row(
        document,
        &[
            severity_name(finding.severity),
            &finding.title,
            finding.entity_type.0.name(),
            &finding.entity_name,
            finding.status.0.name(),
            finding.assignee.as_deref().unwrap_or_default(),
            &finding.due_at.map(|due| due.to_string()).unwrap_or_default(),
            finding.confidence.0.name(),
            words::message(finding),
            finding.remediation.as_deref().unwrap_or_default(),
            &finding.references.join(" "),
            &identifiers.join(" "),
            &list(finding.tags.iter().map(String::as_str)),
            &finding.first_seen.to_string(),
            &finding.last_seen.to_string(),
            &finding.collection,
            &finding.name,
            &finding.uid.to_string(),
        ],
    );
}

fn asset(document: &mut Document, asset: &Asset) {
    let ports: Vec<String> = asset.tcp_ports.iter().map(i64::to_string).collect();
    row(
        document,
        &[
            asset.kind.0.name(),
            &asset.name,
            if asset.scoped { "true" } else { "false" },
            &asset.addresses.join(" "),
            &ports.join(" "),
            &asset.http_status.map(|status| status.to_string()).unwrap_or_default(),
            asset.http_title.as_deref().unwrap_or_default(),
            &list(asset.technologies.iter().map(String::as_str)),
            &asset.open_issues.to_string(),
            &list(asset.tags.iter().map(String::as_str)),
            &asset.first_seen.to_string(),
            &asset.last_seen.to_string(),
            &asset.collection,
            &asset.uid.to_string(),
        ],
    );
}

fn row(document: &mut Document, cells: &[&str]) {
    document.text.push_str(&line(cells.iter().copied()));
}
