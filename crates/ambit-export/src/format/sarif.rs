//! SARIF 2.1.0: each issue a result, each kind of issue a rule.

use super::OPEN;
use crate::exchange::{Message, beginning, first, message as parts};
use crate::words::{address, files, is_decided, message};
use crate::{Document, Format};
use ambit_api::exports::Finding;
use ambit_model::issue::severity_name;
use ambit_model::percent::escaped_but;
use serde_json::{Value, json};

pub(super) const FORMAT: Format = Format {
    name: "sarif",
    about: "SARIF 2.1.0 for code hosts and editors",
    extension: "sarif",
    usual_query: OPEN,
    takes_probes: true,
    begin: |document| document.text.push_str("{\"version\":\"2.1.0\",\"runs\":[{\"results\":["),
    finding: Some(finding),
    asset: None,
    end,
};

/// Where a rule has no page of its own.
const TOOL: &str = "ambit";

fn finding(document: &mut Document, finding: &Finding) {
    document.kept.kind(finding);
    let mut result = json!({
        "ruleId": finding.name,
        "kind": "fail",
        "level": level(finding.severity),
        "message": {"text": format!("{}: {}", finding.entity_name, message(finding))},
        "locations": locations(finding),
        "partialFingerprints": {"ambitIssue/v1": finding.uid.to_string()},
        "provenance": {
            "firstDetectionTimeUtc": finding.first_seen.to_string(),
            "lastDetectionTimeUtc": finding.last_seen.to_string(),
        },
        "properties": {
            "severity": severity_name(finding.severity),
            "confidence": finding.confidence,
            "status": finding.status,
            "entityType": finding.entity_type,
            "collection": finding.collection,
            "evidence": finding.evidence,
            "tags": finding.tags,
        },
    });
    if let Some(since) = document.head.since {
        result["baselineState"] = json!(if finding.is_new_since(since) { "new" } else { "unchanged" });
    }
    if let Some((request, answer)) = first(finding).and_then(|(asked, came)| Some((parts(asked)?, parts(came)?))) {
        result["webRequest"] = web_request(&request);
        result["webResponse"] = web_response(&answer);
    }
    if is_decided(finding.status.0) {
        let why = finding.reason.as_deref().unwrap_or(finding.status.0.name());
        result["suppressions"] = json!([{"kind": "external", "status": "accepted", "justification": why}]);
    }
    document.element(&result);
}

/// The files of a repository by their paths there, which is how code hosts show them; else the entity.
fn locations(finding: &Finding) -> Vec<Value> {
    let (paths, line) = files(finding);
    let mut places: Vec<Value> =
        paths.iter().map(|path| json!({"artifactLocation": {"uri": escaped_but(path, b"/@")}})).collect();
    if places.is_empty() {
        places.push(json!({"artifactLocation": {"uri": address(finding.entity_type.0, &finding.entity_name)}}));
    }
    if let (Some(line), Some(place)) = (line, places.first_mut()) {
        place["region"] = json!({"startLine": line});
    }
    let named = json!([{"fullyQualifiedName": finding.entity_name, "kind": "resource"}]);
    places.into_iter().map(|place| json!({"physicalLocation": place, "logicalLocations": named})).collect()
}

fn end(document: &mut Document) {
    let rules: Vec<Value> = document.kept.kinds.values().map(rule).collect();
    let driver = json!({"name": TOOL, "version": document.head.version, "rules": rules});
    let invocation = json!([{"executionSuccessful": true, "endTimeUtc": document.head.made_at.to_string()}]);
    let of_the_past = document.head.as_of.map(|moment| format!(",\"properties\":{}", json!({"asOf": moment})));
    document.text.push_str(&format!(
        "\n],\"tool\":{},\"invocations\":{invocation},\"columnKind\":\"utf16CodeUnits\"{}}}]}}\n",
        json!({"driver": driver}),
        of_the_past.unwrap_or_default(),
    ));
}

/// SARIF 2.1.0 §3.46.
fn web_request(request: &Message<'_>) -> Value {
    let mut words = request.first_line.split(' ');
    let (method, target, version) = (words.next(), words.next(), words.next());
    let mut told = of_message(request);
    told["method"] = json!(method.unwrap_or_default());
    told["target"] = json!(target.unwrap_or_default());
    set_protocol(&mut told, version);
    told
}

/// SARIF 2.1.0 §3.47.
fn web_response(answer: &Message<'_>) -> Value {
    let mut words = answer.first_line.splitn(3, ' ');
    let (version, code, reason) = (words.next(), words.next(), words.next());
    let mut told = of_message(answer);
    if let Some(code) = code.and_then(|code| code.parse::<u16>().ok()) {
        told["statusCode"] = json!(code);
    }
    told["reasonPhrase"] = json!(reason.unwrap_or_default());
    set_protocol(&mut told, version);
    told
}

fn set_protocol(told: &mut Value, version: Option<&str>) {
    if let Some((protocol, version)) = version.and_then(|version| version.split_once('/')) {
        told["protocol"] = json!(protocol);
        told["version"] = json!(version);
    }
}

fn of_message(message: &Message<'_>) -> Value {
    let mut headers = serde_json::Map::new();
    for (name, value) in &message.headers {
        // Of a header that comes twice both values stand, as RFC 9110 §5.3 joins them.
        let all = headers.get(*name).and_then(Value::as_str).map(|before| format!("{before}, {value}"));
        headers.insert((*name).to_owned(), json!(all.unwrap_or_else(|| (*value).to_owned())));
    }
    let mut told = json!({"headers": headers});
    let (body, _) = beginning(message.body);
    if !body.is_empty() {
        told["body"] = json!({"text": body});
    }
    told
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
