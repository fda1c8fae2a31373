//! A store for one test on each database, with short words for what tests do: plan, lease, probe, reconcile.

use ambit_model::id::RunId;
use ambit_model::issue::Status;
use ambit_model::observation::{Discovery, Evidence, Found, ProbeResult, Sighting};
use ambit_model::run::{NotDoneReason, Run, RunState};
use ambit_model::scope::Decision;
use ambit_model::{Clearance, Details, EdgeKind, Item, Kind, Timestamp, Uid, Wave};
use ambit_store::engine::{Commit, Committed, Engine, NewWork, Outcome, Reconciliation, Room, Work};
use ambit_store::{BulkChange, Caller, EntityView, NewCollection, NewOwner, Options, Principal, Store, StoreError};
use sqlx::Connection;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;
use uuid::Uuid;

/// The wall time at which every test begins.
pub(crate) const BEGIN: i64 = 1_800_000_000_000;

/// Runs a test on SQLite, then on PostgreSQL.
pub(crate) async fn both(test: impl AsyncFn(Lab)) {
    test(Lab::sqlite().await).await;
    let (options, database) = postgres().await;
    let lab = Lab::open(options, "postgres").await;
    let store = lab.store.clone();
    test(lab).await;
    store.close().await;
    drop_database(&database).await;
}

/// A folder that is gone when the test is over.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        let path = std::env::temp_dir().join(format!("ambit-store-{}", Uuid::new_v4()));
        std::fs::create_dir(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn server() -> String {
    std::env::var("AMBIT_TEST_POSTGRES")
        .expect("AMBIT_TEST_POSTGRES is not set: run the tests with `make test`, or below `cargo xtask with-postgres`")
}

/// A fresh database; the secret is in a folder of its own.
pub(crate) async fn postgres() -> (Options, String) {
    let name = format!("ambit_{}", Uuid::new_v4().simple());
    let mut admin = sqlx::PgConnection::connect(&server()).await.unwrap();
    sqlx::raw_sql(sqlx::AssertSqlSafe(format!("CREATE DATABASE {name}"))).execute(&mut admin).await.unwrap();
    let (base, _) = server().rsplit_once('/').map(|(base, rest)| (base.to_owned(), rest.to_owned())).unwrap();
    let options = Options {
        folder: None,
        database: Some(format!("{base}/{name}")),
        secret_file: Some(std::env::temp_dir().join(format!("ambit-secret-{name}"))),
    };
    (options, name)
}

pub(crate) async fn drop_database(name: &str) {
    let mut admin = sqlx::PgConnection::connect(&server()).await.unwrap();
    sqlx::raw_sql(sqlx::AssertSqlSafe(format!("DROP DATABASE {name} WITH (FORCE)"))).execute(&mut admin).await.unwrap();
    let _ = std::fs::remove_file(std::env::temp_dir().join(format!("ambit-secret-{name}")));
}

pub(crate) struct Lab {
    pub(crate) database: &'static str,
    pub(crate) options: Options,
    pub(crate) store: Store,
    pub(crate) me: Principal,
    pub(crate) engine: Engine,
    pub(crate) project: i64,
    pub(crate) collection: Uuid,
    wall: AtomicI64,
    _folder: Option<Folder>,
}

pub(crate) fn owner() -> NewOwner {
    NewOwner { email: "owner@acme.test".to_owned(), organization: "Acme".to_owned(), username: None }
}

pub(crate) fn new_collection(seeds: &[(Kind, &str)]) -> NewCollection {
    let seeds = seeds.iter().map(|(kind, name)| (*kind, (*name).to_owned())).collect();
    NewCollection::usual("Acme external", seeds)
}

/// The run that an engine takes which carries none.
pub(crate) async fn next_run(engine: &Engine, now: Timestamp) -> Result<Option<Run>, StoreError> {
    let claimed = engine.claim_next(&BTreeSet::new(), Room::Any, now).await?;
    Ok(claimed.map(|claimed| claimed.run))
}

impl Lab {
    pub(crate) async fn sqlite() -> Self {
        let folder = Folder::new();
        let mut lab = Self::open(Options::folder(folder.path()), "sqlite").await;
        lab._folder = Some(folder);
        lab
    }

    pub(crate) async fn open(options: Options, database: &'static str) -> Self {
        let (store, _) = Store::init(&options, &owner(), Timestamp(BEGIN)).await.unwrap();
        let me = store.local_operator().await.unwrap();
        let project = me.primary().unwrap();
        let seeds = [(Kind::Domain, "acme.test")];
        let view = store.create_collection(&me.at(Timestamp(BEGIN)), project, &new_collection(&seeds)).await.unwrap();
        let engine = store.engine("lab", Duration::ZERO).await.unwrap();
        Self {
            database,
            options,
            collection: view.collection.uuid,
            me,
            project,
            engine,
            store,
            wall: AtomicI64::new(BEGIN),
            _folder: None,
        }
    }

    /// Runs a statement past the store, as something broken would.
    pub(crate) async fn execute(&self, sql: &str) {
        let sql = sqlx::AssertSqlSafe(sql.to_owned());
        match (&self.options.database, &self.options.folder) {
            (Some(url), _) => {
                let mut connection = sqlx::PgConnection::connect(url).await.unwrap();
                sqlx::raw_sql(sql).execute(&mut connection).await.unwrap();
            }
            (None, Some(folder)) => {
                let url = format!("sqlite://{}", folder.join("ambit.db").display());
                let mut connection = sqlx::SqliteConnection::connect(&url).await.unwrap();
                sqlx::raw_sql(sql).execute(&mut connection).await.unwrap();
            }
            (None, None) => panic!("a store is in a folder or a database"),
        }
    }

    /// The operator as of now.
    pub(crate) fn caller(&self) -> Caller {
        self.me.at(self.now())
    }

    /// The wall time; each asking is a second later.
    pub(crate) fn now(&self) -> Timestamp {
        Timestamp(self.wall.fetch_add(1_000, Ordering::SeqCst) + 1_000)
    }

    /// Lets wall time pass.
    pub(crate) fn pass(&self, ms: i64) {
        self.wall.fetch_add(ms, Ordering::SeqCst);
    }

    pub(crate) fn uid(&self, kind: Kind, name: &str) -> Uid {
        Uid::of_entity(self.collection, kind, name)
    }

    /// Starts a run and claims it.
    pub(crate) async fn run(&self) -> Run {
        let started = self.store.start_run(&self.caller(), self.collection, false).await.unwrap();
        self.engine.claim(started.run().id, self.now()).await.unwrap().unwrap()
    }

    /// Moves an issue to a status, as its owner.
    pub(crate) async fn set_status(&self, issue: Uid, status: Status) {
        let change = BulkChange { status: Some(status), ..BulkChange::default() };
        let ids = [issue.to_string()];
        self.store.change_items(&self.caller(), (Item::Issue, &ids), None, &change).await.unwrap();
    }

    pub(crate) async fn finish(&self, run: &Run) {
        self.engine.finish(run.id, RunState::Finished, &[], self.now()).await.unwrap();
    }

    pub(crate) fn reconciliation(&self, run: RunId) -> Reconciliation {
        let now = self.now();
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
            at: now,
            now,
        }
    }

    /// Plans one probe and leases it.
    pub(crate) async fn lease_one(&self, run: &Run, task: &'static str, uid: Uid, number: i64) -> Work {
        let mut reconciliation = self.reconciliation(run.id);
        reconciliation.work.push(new_work(task, uid, number));
        self.engine.reconcile(reconciliation).await.unwrap();
        let far = Timestamp(i64::MAX - 1);
        let leased = self.engine.lease(run.id, 1_000, far).await.unwrap();
        let wanted: Vec<Work> = leased
            .iter()
            .filter(|work| work.task == task && work.uid == uid && work.number == number)
            .cloned()
            .collect();
        assert_eq!(wanted.len(), 1, "{leased:?}");
        let others: Vec<Work> = leased.into_iter().filter(|work| work.id != wanted[0].id).collect();
        let mut commit = self.commit(run.id, Vec::new());
        commit.returned = others;
        self.engine.commit(commit).await.unwrap();
        wanted.into_iter().next().unwrap()
    }

    pub(crate) fn commit(&self, run: RunId, outcomes: Vec<Outcome>) -> Commit {
        Commit { run, outcomes, returned: Vec::new(), not_done: Vec::new(), now: self.now() }
    }

    /// Plans, leases and commits one probe; its wire date is the wall time.
    pub(crate) async fn probe(
        &self,
        run: &Run,
        task: &'static str,
        uid: Uid,
        number: i64,
        result: ProbeResult,
    ) -> Committed {
        let work = self.lease_one(run, task, uid, number).await;
        let outcome = outcome(work, result, self.now());
        self.engine.commit(self.commit(run.id, vec![outcome])).await.unwrap()
    }

    /// Scope's word on an entity.
    pub(crate) async fn decide(&self, run: &Run, uid: Uid, ownership: u16, present: bool) {
        let mut reconciliation = self.reconciliation(run.id);
        let decision = Decision {
            ownership,
            clearance: Clearance::L3,
            reason: "subdomain".into(),
            path: Vec::new(),
            evidence: Vec::new(),
        };
        reconciliation.decisions.push((uid, decision, present));
        self.engine.reconcile(reconciliation).await.unwrap();
    }

    pub(crate) async fn entity(&self, uid: Uid) -> EntityView {
        self.store.find_record(&self.me, &uid.to_string(), None).await.unwrap()
    }

    /// Feed rows after a revision as text: `entity appeared acme.test`.
    pub(crate) async fn feed_after(&self, revision: i64) -> Vec<String> {
        let mut lines = Vec::new();
        for row in self.store.feed_since(revision, 10_000).await.unwrap() {
            let records = self.store.index_rows(row.noun, &[row.uid]).await.unwrap();
            let name = records.first().map_or("-", |record| record.record["name"].as_str().unwrap_or("?"));
            lines.push(format!("{} {} {name}", row.noun.name(), row.what.name()));
        }
        lines
    }
}

pub(crate) fn new_work(task: &'static str, uid: Uid, number: i64) -> NewWork {
    NewWork {
        task,
        uid,
        argument: String::new(),
        number,
        wave: Wave::Passive,
        footprint: Clearance::L1,
        priority: 0,
        not_before: Timestamp(0),
        partition: 0,
    }
}

/// The same of a task with another footprint.
pub(crate) fn louder(task: &'static str, uid: Uid, footprint: Clearance) -> NewWork {
    NewWork { wave: Wave::of(footprint), footprint, ..new_work(task, uid, 0) }
}

pub(crate) fn outcome(work: Work, result: ProbeResult, at: Timestamp) -> Outcome {
    Outcome { work, result, volatile: &["date"], sighting: Sighting::Entity, at, searched: None }
}

pub(crate) fn details(value: serde_json::Value) -> Details {
    value.as_object().cloned().unwrap_or_default()
}

/// A probe that nobody answered.
pub(crate) fn unknown(why: &str) -> ProbeResult {
    ProbeResult::Unknown { reason: NotDoneReason::NoAnswer, why: why.to_owned() }
}

/// A probe that found these members, and led to these entities by an edge of this kind.
pub(crate) fn found(members: serde_json::Value, leads: &[(EdgeKind, Kind, &str)]) -> ProbeResult {
    let lead = |(edge, kind, name): &(EdgeKind, Kind, &str)| Discovery {
        edge: *edge,
        kind: *kind,
        name: (*name).to_owned(),
        details: Details::new(),
    };
    ProbeResult::Found(Found { details: details(members), edges: leads.iter().map(lead).collect(), ..Found::default() })
}

/// What was found, where the rest was not looked at.
pub(crate) fn in_part(result: ProbeResult) -> ProbeResult {
    let ProbeResult::Found(found) = result else { panic!("something was found in part") };
    ProbeResult::InPart { found, reason: NotDoneReason::NoAnswer, why: "time-out".to_owned() }
}

pub(crate) fn with_evidence(result: ProbeResult, bytes: &[u8]) -> ProbeResult {
    let ProbeResult::Found(mut found) = result else { panic!("only what was found has evidence") };
    found.evidence.push(Evidence { label: "response".to_owned(), bytes: bytes.to_vec() });
    ProbeResult::Found(found)
}
