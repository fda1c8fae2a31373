//! Events: told while they happen, to whoever may hear them, and to nobody when that ends.

use ambit_server::Limits;
use ambit_testkit::TestServer;
use serde_json::Value;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A server whose events go on for as long as a test takes, with a run that no engine carries.
async fn server() -> (TestServer, String) {
    let limits = Limits { drain_time: Duration::from_secs(60), ..Limits::default() };
    let server = TestServer::with(limits).await.unwrap();
    let runs = format!("/api/v3/asm/collections/{}/collection_runs", server.collection);
    server.call("owner", "POST", &runs, None).await.unwrap();
    let id = server.call("owner", "GET", &runs, None).await.unwrap().at("/result/0/id");
    (server, format!("/api/ambit/v1/collection_runs/{id}"))
}

struct Listener {
    stream: TcpStream,
    heard: String,
}

impl Listener {
    async fn new(server: &TestServer, caller: &str, run: &str) -> Self {
        let mut stream = TcpStream::connect(&server.address).await.unwrap();
        let key = &server.keys[caller];
        let head = format!("GET {run}/events HTTP/1.1\r\nhost: {}\r\nx-apikey: {key}\r\n\r\n", server.address);
        stream.write_all(head.as_bytes()).await.unwrap();
        Self { stream, heard: String::new() }
    }

    /// Listens until something is said, or to the end.
    async fn until(&mut self, said: &str) -> String {
        let mut buffer = vec![0; 16 * 1024];
        while !self.heard.contains(said) {
            let read = self.stream.read(&mut buffer).await.unwrap_or(0);
            if read == 0 {
                break;
            }
            self.heard.push_str(&String::from_utf8_lossy(&buffer[..read]));
        }
        std::mem::take(&mut self.heard)
    }
}

/// What ends a body whose length is not said before.
const END: &str = "0\r\n\r\n";

fn status(line: &str) -> Value {
    let data = line.split("data: ").nth(1).unwrap().split("\n\n").next().unwrap();
    serde_json::from_str::<Value>(data).unwrap()["status"].clone()
}

#[tokio::test]
async fn a_run_is_told_of_while_it_changes_and_to_its_end() {
    let (server, run) = server().await;
    let mut viewer = Listener::new(&server, "viewer", &run).await;
    let first = viewer.until("\n\n\r\n").await;
    for part in ["content-type: text/event-stream\r\n", "x-accel-buffering: no\r\n", "event: run\n"] {
        assert!(first.contains(part), "{first}");
    }
    assert_eq!(status(&first), "scheduled");
    server.call("owner", "POST", &format!("{run}/pause"), None).await.unwrap();
    assert_eq!(status(&viewer.until("\n\n\r\n").await), "paused");
    assert_eq!(status(&viewer.until("\n\n\r\n").await), "paused", "told again");
    server.call("owner", "POST", &format!("{run}/cancel"), None).await.unwrap();
    let last = viewer.until(END).await;
    assert_eq!(status(&last), "cancelled");
    assert!(last.ends_with(END), "{last}");
}

#[tokio::test]
async fn whose_key_ended_hears_nothing_more() {
    let (server, run) = server().await;
    let mut admin = Listener::new(&server, "admin", &run).await;
    admin.until("\n\n\r\n").await;
    let keys = server.call("admin", "GET", "/api/ambit/v1/keys", None).await.unwrap();
    server.call("admin", "DELETE", &format!("/api/ambit/v1/keys/{}", keys.at("/result/0/id")), None).await.unwrap();
    server.call("owner", "POST", &format!("{run}/pause"), None).await.unwrap();
    let rest = admin.until(END).await;
    assert!(rest.ends_with(END) && !rest.contains("paused"), "{rest}");
}

#[tokio::test]
async fn a_server_that_ends_waits_for_no_listener() {
    let (mut server, run) = server().await;
    let mut viewer = Listener::new(&server, "viewer", &run).await;
    viewer.until("\n\n\r\n").await;
    let begun = Instant::now();
    server.stop().await.unwrap();
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
}
