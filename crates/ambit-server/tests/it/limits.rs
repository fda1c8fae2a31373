//! As much as is allowed and one more: texts, lists, numbers. A row is a request at its limit or just beyond it; the
//! answers stand in `limits.txt`, so that a limit that moves is read as a diff.

use ambit_testkit::{Refused, TestServer, assert_file, inventory};
use serde::Deserialize;
use serde_json::Value;

/// Method, target and body. `ENTITY`, `ISSUE`, `COLLECTION` and `PROJECT` are the owner's; `<7>` stands for seven
/// letters, and `<1..3:"x#">` for `"x1","x2","x3"`.
const ASKED: &[(&str, &str, &str)] = &[
    ("POST", "/api/v3/asm/notes/entity/ENTITY", r#"{"note_text":"<50000>"}"#),
    ("POST", "/api/v3/asm/notes/entity/ENTITY", r#"{"note_text":"<50001>"}"#),
    ("POST", "/api/v3/asm/notes/entity/ENTITY", r#"{"note_text":""}"#),
    ("POST", "/api/v3/asm/notes/entity/ENTITY", r#"{"note_text":"  "}"#),
    ("POST", "/api/v3/asm/notes/thing/ENTITY", r#"{"note_text":"x"}"#),
    ("POST", "/api/v3/asm/tags/entity/ENTITY", r#"{"tag_name":"<100>"}"#),
    ("POST", "/api/v3/asm/tags/entity/ENTITY", r#"{"tag_name":"<101>"}"#),
    ("POST", "/api/v3/asm/tags/entity/ENTITY", r#"{"tag_name":" "}"#),
    ("POST", "/api/v3/asm/tags/entity/ENTITY", r#"{"tag_name":"a\u0000b"}"#),
    ("DELETE", "/api/v3/asm/tags/entity/ENTITY/none", ""),
    ("POST", "/api/v3/asm/issues/ISSUE/status", r#"{"status":"open_triaged"}"#),
    ("POST", "/api/v3/asm/issues/ISSUE/status", r#"{"status":"opened"}"#),
    ("POST", "/api/v3/asm/projects", r#"{"name":"<200>"}"#),
    ("POST", "/api/v3/asm/projects", r#"{"name":"<201>"}"#),
    ("POST", "/api/v3/asm/projects", r#"{"name":""}"#),
    ("PATCH", "/api/v3/asm/projects/PROJECT", r#"{"description":"<10000>"}"#),
    ("PATCH", "/api/v3/asm/projects/PROJECT", r#"{"description":"<10001>"}"#),
    ("POST", "/api/v3/asm/projects/PROJECT/users/bulk", r#"{"emails":[<1..1001:"a#@acme.test">],"role":"member"}"#),
    ("POST", "/api/v3/asm/projects/PROJECT/users/bulk", r#"{"emails":["a@acme.test"],"role":"king"}"#),
    (
        "POST",
        "/api/v3/asm/user_collections/COLLECTION/user_entities",
        r#"{"entities":[{"name":"x","type":"IpAddress"}]}"#,
    ),
    (
        "POST",
        "/api/v3/asm/user_collections/COLLECTION/user_entities",
        r#"{"entities":[{"name":"x.test","type":"Thing"}]}"#,
    ),
    ("POST", "/api/v3/asm/user_collections/COLLECTION/user_entities", r#"{"entities":[]}"#),
    ("POST", "/api/v3/asm/user_collections/COLLECTION/collection_project_users", r#"{"user":"viewer","role":"king"}"#),
    (
        "POST",
        "/api/v3/asm/user_collections/COLLECTION/collection_project_users",
        r#"{"user":"nobody","role":"viewer"}"#,
    ),
    ("PATCH", "/api/v3/asm/user_collections/COLLECTION", r#"{"auto_refresh_schedule":"hourly"}"#),
    ("GET", "/api/v3/asm/search/entities/a?page_size=1000", ""),
    ("GET", "/api/v3/asm/search/entities/a?page_size=1001", ""),
    ("GET", "/api/v3/asm/search/entities/a?page_size=0", ""),
    ("GET", "/api/v3/asm/search/entities/a?page_size=-1", ""),
    ("GET", "/api/v3/asm/search/entities/a?page=-1", ""),
    ("GET", "/api/v3/asm/search/entities/a?page=10000", ""),
    ("GET", "/api/v3/asm/search/entities/a?page_token=none", ""),
    ("GET", "/api/v3/asm/search/entities/severity:9", ""),
    ("GET", "/api/v3/asm/search/issues/severity:9", ""),
    ("GET", "/api/v3/asm/search/entities/last_seen_after:soon", ""),
    ("GET", "/api/v3/asm/entities/ENTITY?as_of=soon", ""),
    ("GET", "/api/v3/asm/time_series/point_in_time/entities/ENTITY?point_in_time=soon", ""),
    ("GET", "/api/v3/asm/time_series/point_in_time/entities/ENTITY", ""),
    ("POST", "/api/v3/comments", r#"{"data":{"type":"comment","attributes":{"text":"x"}}}"#),
    ("POST", "/api/v3/domains/acme.test/comments", r#"{"data":{"type":"comment","attributes":{"text":"<10000>"}}}"#),
    ("POST", "/api/v3/domains/acme.test/comments", r#"{"data":{"type":"comment","attributes":{"text":"<10001>"}}}"#),
    ("POST", "/api/v3/domains/acme.test/votes", r#"{"data":{"type":"vote","attributes":{"verdict":"odd"}}}"#),
    ("POST", "/api/v3/collections", r#"{"data":{"type":"collection","attributes":{"name":"<200>"}}}"#),
    ("POST", "/api/v3/collections", r#"{"data":{"type":"collection","attributes":{"name":"<201>"}}}"#),
    ("POST", "/api/v3/collections", r#"{"data":{"type":"collection","attributes":{"name":"x","private":"yes"}}}"#),
    ("POST", "/api/v3/collections", r#"{"data":{"type":"domain","attributes":{"name":"x"}}}"#),
    ("POST", "/api/v3/collections", r#"{"data":{"attributes":{"name":"x"}}}"#),
    ("POST", "/api/v3/graphs", r#"{"data":{"attributes":{"nodes":[{"x":18446744073709551615}]}}}"#),
    ("POST", "/api/v3/graphs", r#"{"data":{"attributes":{"nodes":[{"x":18446744073709551616}]}}}"#),
    ("POST", "/api/v3/graphs", r#"{"data":{"attributes":{"nodes":[{"x":18446744073709552000}]}}}"#),
    ("POST", "/api/v3/intelligence/zip_files", r#"{"data":{"hashes":[]}}"#),
    ("POST", "/api/v3/intelligence/zip_files", r#"{"data":{"hashes":[<1..101:"h#">]}}"#),
    ("GET", "/api/v3/graphs?filter=views_count:18446744073709551616", ""),
    ("GET", "/api/v3/intelligence/search?query=size:18446744073709551616%2B", ""),
    ("GET", "/api/v3/comments?limit=40", ""),
    ("GET", "/api/v3/comments?limit=41", ""),
    ("GET", "/api/v3/comments?limit=0", ""),
    ("GET", "/api/v3/comments?limit=x", ""),
    ("GET", "/api/v3/comments?cursor=none", ""),
    ("GET", "/api/v3/search?query=<4096>", ""),
    ("GET", "/api/v3/search?query=<4097>", ""),
    ("POST", "/api/ambit/v1/keys", r#"{"label":"<200>"}"#),
    ("POST", "/api/ambit/v1/keys", r#"{"label":"<201>"}"#),
    ("POST", "/api/ambit/v1/keys", r#"{"label":"x","expires_at":"2001-01-01"}"#),
    ("POST", "/api/ambit/v1/keys", r#"{"label":"x","expires_at":"soon"}"#),
    ("GET", "/api/ambit/v1/changes?after=-1", ""),
    ("GET", "/api/ambit/v1/changes?limit=x", ""),
    ("GET", "/api/ambit/v1/audit?limit=x", ""),
    ("GET", "/<9000>", ""),
];

/// A text with what its brackets stand for.
fn written(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        let (inside, behind) = after.split_once('>').unwrap();
        out.push_str(before);
        out.push_str(&match inside.split_once(':') {
            None => "x".repeat(inside.parse().unwrap()),
            Some((range, item)) => {
                let (first, last) = range.split_once("..").unwrap();
                let numbers = first.parse::<usize>().unwrap()..=last.parse().unwrap();
                numbers.map(|number| item.replace('#', &number.to_string())).collect::<Vec<_>>().join(",")
            }
        });
        rest = behind;
    }
    out + rest
}

#[derive(Deserialize)]
struct Collection {
    uuid: String,
    name: String,
}

#[tokio::test]
async fn as_much_as_is_allowed_and_no_more() {
    let server = TestServer::new().await.unwrap();
    let found = inventory::fill(&server, "Welcome").await.unwrap();
    let owner = server.by("owner");
    let collections: Vec<Collection> = owner.get("/api/v3/asm/user_collections").await;
    assert_eq!(collections.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), [server.collection_name.as_str()]);
    let places = [
        ("ENTITY", found.domain.to_string()),
        ("ISSUE", found.issue.to_string()),
        ("COLLECTION", collections[0].uuid.clone()),
        ("PROJECT", server.project_uuid.to_string()),
    ];
    let mut told = String::new();
    for (method, target, body) in ASKED {
        let put = |text: &str| places.iter().fold(written(text), |text, (name, id)| text.replace(name, id));
        let outcome: Result<Value, Refused> = owner.attempt(method, &put(target), &put(body)).await;
        let said = match outcome {
            Ok(_) => "done".to_owned(),
            Err(refused) => places.iter().fold(refused.to_string(), |text, (name, id)| text.replace(id, name)),
        };
        let said: String = said.chars().take(200).collect();
        told.push_str(&format!("{}\n  {said}\n", format!("{method} {target} {body}").trim_end()));
    }
    assert_file("crates/ambit-server/tests/it/limits.txt", &told);
}
