//! Applications that a person names: walked through within bounds, with their interfaces, and with what their pages
//! show that they should not.

use crate::program::{Discovery, Folder, ambit, scan_text, succeed};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const WORKFLOW: &[&str] = &["--workflow", "external_application_assessment"];

/// An application with defects, and beside it a twin that looks alike and has none.
const WORLD: &str = include_str!("../../../../worlds/application.world");

fn names(found: &Discovery, kind: &str) -> BTreeSet<String> {
    let of_kind = |entity: &&Value| entity["type"].as_str().is_some_and(|name| name.ends_with(kind));
    let entities = found.entities.values().filter(of_kind);
    entities.filter_map(|entity| entity["name"].as_str().map(str::to_owned)).collect()
}

/// Issues of what pages show, each with its entity.
fn shown(found: &Discovery) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let issues = found.issues.values();
    let issues = issues.map(|issue| format!("{} {}", text(&issue["name"]), text(&issue["entity_name"])));
    let of_pages = [
        "verbose_error_page",
        "weak_content_policy",
        "mixed_content",
        "exposed_secret_in_page",
        "exposed_source_map",
        "cacheable_",
        "jwt_",
        "open_redirect",
        "reflected_",
    ];
    let mut shown: Vec<String> = issues.filter(|name| of_pages.iter().any(|begin| name.starts_with(begin))).collect();
    shown.sort();
    shown
}

#[test]
fn an_application_is_walked_through_and_its_safe_twin_is_left_in_peace() {
    let folder = Folder::new("application");
    let found = scan_text(&folder, WORLD, WORKFLOW);
    for figure in ["missed", "unexpected", "contacts_outside_clearance"] {
        assert_eq!(found.figure(figure), 0, "{figure}: {}", found.summary);
    }
    assert_eq!(
        shown(&found),
        [
            "cacheable_private_answer https://news.acme.test:443",
            "exposed_secret_in_page https://shop.acme.test:443",
            "exposed_secret_in_page https://shop.acme.test:443",
            "exposed_secret_in_page https://till.acme.test:443/app/",
            "exposed_source_map https://shop.acme.test:443",
            "exposed_source_map https://shop.acme.test:443",
            "jwt_guessable_key https://shop.acme.test:443",
            "jwt_with_personal_data https://shop.acme.test:443",
            "jwt_without_end https://shop.acme.test:443",
            "jwt_without_signature https://shop.acme.test:443",
            "mixed_content https://shop.acme.test:443",
            "open_redirect https://go.acme.test:443",
            "reflected_input https://shop.acme.test:443",
            "verbose_error_page https://desk.acme.test:443",
            "verbose_error_page https://shop.acme.test:443",
            "weak_content_policy https://shop.acme.test:443",
        ]
    );
    let interfaces: Vec<String> = names(&found, "ApiEndpoint").into_iter().collect();
    for called in ["https://shop.acme.test:443/api/v1/basket", "https://shop.acme.test:443/api/v2/orders"] {
        assert!(interfaces.iter().any(|name| name == called), "{called}: {interfaces:?}");
    }
    assert!(names(&found, "DnsRecord").contains("partner.others.test"), "a host of others is known about");
    let of_sources = |path: &str| interfaces.contains(&format!("https://shop.acme.test:443/api/v1/{path}"));
    assert!(of_sources("refunds") && !of_sources("of-others"), "{interfaces:?}");

    let again = scan_text(&folder, WORLD, WORKFLOW);
    for figure in ["new", "changed", "gone"] {
        assert_eq!(again.figure(figure), 0, "{figure}: {}", again.summary);
    }
}

#[test]
fn a_walk_leaves_what_does_something_and_what_robots_shall_not_visit() {
    let folder = Folder::new("application-bounds");
    let contacts = folder.join("contacts.jsonl");
    let path = contacts.to_str().expect("UTF-8");
    scan_text(&folder, WORLD, &[WORKFLOW, &["--contacts", path]].concat());
    let asked = std::fs::read_to_string(&contacts).expect("contacts");
    let asked: BTreeSet<String> = asked
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"))
        .filter(|contact| contact["name"] == "shop.acme.test")
        .filter_map(|contact| contact["asked"].as_str().and_then(|asked| asked.strip_prefix("GET ")).map(str::to_owned))
        .collect();
    for path in ["/items?page=1", "/items?page=2", "/orders/1", "/orders/2", "/orders/3", "/app.js.map"] {
        assert!(asked.contains(path), "{path}: {asked:?}");
    }
    for path in ["/orders/4", "/orders/5", "/private/x", "/logout"] {
        assert!(!asked.contains(path), "{path}: {asked:?}");
    }
}

#[test]
fn the_requests_to_an_application_have_limits_that_a_person_sets() {
    let crawl = |more: &[&str]| {
        let folder = Folder::new("application-requests");
        scan_text(&folder, WORLD, &[WORKFLOW, more].concat());
        details(&folder, "https://shop.acme.test:443")["hidden_crawl"].clone()
    };
    let usual = crawl(&[]);
    assert_eq!(usual["capped"], false, "{usual}");
    let short = crawl(&["--application-requests", "walk=3,scripts=0,parameters=0,redirects=0"]);
    assert_eq!(short["capped"], true, "{short}");
    assert!(short["pages"].as_i64() < usual["pages"].as_i64(), "{short} {usual}");
}

/// What is known of an entity, also what people do not see.
fn details(folder: &Folder, name: &str) -> Value {
    let data = folder.join("data");
    let output = ambit(&["entity", "raw", name, "--data", data.to_str().expect("UTF-8")]);
    let raw: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    raw["details"].clone()
}

#[test]
fn parameters_are_facts_of_the_application_and_of_its_interfaces() {
    let folder = Folder::new("application-parameters");
    scan_text(&folder, WORLD, WORKFLOW);
    let site = details(&folder, "https://shop.acme.test:443");
    assert_eq!(
        site["hidden_parameters"],
        json!([
            {"name": "currency", "seen": ["script"], "paths": ["/api/v1/basket"]},
            {"name": "page", "seen": ["link", "query"], "paths": ["/items"]},
            {"name": "q", "seen": ["form", "link", "query"], "paths": ["/find", "/search"]},
            {"name": "state", "seen": ["document"], "paths": ["/api/v2/orders"]},
        ])
    );
    assert_eq!(site["hidden_crawl"]["parameters"], 4);
    for (url, name, seen) in [("/api/v1/basket", "currency", "script"), ("/api/v2/orders", "state", "document")] {
        let interface = details(&folder, &format!("https://shop.acme.test:443{url}"));
        let known = &interface["hidden_parameters"];
        assert_eq!(*known, json!([{"name": name, "seen": [seen], "paths": [url]}]));
    }
}

#[test]
fn keys_in_scripts_pages_and_sources_are_told_with_their_place_and_never_shown() {
    let folder = Folder::new("application-keys");
    let found = scan_text(&folder, WORLD, WORKFLOW);
    let data = folder.join("data");
    let shown = |uid: &str| succeed(&["issue", "show", uid, "--data", data.to_str().expect("UTF-8")]);
    let issues = found.issues.values().filter(|issue| issue["name"] == "exposed_secret_in_page");
    let shown: Vec<String> = issues.filter_map(|issue| issue["id"].as_str()).map(shown).collect();
    let lines = shown.iter().flat_map(|shown| shown.lines());
    let mut proofs: Vec<&str> = lines.filter_map(|line| line.trim().strip_prefix("proof")).map(str::trim).collect();
    proofs.sort_unstable();
    assert_eq!(
        proofs,
        [
            "\"/app/\" of https://till.acme.test:443/app/ holds a key of Amazon Web Services.",
            "\"/static/pay.js\" of https://shop.acme.test:443 holds a key of Stripe.",
            "\"/static/pay.js.map\" of https://shop.acme.test:443 holds a key of Amazon Web Services.",
        ]
    );
    let site = details(&folder, "https://shop.acme.test:443");
    assert_eq!(
        site["hidden_source_maps"],
        json!([
            {"path": "/app.js.map", "sources": 1, "texts": 1, "names": ["a.ts"]},
            {"path": "/static/pay.js.map", "sources": 2, "texts": 2, "names": ["src/pay.ts"]},
        ])
    );
    // The one that is meant to be public, `pk_…`, ends as the first of these.
    let secret = ["sk_", "live_7hQ2wXv9KpLd4TsRb8NzYm3c"].concat();
    let told = format!("{:?} {:?} {site} {shown:?}", found.issues, found.entities);
    for key in [secret.as_str(), "Q7LX2VBN9SKD4TFR", "W4KX8VBN2SKD9TFR"] {
        assert!(!told.contains(key), "a key is shown");
    }
    let twin = details(&folder, "https://safe.acme.test:443");
    let handed: Vec<&Value> = twin["hidden_tokens"].as_array().expect("a list").iter().collect();
    assert!(handed.iter().all(|token| token["sensitive"] == false), "{handed:?}");
    assert_eq!(twin["hidden_source_maps"][0]["texts"], 0, "{twin}");
}

#[test]
fn hidden_parameters_are_guessed_where_a_run_is_intensive_and_nowhere_else() {
    let guessed = |level: &str| {
        let folder = Folder::new(&format!("application-guess-{level}"));
        let contacts = folder.join("contacts.jsonl");
        let path = contacts.to_str().expect("UTF-8");
        let found = scan_text(&folder, WORLD, &[WORKFLOW, &["--level", level, "--contacts", path]].concat());
        assert_eq!(found.figure("contacts_outside_clearance"), 0, "{}", found.summary);
        let text = std::fs::read_to_string(&contacts).expect("contacts");
        let asked = text.lines().filter(|line| line.contains("debug=1")).count();
        (details(&folder, "https://shop.acme.test:443")["hidden_guessed_parameters"].clone(), asked)
    };
    assert_eq!(guessed("normal"), (Value::Null, 0));
    let (names, asked) = guessed("intensive");
    assert!(asked > 0);
    assert_eq!(names, json!([{"name": "debug", "seen": ["guess"], "paths": ["/items"]}]));
}

#[test]
fn a_redirect_is_confirmed_where_it_was_tried_and_one_that_leads_to_one_place_alone_is_none() {
    let fixed = "name out.acme.test A 203.0.113.14\nsite https://out.acme.test \"Out\"\n  page / \"<a \
                 href='/leave?to=https://partner.others.test/'>partner</a>\"\n  redirect https://partner.others.test/ 302\n";
    let world = WORLD.replace("seeds ", "seeds https://out.acme.test ") + fixed;
    let redirects = |level: &str| {
        let folder = Folder::new(&format!("application-redirects-{level}"));
        let contacts = folder.join("contacts.jsonl");
        let path = contacts.to_str().expect("UTF-8");
        let found = scan_text(&folder, &world, &[WORKFLOW, &["--level", level, "--contacts", path]].concat());
        assert_eq!(found.figure("contacts_outside_clearance"), 0, "nobody else is reached: {}", found.summary);
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let issues = found.issues.values().filter(|issue| issue["name"] == "open_redirect");
        let mut issues: Vec<String> = issues
            .map(|issue| format!("{} {}", text(&issue["entity_name"]), text(&issue["summary"]["confidence"])))
            .collect();
        issues.sort();
        let contacts = std::fs::read_to_string(&contacts).expect("contacts");
        let tried = contacts.lines().filter(|line| line.contains("ambit.invalid")).count();
        let shown = details(&folder, "https://go.acme.test:443")["hidden_led_away"].clone();
        (issues, tried, shown)
    };
    let seen = ["https://go.acme.test:443 potential", "https://out.acme.test:443 potential"].map(str::to_owned);
    assert_eq!(redirects("normal"), (seen.to_vec(), 0, Value::Null));
    let (issues, tried, shown) = redirects("intensive");
    assert_eq!(issues, ["https://go.acme.test:443 confirmed"]);
    assert_eq!(shown, json!([{"path": "/to", "parameter": "to"}]));
    assert!(tried >= 2, "{tried}");
}

#[test]
fn what_an_application_takes_is_shown_where_people_look() {
    let folder = Folder::new("application-takes");
    scan_text(&folder, WORLD, WORKFLOW);
    let data = folder.join("data");
    let shown = ambit(&["entity", "show", "https://shop.acme.test:443", "--data", data.to_str().expect("UTF-8")]);
    let shown = String::from_utf8(shown.stdout).expect("UTF-8");
    let wanted = "  takes\n    currency (script) at /api/v1/basket\n    page (link, query) at /items\n";
    assert!(shown.contains(wanted), "{shown}");
}

/// An application with an error page and a way to everywhere, which answers in the second state that there are too many
/// requests, and in the third is mended.
const BUSY: &str = r#"world busy "Busy"
seeds https://desk.acme.test
org acme "Acme" ours
block 203.0.113.0/26 of acme asn AS64500 named ACME-NET
zone acme.test of acme
  ns ns1.acme.test 203.0.113.2
name desk.acme.test A 203.0.113.10
site https://desk.acme.test "Desk"
  body "<a href=/orders>Orders</a> <a href='/to?to=https://partner.example/'>Partner</a>"
  leads /to?to
  page /orders 500 text/html "<pre>Traceback (most recent call last):\n  File \"/srv/desk/a.py\", line 12, in get</pre>"
"#;

#[test]
fn a_page_that_cannot_answer_now_closes_nothing_that_it_showed() {
    let folder = Folder::new("application-busy");
    let state = |status: u16, body: &str| {
        format!(
            "site https://desk.acme.test \"Desk\"\n  body \"<a href=/orders>Orders</a> <a \
             href='/to?to=https://partner.example/'>Partner</a>\"\n  page /orders {status} text/html \
             \"{body}\"\n  page /to {status} text/html \"{body}\"\n"
        )
    };
    let world = format!("{BUSY}state 2\n{}state 3\n{}", state(429, "Slow down"), state(200, "Orders"));
    let scan = |state: &str| shown(&scan_text(&folder, &world, &["--level", "intensive", "--state", state]));
    let first = scan_text(&folder, &world, &[WORKFLOW, &["--level", "intensive", "--state", "1"]].concat());
    let wanted = ["open_redirect https://desk.acme.test:443", "verbose_error_page https://desk.acme.test:443"];
    assert_eq!(shown(&first), wanted);
    assert_eq!(scan("2"), wanted, "too many requests show nothing");
    assert_eq!(scan("3"), [""; 0], "it is mended");
}
