//! Walks through pages of graphs, while reading them counts views and changes move their dates.

use ambit_testkit::TestServer;
use serde_json::{Value, json};

async fn call(server: &TestServer, method: &str, target: &str, body: Option<&Value>) -> Value {
    let reply = server.call("owner", method, target, body).await.unwrap();
    assert_eq!(reply.status, 200, "{method} {target}: {}", reply.text());
    if reply.body.is_empty() { Value::Null } else { reply.json() }
}

/// Twelve graphs; their ids.
async fn made(server: &TestServer) -> Vec<String> {
    let mut ids = Vec::new();
    for number in 0..12 {
        let description = format!("bulk {number}");
        let graph = json!({"data": {"type": "graph", "attributes": {"graph_data": {"description": description}}}});
        let made = call(server, "POST", "/api/v3/graphs", Some(&graph)).await;
        ids.push(made["data"]["id"].as_str().unwrap().to_owned());
    }
    ids
}

/// Follows the cursors of a list to its end, and does something with each graph as it is shown; the ids that were
/// shown.
async fn walk(server: &TestServer, order: &str, each: impl AsyncFn(&str)) -> Vec<String> {
    let (mut shown, mut cursor) = (Vec::new(), String::new());
    for _ in 0..20 {
        let target = format!("/api/v3/graphs?filter=name:bulk&order={order}&limit=4&cursor={cursor}");
        let page = call(server, "GET", &target, None).await;
        let ids = page["data"].as_array().unwrap().iter().map(|graph| graph["id"].as_str().unwrap().to_owned());
        let ids: Vec<String> = ids.collect();
        assert!(!ids.is_empty(), "a page without graphs is the end to clients");
        for id in &ids {
            each(id).await;
        }
        shown.extend(ids);
        match page["meta"]["cursor"].as_str() {
            Some(next) => cursor = next.to_owned(),
            None => return shown,
        }
    }
    panic!("twelve graphs in pages of four do not end: {}", shown.len());
}

#[tokio::test]
async fn a_walk_ends_though_what_it_shows_moves_to_its_end() {
    let server = TestServer::new().await.unwrap();
    let mut ids = made(&server).await;
    ids.sort();
    let read = async |id: &str| drop(call(&server, "GET", &format!("/api/v3/graphs/{id}"), None).await);
    let touch = async |id: &str| {
        server.advance(1_000);
        let change = json!({"data": {"type": "graph", "attributes": {"representation": "tree"}}});
        call(&server, "PATCH", &format!("/api/v3/graphs/{id}"), Some(&change)).await;
    };
    for order in ["views_count", "views_count-"] {
        let mut shown = walk(&server, order, read).await;
        shown.sort();
        assert_eq!(shown, ids, "{order}");
    }
    for order in ["last_modified_date", "last_modified_date-"] {
        let mut shown = walk(&server, order, touch).await;
        shown.sort();
        assert_eq!(shown, ids, "{order}");
    }
}

#[tokio::test]
async fn graphs_that_go_meanwhile_end_no_walk() {
    let server = TestServer::new().await.unwrap();
    let ids = made(&server).await;
    let middle = async |first: &str| {
        if first == ids[0] {
            for id in &ids[4..8] {
                call(&server, "DELETE", &format!("/api/v3/graphs/{id}"), None).await;
            }
        }
    };
    assert_eq!(walk(&server, "creation_date", middle).await, [&ids[..4], &ids[8..]].concat());
}

#[tokio::test]
async fn a_view_is_a_read_that_succeeds() {
    let server = TestServer::new().await.unwrap();
    let id = made(&server).await.remove(0);
    let target = format!("/api/v3/graphs/{id}");
    let head = server.call("owner", "HEAD", &target, None).await.unwrap();
    assert_eq!(head.status, 200);
    let listed = call(&server, "GET", "/api/v3/graphs?filter=name:0", None).await;
    assert_eq!(listed["data"][0]["attributes"]["views_count"], json!(0), "nothing was shown");
    let shown = call(&server, "GET", &target, None).await;
    assert_eq!(shown["data"]["attributes"]["views_count"], json!(1));
}
