//! OCSF 1.5.0 Detection Findings (class 2004), one event a line.

use super::OPEN;
use crate::words::{advisories, cves, evidence, severity_title};
use crate::{Document, Format};
use ambit_api::exports::Finding;
use ambit_model::issue::{Confidence, Status};
use serde_json::{Value, json};

pub(super) const FORMAT: Format = Format {
    name: "ocsf",
    about: "OCSF 1.5.0 detection findings, one JSON object a line",
    extension: "ocsf.jsonl",
    usual_query: OPEN,
    takes_probes: false,
    begin: |_| {},
    finding: Some(finding),
    asset: None,
    end: |_| {},
};

/// Detection Finding, in the category Findings.
const CLASS: u64 = 2004;

fn finding(document: &mut Document, finding: &Finding) {
    let (activity, activity_name) = activity(finding);
    let (status, status_name) = status(finding.status.0);
    let (confidence, confidence_name) = match finding.confidence.0 {
        Confidence::Confirmed => (3, "High"),
        Confidence::Potential => (2, "Medium"),
    };
    let mut event = json!({
        "category_uid": 2,
        "category_name": "Findings",
        "class_uid": CLASS,
        "class_name": "Detection Finding",
        "type_uid": CLASS * 100 + activity,
        "type_name": format!("Detection Finding: {activity_name}"),
        "activity_id": activity,
        "activity_name": activity_name,
        "time": finding.changed.0,
        "severity_id": 6 - finding.severity.clamp(1, 5),
        "severity": if finding.severity >= 5 { "Informational" } else { severity_title(finding.severity) },
        "status_id": status,
        "status": status_name,
        "status_detail": finding.status,
        "confidence_id": confidence,
        "confidence": confidence_name,
        "message": format!("{}: {}", finding.title, finding.entity_name),
        "metadata": {
            "version": "1.5.0",
            "uid": finding.uid.to_string(),
            "product": {"name": "Ambit", "vendor_name": "Ambit", "version": document.head.version},
            "labels": finding.tags,
        },
        "finding_info": {
            "uid": finding.uid.to_string(),
            "title": finding.title,
            "desc": finding.description,
            "types": [finding.category],
            "analytic": {"uid": finding.name, "name": finding.title, "type": "Rule", "type_id": 1},
            "created_time": finding.first_seen.0,
            "first_seen_time": finding.first_seen.0,
            "last_seen_time": finding.last_seen.0,
            "modified_time": finding.changed.0,
        },
        "resources": [{
            "uid": finding.entity_uid.to_string(),
            "name": finding.entity_name,
            "type": finding.entity_type,
            "namespace": finding.collection,
        }],
        "raw_data": evidence(finding),
    });
    if let Some(remedy) = &finding.remediation {
        event["remediation"] = json!({"desc": remedy, "references": finding.references});
    }
    let known = cves(finding).map(|cve| json!({"cve": {"uid": cve.name}}));
    let others = advisories(finding).map(|advisory| json!({"advisory": {"uid": advisory.name}}));
    let vulnerabilities: Vec<Value> = known.chain(others).collect();
    if !vulnerabilities.is_empty() {
        event["vulnerabilities"] = json!(vulnerabilities);
    }
    document.text.push_str(&event.to_string());
    document.text.push('\n');
}

/// What the event tells of: an issue that came, changed, or is over.
fn activity(finding: &Finding) -> (u64, &'static str) {
    match finding.status.0 {
        status if !status.is_open() => (3, "Close"),
        _ if finding.changed > finding.first_seen => (2, "Update"),
        _ => (1, "Create"),
    }
}

fn status(status: Status) -> (u64, &'static str) {
    match status {
        Status::OpenNew | Status::OpenTriaged => (1, "New"),
        Status::OpenInProgress | Status::ClosedTrackedExternally => (2, "In Progress"),
        Status::Closed | Status::ClosedMitigated | Status::ClosedResolved => (4, "Resolved"),
        _ => (3, "Suppressed"),
    }
}
