//! Data folders: closed to others, completed after any kill, one engine at a time, newer schemas refused.

use crate::lab::{BEGIN, Folder, Lab, next_run, owner, postgres};
use ambit_model::{Kind, Timestamp};
use ambit_store::{FailAction, Options, Store, StoreError};
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;
use uuid::Uuid;

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
        assert_eq!(mode(&path) & 0o077, 0, "{}", path.display());
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
    assert!(matches!(cut, Some(StoreError::Lost { .. })), "a secret is never replaced, a damaged one neither: {cut:?}");
    std::fs::remove_file(folder.path().join("secret.key")).unwrap();
    // A draft that a killed process left beside, and an empty database.
    std::fs::write(folder.path().join(".secret.key.1"), "half").unwrap();
    std::fs::write(folder.path().join("ambit.db"), "").unwrap();
    let (_, key) = Store::init(&options, &owner(), Timestamp(BEGIN)).await.unwrap();
    assert!(key.is_some());
    Store::open(&options).await.unwrap();
}

#[tokio::test]
async fn a_lost_database_is_never_replaced_by_an_empty_one() {
    let folder = Folder::new();
    let options = Options::folder(folder.path());
    let database = folder.path().join("ambit.db");
    let (store, _) = Store::init(&options, &owner(), Timestamp(BEGIN)).await.unwrap();
    let copy = folder.path().join("copy");
    store.back_up(&copy).await.unwrap();
    store.close().await;
    drop(store);
    for end in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{end}", database.display()));
    }
    for (state, put) in [("is missing", false), ("is empty", true)] {
        if put {
            std::fs::write(&database, "").unwrap();
        }
        for outcome in
            [Store::open(&options).await.err(), Store::init(&options, &owner(), Timestamp(BEGIN)).await.err()]
        {
            let text = outcome.expect("is refused").to_string();
            assert!(text.starts_with(&format!("{} {state}, but secret.key beside it", database.display())), "{text}");
            assert!(text.contains("ambit restore"), "{text}");
        }
        assert_eq!(std::fs::metadata(&database).map_or(0, |file| file.len()), 0, "nothing was made");
    }
    // The remedy that is named works on the folder as it is.
    ambit_store::restore(&copy, folder.path()).await.unwrap();
    Store::open(&options).await.unwrap().close().await;
    // Without the secret, the index and the ledger tell as well; an empty folder of the index does not.
    for name in ["index/current", "ledger/00000001.jsonl"] {
        let folder = Folder::new();
        let options = Options::folder(folder.path());
        let file = folder.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, "x").unwrap();
        let lost = Store::init(&options, &owner(), Timestamp(BEGIN)).await.err();
        assert!(matches!(lost, Some(StoreError::Lost { .. })), "{name}: {lost:?}");
        std::fs::remove_file(&file).unwrap();
        std::fs::remove_dir(folder.path().join("ledger")).ok();
        Store::init(&options, &owner(), Timestamp(BEGIN)).await.unwrap().0.close().await;
    }
}

#[tokio::test]
async fn a_secret_that_is_kept_elsewhere_may_be_there_first() {
    let folder = Folder::new();
    let secret_file = folder.path().join("secret.key");
    std::fs::write(&secret_file, "ab".repeat(32)).unwrap();
    let options = Options { secret_file: Some(secret_file), ..Options::folder(folder.path()) };
    Store::init(&options, &owner(), Timestamp(BEGIN)).await.unwrap().0.close().await;
}

#[tokio::test]
async fn a_lost_secret_is_never_replaced() {
    let folder = Folder::new();
    let options = Options::folder(folder.path());
    let (store, _) = Store::init(&options, &owner(), Timestamp(BEGIN)).await.unwrap();
    store.close().await;
    drop(store);
    std::fs::remove_file(folder.path().join("secret.key")).unwrap();
    for outcome in [Store::open(&options).await.err(), Store::init(&options, &owner(), Timestamp(BEGIN)).await.err()] {
        let Some(StoreError::Invalid(text)) = outcome else { panic!("{outcome:?}") };
        assert!(text.ends_with("is missing: restore it from the backup"), "{text}");
    }
}

#[tokio::test]
async fn the_secret_of_another_installation_is_refused_on_every_way_in() {
    let (folder, other) = (Folder::new(), Folder::new());
    let backup = folder.path().join("copy");
    let options = Options::folder(folder.path());
    for options in [&options, &Options::folder(other.path())] {
        let (store, _) = Store::init(options, &owner(), Timestamp(BEGIN)).await.unwrap();
        if options.folder.as_deref() == Some(folder.path()) {
            store.back_up(&backup).await.unwrap();
        }
        store.close().await;
    }
    for place in [folder.path(), &backup] {
        std::fs::copy(other.path().join("secret.key"), place.join("secret.key")).unwrap();
    }
    let target = Folder::new();
    for refused in [
        Store::open(&options).await.err(),
        Store::open_unmigrated(&options).await.err(),
        Store::init(&options, &owner(), Timestamp(BEGIN)).await.err(),
        ambit_store::restore(&backup, &target.path().join("new")).await.err(),
    ] {
        let Some(StoreError::Invalid(text)) = refused else { panic!("{refused:?}") };
        assert!(text.contains("belongs to another installation"), "{text}");
    }
    Store::accept_secret(&options).await.unwrap();
    Store::open(&options).await.unwrap();
}

#[tokio::test]
async fn a_second_engine_learns_who_holds_the_folder() {
    let lab = Lab::sqlite().await;
    let second = Store::open(&lab.options).await.unwrap();
    let Err(StoreError::Busy { holder }) = second.engine("other", Duration::ZERO).await else { panic!("two engines") };
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
    assert_eq!(next_run(&second, lab.now()).await.unwrap(), None, "a living engine holds it");
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
    let text = newer.map(|error| error.to_string()).unwrap_or_default();
    assert!(text.starts_with(&*folder.path().to_string_lossy()), "the folder is named: {text}");
}

/// The first schema of all, as a program of that time left it.
const FIRST: i64 = 202611210530;

async fn first_schema<DB: sqlx::Database>(pool: &sqlx::Pool<DB>, script: &'static str)
where
    for<'c> &'c sqlx::Pool<DB>: sqlx::Executor<'c, Database = DB>,
{
    let versions = format!(
        "CREATE TABLE schema_versions (version BIGINT NOT NULL PRIMARY KEY, title TEXT NOT NULL, applied_at BIGINT NOT \
         NULL);
         INSERT INTO schema_versions (version, title, applied_at) VALUES ({FIRST}, 'start', 0);
         INSERT INTO organizations (id, uuid, name, created_at) VALUES (1, '00000000-0000-0000-0000-000000000001', \
         'Acme', 0);"
    );
    for text in [script, &versions] {
        sqlx::raw_sql(sqlx::AssertSqlSafe(text)).execute(pool).await.unwrap();
    }
}

/// Brings the schema up, and looks that every migration but the first ran, once.
async fn brought_up(options: &Options) {
    let (store, migrated) = Store::open_migrating(options).await.unwrap();
    store.close().await;
    let versions: Vec<i64> = migrated.ran.iter().map(|(version, _)| *version).collect();
    assert!(versions.is_sorted() && versions.first().is_some_and(|first| *first > FIRST), "{versions:?}");
    assert_eq!(versions.last(), Some(&migrated.version));
    let (store, again) = Store::open_migrating(options).await.unwrap();
    store.close().await;
    assert_eq!((again.ran.len(), again.version), (0, migrated.version));
}

/// A folder of the first schema.
async fn old_folder() -> (Folder, Options) {
    let folder = Folder::new();
    let options = Options::folder(folder.path());
    let (store, _) = Store::init(&options, &owner(), Timestamp(BEGIN)).await.unwrap();
    store.close().await;
    drop(store);
    let file = folder.path().join("ambit.db");
    for end in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{end}", file.display()));
    }
    let pool = sqlx::SqlitePool::connect(&format!("sqlite://{}?mode=rwc", file.display())).await.unwrap();
    first_schema(&pool, include_str!("../../migrations/sqlite/202611210530_start.sql")).await;
    pool.close().await;
    (folder, options)
}

#[tokio::test]
async fn a_copy_before_a_migration_is_of_the_old_schema_and_changes_nothing() {
    let (folder, options) = old_folder().await;
    let copy = folder.path().join("copy");
    let (store, schema) = Store::open_unmigrated(&options).await.unwrap();
    assert!(schema.version == FIRST && !schema.is_newest(), "{schema:?}");
    store.back_up(&copy).await.unwrap();
    assert!(store.check().await.unwrap().is_empty());
    store.close().await;
    drop(store);
    for place in [options, Options::folder(&copy)] {
        let (store, schema) = Store::open_unmigrated(&place).await.unwrap();
        assert_eq!(schema.version, FIRST, "{place:?}");
        store.close().await;
        drop(store);
        brought_up(&place).await;
        assert!(Store::open_unmigrated(&place).await.unwrap().1.is_newest());
    }
}

#[tokio::test]
async fn a_backup_that_fails_leaves_nothing_that_keeps_the_next_one_out() {
    use std::os::unix::ffi::OsStrExt as _;
    let (folder, options) = old_folder().await;
    let (store, _) = Store::open_unmigrated(&options).await.unwrap();
    // SQLite takes no name that is not UTF-8.
    let target = folder.path().join(std::ffi::OsStr::from_bytes(b"copy-\xff"));
    assert!(matches!(store.back_up(&target).await, Err(StoreError::Invalid(_))));
    assert_eq!(std::fs::read_dir(&target).unwrap().count(), 0, "neither the secret nor an empty database");
    store.close().await;
}

#[tokio::test]
async fn a_backup_that_was_killed_looks_like_none_and_the_next_one_finds_room() {
    let (folder, options) = old_folder().await;
    let (store, _) = Store::open_unmigrated(&options).await.unwrap();
    let (target, restored) = (folder.path().join("copy"), folder.path().join("restored"));
    // As it is while SQLite writes, and between the two last steps.
    std::fs::create_dir(&target).unwrap();
    for name in [".ambit.db.backup.00ff", ".ambit.db.backup.00ff-journal"] {
        std::fs::write(target.join(name), "half").unwrap();
    }
    for secret_is_there in [false, true] {
        if secret_is_there {
            std::fs::copy(folder.path().join("secret.key"), target.join("secret.key")).unwrap();
        }
        let refused = ambit_store::restore(&target, &restored).await.err();
        assert!(matches!(refused, Some(StoreError::Invalid(_))), "{refused:?}");
    }
    store.back_up(&target).await.unwrap();
    let mut names: Vec<_> =
        std::fs::read_dir(&target).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["ambit.db", "secret.key"]);
    for name in names {
        assert_eq!(mode(&target.join(name)), 0o600);
    }
    assert!(matches!(store.back_up(&target).await, Err(StoreError::Invalid(_))), "a whole one is kept");
    // A restore that was killed between its two last steps is gone on with.
    std::fs::create_dir(&restored).unwrap();
    std::fs::copy(target.join("secret.key"), restored.join("secret.key")).unwrap();
    ambit_store::restore(&target, &restored).await.unwrap();
    brought_up(&Options::folder(&restored)).await;
    store.close().await;
}

#[tokio::test]
async fn a_folder_whose_newest_changes_stand_in_its_log_is_no_backup() {
    let (folder, copy) = (Folder::new(), Folder::new());
    let (store, _) = Store::init(&Options::folder(folder.path()), &owner(), Timestamp(BEGIN)).await.unwrap();
    // What somebody has who copied the files of a running server, or of one that was killed.
    for name in ["ambit.db", "ambit.db-wal", "secret.key"] {
        std::fs::copy(folder.path().join(name), copy.path().join(name)).unwrap();
    }
    let target = folder.path().join("restored");
    let refused = ambit_store::restore(copy.path(), &target).await.err();
    let Some(StoreError::Invalid(text)) = refused else { panic!("{refused:?}") };
    assert!(text.contains("ambit.db-wal holds changes"), "{text}");
    assert!(!target.exists(), "nothing was made");
    store.close().await;
    // Its own commands bring the log in.
    let store = Store::open(&Options::folder(copy.path())).await.unwrap();
    store.back_up(&copy.path().join("backup")).await.unwrap();
    store.close().await;
    ambit_store::restore(&copy.path().join("backup"), &target).await.unwrap();
}

#[tokio::test]
async fn a_backup_of_a_newer_program_is_refused_before_anything_is_made_of_it() {
    let folder = Folder::new();
    let (store, _) = Store::init(&Options::folder(folder.path()), &owner(), Timestamp(BEGIN)).await.unwrap();
    let (backup, target) = (folder.path().join("backup"), folder.path().join("restored"));
    store.back_up(&backup).await.unwrap();
    store.close().await;
    let database = backup.join("ambit.db");
    let pool = sqlx::SqlitePool::connect(&format!("sqlite:{}", database.display())).await.unwrap();
    sqlx::query("INSERT INTO schema_versions VALUES (999912312359, 'later', 0)").execute(&pool).await.unwrap();
    pool.close().await;
    let refused = ambit_store::restore(&backup, &target).await.err();
    let Some(StoreError::NewerSchema { place, .. }) = refused else { panic!("{refused:?}") };
    assert_eq!(place, database.display().to_string());
    assert!(!target.join("ambit.db").exists(), "no installation is left behind");
}

#[tokio::test]
async fn an_old_schema_is_brought_up_and_what_ran_is_said() {
    let (folder, options) = old_folder().await;
    brought_up(&options).await;

    let (postgres, database) = postgres().await;
    let options = Options { folder: Some(folder.path().to_owned()), secret_file: None, ..postgres };
    let pool = sqlx::PgPool::connect(options.database.as_deref().unwrap()).await.unwrap();
    first_schema(&pool, include_str!("../../migrations/postgres/202611210530_start.sql")).await;
    pool.close().await;
    brought_up(&options).await;
    crate::lab::drop_database(&database).await;
}

#[tokio::test]
async fn seeds_of_before_are_the_operator_s_where_the_command_line_made_their_collection() {
    let (folder, options) = old_folder().await;
    let (scanned, served, moved) = (Uuid::from_u128(1), Uuid::from_u128(2), Uuid::from_u128(3));
    let collection = |id: i64, uuid: Uuid, schedule: &str| {
        format!(
            "INSERT INTO collections (id, uuid, project_id, name, printable_name, workflow, schedule, wire, level, \
             never, created_at, updated_at,
             custom_last_refreshes_count) VALUES ({id}, '{uuid}', 1, 'c{id}', 'c', 'w', '{schedule}', '\"live\"', 3, \
             '[]', 100, 100, 3);"
        )
    };
    let seed = |collection: i64, last: i64, at: i64| {
        format!(
            "INSERT INTO seeds (collection_id, kind, name, uid, created_at) VALUES ({collection}, 'IpAddress', \
             '10.0.0.{last}', x'{last:064x}', {at});"
        )
    };
    let text = [
        collection(1, scanned, "on_demand"),
        collection(2, served, "daily"),
        collection(3, moved, "on_demand"),
        seed(1, 1, 100),
        seed(1, 2, 200),
        seed(2, 3, 100),
        seed(3, 4, 101),
    ]
    .concat();
    let pool =
        sqlx::SqlitePool::connect(&format!("sqlite://{}", folder.path().join("ambit.db").display())).await.unwrap();
    sqlx::raw_sql(sqlx::AssertSqlSafe(text.as_str())).execute(&pool).await.unwrap();
    pool.close().await;
    let (store, _) = Store::open_migrating(&options).await.unwrap();
    let engine = store.engine("test", Duration::ZERO).await.unwrap();
    let named = async |uuid| engine.operator_seeds(uuid).await.unwrap();
    assert_eq!(
        named(scanned).await,
        [(Kind::IpAddress, "10.0.0.1".to_owned())],
        "what was added later came over the API"
    );
    assert!(named(served).await.is_empty() && named(moved).await.is_empty());
    store.close().await;
}

/// Rows as they were while each failure was counted by its class and by its text.
const COUNTED_TWICE: &str = "INSERT INTO not_done (run_id, reason, task, count, example) VALUES
    (1, 'no answer', 'http_probe', 3, 'Uri a'), (1, 'connection closed early: head', 'http_probe', 2, 'Uri a'),
    (1, 'timed out: head', 'http_probe', 1, 'Uri b'), (1, 'out of time', 'http_probe', 4, 'Uri c'),
    (1, 'set aside: the process died under it 5 times', 'resolve', 2, 'Domain d'),
    (1, 'set aside: the process died under it 6 times', 'resolve', 2, 'Domain c'),
    (1, 'this version knows no task \"x\"', 'x', 2, 'Domain d'), (1, 'task panicked', 'ptr', 1, 'IpAddress e'),
    (1, 'the task panicked', 'ptr', 1, 'IpAddress e'), (2, 'the run took longer than 72 hours; what was left is not \
    looked at', 'run', 1, 'run 2'),
    (2, 'not confirmed: a block of more than 65536 addresses is swept only after an explicit yes', 'port_sweep', 1, \
    'NetBlock f');";
const ONCE: &str = "SELECT run_id || ' ' || reason || ' ' || task || ' ' || count || ' ' || example FROM not_done";

#[tokio::test]
async fn what_runs_of_before_did_not_do_is_counted_once() {
    let expected = [
        "1 no answer http_probe 3 Uri a",
        "1 out of time http_probe 2 Uri c",
        "1 set aside resolve 2 Domain c",
        "1 task panicked ptr 1 IpAddress e",
        "1 unknown task x 1 Domain d",
        "2 not confirmed port_sweep 1 NetBlock f",
        "2 run too long run 1 run 2",
    ];
    let (folder, options) = old_folder().await;
    let pool = async || {
        let file = folder.path().join("ambit.db");
        sqlx::SqlitePool::connect(&format!("sqlite://{}", file.display())).await.unwrap()
    };
    let before = pool().await;
    sqlx::raw_sql(COUNTED_TWICE).execute(&before).await.unwrap();
    before.close().await;
    brought_up(&options).await;
    let mut rows: Vec<String> = sqlx::query_scalar(ONCE).fetch_all(&pool().await).await.unwrap();
    rows.sort();
    assert_eq!(rows, expected);

    let (postgres, database) = postgres().await;
    let options = Options { folder: Some(folder.path().to_owned()), secret_file: None, ..postgres };
    let pool = sqlx::PgPool::connect(options.database.as_deref().unwrap()).await.unwrap();
    first_schema(&pool, include_str!("../../migrations/postgres/202611210530_start.sql")).await;
    sqlx::raw_sql(COUNTED_TWICE).execute(&pool).await.unwrap();
    brought_up(&options).await;
    let mut rows: Vec<String> = sqlx::query_scalar(ONCE).fetch_all(&pool).await.unwrap();
    rows.sort();
    assert_eq!(rows, expected);
    pool.close().await;
    crate::lab::drop_database(&database).await;
}

#[tokio::test]
async fn an_edge_that_fails_stores_nothing_and_the_next_write_works() {
    let lab = Lab::sqlite().await;
    for edge in 1..=3 {
        lab.store.arm_failpoint(edge, FailAction::Error);
        let failed = lab.store.create_project(&lab.caller(), "never").await;
        assert!(matches!(failed, Err(StoreError::Unavailable(_))), "{edge}: {failed:?}");
        assert_eq!(
            lab.store.list_projects(&lab.store.local_operator().await.unwrap()).await.unwrap().len(),
            1,
            "{edge}"
        );
    }
    lab.store.create_project(&lab.caller(), "now").await.unwrap();
    assert_eq!(lab.store.list_projects(&lab.store.local_operator().await.unwrap()).await.unwrap().len(), 2);
}

#[tokio::test]
async fn a_database_that_cannot_be_reached_is_refused_with_the_reason() {
    let folder = Folder::new();
    for (url, expected) in [
        ("mysql://127.0.0.1/ambit", "the database is not a URL such as postgres://user:password@host/name"),
        ("127.0.0.1", "the database is not a URL such as postgres://user:password@host/name"),
        ("postgres://127.0.0.1:1/ambit", "refused"),
    ] {
        let options = Options { database: Some(url.to_owned()), ..Options::folder(folder.path()) };
        let error = Store::open(&options).await.err().unwrap().to_string();
        assert!(error.contains(expected), "{url}: {error}");
    }
}
