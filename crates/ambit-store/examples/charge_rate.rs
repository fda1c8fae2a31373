//! Measures what charging adds to a call: the time until a charge is durable, for one caller alone, for unrelated users
//! side by side, and for one user whose calls come all at once. `charge_rate FOLDER [CALLS]` on SQLite; with a
//! `postgres://…` URL in `AMBIT_DATABASE` there, the folder only holding the secret.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a measurement that people start")]

use ambit_model::Timestamp;
use ambit_store::{Cost, NewKey, NewOwner, NewUser, Options, Principal, Store};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Callers side by side.
const CALLERS: usize = 64;

/// A wall time that passes as ours does, from a fixed beginning.
fn now() -> Timestamp {
    static BEGUN: OnceLock<Instant> = OnceLock::new();
    let elapsed = BEGUN.get_or_init(Instant::now).elapsed();
    Timestamp(1_800_000_000_000 + i64::try_from(elapsed.as_millis()).unwrap())
}

async fn user(store: &Store, me: &Principal, name: &str) -> Principal {
    let email = format!("{name}@acme.test");
    let new = NewUser { email: email.clone(), ..NewUser::default() };
    // A folder that is measured again has them.
    let _ = store.create_user(&me.at(now()), &new).await;
    let new = NewKey { user: Some(email), ..NewKey::default() };
    let key = store.create_key(&me.at(now()), &new).await.unwrap().key;
    store.authenticate(&key, now()).await.unwrap().unwrap()
}

async fn charge(store: &Store, who: &Principal) -> Duration {
    let before = Instant::now();
    store.charge(&who.at(now()), Cost::Requests(1), "domains").await.unwrap();
    before.elapsed()
}

/// What every call of the wider API does anyway: one reading.
async fn read(store: &Store, who: &Principal) -> Duration {
    let before = Instant::now();
    store.has_privilege(&who.at(now()), "intelligence").await.unwrap();
    before.elapsed()
}

fn report(what: &str, mut times: Vec<Duration>, wall: Duration) {
    times.sort();
    let at = |part: f64| times[((times.len() - 1) as f64 * part) as usize].as_secs_f64() * 1_000.0;
    println!(
        "{what}: {} in {:.2} s: {:.0}/s; p50 {:.2} ms, p99 {:.2} ms",
        times.len(),
        wall.as_secs_f64(),
        times.len() as f64 / wall.as_secs_f64(),
        at(0.5),
        at(0.99)
    );
}

/// Every caller calls so often, one after the other; all callers side by side.
async fn side_by_side(store: &Store, callers: Vec<Principal>, calls: usize) -> (Vec<Duration>, Duration) {
    let begun = Instant::now();
    let tasks: Vec<_> = callers
        .into_iter()
        .map(|who| {
            let store = store.clone();
            tokio::spawn(async move {
                let mut times = Vec::with_capacity(calls);
                for _ in 0..calls {
                    times.push(charge(&store, &who).await);
                }
                times
            })
        })
        .collect();
    let mut times = Vec::new();
    for task in tasks {
        times.extend(task.await.unwrap());
    }
    (times, begun.elapsed())
}

#[tokio::main]
async fn main() {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().expect("usage: charge_rate FOLDER [CALLS]");
    let calls: usize = arguments.next().map_or(100, |text| text.parse().expect("a number"));
    let options = Options { database: std::env::var("AMBIT_DATABASE").ok(), ..Options::folder(folder) };
    let owner = NewOwner { email: "bench@acme.test".to_owned(), organization: "Bench".to_owned(), username: None };
    let (store, _) = Store::init(&options, &owner, now()).await.unwrap();
    let me = store.local_operator().await.unwrap();
    let mut users = Vec::new();
    for number in 0..CALLERS {
        users.push(user(&store, &me, &format!("user{number}")).await);
    }
    let begun = Instant::now();
    let mut times = Vec::new();
    for _ in 0..calls * 10 {
        times.push(read(&store, &users[0]).await);
    }
    report("a reading, one caller alone", times, begun.elapsed());
    let begun = Instant::now();
    let mut times = Vec::new();
    for _ in 0..calls * 10 {
        times.push(charge(&store, &users[0]).await);
    }
    report("a charge, one caller alone", times, begun.elapsed());
    let (times, wall) = side_by_side(&store, users.clone(), calls).await;
    report(&format!("a charge, {CALLERS} unrelated users side by side"), times, wall);
    let (times, wall) = side_by_side(&store, vec![users[0].clone(); CALLERS], calls).await;
    report(&format!("a charge, one user {CALLERS} times at once"), times, wall);
}
