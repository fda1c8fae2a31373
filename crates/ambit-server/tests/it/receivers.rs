//! Receivers of notifications as they are made: a rule that could tell nobody of anything is refused.

use ambit_testkit::{TestServer, inventory};
use serde_json::{Value, json};

#[tokio::test]
async fn a_query_that_no_search_has_is_refused() {
    let server = TestServer::new().await.unwrap();
    for (query, refusal) in [
        ("severity:high", None),
        ("port_tcp:22", None),
        ("acme", None),
        ("severty:high", Some("query: unknown keyword `severty`")),
        ("port_tcp:none", Some("query: ")),
    ] {
        let body = json!({"channel": "webhook", "target": "https://hooks.example.org/ambit", "query": query});
        let reply = server.call("owner", "POST", "/api/ambit/v1/receivers", Some(&body)).await.unwrap();
        let said = reply.json()["message"].as_str().unwrap_or_default().to_owned();
        match refusal {
            None => assert_eq!(reply.status, 200, "{query}: {said}"),
            Some(why) => assert!(reply.status == 400 && said.contains(why), "{query}: {} {said}", reply.status),
        }
    }
    let listed = server.get("owner", "/api/ambit/v1/receivers").await.each("/result", "/query");
    assert_eq!(listed, [json!("severity:high"), json!("port_tcp:22"), json!("acme")]);
}

#[tokio::test]
async fn a_change_of_a_run_or_a_collection_has_a_name() {
    let server = TestServer::new().await.unwrap();
    inventory::fill(&server, "Welcome").await.unwrap();
    let changes = server.get("owner", "/api/ambit/v1/changes?limit=1000").await.each("/result/changes", "");
    let names = |record: &str| -> Vec<&Value> {
        changes.iter().filter(|change| change["record"] == record).map(|change| &change["name"]).collect()
    };
    let (collections, runs) = (names("collection"), names("run"));
    assert!(!collections.is_empty() && collections.iter().all(|name| name.is_string()), "{collections:?}");
    let is_run = |name: &&Value| name.as_str().is_some_and(|name| name.ends_with(", run 1"));
    assert!(!runs.is_empty() && runs.iter().all(is_run), "{runs:?}");
}
