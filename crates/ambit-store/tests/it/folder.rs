//! Data folders: closed to others, completed after any kill, one engine at a time, newer schemas refused.

use crate::lab::{BEGIN, Folder, Lab, owner, postgres};
use ambit_model::Timestamp;
use ambit_store::{FailAction, Options, Store, StoreError};
use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

fn mode(path: &std::path::Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test]
async fn a_folder_is_closed_to_other_people() {
    let folder = Folder::new();
    let data = folder.path().join("deep/data");
    let (store, key) = Store::init(&Options::folder(&data), &owner(), Timestamp(BEGIN)).await.unwrap();
    let key = key.unwrap();
    assert!(store.authenticate(&key.key, Timestamp(BEGIN)).await.unwrap().unwrap().administrator());
    assert_eq!(mode(&data), 0o700);
    for entry in std::fs::read_dir(&data).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
    let (_, again) = Store::init(&Options::folder(&data), &owner(), Timestamp(BEGIN)).await.unwrap();
    assert!(again.is_none(), "it is complete: no second owner");
}

#[tokio::test]
async fn a_making_that_was_cut_off_is_completed_by_the_next() {
    let folder = Folder::new();
    let options = Options::folder(folder.path());
    let empty = Store::open(&options).await.err();
    assert!(matches!(empty, Some(StoreError::Uninitialised(_))), "{empty:?}");
    std::fs::write(folder.path().join("secret.key"), "").unwrap();
    let cut = Store::init(&options, &owner(), Timestamp(BEGIN)).await.err();
    assert!(matches!(cut, Some(StoreError::Invalid(_))), "a damaged secret is never replaced: {cut:?}");
    std::fs::remove_file(folder.path().join("secret.key")).unwrap();
    // A draft that a killed process left beside, and an empty database.
    std::fs::write(folder.path().join(".secret.key.1"), "half").unwrap();
    std::fs::write(folder.path().join("ambit.db"), "").unwrap();
    let (_, key) = Store::init(&options, &owner(), Timestamp(BEGIN)).await.unwrap();
    assert!(key.is_some());
    Store::open(&options).await.unwrap();
}

#[tokio::test]
async fn a_lost_secret_is_never_replaced() {
    let folder = Folder::new();
    let options = Options::folder(folder.path());
    let (store, _) = Store::init(&options, &owner(), Timestamp(BEGIN)).await.unwrap();
    store.close().await;
    drop(store);
    std::fs::remove_file(folder.path().join("secret.key")).unwrap();
    for outcome in [
        Store::open(&options).await.err(),
        Store::init(&options, &owner(), Timestamp(BEGIN)).await.err(),
    ] {
        let Some(StoreError::Invalid(text)) = outcome else {
            panic!("{outcome:?}")
        };
        assert!(text.ends_with("is missing: bring it back from the backup"), "{text}");
    }
}

#[tokio::test]
async fn a_second_engine_learns_who_holds_the_folder() {
    let lab = Lab::sqlite().await;
    let second = Store::open(&lab.options).await.unwrap();
    let Err(StoreError::Busy { holder }) = second.engine("other", Duration::ZERO).await else {
        panic!("two engines")
    };
    assert_eq!(holder, format!("lab (process {})", std::process::id()));
    let text = StoreError::Busy { holder }.to_string();
    assert!(text.starts_with("the engine of this data folder is held by lab"), "{text}");
    drop(lab.engine);
    second.engine("other", Duration::ZERO).await.unwrap();
}

#[tokio::test]
async fn several_engines_share_a_postgres() {
    let (options, database) = postgres().await;
    let lab = Lab::open(options, "postgres").await;
    let second = lab.store.engine("second", Duration::ZERO).await.unwrap();
    let run = lab.run().await;
    lab.engine.heartbeat(lab.now()).await.unwrap();
    assert_eq!(
        second.claim_run(&BTreeSet::new(), lab.now()).await.unwrap(),
        None,
        "a living engine holds it"
    );
    assert_eq!(second.claim(run.id, lab.now()).await.unwrap(), None);
    assert_eq!(second.live_engines(Timestamp(0)).await.unwrap(), 2);
    lab.store.close().await;
    crate::lab::drop_database(&database).await;
}

#[tokio::test]
async fn a_newer_schema_is_refused() {
    let folder = Folder::new();
    let options = Options::folder(folder.path());
    let (store, _) = Store::init(&options, &owner(), Timestamp(BEGIN)).await.unwrap();
    store.close().await;
    drop(store);
    let url = format!("sqlite://{}", folder.path().join("ambit.db").display());
    let pool = sqlx::SqlitePool::connect(&url).await.unwrap();
    sqlx::query("INSERT INTO schema_versions (version, title, applied_at) VALUES (999912312359, 'later', 0)")
        .execute(&pool)
        .await
        .unwrap();
    pool.close().await;
    let newer = Store::open(&options).await.err();
    assert!(matches!(newer, Some(StoreError::NewerSchema { found: 999_912_312_359, .. })), "{newer:?}");
}

#[tokio::test]
async fn an_edge_that_fails_stores_nothing_and_the_next_write_works() {
    let lab = Lab::sqlite().await;
    for edge in 1..=3 {
        lab.store.arm_failpoint(edge, FailAction::Error);
        let failed = lab.store.create_project(&lab.me, "never", lab.now()).await;
        assert!(matches!(failed, Err(StoreError::Unavailable(_))), "{edge}: {failed:?}");
        assert_eq!(
            lab.store.list_projects(&lab.store.local_operator().await.unwrap()).await.unwrap().len(),
            1,
            "{edge}"
        );
    }
    lab.store.create_project(&lab.me, "now", lab.now()).await.unwrap();
    assert_eq!(
        lab.store.list_projects(&lab.store.local_operator().await.unwrap()).await.unwrap().len(),
        2
    );
}
