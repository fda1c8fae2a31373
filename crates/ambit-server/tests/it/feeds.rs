//! Batches of feeds as their readers take them apart.

use ambit_testkit::{Ask, Reply, TestServer, ask, inventory};
use bzip2::read::BzDecoder;
use serde_json::{Value, json};
use std::io::Read;

const HOUR_MS: i64 = 3_600_000;

fn plain(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    BzDecoder::new(bytes).read_to_end(&mut out).unwrap();
    out
}

fn objects(bytes: &[u8]) -> Vec<Value> {
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn ids(objects: &[Value]) -> Vec<&str> {
    objects.iter().map(|object| object["id"].as_str().unwrap()).collect()
}

async fn get(server: &TestServer, caller: &str, target: &str) -> Reply {
    server.call(caller, "GET", target, None).await.unwrap()
}

async fn batch(server: &TestServer, caller: &str, name: &str) -> Vec<Value> {
    let reply = get(server, caller, &format!("/api/v3/feeds/{name}")).await;
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/octet-stream")), "{name}");
    let saved = format!("attachment; filename=\"{}.bz2\"", name.replace('/', "-"));
    assert_eq!(reply.header("content-disposition"), Some(saved.as_str()));
    objects(&plain(&reply.body))
}

async fn upload(server: &TestServer, text: &str) {
    let body =
        format!("--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\n{text}\r\n--b--\r\n");
    let request = Ask {
        method: "POST".to_owned(),
        target: "/api/v3/files".to_owned(),
        headers: vec![
            ("x-apikey".to_owned(), server.keys["owner"].clone()),
            ("content-type".to_owned(), "multipart/form-data; boundary=b".to_owned()),
        ],
        body: Some(body.into_bytes()),
    };
    assert_eq!(ask(&server.address, &request).await.unwrap().status, 200);
}

#[tokio::test]
async fn batches_hold_what_changed_in_their_minute_as_the_objects_are_read() {
    let server = TestServer::new().await.unwrap();
    inventory::fill(&server, "Welcome").await.unwrap();
    upload(&server, "hello world").await;
    upload(&server, "hello world").await;
    server.advance(5 * 60_000);
    upload(&server, "later").await;
    server.advance(HOUR_MS);
    let found = batch(&server, "owner", "files/202601311200").await;
    let sha256 = "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9";
    assert_eq!(ids(&found), [sha256], "each object once");
    let mut shown = get(&server, "owner", &format!("/api/v3/files/{sha256}")).await.json()["data"].clone();
    shown["context_attributes"] = found[0]["context_attributes"].clone();
    assert_eq!(found[0], shown);
    let address = found[0]["context_attributes"]["download_url"].as_str().unwrap();
    assert_eq!(get(&server, "owner", address).await.body, b"hello world");
    assert_eq!(ids(&batch(&server, "owner", "domains/202601311200").await), ["acme.test", "www.acme.test"]);
    assert_eq!(ids(&batch(&server, "owner", "ip_addresses/202601311200").await), ["203.0.113.7"]);
    assert_eq!(batch(&server, "owner", "urls/202601311200").await.len(), 1);
    assert!(batch(&server, "owner", "file-behaviours/202601311200").await.is_empty());
    assert!(
        batch(&server, "owner", "files/202601311203").await.is_empty(),
        "nothing changed, and the minute was there"
    );
    assert_eq!(batch(&server, "owner", "files/202601311205").await.len(), 1);
}

#[tokio::test]
async fn an_hour_has_a_file_for_each_minute() {
    let server = TestServer::new().await.unwrap();
    upload(&server, "one").await;
    server.advance(60_000);
    upload(&server, "two").await;
    server.advance(2 * HOUR_MS);
    let reply = get(&server, "owner", "/api/v3/feeds/files/hourly/2026013112").await;
    assert_eq!(reply.header("content-disposition"), Some("attachment; filename=\"files-2026013112.tar.bz2\""));
    let bytes = plain(&reply.body);
    let mut archive = tar::Archive::new(bytes.as_slice());
    let mut found = Vec::new();
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        let mut lines = Vec::new();
        entry.read_to_end(&mut lines).unwrap();
        found.push((entry.path().unwrap().display().to_string(), objects(&lines).len()));
    }
    assert_eq!(found.len(), 60);
    let wanted = [("202601311200", 1), ("202601311201", 1), ("202601311202", 0)];
    assert_eq!(found[..3], wanted.map(|(name, count)| (name.to_owned(), count)));
}

#[tokio::test]
async fn nobody_reads_the_inventory_of_others_in_a_feed() {
    let server = TestServer::new().await.unwrap();
    inventory::fill(&server, "Welcome").await.unwrap();
    let owner = server.store.local_operator().await.unwrap();
    server.store.grant_privilege(&owner.at(server.now()), "stranger", "feeds", None).await.unwrap();
    server.advance(HOUR_MS);
    for feed in ["domains", "ip_addresses", "urls"] {
        assert!(batch(&server, "stranger", &format!("{feed}/202601311200")).await.is_empty(), "{feed}");
    }
    let error = get(&server, "stranger", "/api/v3/feeds/domains/209901010000").await;
    assert_eq!((error.status, &error.json()["error"]["code"]), (400, &json!("NotAvailableYet")));
}
