//! Packages of apps that are uploaded to a server: the newest one of an app that is a seed is read by its run, and one
//! that nobody uploaded is asked for.

use crate::cloud::Installation;
use crate::program::{Folder, scan_text, succeed};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;

const WORKFLOW: &str = "mobile_app_discovery";
const WORLD: &str = include_str!("../../../../worlds/estate.world");

/// Uploads bytes as a file.
fn upload(at: &Installation, name: &str, bytes: &[u8]) {
    let before = format!("--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n");
    let body = [before.as_bytes(), bytes, b"\r\n--b--\r\n"].concat();
    let mut stream = TcpStream::connect(at.address()).expect("connects");
    let head = format!(
        "POST /api/v3/files HTTP/1.1\r\nHost: localhost\r\nX-Apikey: {}\r\nContent-Type: multipart/form-data; \
         boundary=b\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        at.key(),
        body.len()
    );
    stream.write_all(&[head.as_bytes(), &body].concat()).expect("is sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("is answered");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[test]
fn an_uploaded_package_is_read_where_its_app_is_a_seed_and_a_missing_one_is_asked_for() {
    // The simulated internet makes packages, one for each app.
    let folder = Folder::new("uploaded-apps-made");
    scan_text(&folder, WORLD, &["--workflow", WORKFLOW]);
    let made = std::fs::read_dir(folder.join("data").join("apps")).expect("packages are made");
    let packages: Vec<(String, Vec<u8>)> = made
        .map(|entry| entry.expect("can be read").path())
        .map(|path| (path.to_string_lossy().into_owned(), std::fs::read(&path).expect("can be read")))
        .collect();
    assert!(packages.len() >= 4, "{}", packages.len());

    let at = Installation::asking("uploaded-apps", &[]);
    let uuid = at.tell(&["collection", "create", "Apps", "--workflow", WORKFLOW]).trim().to_owned();
    let (status, answer) = at.ask(
        "POST",
        &format!("/user_collections/{uuid}/user_entities"),
        &json!({"name": "test.acme.till", "type": "AndroidApp"}),
    );
    assert_eq!(status, 200, "{answer}");
    let collections = at.rows(&["collection", "list"]);
    let name = collections[0]["name"].as_str().expect("text").to_owned();
    let said = at.run(&name)["not_done"].to_string();
    assert!(said.contains("nobody gave its package: upload it to the server"), "{said}");

    upload(&at, "notes.zip", b"PK\x03\x04 and nothing that is an archive");
    for (path, bytes) in &packages {
        upload(&at, path, bytes);
    }
    let run = at.run(&name);
    let failed = run["not_done"].as_array().expect("a list").iter().filter(|row| row["task"] == "app_package");
    assert_eq!(failed.collect::<Vec<&Value>>(), Vec::<&Value>::new(), "{run}");
    at.finds(&name, "AndroidApp", &BTreeSet::from(["test.acme.till".to_owned()]));
    at.finds(&name, "AppEndpoint", &BTreeSet::from(["https://till.acme.test:443/api/v2/orders".to_owned()]));
    let issues = at.rows(&["issues", &format!("collection:{name}")]);
    let issues: BTreeSet<&str> = issues.iter().filter_map(|issue| issue["name"].as_str()).collect();
    assert!(issues.contains("app_debug_certificate"), "{issues:?}");
}

#[test]
fn projects_of_firebase_that_an_app_names_are_told_and_nobody_asks_them() {
    let folder = Folder::new("firebase");
    let contacts = folder.join("contacts.jsonl");
    let path = contacts.to_str().expect("UTF-8");
    let found = scan_text(&folder, WORLD, &["--workflow", WORKFLOW, "--contacts", path]);
    assert_eq!((found.figure("missed"), found.figure("unexpected")), (0, 0), "{}", found.summary);
    let named = |name: &str| found.entities.values().find(|entity| entity["name"] == name);
    let (database, bucket) = ("https://acme-shop-default-rtdb.firebaseio.com", "acme-shop.appspot.com");
    for lead in [format!("{database}:443"), format!("https://storage.googleapis.com/{bucket}")] {
        let known = named(&lead).unwrap_or_else(|| panic!("{lead} is named by the app"));
        assert_ne!(known["summary"]["scoped"], true, "nothing shows that it is theirs: {known}");
    }
    let is_app = |entity: &&Value| entity["name"] == "test.acme.shop" && entity["type"].to_string().contains("IosApp");
    let app = found.entities.values().find(is_app).expect("it is a seed");
    let data = folder.join("data");
    let uid = app["id"].as_str().expect("text");
    let raw = succeed(&["entity", "raw", uid, "--data", data.to_str().expect("UTF-8")]);
    let raw: Value = serde_json::from_str(&raw).expect("JSON");
    let project = json!([{"project": "acme-shop", "databases": [database], "buckets": [bucket]}]);
    assert_eq!(raw["details"]["hidden_firebase"], project);
    let asked = std::fs::read_to_string(&contacts).expect("contacts");
    assert!(!asked.contains("firebaseio") && !asked.contains("storage.googleapis"), "{asked}");
}
