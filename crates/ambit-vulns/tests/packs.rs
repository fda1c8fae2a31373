//! Packs from files to answers: what each feed becomes, what hostile ones do, and what is left after a failure.

#![expect(clippy::unwrap_used, reason = "tests")]

use ambit_vulns::vulnerability::CveId;
use ambit_vulns::{Knowledge, Packs};
use serde_json::{Value, json};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A folder of one test, removed with it.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("ambit-vulns-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// Writes a file and returns its path.
    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, content).unwrap();
        path
    }

    fn packs(&self) -> Packs {
        Packs::of(self.0.join("packs"))
    }

    fn knowledge(&self) -> Knowledge {
        Knowledge::of(self.0.join("packs")).unwrap()
    }

    /// Adds a file under its name and makes the index.
    fn load(&self, name: &str, path: &Path) -> Result<String, String> {
        let pack = self.packs().add(name, &[path.to_owned()], 0).map_err(|error| error.to_string())?;
        self.packs().rebuild().map_err(|error| error.to_string())?;
        Ok(format!("{} of {}", pack.entries, pack.sources.join(", ")))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

/// A record of NVD with one configuration.
fn nvd(id: &str, configuration: Value) -> Value {
    json!({"cve": {
        "id": id, "vulnStatus": "Analyzed",
        "descriptions": [{"lang": "es", "value": "no"}, {"lang": "en", "value": "It can be overrun."}],
        "metrics": {"cvssMetricV31": [{"source": "nvd@nist.gov", "type": "Primary",
            "cvssData": {"version": "3.1", "vectorString": "CVSS:3.1/AV:N", "baseScore": 8.8}}]},
        "weaknesses": [{"description": [{"lang": "en", "value": "CWE-787"}]}],
        "references": [{"url": "https://vendor.example/1"}],
        "configurations": [configuration],
    }})
}

/// A node of criteria: CPE tail (`part:vendor:product:version`), whether it is vulnerable, bounds.
fn node(operator: &str, criteria: &[(&str, bool, Value)]) -> Value {
    let one = |(name, vulnerable, bounds): &(&str, bool, Value)| {
        let mut one = json!({"criteria": format!("cpe:2.3:{name}:*:*:*:*:*:*:*"), "vulnerable": vulnerable});
        one.as_object_mut().unwrap().extend(bounds.as_object().unwrap().clone());
        one
    };
    json!({"operator": operator, "negate": false, "cpeMatch": criteria.iter().map(one).collect::<Vec<_>>()})
}

fn page(records: &[Value]) -> String {
    json!({"resultsPerPage": records.len(), "format": "NVD_CVE", "vulnerabilities": records}).to_string()
}

/// What is known against products in versions, each `vendor:product:version`, in the order of ids.
fn cves(knowledge: &Knowledge, products: &[&str], beside: &[&str]) -> Vec<String> {
    let item = |name: &&str| json!({"cpe": format!("cpe:2.3:a:{name}:*:*:*:*:*:*:*"), "product": "Thing"});
    let items: Vec<Value> = products.iter().map(item).collect();
    knowledge.affected(&items, beside).unwrap().into_iter().map(|affected| affected.cve).collect()
}

/// What is known with one record of NVD.
fn loaded(record: &Value) -> Knowledge {
    let folder = Folder::new();
    let file = folder.file("page.json", page(std::slice::from_ref(record)));
    assert_eq!(folder.load("nvd", &file).unwrap(), "1 of NVD");
    folder.knowledge()
}

#[test]
fn every_kind_of_node_and_range_is_evaluated() {
    let any = "a:acme:thing:*";
    let below = |end: &str| json!({"versionEndExcluding": end});
    let range = json!({"versionStartIncluding": "2.0", "versionEndIncluding": "2.5"});
    let open_range = json!({"versionStartExcluding": "3.0", "versionEndExcluding": "3.5"});
    let windows = ("o:microsoft:windows:-", false, json!({}));
    let (hardware, beside) = (("h:acme:box:-", false, json!({})), ("a:acme:module:*", true, below("9")));
    let or = |criteria: &[(&str, bool, Value)]| json!({"nodes": [node("OR", criteria)]});
    let and = |one: Value, other: Value| json!({"operator": "AND", "nodes": [one, other]});
    let thing = || node("OR", &[(any, true, below("1.5"))]);
    let mut negated = thing();
    negated["negate"] = json!(true);
    let wide = || node("OR", &[(any, true, json!({}))]);
    let none: &[&str] = &[];
    for (name, configuration, products, texts, found) in [
        ("before", or(&[(any, true, below("1.5"))]), &["acme:thing:1.4"][..], none, true),
        ("at its end", or(&[(any, true, below("1.5"))]), &["acme:thing:1.5"], none, false),
        ("the end counts", or(&[(any, true, range.clone())]), &["acme:thing:2.5"], none, true),
        ("the beginning counts", or(&[(any, true, range.clone())]), &["acme:thing:2.0"], none, true),
        ("outside", or(&[(any, true, range)]), &["acme:thing:2.6"], none, false),
        ("the beginning does not count", or(&[(any, true, open_range.clone())]), &["acme:thing:3.0"], none, false),
        ("between", or(&[(any, true, open_range)]), &["acme:thing:3.4"], none, true),
        ("exactly", or(&[("a:acme:thing:1.2", true, json!({}))]), &["acme:thing:1.2"], none, true),
        ("another", or(&[("a:acme:thing:1.2", true, json!({}))]), &["acme:thing:1.3"], none, false),
        ("a pattern", or(&[("a:acme:thing:1.*", true, json!({}))]), &["acme:thing:1.9"], none, true),
        ("no version", or(&[("a:acme:thing:-", true, json!({}))]), &["acme:thing:1.9"], none, false),
        ("every version", or(&[(any, true, json!({}))]), &["acme:thing:1.9"], none, true),
        ("unknown version", or(&[(any, true, json!({}))]), &["acme:thing:*"], none, false),
        ("another product", or(&[(any, true, json!({}))]), &["acme:thingy:1.9"], none, false),
        ("context only", or(&[(any, false, json!({}))]), &["acme:thing:1.9"], none, false),
        (
            "on Windows",
            and(thing(), node("OR", std::slice::from_ref(&windows))),
            &["acme:thing:1.4"],
            &["(Win64)"],
            true,
        ),
        ("on Unix", and(thing(), node("OR", std::slice::from_ref(&windows))), &["acme:thing:1.4"], &["(Unix)"], false),
        ("nobody knows", and(thing(), node("OR", &[windows])), &["acme:thing:1.4"], none, true),
        ("hardware", and(thing(), node("OR", &[hardware])), &["acme:thing:1.4"], none, true),
        (
            "both",
            and(thing(), node("OR", std::slice::from_ref(&beside))),
            &["acme:thing:1.4", "acme:module:2"],
            none,
            true,
        ),
        ("one of both", and(thing(), node("OR", std::slice::from_ref(&beside))), &["acme:thing:1.4"], none, false),
        (
            "AND in a node",
            json!({"nodes": [node("AND", &[(any, true, below("2")), beside])]}),
            &["acme:thing:1"],
            none,
            false,
        ),
        ("but not these", and(wide(), negated.clone()), &["acme:thing:1.4"], none, false),
        ("but not these, others", and(wide(), negated), &["acme:thing:1.6"], none, true),
    ] {
        let record = nvd("CVE-2030-1234", configuration);
        assert_eq!(!cves(&loaded(&record), products, texts).is_empty(), found, "{name}");
    }
}

#[test]
fn sources_say_together_what_is_known() {
    let folder = Folder::new();
    let thing = json!({"nodes": [node("OR", &[("a:acme:thing:*", true, json!({"versionEndExcluding": "2"}))])]});
    let feeds = [
        ("nvd.json", page(&[nvd("CVE-2030-1234", thing)])),
        (
            "kev.json",
            json!({"catalogVersion": "1", "vulnerabilities": [{
                "cveID": "CVE-2030-1234", "vendorProject": "Acme", "product": "Thing", "vulnerabilityName": "Overrun",
                "dateAdded": "2030-01-02", "dueDate": "2030-01-23", "shortDescription": "x",
                "knownRansomwareCampaignUse": "Known",
            }]})
            .to_string(),
        ),
        ("epss.csv", "#model_version:v2025\ncve,epss,percentile\nCVE-2030-1234,0.97,0.999\n".to_owned()),
        (
            "cve5.jsonl",
            json!({
                "dataType": "CVE_RECORD", "cveMetadata": {"cveId": "CVE-2030-1234", "state": "PUBLISHED"},
                "containers": {"cna": {"title": "Overrun in Thing"}, "adp": [{"metrics": [{"other": {"type": "ssvc",
                    "content": {"options": [{"Exploitation": "active"}, {"Automatable": "yes"},
                                            {"Technical Impact": "total"}]}}}]}]},
            })
            .to_string(),
        ),
    ];
    for (name, content) in feeds {
        folder.load(name, &folder.file(name, content)).unwrap();
    }
    let item = json!({"cpe": "cpe:2.3:a:acme:thing:1.9:*:*:*:*:*:*:*", "product": "Thing", "vendor": "Acme"});
    let affected = folder.knowledge().affected(&[item], &[]).unwrap();
    let [known] = affected.as_slice() else { panic!("{affected:?}") };
    assert_eq!((known.score, known.epss), (Some(8.8), Some((0.97, 0.999))));
    assert_eq!(known.exploited.as_ref().map(|kev| (kev.due.as_str(), kev.ransomware)), Some(("2030-01-23", true)));
    assert_eq!(known.ssvc.as_ref().map(|ssvc| ssvc[0].as_str()), Some("active"));
    assert_eq!((known.range.as_str(), known.cwes[0].as_str()), ("before 2", "CWE-787"));
    assert!(known.criterion.starts_with("cpe:2.3:a:acme:thing:") && known.is_issue());
    let names: Vec<String> = folder.packs().list().unwrap().into_iter().map(|pack| pack.name).collect();
    assert_eq!(names, ["cve5.jsonl", "epss.csv", "kev.json", "nvd.json"]);
}

#[test]
fn affected_versions_of_the_authority_stand_in_where_nvd_has_none() {
    let folder = Folder::new();
    // A word behind the rows is what holds of all other versions.
    let affected = |versions: Value| {
        let others = versions.as_array().and_then(|rows| rows.last()?.as_str().map(str::to_owned));
        json!({"cveMetadata": {"cveId": "CVE-2030-1234", "state": "PUBLISHED"}, "containers": {"cna": {"affected": [
            {"vendor": "Acme", "product": "Thing", "versions": versions, "defaultStatus": others}]}}})
    };
    for (versions, version, found) in [
        (json!([{"status": "affected", "version": "1.0", "lessThan": "1.5"}]), "1.4", true),
        (json!([{"status": "affected", "version": "1.0", "lessThan": "1.5"}]), "0.9", false),
        (json!([{"status": "affected", "version": "0", "lessThanOrEqual": "1.5"}]), "1.5", true),
        (json!([{"status": "unaffected", "version": "1.4"}]), "1.4", false),
        (json!([{"status": "affected", "version": "1.4"}]), "1.4", true),
        (json!([{"status": "affected", "version": "before the spring"}]), "1.4", false),
        (json!([{"status": "affected", "version": "n/a"}]), "1.4", false),
        (json!([{"status": "affected", "version": "< 1.5"}]), "1.4", true),
        (json!([{"status": "affected", "version": ">= 1.0, < 1.5"}]), "1.5", false),
        (json!([{"status": "affected", "version": ">= 1.0, <= 1.5"}]), "1.5", true),
        (json!([{"status": "affected", "version": "0", "lessThanOrEqual": "*"}]), "9.9", true),
        (json!([{"status": "affected", "version": "1.0", "lessThan": "*"}]), "1.4", true),
        (json!([{"status": "affected", "version": "1.0", "lessThan": "*"}]), "0.9", false),
        (json!([{"status": "affected", "version": "spring", "lessThan": "*"}]), "0.9", false),
        (json!([{"status": "affected", "version": "1.0", "lessThanOrEqual": "1.4.*"}]), "1.4.7", true),
        (json!([{"status": "affected", "version": "1.0", "lessThanOrEqual": "1.4.*"}]), "1.5", false),
        (json!([{"status": "affected", "version": "1.x"}]), "1.4", true),
        (json!([{"status": "affected", "version": "1.x"}]), "2.0", false),
        (
            json!([{"status": "affected", "version": "1.0", "lessThan": "2.0",
                "changes": [{"at": "1.5", "status": "unaffected"}]}]),
            "1.7",
            false,
        ),
        (
            json!([{"status": "affected", "version": "1.0", "lessThan": "2.0",
                "changes": [{"at": "1.5", "status": "unaffected"}, {"at": "1.6", "status": "affected"}]}]),
            "1.7",
            true,
        ),
        (json!([{"status": "unaffected", "version": "1.5", "lessThan": "*"}, "affected"]), "1.4", true),
        (json!([{"status": "unaffected", "version": "1.5", "lessThan": "*"}, "affected"]), "1.6", false),
        (json!([{"status": "unaffected", "version": "0", "lessThan": "1.2"}, "affected"]), "1.1", false),
        (json!([{"status": "unaffected", "version": "0", "lessThan": "1.2"}, "affected"]), "1.3", true),
        (json!([{"status": "unaffected", "version": "1.5"}, "affected"]), "1.4", true),
        (json!([{"status": "unaffected", "version": "1.5"}, "affected"]), "1.6", false),
        (json!(["affected"]), "1.6", false),
    ] {
        folder.load("cve5", &folder.file("cve.json", affected(versions.clone()).to_string())).unwrap();
        let product = format!("acme:thing:{version}");
        assert_eq!(cves(&folder.knowledge(), &[&product], &[]).is_empty(), !found, "{versions} {version}");
    }
}

#[test]
fn what_is_withdrawn_concerns_nothing_and_packs_stand_in_for_our_own_list() {
    let folder = Folder::new();
    let knowledge = folder.knowledge();
    let jenkins = ["jenkins:jenkins:2.440"];
    assert_eq!(cves(&knowledge, &jenkins, &[]), ["CVE-2024-23897"], "without any pack");
    let mut record = nvd("CVE-2024-23897", json!({"nodes": []}));
    record["cve"]["vulnStatus"] = json!("Rejected");
    folder.load("nvd", &folder.file("page.json", page(&[record]))).unwrap();
    assert!(knowledge.refresh().unwrap());
    assert!(cves(&knowledge, &jenkins, &[]).is_empty());
    assert_eq!(cves(&knowledge, &["vsftpd_project:vsftpd:2.3.4"], &[]), ["CVE-2011-2523"], "our own list stays beside");
    let id: CveId = "CVE-2024-23897".parse().unwrap();
    assert!(knowledge.find(id.into()).unwrap().is_some_and(|known| known.withdrawn));
    assert!(folder.packs().remove("nvd").unwrap() && !folder.packs().remove("nvd").unwrap());
    folder.packs().rebuild().unwrap();
    assert!(knowledge.refresh().unwrap() && !knowledge.refresh().unwrap());
    assert_eq!(cves(&knowledge, &jenkins, &[]), ["CVE-2024-23897"]);
}

/// As gzip packs it.
fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

#[test]
fn a_hostile_or_broken_feed_is_named_and_changes_nothing() {
    let folder = Folder::new();
    let good = page(&[nvd("CVE-2030-1234", json!({"nodes": [node("OR", &[("a:acme:thing:1", true, json!({}))])]}))]);
    assert_eq!(folder.load("nvd", &folder.file("good.json.gz", gzip(good.as_bytes()))).unwrap(), "1 of NVD");
    let deep = format!("{{\"vulnerabilities\":{}", "[".repeat(100_000));
    let bomb = gzip(format!("{{\"vulnerabilities\":[{{\"cve\":\"{}\"}}]}}", " ".repeat(40 << 20)).as_bytes());
    let cut_pack = gzip(good.repeat(50).as_bytes());
    let id = |id: &str| page(&[nvd(id, json!({"nodes": []}))]);
    for (name, content, problem) in [
        ("cut.json", good.as_bytes()[..good.len() / 2].to_vec(), "line 1 column"),
        ("middle.json", good.replace("\"weaknesses\":", "\"weaknesses\" ").into_bytes(), "line 1 column"),
        ("deep.json", deep.into_bytes(), "line 1 column"),
        ("bomb.json.gz", bomb, "a record has more than 32 MiB"),
        ("cut.json.gz", cut_pack[..cut_pack.len() / 2].to_vec(), ""),
        ("id.json", id("CVE-hello").into_bytes(), "record 1: \"CVE-hello\" is no CVE id"),
        ("operator.json", page(&[nvd("CVE-2030-1234", json!({"operator": "XOR", "nodes": []}))]).into_bytes(), "XOR"),
        ("other.json", b"{\"hello\": [1, 2]}".to_vec(), "unknown format; known are NVD 2.0"),
        (
            "epss.csv",
            b"cve,epss,percentile\nCVE-2030-1234,1.5,0.1\n".to_vec(),
            "line 2: \"1.5\" is no number from 0 to 1",
        ),
        ("empty.json", b"[]".to_vec(), "unknown format; known are NVD 2.0"),
    ] {
        let told = folder.load("nvd", &folder.file(name, content)).expect_err(name);
        assert!(told.contains(name) && told.contains(problem), "{name}: {told}");
        assert_eq!(cves(&folder.knowledge(), &["acme:thing:1"], &[]), ["CVE-2030-1234"], "{name}");
    }
    let left: Vec<String> = fs::read_dir(folder.0.join("packs"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(left.iter().all(|name| !name.ends_with(".new")), "{left:?}");
}

#[test]
fn what_endoflife_date_says_stands_in_the_place_of_our_own_list() {
    let until = |knowledge: &Knowledge, product: &str, version: &str| {
        let item = json!({"cpe": format!("cpe:2.3:a:{product}:{version}:*:*:*:*:*:*:*"), "product": "Thing"});
        let found = knowledge.maintained(&[item], &[]);
        found.first().map(|one| format!("{} {} {}", one.versions, one.until, one.newest))
    };
    let (folder, own) = (Folder::new(), Knowledge::own());
    assert_eq!(until(&own, "apache:http_server", "2.2.31").unwrap(), "2.2 2017-07-11 ");
    let release = |name: &str, until: Value| json!({"name": name, "eolFrom": until, "latest": {"name": "2.2.34"}});
    let product = json!({
        "name": "apache-http-server", "identifiers": [{"type": "cpe", "id": "cpe:2.3:a:apache:http_server"}],
        "releases": [release("2.2", json!("2017-07-12")), release("2.4", Value::Null)],
    });
    let other = json!({"name": "thing", "identifiers": [{"type": "cpe", "id": "cpe:/a:acme:thing"}],
        "releases": [release("7", json!("2030-01-01"))]});
    let answer = json!({"schema_version": "1.2.0", "result": [product, other]}).to_string();
    assert_eq!(folder.load("eol", &folder.file("full.json", answer)).unwrap(), "2 of endoflife.date");
    let knowledge = folder.knowledge();
    assert_eq!(until(&knowledge, "apache:http_server", "2.2.31").unwrap(), "2.2 2017-07-12 2.2.34");
    assert_eq!(until(&knowledge, "apache:http_server", "2.0.1"), None, "the pack says nothing of it");
    assert_eq!(until(&knowledge, "acme:thing", "7.1").unwrap(), "7 2030-01-01 2.2.34");
    assert_eq!(until(&knowledge, "php:php", "7.1.1").unwrap(), "7.1 2019-12-01 ", "our own list says so");

    let cycles = json!([{"cycle": "9.9", "eol": "2031-02-03", "latest": "9.9.1"}, {"cycle": "10", "eol": false}]);
    let older = folder.file("php.json", cycles.to_string());
    assert_eq!(folder.load("older", &older).unwrap(), "1 of endoflife.date");
    assert_eq!(until(&folder.knowledge(), "php:php", "9.9.0").unwrap(), "9.9 2031-02-03 9.9.1");
    let unnamed = folder.load("unnamed", &folder.file("what.json", cycles.to_string())).unwrap_err();
    assert!(unnamed.contains("what.json: record 1: nobody knows which product \"what\" is"), "{unnamed}");
}

#[test]
fn libraries_are_known_by_the_lists_of_retire_and_of_osv() {
    let folder = Folder::new();
    let entry = |bounds: Value, id: &str| {
        let mut entry = json!({"severity": "medium", "cwe": ["CWE-79"], "info": ["https://jquery.example/1"],
            "identifiers": {"CVE": [id], "summary": "Scripts run"}});
        entry.as_object_mut().unwrap().extend(bounds.as_object().unwrap().clone());
        entry
    };
    let retire = json!({
        "jquery": {"extractors": {}, "vulnerabilities": [
            entry(json!({"below": "1.9.0"}), "CVE-2026-2001"),
            entry(json!({"atOrAbove": "2.0.0", "below": "2.2.0"}), "CVE-2026-2001"),
            entry(json!({"ranges": [{"atOrAbove": "3.0.0", "below": "3.5.0"}]}), "CVE-2026-2002"),
            {"below": "9", "identifiers": {"summary": "it has no id"}},
        ]},
        "unseen": {"extractors": {}, "vulnerabilities": [entry(json!({"below": "9"}), "CVE-2026-2003")]},
    });
    let told = folder.load("retire", &folder.file("jsrepository.json", retire.to_string())).unwrap();
    assert_eq!(told, "2 of retire.js");
    let knowledge = folder.knowledge();
    for (version, expected) in [
        ("1.8.3", &["CVE-2026-2001"][..]),
        ("1.9.0", &[]),
        ("2.1.4", &["CVE-2026-2001"]),
        ("3.4.1", &["CVE-2026-2002"]),
        ("3.7.1", &[]),
    ] {
        let found = cves(&knowledge, &[&format!("jquery:jquery:{version}")], &[]);
        let found: Vec<&String> = found.iter().filter(|id| id.starts_with("CVE-2026")).collect();
        assert_eq!(found, expected, "jquery {version}");
    }

    let ranges = json!([{"type": "SEMVER", "events": [
        {"introduced": "0"}, {"fixed": "4.17.12"}, {"introduced": "5.0.0"}, {"last_affected": "5.0.2"}]}]);
    let osv = |id: &str, name: &str, more: Value| {
        let mut record = json!({"schema_version": "1.6.0", "id": id, "modified": "2026-01-02T00:00:00Z",
            "aliases": ["CVE-2026-3001"], "summary": "Prototypes are polluted",
            "affected": [{"package": {"ecosystem": "npm", "name": name}, "ranges": ranges}]});
        record.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        record.to_string()
    };
    let lines = [osv("GHSA-1", "lodash", json!({})), osv("GHSA-2", "unseen", json!({"aliases": ["CVE-2026-3002"]}))];
    assert_eq!(folder.load("osv", &folder.file("osv.jsonl", lines.join("\n"))).unwrap(), "2 of OSV");
    let knowledge = folder.knowledge();
    for (version, is_known) in [("4.17.11", true), ("4.17.12", false), ("5.0.2", true), ("5.0.3", false)] {
        let found = cves(&knowledge, &[&format!("lodash:lodash:{version}")], &[]);
        assert_eq!(found.iter().any(|id| id == "CVE-2026-3001"), is_known, "lodash {version}: {found:?}");
    }
    for (version, is_known) in [("4.17.11", true), ("4.17.12", false)] {
        let package = ambit_vulns::package("npm", "unseen", version);
        let found = knowledge.affected(&[package], &[]).unwrap();
        let found: Vec<&str> = found.iter().map(|affected| affected.cve.as_str()).collect();
        assert_eq!(found.contains(&"CVE-2026-3002"), is_known, "a package of a lock file, {version}: {found:?}");
    }
    let elsewhere = json!({"affected": [{"package": {"ecosystem": "Debian:12", "name": "unseen"}, "ranges": ranges}]});
    let unseen = folder.file("unseen.json", osv("GHSA-3", "unseen", elsewhere));
    assert_eq!(folder.load("unseen", &unseen).unwrap(), "0 of ", "one file of many may have nothing to say");
    let withdrawn = osv("GHSA-1", "lodash", json!({"withdrawn": "2026-02-01T00:00:00Z"}));
    folder.load("osv", &folder.file("osv.json", withdrawn)).unwrap();
    assert!(!cves(&folder.knowledge(), &["lodash:lodash:4.17.11"], &[]).contains(&"CVE-2026-3001".to_owned()));
}

#[test]
fn packages_of_osv_alone_are_graded_by_the_vectors_of_their_records() {
    let folder = Folder::new();
    let severe = "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H";
    let other = "CVSS:3.1/AV:N/AC:H/PR:L/UI:R/S:U/C:L/I:N/A:N";
    let fourth = "CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N";
    let said = |kind: &str, vector: &str| json!([{"type": kind, "score": vector}]);
    for (of_record, of_package, score, is_issue) in [
        (said("CVSS_V3", severe), json!([]), Some(9.8), true),
        (said("CVSS_V3", "CVSS:3.0/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N"), json!([]), Some(7.5), true),
        (said("CVSS_V3", other), json!([]), Some(2.6), false),
        (said("CVSS_V4", fourth), json!([]), Some(9.3), true),
        (said("CVSS_V2", "AV:N/AC:L/Au:N/C:C/I:C/A:C"), json!([]), Some(10.0), true),
        (said("CVSS_V2", "(AV:N/AC:L/Au:N/C:P/I:N/A:N)"), json!([]), Some(5.0), false),
        (json!([]), said("CVSS_V3", severe), Some(9.8), true),
        (json!([said("CVSS_V4", fourth)[0], said("CVSS_V3", other)[0]]), json!([]), Some(2.6), false),
        (said("Ubuntu", "high"), json!([]), None, true),
        (said("CVSS_V3", "CVSS:3.1/AV:N"), json!([]), None, true),
        (json!([]), json!([]), None, true),
    ] {
        let ranges = json!([{"type": "SEMVER", "events": [{"introduced": "0"}, {"fixed": "2.0.0"}]}]);
        let package = json!({"ecosystem": "npm", "name": "thing"});
        let record = json!({"schema_version": "1.6.0", "id": "GHSA-1", "modified": "2026-01-02T00:00:00Z",
            "aliases": ["CVE-2026-3001"], "severity": of_record,
            "affected": [{"package": package, "ranges": ranges, "severity": of_package}]});
        assert_eq!(folder.load("osv", &folder.file("osv.json", record.to_string())).unwrap(), "1 of OSV");
        let found = folder.knowledge().affected(&[ambit_vulns::package("npm", "thing", "1.0.0")], &[]).unwrap();
        let [known] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((known.score, known.is_issue()), (score, is_issue), "{record}");
    }
}

#[test]
fn a_word_of_the_database_stands_for_a_vector_that_is_missing() {
    let folder = Folder::new();
    let light = "CVSS:3.1/AV:L/AC:H/PR:H/UI:R/S:U/C:L/I:N/A:N";
    for (word, vector, score, is_issue) in [
        ("CRITICAL", "", Some(9.0), true),
        ("HIGH", "", Some(7.0), true),
        ("MODERATE", "", Some(4.0), false),
        ("low", "", Some(0.1), false),
        ("CRITICAL", light, Some(1.8), false),
        ("grave", "", None, true),
    ] {
        let ranges = json!([{"type": "SEMVER", "events": [{"introduced": "0"}, {"fixed": "2.0.0"}]}]);
        let record = json!({"schema_version": "1.6.0", "id": "GHSA-1", "modified": "2026-01-02T00:00:00Z",
            "severity": [{"type": "CVSS_V3", "score": vector}], "database_specific": {"severity": word},
            "affected": [{"package": {"ecosystem": "npm", "name": "thing"}, "ranges": ranges}]});
        folder.load("osv", &folder.file("osv.json", record.to_string())).unwrap();
        let found = folder.knowledge().affected(&[ambit_vulns::package("npm", "thing", "1.0.0")], &[]).unwrap();
        let [known] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((known.score, known.is_issue()), (score, is_issue), "{record}");
    }
}

#[test]
fn what_has_no_cve_id_is_known_by_the_id_of_its_database() {
    let folder = Folder::new();
    let record = |id: &str, aliases: Value, name: &str, more: Value| {
        let ranges = json!([{"type": "SEMVER", "events": [{"introduced": "0"}, {"fixed": "2.0.0"}]}]);
        let mut record = json!({"schema_version": "1.6.0", "id": id, "modified": "2026-01-02T00:00:00Z",
            "aliases": aliases, "affected": [{"package": {"ecosystem": "npm", "name": name}, "ranges": ranges}]});
        record.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        record.to_string()
    };
    let vector = "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H";
    let severity = json!({"severity": [{"type": "CVSS_V3", "score": vector}]});
    let records = [
        record("MAL-2025-1234", json!(["GHSA-aaaa-bbbb-cccc"]), "harm", json!({})),
        record("GHSA-aaaa-bbbb-dddd", json!([]), "thing", severity.clone()),
        record("GO-2025-1", json!(["GHSA-aaaa-bbbb-dddd"]), "thing", severity),
        record("PYSEC-2025-7", json!([]), "other", json!({})),
        record("GHSA-aaaa-bbbb-eeee", json!(["CVE-2026-3001"]), "named", json!({})),
        record("GHSA-aaaa-bbbb-ffff", json!([]), "wrong", json!({"withdrawn": "2026-02-01T00:00:00Z"})),
        record("nonsense", json!([]), "nonsense", json!({})),
        record(&format!("GHSA-{}", "x".repeat(300)), json!([]), "long", json!({})),
    ];
    let told = folder.load("osv", &folder.file("osv.jsonl", records.join("\n"))).unwrap();
    assert_eq!(told, "6 of OSV");
    let knowledge = folder.knowledge();
    let known = |name: &str| -> Vec<(String, Option<f64>, bool)> {
        let found = knowledge.affected(&[ambit_vulns::package("npm", name, "1.0.0")], &[]).unwrap();
        found.into_iter().map(|one| (one.cve.clone(), one.score, one.is_issue())).collect()
    };
    assert_eq!(known("harm"), [("MAL-2025-1234".to_owned(), Some(10.0), true)], "a malicious package is critical");
    assert_eq!(known("thing"), [("GHSA-aaaa-bbbb-dddd".to_owned(), Some(9.8), true)], "once, whoever names it");
    assert_eq!(known("other"), [("PYSEC-2025-7".to_owned(), None, true)]);
    assert_eq!(known("named"), [("CVE-2026-3001".to_owned(), None, true)]);
    for name in ["wrong", "nonsense", "long"] {
        assert_eq!(known(name), [], "{name}");
    }
    for id in ["MAL-2025-1234", "GHSA-aaaa-bbbb-dddd", "PYSEC-2025-7", "CVE-2026-3001", "CVE-2011-2523"] {
        assert!(knowledge.find(id.parse().unwrap()).unwrap().is_some(), "{id}");
    }
    assert!(knowledge.find("GHSA-aaaa-bbbb-aaaa".parse().unwrap()).unwrap().is_none());
    for text in ["hello", "CVE-hello", "CVE-0000-1234", "GHSA-", "ghsa-1", "GHSA-a b"] {
        assert!(text.parse::<ambit_vulns::vulnerability::Id>().is_err(), "{text}");
    }
}

#[test]
fn a_bundle_carries_all_packs_and_one_that_is_damaged_changes_nothing() {
    let (folder, there) = (Folder::new(), Folder::new());
    let thing = json!({"nodes": [node("OR", &[("a:acme:thing:*", true, json!({"versionEndExcluding": "1.5"}))])]});
    folder.load("nvd", &folder.file("page.json", page(&[nvd("CVE-2026-1001", thing)]))).unwrap();
    folder.load("epss", &folder.file("epss.csv", "cve,epss,percentile\nCVE-2026-1001,0.5,0.9\n")).unwrap();
    let bundle = folder.0.join("packs.bundle");
    assert_eq!(folder.packs().bundle(&bundle).unwrap(), 2);
    let content = fs::read(&bundle).unwrap();
    assert!(ambit_vulns::is_bundle(&content));

    let mut turned = content.clone();
    turned[200] ^= 1;
    let mut named = content.clone();
    named[10] = b'/';
    for (name, damaged) in [
        ("cut", &content[..content.len() - 1]),
        ("cut in a pack", &content[..content.len() / 2]),
        ("turned", &turned[..]),
        ("a path", &named[..]),
        ("something else", b"AMBITPK0 and more"),
    ] {
        let file = there.file("damaged", damaged);
        assert!(there.packs().unbundle(&file).is_err(), "{name}");
        assert!(there.packs().list().unwrap().is_empty(), "{name}");
    }
    let left = fs::read_dir(there.0.join("packs")).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(left.collect::<Vec<_>>(), ["lock"], "nothing stays behind");

    let taken = there.packs().unbundle(&there.file("packs.bundle", content)).unwrap();
    assert_eq!(taken, folder.packs().list().unwrap());
    there.packs().rebuild().unwrap();
    assert_eq!(cves(&there.knowledge(), &["acme:thing:1.4"], &[]), ["CVE-2026-1001"]);
}
