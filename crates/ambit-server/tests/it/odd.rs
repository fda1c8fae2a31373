//! Values that no good client sends, at each place of each row: an id, a parameter, a member of a body. Whatever comes,
//! the server says what is wrong with it or takes it; it never fails itself.

use ambit_server::{Access, ENDPOINTS, Endpoint, In, MOUNTS, Method, Tree};
use ambit_testkit::kept::{KEEPER, Kept, keep};
use ambit_testkit::{Ask, TestServer, ask};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Texts as they stand in a path or query. Each place is tried with some of them, other places with others.
const TEXTS: &[&str] = &[
    "%00",
    "a%00b",
    "%FF%FE",
    "%E2%80%AE",
    "%EF%BC%97",
    "18446744073709551616",
    "-1",
    "%2B1",
    "1e400",
    "9999-99-99T99:99:99Z",
    "-262144-01-01",
    "%2B262143-12-31T23:59:60Z",
    "0000-00-00",
    "%25",
    "%22",
    "'%20OR%20''='",
    "*",
    "%7B%22",
    "..%2F..%2F",
    "0x7f000001",
    "%5B%3A%3A",
    "a%2Cb%2C%2C",
    "%20",
];
/// How many of them a place is tried with.
const TRIED: usize = 2;
/// Questions after which a minute goes by, so that no limit of a minute ends the walk.
const OF_A_MINUTE: usize = 50;

/// Values as members of a body.
fn values() -> Vec<Value> {
    let mut deep = json!([]);
    for _ in 0..60 {
        deep = json!([deep]);
    }
    vec![
        json!(null),
        json!(true),
        json!(-1),
        json!(1.5),
        json!(1e308),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(""),
        json!("\0"),
        json!("a\0b\u{202e}"),
        json!("x".repeat(70_000)),
        json!([]),
        json!({}),
        json!([null, 1, "", {}]),
        json!({"": {"$ref": "x"}}),
        json!("9999-99-99T99:99:99Z"),
        json!("+262143-12-31"),
        deep,
    ]
}

/// A server, and what went wrong at it.
struct Walk {
    server: TestServer,
    kept: Kept,
    asked: usize,
    failed: BTreeSet<String>,
}

impl Walk {
    async fn new() -> Self {
        let mut server = TestServer::new().await.unwrap();
        let kept = keep(&mut server).await.unwrap();
        Self { server, kept, asked: 0, failed: BTreeSet::new() }
    }

    /// Asks as the keeper of everything, and notes a failure of the server and a refusal without its reason.
    async fn ask(&mut self, row: &Endpoint, target: String, body: Option<Vec<u8>>) {
        self.asked += 1;
        if self.asked.is_multiple_of(OF_A_MINUTE) {
            self.server.advance(60_000);
        }
        let key = self.server.keys[KEEPER].clone();
        let (mut target, mut headers) = (target, Vec::new());
        match row.tree {
            Tree::V2 => target.push_str(&format!("{}apikey={key}", if target.contains('?') { '&' } else { '?' })),
            _ => headers.push(("x-apikey".to_owned(), key)),
        }
        let request = Ask { method: row.method.name().to_owned(), target: target.clone(), headers, body };
        let place = format!("{} {}", request.method, &target[..target.len().min(200)]);
        let reply = ask(&self.server.address, &request).await.unwrap();
        let has_reason = row.tree == Tree::V2 || reply.status < 400 || reply.json()["error"]["code"].is_string();
        if reply.status >= 500 || reply.status == 429 || !has_reason {
            let sent = request.body.map(|body| String::from_utf8_lossy(&body[..body.len().min(300)]).into_owned());
            self.failed.insert(format!("{place} {sent:?}: {} {}", reply.status, reply.text()));
        }
    }

    /// Nothing went wrong, at more than a few places.
    fn end(self) {
        assert_eq!(self.failed, BTreeSet::new());
        assert!(self.asked > 300, "only {} were asked", self.asked);
    }

    /// Where a row is, with ids of the keeper's where it has any; `None` for what would end the walk.
    fn target(&self, row: &Endpoint) -> Option<String> {
        match self.kept.targets(row) {
            Some(two) => Some(two.kept.split('?').next().unwrap_or_default().to_owned()),
            None => {
                let target = format!("{}{}", prefix(row), row.path);
                (!target.contains('{')).then_some(target)
            }
        }
    }
}

fn prefix(row: &Endpoint) -> &'static str {
    MOUNTS.iter().find(|mount| mount.tree == row.tree).unwrap().prefix
}

/// Rows that are walked over: streams end only with the server, and signing out ends the walk.
fn rows() -> impl Iterator<Item = (usize, &'static Endpoint)> {
    let ends = |row: &Endpoint| row.path.ends_with("/events") || row.path.starts_with("/sign_");
    ENDPOINTS.iter().filter(move |row| row.access != Access::Open && !ends(row)).enumerate()
}

/// Some of a list, beginning elsewhere for each place.
fn some<T: Clone>(all: &[T], place: usize) -> impl Iterator<Item = T> + '_ {
    (0..TRIED).map(move |step| all[(place * 5 + step * 7) % all.len()].clone())
}

#[tokio::test]
async fn an_id_that_is_none_is_refused_at_each_place_of_each_path() {
    let mut walk = Walk::new().await;
    for (index, row) in rows() {
        let parts: Vec<&str> = row.path.split('/').collect();
        for (at, _) in parts.iter().enumerate().filter(|(_, part)| part.starts_with('{')) {
            for text in some(TEXTS, index + at) {
                let path = parts.iter().enumerate().map(|(other, part)| match part.starts_with('{') {
                    true if other == at => text,
                    true => "0",
                    false => part,
                });
                let target = format!("{}{}", prefix(row), path.collect::<Vec<_>>().join("/"));
                walk.ask(row, target, row.body.map(|_| b"{}".to_vec())).await;
            }
        }
    }
    walk.end();
}

#[tokio::test]
async fn a_parameter_that_is_none_is_refused_or_passed_over() {
    let mut walk = Walk::new().await;
    for (index, row) in rows().filter(|(_, row)| row.method == Method::Get) {
        let Some(target) = walk.target(row) else { continue };
        let own = row.parameters().into_iter().filter(|one| one.place == In::Query).map(|one| one.name);
        let beside = ["limit", "cursor"];
        let names: BTreeSet<&str> = own.chain(beside.into_iter().filter(|_| row.tree.is_metered())).collect();
        for (at, name) in names.into_iter().enumerate() {
            for text in some(TEXTS, index + at) {
                walk.ask(row, format!("{target}?{name}={text}"), None).await;
            }
        }
    }
    walk.end();
}

#[tokio::test]
async fn a_body_that_is_none_is_refused_member_by_member() {
    let mut walk = Walk::new().await;
    let values = values();
    for (index, row) in rows().filter(|(_, row)| row.method != Method::Delete) {
        let (Some(target), Some((shape, _))) = (walk.target(row), row.body) else { continue };
        let example = shape.example();
        for text in ["", "[]", "\"x\"", "{\"a\":", "\u{feff}{}", "{\"a\":1,\"a\":2}"] {
            walk.ask(row, target.clone(), Some(text.as_bytes().to_vec())).await;
        }
        for (at, name) in shape.names().enumerate() {
            for value in some(&values, index + at) {
                let mut body = example.clone();
                body[name] = value;
                walk.ask(row, target.clone(), Some(body.to_string().into_bytes())).await;
            }
        }
    }
    walk.end();
}
