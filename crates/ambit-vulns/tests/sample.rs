//! Real records of NVD, where they lie in `shared/data` beside the repository: what is known against a product in a
//! version is what a plain reading of each record's tree says, for every criterion, at its bounds and beside them.

#![expect(clippy::unwrap_used, reason = "tests")]

use ambit_model::version_order::Scheme;
use ambit_vulns::{Knowledge, Packs};
use serde_json::{Value, json};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// Criteria of one record whose bounds are tried: some name every branch of a product for years.
const CRITERIA_MAX: usize = 4;
/// Of records that only say "from here, before there", as nearly all do, one of so many is tried.
const COMMON_TRIED: usize = 64;
/// What a distribution has probably patched without raising the version says nothing: Debian 12 and RHEL 7 ship these
/// two, and Red Hat's builds are its own.
const PATCHED: &[(&str, &str)] = &[("exim", "4.96"), ("openssh", "7.4"), ("keycloak", ".redhat-")];

/// The sample unpacked, a record a line; none where it is not there.
fn sample() -> Option<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/nvd-configurations.jsonl.xz");
    if !path.exists() {
        return None;
    }
    let unpacked = Command::new("xz").arg("-dc").arg(&path).output().expect("xz unpacks the public data");
    assert!(unpacked.status.success(), "{}", path.display());
    Some(String::from_utf8(unpacked.stdout).unwrap())
}

fn all<'v>(value: &'v Value, member: &str) -> impl Iterator<Item = &'v Value> {
    value[member].as_array().into_iter().flatten()
}

/// Part, vendor and product of a criterion, and its version.
fn named(criterion: &Value) -> (String, String) {
    // A colon within a field stands behind a backslash, and no product of the sample has one.
    let fields: Vec<&str> = criterion["criteria"].as_str().unwrap().split(':').collect();
    (fields[2..5].join(":"), fields[5].replace('\\', ""))
}

/// What orders the versions of a product.
fn scheme(product: &str) -> Scheme {
    Scheme::of(product.split_once(':').unwrap().1)
}

/// Whether a criterion holds for a product that stands alone: what it only stands on may always be there.
fn holds(criterion: &Value, product: &str, version: &str) -> bool {
    let covers = covers(criterion, product, version);
    covers || criterion["vulnerable"] == json!(false)
}

fn covers(criterion: &Value, product: &str, version: &str) -> bool {
    let (wanted, exact) = named(criterion);
    let against = |bound: &str| scheme(product).compare(version, bound);
    let within = |member: &str, allowed: &[Ordering]| match criterion[member].as_str() {
        Some(bound) => against(bound).is_some_and(|found| allowed.contains(&found)),
        None => true,
    };
    if wanted != product || exact == "-" {
        return false;
    }
    if exact != "*" {
        return against(&exact) == Some(Ordering::Equal);
    }
    within("versionStartIncluding", &[Ordering::Equal, Ordering::Greater])
        && within("versionStartExcluding", &[Ordering::Greater])
        && within("versionEndIncluding", &[Ordering::Equal, Ordering::Less])
        && within("versionEndExcluding", &[Ordering::Less])
}

fn joined(operator: &Value, mut parts: impl Iterator<Item = bool>) -> bool {
    match operator.as_str() {
        Some("AND") => parts.all(|part| part),
        _ => parts.any(|part| part),
    }
}

/// Whether a record concerns a product: by one of its configurations, whose vulnerable criterion covers it.
fn concerns(record: &Value, product: &str, version: &str) -> bool {
    all(record, "configurations").any(|configuration| {
        let mut criteria = all(configuration, "nodes").flat_map(|node| all(node, "cpeMatch"));
        let nodes = all(configuration, "nodes").map(|node| {
            assert_ne!(node["negate"], json!(true), "no record of the sample negates");
            joined(&node["operator"], all(node, "cpeMatch").map(|one| holds(one, product, version)))
        });
        criteria.any(|one| one["vulnerable"] == json!(true) && covers(one, product, version))
            && joined(&configuration["operator"], nodes)
    })
}

/// Whether a record has more than "from here, before there" of products that stand alone.
fn is_rare(record: &Value) -> bool {
    let common =
        |criterion: &Value| criterion["vulnerable"] == json!(true) && criterion["versionEndExcluding"].is_string();
    all(record, "configurations").any(|configuration| {
        let mut nodes = all(configuration, "nodes");
        configuration["operator"] == json!("AND") || nodes.any(|node| !all(node, "cpeMatch").all(common))
    })
}

/// The products of a record, each with the versions at which something may change: bounds, and what follows them.
fn tried(record: &Value) -> BTreeMap<String, BTreeSet<String>> {
    let mut tried: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let nodes = all(record, "configurations").flat_map(|configuration| all(configuration, "nodes"));
    for criterion in nodes.flat_map(|node| all(node, "cpeMatch")).take(CRITERIA_MAX) {
        let (product, exact) = named(criterion);
        let versions = tried.entry(product).or_insert_with(|| ["0.0.1".to_owned(), "99999".to_owned()].into());
        let bounds = ["versionStartIncluding", "versionStartExcluding", "versionEndIncluding", "versionEndExcluding"];
        let bounds = bounds.into_iter().filter_map(|member| criterion[member].as_str());
        for bound in bounds.chain((exact.len() > 1).then_some(exact.as_str())) {
            versions.extend([bound.to_owned(), format!("{bound}.1")]);
        }
    }
    tried
}

/// A version within a CPE name.
fn escaped(version: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    version.chars().flat_map(|c| (!plain(c)).then_some('\\').into_iter().chain([c])).collect()
}

#[test]
fn every_criterion_of_real_records_means_what_a_plain_reading_of_it_says() {
    let Some(sample) = sample() else { return };
    let folder = std::env::temp_dir().join(format!("ambit-vulns-sample-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("nvd.jsonl");
    std::fs::write(&file, &sample).unwrap();
    let packs = Packs::of(folder.join("packs"));
    packs.add("nvd", &[file], 0).unwrap();
    packs.rebuild().unwrap();
    let knowledge = Knowledge::of(folder.join("packs")).unwrap();
    let records: Vec<Value> = sample.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut wanted: BTreeMap<(String, String), Vec<&Value>> = BTreeMap::new();
    for (_, record) in records.iter().enumerate().filter(|(at, one)| at % COMMON_TRIED == 0 || is_rare(one)) {
        for (product, versions) in tried(record) {
            for version in versions {
                wanted.entry((product.clone(), version)).or_default().push(record);
            }
        }
    }
    let (mut yes, mut no, mut wrong) = (0, 0, Vec::new());
    for ((product, version), records) in &wanted {
        let item = json!({"cpe": format!("cpe:2.3:{product}:{}:*:*:*:*:*:*:*", escaped(version)), "product": "x"});
        let found = knowledge.affected(&[item], &[]).unwrap();
        let found: BTreeSet<&str> = found.iter().map(|one| one.cve.as_str()).collect();
        for record in records {
            let is_patched = PATCHED.iter().any(|(name, part)| product.contains(name) && version.contains(part));
            let (id, expected) = (record["id"].as_str().unwrap(), concerns(record, product, version) && !is_patched);
            *(if expected { &mut yes } else { &mut no }) += 1;
            if found.contains(id) != expected {
                wrong.push(format!("{id} {product} {version}: expected {expected}"));
            }
        }
    }
    std::fs::remove_dir_all(&folder).ok();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), yes + no, wrong[..wrong.len().min(40)].join("\n"));
    assert!(records.len() > 3_000 && yes > 1_000 && no > 1_000, "{}, {yes} yes, {no} no", records.len());
}
