//! Searches beside writers: what a person did is found at once, an index that lags says so, and no page loses a row.

use ambit_api::issues::STATUS;
use ambit_api::shape::Shape;
use ambit_server::Limits;
use ambit_testkit::{TestServer, inventory};
use serde_json::json;
use std::collections::BTreeSet;
use std::time::Duration;

#[tokio::test]
async fn a_search_that_would_miss_what_a_person_did_is_refused() {
    let limits = Limits {
        index_wait: Duration::from_millis(50),
        ..Limits::default()
    };
    let mut server = TestServer::with(limits).await.unwrap();
    let found = inventory::fill(&server, "Welcome").await.unwrap();
    let target = "/api/v3/asm/search/issues/status_new:open";
    assert_eq!(server.call("owner", "GET", target, None).await.unwrap().json()["result"]["total_hits"], 2);
    server.stop_index();
    let report = format!("/api/v3/asm/issues/{}/status", found.issue);
    let body = json!({"status": "closed_benign"});
    assert_eq!(server.call("owner", "POST", &report, Some(&body)).await.unwrap().status, 200);
    let refused = server.call("owner", "GET", target, None).await.unwrap();
    assert_eq!((refused.status, &refused.json()["error"]["code"]), (503, &json!("TransientError")));
    assert!(refused.header("retry-after").is_some());
    // Another project is not concerned.
    assert_eq!(server.call("stranger", "GET", target, None).await.unwrap().status, 200);
}

#[tokio::test]
async fn statuses_at_once_are_all_answered_and_one_of_them_stays() {
    let server = TestServer::new().await.unwrap();
    let found = inventory::fill(&server, "Welcome").await.unwrap();
    let Shape::OneOf(words) = STATUS else { panic!("statuses are words") };
    let report = format!("/api/v3/asm/issues/{}/status", found.issue);
    let calls = (0..50).map(|index| {
        let (server, report, body) = (&server, &report, json!({"status": words[index % words.len()]}));
        async move { server.call("analyst", "POST", report, Some(&body)).await.unwrap().status }
    });
    let statuses = futures::future::join_all(calls).await;
    assert!(statuses.iter().all(|status| *status == 200), "{statuses:?}");
    let detail = format!("/api/v3/asm/issues/{}", found.issue);
    let status = server.call("viewer", "GET", &detail, None).await.unwrap().json()["result"]["status"].clone();
    let hits = server
        .call("viewer", "GET", "/api/v3/asm/search/issues/name:dns_caa_missing", None)
        .await
        .unwrap();
    assert_eq!(hits.json()["result"]["hits"][0]["summary"]["status"], status);
}

#[tokio::test]
async fn pages_of_one_have_every_row_once() {
    let server = TestServer::new().await.unwrap();
    inventory::fill(&server, "Welcome").await.unwrap();
    let mut by_token = Vec::new();
    let mut target = "/api/v3/asm/search/entities/?page_size=1".to_owned();
    loop {
        let result = server.call("viewer", "GET", &target, None).await.unwrap().json()["result"].clone();
        by_token.extend(result["hits"].as_array().unwrap().iter().map(|hit| hit["id"].to_string()));
        assert_eq!(result["more"], result["next_page_token"].is_string());
        let Some(token) = result["next_page_token"].as_str() else { break };
        assert!(
            token.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte)),
            "{token}"
        );
        target = format!("/api/v3/asm/search/entities/?page_size=1&page_token={token}");
    }
    let mut by_page = Vec::new();
    for page in 0..4 {
        let target = format!("/api/v3/asm/search/entities/?page_size=1&page={page}");
        let result = server.call("viewer", "GET", &target, None).await.unwrap().json()["result"].clone();
        by_page.extend(result["hits"].as_array().unwrap().iter().map(|hit| hit["id"].to_string()));
    }
    assert_eq!(by_token, by_page);
    assert_eq!(by_token.iter().collect::<BTreeSet<_>>().len(), 4);
}

#[tokio::test]
async fn a_token_of_one_caller_does_not_open_anothers_project() {
    let server = TestServer::new().await.unwrap();
    inventory::fill(&server, "Welcome").await.unwrap();
    let first = server
        .call("owner", "GET", "/api/v3/asm/search/entities/?page_size=1", None)
        .await
        .unwrap();
    let token = first.json()["result"]["next_page_token"].as_str().unwrap().to_owned();
    let target = format!("/api/v3/asm/search/entities/?page_size=1&page_token={token}");
    assert_eq!(server.call("owner", "GET", &target, None).await.unwrap().status, 200);
    assert_eq!(server.call("stranger", "GET", &target, None).await.unwrap().status, 400);
    let mut flipped = token.into_bytes();
    flipped[20] = if flipped[20] == b'A' { b'B' } else { b'A' };
    let target = format!(
        "/api/v3/asm/search/entities/?page_size=1&page_token={}",
        String::from_utf8(flipped).unwrap()
    );
    assert_eq!(server.call("owner", "GET", &target, None).await.unwrap().status, 400);
}
