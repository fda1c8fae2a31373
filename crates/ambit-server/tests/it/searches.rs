//! Searches beside writers: what a person did is found at once, an index that lags says so, and no page loses a row.

use ambit_model::issue::Status;
use ambit_server::Limits;
use ambit_testkit::{Reply, TestServer, inventory};
use serde_json::json;
use std::collections::BTreeSet;
use std::time::Duration;

#[tokio::test]
async fn a_search_that_would_miss_what_a_person_did_is_refused() {
    let limits = Limits { index_wait: Duration::from_millis(50), ..Limits::default() };
    let mut server = TestServer::with(limits).await.unwrap();
    let found = inventory::fill(&server, "Welcome").await.unwrap();
    let target = "/api/v3/asm/search/issues/status_new:open";
    server.get("owner", target).await.shows(200, &json!({"result": {"total_hits": 2}}));
    server.stop_index();
    let report = format!("/api/v3/asm/issues/{}/status", found.issue);
    let body = json!({"status": "closed_benign"});
    assert_eq!(server.call("owner", "POST", &report, Some(&body)).await.unwrap().status, 200);
    let refused = server.get("owner", target).await;
    refused.shows(503, &json!({"error": {"code": "TransientError"}}));
    assert!(refused.header("retry-after").is_some());
    // Another project is not concerned.
    assert_eq!(server.call("stranger", "GET", target, None).await.unwrap().status, 200);
}

#[tokio::test]
async fn statuses_at_once_are_all_answered_and_one_of_them_stays() {
    let server = TestServer::new().await.unwrap();
    let found = inventory::fill(&server, "Welcome").await.unwrap();
    let report = format!("/api/v3/asm/issues/{}/status", found.issue);
    let calls = (0..50).map(|index| {
        let (server, report, body) = (&server, &report, json!({"status": Status::ALL[index % Status::ALL.len()]}));
        async move { server.call("analyst", "POST", report, Some(&body)).await.unwrap().status }
    });
    let statuses = futures::future::join_all(calls).await;
    assert!(statuses.iter().all(|status| *status == 200), "{statuses:?}");
    let detail = format!("/api/v3/asm/issues/{}", found.issue);
    let status = server.get("viewer", &detail).await.at("/result/status");
    let hits = server.get("viewer", "/api/v3/asm/search/issues/name:dns_caa_missing").await;
    assert_eq!(hits.at("/result/hits/0/summary/status"), status);
}

#[tokio::test]
async fn pages_of_one_have_every_row_once() {
    let server = TestServer::new().await.unwrap();
    inventory::fill(&server, "Welcome").await.unwrap();
    let mut by_token = Vec::new();
    let mut target = "/api/v3/asm/search/entities/?page_size=1".to_owned();
    loop {
        let reply = server.get("viewer", &target).await;
        by_token.extend(reply.each("/result/hits", "/id"));
        let result = reply.at("/result");
        assert_eq!(result["more"], result["next_page_token"].is_string());
        let Some(token) = result["next_page_token"].as_str() else { break };
        assert!(token.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte)), "{token}");
        target = format!("/api/v3/asm/search/entities/?page_size=1&page_token={token}");
    }
    let mut by_page = Vec::new();
    for page in 0..4 {
        let target = format!("/api/v3/asm/search/entities/?page_size=1&page={page}");
        by_page.extend(server.get("viewer", &target).await.each("/result/hits", "/id"));
    }
    assert_eq!(by_token, by_page);
    let distinct: BTreeSet<String> = by_token.iter().map(ToString::to_string).collect();
    assert_eq!(distinct.len(), 4);
}

#[tokio::test]
async fn a_token_of_one_caller_does_not_open_anothers_project() {
    let server = TestServer::new().await.unwrap();
    inventory::fill(&server, "Welcome").await.unwrap();
    let first = server.call("owner", "GET", "/api/v3/asm/search/entities/?page_size=1", None).await.unwrap();
    let token = first.json()["result"]["next_page_token"].as_str().unwrap().to_owned();
    let target = format!("/api/v3/asm/search/entities/?page_size=1&page_token={token}");
    assert_eq!(server.call("owner", "GET", &target, None).await.unwrap().status, 200);
    assert_eq!(server.call("stranger", "GET", &target, None).await.unwrap().status, 400);
    let mut flipped = token.into_bytes();
    flipped[20] = if flipped[20] == b'A' { b'B' } else { b'A' };
    let target = format!("/api/v3/asm/search/entities/?page_size=1&page_token={}", String::from_utf8(flipped).unwrap());
    assert_eq!(server.call("owner", "GET", &target, None).await.unwrap().status, 400);
}

#[tokio::test]
async fn the_past_is_searched_as_it_was_shown() {
    let server = TestServer::new().await.unwrap();
    let found = inventory::fill(&server, "Welcome").await.unwrap();
    let before = server.now();
    server.advance(60_000);
    let report = format!("/api/v3/asm/issues/{}/status", found.issue);
    let body = json!({"status": "closed_benign"});
    assert_eq!(server.call("owner", "POST", &report, Some(&body)).await.unwrap().status, 200);
    server.advance(60_000);
    let now = server.now();
    let ask = async |query: String| {
        let target = format!("/api/v3/asm/search/issues/{query}");
        let reply = server.call("viewer", "GET", &target, None).await.unwrap();
        (reply.status, reply.json()["result"].clone())
    };
    let (_, then) = ask(format!("status_new:open?as_of={before}")).await;
    let (_, today) = ask("status_new:open".to_owned()).await;
    assert_eq!((&then["total_hits"], &today["total_hits"]), (&json!(2), &json!(1)));
    let open = |result: &serde_json::Value| result["aggregations"]["status_new_bucket"]["buckets"].clone();
    assert_eq!(open(&then), json!([{"key": "open", "doc_count": 2}]));
    let hit = then["hits"].as_array().unwrap().iter().find(|hit| hit["id"] == found.issue.to_string()).cloned();
    let hit = hit.expect("it was open then");
    let point = format!("/api/v3/asm/time_series/point_in_time/issues/{}?point_in_time={before}", found.issue);
    let point = server.call("viewer", "GET", &point, None).await.unwrap().json()["result"]["issue"].clone();
    assert_eq!((&hit["last_seen"], &hit["summary"]["status"]), (&point["last_seen"], &point["status"]));
    let (_, gone) = ask(format!("change:disappeared?between={before},{now}")).await;
    assert_eq!((&gone["total_hits"], &gone["hits"][0]["id"]), (&json!(1), &json!(found.issue.to_string())));
    let (_, future) = ask("?as_of=2999-01-01".to_owned()).await;
    assert_eq!(future["total_hits"], 2);
    for wrong in [
        "?as_of=soon",
        "?between=2026-01-01",
        "?between=2026-01-02,2026-01-01",
        "change:appeared",
        "change:perhaps?between=2026-01-01,2026-01-02",
        "?as_of=2026-01-01&between=2026-01-01,2026-01-02",
    ] {
        assert_eq!(ask(wrong.to_owned()).await.0, 400, "{wrong}");
    }
}

/// The main use of `between`: since some day until today. What the end of today means moves with the clock; a walk goes
/// on all the same.
#[tokio::test]
async fn a_window_that_ends_today_is_walked_by_token_and_by_number() {
    let server = TestServer::new().await.unwrap();
    inventory::fill(&server, "Welcome").await.unwrap();
    let today = server.now().date();
    for window in
        [format!("between=2000-01-01,{today}"), "between=2000-01-01,2999-01-01".to_owned(), format!("as_of={today}")]
    {
        let target = format!("/api/v3/asm/search/entities/?page_size=1&{window}");
        let ask = async |more: String| {
            server.advance(1_000);
            server.get("viewer", &format!("{target}{more}")).await
        };
        let ids = |reply: &Reply| reply.each("/result/hits", "/id").into_iter().map(|id| id.to_string());
        let (mut by_token, mut more) = (BTreeSet::new(), String::new());
        loop {
            let reply = ask(more).await;
            by_token.extend(ids(&reply));
            let token = reply.at("/result/next_page_token");
            let Some(token) = token.as_str() else { break };
            more = format!("&page_token={token}");
        }
        let mut by_page = BTreeSet::new();
        for page in 0..4 {
            by_page.extend(ids(&ask(format!("&page={page}")).await));
        }
        assert_eq!((by_token.len(), &by_token), (4, &by_page), "{window}");
    }
}
