//! SARIF 2.1.0: each issue a result, each kind of issue a rule.

use super::OPEN;
use crate::words::{address, is_decided, message, severity};
use crate::{Document, Format};
use ambit_api::exports::Finding;
use serde_json::{Value, json};

pub(super) const FORMAT: Format = Format {
    name: "sarif",
    about: "SARIF 2.1.0 for code hosts and editors",
    extension: "sarif",
    usual_query: OPEN,
    begin: |document| document.text.push_str("{\"version\":\"2.1.0\",\"runs\":[{\"results\":["),
    finding: Some(finding),
    asset: None,
    end,
};

/// Where a rule has no page of its own.
const TOOL: &str = "ambit";

fn finding(document: &mut Document, finding: &Finding) {
    document.kept.kind(finding);
    let target = address(finding.entity_type.0, &finding.entity_name);
    let mut result = json!({
        "ruleId": finding.name,
        "kind": "fail",
        "level": level(finding.severity),
        "message": {"text": format!("{}: {}", finding.entity_name, message(finding))},
        "locations": [{
            "physicalLocation": {"artifactLocation": {"uri": target}},
            "logicalLocations": [{"fullyQualifiedName": finding.entity_name, "kind": "resource"}],
        }],
        "partialFingerprints": {"ambitIssue/v1": finding.uid.to_string()},
        "provenance": {
            "firstDetectionTimeUtc": finding.first_seen.to_string(),
            "lastDetectionTimeUtc": finding.last_seen.to_string(),
        },
        "properties": {
            "severity": severity(finding.severity),
            "confidence": finding.confidence,
            "status": finding.status,
            "entityType": finding.entity_type,
            "collection": finding.collection,
            "evidence": finding.evidence,
            "tags": finding.tags,
        },
    });
    if let Some(since) = document.head.since {
        result["baselineState"] = json!(if finding.first_seen > since { "new" } else { "unchanged" });
    }
    if is_decided(finding.status.0) {
        let why = finding.reason.as_deref().unwrap_or(finding.status.0.name());
        result["suppressions"] = json!([{"kind": "external", "status": "accepted", "justification": why}]);
    }
    document.element(&result);
}

fn end(document: &mut Document) {
    let rules: Vec<Value> = document.kept.kinds.values().map(rule).collect();
    let driver = json!({"name": TOOL, "version": document.head.version, "rules": rules});
    let invocation = json!([{"executionSuccessful": true, "endTimeUtc": document.head.made_at.to_string()}]);
    document.text.push_str(&format!(
        "\n],\"tool\":{},\"invocations\":{invocation},\"columnKind\":\"utf16CodeUnits\"}}]}}\n",
        json!({"driver": driver})
    ));
}

fn rule(finding: &Finding) -> Value {
    let mut rule = json!({
        "id": finding.name,
        "shortDescription": {"text": finding.title},
        "fullDescription": {"text": finding.description},
        "help": {"text": finding.remediation.as_deref().unwrap_or(&finding.description)},
        "defaultConfiguration": {"level": level(finding.severity)},
        "properties": {"security-severity": score(finding.severity), "tags": ["security", finding.category]},
    });
    if let Some(reference) = finding.references.iter().find(|uri| uri.starts_with("http")) {
        rule["helpUri"] = json!(reference);
    }
    rule
}

fn level(severity: i64) -> &'static str {
    match severity {
        1 | 2 => "error",
        3 => "warning",
        _ => "note",
    }
}

/// Code hosts sort by a number from 0 to 10 and have bands for it: over 9 is critical, 7 high, 4 medium.
fn score(severity: i64) -> &'static str {
    match severity {
        1 => "9.5",
        2 => "8.0",
        3 => "5.5",
        4 => "2.5",
        _ => "0.0",
    }
}
