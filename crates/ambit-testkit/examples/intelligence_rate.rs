//! Measures intelligence searches over many files: `intelligence_rate [FILES]`, 100,000 by default. A server of its own
//! is filled through the store; each class is asked over HTTP many times, one after the other, its second page too, and
//! p50 and p99 are printed.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a measurement that people start")]

use ambit_model::Timestamp;
use ambit_model::id::blob_hash;
use ambit_store::{NewFile, Staged};
use ambit_testkit::TestServer;
use serde_json::Value;
use std::time::Instant;
use tokio::task::JoinSet;

const FILES: u64 = 100_000;
/// Files that are stored side by side, to share commits.
const AT_ONCE: u64 = 500;
/// Times that each class is asked, after a few that warm up.
const ASKED: usize = 100;
const WARM: usize = 3;
/// 2026-01-01, and the time between two files.
const BEGIN: i64 = 1_767_225_600_000;
const STEP_MS: i64 = 60_000;
const TYPES: [Option<&str>; 4] = [Some("peexe"), Some("pdf"), Some("text"), None];

const SEARCH: &str = "/api/v3/intelligence/search";
/// Each class with what it asks; `{}` is a number that differs each time.
const CLASSES: &[(&str, &str)] = &[
    ("part of a few names", "query=name:n00{}"),
    ("part of many names", "query=name:invoice&order=size-"),
    ("a type", "query=type:peexe&order=last_submission_date-"),
    ("a size", "query=size:20%2B%20size:24-&order=size"),
    ("a tag", "query=tag:x"),
    ("found by engines", "query=p:1%2B"),
    ("a hash", "query=md5:000000000000000000000000000{}"),
    ("dates", "query=fs:2026-02-01%2B%20ls:2026-02-08-&order=first_submission_date"),
    ("operators", "query=(type:pdf%20OR%20name:setup)%20AND%20NOT%20name:n1&order=times_submitted-"),
    ("everything, newest first", "query=entity:file&order=last_submission_date-"),
];

async fn fill(server: &TestServer, files: u64) {
    let begun = Instant::now();
    let owner = server.store.local_operator().await.unwrap();
    for first in (0..files).step_by(usize::try_from(AT_ONCE).unwrap()) {
        let mut made = JoinSet::new();
        for number in first..(first + AT_ONCE).min(files) {
            let at = Timestamp(BEGIN + i64::try_from(number).unwrap() * STEP_MS);
            let content = format!("{number:0>width$}", width = 16 + usize::try_from(number % 16).unwrap());
            let hash = blob_hash(content.as_bytes()).to_string();
            let word = ["setup", "report", "invoice"][usize::try_from(number % 3).unwrap()];
            let new = NewFile {
                content: Staged::of(content.as_bytes()).unwrap(),
                sha1: hash[..40].to_owned(),
                md5: hash[..32].to_owned(),
                type_tag: TYPES[usize::try_from(number % 4).unwrap()],
                name: Some(format!("n{number:05}-{word}.bin")),
                visibility: ambit_store::Visibility::Installation,
            };
            let (store, owner) = (server.store.clone(), owner.clone());
            made.spawn(async move { store.submit_file(&owner.at(at), None, new, "files").await.unwrap() });
        }
        made.join_all().await;
    }
    println!("{files} files made in {:.0} s", begun.elapsed().as_secs_f64());
}

async fn ask(server: &TestServer, target: &str) -> (f64, Value) {
    let begun = Instant::now();
    let reply = server.get("owner", target).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    (begun.elapsed().as_secs_f64() * 1_000.0, reply.json())
}

fn resident_mb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) / 1_024
}

#[tokio::main]
async fn main() {
    let files = std::env::args().nth(1).map_or(FILES, |number| number.parse().unwrap());
    let server = TestServer::new().await.unwrap();
    fill(&server, files).await;
    println!("{:>9} {:>9} {:>9}  class (ms)", "p50", "p99", "found");
    for (class, query) in CLASSES {
        for page in ["first page", "second page"] {
            let (mut taken, mut found) = (Vec::new(), Value::Null);
            for round in 0..WARM + ASKED {
                let mut target = format!("{SEARCH}?{}", query.replace("{}", &(round % 90 + 10).to_string()));
                let (mut ms, mut body) = ask(&server, &target).await;
                if page == "second page" {
                    let Some(cursor) = body.pointer("/meta/cursor").and_then(Value::as_str) else { break };
                    target = format!("{target}&cursor={cursor}");
                    (ms, body) = ask(&server, &target).await;
                }
                found = body["meta"]["total_hits"].clone();
                taken.extend((round >= WARM).then_some(ms));
            }
            taken.sort_by(f64::total_cmp);
            if let (Some(p50), Some(p99)) = (taken.get(taken.len() / 2), taken.get(taken.len() * 99 / 100)) {
                println!("{p50:>9.2} {p99:>9.2} {:>9}  {class}, {page}", found.to_string());
            }
        }
    }
    println!("{} MB resident", resident_mb());
}
