//! Clients that others wrote for this API, unmodified and from their registry, do with our server what their
//! documentation shows. The steps are in
//! `clients/main_use.py`.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops here")]

use ambit_engine::hunt::LOOK_TIME;
use ambit_model::quota::{PREMIUM_API, UNCAPPED};
use ambit_testkit::scenario::hunt;
use ambit_testkit::{TestServer, inventory};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, Command};

/// A client that waits for what never comes would wait forever.
const GIVE_UP: Duration = Duration::from_secs(300);

/// What the program says when it has used up the quota of `viewer`.
const RAISE: &str = "raise the quota of viewer";

/// What it says when it waits for time to pass.
const ADVANCE: &str = "an hour passes";
const HOUR_MS: i64 = 3_600_000;

/// What it says when rules are to look at what waits for them.
const HUNT: &str = "let the rules look";

/// Requests that `viewer` may make: two pages of three; then all.
const FIRST_QUOTA: i64 = 2;
const SECOND_QUOTA: i64 = 3;

async fn set_quota(server: &TestServer, allowed: i64) {
    let owner = server.store.local_operator().await.unwrap();
    let quota = "api_requests_daily";
    server.store.set_quota(&owner.at(server.now()), "viewer", quota, allowed).await.unwrap();
}

/// People, a group and rights, as the program expects them.
async fn prepare(server: &TestServer) {
    inventory::fill(server, "Welcome").await.unwrap();
    let groups = BTreeMap::from([("blue".to_owned(), vec!["analyst".to_owned()])]);
    server.add_groups(&groups).await.unwrap();
    let owner = server.store.local_operator().await.unwrap();
    let granted = server.store.grant_privilege(&owner.at(server.now()), "owner", PREMIUM_API, None).await;
    granted.unwrap();
    for quota in ["api_requests_daily", "api_requests_monthly"] {
        server.store.set_quota(&owner.at(server.now()), "owner", quota, UNCAPPED).await.unwrap();
    }
    set_quota(server, FIRST_QUOTA).await;
}

/// Starts the program in the private Python; proxies of the machine are none of its business.
fn start(server: &TestServer) -> Child {
    let programs = std::env::var_os("AMBIT_TEST_PYTHON").map(PathBuf::from);
    let programs = programs
        .expect("AMBIT_TEST_PYTHON is not set: run the tests with `make test`, or below `cargo xtask with-python`");
    let mut program = Command::new(programs.join("python"));
    program.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/main_use.py"));
    program.env("BASE", format!("http://{}", server.address)).env("NO_PROXY", "127.0.0.1");
    program.env("no_proxy", "127.0.0.1").env("PYTHONDONTWRITEBYTECODE", "1");
    for (name, key) in &server.keys {
        program.env(name.to_uppercase(), key);
    }
    program.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
    program.current_dir(std::env::temp_dir());
    program.spawn().unwrap()
}

/// Lets the program run to its end, raises the quota when it asks for that; true if it ended well. `said` gets what it
/// says.
async fn run(server: &TestServer, said: &mut String) -> bool {
    let mut child = start(server);
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    while let Some(line) = lines.next_line().await.unwrap() {
        if line == RAISE {
            set_quota(server, SECOND_QUOTA).await;
            input.write_all(b"raised\n").await.unwrap();
        }
        if line == ADVANCE {
            server.advance(HOUR_MS);
            input.write_all(b"passed\n").await.unwrap();
        }
        if line == HUNT {
            hunt(&server.store, server.now(), LOOK_TIME).await.unwrap();
            input.write_all(b"hunted\n").await.unwrap();
        }
        *said += &line;
        said.push('\n');
    }
    child.wait().await.unwrap().success()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_clients_of_others_do_their_main_use() {
    let server = TestServer::new().await.unwrap();
    prepare(&server).await;
    let mut said = String::new();
    let ended = tokio::time::timeout(GIVE_UP, run(&server, &mut said)).await;
    assert_eq!(ended, Ok(true), "{said}");
    assert!(said.ends_with("all steps done\n"), "{said}");
}
