//! Domains of others that pass for theirs: what is meant to deceive is told from namesakes, parked domains and those
//! that they hold themselves, and nobody is contacted louder than by a browser.

use crate::program::{Database, Discovery, Folder, scan_command, scan_text, succeed};
use serde_json::Value;
use std::collections::BTreeSet;

const WORKFLOW: &[&str] = &["--workflow", "suspicious_domain_discovery"];

/// A copy that asks for passwords, one that only takes mail, a lure with a login of its own, and one of each way by
/// which a name bears theirs: below a rare suffix, in letters of Unicode, with a dot inside, in front of another, at a
/// provider. Beside them namesakes, a parked domain, those that they hold themselves, and a registry, a provider and a
/// domain that have every name.
const WORLD: &str = include_str!("../../../../worlds/lookalikes.world");

fn issues(found: &Discovery) -> BTreeSet<String> {
    let issues = found.issues.values();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    issues.map(|issue| format!("{} {}", text(&issue["name"]), text(&issue["entity_name"]))).collect()
}

#[test]
fn what_passes_for_theirs_is_told_from_namesakes_and_nothing_of_it_becomes_theirs() {
    let folder = Folder::new("passing");
    let first = scan_text(&folder, WORLD, WORKFLOW);
    let differences = format!(
        "missed {}, unexpected {}, contacts {}",
        first.summary["missed_names"], first.summary["unexpected_names"], first.summary["contacts"]
    );
    for figure in ["missed", "unexpected", "contacts_outside_clearance"] {
        assert_eq!(first.figure(figure), 0, "{differences}");
    }
    let threats: BTreeSet<String> = issues(&first);
    let threats: Vec<&str> =
        threats.iter().map(String::as_str).filter(|text| !text.ends_with(" harbour.test")).collect();
    assert_eq!(
        threats,
        [
            "brand_mail_domain harbuor.test",
            "phishing_site har.bour.test",
            "phishing_site harb0ur.test",
            "phishing_site harbour.github.io",
            "suspicious_domain har.bour.test",
            "suspicious_domain harb0ur.test",
            "suspicious_domain harbour-login.test",
            "suspicious_domain harbour.asso.fr",
            "suspicious_domain harbour.github.io",
            "suspicious_domain harbour.test-login.com",
            "suspicious_domain harbourtools.com",
            "suspicious_domain harbuor.test",
            "suspicious_domain xn--harbor-08c.test",
        ]
    );
    let ours = first.entities.values().filter(|entity| entity["summary"]["scoped"] == true);
    let ours: BTreeSet<&str> = ours.filter_map(|entity| entity["name"].as_str()).collect();
    let theirs = [
        "203.0.113.70",
        "203.0.113.71",
        "203.0.113.73",
        "203.0.113.74",
        "203.0.113.140",
        "203.0.113.141",
        "203.0.113.200",
        "203.0.113.75",
        "203.0.113.76",
        "203.0.113.77",
        "203.0.113.142",
        "198.51.100.10",
        "198.51.100.11",
    ];
    assert!(ours.iter().all(|name| !theirs.contains(name)), "{ours:?}");
    let names = ours.iter().filter(|name| name.parse::<std::net::IpAddr>().is_err());
    // The domain and the word that are seeds.
    let is_theirs = |name: &str| matches!(name, "harbour.test" | "harbourtools") || name.ends_with(".harbour.test");
    assert!(names.clone().all(|name| is_theirs(name)), "{ours:?}");
    let data = folder.join("data");
    let path = data.to_str().expect("UTF-8");
    let phishing = first.issues.values().find(|issue| issue["name"] == "phishing_site").expect("it is planted");
    let shown = succeed(&["issue", "show", phishing["id"].as_str().expect("a uid"), "--data", path]);
    assert!(shown.contains("The password goes to") && shown.contains("collect.evil.test"), "{shown}");

    let again = scan_text(&folder, WORLD, WORKFLOW);
    for figure in ["missed", "unexpected", "new", "changed", "gone", "contacts_outside_clearance"] {
        assert_eq!(again.figure(figure), 0, "{figure}: {}", again.summary);
    }
}

#[test]
fn a_search_on_postgresql_finds_the_same_and_again_nothing_new() {
    let (folder, database) = (Folder::new("passing-postgres"), Database::create());
    let scan = || {
        let mut command = scan_command(&folder, WORLD);
        let output = command.args(WORKFLOW).env("AMBIT_DATABASE", database.url()).output();
        Discovery::of(&output.expect("the binary starts"))
    };
    let (first, again) = (scan(), scan());
    for figure in ["missed", "unexpected", "contacts_outside_clearance"] {
        assert_eq!(first.figure(figure), 0, "{figure}: {}", first.summary);
    }
    for figure in ["new", "changed", "gone"] {
        assert_eq!(again.figure(figure), 0, "{figure}: {}", again.summary);
    }
}

#[test]
fn what_is_seen_of_a_look_alike_is_shown_with_its_score_and_reasons() {
    let folder = Folder::new("passing-shown");
    let found = scan_text(&folder, WORLD, WORKFLOW);
    let data = folder.join("data");
    let path = data.to_str().expect("UTF-8");
    let show = |name: &str| succeed(&["entity", "show", &uid(&found, name), "--data", path]);
    let copy = show("harb0ur.test");
    for line in [
        "  passes for  harbour.test: 100 of 100, in use",
        "    +25 resembles harbour.test: a letter is replaced by one that looks alike",
        "    +15 its page shows their icon",
        "    +10 shares a name server with 4 others that resemble theirs",
    ] {
        assert!(copy.contains(line), "{line}: {copy}");
    }
    let own = show("harbour.org");
    assert!(own.contains("  passes for  harbour.test: 0 of 100, held by them\n"), "{own}");
    assert!(show("harbours.test").contains("of 100, parked\n"));
    for (name, line) in [
        ("harbour.pages.dev", "  passes for  harbour.test: 10 of 100, leads to them\n"),
        ("harb.our.test", "  passes for  harbour.test: 20 of 100, in use\n"),
        ("harb.our.test", "    -10 has been registered since 2001-05-06\n"),
        ("harbour.or.at", "  passes for  harbour.test: 20 of 100, in use\n"),
        ("harbour.test-login.com", "    +25 resembles harbour.test: the whole name stands in front of another\n"),
        (
            "harbour.github.io",
            "    +10 resembles harbour.test: the same label where a provider lets anybody have a name\n",
        ),
        ("har.bour.test", "    +10 resembles harbour.test: a dot stands inside the label\n"),
    ] {
        let shown = show(name);
        assert!(shown.contains(line), "{name}: {line}: {shown}");
    }
    let names: BTreeSet<&str> = found.entities.values().filter_map(|entity| entity["name"].as_str()).collect();
    // Who has names there that all exist is not told by names, and the run says so; a domain that has every name has
    // theirs by chance.
    for name in ["harbour.tk", "harbour.netlify.app", "harbour.test-support.com", "test-support.com"] {
        assert!(!names.contains(name), "{name}");
    }
    let run = succeed(&["run", "show", "1", "--data", path]);
    let says_so =
        |line: &str| line.contains("resembling_domains (no answer)") && line.ends_with(": every name there exists");
    assert!(run.lines().any(says_so), "{run}");
    let why = succeed(&["entity", "path", &uid(&found, "harb0ur.test"), "--data", path]);
    assert!(why.ends_with("Domain harb0ur.test: ownership 0.010, clearance L2, resembles\n"), "{why}");
}

/// The uid of a domain.
fn uid(found: &Discovery, name: &str) -> String {
    let entity = found
        .entities
        .values()
        .find(|entity| entity["name"] == name && entity["type"].as_str().is_some_and(|kind| kind.ends_with("Domain")));
    entity.and_then(|entity| entity["id"].as_str()).unwrap_or_else(|| panic!("{name} is known")).to_owned()
}

#[test]
fn a_passive_search_asks_names_and_registries_only() {
    let folder = Folder::new("passing-passive");
    let arguments = [WORKFLOW, &["--level", "passive"]].concat();
    let found = scan_text(&folder, WORLD, &arguments);
    assert_eq!(found.figure("contacts_outside_clearance"), 0, "{}", found.summary);
    let names = issues(&found);
    assert!(names.contains("brand_mail_domain harbuor.test"), "{names:?}");
    assert!(!names.iter().any(|name| name.starts_with("phishing_site")), "{names:?}");
}

#[test]
fn a_word_is_searched_for_as_well() {
    let folder = Folder::new("passing-word");
    let found = scan_text(&folder, WORLD, &[WORKFLOW, &["harbour"]].concat());
    let names: BTreeSet<&str> = found.entities.values().filter_map(|entity| entity["name"].as_str()).collect();
    for name in ["harbour", "harbour.net", "harbour.org"] {
        assert!(names.contains(name), "{name}: {names:?}");
    }
    assert_eq!(found.figure("contacts_outside_clearance"), 0, "{}", found.summary);
}

/// A copy of a site, and later states in which theirs, and then the copy, says that it cannot answer now.
fn outages() -> String {
    let body = "<h1>Welcome to Willow Bank</h1><p>Sign in to see balances, transfers and statements of your accounts \
                at the Willow Bank.</p><form action=/login method=post><input name=user><input type=password \
                name=pw></form>";
    let site = |host: &str| format!("site https://{host} \"Willow Bank - Sign in\"\n  body \"{body}\"\n");
    let down = |host: &str| format!("site https://{host} \"Willow Bank\"\n  status 503\n");
    format!(
        "world outages \"Outages\"\nseeds willowbank.test\norg willow \"Willow Bank\" ours\norg crook \"Crook\" \
         stranger\nblock 203.0.113.0/26 of willow asn AS64500 named WILLOW-NET\nblock 198.51.100.0/24 of crook asn \
         AS64510 named CROOK-NET\nzone willowbank.test of willow\n  ns ns1.willowbank.test 203.0.113.2\nname \
         willowbank.test A 203.0.113.10\nzone wil1owbank.test of crook\n  ns ns1.wil1owbank.test 198.51.100.2\n  \
         registered -10d  suspicious  phishing\nname wil1owbank.test A 198.51.100.10\n{}{}state 2\n{}state 3\n{}{}",
        site("willowbank.test"),
        site("wil1owbank.test"),
        down("willowbank.test"),
        site("willowbank.test"),
        down("wil1owbank.test"),
    )
}

#[test]
fn a_site_that_cannot_answer_now_closes_nothing_that_is_said_of_its_copy() {
    let folder = Folder::new("passing-outages");
    let scan = |more: &[&str]| scan_command(&folder, &outages()).args(more).output().expect("the binary starts");
    let first = Discovery::parse(&String::from_utf8_lossy(&scan(&[WORKFLOW, &["--state", "1"]].concat()).stdout));
    let copied = ["phishing_site wil1owbank.test", "suspicious_domain wil1owbank.test"];
    let is_open = |found: &Discovery| copied.iter().all(|issue| issues(found).contains(*issue));
    assert!(is_open(&first), "{:?}", issues(&first));
    for (state, host) in [("2", "willowbank.test"), ("3", "wil1owbank.test")] {
        let output = scan(&["--state", state]);
        let later = Discovery::parse(&String::from_utf8_lossy(&output.stdout));
        assert!(is_open(&later), "{state}: {:?}", issues(&later));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(&format!("front_page (no answer), for example Domain {host}")), "{state}: {said}");
    }
}

#[test]
fn a_copy_one_of_whose_ports_says_nothing_is_told_by_the_other() {
    let body = "<h1>Welcome to Willow Bank</h1><p>Sign in to see balances, transfers and statements of your accounts";
    for (site, silent) in [("https://wil1owbank.test", 80), ("http://wil1owbank.test", 443)] {
        let world = format!(
            "world tarpit \"Tarpit\"\nseeds willowbank.test\norg willow \"Willow Bank\" ours\norg crook \"Crook\" \
             stranger\nblock 203.0.113.0/26 of willow asn AS64500 named WILLOW-NET\nblock 198.51.100.0/24 of crook asn \
             AS64510 named CROOK-NET\nzone willowbank.test of willow\n  ns ns1.willowbank.test 203.0.113.2\nname \
             willowbank.test A 203.0.113.10\nzone wil1owbank.test of crook\n  ns ns1.wil1owbank.test 198.51.100.2\n  \
             registered -10d  suspicious  phishing\nname wil1owbank.test A 198.51.100.10\nsite \
             https://willowbank.test \"Willow Bank\"\n  login\n  body \"{body}\"\nsite {site} \"Willow \
             Bank\"\n  login\n  body \"{body}\"\n{}host 198.51.100.10\n  port {silent} silent\n",
            if silent == 80 { "  plain none\n" } else { "" },
        );
        let folder = Folder::new("tarpit");
        let found = scan_text(&folder, &world, WORKFLOW);
        assert!(issues(&found).contains("phishing_site wil1owbank.test"), "{site}: {:?}", issues(&found));
    }
}

/// Three copies of a site. One is refused from the second state on, one moves to another address and is refused there,
/// and the registration of one ends.
fn refusals() -> String {
    let body = "<h1>Welcome to Willow Bank</h1><p>Sign in to see balances, transfers and statements of your accounts \
                at the Willow Bank.</p><form action=/login method=post><input name=user><input type=password \
                name=pw></form>";
    let site = |host: &str| format!("site https://{host} \"Willow Bank - Sign in\"\n  body \"{body}\"\n");
    let refused =
        |host: &str, status: u16| format!("site https://{host} \"Refused\"\n  status {status}\n  body \"Refused\"\n");
    let zone = |host: &str, number: u8| {
        format!(
            "zone {host} of crook\n  ns ns1.{host} 198.51.100.{}\n  registered -10d  suspicious  phishing\nname \
             {host} A 198.51.100.{number}\n{}",
            number + 100,
            site(host),
        )
    };
    let begin = "world refusals \"Refusals\"\nseeds willowbank.test\norg willow \"Willow Bank\" ours\norg crook \
                 \"Crook\" stranger\nblock 203.0.113.0/26 of willow asn AS64500 named WILLOW-NET\nblock \
                 198.51.100.0/24 of crook asn AS64510 named CROOK-NET\nzone willowbank.test of willow\n  ns \
                 ns1.willowbank.test 203.0.113.2\nname willowbank.test A 203.0.113.10\n";
    let (asked, moved, ended) = ("wil1owbank.test", "willowbamk.test", "willow-bank.test");
    [
        begin.to_owned(),
        site("willowbank.test"),
        zone(asked, 10),
        zone(moved, 11),
        zone(ended, 12),
        "state 2\n".to_owned(),
        refused(asked, 403),
        format!("name {moved} A 198.51.100.9\n"),
        refused(moved, 404),
        format!("remove site https://{ended}\nremove name {ended}\nremove zone {ended}\n"),
        "state 3\n".to_owned(),
        refused(asked, 401),
    ]
    .concat()
}

#[test]
fn a_copy_that_refuses_whoever_looks_for_it_stays_reported_until_it_is_believed() {
    let folder = Folder::new("passing-refusals");
    let scan = |more: &[&str]| scan_command(&folder, &refusals()).args(more).output().expect("the binary starts");
    let phishing = |state: &str| {
        let more: &[&str] = if state == "1" { WORKFLOW } else { &[] };
        let output = scan(&[more, &["--state", state]].concat());
        let found = issues(&Discovery::parse(&String::from_utf8_lossy(&output.stdout)));
        let open = found.iter().filter_map(|issue| issue.strip_prefix("phishing_site ")).map(str::to_owned);
        (open.collect::<Vec<_>>(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    assert_eq!(phishing("1").0, ["wil1owbank.test", "willow-bank.test", "willowbamk.test"]);
    let (open, said) = phishing("2");
    assert_eq!(open, ["wil1owbank.test", "willowbamk.test"], "a refusal shows nothing: {said}");
    assert!(said.contains("in place of the page that passed for theirs"), "{said}");
    assert_eq!(phishing("3").0, [""; 0], "for so long nobody was shown anything else");
}
