//! People at once on one issue: every status, tag and note is answered, none is lost, and the search that follows shows
//! the result.

use ambit_model::issue::Status;
use ambit_testkit::{TestServer, inventory};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Writers of each sort.
const WRITERS: usize = 50;

#[tokio::test]
async fn fifty_statuses_tags_and_notes_at_once_are_all_kept() {
    let server = TestServer::new().await.unwrap();
    let found = inventory::fill(&server, "Welcome").await.unwrap();
    let calls = (0..WRITERS).flat_map(|number| {
        [
            (format!("issues/{}/status", found.issue), json!({"status": Status::ALL[number % Status::ALL.len()]})),
            (format!("tags/issue/{}", found.issue), json!({"tag_name": format!("tag-{number:02}")})),
            (format!("notes/issue/{}", found.issue), json!({"note_text": format!("note {number:02}")})),
        ]
    });
    let calls = calls.map(|(path, body)| {
        let server = &server;
        async move {
            let reply = server.call("analyst", "POST", &format!("/api/v3/asm/{path}"), Some(&body)).await.unwrap();
            (path, reply.status)
        }
    });
    let answers = futures::future::join_all(calls).await;
    assert!(answers.iter().all(|(_, status)| *status == 200), "{answers:?}");

    let read = async |path: String| server.get("viewer", &path).await.at("/result");
    let tags = read(format!("/api/v3/asm/tags/issue/{}", found.issue)).await;
    let wanted: Vec<String> = (0..WRITERS).map(|number| format!("tag-{number:02}")).collect();
    assert_eq!(tags, json!(wanted));
    let notes =
        server.get("viewer", &format!("/api/v3/asm/notes/issue/{}", found.issue)).await.each("/result", "/note");
    let texts: BTreeSet<&str> = notes.iter().filter_map(Value::as_str).collect();
    assert_eq!((texts.len(), notes.len()), (WRITERS, WRITERS));

    // The last status that was written down is the one that stays, in the detail and in the search.
    let audit = server.get("owner", "/api/ambit/v1/audit?limit=1000").await.each("/result", "");
    let rows = |action: &str| -> Vec<Value> {
        audit.iter().filter(|row| row["action"] == action).map(|row| row["details"].clone()).collect()
    };
    let statuses = rows("issue.status");
    assert_eq!((statuses.len(), rows("issue.tag").len(), rows("issue.note.create").len()), (WRITERS, WRITERS, WRITERS));
    let detail = read(format!("/api/v3/asm/issues/{}", found.issue)).await;
    assert_eq!(detail["status"], statuses[0]["to"]);
    let hits = read("/api/v3/asm/search/issues/tag:tag-07%20name:dns_caa_missing".to_owned()).await;
    assert_eq!(hits["total_hits"], 1);
    assert_eq!((&hits["hits"][0]["summary"]["status"], &hits["hits"][0]["tags"]), (&detail["status"], &tags));

    // Each change of the record is a version: those that changed the status, and each tag.
    let moved = statuses.iter().filter(|row| row["from"] != row["to"]).count();
    let changes = server.get("owner", "/api/ambit/v1/changes?limit=1000").await.each("/result/changes", "");
    let of_issue = changes.iter().filter(|change| change["id"] == json!(found.issue) && change["person"] == true);
    assert_eq!(of_issue.count(), moved + WRITERS);
}
