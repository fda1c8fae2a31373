//! Records of NVD's API 2.0, and entries of the KEV catalogue.

use super::{list, text};
use crate::configuration::{Configuration, Criterion, Node, Operator};
use crate::vulnerability::{CveId, Cvss, DESCRIPTION_CHARS_MAX, Kev, REFERENCES_MAX, Vulnerability};
use serde_json::{Map, Value};

/// NVD's configurations lead: they are the ones that were made for CPE.
const RANK: u8 = 2;

/// Returns whether it is a record of NVD, alone or within the object in which its lists have it.
pub(super) fn is_record(record: &Map<String, Value>) -> bool {
    let of_nvd = |members: &Map<String, Value>| {
        members.get("id").and_then(Value::as_str).is_some_and(|id| id.starts_with("CVE-"))
            && (members.contains_key("configurations") || members.contains_key("vulnStatus"))
    };
    record.get("cve").and_then(Value::as_object).is_some_and(|cve| cve.contains_key("id")) || of_nvd(record)
}

/// Reads a record.
pub(super) fn record(mut record: Map<String, Value>) -> Result<(CveId, Vulnerability), String> {
    let cve = match record.remove("cve") {
        Some(cve @ Value::Object(_)) => cve,
        _ => Value::Object(record),
    };
    let id: CveId = text(&cve, "id").parse()?;
    let english = list(&cve, "descriptions").find(|one| text(one, "lang").starts_with("en"));
    let description = english.map(|one| text(one, "value")).unwrap_or_default();
    let weaknesses = list(&cve, "weaknesses").flat_map(|one| list(one, "description")).map(|one| text(one, "value"));
    let mut cwes: Vec<String> = weaknesses.filter(|cwe| cwe.starts_with("CWE-")).collect();
    cwes.dedup();
    let references = list(&cve, "references").map(|one| one.as_str().map_or_else(|| text(one, "url"), str::to_owned));
    let added = text(&cve, "cisaExploitAdd");
    let known = Vulnerability {
        title: text(&cve, "cisaVulnerabilityName"),
        description: description.chars().take(DESCRIPTION_CHARS_MAX).collect(),
        withdrawn: text(&cve, "vulnStatus").eq_ignore_ascii_case("rejected"),
        cvss: cve.get("metrics").map(scores).unwrap_or_default(),
        cwes,
        references: references.filter(|uri| !uri.is_empty()).take(REFERENCES_MAX).collect(),
        kev: (!added.is_empty()).then(|| Kev {
            added,
            due: text(&cve, "cisaActionDue"),
            ransomware: false,
            name: text(&cve, "cisaVulnerabilityName"),
        }),
        configurations: list(&cve, "configurations").map(configuration).collect::<Result<_, _>>()?,
        rank: RANK,
        ..Vulnerability::default()
    };
    Ok((id, known))
}

/// Every score, of every version of CVSS; the primary ones first.
fn scores(metrics: &Value) -> Vec<Cvss> {
    let mut scores = Vec::new();
    for member in ["cvssMetricV40", "cvssMetricV31", "cvssMetricV30", "cvssMetricV2"] {
        let mut given: Vec<&Value> = list(metrics, member).collect();
        given.sort_by_key(|metric| text(metric, "type") != "Primary");
        for metric in given {
            let Some(data) = metric.get("cvssData") else { continue };
            let Some(score) = data.get("baseScore").and_then(Value::as_f64) else { continue };
            let vector = text(data, "vectorString");
            scores.push(Cvss { version: text(data, "version"), vector, score, source: text(metric, "source") });
        }
    }
    scores
}

fn configuration(configuration: &Value) -> Result<Configuration, String> {
    Ok(Configuration {
        operator: operator(configuration)?,
        negate: negate(configuration),
        nodes: list(configuration, "nodes").map(node).collect::<Result<_, _>>()?,
    })
}

fn node(node: &Value) -> Result<Node, String> {
    let criteria = list(node, "cpeMatch").map(criterion).collect();
    Ok(Node { operator: operator(node)?, negate: negate(node), criteria })
}

fn operator(of: &Value) -> Result<Operator, String> {
    match of.get("operator").and_then(Value::as_str) {
        None | Some("OR") => Ok(Operator::Or),
        Some("AND") => Ok(Operator::And),
        Some(other) => Err(format!("the operator {other:?} is neither AND nor OR")),
    }
}

fn negate(of: &Value) -> bool {
    of.get("negate").and_then(Value::as_bool).unwrap_or(false)
}

fn criterion(criterion: &Value) -> Criterion {
    let bound = |member: &str| criterion.get(member).and_then(Value::as_str).map(str::to_owned);
    Criterion {
        name: text(criterion, "criteria"),
        vulnerable: criterion.get("vulnerable").and_then(Value::as_bool).unwrap_or(true),
        from: bound("versionStartIncluding"),
        after: bound("versionStartExcluding"),
        to: bound("versionEndIncluding"),
        before: bound("versionEndExcluding"),
    }
}

/// Reads an entry of the KEV catalogue.
pub(super) fn exploited(entry: &Map<String, Value>) -> Result<(CveId, Vulnerability), String> {
    let member = |name: &str| entry.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let id: CveId = member("cveID").parse()?;
    let kev = Kev {
        added: member("dateAdded"),
        due: member("dueDate"),
        ransomware: member("knownRansomwareCampaignUse").eq_ignore_ascii_case("known"),
        name: member("vulnerabilityName"),
    };
    let known = Vulnerability {
        title: member("vulnerabilityName"),
        description: member("shortDescription").chars().take(DESCRIPTION_CHARS_MAX).collect(),
        kev: Some(kev),
        ..Vulnerability::default()
    };
    Ok((id, known))
}
