//! A run that is asked to stop while it reconciles much ends soon and loses nothing; one whose entity is denied
//! meanwhile obeys; engines of one database share what they all contact.

use ambit_engine::{EngineConfig, Installation, Progress, RunEnd, Shares, drive};
use ambit_model::entity::EntityRecord;
use ambit_model::run::{NotDoneReason, Run, RunState};
use ambit_model::timing::{TimingChange, Window};
use ambit_model::{Clearance, Kind, Timestamp, Uid};
use ambit_net::live::{LiveOptions, LiveWire};
use ambit_net::{Pace, PaceLimits};
use ambit_store::engine::{Engine, Room};
use ambit_store::{CollectionSettings, EntityFlags, NewCollection, NewOwner, Options, Started, Store};
use ambit_tasks::Settings;
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use uuid::Uuid;

/// The wall time of the tests.
const NOW: Timestamp = Timestamp(1_800_000_000_000);

/// A store with a run over so many seeds that is about to begin.
async fn begun(options: &Options, seeds: usize) -> (Store, Engine, Run) {
    let owner = NewOwner { email: "owner@acme.test".to_owned(), organization: "Acme".to_owned(), username: None };
    let (store, _) = Store::init(options, &owner, NOW).await.unwrap();
    let engine = store.engine("first", Duration::ZERO).await.unwrap();
    let me = store.local_operator().await.unwrap();
    let project = store.choose_project(&me, None).await.unwrap().unwrap();
    let seeds = (0..seeds).map(|number| (Kind::Domain, format!("acme-{number}.test"))).collect();
    let new = NewCollection { level: Clearance::L1, ..NewCollection::usual("Acme", seeds) };
    let collection = store.create_collection(&me.at(NOW), project, &new).await.unwrap().collection;
    let (Started::Scheduled(run) | Started::Open(run)) =
        store.start_run(&me.at(NOW), collection.uuid, false).await.unwrap();
    let run = engine.claim(run.id, NOW).await.unwrap().unwrap();
    (store, engine, run)
}

/// A process that has been asked to stop. Nothing is contacted: no look begins.
fn stopping(engine: &Engine) -> (EngineConfig, watch::Sender<bool>) {
    config(engine, "127.0.0.1:9".parse().unwrap(), true)
}

/// A process whose only way out is a resolver on this machine.
fn config(engine: &Engine, resolver: SocketAddr, is_stopping: bool) -> (EngineConfig, watch::Sender<bool>) {
    let (asked, stop) = watch::channel(is_stopping);
    let wire = LiveWire::new(&LiveOptions { resolvers: vec![resolver], ..LiveOptions::default() });
    let config = EngineConfig {
        engine: engine.clone(),
        wire: Arc::new(wire.unwrap()),
        pace: Arc::new(Pace::new(PaceLimits::default())),
        settings: Arc::new(Settings::default()),
        installation: Installation::default(),
        clock: Arc::new(|| NOW),
        knowledge: Arc::new(ambit_vulns::Knowledge::own()),
        progress: watch::channel(Progress::default()).0,
        share: Arc::new(Shares::default().join(0, 0)),
        give_way: watch::channel(false).1,
        stop,
    };
    (config, asked)
}

#[tokio::test]
async fn a_run_stops_between_two_batches_of_what_it_reconciles_and_the_next_goes_on() {
    const SEEDS: usize = 1_000;
    let folder = std::env::temp_dir().join(format!("ambit-stopping-{}", Uuid::new_v4()));
    let (store, engine, run) = begun(&Options::folder(&folder), SEEDS).await;
    let (config, _asked) = stopping(&engine);
    let mut left = vec![engine.dirty(run.id, 2 * SEEDS).await.unwrap().len()];
    assert!(left[0] >= SEEDS, "every seed waits to be reconciled: {left:?}");
    while left.last() != Some(&0) {
        assert_eq!(drive(&config, &run).await.unwrap(), RunEnd::Stopped);
        left.push(engine.dirty(run.id, 2 * SEEDS).await.unwrap().len());
        assert!(left.is_sorted_by(|before, after| before > after), "each time some are reconciled: {left:?}");
        engine.claim(run.id, NOW).await.unwrap().unwrap();
    }
    assert!(left.len() > 2, "it stopped before all was reconciled: {left:?}");
    let pending = engine.pending(run.id, config.wire.date()).await.unwrap();
    assert!(usize::try_from(pending.open).unwrap() >= SEEDS, "each seed has its work: {}", pending.open);
    store.close().await;
    std::fs::remove_dir_all(folder).unwrap();
}

#[tokio::test]
async fn a_run_that_is_asked_to_make_room_ends_its_turn_and_waits_for_the_next() {
    let folder = std::env::temp_dir().join(format!("ambit-room-{}", Uuid::new_v4()));
    let (store, engine, run) = begun(&Options::folder(&folder), 1).await;
    let (mut config, _asked) = stopping(&engine);
    // Not the process is to end, but this run's turn.
    (config.stop, config.give_way) = (watch::channel(false).1, watch::channel(true).1);
    assert_eq!(drive(&config, &run).await.unwrap(), RunEnd::GaveWay);
    let next = engine.claim_next(&BTreeSet::new(), Room::Any, NOW).await.unwrap().unwrap();
    assert_eq!((next.run.id, next.run.state), (run.id, RunState::Running), "it goes on where it was");
    store.close().await;
    std::fs::remove_dir_all(folder).unwrap();
}

#[tokio::test]
async fn a_run_rests_in_a_window_of_its_collection_and_goes_on_after_it() {
    let folder = std::env::temp_dir().join(format!("ambit-resting-{}", Uuid::new_v4()));
    let (store, engine, run) = begun(&Options::folder(&folder), 1).await;
    let me = store.local_operator().await.unwrap();
    let resolver = tokio::net::UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let (config, _asked) = config(&engine, resolver.local_addr().unwrap(), false);
    let windows = vec![Window::parse("00:00-23:59").unwrap()];
    let change = TimingChange { windows: Some(windows), ..TimingChange::default() };
    let settings = CollectionSettings { timing: Some(change), ..CollectionSettings::default() };
    let timing = store.change_settings(&me.at(NOW), run.collection, &settings).await.unwrap().collection.timing;
    // Its questions are under way, and nobody answers them.
    assert_eq!(drive(&config, &run).await.unwrap(), RunEnd::Rests);
    assert_eq!(engine.claim_next(&BTreeSet::new(), Room::Any, NOW).await.unwrap(), None);
    let after = timing.rests_until(NOW).unwrap();
    let next = engine.claim_next(&BTreeSet::new(), Room::Any, after).await.unwrap().unwrap();
    assert_eq!((next.run.id, next.run.state), (run.id, RunState::Running));
    store.close().await;
    std::fs::remove_dir_all(folder).unwrap();
}

#[tokio::test]
async fn a_run_that_goes_on_ends_what_a_person_denies() {
    let folder = std::env::temp_dir().join(format!("ambit-obeying-{}", Uuid::new_v4()));
    let (store, engine, run) = begun(&Options::folder(&folder), 1).await;
    let me = store.local_operator().await.unwrap();
    let resolver = tokio::net::UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let (config, _asked) = config(&engine, resolver.local_addr().unwrap(), false);
    let seed = Uid::of_entity(run.collection, Kind::Domain, "acme-0.test").to_string();
    let denying = async {
        // A question is under way, and nobody answers it.
        resolver.recv_from(&mut [0; 512]).await.unwrap();
        let flags = EntityFlags { deny: Some(true), ..EntityFlags::default() };
        store.set_entity_flags(&me.at(NOW), &seed, None, &flags).await.unwrap();
    };
    let (end, ()) = tokio::join!(drive(&config, &run), denying);
    assert_eq!(end.unwrap(), RunEnd::Over(RunState::Finished));
    let not_done = store.list_not_done(&me, run.id).await.unwrap();
    let refused = not_done.iter().find(|row| row.task == "resolve" && row.reason == NotDoneReason::RefusedByScope);
    assert!(refused.is_some(), "it was not waited for: {not_done:?}");
    let shown = store.find_record::<EntityRecord>(&me, &seed, None).await.unwrap().record;
    assert_eq!((shown.scoped, shown.clearance), (false, Clearance::L0));
    store.close().await;
    std::fs::remove_dir_all(folder).unwrap();
}

/// A database of its own, and the file of its secret.
fn database() -> (Options, String, String) {
    let server = std::env::var("AMBIT_TEST_POSTGRES")
        .expect("AMBIT_TEST_POSTGRES is not set: run the tests with `make test`, or below `cargo xtask with-postgres`");
    let name = format!("ambit_engine_{}", Uuid::new_v4().simple());
    tell(&server, &format!("CREATE DATABASE {name}"));
    let (base, _) = server.rsplit_once('/').unwrap();
    let options = Options { folder: None, database: Some(format!("{base}/{name}")), secret_file: Some(secret(&name)) };
    (options, server.clone(), name)
}

fn secret(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("ambit-secret-{name}"))
}

fn tell(server: &str, statement: &str) {
    let told = Command::new("psql").args(["-q", server, "-c", statement]).status();
    assert!(told.is_ok_and(|status| status.success()), "{statement}");
}

#[tokio::test]
async fn engines_of_one_database_divide_what_they_all_contact() {
    let (options, server, name) = database();
    let (store, engine, run) = begun(&options, 1).await;
    let (config, _asked) = stopping(&engine);
    drive(&config, &run).await.unwrap();
    assert_eq!(config.pace.engines(), 1);
    let second = store.engine("second", Duration::ZERO).await.unwrap();
    engine.heartbeat(NOW).await.unwrap();
    let run = second.claim(run.id, NOW).await.unwrap().unwrap();
    let (config, _asked) = stopping(&second);
    drive(&config, &run).await.unwrap();
    assert_eq!(config.pace.engines(), 2);
    store.close().await;
    tell(&server, &format!("DROP DATABASE {name} WITH (FORCE)"));
    std::fs::remove_file(secret(&name)).unwrap();
}
