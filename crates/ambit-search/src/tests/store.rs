//! The index follows a real store: seeds, marks of people, deletions, restarts, rebuilds.

use super::{Scratch, names};
use crate::graphs::GraphSearch;
use crate::{
    CollectionContext, Index, SearchContext, SearchRequest, Window, ask_rebuild, catch_up, follow, is_rebuilt, rebuild,
};
use ambit_model::run::RunState;
use ambit_model::{Clearance, Kind, Timestamp, Uid};
use ambit_query::graphs::{GraphOrder, parse_graph_query};
use ambit_query::{Noun, parse_search};
use ambit_store::{EntityFlags, NewCollection, NewGraph, NewOwner, Options, Principal, Started, Store, restore};
use serde_json::json;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;
use tokio::sync::watch;
use uuid::Uuid;

const NOW: Timestamp = Timestamp(1_700_000_000_000);

struct House {
    scratch: Scratch,
    store: Store,
    principal: Principal,
    project: i64,
}

impl House {
    async fn new() -> Self {
        let scratch = Scratch::new();
        let owner = NewOwner { email: "o@acme.test".to_owned(), organization: "Acme".to_owned(), username: None };
        Store::init(&Options::folder(scratch.path()), &owner, NOW).await.unwrap();
        Self::of(scratch).await
    }

    /// Of a folder with an installation.
    async fn of(scratch: Scratch) -> Self {
        let store = Store::open(&Options::folder(scratch.path())).await.unwrap();
        let principal = store.local_operator().await.unwrap();
        let project = store.choose_project(&principal, None).await.unwrap().unwrap();
        House { scratch, store, principal, project }
    }

    /// A collection whose seeds a run has made entities.
    async fn collection(&self, name: &str, seeds: &[&str]) -> Uuid {
        let seeds = seeds.iter().map(|seed| (Kind::Domain, (*seed).to_owned())).collect();
        let new = NewCollection { level: Clearance::L1, ..NewCollection::usual(name, seeds) };
        let uuid =
            self.store.create_collection(&self.principal.at(NOW), self.project, &new).await.unwrap().collection.uuid;
        let started = self.store.start_run(&self.principal.at(NOW), uuid, false).await.unwrap();
        let Started::Scheduled(run) = started else { panic!("a new collection has no open run") };
        let engine = self.store.engine("test", Duration::ZERO).await.unwrap();
        engine.claim(run.id, NOW).await.unwrap().unwrap();
        uuid
    }

    /// Which generation of the index counts.
    fn generation(&self) -> String {
        std::fs::read_to_string(self.scratch.path().join("index").join("current")).unwrap()
    }

    fn open(&self) -> Index {
        Index::open(&self.scratch.path().join("index")).unwrap()
    }

    async fn find(&self, index: &Index, text: &str) -> String {
        self.find_in(index, text, Window::Now).await
    }

    async fn find_in(&self, index: &Index, text: &str, window: Window) -> String {
        let contexts = self.store.collection_contexts(&self.principal, self.project, index.reached()).await.unwrap();
        let collections = contexts.into_iter().map(|context| CollectionContext {
            uuid: context.uuid,
            name: context.name,
            printable_name: context.printable_name,
            last_refreshes: context.last_refreshes,
            configured_scan_count: 3,
            overdue_since: Vec::new(),
        });
        let context = SearchContext { project: self.project, collections: collections.collect(), whole_project: true };
        let later = NOW.plus_ms(1_000_000);
        let mut request =
            SearchRequest::new(Noun::Entities, parse_search(text, Noun::Entities).unwrap(), context, later);
        request.sort_field = Some("name".to_owned());
        request.window = window;
        names(&index.search(request).await.unwrap())
    }

    async fn tag(&self, collection: Uuid, name: &str, tag: &str) {
        self.tag_at(collection, name, tag, NOW).await;
    }

    async fn tag_at(&self, collection: Uuid, name: &str, tag: &str, now: Timestamp) {
        let uid = Uid::of_entity(collection, Kind::Domain, name).to_string();
        let flags = EntityFlags { tags: Some(vec![tag.to_owned()]), ..EntityFlags::default() };
        self.store.set_entity_flags(&self.principal.at(now), &uid, None, &flags).await.unwrap();
    }
}

#[tokio::test]
async fn a_process_beside_the_writer_waits_for_no_index_that_is_empty() {
    let house = House::new().await;
    let writer = house.open();
    let reader = Index::open_read_only(&house.scratch.path().join("index"), Some(&house.store)).unwrap();
    assert!(reader.wait_for(0, Duration::ZERO).await.unwrap(), "it holds all that there was before revision 1");
    house.collection("Acme", &["acme.test"]).await;
    let revision = house.store.last_revision().await.unwrap();
    assert!(!reader.wait_for(revision, Duration::ZERO).await.unwrap(), "it is behind");
    catch_up(&writer, &house.store).await.unwrap();
    assert!(reader.wait_for(revision, Duration::ZERO).await.unwrap());
}

#[tokio::test]
async fn a_run_whose_sightings_are_not_in_the_index_yet_is_no_refresh_yet() {
    let house = House::new().await;
    let acme = house.collection("Acme", &["acme.test"]).await;
    let index = house.open();
    let engine = house.store.engine("test", Duration::ZERO).await.unwrap();
    let (first, later) = (1, NOW.plus_ms(60_000));
    engine.finish(first, RunState::Finished, &[], NOW.plus_ms(1_000)).await.unwrap();
    catch_up(&index, &house.store).await.unwrap();
    let active = "last_seen_after:last_refresh";
    assert_eq!(house.find(&index, active).await, "acme.test");

    let started = house.store.start_run(&house.principal.at(later), acme, false).await.unwrap();
    let Started::Scheduled(second) = started else { panic!("the first run is over") };
    engine.claim(second.id, later).await.unwrap().unwrap();
    engine.finish(second.id, RunState::Finished, &[], later.plus_ms(1_000)).await.unwrap();
    assert_eq!(house.find(&index, active).await, "acme.test", "the index is behind");
    catch_up(&index, &house.store).await.unwrap();
    assert_eq!(house.find(&index, active).await, "", "the second run saw nothing");
}

#[tokio::test]
async fn the_index_follows_the_store() {
    let house = House::new().await;
    let acme = house.collection("Acme", &["acme.test", "acme.example"]).await;
    let index = house.open();
    let revision = catch_up(&index, &house.store).await.unwrap();
    assert_eq!(revision, house.store.last_revision().await.unwrap());
    assert_eq!(house.find(&index, "").await, "acme.example acme.test");

    house.tag(acme, "acme.test", "mine").await;
    assert_eq!(house.find(&index, "tag:mine").await, "");
    catch_up(&index, &house.store).await.unwrap();
    assert_eq!(house.find(&index, "tag:mine").await, "acme.test");

    // Stopped and started, it stands where it stood.
    drop(index);
    let index = house.open();
    assert!(index.reached() < 0, "not before it was compared with the database");
    assert_eq!(index.committed().unwrap(), house.store.last_revision().await.unwrap());
    let generation = house.generation();
    catch_up(&index, &house.store).await.unwrap();
    assert_eq!((index.reached(), house.generation()), (index.committed().unwrap(), generation));
    assert_eq!(house.find(&index, "tag:mine").await, "acme.test");
}

/// Another folder with a backup of the database, and the index that was left from later.
async fn restored(house: &House, backup: &Path) -> House {
    let scratch = Scratch::new();
    restore(backup, scratch.path()).await.unwrap();
    let index = scratch.path().join("index");
    super::damage::copy(&house.scratch.path().join("index"), &index);
    House::of(scratch).await
}

/// What the index and the database say of the tags of a restored house are the same; also after others were given,
/// beyond the revision of the index.
async fn is_right_after_a_restore(house: &House, acme: Uuid, gone: &str) {
    let index = house.open();
    assert!(!index.is_of(&house.store).await.unwrap());
    for round in 0..4 {
        catch_up(&index, &house.store).await.unwrap();
        assert!(index.is_of(&house.store).await.unwrap());
        let newest = house.store.last_revision().await.unwrap();
        assert!(index.wait_for(newest, Duration::ZERO).await.unwrap());
        for (text, expected) in
            [(format!("tag:{gone}"), ""), ("tag:before".to_owned(), "acme.test"), (format!("tag:other{round}"), "")]
        {
            assert_eq!(house.find(&index, &text).await, expected, "{text}");
        }
        house.tag(acme, "acme.example", &format!("other{round}")).await;
    }
    catch_up(&index, &house.store).await.unwrap();
    assert_eq!(house.find(&index, "tag:other3").await, "acme.example");
}

#[tokio::test]
async fn an_index_from_later_than_a_restored_database_is_built_anew() {
    let house = House::new().await;
    let acme = house.collection("Acme", &["acme.test", "acme.example"]).await;
    house.tag(acme, "acme.test", "before").await;
    let index = house.open();
    catch_up(&index, &house.store).await.unwrap();
    let backup = Scratch::new();
    house.store.back_up(backup.path()).await.unwrap();
    house.tag(acme, "acme.test", "after").await;
    catch_up(&index, &house.store).await.unwrap();
    drop(index);
    is_right_after_a_restore(&restored(&house, backup.path()).await, acme, "after").await;
    // Also where the restored database has gone on beyond the revision of the index before anybody compares them.
    let ahead = restored(&house, backup.path()).await;
    for round in 0..10 {
        ahead.tag(acme, "acme.example", &format!("ahead{round}")).await;
    }
    is_right_after_a_restore(&ahead, acme, "after").await;
}

#[tokio::test]
async fn an_index_of_another_installation_is_built_anew() {
    let (house, other) = (House::new().await, House::new().await);
    let acme = house.collection("Acme", &["acme.test", "acme.example"]).await;
    house.tag(acme, "acme.test", "before").await;
    let theirs = other.collection("Other", &["other.test"]).await;
    other.tag(theirs, "other.test", "theirs").await;
    let index = other.open();
    catch_up(&index, &other.store).await.unwrap();
    drop(index);
    super::damage::copy(&other.scratch.path().join("index"), &house.scratch.path().join("index"));
    is_right_after_a_restore(&house, acme, "theirs").await;
}

/// A database that is replaced under a running server: searches wait, then are right; walks through pages of before are
/// over.
#[tokio::test]
async fn an_index_whose_database_is_replaced_while_it_serves_is_built_anew() {
    let house = House::new().await;
    let acme = house.collection("Acme", &["acme.test"]).await;
    house.tag(acme, "acme.test", "before").await;
    let backup = Scratch::new();
    house.store.back_up(backup.path()).await.unwrap();
    house.tag(acme, "acme.test", "after").await;
    let index = house.open();
    catch_up(&index, &house.store).await.unwrap();
    assert_eq!(house.find(&index, "tag:after").await, "acme.test");
    let replaced = restored(&house, backup.path()).await;
    let (stop, stopped) = watch::channel(false);
    let following = tokio::spawn(follow(index.clone(), replaced.store.clone(), stopped));
    while !index.is_of(&replaced.store).await.unwrap() {
        tokio::task::yield_now().await;
    }
    let newest = replaced.store.last_revision().await.unwrap();
    assert!(index.wait_for(newest, Duration::from_secs(60)).await.unwrap());
    assert_eq!(replaced.find(&index, "tag:after").await, "");
    assert_eq!(replaced.find(&index, "tag:before").await, "acme.test");
    let wish = ask_rebuild(&replaced.store).await.unwrap();
    while !is_rebuilt(&replaced.store, wish).await.unwrap() {
        tokio::task::yield_now().await;
    }
    stop.send_replace(true);
    following.await.unwrap();
}

/// A reader beside a writer that has not compared yet waits, and does not answer from what is of another history.
#[tokio::test]
async fn a_reader_waits_until_the_index_is_of_its_database() {
    let house = House::new().await;
    let acme = house.collection("Acme", &["acme.test", "acme.example"]).await;
    house.tag(acme, "acme.test", "before").await;
    let backup = Scratch::new();
    house.store.back_up(backup.path()).await.unwrap();
    house.tag(acme, "acme.test", "after").await;
    let index = house.open();
    catch_up(&index, &house.store).await.unwrap();
    drop(index);
    let replaced = restored(&house, backup.path()).await;
    let place = replaced.scratch.path().join("index");
    let reader = Index::open_read_only(&place, Some(&replaced.store)).unwrap();
    let newest = replaced.store.last_revision().await.unwrap();
    assert!(!reader.wait_for(newest, Duration::ZERO).await.unwrap());
    catch_up(&replaced.open(), &replaced.store).await.unwrap();
    assert!(reader.wait_for(newest, Duration::from_secs(60)).await.unwrap());
    assert_eq!(replaced.find(&reader, "tag:after").await, "");
}

#[tokio::test]
async fn graphs_of_another_state_of_the_database_are_read_anew() {
    let house = House::new().await;
    let graph = |name: &str| NewGraph {
        document: json!({"graph_data": {"description": name}}).as_object().unwrap().clone(),
        private: false,
    };
    let total = async |index: &Index, store: &Store, word: &str| {
        let search = GraphSearch {
            query: parse_graph_query(word, &|_| Vec::new()).unwrap(),
            order: GraphOrder::default(),
            user: "nobody".to_owned(),
            groups: Vec::new(),
            groups_of: BTreeMap::new(),
            after: None,
            limit: 10,
        };
        index.graphs().search(store, search).await.unwrap().total
    };
    house.store.create_graph(&house.principal.at(NOW), &graph("kept")).await.unwrap();
    let backup = Scratch::new();
    house.store.back_up(backup.path()).await.unwrap();
    house.store.create_graph(&house.principal.at(NOW), &graph("lost")).await.unwrap();
    let index = house.open();
    assert_eq!(total(&index, &house.store, "lost").await, 1);
    let replaced = restored(&house, backup.path()).await;
    let store = &replaced.store;
    // In the process that has it open, and in one that opens what was left.
    for (index, new) in [(&index, "new"), (&replaced.open(), "newer")] {
        assert_eq!((total(index, store, "lost").await, total(index, store, "kept").await), (0, 1));
        store.create_graph(&replaced.principal.at(NOW), &graph(new)).await.unwrap();
        assert_eq!((total(index, store, "lost").await, total(index, store, new).await), (0, 1));
    }
}

#[tokio::test]
async fn a_deleted_collection_goes_from_the_index() {
    let house = House::new().await;
    let acme = house.collection("Acme", &["acme.test"]).await;
    house.collection("Other", &["other.test"]).await;
    let index = house.open();
    catch_up(&index, &house.store).await.unwrap();
    assert_eq!(house.find(&index, "").await, "acme.test other.test");
    house.store.delete_collection(&house.principal.at(NOW), acme).await.unwrap();
    catch_up(&index, &house.store).await.unwrap();
    assert_eq!((house.find(&index, "").await.as_str(), index.documents()), ("other.test", 1));
}

#[tokio::test]
async fn a_rebuild_gives_the_same_index() {
    let house = House::new().await;
    let acme = house.collection("Acme", &["acme.test", "acme.example"]).await;
    house.tag(acme, "acme.test", "mine").await;
    let index = house.open();
    catch_up(&index, &house.store).await.unwrap();
    rebuild(&index, &house.store).await.unwrap();
    assert_eq!((index.reached(), index.documents()), (house.store.last_revision().await.unwrap(), 2));
    assert_eq!(house.find(&index, "tag:mine").await, "acme.test");
    // And the rebuilt one is followed and survives.
    house.tag(acme, "acme.example", "mine").await;
    catch_up(&index, &house.store).await.unwrap();
    drop(index);
    assert_eq!(house.find(&house.open(), "tag:mine").await, "acme.example acme.test");
}

#[tokio::test]
async fn closed_versions_are_followed_and_rebuilt() {
    let house = House::new().await;
    let acme = house.collection("Acme", &["acme.test", "acme.example"]).await;
    let index = house.open();
    catch_up(&index, &house.store).await.unwrap();
    let (first, second) = (NOW.plus_ms(10_000), NOW.plus_ms(20_000));
    house.tag_at(acme, "acme.test", "one", first).await;
    catch_up(&index, &house.store).await.unwrap();
    house.tag_at(acme, "acme.test", "two", second).await;
    catch_up(&index, &house.store).await.unwrap();
    for again in [false, true] {
        if again {
            rebuild(&index, &house.store).await.unwrap();
        }
        assert_eq!(index.documents(), 4, "two current, two closed");
        for (window, text, expected) in [
            (Window::Now, "tag:one", ""),
            (Window::Now, "tag:two", "acme.test"),
            (Window::AsOf(first), "tag:one", "acme.test"),
            (Window::AsOf(second.plus_ms(-1)), "tag:one", "acme.test"),
            (Window::AsOf(second), "tag:one", ""),
            (Window::AsOf(first.plus_ms(-1)), "", "acme.example acme.test"),
            (Window::AsOf(NOW.plus_ms(-1)), "", ""),
            (Window::Between(NOW.plus_ms(5_000), second), "change:changed", "acme.test"),
            (Window::Between(NOW.plus_ms(5_000), second), "change:appeared", ""),
            (Window::Between(NOW.plus_ms(-5), NOW.plus_ms(5_000)), "change:appeared", "acme.example acme.test"),
        ] {
            assert_eq!(house.find_in(&index, text, window).await, expected, "{window:?} {text} {again}");
        }
    }
    house.store.delete_collection(&house.principal.at(second), acme).await.unwrap();
    catch_up(&index, &house.store).await.unwrap();
    assert_eq!(index.documents(), 0, "its past goes with it");
}

#[tokio::test]
async fn a_search_sees_what_its_caller_wrote() {
    let house = House::new().await;
    let acme = house.collection("Acme", &["acme.test"]).await;
    let index = house.open();
    let (stop, stopped) = watch::channel(false);
    let following = tokio::spawn(follow(index.clone(), house.store.clone(), stopped));
    for round in 0..5 {
        let tag = format!("t{round}");
        house.tag(acme, "acme.test", &tag).await;
        let revision = house.store.person_revision(house.project).await.unwrap();
        assert!(index.wait_for(revision, Duration::from_secs(5)).await.unwrap());
        assert_eq!(house.find(&index, &format!("tag:{tag}")).await, "acme.test");
    }
    stop.send_replace(true);
    following.await.unwrap();
}

#[tokio::test]
async fn a_rebuild_is_made_by_the_writer_while_it_serves() {
    let house = House::new().await;
    house.collection("Acme", &["acme.test"]).await;
    let index = house.open();
    catch_up(&index, &house.store).await.unwrap();
    let before = house.generation();
    let (stop, stopped) = watch::channel(false);
    let following = tokio::spawn(follow(index.clone(), house.store.clone(), stopped));
    let wish = ask_rebuild(&house.store).await.unwrap();
    while !is_rebuilt(&house.store, wish).await.unwrap() {
        assert_eq!(house.find(&index, "").await, "acme.test", "it serves meanwhile");
    }
    assert_ne!(house.generation(), before);
    assert_eq!(house.find(&index, "").await, "acme.test");
    assert!(!is_rebuilt(&house.store, wish + 1).await.unwrap());
    stop.send_replace(true);
    following.await.unwrap();
}

#[tokio::test]
async fn an_index_that_is_damaged_while_it_serves_is_rebuilt() {
    let house = House::new().await;
    house.collection("Acme", &["acme.test"]).await;
    let index = house.open();
    catch_up(&index, &house.store).await.unwrap();
    let generation = std::fs::read_dir(house.scratch.path().join("index"))
        .unwrap()
        .flatten()
        .find(|entry| entry.path().is_dir())
        .unwrap();
    let records = std::fs::read_dir(generation.path())
        .unwrap()
        .flatten()
        .find(|entry| entry.path().extension().is_some_and(|end| end == "store"));
    // In place, as a failing disk would: the bytes under the open index change.
    let file = records.unwrap().path();
    let bytes = vec![0xff; std::fs::metadata(&file).unwrap().len() as usize];
    std::fs::OpenOptions::new().write(true).open(&file).unwrap().write_all(&bytes).unwrap();
    let contexts = SearchContext { project: house.project, collections: Vec::new(), whole_project: true };
    let request = SearchRequest::new(Noun::Entities, parse_search("", Noun::Entities).unwrap(), contexts, NOW);
    assert!(index.search(request.clone()).await.is_err(), "never answered from");
    let (stop, stopped) = watch::channel(false);
    let following = tokio::spawn(follow(index.clone(), house.store.clone(), stopped));
    while index.search(request.clone()).await.is_err() {
        tokio::task::yield_now().await;
    }
    assert_eq!(house.find(&index, "").await, "acme.test");
    stop.send_replace(true);
    following.await.unwrap();
}
