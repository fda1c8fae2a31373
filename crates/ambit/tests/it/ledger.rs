//! The ledger of contacts: "was it us?" is answered by what a scan of the real network wrote down.

use crate::program::{Folder, Server, ambit, command, scan_text, succeed};
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::process::Output;
use std::sync::{Arc, Mutex};

/// A web server on loopback, until the program ends, and the heads of the requests that it got.
fn web_server() -> (SocketAddr, Arc<Mutex<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = listener.local_addr().expect("has one");
    let heads = Arc::new(Mutex::new(String::new()));
    let kept = heads.clone();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut head = [0; 4_096];
            let length = stream.read(&mut head).unwrap_or_default();
            kept.lock().expect("nobody panics").push_str(&String::from_utf8_lossy(&head[..length]));
            let answer =
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi";
            stream.write_all(answer.as_bytes()).ok();
        }
    });
    (address, heads)
}

fn said(output: &Output) -> (Option<i32>, String) {
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

#[test]
fn what_was_contacted_is_found_and_what_was_not_is_denied() {
    let folder = Folder::new("ledger");
    let data = folder.join("data");
    let data = data.to_str().expect("UTF-8");
    let (address, heads) = web_server();
    let before = command(&["ledger", "find", "--data", data, "--address", "127.0.0.1"]).output().expect("starts");
    assert_eq!(before.status.code(), Some(4), "{before:?}");
    let site = format!("http://{address}/");
    let scan = ["scan", &site, "--level", "polite", "-y", "--silent", "--resolver", "127.0.0.1:9", "--data", data];
    let scanned = command(&scan).env("AMBIT_CONTACT", "probes@acme.test").output().expect("starts");
    let agent = "User-Agent: ambit/0.1.0 (+mailto:probes@acme.test)\r\n";
    assert!(heads.lock().expect("nobody panics").contains(agent), "{heads:?}; {scanned:?}");
    for wrong in ["nobody", "a@b.c\r\nX: y", "https://a.test/ (x)"] {
        let refused = command(&scan).env("AMBIT_CONTACT", wrong).output().expect("starts");
        assert!(refused.status.code() == Some(2) && said(&refused).1.contains("contact"), "{wrong:?}: {refused:?}");
    }
    let noted = |arguments: &[&str]| said(&ambit(&[&["ledger"], arguments, &["--data", data]].concat()));

    let (code, found) = noted(&["find", "--address", "127.0.0.1"]);
    assert_eq!(code, Some(0), "{found}; {scanned:?}");
    assert!(found.contains(&address.port().to_string()) && found.contains("  run 1  collection "), "{found}");
    let at = found.split("  ").next().expect("begins with a moment");
    for (arguments, expected) in [
        (&["find", "--address", "127.0.0.0/8", "--time", at][..], 0),
        (&["find", "--address", "192.0.2.1"], 4),
        (&["find", "--address", "127.0.0.1", "--time", "2001-01-01T00:00:00Z"], 5),
        (&["find", "--address", "127.0.0.1", "--time", "2999-01-01T00:00:00Z"], 4),
        (&["find", "--address", "nobody"], 2),
    ] {
        let (code, text) = noted(arguments);
        assert_eq!(code, Some(expected), "{arguments:?}: {text}");
    }
    let (_, denied) = noted(&["find", "--address", "192.0.2.1"]);
    assert!(denied.contains("not us"), "{denied}");

    // A server tells the same, and to whoever does not see the collection nothing.
    let server = Server::start(&["serve", "--no-engine", "--data", data, "--listen", "127.0.0.1:0"], &[]);
    let key = succeed(&["key", "create", "--data", data]).trim().to_owned();
    let asked = |key: &str, arguments: &[&str]| {
        let mut find = command(&[&["ledger", "find"], arguments].concat());
        said(&find.env("AMBIT_SERVER", &server.url).env("AMBIT_API_KEY", key).output().expect("starts"))
    };
    let (code, told) = asked(&key, &["--address", "127.0.0.0/8", "--time", at]);
    assert!(code == Some(0) && told.starts_with(&found), "{told}");
    assert_eq!(asked(&key, &["--address", "192.0.2.1"]).0, Some(4));
    succeed(&["user", "create", "--email", "bob@acme.test", "--data", data]);
    let others = succeed(&["key", "create", "--user", "bob@acme.test", "--data", data]);
    let (code, told) = asked(others.trim(), &["--address", "127.0.0.1"]);
    assert!(code == Some(4) && !told.contains("127.0.0.1  "), "{code:?} {told}");
    drop(server);

    let (code, whole) = noted(&["verify"]);
    assert!(code == Some(0) && whole.starts_with("intact: "), "{whole}");
    let head = whole.trim().rsplit(' ').next().expect("ends with the hash").to_owned();
    assert_eq!(noted(&["verify", "--head", &head]).0, Some(0));
    assert_eq!(noted(&["verify", "--head", &"1".repeat(64)]).0, Some(5));
    let page = folder.join("data").join("ledger").join("00000001.jsonl");
    let text = std::fs::read_to_string(&page).expect("is there");
    std::fs::write(&page, text.replace("127.0.0.1", "192.0.2.1")).expect("can be written");
    let (code, broken) = noted(&["verify"]);
    assert!(code == Some(5) && broken.contains("line 2"), "{broken}");
}

#[test]
fn a_simulated_internet_is_in_no_ledger() {
    let folder = Folder::new("no-ledger");
    let world = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../worlds/small.world"));
    scan_text(&folder, &world.expect("is there"), &[]);
    assert!(!folder.join("data").join("ledger").exists());
    assert!(succeed(&["ledger", "verify", "--data", folder.join("data").to_str().expect("UTF-8")]).contains("0 lines"));
}
