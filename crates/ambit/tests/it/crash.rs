//! `kill -9` at random moments: after a resume the inventory is the undisturbed one, nothing lost, nothing double.

use crate::program::{Discovery, Folder, command, demo};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Kills of this test; the script in `bench/` makes as many as one likes.
const KILLS: u32 = 8;

#[test]
fn a_killed_run_resumes_to_the_undisturbed_inventory() {
    let seed = std::env::var("AMBIT_TEST_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok())
        .unwrap_or_else(|| u64::from(std::process::id()));
    println!("AMBIT_TEST_SEED={seed}");
    let calm = Folder::new("calm");
    let start = Instant::now();
    let undisturbed = demo(calm.path(), &[]);
    let whole = start.elapsed();

    let folder = Folder::new("killed");
    let mut random = seed;
    for _ in 0..KILLS {
        kill_after(&folder, next_random(&mut random, whole));
    }
    let resumed: Discovery = demo(folder.path(), &[]);
    undisturbed.assert_same(&resumed);
    assert_eq!(resumed.figure("missed"), 0, "{}", resumed.summary);
}

/// Starts the demo and kills it at that moment, unless it was faster.
fn kill_after(folder: &Folder, delay: Duration) {
    let path = folder.path().to_str().expect("UTF-8");
    let mut child = command(&["demo", "--once", "--silent", "--data", path])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("starts");
    let deadline = Instant::now() + delay;
    while Instant::now() < deadline {
        if child.try_wait().expect("can be asked").is_some() {
            return;
        }
        std::thread::park_timeout(Duration::from_millis(2));
    }
    child.kill().expect("can be killed");
    child.wait().expect("ends");
}

/// Between a fiftieth of a whole run and all of it (xorshift: a test's randomness needs no more).
fn next_random(state: &mut u64, whole: Duration) -> Duration {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    let fraction = (*state % 1_000).max(20);
    whole.mul_f64(f64::from(u32::try_from(fraction).unwrap_or(500)) / 1_000.0)
}
