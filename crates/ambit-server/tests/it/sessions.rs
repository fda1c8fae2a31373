//! Sessions of browsers: what begins one, what carries it, and what ends it.

use ambit_store::NewKey;
use ambit_testkit::{Ask, Reply, TestServer, ask};
use serde_json::{Value, json};

const ME: &str = "/api/ambit/v1/session";
const PAGE: (&str, &str) = ("sec-fetch-site", "same-origin");

async fn send(server: &TestServer, method: &str, target: &str, headers: &[(&str, &str)], body: Option<Value>) -> Reply {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let body = body.map(|body| body.to_string().into_bytes());
    let request = Ask { method: method.to_owned(), target: target.to_owned(), headers, body };
    ask(&server.address, &request).await.unwrap()
}

async fn sign_in(server: &TestServer, body: Value) -> Reply {
    send(server, "POST", "/session", &[PAGE], Some(body)).await
}

/// The cookie that an answer sets, as a browser sends it.
fn cookie(reply: &Reply) -> String {
    assert_eq!(reply.status, 200, "{}", reply.text());
    let set = reply.header("set-cookie").unwrap();
    let (pair, attributes) = set.split_once("; ").unwrap();
    assert_eq!(attributes, "Path=/; HttpOnly; SameSite=Strict");
    pair.to_owned()
}

async fn by_key(server: &TestServer, caller: &str) -> String {
    cookie(&sign_in(server, json!({"key": server.keys[caller]})).await)
}

async fn status(server: &TestServer, method: &str, target: &str, session: &str) -> u16 {
    send(server, method, target, &[PAGE, ("cookie", session)], None).await.status
}

async fn link(server: &TestServer, caller: &str) -> String {
    let reply = server.call(caller, "POST", "/api/ambit/v1/sign_in_links", None).await.unwrap();
    reply.json()["result"]["token"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_session_is_its_users_and_ends_when_the_user_signs_out() {
    let server = TestServer::new().await.unwrap();
    let session = by_key(&server, "viewer").await;
    let me = send(&server, "GET", ME, &[PAGE, ("cookie", &session)], None).await.json();
    let viewer = json!({"username": "viewer", "email": "viewer@acme.test", "administrator": false});
    assert_eq!(me["result"], viewer);
    for (method, target, expected) in [
        ("GET", "/api/v3/asm/projects", 200),
        ("GET", "/api/ambit/v1/keys", 200),
        ("GET", "/api/ambit/v1/users", 403),
        ("GET", "/api/v1/projects", 401),
        ("GET", "/api/v3/me", 401),
        ("GET", "/api/v3/graphs", 200),
        ("GET", "/api/v3/users/viewer/api_usage", 200),
        ("GET", "/api/v3/users/owner/api_usage", 403),
        ("GET", "/api/v3/users/viewer", 401),
        ("DELETE", ME, 200),
        ("DELETE", ME, 401),
        ("GET", ME, 401),
    ] {
        assert_eq!(status(&server, method, target, &session).await, expected, "{method} {target}");
    }
    let key = server.call("viewer", "DELETE", ME, None).await.unwrap();
    assert_eq!(key.status, 404, "a key that is no session does not end so");
    assert_eq!(server.call("viewer", "GET", ME, None).await.unwrap().status, 200);
}

/// What `/gui/{type}/{id}` shows is asked for by `web/src/api/objects.ts`.
#[tokio::test]
async fn pages_of_objects_are_read_by_a_session_which_changes_nothing_there() {
    let server = TestServer::new().await.unwrap();
    let session = by_key(&server, "viewer").await;
    let made = json!({"data": {"type": "collection", "attributes": {"name": "Mine"}}});
    let made = server.call("viewer", "POST", "/api/v3/collections", Some(&made)).await.unwrap().json();
    let mine = format!("/api/v3/collections/{}", made["data"]["id"].as_str().unwrap());
    for (method, target, is_read) in [
        ("GET", mine.as_str(), true),
        ("HEAD", &mine, true),
        ("GET", "/api/v3/ip_addresses/192.0.2.1", true),
        ("GET", "/api/v3/domains/nowhere.test", true),
        ("GET", "/api/v3/files/d41d8cd98f00b204e9800998ecf8427e", true),
        ("GET", "/api/v3/urls/aHR0cHM6Ly9ub3doZXJlLnRlc3Qv", true),
        ("PATCH", &mine, false),
        ("DELETE", &mine, false),
        ("GET", "/api/v3/collections", false),
        ("GET", "/api/v3/files/d41d8cd98f00b204e9800998ecf8427e/download", false),
        ("POST", "/api/v3/domains/nowhere.test/comments", false),
        ("GET", &mine, true),
    ] {
        let answered = status(&server, method, target, &session).await;
        assert!(if is_read { matches!(answered, 200 | 404) } else { answered == 401 }, "{method} {target}: {answered}");
    }
    for foreign in [("sec-fetch-site", "cross-site"), ("origin", "http://evil.test")] {
        let reply = send(&server, "GET", &mine, &[foreign, ("cookie", &session)], None).await;
        assert_eq!(reply.status, 403, "{foreign:?}");
    }
}

#[tokio::test]
async fn signing_out_takes_the_cookie_away() {
    let server = TestServer::new().await.unwrap();
    let session = by_key(&server, "viewer").await;
    let out = send(&server, "DELETE", ME, &[PAGE, ("cookie", &session)], None).await;
    assert!(out.header("set-cookie").is_some_and(|set| set.ends_with("; Max-Age=0")));
}

#[tokio::test]
async fn a_session_ends_with_its_time_its_key_and_its_user() {
    let server = TestServer::new().await.unwrap();
    let owner = server.store.local_operator().await.unwrap();
    let old = by_key(&server, "viewer").await;
    server.advance(12 * 3_600_000 - 1_000);
    assert_eq!(status(&server, "GET", ME, &old).await, 200);
    server.advance(2_000);
    assert_eq!(status(&server, "GET", ME, &old).await, 401, "after half a day");

    let new = NewKey { user: Some("viewer".to_owned()), ..NewKey::default() };
    let issued = server.store.create_key(&owner.at(server.now()), &new).await.unwrap();
    let session = cookie(&sign_in(&server, json!({"key": issued.key})).await);
    server.store.revoke_key(&owner.at(server.now()), issued.id).await.unwrap();
    assert_eq!(status(&server, "GET", ME, &session).await, 401, "its key was revoked");

    let expires_at = Some(server.now().plus_ms(60_000));
    let issued = server.store.create_key(&owner.at(server.now()), &NewKey { expires_at, ..new }).await.unwrap();
    let session = cookie(&sign_in(&server, json!({"key": issued.key})).await);
    server.advance(61_000);
    assert_eq!(status(&server, "GET", ME, &session).await, 401, "its key has ended");

    let session = by_key(&server, "viewer").await;
    let suspended = Some(json!({"status": "suspended"}));
    server.call("owner", "PUT", "/api/ambit/v1/users/viewer/status", suspended.as_ref()).await.unwrap();
    assert_eq!(status(&server, "GET", ME, &session).await, 401, "its user is suspended");
    assert_eq!(sign_in(&server, json!({"key": server.keys["viewer"]})).await.status, 401);
}

#[tokio::test]
async fn a_link_signs_in_once_and_soon() {
    let server = TestServer::new().await.unwrap();
    let token = link(&server, "viewer").await;
    let session = cookie(&sign_in(&server, json!({"token": token})).await);
    assert_eq!(status(&server, "GET", ME, &session).await, 200);
    assert_eq!(sign_in(&server, json!({"token": token})).await.status, 404, "twice");
    let late = link(&server, "viewer").await;
    server.advance(15 * 60_000);
    assert_eq!(sign_in(&server, json!({"token": late})).await.status, 404, "late");
    let of_suspended = link(&server, "viewer").await;
    let suspended = Some(json!({"status": "suspended"}));
    server.call("owner", "PUT", "/api/ambit/v1/users/viewer/status", suspended.as_ref()).await.unwrap();
    assert_eq!(sign_in(&server, json!({"token": of_suspended})).await.status, 401, "of a suspended user");
}

#[tokio::test]
async fn a_link_ends_with_the_key_that_made_it() {
    let server = TestServer::new().await.unwrap();
    let owner = server.store.local_operator().await.unwrap();
    let issued = server.store.create_key(&owner.at(server.now()), &NewKey::default()).await.unwrap();
    let key = [("x-apikey", issued.key.as_str())];
    let made = send(&server, "POST", "/api/ambit/v1/sign_in_links", &key, None).await.json();
    server.store.revoke_key(&owner.at(server.now()), issued.id).await.unwrap();
    assert_eq!(sign_in(&server, json!({"token": made["result"]["token"]})).await.status, 404);
}

#[tokio::test]
async fn a_page_of_somebody_else_changes_and_reads_nothing() {
    let server = TestServer::new().await.unwrap();
    let session = by_key(&server, "viewer").await;
    let own = format!("http://{}", server.address);
    for (headers, reads, ends) in [
        (vec![("sec-fetch-site", "cross-site")], 403, 403),
        (vec![("sec-fetch-site", "same-site")], 403, 403),
        (vec![("origin", "http://evil.test")], 403, 403),
        (vec![], 200, 403),
        (vec![("origin", own.as_str())], 200, 200),
    ] {
        let mut headers = headers;
        headers.push(("cookie", session.as_str()));
        assert_eq!(send(&server, "GET", ME, &headers, None).await.status, reads, "{headers:?}");
        assert_eq!(send(&server, "DELETE", ME, &headers, None).await.status, ends, "{headers:?}");
    }
    // Nor does it sign a browser in as somebody else.
    let key = json!({"key": server.keys["viewer"]});
    let foreign = send(&server, "POST", "/session", &[("sec-fetch-site", "cross-site")], Some(key)).await;
    assert_eq!((foreign.status, foreign.header("set-cookie")), (403, None));
}

#[tokio::test]
async fn wrong_keys_and_links_are_counted_at_this_door() {
    let server = TestServer::new().await.unwrap();
    let wrong = "0".repeat(64);
    for (body, first) in [(json!({"key": wrong}), 401), (json!({"token": wrong}), 404)] {
        server.advance(60_000);
        let mut statuses = Vec::new();
        for _ in 0..301 {
            statuses.push(sign_in(&server, body.clone()).await.status);
        }
        assert_eq!((statuses[0], statuses[299], statuses[300]), (first, first, 429));
        assert_eq!(sign_in(&server, json!({"key": server.keys["viewer"]})).await.status, 200, "a right one gets in");
    }
    let session = format!("ambit_session={wrong}");
    assert_eq!(status(&server, "GET", ME, &session).await, 429, "a wrong session is a wrong key");
}

#[tokio::test]
async fn a_session_makes_no_key_that_outlives_it_and_leaves_no_trace_once_over() {
    let server = TestServer::new().await.unwrap();
    let keys =
        async || server.call("viewer", "GET", "/api/ambit/v1/keys", None).await.unwrap().json()["result"].clone();
    let before = keys().await.as_array().unwrap().len();
    for _ in 0..3 {
        let session = by_key(&server, "viewer").await;
        assert_eq!(status(&server, "DELETE", ME, &session).await, 200);
    }
    let session = by_key(&server, "viewer").await;
    assert_eq!(keys().await.as_array().unwrap().len(), before + 1);
    let made = send(&server, "POST", "/api/ambit/v1/keys", &[PAGE, ("cookie", &session)], Some(json!({}))).await;
    assert!(made.json()["result"]["expires_at"].is_string(), "{}", made.text());
}
