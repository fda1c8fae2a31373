//! Who sees a file that somebody uploads for the people of a project, whichever way it is asked for.

use ambit_model::id::blob_hash;
use ambit_testkit::{Ask, Reply, TestServer, ask};
use serde_json::json;

/// Uploads a file with a visibility; nothing stands for no such field.
async fn upload(server: &TestServer, caller: &str, content: &str, visibility: &str, path: &str) -> Reply {
    let field = match visibility {
        "" => String::new(),
        text => format!("--b\r\nContent-Disposition: form-data; name=\"visibility\"\r\n\r\n{text}\r\n"),
    };
    let file = format!("--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"plan of {caller}\"\r\n\r\n");
    let request = Ask {
        method: "POST".to_owned(),
        target: path.to_owned(),
        headers: [("x-apikey", server.keys[caller].as_str()), ("content-type", "multipart/form-data; boundary=b")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .to_vec(),
        body: Some(format!("{field}{file}{content}\r\n--b--\r\n").into_bytes()),
    };
    ask(&server.address, &request).await.unwrap()
}

#[tokio::test]
async fn a_file_of_a_project_is_there_for_its_people_and_for_nobody_else() {
    let server = TestServer::new().await.unwrap();
    let began = upload(&server, "owner", "secret", "project", "/api/v3/files").await;
    assert_eq!(began.status, 200, "{}", began.text());
    let analysis = began.json()["data"]["id"].as_str().unwrap().to_owned();
    let hash = blob_hash(b"secret").to_string();
    let comment = json!({"data": {"type": "comment", "attributes": {"text": "ours"}}});
    let path = format!("/api/v3/files/{hash}/comments");
    let said = server.call("owner", "POST", &path, Some(&comment)).await.unwrap().json();
    let comment = said["data"]["id"].as_str().unwrap().to_owned();
    let ways = [
        format!("/files/{hash}"),
        format!("/files/{hash}/comments"),
        format!("/files/{hash}/submissions"),
        format!("/files/{hash}/votes"),
        format!("/files/{hash}/download"),
        format!("/files/{hash}/download_url"),
        format!("/analyses/{analysis}"),
        format!("/analyses/{analysis}/item"),
        format!("/comments/{comment}"),
    ];
    for way in &ways {
        let status = async |caller: &str, way: &str| {
            server.call(caller, "GET", &format!("/api/v3{way}"), None).await.unwrap().status
        };
        assert_eq!(status("owner", way).await, 200, "{way}");
        let unknown = way.replace(&hash, &"0".repeat(64)).replace(&analysis, "f-0-0");
        let answered = status("stranger", way).await;
        assert!([403, 404].contains(&answered), "{way}: {answered}");
        assert_eq!(answered, status("stranger", &unknown).await, "{way} is told from what is not there");
    }
    for (caller, count) in [("owner", 1), ("member", 1), ("stranger", 0)] {
        for way in ["/intelligence/search?query=entity:file", "/intelligence/search?query=name:plan", "/comments"] {
            let reply = server.call(caller, "GET", &format!("/api/v3{way}"), None).await.unwrap();
            if reply.status == 403 {
                continue;
            }
            assert_eq!(reply.json()["data"].as_array().map(Vec::len), Some(count), "{caller} {way}: {}", reply.text());
        }
        let v2 = format!("/vtapi/v2/file/report?apikey={}&resource={hash}", server.keys[caller]);
        let reply = server.call(caller, "GET", &v2, None).await.unwrap();
        assert_eq!(reply.json()["response_code"], json!(count), "{caller}: {}", reply.text());
    }
    let found = server.call("member", "GET", &format!("/api/v3/files/{hash}"), None).await.unwrap().json();
    let attributes = &found["data"]["attributes"];
    assert_eq!((&attributes["visibility"], &attributes["names"]), (&json!("project"), &json!(["plan of owner"])));
    // The stranger has it as a file of her own, and everybody sees hers.
    let reply = upload(&server, "stranger", "secret", "", "/api/v3/files").await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    let found = server.call("stranger", "GET", &format!("/api/v3/files/{hash}"), None).await.unwrap().json();
    let attributes = &found["data"]["attributes"];
    let names = json!(["plan of stranger"]);
    assert_eq!((&attributes["visibility"], &attributes["names"]), (&json!("installation"), &names));
}

#[tokio::test]
async fn what_is_said_of_a_file_of_a_project_stays_with_its_people_whoever_else_has_the_bytes() {
    let server = TestServer::new().await.unwrap();
    upload(&server, "owner", "plans", "project", "/api/v3/files").await;
    let file = format!("/api/v3/files/{}", blob_hash(b"plans"));
    let comment = json!({"data": {"type": "comment", "attributes": {"text": "ours alone"}}});
    let vote = json!({"data": {"type": "vote", "attributes": {"verdict": "malicious"}}});
    let said = server.call("owner", "POST", &format!("{file}/comments"), Some(&comment)).await.unwrap().json();
    let id = said["data"]["id"].as_str().unwrap().to_owned();
    server.call("owner", "POST", &format!("{file}/votes"), Some(&vote)).await.unwrap().at("/data");
    upload(&server, "stranger", "plans", "installation", "/api/v3/files").await;
    for (caller, count) in [("owner", 1), ("member", 1), ("stranger", 0)] {
        let ways = ["comments", "votes", "relationships/comments"].map(|way| format!("{file}/{way}"));
        for way in ways.iter().map(String::as_str).chain(["/api/v3/comments", "/api/v3/users/owner/comments"]) {
            let found = server.get(caller, way).await.each("/data", "/id");
            assert_eq!(found.len(), count, "{caller} {way}");
        }
        let votes = server.get(caller, &file).await.at("/data/attributes/total_votes");
        assert_eq!(votes, json!({"harmless": 0, "malicious": count}), "{caller}");
        let v2 = format!("/vtapi/v2/comments/get?apikey={}&resource={}", server.keys[caller], blob_hash(b"plans"));
        let found = server.call(caller, "GET", &v2, None).await.unwrap().json();
        assert_eq!(found["comments"].as_array().map(Vec::len), Some(count), "{caller}");
        let one = server.get(caller, &format!("/api/v3/comments/{id}")).await;
        assert_eq!(one.status, if count == 1 { 200 } else { 404 }, "{caller}");
    }
    // What is said of the installation's file is for all who see one.
    server.call("stranger", "POST", &format!("{file}/comments"), Some(&comment)).await.unwrap().at("/data");
    assert_eq!(server.get("member", &format!("{file}/comments")).await.each("/data", "/id").len(), 2);
}

#[tokio::test]
async fn a_visibility_that_there_is_not_is_refused_and_nothing_is_stored() {
    let server = TestServer::new().await.unwrap();
    let reply = upload(&server, "owner", "wrong", "group", "/api/v3/files").await;
    let message = "Unknown visibility \"group\"; known: installation, project";
    assert_eq!((reply.status, &reply.json()["error"]["message"]), (400, &json!(message)));
    let path = format!("/api/v3/files/{}", blob_hash(b"wrong"));
    assert_eq!(server.call("owner", "GET", &path, None).await.unwrap().status, 404);
}
