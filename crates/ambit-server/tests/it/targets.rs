//! Request targets of searches as real clients send them (docs/contract/asm.md §7.1), byte for byte: trailing blanks,
//! escaped colons, plus signs, doubled slashes, empty terms, tokens that are none. What each must find is counted on
//! the small inventory: four entities, two open issues.

use ambit_testkit::{Inventory, TestServer, ask_bytes, inventory};
use serde_json::{Value, json};

/// Sends a request line as it is, with the headers of one tree; gives the status and the answer.
async fn send(server: &TestServer, target: &str) -> (u16, Value) {
    let key = &server.keys["owner"];
    let credential = match target.starts_with("/api/v1/") {
        true => format!("INTRIGUE_ACCESS_KEY: {key}\r\nINTRIGUE_SECRET_KEY: {key}\r\nPROJECT_ID: None\r\n"),
        false => format!("x-apikey: {key}\r\nPROJECT-ID: {}\r\n", server.project),
    };
    let request = format!(
        "GET {target} HTTP/1.1\r\nHost: asm.test\r\nAccept: */*\r\n{credential}x-tool: test\r\nConnection: \
         close\r\n\r\n"
    );
    let reply = ask_bytes(&server.address, request.as_bytes()).await.unwrap();
    (reply.status, reply.json())
}

/// Total and shown search string of a search that must succeed.
async fn found(server: &TestServer, target: &str) -> (u64, String) {
    let (status, answer) = send(server, target).await;
    assert_eq!(status, 200, "{target}: {answer}");
    let result = &answer["result"];
    (result["total_hits"].as_u64().unwrap(), result["search"]["search_string"].as_str().unwrap().to_owned())
}

async fn filled() -> (TestServer, Inventory) {
    let server = TestServer::new().await.unwrap();
    let found = inventory::fill(&server, "Welcome").await.unwrap();
    (server, found)
}

#[tokio::test]
async fn targets_of_real_clients_find_what_they_mean() {
    let (server, inventory) = filled().await;
    let collection = &server.collection_name;
    let grave = inventory.grave_issue;
    for (target, total) in [
        // Blanks as %20, an empty token, a page size that the declaration forbids.
        ("/api/v3/asm/search/issues/severity:2%20last_seen_after:2025-08-01T00:00:00Z?page_size=1000&page_token=".to_owned(), 1),
        ("/api/v3/asm/search/issues/severity:5%20last_seen_after:2025-08-01T00:00:00Z?page_size=1000&page_token=True".to_owned(), 0),
        ("/api/v3/asm/search/issues/severity:2?page_token=null".to_owned(), 1),
        // Quotes escaped, a blank at the end.
        ("/api/v3/asm/search/entities/name:%22www.acme.test%22%20?page_size=100&page=0".to_owned(), 2),
        (
            "/api/v3/asm/search/entities/name:%22a.example%22%20tag:%22t%201%22%20critical_or_high:true%20vuln_count_gte:1%20issue_count_gte:2%20?page_size=100&page=0"
                .to_owned(),
            0,
        ),
        ("/api/v3/asm/search/entities/name:%22www.acme.test%22%20critical_or_high:true%20issue_count_gte:1%20?page_size=100&page=0".to_owned(), 1),
        (
            "/api/v3/asm/search/issues/first_seen_after:2025-01-01T00:00:00Z%20last_seen_after:last_refresh%20severity_lte:3%20status_new:open?page_size=100&page=0"
                .to_owned(),
            1,
        ),
        // The older tree: times without zone, several ids.
        (
            format!("/api/v1/search/issues/severity_lte:2%20status_new:open%20last_seen_before:2999-02-01T12:00:00.000005%20last_seen_after:2025-01-01T00:00:00%20id:i1%20id:{grave}%20?page_size=100&page=0"),
            1,
        ),
        (
            "/api/v1/search/issues/severity_lte:2%20status_new:open%20last_seen_before:2025-02-01T12:00:00.000005%20last_seen_after:2025-01-01T00:00:00%20entity_name:a.example%20id:i1%20id:i2%20entity_uid:e1%20tag:tg%20?page_size=100&page=0"
                .to_owned(),
            0,
        ),
        // Colons escaped.
        (format!("/api/v3/asm/search/issues/severity%3A4%20collection%3A{collection}%20last_seen_after%3A2025-11-15T23%3A57%3A03Z?page_size=1000"), 1),
        ("/api/v3/asm/search/issues/severity%3A4%20collection%3Agoogle%20last_seen_after%3A2025-11-15T23%3A57%3A03Z?page_size=1000".to_owned(), 0),
        // Plus signs between terms.
        ("/api/v3/asm/search/issues/status_new:open+entity_type:Domain+severity_gte:3?page_size=100".to_owned(), 1),
        // A blank for nothing, and nothing in each spelling.
        ("/api/v3/asm/search/issues/%20?page_size=50".to_owned(), 2),
        ("/api/v3/asm/search/issues/".to_owned(), 2),
        ("/api/v3/asm/search/issues".to_owned(), 2),
        ("/api/v3/asm/search/issues?page_size=50".to_owned(), 2),
        ("/api/v3/asm//search//issues/?page=0".to_owned(), 2),
        // Several collections, microseconds, an empty term in front.
        (
            format!("/api/v1/search/issues/collection%3A12341234%20collection%3A{collection}%20last_seen_before%3A2999-04-17T21%3A49%3A54.000000Z%20last_seen_after%3A2020-04-17T21%3A49%3A54.000000Z%20severity_gte%3A1?page=0"),
            2,
        ),
        ("/api/v1/search/issues/collection%3A%20last_seen_before%3A2999-04-17T21%3A49%3A54.000000Z%20severity_gte%3A1?page=0".to_owned(), 2),
        ("/api/v1/search/issues/collection:%20%20severity_lte:%20status_new:open?page=0".to_owned(), 2),
        // Slashes inside the search string, raw, doubled and escaped.
        ("/api/v3/asm/search/entities/name:https://www.acme.test:443?page_size=10".to_owned(), 1),
        ("/api/v3/asm/search/entities/name%3Ahttps%3A%2F%2Fwww.acme.test%3A443".to_owned(), 1),
        // Words of the exporters.
        ("/api/v3/asm/search/entities/last_seen_after:last_refresh?page_size=1000".to_owned(), 4),
        ("/api/v3/asm/search/entities/last_seen_after:last_scan_count_3?page_size=1000&page_token=None".to_owned(), 4),
        ("/api/v3/asm/search/entities/last_seen_after:configured_scan_count?page_token=False".to_owned(), 4),
        ("/api/v3/asm/search/entities/type:!uri%20scoped:true".to_owned(), 3),
        ("/api/v3/asm/search/technologies/collection:none?page_size=1000".to_owned(), 0),
        ("/api/v3/asm/search/technologies/?page_size=1000".to_owned(), 1),
    ] {
        assert_eq!(found(&server, &target).await.0, total, "{target}");
    }
}

#[tokio::test]
async fn objects_are_found_in_every_spelling_of_their_collection() {
    let (server, _) = filled().await;
    for (target, wanted) in [
        ("/api/v3/ip-addresses/203.0.113.7", 200),
        ("/api/v3/ip-addresses/203.0.113.7/votes", 200),
        ("/api/v3/ip-addresses/x/votes", 404),
        ("/api//v3/domains/acme.test", 200),
        ("//api/v3//domains//acme.test//comments", 200),
        ("/api//v3/domains/acme.test/relationships/resolutions", 200),
        ("/api//v3/domains/x", 404),
        ("/api//v3/domains/x/comments", 404),
        ("/api//v3/urls/x", 404),
        ("/api//v3/files/x/votes", 404),
    ] {
        let (status, answer) = send(&server, target).await;
        assert_eq!(status, wanted, "{target}: {answer}");
    }
}

#[tokio::test]
async fn the_search_string_is_shown_decoded_once() {
    let (server, _) = filled().await;
    for (sent, shown) in [
        ("severity%3A2%20status_new%3Aopen", "severity:2 status_new:open"),
        ("%20", " "),
        ("a%2520b", "a%20b"),
        ("a+b:c", "a+b:c"),
        ("bad%zz", "bad%zz"),
        ("/lead", "/lead"),
        ("..%2f..%2fx", "../../x"),
        ("%C3%A9", "é"),
        ("", ""),
    ] {
        for tree in ["/api/v3/asm", "/api/v1"] {
            let (_, text) = found(&server, &format!("{tree}/search/entities/{sent}")).await;
            assert_eq!(text, shown, "{sent}");
        }
    }
}

#[tokio::test]
async fn bytes_that_are_no_text_are_refused_in_the_envelope() {
    let (server, _) = filled().await;
    for tree in ["/api/v3/asm", "/api/v1"] {
        for path in [
            "search/entities/bad%ff",
            "search/issues/%c3%28",
            "search/technologies/%80",
            "tags/issue/%fe",
            "library/issues/%ff",
        ] {
            let (status, answer) = send(&server, &format!("{tree}/{path}")).await;
            assert_eq!((status, &answer["error"]["code"]), (400, &json!("BadRequestError")), "{path}");
        }
    }
}

#[tokio::test]
async fn raw_bytes_in_a_target_are_what_they_are_escaped() {
    let (server, _) = filled().await;
    for raw in ["\"", "|", "^", "\\", "{", "}", "é", "[", "]", "'", "*", "~"] {
        let (status, answer) = send(&server, &format!("/api/v3/asm/search/entities/name:a{raw}b")).await;
        if status == 200 {
            assert_eq!(answer["result"]["search"]["search_string"], format!("name:a{raw}b"), "{raw}");
            continue;
        }
        // An unclosed quote is an error of the search string, which names it.
        assert_eq!((status, &answer["error"]["code"]), (400, &json!("InvalidArgumentError")), "{raw}: {answer}");
    }
}

#[tokio::test]
async fn pages_and_tokens_at_their_edges() {
    let (server, _) = filled().await;
    let search = "/api/v3/asm/search/entities/";
    for (query, status) in [
        ("page_size=0", 200),
        ("page_size=100000", 200),
        ("page_size=-1", 400),
        ("page_size=ten", 400),
        ("page=-1", 400),
        ("page=99999999999999999999", 200),
        ("page_token=nonsense", 400),
        ("page_token=%00", 400),
        ("page_token=a.b.c.d.e", 400),
        ("page_token=&page=", 200),
        ("unknown=1&page_size", 200),
        ("sort_direction=sideways", 400),
        ("sort_field=nothing", 400),
    ] {
        let (found, answer) = send(&server, &format!("{search}?{query}")).await;
        assert_eq!(found, status, "{query}: {answer}");
    }
    let (_, beyond) = send(&server, &format!("{search}?page=500")).await;
    assert_eq!(
        (&beyond["result"]["hits"], &beyond["result"]["more"], &beyond["result"]["total_hits"]),
        (&json!([]), &json!(false), &json!(4))
    );
    let (_, none) = send(&server, &format!("{search}?page_size=0")).await;
    assert_eq!(
        (&none["result"]["hits"], &none["result"]["total_pages"], &none["result"]["next_page_token"]),
        (&json!([]), &json!(0), &Value::Null)
    );
}

/// Connectors ask for a page of issues by their ids, all in one search.
#[tokio::test]
async fn hundreds_of_ids_are_one_search() {
    let (server, inventory) = filled().await;
    let mut ids: Vec<String> = (0..399).map(|number| format!("id:{number:064x}")).collect();
    ids.push(format!("id:{}", inventory.grave_issue));
    let (total, _) =
        found(&server, &format!("/api/v3/asm/search/issues/{}?page_size=100&page=0", ids.join("%20"))).await;
    assert_eq!(total, 1);
}
