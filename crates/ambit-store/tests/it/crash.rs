//! Killed at every transaction edge: what was acknowledged is there, nothing is double, and a resumed run ends where an
//! undisturbed one does. The process that dies is this test program again, told by its environment what to do.

use crate::lab::{
    BEGIN, Folder, Lab, details, drop_database, new_collection, new_work, next_run, outcome, owner, postgres,
};
use ambit_model::feed::{Noun, What};
use ambit_model::issue::{Confidence, IssueKind, Proof};
use ambit_model::observation::{Discovery, Evidence, Found, ProbeResult};
use ambit_model::run::RunState;
use ambit_model::scope::Decision;
use ambit_model::{Clearance, EdgeKind, Kind, Timestamp, Uid};
use ambit_store::engine::{Commit, Engine, IssueWrite, Reconciliation, Work};
use ambit_store::{FailAction, NewCollection, Options, Store, StoreError};
use serde_json::json;
use std::collections::BTreeMap;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use uuid::Uuid;

/// Tells the child what to do: the store's options as three lines, and the edge at which it dies.
const VARIABLE: &str = "AMBIT_TEST_CRASH";
const NAMES: usize = 3;
const COLLECTION: Uuid = Uuid::from_u128(7);

static NO_TLS: IssueKind = IssueKind {
    name: "plain_http",
    pretty_name: "Plain HTTP",
    severity: 4,
    confidence: Confidence::Confirmed,
    category: "misconfiguration",
    added: "2026-11-21",
    description: "d",
    remediation: "r",
    references: &[],
};

/// An engine in thirty lines: names, then a page of each, then an issue of each page.
async fn work_off(store: &Store, now: Timestamp) -> Result<(), StoreError> {
    let engine = store.engine("crash", Duration::from_secs(20)).await?;
    let Some(run) = next_run(&engine, now).await? else {
        return Ok(());
    };
    loop {
        let leased = engine.lease(run.id, 2, now).await?;
        let commit = Commit {
            run: run.id,
            outcomes: leased.into_iter().map(|work| outcome_of(work, now)).collect(),
            returned: Vec::new(),
            not_done: Vec::new(),
            now,
        };
        if !commit.outcomes.is_empty() {
            engine.commit(commit).await?;
        }
        plan(&engine, run.id, now).await?;
        let pending = engine.pending(run.id, now).await?;
        if pending.open + pending.leased + pending.dirty == 0 {
            return engine.finish(run.id, RunState::Finished, &[], now).await;
        }
    }
}

fn outcome_of(work: Work, now: Timestamp) -> ambit_store::engine::Outcome {
    let found = match work.task.as_str() {
        "names" => Found {
            edges: (0..NAMES)
                .map(|n| Discovery {
                    edge: EdgeKind::Subdomain,
                    kind: Kind::DnsRecord,
                    name: format!("n{n}.acme.test"),
                    details: details(json!({})),
                })
                .collect(),
            ..Found::default()
        },
        _ => Found {
            details: details(json!({"title": work.name})),
            evidence: vec![Evidence { label: "response".to_owned(), bytes: work.name.clone().into_bytes() }],
            ..Found::default()
        },
    };
    outcome(work, ProbeResult::Found(found), now)
}

async fn plan(engine: &Engine, run: i64, now: Timestamp) -> Result<(), StoreError> {
    let dirty = engine.dirty(run, 10).await?;
    let uids: Vec<Uid> = dirty.iter().map(|dirty| dirty.uid).collect();
    let mut reconciliation = Reconciliation {
        vulns: Vec::new(),
        run,
        reconciled: dirty,
        following: Vec::new(),
        decisions: Vec::new(),
        lost: Vec::new(),
        orphaned: Vec::new(),
        work: Vec::new(),
        sweeps: Vec::new(),
        issues: Vec::new(),
        not_done: Vec::new(),
        at: now,
        now,
    };
    for known in engine.known(run, &Arc::default(), &uids, |_| None).await? {
        let task = if known.facts.seed { "names" } else { "http" };
        reconciliation.work.push(new_work(task, known.facts.uid, 0));
        let decision = Decision {
            ownership: 990,
            clearance: Clearance::L3,
            reason: "subdomain".into(),
            path: Vec::new(),
            evidence: Vec::new(),
        };
        reconciliation.decisions.push((known.facts.uid, decision, true));
        if known.facts.details.get("title").is_some() {
            reconciliation.issues.push(IssueWrite::Prove {
                entity: known.facts.uid,
                kind: &NO_TLS,
                upstream: "judge".to_owned(),
                proof: Box::new(Proof {
                    discriminator: String::new(),
                    description: "p".to_owned(),
                    details: json!({}),
                    severity: None,
                    confidence: None,
                    identifiers: Vec::new(),
                    words: None,
                    exploitation: None,
                }),
            });
        }
    }
    engine.reconcile(reconciliation).await
}

/// A fresh store with a scheduled run.
async fn prepare(options: &Options) -> Store {
    let (store, _) = Store::init(options, &owner(), Timestamp(BEGIN)).await.unwrap();
    let me = store.local_operator().await.unwrap();
    let new = NewCollection { uuid: Some(COLLECTION), ..new_collection(&[(Kind::Domain, "acme.test")]) };
    store.create_collection(&me.at(Timestamp(BEGIN)), me.primary().unwrap(), &new).await.unwrap();
    store.start_run(&me.at(Timestamp(BEGIN)), COLLECTION, false).await.unwrap();
    store
}

/// Everything that an undisturbed run leaves, without moments; and what must be true of any.
async fn inventory(store: &Store) -> BTreeMap<String, serde_json::Value> {
    let me = store.local_operator().await.unwrap();
    let collection = store.find_collection(&me, COLLECTION).await.unwrap().collection;
    let mut all = BTreeMap::new();
    let mut present = 0;
    for noun in [Noun::Entity, Noun::Issue] {
        for row in store.index_rows(noun, &store.all_uids(noun, None, 1_000).await.unwrap()).await.unwrap() {
            present += i64::from(row.record["present"] == true);
            all.insert(format!("{} {}", noun.name(), row.uid), row.record);
        }
    }
    assert_eq!(collection.entity_count, present, "counters are true");
    let open = all.values().filter(|record| record["status"] == "open_new").count();
    assert_eq!(collection.issues_by_severity.get("4").copied().unwrap_or(0), i64::try_from(open).unwrap());
    let feed = store.feed_since(0, 10_000).await.unwrap();
    assert!(feed.windows(2).all(|pair| pair[0].revision < pair[1].revision));
    for noun in [Noun::Entity, Noun::Issue] {
        let appeared = feed.iter().filter(|row| row.noun == noun && row.what == What::Appeared);
        let records = all.keys().filter(|key| key.starts_with(noun.name())).count();
        assert_eq!(appeared.count(), records, "each appears once");
    }
    let runs = store.list_runs(&me, COLLECTION).await.unwrap();
    assert_eq!(runs.len(), 1);
    let counters = &runs[0].counters;
    all.insert(
        "run".to_owned(),
        json!([runs[0].state.name(), counters.work_done, counters.work_open, counters.new_entities]),
    );
    all
}

/// Not a test of its own: the process that dies. Without the variable there is nothing to do.
#[tokio::test]
async fn child() {
    let Ok(order) = std::env::var(VARIABLE) else { return };
    let lines: Vec<&str> = order.lines().collect();
    let given = |line: &str| Some(line.to_owned()).filter(|line| !line.is_empty());
    let options = Options {
        folder: given(lines[0]).map(Into::into),
        database: given(lines[1]),
        secret_file: given(lines[2]).map(Into::into),
    };
    let store = Store::open(&options).await.unwrap();
    store.arm_failpoint(lines[3].parse().unwrap(), FailAction::Abort);
    work_off(&store, Timestamp(BEGIN + 1_000)).await.unwrap();
}

/// Lets the child run until the `edge`-th edge; true when it died there.
fn dies_at(options: &Options, edge: i64) -> bool {
    let text =
        |path: &Option<std::path::PathBuf>| path.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
    let database = options.database.clone().unwrap_or_default();
    let order = format!("{}\n{database}\n{}\n{edge}", text(&options.folder), text(&options.secret_file));
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "crash::child", "--quiet"])
        .env(VARIABLE, order)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&child.stderr).into_owned();
    assert!(child.status.success() || child.status.code().is_none(), "the child failed instead of dying: {said}");
    !child.status.success()
}

/// For every edge: dies there, is taken up again, ends like the undisturbed run. Answers with the number of edges.
async fn every_edge(
    options: &Options,
    edge: i64,
    undisturbed: &mut Option<BTreeMap<String, serde_json::Value>>,
) -> bool {
    drop(prepare(options).await);
    let died = undisturbed.is_some() && dies_at(options, edge);
    let store = Store::open(options).await.unwrap();
    inventory(&store).await;
    // Later than any heartbeat of the dead: on PostgreSQL its run has lapsed.
    work_off(&store, Timestamp(BEGIN + 4_000_000_000_000)).await.unwrap();
    let after = inventory(&store).await;
    assert_eq!(after.len(), (1 + NAMES) + NAMES + 1, "seed and names, an issue of each name, the run");
    let expected = undisturbed.get_or_insert_with(|| after.clone());
    for (key, record) in &after {
        assert_eq!(Some(record), expected.get(key), "killed at edge {edge}");
    }
    store.close().await;
    died
}

#[tokio::test]
async fn a_run_killed_at_any_edge_ends_like_an_undisturbed_one_on_sqlite() {
    let mut undisturbed = None;
    let mut edge = 0;
    loop {
        let folder = Folder::new();
        let died = every_edge(&Options::folder(folder.path()), edge, &mut undisturbed).await;
        if edge > 0 && !died {
            break;
        }
        edge += 1;
    }
    assert!(edge > 30, "only {edge} edges were tried");
}

#[tokio::test]
async fn a_run_killed_at_any_edge_ends_like_an_undisturbed_one_on_postgres() {
    let mut undisturbed = None;
    let mut edge = 0;
    loop {
        let (options, database) = postgres().await;
        let died = every_edge(&options, edge, &mut undisturbed).await;
        drop_database(&database).await;
        if edge > 0 && !died {
            break;
        }
        edge += 1;
        if edge % 3 == 1 {
            // Before a transaction begins is after the one before it was committed: two of its three edges tell all.
            edge += 1;
        }
    }
    assert!(edge > 20, "only {edge} edges were tried");
}

#[tokio::test]
async fn a_full_disk_refuses_clearly_and_loses_nothing() {
    let lab = Lab::sqlite().await;
    let run = lab.run().await;
    lab.store.limit_pages(1).await.unwrap();
    let mut acknowledged = Vec::new();
    let refused = loop {
        let bytes: Vec<u8> = (0..20_000_u32)
            .flat_map(|n| (n.wrapping_mul(2_654_435_761) ^ acknowledged.len() as u32).to_le_bytes())
            .collect();
        match lab.store.put_blob(&bytes, lab.now()).await {
            Ok(hash) => acknowledged.push((hash, bytes)),
            Err(error) => break error,
        }
        assert!(acknowledged.len() < 1_000, "the limit has no effect");
    };
    let place = lab.options.folder.as_ref().unwrap().join("ambit.db").display().to_string();
    let full = StoreError::Full { place: place.clone() };
    assert_eq!(refused, full);
    assert_eq!(
        refused.to_string(),
        format!("{place}: the disk is full: what was confirmed before is safe; free some space and try again")
    );
    assert_eq!(lab.store.ready().await, Err(full.clone()), "reads go on, and writes do not");
    let many: Vec<_> = (0..400).map(|n| new_work("a", lab.uid(Kind::Domain, "acme.test"), n)).collect();
    let reconciliation = lab.reconciliation(run.id);
    let plan = Reconciliation { work: many, ..reconciliation };
    assert_eq!(lab.engine.reconcile(plan.clone()).await, Err(full));
    assert_eq!(lab.engine.pending(run.id, Timestamp(0)).await.unwrap().open, 0, "all or nothing");
    for (hash, bytes) in &acknowledged {
        assert_eq!(lab.store.blob(*hash).await.unwrap().as_ref(), Some(bytes));
    }
    lab.store.limit_pages(1_000_000).await.unwrap();
    lab.engine.reconcile(plan).await.unwrap();
    assert_eq!(lab.engine.pending(run.id, Timestamp(0)).await.unwrap().open, 400);
    // A larger write is tried for that, at most once a second.
    let gets_ready = async { while lab.store.ready().await.is_err() {} };
    tokio::time::timeout(Duration::from_secs(60), gets_ready).await.expect("it does not get ready");
}

#[tokio::test]
async fn an_answer_goes_out_after_the_commit() {
    let lab = Lab::sqlite().await;
    // Whatever was answered is visible to another connection at once, and what failed is not.
    let other = Store::open(&lab.options).await.unwrap();
    lab.store.create_project(&lab.me.at(Timestamp(BEGIN)), "taken").await.unwrap();
    let writes = (0..40).map(|n| {
        let (store, other, me, now) = (lab.store.clone(), other.clone(), lab.me.clone(), Timestamp(BEGIN + n));
        async move {
            // Every fifth is refused: the first of them as the first of its group, others in the middle.
            let name = if n % 5 == 0 { "taken".to_owned() } else { format!("p{n}") };
            let created = store.create_project(&me.at(now), &name).await;
            let hash = store.put_blob(format!("blob {n}").as_bytes(), now).await.unwrap();
            assert!(other.blob(hash).await.unwrap().is_some());
            created.map(|view| view.project.id)
        }
    });
    let outcomes = futures::future::join_all(writes).await;
    let created: Vec<i64> = outcomes.into_iter().filter_map(Result::ok).collect();
    assert_eq!(created.len(), 32);
    let me = other.local_operator().await.unwrap();
    assert_eq!(other.list_projects(&me).await.unwrap().len(), 34);
}
