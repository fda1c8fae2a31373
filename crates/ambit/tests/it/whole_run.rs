//! A whole run on the simulated internet: everything planted is found, nothing else is, nobody else is touched; again
//! gives the same.

use crate::program::{Database, Discovery, Folder, ambit, command, demo, scan_command, scan_text, succeed};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::process::{Child, Stdio};

#[test]
fn the_demo_finds_all_that_is_planted_and_touches_nobody_else() {
    let folder = Folder::new("demo");
    let first = demo(folder.path(), &[]);
    let differences = format!(
        "missed {}, unexpected {}, contacts {}",
        first.summary["missed_names"], first.summary["unexpected_names"], first.summary["contacts"]
    );
    assert_eq!(first.figure("missed"), 0, "{differences}");
    assert_eq!(first.figure("unexpected"), 0, "{differences}");
    assert_eq!(first.figure("contacts_outside_clearance"), 0, "{differences}");
    assert_eq!(first.figure("found"), first.figure("planted"));
    for (kinds, least) in [(&["Domain", "DnsRecord"][..], 400), (&["IpAddress"][..], 150), (&["Uri"][..], 60)] {
        let count: usize = kinds.iter().map(|kind| first.names(kind).len()).sum();
        assert!(count >= least, "{kinds:?}: {count}, at least {least} are promised");
    }
    assert!(first.issues.len() >= 40, "{} issues, at least 40 are promised", first.issues.len());

    // A second folder gives the same inventory under the same identifiers.
    let other = Folder::new("demo");
    first.assert_same(&demo(other.path(), &[]));

    // A refresh of an unchanged state changes nothing, and adds next to nothing to the database.
    let before = copied_bytes(&folder, "before");
    let again = demo(folder.path(), &[]);
    let after = copied_bytes(&folder, "after");
    assert!(after < before + 64 * 1_024, "a refresh added {} bytes", after - before);
    for figure in ["new", "changed", "gone"] {
        assert_eq!(again.figure(figure), 0, "{figure} after a refresh: {}", again.summary);
    }
    first.assert_same(&again);
}

/// The kinds that the contract names.
const CONTRACT_KINDS: [&str; 29] = [
    "ApiEndpoint",
    "AppEndpoint",
    "AutonomousSystem",
    "AwsEC2Instance",
    "AwsRdsDbInstance",
    "AwsS3Bucket",
    "AzureStorageAccount",
    "AzureVirtualMachine",
    "CloudStorageBucket",
    "DnsRecord",
    "Domain",
    "EmailAddress",
    "GcpApiGateway",
    "GcpAppEngineApplication",
    "GcpCloudFunction",
    "GcpCloudSQLInstance",
    "GcpComputeEngineInstance",
    "GcpStorageBucket",
    "GithubAccount",
    "GithubRepository",
    "IpAddress",
    "Nameserver",
    "NetBlock",
    "NetworkService",
    "PreCertificate",
    "SslCertificate",
    "UniqueKeyword",
    "UniqueToken",
    "Uri",
];

#[test]
fn the_demo_of_more_workflows_has_a_collection_for_each_and_finds_what_is_planted() {
    let folder = Folder::new("demo-workflows");
    let path = folder.path().to_str().expect("UTF-8");
    let demonstrated = || -> Vec<Value> {
        let output = ambit(&["demo", "--once", "--workflows", "--jsonl", "--data", path]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let lines = String::from_utf8(output.stdout).expect("UTF-8");
        lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    };
    let exact = ["missed", "unexpected", "contacts_outside_clearance"];
    let demand_none = |lines: &[Value], figures: &[&str]| {
        let summaries: Vec<&Value> = lines.iter().filter(|line| line["record"] == "summary").collect();
        assert_eq!(summaries.len(), 7, "one for each workflow");
        for (summary, figure) in
            summaries.iter().flat_map(|summary| figures.iter().map(move |figure| (summary, figure)))
        {
            assert_eq!(summary[figure], 0, "{figure}: {summary}");
        }
    };
    let lines = demonstrated();
    demand_none(&lines, &exact);
    let listed = succeed(&["collection", "list", "--data", path]);
    for workflow in ambit_model::workflow::ALL {
        let name = workflow.name;
        assert_eq!(listed.lines().filter(|line| line.contains(name)).count(), 1, "{name}: {listed}");
    }
    let kinds: BTreeSet<&str> = lines.iter().filter_map(|line| line["type"].as_str()?.rsplit("::").next()).collect();
    let missing: Vec<&&str> = CONTRACT_KINDS.iter().filter(|kind| !kinds.contains(*kind)).collect();
    assert!(missing.is_empty(), "all kinds of the contract occur; these do not: {missing:?}");

    // A refresh of an unchanged state changes nothing in any of them.
    demand_none(&demonstrated(), &[&exact[..], &["new", "changed", "gone"]].concat());
}

/// Bytes of a copy of the database, which has neither free pages nor a write-ahead log.
fn copied_bytes(folder: &Folder, name: &str) -> u64 {
    let copy = Folder::new(name);
    let target = copy.join("copy");
    let [data, copied] = [folder.path(), &target].map(|path| path.to_str().expect("UTF-8"));
    succeed(&["backup", copied, "--data", data]);
    std::fs::metadata(target.join("ambit.db")).expect("a copy").len()
}

#[test]
fn another_state_changes_what_it_concerns_and_the_past_stays_readable() {
    let folder = Folder::new("states");
    let path = folder.path().to_str().expect("UTF-8");
    let first = demo(folder.path(), &["--state", "1"]);
    let fields = ["--fields", "id", "--jsonl"];
    let open = succeed(&[&["issues", "login_over_plain_http", "--data", path], &fields[..]].concat());
    let accepted: Value = serde_json::from_str(open.lines().next().expect("an issue is planted")).expect("JSON");
    let accepted = accepted["id"].as_str().expect("a uid");
    succeed(&["issue", "status", accepted, "closed_risk_accepted", "--data", path]);

    let second = demo(folder.path(), &["--state", "2"]);
    assert_eq!(second.figure("missed"), 0, "what is accepted is found: {}", second.summary);
    assert_eq!(second.figure("unexpected"), 0, "{}", second.summary);
    assert!(!second.issues.contains_key(accepted), "and not shown any more");
    let runs = succeed(&["run", "list", "--jsonl", "--data", path]);
    let run: Value = serde_json::from_str(runs.lines().next().expect("the newest run")).expect("JSON");
    let since = format!("{},2999-01-01", run["started_at"].as_str().expect("a moment"));
    for (figure, change) in [("new", "appeared"), ("changed", "changed"), ("gone", "disappeared")] {
        let query = format!("change:{change}");
        let found = succeed(&["entities", &query, "--between", &since, "--count", "--data", path]);
        assert_eq!(found.trim(), second.figure(figure).to_string(), "summary and search agree on what {change}");
        assert_ne!(second.figure(figure), 0, "{figure}");
    }
    let gone = first.entities.keys().find(|uid| !second.entities.contains_key(*uid)).expect("something is gone");
    let shown = succeed(&["entity", "show", gone, "--jsonl", "--data", path]);
    assert!(shown.contains(gone.as_str()));
    let back = demo(folder.path(), &["--state", "1"]);
    assert_eq!(back.figure("missed"), 0, "{}", back.summary);
}

#[test]
fn a_small_world_from_a_file_is_found_whole() {
    let folder = Folder::new("small");
    let path = folder.path().to_str().expect("UTF-8");
    let world = concat!(env!("CARGO_MANIFEST_DIR"), "/../../worlds/small.world");
    let found = Discovery::parse(&succeed(&["scan", "--world", world, "-y", "--jsonl", "--data", path]));
    assert_eq!(found.figure("missed"), 0, "{}", found.summary);
    assert_eq!(found.figure("unexpected"), 0, "{}", found.summary);
    assert_eq!(found.figure("contacts_outside_clearance"), 0, "{}", found.summary);
}

/// A site that moves to a higher address between two states; the lowest address describes a site.
const MOVING: &str = r#"
world moving "Moving"
seeds acme.test
org acme "Acme Corp" ours email hostmaster@acme.test
block 203.0.113.0/26 of acme asn AS64500 named ACME-NET
zone acme.test of acme
  ns ns1.acme.test 203.0.113.2
name acme.test A 203.0.113.5
name shop.acme.test A 203.0.113.10
site https://shop.acme.test "The old shop"
  cert expired 3d
state 2
name shop.acme.test A 203.0.113.20
site https://shop.acme.test "The new shop"
"#;

#[test]
fn a_site_that_moved_is_described_by_where_it_is_now() {
    let folder = Folder::new("moving");
    let scan = |state: &str| scan_text(&folder, MOVING, &["--state", state]);
    let shop = |found: &Discovery| {
        let site = found.entities.values().find(|entity| entity["name"] == "https://shop.acme.test:443").cloned();
        site.expect("the shop is found")["summary"]["http"]["title"].clone()
    };
    let before = scan("1");
    assert_eq!(
        (shop(&before), before.figure("missed"), before.figure("unexpected")),
        ("The old shop".into(), 0, 0),
        "{}",
        before.summary
    );
    let expired = |found: &Discovery| open_issues(found).iter().any(|issue| issue.contains("expired"));
    assert!(expired(&before), "{:?}", open_issues(&before));
    let after = scan("2");
    assert_eq!(
        (shop(&after), after.figure("missed"), after.figure("unexpected")),
        ("The new shop".into(), 0, 0),
        "{}",
        after.summary
    );
    assert!(!expired(&after), "{:?}", open_issues(&after));
}

/// The second state takes the shop away, but the front page still links to it.
const LINKED: &str = r#"world linked "Linked"
seeds acme.test
org acme "Acme" ours
block 203.0.113.0/24 of acme asn AS64500 named ACME
zone acme.test of acme
  ns ns1.acme.test 203.0.113.2
name acme.test A 203.0.113.10
site https://acme.test "Acme"
  links https://shop.acme.test/
name shop.acme.test A 203.0.113.11
site https://shop.acme.test "Shop"
  exposes metrics
state 2
remove site https://shop.acme.test
remove name shop.acme.test
"#;

#[test]
fn a_site_whose_name_is_gone_is_gone_with_its_issues_though_a_page_links_to_it() {
    let folder = Folder::new("linked");
    let scan = |state: &str| scan_text(&folder, LINKED, &["--state", state]);
    let shown = |found: &Discovery| {
        found.entities.values().filter(|entity| entity["name"] == "https://shop.acme.test:443").count()
    };
    let before = scan("1");
    assert_eq!((shown(&before), before.figure("missed")), (1, 0), "{}", before.summary);
    let after = scan("2");
    assert_eq!((shown(&after), after.figure("missed"), after.figure("unexpected")), (0, 0, 0), "{}", after.summary);
}

/// Two servers that shut the door on whoever names no site of theirs: ours, and a vendor's, which is none of our
/// business.
const CLOSED_TO_STRANGERS: &str = r#"
world closed "Closed"
seeds acme.test
org acme "Acme Corp" ours email hostmaster@acme.test
org edge "Edge Net" vendor
block 203.0.113.0/26 of acme asn AS64500 named ACME-NET
block 198.51.100.0/26 of edge asn AS64502 named EDGE
zone acme.test of acme
  ns ns1.acme.test 203.0.113.2
zone edge.test of edge
  ns ns1.edge.test 198.51.100.2
name acme.test A 203.0.113.5
name www.acme.test A 203.0.113.10
host 203.0.113.10
  unknown-host close
site https://www.acme.test "Acme"
  tls also-old
name shop.acme.test CNAME acme-shop.edge.test
name acme-shop.edge.test A 198.51.100.10
host 198.51.100.10
  unknown-host close
site https://acme-shop.edge.test "Tenants"
  tls also-old
site https://shop.acme.test "The shop"
  tls also-old
state 2
site https://www.acme.test "Acme"
  tls modern
"#;

#[test]
fn an_old_tls_that_a_service_tells_only_to_names_it_knows_is_reported_until_it_is_gone() {
    let folder = Folder::new("closed");
    let old_tls = |found: &Discovery| {
        open_issues(found).into_iter().filter(|issue| issue.starts_with("deprecated_tls_version")).collect::<Vec<_>>()
    };
    let first = scan_text(&folder, CLOSED_TO_STRANGERS, &["--state", "1"]);
    assert_eq!((first.figure("missed"), first.figure("unexpected")), (0, 0), "{}", first.summary);
    assert_eq!(old_tls(&first), ["deprecated_tls_version 203.0.113.10:443/tcp"]);
    let second = scan_text(&folder, CLOSED_TO_STRANGERS, &["--state", "2"]);
    assert_eq!((second.figure("missed"), second.figure("unexpected")), (0, 0), "{}", second.summary);
    assert!(old_tls(&second).is_empty(), "{:?}", old_tls(&second));
    assert_eq!(second.figure("contacts_outside_clearance"), 0, "{}", second.summary);
}

/// Names of what is theirs.
fn scoped(found: &Discovery) -> BTreeSet<String> {
    let ours = found.entities.values().filter(|entity| entity["summary"]["scoped"] == true);
    ours.filter_map(|entity| entity["name"].as_str().map(str::to_owned)).collect()
}

/// Names of open issues, each with the entity's.
fn open_issues(found: &Discovery) -> Vec<String> {
    let issues = found.issues.values();
    let open =
        issues.filter(|issue| issue["summary"]["status"].as_str().is_some_and(|status| status.starts_with("open")));
    let shown = |issue: &serde_json::Value| {
        format!("{} {}", issue["name"].as_str().unwrap_or_default(), issue["entity_name"].as_str().unwrap_or_default())
    };
    open.map(shown).collect()
}

/// A site on a port of its own, another on an address; beside them what nobody names.
const NAMED: &str = r#"
world named "Named"
seeds acme.test
org acme "Acme Corp" ours email hostmaster@acme.test
block 203.0.113.0/26 of acme asn AS64500 named ACME-NET
zone acme.test of acme
  ns ns1.acme.test 203.0.113.2
name acme.test A 203.0.113.10
name {app,other}.acme.test A 203.0.113.{11,12}
site https://app.acme.test:8445 "App"
  exposes env
  cert expired 3d
site https://other.acme.test "Other"
host 203.0.113.11
  port 22 ssh "OpenSSH_10.0"
host 203.0.113.13
  port 9443 https
site https://acme.test "Apex"
  exposes git
"#;

#[test]
fn a_site_that_somebody_names_is_looked_at_with_its_host_and_no_more() {
    let folder = Folder::new("named");
    let found = scan_text(&folder, NAMED, &["https://app.acme.test:8445/", "https://203.0.113.13:9443"]);
    let names = scoped(&found);
    for there in ["https://app.acme.test:8445", "app.acme.test", "https://203.0.113.13:9443"] {
        assert!(names.contains(there), "{there} is missed: {names:?}");
    }
    // Nor does anything show whose the machine is that the named site is on.
    for other in ["acme.test", "other.acme.test", "203.0.113.11", "203.0.113.11:22/tcp", "https://acme.test:443"] {
        assert!(!names.contains(other), "nobody named {other}");
    }
    let issues = open_issues(&found);
    for issue in ["exposed_environment_file https://app.acme.test:8445", "invalid_certificate_expired"] {
        assert!(issues.iter().any(|shown| shown.starts_with(issue)), "{issue} is missed: {issues:?}");
    }
    assert_eq!(found.figure("contacts_outside_clearance"), 0, "{}", found.summary);

    // The site of a whole domain is that site: nobody named the domain.
    let folder = Folder::new("apex");
    let found = scan_text(&folder, NAMED, &["https://acme.test/"]);
    let names = scoped(&found);
    assert!(names.contains("https://acme.test:443"), "{names:?}");
    assert!(!names.iter().any(|name| name.contains("app.acme.test") || name.contains("other.acme.test")), "{names:?}");
    assert!(
        open_issues(&found).contains(&"exposed_version_control https://acme.test:443".to_owned()),
        "{:?}",
        open_issues(&found)
    );
    assert_eq!(found.figure("contacts_outside_clearance"), 0, "{}", found.summary);
}

/// What was open over plain HTTP is closed by sending everybody on.
const SENT_ON: &str = r#"
world sent "Sent on"
seeds acme.test
org acme "Acme Corp" ours email hostmaster@acme.test
block 203.0.113.0/26 of acme asn AS64500 named ACME-NET
zone acme.test of acme
  ns ns1.acme.test 203.0.113.2
  transfer open
name acme.test A 203.0.113.5
name www.acme.test A 203.0.113.10
site http://www.acme.test "Open"
  exposes env
state 2
zone acme.test of acme
  ns ns1.acme.test 203.0.113.2
remove site http://www.acme.test
site https://www.acme.test "Closed"
  plain redirect
"#;

#[test]
fn an_exposure_is_resolved_when_its_site_begins_to_send_everybody_on() {
    let folder = Folder::new("sent");
    let before = scan_text(&folder, SENT_ON, &["--state", "1"]);
    assert_eq!((before.figure("missed"), before.figure("unexpected")), (0, 0), "{}", before.summary);
    let exposure = "exposed_environment_file http://www.acme.test:80".to_owned();
    let issues = open_issues(&before);
    assert!(
        issues.contains(&exposure) && issues.iter().any(|issue| issue.starts_with("dns_zone_transfer")),
        "{issues:?}"
    );
    let after = scan_text(&folder, SENT_ON, &["--state", "2"]);
    assert_eq!((after.figure("missed"), after.figure("unexpected")), (0, 0), "{}", after.summary);
    let issues = open_issues(&after);
    assert!(
        !issues.iter().any(|issue| issue.contains("exposed_environment_file") || issue.contains("dns_zone_transfer")),
        "{issues:?}"
    );
}

/// A service over UDP that falls silent, beside one that goes on.
const FALLS_SILENT: &str = r#"
world silent "Falls silent"
seeds acme.test
org acme "Acme Corp" ours email hostmaster@acme.test
block 203.0.113.0/26 of acme asn AS64500 named ACME-NET
zone acme.test of acme
  ns ns1.acme.test 203.0.113.2
name acme.test A 203.0.113.10
host 203.0.113.10
  udp 161 snmp public
  udp 123 ntp
  unlisted filtered
state 2
host 203.0.113.10
  udp 161 silent
  udp 123 ntp
  unlisted filtered
"#;

#[test]
fn a_service_over_udp_that_falls_silent_is_gone_with_its_issues() {
    let folder = Folder::new("silent");
    for (state, speaks) in [("1", true), ("2", false)] {
        let scan = scan_text(&folder, FALLS_SILENT, &["--state", state]);
        assert_eq!((scan.figure("missed"), scan.figure("unexpected")), (0, 0), "{}", scan.summary);
        let issues = open_issues(&scan);
        let is_open = issues.iter().any(|issue| issue.starts_with("snmp_public_community"));
        assert_eq!(is_open, speaks, "{issues:?}");
    }
}

/// An exposure that is fixed, and comes back.
const COMES_BACK: &str = r#"
world back "Comes back"
seeds acme.test
org acme "Acme Corp" ours email hostmaster@acme.test
block 203.0.113.0/26 of acme asn AS64500 named ACME-NET
zone acme.test of acme
  ns ns1.acme.test 203.0.113.2
name www.acme.test A 203.0.113.10
site https://www.acme.test "Open"
  exposes env
state 2
site https://www.acme.test "Open"
  twin env
state 3
site https://www.acme.test "Open"
  exposes env
"#;

#[test]
fn an_accepted_exposure_that_was_fixed_and_comes_back_is_open_again() {
    let folder = Folder::new("back");
    let exposure = "exposed_environment_file https://www.acme.test:443".to_owned();
    let scan = |state: &str| open_issues(&scan_text(&folder, COMES_BACK, &["--state", state])).contains(&exposure);
    assert!(scan("1"));
    let data = folder.join("data");
    let data = data.to_str().unwrap();
    let found = succeed(&["issues", "name:exposed_environment_file", "--jsonl", "--data", data]);
    let hit: serde_json::Value = serde_json::from_str(found.lines().next().unwrap()).unwrap();
    let id = hit["id"].as_str().unwrap();
    succeed(&["issue", "status", id, "closed_risk_accepted", "--reason", "a decoy", "--data", data]);
    assert!(!scan("1"), "accepted while it stays");
    assert!(!scan("2"), "fixed");
    assert!(scan("3"), "it came back");
    let history = succeed(&["issue", "history", id, "--data", data]);
    let statuses: Vec<&str> = history.lines().filter_map(|line| line.split_whitespace().nth(1)).collect();
    assert_eq!(statuses, ["open_new", "closed_risk_accepted", "closed_resolved", "open_new"], "{history}");
    assert!(history.contains("because a decoy"), "{history}");
    // A report since the moment at which it was fixed tells of it.
    let fixed = history.lines().nth(2).and_then(|line| line.split_whitespace().next()).unwrap();
    let report = succeed(&["export", "--format", "html", "--since", fixed, "--data", data]);
    assert!(report.contains("<h3>Back (") && !report.contains("<h3>Back (0)</h3>"), "{report}");
}

/// What was not done in a run, as its record says it: reason, task and example.
fn not_done(folder: &Folder, run: &str) -> Vec<String> {
    let data = folder.join("data");
    let shown = succeed(&["run", "show", run, "--jsonl", "--data", data.to_str().expect("a UTF-8 path")]);
    let record: serde_json::Value = serde_json::from_str(shown.trim()).expect("JSON");
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let rows = record["not_done"].as_array().expect("a list").iter();
    rows.map(|row| format!("{} {}: {}", row["count"], text(&row["reason"]), text(&row["example"]))).collect()
}

#[test]
fn a_target_that_does_not_exist_has_no_issues_and_is_said_not_to_exist() {
    let folder = Folder::new("misspelt");
    let output = scan_command(&folder, NAMED).args(["acmee.test", "acme.test"]).output().unwrap();
    let found = Discovery::of(&output);
    let missing = "1 does not exist: Domain acmee.test: there is no such name; check its spelling".to_owned();
    assert!(not_done(&folder, "1").contains(&missing), "{:?}", not_done(&folder, "1"));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("1 × does not exist: Domain acmee.test"), "{said}");
    let issues = open_issues(&found);
    assert!(!issues.iter().any(|issue| issue.contains("acmee.test")), "{issues:?}");
    assert!(issues.iter().any(|issue| issue == "spf_missing acme.test"), "{issues:?}");
}

/// An app for iOS whose scripts name a host and hold a secret.
fn write_app(path: &std::path::Path) {
    let list = "<plist><dict><key>CFBundleIdentifier</key><string>test.acme.app</string></dict></plist>";
    let secret = ["AKIA", "QZ7WX2KD", "M4TN9RVB"].concat();
    let script = format!("fetch('https://api.acme.test/v1', {{key: '{secret}'}})");
    let mut writer = zip::ZipWriter::new(std::fs::File::create(path).expect("a new file"));
    for (name, text) in [("Info.plist", list), ("main.jsbundle", &script)] {
        let options = zip::write::SimpleFileOptions::default();
        writer.start_file(format!("Payload/Acme.app/{name}"), options).expect("it is written");
        writer.write_all(text.as_bytes()).expect("it is written");
    }
    writer.finish().expect("it is written");
}

#[test]
fn a_package_of_an_app_gives_its_names_and_secrets_and_nothing_is_contacted() {
    let folder = Folder::new("app");
    let package = folder.join("acme.ipa");
    write_app(&package);
    let output = scan_command(&folder, NAMED).arg(package.to_str().unwrap()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    let found = Discovery::parse(&String::from_utf8(output.stdout).unwrap());
    assert_eq!(found.names("IosApp").into_iter().collect::<Vec<_>>(), ["test.acme.app"]);
    let named = |wanted: &str| {
        let kind = format!("Platform::Entity::{wanted}");
        let of_kind = found.entities.values().filter(|entity| entity["type"] == kind.as_str());
        of_kind.map(|entity| entity["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(named("DnsRecord"), ["api.acme.test"]);
    assert_eq!(found.names("DnsRecord").len(), 0, "what an app names is a candidate alone");
    assert_eq!((named("UniqueToken").len(), named("IpAddress").len()), (1, 0));
    assert_eq!(named("AppEndpoint"), ["https://api.acme.test:443/v1"]);
    let data = folder.join("data");
    let searched = succeed(&["entities", "type:AppEndpoint", "--jsonl", "--data", data.to_str().unwrap()]);
    let hit: Value = serde_json::from_str(searched.lines().next().unwrap()).unwrap();
    let shown = succeed(&["entity", "show", hit["id"].as_str().unwrap(), "--data", data.to_str().unwrap()]);
    for words in ["origin: \"test.acme.app\"", "file: \"Payload/Acme.app/main.jsbundle\"", "ssl: true"] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    assert_eq!(open_issues(&found), ["leaked_app_token test.acme.app"]);
}

/// An archive of some kilobytes whose manifest is larger than any.
fn write_bomb(path: &std::path::Path) {
    let mut writer = zip::ZipWriter::new(std::fs::File::create(path).expect("a new file"));
    writer.start_file("AndroidManifest.xml", zip::write::SimpleFileOptions::default()).expect("it is written");
    std::io::copy(&mut std::io::repeat(0).take(200 << 20), &mut writer).expect("it is written");
    writer.finish().expect("it is written");
}

#[test]
fn a_file_that_is_no_app_is_refused_as_a_target() {
    let folder = Folder::new("no-app");
    let (file, bomb, cut) = (folder.join("hello.apk"), folder.join("bomb.apk"), folder.join("cut.apk"));
    std::fs::write(&file, "hello").unwrap();
    write_bomb(&bomb);
    std::fs::write(&cut, &std::fs::read(&bomb).unwrap()[..1_000]).unwrap();
    for (arguments, why) in [
        (vec![file.to_str().unwrap()], "no app package: it is no zip archive"),
        (vec![bomb.to_str().unwrap()], "beyond the limits"),
        (vec![cut.to_str().unwrap()], "its zip archive breaks off"),
        (vec!["acme.test", file.to_str().unwrap()], "there is no such file"),
        (vec!["mistyped.apk"], "\"mistyped.apk\": there is no such file"),
        (vec!["--workflow", "mobile_app_discovery", "org.acme.app"], "there is no such file"),
    ] {
        let output = scan_command(&folder, NAMED).args(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(why), "{said}");
    }
}

#[test]
fn a_seed_of_a_kind_that_nothing_looks_at_is_named() {
    let folder = Folder::new("inert");
    let output = scan_command(&folder, NAMED)
        .args(["--workflow", "third_party_workflow", "acme.test", "AS64500"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let row = "1 nothing looks at it: AutonomousSystem AS64500: no task of this version looks at seeds of this kind";
    assert!(not_done(&folder, "1").contains(&row.to_owned()), "{:?}", not_done(&folder, "1"));
}

#[test]
fn a_hostile_world_ends_and_its_healthy_hosts_are_found() {
    let folder = Folder::new("hostile");
    let path = folder.path().to_str().expect("UTF-8");
    let world = concat!(env!("CARGO_MANIFEST_DIR"), "/../../worlds/hostile.world");
    let found = Discovery::parse(&succeed(&["scan", "--world", world, "-y", "--jsonl", "--data", path]));
    assert_eq!(found.figure("missed"), 0, "{}", found.summary);
    assert_eq!(found.figure("contacts_outside_clearance"), 0, "{}", found.summary);
}

/// No registry knows a private block, so nothing but the block itself calls for its sweep.
#[test]
fn a_private_block_that_a_seed_names_is_swept() {
    let folder = Folder::new("inside");
    let path = folder.path().to_str().expect("UTF-8");
    let file = folder.path().with_extension("world");
    let text = "world inside \"Inside\"\nseeds 10.20.0.0/28\norg acme \"Acme Corp\" ours email hostmaster@acme.test\n\
                block 10.20.0.0/24 of acme asn AS64500 named ACME-INSIDE\n\
                host 10.20.0.5\n  port 22 ssh \"OpenSSH_10.0\"\nhost 10.20.0.77\n  port 22 ssh \"OpenSSH_10.0\"\n";
    std::fs::write(&file, text).expect("a file beside the folder");
    let world = file.to_str().expect("UTF-8");
    let found = Discovery::parse(&succeed(&["scan", "--world", world, "-y", "--jsonl", "--data", path]));
    std::fs::remove_file(&file).ok();
    let services: Vec<String> = found.names("NetworkService").into_iter().collect();
    assert_eq!(services, ["10.20.0.5:22/tcp"], "{}", found.summary);
    assert_eq!(found.figure("contacts_outside_clearance"), 0, "{}", found.summary);
}

#[test]
fn a_block_is_searched_by_the_ports_that_the_person_asks_for() {
    let folder = Folder::new("ports");
    let path = folder.path().to_str().expect("UTF-8");
    let file = folder.path().with_extension("world");
    let text = "world inside \"Inside\"\nseeds 10.20.0.0/28\norg acme \"Acme Corp\" ours email hostmaster@acme.test\n\
                block 10.20.0.0/24 of acme asn AS64500 named ACME-INSIDE\n\
                host 10.20.0.5\n  port 22 ssh \"OpenSSH_10.0\"\n  port 31999 ssh \"OpenSSH_10.0\"\n\
                host 10.20.0.6\n  port 31999 ssh \"OpenSSH_10.0\"\n  unlisted filtered\n";
    std::fs::write(&file, text).expect("a file beside the folder");
    let world = file.to_str().expect("UTF-8");
    let services = |more: &[&str]| {
        let scan = [&["scan", "--world", world, "-y", "--jsonl", "--data", path][..], more].concat();
        let found = Discovery::parse(&succeed(&scan));
        assert_eq!(found.figure("contacts_outside_clearance"), 0, "{}", found.summary);
        found.names("NetworkService").into_iter().collect::<Vec<String>>()
    };
    assert_eq!(services(&[]), ["10.20.0.5:22/tcp"]);
    let all = ["10.20.0.5:22/tcp", "10.20.0.5:31999/tcp", "10.20.0.6:31999/tcp"];
    assert_eq!(services(&["--ports", "31990-32000"]), all, "a shorter list makes nothing gone");
    let shown = succeed(&["collection", "list", "--jsonl", "--data", path]);
    assert!(shown.contains(r#""ports":"31990-32000""#), "{shown}");
    std::fs::remove_file(&file).ok();
}

#[test]
fn a_scan_of_known_targets_keeps_their_workflow_and_says_which_exclusions_end() {
    let folder = Folder::new("again");
    let data = folder.join("data");
    let path = data.to_str().expect("UTF-8");
    let world = concat!(env!("CARGO_MANIFEST_DIR"), "/../../worlds/small.world");
    let scan = |more: &[&str]| {
        let output = ambit(&[&["scan", "--world", world, "-y", "--data", path][..], more].concat());
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, said) = scan(&["--workflow", "suspicious_domain_discovery", "--exclude", "shop.harbour.test"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains(&format!("`ambit entities --data {path}` lists what was found")), "{said}");
    let (code, said) = scan(&["--workflow", "external_discovery_and_assessment"]);
    assert!(code == Some(2) && said.contains("has the workflow suspicious_domain_discovery"), "{said}");
    let (code, said) = scan(&[]);
    assert!(code == Some(0) && said.contains("no longer excluded") && said.contains("shop.harbour.test"), "{said}");
    assert!(succeed(&["collection", "list", "--data", path]).contains("  suspicious_domain_discovery  "));
}

/// Nobody answers at the only resolver, so nothing is found and nothing leaves the machine.
#[test]
fn a_scan_that_could_not_look_at_anything_is_partly_done_and_says_so() {
    let socket = std::net::UdpSocket::bind("127.0.0.1:0").expect("a free port");
    let resolver = socket.local_addr().expect("has an address").to_string();
    // It fails at every question at once (RFC 1035 §4.1.1: QR, and RCODE 2); a silent one would cost the test a minute.
    std::thread::spawn(move || {
        let mut message = [0; 4_096];
        while let Ok((length, asker)) = socket.recv_from(&mut message) {
            message[2] |= 0x80;
            message[3] = (message[3] & 0xf0) | 2;
            socket.send_to(&message[..length], asker).ok();
        }
    });
    let folder = Folder::new("nowhere");
    let data = folder.join("data");
    let path = data.to_str().expect("UTF-8");
    let arguments =
        ["scan", "acme.test", "-y", "--silent", "--level", "passive", "--resolver", &resolver, "--data", path];
    let output = ambit(&arguments);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(5), "{said}");
    assert!(said.lines().count() == 1 && said.contains("no target could be probed"), "{said}");
}

/// Two scans of one project side by side, as only PostgreSQL allows: each counts what is new in its own collection.
#[test]
fn the_summary_counts_the_changes_of_its_own_collection() {
    let (folder, database) = (Folder::new("beside"), Database::create());
    let data = folder.join("data");
    let moving = folder.join("moving.world");
    std::fs::write(&moving, MOVING).expect("can be written");
    let run = |arguments: &[&str]| {
        let mut command = command(arguments);
        command.args(["--data", data.to_str().expect("UTF-8")]).env("AMBIT_DATABASE", database.url());
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts")
    };
    let read = |child: Child| {
        let output = child.wait_with_output().expect("ends");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("results are UTF-8")
    };
    read(run(&["init", "--email", "a@acme.test"]));
    let small = concat!(env!("CARGO_MANIFEST_DIR"), "/../../worlds/small.world");
    let started =
        [small, moving.to_str().expect("UTF-8")].map(|world| run(&["scan", "--world", world, "-y", "--jsonl"]));
    for found in started.map(|child| Discovery::parse(&read(child))) {
        assert_eq!(found.figure("new"), i64::try_from(found.entities.len()).expect("few"), "{}", found.summary);
    }
}
