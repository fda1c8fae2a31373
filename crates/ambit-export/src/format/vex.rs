//! CycloneDX 1.6 VEX: each issue a vulnerability with its analysis, each entity that it affects a component.

use super::OPEN;
use crate::words::{cwes, evidence, vulnerability as known_by};
use crate::{Document, Format};
use ambit_api::exports::Finding;
use ambit_model::Kind;
use ambit_model::issue::severity_name;
use ambit_model::issue::{Confidence, Status};
use serde_json::{Value, json};
use uuid::Uuid;

pub(super) const FORMAT: Format = Format {
    name: "vex",
    about: "CycloneDX 1.6 VEX: issues with their analysis",
    extension: "cdx.json",
    usual_query: OPEN,
    takes_probes: false,
    begin,
    finding: Some(finding),
    asset: None,
    end,
};

fn begin(document: &mut Document) {
    let head = &document.head;
    let serial = Uuid::new_v5(&Uuid::NAMESPACE_URL, format!("ambit vex {} {}", head.made_at, head.query).as_bytes());
    let tool = json!({"type": "application", "name": "ambit", "version": head.version});
    let mut metadata = json!({"timestamp": head.made_at.to_string(), "tools": {"components": [tool]}});
    if let Some(moment) = head.as_of {
        metadata["properties"] = json!([{"name": "ambit:as_of", "value": moment.to_string()}]);
    }
    document.text.push_str(&format!(
        "{{\"bomFormat\":\"CycloneDX\",\"specVersion\":\"1.6\",\"serialNumber\":\"urn:uuid:{serial}\",\"version\":1,\
         \"metadata\":{metadata},\"vulnerabilities\":["
    ));
}

fn finding(document: &mut Document, finding: &Finding) {
    document.kept.entity(finding.entity_uid, finding.entity_type.0, &finding.entity_name);
    let (state, response) = analysis(finding);
    let mut vulnerability = json!({
        "bom-ref": finding.uid.to_string(),
        "id": known_by(finding).unwrap_or(finding.name.as_str()),
        "source": {"name": "ambit"},
        "ratings": [{"source": {"name": "ambit"}, "severity": severity_name(finding.severity), "method": "other"}],
        "description": finding.title,
        "detail": finding.description,
        "created": finding.first_seen.to_string(),
        "updated": finding.last_seen.to_string(),
        "analysis": {
            "state": state,
            "detail": format!("{}\n{}", finding.status.0.name(), evidence(finding)).trim(),
            "firstIssued": finding.first_seen.to_string(),
            "lastUpdated": finding.changed.to_string(),
        },
        "affects": [{"ref": finding.entity_uid.to_string()}],
    });
    if let Some(remedy) = &finding.remediation {
        vulnerability["recommendation"] = json!(remedy);
    }
    if let Some(response) = response {
        vulnerability["analysis"]["response"] = json!([response]);
    }
    let advisories: Vec<Value> = finding.references.iter().map(|uri| json!({"url": uri})).collect();
    if !advisories.is_empty() {
        vulnerability["advisories"] = json!(advisories);
    }
    let weaknesses = cwes(finding);
    if !weaknesses.is_empty() {
        vulnerability["cwes"] = json!(weaknesses);
    }
    document.element(&vulnerability);
}

fn end(document: &mut Document) {
    document.text.push_str("\n],\"components\":[");
    document.rows = 0;
    for (uid, (kind, name)) in std::mem::take(&mut document.kept.entities) {
        document.element(&json!({"type": component(kind), "bom-ref": uid.to_string(), "name": name}));
    }
    document.text.push_str("\n]}\n");
}

fn component(kind: Kind) -> &'static str {
    match kind {
        Kind::Uri | Kind::ApiEndpoint => "application",
        Kind::IpAddress => "device",
        Kind::SslCertificate | Kind::PreCertificate => "cryptographic-asset",
        _ => "platform",
    }
}

/// The state of the analysis, and what was decided to be done.
fn analysis(finding: &Finding) -> (&'static str, Option<&'static str>) {
    match finding.status.0 {
        Status::Closed | Status::ClosedMitigated | Status::ClosedResolved => ("resolved", None),
        Status::ClosedFalsePositive | Status::ClosedNoRepro => ("false_positive", None),
        Status::ClosedBenign | Status::ClosedOutOfScope => ("not_affected", None),
        Status::ClosedRiskAccepted => ("exploitable", Some("will_not_fix")),
        Status::ClosedDuplicate | Status::ClosedTrackedExternally => ("exploitable", None),
        Status::OpenNew | Status::OpenTriaged | Status::OpenInProgress => match finding.confidence.0 {
            Confidence::Confirmed => ("exploitable", None),
            Confidence::Potential => ("in_triage", None),
        },
    }
}
