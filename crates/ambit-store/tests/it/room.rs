//! How large a SQLite database is: what an unchanged state adds, and what is given back.

use crate::lab::{Lab, found, new_work, outcome};
use ambit_model::Kind;
use ambit_store::engine::Work;
use serde_json::json;
use sqlx::Connection as _;

/// Probes of one run: what is leased at once.
const PROBES: usize = 1_000;

/// Pages of the database, and how many of them are free.
async fn pages(lab: &Lab) -> (i64, i64) {
    let path = lab.options.folder.as_ref().unwrap().join("ambit.db");
    let mut connection = sqlx::SqliteConnection::connect(&format!("sqlite://{}", path.display())).await.unwrap();
    let sql = "SELECT page_count, freelist_count FROM pragma_page_count, pragma_freelist_count";
    sqlx::query_as(sql).fetch_one(&mut connection).await.unwrap()
}

/// A run in which each of many probes finds what it found before.
async fn run(lab: &Lab) {
    let run = lab.run().await;
    let mut planned = lab.reconciliation(run.id);
    for argument in 0..PROBES {
        let mut work = new_work("resolve", lab.uid(Kind::Domain, "acme.test"), 0);
        work.argument = argument.to_string();
        planned.work.push(work);
    }
    lab.engine.reconcile(planned).await.unwrap();
    let leased = lab.engine.lease(run.id, PROBES, lab.now()).await.unwrap();
    // Answers of many lengths, as their pages are full to the last byte or not.
    let answer = |argument: &str| json!({"title": "a".repeat(argument.parse::<usize>().unwrap() % 97)});
    let said = |work: Work| {
        let details = answer(&work.argument);
        outcome(work, found(details, &[]), lab.now())
    };
    let outcomes = leased.into_iter().map(said).collect();
    lab.engine.commit(lab.commit(run.id, outcomes)).await.unwrap();
    lab.finish(&run).await;
}

#[tokio::test]
async fn a_run_of_an_unchanged_state_takes_no_room() {
    let lab = Lab::sqlite().await;
    run(&lab).await;
    let (before, free) = pages(&lab).await;
    run(&lab).await;
    let (after, free_after) = pages(&lab).await;
    let added = (after - free_after) - (before - free);
    assert!(added <= 2, "{added} pages, of {before}");
}

#[tokio::test]
async fn room_that_nothing_needs_any_more_is_given_back() {
    let lab = Lab::sqlite().await;
    lab.execute("CREATE TABLE ballast (bytes BLOB)").await;
    lab.execute("INSERT INTO ballast VALUES (zeroblob(20000000))").await;
    lab.execute("DROP TABLE ballast").await;
    let (before, free) = pages(&lab).await;
    assert!(free > 4_000, "{free} of {before} pages are free");
    lab.store.tidy(lab.now()).await.unwrap();
    let (after, free) = pages(&lab).await;
    assert!(free <= 256 + after / 32, "{free} of {after} pages are free still");
}
