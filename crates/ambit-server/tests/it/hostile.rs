//! Peers that are slow, silent or rude: each costs a connection for a bounded time, and nobody else notices.

use ambit_server::Limits;
use ambit_testkit::TestServer;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Limits that a test can wait for.
fn short() -> Limits {
    Limits {
        head_time: Duration::from_millis(100),
        request_time: Duration::from_millis(300),
        index_wait: Duration::from_millis(50),
        drain_time: Duration::from_millis(100),
        linger: Duration::from_millis(100),
        ..Limits::default()
    }
}

/// Sends bytes, then nothing more; gives what came back before the server closed.
async fn stall(server: &TestServer, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(&server.address).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    let mut answer = Vec::new();
    // A reset is an end too.
    let _ = stream.read_to_end(&mut answer).await;
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn a_head_that_never_ends_costs_its_connection() {
    let server = TestServer::with(short()).await.unwrap();
    assert!(!stall(&server, b"GET /livez HTTP/1.1\r\nhost: a\r\nx-slow: ").await.contains("200 OK"));
    assert_eq!(stall(&server, b"").await, "");
    assert_eq!(server.call("owner", "GET", "/livez", None).await.unwrap().status, 200);
}

#[tokio::test]
async fn a_body_that_never_ends_is_answered_in_time() {
    let server = TestServer::with(short()).await.unwrap();
    let key = &server.keys["owner"];
    let head =
        format!("POST /api/v3/asm/projects HTTP/1.1\r\nhost: a\r\nx-apikey: {key}\r\ncontent-length: 100\r\n\r\n{{");
    let answer = stall(&server, head.as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 504 "), "{answer}");
    assert!(answer.contains("\"DeadlineExceededError\""), "{answer}");
}

#[tokio::test]
async fn what_is_no_http_ends_the_connection_and_nothing_else() {
    let server = TestServer::with(short()).await.unwrap();
    for bytes in [&b"\x16\x03\x01\x02\x00\x01\x00"[..], b"\0\0\0\0\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n"]
    {
        assert!(!stall(&server, bytes).await.contains("200 OK"));
    }
    let long = format!("GET /{} HTTP/1.1\r\nhost: a\r\n\r\n", "a".repeat(200_000));
    assert!(!stall(&server, long.as_bytes()).await.contains("200 OK"));
    assert_eq!(server.call("owner", "GET", "/livez", None).await.unwrap().status, 200);
}

#[tokio::test]
async fn the_end_does_not_wait_for_a_stalled_request() {
    let mut server = TestServer::with(Limits {
        request_time: Duration::from_secs(60),
        head_time: Duration::from_secs(60),
        ..short()
    })
    .await
    .unwrap();
    let key = server.keys["owner"].clone();
    let mut stream = TcpStream::connect(&server.address).await.unwrap();
    let head =
        format!("POST /api/v3/asm/projects HTTP/1.1\r\nhost: a\r\nx-apikey: {key}\r\ncontent-length: 100\r\n\r\n{{");
    stream.write_all(head.as_bytes()).await.unwrap();
    tokio::time::timeout(Duration::from_secs(5), server.stop()).await.unwrap().unwrap();
}

#[tokio::test]
async fn many_at_once_are_all_answered() {
    let server = TestServer::new().await.unwrap();
    let calls = (0..100).map(|_| server.call("viewer", "GET", "/api/v3/asm/user_collections", None));
    let replies = futures::future::join_all(calls).await;
    assert!(replies.into_iter().all(|reply| reply.unwrap().status == 200));
}
