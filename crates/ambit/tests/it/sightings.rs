//! What records claim over the states of a world: when something was seen, what is new, what is gone, and how many
//! versions that makes.

use crate::crash::kill_after;
use crate::program::{Discovery, Folder, command, scan_text, succeed};
use ambit_model::Timestamp;
use ambit_model::feed::Noun;
use ambit_model::moment::DAY_MS;
use ambit_model::run::Run;
use ambit_store::{IndexRow, Options, Store};
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

const WORLD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../worlds/small.world");

/// A folder in which a world is scanned again and again.
pub(crate) struct Scans {
    folder: Folder,
    world: PathBuf,
}

/// What the store holds after a scan.
pub(crate) struct Held {
    pub(crate) entities: Vec<IndexRow>,
    pub(crate) issues: Vec<IndexRow>,
    /// Versions of records that are not shown any more.
    closed: usize,
    run: Run,
    new_entity_count: i64,
}

impl Scans {
    fn new() -> Self {
        Self { folder: Folder::new("sightings"), world: WORLD.into() }
    }

    /// Of a world that is written in a test.
    pub(crate) fn of(text: &str) -> Self {
        let folder = Folder::new("sightings");
        let world = folder.join("written.world");
        std::fs::write(&world, text).expect("can be written");
        Self { folder, world }
    }

    fn path(&self) -> &str {
        self.folder.path().to_str().expect("UTF-8")
    }

    fn scan(&self, state: &str) -> (Discovery, Held) {
        self.scan_with(state, &[])
    }

    pub(crate) fn scan_with(&self, state: &str, more: &[&str]) -> (Discovery, Held) {
        let world = self.world.to_str().expect("UTF-8");
        let arguments = ["scan", "--world", world, "-y", "--jsonl", "--state", state, "--data", self.path()];
        let found = Discovery::parse(&succeed(&[&arguments[..], more].concat()));
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        (found, runtime.block_on(self.held()))
    }

    async fn held(&self) -> Held {
        let store = Store::open(&Options::folder(self.folder.path())).await.expect("the folder opens");
        let me = store.local_operator().await.expect("the operator");
        let mut held = [Vec::new(), Vec::new()];
        for (noun, rows) in [Noun::Entity, Noun::Issue].into_iter().zip(&mut held) {
            let uids = store.all_uids(noun, None, 10_000).await.expect("uids");
            *rows = store.index_rows(noun, &uids).await.expect("rows");
        }
        let [entities, issues] = held;
        let collection =
            store.find_collection(&me, entities[0].collection.uuid).await.expect("a collection").collection;
        let closed = store.history_rows(0, 10_000).await.expect("versions").len();
        let run = store.list_runs(&me, collection.uuid).await.expect("runs").into_iter().max_by_key(|run| run.number);
        store.close().await;
        let new_entity_count = collection.new_entity_count;
        Held { entities, issues, closed, run: run.expect("a run"), new_entity_count }
    }
}

impl Held {
    fn began(&self) -> Timestamp {
        self.run.started_at.expect("it began")
    }

    pub(crate) fn names<'a>(&'a self, rows: &'a [IndexRow], condition: impl Fn(&IndexRow) -> bool) -> Vec<&'a str> {
        let mut names: Vec<&str> =
            rows.iter().filter(|row| condition(row)).filter_map(|row| row.record["name"].as_str()).collect();
        names.sort_unstable();
        names
    }

    fn present(&self) -> usize {
        self.entities.iter().filter(|row| is_present(row)).count()
    }
}

pub(crate) fn is_present(row: &IndexRow) -> bool {
    row.record["present"] == true
}

pub(crate) fn is_open(row: &IndexRow) -> bool {
    row.record["status"].as_str().is_some_and(|status| status.starts_with("open"))
}

#[test]
fn a_run_says_only_what_it_saw() {
    let scans = Scans::new();
    let (first, before) = scans.scan("1");
    assert_eq!(before.closed, 0, "a first run leaves one version of each record");
    assert_eq!(first.figure("new"), i64::try_from(before.present()).expect("few"));

    let (second, after) = scans.scan("2");
    assert_eq!((second.figure("missed"), second.figure("unexpected")), (0, 0), "{}", second.summary);
    let began = after.began();
    let no_names: [&str; 0] = [];

    let unseen = after.names(&after.entities, |row| is_present(row) && row.last_seen <= began);
    assert_eq!(unseen, no_names, "what is present was seen");
    let gone = after.names(&after.entities, |row| !is_present(row));
    assert!(gone.len() > 1, "the second state takes sites away: {gone:?}");
    let seen = after.names(&after.entities, |row| !is_present(row) && row.last_seen > began);
    assert_eq!(seen, no_names, "what was found gone was not seen");

    let closed = after.names(&after.issues, |row| !is_open(row));
    assert!(!closed.is_empty(), "the second state mends something");
    let seen = after.names(&after.issues, |row| !is_open(row) && row.last_seen > began);
    assert_eq!(seen, no_names, "what was found mended was not seen");
    let unseen = after.names(&after.issues, |row| is_open(row) && row.last_seen <= began);
    assert_eq!(unseen, no_names, "what is open was proven again");
    let flickered = after.names(&after.issues, |row| !is_open(row) && row.first_seen > began);
    assert_eq!(flickered, no_names, "nothing was opened on what the same run replaced");

    for shown in [second.figure("new"), after.run.counters.new_entities, after.new_entity_count] {
        let new = after.entities.iter().filter(|row| is_present(row) && row.first_seen > began).count();
        assert_eq!(shown, i64::try_from(new).expect("few"), "how many are new has one answer");
    }
    let (was, is) = (before.present(), after.present());
    let balance = i64::try_from(was).expect("few") + second.figure("new") - second.figure("gone");
    assert_eq!(balance, i64::try_from(is).expect("few"), "{}", second.summary);

    for row in after.entities.iter().filter(|row| !is_present(row)) {
        let moment = row.opened_at.plus_ms(1).to_string();
        let shown =
            succeed(&["entity", "show", &row.uid.to_string(), "--as-of", &moment, "--jsonl", "--data", scans.path()]);
        let shown: Value = serde_json::from_str(&shown).expect("JSON");
        assert_eq!(shown["last_seen"], row.last_seen.to_string(), "{} while it is gone", row.record["name"]);
    }
}

/// What is mended in the second state and broken again in the third.
const MENDED: &str = r#"world mended "Mended"
seeds acme.test
org acme "Acme Tools" ours
block 203.0.113.0/24 of acme asn AS64500 named ACME
zone acme.test of acme
  ns ns1.acme.test 203.0.113.2
name acme.test A 203.0.113.3
site https://acme.test "Acme"
  exposes git
state 2
site https://acme.test "Acme"
state 3
site https://acme.test "Acme"
  exposes git
"#;

#[test]
fn what_came_back_was_not_seen_while_it_was_gone() {
    let folder = Folder::new("came-back");
    let data = folder.join("data");
    let data = data.to_str().expect("UTF-8");
    let ended = |state: &str| {
        scan_text(&folder, MENDED, &["--state", state]);
        Timestamp(i64::try_from(std::time::SystemTime::UNIX_EPOCH.elapsed().expect("a clock").as_millis()).expect("ms"))
    };
    let [first, second, _] = ["1", "2", "3"].map(ended);
    let query = ["issues", "name:exposed_version_control", "--jsonl", "--data", data, "--as-of"];
    let listed = succeed(&[&query[..], &[&second.to_string()]].concat());
    let issue: Value = serde_json::from_str(&listed).expect("one issue");
    assert_eq!(issue["summary"]["status"], "closed_resolved");
    let uid = issue["uid"].as_str().expect("a uid");
    let shown = succeed(&["issue", "show", uid, "--as-of", &second.to_string(), "--jsonl", "--data", data]);
    let shown: Value = serde_json::from_str(&shown).expect("JSON");
    for (way, issue) in [("in a list", issue), ("by itself", shown)] {
        let seen = issue["last_seen"].as_str().expect("a stamp");
        assert!(seen <= first.to_string().as_str(), "{way}: {seen}, but the first run ended at {first}");
    }
}

#[test]
fn the_log_of_the_wire_has_each_contact_with_its_answer() {
    let folder = Folder::new("wire-log");
    let (data, log) = (folder.join("data"), folder.join("wire.jsonl"));
    let [data, log] = [&data, &log].map(|path| path.to_str().expect("UTF-8"));
    succeed(&["scan", "--world", WORLD, "-y", "--silent", "--wire-log", log, "--data", data]);
    let text = std::fs::read_to_string(log).expect("the log is there");
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let answers = |asked: &str, begins: &str| {
        let answered = |line: &&Value| line["answer"].as_str().is_some_and(|answer| answer.starts_with(begins));
        lines.iter().filter(|line| line["asked"] == asked).filter(answered).count()
    };
    for (asked, begins) in [
        ("connect", "open"),
        ("connect", "refused"),
        ("dns A", "NOERROR; "),
        ("dns A", "NXDOMAIN"),
        ("tls", "certificate "),
        ("GET /", "200\n<"),
    ] {
        assert!(answers(asked, begins) > 0, "{asked}: {begins}");
    }
    assert!(lines.iter().all(|line| line["at"].is_string() && line["date"].is_string()));
}

#[test]
fn a_refresh_of_what_did_not_change_makes_at_most_a_fifth_of_the_contacts_and_no_version() {
    let scans = Scans::new();
    let log = scans.folder.join("wire.jsonl");
    let log = log.to_str().expect("UTF-8");
    let scan = |more: &[&str]| {
        let arguments = ["scan", "--world", WORLD, "-y", "--jsonl", "--wire-log", log, "--data", scans.path()];
        let found = Discovery::parse(&succeed(&[&arguments[..], more].concat()));
        (found, std::fs::read_to_string(log).expect("the log is there").lines().count())
    };
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let (first, contacts) = scan(&[]);
    let before = runtime.block_on(scans.held());
    let (second, again) = scan(&[]);
    let after = runtime.block_on(scans.held());
    assert!(again * 5 <= contacts, "{again} contacts after {contacts}");
    for figure in ["new", "changed", "gone", "missed", "unexpected", "contacts_outside_clearance"] {
        assert_eq!(second.figure(figure), 0, "{figure}: {}", second.summary);
    }
    first.assert_same(&second);
    let versions = |held: &Held| {
        let rows = held.entities.iter().chain(&held.issues);
        rows.map(|row| (row.uid, row.opened_at)).collect::<std::collections::BTreeMap<_, _>>()
    };
    assert_eq!(versions(&before), versions(&after), "each record is in the version that it was in");
    assert_eq!((before.closed, after.closed), (0, 0));
    let began = after.began();
    let no_names: [&str; 0] = [];
    let unseen = after.names(&after.entities, |row| is_present(row) && row.last_seen <= began);
    assert_eq!(unseen, no_names, "what is present was seen");
    let unproven = after.names(&after.issues, |row| is_open(row) && row.last_seen <= began);
    assert_eq!(unproven, no_names, "what is open was proven again");

    let (_, whole) = scan(&["--full"]);
    assert!(whole * 10 > contacts * 9, "{whole} contacts where everything is asked for, after {contacts}");

    let collection = after.run.collection_name.as_str();
    let ask = |words: &[&str]| succeed(&[&["run"][..], words, &["--data", scans.path()]].concat());
    ask(&["start", collection, "--full"]);
    let (_, asked) = scan(&[]);
    assert!(asked * 10 > contacts * 9, "{asked} contacts in a run that was asked for as a full one, after {contacts}");
    assert!(runtime.block_on(scans.held()).run.full);
}

#[test]
fn a_run_that_searches_everything_does_so_after_it_was_killed() {
    let scans = Scans::new();
    let begun = Instant::now();
    scans.scan("1");
    let whole = begun.elapsed();
    let scan = ["scan", "--world", WORLD, "-y", "--silent", "--data", scans.path()];
    let killed = kill_after(&mut command(&[&scan[..], &["--full"]].concat()), whole / 2);
    assert!(killed, "it was over before it could be killed");
    succeed(&scan);
    let run = tokio::runtime::Runtime::new().expect("a runtime").block_on(scans.held()).run;
    assert_eq!((run.number, run.full), (2, true), "the same run was resumed");
}

#[test]
fn an_unfinished_run_does_not_become_one_that_searches_everything() {
    let scans = Scans::new();
    let (_, held) = scans.scan("1");
    let start = ["run", "start", held.run.collection_name.as_str(), "--data", scans.path()];
    succeed(&start);
    let full = command(&["scan", "--world", WORLD, "-y", "--full", "--data", scans.path()]).output();
    let full = full.expect("the program starts");
    let said = String::from_utf8_lossy(&full.stderr);
    let run = held.run.id + 1;
    assert_eq!(full.status.code(), Some(2), "{said}");
    assert!(
        said.contains(&format!("run {run} is unfinished")) && said.contains(&format!("run cancel {run}")),
        "{said}"
    );
    let asked = command(&[&start[..], &["--full"]].concat()).output().expect("the program starts");
    let said = String::from_utf8_lossy(&asked.stderr);
    assert_eq!(asked.status.code(), Some(2), "{said}");
    assert!(said.contains(&format!("Run {run} of the collection is scheduled")), "{said}");
}

/// Worlds of one test: about half a minute on two cores.
const WORLDS: &str = "8";
/// Fewer, because what differs between the databases shows in any.
const WORLDS_ON_POSTGRES: &str = "3";
/// Recorded changes of each world that are looked back at.
const MOMENTS: &str = "20";
/// The same worlds every time; `bench/sightings` draws others.
const SEED: &str = "20261123";

/// Runs `bench/sightings`, which fails where a record claims what was not so.
fn judge_random_worlds(worlds: &str, options: &[&str]) {
    let programs = std::env::var_os("AMBIT_TEST_PYTHON").map(PathBuf::from);
    let programs = programs
        .expect("AMBIT_TEST_PYTHON is not set: run the tests with `make test`, or below `cargo xtask with-python`");
    let judged = Command::new(programs.join("python3"))
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../../bench/sightings"))
        .args([worlds, SEED, "--ambit", env!("CARGO_BIN_EXE_ambit"), "--moments", MOMENTS])
        .args(options)
        .env_remove("AMBIT_BENCH_RECORD")
        .output()
        .expect("Python starts");
    let said = String::from_utf8_lossy(&judged.stdout);
    assert!(judged.status.success(), "{said}{}", String::from_utf8_lossy(&judged.stderr));
}

#[test]
fn records_of_random_worlds_claim_what_a_naive_evaluator_finds() {
    judge_random_worlds(WORLDS, &[]);
}

#[test]
fn records_of_random_worlds_on_postgres_claim_what_a_naive_evaluator_finds() {
    assert!(
        std::env::var_os("AMBIT_TEST_POSTGRES").is_some(),
        "AMBIT_TEST_POSTGRES is not set: run the tests with `make test`, or below `cargo xtask with-postgres`"
    );
    judge_random_worlds(WORLDS_ON_POSTGRES, &["--postgres"]);
}

#[test]
fn a_scheduled_run_in_which_all_is_fresh_is_done_and_says_so() {
    let scans = Scans::new();
    let (_, held) = scans.scan("1");
    let collection = held.run.collection_name;
    succeed(&["collection", "update", &collection, "--schedule", "daily", "--data", scans.path()]);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let store = Store::open(&Options::folder(scans.folder.path())).await.expect("the folder opens");
        let in_two_days = Timestamp(held.run.created_at.0 + 2 * DAY_MS);
        assert_eq!(store.schedule_due(in_two_days).await.expect("is scheduled").len(), 1);
        store.close().await;
    });
    let output = command(&["scan", "--world", WORLD, "-y", "--jsonl", "--data", scans.path()]).output();
    let output = output.expect("the program starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("nothing was probed: all results of an earlier run are still fresh"), "{said}");
    let second = Discovery::of(&output);
    assert_eq!((second.figure("new"), second.figure("gone")), (0, 0), "{}", second.summary);
}
