//! Archives from asking to being removed.

use ambit_model::id::blob_hash;
use ambit_testkit::{Ask, TestServer, ask};
use serde_json::{Value, json};
use std::io::{Cursor, Read};
use zip::ZipArchive;

const HOUR_MS: i64 = 3_600_000;
/// Questions until it must be finished; each takes a moment.
const ASKED_MAX: usize = 2_000;

async fn upload(server: &TestServer, content: &[u8]) -> String {
    let head = b"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\n";
    let request = Ask {
        method: "POST".to_owned(),
        target: "/api/v3/files".to_owned(),
        headers: [("x-apikey", server.keys["owner"].as_str()), ("content-type", "multipart/form-data; boundary=b")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .to_vec(),
        body: Some([head, content, b"\r\n--b--\r\n"].concat()),
    };
    assert_eq!(ask(&server.address, &request).await.unwrap().status, 200);
    blob_hash(content).to_string()
}

/// Asks for an archive and waits until it is made.
async fn archive(server: &TestServer, body: &Value) -> Value {
    let path = "/api/v3/intelligence/zip_files";
    let asked = server.call("owner", "POST", path, Some(body)).await.unwrap();
    assert_eq!(asked.status, 200, "{}", asked.text());
    let target = format!("{path}/{}", asked.json()["data"]["id"].as_str().unwrap());
    for _ in 0..ASKED_MAX {
        let found = server.call("owner", "GET", &target, None).await.unwrap().json();
        if !["starting", "creating"].iter().any(|status| found["data"]["attributes"]["status"] == *status) {
            return found["data"].clone();
        }
    }
    panic!("it is never finished");
}

async fn get(server: &TestServer, caller: &str, target: &str) -> Vec<u8> {
    let reply = server.call(caller, "GET", target, None).await.unwrap();
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/zip")), "{}", reply.text());
    let saved = reply.header("content-disposition").unwrap();
    assert!(saved.starts_with("attachment; filename=\"") && saved.ends_with(".zip\""), "{saved}");
    reply.body
}

#[tokio::test]
async fn an_archive_holds_its_files_for_an_hour_and_gives_its_room_back() {
    let server = TestServer::new().await.unwrap();
    let (one, other) = (upload(&server, b"hello world").await, upload(&server, &vec![0; 3_000_000]).await);
    let unknown = "0".repeat(64);
    let found =
        archive(&server, &json!({"data": {"hashes": [one, other, unknown, one], "password": "infected"}})).await;
    let wanted = json!({"status": "finished", "progress": 1.0, "files_ok": 2, "files_error": 1});
    assert_eq!(found["attributes"], wanted);
    let own = format!("/api/v3/intelligence/zip_files/{}", found["id"].as_str().unwrap());
    let bytes = get(&server, "owner", &format!("{own}/download")).await;
    let mut zip = ZipArchive::new(Cursor::new(bytes.clone())).unwrap();
    let mut text = String::new();
    zip.by_name_decrypt(&one, b"infected").unwrap().read_to_string(&mut text).unwrap();
    assert_eq!((text.as_str(), zip.len()), ("hello world", 2));
    let signed = server.call("owner", "GET", &format!("{own}/download_url"), None).await.unwrap().json();
    let signed = signed["data"].as_str().unwrap();
    assert_eq!(get(&server, "nobody", signed).await, bytes, "the address is its own permission");
    let foreign = server.call("viewer", "GET", &format!("{own}/download"), None).await.unwrap();
    assert_eq!(foreign.status, 404);
    let hash = blob_hash(&bytes);
    assert!(server.store.blob(hash).await.unwrap().is_some());
    server.advance(2 * HOUR_MS);
    server.store.tidy(server.now()).await.unwrap();
    assert_eq!(server.call("owner", "GET", &own, None).await.unwrap().status, 404);
    assert!(server.store.blob(hash).await.unwrap().is_none(), "its bytes are gone, too");
    assert_eq!(server.call("owner", "GET", &format!("/api/v3/files/{one}"), None).await.unwrap().status, 200);
}

#[tokio::test]
async fn how_many_archives_and_how_large_is_bounded() {
    let server = TestServer::new().await.unwrap();
    let hash = upload(&server, b"hello world").await;
    let mut last = 200;
    for _ in 0..11 {
        let body = json!({"data": {"hashes": [hash]}});
        last = server.call("owner", "POST", "/api/v3/intelligence/zip_files", Some(&body)).await.unwrap().status;
    }
    assert_eq!(last, 429, "ten are kept");
    server.advance(2 * HOUR_MS);
    let many: Vec<String> = (0..101).map(|number| format!("{number:064}")).collect();
    let body = json!({"data": {"hashes": many}});
    let refused = server.call("owner", "POST", "/api/v3/intelligence/zip_files", Some(&body)).await.unwrap();
    assert_eq!((refused.status, &refused.json()["error"]["code"]), (400, &json!("InvalidArgumentError")));
    let found = archive(&server, &json!({"data": {"hashes": [hash]}})).await;
    assert_eq!(found["attributes"]["status"], json!("finished"), "their time is over, so there is room again");
}
