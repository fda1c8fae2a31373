//! CVE records of the format 5: what the authority that gave the number says, and what CISA adds.

use super::{list, spans, text};
use crate::configuration::{Configuration, Criterion, Node};
use crate::cpe::Cpe;
use crate::vulnerability::{CveId, Cvss, DESCRIPTION_CHARS_MAX, Kev, REFERENCES_MAX, Ssvc, Vulnerability};
use serde_json::{Map, Value};

/// Behind NVD's configurations.
const RANK: u8 = 1;

/// Reads a record.
pub(super) fn record(record: &Map<String, Value>) -> Result<(CveId, Vulnerability), String> {
    let nothing = Value::Null;
    let metadata = record.get("cveMetadata").unwrap_or(&nothing);
    let id: CveId = text(metadata, "cveId").parse()?;
    let containers = record.get("containers").unwrap_or(&nothing);
    let authority = containers.get("cna").unwrap_or(&nothing);
    let all = || std::iter::once(authority).chain(list(containers, "adp"));
    let english = list(authority, "descriptions").find(|one| text(one, "lang").starts_with("en"));
    let mut known = Vulnerability {
        title: text(authority, "title"),
        description: english
            .map(|one| text(one, "value"))
            .unwrap_or_default()
            .chars()
            .take(DESCRIPTION_CHARS_MAX)
            .collect(),
        withdrawn: text(metadata, "state").eq_ignore_ascii_case("rejected"),
        references: all()
            .flat_map(|container| list(container, "references"))
            .map(|one| text(one, "url"))
            .filter(|uri| !uri.is_empty())
            .take(REFERENCES_MAX)
            .collect(),
        rank: RANK,
        ..Vulnerability::default()
    };
    for container in all() {
        let types = list(container, "problemTypes").flat_map(|one| list(one, "descriptions"));
        for cwe in types.map(|one| text(one, "cweId")).filter(|cwe| !cwe.is_empty()) {
            if !known.cwes.contains(&cwe) {
                known.cwes.push(cwe);
            }
        }
        list(container, "metrics").for_each(|metric| take_metric(&mut known, metric));
        let criteria: Vec<Criterion> = list(container, "affected").flat_map(affected).collect();
        if !criteria.is_empty() {
            let node = Node { criteria, ..Node::default() };
            known.configurations.push(Configuration { nodes: vec![node], ..Configuration::default() });
        }
    }
    Ok((id, known))
}

fn take_metric(known: &mut Vulnerability, metric: &Value) {
    for member in ["cvssV4_0", "cvssV3_1", "cvssV3_0", "cvssV2_0"] {
        let Some(data) = metric.get(member) else { continue };
        if let Some(score) = data.get("baseScore").and_then(Value::as_f64) {
            let vector = text(data, "vectorString");
            known.cvss.push(Cvss { version: text(data, "version"), vector, score, source: String::new() });
        }
    }
    let Some(other) = metric.get("other") else { return };
    let content = other.get("content").unwrap_or(&Value::Null);
    match text(other, "type").as_str() {
        "ssvc" => {
            let option = |name: &str| list(content, "options").map(|one| text(one, name)).find(|said| !said.is_empty());
            known.ssvc = Some(Ssvc {
                exploitation: option("Exploitation").unwrap_or_default(),
                automatable: option("Automatable").unwrap_or_default(),
                technical_impact: option("Technical Impact").unwrap_or_default(),
            });
        }
        "kev" => {
            known.kev = Some(Kev { added: text(content, "dateAdded"), ..Kev::default() });
        }
        _ => {}
    }
}

/// The versions of one product. Without a CPE of the record, vendor and product are written as CPE writes them.
fn affected(product: &Value) -> Vec<Criterion> {
    let mut names: Vec<Cpe> = list(product, "cpes").filter_map(|cpe| Cpe::parse(cpe.as_str()?)).collect();
    if names.is_empty() {
        let spelled = |member: &str| text(product, member).trim().to_lowercase().replace(' ', "_");
        let (vendor, name) = (spelled("vendor"), spelled("product"));
        if vendor.is_empty() || name.is_empty() || vendor == "n/a" || name == "n/a" {
            return Vec::new();
        }
        names.push(Cpe::application(&vendor, &name, ""));
    }
    names.dedup_by_key(|name| name.product_key());
    let spans = spans::affected(product);
    names.iter().flat_map(|name| spans.iter().map(|span| span.criterion(name))).collect()
}
