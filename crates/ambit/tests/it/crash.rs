//! `kill -9` at random moments: after a resume the inventory is the undisturbed one, nothing lost, nothing double.

use crate::program::{Database, Discovery, Folder, Server, command, demo};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Kills of this test; the script in `bench/` makes as many as one likes.
const KILLS: u32 = 5;

#[test]
fn a_killed_run_resumes_to_the_undisturbed_inventory() {
    let seed = seed();
    println!("AMBIT_TEST_SEED={seed}");
    let calm = Folder::new("calm");
    let start = Instant::now();
    let undisturbed = demo(calm.path(), &[]);
    let whole = start.elapsed();

    let folder = Folder::new("killed");
    let mut random = seed;
    for _ in 0..KILLS {
        let path = folder.path().to_str().expect("UTF-8");
        kill_after(&mut command(&["demo", "--once", "--silent", "--data", path]), next_random(&mut random, whole));
    }
    let resumed: Discovery = demo(folder.path(), &[]);
    undisturbed.assert_same(&resumed);
    assert_eq!(resumed.figure("missed"), 0, "{}", resumed.summary);
}

fn seed() -> u64 {
    let given = std::env::var("AMBIT_TEST_SEED").ok().and_then(|seed| seed.parse().ok());
    given.unwrap_or_else(|| u64::from(std::process::id()))
}

/// Kills on PostgreSQL, where each resume waits until the dead engine's heartbeat has lapsed.
const KILLS_POSTGRES: u32 = 2;

#[test]
fn a_killed_run_resumes_on_postgres_too() {
    let seed = seed();
    println!("AMBIT_TEST_SEED={seed}");
    let (calm, killed) = (Database::create(), Database::create());
    let folder = Folder::new("postgres");
    let path = folder.path().to_str().expect("UTF-8");
    let world = concat!(env!("CARGO_MANIFEST_DIR"), "/../../worlds/small.world");
    let scan = |database: &Database| {
        let mut command = command(&["scan", "--world", world, "-y", "--jsonl", "--silent", "--data", path]);
        command.env("AMBIT_DATABASE", database.url());
        command
    };
    let read = |mut command: Command| {
        let output = command.output().expect("the binary starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Discovery::parse(&String::from_utf8(output.stdout).expect("results are UTF-8"))
    };
    let start = Instant::now();
    let undisturbed = read(scan(&calm));
    let whole = start.elapsed();
    let mut random = seed;
    for _ in 0..KILLS_POSTGRES {
        kill_after(&mut scan(&killed), next_random(&mut random, whole));
    }
    undisturbed.assert_same(&read(scan(&killed)));
}

/// Kills of each of the other workflows; a run of one is much shorter than the demo.
const KILLS_OTHERS: u32 = 3;

/// Demands that a run of a workflow in a world of ours, killed and resumed again and again, finds what an undisturbed
/// one finds.
fn resumes(mut random: u64, world: &str, workflow: &str) {
    let world = format!("{}/../../worlds/{world}.world", env!("CARGO_MANIFEST_DIR"));
    let scan = |folder: &Folder| {
        let mut command = command(&["scan", "--world", &world, "--workflow", workflow, "-y", "--jsonl", "--silent"]);
        command.arg("--data").arg(folder.path());
        command
    };
    let (calm, killed) = (Folder::new("calm-other"), Folder::new("killed-other"));
    let start = Instant::now();
    let undisturbed = Discovery::of(&scan(&calm).output().expect("the binary starts"));
    let whole = start.elapsed();
    let mut kills = 0;
    for _ in 0..KILLS_OTHERS {
        kills += u32::from(kill_after(&mut scan(&killed), next_random(&mut random, whole)));
    }
    // Where each was faster than its end, one is killed as it begins.
    if kills == 0 {
        assert!(kill_after(&mut scan(&killed), whole / 20), "a run that nobody could interrupt");
    }
    let mut resumed = Discovery::of(&scan(&killed).output().expect("the binary starts"));
    let mut undisturbed = undisturbed;
    for found in [&mut undisturbed, &mut resumed] {
        // Accounts have the identifiers of integrations, which are made for each folder.
        found.entities.retain(|_, entity| !entity["type"].as_str().is_some_and(|kind| kind.ends_with("Credential")));
    }
    undisturbed.assert_same(&resumed);
    for figure in ["missed", "unexpected", "contacts_outside_clearance"] {
        assert_eq!(resumed.figure(figure), 0, "{figure}: {}", resumed.summary);
    }
}

#[test]
fn a_killed_run_through_cloud_accounts_resumes() {
    let seed = seed();
    println!("AMBIT_TEST_SEED={seed}");
    resumes(seed, "estate", "authenticated_cloud_discovery");
}

#[test]
fn a_killed_run_through_repositories_resumes() {
    let seed = seed();
    println!("AMBIT_TEST_SEED={seed}");
    resumes(seed, "estate", "code_repository_discovery_and_assessment");
}

#[test]
fn a_killed_run_through_apps_resumes() {
    let seed = seed();
    println!("AMBIT_TEST_SEED={seed}");
    resumes(seed, "estate", "mobile_app_discovery");
}

#[test]
fn a_killed_run_over_domains_that_pass_for_theirs_resumes() {
    let seed = seed();
    println!("AMBIT_TEST_SEED={seed}");
    resumes(seed, "lookalikes", "suspicious_domain_discovery");
}

#[test]
fn a_killed_run_through_an_application_resumes() {
    let seed = seed();
    println!("AMBIT_TEST_SEED={seed}");
    resumes(seed, "application", "external_application_assessment");
}

#[test]
fn a_killed_run_over_suppliers_resumes() {
    let seed = seed();
    println!("AMBIT_TEST_SEED={seed}");
    resumes(seed, "suppliers", "third_party_workflow");
}

/// Starts the command and kills it at that moment, unless it was faster. Returns whether it was killed.
pub(crate) fn kill_after(command: &mut Command, delay: Duration) -> bool {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("starts");
    let deadline = Instant::now() + delay;
    while Instant::now() < deadline {
        if child.try_wait().expect("can be asked").is_some() {
            return false;
        }
        std::thread::park_timeout(Duration::from_millis(2));
    }
    child.kill().expect("can be killed");
    child.wait().expect("ends");
    true
}

/// Between a fiftieth of a whole run and all of it (xorshift: a test's randomness needs no more).
fn next_random(state: &mut u64, whole: Duration) -> Duration {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    let fraction = (*state % 1_000).max(20);
    whole.mul_f64(f64::from(u32::try_from(fraction).unwrap_or(500)) / 1_000.0)
}

/// Waits until the only run of the folder is in a state, as a person who lists the runs sees it.
fn await_run(data: &str, state: &str) {
    let deadline = Instant::now() + Duration::from_secs(120);
    let mut listed = String::new();
    while !listed.contains(&format!("\"status\":\"{state}\"")) {
        assert!(Instant::now() < deadline, "no run is {state}: {listed}");
        // Before the folder is made there is nothing to list.
        let output = command(&["run", "list", "--jsonl", "--data", data]).output().expect("the binary starts");
        listed = String::from_utf8_lossy(&output.stdout).into_owned();
    }
}

#[test]
fn a_server_pauses_the_scan_that_was_killed() {
    let folder = Folder::new("left-by-a-scan");
    let data = folder.path().to_str().expect("UTF-8");
    let world = concat!(env!("CARGO_MANIFEST_DIR"), "/../../worlds/demo.world");
    let mut scan = command(&["scan", "--world", world, "-y", "--silent", "--data", data]);
    let mut scan = scan.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("starts");
    await_run(data, "running");
    scan.kill().expect("can be killed");
    scan.wait().expect("ends");
    // It would go on at the rates of the server, which nobody chose for it.
    let server = Server::start(&["serve", "--silent", "--data", data, "--listen", "127.0.0.1:0"], &[]);
    await_run(data, "paused");
    drop(server);
}
