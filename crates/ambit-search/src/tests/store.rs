//! The index follows a real store: seeds, marks of people, deletions, restarts, rebuilds.

use std::io::Write as _;
use std::time::Duration;

use ambit_model::collection::Schedule;
use ambit_model::wire::WireChoice;
use ambit_model::{Clearance, Kind, Timestamp, Uid};
use ambit_query::{Noun, parse_search};
use ambit_store::{EntityFlags, NewCollection, NewOwner, Options, Principal, Started, Store};
use tokio::sync::watch;
use uuid::Uuid;

use super::{Scratch, names};
use crate::{CollectionContext, Index, SearchContext, SearchRequest, Window, ask_rebuild, catch_up, follow, is_rebuilt, rebuild};

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
        let owner = NewOwner {
            email: "o@acme.test".to_owned(),
            organization: "Acme".to_owned(),
            username: None,
        };
        let (store, _) = Store::init(&Options::folder(scratch.path()), &owner, NOW).await.unwrap();
        let principal = store.local_operator().await.unwrap();
        let project = store.choose_project(&principal, None).await.unwrap().unwrap();
        House {
            scratch,
            store,
            principal,
            project,
        }
    }

    /// A collection whose seeds a run has made entities.
    async fn collection(&self, name: &str, seeds: &[&str]) -> Uuid {
        let new = NewCollection {
            uuid: None,
            printable_name: name.to_owned(),
            workflow: "external_discovery_and_assessment".to_owned(),
            schedule: Schedule::OnDemand,
            wire: WireChoice::Live,
            level: Clearance::L1,
            never: Vec::new(),
            seeds: seeds.iter().map(|seed| (Kind::Domain, (*seed).to_owned())).collect(),
        };
        let uuid = self
            .store
            .create_collection(&self.principal, self.project, &new, NOW)
            .await
            .unwrap()
            .collection
            .uuid;
        let started = self.store.start_run(&self.principal, uuid, None, NOW).await.unwrap();
        let Started::Scheduled(run) = started else {
            panic!("a new collection has no open run")
        };
        let engine = self.store.engine("test", Duration::ZERO).await.unwrap();
        engine.claim(run.id, NOW).await.unwrap().unwrap();
        uuid
    }

    fn open(&self) -> Index {
        Index::open(&self.scratch.path().join("index")).unwrap()
    }

    async fn find(&self, index: &Index, text: &str) -> String {
        self.find_in(index, text, Window::Now).await
    }

    async fn find_in(&self, index: &Index, text: &str, window: Window) -> String {
        let contexts = self.store.collection_contexts(&self.principal, self.project).await.unwrap();
        let collections = contexts.into_iter().map(|context| CollectionContext {
            uuid: context.uuid,
            name: context.name,
            last_refreshes: context.last_refreshes,
            configured_scan_count: 3,
        });
        let context = SearchContext {
            project: self.project,
            collections: collections.collect(),
            whole_project: true,
        };
        let mut request = SearchRequest::new(Noun::Entities, parse_search(text, Noun::Entities).unwrap(), context, NOW);
        request.sort_field = Some("name".to_owned());
        request.window = window;
        names(&index.search(request).await.unwrap())
    }

    async fn tag(&self, collection: Uuid, name: &str, tag: &str) {
        self.tag_at(collection, name, tag, NOW).await;
    }

    async fn tag_at(&self, collection: Uuid, name: &str, tag: &str, now: Timestamp) {
        let uid = Uid::of_entity(collection, Kind::Domain, name).to_string();
        let flags = EntityFlags {
            tags: Some(vec![tag.to_owned()]),
            ..EntityFlags::default()
        };
        self.store.set_entity_flags(&self.principal, &uid, None, &flags, now).await.unwrap();
    }
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
    assert_eq!(index.reached(), house.store.last_revision().await.unwrap());
    assert_eq!(house.find(&index, "tag:mine").await, "acme.test");
}

#[tokio::test]
async fn a_deleted_collection_goes_from_the_index() {
    let house = House::new().await;
    let acme = house.collection("Acme", &["acme.test"]).await;
    house.collection("Other", &["other.test"]).await;
    let index = house.open();
    catch_up(&index, &house.store).await.unwrap();
    assert_eq!(house.find(&index, "").await, "acme.test other.test");
    house.store.delete_collection(&house.principal, acme, NOW).await.unwrap();
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
            (
                Window::Between(NOW.plus_ms(-5), NOW.plus_ms(5_000)),
                "change:appeared",
                "acme.example acme.test",
            ),
        ] {
            assert_eq!(house.find_in(&index, text, window).await, expected, "{window:?} {text} {again}");
        }
    }
    house.store.delete_collection(&house.principal, acme, second).await.unwrap();
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
    let generation = || {
        let name = std::fs::read_to_string(house.scratch.path().join("index").join("current"));
        name.unwrap()
    };
    catch_up(&index, &house.store).await.unwrap();
    let before = generation();
    let (stop, stopped) = watch::channel(false);
    let following = tokio::spawn(follow(index.clone(), house.store.clone(), stopped));
    let wish = ask_rebuild(&house.store).await.unwrap();
    while !is_rebuilt(&house.store, wish).await.unwrap() {
        assert_eq!(house.find(&index, "").await, "acme.test", "it serves meanwhile");
    }
    assert_ne!(generation(), before);
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
    let contexts = SearchContext {
        project: house.project,
        collections: Vec::new(),
        whole_project: true,
    };
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
