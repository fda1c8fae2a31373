//! When runs start, rest and end: by a schedule, by a person, and with their collection.

use crate::lab::{Lab, both, new_collection, new_work, next_run, outcome};
use ambit_model::collection::Schedule;
use ambit_model::feed::Noun;
use ambit_model::moment::DAY_MS;
use ambit_model::observation::ProbeResult;
use ambit_model::run::RunState;
use ambit_model::{Kind, Timestamp};
use ambit_store::{CollectionSettings, StoreError};
use uuid::Uuid;

#[tokio::test]
async fn pause_resume_and_cancel_are_rows() {
    both(async |lab| {
        let run = lab.run().await;
        let uid = lab.uid(Kind::Domain, "acme.test");
        let mut reconciliation = lab.reconciliation(run.id);
        reconciliation.work.push(new_work("a", uid, 0));
        lab.engine.reconcile(reconciliation).await.unwrap();
        let paused = lab.store.pause_run(&lab.caller(), run.id).await.unwrap();
        assert_eq!(paused.state, RunState::Paused);
        assert_eq!(lab.engine.lease(run.id, 10, Timestamp(0)).await.unwrap(), []);
        lab.engine.release(run.id).await.unwrap();
        assert_eq!(next_run(&lab.engine, lab.now()).await.unwrap(), None);
        lab.store.resume_run(&lab.caller(), run.id).await.unwrap();
        assert_eq!(next_run(&lab.engine, lab.now()).await.unwrap().map(|run| run.id), Some(run.id));
        let work = lab.engine.lease(run.id, 10, Timestamp(0)).await.unwrap().remove(0);
        let cancelled = lab.store.cancel_run(&lab.caller(), run.id).await.unwrap();
        assert_eq!((cancelled.state, cancelled.counters.work_open), (RunState::Cancelled, 0));
        let committed = lab
            .engine
            .commit(lab.commit(run.id, vec![outcome(work, ProbeResult::Absent, Timestamp(1))]))
            .await
            .unwrap();
        assert_eq!(committed.refused, 1);
        lab.finish(&run).await;
        assert_eq!(lab.engine.run(run.id).await.unwrap().state, RunState::Cancelled, "a person's word stays");
        let error = lab.store.resume_run(&lab.caller(), run.id).await.unwrap_err();
        assert_eq!(error, StoreError::Conflict("the run is cancelled".to_owned()));
        let revision = lab.store.person_revision(lab.project).await.unwrap();
        let last = lab.store.feed_since(revision - 1, 1).await.unwrap().remove(0);
        assert_eq!(last.noun, Noun::Run);
    })
    .await;
}

/// Gives the lab's collection a schedule; answers with the moment of the change.
async fn reschedule(lab: &Lab, schedule: Schedule) -> Timestamp {
    let settings = CollectionSettings { schedule: Some(schedule), ..CollectionSettings::default() };
    let now = lab.now();
    lab.store.change_settings(&lab.me.at(now), lab.collection, &settings).await.unwrap();
    now
}

#[tokio::test]
async fn schedules_start_runs_when_they_are_due_and_never_at_once() {
    both(async |lab| {
        let due = async |now: Timestamp| lab.store.schedule_due(now).await.unwrap().len();
        assert_eq!(due(Timestamp(i64::MAX - 1)).await, 0, "on demand");
        let since = reschedule(&lab, Schedule::Daily).await;
        assert_eq!(due(since.plus_ms(DAY_MS - 1)).await, 0);
        reschedule(&lab, Schedule::Daily).await;
        assert_eq!(due(since.plus_ms(DAY_MS)).await, 1, "the same schedule again puts nothing off");
        let run = next_run(&lab.engine, lab.now()).await.unwrap().unwrap();
        assert!(!run.by_person && run.created_by_email.is_none());
        assert_eq!(due(since.plus_ms(3 * DAY_MS)).await, 0, "one is open");
        lab.finish(&run).await;
        assert_eq!(due(run.created_at.plus_ms(DAY_MS - 1)).await, 0);
        assert_eq!(due(run.created_at.plus_ms(DAY_MS + 9_000)).await, 1);
        let late = next_run(&lab.engine, lab.now()).await.unwrap().unwrap();
        lab.finish(&late).await;
        assert_eq!(due(run.created_at.plus_ms(2 * DAY_MS - 1)).await, 0);
        assert_eq!(due(run.created_at.plus_ms(2 * DAY_MS)).await, 1, "one that began late puts none off");
    })
    .await;
}

#[tokio::test]
async fn a_clock_that_was_ahead_does_not_stop_schedules() {
    both(async |lab| {
        let due_at = async || lab.store.find_collection(&lab.me, lab.collection).await.unwrap().collection.due_at;
        for (schedule, period) in [(Schedule::Daily, 1), (Schedule::Weekly, 7)] {
            let since = reschedule(&lab, schedule).await;
            // A year ahead a run begins and ends; then the clock is right again.
            let ahead = since.plus_ms(365 * DAY_MS);
            let started = lab.store.schedule_due(ahead).await.unwrap();
            lab.store.cancel_run(&lab.me.at(ahead), started[0]).await.unwrap();
            assert!(due_at().await.unwrap() > ahead);
            lab.store.bring_forward(since.plus_ms(1_000)).await.unwrap();
            assert!(lab.store.schedule_due(since.plus_ms(1_000)).await.unwrap().is_empty(), "nothing at once");
            let due = due_at().await.unwrap();
            assert!(due <= since.plus_ms(1_000 + period * DAY_MS), "{schedule:?} {due}");
            let again = lab.store.schedule_due(due).await.unwrap();
            assert_eq!(again.len(), 1, "{schedule:?}");
            lab.store.cancel_run(&lab.me.at(due), again[0]).await.unwrap();
        }
    })
    .await;
}

#[tokio::test]
async fn a_run_that_waits_is_cancelled_when_its_collection_is_archived_and_one_under_way_goes_on() {
    both(async |lab| {
        let seeds = [(Kind::Domain, "acme.test")];
        let made = async || {
            let new = new_collection(&seeds);
            lab.store.create_collection(&lab.caller(), lab.project, &new).await.unwrap().collection
        };
        let started =
            async |collection: Uuid| lab.store.start_run(&lab.caller(), collection, false).await.unwrap().run().clone();
        let (under_way, waiting) = (made().await, made().await);
        let (first, second) = (started(under_way.uuid).await, started(waiting.uuid).await);
        lab.engine.claim(first.id, lab.now()).await.unwrap().unwrap();
        for collection in [&under_way, &waiting] {
            lab.store.archive_collection(&lab.caller(), collection.uuid).await.unwrap();
        }
        let state = async |id| lab.store.find_run(&lab.me, id).await.unwrap().state;
        assert_eq!(state(first.id).await, RunState::Running);
        assert_eq!(state(second.id).await, RunState::Cancelled);
        assert!(lab.engine.claim(second.id, lab.now()).await.unwrap().is_none());
    })
    .await;
}

#[tokio::test]
async fn nothing_starts_because_a_collection_is_made_gets_a_seed_or_leaves_the_archive() {
    both(async |lab| {
        let due = async |now: Timestamp| lab.store.schedule_due(now).await.unwrap().len();
        let mut new = new_collection(&[]);
        new.schedule = Schedule::Daily;
        let made = lab.store.create_collection(&lab.caller(), lab.project, &new).await.unwrap().collection;
        assert_eq!(made.due_at, Some(made.created_at.plus_ms(DAY_MS)));
        // Its first seed comes after it was due for the first time.
        let later = made.created_at.plus_ms(5 * DAY_MS);
        assert_eq!(due(later).await, 0, "there is nothing to look at");
        let seeds = |name: &str| [(Kind::Domain, name.to_owned())];
        lab.store.add_seeds(&lab.me.at(later), made.uuid, &seeds("acme.test")).await.unwrap();
        assert_eq!(due(later.plus_ms(DAY_MS - 1)).await, 0);
        lab.store.add_seeds(&lab.me.at(later.plus_ms(DAY_MS - 1)), made.uuid, &seeds("acme.example")).await.unwrap();
        lab.store.archive_collection(&lab.me.at(later), made.uuid).await.unwrap();
        assert_eq!(due(later.plus_ms(DAY_MS)).await, 0, "archived");
        let back = later.plus_ms(9 * DAY_MS);
        lab.store.unarchive_collection(&lab.me.at(back), made.uuid).await.unwrap();
        assert_eq!(due(back.plus_ms(DAY_MS - 1)).await, 0);
        assert_eq!(due(back.plus_ms(DAY_MS)).await, 1);
    })
    .await;
}
