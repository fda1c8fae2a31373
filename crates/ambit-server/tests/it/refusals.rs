//! What each row says to bodies that are none of its own: nothing, another kind of JSON, members that it does not know,
//! and each of its members with another type. The answers stand in `refusals.txt`, so that a change of what callers are
//! told is read as a diff; a body that is not refused is done, and says so there.

use ambit_server::{Access, ENDPOINTS, Endpoint, MOUNTS, Method, Tree};
use ambit_testkit::kept::{KEEPER, Kept, keep};
use ambit_testkit::{Ask, Reply, TestServer, ask, assert_file};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Characters of a message that are shown.
const MESSAGE_CHARS: usize = 160;
/// Questions after which a minute goes by, so that no limit of a minute answers.
const OF_A_MINUTE: usize = 50;

struct Walk {
    server: TestServer,
    kept: Kept,
    asked: usize,
}

impl Walk {
    async fn new() -> Self {
        let mut server = TestServer::new().await.unwrap();
        let kept = keep(&mut server).await.unwrap();
        Self { server, kept, asked: 0 }
    }

    async fn ask(&mut self, row: &Endpoint, target: &str, body: Option<Vec<u8>>) -> Reply {
        self.asked += 1;
        if self.asked.is_multiple_of(OF_A_MINUTE) {
            self.server.advance(60_000);
        }
        let headers = vec![("x-apikey".to_owned(), self.server.keys[KEEPER].clone())];
        let request = Ask { method: row.method.name().to_owned(), target: target.to_owned(), headers, body };
        ask(&self.server.address, &request).await.unwrap()
    }

    /// Where a row is, with ids of the keeper's where it has any.
    fn target(&self, row: &Endpoint) -> String {
        match self.kept.targets(row) {
            Some(two) => two.kept.split('?').next().unwrap_or_default().to_owned(),
            None => {
                let prefix = MOUNTS.iter().find(|mount| mount.tree == row.tree).unwrap().prefix;
                let parts = row.path.split('/').map(|part| if part.starts_with('{') { "0" } else { part });
                format!("{prefix}{}", parts.collect::<Vec<_>>().join("/"))
            }
        }
    }
}

/// Status, code and message in a line.
fn shown(reply: &Reply, ids: &[(String, String)]) -> String {
    if reply.status == 200 {
        return "200".to_owned();
    }
    let error = &reply.json()["error"];
    let message: String = error["message"].as_str().unwrap_or("-").chars().take(MESSAGE_CHARS).collect();
    let message = ids.iter().fold(message, |message, (kept, _)| message.replace(kept, "ID"));
    format!("{} {}: {message}", reply.status, error["code"].as_str().unwrap_or("-"))
}

/// A value of another type.
fn other(value: &Value) -> Value {
    match value {
        Value::String(_) | Value::Null => json!(7),
        Value::Number(_) | Value::Bool(_) => json!("text"),
        Value::Array(_) => json!({}),
        Value::Object(_) => json!([]),
    }
}

#[tokio::test]
async fn bodies_that_are_none_are_refused_with_their_reason() {
    let mut walk = Walk::new().await;
    let mut told = String::new();
    for row in ENDPOINTS.iter().filter(|row| row.access != Access::Open && row.tree != Tree::V2) {
        let Some((shape, _)) = row.body.filter(|_| row.method != Method::Delete) else { continue };
        let target = walk.target(row);
        let ids = walk.kept.targets(row).map(|two| two.ids).unwrap_or_default();
        let example = shape.example();
        let mut bodies: Vec<(String, String)> =
            [("nothing", ""), ("no JSON", "{\"a\":"), ("a list", "[]"), ("a text", "\"x\"")]
                .map(|(name, body)| (name.to_owned(), body.to_owned()))
                .into();
        bodies.push(("another member".to_owned(), "{\"no_such_member\":1}".to_owned()));
        for name in shape.names() {
            let wrong = other(&example[name]);
            bodies.push((format!("{name} is {wrong}"), json!({ name: wrong }).to_string()));
        }
        told.push_str(&format!("{} {}\n", row.method.name(), row.path));
        for (name, body) in bodies {
            let reply = walk.ask(row, &target, Some(body.into_bytes())).await;
            told.push_str(&format!("  {name}: {}\n", shown(&reply, &ids)));
        }
    }
    assert!(walk.asked > 300, "only {} were asked", walk.asked);
    assert_file("crates/ambit-server/tests/it/refusals.txt", &told);
}

/// A number that no reader of JSON holds is none the less JSON.
#[tokio::test]
async fn a_number_out_of_range_is_named_with_its_place() {
    let server = TestServer::new().await.unwrap();
    for target in ["/api/v3/asm/projects", "/api/v3/graphs"] {
        let headers = vec![("x-apikey".to_owned(), server.keys["owner"].clone())];
        let body = Some(b"{\"name\":\n 1e400}".to_vec());
        let request = Ask { method: "POST".to_owned(), target: target.to_owned(), headers, body };
        let reply = ask(&server.address, &request).await.unwrap();
        let said = reply.json()["error"]["message"].as_str().unwrap().to_owned();
        assert_eq!(reply.status, 400, "{said}");
        assert!(said.starts_with("The body has a number that is out of range at line 2"), "{said}");
    }
}

/// At every path, methods that no row has there are refused with those that there are.
#[tokio::test]
async fn methods_that_are_not_there_are_refused_with_those_that_are() {
    let walk = Walk::new().await;
    let mut paths: BTreeMap<(u8, &str), (String, BTreeSet<&str>)> = BTreeMap::new();
    for row in ENDPOINTS.iter().filter(|row| row.tree != Tree::Open) {
        let (_, there) = paths.entry((row.tree as u8, row.path)).or_insert_with(|| (walk.target(row), BTreeSet::new()));
        there.insert(row.method.name());
        if row.method == Method::Get {
            there.insert("HEAD");
        }
    }
    let mut others = Vec::new();
    for (target, there) in paths.values() {
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE"].into_iter().filter(|method| !there.contains(method)) {
            let request = Ask { method: method.to_owned(), target: target.clone(), ..Ask::default() };
            let reply = ask(&walk.server.address, &request).await.unwrap();
            let allowed: BTreeSet<&str> = reply.header("allow").unwrap_or("").split(", ").collect();
            if reply.status != 405 || !allowed.is_superset(there) || allowed.contains(method) {
                others.push(format!("{method} {target}: {} allows {allowed:?}, and not {there:?}", reply.status));
            }
        }
    }
    assert!(others.is_empty(), "{}", others.join("\n"));
    assert!(paths.len() > 150, "only {} paths", paths.len());
}
