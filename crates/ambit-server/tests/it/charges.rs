//! What calls cost, whatever goes wrong: of calls side by side exactly those are served that fit, and what the server
//! itself fails at is given back.

use ambit_model::quota::UNCAPPED;
use ambit_server::ENDPOINTS;
use ambit_store::FailAction;
use ambit_testkit::scenario::read_folder;
use ambit_testkit::{Ask, TestServer, ask, inventory};
use serde_json::json;
use std::collections::BTreeSet;
use std::path::Path;

async fn used(server: &TestServer, user: &str) -> i64 {
    let target = format!("/api/v3/users/{user}/overall_quotas");
    let reply = server.call(user, "GET", &target, None).await.unwrap().json();
    reply["data"]["api_requests_daily"]["user"]["used"].as_i64().unwrap()
}

/// T27 (seed, API quota, requests per day): no overdraft, and no unit is lost.
#[tokio::test]
async fn of_calls_side_by_side_exactly_those_are_served_that_fit() {
    let server = TestServer::new().await.unwrap();
    let owner = server.store.local_operator().await.unwrap();
    let quota = "api_requests_daily";
    server.store.set_quota(&owner.at(server.now()), "viewer", quota, 17).await.unwrap();
    let calls = (0..50).map(|_| server.call("viewer", "GET", "/api/v3/metadata", None));
    let replies = futures::future::join_all(calls).await;
    let statuses: Vec<u16> = replies.into_iter().map(|reply| reply.unwrap().status).collect();
    let served = statuses.iter().filter(|status| **status == 200).count();
    assert!(statuses.iter().all(|status| [200, 429].contains(status)), "{statuses:?}");
    assert_eq!((served, used(&server, "viewer").await), (17, 17));
}

/// Each edge of a transaction fails once: that of the charge and that of the work which it pays for.
#[tokio::test]
async fn what_the_server_fails_at_is_given_back() {
    let mut server = TestServer::new().await.unwrap();
    inventory::fill(&server, "Welcome").await.unwrap();
    // It writes how far it is: that is not the write that is to fail.
    server.stop_index();
    let owner = server.store.local_operator().await.unwrap();
    server.store.set_quota(&owner.at(server.now()), "viewer", "api_requests_daily", UNCAPPED).await.unwrap();
    let comment = json!({"data": {"type": "comment", "attributes": {"text": "seen"}}});
    let target = "/api/v3/domains/acme.test/comments";
    // The first use of a key in a minute is noted: that is not the write that is to fail.
    let mut served = 1;
    assert_eq!(server.call("viewer", "POST", target, Some(&comment)).await.unwrap().status, 200);
    let mut failed = 0;
    for edge in 1..=8 {
        server.store.arm_failpoint(edge, FailAction::Error);
        let reply = server.call("viewer", "POST", target, Some(&comment)).await.unwrap();
        match reply.status {
            200 => served += 1,
            503 => failed += 1,
            status => panic!("edge {edge}: {status} {}", reply.text()),
        }
    }
    server.store.arm_failpoint(0, FailAction::Error);
    assert!(failed >= 6, "the edges of two transactions fail: {failed}");
    // Where the charge itself fails after it is durable, it is not known that it was made.
    let unknown = used(&server, "viewer").await - served;
    assert!((0..=1).contains(&unknown), "{unknown} calls more than were served");
    let usage = server.call("viewer", "GET", "/api/v3/users/viewer/api_usage", None).await.unwrap().json();
    assert_eq!(usage["data"]["total"]["/api/v3/(domain_comments)"], json!(served + unknown), "{usage}");
}

/// A call that one quota has room for and another refuses has moved nothing and is in neither list
/// (docs/contract/quotas.md §3).
#[tokio::test]
async fn a_call_that_is_refused_for_another_quota_costs_nothing() {
    let server = TestServer::new().await.unwrap();
    let owner = server.store.local_operator().await.unwrap();
    let now = server.now();
    server.store.set_quota(&owner.at(now), "viewer", "api_requests_daily", UNCAPPED).await.unwrap();
    server.store.set_quota(&owner.at(now), "viewer", "intelligence_hunting_rules", 1).await.unwrap();
    server.store.set_quota(&owner.at(now), "viewer", "intelligence_retrohunt_jobs_monthly", 0).await.unwrap();
    let rules = "rule a { condition: true } rule b { condition: true }";
    let set = |enabled: bool| {
        let attributes = json!({"name": "two", "enabled": enabled, "rules": rules});
        json!({"data": {"type": "hunting_ruleset", "attributes": attributes}})
    };
    let sets = "/api/v3/intelligence/hunting_rulesets";
    let made = server.call("viewer", "POST", sets, Some(&set(false))).await.unwrap().json();
    let one = format!("{sets}/{}", made["data"]["id"].as_str().unwrap());
    let usage = async || {
        let usage = server.call("viewer", "GET", "/api/v3/users/viewer/api_usage", None).await.unwrap().json();
        usage["data"]["total"].clone()
    };
    let before = (used(&server, "viewer").await, usage().await);
    let enabled = json!({"data": {"type": "hunting_ruleset", "attributes": {"enabled": true}}});
    let job = json!({"data": {"type": "retrohunt_job", "attributes": {"rules": rules}}});
    for (method, target, body) in [
        ("POST", sets, set(true)),
        ("PATCH", one.as_str(), enabled),
        ("POST", "/api/v3/intelligence/retrohunt_jobs", job),
    ] {
        let reply = server.call("viewer", method, target, Some(&body)).await.unwrap();
        assert_eq!(reply.status, 429, "{method} {target}: {}", reply.text());
        assert_eq!((used(&server, "viewer").await, usage().await), before, "{method} {target}");
    }
}

/// The form of a file.
fn form(content: &str) -> Vec<u8> {
    format!("--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\n{content}\r\n--b--\r\n").into()
}

#[tokio::test]
async fn an_upload_that_is_refused_leaves_its_address_to_be_used() {
    let server = TestServer::new().await.unwrap();
    let owner = server.store.local_operator().await.unwrap();
    let post = async |caller: &str, target: &str, content: &str| {
        let key = ("x-apikey".to_owned(), server.keys[caller].clone());
        let request = Ask {
            method: "POST".to_owned(),
            target: target.to_owned(),
            headers: vec![key, ("content-type".to_owned(), "multipart/form-data; boundary=b".to_owned())],
            body: Some(form(content)),
        };
        ask(&server.address, &request).await.unwrap().status
    };
    assert_eq!(post("owner", "/api/v3/files", "known").await, 200);
    let address = server.call("viewer", "GET", "/api/v3/files/upload_url", None).await.unwrap().json();
    let target = address["data"].as_str().unwrap().split_once("/api").map(|(_, path)| format!("/api{path}")).unwrap();
    // A file that somebody has costs a request, one that nobody has costs nothing.
    server.store.set_quota(&owner.at(server.now()), "viewer", "api_requests_daily", 0).await.unwrap();
    assert_eq!(post("viewer", &target, "known").await, 429);
    assert_eq!(post("viewer", &target, "new").await, 200, "nothing was uploaded to it yet");
    assert_eq!(post("viewer", &target, "newer").await, 400, "now something was");
}

/// The cases of docs/contract/quotas.md §6 with the rule that each proves.
const CASES: &[(u32, &str)] = &[
    (1, "API quota: limits per minute, per day and per month"),
    (2, "quota and usage checks consume none"),
    (3, "API quota: per day and per month"),
    (4, "API quota: per minute"),
    (5, "group quota is shared between all group members"),
    (6, "consumption shows in both the user's and the group's"),
    (7, "searches by a user with intelligence quota and without premium API are taken from the intelligence quota"),
    (8, "the same searches by a user with premium API are taken from the API quota"),
    (9, "enterprise endpoints consume premium API quota, otherwise intelligence quota"),
    (10, "upload of a file not yet known, then its report and analysis, consume none"),
    (11, "re-scan consumes as any call"),
    (12, "one call consumes one request"),
    (13, "one call consumes one request"),
    (14, "an analysis with an invalid id consumes none"),
    (15, "one call consumes one request"),
    (16, "feeds, new uploads and quota checks consume none"),
    (21, "creating a private graph consumes 1 unit of the private-graph quota and nothing else"),
    (22, "creating a public graph consumes API quota"),
    (23, "private-graph quota per month"),
    (24, "quotas per month"),
    (25, "version 2: file report with a list of hashes, one request per hash"),
    (26, "version 2: submissions, one request per submission returned"),
    (28, "the request carries the API key"),
    (29, "loading a public graph consumes one request for each API request needed"),
    (30, "consumption shows in both the user's and the group's"),
    (31, "usage checks"),
    (32, "intelligence quota: downloads"),
];
/// Case 27 is above; 17 to 20 are those of hunting, which name their rows like the others.
const CASES_IN_CODE: [u32; 1] = [27];

/// Every word of the names of steps.
fn words() -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let mut words = BTreeSet::new();
    for (_, scenario) in read_folder(&folder).unwrap() {
        for step in scenario.steps {
            words.extend(step.name.split(' ').map(str::to_owned));
        }
    }
    words
}

#[test]
fn every_case_has_a_step_in_a_scenario() {
    let words = words();
    let missing: Vec<String> = CASES
        .iter()
        .filter(|(number, _)| !words.contains(&format!("T{number}")))
        .map(|(number, rule)| format!("T{number}: {rule}"))
        .collect();
    assert_eq!(missing, Vec::<String>::new());
    let hunting = 17..=20;
    let all: BTreeSet<u32> = CASES.iter().map(|(number, _)| *number).chain(CASES_IN_CODE).chain(hunting).collect();
    assert_eq!(all, (1..=32).collect());
}

#[test]
fn every_row_of_the_cost_table_has_a_step_in_a_scenario() {
    let words = words();
    let rows: BTreeSet<&str> = ENDPOINTS.iter().flat_map(|row| row.cost.name.split(' ')).collect();
    let missing: Vec<&&str> = rows.iter().filter(|row| !words.contains(**row)).collect();
    assert_eq!(missing, Vec::<&&str>::new());
    assert!(rows.is_superset(&BTreeSet::from(CONTRACT)), "rows of docs/contract/quotas.md §4 that no endpoint has");
}

/// Rows of docs/contract/quotas.md §4 but those of hunting, and I7 and V5: there is no website of the wider API, and
/// being refused is no endpoint's own.
const CONTRACT: [&str; 33] = [
    "A1", "A2", "A3", "A4", "A5", "A6", "A7", "A8", "A8b", "A8c", "A9", "A10", "A11", "A12", "G1", "G2", "G3", "G4",
    "G5", "G6", "G7", "G8", "I1", "I2", "I3", "I4", "I5", "I6", "I8", "V1", "V2", "V3", "V4",
];
