//! Repositories of code, with a real git behind a real server and in a folder: what a history gives away is found, told
//! once, and only what is new is fetched again.

use crate::program::{Discovery, Folder, command, succeed};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex};

/// Commits of the history: more than a server tells in one breath.
const COMMITS: i64 = 520;
const WORKFLOW: &str = "code_repository_discovery_and_assessment";

/// A key of this form that nobody gave out, put together so that it stands nowhere as one.
fn key(fill: &str) -> String {
    ["ghp_", &fill.repeat(36)[..36]].concat()
}

fn git(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.current_dir(folder).args(arguments).env("GIT_CONFIG_GLOBAL", "/dev/null");
    command
}

/// Adds commits to the branch `main` of the bare repository in the folder: moment, path and content of each.
fn commit(folder: &Path, commits: &[(i64, &str, Vec<u8>)]) {
    let fresh = !folder.join("HEAD").exists();
    std::fs::create_dir_all(folder).expect("can be made");
    if fresh {
        assert!(
            git(folder, &["init", "-q", "--bare", "-b", "main", "."]).status().expect("git is installed").success()
        );
    }
    let mut child = git(folder, &["fast-import", "--quiet"]).stdin(Stdio::piped()).spawn().expect("git is installed");
    let mut stream = child.stdin.take().expect("piped");
    for (index, (moment, path, content)) in commits.iter().enumerate() {
        let from = if fresh || index > 0 { "" } else { "from refs/heads/main^0\n" };
        let head = format!(
            "commit refs/heads/main\ncommitter Dev <dev@acme.test> {moment} +0000\ndata 4\nwork\n{from}M 100644 inline \
             {path}\ndata {}\n",
            content.len()
        );
        stream.write_all(head.as_bytes()).expect("it reads");
        stream.write_all(content).expect("it reads");
        stream.write_all(b"\n").expect("it reads");
    }
    drop(stream);
    assert!(child.wait().expect("it ends").success());
}

/// A history of more than 500 commits: a key comes in one and goes in the next, another is written in base64.
fn history(folder: &Path) {
    let encoded = base64(format!("the other key is {}", key("p7Wz")).as_bytes());
    let commits: Vec<(i64, &str, Vec<u8>)> = (0..COMMITS)
        .map(|number| match number {
            100 => (number, "config/app.py", format!("# settings\n\nTOKEN = \"{}\"\n", key("a1B2")).into_bytes()),
            101 => (number, "config/app.py", b"# settings\n\nTOKEN = os.environ[\"TOKEN\"]\n".to_vec()),
            200 => (number, "deploy.yaml", format!("kind: Secret\ndata:\n  token: {encoded}\n").into_bytes()),
            300 => (number, "README.md", format!("Use {} here, see https://wiki.acme.test/", key("x")).into_bytes()),
            _ => (number, "count.txt", format!("{number}\n").into_bytes()),
        })
        .collect();
    commit(folder, &commits.into_iter().map(|(at, path, text)| (1_700_000_000 + at, path, text)).collect::<Vec<_>>());
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for part in bytes.chunks(3) {
        let number = part.iter().fold(0_u32, |number, byte| number << 8 | u32::from(*byte)) << (8 * (3 - part.len()));
        for at in 0..=part.len() {
            text.push(char::from(LETTERS[(number >> (18 - 6 * at)) as usize & 63]));
        }
    }
    text + &"=".repeat((3 - bytes.len() % 3) % 3)
}

/// Git's own server program behind a web server on loopback, until the tests end, and the requests that it got.
fn serve(root: &Path) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let url = format!("http://{}", listener.local_addr().expect("has one"));
    let (asked, root) = (Arc::new(Mutex::new(Vec::new())), root.to_owned());
    let kept = asked.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            answer(stream, &root, &kept);
        }
    });
    (url, asked)
}

fn answer(stream: TcpStream, root: &PathBuf, asked: &Mutex<Vec<String>>) {
    let mut reader = BufReader::new(stream);
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).expect("a line");
        if line.trim().is_empty() {
            break;
        }
        head.push(line.trim().to_owned());
    }
    let header = |name: &str| {
        let found =
            head.iter().filter_map(|line| line.split_once(": ")).find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map_or(String::new(), |(_, value)| value.to_owned())
    };
    let mut body = vec![0; header("content-length").parse().unwrap_or(0)];
    reader.read_exact(&mut body).expect("the whole body");
    let mut words = head[0].split(' ');
    let (method, target) = (words.next().expect("a method").to_owned(), words.next().expect("a target").to_owned());
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let request = format!("{method} {path} {}", String::from_utf8_lossy(&body));
    let is_new = !asked.lock().expect("nobody panics").contains(&request);
    asked.lock().expect("nobody panics").push(request);
    if path.starts_with("/busy/") && is_new {
        let (status, wait) = if method == "GET" { ("429 Busy", "Retry-After: 1\r\n") } else { ("503 Busy", "") };
        let busy = format!("HTTP/1.1 {status}\r\n{wait}Connection: close\r\nContent-Length: 0\r\n\r\n");
        return reader.into_inner().write_all(busy.as_bytes()).expect("it reads");
    }
    let path = path.strip_prefix("/busy").unwrap_or(path);
    if let Some(moved) = path.strip_prefix("/old-name/") {
        let to = format!("HTTP/1.1 301 Moved\r\nConnection: close\r\nLocation: /{moved}?{query}\r\n\r\n");
        return reader.into_inner().write_all(to.as_bytes()).expect("it reads");
    }
    let mut child = git(root, &["http-backend"])
        .env("GIT_PROJECT_ROOT", root)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("REQUEST_METHOD", &method)
        .env("PATH_INFO", path)
        .env("QUERY_STRING", query)
        .env("CONTENT_TYPE", header("content-type"))
        .env("CONTENT_LENGTH", body.len().to_string())
        .env("GIT_PROTOCOL", header("git-protocol"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("git is installed");
    child.stdin.take().expect("piped").write_all(&body).expect("it reads");
    let said = child.wait_with_output().expect("it ends").stdout;
    let status = if said.starts_with(b"Status: 404") { "404 Not Found" } else { "200 OK" };
    let mut stream = reader.into_inner();
    stream.write_all(format!("HTTP/1.1 {status}\r\nConnection: close\r\n").as_bytes()).ok();
    stream.write_all(&said).ok();
}

fn scan(target: &str, data: &Path, mib: &str) -> Output {
    let data = data.to_str().expect("UTF-8");
    let arguments =
        ["scan", target, "--workflow", WORKFLOW, "-y", "--jsonl", "--resolver", "127.0.0.1:9", "--data", data];
    command(&arguments).env("AMBIT_REPOSITORY_MIB", mib).output().expect("starts")
}

/// The leaks that a scan found, as where each stands, sorted.
fn leaks(output: &Output) -> Vec<String> {
    let found = Discovery::of(output).issues.into_values().filter(|issue| issue["name"] == "leaked_token");
    let mut found: Vec<String> = found.map(|issue| issue["description"].to_string()).collect();
    found.sort();
    found
}

#[test]
fn what_a_history_gives_away_is_found_once_and_only_what_is_new_is_fetched_again() {
    let folder = Folder::new("repositories-server");
    let repository = folder.join("root").join("app.git");
    history(&repository);
    let (url, asked) = serve(&folder.join("root"));
    let (target, data) = (format!("{url}/app.git"), folder.join("data"));
    let first = scan(&target, &data, "64");
    assert_eq!(leaks(&first).len(), 2, "{first:?}");
    let text = String::from_utf8_lossy(&first.stdout);
    assert!(!text.contains(&key("a1B2")) && !text.contains(&key("p7Wz")), "a secret is told: {text}");
    assert!(Discovery::of(&first).entities.values().any(|entity| entity["name"] == "wiki.acme.test"), "{text}");
    let fetched =
        || asked.lock().expect("nobody panics").iter().filter(|asked| asked.contains("command=fetch")).count();
    assert_eq!(fetched(), 1);

    let again = scan(&target, &data, "64");
    assert_eq!((leaks(&again).len(), fetched()), (2, 1), "nothing is new, so nothing is fetched: {again:?}");
    for figure in ["new", "changed", "gone"] {
        assert_eq!(Discovery::of(&again).figure(figure), 0, "{figure}: {again:?}");
    }

    commit(&repository, &[(1_700_001_000, "new.env", format!("GH={}\n", key("q9Tr")).into_bytes())]);
    let third = scan(&target, &data, "64");
    assert_eq!((leaks(&third).len(), fetched()), (3, 3), "{third:?}");
    let all_asked = asked.lock().expect("nobody panics").join("\n");
    assert!(all_asked.contains("have "), "only what is new is sent, {all_asked}");
    assert_eq!(all_asked.matches("deepen 1").count(), 1, "and the trees that stand there now, {all_asked}");

    assert!(git(&repository, &["update-ref", "refs/heads/main", "main~1"]).status().expect("git runs").success());
    let fourth = scan(&target, &data, "64");
    assert_eq!(fetched(), 5, "a tip that is in no history any more: all is looked at anew, {fourth:?}");
    assert_eq!(leaks(&fourth).len(), 3, "copies have the commit still: {fourth:?}");
    let shown: Vec<String> = Discovery::of(&fourth)
        .issues
        .into_iter()
        .filter(|(_, issue)| issue["name"] == "leaked_token")
        .map(|(id, _)| succeed(&["issue", "show", &id, "--data", data.to_str().expect("UTF-8")]))
        .collect();
    let say = |said: &str| shown.iter().filter(|issue| issue.contains(said)).count();
    assert_eq!(say("no longer in any branch"), 1, "{shown:?}");
    let at_head = (say("At HEAD it still stands in \"deploy.yaml\"."), say("No file at HEAD holds it any more"));
    assert_eq!(at_head, (1, 2), "{shown:?}");
}

#[test]
fn a_server_that_asks_for_patience_is_asked_again() {
    let folder = Folder::new("repositories-busy");
    commit(&folder.join("root").join("app.git"), &[(1, "new.env", format!("GH={}\n", key("q9Tr")).into_bytes())]);
    let (url, asked) = serve(&folder.join("root"));
    let found = scan(&format!("{url}/busy/app.git"), &folder.join("data"), "64");
    assert_eq!(leaks(&found).len(), 1, "{found:?}");
    let asked = asked.lock().expect("nobody panics").len();
    assert!(asked >= 6, "each of three requests twice: {asked}");
}

/// Git's own server, until the tests end.
fn daemon(root: &Path) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let url = format!("git://{}", listener.local_addr().expect("has one"));
    let root = root.to_owned();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let base = format!("--base-path={}", root.display());
            let mut server = git(&root, &["daemon", "--inetd", "--export-all", &base]);
            let stream = std::os::fd::OwnedFd::from(stream);
            server.stdin(stream.try_clone().expect("has another")).stdout(stream).stderr(Stdio::null());
            let mut child = server.spawn().expect("git is installed");
            std::thread::spawn(move || child.wait());
        }
    });
    url
}

#[test]
fn a_history_at_gits_own_server_is_looked_through_and_what_it_refuses_is_told() {
    let folder = Folder::new("repositories-daemon");
    let repository = folder.join("root").join("app.git");
    history(&repository);
    let url = daemon(&folder.join("root"));
    let data = folder.join("data");
    let first = scan(&format!("{url}/app.git"), &data, "64");
    assert_eq!(leaks(&first).len(), 2, "{first:?}");
    commit(&repository, &[(1_700_001_000, "new.env", format!("GH={}\n", key("q9Tr")).into_bytes())]);
    let second = scan(&format!("{url}/app.git"), &data, "64");
    assert_eq!((leaks(&second).len(), Discovery::of(&second).figure("gone")), (3, 0), "{second:?}");
    let refused = scan(&format!("{url}/none.git"), &folder.join("other"), "64");
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("denied") && said.contains("the server refuses: access denied"), "{said}");
}

#[test]
fn a_history_whose_objects_are_named_by_sha256_is_looked_through_wherever_it_is() {
    let folder = Folder::new("repositories-sha256");
    let repository = folder.join("root").join("app.git");
    std::fs::create_dir_all(&repository).expect("can be made");
    let init = ["init", "-q", "--bare", "--object-format=sha256", "-b", "main", "."];
    assert!(git(&repository, &init).status().expect("git is installed").success());
    let add = |moment: i64, fill: &str| {
        let text = format!("GH={}\n", key(fill)).into_bytes();
        let file = format!("{moment}.env");
        let mut child = git(&repository, &["fast-import", "--quiet"]).stdin(Stdio::piped()).spawn().expect("git runs");
        let from = if moment == 1 { "" } else { "from refs/heads/main^0\n" };
        let head = format!(
            "commit refs/heads/main\ncommitter Dev <dev@acme.test> {moment} +0000\ndata 1\nx\n{from}M 100644 inline \
             {file}\ndata {}\n",
            text.len()
        );
        child.stdin.take().expect("piped").write_all(&[head.into_bytes(), text].concat()).expect("it reads");
        assert!(child.wait().expect("it ends").success());
    };
    add(1, "a1B2");
    let (http, _) = serve(&folder.join("root"));
    let url = daemon(&folder.join("root"));
    let places = [format!("{http}/app.git"), format!("{url}/app.git"), repository.display().to_string()];
    let look = |keys: usize| {
        for (number, place) in places.iter().enumerate() {
            let found = scan(place, &folder.join(&format!("data{number}")), "64");
            assert_eq!((leaks(&found).len(), Discovery::of(&found).figure("gone")), (keys, 0), "{place}: {found:?}");
        }
    };
    look(1);
    add(2, "q9Tr");
    look(2);
}

#[test]
fn a_repository_that_was_made_anew_by_another_hash_is_searched_anew() {
    let folder = Folder::new("repositories-renamed");
    let repository = folder.join("root").join("app.git");
    history(&repository);
    let (http, _) = serve(&folder.join("root"));
    let url = daemon(&folder.join("root"));
    let places = [format!("{http}/app.git"), format!("{url}/app.git")];
    let look = |number: usize| scan(&places[number], &folder.join(&format!("data{number}")), "64");
    (0..2).for_each(|number| assert_eq!(leaks(&look(number)).len(), 2));
    std::fs::remove_dir_all(&repository).expect("it is there");
    std::fs::create_dir_all(&repository).expect("can be made");
    let init = ["init", "-q", "--bare", "--object-format=sha256", "-b", "main", "."];
    assert!(git(&repository, &init).status().expect("git is installed").success());
    let mut child = git(&repository, &["fast-import", "--quiet"]).stdin(Stdio::piped()).spawn().expect("git runs");
    let text = format!("GH={}\n", key("q9Tr"));
    let head =
        "commit refs/heads/main\ncommitter Dev <dev@acme.test> 1700002000 +0000\ndata 1\nx\nM 100644 inline x.env";
    let commit = format!("{head}\ndata {}\n{text}", text.len());
    child.stdin.take().expect("piped").write_all(commit.as_bytes()).expect("it reads");
    assert!(child.wait().expect("it ends").success());
    for number in 0..2 {
        let found = look(number);
        // What the earlier history named is in no branch any more, as its secrets are, which stand all the same.
        assert_eq!((leaks(&found).len(), Discovery::of(&found).figure("gone")), (3, 2), "{found:?}");
        let said = String::from_utf8_lossy(&found.stderr).into_owned();
        assert!(said.contains("made anew by sha256"), "{said}");
    }
}

#[test]
fn a_repository_that_moved_on_its_server_is_fetched_from_where_it_is() {
    let folder = Folder::new("repositories-moved");
    commit(&folder.join("root").join("app.git"), &[(1, "new.env", format!("GH={}\n", key("q9Tr")).into_bytes())]);
    let (url, _) = serve(&folder.join("root"));
    let found = scan(&format!("{url}/old-name/app.git"), &folder.join("data"), "64");
    assert_eq!(leaks(&found).len(), 1, "{found:?}");
}

#[test]
fn a_repository_in_a_folder_is_read_for_the_operator_and_says_where_each_secret_stands() {
    let folder = Folder::new("repositories-folder");
    let repository = folder.join("app.git");
    history(&repository);
    let output = scan(repository.to_str().expect("UTF-8"), &folder.join("data"), "64");
    let found = leaks(&output);
    assert_eq!(found.len(), 2, "{output:?}");
    let data = folder.join("data");
    let data = data.to_str().expect("UTF-8");
    let listed = succeed(&["issues", "name:leaked_token", "--fields", "id", "--jsonl", "--data", data]);
    let id = |line: &str| serde_json::from_str::<serde_json::Value>(line).ok()?["id"].as_str().map(str::to_owned);
    let ids: Vec<String> = listed.lines().filter_map(id).collect();
    assert_eq!(ids.len(), 2, "{listed}");
    let shown: String = ids.iter().map(|id| succeed(&["issue", "show", id, "--data", data])).collect();
    for place in ["config/app.py", "deploy.yaml"] {
        assert!(shown.contains(place), "{place}: {shown}");
    }
    let text = format!("{shown}{}", String::from_utf8_lossy(&output.stdout));
    assert!(!text.contains(&key("a1B2")), "{text}");
    let unasked = command(&["scan", repository.to_str().expect("UTF-8"), "--workflow", WORKFLOW, "--data"])
        .arg(folder.join("data"))
        .output()
        .expect("starts");
    assert!(unasked.status.success(), "the workflow allows no more than passive look-ups anyway: {unasked:?}");
}

#[test]
fn what_is_too_large_or_not_there_is_said_and_nothing_is_closed_for_it() {
    let folder = Folder::new("repositories-large");
    let repository = folder.join("root").join("app.git");
    history(&repository);
    let (url, _) = serve(&folder.join("root"));
    let (target, data) = (format!("{url}/app.git"), folder.join("data"));
    assert_eq!(leaks(&scan(&target, &data, "64")).len(), 2);
    let mut seed = 1_u32;
    let noise = (0..3 << 20).map(|_| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 24) as u8
    });
    commit(&repository, &[(1_700_001_000, "noise.bin", noise.collect())]);
    let large = scan(&target, &data, "1");
    let text = format!("{}{}", String::from_utf8_lossy(&large.stdout), String::from_utf8_lossy(&large.stderr));
    assert!(text.contains("repository_mib") || text.contains("budget"), "{text}");
    assert_eq!(Discovery::parse(&String::from_utf8_lossy(&large.stdout)).issues.len(), 2, "{text}");
    std::fs::rename(&repository, folder.join("root").join("gone.git")).expect("can be moved");
    let gone = scan(&target, &data, "64");
    assert_eq!(Discovery::parse(&String::from_utf8_lossy(&gone.stdout)).issues.len(), 2, "{gone:?}");
}

#[test]
fn a_clone_that_is_not_whole_closes_nothing_and_says_what_is_missing() {
    let folder = Folder::new("repositories-partial");
    let (repository, whole, data) = (folder.join("app.git"), folder.join("whole.git"), folder.join("data"));
    let leak =
        |at: i64, path: &'static str, fill: &str| (1_700_000_000 + at, path, format!("GH={}\n", key(fill)).into());
    commit(&repository, &[leak(0, "deep/app.env", "q9Tr"), leak(1, "b.env", "w7Hu")]);
    let target = repository.to_str().expect("UTF-8").to_owned();
    assert_eq!(leaks(&scan(&target, &data, "64")).len(), 2);

    std::fs::rename(&repository, &whole).expect("can be moved");
    for (at, arguments) in [
        (&whole, &["config", "uploadpack.allowFilter", "true"][..]),
        (&whole, &["clone", "-q", "--bare", "--filter=blob:none", "file://.", &target]),
    ] {
        let source = format!("file://{}", whole.display());
        let arguments: Vec<&str> =
            arguments.iter().map(|word| if *word == "file://." { &source } else { *word }).collect();
        assert!(git(at, &arguments).status().expect("git is installed").success());
    }
    // A history that was rewritten is looked at anew.
    assert!(git(&repository, &["update-ref", "refs/heads/main", "main~1"]).status().expect("git runs").success());
    commit(&repository, &[leak(2, "c.env", "e5Gy")]);
    let part = scan(&target, &data, "64");
    let said = String::from_utf8_lossy(&part.stderr).into_owned();
    assert!(said.contains("not looked at: 1 file, deep/app.env the first"), "{said}");
    assert_eq!(leaks(&part).len(), 3, "what was known stands, and what is found is told: {part:?}");
    let fresh = scan(&target, &folder.join("fresh"), "64");
    assert_eq!(leaks(&fresh).len(), 1, "{fresh:?}");
    assert!(git(&whole, &["config", "extensions.refStorage", "reftable"]).status().expect("git runs").success());
    let other = scan(whole.to_str().expect("UTF-8"), &folder.join("other"), "64");
    let said = String::from_utf8_lossy(&other.stderr).into_owned();
    assert!(said.contains("its branches are stored as reftable"), "{said}");
}

/// Rules in the form of gitleaks: one that finds tickets outside of tests, and one that looks ahead.
const RULES: &str = r#"
title = "ours"
[[rules]]
id = "acme-ticket"
description = "A ticket"
regex = '''\b(tkt-[a-z0-9]{12})\b'''
entropy = 2
keywords = ["tkt-"]
[[rules.allowlists]]
paths = ['''(?:^|/)tests/''']
[[rules]]
id = "ahead"
regex = '''a(?=b)'''
"#;

#[test]
fn rules_of_a_pack_find_what_ours_do_not_and_a_history_is_looked_through_again_by_them() {
    let folder = Folder::new("repositories-rules");
    let repository = folder.join("app.git");
    let ticket = |ticket: &str| format!("call(\"tkt-{ticket}\")\n").into_bytes();
    commit(
        &repository,
        &[(1_700_000_000, "app.py", ticket("k3m8vq1zbw5h")), (1_700_000_100, "tests/app.py", ticket("9cd2yfs7hui4"))],
    );
    let data = folder.join("data");
    let text = |path: &Path| path.to_str().expect("UTF-8").to_owned();
    succeed(&["init", "--data", &text(&data), "--email", "a@acme.test"]);
    let target = text(&repository);
    assert_eq!(leaks(&scan(&target, &data, "64")), Vec::<String>::new());
    let rules = folder.join("rules.toml");
    std::fs::write(&rules, RULES).expect("is written");
    let added = command(&["packs", "add", "--data", &text(&data), &text(&rules)]).output().expect("starts");
    let said = format!("{}{}", String::from_utf8_lossy(&added.stdout), String::from_utf8_lossy(&added.stderr));
    assert!(added.status.success() && said.contains("rules  1 rules for secrets of 1 files"), "{said}");
    assert!(said.contains("left out: ahead: an expression cannot be read: look-around"), "{said}");
    let found = Discovery::of(&scan(&target, &data, "64")).issues;
    assert_eq!(found.len(), 1, "{found:?}");
    let shown = succeed(&["issue", "show", found.keys().next().expect("one"), "--data", &text(&data)]);
    assert!(shown.contains("A secret of acme ticket stands in \"app.py\", line 1,"), "{shown}");
    std::fs::write(&rules, "[[rules]]\nid = \"a\"\nregex = 5\n").expect("is written");
    let refused = command(&["packs", "add", "--data", &text(&data), &text(&rules)]).output().expect("starts");
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(refused.status.code() == Some(2) && said.contains("rules.toml: line 3: "), "{said}");
    std::fs::write(&rules, "[[rules]]\nid = \"file\"\npath = \"p12\"\n").expect("is written");
    let refused = command(&["packs", "add", "--data", &text(&data), &text(&rules)]).output().expect("starts");
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("left out: file: ") && said.contains("rules.toml has no rule that can be used"), "{said}");
    assert!(succeed(&["packs", "list", "--data", &text(&data)]).contains("rules  1 secrets"));
}

/// Bytes that a server would send of a repository that is far larger than what is kept.
const HUGE_BYTES: u64 = 5 << 30;

/// A server of one repository whose pack has no end before five gigabytes, until the tests end; how much it sent.
fn endless() -> (String, Arc<Mutex<u64>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let url = format!("http://{}/huge.git", listener.local_addr().expect("has one"));
    let sent: Arc<Mutex<u64>> = Arc::default();
    let told = sent.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            send_without_end(stream, &told);
        }
    });
    (url, sent)
}

fn send_without_end(stream: TcpStream, sent: &Mutex<u64>) {
    let line = |text: &str| format!("{:04x}{text}", text.len() + 4);
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut row = String::new();
        reader.read_line(&mut row).expect("a line");
        if let Some(value) = row.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().expect("a number");
        }
        if row.trim().is_empty() {
            break;
        }
        head.push_str(&row);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("the whole body");
    let mut stream = reader.into_inner();
    stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n").expect("it reads");
    let body = String::from_utf8_lossy(&body);
    if head.starts_with("GET") {
        let lines = ["version 2\n", "ls-refs\n", "fetch\n", "object-format=sha1\n"].map(line).concat();
        let said = format!("{}0000{lines}0000", line("# service=git-upload-pack\n"));
        return stream.write_all(said.as_bytes()).expect("it reads");
    }
    if body.contains("command=ls-refs") {
        let said = format!("{}0000", line(&format!("{} refs/heads/main\n", "1".repeat(40))));
        return stream.write_all(said.as_bytes()).expect("it reads");
    }
    stream.write_all(line("packfile\n").as_bytes()).expect("it reads");
    let piece = [&b"fff0\x01"[..], &vec![7; 0xfff0 - 5]].concat();
    while *sent.lock().expect("nobody panics") < HUGE_BYTES && stream.write_all(&piece).is_ok() {
        *sent.lock().expect("nobody panics") += piece.len() as u64;
    }
}

#[test]
fn a_repository_of_five_gigabytes_is_hung_up_on_where_it_exceeds_what_is_kept() {
    let folder = Folder::new("repositories-huge");
    let (url, sent) = endless();
    let output = scan(&url, &folder.join("data"), "8");
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("larger than 8 MiB (setting repository_mib)"), "{text}");
    // What the two kernels hold is sent as well.
    assert!(
        *sent.lock().expect("nobody panics") < 64 << 20,
        "{} bytes were taken",
        sent.lock().expect("nobody panics")
    );
}

/// A record of OSV about a package of npm.
const OSV: &str = r#"{"id":"GHSA-35jh-r3h4-6jhm","modified":"2024-01-01T00:00:00Z","schema_version":"1.6.0",
    "aliases":["CVE-2021-23337"],"summary":"Command injection in lodash","affected":[{"package":{"ecosystem":"npm",
    "name":"lodash"},"ranges":[{"type":"SEMVER","events":[{"introduced":"0"},{"fixed":"4.17.21"}]}]}]}"#;

/// A record of OSV about a package of npm, of little weight and without an id of CVE.
const OSV_LIGHT: &str = r#"{"id":"GHSA-aaaa-bbbb-cccc","modified":"2024-01-01T00:00:00Z","schema_version":"1.6.0",
    "summary":"A little","severity":[{"type":"CVSS_V3","score":"CVSS:3.1/AV:L/AC:H/PR:H/UI:R/S:U/C:L/I:N/A:N"}],
    "affected":[{"package":{"ecosystem":"npm","name":"lodash"},"ranges":[{"type":"SEMVER","events":[{"introduced":"4.0.0"},
    {"last_affected":"4.17.20"}]}]}]}"#;

/// A record of NVD, which says how grave it is.
const NVD: &str = r#"{"format":"NVD_CVE","version":"2.0","vulnerabilities":[{"cve":{"id":"CVE-2021-23337",
    "vulnStatus":"Analyzed","descriptions":[{"lang":"en","value":"x"}],"metrics":{"cvssMetricV31":[{"type":"Primary",
    "cvssData":{"version":"3.1","vectorString":"CVSS:3.1/AV:N/AC:L/PR:H/UI:N/S:U/C:H/I:H/A:H","baseScore":7.2,
    "baseSeverity":"HIGH"}}]}}}]}"#;

/// The issues that a scan printed, without leaks, as they are shown.
fn flaws(output: &Output, data: &Path) -> Vec<String> {
    let data = data.to_str().expect("UTF-8");
    let shown = |id: &str| succeed(&["issue", "show", id, "--data", data]);
    let mut found: Vec<String> = Discovery::of(output)
        .issues
        .into_values()
        .filter(|issue| issue["name"] != "leaked_token")
        .map(|issue| {
            format!("{} {}", issue["name"].as_str().expect("text"), shown(issue["id"].as_str().expect("text")))
        })
        .collect();
    found.sort();
    found
}

#[test]
fn packages_of_the_newest_lock_file_are_judged_and_so_are_the_files_by_which_it_is_built() {
    let folder = Folder::new("repositories-packages");
    let repository = folder.join("app.git");
    let data = folder.join("data");
    let lock = |version: &str| {
        format!(r#"{{"lockfileVersion":3,"packages":{{"node_modules/lodash":{{"version":"{version}"}}}}}}"#)
            .into_bytes()
    };
    let workflow = b"on: issues\njobs:\n  a:\n    steps:\n      - uses: acme/setup@v1\n      - run: echo \
                     ${{ github.event.issue.title }}\n";
    commit(
        &repository,
        &[
            (1_700_000_000, "package-lock.json", lock("4.17.20")),
            (1_700_000_100, ".github/workflows/ci.yml", workflow.to_vec()),
            (1_700_000_200, "node_modules/x/package-lock.json", lock("1.0.0")),
        ],
    );
    let (osv, nvd, light) = (folder.join("osv.json"), folder.join("nvd.json"), folder.join("light.json"));
    std::fs::write(&osv, OSV).expect("is written");
    std::fs::write(&light, OSV_LIGHT).expect("is written");
    std::fs::write(&nvd, NVD).expect("is written");
    let text = |path: &Path| path.to_str().expect("UTF-8").to_owned();
    let scanned = |data: &Path| {
        succeed(&["init", "--data", &text(data), "--email", "a@acme.test"]);
        succeed(&["packs", "add", "--data", &text(data), &text(&osv), &text(&nvd), &text(&light)]);
        scan(&text(&repository), data, "64")
    };
    let first = scanned(&data);
    let found = flaws(&first, &data);
    let [unpinned, dependency, injection] = found.as_slice() else { panic!("{found:#?} {first:?}") };
    assert!(unpinned.starts_with("unpinned_action ") && unpinned.contains("acme/setup@v1"), "{unpinned}");
    assert!(dependency.starts_with("vulnerable_dependency "), "{dependency}");
    for words in ["lodash 4.17.20", "package-lock.json", "CVE-2021-23337", "before 4.17.21"] {
        assert!(dependency.contains(words), "{words}: {dependency}");
    }
    assert!(injection.starts_with("workflow_injection "), "{injection}");
    let told = succeed(&["affected", "CVE-2021-23337", "--data", &text(&data)]);
    let wanted = format!(
        "affected            GitRepository file://{}  lodash 4.17.20 in package-lock.json; concerned: before 4.17.21\n",
        text(&repository)
    );
    assert_eq!(told, wanted);
    let told = succeed(&["affected", "GHSA-aaaa-bbbb-cccc", "--data", &text(&data)]);
    assert!(told.contains("  lodash 4.17.20 in package-lock.json; concerned: "), "{told}");
    let shown = succeed(&["entity", "show", &format!("file://{}", text(&repository)), "--data", &text(&data)]);
    assert!(shown.contains("  vulns       CVE-2021-23337, GHSA-aaaa-bbbb-cccc\n"), "{shown}");

    commit(&repository, &[(1_700_000_300, "package-lock.json", lock("4.17.21"))]);
    let later = folder.join("later");
    let found = flaws(&scanned(&later), &later);
    assert!(!found.iter().any(|issue| issue.starts_with("vulnerable_dependency")), "a newer one is safe: {found:#?}");
    assert_eq!(found.len(), 2, "{found:#?}");
}

/// Copies a folder on the branch `main` of a bare repository.
fn copy(folder: &Path, moment: i64, from: &str, to: &str) {
    let mut child = git(folder, &["fast-import", "--quiet"]).stdin(Stdio::piped()).spawn().expect("git is installed");
    let copied = format!(
        "commit refs/heads/main\ncommitter Dev <dev@acme.test> {moment} +0000\ndata 4\nwork\nfrom refs/heads/main^0\nC \
         {from} {to}\n"
    );
    child.stdin.take().expect("piped").write_all(copied.as_bytes()).expect("it reads");
    assert!(child.wait().expect("it ends").success());
}

#[test]
fn a_workflow_that_was_copied_or_brought_back_on_a_server_is_judged_as_it_stands() {
    let folder = Folder::new("repositories-reverted");
    let repository = folder.join("root").join("app.git");
    let (bad, good, path) =
        (b"jobs:\n  a:\n    steps:\n      - uses: acme/setup@v1\n", b"jobs: {}\n", ".github/workflows/ci.yml");
    let filler = |at: i64| (1_700_000_000 + at, "src/main.c", format!("{at}\n").into_bytes());
    commit(&repository, &[filler(0), (1_700_000_001, path, bad.to_vec())]);
    let (url, asked) = serve(&folder.join("root"));
    let (target, data) = (format!("{url}/app.git"), folder.join("data"));
    let shown = |output: &Output| flaws(output, &data);
    let first = shown(&scan(&target, &data, "64"));
    assert!(matches!(first.as_slice(), [one] if one.contains("ci.yml")), "{first:#?}");
    for filters in ["false", "true"] {
        assert!(git(&repository, &["config", "uploadpack.allowFilter", filters]).status().expect("git runs").success());
        commit(&repository, &[(1_700_000_002, path, good.to_vec()), (1_700_000_003, path, bad.to_vec()), filler(4)]);
        let again = shown(&scan(&target, &data, "64"));
        assert_eq!(again.len(), 1, "brought back: {again:#?}");
    }
    copy(&repository, 1_700_000_010, ".github", ".gitea");
    let copied = shown(&scan(&target, &data, "64"));
    assert!(copied.iter().any(|issue| issue.contains(".gitea/workflows/ci.yml")), "{copied:#?}");
    let asked = asked.lock().expect("nobody panics").join("\n");
    assert_eq!(asked.matches("filter blob:limit=0").count(), 2, "{asked}");
}

#[test]
fn a_flaw_that_comes_back_is_reported_again_where_the_repository_is_looked_at_in_part() {
    let folder = Folder::new("repositories-in-part");
    let (bare, data) = (folder.join("app.git"), folder.join("data"));
    let (bad, good, path) =
        (b"jobs:\n  a:\n    steps:\n      - uses: acme/setup@v1\n", b"jobs: {}\n", ".github/workflows/ci.yml");
    // More packages than are looked up.
    let many: String = (0..2_001).map(|at| format!("p{at}==1.0\n")).collect();
    let open = |files: [&[u8]; 2], at: i64| {
        let [packages, workflow] = files.map(<[u8]>::to_vec);
        commit(&bare, &[(1_700_000_000 + at, "requirements.txt", packages), (1_700_000_001 + at, path, workflow)]);
        let output = scan(bare.to_str().expect("UTF-8"), &data, "64");
        let said = String::from_utf8_lossy(&output.stderr).contains("repository (in part)");
        (Discovery::of(&output).issues.into_values().filter(|issue| issue["name"] == "unpinned_action").count(), said)
    };
    assert_eq!(open([many.as_bytes(), bad], 0), (1, true));
    assert_eq!(open([b"p1==1.0\n", good], 10), (0, false), "it is mended");
    assert_eq!(open([many.as_bytes(), bad], 20), (1, true), "it came back");
    assert_eq!(open([many.as_bytes(), good], 30), (0, true), "what is mended is so where the rest is cut as well");
}

#[test]
fn submodules_are_told_in_every_run_and_lead_to_the_repositories_that_they_are() {
    let folder = Folder::new("submodules");
    let (bare, data) = (folder.join("app"), folder.join("data"));
    let modules = "[submodule \"shop\"]\n\tpath = libs/shop\n\turl = git@github.com:acme/shop.git\n";
    commit(&bare, &[(1_700_000_000, ".gitmodules", modules.into()), (1_700_000_001, "a.txt", b"1".to_vec())]);
    let mut child = git(&bare, &["fast-import", "--quiet"]).stdin(Stdio::piped()).spawn().expect("git is installed");
    let stream = format!(
        "commit refs/heads/main\ncommitter Dev <dev@acme.test> 1700000002 +0000\ndata 4\nwork\nfrom \
         refs/heads/main^0\nM 160000 {} libs/shop\n",
        "1".repeat(40)
    );
    child.stdin.take().expect("piped").write_all(stream.as_bytes()).expect("it reads");
    assert!(child.wait().expect("it ends").success());
    let said = "1 submodule, which is searched only where it is a seed itself: libs/shop the first";
    for run in 1..3 {
        let output = scan(bare.to_str().expect("UTF-8"), &data, "1024");
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && told.contains(said), "run {run}: {told}");
        let found = Discovery::of(&output);
        let lead = found.entities.values().find(|entity| entity["name"] == "https://github.com/acme/shop");
        let lead = lead.unwrap_or_else(|| panic!("run {run}: {:?}", found.summary));
        assert_eq!(lead["summary"]["scoped"], false, "{lead}");
    }
}
