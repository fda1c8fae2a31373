//! The list of our own: what is exploited most, known without any pack. Reads `own.txt`, whose head says its format.

use crate::configuration::{Configuration, Criterion, Node, Operator};
use crate::cpe::Cpe;
use crate::lifecycle;
use crate::vulnerability::{CveId, Cvss, Kev, Vulnerability};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The system of rules that end with `on windows`.
const WINDOWS: &str = "cpe:2.3:o:microsoft:windows:-:*:*:*:*:*:*:*";

const TABLE: &str = include_str!("own.txt");

/// The vulnerabilities of the list, by id.
pub(crate) static OWN: LazyLock<BTreeMap<CveId, Vulnerability>> =
    LazyLock::new(|| read(TABLE).expect("a test reads the table"));

/// Tells this list and that of lifecycles from those of other versions of the program: the beginning of a hash of them.
pub(crate) static EDITION: LazyLock<String> = LazyLock::new(|| {
    let hash: Vec<String> = Sha256::digest(format!("{TABLE}{}", lifecycle::TABLE))
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("own {}", hash.concat())
});

/// Reads the table. A problem begins with the number of its line.
fn read(table: &str) -> Result<BTreeMap<CveId, Vulnerability>, String> {
    let (mut list, mut product) = (BTreeMap::<CveId, Vulnerability>::new(), None);
    for (line, number) in table.lines().zip(1..) {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let Some(rule) = line.strip_prefix("  ") else {
            let names = line.split_once(" | ").and_then(|(key, name)| Some((key.split_once(':')?, name)));
            product = Some(names.ok_or_else(|| format!("{number}: expected `VENDOR:PRODUCT | NAME`"))?);
            continue;
        };
        let ((vendor, key), name) = product.ok_or_else(|| format!("{number}: a rule needs a product above it"))?;
        let (id, vulnerability) = row(rule, vendor, key, name).map_err(|problem| format!("{number}: {problem}"))?;
        list.entry(id)
            .and_modify(|known| known.configurations.extend(vulnerability.configurations.clone()))
            .or_insert(vulnerability);
    }
    Ok(list)
}

fn row(rule: &str, vendor: &str, product: &str, name: &str) -> Result<(CveId, Vulnerability), String> {
    let fields: Vec<&str> = rule.split(" | ").collect();
    let [head, ranges, what] = fields[..] else { return Err("expected `CVE SCORE | RANGES | WHAT`".to_owned()) };
    let words: Vec<&str> = head.split(' ').collect();
    let (id, score, kev) = match words[..] {
        [id, score] => (id, score, None),
        [id, score, "kev", added, due] => (id, score, Some((added, due, false))),
        [id, score, "kev", added, due, "ransomware"] => (id, score, Some((added, due, true))),
        _ => return Err("expected `CVE SCORE` or `CVE SCORE kev ADDED DUE`".to_owned()),
    };
    let score: f64 = score.parse().map_err(|_| format!("{score:?} is no score"))?;
    let (ranges, system) = match ranges.strip_suffix(" on windows") {
        Some(ranges) => (ranges, Some(WINDOWS)),
        None => (ranges, None),
    };
    let criteria = ranges.split(", ").map(|range| criterion(range, vendor, product)).collect::<Result<_, _>>()?;
    let kev = kev.map(|(added, due, ransomware)| Kev {
        added: added.to_owned(),
        due: due.to_owned(),
        ransomware,
        name: String::new(),
    });
    let id: CveId = id.parse()?;
    let vulnerability = Vulnerability {
        title: what.to_owned(),
        description: format!("{name}: {what}."),
        cvss: vec![Cvss { version: "3.1".to_owned(), vector: String::new(), score, source: String::new() }],
        references: vec![format!("https://nvd.nist.gov/vuln/detail/{id}")],
        kev,
        configurations: vec![configuration(criteria, system)],
        ..Vulnerability::default()
    };
    Ok((id, vulnerability))
}

/// The criteria, on a system where one is named.
fn configuration(criteria: Vec<Criterion>, system: Option<&str>) -> Configuration {
    let mut nodes = vec![Node { criteria, ..Node::default() }];
    let below = system.map(|name| Criterion { name: name.to_owned(), vulnerable: false, ..Criterion::default() });
    nodes.extend(below.map(|below| Node { criteria: vec![below], ..Node::default() }));
    Configuration { operator: Operator::And, nodes, ..Configuration::default() }
}

fn criterion(range: &str, vendor: &str, product: &str) -> Result<Criterion, String> {
    let mut criterion = Criterion { vulnerable: true, ..Criterion::default() };
    let mut exact = "";
    for bound in range.split(' ') {
        let version = bound.trim_start_matches(['<', '>', '=']);
        let (sign, place) = (&bound[..bound.len() - version.len()], version.to_owned());
        match sign {
            ">=" => criterion.from = Some(place),
            ">" => criterion.after = Some(place),
            "<=" => criterion.to = Some(place),
            "<" => criterion.before = Some(place),
            "=" => exact = version,
            _ => return Err(format!("{bound:?} is no bound: expected one of >= > <= < = and a version")),
        }
    }
    criterion.name = Cpe::application(vendor, product, exact).to_string();
    Ok(criterion)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_names_what_is_exploited_most() {
        let list = read(TABLE).unwrap_or_else(|problem| panic!("own.txt:{problem}"));
        let exploited = list.values().filter(|known| known.kev.is_some()).count();
        assert!(list.len() >= 200 && exploited >= 145, "{} with {exploited} exploited", list.len());
        for (id, known) in &list {
            assert!(known.title.len() > 15 && known.score().is_some_and(|score| score <= 10.0), "{id}");
            let criteria = known.configurations.iter().flat_map(|one| &one.nodes).flat_map(|node| &node.criteria);
            for criterion in criteria {
                assert!(Cpe::parse(&criterion.name).is_some(), "{id}: {}", criterion.name);
            }
        }
    }

    #[test]
    fn a_malformed_list_is_named_with_its_line() {
        for (table, problem) in [
            ("  CVE-2020-1 9.8 | =1 | x", "1: a rule needs a product above it"),
            ("a | b", "1: expected `VENDOR:PRODUCT | NAME`"),
            ("a:b | B\n  CVE-2020-1234 9.8 | =1", "2: expected `CVE SCORE | RANGES | WHAT`"),
            ("a:b | B\n  CVE-2020-1234 high | =1 | x", "2: \"high\" is no score"),
            ("a:b | B\n  CVE-2020-1234 9.8 | 1 | x", "2: \"1\" is no bound: expected one of >= > <= < = and a version"),
        ] {
            assert_eq!(read(table).map(|list| list.len()), Err(problem.to_owned()), "{table}");
        }
    }
}
