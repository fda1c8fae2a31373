//! Suppliers: a list of them is looked at without a sweep, each gets a score with its reasons and history, and whose
//! services they use is told.

use crate::program::{Folder, scan_command, scan_text, succeed};
use serde_json::Value;
use std::collections::BTreeMap;

/// Two domains of one supplier, one of them careless, and one whose registrant is withheld.
const ORGANIZATIONS: &str = include_str!("../../../../worlds/organizations.world");

/// A careful supplier, and a careless one that mends its ways in the second state.
const WORLD: &str = include_str!("../../../../worlds/suppliers.world");

const WORKFLOW: &str = "third_party_workflow";

/// The uuid of the only collection.
fn collection(path: &str) -> String {
    let listed = succeed(&["collection", "list", "--jsonl", "--data", path]);
    let row: Value = serde_json::from_str(listed.lines().next().expect("one collection")).expect("JSON");
    row["uuid"].as_str().expect("a uuid").to_owned()
}

/// The postures of the collection by domain.
fn postures(path: &str) -> BTreeMap<String, Value> {
    let arguments = ["collection", "posture", &collection(path), "--jsonl", "--data", path];
    let rows = succeed(&arguments);
    let rows = rows.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    rows.map(|row| (row["name"].as_str().expect("a name").to_owned(), row)).collect()
}

#[test]
fn suppliers_get_a_score_with_reasons_and_history_and_are_not_swept() {
    let folder = Folder::new("suppliers");
    let list = folder.join("vendors.csv");
    // As a spreadsheet saves a table in Unicode.
    let table = "\u{feff}supplier,domain\r\n\"Globex Ltd\",globex.test\r\n\"Lantern, Hosting\",lantern.test\r\n";
    let table: Vec<u8> = table.encode_utf16().flat_map(u16::to_le_bytes).collect();
    std::fs::write(&list, table).expect("writes");
    let list = list.to_str().expect("UTF-8");
    let found = scan_text(&folder, WORLD, &["--workflow", WORKFLOW, "-l", list, "--state", "1"]);
    for figure in ["missed", "unexpected", "contacts_outside_clearance"] {
        assert_eq!(found.figure(figure), 0, "{figure}: {}", found.summary);
    }
    let kinds = ["NetworkService", "NetBlock"];
    let swept = found.entities.values().filter(|entity| {
        let kind = entity["type"].as_str().unwrap_or_default();
        kinds.iter().any(|swept| kind.ends_with(swept)) && entity["summary"]["scoped"] == true
    });
    assert_eq!(swept.count(), 0, "no port of theirs is searched");
    let path = folder.join("data");
    let shown =
        succeed(&["entity", "show", "https://globex.test:443", "--jsonl", "--data", path.to_str().expect("UTF-8")]);
    let shown: Value = serde_json::from_str(&shown).expect("JSON");
    assert_eq!(shown["details"]["code"], "200", "it is visited: {shown}");
    assert!(shown["details"]["verbs"].is_null(), "and asked nothing that no visitor asks: {shown}");
    let uses: Vec<&str> = found
        .entities
        .values()
        .filter(|entity| entity["type"].as_str().is_some_and(|kind| kind.ends_with("Organization")))
        .filter_map(|entity| entity["name"].as_str())
        .collect();
    for name in ["DocuSign", "Stripe", "birdpost.test"] {
        assert!(uses.contains(&name), "{name}: {uses:?}");
    }

    let data = folder.join("data");
    let path = data.to_str().expect("UTF-8");
    let first = postures(path);
    let score = |rows: &BTreeMap<String, Value>, name: &str| rows[name]["score"].as_i64().expect("a number");
    assert_eq!(first["globex.test"]["grade"], "A", "{first:?}");
    assert_eq!(first["globex.test"]["organization"], "Globex Ltd");
    assert_eq!(first["lantern.test"]["grade"], "F", "{first:?}");
    let shown = succeed(&["collection", "posture", &collection(path), "--data", path]);
    let lines: Vec<&str> = shown.lines().collect();
    assert!(lines[0].contains("F  lantern.test (Lantern Hosting): has no encrypted site; "), "{shown}");
    assert!(lines[1].contains("A  globex.test (Globex Ltd): "), "{shown}");
    let uid = first["lantern.test"]["uid"].as_str().expect("a uid");
    let entity = succeed(&["entity", "show", uid, "--data", path]);
    for line in ["  posture     ", "    -25 has no encrypted site\n", "  uses        Stripe: page js.stripe.com\n"] {
        assert!(entity.contains(line), "{line}: {entity}");
    }

    // What they mend raises the score, and the score of before stays readable.
    let later = scan_text(&folder, WORLD, &["--state", "2"]);
    assert_eq!(later.figure("unexpected"), 0, "{}", later.summary);
    let second = postures(path);
    assert_eq!(score(&second, "lantern.test"), score(&first, "lantern.test") + 15, "{second:?}");
    assert_eq!(score(&second, "globex.test"), score(&first, "globex.test"));
    let again = scan_text(&folder, WORLD, &[]);
    for figure in ["new", "changed", "gone"] {
        assert_eq!(again.figure(figure), 0, "{figure}: {}", again.summary);
    }
}

#[test]
fn an_organisation_is_scored_as_its_weakest_domain_with_its_history() {
    let folder = Folder::new("organizations");
    let seeds = ["globex.test", "globex-shop.test", "nobody.test"];
    let mut arguments = vec!["--workflow", WORKFLOW, "--state", "1"];
    arguments.extend(seeds);
    scan_text(&folder, ORGANIZATIONS, &arguments);
    let data = folder.join("data");
    let path = data.to_str().expect("UTF-8");
    let organizations = || -> Vec<Value> {
        let rows =
            succeed(&["collection", "posture", &collection(path), "--by-organization", "--jsonl", "--data", path]);
        rows.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    };
    let globex = |rows: &[Value]| rows.iter().find(|row| row["organization"] == "Globex Ltd").cloned().expect("a row");
    let first = organizations();
    assert_eq!(first.len(), 2, "the one without a registrant stands for itself: {first:?}");
    let of = globex(&first);
    let domains = of["domains"].as_array().expect("domains");
    assert_eq!(domains.len(), 2, "{of}");
    assert_eq!((&domains[0]["name"], &domains[0]["score"]), (&"globex-shop.test".into(), &of["score"]), "{of}");
    assert!(domains[0]["score"].as_i64() < domains[1]["score"].as_i64(), "{of}");
    let unsigned = of["findings"]
        .as_array()
        .expect("findings")
        .iter()
        .find(|it| it["text"].as_str() == Some("its zone is not signed (no DNSSEC)"));
    assert_eq!(unsigned.expect("both lack it")["domains"], serde_json::json!(["globex-shop.test", "globex.test"]));
    assert_eq!(of["history"].as_array().map(Vec::len), Some(1), "{of}");
    let lines = succeed(&["collection", "posture", &collection(path), "--by-organization", "--data", path]);
    assert!(lines.contains("Globex Ltd (globex-shop.test "), "{lines}");

    // A mended domain raises the score of the organisation, and the history has both.
    scan_text(&folder, ORGANIZATIONS, &["--state", "2"]);
    let mended = globex(&organizations());
    assert_eq!(mended["score"].as_i64(), of["score"].as_i64().map(|score| score + 12), "{mended}");
    let history: Vec<_> = mended["history"].as_array().expect("points").iter().map(|it| it["score"].clone()).collect();
    assert_eq!(history, [of["score"].clone(), mended["score"].clone()]);
}

#[test]
fn a_supplier_that_could_not_be_looked_at_is_given_no_score_and_keeps_the_one_it_had() {
    let world = "world unseen \"Unseen\"\nseeds globex.test lantern.test\norg globex \"Globex Ltd\" ours\nblock \
                 203.0.113.0/26 of globex asn AS64500 named GLOBEX-NET\nzone globex.test of globex\n  ns \
                 ns1.globex.test 203.0.113.2\nname globex.test A 203.0.113.10 TXT \"v=spf1 -all\"\nsite \
                 http://globex.test \"Globex\"\n  bare\nzone lantern.test of globex\n  ns ns1.lantern.test \
                 203.0.113.3\n  answers servfail\nstate 2\nsite http://globex.test \"Globex\"\n  status 503\nstate \
                 3\nzone globex.test of globex\n  ns ns1.globex.test 203.0.113.2\n  answers servfail\n";
    let folder = Folder::new("unseen");
    let seeds = ["globex.test", "lantern.test", "gone.test"];
    let arguments = [&["--workflow", WORKFLOW, "--state", "1"][..], &seeds].concat();
    let output = scan_command(&folder, world).args(arguments).output().expect("the binary starts");
    let data = folder.join("data");
    let path = data.to_str().expect("UTF-8");
    let first = postures(path);
    assert_eq!(first.keys().collect::<Vec<_>>(), ["globex.test"], "{first:?}");
    let why = "posture (no answer), for example Domain lantern.test: neither its zone nor its mail could be looked at";
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains(why), "{said}");
    for state in ["2", "3"] {
        scan_text(&folder, world, &["--state", state]);
        let later = postures(path);
        assert_eq!(later["globex.test"]["score"], first["globex.test"]["score"], "{state}: {later:?}");
    }
    let again = scan_text(&folder, world, &[]);
    for figure in ["new", "changed", "gone"] {
        assert_eq!(again.figure(figure), 0, "{figure}: {}", again.summary);
    }
}

#[test]
fn a_mail_policy_that_cannot_be_asked_for_makes_no_supplier_better() {
    let world = "world hush \"Hush\"\nseeds globex.test\norg globex \"Globex Ltd\" ours\norg birds \"Birdpost\" \
                 vendor\nblock 203.0.113.0/26 of globex asn AS64500 named GLOBEX-NET\nblock 198.51.100.0/24 of birds \
                 asn AS64502 named BIRD-NET\nzone birdpost.test of birds\n  ns ns1.birdpost.test 198.51.100.2\nname \
                 _spf.birdpost.test TXT \"v=spf1 ip4:0.0.0.0/0 -all\"\nzone globex.test of globex\n  ns \
                 ns1.globex.test 203.0.113.2\nname globex.test A 203.0.113.10 TXT \"v=spf1 include:_spf.birdpost.test \
                 -all\"\nsite http://globex.test \"Globex\"\nstate 2\nname _dmarc.globex.test TXT \"x\" answers \
                 servfail\nname _spf.birdpost.test TXT \"x\" answers servfail\nstate 3\nremove name \
                 _dmarc.globex.test\nname _dmarc.globex.test TXT \"v=DMARC1; p=reject\"\nname _spf.birdpost.test TXT \
                 \"v=spf1 -all\"\n";
    let folder = Folder::new("hush");
    let data = folder.join("data");
    let path = data.to_str().expect("UTF-8");
    let posture = |more: &[&str]| {
        scan_text(&folder, world, more);
        postures(path)["globex.test"].clone()
    };
    let first = posture(&["--workflow", WORKFLOW, "--state", "1"]);
    let hushed = posture(&["--state", "2"]);
    assert_eq!((&hushed["score"], &hushed["findings"]), (&first["score"], &first["findings"]), "{hushed}");
    assert!(hushed["unknown"].as_array().expect("areas").contains(&"mail".into()), "{hushed}");
    let again = scan_text(&folder, world, &["--state", "2"]);
    assert_eq!(again.figure("changed"), 0, "{}", again.summary);
    let mended = posture(&["--state", "3"]);
    assert_eq!(mended["score"].as_i64(), first["score"].as_i64().map(|score| score + 30), "{mended}, {first}");
}

#[test]
fn a_port_or_an_address_that_stays_silent_once_makes_no_supplier_better_or_worse() {
    let world = "world still \"Still\"\nseeds globex.test\norg globex \"Globex Ltd\" ours\nblock 203.0.113.0/26 of \
                 globex asn AS64500 named GLOBEX-NET\nzone globex.test of globex\n  ns ns1.globex.test \
                 203.0.113.2\nname globex.test A 203.0.113.10 TXT \"v=spf1 -all\"\nsite https://globex.test \
                 \"Globex\"\n  plain same\nstate 2\nsite https://globex.test \"Globex\"\n  plain none\nhost \
                 203.0.113.10\n  port 443 filtered\n  port 80 http\nsite http://globex.test \"Globex\"\nstate \
                 3\nremove site https://globex.test\nremove site http://globex.test\nname globex.test A \
                 203.0.113.11 TXT \"v=spf1 -all\"\nhost 203.0.113.11\n  unlisted filtered\n";
    let folder = Folder::new("still");
    let data = folder.join("data");
    let path = data.to_str().expect("UTF-8");
    scan_text(&folder, world, &["--workflow", WORKFLOW, "--state", "1"]);
    let first = postures(path)["globex.test"].clone();
    // In the third state it is at another address, which says nothing at all.
    for state in ["2", "3"] {
        scan_text(&folder, world, &["--state", state]);
        let later = postures(path)["globex.test"].clone();
        assert_eq!(later["score"], first["score"], "{state}: {later}, {first}");
    }
}

#[test]
fn a_sender_that_is_handed_on_to_no_more_is_gone_though_another_gives_no_answer() {
    let vendor = |name: &str, org: &str, net: u8, record: &str| {
        format!(
            "org {org} \"{org}\" vendor\nblock 198.51.100.{net}/28 of {org} asn AS645{net} named NET-{net}\nzone \
             {name} of {org}\n  ns ns1.{name} 198.51.100.{}\nname _spf.{name} TXT \"v=spf1 {record} -all\"\n",
            net + 2
        )
    };
    let vendors = [
        vendor("birdpost.test", "birds", 16, "ip4:198.51.100.16/28"),
        vendor("owlpost.test", "owls", 32, "include:_spf.sparrow.test"),
        vendor("sparrow.test", "sparrows", 48, "ip4:198.51.100.48/28"),
    ];
    let world = format!(
        "world hush \"Hush\"\nseeds globex.test\norg globex \"Globex Ltd\" ours\nblock 203.0.113.0/26 of globex asn \
         AS64500 named GLOBEX-NET\n{}zone globex.test of globex\n  ns ns1.globex.test 203.0.113.2\nname globex.test A \
         203.0.113.10 TXT \"v=spf1 include:_spf.birdpost.test include:_spf.owlpost.test -all\"\nsite \
         http://globex.test \"Globex\"\nstate 2\nname globex.test A 203.0.113.10 TXT \"v=spf1 \
         include:_spf.owlpost.test -all\"\nname _spf.owlpost.test TXT \"x\" answers servfail\n",
        vendors.concat()
    );
    let folder = Folder::new("withdrawn");
    let names = |state: &str| {
        let found = scan_text(&folder, &world, &["--workflow", WORKFLOW, "--state", state]);
        let named = found.entities.values().filter_map(|entity| entity["name"].as_str().map(str::to_owned));
        named.filter(|name| name.contains("post.test") || name.contains("sparrow.test")).collect::<Vec<_>>()
    };
    let first = names("1");
    assert!(first.iter().any(|name| name == "_spf.birdpost.test"), "{first:?}");
    let second = names("2");
    assert!(!second.iter().any(|name| name.contains("birdpost.test")), "nothing tells of it any more: {second:?}");
    let of = |name: &str| second.iter().filter(|known| *known == name).count();
    assert_eq!((of("_spf.sparrow.test"), of("sparrow.test")), (1, 2), "nobody looked: {second:?}");
}
