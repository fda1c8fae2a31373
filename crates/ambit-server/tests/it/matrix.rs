//! The matrix: every operation that names an object × callers × an object of somebody else and one that is not there.
//! What a caller learns of the first is what it learns of the second, in status, headers and body, but for a list with
//! reasons.

use ambit_server::{Access, ENDPOINTS, Endpoint, Tree};
use ambit_testkit::kept::{GROUP, KEEPER, Kept, Two, keep};
use ambit_testkit::{Ask, Reply, TestServer, ask, inventory};
use std::collections::{BTreeMap, BTreeSet};

/// Who asks: all that there are but the keeper. `nobody` has no key, `garbage` a wrong one, `revoked` one that ended;
/// `newcomer` is in no project and no group, `captain` administers another group, `owner` is the administrator of the
/// installation.
const CALLERS: [&str; 10] =
    ["newcomer", "viewer", "analyst", "admin", "captain", "stranger", "owner", "nobody", "garbage", "revoked"];

/// Headers that say nothing of the object.
const BESIDE: [&str; 3] = ["date", "content-length", "x-request-id"];

/// Where the two differ, and why that is right: caller (`*` is anybody with a key), method, and what the path begins
/// with.
const DIFFER: &[(&str, &str, &str, &str)] = &[
    (
        "*",
        "GET",
        "/users/{id}",
        "who has an account is everybody's to know: users are named as editors, authors, owners",
    ),
    ("*", "PATCH", "/users/{id}", "the same"),
    ("*", "DELETE", "/users/{id}", "the same"),
    ("owner", "GET", "/groups/{id}", "the administrator of the installation sees every group"),
    ("owner", "PATCH", "/groups/{id}", "and keeps it"),
    ("owner", "POST", "/groups/{id}", "and keeps it"),
    ("owner", "DELETE", "/groups/{id}", "and keeps it"),
    ("owner", "GET", "/service_accounts/{id}", "and its service accounts"),
    ("owner", "DELETE", "/service_accounts/{id}", "and ends them"),
    ("owner", "GET", "/quotas/{subject}", "and what everybody may use"),
    ("owner", "POST", "/api/v3/graphs/GRAPH/viewers", "and shows graphs to every group"),
    ("owner", "POST", "/api/v3/intelligence/zip_files", "each archive has a random id of its own"),
    ("owner", "DELETE", "/keys/{id}", "the administrator of the installation revokes any key"),
];

/// A body that gets as far as the object, for rows that need one. `ID` stands for an id that the body names.
fn body_of(row: &Endpoint) -> &'static str {
    let data = r#"{"data":{"type":"user","id":"viewer","attributes":{}}}"#;
    match (row.method.name(), row.path) {
        (_, "/projects/{uuid}") => r#"{"description":"x"}"#,
        (_, "/projects/{uuid}/users/bulk") => r#"{"emails":["member@acme.test"],"role":"member"}"#,
        (_, "/user_collections/{uuid}") => r#"{"auto_refresh_schedule":"weekly"}"#,
        (_, "/user_collections/{uuid}/collection_project_users") => r#"{"user":"viewer","role":"viewer"}"#,
        (_, "/issues/{id}/status") => r#"{"status":"open_triaged"}"#,
        (_, path) if path.starts_with("/tags/") => r#"{"tag_name":"x"}"#,
        (_, path) if path.starts_with("/notes/") => r#"{"note_text":"x"}"#,
        (_, "/projects/{uuid}/integrations") => r#"{"name":"x","type":"AwsCredential"}"#,
        (_, path) if path.ends_with("/integration_collections") => {
            r#"{"integration_uuid":"00000000-0000-4000-8000-000000000000"}"#
        }
        (_, path) if path.ends_with("/user_entities") => r#"{"entities":[{"name":"x.test","type":"Domain"}]}"#,
        (_, "/entities/{entity_uid}/scope") => r#"{"hidden":true}"#,
        (_, "/groups/{group}/members") => r#"{"members":["viewer"]}"#,
        (_, "/users/{username}/status") => r#"{"status":"active"}"#,
        (_, "/quotas/{subject}/{quota}") => r#"{"allowed":1000000000}"#,
        (_, path) if path.ends_with("/comments") => r#"{"data":{"type":"comment","attributes":{"text":"x"}}}"#,
        (_, path) if path.ends_with("/votes") => r#"{"data":{"type":"vote","attributes":{"verdict":"harmless"}}}"#,
        ("POST", path) if path.starts_with("/groups/{id}") => r#"{"data":[{"type":"user","id":"member@acme.test"}]}"#,
        ("POST" | "DELETE", path) if path.starts_with("/collections/{id}") => {
            r#"{"data":[{"type":"domain","id":"x.test"}]}"#
        }
        ("PATCH", "/collections/{id}") => r#"{"data":{"type":"collection","attributes":{"name":"x"}}}"#,
        ("PATCH", "/graphs/{id}") => r#"{"data":{"type":"graph","attributes":{"graph_data":{"description":"x"}}}}"#,
        ("PATCH", "/groups/{id}") => r#"{"data":{"type":"group","attributes":{"industry":"x"}}}"#,
        ("PATCH", "/intelligence/hunting_rulesets/{id}") => {
            r#"{"data":{"type":"hunting_ruleset","attributes":{"name":"x"}}}"#
        }
        _ => data,
    }
}

/// Calls in which the id stands in the query or in the body: method, target, body, and what `ID` is of.
const ELSEWHERE: &[(&str, &str, &str, &str)] = &[
    ("GET", "/vtapi/v2/domain/report?domain=ID", "", "domain"),
    ("GET", "/vtapi/v2/ip-address/report?ip=ID", "", "address"),
    ("GET", "/vtapi/v2/file/report?resource=ID", "", "page"),
    ("GET", "/vtapi/v2/comments/get?resource=ID", "", "page"),
    ("GET", "/api/v3/search?query=ID", "", "domain"),
    ("GET", "/api/v3/search?query=ID", "", "page"),
    ("GET", "/api/v3/intelligence/search?query=ID", "", "domain"),
    ("GET", "/api/v3/intelligence/search?query=ID", "", "page"),
    ("GET", "/api/v3/asm/search/entities/collection:ID", "", "collection"),
    ("GET", "/api/v3/asm/search/entities/name:ID", "", "domain"),
    ("POST", "/api/v3/asm/user_collections/OWN/integration_collections", r#"{"integration_uuid":"ID"}"#, "integration"),
    ("POST", "/api/ambit/v1/entities/bulk", r#"{"uids":["ID"],"add_tags":["x"]}"#, "entity"),
    ("POST", "/api/ambit/v1/issues/bulk", r#"{"uids":["ID"],"add_tags":["x"]}"#, "issue"),
    ("POST", "/api/ambit/v1/graphs", r#"{"entity":"ID"}"#, "entity"),
    ("POST", "/api/v3/intelligence/zip_files", r#"{"data":{"hashes":["ID"]}}"#, "page"),
    ("POST", "/api/v3/graphs/GRAPH/viewers", r#"{"data":[{"type":"group","id":"ID"}]}"#, "group"),
    ("GET", "/api/v3/graphs?filter=visible_to_group:ID", "", "group"),
    ("GET", "/api/v3/users/ID", "", "user key"),
    ("GET", "/api/v3/users/ID/groups", "", "user key"),
];

struct Matrix {
    server: TestServer,
    kept: Kept,
    /// A graph of each caller's own.
    graphs: BTreeMap<&'static str, String>,
    differ: BTreeSet<String>,
    /// Rows of `DIFFER` that were needed.
    used: BTreeSet<usize>,
    pairs: usize,
}

impl Matrix {
    async fn new() -> Self {
        let mut server = TestServer::new().await.unwrap();
        inventory::fill(&server, "Welcome").await.unwrap();
        for name in ["newcomer", "captain", "revoked"] {
            server.add_user(name).await.unwrap();
        }
        let owner = server.store.local_operator().await.unwrap();
        server.store.create_group(&owner.at(server.now()), "red", &["viewer".to_owned()]).await.unwrap();
        server.store.add_to_group(&owner.at(server.now()), "red", &["captain".to_owned()], true).await.unwrap();
        let ended = server.principal("revoked").await.unwrap();
        server.store.revoke_key(&ended.at(server.now()), ended.key_id().unwrap()).await.unwrap();
        server.keys.insert("garbage".to_owned(), "0".repeat(64));
        let kept = keep(&mut server).await.unwrap();
        let mut graphs = BTreeMap::new();
        for caller in CALLERS.into_iter().take(7) {
            let new = serde_json::json!({"data": {"type": "graph", "attributes": {
                "graph_data": {"description": "own", "version": "1"}, "nodes": [], "links": [], "private": false}}});
            let made = server.call(caller, "POST", "/api/v3/graphs", Some(&new)).await.unwrap();
            assert_eq!(made.status, 200, "{caller}: {}", made.text());
            graphs.insert(caller, made.json()["data"]["id"].as_str().unwrap().to_owned());
        }
        Self { server, kept, graphs, differ: BTreeSet::new(), used: BTreeSet::new(), pairs: 0 }
    }

    /// Asks for both and compares.
    async fn compare(&mut self, caller: &str, method: &str, target: &Two, body: Option<&Two>, row: &str) {
        let kept = self.ask(caller, method, &target.kept, body.map(|body| &*body.kept)).await;
        let missing = self.ask(caller, method, &target.missing, body.map(|body| &*body.missing)).await;
        self.pairs += 1;
        let (kept, missing) = (said(&kept, &target.ids, true), said(&missing, &target.ids, false));
        if kept == missing {
            return;
        }
        let right = DIFFER.iter().position(|(who, how, path, _)| {
            let key = !["nobody", "garbage", "revoked"].contains(&caller);
            (*who == caller || (*who == "*" && key)) && *how == method && row.starts_with(path)
        });
        match right {
            Some(index) => {
                self.used.insert(index);
            }
            None => {
                self.differ.insert(format!("{caller}: {method} {row}\n    kept:    {kept}\n    missing: {missing}"));
            }
        }
    }

    async fn ask(&self, caller: &str, method: &str, target: &str, body: Option<&str>) -> Reply {
        // Wrong keys are counted by the minute.
        if ["nobody", "garbage", "revoked"].contains(&caller) {
            self.server.advance(1_000);
        }
        let key = self.server.keys.get(caller);
        let (mut target, mut headers) = (target.to_owned(), Vec::new());
        match key {
            Some(key) if target.starts_with("/vtapi") => target.push_str(&format!("&apikey={key}")),
            Some(key) => headers.push(("x-apikey".to_owned(), key.clone())),
            None => {}
        }
        if target.contains("/files/upload/") {
            headers.push(("content-type".to_owned(), "multipart/form-data; boundary=b".to_owned()));
        }
        let request =
            Ask { method: method.to_owned(), target, headers, body: body.map(|body| body.as_bytes().to_vec()) };
        ask(&self.server.address, &request).await.unwrap()
    }

    /// What the keeper reads of everything that rows read: what is there, and afterwards still there.
    async fn kept_statuses(&self) -> BTreeMap<String, u16> {
        let mut out = BTreeMap::new();
        for row in ENDPOINTS.iter().filter(|row| row.method.name() == "GET") {
            if let Some(two) = self.kept.targets(row) {
                let reply = self.ask(KEEPER, "GET", &two.kept, None).await;
                out.insert(two.kept, reply.status);
            }
        }
        out
    }
}

/// Status, headers and body of an answer, with `ID` for the ids.
fn said(reply: &Reply, ids: &[(String, String)], kept: bool) -> String {
    let headers = reply.headers.iter().filter(|(name, _)| !BESIDE.contains(&name.as_str()));
    let headers: Vec<String> = headers.map(|(name, value)| format!("{name}: {value}")).collect();
    let mut text = format!("{} {} {}", reply.status, reply.text(), headers.join(", "));
    // A number of one or two digits stands in statuses, too.
    for (own, other) in ids.iter().filter(|(own, _)| own.len() > 2) {
        text = text.replace(if kept { own } else { other }, "ID");
    }
    text
}

#[tokio::test]
async fn what_is_somebody_elses_is_told_from_what_is_not_there_by_nobody() {
    let mut matrix = Matrix::new().await;
    let before = matrix.kept_statuses().await;
    // Bodies of pages are read as files, but have neither comments nor relationships.
    let nothing = |path: &str| path.contains("/files/");
    let unread: Vec<_> = before.iter().filter(|(path, status)| **status != 200 && !nothing(path)).collect();
    assert_eq!(unread, Vec::new(), "the keeper reads what the keeper has: else a foreign id is a missing one");
    for caller in CALLERS {
        for row in ENDPOINTS.iter().filter(|row| row.access != Access::Open && row.tree != Tree::V2) {
            if caller == "owner" && row.access == Access::Administrator {
                // Users and groups are the administrator's to keep: nothing there is foreign.
                continue;
            }
            let Some(two) = matrix.kept.targets(row) else { continue };
            let bodies: &[&str] = if row.body.is_some() { &["{}", body_of(row)] } else { &[""] };
            for body in bodies {
                let body = Two { kept: (*body).to_owned(), missing: (*body).to_owned(), ids: Vec::new() };
                let body = row.body.map(|_| &body);
                matrix.compare(caller, row.method.name(), &two, body, row.path).await;
            }
        }
        for (method, target, body, of) in ELSEWHERE {
            let pair = matrix.kept.pair(of).unwrap().clone();
            let graph = matrix.graphs.get(caller).cloned().unwrap_or_else(|| "none".to_owned());
            let collection = matrix.server.collection.to_string();
            let fill =
                |text: &str, id: &str| text.replace("ID", id).replace("GRAPH", &graph).replace("OWN", &collection);
            let two = |text: &str| Two {
                kept: fill(text, &pair.kept),
                missing: fill(text, &pair.missing),
                ids: vec![(pair.kept.clone(), pair.missing.clone())],
            };
            let (place, body) = (two(target), (!body.is_empty()).then(|| two(body)));
            matrix.compare(caller, method, &place, body.as_ref(), target).await;
        }
    }
    let differ: Vec<&String> = matrix.differ.iter().collect();
    assert!(differ.is_empty(), "{} of {} pairs differ:\n{}", differ.len(), matrix.pairs, join(&differ));
    let needless: Vec<_> =
        (0..DIFFER.len()).filter(|index| !matrix.used.contains(index)).map(|index| DIFFER[index]).collect();
    assert_eq!(needless, Vec::new(), "these do not differ any more: take them off the list");
    assert!(matrix.pairs > 1_500, "only {} pairs", matrix.pairs);
}

fn join(lines: &[&String]) -> String {
    lines.iter().map(|line| line.as_str()).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn what_strangers_write_changes_nothing_of_somebody_elses() {
    let matrix = Matrix::new().await;
    let before = matrix.kept_statuses().await;
    for caller in ["newcomer", "admin", "captain", "stranger"] {
        for row in ENDPOINTS.iter().filter(|row| row.access != Access::Open && row.method.name() != "GET") {
            let Some(two) = matrix.kept.targets(row) else { continue };
            let reply = matrix.ask(caller, row.method.name(), &two.kept, row.body.map(|_| body_of(row))).await;
            assert!(reply.status >= 400, "{caller}: {} {}: {}", row.method.name(), row.path, reply.text());
        }
    }
    assert_eq!(matrix.kept_statuses().await, before);
    let owner = matrix.server.store.local_operator().await.unwrap();
    let rows = matrix.server.store.list_audit(&owner, None, 1_000).await.unwrap();
    let keeper = matrix.server.principal(KEEPER).await.unwrap();
    let kept: BTreeSet<i64> = keeper.projects().collect();
    let strange: Vec<_> = rows
        .iter()
        .filter(|row| row.project.is_some_and(|id| kept.contains(&id)) && row.user.as_deref() != Some(keeper.email()))
        .collect();
    assert!(strange.is_empty(), "{strange:?}");
    assert_eq!(matrix.server.store.group_account(GROUP).await.unwrap().profile.get("industry"), None);
}
