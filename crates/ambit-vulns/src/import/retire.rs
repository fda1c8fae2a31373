//! The list of retire.js: by library, the versions that are vulnerable. Entries without a CVE id have no place here.

use super::{list, packages, text};
use crate::configuration::{Configuration, Criterion, Node};
use crate::cpe::Cpe;
use crate::vulnerability::{CveId, Id, REFERENCES_MAX, Vulnerability};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Returns whether an object is such a list: libraries with their vulnerabilities and what tells them.
pub(super) fn is_list(record: &Map<String, Value>) -> bool {
    let is_library = |library: &Value| library.get("vulnerabilities").is_some_and(Value::is_array);
    let known = record.values().filter(|library| is_library(library) && library.get("extractors").is_some());
    known.count() > 0
}

/// Reads the list: one record for each id, of all libraries that have it.
pub(super) fn records(record: &Map<String, Value>) -> Vec<(Id, Vulnerability)> {
    let mut known: BTreeMap<CveId, Vulnerability> = BTreeMap::new();
    for (name, library) in record {
        let product = packages::product(name).or_else(|| packages::product(&text(library, "npmname")));
        let Some((vendor, product)) = product else { continue };
        for entry in list(library, "vulnerabilities") {
            let identifiers = entry.get("identifiers").unwrap_or(&Value::Null);
            let criteria = criteria(entry, vendor, product);
            for id in list(identifiers, "CVE").filter_map(|id| id.as_str()?.parse::<CveId>().ok()) {
                let one = known.entry(id).or_default();
                take(one, entry, identifiers, &criteria);
            }
        }
    }
    known.into_iter().map(|(id, known)| (id.into(), known)).collect()
}

fn take(known: &mut Vulnerability, entry: &Value, identifiers: &Value, criteria: &[Criterion]) {
    if known.title.is_empty() {
        known.title = [text(entry, "summary"), text(identifiers, "summary")].concat();
    }
    for uri in list(entry, "info").filter_map(Value::as_str).map(str::to_owned) {
        if known.references.len() < REFERENCES_MAX && !known.references.contains(&uri) {
            known.references.push(uri);
        }
    }
    for cwe in list(entry, "cwe").filter_map(Value::as_str).map(str::to_owned) {
        if !known.cwes.contains(&cwe) {
            known.cwes.push(cwe);
        }
    }
    if known.configurations.is_empty() {
        known.configurations.push(Configuration { nodes: vec![Node::default()], ..Configuration::default() });
    }
    for criterion in criteria {
        let node = &mut known.configurations[0].nodes[0];
        if !node.criteria.contains(criterion) {
            node.criteria.push(criterion.clone());
        }
    }
}

/// The ranges of an entry: its own, or those in its list.
fn criteria(entry: &Value, vendor: &str, product: &str) -> Vec<Criterion> {
    let ranges: Vec<&Value> = list(entry, "ranges").collect();
    let ranges = if ranges.is_empty() { vec![entry] } else { ranges };
    let bound = |range: &Value, member: &str| range.get(member).and_then(Value::as_str).map(str::to_owned);
    let of_range = |range: &Value| {
        let (before, from) = (bound(range, "below"), bound(range, "atOrAbove"));
        let after = bound(range, "above");
        let to = bound(range, "atOrBelow");
        let is_bounded = before.is_some() || to.is_some();
        let name = Cpe::application(vendor, product, "").to_string();
        is_bounded.then_some(Criterion { name, vulnerable: true, from, after, to, before })
    };
    ranges.into_iter().filter_map(of_range).collect()
}
