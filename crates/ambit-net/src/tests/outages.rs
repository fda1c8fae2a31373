//! A data provider that is down is not asked by every row that has a question for it.

use super::wire::{Peer, TestWire, dialled, net, run, session};
use crate::{Grants, NetError, PaceLimits, Session};
use ambit_model::Clearance;
use futures::future::join_all;
use std::sync::Arc;
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
        assert!(matches!(ask().await.err(), Some(NetError::LeftAlone(_))));
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

/// A session that asks registries, at the usual pace.
fn of_registries(wire: &Arc<TestWire>) -> Session {
    net(wire, PaceLimits::default()).session(Grants::task(Clearance::L1, &["registries"]))
}

async fn status(session: &Session, url: &str) -> Result<u16, NetError> {
    session.source("registries", url).await.map(|fetch| fetch.last().status)
}

fn is_left_alone(answer: &Result<u16, NetError>) -> bool {
    matches!(answer, Err(NetError::LeftAlone(_)))
}

#[test]
fn questions_that_wait_for_their_turn_end_where_their_host_falls_silent() {
    run(|wire| async move {
        wire.script("192.0.2.81:80", ANSWER);
        let session = &of_registries(&wire);
        // A neighbour is asked all the while.
        let other = async {
            session.sleep(Duration::from_secs(6)).await;
            status(session, "http://192.0.2.81/").await
        };
        let answers = async { join_all((0..300).map(|_| status(session, URL))).await };
        let (answers, other) = futures::join!(answers, other);
        assert!(answers.iter().all(Result::is_err));
        let left_alone = answers.iter().filter(|answer| is_left_alone(answer)).count();
        let asked = dialled(&wire).iter().filter(|place| *place == PLACE).count();
        assert_eq!(left_alone + asked, 300);
        assert!(asked < 20, "{asked} were asked before the fifth was given up");
        assert_eq!(other, Ok(200), "another registry is another matter");
        let took = wire.clock.now();
        assert!(took < Duration::from_secs(15), "{took:?}");
        // After its rest it is asked again, and by all when it answers.
        session.sleep(Duration::from_secs(61)).await;
        wire.script(PLACE, ANSWER);
        for _ in 0..3 {
            assert_eq!(status(session, URL).await, Ok(200));
        }
    });
}

#[test]
fn a_registry_that_says_again_and_again_that_it_cannot_answer_is_left_alone() {
    for (status_line, head) in [("429 Too Many Requests", "Retry-After: 3\\r\\n"), ("503 No", ""), ("500 Oops", "")] {
        run(move |wire| async move {
            let refusal =
                format!("read-head\nsend \"HTTP/1.1 {status_line}\\r\\n{head}Content-Length: 0\\r\\n\\r\\n\"\n");
            wire.script(PLACE, &refusal);
            let session = &of_registries(&wire);
            let answers = join_all((0..300).map(|_| status(session, URL))).await;
            let asked = dialled(&wire).len();
            let left_alone = answers.iter().filter(|answer| is_left_alone(answer)).count();
            assert_eq!(left_alone + asked, 300, "{status_line}");
            assert!((5..20).contains(&asked), "{status_line}: {asked}");
            let took = wire.clock.now();
            assert!(took < Duration::from_secs(90), "{status_line}: {took:?}");
            session.sleep(Duration::from_secs(61)).await;
            assert!(status(session, URL).await.is_ok());
            assert!(is_left_alone(&status(session, URL).await), "{status_line}: one question tried it again");
        });
    }
}

#[test]
fn one_answer_between_refusals_and_refusals_at_one_moment_leave_no_registry_alone() {
    run(|wire| async move {
        let refusal = "read-head\nsend \"HTTP/1.1 503 No\\r\\nContent-Length: 0\\r\\n\\r\\n\"\n";
        let session = &of_registries(&wire);
        for _ in 0..3 {
            wire.script(PLACE, refusal);
            for _ in 0..4 {
                session.sleep(Duration::from_secs(2)).await;
                assert_eq!(status(session, URL).await, Ok(503));
            }
            wire.script(PLACE, ANSWER);
            assert_eq!(status(session, URL).await, Ok(200));
        }
        wire.script(PLACE, refusal);
        let fast = PaceLimits { requests_per_provider: 1e6, ..PaceLimits::default() };
        let session = &net(&wire, fast).session(Grants::task(Clearance::L1, &["registries"]));
        for answer in join_all((0..20).map(|_| status(session, URL))).await {
            assert_eq!(answer, Ok(503), "all of one moment are one refusal");
        }
    });
}

#[test]
fn a_redirector_has_answered_whatever_becomes_of_where_it_leads() {
    run(|wire| async move {
        let lead = "read-head\nsend \"HTTP/1.1 302 Found\\r\\nLocation: http://192.0.2.82/\\r\\nContent-Length: \
                    0\\r\\n\\r\\n\"\n";
        wire.script(PLACE, lead);
        wire.script("192.0.2.82:80", "read-head\nsend \"HTTP/1.1 503 No\\r\\nContent-Length: 0\\r\\n\\r\\n\"\n");
        let session = &of_registries(&wire);
        for _ in 0..8 {
            session.sleep(Duration::from_secs(2)).await;
            assert_eq!(status(session, URL).await, Ok(503));
        }
    });
}

#[test]
fn a_provider_that_is_down_is_left_alone_however_many_others_answered_before() {
    run(|wire| async move {
        let session = session(&wire);
        for port in 1_001..=2_000 {
            wire.script(&format!("192.0.2.81:{port}"), ANSWER);
            let answer = session.source("plain", &format!("http://192.0.2.81:{port}/")).await;
            assert_eq!(answer.unwrap().last().status, 200);
        }
        wire.peer(PLACE, Peer::Refuses);
        for _ in 0..5 {
            assert_eq!(session.source("plain", URL).await.err(), Some(refused()));
        }
        assert!(matches!(session.source("plain", URL).await.err(), Some(NetError::LeftAlone(_))));
    });
}
