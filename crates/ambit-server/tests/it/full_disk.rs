//! A full disk: what changes something is refused with a reason for those who may know it, what reads goes on, and
//! everything is well again without a restart.

use ambit_testkit::{Ask, Reply, TestServer, ask};
use serde_json::json;
use std::time::{Duration, Instant};

/// Sends a file of bytes that do not compress.
async fn upload(server: &TestServer, caller: &str, bytes: usize) -> Reply {
    let content: Vec<u8> =
        (0..bytes as u32 / 4).flat_map(|number| number.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
    let head = b"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\n";
    let request = Ask {
        method: "POST".to_owned(),
        target: "/api/v3/files".to_owned(),
        headers: [("x-apikey", server.keys[caller].as_str()), ("content-type", "multipart/form-data; boundary=b")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .to_vec(),
        body: Some([head, &content[..], b"\r\n--b--\r\n"].concat()),
    };
    ask(&server.address, &request).await.unwrap()
}

fn message(reply: &Reply) -> String {
    reply.json()["error"]["message"].as_str().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn a_full_disk_is_said_to_those_who_may_know_it_and_reads_go_on() {
    let server = TestServer::new().await.unwrap();
    server.store.limit_pages(1).await.unwrap();
    let refused = upload(&server, "viewer", 4 << 20).await;
    assert_eq!((refused.status, message(&refused)), (503, "Not available now; try again".to_owned()));
    assert!(refused.header("retry-after").is_some());
    for bytes in [4 << 20, 100_000] {
        let refused = upload(&server, "owner", bytes).await;
        let said = message(&refused);
        assert_eq!(refused.status, 503, "{said}");
        let place = said.strip_prefix("Not available now: ").unwrap();
        assert!(place.contains("ambit.db: the disk is full: what was confirmed before is safe"), "{said}");
    }
    let name = json!({"name": "x".repeat(200)});
    // Small writes still have room in pages that are there already; that does not make it ready.
    let until = Instant::now() + Duration::from_millis(2_500);
    while Instant::now() < until {
        let ready = server.call("viewer", "GET", "/readyz", None).await.unwrap();
        assert_eq!((ready.status, message(&ready)), (503, "Not ready: the disk is full".to_owned()));
        assert_eq!(server.call("owner", "GET", "/api/v3/me", None).await.unwrap().status, 200);
    }
    let figures = async || server.call("owner", "GET", "/api/ambit/v1/metrics", None).await.unwrap().text();
    let told = figures().await;
    assert!(told.contains("\nambit_store_up 1\n") && told.contains("\nambit_store_writable 0\n"), "{told}");
    for (target, status) in
        [("/livez", 200), ("/api/v3/asm/projects", 200), ("/api/v3/asm/search/entities/type:domain", 200)]
    {
        assert_eq!(server.call("viewer", "GET", target, None).await.unwrap().status, status, "{target}");
    }
    server.store.limit_pages(1_000_000).await.unwrap();
    assert_eq!(upload(&server, "viewer", 4 << 20).await.status, 200);
    assert_eq!(server.call("owner", "POST", "/api/v3/asm/projects", Some(&name)).await.unwrap().status, 200);
    let gets_ready = async { while server.call("viewer", "GET", "/readyz", None).await.unwrap().status != 200 {} };
    tokio::time::timeout(Duration::from_secs(60), gets_ready).await.expect("it does not get ready");
    assert!(figures().await.contains("\nambit_store_writable 1\n"));
}
