//! Every format over hostile rows: the text is well-formed, says what the row says, and lets nothing out of its place.
//! Whether programs of others read it is asked of these programs (`crates/ambit/tests/it/exports.rs`).

use super::*;
use ambit_api::issues::{EvidenceOutcome, EvidencePiece, IssueEvidence};
use ambit_api::{CollectionRef, Maybe, Sighting};
use ambit_model::issue::{Confidence, Decision, Identifier, IssueRecord, Status};
use ambit_model::{Kind, Uid};
use serde_json::{Value, json};
use uuid::Uuid;

const HOSTILE: &str = "</pre><script>alert(1)</script>\u{202e}\u{61c}\u{2028}\u{1b}[2J\"'&";

fn head(since: Option<Timestamp>) -> Head {
    Head {
        made_at: Timestamp(86_400_000),
        query: "tag:<b>".to_owned(),
        of_entities: false,
        since,
        as_of: None,
        version: "1.2.3",
    }
}

/// An issue of that severity and status on a site, last changed at `changed`.
fn finding(severity: i64, status: Status, changed: i64) -> Finding {
    let name = "https://www.acme.test:443";
    let entity = Uid::of_entity(Uuid::nil(), Kind::Uri, name);
    let record = IssueRecord {
        exploitation: None,
        assignee: Some("=ann".to_owned()),
        uid: Uid::of_issue(Uuid::nil(), "exposed", "ambit", &format!("{severity} {changed}"), entity),
        collection: Uuid::nil(),
        name: format!("exposed_{severity}"),
        pretty_name: format!("Exposed {severity}"),
        upstream: "ambit".to_owned(),
        discriminator: String::new(),
        entity_uid: entity,
        entity_kind: Kind::Uri,
        entity_name: name.to_owned(),
        severity,
        confidence: Confidence::Confirmed,
        category: "leak".to_owned(),
        status,
        scoped: true,
        description: "It is open.".to_owned(),
        identifiers: Some(vec![
            Identifier { kind: "CVE".to_owned(), name: "CVE-2024-1234".to_owned() },
            Identifier { kind: "CWE".to_owned(), name: "CWE-306".to_owned() },
        ]),
        details: json!({"remediation": "Close it.",
            "references": [{"uri": "https://example.org/x", "type": "remediation"},
                {"uri": "javascript:alert(1)", "type": "remediation"}],
            "proof": {"description": "It answered.", "details": {"banner": HOSTILE}}}),
        tags: vec!["=cmd()".to_owned()],
        ticket_list: None,
        decision: Some(Decision { by: "ann".to_owned(), reason: Some("agreed".to_owned()), until: None }),
    };
    let seen = Sighting {
        id: 1,
        first_seen: Timestamp(0),
        last_seen: Timestamp(changed),
        since: Timestamp(changed),
        due_at: Some(Timestamp(changed)),
    };
    Finding::of(&record, seen, CollectionRef { id: 1, uuid: Uuid::nil(), name: "outside_1", organization_uuid: None })
}

fn written(name: &str, since: Option<Timestamp>, findings: &[Finding]) -> String {
    let mut document = Document::new(format(name).expect("a format"), head(since));
    let mut text = String::new();
    for finding in findings {
        document.finding(finding).expect("fits");
        text.push_str(&document.take());
    }
    text + &document.end()
}

fn parsed(name: &str, findings: &[Finding]) -> Value {
    let text = written(name, None, findings);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}: {text}"))
}

#[test]
fn a_document_of_nothing_is_whole() {
    for name in ["sarif", "vex", "defectdojo", "stix"] {
        assert!(parsed(name, &[]).is_object(), "{name}");
    }
    for name in ["jsonl", "ocsf"] {
        assert_eq!(written(name, None, &[]), "", "{name}");
    }
    for (of_entities, begins) in [(false, "severity,title,"), (true, "type,name,")] {
        let text = Document::new(format("csv").expect("a format"), Head { of_entities, ..head(None) }).end();
        assert!(text.starts_with(begins) && text.lines().count() == 1, "{text}");
    }
    assert!(written("html", None, &[]).contains("No open issue was found"));
}

#[test]
fn what_was_closed_and_is_open_again_is_told_as_change() {
    let since = Some(Timestamp(5_000));
    let with = |severity: i64, status: Status, changed: i64, was_open: Option<bool>| Finding {
        was_open: Maybe(was_open),
        ..finding(severity, status, changed)
    };
    let new = Finding { first_seen: Timestamp(6_000), ..with(1, Status::OpenNew, 6_000, None) };
    let rows = [
        new,
        with(2, Status::OpenNew, 9_000, Some(false)),
        with(3, Status::OpenNew, 9_001, Some(true)),
        with(4, Status::OpenNew, 1_000, None),
        with(3, Status::ClosedResolved, 9_002, Some(true)),
        with(3, Status::ClosedResolved, 9_003, Some(false)),
    ];
    let page = written("html", since, &rows);
    assert!(page.contains("<strong>1</strong> new, <strong>1</strong> back, <strong>1</strong> closed."), "{page}");
    assert!(page.contains("<h3>New (1)</h3>") && page.contains("<h3>Back (1)</h3>"), "{page}");
    let sarif: Value = serde_json::from_str(&written("sarif", since, &rows[..4])).expect("is JSON");
    let states: Vec<&str> = sarif["runs"][0]["results"]
        .as_array()
        .expect("rows")
        .iter()
        .map(|result| result["baselineState"].as_str().expect("is said"))
        .collect();
    assert_eq!(states, ["new", "new", "unchanged", "unchanged"]);
}

#[test]
fn a_document_of_the_past_says_of_which_moment_it_is() {
    for (name, place) in [
        ("sarif", "\"properties\":{\"asOf\":\"1970-01-01T00:02:00.000Z\"}"),
        ("vex", "{\"name\":\"ambit:as_of\",\"value\":\"1970-01-01T00:02:00.000Z\"}"),
        ("defectdojo", "\"description\":\"As it was at 1970-01-01 00:02 UTC.\""),
        ("stix", "\"content\":\"As it was at 1970-01-01 00:02 UTC.\""),
        ("html", "<strong>As it was at 1970-01-01 00:02 UTC.</strong>"),
    ] {
        let head = Head { as_of: Some(Timestamp(120_000)), ..head(None) };
        let mut document = Document::new(format(name).expect("a format"), head);
        document.finding(&finding(1, Status::OpenNew, 0)).expect("fits");
        let text = document.end();
        assert!(text.contains(place), "{name}: {text}");
        assert!(name == "html" || serde_json::from_str::<Value>(&text).is_ok(), "{name}: {text}");
        assert!(name != "html" || text.contains("issue was open"), "{text}");
        let present = written(name, None, &[finding(1, Status::OpenNew, 0)]);
        assert!(!present.contains("asOf") && !present.contains("as_of") && !present.contains("As it was"), "{present}");
    }
}

#[test]
fn each_format_says_how_bad_it_is_and_what_became_of_it() {
    let open = finding(1, Status::OpenNew, 0);
    let accepted = finding(3, Status::ClosedRiskAccepted, 5);
    let sarif = parsed("sarif", &[open.clone(), accepted.clone()]);
    let run = &sarif["runs"][0];
    assert_eq!(run["results"][0]["level"], "error");
    assert_eq!(run["results"][1]["suppressions"][0]["justification"], "agreed");
    assert_eq!(run["tool"]["driver"]["rules"].as_array().map(Vec::len), Some(2));
    let vex = parsed("vex", &[open.clone(), accepted.clone()]);
    assert_eq!(vex["vulnerabilities"][0]["analysis"]["state"], "exploitable");
    assert_eq!(vex["vulnerabilities"][0]["id"], "CVE-2024-1234");
    assert_eq!(vex["vulnerabilities"][1]["analysis"]["response"][0], "will_not_fix");
    assert_eq!(vex["components"].as_array().map(Vec::len), Some(1), "an entity is listed once");
    let dojo = parsed("defectdojo", &[open.clone(), accepted.clone()]);
    assert_eq!((&dojo["findings"][0]["severity"], &dojo["findings"][0]["active"]), (&json!("Critical"), &json!(true)));
    assert_eq!(dojo["findings"][1]["risk_accepted"], true);
    let events = written("ocsf", None, &[open.clone(), accepted]);
    let events: Vec<Value> = events.lines().map(|line| serde_json::from_str(line).expect("an event")).collect();
    assert_eq!((&events[0]["severity_id"], &events[1]["status_id"]), (&json!(5), &json!(3)));
    let stix = parsed("stix", &[open.clone(), open]);
    let kinds: Vec<&str> =
        stix["objects"].as_array().into_iter().flatten().filter_map(|o| o["type"].as_str()).collect();
    assert_eq!(
        kinds,
        ["identity", "infrastructure", "url", "relationship", "vulnerability", "relationship", "relationship"]
    );
}

#[test]
fn a_finding_in_a_repository_is_told_with_its_file_and_line() {
    let of = |kind: Kind, name: &str, evidence: Value| Finding {
        entity_type: ambit_api::Word(kind),
        entity_name: name.to_owned(),
        evidence,
        ..finding(2, Status::OpenNew, 0)
    };
    let (code, folder) = ("https://github.com/acme/app", "file:///srv/app");
    for (kind, name, evidence, places, file, line) in [
        (
            Kind::GithubRepository,
            code,
            json!({"path": "a b/ci.yml", "line": 3}),
            json!([{"artifactLocation": {"uri": "a%20b/ci.yml"}, "region": {"startLine": 3}}]),
            json!("a b/ci.yml"),
            json!(3),
        ),
        (
            Kind::GithubRepository,
            code,
            json!({"paths": ["a.lock", "b.lock"]}),
            json!([{"artifactLocation": {"uri": "a.lock"}}, {"artifactLocation": {"uri": "b.lock"}}]),
            json!("a.lock"),
            Value::Null,
        ),
        (
            Kind::GitRepository,
            folder,
            json!({"path": "", "line": 1}),
            json!([{"artifactLocation": {"uri": folder}}]),
            Value::Null,
            Value::Null,
        ),
        (
            Kind::Uri,
            "https://www.acme.test:443",
            json!({"path": "/x", "line": 1}),
            json!([{"artifactLocation": {"uri": "https://www.acme.test:443"}}]),
            Value::Null,
            Value::Null,
        ),
    ] {
        let row = of(kind, name, evidence);
        let sarif = parsed("sarif", std::slice::from_ref(&row));
        let told = sarif["runs"][0]["results"][0]["locations"].as_array().expect("places").clone();
        assert!(told.iter().all(|place| place["logicalLocations"][0]["fullyQualifiedName"] == name), "{told:?}");
        let told: Vec<Value> = told.into_iter().map(|mut place| place["physicalLocation"].take()).collect();
        assert_eq!(json!(told), places, "{name}");
        let dojo = &parsed("defectdojo", &[row])["findings"][0];
        assert_eq!((&dojo["file_path"], &dojo["line"]), (&file, &line), "{name}");
    }
}

#[test]
fn a_vulnerability_without_a_cve_has_the_id_of_the_database_that_knows_it() {
    let mut open = finding(1, Status::OpenNew, 0);
    open.identifiers = vec![
        Identifier { kind: "GHSA".to_owned(), name: "GHSA-2xpw-w6gg-jr37".to_owned() },
        Identifier { kind: "CWE".to_owned(), name: "CWE-306".to_owned() },
    ];
    let id = json!("GHSA-2xpw-w6gg-jr37");
    let dojo = parsed("defectdojo", std::slice::from_ref(&open));
    assert_eq!(dojo["findings"][0]["vulnerability_ids"], json!([id]));
    let event: Value = serde_json::from_str(&written("ocsf", None, std::slice::from_ref(&open))).expect("an event");
    assert_eq!(event["vulnerabilities"], json!([{"advisory": {"uid": id}}]));
    let stix = parsed("stix", &[open]);
    let vulnerability = stix["objects"].as_array().into_iter().flatten().find(|one| one["type"] == "vulnerability");
    let references = &vulnerability.expect("one")["external_references"];
    assert_eq!(references[0], json!({"source_name": "osv", "external_id": id}));
}

#[test]
fn a_spreadsheet_calculates_nothing() {
    let csv = written("csv", None, &[finding(2, Status::OpenNew, 0)]);
    assert!(csv.starts_with("severity,title,"), "{csv}");
    assert!(csv.contains("high,Exposed 2,Uri,"), "{csv}");
    assert!(csv.contains(",'=cmd(),"), "{csv}");
    assert!(csv.contains(",open_new,'=ann,1970-01-01T00:00:00.000Z,confirmed,"), "{csv}");
    let accepted = written("csv", None, &[finding(2, Status::ClosedRiskAccepted, 0)]);
    assert!(accepted.contains(",closed_risk_accepted,'=ann,,confirmed,"), "what is closed is due no more: {accepted}");
}

#[test]
fn a_report_begins_with_the_worst_and_lets_no_text_become_a_part_of_the_page() {
    let rows = [finding(5, Status::OpenNew, 0), finding(1, Status::OpenNew, 0), finding(2, Status::ClosedResolved, 9)];
    let page = written("html", Some(Timestamp(5)), &rows);
    assert!(page.find("Exposed 1</h3>") < page.find("Exposed 5</h3>"), "{page}");
    assert!(page.contains("<strong>2</strong> issues are open: 1 critical, 1 info."), "{page}");
    assert!(page.contains("Closed (1)"), "{page}");
    assert!(page.contains("search: <code>tag:&lt;b&gt;</code>"), "{page}");
    for banned in ["<script", "\u{202e}", "\u{61c}", "\u{2028}", "\u{1b}", "href=\"javascript:", "url(", "src="] {
        assert!(!page.contains(banned), "{banned}: {page}");
    }
}

#[test]
fn a_report_of_many_counts_all_and_holds_few() {
    let rows: Vec<Finding> = (0..2_000).map(|index| finding(1 + index % 5, Status::OpenNew, index)).collect();
    let page = written("html", None, &rows);
    assert!(page.contains("<strong>2000</strong> issues are open: 400 critical, 400 high,"), "{}", &page[..3_000]);
    assert!(page.contains("1800 more open issues are counted above"));
    assert_eq!(page.matches("<article>").count(), 200);
}

/// An issue with what was asked and answered.
fn probed(request: Option<&str>, answer: Option<&str>) -> Finding {
    let piece = EvidencePiece {
        label: "exchange".to_owned(),
        sha256: Uid::of_entity(Uuid::nil(), Kind::Uri, "a blob"),
        request: request.map(str::to_owned),
        answer: answer.map(str::to_owned),
        size: 70_000,
        masked: 2,
        truncated: true,
    };
    let probe = IssueEvidence {
        task: "content_focus".to_owned(),
        entity_type: "Intrigue::Entity::Uri".to_owned(),
        entity_name: "https://www.acme.test:443".to_owned(),
        argument: HOSTILE.to_owned(),
        outcome: EvidenceOutcome::Found,
        at: Timestamp(86_400_000),
        reason: None,
        pieces: vec![piece],
    };
    Finding { probes: Maybe(Some(vec![probe])), ..finding(1, Status::OpenNew, 1) }
}

const REQUEST: &str = "GET /.env HTTP/1.1\nHost: www.acme.test\nno header\n\n";

#[test]
fn what_was_asked_and_answered_stands_in_a_report() {
    let long = format!("HTTP/1.1 200 OK\n\n{HOSTILE}{}", "x".repeat(5_000));
    let page = written("html", None, &[probed(Some(REQUEST), Some(&long))]);
    for told in [
        "Probed 1970-01-02 00:00 UTC by content_focus at",
        ">Request</p><pre>GET /.env HTTP/1.1\nHost: www.acme.test",
        ">Answer</p><pre>HTTP/1.1 200 OK",
        "2 masked; a part of the 70000 bytes that are kept",
    ] {
        assert!(page.contains(told), "{told:?} in {page}");
    }
    assert!(!page.contains("<script") && !page.contains(&"x".repeat(2_000)), "{page}");
    let gone = written("html", None, &[probed(None, None)]);
    assert!(gone.contains("exchange: no longer kept"), "{gone}");
    assert!(!written("html", None, &[finding(1, Status::OpenNew, 1)]).contains("Probed"));
}

#[test]
fn sarif_has_the_request_and_the_answer_in_parts() {
    let answer = "HTTP/1.1 404 Not Found\nSet-Cookie: a=[masked]\nServer: x\nSet-Cookie: b=[masked]\n\ngone";
    let result = |finding: Finding| parsed("sarif", &[finding])["runs"][0]["results"][0].take();
    let told = result(probed(Some(REQUEST), Some(answer)));
    let request = json!({"method": "GET", "target": "/.env", "protocol": "HTTP", "version": "1.1",
        "headers": {"Host": "www.acme.test"}});
    assert_eq!(told["webRequest"], request);
    let response = json!({"statusCode": 404, "reasonPhrase": "Not Found", "protocol": "HTTP", "version": "1.1",
        "headers": {"Set-Cookie": "a=[masked], b=[masked]", "Server": "x"}, "body": {"text": "gone"}});
    assert_eq!(told["webResponse"], response);
    // A banner is no exchange.
    assert!(result(probed(None, Some("SSH-2.0-x")))["webRequest"].is_null());
    assert!(result(probed(Some(""), Some(answer)))["webRequest"].is_null());
}

/// The report tells those in full that come with their probes, and these are the first ones of their severity.
#[test]
fn of_issues_that_are_equally_bad_the_first_are_told_in_full() {
    let mut rows: Vec<Finding> = (0..500).map(|number| finding(2, Status::OpenNew, number)).collect();
    rows[0].entity_name = "zzz first".to_owned();
    rows[499].entity_name = "aaa last".to_owned();
    let page = written("html", None, &rows);
    assert!(page.contains("zzz first") && !page.contains("aaa last"));
}

/// An entity with these members, beside what every one has.
fn asset(kind: Kind, name: &str, members: Value) -> Asset {
    let at = Timestamp(0);
    let mut row = json!({
        "uid": Uid::of_entity(Uuid::nil(), kind, name), "type": kind.type_name(), "name": name, "scoped": true,
        "present": true, "seed": false, "addresses": [], "tcp_ports": [], "http_status": null, "http_title": null,
        "technologies": [], "open_issues": 0, "tags": [], "first_seen": at, "last_seen": at, "collection": "outside_1",
    });
    for (member, value) in members.as_object().into_iter().flatten() {
        row[member] = value.clone();
    }
    serde_json::from_value(row).expect("a row")
}

/// A document of entities.
fn written_of(name: &str, assets: &[Asset]) -> String {
    let head = Head { of_entities: true, ..head(None) };
    let mut document = Document::new(format(name).expect("a format"), head);
    for asset in assets {
        document.asset(asset).expect("fits");
    }
    document.end()
}

/// The observables of a bundle of entities, by type and value.
fn observables(entities: &[(Kind, &str)]) -> Vec<String> {
    let assets: Vec<Asset> = entities.iter().map(|(kind, name)| asset(*kind, name, json!({}))).collect();
    let bundle: Value = serde_json::from_str(&written_of("stix", &assets)).expect("a bundle");
    let objects = bundle["objects"].as_array().expect("a list").iter();
    let value = |object: &Value| {
        Some((object["type"].as_str()?.to_owned(), object.get("value").or(object.get("number"))?.clone()))
    };
    objects.filter_map(value).map(|(sort, value)| format!("{sort} {value}")).collect()
}

#[test]
fn an_observable_is_of_the_type_that_its_name_is_of() {
    for (kind, name, expected) in [
        (Kind::Domain, "acme.test", Some("domain-name \"acme.test\"")),
        (Kind::Nameserver, "ns1.acme.test", Some("domain-name \"ns1.acme.test\"")),
        (Kind::Nameserver, "192.0.2.53", Some("ipv4-addr \"192.0.2.53\"")),
        (Kind::Mailserver, "2001:db8::25", Some("ipv6-addr \"2001:db8::25\"")),
        (Kind::IpAddress, "2001:db8::1", Some("ipv6-addr \"2001:db8::1\"")),
        (Kind::NetBlock, "192.0.2.0/24", Some("ipv4-addr \"192.0.2.0/24\"")),
        (Kind::Uri, "https://acme.test:443", Some("url \"https://acme.test:443\"")),
        (Kind::Uri, "https://acme.test:443/\u{fc}?a=%20", Some("url \"https://acme.test:443/%C3%BC?a=%20\"")),
        (Kind::EmailAddress, "ann@acme.test", Some("email-addr \"ann@acme.test\"")),
        (Kind::AutonomousSystem, "AS64500", Some("autonomous-system 64500")),
        (Kind::NetworkService, "192.0.2.1:22/tcp", None),
        (Kind::Organization, "Acme", None),
        (Kind::AwsS3Bucket, "acme-backup", None),
    ] {
        assert_eq!(observables(&[(kind, name)]), Vec::from_iter(expected.map(str::to_owned)), "{name}");
    }
}

#[test]
fn a_weakness_that_is_named_and_linked_is_told_once() {
    let mut twice = finding(1, Status::OpenNew, 0);
    let page = |number: u32| format!("https://cwe.mitre.org/data/definitions/{number}.html");
    twice.references =
        vec![page(200), page(306), page(200), "https://cwe.mitre.org/data/definitions/x.html".to_owned()];
    assert_eq!(parsed("vex", std::slice::from_ref(&twice))["vulnerabilities"][0]["cwes"], json!([306, 200]));
    assert_eq!(parsed("defectdojo", &[twice])["findings"][0]["cwe"], 306);
}

/// The analysis of CycloneDX, the flags of DefectDojo, the status of OCSF, and whether SARIF suppresses it.
const STATUSES: &str = "
    open_new: exploitable | active | New |
    open_triaged: exploitable | active | New |
    open_in_progress: exploitable | active | In Progress |
    closed: resolved | is_mitigated | Resolved |
    closed_mitigated: resolved | is_mitigated | Resolved |
    closed_resolved: resolved | is_mitigated | Resolved |
    closed_duplicate: exploitable |  | Suppressed | suppressed
    closed_out_of_scope: not_affected | out_of_scope | Suppressed | suppressed
    closed_benign: not_affected |  | Suppressed | suppressed
    closed_risk_accepted: exploitable | risk_accepted | Suppressed | suppressed
    closed_false_positive: false_positive | false_p | Suppressed | suppressed
    closed_no_repro: false_positive | false_p | Suppressed | suppressed
    closed_tracked_externally: exploitable |  | In Progress | suppressed
";

#[test]
fn each_status_is_told_in_the_words_of_each_format() {
    let told = |status: Status| -> String {
        let rows = [finding(3, status, 0)];
        let sarif = parsed("sarif", &rows)["runs"][0]["results"][0].get("suppressions").is_some();
        let vex = parsed("vex", &rows)["vulnerabilities"][0]["analysis"]["state"].take();
        let dojo = parsed("defectdojo", &rows)["findings"][0].take();
        let ocsf: Value = serde_json::from_str(&written("ocsf", None, &rows)).expect("an event");
        let flags = ["active", "is_mitigated", "risk_accepted", "false_p", "out_of_scope"];
        let flags: Vec<&str> = flags.into_iter().filter(|flag| dojo[*flag] == true).collect();
        let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let line = format!("{} | {} | {} | ", word(&vex), flags.join(" "), word(&ocsf["status"]));
        format!("{line}{}", if sarif { "suppressed" } else { "" }).trim_end().to_owned()
    };
    let table: Vec<String> = Status::ALL.iter().map(|status| format!("{}: {}", status.name(), told(*status))).collect();
    assert_eq!(table, STATUSES.trim().lines().map(str::trim).collect::<Vec<_>>());
}

/// SARIF's level and security severity, DefectDojo, the identifier and word of OCSF, VEX, CSV.
const SEVERITIES: &str = "
    1: error 9.5 | Critical | 5 Critical | critical | critical
    2: error 8.0 | High | 4 High | high | high
    3: warning 5.5 | Medium | 3 Medium | medium | medium
    4: note 2.5 | Low | 2 Low | low | low
    5: note 0.0 | Info | 1 Informational | info | info
";

#[test]
fn each_severity_is_told_in_the_words_of_each_format() {
    let told = |severity: i64| -> String {
        let rows = [finding(severity, Status::OpenNew, 0)];
        let run = parsed("sarif", &rows)["runs"][0].take();
        let rule = &run["tool"]["driver"]["rules"][0]["properties"]["security-severity"];
        let dojo = parsed("defectdojo", &rows)["findings"][0]["severity"].take();
        let ocsf: Value = serde_json::from_str(&written("ocsf", None, &rows)).expect("an event");
        let vex = parsed("vex", &rows)["vulnerabilities"][0]["ratings"][0]["severity"].take();
        let csv = written("csv", None, &rows);
        let csv = csv.lines().nth(1).and_then(|line| line.split(',').next()).unwrap_or_default().to_owned();
        let line = format!(
            "{severity}: {} {} | {} | {} {} | {} | {csv}",
            run["results"][0]["level"], rule, dojo, ocsf["severity_id"], ocsf["severity"], vex
        );
        line.replace('"', "")
    };
    let table: Vec<String> = (1..=5).map(told).collect();
    assert_eq!(table, SEVERITIES.trim().lines().map(str::trim).collect::<Vec<_>>());
}

/// An entity, where DefectDojo says that the issue is, what it is to CycloneDX, and its address in SARIF.
const PLACES: &[(Kind, &str, &str)] = &[
    (
        Kind::Uri,
        "https://www.acme.test:443/a b",
        "\"https://www.acme.test:443/a b\" | application | https://www.acme.test:443/a%20b",
    ),
    (Kind::Domain, "acme.test", "{\"host\":\"acme.test\"} | platform | dns:acme.test"),
    (Kind::DnsRecord, "www.acme.test", "{\"host\":\"www.acme.test\"} | platform | dns:www.acme.test"),
    (Kind::Mailserver, "mx.acme.test", "{\"host\":\"mx.acme.test\"} | platform | dns:mx.acme.test"),
    (Kind::IpAddress, "203.0.113.9", "{\"host\":\"203.0.113.9\"} | device | ip:203.0.113.9"),
    (Kind::IpAddress, "2001:db8::1", "{\"host\":\"2001:db8::1\"} | device | ip:2001:db8::1"),
    (
        Kind::NetworkService,
        "203.0.113.9:23/tcp",
        "{\"host\":\"203.0.113.9\",\"port\":23,\"protocol\":\"tcp\"} | platform | service:203.0.113.9:23/tcp",
    ),
    (
        Kind::NetworkService,
        "[2001:db8::1]:161/udp",
        "{\"host\":\"2001:db8::1\",\"port\":161,\"protocol\":\"udp\"} | platform | service:%5B2001:db8::1%5D:161/udp",
    ),
    (Kind::NetworkService, "odd", "component odd | platform | service:odd"),
    (
        Kind::SslCertificate,
        "acme.test (01ab)",
        "component acme.test (01ab) | cryptographic-asset | certificate:acme.test%20%2801ab%29",
    ),
    (Kind::Organization, "Acme <Corp>", "component Acme <Corp> | platform | entity:Acme%20%3CCorp%3E"),
];

#[test]
fn each_kind_of_entity_is_where_each_format_looks_for_it() {
    for (kind, name, expected) in PLACES {
        let mut row = finding(3, Status::OpenNew, 0);
        row.entity_name = (*name).to_owned();
        row.entity_type = ambit_api::Word(*kind);
        let dojo = parsed("defectdojo", std::slice::from_ref(&row))["findings"][0].take();
        let place = match dojo.get("endpoints") {
            Some(places) => places[0].to_string(),
            None => format!("component {}", dojo["component_name"].as_str().unwrap_or_default()),
        };
        let vex = parsed("vex", std::slice::from_ref(&row));
        let sarif = parsed("sarif", &[row]);
        let uri = sarif.pointer("/runs/0/results/0/locations/0/physicalLocation/artifactLocation/uri");
        let words = [&vex["components"][0]["type"], uri.unwrap_or(&Value::Null)];
        let [component, uri] = words.map(|word| word.as_str().unwrap_or_default());
        assert_eq!(format!("{place} | {component} | {uri}"), *expected, "{name}");
    }
}

#[test]
fn an_entity_is_told_by_each_format_that_can() {
    let site = asset(
        Kind::Uri,
        "https://www.acme.test:443",
        json!({"scoped": false, "addresses": ["203.0.113.9", "2001:db8::1"], "tcp_ports": [80, 443], "http_status": 200,
            "http_title": "=HYPERLINK(1)", "technologies": ["nginx 1.0", "a,b"], "open_issues": 3, "tags": ["@x"]}),
    );
    let csv = written_of("csv", std::slice::from_ref(&site));
    let row = csv.lines().nth(1).expect("a row");
    assert!(
        row.starts_with("Uri,https://www.acme.test:443,false,203.0.113.9 2001:db8::1,80 443,200,'=HYPERLINK(1),"),
        "{row}"
    );
    assert!(row.contains(",3,'@x,1970-01-01T00:00:00.000Z,"), "{row}");
    let line: Value = serde_json::from_str(&written_of("jsonl", std::slice::from_ref(&site))).expect("a line");
    assert_eq!(
        (&line["tcp_ports"], &line["scoped"], &line["open_issues"]),
        (&json!([80, 443]), &json!(false), &json!(3))
    );
    for format in FORMATS {
        let knows = ["csv", "jsonl", "stix"].contains(&format.name);
        assert_eq!(format.takes_assets(), knows, "{}", format.name);
        let text = written_of(format.name, std::slice::from_ref(&site));
        assert_eq!(text.contains("www.acme.test"), knows, "{}: {text}", format.name);
    }
    assert!(format("pdf").is_none());
}

/// Formats that list entities at their end hold them until then, and say where that is too much.
#[test]
fn a_document_that_would_hold_too_much_is_refused() {
    let uid = |number: usize| Uid::of_entity(Uuid::nil(), Kind::Domain, &number.to_string());
    let mut document = Document::new(format("vex").expect("a format"), head(None));
    for number in 0..kept::ENTITIES_MAX {
        document.kept.entity(uid(number), Kind::Domain, "acme.test");
    }
    let mut row = finding(3, Status::OpenNew, 0);
    row.entity_uid = uid(7);
    assert_eq!(document.finding(&row), Ok(()), "an entity that is held already");
    row.entity_uid = uid(kept::ENTITIES_MAX);
    let refused = document.finding(&row).expect_err("one more");
    assert_eq!(refused.to_string(), "more than 200000 entities would have to be held at once; narrow the query");
}
