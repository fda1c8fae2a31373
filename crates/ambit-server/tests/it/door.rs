//! The door: who is let in when many want in, what is answered before a server is ready, and how its answers go out.

use ambit_server::{Door, Hosts, Limits, Listener, Outside, Phase};
use ambit_store::FailAction;
use ambit_testkit::{Ask, Reply, TestServer, ask, ask_bytes, inventory};
use serde_json::{Value, json};
use std::io::Read;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const MIB: usize = 1024 * 1024;

fn short() -> Limits {
    Limits {
        head_time: Duration::from_millis(300),
        start_wait: Duration::from_millis(20),
        linger: Duration::from_millis(200),
        ..Limits::default()
    }
}

async fn get(server: &TestServer, target: &str, headers: &[(&str, &str)]) -> Reply {
    let request = Ask {
        method: "GET".to_owned(),
        target: target.to_owned(),
        headers: headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        body: None,
    };
    ask(&server.address, &request).await.unwrap()
}

#[tokio::test]
async fn a_server_that_starts_is_alive_and_not_ready() {
    let (door, phase) = Door::new(short(), Outside::default(), None);
    let listener = Listener::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let address = listener.address().unwrap().to_string();
    let serving = tokio::spawn(ambit_server::serve(listener, door, std::future::pending()));
    phase.send_replace(Phase::Starting("the index is being built".to_owned()));
    let status = async |target: &str| {
        let request = Ask { method: "GET".to_owned(), target: target.to_owned(), ..Ask::default() };
        let reply = ask(&address, &request).await.unwrap();
        (reply.status, reply.header("retry-after").is_some(), reply.text().contains("the index is being built"))
    };
    assert_eq!(status("/livez").await, (200, false, false));
    for waits in ["/readyz", "/api/v3/asm/projects", "/api/v3/me", "/vtapi/v2/file/report", "/nowhere"] {
        assert_eq!(status(waits).await, (503, true, true), "{waits}");
    }
    serving.abort();
}

#[tokio::test]
async fn whoever_was_contacted_reads_whom_to_ask() {
    let server = TestServer::new().await.unwrap();
    let reply = server.get("nobody", "/.well-known/probing.txt").await;
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("text/plain; charset=utf-8")));
    let text = reply.text();
    let field = |name: &str| text.lines().filter_map(|line| line.strip_prefix(name)).collect::<Vec<_>>();
    assert_eq!(field("Contact: "), ["mailto:probes@acme.test"]);
    assert_eq!((field("Expires: ").len(), field("Description: ").len()), (1, 1), "{text}");
}

#[tokio::test]
async fn bodies_of_strangers_take_no_places() {
    let server = TestServer::with(Limits { places: 2, places_each: 1, ..short() }).await.unwrap();
    let head = b"POST /vtapi/v2/file/scan HTTP/1.1\r\nhost: a\r\ncontent-type: multipart/form-data; \
                 boundary=b\r\ncontent-length: 68157440\r\n\r\n";
    let mut strangers = Vec::new();
    for number in 0..100 {
        let mut stream = TcpStream::connect(&server.address).await.unwrap();
        stream.write_all(head).await.unwrap();
        if number % 2 == 0 {
            stream.write_all(b"--b\r\n").await.unwrap();
        }
        strangers.push(stream);
    }
    for target in ["/livez", "/api/v3/asm/projects", "/api/v3/users/owner"] {
        assert_eq!(server.call("owner", "GET", target, None).await.unwrap().status, 200, "{target}");
    }
    // Each is answered in the time of a head, though its body is announced to be large.
    for mut stream in strangers {
        let mut answer = [0; 13];
        stream.read_exact(&mut answer).await.unwrap();
        assert!([&b"HTTP/1.1 504 "[..], b"HTTP/1.1 503 "].contains(&&answer[..]), "{answer:?}");
    }
}

#[tokio::test]
async fn a_key_in_a_form_is_judged_by_its_first_bytes() {
    let server = TestServer::with(short()).await.unwrap();
    let form = |key: &str, content: &[u8]| {
        let fields = format!(
            "--b\r\nContent-Disposition: form-data; name=\"apikey\"\r\n\r\n{key}\r\n--b\r\nContent-Disposition: \
             form-data; name=\"file\"; filename=\"f\"\r\n\r\n"
        );
        [fields.as_bytes(), content, b"\r\n--b--\r\n"].concat()
    };
    let head = |length: usize| {
        format!(
            "POST /vtapi/v2/file/scan HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-type: \
                 multipart/form-data; boundary=b\r\ncontent-length: {length}\r\n\r\n"
        )
        .into_bytes()
    };
    let content = vec![b'x'; 3 * MIB];
    let body = form(&server.keys["owner"], &content);
    let reply = ask_bytes(&server.address, &[head(body.len()), body].concat()).await.unwrap();
    assert_eq!((reply.status, &reply.json()["response_code"]), (200, &json!(1)), "{}", reply.text());
    // Of a wrong one nothing more is waited for.
    let start = form(&"0".repeat(64), b"begins");
    let reply = ask_bytes(&server.address, &[head(60 * MIB), start].concat()).await.unwrap();
    assert_eq!(reply.status, 403);
}

#[tokio::test]
async fn who_sends_too_much_sees_why() {
    let server = TestServer::with(short()).await.unwrap();
    let key = &server.keys["viewer"];
    let head = format!(
        "POST /api/v3/files HTTP/1.1\r\nhost: a\r\nx-apikey: {key}\r\nconnection: close\r\ncontent-type: \
         multipart/form-data; boundary=b\r\ncontent-length: {}\r\n\r\n",
        80 * MIB
    );
    // A client that reads nothing before it has sent everything.
    let mut stream = TcpStream::connect(&server.address).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    let piece = vec![0; MIB];
    for _ in 0..80 {
        stream.write_all(&piece).await.expect("it is not cut off while it sends");
    }
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
}

#[tokio::test]
async fn documents_are_sent_once() {
    let server = TestServer::new().await.unwrap();
    for target in ["/openapi.json", "/docs", "/docs/page.js"] {
        let plain = get(&server, target, &[]).await;
        let tag = plain.header("etag").unwrap().to_owned();
        assert_eq!(
            (plain.status, plain.header("content-encoding"), plain.header("cache-control")),
            (200, None, Some("no-cache"))
        );
        let again = get(&server, target, &[("if-none-match", &tag)]).await;
        assert_eq!((again.status, again.body.len(), again.header("etag")), (304, 0, Some(tag.as_str())));
        let other = get(&server, target, &[("if-none-match", "\"other\"")]).await;
        assert!(other.status == 200 && other.body == plain.body);
        let packed = get(&server, target, &[("accept-encoding", "gzip")]).await;
        let mut text = Vec::new();
        flate2::read::GzDecoder::new(&packed.body[..]).read_to_end(&mut text).unwrap();
        assert!(text == plain.body && packed.body.len() < plain.body.len());
        assert_ne!(packed.header("etag"), Some(tag.as_str()), "another coding, other bytes");
    }
}

#[tokio::test]
async fn answers_are_packed_for_who_can_read_that() {
    let server = TestServer::new().await.unwrap();
    let key = ("x-apikey", server.keys["owner"].as_str());
    let target = "/api/v3/asm/search/entities/";
    let plain = get(&server, target, &[key]).await;
    assert_eq!((plain.header("content-encoding"), plain.header("vary")), (None, Some("accept-encoding")));
    for (wish, sent) in [("gzip, deflate, br, zstd", "zstd"), ("gzip, deflate, br", "br"), ("gzip", "gzip")] {
        let reply = get(&server, target, &[key, ("accept-encoding", wish)]).await;
        assert_eq!((reply.status, reply.header("content-encoding")), (200, Some(sent)));
        assert_eq!(reply.header("content-length"), Some(reply.body.len().to_string().as_str()));
        assert!(reply.body.len() < plain.body.len() / 2);
    }
}

#[tokio::test]
async fn a_request_names_one_host() {
    let server = TestServer::new().await.unwrap();
    for (head, status) in [
        ("GET /version HTTP/1.1\r\nhost: a\r\n", 200),
        ("GET /version HTTP/1.1\r\n", 400),
        ("GET /livez HTTP/1.1\r\nhost: a\r\nhost: b\r\n", 400),
        ("GET /version HTTP/1.1\r\nhost: a\r\nhost: a\r\n", 400),
        ("GET /version HTTP/1.0\r\n", 200),
    ] {
        let reply = ask_bytes(&server.address, format!("{head}connection: close\r\n\r\n").as_bytes()).await.unwrap();
        assert_eq!(reply.status, status, "{head}");
    }
}

/// A page under a name of its own has a browser's session at most; whoever has a key may call the server what they
/// like.
#[tokio::test]
async fn only_who_shows_no_key_must_call_a_server_on_loopback_by_its_name() {
    let outside = Outside { hosts: Hosts::Loopback, ..Outside::default() };
    let server = TestServer::behind(outside).await.unwrap();
    let key = server.keys["viewer"].clone();
    let body = json!({"key": key}).to_string().into_bytes();
    let page = ("sec-fetch-site".to_owned(), "same-origin".to_owned());
    let sign_in =
        Ask { method: "POST".to_owned(), target: "/session".to_owned(), headers: vec![page], body: Some(body) };
    let signed_in = ask(&server.address, &sign_in).await.unwrap();
    let session = signed_in.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    let (by_key, by_session) = (format!("x-apikey: {key}\r\n"), format!("cookie: {session}\r\n"));
    let get = async |target: &str, version: &str, host: &str, credential: &str| {
        let head = format!("GET {target} HTTP/{version}\r\n{host}{credential}connection: close\r\n\r\n");
        ask_bytes(&server.address, head.as_bytes()).await.unwrap().status
    };
    let projects = "/api/v3/asm/projects";
    for host in ["ambit:8080", "host.docker.internal", "www.virustotal.com", "0.0.0.0:1"] {
        let host = format!("host: {host}\r\n");
        assert_eq!(get(projects, "1.1", &host, &by_key).await, 200, "{host}");
        assert_eq!(get(&format!("{projects}?x-apikey={key}"), "1.1", &host, "").await, 200, "{host}");
        assert_eq!(get(projects, "1.1", &host, &by_session).await, 400, "{host}");
        assert_eq!(get(projects, "1.1", &host, "").await, 400, "{host}");
    }
    assert_eq!(get(projects, "1.0", "", &by_key).await, 200);
    assert_eq!(get(projects, "1.1", "host: 127.0.0.1:1\r\n", &by_session).await, 200);
    assert_eq!(get(projects, "1.1", "host: localhost\r\n", "").await, 401);
}

#[tokio::test]
async fn links_are_those_of_the_front() {
    let outside = Outside { trusted_proxies: vec!["127.0.0.0/8".parse().unwrap()], ..Outside::default() };
    let server = TestServer::behind(outside).await.unwrap();
    let key = ("x-apikey", server.keys["owner"].as_str());
    let front = [key, ("x-forwarded-proto", "https"), ("x-forwarded-host", "asm.acme.test")];
    let link = get(&server, "/api/v3/files/upload_url", &front).await.json()["data"].clone();
    assert!(link.as_str().unwrap().starts_with("https://asm.acme.test/api/v3/files/upload/"), "{link}");
    let next = get(&server, "/api/v3/users/owner", &front).await.json()["data"]["links"]["self"].clone();
    assert_eq!(next, json!("https://asm.acme.test/api/v3/users/owner"));
}

#[tokio::test]
async fn a_store_that_cannot_write_is_not_ready_and_says_why_to_who_may_know() {
    let server = TestServer::new().await.unwrap();
    let body = json!({"name": "New"});
    let message = |reply: Reply| {
        (reply.status, reply.json()["error"]["message"].as_str().unwrap_or_default().contains("failpoint"))
    };
    for (caller, told) in [("owner", true), ("viewer", false)] {
        // The first use of a key is written down, too.
        assert_eq!(server.call(caller, "GET", "/api/v3/asm/projects", None).await.unwrap().status, 200);
        server.store.arm_failpoint(1, FailAction::Error);
        let refused = server.call(caller, "POST", "/api/v3/asm/projects", Some(&body)).await.unwrap();
        assert_eq!(message(refused), (503, told), "{caller}");
    }
    let ready = server.call("nobody", "GET", "/readyz", None).await.unwrap();
    assert_eq!((ready.status, ready.text().contains("Not ready")), (503, true));
    let gets_ready = async { while server.call("nobody", "GET", "/readyz", None).await.unwrap().status != 200 {} };
    tokio::time::timeout(Duration::from_secs(60), gets_ready).await.expect("it does not get ready");
    assert_eq!(server.call("owner", "POST", "/api/v3/asm/projects", Some(&body)).await.unwrap().status, 200);
}

#[tokio::test]
async fn a_large_file_comes_back_as_it_was_sent() {
    let server = TestServer::new().await.unwrap();
    let content: Vec<u8> = (0..5 * MIB + 3).map(|at| (at * 7 % 253) as u8).collect();
    let body = [
        b"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\n",
        &content[..],
        b"\r\n--b--\r\n",
    ]
    .concat();
    let key = ("x-apikey".to_owned(), server.keys["owner"].clone());
    let upload = Ask {
        method: "POST".to_owned(),
        target: "/api/v3/files".to_owned(),
        headers: vec![key.clone(), ("content-type".to_owned(), "multipart/form-data; boundary=b".to_owned())],
        body: Some(body),
    };
    assert_eq!(ask(&server.address, &upload).await.unwrap().status, 200);
    let hash = ambit_model::id::blob_hash(&content);
    let found = server.call("owner", "GET", &format!("/api/v3/files/{hash}"), None).await.unwrap().json();
    let attributes: &Value = &found["data"]["attributes"];
    assert_eq!((&attributes["size"], attributes.get("type_tag")), (&json!(content.len()), None));
    assert_eq!(attributes["md5"].as_str().map(str::len), Some(32));
    let address =
        server.call("owner", "GET", &format!("/api/v3/files/{hash}/download_url"), None).await.unwrap().json();
    let path = address["data"].as_str().unwrap().split_once("/downloads").unwrap().1.to_owned();
    let back = get(&server, &format!("/downloads{path}"), &[]).await;
    assert_eq!(back.header("content-length"), Some(content.len().to_string().as_str()));
    assert!(back.body == content);
}

#[tokio::test]
async fn a_search_that_waits_for_the_index_holds_no_place() {
    let mut server =
        TestServer::with(Limits { places: 1, places_each: 1, index_wait: Duration::from_secs(2), ..Limits::default() })
            .await
            .unwrap();
    let found = inventory::fill(&server, "Welcome").await.unwrap();
    let target = "/api/v3/asm/search/issues/status_new:open";
    assert_eq!(server.call("owner", "GET", target, None).await.unwrap().status, 200);
    server.stop_index();
    let report = format!("/api/v3/asm/issues/{}/status", found.issue);
    let body = json!({"status": "closed_benign"});
    assert_eq!(server.call("owner", "POST", &report, Some(&body)).await.unwrap().status, 200);
    let searching = server.call("owner", "GET", target, None);
    let reading = server.call("viewer", "GET", "/api/v3/asm/projects", None);
    tokio::pin!(searching);
    let first = tokio::select! {
        biased;
        searched = &mut searching => ("search", searched.unwrap().status),
        read = reading => ("read", read.unwrap().status),
    };
    assert_eq!(first, ("read", 200), "the search waits for what nobody indexes");
}
