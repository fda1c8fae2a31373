//! Intelligence search beside uploads: pages are complete, without repeats, and belong to whoever asked.

use ambit_testkit::{TestServer, inventory};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const SEARCH: &str = "/api/v3/intelligence/search";

async fn upload(server: &TestServer, name: &str, content: &str) {
    let key = &server.keys["owner"];
    let body = format!(
        "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n{content}\r\n--b--\r\n"
    );
    let request = format!(
        "POST /api/v3/files HTTP/1.1\r\nhost: a\r\nx-apikey: {key}\r\nconnection: close\r\ncontent-type: \
         multipart/form-data; boundary=b\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let reply = ambit_testkit::ask_bytes(&server.address, request.as_bytes()).await.unwrap();
    assert_eq!(reply.status, 200, "{}", reply.text());
}

#[tokio::test]
async fn pages_are_complete_and_without_repeats_while_files_arrive() {
    let server = TestServer::new().await.unwrap();
    inventory::fill(&server, "Welcome").await.unwrap();
    for number in 0..9 {
        upload(&server, &format!("acme{number}.txt"), &format!("{number} hello")).await;
    }
    for (round, order) in
        ["", "name-", "last_submission_date-", "size", "positives-", "times_submitted"].iter().enumerate()
    {
        let all = server.get("owner", &format!("{SEARCH}?query=acme&limit=300&order={order}")).await;
        let all: Vec<Value> = all.each("/data", "/id");
        assert!(all.len() > 9, "files and names of the inventory");
        let (mut walked, mut cursor, mut arrived) = (Vec::new(), String::new(), 0);
        loop {
            let page = server.get("owner", &format!("{SEARCH}?query=acme&limit=4&order={order}&cursor={cursor}")).await;
            assert_eq!(page.at("/meta/total_hits"), json!(all.len()), "the figure of the first page");
            walked.extend(page.each("/data", "/id"));
            upload(&server, &format!("acme0-{round}-{arrived}.txt"), &format!("new {round} {arrived}")).await;
            upload(&server, "aacme.txt", &format!("{arrived} hello")).await;
            arrived += 1;
            match page.json().pointer("/meta/cursor").and_then(Value::as_str) {
                Some(next) => cursor = next.to_owned(),
                None => break,
            }
        }
        assert_eq!(walked, all, "{order}");
        let distinct: BTreeSet<String> = walked.iter().map(Value::to_string).collect();
        assert_eq!(distinct.len(), walked.len(), "{order}");
    }
}

#[tokio::test]
async fn a_cursor_is_of_one_query_and_one_caller() {
    let server = TestServer::new().await.unwrap();
    for number in 0..3 {
        upload(&server, &format!("n{number}"), &format!("{number} content")).await;
    }
    let owner = server.store.local_operator().await.unwrap();
    server.store.grant_privilege(&owner.at(server.now()), "viewer", "premium-api", None).await.unwrap();
    let first = server.get("owner", &format!("{SEARCH}?query=entity:file&limit=1")).await;
    let cursor = first.at("/meta/cursor").as_str().unwrap().to_owned();
    for (user, query, status) in
        [("owner", "entity:file", 200), ("owner", "size:1%2B", 400), ("viewer", "entity:file", 400)]
    {
        let reply = server.get(user, &format!("{SEARCH}?query={query}&limit=1&cursor={cursor}")).await;
        assert_eq!(reply.status, status, "{user} {query}");
    }
}
