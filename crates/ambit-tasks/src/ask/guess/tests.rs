//! What becomes of names that are asked for twice.

use super::*;
use crate::ask::wild::tests::{Look, Reply, looked};
use ambit_net::dns::Rcode;
use std::sync::atomic::{AtomicBool, Ordering};

static IS_GONE: AtomicBool = AtomicBool::new(false);

#[test]
fn a_name_that_is_not_there_when_asked_for_again_is_no_hit() {
    let is_gone = || IS_GONE.load(Ordering::Relaxed);
    let say = move |name: &str, rtype| match (name, rtype) {
        ("acme.test", _) => Reply::Soa,
        ("www.acme.test", RecordType::A) if !is_gone() => Reply::Address([192, 0, 2, 9]),
        ("www.acme.test", _) if !is_gone() => Reply::Fails(Rcode::SERVFAIL),
        _ => Reply::Fails(Rcode::NXDOMAIN),
    };
    let look: Look<(BTreeSet<String>, BTreeSet<String>)> = |cx| {
        Box::pin(async move {
            let mut guesses = Guesses { domain: "acme.test", ..Guesses::default() };
            let wild = Wild::of(cx, "acme.test").await.unwrap();
            let names = || vec!["www.acme.test".to_owned()];
            guesses.ask_once(cx, &wild, names(), 1).await;
            let first = std::mem::take(&mut guesses.unplaced);
            assert_eq!(guesses.hits, first);
            IS_GONE.store(true, Ordering::Relaxed);
            guesses.ask_once(cx, &wild, names(), 1).await;
            (first, guesses.hits)
        })
    };
    assert_eq!(looked(say, look), (BTreeSet::from(["www.acme.test".to_owned()]), BTreeSet::new()));
}

#[test]
fn below_many_levels_fewer_words_are_tried_than_below_few() {
    assert_eq!([0, 1, 4, 8, 20, 500].map(words_below), [250, 250, 250, 150, 60, 60]);
}
