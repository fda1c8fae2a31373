//! Hunting from end to end, over a real server and store: what rules see and what not, what takes too long, what packs
//! say, and that nothing is lost or doubled where the hunter ends in between.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops here")]

use ambit_engine::Hunter;
use ambit_engine::hunt::SLICE;
use ambit_model::observation::{BODY, Evidence, Found, ProbeResult};
use ambit_store::PackContent;
use ambit_store::engine::Engine;
use ambit_testkit::{Ask, TestServer, ask, inventory};
use serde_json::{Value, json};
use std::time::Duration;

/// More than any rule here needs on a busy machine.
const LONG: Duration = Duration::from_secs(60);
/// What rules without an end get.
const SHORT: Duration = Duration::from_millis(100);
const ENDLESS: &str =
    "rule endless { condition: for all i in (0..9000000000) : ( for all j in (0..9000000000) : ( i + j >= 0 ) ) }";

async fn engine(server: &TestServer) -> Engine {
    server.store.engine("a test", Duration::from_secs(5)).await.unwrap()
}

/// Looks until nothing waits.
async fn hunt(server: &TestServer, time: Duration) {
    let mut hunter = Hunter::new(engine(server).await, time, SLICE);
    while hunter.round(server.now()).await.unwrap() {}
}

async fn call(server: &TestServer, caller: &str, method: &str, path: &str, body: Option<Value>) -> Value {
    let reply = server.call(caller, method, &format!("/api/v3{path}"), body.as_ref()).await.unwrap();
    assert_eq!(reply.status, 200, "{method} {path}: {}", reply.text());
    if reply.text().is_empty() { Value::Null } else { reply.json() }
}

async fn upload(server: &TestServer, name: &str, content: &str) -> String {
    let form = format!(
        "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n{content}\r\n--b--\r\n"
    );
    let request = Ask {
        method: "POST".to_owned(),
        target: "/api/v3/files".to_owned(),
        headers: vec![
            ("x-apikey".to_owned(), server.keys["owner"].clone()),
            ("content-type".to_owned(), "multipart/form-data; boundary=b".to_owned()),
        ],
        body: Some(form.into_bytes()),
    };
    let reply = ask(&server.address, &request).await.unwrap();
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.json()["data"]["id"].as_str().unwrap().to_owned()
}

/// Makes an enabled set; gives its id.
async fn ruleset(server: &TestServer, caller: &str, rules: &str, more: Value) -> String {
    let mut attributes = json!({"name": "a set", "enabled": true, "rules": rules});
    attributes.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let body = json!({"data": {"type": "hunting_ruleset", "attributes": attributes}});
    let made = call(server, caller, "POST", "/intelligence/hunting_rulesets", Some(body)).await;
    made["data"]["id"].as_str().unwrap().to_owned()
}

async fn notifications(server: &TestServer, caller: &str) -> Vec<Value> {
    let found = call(server, caller, "GET", "/intelligence/hunting_notifications?limit=40", None).await;
    found["data"].as_array().unwrap().clone()
}

/// Lets a user have active rules.
async fn allow(server: &TestServer, user: &str) {
    let owner = server.store.local_operator().await.unwrap();
    for quota in ["intelligence_hunting_rules", "intelligence_retrohunt_jobs_monthly"] {
        server.store.set_quota(&owner.at(server.now()), user, quota, 100).await.unwrap();
    }
}

/// A page body as a run sees it: the look of the site's probe, with the body as evidence.
fn page(body: &str) -> ProbeResult {
    ProbeResult::Found(Found {
        details: json!({"uri": inventory::SITE, "code": "200"}).as_object().cloned().unwrap(),
        evidence: vec![Evidence { label: BODY.to_owned(), bytes: body.as_bytes().to_vec() }],
        ..Found::default()
    })
}

#[tokio::test]
async fn bodies_of_pages_are_seen_by_those_who_see_their_collection() {
    let server = TestServer::new().await.unwrap();
    for user in ["viewer", "member", "stranger"] {
        allow(&server, user).await;
        ruleset(&server, user, "rule admin { strings: $a = \"phpMyAdmin\" condition: $a }", json!({})).await;
    }
    allow(&server, "analyst").await;
    ruleset(
        &server,
        "analyst",
        "rule page { strings: $a = \"phpMyAdmin\" condition: $a }",
        json!({"match_object_type": "url"}),
    )
    .await;
    inventory::fill_with(&server, page("<title>phpMyAdmin</title>")).await.unwrap();
    upload(&server, "page.html", "an uploaded phpMyAdmin").await;
    hunt(&server, LONG).await;
    // The collection's people see the page, everybody the file, and a set for pages only pages.
    for (caller, count) in [("viewer", 2), ("member", 1), ("stranger", 1), ("analyst", 1)] {
        assert_eq!(notifications(&server, caller).await.len(), count, "{caller}");
    }
    let page =
        call(&server, "analyst", "GET", "/intelligence/hunting_notification_files", None).await["data"][0].clone();
    assert_eq!(page["attributes"]["names"], json!([inventory::SITE]));
    let path = format!("/files/{}", page["id"].as_str().unwrap());
    assert_eq!(call(&server, "viewer", "GET", &path, None).await["data"]["attributes"]["size"], json!(25));
    let foreign = server.call("stranger", "GET", &format!("/api/v3{path}"), None).await.unwrap();
    assert_eq!(foreign.status, 404);
    // A job sees the same as the live rules.
    for (caller, count) in [("viewer", 2), ("stranger", 1)] {
        let body = json!({"data": {"type": "retrohunt_job",
        "attributes": {"rules": "rule admin { strings: $a = \"phpMyAdmin\" condition: $a }"}}});
        let made = call(&server, caller, "POST", "/intelligence/retrohunt_jobs", Some(body)).await;
        hunt(&server, LONG).await;
        let job = format!("/intelligence/retrohunt_jobs/{}", made["data"]["id"].as_str().unwrap());
        let done = call(&server, caller, "GET", &job, None).await;
        assert_eq!(
            (&done["data"]["attributes"]["status"], &done["data"]["attributes"]["num_matches"]),
            (&json!("finished"), &json!(count)),
            "{caller}"
        );
    }
}

#[tokio::test]
async fn rules_that_take_too_long_are_ended_and_then_left_out() {
    let server = TestServer::new().await.unwrap();
    let slow = ruleset(&server, "owner", ENDLESS, json!({"name": "slow"})).await;
    ruleset(&server, "owner", "rule quick { condition: true }", json!({"name": "quick"})).await;
    let path = format!("/intelligence/hunting_rulesets/{slow}");
    for round in 1..=3 {
        assert_eq!(
            call(&server, "owner", "GET", &path, None).await["data"]["attributes"]["rate_limited"],
            json!(false)
        );
        upload(&server, "a.bin", &format!("file {round}")).await;
        hunt(&server, SHORT).await;
        assert_eq!(notifications(&server, "owner").await.len(), round, "the other set looks nevertheless");
    }
    assert_eq!(call(&server, "owner", "GET", &path, None).await["data"]["attributes"]["rate_limited"], json!(true));
    let body = json!({"data": {"attributes": {"rules": "rule better { condition: true }"}}});
    assert_eq!(
        call(&server, "owner", "PATCH", &path, Some(body)).await["data"]["attributes"]["rate_limited"],
        json!(false)
    );
    upload(&server, "b.bin", "one more").await;
    hunt(&server, SHORT).await;
    assert_eq!(notifications(&server, "owner").await.len(), 5);
    let body = json!({"data": {"type": "retrohunt_job", "attributes": {"rules": ENDLESS}}});
    let made = call(&server, "owner", "POST", "/intelligence/retrohunt_jobs", Some(body)).await;
    hunt(&server, SHORT).await;
    let job = format!("/intelligence/retrohunt_jobs/{}", made["data"]["id"].as_str().unwrap());
    let done = call(&server, "owner", "GET", &job, None).await;
    assert_eq!(done["data"]["attributes"]["num_timeouts"], json!(4), "{done}");
}

#[tokio::test]
async fn one_body_that_takes_too_long_hides_none_behind_it() {
    let server = TestServer::new().await.unwrap();
    let rules = ENDLESS.replace("condition:", "condition: filesize == 4 and")
        + " rule found { strings: $a = \"needle\" condition: $a }";
    ruleset(&server, "owner", &rules, json!({})).await;
    for content in ["a needle before", "slow", "a needle behind"] {
        upload(&server, "a.bin", content).await;
    }
    hunt(&server, SHORT).await;
    assert_eq!(notifications(&server, "owner").await.len(), 2);
}

#[tokio::test]
async fn a_set_reports_no_more_than_its_limit_of_a_day() {
    let server = TestServer::new().await.unwrap();
    let set =
        ruleset(&server, "owner", "rule a { condition: true } rule b { condition: true }", json!({"limit": 3})).await;
    for number in 0..3 {
        upload(&server, "a.bin", &format!("file {number}")).await;
    }
    hunt(&server, LONG).await;
    assert_eq!(notifications(&server, "owner").await.len(), 3);
    let path = format!("/intelligence/hunting_rulesets/{set}");
    assert_eq!(call(&server, "owner", "GET", &path, None).await["data"]["attributes"]["rate_limited"], json!(true));
    server.advance(24 * 3_600 * 1_000);
    upload(&server, "a.bin", "the next day").await;
    hunt(&server, LONG).await;
    assert_eq!(notifications(&server, "owner").await.len(), 5);
}

#[tokio::test]
async fn packs_are_the_engines_of_analyses() {
    let server = TestServer::new().await.unwrap();
    let without = upload(&server, "plain.txt", "hello world").await;
    let found = call(&server, "owner", "GET", &format!("/analyses/{without}"), None).await;
    assert_eq!(
        (&found["data"]["attributes"]["status"], &found["data"]["attributes"]["results"]),
        (&json!("completed"), &json!({}))
    );
    let owner = server.store.local_operator().await.unwrap();
    let rules = |rules: &str| PackContent::Rules { sources: vec![("a.yar".to_owned(), rules.to_owned())], rules: 1 };
    let hashes = PackContent::Hashes(vec![("5eb63bbbe01eeed093cb22bb8f5acdc3".to_owned(), "Greeting".to_owned())]);
    for (name, content) in [
        ("rats", rules("rule Rat { strings: $a = \"bozok\" condition: $a }")),
        ("endless", rules(ENDLESS)),
        ("broken", rules("rule {")),
        ("known", hashes),
    ] {
        server.store.load_pack(&owner.at(server.now()), name, "abcd1234", content).await.unwrap();
    }
    server.advance(1_000);
    let rat = upload(&server, "rat.bin", "a bozok").await;
    let path = format!("/analyses/{rat}");
    assert_eq!(call(&server, "owner", "GET", &path, None).await["data"]["attributes"]["status"], json!("queued"));
    hunt(&server, SHORT).await;
    let done = call(&server, "owner", "GET", &path, None).await["data"]["attributes"].clone();
    assert_eq!(done["status"], json!("completed"));
    let said = |engine: &str| (done["results"][engine]["category"].clone(), done["results"][engine]["result"].clone());
    assert_eq!(said("rats"), (json!("malicious"), json!("Rat")));
    assert_eq!(said("endless"), (json!("timeout"), Value::Null));
    assert_eq!(said("broken"), (json!("failure"), Value::Null));
    assert_eq!(said("known"), (json!("undetected"), Value::Null));
    assert_eq!(done["stats"]["malicious"], json!(1));
    assert_eq!(done["results"]["rats"]["engine_update"], json!("20260131"));
    // Asked again, the first file is known to the list, by one of its hashes.
    let again = call(&server, "owner", "POST", "/files/5eb63bbbe01eeed093cb22bb8f5acdc3/analyse", None).await;
    hunt(&server, SHORT).await;
    let found =
        call(&server, "owner", "GET", "/files/5eb63bbbe01eeed093cb22bb8f5acdc3", None).await["data"]["attributes"]
            .clone();
    assert_eq!(found["last_analysis_results"]["known"]["result"], json!("Greeting"));
    assert_eq!(found["last_analysis_stats"]["malicious"], json!(1));
    for (query, total) in [
        ("p:1", 2),
        ("p:1%2B", 2),
        ("p:0", 0),
        ("entity:file%20NOT%20p:1", 0),
        ("p:0%2B%20bozok", 0),
        ("rat.bin%20p:0%2B", 1),
    ] {
        let found = call(&server, "owner", "GET", &format!("/intelligence/search?query={query}"), None).await;
        assert_eq!(found["meta"]["total_hits"], json!(total), "{query}");
    }
    let id = again["data"]["id"].as_str().unwrap();
    assert_eq!(
        call(&server, "owner", "GET", &format!("/analyses/{id}"), None).await["data"]["attributes"]["stats"]["timeout"],
        json!(1)
    );
    let unknown = server
        .call("owner", "GET", "/api/v3/analyses/NWViNjNiYmJlMDFlZWVkMDkzY2IyMmJiOGY1YWNkYzM6MQ==", None)
        .await
        .unwrap();
    assert_eq!(unknown.status, 404, "an analysis that nobody asked for");
}

#[tokio::test]
async fn nothing_is_lost_or_doubled_where_the_hunter_ends_in_between() {
    const FILES: usize = 150;
    let server = TestServer::new().await.unwrap();
    ruleset(&server, "owner", "rule all { condition: true }", json!({"limit": 10_000})).await;
    for number in 0..FILES {
        upload(&server, "a.bin", &format!("file {number}")).await;
    }
    let body = json!({"data": {"type": "retrohunt_job", "attributes": {"rules": "rule all { condition: true }"}}});
    let made = call(&server, "owner", "POST", "/intelligence/retrohunt_jobs", Some(body)).await;
    // Each hunter does one round, and the last is dropped in the midst of it: whatever instant that is.
    for part in 0..6_u64 {
        let mut hunter = Hunter::new(engine(&server).await, LONG, SLICE);
        let broken = tokio::time::timeout(Duration::from_millis(part * 7), hunter.round(server.now())).await;
        drop(broken);
    }
    hunt(&server, LONG).await;
    let found = call(&server, "owner", "GET", "/intelligence/hunting_notifications", None).await;
    assert_eq!(found["meta"]["count"], json!(FILES));
    let job = format!("/intelligence/retrohunt_jobs/{}", made["data"]["id"].as_str().unwrap());
    let done = call(&server, "owner", "GET", &job, None).await["data"]["attributes"].clone();
    assert_eq!((&done["status"], &done["num_matches"]), (&json!("finished"), &json!(FILES)), "{done}");
    let files = call(&server, "owner", "GET", &format!("{job}/matching_files"), None).await;
    assert_eq!(files["meta"]["count"], json!(FILES));
}

/// Makes a set that looks at each file for long, and matches none.
fn costly(number: usize) -> String {
    format!(
        "rule costly{number} {{ condition: for all i in (0..9000000000) : ( for all j in (0..9000000000) : ( i + j + \
         {number} >= 0 ) ) }}"
    )
}

#[tokio::test]
async fn one_owner_s_costly_rules_do_not_hold_up_the_specimens_of_others() {
    let server = TestServer::new().await.unwrap();
    for user in ["viewer", "stranger"] {
        allow(&server, user).await;
    }
    for number in 0..6 {
        ruleset(&server, "viewer", &costly(number), json!({"name": format!("costly {number}")})).await;
    }
    ruleset(&server, "stranger", "rule quick { condition: true }", json!({})).await;
    for number in 0..3 {
        upload(&server, "a.bin", &format!("file {number}")).await;
    }
    // No slice: each owner's rules look once at a time.
    let mut hunter = Hunter::new(engine(&server).await, SHORT, Duration::ZERO);
    assert!(hunter.round(server.now()).await.unwrap());
    let mut rounds = 1;
    while notifications(&server, "stranger").await.len() < 3 {
        assert!(hunter.round(server.now()).await.unwrap(), "something waits");
        rounds += 1;
    }
    assert!(rounds <= 6, "three looks, beside one costly look each: {rounds} rounds");
    while hunter.round(server.now()).await.unwrap() {}
    assert_eq!(notifications(&server, "stranger").await.len(), 3, "each is reported once");
    let sets = call(&server, "viewer", "GET", "/intelligence/hunting_rulesets", None).await;
    let slow = sets["data"].as_array().unwrap().iter().filter(|set| set["attributes"]["rate_limited"] == json!(true));
    assert_eq!(slow.count(), 6, "each took too long three times and looks no more: {sets}");
}

#[tokio::test]
async fn what_was_deferred_is_looked_at_after_the_hunter_ends_in_between() {
    let server = TestServer::new().await.unwrap();
    for number in 0..4 {
        ruleset(
            &server,
            "owner",
            "rule all { condition: true }",
            json!({"name": format!("set {number}"), "limit": 1_000}),
        )
        .await;
    }
    for number in 0..10 {
        upload(&server, "a.bin", &format!("file {number}")).await;
    }
    loop {
        // A hunter lives for one round.
        let mut hunter = Hunter::new(engine(&server).await, LONG, Duration::ZERO);
        if !hunter.round(server.now()).await.unwrap() {
            break;
        }
    }
    let found = call(&server, "owner", "GET", "/intelligence/hunting_notifications", None).await;
    assert_eq!(found["meta"]["count"], json!(40));
}
