//! Keys that may do less than their user: only read, and only in one project. Every row of the table is asked.

use ambit_server::{Access, Changes, ENDPOINTS, Endpoint, MOUNTS, Tree};
use ambit_store::NewKey;
use ambit_testkit::{Ask, Reply, TestServer, ask};
use serde_json::{Value, json};

const KEYS: &str = "/api/ambit/v1/keys";
const PROJECTS: &str = "/api/v3/asm/projects";
const READS: &str = "This key can only read";
const ONE_PROJECT: &str = "This key is for one project only";

/// Makes a key with a key, for a caller of a new name.
async fn key(server: &mut TestServer, by: &str, name: &str, body: Value) {
    let made = server.call(by, "POST", KEYS, Some(&body)).await.unwrap();
    assert_eq!(made.status, 200, "{body}: {}", made.text());
    server.keys.insert(name.to_owned(), made.json()["result"]["key"].as_str().unwrap().to_owned());
}

/// Calls a row with parameters that name nothing.
async fn call(server: &TestServer, caller: &str, row: &Endpoint) -> Reply {
    let parts = row.path.split('/').map(|part| if part.starts_with('{') { "0" } else { part });
    let mount = MOUNTS.iter().find(|mount| mount.tree == row.tree).unwrap();
    let target = format!("{}{}", mount.prefix, parts.collect::<Vec<_>>().join("/"));
    let key = &server.keys[caller];
    let (target, headers) = match row.tree {
        Tree::V2 => (format!("{target}?apikey={key}"), Vec::new()),
        _ => (target, vec![("x-apikey".to_owned(), key.clone())]),
    };
    let body = row.body.map(|_| b"{\"data\":{}}".to_vec());
    ask(&server.address, &Ask { method: row.method.name().to_owned(), target, headers, body }).await.unwrap()
}

/// Whether a row is refused for this reason; the older tree gives none.
fn is_refused(row: &Endpoint, reply: &Reply, why: &str) -> bool {
    reply.status == 403 && (row.tree == Tree::V2 || reply.json()["error"]["message"] == why)
}

#[tokio::test]
async fn a_reading_key_is_refused_by_every_row_that_changes_something_and_by_no_other() {
    let mut server = TestServer::new().await.unwrap();
    key(&mut server, "owner", "reader", json!({"read_only": true})).await;
    let owner = server.store.local_operator().await.unwrap();
    let before = server.store.list_audit(&owner, None, 1).await.unwrap();
    let revision = server.store.last_revision().await.unwrap();
    let (mut refused, mut allowed) = (0, 0);
    for row in ENDPOINTS.iter().filter(|row| row.access != Access::Open) {
        let reply = call(&server, "reader", row).await;
        // Whatever may have a body is asked with one.
        let changes = row.changes != Changes::Never;
        assert_eq!(is_refused(row, &reply, READS), changes, "{} {}: {}", row.method.name(), row.path, reply.text());
        if changes { refused += 1 } else { allowed += 1 }
    }
    assert!(refused > 80 && allowed > 80, "{refused} {allowed}");
    assert_eq!(server.store.list_audit(&owner, None, 1).await.unwrap(), before);
    assert_eq!(server.store.last_revision().await.unwrap(), revision);
    assert_eq!(server.get("reader", "/api/ambit/v1/users").await.status, 200, "its user administers the installation");
}

#[tokio::test]
async fn rows_that_only_read_are_few_where_the_method_says_otherwise() {
    let rows = ENDPOINTS.iter().filter(|row| row.changes != Changes::Always);
    let rows = rows.filter(|row| row.method.name() != "GET" && row.access != Access::Open);
    let rows: Vec<String> = rows.map(|row| format!("{} {}", row.method.name(), row.path)).collect();
    let expected = [
        "POST /user_collections/{uuid}/scope_preview",
        "DELETE /session",
        "POST /graphs",
        "POST /file/report",
        "POST /file/submissions",
        "POST /file/search",
        "POST /url/report",
    ];
    assert_eq!(rows, expected);
}

/// Clients search graphs by `POST` (docs/contract/graphs.md §2).
#[tokio::test]
async fn a_reading_key_searches_graphs_by_either_method_and_makes_none() {
    let mut server = TestServer::new().await.unwrap();
    key(&mut server, "owner", "reader", json!({"read_only": true})).await;
    let body = json!({"data": {"type": "graph", "attributes": {"graph_data": {"description": "drawn"}}}});
    let made = server.call("owner", "POST", "/api/v3/graphs", Some(&body)).await.unwrap().json();
    let search = "/api/v3/graphs?filter=name:drawn";
    for method in ["GET", "POST"] {
        let found = server.call("reader", method, search, None).await.unwrap();
        assert_eq!(found.status, 200, "{method}: {}", found.text());
        assert_eq!(found.json()["data"][0]["id"], made["data"]["id"], "{method}");
    }
    let found = server.call("reader", "POST", search, Some(&json!({}))).await.unwrap();
    assert_eq!(found.json()["data"][0]["id"], made["data"]["id"], "an empty object is no body");
    let used = async || {
        let quotas = server.get("owner", "/api/v3/users/owner/overall_quotas").await.json();
        quotas["data"]["api_requests_daily"]["user"]["used"].clone()
    };
    let before = used().await;
    let refused = server.call("reader", "POST", search, Some(&body)).await.unwrap();
    assert_eq!((refused.status, &refused.json()["error"]["message"]), (403, &json!(READS)));
    assert_eq!(used().await, before, "what is refused costs nothing");
    assert_eq!(server.get("owner", search).await.json()["meta"]["count"], 1, "and makes nothing");
}

#[tokio::test]
async fn the_store_refuses_a_reading_key_whatever_the_door_lets_in() {
    let mut server = TestServer::new().await.unwrap();
    key(&mut server, "owner", "reader", json!({"read_only": true})).await;
    let reader = server.principal("reader").await.unwrap();
    let made = server.store.create_project(&reader.at(server.now()), "Another").await;
    assert!(matches!(made, Err(ambit_store::StoreError::Forbidden(_))));
    assert_eq!(server.get("owner", PROJECTS).await.json()["result"].as_array().unwrap().len(), 1);
}

/// A project of the owner beside the one that every test begins with, with a collection: their uuids.
async fn another_project(server: &TestServer) -> (String, String) {
    let made = server.call("owner", "POST", PROJECTS, Some(&json!({"name": "Another"}))).await.unwrap();
    let project = made.json()["result"]["uuid"].as_str().unwrap().to_owned();
    let headers = [("x-apikey", server.keys["owner"].as_str()), ("project-id", &project)];
    let seeds = json!([{"name": "elsewhere.test", "type": "Domain"}]);
    let collection = json!({
        "name": "Elsewhere", "workflow_name": "external_discovery_and_assessment", "initial_seeds": seeds,
    });
    let request = Ask {
        method: "POST".to_owned(),
        target: "/api/v3/asm/user_collections".to_owned(),
        headers: headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        body: Some(collection.to_string().into_bytes()),
    };
    let made = ask(&server.address, &request).await.unwrap();
    assert_eq!(made.status, 200, "{}", made.text());
    (project, made.json()["result"]["uuid"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn a_key_of_one_project_knows_nothing_else() {
    let mut server = TestServer::new().await.unwrap();
    let (other, elsewhere) = another_project(&server).await;
    let own = server.project_uuid.to_string();
    key(&mut server, "owner", "bound", json!({"project": own})).await;
    for row in ENDPOINTS.iter().filter(|row| row.access != Access::Open) {
        // Deleting and leaving would end the test.
        if row.path.starts_with("/projects/{uuid}") && row.method.name() == "DELETE" {
            continue;
        }
        let reply = call(&server, "bound", row).await;
        let refused = is_refused(row, &reply, ONE_PROJECT);
        assert_eq!(refused, !row.in_one_project, "{} {}: {}", row.method.name(), row.path, reply.text());
    }
    assert!(ENDPOINTS.iter().all(|row| !(row.in_one_project && row.access == Access::Administrator)));

    let projects = server.get("bound", PROJECTS).await.json();
    assert_eq!(projects["result"].as_array().unwrap().iter().map(|row| &row["uuid"]).collect::<Vec<_>>(), [&own]);
    for (target, expected) in [
        (format!("/api/v3/asm/projects/{other}/users"), 404),
        (format!("/api/v3/asm/projects/{own}/users"), 200),
        (format!("/api/v3/asm/user_collections/{elsewhere}"), 404),
        (format!("/api/v3/asm/user_collections/{}", server.collection), 200),
        ("/api/v3/asm/user_collections".to_owned(), 200),
        ("/api/ambit/v1/audit".to_owned(), 200),
    ] {
        let reply = server.get("bound", &target).await;
        assert_eq!(reply.status, expected, "{target}: {}", reply.text());
        assert!(!reply.text().contains("Elsewhere") && !reply.text().contains(&other), "{target}: {}", reply.text());
    }
}

#[tokio::test]
async fn nothing_that_a_key_makes_is_wider_than_the_key() {
    let mut server = TestServer::new().await.unwrap();
    let (other, _) = another_project(&server).await;
    let own = server.project_uuid.to_string();
    key(&mut server, "owner", "bound", json!({"project": own})).await;
    key(&mut server, "bound", "child", json!({})).await;
    key(&mut server, "bound", "narrow", json!({"read_only": true, "project": own})).await;
    let wider = server.call("bound", "POST", KEYS, Some(&json!({"project": other}))).await.unwrap();
    assert_eq!(wider.status, 400, "{}", wider.text());
    let none = server.call("owner", "POST", KEYS, Some(&json!({"project": "0"}))).await.unwrap();
    assert_eq!(none.status, 400, "{}", none.text());
    for (who, read_only) in [("child", false), ("narrow", true)] {
        let scope = server.principal(who).await.unwrap().scope();
        assert_eq!((scope.read_only, scope.project), (read_only, Some(server.project)), "{who}");
        assert_eq!(server.get(who, "/api/ambit/v1/users").await.status, 403);
    }
    let listed = server.get("narrow", KEYS).await.json();
    let rows = listed["result"].as_array().unwrap();
    assert_eq!(rows.len(), 3, "those of the project: {listed}");
    assert_eq!((&rows[0]["read_only"], &rows[0]["project"]), (&json!(true), &json!(own)));

    // A browser that signs in by such a key can do no more either.
    let narrow = server.principal("narrow").await.unwrap();
    let session = server.store.begin_session(&narrow.at(server.now())).await.unwrap();
    server.keys.insert("browser".to_owned(), session.key);
    let scope = server.principal("browser").await.unwrap().scope();
    assert_eq!((scope.read_only, scope.project), (true, Some(server.project)));
    assert_eq!(server.call("browser", "DELETE", "/api/ambit/v1/session", None).await.unwrap().status, 200);
}

#[tokio::test]
async fn a_key_of_a_project_that_its_user_has_left_opens_nothing() {
    let mut server = TestServer::new().await.unwrap();
    let project = Some(server.project.to_string());
    let owner = server.store.local_operator().await.unwrap();
    let new = NewKey { user: Some("viewer@acme.test".to_owned()), project, ..NewKey::default() };
    let made = server.store.create_key(&owner.at(server.now()), &new).await.unwrap();
    server.keys.insert("bound".to_owned(), made.key);
    let target = format!("/api/v3/asm/user_collections/{}", server.collection);
    assert_eq!(server.get("bound", &target).await.status, 200);
    let left = format!("/api/ambit/v1/projects/{}/membership", server.project_uuid);
    assert_eq!(server.call("viewer", "DELETE", &left, None).await.unwrap().status, 200);
    assert_eq!(server.get("bound", &target).await.status, 404);
    assert_eq!(server.get("bound", PROJECTS).await.json()["result"], json!([]));
}
