//! Repositories whose files a site hands out: a real one behind a plain server of files, and those of a simulated
//! internet, with the twins that look alike and the hostile ones.

use crate::program::{Discovery, Folder, ambit, command, succeed};
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};

/// A key of this form that nobody gave out, put together so that it stands nowhere as one.
fn key(fill: &str) -> String {
    ["ghp_", &fill.repeat(36)[..36]].concat()
}

fn git(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    let who = ["-c", "user.name=Dev", "-c", "user.email=dev@acme.test", "-c", "gc.auto=0"];
    command.current_dir(folder).args(who).args(arguments).env("GIT_CONFIG_GLOBAL", "/dev/null");
    let output = command.output().expect("git is installed");
    assert!(output.status.success(), "{arguments:?}: {output:?}");
}

fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    std::fs::create_dir_all(path.parent().expect("lies in a folder")).expect("can be made");
    std::fs::write(path, text).expect("is written");
}

/// A working copy: a key comes in one commit and goes in the next, and another is only in the index.
fn working_copy(site: &Path) {
    std::fs::create_dir_all(site).expect("can be made");
    git(site, &["init", "-q", "-b", "trunk", "."]);
    write(site, "config/app.py", &format!("# settings\n\nTOKEN = \"{}\"\n", key("a1B2")));
    write(site, "README.md", "# Shop\n");
    git(site, &["add", "."]);
    git(site, &["commit", "-q", "-m", "begin"]);
    write(site, "config/app.py", "# settings\n\nTOKEN = os.environ[\"TOKEN\"]\n");
    git(site, &["commit", "-q", "-a", "-m", "The token goes into the environment"]);
    write(site, "deploy.env", &format!("GH={}\n", key("p7Wz")));
    git(site, &["add", "deploy.env"]);
    write(site, "index.html", "<!doctype html><html><head><title>Shop</title></head><body>Shop</body></html>");
}

/// A plain server of the files of a folder on loopback, until the tests end, and the paths that were asked for.
fn serve(root: &Path) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let url = format!("http://{}", listener.local_addr().expect("has one"));
    let (asked, root) = (Arc::new(Mutex::new(Vec::new())), root.to_owned());
    let kept = asked.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let (root, kept) = (root.clone(), kept.clone());
            std::thread::spawn(move || answer(stream, &root, &kept));
        }
    });
    (url, asked)
}

fn answer(stream: TcpStream, root: &Path, asked: &Mutex<Vec<String>>) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let path = line.split(' ').nth(1)?.to_owned();
    let mut head = String::new();
    while reader.read_line(&mut head).ok()? > 2 {
        head.clear();
    }
    asked.lock().expect("nobody panics").push(path.clone());
    let path = path.trim_start_matches('/');
    let path = root.join(if path.is_empty() { "index.html" } else { path });
    let mut body = Vec::new();
    let is_there = path.is_file() && std::fs::File::open(&path).ok()?.read_to_end(&mut body).is_ok();
    let media =
        if path.extension().is_some_and(|end| end == "html") { "text/html" } else { "application/octet-stream" };
    let (status, media) = if is_there { ("200 OK", media) } else { ("404 Not Found", "text/plain") };
    let head = format!(
        "HTTP/1.1 {status}\r\nConnection: close\r\nContent-Type: {media}\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let mut stream = reader.into_inner();
    stream.write_all(head.as_bytes()).ok()?;
    stream.write_all(&body).ok()
}

fn scan(target: &str, data: &Path) -> Output {
    let data = data.to_str().expect("UTF-8");
    let workflow = "external_application_assessment";
    let tasks = "http_probe,http_enrich,soft404_profile,content_focus,exposed_repository,seed_host,service_identify";
    let arguments = ["scan", target, "--workflow", workflow, "--only", tasks, "-y", "--jsonl", "--data", data];
    command(&arguments)
        .args(["--resolver", "127.0.0.1:9", "--rates", "host=1000,address=1000"])
        .output()
        .expect("starts")
}

/// Where the leaks of a run stand, as the proofs of their issues say, sorted.
fn leaks(found: &Discovery, data: &Path) -> Vec<String> {
    let leaks = found.issues.values().filter(|issue| issue["name"] == "leaked_token");
    let shown = leaks.filter_map(|issue| issue["id"].as_str()).map(|uid| {
        let shown = succeed(&["issue", "show", uid, "--data", data.to_str().expect("UTF-8")]);
        shown.lines().find_map(|line| line.trim().strip_prefix("proof")).map(|proof| proof.trim().to_owned())
    });
    let mut proofs: Vec<String> = shown.flatten().collect();
    proofs.sort();
    proofs
}

/// How much of the repository at a site was handed out, as its details say.
fn served(data: &Path, url: &str) -> Value {
    let output = ambit(&["entity", "raw", &format!("{url}/.git"), "--data", data.to_str().expect("UTF-8")]);
    let raw: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    raw["details"]["hidden_served"].clone()
}

#[test]
fn a_working_copy_behind_a_plain_server_is_put_together_and_looked_through() {
    let folder = Folder::new("exposed-repositories");
    let (site, data) = (folder.join("site"), folder.join("data"));
    working_copy(&site);
    let (url, asked) = serve(&site);
    let first = scan(&url, &data);
    let found = Discovery::of(&first);
    let texts = leaks(&found, &data);
    assert_eq!(texts.len(), 2, "{first:?}");
    let in_commit = texts.iter().find(|text| text.contains("\"config/app.py\", line 3,")).expect("is found");
    assert!(in_commit.contains("of the commit ") && in_commit.contains("dev@acme.test"), "{in_commit}");
    let staged = texts.iter().find(|text| text.contains("\"deploy.env\", line 1,")).expect("is found");
    assert!(staged.contains("beside the commits"), "{staged}");
    assert_eq!(found.names("GitRepository").into_iter().collect::<Vec<_>>(), [format!("{url}/.git")]);
    let text = String::from_utf8_lossy(&first.stdout);
    assert!(!text.contains(&key("a1B2")) && !text.contains(&key("p7Wz")), "a secret is told: {text}");
    let first = served(&data, &url);
    assert_eq!((&first["missing"], &first["tracked"]), (&Value::from(0), &Value::from(3)), "{first}");

    let objects = |asked: &Mutex<Vec<String>>| {
        let asked = asked.lock().expect("nobody panics");
        asked.iter().filter(|path| path.contains("/objects/") && !path.contains("pack")).count()
    };
    let before = objects(&asked);
    let again = Discovery::of(&scan(&url, &data));
    assert_eq!(leaks(&again, &data).len(), 2);
    assert_eq!(objects(&asked), before, "nothing moved, so no object is asked for: {:?}", asked.lock());
    for figure in ["new", "changed", "gone"] {
        assert_eq!(again.figure(figure), 0, "{figure}");
    }

    // Packed, with a list of the packs, and with one object that is not there any more.
    write(&site, "more.env", &format!("GH={}\n", key("q9Tr")));
    git(&site, &["add", "more.env"]);
    git(&site, &["commit", "-q", "-m", "more"]);
    git(&site, &["gc", "-q"]);
    git(&site, &["update-server-info"]);
    let packed = scan(&url, &data);
    assert_eq!(leaks(&Discovery::of(&packed), &data).len(), 3, "{packed:?}");
    let packed_now = served(&data, &url);
    assert_eq!((&packed_now["packs"], &packed_now["missing"]), (&Value::from(1), &Value::from(0)), "{packed_now}");
}

#[test]
fn a_repository_of_which_a_part_is_not_handed_out_is_found_in_part_and_says_so() {
    let folder = Folder::new("exposed-repositories-part");
    let (site, data) = (folder.join("site"), folder.join("data"));
    working_copy(&site);
    // The newest tree is gone: what only it leads to is told by the index, and the older commit is whole.
    let tree = Command::new("git").current_dir(&site).args(["rev-parse", "HEAD^{tree}"]).output().expect("runs");
    let tree = String::from_utf8_lossy(&tree.stdout).trim().to_owned();
    std::fs::remove_file(site.join(".git/objects").join(&tree[..2]).join(&tree[2..])).expect("is there");
    std::fs::remove_file(site.join(".git/logs/HEAD")).expect("is there");
    let (url, _) = serve(&site);
    let first = scan(&url, &data);
    assert_eq!(leaks(&Discovery::of(&first), &data).len(), 2, "{first:?}");
    assert_eq!(served(&data, &url)["missing"], Value::from(1));
}

const ACME: &str = r#"
world acme "Acme"
seeds acme.test
org acme "Acme Corp" ours email hostmaster@acme.test
block 203.0.113.0/24 of acme asn AS64500 named ACME-NET
zone acme.test of acme
  ns ns1.acme.test 203.0.113.2
name acme.test A 203.0.113.10
name {whole,packed,bombs,forged,page,bare,loop,wiki}.acme.test A 203.0.113.{11..18}
repository https://git.example.com/acme/shop of acme
  commit 2024-03-01 "Begin" "Ann <ann@acme.test>"
  writes config/app.py "import os\n\nTOKEN = \"gh\u{70}_q7Lx2VbN9sKd4TfR8mWz1YcHp6Jg3Ea5UoXe\"\n"
  writes README.md "See https://wiki.acme.test/\n"
  commit 2024-03-02 "The token goes into the environment" "Ann <ann@acme.test>"
  writes config/app.py "import os\n\nTOKEN = os.environ[\"TOKEN\"]\n"
site https://whole.acme.test "Whole"
  checkout https://git.example.com/acme/shop
site https://packed.acme.test "Packed"
  checkout https://git.example.com/acme/shop packed
site https://bombs.acme.test "Bombs"
  checkout https://git.example.com/acme/shop bombs
site https://forged.acme.test "Forged"
  checkout https://git.example.com/acme/shop forged
site https://page.acme.test "A page for everything"
  soft-404  twin git
site https://bare.acme.test "Settings alone"
  exposes git
site https://loop.acme.test "A branch that names itself"
  exposes git
  page /.git/refs/heads/main text/plain "ref: refs/heads/main\n"
expect issue leaked_token GitRepository https://whole.acme.test:443/.git
expect issue leaked_token GitRepository https://packed.acme.test:443/.git
"#;

#[test]
fn exposed_repositories_of_a_simulated_internet_are_found_and_their_twins_are_none() {
    let folder = Folder::new("exposed-repositories-world");
    let (file, data) = (folder.join("exposed.world"), folder.join("data"));
    std::fs::write(&file, ACME).expect("is written");
    let data = data.to_str().expect("UTF-8");
    let arguments = ["scan", "--world", file.to_str().expect("UTF-8"), "-y", "--jsonl", "--data", data];
    let output = command(&arguments).output().expect("starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let found = Discovery::parse(&String::from_utf8_lossy(&output.stdout));
    let repositories: Vec<String> = found.names("GitRepository").into_iter().collect();
    assert_eq!(repositories, ["https://packed.acme.test:443/.git", "https://whole.acme.test:443/.git"], "{said}");
    for text in leaks(&found, Path::new(data)) {
        assert!(text.contains("\"config/app.py\", line 3, of the commit "), "{text}");
        assert!(text.contains("Ann <ann@acme.test>\" made on 2024-03-01"), "{text}");
    }
    assert_eq!(leaks(&found, Path::new(data)).len(), 2, "one of each that is whole: {said}");
    for figure in ["missed", "unexpected", "contacts_outside_clearance"] {
        assert_eq!(found.figure(figure), 0, "{figure}: {:?}\n{said}", found.summary);
    }
    // Each of the hostile ones is a look that failed, and says why.
    let why = said.lines().find(|line| line.contains("exposed_repository")).unwrap_or_default();
    assert!(why.contains("3 × exposed_repository") && why.contains("cannot be put together"), "{said}");
}
