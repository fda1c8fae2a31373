//! Sessions of applications whose sign-in stands on another host of the same domain: what that shows decides, and
//! nothing of the session is shown there.

use super::explorer::empty_facts;
use super::faulty::Anything;
use super::{EPOCH, world};
use ambit_model::{Clearance, Kind, workflow};
use ambit_net::{Grants, Net, NetOptions, Pace, PaceLimits, Wire};
use ambit_tasks::{Account, Answer, Context, Settings, TaskError};
use ambit_world::{SimulatedWire, World};
use serde_json::json;
use std::sync::Arc;

/// Walks through `https://app.acme.test` with a cookie, in a world with these lines.
fn walked(lines: &str) -> Result<Answer, TaskError> {
    let world = World::parse(&world(lines), "sign_in.world").unwrap_or_else(|problems| panic!("{problems:?}"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let wire = world.wire(EPOCH, 1);
    let account = Account {
        kind: None,
        secrets: json!({"cookie": "session=0ld-s3cret"}).as_object().cloned(),
        settings: json!({"origin": "https://app.acme.test"}).as_object().cloned().unwrap(),
    };
    let mut settings = Settings::default();
    settings.accounts.insert(Account::helper(workflow::SESSION, 0), account);
    let facts = empty_facts(Kind::Uri, "https://app.acme.test:443");
    let (send, receive) = std::sync::mpsc::channel();
    let tracked: Arc<SimulatedWire> = wire.clone();
    runtime.block_on(wire.track(Box::pin(async move {
        let net =
            Net::new(tracked, Arc::new(Anything), Arc::new(Pace::new(PaceLimits::default())), NetOptions::default());
        let session = net.session(Grants::task(Clearance::L3, &[]));
        let context = Context::new(&session, &facts, "203.0.113.10:443", &settings);
        send.send((ambit_tasks::find("crawl").unwrap().run)(&context).await).unwrap();
    })));
    receive.recv().unwrap()
}

#[test]
fn a_session_that_is_over_is_told_by_what_the_host_shows_to_which_it_leads() {
    let names = "name {app,id,sso}.acme.test A 203.0.113.{10..12}\n";
    for (site, why) in [
        (
            "site https://app.acme.test\n  redirect https://id.acme.test/\nsite https://id.acme.test\n  login",
            "a password",
        ),
        (
            "site https://app.acme.test\n  redirect https://sso.acme.test/x\nsite https://sso.acme.test",
            "people sign in",
        ),
        ("site https://app.acme.test\n  redirect https://acme.example/x", "outside of its domain"),
    ] {
        let answer = walked(&format!("{names}{site}"));
        let Err(TaskError::Denied(said)) = answer else { panic!("{why}: {answer:?}") };
        assert!(said.contains("cannot be opened") && said.contains(why) && !said.contains("s3cret"), "{said}");
    }
    let elsewhere = "site https://app.acme.test\n  redirect https://id.acme.test/\nsite https://id.acme.test";
    assert_eq!(walked(&format!("{names}{elsewhere}")), Ok(Answer::Found), "nobody is asked who they are there");
}
