//! Who may do what with a graph: two groups, three users besides its owner, private and public graphs, every endpoint
//! of graphs.

use ambit_server::{ENDPOINTS, Tree};
use ambit_testkit::TestServer;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Who somebody is to the graphs that a test makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    Owner,
    /// On the list of editors, by name or by group.
    Editor,
    /// On the list of viewers, by name or by group.
    Viewer,
    /// On no list.
    Nobody,
}

/// What an endpoint needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Needs {
    View,
    Edit,
    Own,
    /// Needs no graph: searches and creations.
    Nothing,
}

/// Every endpoint of graphs with what it needs and how it is called; `GRAPH` stands for the graph, `MEMBER` for
/// somebody on its lists.
const CALLS: &[(&str, &str, Needs, &str)] = &[
    ("GET", "/graphs", Needs::Nothing, ""),
    ("POST", "/graphs", Needs::Nothing, ""),
    ("GET", "/graphs/GRAPH", Needs::View, ""),
    ("GET", "/graphs/GRAPH/items", Needs::View, ""),
    ("GET", "/graphs/GRAPH/screenshot", Needs::View, ""),
    ("GET", "/graphs/GRAPH/comments", Needs::View, ""),
    ("POST", "/graphs/GRAPH/comments", Needs::View, r#"{"data":{"type":"comment","attributes":{"text":"seen"}}}"#),
    ("GET", "/graphs/GRAPH/owner", Needs::View, ""),
    ("GET", "/graphs/GRAPH/relationships/viewers", Needs::View, ""),
    ("GET", "/graphs/GRAPH/relationships/editors/MEMBER", Needs::View, ""),
    ("POST", "/graphs/GRAPH/viewers", Needs::Edit, r#"{"data":[{"type":"user","id":"MEMBER"}]}"#),
    ("POST", "/graphs/GRAPH/relationships/viewers", Needs::Edit, r#"{"data":[{"type":"user","id":"MEMBER"}]}"#),
    (
        "PATCH",
        "/graphs/GRAPH",
        Needs::Edit,
        r#"{"data":{"type":"graph","attributes":{"graph_data":{"description":"changed"}}}}"#,
    ),
    ("DELETE", "/graphs/GRAPH/relationships/viewers/MEMBER", Needs::Edit, ""),
    ("DELETE", "/graphs/GRAPH", Needs::Own, ""),
];

fn expected(who: Who, needs: Needs, private: bool) -> u16 {
    let sees = !private || who != Who::Nobody;
    match needs {
        Needs::Nothing => 200,
        _ if !sees => 404,
        Needs::View => 200,
        Needs::Edit if matches!(who, Who::Owner | Who::Editor) => 200,
        Needs::Own if who == Who::Owner => 200,
        Needs::Edit | Needs::Own => 403,
    }
}

/// A graph of the owner's: `admin` and the group `red` edit it, `analyst` and the group `blue` see it.
async fn graph(server: &TestServer, private: bool) -> String {
    let new = json!({"data": {"type": "graph", "attributes": {
        "graph_data": {"description": "the graph", "version": "1"},
        "nodes": [{"type": "domain", "entity_id": "acme.test", "index": 0, "x": 0, "y": 0}],
        "links": [],
        "private": private,
    }}});
    let made = server.call("owner", "POST", "/api/v3/graphs", Some(&new)).await.unwrap();
    assert_eq!(made.status, 200, "{}", made.text());
    let id = made.json()["data"]["id"].as_str().unwrap().to_owned();
    for (list, members) in
        [("editors", [("user", "admin"), ("group", "red")]), ("viewers", [("user", "analyst"), ("group", "blue")])]
    {
        let members: Vec<Value> = members.iter().map(|(kind, id)| json!({"type": kind, "id": id})).collect();
        let target = format!("/api/v3/graphs/{id}/{list}");
        let added = server.call("owner", "POST", &target, Some(&json!({"data": members}))).await.unwrap();
        assert_eq!(added.status, 200, "{}", added.text());
    }
    id
}

async fn server() -> TestServer {
    let server = TestServer::new().await.unwrap();
    let groups =
        BTreeMap::from([("red".to_owned(), vec!["viewer".to_owned()]), ("blue".to_owned(), vec!["member".to_owned()])]);
    server.add_groups(&groups).await.unwrap();
    server
}

/// Callers: the owner; an editor and a viewer by name; an editor and a viewer by group; a stranger.
const CALLERS: [(&str, Who); 6] = [
    ("owner", Who::Owner),
    ("admin", Who::Editor),
    ("viewer", Who::Editor),
    ("analyst", Who::Viewer),
    ("member", Who::Viewer),
    ("stranger", Who::Nobody),
];

#[tokio::test]
async fn everybody_may_do_what_the_lists_say_and_nothing_else() {
    let server = server().await;
    let mut differs = Vec::new();
    for private in [false, true] {
        for (caller, who) in CALLERS {
            for (method, path, needs, body) in CALLS {
                let id = graph(&server, private).await;
                let filled = |text: &str| text.replace("GRAPH", &id).replace("MEMBER", "analyst");
                let target = format!("/api/v3{}", filled(path));
                let body: Option<Value> = (!body.is_empty()).then(|| serde_json::from_str(&filled(body)).unwrap());
                let reply = server.call(caller, method, &target, body.as_ref()).await.unwrap();
                let wanted = expected(who, *needs, private);
                if reply.status != wanted {
                    differs.push(format!(
                        "{caller} {method} {path} private={private}: {} instead of {wanted}",
                        reply.status
                    ));
                }
                // A refused change changed nothing.
                if wanted != 200 {
                    let found =
                        server.call("owner", "GET", &format!("/api/v3/graphs/{id}"), None).await.unwrap().json();
                    let name = &found["data"]["attributes"]["graph_data"]["description"];
                    assert_eq!(name, "the graph", "{caller} {method} {path}");
                }
                let gone = server.call("owner", "DELETE", &format!("/api/v3/graphs/{id}"), None).await.unwrap();
                assert!([200, 404].contains(&gone.status));
            }
        }
    }
    assert_eq!(differs, Vec::<String>::new());
}

#[tokio::test]
async fn searches_and_lists_show_what_the_caller_may_see() {
    let server = server().await;
    let (public, private) = (graph(&server, false).await, graph(&server, true).await);
    for (caller, who) in CALLERS {
        for target in ["/api/v3/graphs?filter=name:graph", "/api/v3/users/owner/graphs"] {
            let found = server.get(caller, target).await.each("/data", "/id");
            let ids: BTreeSet<&str> = found.iter().filter_map(Value::as_str).collect();
            let mut wanted = BTreeSet::from([public.as_str()]);
            if who != Who::Nobody {
                wanted.insert(private.as_str());
            }
            assert_eq!(ids, wanted, "{caller} {target}");
        }
    }
}

/// A row that is not in the table above would be in no matrix.
#[test]
fn every_endpoint_of_graphs_is_in_the_matrix() {
    let fits = |pattern: &str, path: &str| {
        let (pattern, path): (Vec<&str>, Vec<&str>) = (pattern.split('/').collect(), path.split('/').collect());
        pattern.len() == path.len()
            && pattern.iter().zip(&path).all(|(part, segment)| part.starts_with('{') || part == segment)
    };
    let missing: Vec<String> = ENDPOINTS
        .iter()
        .filter(|row| row.tree == Tree::Wider && (row.path == "/graphs" || row.path.starts_with("/graphs/")))
        .filter(|row| !CALLS.iter().any(|(method, path, _, _)| *method == row.method.name() && fits(row.path, path)))
        .map(|row| format!("{} {}", row.method.name(), row.path))
        .collect();
    assert_eq!(missing, Vec::<String>::new());
}
