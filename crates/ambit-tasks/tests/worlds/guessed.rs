//! Parameters that are guessed, at a site that says that there are too many requests.

use super::faulty::{Looked, look_of};
use super::{EPOCH, world};
use ambit_model::Kind;
use ambit_model::entity::uri;
use ambit_net::NetError;
use ambit_tasks::{Answer, Settings, TaskError};
use ambit_world::World;
use serde_json::{Value, json};
use std::time::Duration;

/// Looks for parameters of two pages of a site, of which the first takes one. Its server has this limit.
fn guess(limit: &str) -> Looked {
    let text = world(&format!(
        "name acme.test A 203.0.113.10\nhost 203.0.113.10\n{limit}\nsite https://acme.test \"Acme\"\n  page /a \
         \"<p>One</p>\"\n  page /a?debug \"<p>One</p><pre>state</pre>\"\n  page /list \"<p>Two</p>\"\n"
    ));
    let world = World::parse(&text, "test.world").unwrap_or_else(|problems| panic!("{problems:?}"));
    let page =
        |path: &str| json!({"path": path, "status": 200, "title": null, "parameters": [], "asks_password": false});
    let of = |name: &str, path: &str| uri::Parameter { paths: [path.to_owned()].into(), ..uri::Parameter::named(name) };
    let known = [
        ("hidden_pages".to_owned(), json!([page("/a"), page("/list")])),
        uri::HIDDEN_PARAMETERS.is(vec![of("trace", "/a"), of("view", "/list")]),
    ];
    let entity = (Kind::Uri, "https://acme.test:443", "203.0.113.10:443");
    look_of(Settings::default(), &world, EPOCH, "hidden_parameters", entity, known)
}

fn parameters(looked: &Looked) -> Value {
    looked.found.details.get("hidden_guessed_parameters").cloned().unwrap_or_default()
}

#[test]
fn a_site_that_asks_for_patience_is_waited_for_until_all_is_asked() {
    let debug = json!([{"name": "debug", "seen": ["guess"], "paths": ["/a"]}]);
    let unlimited = guess("");
    assert_eq!((&unlimited.answer, parameters(&unlimited)), (&Ok(Answer::Found), debug.clone()));
    for limit in ["  limit 6 10s 429 retry 10", "  limit 6 10s 429", "  limit 1 2s 429 retry 2"] {
        let looked = guess(limit);
        assert_eq!((&looked.answer, parameters(&looked)), (&Ok(Answer::Found), debug.clone()), "{limit}");
        assert!(looked.took < Duration::from_secs(15 * 60), "{limit}: {:?}", looked.took);
    }
}

/// What was found, and what was known of the page that was not asked to its end. The other one takes one of its two no
/// more.
fn kept() -> Value {
    json!([
        {"name": "debug", "seen": ["guess"], "paths": ["/a"]},
        {"name": "view", "seen": ["guess"], "paths": ["/list"]},
    ])
}

#[test]
fn a_site_that_goes_on_refusing_is_said_and_keeps_what_was_found_and_known() {
    let refused = TaskError::Net(NetError::Unavailable(429));
    let at_once = guess("  limit 1 9000s 429 retry 5");
    assert_eq!(at_once.answer, Err(refused.clone()));
    assert!(at_once.took < Duration::from_secs(60), "{:?}", at_once.took);
    let later = guess("  limit 26 9000s 429 retry 5");
    assert_eq!((later.answer.clone(), parameters(&later)), (Ok(Answer::InPart(refused)), kept()));
}

#[test]
fn a_site_that_wants_more_time_than_is_left_is_not_waited_for_and_what_was_found_stays() {
    let refused = TaskError::Net(NetError::Unavailable(429));
    for (limit, most_s) in [("retry 600", 11 * 60), ("retry 1300", 60), ("retry 86400", 60)] {
        let looked = guess(&format!("  limit 26 9000s 429 {limit}"));
        assert_eq!((&looked.answer, parameters(&looked)), (&Ok(Answer::InPart(refused.clone())), kept()), "{limit}");
        assert!(looked.took < Duration::from_secs(most_s), "{limit}: {:?}", looked.took);
    }
}
