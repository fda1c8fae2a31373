//! What is known against products changes: `ambit packs add` and `remove`, and what is judged again without a look.

use crate::cli::lines_until;
use crate::program::{Folder, command, scan_text, succeed};
use serde_json::{Value, json};
use std::process::Stdio;

/// Two sites that show the same product, each on two ports.
const WORLD: &str = r#"
world known "Known"
seeds acme.test
org acme "Acme Corp" ours email hostmaster@acme.test
block 203.0.113.0/26 of acme asn AS64500 named ACME-NET
zone acme.test of acme
  ns ns1.acme.test 203.0.113.2
name acme.test A 203.0.113.5
name www.acme.test A 203.0.113.5
name shop.acme.test A 203.0.113.6
site https://www.acme.test "Acme"
  server "Apache/2.4.64 (Unix)"
site https://shop.acme.test "Shop"
  server "Apache/2.4.64 (Unix)"
"#;

/// A page of NVD with one record about every Apache before a version; `None`: the record was rejected.
fn page(before: Option<&str>) -> String {
    let criterion = json!({
        "criteria": "cpe:2.3:a:apache:http_server:*:*:*:*:*:*:*:*", "vulnerable": true, "versionEndExcluding": before,
    });
    let mut record = json!({
        "id": "CVE-2026-1001", "vulnStatus": if before.is_some() { "Analyzed" } else { "Rejected" },
        "descriptions": [{"lang": "en", "value": "It can be overrun."}],
        "metrics": {"cvssMetricV31": [{"source": "nvd@nist.gov", "type": "Primary",
            "cvssData": {"version": "3.1", "vectorString": "CVSS:3.1/AV:N", "baseScore": 8.8}}]},
    });
    if before.is_some() {
        record["configurations"] = json!([{"nodes": [{"operator": "OR", "negate": false, "cpeMatch": [criterion]}]}]);
    }
    json!({"resultsPerPage": 1, "format": "NVD_CVE", "vulnerabilities": [{"cve": record}]}).to_string()
}

/// Lines of a search in the folder, as JSON.
fn found(folder: &Folder, search: &[&str]) -> Vec<Value> {
    let data = folder.join("data").display().to_string();
    let text = succeed(&[search, &["--jsonl", "--data", &data]].concat());
    text.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect()
}

/// Statuses of the issues of the record, and what the technology names of it.
fn shown(folder: &Folder) -> (Vec<String>, bool) {
    let issues = found(folder, &["issues", "CVE-2026-1001"]);
    let mut statuses: Vec<String> = issues.iter().map(|issue| issue["summary"]["status"].to_string()).collect();
    statuses.sort();
    let technologies = found(folder, &["technologies", "HTTP"]);
    (statuses, technologies.iter().any(|one| one.to_string().contains("CVE-2026-1001")))
}

fn add(folder: &Folder, before: Option<&str>) -> String {
    let file = folder.join("nvd.json");
    std::fs::write(&file, page(before)).expect("can be written");
    let data = folder.join("data");
    let told = command(&["packs", "add"]).arg(file).arg("--data").arg(data).output().expect("the program starts");
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    String::from_utf8_lossy(&told.stderr).into_owned()
}

#[test]
fn what_becomes_known_is_an_issue_at_once_and_what_is_withdrawn_is_none_any_more() {
    let folder = Folder::new("known");
    scan_text(&folder, WORLD, &[]);
    assert_eq!(shown(&folder), (Vec::new(), false));
    let before = found(&folder, &["entities", "type:uri", "technology:HTTP"]);
    assert_eq!(before.len(), 4, "{before:?}");

    let said = add(&folder, Some("2.4.65"));
    assert!(said.contains("4 issues opened, 0 closed"), "{said}");
    let open = "\"open_new\"".to_owned();
    assert_eq!(shown(&folder), (vec![open.clone(); 4], true));
    let after = found(&folder, &["entities", "type:uri", "technology:HTTP", "vuln:CVE-2026-1001"]);
    let seen = |entities: &[Value]| entities.iter().map(|one| one["last_seen"].to_string()).collect::<Vec<_>>();
    assert_eq!(seen(&after), seen(&before), "nobody looked");
    let issues = found(&folder, &["issues", "CVE-2026-1001"]);
    assert!(issues[0]["first_seen"].as_str() > before[0]["last_seen"].as_str(), "the issue is of today");
    let changes = found(&folder, &["changes"]);
    let told = changes.iter().filter(|change| change["noun"] == "issue" && change["what"] == "appeared");
    assert!(told.count() >= 4, "{changes:?}");

    let data = folder.join("data").display().to_string();
    let affected = succeed(&["affected", "CVE-2026-1001", "--data", &data]);
    let states: Vec<&str> = affected.lines().map(|line| line.split("  ").next().expect("a state")).collect();
    assert_eq!(states, ["affected"; 4], "{affected}");
    assert!(affected.contains("Uri https://www.acme.test:443  HTTP Server 2.4.64; concerned: before 2.4.65"));

    let said = add(&folder, None);
    assert!(said.contains("0 issues opened, 4 closed"), "{said}");
    let closed = "\"closed_resolved\"".to_owned();
    assert_eq!(shown(&folder), (vec![closed; 4], false));

    let said = add(&folder, Some("2.4.65"));
    assert!(said.contains("4 issues opened, 0 closed"), "{said}");
    assert_eq!(shown(&folder), (vec![open; 4], true));

    succeed(&["packs", "remove", "nvd", "--data", &data]);
    assert!(!shown(&folder).1);
}

#[test]
fn a_server_that_runs_judges_by_a_pack_that_is_added_beside_it() {
    let folder = Folder::new("known-served");
    scan_text(&folder, WORLD, &[]);
    let data = folder.join("data").display().to_string();
    let mut server = command(&["serve", "-v", "--data", &data, "--listen", "127.0.0.1:0"])
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("starts");
    lines_until(&mut server, "listening on");
    let said = add(&folder, Some("2.4.65"));
    assert!(said.contains("by the server or run that holds the data folder"), "{said}");
    let said = lines_until(&mut server, "judged again with the current vulnerability data").pop().expect("a line");
    assert!(said.contains("opened=4 closed=0"), "{said}");
    assert_eq!(found(&folder, &["issues", "CVE-2026-1001", "status_new:open"]).len(), 4);
    server.kill().expect("can be killed");
    server.wait().expect("ends");
}

#[test]
fn a_vulnerability_names_who_is_concerned_and_who_may_be() {
    let folder = Folder::new("affected");
    let world = WORLD.replacen("Apache/2.4.64 (Unix)", "Apache", 1).replace("2.4.64", "2.4.49");
    scan_text(&folder, &world, &[]);
    let data = folder.join("data").display().to_string();
    let told = succeed(&["affected", "cve-2021-41773", "--data", &data]);
    assert!(
        told.contains("affected            Uri https://shop.acme.test:443  HTTP Server 2.4.49; concerned: version")
    );
    let unknown = "version unknown     Uri https://www.acme.test:443  HTTP Server in an unknown version; concerned:";
    assert!(told.contains(unknown), "{told}");
    let other = command(&["affected", "CVE-1999-0001", "--data", &data]).output().expect("starts");
    assert_eq!(other.status.code(), Some(4), "{}", String::from_utf8_lossy(&other.stderr));
    assert_eq!(succeed(&["affected", "CVE-2024-6387", "--data", &data]), "");
}
