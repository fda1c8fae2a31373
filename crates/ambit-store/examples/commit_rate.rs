//! Measures how many observations a second are committed durably: first ones (each opens an interval and a version) and
//! the same again (each extends its interval). `commit_rate FOLDER [ENTITIES]` on SQLite; with a `postgres://…` URL in
//! `AMBIT_DATABASE` there, the folder only holding the secret.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a measurement that people start")]

use ambit_model::observation::{Discovery, Found, ProbeResult, Sighting};
use ambit_model::run::RunState;
use ambit_model::{Clearance, Details, EdgeKind, Kind, Timestamp, Uid, Wave};
use ambit_store::engine::{Commit, Engine, NewWork, Outcome, Reconciliation, Work};
use ambit_store::{NewCollection, NewOwner, Options, Store};
use serde_json::json;
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use uuid::Uuid;

/// The program's own, which is asked for memory at each row.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Observations of one commit: what an engine gathers in a fraction of a second.
const BATCH: usize = 500;
/// Rows planned in one reconciliation.
const PLANNED: usize = 5_000;

/// A wall time that passes as ours does, from a fixed beginning.
fn now() -> Timestamp {
    static BEGUN: OnceLock<Instant> = OnceLock::new();
    let elapsed = BEGUN.get_or_init(Instant::now).elapsed();
    Timestamp(1_800_000_000_000 + i64::try_from(elapsed.as_millis()).unwrap())
}

fn reconciliation(run: i64) -> Reconciliation {
    Reconciliation {
        vulns: Vec::new(),
        run,
        reconciled: Vec::new(),
        following: Vec::new(),
        decisions: Vec::new(),
        lost: Vec::new(),
        orphaned: Vec::new(),
        work: Vec::new(),
        sweeps: Vec::new(),
        issues: Vec::new(),
        not_done: Vec::new(),
        at: now(),
        now: now(),
    }
}

fn work(task: &'static str, uid: Uid) -> NewWork {
    NewWork {
        task,
        uid,
        argument: String::new(),
        number: 0,
        wave: Wave::Passive,
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

fn name(n: usize) -> String {
    format!("host-{n}.acme.test")
}

/// What a page says: about half a kilobyte.
fn page(work: &Work) -> Found {
    let details = json!({"title": work.name, "code": "200",
    "headers": ["server: nginx", "content-type: text/html", "x-frame-options: DENY"],
        "date": now().0, "response_data_hash": work.uid.to_string(), "service": "http", "port": 443,
        "verbs": "GET,HEAD", "generator": "hugo"});
    Found { details: details.as_object().unwrap().clone(), ..Found::default() }
}

/// One run: the seed leads to all names, then each name is looked at. Answers with the seconds that committing those
/// looks took.
async fn run(store: &Store, engine: &Engine, collection: Uuid, entities: usize) -> f64 {
    let me = store.local_operator().await.unwrap();
    let started = store.start_run(&me.at(now()), collection, false).await.unwrap();
    let id = started.run().id;
    engine.claim(id, now()).await.unwrap().unwrap();
    let seed = Uid::of_entity(collection, Kind::Domain, "acme.test");
    engine.reconcile(Reconciliation { work: vec![work("names", seed)], ..reconciliation(id) }).await.unwrap();
    let leased = engine.lease(id, 1, now()).await.unwrap();
    let edges: Vec<Discovery> = (0..entities)
        .map(|n| Discovery { edge: EdgeKind::Subdomain, kind: Kind::DnsRecord, name: name(n), details: Details::new() })
        .collect();
    commit(engine, id, leased, |_| Found { edges: edges.clone(), ..Found::default() }).await;
    let mut uids: Vec<Uid> = (0..entities).map(|n| Uid::of_entity(collection, Kind::DnsRecord, &name(n))).collect();
    // The order in which a run reads what changed and plans for it: rows near each other are committed together.
    uids.sort_unstable();
    for uids in uids.chunks(PLANNED) {
        let planned = uids.iter().map(|uid| work("http", *uid)).collect();
        engine.reconcile(Reconciliation { work: planned, ..reconciliation(id) }).await.unwrap();
    }
    let (mut leasing, mut committing) = (Duration::ZERO, Duration::ZERO);
    loop {
        let before = Instant::now();
        let leased = engine.lease(id, BATCH, now()).await.unwrap();
        leasing += before.elapsed();
        if leased.is_empty() {
            break;
        }
        let before = Instant::now();
        commit(engine, id, leased, page).await;
        committing += before.elapsed();
    }
    println!("  leasing {:.2} s, committing {:.2} s", leasing.as_secs_f64(), committing.as_secs_f64());
    engine.finish(id, RunState::Finished, &[], now()).await.unwrap();
    committing.as_secs_f64()
}

#[tokio::main]
async fn main() {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().expect("usage: commit_rate FOLDER [ENTITIES]");
    let entities: usize = arguments.next().map_or(50_000, |text| text.parse().expect("a number"));
    let options = Options { database: std::env::var("AMBIT_DATABASE").ok(), ..Options::folder(folder) };
    let owner = NewOwner { email: "bench@acme.test".to_owned(), organization: "Bench".to_owned(), username: None };
    let (store, _) = Store::init(&options, &owner, now()).await.unwrap();
    let me = store.local_operator().await.unwrap();
    let new = NewCollection::usual("bench", vec![(Kind::Domain, "acme.test".to_owned())]);
    let view = store.create_collection(&me.at(now()), me.primary().unwrap(), &new).await.unwrap();
    let engine = store.engine("commit_rate", Duration::ZERO).await.unwrap();
    for what in ["first looks", "the same again", "the same again"] {
        let seconds = run(&store, &engine, view.collection.uuid, entities).await;
        println!("{what}: {entities} observations in {seconds:.2} s: {:.0}/s", entities as f64 / seconds);
    }
}
