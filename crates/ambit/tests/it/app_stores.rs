//! Apps that stand in stores, and packages that lie at mirrors: what a run finds by them, what it says where there is
//! nothing, and that one who fails or lies closes nothing.

use crate::cloud::Installation;
use crate::program::{Discovery, Folder, ambit, scan_command, scan_text, succeed};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::Output;
use std::sync::{Arc, Mutex};

const WORKFLOW: &str = "mobile_app_discovery";
/// F-Droid has packages where it says which versions there are.
const F_DROID: &str = "https://f-droid.org/repo/{id}_{version_code}.apk";

/// An app in stores, whose package lies at F-Droid, a twin by somebody else, and one that is nowhere.
const WORLD: &str = r#"
world shops "Shops"
seeds acme.test
org acme "Acme Corp" ours email hostmaster@acme.test
org zoe  "Zoe" stranger
block 203.0.113.0/26  of acme asn AS64500 named ACME-NET
block 198.51.100.0/24 of zoe  asn AS64501 named ZOE-NET
zone acme.test of acme
  ns ns1.acme.test 203.0.113.2
zone zoe.example of zoe
  ns ns1.zoe.example 198.51.100.2
name www.acme.test   A 203.0.113.10
name www.zoe.example A 198.51.100.10
site https://www.acme.test "Acme"
site https://www.zoe.example "Zoe"
app android test.acme.shop "Acme Shop" of acme
  store f_droid
  store google_play by "Acme Corp" site https://www.acme.test/shop
  apk
  signed "Acme Corp"
  mirrored
  says application/allowBackup false
  says versionName 2.1
  says versionCode 21
  member assets/settings.json "{\"orders\": \"https://till.acme.test/api/v1/orders\"}"
app android test.acme.twin "Acme Shop" of acme
  store google_play by Zoe site https://www.zoe.example/
  apk
  mirrored
app android test.acme.nowhere of acme
  apk
  mirrored
"#;

/// What is there in later states: the same, the next version, stores and mirror that ask for patience, and an app that
/// no store has any more.
const LATER: &str = r#"
state 2
state 3
app android test.acme.shop "Acme Shop" of acme
  store f_droid
  store google_play by "Acme Corp" site https://www.acme.test/shop
  apk
  signed "Acme Corp"
  mirrored
  says application/allowBackup false
  says versionName 2.2
  says versionCode 22
  member assets/settings.json "{\"orders\": \"https://till.acme.test/api/v2/orders\"}"
state 4
account hetzner "Patience" of acme
  shown "nobody"
  answers f-droid.org freely status 429 json "{}"
  answers play.google.com freely status 429 json "{}"
"#;

/// A run in a state: what it printed, and the lines of its wire's log.
fn run(folder: &Folder, state: u32, more: &[&str]) -> (Output, Vec<Value>) {
    let log = folder.join(&format!("wire-{state}.jsonl"));
    let mut scan = scan_command(folder, &format!("{WORLD}{LATER}"));
    scan.args(["--workflow", WORKFLOW, "--state", &state.to_string(), "--wire-log"]).arg(&log).args(more);
    let output = scan.env("AMBIT_APP_MIRROR", F_DROID).output().expect("the binary starts");
    let log = std::fs::read_to_string(&log).expect("is written");
    (output, log.lines().map(|line| serde_json::from_str(line).expect("an object")).collect())
}

fn read(output: &Output) -> Discovery {
    Discovery::parse(&String::from_utf8_lossy(&output.stdout))
}

/// What was not done in a run, a line for each reason.
fn not_done(folder: &Folder, run: u32) -> Vec<String> {
    let data = folder.join("data");
    let shown = succeed(&["run", "show", &run.to_string(), "--jsonl", "--data", data.to_str().expect("UTF-8")]);
    let record: Value = serde_json::from_str(shown.trim()).expect("JSON");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let rows = record["not_done"].as_array().expect("a list").iter();
    rows.map(|row| format!("{} {}: {}", text(&row["task"]), text(&row["reason"]), text(&row["example"]))).collect()
}

/// Names of everything of a kind that is known, theirs or not.
fn known(found: &Discovery, kind: &str) -> BTreeSet<String> {
    let kind = format!("Platform::Entity::{kind}");
    let of_kind = found.entities.values().filter(|entity| entity["type"] == kind.as_str());
    of_kind.map(|entity| entity["name"].as_str().expect("text").to_owned()).collect()
}

/// The statuses with which a path was answered.
fn answers(log: &[Value], path: &str) -> Vec<String> {
    let asked = log.iter().filter(|row| row["asked"].as_str().is_some_and(|asked| asked.ends_with(path)));
    asked.map(|row| row["answer"].as_str().expect("text").chars().take(3).collect()).collect()
}

#[test]
fn an_app_in_stores_is_known_with_its_maker_and_its_package_is_brought_from_a_mirror_once_for_a_version() {
    let folder = Folder::new("app-stores");
    let (first, log) = run(&folder, 1, &[]);
    let said = String::from_utf8_lossy(&first.stderr).into_owned();
    let found = read(&first);
    for figure in ["missed", "unexpected", "contacts_outside_clearance"] {
        assert_eq!(found.figure(figure), 0, "{figure}: {said}");
    }
    // The site of who makes an app is a candidate, whoever that is, and is not contacted for that.
    assert_eq!(
        known(&found, "DnsRecord"),
        BTreeSet::from(["till.acme.test", "www.acme.test", "www.zoe.example"].map(str::to_owned))
    );
    assert_eq!(found.names("DnsRecord"), BTreeSet::new());
    assert!(log.iter().all(|row| row["name"] != "www.acme.test" && row["name"] != "www.zoe.example"), "{log:?}");
    assert_eq!(known(&found, "AppEndpoint"), BTreeSet::from(["https://till.acme.test:443/api/v1/orders".to_owned()]));
    assert_eq!(answers(&log, "/repo/test.acme.shop_21.apk"), ["200"]);
    let data = folder.join("data");
    let data = data.to_str().expect("UTF-8");
    let shop = succeed(&["entities", "type:AndroidApp name:test.acme.shop", "--jsonl", "--data", data]);
    let shop: Value = serde_json::from_str(shop.lines().next().expect("it is found")).expect("an object");
    let shown = succeed(&["entity", "show", shop["id"].as_str().expect("text"), "--data", data]);
    for words in
        ["Acme Corp", "https://www.acme.test/shop", "google_play", "https://f-droid.org/packages/test.acme.shop"]
    {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    let rows = not_done(&folder, 1);
    for (task, words) in [
        ("seed", "AndroidApp test.acme.nowhere: it is in no store that was asked, and no package of it was read"),
        ("app_package", "no store tells the version of test.acme"),
    ] {
        let is_said = |row: &&String| row.starts_with(task) && row.contains(words);
        assert_eq!(rows.iter().filter(is_said).count(), 1, "{task}: {rows:?}");
    }

    let (same, log) = run(&folder, 2, &[]);
    assert_eq!(answers(&log, "/repo/test.acme.shop_21.apk"), ["304"]);
    let again = read(&same);
    assert_eq!((again.figure("new"), again.figure("changed"), again.figure("gone")), (0, 0, 0), "{}", again.summary);

    let (next, log) = run(&folder, 3, &[]);
    assert_eq!(answers(&log, "/repo/test.acme.shop_22.apk"), ["200"]);
    let endpoints = BTreeSet::from(["https://till.acme.test:443/api/v2/orders".to_owned()]);
    assert_eq!(known(&read(&next), "AppEndpoint"), endpoints);

    let (busy, _) = run(&folder, 4, &[]);
    let rows = not_done(&folder, 4);
    for words in ["app_store", "too many requests"] {
        assert!(rows.iter().any(|row| row.contains(words)), "{words}: {rows:?}");
    }
    let found = read(&busy);
    assert_eq!(known(&found, "AppEndpoint"), endpoints, "who asks for patience closes nothing");
    assert_eq!(found.figure("gone"), 0, "{}", found.summary);
}

#[test]
fn an_excluded_store_and_an_excluded_mirror_are_not_asked() {
    let folder = Folder::new("excluded-stores");
    let (output, log) = run(&folder, 1, &["--exclude", "play.google.com", "--exclude", "f-droid.org"]);
    let rows = not_done(&folder, 1);
    assert!(rows.iter().any(|row| row.starts_with("app_store") && row.contains("excluded")), "{rows:?}");
    assert!(log.iter().all(|row| row["name"] != "play.google.com" && row["name"] != "f-droid.org"), "{log:?}");
    assert_eq!(known(&read(&output), "AppEndpoint"), BTreeSet::new());
}

/// What a mirror does with whoever asks it.
#[derive(Clone)]
enum Mood {
    /// Gives out a package, unless it is asked with this mark.
    Has(Vec<u8>, &'static str),
    /// Sends something else without an end.
    Endless,
    /// Announces more than it sends.
    Lies(Vec<u8>),
}

/// A mirror on this machine, with the marks by which it was asked.
struct Mirror {
    address: String,
    mood: Arc<Mutex<Mood>>,
    asked: Arc<Mutex<Vec<Option<String>>>>,
}

impl Mirror {
    fn start(mood: Mood) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = listener.local_addr().expect("it has one").to_string();
        let mirror = Self { address, mood: Arc::new(Mutex::new(mood)), asked: Arc::default() };
        let (mood, asked) = (mirror.mood.clone(), mirror.asked.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let mood = mood.lock().expect("nobody panics").clone();
                // A client that goes is none of its cares.
                answer(stream, &mood, &asked).ok();
            }
        });
        mirror
    }

    fn becomes(&self, mood: Mood) {
        *self.mood.lock().expect("nobody panics") = mood;
    }

    fn asked(&self) -> Vec<Option<String>> {
        self.asked.lock().expect("nobody panics").clone()
    }
}

fn answer(mut stream: TcpStream, mood: &Mood, asked: &Mutex<Vec<Option<String>>>) -> std::io::Result<()> {
    let lines = BufReader::new(stream.try_clone()?).lines();
    let head: Vec<String> = lines.map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
    let mark = head.iter().find_map(|line| line.strip_prefix("If-None-Match: ")).map(str::to_owned);
    asked.lock().expect("nobody panics").push(mark.clone());
    let is_right = head.first().is_some_and(|line| line.starts_with("GET /apps/test.acme.till.apk "));
    assert!(is_right, "{head:?}");
    match mood {
        Mood::Has(_, tag) if mark.as_deref() == Some(tag) => {
            write!(stream, "HTTP/1.1 304 Not Modified\r\nETag: {tag}\r\nConnection: close\r\n\r\n")
        }
        Mood::Has(bytes, tag) => {
            write!(stream, "HTTP/1.1 200 OK\r\nETag: {tag}\r\nContent-Length: {}\r\n\r\n", bytes.len())?;
            stream.write_all(bytes)
        }
        Mood::Endless => {
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")?;
            loop {
                stream.write_all(&[b'x'; 4_096])?;
            }
        }
        Mood::Lies(bytes) => {
            write!(stream, "HTTP/1.1 200 OK\r\nETag: \"new\"\r\nContent-Length: {}\r\n\r\n", bytes.len() * 2)?;
            stream.write_all(bytes)
        }
    }
}

#[test]
fn a_package_comes_from_the_operators_mirror_and_one_that_sends_something_else_closes_nothing() {
    // The simulated internet makes packages, one for each app.
    let folder = Folder::new("mirrored-apps-made");
    scan_text(&folder, include_str!("../../../../worlds/estate.world"), &["--workflow", WORKFLOW]);
    let package = std::fs::read(folder.join("data").join("apps").join("test.acme.till.apk")).expect("it is made");
    let mirror = Mirror::start(Mood::Has(package.clone(), "\"v1\""));
    let template = format!("http://{}/apps/{{id}}.apk", mirror.address);
    let at = Installation::asking("mirrored-apps", &[("AMBIT_APP_MIRROR", &template)]);
    let made = ["collection", "create", "Apps", "--workflow", WORKFLOW, "--only", "app_package"];
    let uuid = at.tell(&made).trim().to_owned();
    let seed = json!({"name": "test.acme.till", "type": "AndroidApp"});
    let (status, answer) = at.ask("POST", &format!("/user_collections/{uuid}/user_entities"), &seed);
    assert_eq!(status, 200, "{answer}");
    let collections = at.rows(&["collection", "list"]);
    let name = collections[0]["name"].as_str().expect("text").to_owned();
    let endpoints = BTreeSet::from(["https://till.acme.test:443/api/v2/orders".to_owned()]);

    assert_eq!(at.run(&name)["not_done"], json!([]));
    at.finds(&name, "AppEndpoint", &endpoints);
    assert_eq!(mirror.asked(), [None]);
    let run = at.run(&name);
    assert_eq!(run["not_done"], json!([]), "{run}");
    at.finds(&name, "AppEndpoint", &endpoints);
    assert_eq!(mirror.asked(), [None, Some("\"v1\"".to_owned())]);
    for (mood, why) in
        [(Mood::Endless, "it sends something else than a package"), (Mood::Lies(package), "the package was truncated")]
    {
        mirror.becomes(mood);
        let run = at.run(&name);
        assert!(run["not_done"].to_string().contains(why), "{run}");
        at.finds(&name, "AppEndpoint", &endpoints);
    }
}

#[test]
fn a_mirror_without_a_place_for_the_app_is_refused_before_anything_is_asked() {
    let folder = Folder::new("bad-mirror");
    for (mirror, why) in [
        ("https://mirror.example/app.apk", "it has no {id} for the name of the app"),
        ("https://mirror.example/{id}/{name}.apk", "it has other places than"),
        ("https://{id}.example/app.apk", "no URL with a host of its own"),
    ] {
        let mut scan = scan_command(&folder, WORLD);
        let output = scan.args(["--workflow", WORKFLOW]).env("AMBIT_APP_MIRROR", mirror).output().expect("it starts");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && said.contains("setting app_mirror") && said.contains(why), "{said}");
    }
}

#[test]
fn an_app_is_scanned_by_its_name_and_what_is_no_app_is_told() {
    let folder = Folder::new("apps-by-name");
    let scan = |more: &[&str]| scan_command(&folder, WORLD).args(more).output().expect("the binary starts");
    let found = Discovery::parse(&String::from_utf8_lossy(&scan(&["AndroidApp:test.acme.shop"]).stdout));
    let names: Vec<&str> = found.entities.values().filter_map(|entity| entity["name"].as_str()).collect();
    assert!(names.contains(&"test.acme.shop"), "{names:?}");

    let bytes =
        ambit_world::World::parse(&WORLD.replace("mirrored", ""), "shops.world").expect("is a world").packages();
    let (name, bytes) = bytes.into_iter().next().expect("has a package");
    let package = |file: &str| {
        let path = folder.join(file);
        std::fs::write(&path, &bytes).expect("writes");
        path.to_str().expect("UTF-8").to_owned()
    };
    let (one, other) = (package("one.apk"), package("other.apk"));
    let folder_of_app = folder.join("folder.apk");
    std::fs::create_dir_all(&folder_of_app).expect("makes a folder");
    for (targets, said) in [
        (vec![one.as_str(), other.as_str()], "it contains the same app as"),
        (vec!["--workflow", "third_party_workflow", &one], "it is an app, which the workflow third_party_workflow"),
        (vec![folder_of_app.to_str().expect("UTF-8")], "it is no file; expected the package of an app"),
        (vec!["--workflow", WORKFLOW, "test.acme.shop"], "or an app as AndroidApp:org.example.app"),
        (vec!["IosApp:not a name"], "target \"IosApp:not a name\""),
    ] {
        let output = scan(&targets);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && error.contains(said), "{name}: {targets:?}: {error}");
    }
    assert!(scan(&[one.as_str(), one.as_str()]).status.success(), "the same file twice is one");
}

#[test]
fn a_name_of_two_apps_says_which_one_is_shown_and_how_the_other_is_meant() {
    let folder = Folder::new("apps-of-one-name");
    let seeds = ["AndroidApp:test.acme.shop", "IosApp:test.acme.shop"];
    scan_text(&folder, WORLD, &[&["--workflow", WORKFLOW][..], &seeds].concat());
    let data = folder.join("data");
    let show = |name: &str| {
        let output = ambit(&["entity", "show", name, "--data", data.to_str().expect("UTF-8")]);
        let [told, said] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("UTF-8"));
        (told.lines().next().unwrap_or_default().to_owned(), said)
    };
    let (told, said) = show("test.acme.shop");
    assert!(told.starts_with("AndroidApp "), "{told}");
    assert!(said.starts_with("test.acme.shop names several entities; this is AndroidApp "), "{said}");
    let other = said.trim().rsplit_once("name another by its uid: IosApp ").expect("it is told how").1;
    assert_eq!(said.lines().count(), 1, "{said}");
    let (told, said) = show(other);
    assert!(told.starts_with("IosApp ") && said.is_empty(), "{told} {said}");
}
