//! An installation that moves from a data folder to PostgreSQL: all of it, once, or nothing.

use crate::lab::{BEGIN, Lab, drop_database, found, postgres};
use ambit_model::entity::EntityRecord;
use ambit_model::id::blob_hash;
use ambit_model::{EdgeKind, Kind, Timestamp, Uid};
use ambit_store::{NewIntegration, NewKey, Options, Principal, Store, StoreError};
use serde_json::json;
use sqlx::Connection as _;
use uuid::Uuid;

/// What an installation answers to the holder of a key, as text.
async fn answers(store: &Store, key: &str, collection: Uuid) -> Vec<String> {
    let me: Principal = store.authenticate(key, LATER).await.unwrap().expect("the key is known");
    let www = Uid::of_entity(collection, Kind::DnsRecord, "www.acme.test").to_string();
    vec![
        format!("{:?}", store.list_projects(&me).await.unwrap()),
        format!("{:?}", store.list_audit(&me, None, 100).await.unwrap()),
        format!("{:?}", store.list_credentials(collection).await.unwrap()),
        format!("{:?}", store.find_record::<EntityRecord>(&me, &www, None).await.unwrap()),
        format!("{:?}", store.feed_since(0, 1_000).await.unwrap()),
        format!("{:?}", store.last_revision().await.unwrap()),
        format!("{:?}", store.blob(blob_hash(BODY)).await.unwrap().expect("is there")),
    ]
}

/// After everything that a test does.
const LATER: Timestamp = Timestamp(BEGIN + 86_400_000);
const BODY: &[u8] = b"a body \0 with any byte \xff";

async fn filled(lab: &Lab) -> String {
    let run = lab.run().await;
    let www = found(
        json!({"note": "tab\t, line\n, \\N and \u{1F600}"}),
        &[(EdgeKind::Subdomain, Kind::DnsRecord, "www.acme.test")],
    );
    lab.probe(&run, "dns_records", lab.uid(Kind::Domain, "acme.test"), 1, www).await;
    lab.decide(&run, lab.uid(Kind::DnsRecord, "www.acme.test"), 1_000, true).await;
    lab.finish(&run).await;
    lab.store.put_blob(BODY, lab.now()).await.unwrap();
    let secrets = json!({"aws_role_arn": "sealed"}).as_object().cloned().unwrap();
    let settings = json!({"region": "eu"}).as_object().cloned().unwrap();
    let new = NewIntegration { name: "Cloud".to_owned(), kind: "AwsCredential".to_owned(), secrets, settings };
    let project = lab.store.list_projects(&lab.me).await.unwrap()[0].project.uuid;
    let made = lab.store.create_integration(&lab.caller(), project, &new).await.unwrap();
    lab.store.add_integration_use(&lab.caller(), lab.collection, made.uuid).await.unwrap();
    let gone = add_seed(&lab.store, &lab.me, lab.collection, "gone.test").await;
    lab.store.remove_seed(&lab.caller(), gone).await.unwrap();
    lab.store.create_key(&lab.caller(), &NewKey::default()).await.unwrap().key
}

/// The id of a seed that is added.
async fn add_seed(store: &Store, me: &Principal, collection: Uuid, name: &str) -> i64 {
    let seeds = [(Kind::Domain, name.to_owned())];
    let all = store.add_seeds(&me.at(LATER), collection, &seeds).await.unwrap();
    all.iter().find(|seed| seed.name == name).unwrap().id
}

#[tokio::test]
async fn a_folder_moves_whole_and_answers_the_same() {
    let lab = Lab::sqlite().await;
    let key = filled(&lab).await;
    let before = answers(&lab.store, &key, lab.collection).await;
    let (options, database) = postgres().await;
    let secret_file = lab.options.folder.as_ref().map(|folder| folder.join("secret.key"));
    let target = Options { secret_file, ..options };

    let busy = lab.store.transfer(&target).await.unwrap_err();
    assert!(matches!(busy, StoreError::Busy { .. }), "an engine works: {busy}");
    drop(lab.engine);

    let moved = lab.store.transfer(&target).await.unwrap();
    assert!(moved.rows > 20 && moved.tables > 40 && moved.to.contains(&database), "{moved:?}");
    let there = Store::open(&target).await.unwrap();
    assert_eq!(answers(&there, &key, lab.collection).await, before);
    // Numbers go on where they were.
    let me = there.local_operator().await.unwrap();
    let newer = there.create_key(&me.at(LATER), &NewKey::default()).await.unwrap();
    let here = lab.store.create_key(&lab.me.at(LATER), &NewKey::default()).await.unwrap();
    assert_eq!(newer.id, here.id);
    let newer = add_seed(&there, &me, lab.collection, "new.test").await;
    assert_eq!(newer, add_seed(&lab.store, &lab.me, lab.collection, "new.test").await, "not that of the removed one");
    let again = lab.store.transfer(&target).await.unwrap_err();
    assert!(matches!(&again, StoreError::Invalid(why) if why.contains("is not empty")), "{again}");
    let back = there.transfer(&target).await.unwrap_err();
    assert!(matches!(&back, StoreError::Invalid(why) if why.contains("already")), "{back}");
    there.close().await;
    drop_database(&database).await;
}

#[tokio::test]
async fn a_move_that_fails_leaves_nothing_and_is_begun_again() {
    let lab = Lab::sqlite().await;
    let key = filled(&lab).await;
    drop(lab.engine);
    let (options, database) = postgres().await;
    let secret_file = lab.options.folder.as_ref().map(|folder| folder.join("secret.key"));
    let target = Options { secret_file, ..options };
    // The schema alone: there is no installation.
    assert!(Store::open(&target).await.is_err());
    let mut admin = sqlx::PgConnection::connect(target.database.as_deref().unwrap()).await.unwrap();
    let refuse = "CREATE FUNCTION refuse() RETURNS trigger AS 'BEGIN RAISE ''no room''; END' LANGUAGE plpgsql;
                  CREATE TRIGGER refuse BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION refuse()";
    sqlx::raw_sql(refuse).execute(&mut admin).await.unwrap();
    let failed = lab.store.transfer(&target).await.unwrap_err();
    assert!(failed.to_string().contains("no room"), "{failed}");
    let left: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM feed").fetch_one(&mut admin).await.unwrap();
    assert_eq!(left, 0);
    sqlx::raw_sql("DROP TRIGGER refuse ON users").execute(&mut admin).await.unwrap();
    lab.store.transfer(&target).await.unwrap();
    let there = Store::open(&target).await.unwrap();
    assert!(there.authenticate(&key, LATER).await.unwrap().is_some());
    there.close().await;
    drop_database(&database).await;
}
