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
async fn a_visibility_that_there_is_not_is_refused_and_nothing_is_stored() {
    let server = TestServer::new().await.unwrap();
    let reply = upload(&server, "owner", "wrong", "group", "/api/v3/files").await;
    let message = "Unknown visibility \"group\"; known: installation, project";
    assert_eq!((reply.status, &reply.json()["error"]["message"]), (400, &json!(message)));
    let path = format!("/api/v3/files/{}", blob_hash(b"wrong"));
    assert_eq!(server.call("owner", "GET", &path, None).await.unwrap().status, 404);
}
