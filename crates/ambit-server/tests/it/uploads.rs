//! Uploads that break off, lie about their length, are too large or would unpack to something large: each is answered
//! in one line and in time, nothing of it is kept, and the next one is served.

use ambit_model::id::blob_hash;
use ambit_server::Limits;
use ambit_testkit::{Ask, Reply, TestServer, ask, ask_bytes};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use std::io::Write;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const MIB: usize = 1024 * 1024;

/// A peer that stalls is given up in a time that a test can wait for.
fn short() -> Limits {
    Limits { request_time: Duration::from_millis(300), linger: Duration::from_millis(100), ..Limits::default() }
}

fn form(content: &[u8]) -> Vec<u8> {
    let head = b"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\n";
    [head, content, b"\r\n--b--\r\n"].concat()
}

/// The head of an upload that says how its body comes.
fn head(server: &TestServer, framing: &str) -> Vec<u8> {
    let key = &server.keys["viewer"];
    format!(
        "POST /api/v3/files HTTP/1.1\r\nhost: a\r\nx-apikey: {key}\r\nconnection: close\r\ncontent-type: \
             multipart/form-data; boundary=b\r\n{framing}\r\n\r\n"
    )
    .into_bytes()
}

async fn upload(server: &TestServer, content: &[u8]) -> Reply {
    let body = form(content);
    let bytes = [head(server, &format!("content-length: {}", body.len())), body].concat();
    ask_bytes(&server.address, &bytes).await.unwrap()
}

async fn is_known(server: &TestServer, content: &[u8]) -> bool {
    let hash = blob_hash(content);
    let found = server.call("owner", "GET", &format!("/api/v3/files/{hash}"), None).await.unwrap();
    assert!([200, 404].contains(&found.status));
    assert_eq!(server.store.blob(hash).await.unwrap().is_some(), found.status == 200, "no bytes without a file");
    found.status == 200
}

async fn used(server: &TestServer) -> Value {
    let reply = server.call("viewer", "GET", "/api/v3/users/viewer/overall_quotas", None).await.unwrap();
    reply.json()["data"]["api_requests_monthly"]["user"]["used"].clone()
}

#[tokio::test]
async fn a_file_is_saved_under_its_hash_and_never_shown() {
    let server = TestServer::new().await.unwrap();
    let content = b"<script>alert(1)</script>";
    assert_eq!(upload(&server, content).await.status, 200);
    let hash = blob_hash(content);
    let reply = server.call("owner", "GET", &format!("/api/v3/files/{hash}/download_url"), None).await.unwrap();
    let address = reply.json()["data"].as_str().unwrap().to_owned();
    let signed = address.split_once("/downloads").unwrap().1;
    for path in [format!("/api/v3/files/{hash}/download"), format!("/downloads{signed}")] {
        let reply = server.call("owner", "GET", &path, None).await.unwrap();
        assert_eq!((reply.status, &reply.body[..]), (200, &content[..]));
        assert_eq!(reply.header("content-disposition"), Some(&*format!("attachment; filename=\"{hash}\"")));
        assert_eq!(reply.header("content-type"), Some("application/octet-stream"));
    }
}

fn refused(reply: &Reply, status: u16) -> String {
    let error = reply.json()["error"].clone();
    assert_eq!(reply.status, status, "{}", reply.text());
    error["message"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn an_upload_that_breaks_off_leaves_nothing() {
    let server = TestServer::with(short()).await.unwrap();
    let body = form(b"never whole");
    for sent in [0, 1, body.len() / 2, body.len() - 1] {
        let mut stream = TcpStream::connect(&server.address).await.unwrap();
        let bytes = [head(&server, &format!("content-length: {}", body.len())), body[..sent].to_vec()].concat();
        stream.write_all(&bytes).await.unwrap();
        drop(stream);
    }
    assert!(!is_known(&server, b"never whole").await);
    assert_eq!(used(&server).await, json!(0));
    assert_eq!(upload(&server, b"never whole").await.status, 200);
    assert!(is_known(&server, b"never whole").await);
    assert_eq!(used(&server).await, json!(0), "nobody had it");
}

#[tokio::test]
async fn a_length_that_is_a_lie_is_answered_in_time() {
    let server = TestServer::with(short()).await.unwrap();
    let body = form(b"lies");
    // More is announced than comes: nothing comes for a while.
    let longer = [head(&server, &format!("content-length: {}", body.len() + 9)), body.clone()].concat();
    let mut stream = TcpStream::connect(&server.address).await.unwrap();
    stream.write_all(&longer).await.unwrap();
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer).await;
    assert!(answer.starts_with("HTTP/1.1 504 ") && answer.contains("DeadlineExceededError"), "{answer}");
    // Less is announced: the form has no end.
    let shorter = [head(&server, &format!("content-length: {}", body.len() - 9)), body.clone()].concat();
    let reply = ask_bytes(&server.address, &shorter).await.unwrap();
    assert_eq!(refused(&reply, 400), "The form ends before its last boundary");
    // What is no number is no HTTP.
    for length in ["-1", "1e3", "5, 6"] {
        let bytes = [head(&server, &format!("content-length: {length}")), body.clone()].concat();
        let reply = ask_bytes(&server.address, &bytes).await;
        assert!(reply.is_err() || reply.unwrap().status == 400, "{length}");
    }
    assert!(!is_known(&server, b"lies").await);
    assert_eq!(upload(&server, b"lies").await.status, 200);
}

#[tokio::test]
async fn what_is_too_large_is_refused_unread_and_what_does_not_end_at_the_limit() {
    let server = TestServer::with(Limits { linger: Duration::from_millis(100), ..Limits::default() }).await.unwrap();
    // Only the heads are sent: whoever waits for an answer before sending has it.
    for length in [65 * MIB + 1, 99_999_999_999] {
        let announced = ask_bytes(&server.address, &head(&server, &format!("content-length: {length}"))).await.unwrap();
        assert_eq!(refused(&announced, 413), format!("The body is larger than {} bytes", 65 * MIB));
    }
    let mut stream = TcpStream::connect(&server.address).await.unwrap();
    stream.write_all(&head(&server, "transfer-encoding: chunked")).await.unwrap();
    let chunk = [format!("{MIB:x}\r\n").into_bytes(), vec![b'x'; MIB], b"\r\n".to_vec()].concat();
    for _ in 0..70 {
        stream.write_all(&chunk).await.expect("it is not cut off while it sends");
    }
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    let answer = String::from_utf8_lossy(&answer);
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    let largest = vec![7; 64 * MIB];
    assert_eq!(upload(&server, &largest).await.status, 200);
    assert!(is_known(&server, &largest).await);
}

#[tokio::test]
async fn nothing_that_was_packed_is_unpacked() {
    let server = TestServer::new().await.unwrap();
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    for _ in 0..200 {
        encoder.write_all(&vec![0; MIB]).unwrap();
    }
    let bomb = encoder.finish().unwrap();
    assert_eq!(upload(&server, &bomb).await.status, 200);
    let found = server.call("owner", "GET", &format!("/api/v3/files/{}", blob_hash(&bomb)), None).await.unwrap();
    let attributes = found.json()["data"]["attributes"].clone();
    assert_eq!((&attributes["size"], &attributes["type_tag"]), (&json!(bomb.len()), &json!("gzip")));
    // A body that says that it is packed is not unpacked either: it is no form.
    let coded = Ask {
        method: "POST".to_owned(),
        target: "/api/v3/files".to_owned(),
        headers: [
            ("x-apikey", server.keys["viewer"].as_str()),
            ("content-type", "multipart/form-data; boundary=b"),
            ("content-encoding", "gzip"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec(),
        body: Some(bomb),
    };
    let reply = ask(&server.address, &coded).await.unwrap();
    assert_eq!(refused(&reply, 400), "The form ends before its last boundary");
}

#[tokio::test]
async fn uploads_side_by_side_are_all_served_within_the_room_that_there_is() {
    let server = TestServer::new().await.unwrap();
    let contents: Vec<Vec<u8>> = (0..8).map(|number| vec![number; 40 * MIB]).collect();
    let uploads = contents.iter().map(|content| upload(&server, content));
    for reply in futures::future::join_all(uploads).await {
        assert_eq!(reply.status, 200, "{}", reply.text());
    }
}
