//! What only pages behind a front page name is found, by few requests, and goes with them.

use crate::program::{Discovery, Folder, scan_text};
use serde_json::Value;
use std::collections::BTreeMap;

/// A site with pages behind its front page, and one whose only page is made by a script. No word list, certificate or
/// record has the names that they lead to.
const WORLD: &str = r#"
world behind "Behind the front page"
seeds acme.test
org acme   "Acme Corp"     ours email hostmaster@acme.test
org others "Somebody else" stranger
block 203.0.113.0/24  of acme   asn AS64500 named ACME-NET
block 198.51.100.0/24 of others asn AS64501 named OTHERS
zone acme.test of acme
  ns ns1.acme.test 203.0.113.2
name acme.test     A 203.0.113.10
name www.acme.test A 203.0.113.10
name app.acme.test A 203.0.113.12
name {gantry,ottoman,viaduct,belvedere}.acme.test A 203.0.113.{20..23}
name zeppelin.acme.test A 203.0.113.24
  hidden
name cupola.acme.test A 203.0.113.25
  hidden
zone others.test of others
  ns ns1.others.test 198.51.100.2
name shop.others.test A 198.51.100.7
site https://shop.others.test "Others"
site https://www.acme.test "Acme"
  plain same  default
  body "<a href='/about'>About us</a> <a href='/closed/plans'>Plans</a> <a href='/logout'>Leave</a>"
  robots "User-agent: *\nDisallow: /closed/"
  page /about "<a href='/about/team'>Team</a> <a href='//gantry.acme.test/'>Press</a> <a href='/out'>Shop</a>"
  page /out "<a href='https://shop.others.test/'>Shop</a>"
  page /about/team "<a href='/about/team/history'>History</a> <script>go('https://ottoman.acme.test/x')</script>"
  page /about/team/history "<a href='https://zeppelin.acme.test/'>Long ago</a>"
  page /closed/plans "<a href='https://cupola.acme.test/'>Plans</a>"
  page /logout "<a href='https://cupola.acme.test/'>Left</a>"
site https://app.acme.test "App"
  loads https://app.acme.test/static/app.js
  page /static/app.js application/javascript "start('https://viaduct.acme.test/');\n//# sourceMappingURL=app.js.map\n"
  page /static/app.js.map application/json "MAP"
"#;
/// A map of a script, as a word in quotes.
const MAP: &str = r#"{\"version\":3,\"mappings\":\"AA\",\"sources\":[\"src/api.ts\"],
\"sourcesContent\":[\"const old = 'https://belvedere.acme.test/v1';\"]}"#;

fn world() -> String {
    WORLD.replace("MAP", &MAP.replace('\n', ""))
}

fn assert_exact(found: &Discovery) {
    for figure in ["missed", "unexpected", "contacts_outside_clearance"] {
        assert_eq!(found.figure(figure), 0, "{figure}: {}", found.summary);
    }
}

/// How often each page was asked for, at any place.
fn asked(contacts: &str) -> BTreeMap<String, u64> {
    let mut asked = BTreeMap::new();
    for line in contacts.lines() {
        let contact: Value = serde_json::from_str(line).expect("an object a line");
        let what = contact["asked"].as_str().unwrap_or_default().to_owned();
        *asked.entry(what).or_default() += contact["count"].as_u64().unwrap_or(0);
    }
    asked
}

#[test]
fn hosts_that_pages_and_sources_behind_the_front_page_name_are_found() {
    let folder = Folder::new("behind-the-front-page");
    let list = folder.join("contacts.jsonl");
    let first = scan_text(&folder, &world(), &["--contacts", list.to_str().expect("UTF-8")]);
    assert_exact(&first);
    let names = first.names("DnsRecord");
    for name in ["gantry", "ottoman", "viaduct", "belvedere"] {
        assert!(names.contains(&*format!("{name}.acme.test")), "{name}: {names:?}");
    }
    for (name, why) in [("zeppelin", "it is three links away"), ("cupola", "what leads there is closed to robots")] {
        assert!(!names.contains(&*format!("{name}.acme.test")), "{name}: {why}");
    }
    // The bare domain, its name www and the address show one site, also without encryption.
    let asked = asked(&std::fs::read_to_string(&list).expect("the list is written"));
    for (page, times) in [("/about", 1), ("/about/team", 1), ("/about/team/history", 0), ("/closed/plans", 0)] {
        assert_eq!(asked.get(&format!("GET {page}")).copied().unwrap_or(0), times, "{page}: {asked:?}");
    }
    assert_eq!(asked.get("GET /logout"), None, "it does something");

    let again = scan_text(&folder, &world(), &[]);
    assert_exact(&again);
    for figure in ["new", "changed", "gone"] {
        assert_eq!(again.figure(figure), 0, "{figure}: {}", again.summary);
    }
}

#[test]
fn a_site_whose_front_page_leads_nowhere_is_asked_for_nothing_more() {
    let folder = Folder::new("nothing-behind");
    let list = folder.join("contacts.jsonl");
    let plain = world();
    let plain = plain.lines().filter(|line| !["  body", "  loads"].iter().any(|word| line.starts_with(word)));
    let plain: String = plain.map(|line| format!("{line}\n")).collect();
    let plain = plain.replace("203.0.113.{20..23}", "203.0.113.{20..23}\n  hidden");
    assert_exact(&scan_text(&folder, &plain, &["--contacts", list.to_str().expect("UTF-8")]));
    let asked = asked(&std::fs::read_to_string(&list).expect("the list is written"));
    for page in ["/about", "/static/app.js", "/static/app.js.map"] {
        assert_eq!(asked.get(&format!("GET {page}")), None, "{page}");
    }
}
