//! The web interface: its page at each of its paths, its files, and a server that has none.

use ambit_server::Interface;
use ambit_testkit::{Ask, Reply, TestServer, ask};

const PAGES: &[&str] = &[
    "/",
    "/sign_in",
    "/issues",
    "/issues/0",
    "/entities",
    "/entities/0",
    "/collections",
    "/collections/0",
    "/runs",
    "/runs/1",
    "/changes",
    "/technologies",
    "/graphs",
    "/graphs/0",
    "/library",
    "/help",
    "/settings",
];
const FILES: &[(&str, &[u8])] = &[
    ("index.html", b"<!doctype html><title>interface</title>"),
    ("assets/index-1a2b.js", b"\"use strict\";"),
    ("assets/index-1a2b.css", b"body{}"),
    ("secret.txt", b"not an asset"),
];

async fn get(server: &TestServer, target: &str, headers: &[(&str, &str)]) -> Reply {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    ask(&server.address, &Ask { method: "GET".to_owned(), target: target.to_owned(), headers, body: None })
        .await
        .unwrap()
}

#[tokio::test]
async fn every_path_of_the_interface_is_its_page_under_a_strict_policy() {
    let server = TestServer::with_interface(Interface::of(FILES)).await.unwrap();
    for target in PAGES {
        let page = get(&server, target, &[]).await;
        assert_eq!((page.status, page.text().contains("<title>interface</title>")), (200, true), "{target}");
        let policy = page.header("content-security-policy").unwrap();
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
        assert_eq!(page.header("cache-control"), Some("no-cache"));
        let tag = page.header("etag").unwrap().to_owned();
        assert_eq!(get(&server, target, &[("if-none-match", &tag)]).await.status, 304);
    }
    assert_eq!(get(&server, "/no_such_page", &[]).await.status, 404);
}

#[tokio::test]
async fn files_of_the_interface_are_kept_for_good() {
    let server = TestServer::with_interface(Interface::of(FILES)).await.unwrap();
    for (target, content_type) in [
        ("/assets/index-1a2b.js", "text/javascript; charset=utf-8"),
        ("/assets/index-1a2b.css", "text/css; charset=utf-8"),
    ] {
        let file = get(&server, target, &[]).await;
        assert_eq!((file.status, file.header("content-type")), (200, Some(content_type)), "{target}");
        assert_eq!(file.header("cache-control"), Some("public, max-age=31536000, immutable"));
    }
    for target in ["/assets/secret.txt", "/assets/..%2fsecret.txt", "/assets/index.js", "/secret.txt"] {
        assert_eq!(get(&server, target, &[]).await.status, 404, "{target}");
    }
}

#[tokio::test]
async fn a_server_without_an_interface_says_so() {
    let server = TestServer::new().await.unwrap();
    for target in PAGES {
        let page = get(&server, target, &[]).await;
        assert!(page.status == 200 && page.text().contains("was not built"), "{target}");
    }
}
