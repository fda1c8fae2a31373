//! Requests as they arrive on the wire, byte for byte: whatever is HTTP at all is answered in the envelope, never with
//! text of a library.

use ambit_api::Contract;
use ambit_api::envelope::Failure;
use ambit_testkit::{Ask, TestServer, ask, ask_bytes};
use serde_json::json;

/// Sends one line and headers; checks the envelope of a failure; gives status and code.
async fn refused(server: &TestServer, head: &str, body: &[u8]) -> (u16, String) {
    let request =
        [format!("{head}host: a\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len()).as_bytes(), body]
            .concat();
    let reply = ask_bytes(&server.address, &request).await.unwrap();
    assert_eq!(Failure::SHAPE.differences(&reply.json()), Vec::<String>::new(), "{head} {}", reply.text());
    assert_eq!(reply.header("content-type"), Some("application/json"), "{head}");
    assert_eq!(reply.header("x-content-type-options"), Some("nosniff"), "{head}");
    (reply.status, reply.json()["error"]["code"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn every_refusal_is_in_the_envelope() {
    let server = TestServer::new().await.unwrap();
    let key = format!("x-apikey: {}\r\n", server.keys["owner"]);
    let big = vec![b' '; 1024 * 1024 + 1];
    let cases: &[(&str, &[u8], u16, &str)] = &[
        ("GET /nowhere HTTP/1.1\r\n", b"", 404, "NotFoundError"),
        ("GET /api/v3/asm/none HTTP/1.1\r\nKEY", b"", 404, "NotFoundError"),
        ("PUT /api/v3/asm/projects HTTP/1.1\r\nKEY", b"", 405, "BadRequestError"),
        ("OPTIONS /api/v3/asm/projects HTTP/1.1\r\nKEY", b"", 405, "BadRequestError"),
        ("TRACE /api/v3/asm/projects HTTP/1.1\r\nKEY", b"", 405, "BadRequestError"),
        ("BREW /api/v3/asm/projects HTTP/1.1\r\nKEY", b"", 405, "BadRequestError"),
        ("GET /api/v3/asm/search/entities/bad%ff HTTP/1.1\r\nKEY", b"", 400, "BadRequestError"),
        ("GET /api/v3/asm/projects HTTP/1.1\r\nKEYx-apikey: other\r\n", b"", 400, "BadRequestError"),
        ("GET /api/v3/asm/user_collections/no-uuid HTTP/1.1\r\nKEY", b"", 404, "NotFoundError"),
        ("GET /api/v3/asm/user_collections/%00 HTTP/1.1\r\nKEY", b"", 404, "NotFoundError"),
        ("POST /api/v3/asm/projects HTTP/1.1\r\nKEY", b"", 400, "BadRequestError"),
        ("POST /api/v3/asm/projects HTTP/1.1\r\nKEY", b"{", 400, "BadRequestError"),
        ("POST /api/v3/asm/projects HTTP/1.1\r\nKEY", b"[]", 400, "BadRequestError"),
        ("POST /api/v3/asm/projects HTTP/1.1\r\nKEY", b"\xff", 400, "BadRequestError"),
        ("POST /api/v3/asm/projects HTTP/1.1\r\nKEY", b"{}", 400, "InvalidArgumentError"),
        ("POST /api/v3/asm/projects HTTP/1.1\r\nKEY", b"{\"name\":7}", 400, "InvalidArgumentError"),
        ("POST /api/v3/asm/projects HTTP/1.1\r\nKEYcontent-type: text/plain\r\n", b"name", 415, "BadRequestError"),
        ("POST /api/v3/asm/projects HTTP/1.1\r\nKEYcontent-type: text/html\r\n", b"{}", 415, "BadRequestError"),
        ("POST /api/v3/asm/projects HTTP/1.1\r\nKEY", &big, 413, "BadRequestError"),
    ];
    for (head, body, status, code) in cases {
        let head = head.replace("KEY", &key);
        assert_eq!(refused(&server, &head, body).await, (*status, (*code).to_owned()), "{head}");
    }
    let deep = [vec![b'['; 500], vec![b']'; 500]].concat();
    let head = format!("POST /api/v3/asm/projects HTTP/1.1\r\n{key}");
    assert_eq!(refused(&server, &head, &deep).await.0, 400);
}

#[tokio::test]
async fn a_405_says_what_is_allowed() {
    let server = TestServer::new().await.unwrap();
    let reply = server.call("owner", "DELETE", "/api/v3/asm/projects", None).await.unwrap();
    assert_eq!((reply.status, reply.header("allow")), (405, Some("GET, POST, HEAD")));
}

#[tokio::test]
async fn a_body_beyond_the_limit_without_a_length_is_413() {
    let server = TestServer::new().await.unwrap();
    let chunk = format!("{:x}\r\n{}\r\n", 64 * 1024, " ".repeat(64 * 1024));
    let head = format!(
        "POST /api/v3/asm/projects HTTP/1.1\r\nhost: a\r\nx-apikey: {}\r\nconnection: close\r\ntransfer-encoding: \
         chunked\r\n\r\n",
        server.keys["owner"]
    );
    let request = format!("{head}{}0\r\n\r\n", chunk.repeat(17));
    assert_eq!(ask_bytes(&server.address, request.as_bytes()).await.unwrap().status, 413);
}

#[tokio::test]
async fn odd_but_honest_requests_are_answered() {
    let server = TestServer::new().await.unwrap();
    let key = server.keys["owner"].clone();
    for target in [
        "/api/v3/asm/projects/",
        "//api/v3/asm//projects",
        "/api/v3/asm/projects?page_size=100&page=x&&=",
        "http://a/api/v3/asm/projects",
    ] {
        let headers = [
            ("X-APIKEY", key.as_str()),
            ("project-id", ""),
            ("content-type", "application/x-www-form-urlencoded"),
            ("x-tool", "test"),
        ];
        let request = Ask {
            method: "GET".to_owned(),
            target: target.to_owned(),
            headers: headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            body: None,
        };
        let reply = ask(&server.address, &request).await.unwrap();
        assert_eq!((reply.status, &reply.json()["message"]), (200, &json!("Projects")), "{target}");
    }
    let reply = server.call("owner", "HEAD", "/api/v3/asm/projects", None).await.unwrap();
    assert_eq!((reply.status, reply.body.len()), (200, 0));
    assert!(reply.header("content-length").is_some_and(|length| length != "0"));
    for form in [None, Some("application/x-www-form-urlencoded"), Some("application/json; charset=utf-8")] {
        let mut headers = vec![("x-apikey".to_owned(), key.clone())];
        headers.extend(form.map(|form| ("content-type".to_owned(), form.to_owned())));
        let request = Ask {
            method: "POST".to_owned(),
            target: "/api/v3/asm/projects".to_owned(),
            headers,
            body: Some(json!({"name": format!("Sent as {form:?}"), "unknown": [1]}).to_string().into_bytes()),
        };
        assert_eq!(ask(&server.address, &request).await.unwrap().status, 200, "{form:?}");
    }
}

#[tokio::test]
async fn a_member_that_there_is_not_is_refused_at_our_own_endpoints() {
    let server = TestServer::new().await.unwrap();
    let cases = [
        ("POST", "/first_key", json!({"token": "one"})),
        ("POST", "/api/ambit/v1/keys", json!({"label": "one"})),
        ("POST", "/api/ambit/v1/users", json!({"email": "new@x.test"})),
        ("PUT", "/api/ambit/v1/users/viewer/status", json!({"status": "active"})),
        ("POST", "/api/ambit/v1/groups", json!({"name": "one"})),
        ("POST", "/api/ambit/v1/graphs", json!({"query": "type:domain"})),
        ("POST", "/api/ambit/v1/issues/bulk", json!({"ids": [], "status": "closed"})),
        ("POST", "/api/ambit/v1/entities/bulk", json!({"ids": [], "add_tags": ["a"]})),
    ];
    for (method, path, mut body) in cases {
        body["expires_att"] = json!("2030-01-01");
        let reply = server.call("owner", method, path, Some(&body)).await.unwrap();
        let message = reply.json()["error"]["message"].as_str().unwrap_or_default().to_owned();
        assert_eq!(reply.status, 400, "{path} {}", reply.text());
        assert!(message.starts_with("there is no member expires_att; there "), "{path} {message}");
    }
    let more = json!({"name": "one", "expires_att": 1});
    let reply = server.call("owner", "POST", "/api/v3/asm/projects", Some(&more)).await.unwrap();
    assert_eq!(reply.status, 200, "recorded clients send more than the contract has: {}", reply.text());
}
