//! Who may find out which addresses have an account: the person, who stands above the person, and nobody by trying
//! many.

use ambit_testkit::{Reply, TestServer};
use serde_json::{Value, json};

async fn get(server: &TestServer, caller: &str, target: &str) -> Reply {
    server.call(caller, "GET", target, None).await.unwrap()
}

async fn post(server: &TestServer, caller: &str, target: &str, body: &Value) -> Reply {
    server.call(caller, "POST", target, Some(body)).await.unwrap()
}

/// The answer without the name that was asked for.
fn told(reply: &Reply, name: &str) -> (u16, String) {
    (reply.status, reply.text().replace(name, "NAME"))
}

#[tokio::test]
async fn an_address_of_somebody_else_is_answered_like_one_that_nobody_has() {
    let server = TestServer::new().await.unwrap();
    for path in ["", "/overall_quotas", "/api_usage", "/graphs", "/comments", "/relationships/comments"] {
        let mut answers = Vec::new();
        for name in ["owner@acme.test", "analyst@acme.test", "nobody@acme.test"] {
            answers.push(told(&get(&server, "stranger", &format!("/api/v3/users/{name}{path}")).await, name));
        }
        assert_eq!(answers[1], answers[2], "{path}");
        assert_eq!(answers[0].0, 404, "{path}: {}", answers[0].1);
    }
    for name in ["analyst@acme.test", "nobody@acme.test"] {
        let refused = post(&server, "stranger", "/api/ambit/v1/keys", &json!({"user": name})).await;
        assert_eq!(refused.status, 403, "{name}: {}", refused.text());
    }
    assert_eq!(get(&server, "analyst", "/api/v3/users/analyst@acme.test").await.status, 200, "one's own");
    assert_eq!(get(&server, "owner", "/api/v3/users/analyst@acme.test").await.status, 200, "the administrator");
    let own = post(&server, "analyst", "/api/ambit/v1/keys", &json!({"user": "Analyst@acme.test"})).await;
    assert_eq!(own.status, 200, "{}", own.text());
}

/// A thousand addresses can be tried nowhere: after some hundred that nobody had, what is shared by address is refused
/// for an hour.
#[tokio::test]
async fn of_many_addresses_it_is_not_told_which_somebody_has() {
    let server = TestServer::new().await.unwrap();
    let body = json!({"name": "mine"});
    let made = post(&server, "stranger", "/api/v3/asm/projects", &body).await.json();
    let bulk = format!("/api/v3/asm/projects/{}/users/bulk", made["result"]["uuid"].as_str().unwrap());
    let people = |emails: Vec<String>| json!({"emails": emails, "role": "member"});
    let known = || vec!["analyst@acme.test".to_owned(), "viewer@acme.test".to_owned()];
    let many = |count: usize| (0..count).map(|number| format!("n{number}@acme.test")).collect::<Vec<_>>();
    for _ in 0..150 {
        assert_eq!(post(&server, "stranger", &bulk, &people(known())).await.status, 200, "known ones are not counted");
    }
    let refused = post(&server, "stranger", &bulk, &people(many(1_000))).await;
    assert_eq!((refused.status, refused.header("retry-after")), (429, Some("3600")), "{}", refused.text());
    assert!(refused.text().contains("name fewer in one call"), "{}", refused.text());
    let some = [known(), many(190)].concat();
    assert_eq!(post(&server, "stranger", &bulk, &people(some)).await.status, 200);
    // What is left is for every way in which something is shared.
    let graph = json!({"data": {"type": "graph", "attributes": {"graph_data": {"description": "mine"}}}});
    let graph = post(&server, "stranger", "/api/v3/graphs", &graph).await.json();
    let viewers = format!("/api/v3/graphs/{}/relationships/viewers", graph["data"]["id"].as_str().unwrap());
    let to = |name: &str| json!({"data": [{"type": "user", "id": name}]});
    for (number, status) in [(0, 404), (1, 404)] {
        let reply = post(&server, "stranger", &viewers, &to(&format!("m{number}@acme.test"))).await;
        assert_eq!(reply.status, status, "{}", reply.text());
    }
    assert_eq!(post(&server, "stranger", &bulk, &people(many(8))).await.status, 404, "nobody of them is there");
    for name in ["analyst@acme.test", "nobody@acme.test"] {
        assert_eq!(post(&server, "stranger", &viewers, &to(name)).await.status, 429, "{name}");
        assert_eq!(post(&server, "stranger", &bulk, &people(vec![name.to_owned()])).await.status, 429, "{name}");
    }
    assert_eq!(post(&server, "stranger", &viewers, &to("analyst")).await.status, 200, "usernames are public");
    server.advance(3_600_000);
    assert_eq!(post(&server, "stranger", &viewers, &to("viewer@acme.test")).await.status, 200);
    let owner = post(&server, "owner", &bulk, &people(many(1_000))).await;
    assert_ne!(owner.status, 429, "the administrator is not bound");
}
