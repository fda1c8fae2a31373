//! Runs and work: claims, leases, fences, sweeps, pause and cancel.

use crate::lab::{both, found, louder, new_work, next_run, outcome, unknown};
use ambit_model::id::RunId;
use ambit_model::observation::{ProbeResult, SECOND_PROBE_AFTER_MS};
use ambit_model::run::{RunState, Stage};
use ambit_model::scope::Decision;
use ambit_model::{Clearance, EdgeKind, Kind, Timestamp, Wave};
use ambit_store::Started;
use ambit_store::engine::{NewSweep, NewWork, Places, Room, Unreconciled, Work};
use serde_json::json;
use std::collections::BTreeSet;
use std::time::Duration;

#[tokio::test]
async fn at_most_one_run_of_a_collection_is_open() {
    both(async |lab| {
        let first = lab.store.start_run(&lab.caller(), lab.collection, false).await.unwrap();
        assert!(matches!(first, Started::Scheduled(_)));
        let again = lab.store.start_run(&lab.caller(), lab.collection, false).await.unwrap();
        assert_eq!(again, Started::Open(first.run().clone()));
        let claimed = next_run(&lab.engine, lab.now()).await.unwrap().unwrap();
        assert_eq!((claimed.id, claimed.state, claimed.number), (first.run().id, RunState::Running, 1));
        assert_eq!(
            lab.engine.claim_next(&BTreeSet::from([claimed.id]), Room::Any, lab.now()).await.unwrap(),
            None,
            "this engine works at it already"
        );
        assert_eq!(lab.store.find_collection(&lab.me, lab.collection).await.unwrap().collection.last_refresh, None);
        lab.finish(&claimed).await;
        let collection = lab.store.find_collection(&lab.me, lab.collection).await.unwrap().collection;
        assert_eq!(collection.last_refresh, claimed.started_at);
        assert_eq!((collection.entity_count, collection.new_entity_count, collection.refreshing), (1, 1, false));
        let second = lab.store.start_run(&lab.caller(), lab.collection, false).await.unwrap();
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
async fn a_run_that_searches_everything_stays_so_and_no_other_becomes_so() {
    both(async |lab| {
        let start = async |full| lab.store.start_run(&lab.caller(), lab.collection, full).await;
        let full = start(true).await.unwrap();
        assert!(full.run().full);
        assert_eq!(start(true).await.unwrap(), Started::Open(full.run().clone()));
        assert_eq!(start(false).await.unwrap(), Started::Open(full.run().clone()));
        let claimed = next_run(&lab.engine, lab.now()).await.unwrap().unwrap();
        assert!(claimed.full, "its engine hears of it");
        lab.finish(&claimed).await;
        let other = start(false).await.unwrap();
        assert!(!other.run().full, "the next one is not");
        let refused = start(true).await.unwrap_err().to_string();
        assert!(refused.contains(&format!("run {}", other.run().id)) && refused.contains("cancel it"), "{refused}");
        assert_eq!(start(false).await.unwrap(), Started::Open(other.run().clone()));
    })
    .await;
}

#[tokio::test]
async fn two_starts_at_once_make_one_run() {
    both(async |lab| {
        let caller = lab.caller();
        let starts = (0..8).map(|_| lab.store.start_run(&caller, lab.collection, false));
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
            let mut reconciliation = lab.reconciliation(run.id);
            reconciliation.work = vec![new_work("a", uid, 0), new_work("a", uid, 0), new_work("b", uid, 0)];
            lab.engine.reconcile(reconciliation).await.unwrap();
        }
        assert_eq!(lab.engine.pending(run.id, Timestamp(0)).await.unwrap().open, 2);
        lab.probe(&run, "a", uid, 0, ProbeResult::Absent).await;
        let mut reconciliation = lab.reconciliation(run.id);
        reconciliation.work = vec![new_work("a", uid, 0)];
        lab.engine.reconcile(reconciliation).await.unwrap();
        let left = lab.engine.lease(run.id, 10, Timestamp(0)).await.unwrap();
        assert_eq!(left.iter().map(|work| work.task.as_str()).collect::<Vec<_>>(), ["b"]);
    })
    .await;
}

fn decision(clearance: Clearance) -> Decision {
    Decision { ownership: 500, clearance, reason: "resolves_to".into(), path: Vec::new(), evidence: Vec::new() }
}

#[tokio::test]
async fn what_was_planned_at_a_higher_clearance_is_not_leased_once_the_clearance_falls() {
    both(async |lab| {
        let run = lab.run().await;
        let uid = lab.uid(Kind::Domain, "acme.test");
        let decided = async |clearance, work| {
            let mut reconciliation = lab.reconciliation(run.id);
            reconciliation.decisions = vec![(uid, decision(clearance), true)];
            reconciliation.work = work;
            lab.engine.reconcile(reconciliation).await.unwrap();
        };
        let work = |task, footprint| louder(task, uid, footprint);
        let planned = vec![work("names", Clearance::L1), work("page", Clearance::L2), work("sweep", Clearance::L3)];
        decided(Clearance::L3, planned).await;
        assert_eq!(lab.engine.pending(run.id, Timestamp(0)).await.unwrap().open, 3);
        decided(Clearance::L1, Vec::new()).await;
        assert_eq!(lab.engine.pending(run.id, Timestamp(0)).await.unwrap().open, 1);
        assert_eq!(lab.store.list_not_done(&lab.me, run.id).await.unwrap(), [], "nobody asks for it any more");
    })
    .await;
}

#[tokio::test]
async fn a_row_that_is_taken_out_of_the_plan_is_neither_done_nor_counted() {
    both(async |lab| {
        let run = lab.run().await;
        let uid = lab.uid(Kind::Domain, "acme.test");
        let old = lab.lease_one(&run, "a", uid, 0).await;
        let stale = Work { fence: old.fence - 1, ..old.clone() };
        lab.engine.unplan(run.id, vec![stale]).await.unwrap();
        assert_eq!(lab.engine.pending(run.id, Timestamp(0)).await.unwrap().leased, 1, "an old fence");
        lab.engine.unplan(run.id, vec![old]).await.unwrap();
        let pending = lab.engine.pending(run.id, Timestamp(0)).await.unwrap();
        assert_eq!((pending.open, pending.leased), (0, 0));
        assert_eq!(lab.store.list_not_done(&lab.me, run.id).await.unwrap(), []);
        let again = lab.lease_one(&run, "a", uid, 0).await;
        assert_eq!(again.attempts, 0, "planned again, it is a row like any other");
    })
    .await;
}

#[tokio::test]
async fn a_run_says_what_each_level_did_and_what_is_open() {
    both(async |lab| {
        let run = lab.run().await;
        let uid = lab.uid(Kind::Domain, "acme.test");
        let found_it = || found(json!({}), &[]);
        lab.probe(&run, "a", uid, 0, found_it()).await;
        lab.probe(&run, "z", uid, 0, unknown("timed out")).await;
        let mut loud = lab.reconciliation(run.id);
        loud.work.push(louder("b", uid, Clearance::L2));
        loud.work.push(louder("c", uid, Clearance::L3));
        lab.engine.reconcile(loud).await.unwrap();
        let work = lab.engine.lease(run.id, 10, lab.now()).await.unwrap();
        let at = lab.now();
        let outcomes = work.into_iter().map(|work| outcome(work, found_it(), at)).collect();
        lab.engine.commit(lab.commit(run.id, outcomes)).await.unwrap();
        let report = lab.store.find_run_report(&lab.me, run.id).await.unwrap();
        let stages: Vec<String> = report.stages.iter().map(said).collect();
        assert_eq!(stages, ["passive, 0 open: a 1 + 0 z 0 + 1", "polite, 0 open: b 1 + 0", "normal, 1 open:"]);
        lab.finish(&run).await;
        let newest = lab.store.list_newest_runs(&lab.me, lab.project).await.unwrap();
        assert_eq!(
            newest.iter().map(|report| (report.run.id, report.run.state)).collect::<Vec<_>>(),
            [(run.id, RunState::Finished)]
        );
        let stages: Vec<String> = newest[0].stages.iter().map(said).collect();
        assert_eq!(
            stages,
            ["passive, 0 open: a 1 + 0 z 0 + 1", "polite, 0 open: b 1 + 0"],
            "what was not begun is no work"
        );
        assert_eq!(newest[0].not_done.iter().map(|row| (row.task.as_str(), row.count)).collect::<Vec<_>>(), [("z", 1)]);
    })
    .await;
}

fn said(stage: &Stage) -> String {
    let tasks = stage.tasks.iter().map(|task| format!(" {} {} + {}", task.task, task.done, task.unknown));
    format!("{}, {} open:{}", stage.level.level(), stage.open, tasks.collect::<String>())
}

#[tokio::test]
async fn loud_work_waits_for_quiet_work() {
    both(async |lab| {
        let run = lab.run().await;
        let uid = lab.uid(Kind::Domain, "acme.test");
        let work = |task, footprint, priority, not_before| NewWork {
            priority,
            not_before: Timestamp(not_before),
            ..louder(task, uid, footprint)
        };
        let mut reconciliation = lab.reconciliation(run.id);
        reconciliation.work = vec![
            work("exploit", Clearance::L4, 9, 0),
            work("sweep", Clearance::L3, 9, 0),
            work("page", Clearance::L2, 0, 0),
            work("low", Clearance::L1, 1, 0),
            work("high", Clearance::L1, 5, 0),
            work("later", Clearance::L1, 5, 100),
        ];
        lab.engine.reconcile(reconciliation).await.unwrap();
        let mut held = lab.engine.lease(run.id, 2, Timestamp(0)).await.unwrap();
        assert_eq!(tasks(&held), ["high", "low"]);
        for (class, next) in [("passive", "page"), ("polite", "sweep")] {
            let none = lab.engine.lease(run.id, 9, Timestamp(0)).await.unwrap();
            assert_eq!(none, [], "{class} rows are leased still, {next} waits");
            let done = std::mem::take(&mut held)
                .into_iter()
                .map(|work| outcome(work, ProbeResult::Absent, Timestamp(1)))
                .collect();
            lab.engine.commit(lab.commit(run.id, done)).await.unwrap();
            held = lab.engine.lease(run.id, 9, Timestamp(0)).await.unwrap();
            assert_eq!(tasks(&held), [next], "what may only start later holds nobody up");
        }
        let done = held.into_iter().map(|work| outcome(work, ProbeResult::Absent, Timestamp(1))).collect();
        lab.engine.commit(lab.commit(run.id, done)).await.unwrap();
        assert_eq!(tasks(&lab.engine.lease(run.id, 9, Timestamp(100)).await.unwrap()), ["later"]);
    })
    .await;
}

fn tasks(work: &[Work]) -> Vec<&str> {
    work.iter().map(|work| &*work.task).collect()
}

#[tokio::test]
async fn names_are_guessed_before_anything_is_visited() {
    both(async |lab| {
        let run = lab.run().await;
        let uid = lab.uid(Kind::Domain, "acme.test");
        let sweep = |task, wave| NewWork { wave, ..louder(task, uid, Clearance::L3) };
        let mut reconciliation = lab.reconciliation(run.id);
        reconciliation.work = vec![
            louder("page", uid, Clearance::L2),
            sweep("ports", Wave::Sweeps),
            sweep("variations", Wave::Variations),
            sweep("words", Wave::Words),
            louder("resolve", uid, Clearance::L1),
        ];
        lab.engine.reconcile(reconciliation).await.unwrap();
        for next in ["resolve", "words", "variations", "page", "ports"] {
            let held = lab.engine.lease(run.id, 9, Timestamp(0)).await.unwrap();
            assert_eq!(tasks(&held), [next]);
            let done = held.into_iter().map(|work| outcome(work, ProbeResult::Absent, Timestamp(1))).collect();
            lab.engine.commit(lab.commit(run.id, done)).await.unwrap();
        }
        // A guess that is as loud as a sweep is dropped like one.
        let mut again = lab.reconciliation(run.id);
        again.decisions = vec![(uid, decision(Clearance::L3), true)];
        again.work = vec![NewWork { number: 2, ..sweep("words", Wave::Words) }];
        lab.engine.reconcile(again).await.unwrap();
        let mut lowered = lab.reconciliation(run.id);
        lowered.decisions = vec![(uid, decision(Clearance::L2), true)];
        lab.engine.reconcile(lowered).await.unwrap();
        assert_eq!(lab.engine.lease(run.id, 9, Timestamp(0)).await.unwrap(), []);
    })
    .await;
}

#[tokio::test]
async fn what_goes_into_depth_comes_after_sweeps_and_leaves_room_for_what_they_find() {
    both(async |lab| {
        let run = lab.run().await;
        let uid = lab.uid(Kind::Domain, "acme.test");
        let loud = |task, wave, number| NewWork { wave, number, ..louder(task, uid, Clearance::L3) };
        let mut reconciliation = lab.reconciliation(run.id);
        reconciliation.work = (0..2).map(|number| loud("paths", Wave::Probes, 2 * number)).collect();
        reconciliation.work.push(loud("ports", Wave::Sweeps, 0));
        lab.engine.reconcile(reconciliation).await.unwrap();
        let room = |rows, deep| Places { rows, deep, paced: true };
        let lease = async |room: Places| -> Vec<Work> { lab.engine.lease(run.id, room, Timestamp(0)).await.unwrap() };
        assert_eq!(lease(room(0, 0)).await, []);
        let mut ports = lease(room(9, 1)).await;
        assert_eq!(tasks(&ports), ["ports", "paths"], "depth does not wait for the end of sweeps");
        ports.truncate(1);
        assert_eq!(lease(room(9, 0)).await, [], "there is no room for depth");

        // What the sweep leads to is visited first, and depth waits for the end of that.
        let done = ports.into_iter().map(|work| outcome(work, ProbeResult::Absent, Timestamp(1))).collect();
        lab.engine.commit(lab.commit(run.id, done)).await.unwrap();
        let mut found = lab.reconciliation(run.id);
        found.work = vec![louder("page", uid, Clearance::L2)];
        lab.engine.reconcile(found).await.unwrap();
        assert_eq!(tasks(&lease(room(9, 9)).await), ["page"]);
        assert_eq!(lease(room(9, 9)).await, []);
    })
    .await;
}

#[tokio::test]
async fn a_visit_that_hangs_holds_up_only_what_stands_at_its_place() {
    both(async |lab| {
        let run = lab.run().await;
        let site = (EdgeKind::Site, Kind::Uri, "https://www.acme.test:443");
        let place = (EdgeKind::ResolvesTo, Kind::IpAddress, "203.0.113.7");
        let elsewhere = (EdgeKind::Subdomain, Kind::DnsRecord, "shop.acme.test");
        let uid = lab.uid(Kind::Domain, "acme.test");
        lab.probe(&run, "resolve", uid, 0, found(json!({}), &[site, place, elsewhere])).await;
        let [site, place, elsewhere] = [site, place, elsewhere].map(|(_, kind, name)| lab.uid(kind, name));
        let sweep = |uid| NewWork { wave: Wave::Sweeps, ..louder("ports", uid, Clearance::L3) };
        let mut reconciliation = lab.reconciliation(run.id);
        reconciliation.work = vec![
            louder("page", site, Clearance::L2),
            sweep(place),
            sweep(elsewhere),
            NewWork { wave: Wave::Writes, ..louder("login", elsewhere, Clearance::L4) },
        ];
        lab.engine.reconcile(reconciliation).await.unwrap();
        let lease = async || -> Vec<Work> { lab.engine.lease(run.id, 9, Timestamp(0)).await.unwrap() };
        let meanwhile = async |unreconciled| -> Vec<Work> {
            lab.engine.lease_meanwhile(run.id, 9, Timestamp(0), unreconciled).await.unwrap()
        };
        let page = lease().await;
        assert_eq!(tasks(&page), ["page"]);
        assert_eq!(meanwhile(Unreconciled::Anything).await, [], "a change elsewhere may call for another page");
        let ports = meanwhile(Unreconciled::UnderWay).await;
        assert_eq!(ports.iter().map(|work| work.uid).collect::<Vec<_>>(), [elsewhere], "the place itself waits");
        let done = |work: Vec<Work>| work.into_iter().map(|work| outcome(work, ProbeResult::Absent, Timestamp(1)));
        lab.engine.commit(lab.commit(run.id, done(ports).collect())).await.unwrap();
        assert_eq!(lease().await, [], "what writes waits for everything");
        lab.engine.commit(lab.commit(run.id, done(page).collect())).await.unwrap();
        let ports = lease().await;
        assert_eq!(ports.iter().map(|work| work.uid).collect::<Vec<_>>(), [place]);
        lab.engine.commit(lab.commit(run.id, done(ports).collect())).await.unwrap();
        assert_eq!(meanwhile(Unreconciled::UnderWay).await, [], "a change of what is under way may call for a page");
        assert_eq!(tasks(&lease().await), ["login"]);
    })
    .await;
}

#[tokio::test]
async fn while_a_name_may_be_gone_nobody_is_contacted_for_it() {
    both(async |lab| {
        let run = lab.run().await;
        let (uid, at) = (lab.uid(Kind::Domain, "acme.test"), Timestamp(1_000));
        lab.probe(&run, "resolve", uid, 0, found(json!({}), &[])).await;
        let gone = lab.lease_one(&run, "resolve", uid, 2).await;
        lab.engine.commit(lab.commit(run.id, vec![outcome(gone, ProbeResult::Absent, at)])).await.unwrap();
        let mut reconciliation = lab.reconciliation(run.id);
        reconciliation.work = vec![louder("page", uid, Clearance::L2), louder("mail", uid, Clearance::L1)];
        lab.engine.reconcile(reconciliation).await.unwrap();
        assert_eq!(lab.engine.pending(run.id, at).await.unwrap().not_before, None, "quiet work goes on");
        let quiet = lab.engine.lease(run.id, 9, at).await.unwrap();
        assert_eq!(quiet.iter().map(|work| work.task.as_str()).collect::<Vec<_>>(), ["mail"]);
        let done = quiet.into_iter().map(|work| outcome(work, unknown("no"), at)).collect();
        lab.engine.commit(lab.commit(run.id, done)).await.unwrap();
        assert_eq!(lab.engine.lease(run.id, 9, at).await.unwrap(), [], "the page waits for the second look");
        let due = at.plus_ms(SECOND_PROBE_AFTER_MS);
        assert_eq!(lab.engine.pending(run.id, at).await.unwrap().not_before, Some(due));
        let second = lab.engine.lease(run.id, 9, due).await.unwrap();
        assert_eq!(second.iter().map(|work| work.task.as_str()).collect::<Vec<_>>(), ["resolve"]);
        let done = second.into_iter().map(|work| outcome(work, ProbeResult::Absent, due)).collect();
        lab.engine.commit(lab.commit(run.id, done)).await.unwrap();
        assert_eq!(lab.engine.lease(run.id, 9, due).await.unwrap()[0].task, "page", "nothing is in doubt any more");
    })
    .await;
}

#[tokio::test]
async fn until_all_is_reconciled_nothing_louder_is_leased_than_what_runs() {
    both(async |lab| {
        let run = lab.run().await;
        let uid = lab.uid(Kind::Domain, "acme.test");
        let work = |task, footprint| louder(task, uid, footprint);
        let mut reconciliation = lab.reconciliation(run.id);
        reconciliation.work = vec![
            work("quiet", Clearance::L1),
            work("page", Clearance::L2),
            work("picture", Clearance::L2),
            work("sweep", Clearance::L3),
        ];
        lab.engine.reconcile(reconciliation).await.unwrap();
        let meanwhile = async || {
            let work = lab.engine.lease_meanwhile(run.id, 1, Timestamp(0), Unreconciled::Anything).await.unwrap();
            work.into_iter().map(|work| work.task).collect::<Vec<_>>()
        };
        let done = async |work: Vec<ambit_store::engine::Work>| {
            let done = work.into_iter().map(|work| outcome(work, ProbeResult::Absent, Timestamp(1)));
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
        assert_eq!(next_run(&lab.engine, lab.now()).await.unwrap().map(|run| run.id), Some(run.id));
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
        let mut reconciliation = lab.reconciliation(id);
        reconciliation.work.push(new_work("a", uid, 0));
        lab.engine.reconcile(reconciliation).await.unwrap();
        assert_eq!(lab.engine.lease(id, 10, Timestamp(0)).await.unwrap()[0].attempts, 0);
        let now = lab.now();
        drop(lab.engine);
        let other = store.engine("other", Duration::ZERO).await.unwrap();
        // On PostgreSQL the dead engine's heartbeat must lapse; the engine's own clock set it.
        let later = Timestamp(now.0.max(4_000_000_000_000) + 30_000);
        let adopted = next_run(&other, later).await.unwrap().unwrap();
        assert_eq!((adopted.id, adopted.collection, adopted.engine.as_deref()), (id, collection, Some("other")));
        let again = other.lease(id, 10, Timestamp(0)).await.unwrap();
        assert_eq!(again.iter().map(|work| work.attempts).collect::<Vec<_>>(), [1]);
    })
    .await;
}

#[tokio::test]
async fn a_run_whose_command_is_gone_waits_for_a_person() {
    both(async |lab| {
        let run = lab.run().await;
        lab.engine.release(run.id).await.unwrap();
        let (store, now) = (lab.store.clone(), lab.now());
        drop(lab.engine);
        let command = store.engine("scan", Duration::ZERO).await.unwrap();
        command.claim(run.id, now).await.unwrap().unwrap();
        let then = Timestamp(0);
        assert_eq!(command.pause_left_by_commands(then).await.unwrap(), Vec::<RunId>::new(), "it lives");
        drop(command);
        let other = store.engine("serve", Duration::ZERO).await.unwrap();
        let later = Timestamp(now.0.max(4_000_000_000_000) + 30_000);
        assert_eq!(other.pause_left_by_commands(later).await.unwrap(), [run.id]);
        assert_eq!(next_run(&other, later).await.unwrap(), None);
        // A person who resumes it gives it to whoever is there.
        store.resume_run(&lab.me.at(later), run.id).await.unwrap();
        assert_eq!(other.pause_left_by_commands(later).await.unwrap(), Vec::<RunId>::new());
        let resumed = next_run(&other, later).await.unwrap().unwrap();
        assert_eq!((resumed.id, resumed.engine.as_deref()), (run.id, Some("serve")));
    })
    .await;
}

#[tokio::test]
async fn a_sweep_becomes_rows_as_they_are_asked_for() {
    both(async |lab| {
        let run = lab.run().await;
        let uid = lab.uid(Kind::Domain, "acme.test");
        let mut reconciliation = lab.reconciliation(run.id);
        reconciliation.sweeps.push(NewSweep {
            task: "names",
            uid,
            prefix: "w:".to_owned(),
            size: 1_050,
            step: 100,
            wave: Wave::Passive,
            footprint: Clearance::L1,
            priority: 0,
            partition: 3,
        });
        lab.engine.reconcile(reconciliation).await.unwrap();
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
            let done = work.into_iter().map(|work| outcome(work, ProbeResult::Absent, Timestamp(1))).collect();
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
async fn a_crash_repeats_at_most_an_eighth_of_a_sweep_of_addresses() {
    both(async |lab| {
        let run = lab.run().await;
        let block = |prefix: &str, ranges: i64| NewSweep {
            task: "block",
            uid: lab.uid(Kind::Domain, "acme.test"),
            prefix: prefix.to_owned(),
            size: ranges * 64,
            step: 64,
            wave: Wave::Sweeps,
            footprint: Clearance::L3,
            priority: 0,
            partition: 3,
        };
        let mut reconciliation = lab.reconciliation(run.id);
        reconciliation.sweeps.push(block("", 1_024));
        lab.engine.reconcile(reconciliation).await.unwrap();
        let places = |paced| Places { rows: 512, deep: 512, paced };
        let lease = async |paced| lab.engine.lease(run.id, places(paced), Timestamp(0)).await.unwrap();
        let mut asked = 0;
        for commit in 0..200 {
            let work = lease(false).await;
            assert_eq!(work.len(), if commit == 0 { 128 } else { 1 }, "of 1,024 ranges, and as many as ended");
            assert_eq!(lease(false).await, [], "until one of them is committed");
            asked += work.len();
            let done = work.into_iter().take(1).map(|work| outcome(work, ProbeResult::Absent, Timestamp(1))).collect();
            lab.engine.commit(lab.commit(run.id, done)).await.unwrap();
        }
        assert_eq!(asked, 327);
        // Whatever was leased and not committed when the process ends is what is asked again.
        let pending = lab.engine.pending(run.id, Timestamp(0)).await.unwrap();
        assert_eq!(pending.leased, 127);
        assert_eq!(lease(true).await.len(), 512, "a rate over all orders them");
    })
    .await;
}

#[tokio::test]
async fn a_sweep_goes_before_rows_that_promise_less_and_after_those_that_promise_more() {
    both(async |lab| {
        let run = lab.run().await;
        let uid = lab.uid(Kind::Domain, "acme.test");
        let mut reconciliation = lab.reconciliation(run.id);
        let row = |task, priority| NewWork { priority, ..new_work(task, uid, 0) };
        reconciliation.work = vec![row("better", 9), row("worse", 1), row("worst", 0)];
        reconciliation.sweeps.push(NewSweep {
            task: "names",
            uid,
            prefix: String::new(),
            size: 2,
            step: 1,
            wave: Wave::Passive,
            footprint: Clearance::L1,
            priority: 5,
            partition: 3,
        });
        lab.engine.reconcile(reconciliation).await.unwrap();
        let mut order = Vec::new();
        for _ in 0..5 {
            let work = lab.engine.lease(run.id, 1, Timestamp(0)).await.unwrap();
            order.extend(work.iter().map(|work| work.task.clone()));
        }
        assert_eq!(order, ["better", "names", "names", "worse", "worst"]);
    })
    .await;
}
