//! Measures whether the time of an answer tells somebody else's object from one that is not there: `matrix_times
//! [ROUNDS]`. Each operation that reads is asked for both in turns, by somebody in no project, over a connection of its
//! own each time; medians are compared. It prints one line for each operation, and ends with 1 where they differ by
//! more than a fifth and by more than what a clock on a busy machine shows.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a measurement that people start")]

use ambit_server::{Access, ENDPOINTS, Tree};
use ambit_testkit::TestServer;
use ambit_testkit::kept::keep;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Questions of each kind for each operation.
const ROUNDS: usize = 300;
/// Medians may differ by one part in so many.
const PART: u32 = 5;
/// What two series of the same question differ by on a busy machine.
const NOISE: Duration = Duration::from_micros(60);

/// Paths in which the two differ by design: who has an account is everybody's to know.
const OPEN: &str = "/users/{id}";

async fn time(server: &TestServer, target: &str) -> Duration {
    let begun = Instant::now();
    let reply = server.call("newcomer", "GET", target, None).await.unwrap();
    let took = begun.elapsed();
    assert!(reply.status < 500, "{target}: {}", reply.text());
    took
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

#[tokio::main]
async fn main() -> ExitCode {
    let rounds = std::env::args().nth(1).map_or(ROUNDS, |text| text.parse().expect("a number of rounds"));
    let mut server = TestServer::new().await.unwrap();
    server.add_user("newcomer").await.unwrap();
    let kept = keep(&mut server).await.unwrap();
    let mut worse = 0;
    for row in
        ENDPOINTS.iter().filter(|row| row.method.name() == "GET" && row.access != Access::Open && row.tree != Tree::V2)
    {
        let Some(two) = kept.targets(row).filter(|_| !row.path.starts_with(OPEN)) else {
            continue;
        };
        let (mut foreign, mut missing) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            foreign.push(time(&server, &two.kept).await);
            missing.push(time(&server, &two.missing).await);
        }
        let (foreign, missing) = (median(foreign), median(missing));
        let apart = foreign.abs_diff(missing);
        let told = apart > NOISE && apart > missing / PART;
        worse += usize::from(told);
        let mark = if told { "  TOLD APART" } else { "" };
        println!("{:>7} us foreign {:>7} us missing  {}{mark}", foreign.as_micros(), missing.as_micros(), row.path);
    }
    println!("{worse} operations tell by their time");
    if worse == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
