//! Running the binary and reading what it says.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

/// A folder that goes away with the test.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("ambit-it-{}-{name}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary folder can be made");
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

/// A database of its own on the tests' PostgreSQL, gone with the test.
pub(crate) struct Database {
    server: String,
    name: String,
}

impl Database {
    pub(crate) fn create() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let server = std::env::var("AMBIT_TEST_POSTGRES").expect(
            "AMBIT_TEST_POSTGRES is not set: run the tests with `make test`, or below `cargo xtask with-postgres`",
        );
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("ambit_it_{}_{number}", std::process::id());
        let database = Self { server, name };
        assert!(database.tell("create"), "the database can be made");
        database
    }

    pub(crate) fn url(&self) -> String {
        let (server, _) = self.server.rsplit_once('/').expect("the address names a database");
        format!("{server}/{}", self.name)
    }

    /// Runs `psql` on it.
    pub(crate) fn run(&self, arguments: &[&str]) {
        let told = Command::new("psql").args(["-q", "-v", "ON_ERROR_STOP=1", &self.url()]).args(arguments).status();
        assert!(told.is_ok_and(|status| status.success()), "psql {arguments:?}");
    }

    /// Runs `pg_dump` on it.
    pub(crate) fn dump(&self, target: &str) {
        let dumped = Command::new("pg_dump").args(["--dbname", &self.url(), "--file", target]).status();
        assert!(dumped.is_ok_and(|status| status.success()), "pg_dump");
    }

    fn tell(&self, verb: &str) -> bool {
        let statement = format!("{verb} database {}", self.name);
        let told = Command::new("psql").args(["-q", &self.server, "-c", &statement]).status();
        told.is_ok_and(|status| status.success())
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        self.tell("drop");
    }
}

/// The binary with an environment of its own.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ambit"));
    command.args(arguments).stdin(Stdio::null());
    for (name, _) in std::env::vars_os() {
        if ["AMBIT_", "OTEL_"].iter().any(|ours| name.to_string_lossy().starts_with(ours)) {
            command.env_remove(name);
        }
    }
    command
}

pub(crate) fn ambit(arguments: &[&str]) -> Output {
    command(arguments).output().expect("the binary starts")
}

/// Runs and demands success; standard output as text.
pub(crate) fn succeed(arguments: &[&str]) -> String {
    let output = ambit(arguments);
    assert!(
        output.status.success(),
        "ambit {arguments:?} ended with {}: {}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("results are UTF-8")
}

/// A server, until it is dropped.
pub(crate) struct Server {
    pub(crate) child: Child,
    pub(crate) url: String,
    pub(crate) log: Arc<Mutex<String>>,
}

impl Server {
    /// Runs the binary with these arguments and variables until it listens.
    pub(crate) fn start(arguments: &[&str], settings: &[(&str, &str)]) -> Self {
        let mut server = command(arguments);
        server.envs(settings.iter().copied()).stderr(Stdio::piped()).stdout(Stdio::null());
        let mut child = server.spawn().expect("starts");
        let stderr = child.stderr.take().expect("is piped");
        let mut lines = BufReader::new(stderr).lines().map_while(Result::ok);
        let url = lines.find_map(|line| line.strip_prefix("listening on ").map(str::to_owned));
        let url = url.expect("the server says where it listens");
        // The rest is read, so that the server never waits for a reader.
        let log = Arc::new(Mutex::new(String::new()));
        let kept = Arc::clone(&log);
        std::thread::spawn(move || {
            for line in lines {
                kept.lock().expect("nobody panics").push_str(&(line + "\n"));
            }
        });
        Self { child, url, log }
    }

    /// What it has written to standard error since it listens.
    pub(crate) fn logged(&self) -> String {
        self.log.lock().expect("nobody panics").clone()
    }

    pub(crate) fn port(&self) -> u16 {
        self.url.rsplit(':').next().and_then(|port| port.parse().ok()).expect("the address ends with a port")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// A scan of a world that is written in a test, into the folder's `data`.
pub(crate) fn scan_command(folder: &Folder, text: &str) -> Command {
    let world = folder.join("written.world");
    std::fs::write(&world, text).expect("can be written");
    let mut command = command(&["scan", "-y", "--jsonl"]);
    command.arg("--world").arg(&world).arg("--data").arg(folder.join("data"));
    command
}

/// Runs such a scan, which must succeed, and reads what it found.
pub(crate) fn scan_text(folder: &Folder, text: &str, more: &[&str]) -> Discovery {
    Discovery::of(&scan_command(folder, text).args(more).output().expect("the binary starts"))
}

/// What a `--jsonl` discovery printed.
pub(crate) struct Discovery {
    /// Entities by uid, without what time alone changes.
    pub(crate) entities: BTreeMap<String, Value>,
    pub(crate) issues: BTreeMap<String, Value>,
    /// Vendor, product and version.
    pub(crate) technologies: BTreeSet<String>,
    pub(crate) summary: Value,
}

impl Discovery {
    /// What a scan printed that must have succeeded.
    pub(crate) fn of(output: &Output) -> Self {
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Self::parse(&String::from_utf8_lossy(&output.stdout))
    }

    pub(crate) fn parse(text: &str) -> Self {
        let (entities, issues, technologies) = Default::default();
        let mut discovery = Self { entities, issues, technologies, summary: Value::Null };
        for line in text.lines() {
            let mut value: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
            assert!(discovery.summary.is_null(), "the summary is the last line");
            let uid = value["id"].as_str().unwrap_or_default().to_owned();
            match value["record"].as_str() {
                Some("entity") => {
                    timeless(&mut value);
                    assert!(discovery.entities.insert(uid, value).is_none(), "an entity is printed once");
                }
                Some("issue") => {
                    timeless(&mut value);
                    assert!(discovery.issues.insert(uid, value).is_none(), "an issue is printed once");
                }
                Some("technology") => {
                    let name = value["name"].as_str().unwrap_or_default().to_owned();
                    assert!(discovery.technologies.insert(name), "a technology is printed once");
                }
                Some("summary") => discovery.summary = value,
                other => panic!("unknown record {other:?}"),
            }
        }
        assert!(!discovery.summary.is_null(), "there is a summary");
        discovery
    }

    pub(crate) fn figure(&self, member: &str) -> i64 {
        self.summary[member].as_i64().unwrap_or_else(|| panic!("the summary has no figure {member}: {}", self.summary))
    }

    pub(crate) fn names(&self, kind: &str) -> BTreeSet<String> {
        let wanted = format!("Platform::Entity::{kind}");
        let scoped = |value: &&Value| value["type"] == wanted.as_str() && value["summary"]["scoped"] == true;
        self.entities
            .values()
            .filter(scoped)
            .map(|value| value["name"].as_str().unwrap_or_default().to_owned())
            .collect()
    }

    /// Fails with the names of what differs.
    pub(crate) fn assert_same(&self, other: &Self) {
        for (noun, ours, theirs) in
            [("entity", &self.entities, &other.entities), ("issue", &self.issues, &other.issues)]
        {
            for (uid, value) in ours {
                match theirs.get(uid) {
                    None => panic!("{noun} only in the first: {value}"),
                    Some(known) => assert_eq!(value, known, "{noun} {uid} differs"),
                }
            }
            for (uid, value) in theirs {
                assert!(ours.contains_key(uid), "{noun} only in the second: {value}");
            }
        }
    }
}

/// Leaves out what differs between two installations that hold the same: stamps, and the installation's own random ids.
fn timeless(value: &mut Value) {
    for member in ["first_seen", "last_seen", "collection", "organization_uuid"] {
        value.as_object_mut().expect("a hit is an object").remove(member);
    }
}

/// A demo in a folder, to its end.
pub(crate) fn demo(folder: &Path, more: &[&str]) -> Discovery {
    let folder = folder.to_str().expect("a temporary path is UTF-8");
    let mut arguments = vec!["demo", "--once", "--jsonl", "--data", folder];
    arguments.extend(more);
    Discovery::parse(&succeed(&arguments))
}
