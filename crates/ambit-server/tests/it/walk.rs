//! Walks over the table: no row answers without a key but the open ones, with a wrong one, or to a foreign project.

use ambit_server::{Access, ENDPOINTS, Endpoint, Limits, MOUNTS, Method, Tree};
use ambit_testkit::{Ask, TestServer, ask};
use serde_json::{Value, json};

/// The path of a row under each of its mounts, with parameters that name nothing, and whether its older headers are
/// read there.
fn targets(endpoint: &Endpoint) -> Vec<(String, bool)> {
    let parts = endpoint.path.split('/').map(|part| if part.starts_with('{') { "0" } else { part });
    let path: Vec<&str> = parts.collect();
    let mounts = MOUNTS.iter().filter(|mount| mount.tree == endpoint.tree);
    mounts.map(|mount| (format!("{}{}", mount.prefix, path.join("/")), mount.legacy_keys)).collect()
}

async fn error_of(server: &TestServer, request: Ask) -> (u16, Value) {
    let reply = ask(&server.address, &request).await.unwrap();
    let json = reply.header("content-type").is_some_and(|content_type| content_type.starts_with("application/json"));
    assert!(json, "{} {}: {:?}", request.method, request.target, reply.headers);
    (reply.status, reply.json()["error"].clone())
}

fn request(endpoint: &Endpoint, target: String, headers: &[(&str, &str)]) -> Ask {
    Ask {
        method: endpoint.method.name().to_owned(),
        target,
        headers: headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        body: endpoint.body.map(|_| b"{}".to_vec()),
    }
}

#[tokio::test]
async fn nothing_but_the_open_rows_answers_without_a_key_or_with_a_wrong_one() {
    let server = TestServer::new().await.unwrap();
    let missing = json!({"code": "AuthenticationRequiredError", "message": "X-Apikey header is missing"});
    let wrong = json!({"code": "WrongCredentialsError", "message": "Wrong API key"});
    for endpoint in ENDPOINTS {
        for (target, legacy) in targets(endpoint) {
            if endpoint.access == Access::Open {
                let reply = ask(&server.address, &request(endpoint, target.clone(), &[])).await.unwrap();
                // A signed address and a token are their own permission: what is none is malformed.
                let is_permission = endpoint.path.contains("{token}") || endpoint.body.is_some();
                let expected = match is_permission {
                    true => 400,
                    false if endpoint.path.contains("{file}") => 404,
                    // No provider vouches for anybody here (`oidc.rs`).
                    false if ["/sign_in/provider", "/sign_in/callback"].contains(&endpoint.path) => 404,
                    false => 200,
                };
                assert_eq!(reply.status, expected, "{target}");
                continue;
            }
            // Wrong keys are counted by the minute.
            server.advance(60_000);
            if endpoint.tree == Tree::V2 {
                for target in [target.clone(), format!("{target}?apikey={}", "0".repeat(64))] {
                    let reply = ask(&server.address, &request(endpoint, target.clone(), &[])).await.unwrap();
                    assert_eq!((reply.status, &reply.json()["response_code"]), (403, &json!(0)), "{target}");
                }
                continue;
            }
            let said = error_of(&server, request(endpoint, target.clone(), &[])).await;
            assert_eq!(said, (401, missing.clone()), "{target}");
            let bad = "0".repeat(64);
            let said = error_of(&server, request(endpoint, target.clone(), &[("X-Apikey", &bad)])).await;
            assert_eq!(said, (401, wrong.clone()), "{target}");
            let pair = [("INTRIGUE_ACCESS_KEY", bad.as_str()), ("INTRIGUE_SECRET_KEY", bad.as_str())];
            let said = error_of(&server, request(endpoint, target.clone(), &pair)).await;
            assert_eq!(said, (401, if legacy { wrong.clone() } else { missing.clone() }), "{target}");
        }
    }
}

#[tokio::test]
async fn a_project_that_is_not_the_callers_is_not_there() {
    let server = TestServer::new().await.unwrap();
    let foreign = server.foreign_project.to_string();
    for endpoint in ENDPOINTS.iter().filter(|row| row.reads_project && row.tree != Tree::V2) {
        for (target, _) in targets(endpoint) {
            for name in [foreign.as_str(), "999999", "no project", "00000000-0000-0000-0000-000000000000"] {
                let headers = [("x-apikey", server.keys["owner"].as_str()), ("PROJECT-ID", name)];
                let (status, error) = error_of(&server, request(endpoint, target.clone(), &headers)).await;
                assert_eq!((status, &error["code"]), (404, &json!("NotFoundError")), "{target} {name}");
            }
        }
    }
}

/// Clients set the header once for a session, and its project may be another one's or be gone meanwhile.
#[tokio::test]
async fn a_project_is_nothing_to_operations_that_do_not_read_it() {
    let server = TestServer::new().await.unwrap();
    let (foreign, key) = (server.foreign_project.to_string(), server.keys["owner"].as_str());
    let rows = ENDPOINTS.iter().filter(|row| !row.reads_project && row.access != Access::Open);
    for endpoint in rows.filter(|row| row.tree != Tree::V2 && row.method == Method::Get) {
        for (target, _) in targets(endpoint) {
            let plain = ask(&server.address, &request(endpoint, target.clone(), &[("x-apikey", key)])).await.unwrap();
            for name in [foreign.as_str(), "999999", "no project"] {
                let headers = [("x-apikey", key), ("PROJECT-ID", name)];
                let named = ask(&server.address, &request(endpoint, target.clone(), &headers)).await.unwrap();
                assert_eq!(named.status, plain.status, "{target} {name}");
            }
        }
    }
}

#[tokio::test]
async fn what_is_the_administrators_is_nobody_elses() {
    let server = TestServer::new().await.unwrap();
    let rows: Vec<&Endpoint> = ENDPOINTS.iter().filter(|row| row.access == Access::Administrator).collect();
    assert!(!rows.is_empty());
    for endpoint in rows {
        for (target, _) in targets(endpoint) {
            for (caller, key) in server.keys.iter().filter(|(caller, _)| *caller != "owner") {
                let (status, error) = error_of(&server, request(endpoint, target.clone(), &[("x-apikey", key)])).await;
                assert_eq!((status, &error["code"]), (403, &json!("ForbiddenError")), "{target} {caller}");
            }
        }
    }
}

#[tokio::test]
async fn the_older_tree_takes_the_key_with_its_id_or_itself() {
    let server = TestServer::new().await.unwrap();
    let key = server.keys["owner"].clone();
    let owner = server.store.local_operator().await.unwrap();
    let keys = server.store.list_keys(&owner).await.unwrap();
    let id = keys.iter().find(|one| key.starts_with(&one.visible)).unwrap().id.to_string();
    for (access, status) in [(key.as_str(), 200), (&id, 200), ("another", 401)] {
        for names in [["INTRIGUE_ACCESS_KEY", "INTRIGUE_SECRET_KEY"], ["Intrigue-Access-Key", "Intrigue-Secret-Key"]] {
            let request = Ask {
                method: "GET".to_owned(),
                target: "/api/v1/projects".to_owned(),
                headers: vec![(names[0].to_owned(), access.to_owned()), (names[1].to_owned(), key.clone())],
                body: None,
            };
            assert_eq!(ask(&server.address, &request).await.unwrap().status, status, "{access}");
        }
    }
    let asked = format!("/api/v3/asm/projects?X-APIKEY={key}");
    assert_eq!(server.call("nobody", "GET", &asked, None).await.unwrap().status, 200);
}

#[tokio::test]
async fn too_many_wrong_keys_wait_and_right_ones_do_not() {
    let server = TestServer::new().await.unwrap();
    let request = Ask {
        method: "GET".to_owned(),
        target: "/api/v3/asm/projects".to_owned(),
        headers: vec![("x-apikey".to_owned(), "wrong".to_owned())],
        body: None,
    };
    let mut last = ask(&server.address, &request).await.unwrap();
    for _ in 0..400 {
        if last.status != 401 {
            break;
        }
        last = ask(&server.address, &request).await.unwrap();
    }
    assert_eq!((last.status, &last.json()["error"]["code"]), (429, &json!("TooManyRequestsError")));
    assert!(last.header("retry-after").and_then(|text| text.parse::<u32>().ok()).is_some_and(|seconds| seconds > 0));
    assert_eq!(server.call("owner", "GET", "/api/v3/asm/projects", None).await.unwrap().status, 200);
}

#[tokio::test]
async fn a_key_with_too_many_requests_waits_and_others_do_not() {
    let limits = Limits { requests_per_minute: Some(3), ..Limits::default() };
    let server = TestServer::with(limits).await.unwrap();
    let mut statuses = Vec::new();
    for _ in 0..4 {
        statuses.push(server.call("viewer", "GET", "/api/v3/asm/projects", None).await.unwrap());
    }
    let last = statuses.pop().unwrap();
    assert!(statuses.iter().all(|reply| reply.status == 200));
    assert_eq!((last.status, &last.json()["error"]["code"]), (429, &json!("TooManyRequestsError")));
    assert!(
        last.header("retry-after")
            .is_some_and(|seconds| seconds.parse::<u32>().is_ok_and(|seconds| (1..=60).contains(&seconds)))
    );
    assert_eq!(server.call("owner", "GET", "/api/v3/asm/projects", None).await.unwrap().status, 200);
    server.advance(60_000);
    assert_eq!(server.call("viewer", "GET", "/api/v3/asm/projects", None).await.unwrap().status, 200);
}

#[tokio::test]
async fn the_server_ends_while_a_connection_is_open() {
    let mut server = TestServer::new().await.unwrap();
    let idle = tokio::net::TcpStream::connect(&server.address).await.unwrap();
    server.stop().await.unwrap();
    assert!(server.call("owner", "GET", "/livez", None).await.is_err());
    drop(idle);
}

#[tokio::test]
async fn an_exhausted_quota_says_when_to_come_back() {
    let server = TestServer::new().await.unwrap();
    let owner = server.store.local_operator().await.unwrap();
    for (quota, allowed, most) in
        [("api_requests_hourly", 60, 60), ("api_requests_daily", 1, 86_400), ("api_requests_monthly", 1, 2_678_400)]
    {
        server.store.set_quota(&owner.at(server.now()), "member", quota, allowed).await.unwrap();
        let mut reply = server.call("member", "GET", "/api/v3/metadata", None).await.unwrap();
        if reply.status == 200 {
            reply = server.call("member", "GET", "/api/v3/metadata", None).await.unwrap();
        }
        assert_eq!(
            (reply.status, reply.json()),
            (429, json!({"error": {"code": "QuotaExceededError", "message": "Quota exceeded"}}))
        );
        let seconds: u32 = reply.header("retry-after").unwrap().parse().unwrap();
        assert!((1..=most).contains(&seconds), "{quota}: {seconds}");
    }
}
