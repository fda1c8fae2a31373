//! Measures a server as its clients do: `serving_rate AMBIT FOLDER [ENTITIES]`, where AMBIT is the program. The folder
//! is filled once; a second run only measures. The server is a process of its own, so that its memory and CPU are its
//! own; the requests go over loopback on connections that are kept. It prints one figure a line, and ends with 1 where
//! rows are missing, answers fail, or memory grows: what no busy machine excuses.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a measurement that people start")]

use ambit_model::observation::{Discovery, Found, ProbeResult, Sighting};
use ambit_model::run::RunState;
use ambit_model::{Clearance, Details, EdgeKind, Kind, Timestamp, Uid};
use ambit_store::engine::{Commit, Engine, NewWork, Outcome, Reconciliation, Work};
use ambit_store::{NewCollection, NewOwner, Options, Store};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use uuid::Uuid;

/// Detail reads of a second, and for how long.
const READS_PER_S: u64 = 1_000;
const READS: u64 = 20 * READS_PER_S;
/// Connections of those reads: far more than are ever busy while the server keeps up.
const READERS: usize = 16;
/// What a detail read may take at that rate.
const READ_P99_MS: f64 = 5.0;
/// Pages that are read one after the other, and their rows.
const PAGES: usize = 300;
const PAGE_ROWS: usize = 1_000;
/// How far memory may rise between the first third of those pages and the last: two pages as the server holds them.
const GROWTH_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// Those who change entities while others page.
const WRITERS: u64 = 10;
/// Times that a busy server is asked again.
const TRIES: usize = 20;
/// Entities of one commit while the folder is filled.
const FILL: usize = 500;
/// Rows planned in one reconciliation.
const PLANNED: usize = 5_000;
/// Clock ticks of a second in `/proc`.
const TICKS_PER_S: f64 = 100.0;

const COLLECTION: Uuid = Uuid::from_u128(0x5e12_71a6);
const SEARCH: &str = "/api/v3/asm/search/entities/?page_size=1000";

/// A cheap, good mix of a number: the same inventory and the same requests on every machine.
fn mix(number: u64) -> u64 {
    let mut x = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// A wall time that passes as ours does, from a fixed beginning.
fn now() -> Timestamp {
    static BEGUN: OnceLock<Instant> = OnceLock::new();
    let elapsed = BEGUN.get_or_init(Instant::now).elapsed();
    Timestamp(1_767_225_600_000 + i64::try_from(elapsed.as_millis()).unwrap())
}

fn name(number: usize) -> String {
    format!("host-{number}.zone{}.acme.test", mix(number as u64) % 400)
}

fn uid(number: usize) -> Uid {
    Uid::of_entity(COLLECTION, Kind::DnsRecord, &name(number))
}

/// What a look says: about a kilobyte, as a site has.
fn look(work: &Work) -> Found {
    let headers = [
        "server: nginx",
        "content-type: text/html; charset=utf-8",
        "x-frame-options: DENY",
        "strict-transport-security: max-age=63072000",
    ];
    let details = json!({"title": work.name, "code": "200", "headers": headers, "date": now().0,
    "response_data_hash": work.uid.to_string(), "port": 443,
        "service": "http", "verbs": "GET,HEAD", "generator": "hugo",
        "cookies": ["session=abc; Secure; HttpOnly", "lang=en"], "forms": false,
        "scripts": ["/assets/app.js", "/assets/vendor.js", "https://cdn.example/jquery.min.js"],
        "words": "customer portal login help contact imprint"});
    Found { details: details.as_object().unwrap().clone(), ..Found::default() }
}

fn reconciliation(run: i64, work: Vec<NewWork>) -> Reconciliation {
    Reconciliation {
        vulns: Vec::new(),
        run,
        reconciled: Vec::new(),
        following: Vec::new(),
        decisions: Vec::new(),
        lost: Vec::new(),
        orphaned: Vec::new(),
        work,
        sweeps: Vec::new(),
        issues: Vec::new(),
        not_done: Vec::new(),
        at: now(),
        now: now(),
    }
}

fn planned(task: &'static str, uid: Uid) -> NewWork {
    NewWork {
        task,
        uid,
        argument: String::new(),
        number: 0,
        wave: ambit_model::Wave::Passive,
        footprint: Clearance::L1,
        priority: 0,
        not_before: Timestamp(0),
        partition: 0,
    }
}

async fn commit(engine: &Engine, run: i64, leased: Vec<Work>, result: impl Fn(&Work) -> Found) {
    let outcomes = leased.into_iter().map(|work| Outcome {
        result: ProbeResult::Found(result(&work)),
        work,
        volatile: &["date"],
        sighting: Sighting::Entity,
        at: now(),
        searched: None,
    });
    let commit = Commit { run, outcomes: outcomes.collect(), returned: Vec::new(), not_done: Vec::new(), now: now() };
    engine.commit(commit).await.unwrap();
}

/// A finished run: the seed leads to all names, and each of them was looked at.
async fn find_all(engine: &Engine, run: i64, entities: usize) {
    let seed = Uid::of_entity(COLLECTION, Kind::Domain, "acme.test");
    engine.reconcile(reconciliation(run, vec![planned("names", seed)])).await.unwrap();
    let leased = engine.lease(run, 1, now()).await.unwrap();
    let lead = |number| Discovery {
        edge: EdgeKind::Subdomain,
        kind: Kind::DnsRecord,
        name: name(number),
        details: Details::new(),
    };
    let edges: Vec<Discovery> = (0..entities).map(lead).collect();
    commit(engine, run, leased, |_| Found { edges: edges.clone(), ..Found::default() }).await;
    let uids: Vec<Uid> = (0..entities).map(uid).collect();
    for uids in uids.chunks(PLANNED) {
        let work = uids.iter().map(|uid| planned("http", *uid)).collect();
        engine.reconcile(reconciliation(run, work)).await.unwrap();
    }
    loop {
        let leased = engine.lease(run, FILL, now()).await.unwrap();
        if leased.is_empty() {
            break;
        }
        commit(engine, run, leased, look).await;
    }
    engine.finish(run, RunState::Finished, &[], now()).await.unwrap();
}

/// Makes the inventory, unless the folder has it.
async fn fill(folder: &str, entities: usize) {
    let owner = NewOwner { email: "bench@acme.test".to_owned(), organization: "Bench".to_owned(), username: None };
    let (store, fresh) = Store::init(&Options::folder(folder), &owner, now()).await.unwrap();
    if fresh.is_none() {
        return;
    }
    let begun = Instant::now();
    let me = store.local_operator().await.unwrap();
    let new = NewCollection {
        uuid: Some(COLLECTION),
        ..NewCollection::usual("bench", vec![(Kind::Domain, "acme.test".to_owned())])
    };
    store.create_collection(&me.at(now()), me.primary().unwrap(), &new).await.unwrap();
    let engine = store.engine("serving_rate", Duration::ZERO).await.unwrap();
    let started = store.start_run(&me.at(now()), COLLECTION, false).await.unwrap();
    let run = started.run().id;
    engine.claim(run, now()).await.unwrap().unwrap();
    find_all(&engine, run, entities).await;
    println!("filled with {entities} entities in {:.0} s", begun.elapsed().as_secs_f64());
}

/// The program with no settings from outside.
fn program(ambit: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(ambit);
    command.args(arguments).stdin(Stdio::null());
    let ours = std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("AMBIT_"));
    ours.for_each(|(name, _)| {
        command.env_remove(name);
    });
    command
}

/// A server in a process of its own.
struct Server {
    child: Child,
    address: String,
    key: String,
}

impl Server {
    fn start(ambit: &str, folder: &str) -> Self {
        let key = program(ambit, &["key", "create", "--data", folder]).output().unwrap();
        let key = String::from_utf8(key.stdout).unwrap().trim().to_owned();
        let begun = Instant::now();
        let mut command = program(ambit, &["serve", "--no-engine", "--data", folder, "--listen", "127.0.0.1:0"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        let address = lines.find_map(|line| line.strip_prefix("listening on http://").map(str::to_owned));
        let address = address.expect("the server says where it listens");
        // The rest is read, so that the server never waits for a reader.
        std::thread::spawn(move || lines.for_each(drop));
        println!("the server answers after {:.1} s", begun.elapsed().as_secs_f64());
        Self { child, address, key }
    }

    fn proc(&self, file: &str) -> String {
        std::fs::read_to_string(Path::new("/proc").join(self.child.id().to_string()).join(file)).unwrap()
    }

    /// Bytes that the process holds itself, without the mapped files of the index.
    fn memory(&self) -> u64 {
        let status = self.proc("status");
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
        line.split_whitespace().next().unwrap().parse::<u64>().unwrap() * 1_024
    }

    /// Seconds of CPU that it has used.
    fn cpu(&self) -> f64 {
        let stat = self.proc("stat");
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
        (fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap()) / TICKS_PER_S
    }

    fn connect(&self) -> Connection<'_> {
        Connection { server: self, stream: None }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// A connection that is kept, and made again where it ended.
struct Connection<'a> {
    server: &'a Server,
    stream: Option<BufReader<TcpStream>>,
}

impl Connection<'_> {
    /// Status and body of an answer; an error of the connection is status 0.
    fn ask(&mut self, method: &str, target: &str, body: &str) -> (u16, Vec<u8>) {
        let answer = self.exchange(method, target, body);
        answer.unwrap_or_else(|_| {
            self.stream = None;
            (0, Vec::new())
        })
    }

    fn exchange(&mut self, method: &str, target: &str, body: &str) -> std::io::Result<(u16, Vec<u8>)> {
        let Server { address, key, .. } = self.server;
        if self.stream.is_none() {
            let stream = TcpStream::connect(address)?;
            stream.set_nodelay(true)?;
            self.stream = Some(BufReader::new(stream));
        }
        let stream = self.stream.as_mut().unwrap();
        let length = body.len();
        let head = format!(
            "{method} {target} HTTP/1.1\r\nhost: {address}\r\nx-apikey: {key}\r\ncontent-type: \
             application/json\r\ncontent-length: {length}\r\n\r\n{body}"
        );
        stream.get_mut().write_all(head.as_bytes())?;
        let (mut status, mut length, mut line) = (0, 0, String::new());
        while stream.read_line(&mut line)? > 2 {
            if let Some(rest) = line.strip_prefix("HTTP/1.1 ") {
                status = rest.get(..3).and_then(|digits| digits.parse().ok()).unwrap_or(0);
            } else if let Some(rest) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = rest.trim().parse().unwrap();
            }
            line.clear();
        }
        let mut bytes = vec![0; length];
        stream.read_exact(&mut bytes)?;
        Ok((status, bytes))
    }
}

/// Waits for a moment, which may have passed.
fn wait_until(moment: Instant) {
    loop {
        let left = moment.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        std::thread::park_timeout(left);
    }
}

fn ms(times: &mut [Duration], share: f64) -> f64 {
    times.sort_unstable();
    times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1_000.0
}

/// Detail reads at a fixed rate. What a read took is counted from the moment at which it was planned: a server that
/// stalls does not hide the reads that waited behind it. True: no answer failed.
fn read_details(server: &Server, entities: usize) -> bool {
    let (next, failed, cpu) = (AtomicU64::new(0), AtomicU64::new(0), server.cpu());
    let begun = Instant::now() + Duration::from_millis(50);
    let one = || {
        let (mut connection, mut planned, mut sent) = (server.connect(), Vec::new(), Vec::new());
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= READS {
                return (planned, sent);
            }
            let moment =
                begun + Duration::from_secs(1) * u32::try_from(number).unwrap() / u32::try_from(READS_PER_S).unwrap();
            wait_until(moment);
            let target = format!("/api/v3/asm/entities/{}", uid(mix(number) as usize % entities));
            let asked = Instant::now();
            let (status, body) = connection.ask("GET", &target, "");
            planned.push(moment.elapsed());
            sent.push(asked.elapsed());
            if status != 200 || body.is_empty() {
                failed.fetch_add(1, Ordering::Relaxed);
            }
        }
    };
    let (mut planned, mut sent) = (Vec::new(), Vec::new());
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..READERS).map(|_| scope.spawn(one)).collect();
        for reader in readers {
            let (from_plan, from_send) = reader.join().unwrap();
            planned.extend(from_plan);
            sent.extend(from_send);
        }
    });
    let wall = begun.elapsed().as_secs_f64();
    let (p99, failed) = (ms(&mut planned, 0.99), failed.load(Ordering::Relaxed));
    let verdict = if p99 <= READ_P99_MS { "met" } else { "not met" };
    println!("detail reads: {READS} at {READS_PER_S}/s planned, {:.0}/s done; {failed} failed", READS as f64 / wall);
    println!(
        "detail reads, from the planned moment: p50 {:.2} ms, p99 {p99:.2} ms, most {:.1} ms",
        ms(&mut planned, 0.5),
        ms(&mut planned, 1.0)
    );
    println!("detail reads, from the sending: p50 {:.2} ms, p99 {:.2} ms", ms(&mut sent, 0.5), ms(&mut sent, 0.99));
    println!("detail reads, CPU of the server: {:.2} ms each", (server.cpu() - cpu) * 1_000.0 / READS as f64);
    println!("bound of p99, {READ_P99_MS} ms: {verdict}");
    failed == 0
}

/// What a page holds: its rows' uids and the token of the next one. A busy server is asked again.
fn page(connection: &mut Connection<'_>, token: Option<&str>, busy: &mut usize) -> (Vec<Uid>, Option<String>) {
    let target = token.map_or_else(|| SEARCH.to_owned(), |token| format!("{SEARCH}&page_token={token}"));
    for _ in 0..TRIES {
        let (status, body) = connection.ask("GET", &target, "");
        if status == 503 {
            *busy += 1;
            continue;
        }
        assert_eq!(status, 200, "{}", String::from_utf8_lossy(&body));
        let answer: Value = serde_json::from_slice(&body).unwrap();
        let hits = answer["result"]["hits"].as_array().unwrap();
        let uids = hits.iter().map(|hit| hit["id"].as_str().unwrap().parse().unwrap()).collect();
        return (uids, answer["result"]["next_page_token"].as_str().map(str::to_owned));
    }
    panic!("the server was busy {TRIES} times one after the other");
}

/// How often each row was shown in a walk from the first page to the last.
fn walk(server: &Server, mut each: impl FnMut(usize)) -> (HashMap<Uid, usize>, usize) {
    let (mut connection, mut token, mut shown, mut busy) = (server.connect(), None, HashMap::new(), 0);
    loop {
        let (uids, next) = page(&mut connection, token.as_deref(), &mut busy);
        each(uids.len());
        uids.into_iter().for_each(|uid| *shown.entry(uid).or_insert(0) += 1);
        match next {
            Some(next) => token = Some(next),
            None => return (shown, busy),
        }
    }
}

fn missing(shown: &HashMap<Uid, usize>, entities: usize) -> usize {
    (0..entities).filter(|number| !shown.contains_key(&uid(*number))).count()
}

/// Pages one after the other, walk after walk. True: every walk showed every row once, and the server's memory did not
/// grow.
fn read_pages(server: &Server, entities: usize) -> bool {
    let (before, cpu, begun) = (server.memory(), server.cpu(), Instant::now());
    let (mut held, mut rows, mut lost, mut doubled) = (Vec::new(), 0, 0, 0);
    while held.len() < PAGES {
        let (shown, _) = walk(server, |count| {
            rows += count;
            held.push(server.memory());
        });
        lost += missing(&shown, entities);
        doubled += shown.values().filter(|times| **times > 1).count();
    }
    let third = held.len() / 3;
    let most = |part: &[u64]| part.iter().copied().max().unwrap_or(0);
    let (first, last) = (most(&held[..third]), most(&held[held.len() - third..]));
    let mb = |bytes: u64| bytes as f64 / 1e6;
    println!(
        "pages of {PAGE_ROWS} by token: {} with {rows} rows, {:.1} ms each, {:.1} ms of the server's CPU",
        held.len(),
        begun.elapsed().as_secs_f64() * 1_000.0 / held.len() as f64,
        (server.cpu() - cpu) * 1_000.0 / held.len() as f64
    );
    println!(
        "memory of the server: {:.1} MB before, at most {:.1} MB in the first third of the pages and {:.1} MB in the \
         last, {:.1} MB after",
        mb(before),
        mb(first),
        mb(last),
        mb(server.memory())
    );
    let grown = last > first + GROWTH_BYTES_MAX;
    println!(
        "pages at rest: {lost} rows missing, {doubled} shown twice; memory {}",
        if grown { "grew" } else { "did not grow" }
    );
    lost == 0 && doubled == 0 && !grown
}

/// Changes one entity after the other until it is told to stop: a tag comes and goes. Gives whom it touched and how
/// many answers failed.
fn write(server: &Server, writer: u64, entities: usize, stop: &AtomicBool) -> (Vec<Uid>, usize) {
    let (mut connection, mut touched, mut failed) = (server.connect(), Vec::new(), 0);
    let tag = format!("writer-{writer}");
    for round in 0.. {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let uid = uid(mix(writer << 32 | round) as usize % entities);
        touched.push(uid);
        let tags = format!("/api/v3/asm/tags/entity/{uid}");
        let (added, _) = connection.ask("POST", &tags, &json!({"tag_name": tag}).to_string());
        let (removed, _) = connection.ask("DELETE", &format!("{tags}/{tag}"), "");
        failed += [added, removed].iter().filter(|status| **status != 200).count();
    }
    (touched, failed)
}

/// A walk by token while others change entities. True: every row was shown, none twice that nobody touched, and every
/// change was answered.
fn page_under_fire(server: &Server, entities: usize) -> bool {
    let (stop, begun) = (AtomicBool::new(false), Instant::now());
    let (mut touched, mut failed) = (HashMap::new(), 0);
    let (shown, busy) = std::thread::scope(|scope| {
        let stop = &stop;
        let writers: Vec<_> =
            (0..WRITERS).map(|writer| scope.spawn(move || write(server, writer, entities, stop))).collect();
        let walked = walk(server, |_| {});
        stop.store(true, Ordering::Relaxed);
        for writer in writers {
            let (uids, lost) = writer.join().unwrap();
            failed += lost;
            uids.into_iter().for_each(|uid| *touched.entry(uid).or_insert(0) += 1);
        }
        walked
    });
    let seconds = begun.elapsed().as_secs_f64();
    let (lost, changes) = (missing(&shown, entities), 2 * touched.values().sum::<usize>());
    let doubled = shown.iter().filter(|(uid, times)| **times > 1 && !touched.contains_key(*uid)).count();
    println!(
        "a walk over {} rows beside {WRITERS} writers: {seconds:.1} s, {changes} changes of {} entities ({:.0}/s), \
         {failed} failed; the reader was asked to wait {busy} times",
        shown.len(),
        touched.len(),
        changes as f64 / seconds
    );
    println!("pages under fire: {lost} rows missing, {doubled} shown twice that nobody touched");
    lost == 0 && doubled == 0 && failed == 0 && changes > 0
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let mut argument = || arguments.next();
    let (ambit, folder) = argument().zip(argument()).expect("usage: serving_rate AMBIT FOLDER [ENTITIES]");
    let entities: usize = argument().map_or(100_000, |text| text.parse().expect("a number"));
    tokio::runtime::Runtime::new().unwrap().block_on(fill(&folder, entities));
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    println!("load average before: {}", load.split(' ').next().unwrap_or_default());
    let server = Server::start(&ambit, &folder);
    let held = [read_details(&server, entities), read_pages(&server, entities), page_under_fire(&server, entities)];
    if held == [true; 3] { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
