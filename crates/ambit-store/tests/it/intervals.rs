//! What looks do to intervals, edges and marks.

use crate::lab::{Lab, both, details, found, in_part, new_work, outcome, unknown, with_evidence};
use ambit_model::facts::{ProbeKey, ProbeOutcome};
use ambit_model::observation::{Discovery, Found, ProbeResult, SECOND_PROBE_AFTER_MS};
use ambit_model::run::Run;
use ambit_model::{EdgeKind, Item, Kind, TaskName, Timestamp, Uid};
use ambit_store::engine::{Lookup, ProbeAt};
use serde_json::{Value, json};
use std::sync::Arc;

const TASK: &str = "resolve";

/// What is known of acme.test after each look: newest outcome, title in the record, whether an interval is open, leads.
async fn known(lab: &Lab, run: i64, uid: Uid) -> String {
    let known = lab.engine.known(run, &Arc::default(), &[uid], |_| None).await.unwrap().remove(0);
    let look = known.facts.probe_at(TaskName::Resolve, "").unwrap();
    let record = lab.entity(uid).await.record;
    let title = record.details.get("title").and_then(Value::as_str).unwrap_or("-").to_owned();
    let date = record.details.get("date").map_or("-".to_owned(), ToString::to_string);
    let leads: Vec<String> = known.facts.outward.iter().map(|neighbour| neighbour.name.clone()).collect();
    let open = record.task_results.iter().any(|result| result.task == TASK);
    format!("{:?} open={open} title={title} date={date} leads={}", look.outcome, leads.join(","))
}

/// What a step is called, its number, the look, what is known after it, and how many second looks it plans.
type Step = (&'static str, i64, ProbeResult, &'static str, usize);

fn steps() -> Vec<Step> {
    let a = |title: &str, date: i64| {
        found(json!({"title": title, "date": date}), &[(EdgeKind::ResolvesTo, Kind::IpAddress, "192.0.2.1")])
    };
    let b = || found(json!({"title": "a", "date": 9}), &[(EdgeKind::ResolvesTo, Kind::IpAddress, "192.0.2.2")]);
    vec![
        ("nothing known, absent", 0, ProbeResult::Absent, "Absent open=false title=- date=- leads=", 0),
        ("nothing known, failed", 2, unknown("time-out"), "Unknown open=false title=- date=- leads=", 0),
        ("found", 4, a("a", 1), "Found open=true title=a date=1 leads=192.0.2.1", 0),
        ("the same apart from a volatile member", 6, a("a", 2), "Found open=true title=a date=1 leads=192.0.2.1", 0),
        ("failed", 8, unknown("time-out"), "Unknown open=true title=a date=1 leads=192.0.2.1", 0),
        ("another answer", 10, a("b", 3), "Found open=true title=b date=3 leads=192.0.2.1", 0),
        ("the same members, another edge", 12, b(), "Found open=true title=a date=9 leads=192.0.2.2", 0),
        ("absent once", 14, ProbeResult::Absent, "Absent open=true title=a date=9 leads=192.0.2.2", 1),
        ("second look failed", 15, unknown("refused"), "Unknown open=true title=a date=9 leads=192.0.2.2", 0),
        ("absent once again", 16, ProbeResult::Absent, "Absent open=true title=a date=9 leads=192.0.2.2", 1),
        ("absent twice", 17, ProbeResult::Absent, "Absent open=false title=- date=- leads=", 0),
        ("absent without an interval", 18, ProbeResult::Absent, "Absent open=false title=- date=- leads=", 0),
        ("found in part", 20, in_part(a("c", 3)), "InPart open=true title=c date=3 leads=192.0.2.1", 0),
        ("failed after that", 21, unknown("time-out"), "Unknown open=true title=c date=3 leads=192.0.2.1", 0),
        ("found again", 22, a("a", 4), "Found open=true title=a date=4 leads=192.0.2.1", 0),
    ]
}

#[tokio::test]
async fn a_look_opens_extends_changes_and_closes_intervals() {
    both(async |lab| {
        let run = lab.run().await;
        let uid = lab.uid(Kind::Domain, "acme.test");
        for (step, number, look, expected, second_probes) in steps() {
            let committed = lab.probe(&run, TASK, uid, number, look).await;
            assert_eq!(known(&lab, run.id, uid).await, expected, "{} on {}", step, lab.database);
            assert_eq!(committed.second_probes, second_probes, "{step}");
        }
        let counters = lab.engine.run(run.id).await.unwrap().counters;
        assert_eq!((counters.work_done, counters.work_unknown), (10, 5), "{counters:?}");
        let not_done = lab.store.list_not_done(&lab.me, run.id).await.unwrap();
        let lines: Vec<String> = not_done
            .iter()
            .map(|item| format!("{} {} {} {}", item.reason.name(), item.task, item.count, item.example))
            .collect();
        assert_eq!(lines, ["no answer resolve 5 Domain acme.test: time-out"]);
    })
    .await;
}

#[tokio::test]
async fn a_second_look_waits_for_a_minute_of_wire_time() {
    both(async |lab| {
        let run = lab.run().await;
        let uid = lab.uid(Kind::Domain, "acme.test");
        lab.probe(&run, TASK, uid, 0, found(json!({}), &[])).await;
        let work = lab.lease_one(&run, TASK, uid, 2).await;
        let at = Timestamp(5_000_000);
        lab.engine.commit(lab.commit(run.id, vec![outcome(work, ProbeResult::Absent, at)])).await.unwrap();
        let pending = lab.engine.pending(run.id, at).await.unwrap();
        assert_eq!((pending.open, pending.leased, pending.not_before), (1, 0, Some(at.plus_ms(60_000))));
        let early = lab.engine.lease(run.id, 10, at.plus_ms(59_999)).await.unwrap();
        assert_eq!(early, []);
        let due = lab.engine.lease(run.id, 10, at.plus_ms(60_000)).await.unwrap();
        assert_eq!(due.iter().map(|work| (work.number, work.attempts)).collect::<Vec<_>>(), [(3, 0)]);
    })
    .await;
}

#[tokio::test]
async fn leads_describe_the_entities_they_lead_to() {
    both(async |lab| {
        let run = lab.run().await;
        let uid = lab.uid(Kind::Domain, "acme.test");
        let look = |issuer: &str| {
            ProbeResult::Found(Found {
                details: details(json!({})),
                edges: vec![Discovery {
                    edge: EdgeKind::Certificate,
                    kind: Kind::SslCertificate,
                    name: "acme.test (01)".to_owned(),
                    details: details(json!({"issuer": issuer})),
                }],
                ..Found::default()
            })
        };
        let certificate = lab.uid(Kind::SslCertificate, "acme.test (01)");
        assert_eq!(lab.probe(&run, "tls_grab", uid, 0, look("one")).await.new_entities, 1);
        let record = lab.entity(certificate).await.record;
        assert_eq!(record.details["issuer"], "one");
        assert_eq!(record.task_results[0].task, "tls_grab");
        let revision = lab.store.last_revision().await.unwrap();
        lab.probe(&run, "tls_grab", uid, 2, look("two")).await;
        assert_eq!(lab.entity(certificate).await.record.details["issuer"], "two");
        assert_eq!(lab.feed_after(revision).await, ["entity changed acme.test (01)", "entity seen acme.test"]);
        let facts = lab.engine.known(run.id, &Arc::default(), &[certificate], |_| None).await.unwrap().remove(0).facts;
        assert_eq!((facts.probes.len(), facts.inward.len(), facts.details["issuer"].as_str()), (0, 1, Some("two")));
    })
    .await;
}

#[tokio::test]
async fn an_unchanged_refresh_adds_no_version_and_no_interval() {
    both(async |lab| {
        let uid = lab.uid(Kind::Domain, "acme.test");
        let look = || found(json!({"title": "a"}), &[(EdgeKind::ResolvesTo, Kind::IpAddress, "192.0.2.1")]);
        let run = lab.run().await;
        lab.probe(&run, TASK, uid, 0, look()).await;
        lab.finish(&run).await;
        let before = lab.entity(uid).await;
        let run = lab.run().await;
        let revision = lab.store.last_revision().await.unwrap();
        lab.probe(&run, TASK, uid, 0, look()).await;
        lab.finish(&run).await;
        let feed = lab.feed_after(revision).await;
        assert_eq!(
            feed.iter().filter(|line| !line.starts_with("run")).filter(|line| !line.contains(" seen ")).count(),
            0,
            "{feed:?}"
        );
        let after = lab.entity(uid).await;
        assert_eq!(
            (&before.record, before.updated_at, before.first_seen),
            (&after.record, after.updated_at, after.first_seen)
        );
        assert!(after.last_seen > before.last_seen);
        assert_eq!(lab.store.history_rows(0, 100).await.unwrap().len(), 0, "one run leaves one version");
        let id = uid.to_string();
        assert_eq!(lab.store.points_in_time(&lab.me, (Item::Entity, &id), None, None).await.unwrap().len(), 1);
    })
    .await;
}

#[tokio::test]
async fn what_stands_stays_known_and_is_not_seen() {
    both(async |lab| {
        let uid = lab.uid(Kind::Domain, "acme.test");
        let to = |address: &'static str| (EdgeKind::ResolvesTo, Kind::IpAddress, address);
        let edge_to = |address: &str| (EdgeKind::ResolvesTo, lab.uid(Kind::IpAddress, address));
        let run = lab.run().await;
        lab.probe(&run, TASK, uid, 0, found(json!({}), &[to("192.0.2.1"), to("192.0.2.2"), to("192.0.2.3")])).await;
        lab.finish(&run).await;
        let run = lab.run().await;
        let revision = lab.store.last_revision().await.unwrap();
        let ProbeResult::Found(mut some) = found(json!({}), &[to("192.0.2.1")]) else { unreachable!() };
        some.standing = ["192.0.2.2", "192.0.2.4"].map(edge_to).into();
        lab.probe(&run, TASK, uid, 0, in_part(ProbeResult::Found(some))).await;
        let known = lab.engine.known(run.id, &Arc::default(), &[uid], |_| None).await.unwrap().remove(0).facts;
        let mut leads: Vec<&str> = known.outward.iter().map(|end| end.name.as_str()).collect();
        leads.sort_unstable();
        assert_eq!(leads, ["192.0.2.1", "192.0.2.2"], "one is gone, and nothing led to the fourth before");
        let mut feed = lab.feed_after(revision).await;
        feed.sort_unstable();
        assert_eq!(feed, ["entity seen 192.0.2.1", "entity seen acme.test"]);
    })
    .await;
}

#[tokio::test]
async fn what_changed_is_marked_and_a_mark_raised_meanwhile_stays() {
    both(async |lab| {
        let run = lab.run().await;
        let uid = lab.uid(Kind::Domain, "acme.test");
        let address = lab.uid(Kind::IpAddress, "192.0.2.1");
        let marks = lab.engine.dirty(run.id, 10).await.unwrap();
        assert_eq!(marks.iter().map(|dirty| dirty.uid).collect::<Vec<_>>(), [uid], "the claim marks what is present");
        lab.probe(
            &run,
            TASK,
            uid,
            0,
            found(json!({"title": "a"}), &[(EdgeKind::ResolvesTo, Kind::IpAddress, "192.0.2.1")]),
        )
        .await;
        let mut reconciliation = lab.reconciliation(run.id);
        reconciliation.reconciled = marks;
        lab.engine.reconcile(reconciliation).await.unwrap();
        let mut left = lab.engine.dirty(run.id, 10).await.unwrap();
        left.sort_by_key(|dirty| dirty.uid);
        let mut wanted = vec![uid, address];
        wanted.sort();
        assert_eq!(
            left.iter().map(|dirty| dirty.uid).collect::<Vec<_>>(),
            wanted,
            "the old mark of the domain reconciles nothing"
        );
        let mut reconciliation = lab.reconciliation(run.id);
        reconciliation.reconciled = left;
        lab.engine.reconcile(reconciliation).await.unwrap();
        assert_eq!(lab.engine.dirty(run.id, 10).await.unwrap(), []);
        // Other members, same edge: the address is judged together with the name.
        lab.probe(
            &run,
            TASK,
            uid,
            2,
            found(json!({"title": "b"}), &[(EdgeKind::ResolvesTo, Kind::IpAddress, "192.0.2.1")]),
        )
        .await;
        assert_eq!(lab.engine.dirty(run.id, 10).await.unwrap().len(), 2);
    })
    .await;
}

/// Takes every mark away and says whom they were on.
async fn reconcile_marks(lab: &Lab, run: i64) -> Vec<Uid> {
    let mut reconciliation = lab.reconciliation(run);
    reconciliation.reconciled = lab.engine.dirty(run, 100).await.unwrap();
    let marked = reconciliation.reconciled.iter().map(|dirty| dirty.uid).collect();
    lab.engine.reconcile(reconciliation).await.unwrap();
    marked
}

#[tokio::test]
async fn an_edge_tells_the_end_that_is_planned_and_judged_by_it() {
    both(async |lab| {
        let run = lab.run().await;
        let (domain, name) = (lab.uid(Kind::Domain, "acme.test"), lab.uid(Kind::DnsRecord, "www.acme.test"));
        let (address, site) = (lab.uid(Kind::IpAddress, "192.0.2.1"), lab.uid(Kind::Uri, "https://www.acme.test:443"));
        let down = found(json!({"of": "domain"}), &[(EdgeKind::Subdomain, Kind::DnsRecord, "www.acme.test")]);
        lab.probe(&run, TASK, domain, 0, down).await;
        let leads = [
            (EdgeKind::ResolvesTo, Kind::IpAddress, "192.0.2.1"),
            (EdgeKind::Site, Kind::Uri, "https://www.acme.test:443"),
        ];
        lab.probe(&run, TASK, name, 0, found(json!({"of": "name"}), &leads)).await;
        lab.probe(&run, TASK, address, 0, found(json!({"of": "address"}), &[])).await;
        lab.probe(&run, TASK, site, 0, found(json!({"of": "site"}), &[])).await;
        let told = async |uid: Uid| {
            let facts = lab.engine.known(run.id, &Arc::default(), &[uid], |_| None).await.unwrap().remove(0).facts;
            let neighbours = facts.inward.iter().chain(&facts.outward);
            let mut told: Vec<String> =
                neighbours.map(|neighbour| format!("{} {:?}", neighbour.name, neighbour.details.get("of"))).collect();
            told.sort();
            (facts.details["of"].as_str().unwrap().to_owned(), told.join(", "))
        };
        let silent = |name: &str| format!("{name} None");
        let telling = |name: &str, of: &str| format!("{name} Some(String({of:?}))");
        let around = [telling("192.0.2.1", "address"), silent("acme.test"), silent("https://www.acme.test:443")];
        assert_eq!(told(name).await, ("name".to_owned(), around.join(", ")));
        assert_eq!(told(site).await, ("site".to_owned(), telling("www.acme.test", "name")));
        assert_eq!(told(address).await, ("address".to_owned(), telling("www.acme.test", "name")));
        assert_eq!(told(domain).await, ("domain".to_owned(), silent("www.acme.test")));
        reconcile_marks(&lab, run.id).await;
        for (changed, marked) in [(site, vec![site]), (address, vec![address, name]), (domain, vec![domain])] {
            lab.probe(&run, TASK, changed, 2, found(json!({"of": "another"}), &[])).await;
            let mut wanted = marked;
            // The edge of the domain is gone with its answer.
            wanted.extend((changed == domain).then_some(name));
            wanted.sort();
            assert_eq!(reconcile_marks(&lab, run.id).await, wanted, "on {}", lab.database);
        }
    })
    .await;
}

#[tokio::test]
async fn the_graph_comes_whole_and_then_as_changes() {
    both(async |lab| {
        let run = lab.run().await;
        let uid = lab.uid(Kind::Domain, "acme.test");
        lab.probe(&run, TASK, uid, 0, found(json!({}), &[(EdgeKind::ResolvesTo, Kind::IpAddress, "192.0.2.1")])).await;
        let whole = lab.engine.graph(lab.collection, 0).await.unwrap();
        assert_eq!((whole.nodes.len(), whole.opened.len(), whole.closed.len()), (2, 1, 0));
        let seed = whole.nodes.iter().find(|node| node.node.uid == uid).unwrap();
        assert!(seed.node.seed && seed.observed && seed.present);
        let nothing = lab.engine.graph(lab.collection, whole.revision).await.unwrap();
        assert_eq!((nothing.nodes.len(), nothing.opened.len(), nothing.closed.len()), (0, 0, 0));
        lab.probe(&run, "http", uid, 0, found(json!({"title": "Acme"}), &[])).await;
        let said = lab.engine.graph(lab.collection, whole.revision).await.unwrap();
        assert!(said.nodes.is_empty(), "the graph is as it was, whatever the record shows: {said:?}");
        // The same edge of a second argument holds it open.
        let mut reconciliation = lab.reconciliation(run.id);
        let mut work = new_work(TASK, uid, 0);
        work.argument = "other".to_owned();
        reconciliation.work.push(work);
        lab.engine.reconcile(reconciliation).await.unwrap();
        let work = lab.engine.lease(run.id, 10, Timestamp(0)).await.unwrap().remove(0);
        let look = found(json!({}), &[(EdgeKind::ResolvesTo, Kind::IpAddress, "192.0.2.1")]);
        lab.engine.commit(lab.commit(run.id, vec![outcome(work, look, lab.now())])).await.unwrap();
        lab.probe(&run, TASK, uid, 2, ProbeResult::Absent).await;
        lab.probe(&run, TASK, uid, 3, ProbeResult::Absent).await;
        let delta = lab.engine.graph(lab.collection, whole.revision).await.unwrap();
        assert_eq!((delta.opened.len(), delta.closed.len()), (1, 0));
        let mut reconciliation = lab.reconciliation(run.id);
        reconciliation.lost.push(uid);
        lab.engine.reconcile(reconciliation).await.unwrap();
        let last = lab.engine.graph(lab.collection, delta.revision).await.unwrap();
        assert_eq!((last.opened.len(), last.closed.len()), (0, 1));
        assert!(last.nodes.iter().all(|node| !node.observed), "{last:?}");
        let facts = lab.engine.known(run.id, &Arc::default(), &[uid], |_| None).await.unwrap().remove(0).facts;
        assert!(facts.probes.is_empty(), "an answer that is fresh would keep it from being asked again: {facts:?}");
    })
    .await;
}

#[tokio::test]
async fn what_a_run_could_not_look_up_is_told_to_whoever_carries_it_on() {
    both(async |lab| {
        let seed = lab.uid(Kind::Domain, "acme.test");
        let first = lab.run().await;
        let names = async |run: &Run| lab.engine.lookups(run.id, TaskName::Resolve).await.unwrap();
        assert!(names(&first).await.is_empty());
        let led = |name| found(json!({}), &[(EdgeKind::ResolvesTo, Kind::IpAddress, name)]);
        for (number, task, result, outcome, seen) in [
            (0, "resolve", unknown("SERVFAIL"), ProbeOutcome::Unknown, &[][..]),
            (2, "resolve", led("203.0.113.7"), ProbeOutcome::Found, &["203.0.113.7"][..]),
            (0, "zone_profile", unknown("SERVFAIL"), ProbeOutcome::Found, &["203.0.113.7"][..]),
            (4, "resolve", in_part(led("203.0.113.7")), ProbeOutcome::InPart, &["203.0.113.7"][..]),
        ] {
            lab.probe(&first, task, seed, number, result).await;
            let seen = seen.iter().map(|name| (*name).to_owned()).collect();
            let expected = Lookup { name: "acme.test".to_owned(), outcome, seen };
            assert_eq!(names(&first).await, [expected], "{task} {number}");
        }
        lab.finish(&first).await;
        let second = lab.run().await;
        lab.lease_one(&second, "resolve", seed, 0).await;
        assert!(names(&second).await.is_empty(), "this run has not asked yet");
    })
    .await;
}

#[tokio::test]
async fn a_look_up_that_fails_is_repeated_in_the_run_where_addresses_hang_on_the_name() {
    both(async |lab| {
        let (seed, other) = (lab.uid(Kind::Domain, "acme.test"), lab.uid(Kind::DnsRecord, "www.acme.test"));
        let led = |name| found(json!({}), &[(EdgeKind::ResolvesTo, Kind::IpAddress, name)]);
        let first = lab.run().await;
        let www = found(json!({}), &[(EdgeKind::Subdomain, Kind::DnsRecord, "www.acme.test")]);
        lab.probe(&first, "zone_profile", seed, 0, www).await;
        lab.probe(&first, "resolve", seed, 0, led("203.0.113.7")).await;
        lab.finish(&first).await;
        let second = lab.run().await;
        let planned =
            async |uid, number, result| lab.probe(&second, "resolve", uid, number, result).await.second_probes;
        assert_eq!(planned(other, 0, unknown("SERVFAIL")).await, 0, "nothing hangs on it");
        let run = async || lab.engine.run(second.id).await.unwrap().counters;
        let before = run().await.work_unknown;
        assert_eq!(planned(seed, 0, unknown("SERVFAIL")).await, 1);
        assert_eq!(run().await.work_unknown, before, "it is not given up yet");
        let at = lab.engine.pending(second.id, Timestamp(0)).await.unwrap().not_before;
        assert!(at.is_some_and(|at| at.0 >= SECOND_PROBE_AFTER_MS), "louder work waits for it: {at:?}");
        for (number, result, expected) in
            [(2, ProbeResult::Absent, 1), (3, unknown("SERVFAIL"), 1), (4, unknown("SERVFAIL"), 0)]
        {
            assert_eq!(planned(seed, number, result).await, expected, "{number}");
        }
        assert_eq!(run().await.work_unknown, before + 1);
        let unplanned = async |argument: &str| {
            let probe = ProbeAt { uid: seed, task: "resolve".to_owned(), argument: argument.to_owned() };
            lab.engine.unplanned(second.id, vec![probe]).await.unwrap().len()
        };
        assert_eq!((unplanned("").await, unplanned("x").await), (0, 1));
    })
    .await;
}

#[tokio::test]
async fn a_look_that_lost_its_ground_is_closed_and_its_open_rows_are_not_carried() {
    both(async |lab| {
        let run = lab.run().await;
        let uid = lab.uid(Kind::Domain, "acme.test");
        let mut reconciliation = lab.reconciliation(run.id);
        for argument in ["192.0.2.1:80", "192.0.2.2:80"] {
            let mut work = new_work(TASK, uid, 0);
            work.argument = argument.to_owned();
            reconciliation.work.push(work);
        }
        lab.engine.reconcile(reconciliation).await.unwrap();
        let leased = lab.engine.lease(run.id, 10, Timestamp(0)).await.unwrap();
        let outcomes = leased.into_iter().map(|work| {
            let address = work.argument.split(':').next().unwrap().to_owned();
            let look = found(json!({"title": address}), &[(EdgeKind::ResolvesTo, Kind::IpAddress, address.as_str())]);
            outcome(work, look, lab.now())
        });
        lab.engine.commit(lab.commit(run.id, outcomes.collect())).await.unwrap();
        assert_eq!(lab.entity(uid).await.record.details["title"], "192.0.2.1");
        let before = lab.engine.graph(lab.collection, 0).await.unwrap();
        let mut reconciliation = lab.reconciliation(run.id);
        let mut again = new_work(TASK, uid, 2);
        again.argument = "192.0.2.1:80".to_owned();
        reconciliation.work.push(again);
        reconciliation.orphaned.push(ProbeKey {
            entity: uid,
            task: TaskName::Resolve,
            argument: "192.0.2.1:80".to_owned(),
        });
        lab.engine.reconcile(reconciliation).await.unwrap();
        assert_eq!(lab.entity(uid).await.record.details["title"], "192.0.2.2");
        let delta = lab.engine.graph(lab.collection, before.revision).await.unwrap();
        assert_eq!((delta.opened.len(), delta.closed.len()), (0, 1), "{delta:?}");
        assert_eq!(lab.engine.pending(run.id, Timestamp(0)).await.unwrap().open, 0, "nobody asks there again");
        let known = lab.engine.known(run.id, &Arc::default(), &[uid], |_| None).await.unwrap().remove(0);
        let arguments: Vec<&str> = known.facts.probes_of(TaskName::Resolve).map(|(argument, _)| argument).collect();
        assert_eq!(arguments, ["192.0.2.2:80"]);
    })
    .await;
}

#[tokio::test]
async fn evidence_stays_while_it_is_the_newest() {
    both(async |lab| {
        let run = lab.run().await;
        let uid = lab.uid(Kind::Domain, "acme.test");
        let (one, two) = (ambit_model::id::blob_hash(b"one"), ambit_model::id::blob_hash(b"two"));
        lab.probe(&run, TASK, uid, 0, with_evidence(found(json!({}), &[]), b"one")).await;
        let later = Timestamp(lab.now().0 + 4_000_000);
        lab.store.tidy(later).await.unwrap();
        assert_eq!(lab.store.blob(one).await.unwrap().as_deref(), Some(&b"one"[..]));
        lab.probe(&run, TASK, uid, 2, with_evidence(found(json!({}), &[]), b"two")).await;
        lab.store.tidy(later).await.unwrap();
        assert!(lab.store.blob(one).await.unwrap().is_some(), "live rules have not looked at it yet");
        lab.engine.pass_specimens(i64::MAX, later).await.unwrap();
        lab.store.tidy(later).await.unwrap();
        assert_eq!(lab.store.blob(one).await.unwrap(), None);
        assert_eq!(lab.store.blob(two).await.unwrap().as_deref(), Some(&b"two"[..]));
    })
    .await;
}

#[tokio::test]
async fn evidence_of_the_same_answer_takes_the_place_of_that_of_an_earlier_run() {
    both(async |lab| {
        let look = |title: &str, bytes: &[u8]| with_evidence(found(json!({"title": title}), &[]), bytes);
        let (first, second) = (lab.uid(Kind::Domain, "acme.test"), lab.uid(Kind::Domain, "other.test"));
        let run = lab.run().await;
        lab.probe(&run, TASK, first, 0, found(json!({}), &[(EdgeKind::Subdomain, Kind::Domain, "other.test")])).await;
        lab.probe(&run, "page", first, 0, look("a", b"one")).await;
        lab.probe(&run, "page", second, 0, look("a", b"both")).await;
        lab.probe(&run, "copy", second, 0, look("a", b"both")).await;
        lab.finish(&run).await;
        lab.engine.pass_specimens(i64::MAX, lab.now()).await.unwrap();
        let run = lab.run().await;
        lab.probe(&run, "page", first, 0, look("a", b"two")).await;
        lab.probe(&run, "page", second, 0, look("a", b"three")).await;
        lab.probe(&run, "page", first, 2, look("a", b"four")).await;
        let stored = async |bytes: &[u8]| lab.store.blob(ambit_model::id::blob_hash(bytes)).await.unwrap().is_some();
        assert!(!stored(b"one").await, "nobody refers to it");
        assert!(stored(b"both").await, "another look still does");
        assert!(stored(b"two").await, "what this run stored is young");
        assert!(stored(b"three").await && stored(b"four").await, "the newest is evidence");
        lab.finish(&run).await;
    })
    .await;
}
