//! Wrong input: one line that names the thing and the remedy, the exit code of the design, nothing lost.

use crate::program::{Folder, ambit, command, demo, succeed};
use std::process::Stdio;

/// Runs, and demands the code and one line that holds the words.
fn refused(arguments: &[&str], code: i32, words: &[&str]) {
    let output = ambit(arguments);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {text}");
    assert!(output.stdout.is_empty(), "{arguments:?}: results on a refusal");
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("ambit: ")).collect();
    assert_eq!(lines.len(), 1, "{arguments:?}: {text}");
    for word in words {
        assert!(lines[0].contains(word), "{arguments:?}: {word:?} is not in {:?}", lines[0]);
    }
}

#[test]
fn wrong_words_are_named() {
    refused(&["demo", "--frobnicate"], 2, &["--frobnicate", "--help"]);
    refused(&["scan", "-y", "exa mple..org"], 2, &["exa mple..org"]);
    refused(&["scan", "-y", "localhost"], 2, &["localhost", "dot"]);
    refused(&["scan", "-y", "acme.test", "--resolver", "nonsense"], 2, &["nonsense", "192.0.2.53"]);
    refused(&["scan", "-l", "/nowhere/list"], 2, &["/nowhere/list"]);
    refused(&["scan", "-y", "--world", "/nowhere/a.world"], 2, &["/nowhere/a.world"]);
    refused(&["serve", "--listen", "here"], 2, &["here", "127.0.0.1:8080"]);
    refused(&["entities", "--config", "/nowhere/ambit.toml"], 2, &["/nowhere/ambit.toml"]);
}

#[test]
fn a_folder_without_an_installation_is_named() {
    let folder = Folder::new("empty");
    let path = folder.join("none");
    refused(&["entities", "--data", path.to_str().expect("UTF-8")], 1, &["none"]);
}

#[test]
fn a_problem_in_a_world_is_named_with_its_line() {
    let folder = Folder::new("world");
    let file = folder.join("bad.world");
    std::fs::write(&file, "world bad \"Bad\"\nfrobnicate x\n").expect("is written");
    refused(
        &["scan", "-y", "--world", file.to_str().expect("UTF-8")],
        2,
        &["bad.world:2", "frobnicate"],
    );
}

#[test]
fn a_taken_port_is_named() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("has an address").to_string();
    let folder = Folder::new("port");
    refused(
        &["serve", "--listen", &address, "--data", folder.path().to_str().expect("UTF-8")],
        1,
        &[&address, "--listen"],
    );
}

#[test]
fn keys_are_made_once_and_work_alone_on_standard_output() {
    let folder = Folder::new("keys");
    let path = folder.join("data");
    let path = path.to_str().expect("UTF-8");
    let key = succeed(&["init", "--data", path, "--email", "a@acme.test"]);
    assert_eq!(key.lines().count(), 1);
    let again = succeed(&["key", "create", "--data", path, "--label", "second"]);
    assert_eq!(again.lines().count(), 1);
    assert_ne!(key, again);
    let listed = succeed(&["key", "list", "--data", path]);
    assert!(!listed.contains(key.trim()) && listed.contains("second"));
    refused(&["init", "--data", path, "--email", "a@acme.test"], 1, &["key create"]);
}

#[test]
fn without_a_terminal_and_without_consent_only_passive_work_runs() {
    let folder = Folder::new("passive");
    let world = concat!(env!("CARGO_MANIFEST_DIR"), "/../../worlds/small.world");
    let output = ambit(&["scan", "--world", world, "--jsonl", "--data", folder.path().to_str().expect("UTF-8")]);
    assert_eq!(output.status.code(), Some(5), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(!text.contains("Platform::Entity::NetworkService"), "a service was found without a sweep");
    assert!(text.contains("Platform::Entity::DnsRecord"));
}

#[test]
fn a_second_engine_is_told_who_holds_the_place() {
    let folder = Folder::new("held");
    let path = folder.path().to_str().expect("UTF-8");
    succeed(&["init", "--data", folder.join("d").to_str().expect("UTF-8"), "--email", "a@acme.test"]);
    let mut holder = command(&["serve", "--data", path, "--listen", "127.0.0.1:0"])
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("starts");
    wait_for_line(&mut holder, "listening on");
    refused(&["demo", "--once", "--data", path], 1, &["serve"]);
    holder.kill().expect("can be killed");
    holder.wait().expect("ends");
}

/// Reads standard error until a line holds the words.
fn wait_for_line(child: &mut std::process::Child, words: &str) -> String {
    use std::io::BufRead as _;
    let stderr = child.stderr.as_mut().expect("is piped");
    let mut lines = std::io::BufReader::new(stderr).lines();
    lines
        .by_ref()
        .map_while(Result::ok)
        .find(|line| line.contains(words))
        .unwrap_or_else(|| panic!("the program ended before it said {words:?}"))
}

#[test]
fn the_inventory_can_be_asked_afterwards() {
    let folder = Folder::new("ask");
    let path = folder.path().to_str().expect("UTF-8");
    let found = demo(folder.path(), &[]);
    let count: usize = succeed(&["entities", "--count", "--data", path]).trim().parse().expect("a number");
    assert_eq!(count, found.entities.len());
    let uris = succeed(&["entities", "--jsonl", "--data", path, "type:uri"]);
    assert!(uris.lines().count() >= 60);
    assert!(uris.lines().all(|line| line.contains("Platform::Entity::Uri")));
    let issues = succeed(&["issues", "--data", path, "status_new:open"]);
    assert_eq!(issues.lines().count(), found.issues.len());
    let changes = succeed(&["changes", "--data", path]);
    assert!(changes.lines().count() >= count);
    refused(&["entity", "show", &"0".repeat(64), "--data", path], 4, &[]);
    refused(&["issues", "--data", path, "severity:often"], 2, &["severity"]);
}
