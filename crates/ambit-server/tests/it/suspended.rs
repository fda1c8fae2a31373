//! Who is suspended opens nothing, and wrong keys are counted wherever they stand.

use ambit_testkit::{Ask, Reply, TestServer, ask};
use serde_json::{Value, json};

async fn call(server: &TestServer, caller: &str, method: &str, target: &str, body: Option<Value>) -> Value {
    let reply = server.call(caller, method, target, body.as_ref()).await.unwrap();
    assert_eq!(reply.status, 200, "{method} {target}: {}", reply.text());
    reply.json()
}

async fn upload(server: &TestServer, caller: &str) -> String {
    let body = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\nbytes\r\n--b--\r\n";
    let headers = [("x-apikey", server.keys[caller].as_str()), ("content-type", "multipart/form-data; boundary=b")];
    let request = Ask {
        method: "POST".to_owned(),
        target: "/api/v3/files".to_owned(),
        headers: headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        body: Some(body.as_bytes().to_vec()),
    };
    assert_eq!(ask(&server.address, &request).await.unwrap().status, 200);
    ambit_model::id::blob_hash(b"bytes").to_string()
}

async fn status(server: &TestServer, status: &str) {
    let body = json!({"data": {"type": "user", "attributes": {"status": status}}});
    call(server, "owner", "PATCH", "/api/v3/users/viewer", Some(body)).await;
}

#[tokio::test]
async fn a_suspended_user_has_no_key_and_no_signed_address() {
    let server = TestServer::new().await.unwrap();
    let owner = server.store.local_operator().await.unwrap();
    server.store.grant_privilege(&owner.at(server.now()), "viewer", "premium-api", None).await.unwrap();
    let hash = upload(&server, "viewer").await;
    let said = call(&server, "viewer", "GET", &format!("/api/v3/files/{hash}/download_url"), None).await;
    let link = said["data"].as_str().unwrap().split_once("/downloads/").unwrap().1.to_owned();
    let open = async || server.call("nobody", "GET", &format!("/downloads/{link}"), None).await.unwrap();
    assert_eq!(open().await.text(), "bytes");
    status(&server, "suspended").await;
    let refused = json!({"code": "UserNotActiveError", "message": "The account is not active"});
    assert_eq!((open().await.status, &open().await.json()["error"]), (401, &refused));
    for target in ["/api/v3/me", "/api/v3/asm/projects", "/api/ambit/v1/keys"] {
        let reply = server.call("viewer", "GET", target, None).await.unwrap();
        assert_eq!((reply.status, &reply.json()["error"]), (401, &refused), "{target}");
    }
    let key = &server.keys["viewer"];
    let second = server
        .call("nobody", "GET", &format!("/vtapi/v2/file/report?resource={hash}&apikey={key}"), None)
        .await
        .unwrap();
    assert_eq!(second.status, 403);
    // For others it is no key at all.
    let found = server.call("owner", "GET", &format!("/api/v3/users/{key}"), None).await.unwrap();
    assert_eq!(found.status, 404);
    status(&server, "active").await;
    assert_eq!(open().await.text(), "bytes");
    call(&server, "viewer", "GET", "/api/v3/me", None).await;
}

/// A request with a wrong key at one of the places where a key may stand.
fn at_door(server: &TestServer, door: &str) -> Ask {
    let wrong = "0".repeat(64);
    let viewer = ("x-apikey".to_owned(), server.keys["viewer"].clone());
    let get =
        |target: String, headers: Vec<(String, String)>| Ask { method: "GET".to_owned(), target, headers, body: None };
    match door {
        "header" => get("/api/v3/me".to_owned(), vec![("x-apikey".to_owned(), wrong)]),
        "query" => get(format!("/api/v3/me?x-apikey={wrong}"), Vec::new()),
        "pair" => {
            let names = ["INTRIGUE_ACCESS_KEY", "INTRIGUE_SECRET_KEY"];
            get("/api/v1/projects".to_owned(), names.map(|name| (name.to_owned(), wrong.clone())).to_vec())
        }
        "version 2" => get(format!("/vtapi/v2/file/report?resource=x&apikey={wrong}"), Vec::new()),
        "form of version 2" => Ask {
            method: "POST".to_owned(),
            target: "/vtapi/v2/file/rescan".to_owned(),
            headers: vec![("content-type".to_owned(), "application/x-www-form-urlencoded".to_owned())],
            body: Some(format!("resource=x&apikey={wrong}").into_bytes()),
        },
        "path" => get(format!("/api/v3/users/{wrong}"), vec![viewer]),
        "somebody else's in the path" => get(format!("/api/v3/users/{}", server.keys["stranger"]), vec![viewer]),
        "confirmation" => Ask {
            method: "DELETE".to_owned(),
            target: "/api/v3/users/viewer".to_owned(),
            headers: vec![viewer, ("x-user-password".to_owned(), wrong)],
            body: None,
        },
        other => panic!("no door {other}"),
    }
}

#[tokio::test]
async fn wrong_keys_are_counted_at_every_door() {
    let server = TestServer::new().await.unwrap();
    let said = |reply: &Reply| (reply.status, reply.json()["error"]["code"].clone());
    for (door, first, last) in [
        ("header", 401, 429),
        ("query", 401, 429),
        ("pair", 401, 429),
        ("version 2", 403, 204),
        ("form of version 2", 403, 204),
        ("path", 404, 429),
        ("somebody else's in the path", 404, 429),
        ("confirmation", 403, 429),
    ] {
        server.advance(60_000);
        let request = at_door(&server, door);
        let mut statuses = Vec::new();
        for _ in 0..301 {
            statuses.push(said(&ask(&server.address, &request).await.unwrap()).0);
        }
        assert!(statuses[..300].iter().all(|status| *status == first), "{door}: {statuses:?}");
        assert_eq!(statuses[300], last, "{door}");
        // Right keys are not held up by wrong ones.
        assert_eq!(server.call("viewer", "GET", "/api/v3/asm/projects", None).await.unwrap().status, 200, "{door}");
    }
}
