//! A server that shows one site under several names and ports is looked through once.

use crate::program::{Folder, scan_text};
use serde_json::Value;
use std::collections::BTreeMap;

const WORLD: &str = r#"
world twins "Twins"
seeds acme.test
org acme "Acme Corp" ours email hostmaster@acme.test
block 203.0.113.0/24 of acme asn AS64500 named ACME-NET
zone acme.test of acme
  ns ns1.acme.test 203.0.113.2
name acme.test     A 203.0.113.10
name www.acme.test A 203.0.113.10
name dev.acme.test A 203.0.113.10
host 203.0.113.10
  ptr www.acme.test
site https://www.acme.test "Acme"
  plain same  default  exposes git
site https://dev.acme.test "Development"
  plain none  exposes git
"#;

#[test]
fn one_site_under_many_names_is_looked_through_once_and_proven_at_each() {
    let folder = Folder::new("same-site");
    let list = folder.join("contacts.jsonl");
    let found = scan_text(&folder, WORLD, &["--contacts", list.to_str().expect("UTF-8")]);
    let text = std::fs::read_to_string(&list).expect("the list is written");
    let mut asked: BTreeMap<String, (u64, usize)> = BTreeMap::new();
    for line in text.lines() {
        let contact: Value = serde_json::from_str(line).expect("an object a line");
        let entry = asked.entry(contact["asked"].as_str().unwrap_or_default().to_owned()).or_default();
        *entry = (entry.0 + contact["count"].as_u64().unwrap_or(0), entry.1 + 1);
    }
    let repositories: Vec<&str> = found
        .issues
        .values()
        .filter(|issue| issue["name"] == "exposed_version_control")
        .filter_map(|issue| issue["entity_name"].as_str())
        .collect();
    // The bare domain and the address show the site of www; dev shows another.
    assert!(repositories.len() > 3 && repositories.iter().any(|name| name.contains("dev.")), "{repositories:?}");
    let sites = |path: &str| asked.get(&format!("GET {path}")).map_or(0, |(_, places)| *places);
    assert_eq!(sites("/.git/HEAD"), repositories.len(), "each is proven by an answer of its own: {text}");
    let (fronts, places) = asked["GET /"];
    let places = u64::try_from(places).expect("a few");
    // It is found, visited, compared and asked from a foreign origin; a service is identified by its address as well.
    assert!(fronts <= 5 * places, "{fronts} front pages at {places} places");
    assert_eq!(sites("/actuator"), 2, "what is nowhere is asked for once a site: {text}");
}
