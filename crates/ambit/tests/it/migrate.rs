//! A new version: the schema is brought up by one command, once, also where several start together.

use crate::program::{Database, Folder, Server, ambit, command, succeed};
use std::collections::BTreeSet;
use std::process::{Output, Stdio};

const START: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../ambit-store/migrations/postgres/202611210530_start.sql");

/// What the database of a program of the first schema holds beside that schema.
const FIRST: &str = "CREATE TABLE schema_versions (version BIGINT NOT NULL PRIMARY KEY, title TEXT NOT NULL, \
                     applied_at BIGINT NOT NULL);
    INSERT INTO schema_versions (version, title, applied_at) VALUES (202611210530, 'start', 0);
    INSERT INTO organizations (uuid, name, created_at) VALUES ('00000000-0000-0000-0000-000000000001', 'Acme', 0);";

fn line(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(text.lines().count(), 1, "{text}");
    text
}

#[test]
fn a_folder_of_this_version_needs_nothing() {
    let folder = Folder::new("migrate");
    let path = folder.join("data");
    let path = path.to_str().expect("UTF-8");
    let none = ambit(&["migrate", "--data", path]);
    assert_eq!(none.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&none.stderr).contains("ambit init"));
    succeed(&["init", "--data", path, "--email", "a@acme.test"]);
    assert!(succeed(&["migrate", "--data", path]).starts_with("nothing to do: the schema is 20"));
}

#[test]
fn an_old_database_is_brought_up_once_by_whoever_comes() {
    let (folder, database) = (Folder::new("migrate-postgres"), Database::create());
    let path = folder.join("data");
    let path = path.to_str().expect("UTF-8").to_owned();
    succeed(&["init", "--data", &path, "--email", "a@acme.test"]);
    database.run(&["-f", START]);
    database.run(&["-c", FIRST]);
    let url = database.url();
    let migrate = || {
        let mut command = command(&["migrate", "--data", &path]);
        command.env("AMBIT_DATABASE", &url).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    };
    let mut look = command(&["doctor", "--data", &path]);
    let look = look.env("AMBIT_DATABASE", &url).output().expect("starts");
    let text = String::from_utf8_lossy(&look.stdout);
    assert_eq!(look.status.code(), Some(5), "{text}");
    assert!(text.contains("database   ok\nschema     202611210530, older than "), "a look changes nothing: {text}");
    let started: Vec<_> = (0..3).map(|_| migrate().spawn().expect("starts")).collect();
    let said: Vec<String> = started.into_iter().map(|child| line(&child.wait_with_output().expect("ends"))).collect();
    let schema = said[0].trim_end().rsplit(' ').next().expect("each line ends with the schema");
    let ran: Vec<&str> = said
        .iter()
        .filter_map(|line| line.strip_prefix("ran ")?.split_once(": ")?.1.split_once(';'))
        .flat_map(|(names, _)| names.split(", "))
        .filter_map(|name| name.split(' ').next())
        .collect();
    let once: BTreeSet<&str> = ran.iter().copied().collect();
    assert!(!ran.is_empty() && ran.len() == once.len(), "one ran twice: {said:?}");
    assert_eq!(once.last(), Some(&schema), "{said:?}");
    assert_eq!(line(&migrate().output().expect("starts")), format!("nothing to do: the schema is {schema}\n"));

    database.run(&["-c", "INSERT INTO schema_versions (version, title, applied_at) VALUES (999912312359, 'later', 0)"]);
    let newer = migrate().output().expect("starts");
    let text = String::from_utf8_lossy(&newer.stderr);
    assert_eq!((newer.status.code(), text.lines().count()), (Some(1), 1), "{text}");
    assert!(text.contains("newer version") && text.contains("999912312359"), "{text}");
}

/// What people ask of an installation, wherever its database is.
fn answers(data: &str, database: Option<&Database>) -> Vec<String> {
    let questions: &[&[&str]] = &[
        &["entities", "--jsonl"],
        &["entities", "tag:moved", "--jsonl"],
        &["issues", "--jsonl"],
        &["technologies", "--jsonl"],
        &["entity", "history", "harbour.test"],
        &["entity", "note", "harbour.test"],
        &["collection", "list"],
        &["run", "list"],
        &["key", "list"],
        &["user", "list"],
        &["status"],
    ];
    questions.iter().map(|question| line_or_more(&asked(data, database, question))).collect()
}

fn asked(data: &str, database: Option<&Database>, arguments: &[&str]) -> Output {
    let mut command = command(&[arguments, &["--data", data]].concat());
    if let Some(database) = database {
        command.env("AMBIT_DATABASE", database.url());
    }
    command.output().expect("the binary starts")
}

fn line_or_more(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn an_installation_moves_to_postgres_and_answers_the_same() {
    let (folder, database) = (Folder::new("move"), Database::create());
    let data = folder.join("data");
    let data = data.to_str().expect("UTF-8");
    let small = concat!(env!("CARGO_MANIFEST_DIR"), "/../../worlds/small.world");
    succeed(&["scan", "--world", small, "-y", "--silent", "--data", data]);
    succeed(&["entity", "tag", "harbour.test", "moved", "--data", data]);
    succeed(&["entity", "note", "harbour.test", "seen by \u{2603}", "--data", data]);
    let key = succeed(&["key", "create", "--data", data]);
    let before = answers(data, None);
    let url = database.url();
    let transfer = || asked(data, None, &["migrate", "--to", &url]);

    let server = Server::start(&["serve", "--listen", "127.0.0.1:0", "--data", data], &[]);
    let refused = transfer();
    let text = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && text.contains("engine"), "a server runs: {text}");
    drop(server);

    let moved = line(&transfer());
    assert!(moved.starts_with("moved ") && moved.contains(" rows of "), "{moved}");
    assert!(!moved.contains("postgres://"), "no password is printed: {moved}");
    assert_eq!(answers(data, Some(&database)), before);
    let again = transfer();
    let text = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(!again.status.success() && text.contains("is not empty"), "{text}");
    let looked = line_or_more(&asked(data, Some(&database), &["doctor"]));
    assert!(looked.contains("index      ok"), "{looked}");

    // What is new goes on behind what was moved, and the key opens the server.
    let next = asked(data, Some(&database), &["scan", "--world", small, "-y", "--silent"]);
    assert!(next.status.success(), "{}", String::from_utf8_lossy(&next.stderr));
    let server = Server::start(&["serve", "--listen", "127.0.0.1:0", "--data", data], &[("AMBIT_DATABASE", &url)]);
    let found = command(&["entities", "tag:moved", "--server", &server.url])
        .env("AMBIT_API_KEY", key.trim())
        .output()
        .expect("the binary starts");
    assert!(line_or_more(&found).contains("harbour.test"));
}
