//! Runs and work: claims, leases, fences, sweeps, pause and cancel.

use crate::lab::{both, found, new_work, outcome};
use ambit_model::feed::Noun;
use ambit_model::observation::Look;
use ambit_model::run::RunState;
use ambit_model::{Clearance, Kind, Timestamp};
use ambit_store::engine::{NewSweep, NewWork};
use ambit_store::{Started, StoreError};
use serde_json::json;
use std::collections::BTreeSet;
use std::time::Duration;

#[tokio::test]
async fn at_most_one_run_of_a_collection_is_open() {
    both(async |lab| {
        let first = lab.store.start_run(&lab.me, lab.collection, None, lab.now()).await.unwrap();
        assert!(matches!(first, Started::Scheduled(_)));
        let again = lab.store.start_run(&lab.me, lab.collection, None, lab.now()).await.unwrap();
        assert_eq!(again, Started::Open(first.run().clone()));
        let claimed = lab.engine.claim_run(&BTreeSet::new(), lab.now()).await.unwrap().unwrap();
        assert_eq!((claimed.id, claimed.state, claimed.number), (first.run().id, RunState::Running, 1));
        assert_eq!(
            lab.engine.claim_run(&BTreeSet::from([claimed.id]), lab.now()).await.unwrap(),
            None,
            "this engine works at it already"
        );
        assert_eq!(
            lab.store.find_collection(&lab.me, lab.collection).await.unwrap().collection.last_refresh,
            None
        );
        lab.finish(&claimed).await;
        let collection = lab.store.find_collection(&lab.me, lab.collection).await.unwrap().collection;
        assert_eq!(collection.last_refresh, claimed.started_at);
        assert_eq!(
            (collection.entity_count, collection.new_entity_count, collection.refreshing),
            (1, 1, false)
        );
        let second = lab.store.start_run(&lab.me, lab.collection, None, lab.now()).await.unwrap();
        assert_eq!(second.run().number, 2);
        let runs = lab.store.list_runs(&lab.me, lab.collection).await.unwrap();
        assert_eq!(
            runs.iter().map(|run| (run.number, run.state.name())).collect::<Vec<_>>(),
            [(2, "scheduled"), (1, "finished")]
        );
        assert_eq!((runs[1].counters.entities, runs[1].counters.new_entities), (1, 1));
    })
    .await;
}

#[tokio::test]
async fn two_starts_at_once_make_one_run() {
    both(async |lab| {
        let now = lab.now();
        let starts = (0..8).map(|_| lab.store.start_run(&lab.me, lab.collection, None, now));
        let started = futures::future::join_all(starts).await;
        let fresh = started.iter().filter(|outcome| matches!(outcome, Ok(Started::Scheduled(_)))).count();
        assert_eq!(fresh, 1, "{started:?}");
        assert_eq!(lab.store.list_runs(&lab.me, lab.collection).await.unwrap().len(), 1);
    })
    .await;
}

#[tokio::test]
async fn planning_twice_is_harmless_and_done_work_stays_done() {
    both(async |lab| {
        let run = lab.run().await;
        let uid = lab.uid(Kind::Domain, "acme.test");
        for _ in 0..2 {
            let mut settlement = lab.settlement(run.id);
            settlement.work = vec![new_work("a", uid, 0), new_work("a", uid, 0), new_work("b", uid, 0)];
            lab.engine.settle(settlement).await.unwrap();
        }
        assert_eq!(lab.engine.pending(run.id, Timestamp(0)).await.unwrap().open, 2);
        lab.look(&run, "a", uid, 0, Look::Absent).await;
        let mut settlement = lab.settlement(run.id);
        settlement.work = vec![new_work("a", uid, 0)];
        lab.engine.settle(settlement).await.unwrap();
        let left = lab.engine.lease(run.id, 10, Timestamp(0)).await.unwrap();
        assert_eq!(left.iter().map(|work| work.task.as_str()).collect::<Vec<_>>(), ["b"]);
    })
    .await;
}

#[tokio::test]
async fn loud_work_waits_for_quiet_work() {
    both(async |lab| {
        let run = lab.run().await;
        let uid = lab.uid(Kind::Domain, "acme.test");
        let work = |task, footprint, priority, not_before| NewWork {
            footprint,
            priority,
            not_before: Timestamp(not_before),
            ..new_work(task, uid, 0)
        };
        let mut settlement = lab.settlement(run.id);
        settlement.work = vec![
            work("exploit", Clearance::L4, 9, 0),
            work("sweep", Clearance::L3, 9, 0),
            work("page", Clearance::L2, 0, 0),
            work("low", Clearance::L1, 1, 0),
            work("high", Clearance::L1, 5, 0),
            work("later", Clearance::L1, 5, 100),
        ];
        lab.engine.settle(settlement).await.unwrap();
        let tasks = |work: &[ambit_store::engine::Work]| work.iter().map(|work| work.task.clone()).collect::<Vec<_>>();
        let mut held = lab.engine.lease(run.id, 2, Timestamp(0)).await.unwrap();
        assert_eq!(tasks(&held), ["high", "low"]);
        for (class, next) in [("passive", "page"), ("polite", "sweep")] {
            let none = lab.engine.lease(run.id, 9, Timestamp(0)).await.unwrap();
            assert_eq!(none, [], "{class} rows are leased still, {next} waits");
            let done = std::mem::take(&mut held)
                .into_iter()
                .map(|work| outcome(work, Look::Absent, Timestamp(1)))
                .collect();
            lab.engine.commit(lab.commit(run.id, done)).await.unwrap();
            held = lab.engine.lease(run.id, 9, Timestamp(0)).await.unwrap();
            assert_eq!(tasks(&held), [next], "what may only start later holds nobody up");
        }
        let done = held.into_iter().map(|work| outcome(work, Look::Absent, Timestamp(1))).collect();
        lab.engine.commit(lab.commit(run.id, done)).await.unwrap();
        assert_eq!(tasks(&lab.engine.lease(run.id, 9, Timestamp(100)).await.unwrap()), ["later"]);
    })
    .await;
}

#[tokio::test]
async fn until_all_is_settled_nothing_louder_is_leased_than_what_runs() {
    both(async |lab| {
        let run = lab.run().await;
        let uid = lab.uid(Kind::Domain, "acme.test");
        let work = |task, footprint| NewWork {
            footprint,
            ..new_work(task, uid, 0)
        };
        let mut settlement = lab.settlement(run.id);
        settlement.work = vec![
            work("quiet", Clearance::L1),
            work("page", Clearance::L2),
            work("picture", Clearance::L2),
            work("sweep", Clearance::L3),
        ];
        lab.engine.settle(settlement).await.unwrap();
        let meanwhile = async || {
            let work = lab.engine.lease_meanwhile(run.id, 1, Timestamp(0)).await.unwrap();
            work.into_iter().map(|work| work.task).collect::<Vec<_>>()
        };
        let done = async |work: Vec<ambit_store::engine::Work>| {
            let done = work.into_iter().map(|work| outcome(work, Look::Absent, Timestamp(1)));
            lab.engine.commit(lab.commit(run.id, done.collect())).await.unwrap();
        };
        let quiet = lab.engine.lease(run.id, 1, Timestamp(0)).await.unwrap();
        assert_eq!(meanwhile().await, [""; 0], "pages are louder");
        done(quiet).await;
        assert_eq!(meanwhile().await, [""; 0], "nothing runs");
        let page = lab.engine.lease(run.id, 1, Timestamp(0)).await.unwrap();
        assert_eq!(page[0].task, "page");
        assert_eq!(meanwhile().await, ["picture"], "as loud as what runs");
        done(page).await;
        assert_eq!(meanwhile().await, [""; 0], "the sweep is louder");
    })
    .await;
}

#[tokio::test]
async fn an_old_fence_is_refused_and_attempts_are_counted() {
    both(async |lab| {
        let run = lab.run().await;
        let uid = lab.uid(Kind::Domain, "acme.test");
        let old = lab.lease_one(&run, "a", uid, 0).await;
        assert_eq!(old.attempts, 0);
        // The process dies; another one takes the run over.
        let engine = lab.engine.clone();
        engine.release(run.id).await.unwrap();
        assert_eq!(
            lab.engine.claim_run(&BTreeSet::new(), lab.now()).await.unwrap().map(|run| run.id),
            Some(run.id)
        );
        let new = lab.engine.lease(run.id, 10, Timestamp(0)).await.unwrap().remove(0);
        assert_eq!((new.id, new.fence), (old.id, old.fence + 1));
        let late = outcome(old, found(json!({"title": "late"}), &[]), lab.now());
        let committed = lab.engine.commit(lab.commit(run.id, vec![late])).await.unwrap();
        assert_eq!(committed.refused, 1);
        assert_eq!(lab.entity(uid).await.record.task_results, []);
        let twice = outcome(new.clone(), found(json!({}), &[]), lab.now());
        let committed = lab.engine.commit(lab.commit(run.id, vec![twice.clone(), twice])).await.unwrap();
        assert_eq!(committed.refused, 1, "a lease is completed once");
        assert_eq!(lab.engine.run(run.id).await.unwrap().counters.work_done, 1);
    })
    .await;
}

#[tokio::test]
async fn adopting_a_run_of_a_dead_process_counts_its_attempts() {
    both(async |lab| {
        let run = lab.run().await;
        let uid = lab.uid(Kind::Domain, "acme.test");
        let (store, collection, id) = (lab.store.clone(), lab.collection, run.id);
        let mut settlement = lab.settlement(id);
        settlement.work.push(new_work("a", uid, 0));
        lab.engine.settle(settlement).await.unwrap();
        assert_eq!(lab.engine.lease(id, 10, Timestamp(0)).await.unwrap()[0].attempts, 0);
        let now = lab.now();
        drop(lab.engine);
        let other = store.engine("other", Duration::ZERO).await.unwrap();
        // On PostgreSQL the dead engine's heartbeat must lapse; the engine's own clock set it.
        let later = Timestamp(now.0.max(4_000_000_000_000) + 30_000);
        let adopted = other.claim_run(&BTreeSet::new(), later).await.unwrap().unwrap();
        assert_eq!(
            (adopted.id, adopted.collection, adopted.engine.as_deref()),
            (id, collection, Some("other"))
        );
        let again = other.lease(id, 10, Timestamp(0)).await.unwrap();
        assert_eq!(again.iter().map(|work| work.attempts).collect::<Vec<_>>(), [1]);
    })
    .await;
}

#[tokio::test]
async fn a_sweep_becomes_rows_as_they_are_asked_for() {
    both(async |lab| {
        let run = lab.run().await;
        let uid = lab.uid(Kind::Domain, "acme.test");
        let mut settlement = lab.settlement(run.id);
        settlement.sweeps.push(NewSweep {
            task: "names",
            uid,
            prefix: "w:".to_owned(),
            size: 1_050,
            step: 100,
            footprint: Clearance::L1,
            priority: 0,
            partition: 3,
        });
        lab.engine.settle(settlement).await.unwrap();
        let mut arguments = Vec::new();
        loop {
            let pending = lab.engine.pending(run.id, Timestamp(0)).await.unwrap();
            let work = lab.engine.lease(run.id, 4, Timestamp(0)).await.unwrap();
            if work.is_empty() {
                assert_eq!((pending.open, pending.leased), (0, 0));
                break;
            }
            assert_eq!(pending.open, 1, "the sweep itself");
            arguments.extend(work.iter().map(|work| work.argument.clone()));
            let done = work.into_iter().map(|work| outcome(work, Look::Absent, Timestamp(1))).collect();
            lab.engine.commit(lab.commit(run.id, done)).await.unwrap();
        }
        assert_eq!(arguments.len(), 11);
        assert!(
            arguments.contains(&"w:1000-1050".to_owned()) && arguments.contains(&"w:0-100".to_owned()),
            "{arguments:?}"
        );
        let mut sorted = arguments.clone();
        sorted.sort();
        assert_ne!(arguments, sorted);
    })
    .await;
}

#[tokio::test]
async fn a_sweep_goes_before_rows_that_promise_less_and_after_those_that_promise_more() {
    both(async |lab| {
        let run = lab.run().await;
        let uid = lab.uid(Kind::Domain, "acme.test");
        let mut settlement = lab.settlement(run.id);
        let row = |task, priority| NewWork {
            priority,
            ..new_work(task, uid, 0)
        };
        settlement.work = vec![row("better", 9), row("worse", 1), row("worst", 0)];
        settlement.sweeps.push(NewSweep {
            task: "names",
            uid,
            prefix: String::new(),
            size: 2,
            step: 1,
            footprint: Clearance::L1,
            priority: 5,
            partition: 3,
        });
        lab.engine.settle(settlement).await.unwrap();
        let mut order = Vec::new();
        for _ in 0..5 {
            let work = lab.engine.lease(run.id, 1, Timestamp(0)).await.unwrap();
            order.extend(work.iter().map(|work| work.task.clone()));
        }
        assert_eq!(order, ["better", "names", "names", "worse", "worst"]);
    })
    .await;
}

#[tokio::test]
async fn pause_resume_and_cancel_are_rows() {
    both(async |lab| {
        let run = lab.run().await;
        let uid = lab.uid(Kind::Domain, "acme.test");
        let mut settlement = lab.settlement(run.id);
        settlement.work.push(new_work("a", uid, 0));
        lab.engine.settle(settlement).await.unwrap();
        let paused = lab.store.pause_run(&lab.me, run.id, lab.now()).await.unwrap();
        assert_eq!(paused.state, RunState::Paused);
        assert_eq!(lab.engine.lease(run.id, 10, Timestamp(0)).await.unwrap(), []);
        lab.engine.release(run.id).await.unwrap();
        assert_eq!(lab.engine.claim_run(&BTreeSet::new(), lab.now()).await.unwrap(), None);
        lab.store.resume_run(&lab.me, run.id, lab.now()).await.unwrap();
        assert_eq!(
            lab.engine.claim_run(&BTreeSet::new(), lab.now()).await.unwrap().map(|run| run.id),
            Some(run.id)
        );
        let work = lab.engine.lease(run.id, 10, Timestamp(0)).await.unwrap().remove(0);
        let cancelled = lab.store.cancel_run(&lab.me, run.id, lab.now()).await.unwrap();
        assert_eq!((cancelled.state, cancelled.counters.work_open), (RunState::Cancelled, 0));
        let committed = lab
            .engine
            .commit(lab.commit(run.id, vec![outcome(work, Look::Absent, Timestamp(1))]))
            .await
            .unwrap();
        assert_eq!(committed.refused, 1);
        lab.finish(&run).await;
        assert_eq!(lab.engine.run(run.id).await.unwrap().state, RunState::Cancelled, "a person's word stays");
        let error = lab.store.resume_run(&lab.me, run.id, lab.now()).await.unwrap_err();
        assert_eq!(error, StoreError::Conflict("the run is cancelled".to_owned()));
        let revision = lab.store.person_revision(lab.project).await.unwrap();
        let last = lab.store.feed_since(revision - 1, 1).await.unwrap().remove(0);
        assert_eq!(last.noun, Noun::Run);
    })
    .await;
}

#[tokio::test]
async fn schedules_start_runs_when_they_are_due() {
    both(async |lab| {
        use ambit_model::collection::Schedule;
        assert_eq!(lab.store.schedule_due(lab.now()).await.unwrap(), Vec::<i64>::new());
        lab.store.set_schedule(&lab.me, lab.collection, Schedule::Daily, lab.now()).await.unwrap();
        let started = lab.store.schedule_due(lab.now()).await.unwrap();
        assert_eq!(started.len(), 1);
        let run = lab.engine.claim_run(&BTreeSet::new(), lab.now()).await.unwrap().unwrap();
        assert!(!run.by_person && run.created_by_email.is_none());
        lab.finish(&run).await;
        assert_eq!(
            lab.store.schedule_due(run.created_at.plus_ms(86_399_999)).await.unwrap(),
            Vec::<i64>::new()
        );
        assert_eq!(lab.store.schedule_due(run.created_at.plus_ms(86_400_000)).await.unwrap().len(), 1);
    })
    .await;
}
