//! Records of OSV: packages of registries and their versions. Those without a CVE id are known by what OSV or
//! GitHub calls them. A package that is seen from outside is known by the name of its product as well, all by the name
//! in their registry.

use super::{list, packages, text};
use crate::configuration::{Configuration, Criterion, Known, Node};
use crate::cpe::Cpe;
use crate::vulnerability::{CveId, Cvss, DESCRIPTION_CHARS_MAX, Id, REFERENCES_MAX, Vulnerability};
use ambit_model::version_order::Scheme;
use serde_json::{Map, Value};
use std::cmp::Ordering;

/// Returns whether an object is such a record.
pub(super) fn is_record(record: &Map<String, Value>) -> bool {
    let has = |member: &str| record.contains_key(member);
    has("id") && has("modified") && (has("affected") || has("withdrawn") || has("schema_version"))
}

/// Databases in the order in which a record without a CVE id is known by their names for it. Those of one vulnerability
/// name one another, so that it is known once.
const DATABASES: &[&str] = &["MAL-", "GHSA-", ""];

/// Reads a record: one for each id of CVE that it has, or one for an id of another database.
pub(super) fn records(record: Map<String, Value>) -> Vec<(Id, Vulnerability)> {
    let record = Value::Object(record);
    let aliases = list(&record, "aliases").filter_map(Value::as_str).map(str::to_owned);
    let names: Vec<String> = std::iter::once(text(&record, "id")).chain(aliases).collect();
    let mut ids: Vec<Id> = names.iter().filter_map(|name| Some(name.parse::<CveId>().ok()?.into())).collect();
    if ids.is_empty() {
        let of = |database: &&str| names.iter().find(|name| name.starts_with(*database))?.parse().ok().map(Id::Other);
        ids.extend(DATABASES.iter().find_map(of));
    }
    let criteria: Vec<Criterion> = list(&record, "affected").flat_map(of_package).collect();
    if ids.is_empty() || criteria.is_empty() {
        return Vec::new();
    }
    let references = list(&record, "references").map(|one| text(one, "url")).filter(|uri| !uri.is_empty());
    let node = Node { criteria, ..Node::default() };
    let specific = record.get("database_specific").unwrap_or(&Value::Null);
    let known = Vulnerability {
        title: text(&record, "summary"),
        description: text(&record, "details").chars().take(DESCRIPTION_CHARS_MAX).collect(),
        // A record that is withdrawn says that it was wrong, not that the CVE is.
        configurations: if record.get("withdrawn").is_some() {
            Vec::new()
        } else {
            vec![Configuration { nodes: vec![node], ..Configuration::default() }]
        },
        cvss: scores(&record),
        grade: grade(&text(specific, "severity")),
        references: references.take(REFERENCES_MAX).collect(),
        cwes: list(specific, "cwe_ids").filter_map(Value::as_str).map(str::to_owned).collect(),
        ..Vulnerability::default()
    };
    ids.into_iter().map(|id| (id, known.clone())).collect()
}

/// The least score of what a database calls a vulnerability in a word, as CVSS grades scores and GitHub says it.
fn grade(word: &str) -> Option<f64> {
    match word.to_ascii_uppercase().as_str() {
        "CRITICAL" => Some(9.0),
        "HIGH" => Some(7.0),
        "MEDIUM" | "MODERATE" => Some(4.0),
        "LOW" => Some(0.1),
        _ => None,
    }
}

/// The scores of its vectors: those of the record, or of its packages, where a record may have them instead.
fn scores(record: &Value) -> Vec<Cvss> {
    let mut scores: Vec<Cvss> = Vec::new();
    let vectors = list(record, "severity").chain(list(record, "affected").flat_map(|one| list(one, "severity")));
    for said in vectors {
        let vector = text(said, "score");
        // One of version 2 is written in parentheses as well.
        let Ok(parsed) = vector.trim_matches(['(', ')']).parse::<cvss::Cvss>() else { continue };
        let (version, base) = match &parsed {
            cvss::Cvss::CvssV20(_) => ("2.0", "AV AC Au C I A"),
            cvss::Cvss::CvssV30(_) => ("3.0", "AV AC PR UI S C I A"),
            cvss::Cvss::CvssV31(_) => ("3.1", "AV AC PR UI S C I A"),
            cvss::Cvss::CvssV40(_) => ("4.0", "AV AC AT PR UI VC VI VA SC SI SA"),
            // The crate may learn versions of which nobody here says how they weigh.
            _ => continue,
        };
        // The crate counts metrics of the base that are missing as nothing, and a vector without them has no score.
        if !base.split(' ').all(|wanted| parsed.metrics().any(|(metric, _)| metric.name() == wanted)) {
            continue;
        }
        let score = Cvss { version: version.to_owned(), vector, score: parsed.score(), source: String::new() };
        if !scores.contains(&score) {
            scores.push(score);
        }
    }
    scores
}

/// The ranges of a package, and the single versions that lie in none of them.
fn of_package(affected: &Value) -> Vec<Criterion> {
    let Some(about) = affected.get("package") else { return Vec::new() };
    let (name, ecosystem) = (text(about, "name"), text(about, "ecosystem"));
    let vendor = packages::vendor(&ecosystem).filter(|_| !name.is_empty());
    let by_registry = vendor.as_deref().map(|vendor| (vendor, name.as_str()));
    let keys = packages::product(&name).into_iter().chain(by_registry);
    keys.flat_map(|(vendor, product)| of_key(affected, vendor, product)).collect()
}

fn of_key(affected: &Value, vendor: &str, product: &str) -> Vec<Criterion> {
    let of_product = |version: &str| Criterion {
        name: Cpe::application(vendor, product, version).to_string(),
        vulnerable: true,
        ..Criterion::default()
    };
    let ranges = list(affected, "ranges").filter(|range| text(range, "type") != "GIT");
    let scheme = Scheme::named(&text(affected.get("package").unwrap_or(&Value::Null), "ecosystem"));
    let mut criteria: Vec<Criterion> = ranges.flat_map(|range| of_range(range, &of_product(""), scheme)).collect();
    let outside = list(affected, "versions").filter_map(Value::as_str).filter(|version| {
        let listed = Cpe::application(vendor, product, version);
        !criteria.iter().any(|range| range.covers(&listed) == Known::Yes)
    });
    let outside: Vec<Criterion> = outside.map(of_product).collect();
    criteria.extend(outside);
    criteria
}

/// Events in the order of their versions, whatever their order in the record: each `introduced` begins a range, which
/// the next other event ends.
fn of_range(range: &Value, product: &Criterion, scheme: Scheme) -> Vec<Criterion> {
    let (mut criteria, mut open) = (Vec::new(), None::<Criterion>);
    let version = |event: &&Value| {
        let members = ["introduced", "fixed", "last_affected", "limit"];
        members.iter().find_map(|member| event.get(*member)?.as_str()).unwrap_or_default().to_owned()
    };
    let mut events: Vec<&Value> = list(range, "events").collect();
    events.sort_by(|a, b| match (version(a), version(b)) {
        (a, b) if a == "0" || b == "0" => (a != "0").cmp(&(b != "0")),
        (a, b) => scheme.compare(&a, &b).unwrap_or(Ordering::Equal),
    });
    for event in events {
        let said = |member: &str| event.get(member).and_then(Value::as_str).map(str::to_owned);
        if let Some(from) = said("introduced") {
            criteria.extend(open.take());
            open = Some(Criterion { from: Some(from).filter(|from| from != "0"), ..product.clone() });
        }
        let (before, to) = (said("fixed"), said("last_affected"));
        if (before.is_some() || to.is_some())
            && let Some(begun) = open.take()
        {
            criteria.push(Criterion { before, to, ..begun });
        }
    }
    criteria.extend(open);
    criteria
}
