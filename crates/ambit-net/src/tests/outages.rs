//! A data provider that is down is not asked by every row that has a question for it.

use super::wire::{Peer, dialled, run, session};
use crate::NetError;
use std::time::Duration;

const PLACE: &str = "192.0.2.80:80";
const URL: &str = "http://192.0.2.80/";
const ANSWER: &str = "read-head\nsend \"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\n[]\"";

/// A provider that nobody listens at says nothing of what it was asked for.
fn refused() -> NetError {
    NetError::ConnectionRefused.of_helper()
}

#[test]
fn a_silent_provider_is_left_alone_for_a_minute_and_then_tried_once() {
    run(|wire| async move {
        wire.peer(PLACE, Peer::Refuses);
        let session = session(&wire);
        let ask = || session.source("plain", URL);
        for _ in 0..5 {
            assert_eq!(ask().await.err(), Some(refused()));
        }
        let why = ask().await.err().map(|error| error.to_string()).unwrap_or_default();
        assert!(why.contains("the last 5 questions were not answered (") && why.contains("refused"), "{why}");
        assert_eq!(dialled(&wire).len(), 5, "the sixth question was not sent");
        session.sleep(Duration::from_secs(61)).await;
        assert_eq!(ask().await.err(), Some(refused()));
        assert!(matches!(ask().await.err(), Some(NetError::Unreachable(_))));
        assert_eq!(dialled(&wire).len(), 6, "one question tried it again");
        session.sleep(Duration::from_secs(61)).await;
        wire.script(PLACE, ANSWER);
        for _ in 0..3 {
            assert_eq!(ask().await.unwrap().last().status, 200);
        }
    });
}

#[test]
fn an_answer_between_failures_counts_and_so_does_a_bad_one() {
    run(|wire| async move {
        wire.peer(PLACE, Peer::Refuses);
        let session = session(&wire);
        for _ in 0..3 {
            for _ in 0..4 {
                assert_eq!(session.source("plain", URL).await.err(), Some(refused()));
            }
            wire.script(PLACE, "read-head\nsend \"HTTP/1.1 503 No\\r\\nContent-Length: 0\\r\\n\\r\\n\"");
            assert_eq!(session.source("plain", URL).await.unwrap().last().status, 503);
            wire.peer(PLACE, Peer::Refuses);
        }
    });
}

#[test]
fn lines_are_counted_for_the_host_that_they_are_asked_at() {
    run(|wire| async move {
        let session = session(&wire);
        for _ in 0..5 {
            assert!(session.source_line("rdap", "192.0.2.43", 43, "acme.test").await.is_err());
        }
        let asked = dialled(&wire).len();
        assert!(session.source_line("rdap", "192.0.2.43", 43, "acme.test").await.is_err());
        assert_eq!(dialled(&wire).len(), asked);
        assert!(session.source_line("rdap", "192.0.2.44", 43, "acme.test").await.is_err());
        assert_eq!(dialled(&wire).len(), asked + 1, "another host is another matter");
    });
}
