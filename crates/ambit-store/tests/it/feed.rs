//! The change feed: revisions in commit order, whoever writes; stamps that never run backwards; what readers get.

use crate::lab::{both, found, new_collection};
use ambit_model::feed::{Noun, What};
use ambit_model::{EdgeKind, Kind, Timestamp};
use ambit_store::{EntityFlags, Milestone};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_reader_misses_nothing_while_many_write() {
    both(async |lab| {
        let store = lab.store.clone();
        let done = Arc::new(AtomicBool::new(false));
        let (reading, finished) = (store.clone(), Arc::clone(&done));
        let reader = tokio::spawn(async move {
            let mut seen = Vec::new();
            let mut last = 0;
            loop {
                let over = finished.load(Ordering::SeqCst);
                let rows = reading.feed_since(last, 3).await.unwrap();
                last = rows.last().map_or(last, |row| row.revision);
                let empty = rows.is_empty();
                seen.extend(rows.into_iter().map(|row| row.revision));
                if over && empty {
                    return seen;
                }
                tokio::task::yield_now().await;
            }
        });
        let writers = (0..8).map(|writer| {
            let (store, me, project) = (store.clone(), lab.me.clone(), lab.project);
            tokio::spawn(async move {
                for round in 0..10 {
                    // Clocks of different writers disagree: stamps must not.
                    let now = Timestamp(1_800_000_000_000 + i64::from((writer * 7 + round * 3) % 5));
                    store.create_collection(&me.at(now), project, &new_collection(&[])).await.unwrap();
                }
            })
        });
        for outcome in futures::future::join_all(writers).await {
            outcome.unwrap();
        }
        done.store(true, Ordering::SeqCst);
        let seen = reader.await.unwrap();
        let all: Vec<i64> = store.feed_since(0, 1_000).await.unwrap().into_iter().map(|row| row.revision).collect();
        assert_eq!(seen, all);
        assert!(all.len() >= 80 && all.windows(2).all(|pair| pair[0] < pair[1]));
        let stamps: Vec<Timestamp> =
            store.changes(&lab.me, lab.project, 0, 1_000).await.unwrap().into_iter().map(|change| change.at).collect();
        assert!(stamps.windows(2).all(|pair| pair[0] <= pair[1]));
    })
    .await;
}

/// Everybody locks in one order: people and engines that write at once never wait for each other in a circle.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn people_and_the_engine_write_side_by_side() {
    both(async |lab| {
        let run = lab.run().await;
        let uid = lab.uid(Kind::Domain, "acme.test");
        let probes = async {
            for round in 0..12 {
                let name = format!("n{round}.acme.test");
                let look = found(json!({"round": round}), &[(EdgeKind::Subdomain, Kind::DnsRecord, name.as_str())]);
                lab.probe(&run, "names", uid, 2 * round, look).await;
            }
        };
        let marks = async {
            for round in 0..12 {
                let flags = EntityFlags { tags: Some(vec![format!("t{round}")]), ..EntityFlags::default() };
                lab.store.set_entity_flags(&lab.caller(), &uid.to_string(), None, &flags).await.unwrap();
            }
        };
        let projects = async {
            for round in 0..6 {
                let created = lab.store.create_project(&lab.caller(), &format!("p{round}")).await.unwrap();
                let me = lab.store.local_operator().await.unwrap();
                for _ in 0..2 {
                    let new = new_collection(&[(Kind::Domain, "acme.test")]);
                    let view = lab.store.create_collection(&me.at(lab.now()), created.project.id, &new).await.unwrap();
                    lab.store.start_run(&me.at(lab.now()), view.collection.uuid, false).await.unwrap();
                }
                lab.store.delete_project(&me.at(lab.now()), created.project.uuid).await.unwrap();
            }
        };
        let blobs = async {
            for round in 0..12_u8 {
                lab.store.put_blob(&[round % 3], lab.now()).await.unwrap();
                lab.store.tidy(Timestamp(lab.now().0 + 9_000_000)).await.unwrap();
            }
        };
        let settings = async {
            for round in 0..12 {
                let settings = ambit_store::CollectionSettings {
                    level: Some(ambit_model::Clearance::L2),
                    never: Some(vec![format!("{round}.acme.test")]),
                    ..ambit_store::CollectionSettings::default()
                };
                lab.store.change_settings(&lab.caller(), lab.collection, &settings).await.unwrap();
            }
        };
        futures::join!(probes, marks, projects, blobs, settings);
        let record = lab.entity(uid).await.record;
        assert_eq!((record.details["round"].as_i64(), record.tags), (Some(11), vec!["t11".to_owned()]));
        let collection = lab.store.find_collection(&lab.me, lab.collection).await.unwrap().collection;
        assert_eq!(collection.entity_count, 13);
    })
    .await;
}

#[tokio::test]
async fn at_most_500_records_share_a_stamp_in_revision_order() {
    both(async |lab| {
        let run = lab.run().await;
        let uid = lab.uid(Kind::Domain, "acme.test");
        let names: Vec<String> = (0..1_200).map(|n| format!("n{n}.acme.test")).collect();
        let leads: Vec<(EdgeKind, Kind, &str)> =
            names.iter().map(|name| (EdgeKind::Subdomain, Kind::DnsRecord, name.as_str())).collect();
        let committed = lab.probe(&run, "names", uid, 0, found(json!({}), &leads)).await;
        assert_eq!(committed.new_entities, 1_200);
        let uids = lab.store.all_uids(Noun::Entity, None, 10_000).await.unwrap();
        let mut rows = lab.store.index_rows(Noun::Entity, &uids).await.unwrap();
        rows.retain(|row| row.uid != uid);
        rows.sort_by_key(|row| row.revision);
        assert!(rows.windows(2).all(|pair| pair[0].first_seen <= pair[1].first_seen));
        let mut counts = std::collections::BTreeMap::<Timestamp, usize>::new();
        for row in &rows {
            *counts.entry(row.first_seen).or_default() += 1;
        }
        assert!(counts.values().all(|count| *count <= 500), "{counts:?}");
        let collection = lab.store.find_collection(&lab.me, lab.collection).await.unwrap().collection;
        assert_eq!((collection.entity_count, collection.total_entity_count), (1_201, 1_201));
    })
    .await;
}

#[tokio::test]
async fn what_is_seen_again_and_again_is_named_once_at_its_last_sighting() {
    both(async |lab| {
        let run = lab.run().await;
        let uid = lab.uid(Kind::Domain, "acme.test");
        lab.probe(&run, "a", uid, 0, found(json!({"title": "a"}), &[])).await;
        let after = async |revision: i64| {
            let rows = lab.store.feed_since(revision, 1_000).await.unwrap();
            rows.into_iter().map(|row| (row.revision, row.what, row.uid)).collect::<Vec<_>>()
        };
        let changed = lab.store.last_revision().await.unwrap();
        assert_eq!(after(changed - 1).await, [(changed, What::Changed, uid)], "seen and changed is one row");
        let mut reached = changed;
        for look in 1..20 {
            lab.probe(&run, "a", uid, look * 2, found(json!({"title": "a"}), &[])).await;
            let newest = lab.store.last_revision().await.unwrap();
            assert!(newest > reached, "a sighting has a revision of its own");
            assert_eq!(after(reached).await, [(newest, What::Seen, uid)]);
            let seen = lab.store.index_rows(Noun::Entity, &[uid]).await.unwrap()[0].last_seen;
            assert!(seen > lab.store.index_rows(Noun::Entity, &[uid]).await.unwrap()[0].opened_at);
            reached = newest;
        }
        assert_eq!(after(changed).await, [(reached, What::Seen, uid)], "twenty sightings are one row");
        assert_eq!(after(reached).await, []);
        let day = lab.now().plus_ms(30 * 86_400_000);
        lab.store.tidy(day).await.unwrap();
        assert_eq!(after(changed).await, [(reached, What::Seen, uid)], "a reader that was away finds it");
    })
    .await;
}

#[tokio::test]
async fn a_snapshot_shows_no_record_as_a_later_commit_left_it() {
    both(async |lab| {
        let run = lab.run().await;
        let uid = lab.uid(Kind::Domain, "acme.test");
        lab.probe(&run, "a", uid, 0, found(json!({"title": "a"}), &[])).await;
        let mut snapshot = lab.store.feed_snapshot().await.unwrap();
        let newest = snapshot.last_revision().await.unwrap();
        lab.probe(&run, "a", uid, 2, found(json!({"title": "b"}), &[])).await;
        let rows = snapshot.feed_since(newest - 1, 100).await.unwrap();
        assert_eq!(rows.iter().map(|row| row.revision).collect::<Vec<_>>(), [newest]);
        let then = snapshot.index_rows(Noun::Entity, &[uid]).await.unwrap().remove(0);
        let now = lab.store.index_rows(Noun::Entity, &[uid]).await.unwrap().remove(0);
        assert!(then.last_seen < now.last_seen && then.record != now.record);
        assert_eq!(snapshot.history_rows(newest, 100).await.unwrap(), []);
        assert!(lab.store.last_revision().await.unwrap() > newest);
    })
    .await;
}

#[tokio::test]
async fn readers_keep_their_position() {
    both(async |lab| {
        assert_eq!(lab.store.position("index").await.unwrap(), None);
        for revision in [3, 7] {
            lab.store.set_position("index", revision).await.unwrap();
            assert_eq!(lab.store.position("index").await.unwrap(), Some(revision));
        }
        assert_eq!(lab.store.position("other").await.unwrap(), None);
    })
    .await;
}

/// Whoever keeps a milestone knows whether a database is the one, and in the state or behind it, that it read from.
#[tokio::test]
async fn a_milestone_is_of_one_history() {
    both(async |lab| {
        let store = &lab.store;
        let footing = async |milestone| store.footing(milestone).await.unwrap();
        let before = footing(Milestone::default()).await;
        assert_eq!((before.known, before.newest.revision), (false, before.revision));
        store.create_collection(&lab.caller(), lab.project, &new_collection(&[])).await.unwrap();
        let after = footing(before.newest).await;
        assert!(after.known && after.revision > before.revision && after.newest.revision == after.revision);
        let forged = Milestone { token: after.newest.token ^ 1, ..after.newest };
        assert!(!footing(forged).await.known);
        // Of a week ago the feed is no longer whole; the newest stays however old it is.
        store.tidy(Timestamp(lab.now().0 + 8 * 86_400_000)).await.unwrap();
        assert!(!footing(before.newest).await.known);
        assert!(footing(after.newest).await.known);
    })
    .await;
}
