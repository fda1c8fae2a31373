//! What whoever runs Ambit meets: a damaged database, a folder that cannot be written, backups that are none, the first
//! key, passwords, the log.

use crate::program::{Folder, ambit, command, succeed};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

const WORLD: &str = "world tiny \"T\"\nseeds acme.test\norg acme \"A\" ours\nblock 203.0.113.0/24 of acme\nzone \
                     acme.test of acme\n  ns ns1.acme.test 203.0.113.2\n";
/// Nobody's user: it may read what everybody may.
const NOBODY: u32 = 65_534;

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn utf8(path: &Path) -> &str {
    path.to_str().expect("a temporary path is UTF-8")
}

/// A backup of a folder with an inventory: database and secret, nothing beside them.
fn filled(folder: &Folder) -> PathBuf {
    let (world, data, copy) = (folder.join("tiny.world"), folder.join("data"), folder.join("copy"));
    std::fs::write(&world, WORLD).expect("can be written");
    succeed(&["scan", "-y", "--silent", "--world", utf8(&world), "--data", utf8(&data)]);
    succeed(&["backup", "--data", utf8(&data), utf8(&copy)]);
    copy
}

/// A folder with the files of another.
fn copied(from: &Path, to: &Path) {
    std::fs::create_dir(to).expect("can be made");
    for name in ["ambit.db", "secret.key"] {
        std::fs::copy(from.join(name), to.join(name)).expect("can be copied");
    }
}

fn overwrite(file: &Path, at: u64, bytes: &[u8]) {
    let mut file = std::fs::OpenOptions::new().write(true).open(file).expect("can be opened");
    file.seek(SeekFrom::Start(at)).expect("is long enough");
    file.write_all(bytes).expect("can be written");
}

#[test]
fn a_damaged_database_is_told_with_its_folder_and_exit_code_5() {
    const PAGE: u64 = 4_096;
    let folder = Folder::new("damaged");
    let whole = filled(&folder);
    let pages = std::fs::metadata(whole.join("ambit.db")).expect("is there").len() / PAGE;
    let mut found = 0;
    let damages = (0..16).map(|n| n * (pages - 1) / 15);
    for (number, page) in damages.enumerate() {
        let path = folder.join(&format!("damaged-{number}"));
        copied(&whole, &path);
        overwrite(&path.join("ambit.db"), page * PAGE, &[0xff; PAGE as usize]);
        let output = ambit(&["doctor", "--data", utf8(&path)]);
        let said = text(&output.stdout) + &text(&output.stderr);
        match output.status.code() {
            Some(5) => {
                assert!(said.contains("database   wrong: ") && said.contains(utf8(&path)), "page {page}: {said}")
            }
            // What nothing refers to is not looked at.
            Some(0) => continue,
            other => panic!("page {page}: {other:?} {said}"),
        }
        found += 1;
    }
    assert!(found >= 14, "only {found} of 16 damaged pages were found");
    for (name, content) in [
        ("empty", &b""[..]),
        (
            "text",
            &b"this is no database, and longer than a header of one would be, by far, so that it is read and \
               refused"[..],
        ),
    ] {
        let path = folder.join(name);
        copied(&whole, &path);
        std::fs::write(path.join("ambit.db"), content).expect("can be written");
        let output = ambit(&["doctor", "--data", utf8(&path)]);
        assert_eq!(output.status.code(), Some(5), "{name}: {}", text(&output.stderr));
        let output = ambit(&["entities", "--data", utf8(&path)]);
        let said = text(&output.stderr);
        assert!(!output.status.success() && said.contains(utf8(&path)), "{name}: {said}");
    }
}

#[test]
fn a_first_making_that_was_cut_off_is_completed_and_no_backup_is_asked_for() {
    let folder = Folder::new("cut-off");
    let data = folder.join("data");
    std::fs::create_dir(&data).expect("can be made");
    std::fs::write(data.join("ambit.db"), "").expect("can be written");
    let output = ambit(&["doctor", "--data", utf8(&data)]);
    let said = text(&output.stdout) + &text(&output.stderr);
    assert_eq!(output.status.code(), Some(5), "{said}");
    assert!(said.contains("`ambit init` completes it") && !said.contains("ambit restore"), "{said}");
    succeed(&["init", "--email", "ann@example.org", "--data", utf8(&data)]);
}

#[test]
fn a_backup_that_is_empty_cut_off_or_damaged_is_refused_and_leaves_nothing() {
    let folder = Folder::new("restore");
    let whole = filled(&folder);
    let size = std::fs::metadata(whole.join("ambit.db")).expect("is there").len();
    let bad = |name: &str, damage: &dyn Fn(&Path)| {
        let backup = folder.join(name);
        copied(&whole, &backup);
        damage(&backup.join("ambit.db"));
        let target = folder.join(&format!("{name}-restored"));
        let output = ambit(&["restore", utf8(&backup), "--data", utf8(&target)]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(5), "{name}: {said}");
        assert!(said.contains(&format!("{}/ambit.db is damaged: ", utf8(&backup))), "{name}: {said}");
        assert!(!target.join("ambit.db").exists() && !target.join("secret.key").exists(), "{name}");
        said
    };
    let cut = |length: u64| {
        move |file: &Path| {
            std::fs::OpenOptions::new().write(true).open(file).expect("is there").set_len(length).expect("can be cut")
        }
    };
    assert!(bad("empty", &cut(0)).contains("it is empty"));
    assert!(bad("head", &cut(60)).contains("it is no database"));
    assert!(bad("half", &cut(size / 2)).contains("the copy was cut off"));
    bad("page", &|file| overwrite(file, size / 4_096 / 2 * 4_096, &[0xff; 4_096]));
    let target = folder.join("good");
    succeed(&["restore", utf8(&whole), "--data", utf8(&target)]);
    assert_eq!(succeed(&["entities", "--data", utf8(&target), "type:Domain name:acme.test"]).lines().count(), 1);
}

/// Runs the program as somebody who may read the folder and not write there: as another user where the test may do all.
fn reading(arguments: &[&str], owner: u32) -> Output {
    let mut command = command(arguments);
    if owner == 0 {
        command.uid(NOBODY);
    }
    command.output().expect("starts")
}

fn closed_to_writing(folder: &Path, mode: u32) {
    for entry in std::fs::read_dir(folder).expect("is there").map(|entry| entry.expect("is there").path()) {
        if entry.is_dir() {
            closed_to_writing(&entry, mode);
        } else {
            std::fs::set_permissions(&entry, std::fs::Permissions::from_mode(mode & 0o666)).expect("is ours");
        }
    }
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(mode)).expect("is ours");
}

#[test]
fn a_folder_that_cannot_be_written_is_read() {
    let folder = Folder::new("read-only");
    let whole = filled(&folder);
    let owner = std::fs::metadata(folder.path()).expect("is there").uid();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o777)).expect("is ours");
    closed_to_writing(&whole, 0o555);
    let unbuilt = text(&reading(&["doctor", "--data", utf8(&whole)], owner).stdout);
    assert!(unbuilt.contains("index      not built; searches need a folder that can be written"), "{unbuilt}");
    closed_to_writing(&whole, 0o755);
    // The index is made, and brought up, while that can be done. A process may end before its connections have brought
    // the write-ahead log into the database; the next one does that.
    let log = whole.join("ambit.db-wal");
    for _ in 0..20 {
        succeed(&["entities", "--data", utf8(&whole)]);
        if log.metadata().map_or(0, |log| log.len()) == 0 {
            break;
        }
    }
    closed_to_writing(&whole, 0o555);
    let before: Vec<_> =
        std::fs::read_dir(&whole).expect("is there").map(|entry| entry.expect("is there").file_name()).collect();
    let read = |arguments: &[&str]| {
        let output = reading(&[arguments, &["--data", utf8(&whole)]].concat(), owner);
        assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
        text(&output.stdout)
    };
    assert_eq!(read(&["entities", "type:Domain name:acme.test"]).lines().count(), 1);
    read(&["issues"]);
    read(&["status"]);
    read(&["collection", "list"]);
    let looked = read(&["doctor"]);
    assert!(
        looked.contains("database   ok\nindex      ok\n") && looked.contains("the folder is read-only"),
        "{looked}"
    );
    let copy = folder.join("copy-of-it");
    read(&["backup", utf8(&copy)]);
    let output = reading(&["key", "create", "--data", utf8(&whole)], owner);
    let said = text(&output.stderr);
    assert!(!output.status.success() && output.stdout.is_empty(), "{said}");
    let after: Vec<_> =
        std::fs::read_dir(&whole).expect("is there").map(|entry| entry.expect("is there").file_name()).collect();
    assert_eq!(before, after, "nothing was put there");
    closed_to_writing(&whole, 0o755);
}

#[test]
fn status_shows_what_needs_no_index_where_that_is_behind_and_cannot_be_written() {
    let folder = Folder::new("status");
    let whole = filled(&folder);
    succeed(&["entities", "--data", utf8(&whole)]);
    succeed(&["collection", "create", "Later", "--seed", "later.test", "--data", utf8(&whole)]);
    let owner = std::fs::metadata(folder.path()).expect("is there").uid();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o777)).expect("is ours");
    closed_to_writing(&whole, 0o555);
    for (more, counts) in
        [(&[][..], "issues       not counted\nentities     not counted\n"), (&["--jsonl"][..], "\"issues\":null")]
    {
        let output = reading(&[&["status", "--data", utf8(&whole)], more].concat(), owner);
        let (shown, said) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(5), "{shown}{said}");
        assert!(shown.contains(counts) && shown.contains("finished"), "{shown}");
        assert!(said.contains("were not counted: the search index") && said.contains("is behind"), "{said}");
    }
    closed_to_writing(&whole, 0o755);
    assert!(succeed(&["status", "--data", utf8(&whole)]).starts_with("issues       3 open"), "it is brought up again");
}

/// A server on a folder, with what it said until the line with the words.
fn served(data: &Path, more: &[&str], last: &str) -> (Child, String) {
    let arguments = [&["serve", "--no-engine", "--data", utf8(data), "--listen", "127.0.0.1:0"], more].concat();
    let mut child = command(&arguments).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().expect("starts");
    let said = crate::cli::lines_until(&mut child, last).join("\n");
    (child, said)
}

fn ended(mut child: Child) {
    child.kill().expect("can be killed");
    child.wait().expect("ends");
}

#[test]
fn a_hangup_does_not_end_a_server_without_a_certificate() {
    let folder = Folder::new("hangup");
    let (mut child, _) = served(&folder.join("data"), &["--silent"], "listening on");
    let hung_up = Command::new("kill").args(["-HUP", &child.id().to_string()]).status().expect("starts");
    assert!(hung_up.success());
    crate::cli::lines_until(&mut child, "SIGHUP changes nothing");
    assert!(child.try_wait().expect("can be asked").is_none(), "it goes on");
    ended(child);
}

#[test]
fn the_first_key_is_not_written_to_a_journal_but_exchanged_once() {
    let folder = Folder::new("first-key");
    let data = folder.join("data");
    let (child, said) = served(&data, &["--silent"], "listening on");
    let token = data.join("first-key.token");
    assert!(said.contains(utf8(&token)) && said.contains("ambit key redeem"), "{said}");
    let secret = std::fs::read_to_string(&token).expect("is there");
    assert!(!said.contains(secret.trim()), "the token is in no journal either");
    assert_eq!(std::fs::metadata(&token).expect("is there").permissions().mode() & 0o777, 0o600);
    assert!(!succeed(&["key", "list", "--data", utf8(&data)]).contains("active"), "no key works yet");
    let key = succeed(&["key", "redeem", "--data", utf8(&data)]);
    assert!(!token.exists());
    let address = said.split("listening on ").nth(1).expect("said above").trim().to_owned();
    let ask = |key: &str| {
        let mut command = command(&["collection", "list", "--server", &address]);
        command.env("AMBIT_API_KEY", key).output().expect("starts").status.code()
    };
    assert_eq!((ask(key.trim()), ask(secret.trim())), (Some(0), Some(3)), "the key is one, the token is none");
    std::fs::write(&token, secret).expect("can be written");
    let again = command(&["key", "redeem", "--server", &address, utf8(&token)]).output().expect("starts");
    assert_eq!(again.status.code(), Some(4), "{}", text(&again.stderr));
    ended(child);
}

#[test]
fn requests_are_logged_with_v_and_keys_in_paths_are_not() {
    let folder = Folder::new("log");
    let data = folder.join("data");
    let key = succeed(&["init", "--data", utf8(&data), "--email", "a@acme.test"]);
    let key = key.trim();
    let (mut child, said) = served(&data, &["-v"], "listening on");
    let address = said.split("listening on http://").nth(1).expect("said above").trim().to_owned();
    let mut stream = std::net::TcpStream::connect(&address).expect("answers");
    let request = format!(
        "GET /api/v3/users/{key}/overall_quotas HTTP/1.1\r\nHost: localhost\r\nX-Apikey: {key}\r\nConnection: \
         close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).expect("is read");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("is text");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let said = crate::cli::lines_until(&mut child, "answered").join("\n");
    assert!(
        said.contains("GET /api/v3/users/***/overall_quotas") && said.contains("status=200") && said.contains("ms="),
        "{said}"
    );
    assert!(!said.contains(key), "{said}");
    ended(child);
}

#[test]
fn the_log_is_json_where_the_setting_says_so() {
    let folder = Folder::new("log-json");
    let data = folder.join("data");
    succeed(&["init", "--data", utf8(&data), "--email", "a@acme.test"]);
    let settings = folder.join("ambit.toml");
    std::fs::write(&settings, "log_format = \"json\"\n").expect("can be written");
    let (mut child, said) = served(&data, &["-v", "--config", utf8(&settings)], "listening on");
    let address = said.split("listening on http://").nth(1).expect("said above").trim().to_owned();
    asked(&address, "/api/v3/asm/projects");
    let said = crate::cli::lines_until(&mut child, "answered");
    let event: serde_json::Value = serde_json::from_str(said.last().expect("one")).expect("an object");
    let fields = &event["fields"];
    assert_eq!(
        (&event["level"], &fields["message"], &fields["status"]),
        (&"INFO".into(), &"answered".into(), &401.into())
    );
    assert_eq!(fields["request"], "GET /api/v3/asm/projects");
    ended(child);
    let wrong = command(&["config"]).env("AMBIT_LOG_FORMAT", "xml").output().expect("starts");
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong.stderr).contains("setting log_format \"xml\": expected text or json"));
}

#[test]
fn a_password_leaves_the_command_line() {
    let folder = Folder::new("argv");
    // Nobody listens on that port.
    let url = "postgres://ambit:s3cretword@127.0.0.1:1/ambit";
    let mut child: Command = command(&["work", "--database", url, "--data", utf8(&folder.join("data"))]);
    let output = child.output().expect("starts");
    let said = text(&output.stderr);
    assert!(!output.status.success() && !said.contains("s3cretword"), "{said}");
    assert_eq!(said.matches("AMBIT_DATABASE_FILE").count(), 1, "{said}");
    assert!(said.contains("127.0.0.1"), "it was used: {said}");
    let shown = command(&["config"]).env("AMBIT_DATABASE", url).output().expect("starts");
    assert!(text(&shown.stdout).contains("postgres://ambit:***@127.0.0.1:1/ambit"), "{}", text(&shown.stdout));
}

#[test]
fn a_setting_that_is_mistyped_is_told_before_a_receiver_is_made() {
    let folder = Folder::new("mistyped");
    let data = folder.join("data");
    let data = utf8(&data);
    succeed(&["init", "--data", data, "--email", "owner@acme.test"]);
    let add = ["notify", "add", "webhook", "http://127.0.0.1:9/", "--data", data];
    let refused = command(&add).env("AMBIT_NOTIFY_RANGES", "127.0.0.1/8x").output().expect("starts");
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stderr));
    assert!(text(&refused.stderr).contains("setting notify_ranges \"127.0.0.1/8x\""), "{}", text(&refused.stderr));
    assert_eq!(succeed(&["notify", "list", "--data", data]), "");
}

#[test]
fn config_says_what_a_setting_means() {
    let printed = |arguments: &[&str]| text(&command(arguments).output().expect("starts").stdout);
    let all = printed(&["config"]);
    assert!(all.contains("listen = \"127.0.0.1:8080\"  (default)\n") && !all.contains("Where `serve`"), "{all}");
    let one = printed(&["config", "listen"]);
    assert!(one.starts_with("listen = \"127.0.0.1:8080\"  (default)\n    Where `serve` and `demo` listen."), "{one}");
    assert_eq!(one.lines().count(), 2);
    let wrong = command(&["config", "lisen"]).output().expect("starts");
    assert_eq!(wrong.status.code(), Some(2));
    assert!(
        text(&wrong.stderr).contains("\"lisen\"") || text(&wrong.stderr).contains("'lisen'"),
        "{}",
        text(&wrong.stderr)
    );
}

/// Sends a request without a key and returns the answer.
fn asked(address: &str, path: &str) -> String {
    let mut stream = std::net::TcpStream::connect(address).expect("answers");
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("takes it");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("answers in UTF-8");
    answer
}

#[test]
fn monitors_are_answered_without_a_key_on_a_port_of_their_own_alone() {
    let folder = Folder::new("monitors");
    let data = folder.join("data");
    let arguments = ["serve", "--no-engine", "--silent", "--data", utf8(&data), "--listen", "127.0.0.1:0"];
    let mut server = command(&arguments);
    server.env("AMBIT_METRICS_LISTEN", "127.0.0.1:0");
    let mut child = server.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().expect("starts");
    let said = crate::cli::lines_until(&mut child, "listening on").join("\n");
    let after =
        |words: &str| said.split(words).nth(1).and_then(|rest| rest.lines().next()).expect("is said").to_owned();
    let monitors = after("metrics are served at http://");
    let monitors = monitors.trim_end_matches("/metrics");
    let public = after("listening on http://");
    assert!(asked(&public, "/api/ambit/v1/metrics").starts_with("HTTP/1.1 401"));
    let figures = asked(monitors, "/metrics");
    assert!(figures.starts_with("HTTP/1.1 200") && figures.contains("\nambit_store_up 1\n"), "{figures}");
    let refused = r#"ambit_http_requests_total{method="GET",endpoint="/api/ambit/v1/metrics",status="401"} 1"#;
    assert!(figures.contains(refused), "{figures}");
    assert!(asked(monitors, "/api/ambit/v1/users").starts_with("HTTP/1.1 404"));
    ended(child);
    let wrong = command(&arguments).env("AMBIT_METRICS_LISTEN", "nowhere").output().expect("starts");
    assert!(!wrong.status.success() && text(&wrong.stderr).contains("metrics_listen"), "{}", text(&wrong.stderr));
}
