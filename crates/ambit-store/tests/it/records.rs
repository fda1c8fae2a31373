//! Versions and point in time, presence, technologies, counters, and what people mark.

use crate::lab::{Lab, both, found};
use ambit_model::entity::{EntityRecord, PathStep};
use ambit_model::feed::Noun;
use ambit_model::observation::ProbeResult;
use ambit_model::run::Run;
use ambit_model::scope::Decision;
use ambit_model::{Clearance, EdgeKind, Item, Kind, Timestamp, Uid};
use ambit_store::engine::Reconciliation;
use ambit_store::{At, EntityFlags, EntityView};
use serde_json::json;
use std::net::Ipv4Addr;

async fn at(lab: &Lab, uid: Uid, moment: Timestamp) -> At<EntityView> {
    let now = lab.now();
    lab.store.record_at(&lab.me.at(now), &uid.to_string(), None, moment).await.unwrap()
}

async fn then(lab: &Lab, uid: Uid, moment: Timestamp) -> EntityView {
    match at(lab, uid, moment).await {
        At::Then(view) => view,
        At::BeforeFirstSeen(first_seen) => panic!("before {first_seen}"),
    }
}

fn page(title: &str) -> ProbeResult {
    found(json!({"title": title}), &[(EdgeKind::ResolvesTo, Kind::IpAddress, "192.0.2.1")])
}

async fn lose(lab: &Lab, run: &Run, lost: Vec<Uid>) {
    let reconciliation = lab.reconciliation(run.id);
    lab.engine.reconcile(Reconciliation { lost, ..reconciliation }).await.unwrap();
}

#[tokio::test]
async fn point_in_time_reads_the_version_in_force() {
    both(async |lab| {
        let uid = lab.uid(Kind::Domain, "acme.test");
        let first = lab.run().await;
        lab.probe(&first, "http", uid, 0, page("one")).await;
        lab.finish(&first).await;
        let one = lab.entity(uid).await;
        let second = lab.run().await;
        lab.probe(&second, "http", uid, 0, page("one")).await;
        lab.finish(&second).await;
        let third = lab.run().await;
        lab.probe(&third, "http", uid, 0, page("two")).await;
        lab.finish(&third).await;
        let two = lab.entity(uid).await;

        assert_eq!(at(&lab, uid, one.first_seen.plus_ms(-1)).await, At::BeforeFirstSeen(one.first_seen));
        let start = |run: &Run| run.started_at.unwrap();
        // While the first version of the first run stood, it was last seen when that version opened: later than the
        // run's start.
        let shown = then(&lab, uid, one.updated_at).await;
        assert_eq!((&shown.record, shown.last_seen), (&one.record, one.updated_at));
        // The second run saw it again: its start counts, from that start on.
        assert_eq!(then(&lab, uid, start(&second).plus_ms(-1)).await.last_seen, one.updated_at);
        assert_eq!(then(&lab, uid, start(&second)).await.last_seen, start(&second));
        let shown = then(&lab, uid, two.updated_at.plus_ms(-1)).await;
        assert_eq!((shown.record.details["title"].as_str(), shown.last_seen), (Some("one"), start(&third)));
        let shown = then(&lab, uid, two.updated_at).await;
        assert_eq!((shown.record.details["title"].as_str(), shown.last_seen), (Some("two"), two.updated_at));
        let future = then(&lab, uid, Timestamp(i64::MAX)).await;
        assert_eq!(future.record, two.record);
        let points = lab.store.points_in_time(&lab.me, (Item::Entity, &uid.to_string()), None, None).await.unwrap();
        assert_eq!(points.last(), Some(&two.updated_at));
        let late = lab
            .store
            .points_in_time(&lab.me, (Item::Entity, &two.uuid.to_string()), None, Some(two.updated_at))
            .await
            .unwrap();
        assert_eq!(late, [two.updated_at]);
        for point in points {
            assert_eq!(then(&lab, uid, point).await.updated_at, point);
        }
    })
    .await;
}

#[tokio::test]
async fn what_is_seen_is_stamped_after_the_start_of_its_run() {
    both(async |lab| {
        let started = lab.store.start_run(&lab.caller(), lab.collection, false).await.unwrap();
        let now = lab.now();
        let run = lab.engine.claim(started.run().id, now).await.unwrap().unwrap();
        let seed = lab.entity(lab.uid(Kind::Domain, "acme.test")).await;
        assert!(seed.first_seen > run.started_at.unwrap(), "{} {:?}", seed.first_seen, run.started_at);
        assert!(seed.record.seed && seed.record.present);
    })
    .await;
}

#[tokio::test]
async fn a_gone_entity_shows_what_it_was_and_comes_back() {
    both(async |lab| {
        let uid = lab.uid(Kind::DnsRecord, "www.acme.test");
        let seed = lab.uid(Kind::Domain, "acme.test");
        let run = lab.run().await;
        lab.probe(&run, "names", seed, 0, found(json!({}), &[(EdgeKind::Subdomain, Kind::DnsRecord, "www.acme.test")]))
            .await;
        lab.probe(&run, "http", uid, 0, page("one")).await;
        lab.decide(&run, uid, 990, true).await;
        lab.finish(&run).await;
        let was = lab.entity(uid).await;
        let run = lab.run().await;
        for number in [0, 1] {
            lab.probe(&run, "names", seed, number, ProbeResult::Absent).await;
            lab.probe(&run, "http", uid, number, ProbeResult::Absent).await;
        }
        assert!(
            lab.entity(uid).await.record.task_results.is_empty(),
            "nothing is known of it while it is present still"
        );
        let revision = lab.store.last_revision().await.unwrap();
        lose(&lab, &run, vec![uid]).await;
        let dirty = lab.engine.dirty(run.id, 100).await.unwrap();
        assert!(
            dirty.iter().any(|dirty| dirty.uid == uid),
            "what is gone is judged once more, so that its issues go with it"
        );
        assert_eq!(lab.feed_after(revision).await, ["entity disappeared www.acme.test"]);
        lab.finish(&run).await;
        let gone = lab.entity(uid).await;
        assert!(!gone.record.present);
        assert_eq!(gone.record.details, was.record.details);
        assert_eq!((gone.record.scoped, &gone.record.task_results), (true, &was.record.task_results));
        assert_eq!(gone.last_seen, was.last_seen);
        let collection = lab.store.find_collection(&lab.me, lab.collection).await.unwrap().collection;
        assert_eq!((collection.entity_count, collection.total_entity_count), (2, 3), "the address has no decision yet");
        assert_eq!(then(&lab, uid, Timestamp(i64::MAX)).await.record, gone.record);
        let while_gone = lab.now();
        let shown = then(&lab, uid, while_gone).await;
        assert_eq!(
            (shown.record.present, shown.last_seen),
            (false, gone.last_seen),
            "it was not seen when it was gone"
        );
        let run = lab.run().await;
        let revision = lab.store.last_revision().await.unwrap();
        lab.probe(&run, "names", seed, 0, found(json!({}), &[(EdgeKind::Subdomain, Kind::DnsRecord, "www.acme.test")]))
            .await;
        assert!(!lab.entity(uid).await.record.present, "scope has the word");
        lab.decide(&run, uid, 990, true).await;
        let feed = lab.feed_after(revision).await;
        assert_eq!(feed.last().map(String::as_str), Some("entity appeared www.acme.test"), "{feed:?}");
        let back = lab.entity(uid).await;
        assert!(back.record.present && back.last_seen > gone.last_seen && back.first_seen == was.first_seen);
        let shown = then(&lab, uid, while_gone).await;
        assert_eq!(
            (shown.record.present, shown.last_seen),
            (false, was.updated_at),
            "nor is that known otherwise later"
        );
    })
    .await;
}

#[tokio::test]
async fn technologies_follow_the_fingerprints_of_present_entities() {
    both(async |lab| {
        let run = lab.run().await;
        let seed = lab.uid(Kind::Domain, "acme.test");
        let nginx = json!({"vendor": "F5", "product": "nginx", "version": "1.25", "cpe": "cpe:2.3:a:f5:nginx:1.25",
        "tags": ["Web"]});
        let sites = [
            (EdgeKind::Site, Kind::Uri, "https://a.acme.test:443"),
            (EdgeKind::Site, Kind::Uri, "https://b.acme.test:443"),
        ];
        lab.probe(&run, "names", seed, 0, found(json!({}), &sites)).await;
        let [a, b] = ["https://a.acme.test:443", "https://b.acme.test:443"].map(|name| lab.uid(Kind::Uri, name));
        for uid in [a, b] {
            lab.probe(&run, "http", uid, 0, found(json!({"fingerprint": [nginx, nginx]}), &[])).await;
        }
        let technology = Uid::of_technology(lab.collection, "F5", "nginx", "1.25");
        let rows = lab.store.index_rows(Noun::Technology, &[technology]).await.unwrap();
        assert_eq!(
            (rows[0].record["entity_count"].as_i64(), rows[0].record["labels"][0].as_str()),
            (Some(2), Some("Web"))
        );
        assert!(rows[0].last_seen > rows[0].first_seen);
        lab.probe(&run, "http", a, 2, found(json!({"fingerprint": []}), &[])).await;
        lose(&lab, &run, vec![b]).await;
        let rows = lab.store.index_rows(Noun::Technology, &[technology]).await.unwrap();
        assert_eq!(rows[0].record["entity_count"].as_i64(), Some(0));
        assert_eq!(
            lab.store.history_rows(0, 100).await.unwrap().iter().filter(|row| row.noun == Noun::Technology).count(),
            0,
            "one run, one version"
        );
    })
    .await;
}

/// Closed versions of an entity.
async fn closed_versions(lab: &Lab, uid: Uid) -> usize {
    lab.store.history_rows(0, 1_000).await.unwrap().iter().filter(|row| row.uid == uid).count()
}

#[tokio::test]
async fn a_run_leaves_one_version_of_a_record_and_bookkeeping_none() {
    both(async |lab| {
        let uid = lab.uid(Kind::Domain, "acme.test");
        let run = lab.run().await;
        let seeded = lab.entity(uid).await;
        lab.probe(&run, "http", uid, 0, page("one")).await;
        lab.probe(&run, "http", uid, 2, page("two")).await;
        lab.finish(&run).await;
        let first = lab.entity(uid).await;
        assert_eq!((closed_versions(&lab, uid).await, first.updated_at), (0, seeded.updated_at));
        assert_eq!((&first.record.details["title"], first.last_seen > seeded.last_seen), (&json!("two"), true));

        let run = lab.run().await;
        lab.probe(&run, "derived", uid, 0, found(json!({}), &[])).await;
        let same = lab.entity(uid).await;
        assert_eq!((closed_versions(&lab, uid).await, same.updated_at), (0, first.updated_at));
        assert_eq!(same.record.task_results.len(), 2, "the record shows by whom it was seen");
        lab.probe(&run, "http", uid, 0, page("three")).await;
        assert_eq!(then(&lab, uid, first.updated_at).await.record.details["title"], json!("two"));
        assert_eq!(closed_versions(&lab, uid).await, 1);

        let tags = EntityFlags { tags: Some(vec!["mine".to_owned()]), ..EntityFlags::default() };
        lab.store.set_entity_flags(&lab.caller(), &uid.to_string(), None, &tags).await.unwrap();
        assert_eq!(closed_versions(&lab, uid).await, 2, "a person's change is a version of its own");
        lab.probe(&run, "http", uid, 2, page("four")).await;
        lab.probe(&run, "http", uid, 4, page("five")).await;
        lab.finish(&run).await;
        assert_eq!(closed_versions(&lab, uid).await, 3);
        assert_eq!(lab.entity(uid).await.record.tags, ["mine"]);
    })
    .await;
}

#[tokio::test]
async fn the_same_way_by_another_task_is_no_version() {
    both(async |lab| {
        let uid = lab.uid(Kind::Domain, "acme.test");
        let by = async |task: &str, own: u16| {
            let run = lab.run().await;
            let step = PathStep {
                from_kind: Kind::Domain,
                from_name: "acme.test".to_owned(),
                edge: EdgeKind::ResolvesTo,
                task: task.to_owned(),
                own,
                cap: Clearance::L3,
                ground: None,
            };
            let mut reconciliation = lab.reconciliation(run.id);
            let decision = Decision {
                ownership: own,
                clearance: Clearance::L3,
                reason: "subdomain".into(),
                path: vec![step],
                evidence: Vec::new(),
            };
            reconciliation.decisions.push((uid, decision, true));
            lab.engine.reconcile(reconciliation).await.unwrap();
            lab.finish(&run).await;
            (closed_versions(&lab, uid).await, lab.entity(uid).await.record.path[0].task.clone())
        };
        let (first, _) = by("resolve", 900).await;
        assert_eq!(by("guess", 900).await, (first, "guess".to_owned()));
        assert_eq!(by("guess", 800).await.0, first + 1, "another way is another version");
    })
    .await;
}

#[tokio::test]
async fn what_comes_and_goes_within_a_run_is_neither_new_nor_gone() {
    both(async |lab| {
        let (seed, uid) = (lab.uid(Kind::Domain, "acme.test"), lab.uid(Kind::DnsRecord, "www.acme.test"));
        let named = || found(json!({}), &[(EdgeKind::Subdomain, Kind::DnsRecord, "www.acme.test")]);
        // Whether it is there after each word of scope in a run, and how many are new at its end: the seed is one.
        for (words, new) in
            [(&[true, false][..], 1), (&[true][..], 1), (&[false, true][..], 0), (&[false][..], 0), (&[true][..], 1)]
        {
            let run = lab.run().await;
            lab.probe(&run, "names", seed, 0, named()).await;
            for present in words {
                lab.decide(&run, uid, 990, *present).await;
            }
            lab.finish(&run).await;
            let counted = lab.engine.run(run.id).await.unwrap().counters.new_entities;
            assert_eq!(counted, new, "run {}: {words:?}", run.number);
        }
    })
    .await;
}

#[tokio::test]
async fn people_mark_entities_and_what_they_mark_is_versioned() {
    both(async |lab| {
        let run = lab.run().await;
        let uid = lab.uid(Kind::Domain, "acme.test");
        lab.finish(&run).await;
        let before = lab.entity(uid).await;
        let flags = EntityFlags {
            hidden: Some(true),
            tags: Some(vec![" b ".to_owned(), "a".to_owned()]),
            ..EntityFlags::default()
        };
        lab.store.set_entity_flags(&lab.caller(), &before.uuid.to_string(), None, &flags).await.unwrap();
        let after = lab.entity(uid).await;
        assert_eq!((after.record.hidden, after.record.tags.join(",")), (true, "a,b".to_owned()));
        assert_eq!(after.last_seen, before.last_seen, "a person's mark is no sight");
        assert_eq!(then(&lab, uid, before.updated_at).await.record, before.record);
        assert_eq!(lab.store.person_revision(lab.project).await.unwrap(), lab.store.last_revision().await.unwrap());
        let graph = lab.engine.graph(lab.collection, 0).await.unwrap();
        assert!(!graph.nodes[0].node.allow);
        let flags = EntityFlags { allow: Some(true), ..EntityFlags::default() };
        lab.store.set_entity_flags(&lab.caller(), &uid.to_string(), None, &flags).await.unwrap();
        let delta = lab.engine.graph(lab.collection, graph.revision).await.unwrap();
        assert!(delta.nodes[0].node.allow);
        let audit = lab.store.list_audit(&lab.me, None, 2).await.unwrap();
        assert_eq!(audit.iter().map(|row| row.action.as_str()).collect::<Vec<_>>(), ["entity.flags", "entity.flags"]);
    })
    .await;
}

#[tokio::test]
async fn removed_seeds_are_seeds_no_longer_after_the_next_claim() {
    both(async |lab| {
        let run = lab.run().await;
        lab.finish(&run).await;
        let added = lab
            .store
            .add_seeds(&lab.caller(), lab.collection, &[(Kind::IpAddress, "192.0.2.9".to_owned())])
            .await
            .unwrap();
        assert_eq!(added.iter().map(|seed| seed.name.as_str()).collect::<Vec<_>>(), ["acme.test", "192.0.2.9"]);
        lab.store.remove_seed(&lab.caller(), added[0].id).await.unwrap();
        let _run = lab.run().await;
        assert!(!lab.entity(lab.uid(Kind::Domain, "acme.test")).await.record.seed);
        assert!(lab.entity(lab.uid(Kind::IpAddress, "192.0.2.9")).await.record.seed);
        let bad = lab.store.add_seeds(&lab.caller(), lab.collection, &[(Kind::IpAddress, "nonsense".to_owned())]).await;
        assert!(matches!(bad, Err(ambit_store::StoreError::Invalid(_))), "{bad:?}");
    })
    .await;
}

/// More than are taken up at once, and more than a collection may have.
#[tokio::test]
async fn thousands_of_seeds_are_taken_up_and_too_many_are_refused_as_a_whole() {
    let lab = Lab::sqlite().await;
    let addresses = |from: u32, count: u32| -> Vec<(Kind, String)> {
        let first = u32::from(Ipv4Addr::new(192, 0, 2, 0));
        (from..from + count).map(|at| (Kind::IpAddress, Ipv4Addr::from(first + at).to_string())).collect()
    };
    lab.store.add_seeds(&lab.caller(), lab.collection, &addresses(0, 1_300)).await.unwrap();
    let run = lab.run().await;
    let view = lab.store.find_collection(&lab.me, lab.collection).await.unwrap();
    assert_eq!((view.collection.entity_count, view.collection.total_entity_count), (1_301, 1_301), "with its domain");
    lab.finish(&run).await;
    let many = lab.store.add_seeds(&lab.caller(), lab.collection, &addresses(1_300, 25_000 - 1_301 + 1)).await;
    assert!(matches!(many, Err(ambit_store::StoreError::Conflict(_))), "{many:?}");
    let seeds = lab.store.list_seeds(&lab.me, lab.collection).await.unwrap();
    assert_eq!(seeds.len(), 1_301);
    let all = lab.store.add_seeds(&lab.caller(), lab.collection, &addresses(1_300, 25_000 - 1_301)).await.unwrap();
    assert_eq!(all.len(), 25_000);
}

/// Clients remove seeds by their ids, and a removal that is repeated or late must hit no other.
#[tokio::test]
async fn the_id_of_a_removed_seed_is_given_to_no_other() {
    both(async |lab| {
        let add = async |name: &str| {
            let seeds = [(Kind::Domain, name.to_owned())];
            let all = lab.store.add_seeds(&lab.caller(), lab.collection, &seeds).await.unwrap();
            all.iter().find(|seed| seed.name == name).unwrap().id
        };
        let mut given = Vec::new();
        for name in ["a.test", "b.test", "c.test"] {
            let id = add(name).await;
            assert!(!given.contains(&id), "{id} of {name} was another's: {given:?}");
            given.push(id);
            lab.store.remove_seed(&lab.caller(), id).await.unwrap();
        }
    })
    .await;
}

#[tokio::test]
async fn only_seeds_named_on_a_command_line_are_the_operator_s() {
    both(async |lab| {
        let named = async || lab.engine.operator_seeds(lab.collection).await.unwrap();
        let address = |last: u8| (Kind::IpAddress, format!("10.0.0.{last}"));
        let (store, me) = (&lab.store, &lab.me);
        store.add_seeds(&me.at(lab.now()), lab.collection, &[address(1), address(2)]).await.unwrap();
        assert!(named().await.is_empty(), "what a member adds is a member's");
        store.name_seeds(&me.at(lab.now()), lab.collection, &[address(1), address(3)]).await.unwrap();
        assert_eq!(named().await, [address(1)], "what is no seed is not made one");
        store.add_seeds(&me.at(lab.now()), lab.collection, &[address(1)]).await.unwrap();
        assert_eq!(named().await, [address(1)], "and stays so");
        let seeds = store.list_seeds(me, lab.collection).await.unwrap();
        let seed = seeds.iter().find(|seed| seed.name == "10.0.0.1").unwrap();
        store.remove_seed(&me.at(lab.now()), seed.id).await.unwrap();
        store.add_seeds(&me.at(lab.now()), lab.collection, &[address(1)]).await.unwrap();
        assert!(named().await.is_empty(), "who adds it again is a member");
    })
    .await;
}

#[tokio::test]
async fn integer_ids_are_the_uids_own() {
    both(async |lab| {
        let _run = lab.run().await;
        let uid = lab.uid(Kind::Domain, "acme.test");
        let view = lab.entity(uid).await;
        assert_eq!((view.id, view.uuid), (uid.integer(), uid.uuid()));
        let wrong = ambit_model::id::blob_hash(b"another");
        for id in [wrong.to_string(), wrong.uuid().to_string(), "nonsense".to_owned(), String::new()] {
            let missing = lab.store.find_record::<EntityRecord>(&lab.me, &id, None).await;
            assert_eq!(missing.unwrap_err(), ambit_store::StoreError::NotFound, "{id}");
        }
    })
    .await;
}
