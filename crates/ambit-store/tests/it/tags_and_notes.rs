//! Tags and notes: people at once lose none of each other's, on both databases.

use crate::lab::{Lab, both};
use ambit_model::Kind;
use ambit_model::feed::What;
use ambit_store::{Item, StoreError, TagChange};

fn add(tag: &str) -> TagChange {
    TagChange { add: vec![tag.to_owned()], remove: Vec::new() }
}

async fn domain(lab: &Lab) -> String {
    lab.run().await;
    lab.uid(Kind::Domain, "acme.test").to_string()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn writers_at_once_lose_nothing() {
    both(async |lab| {
        let id = domain(&lab).await;
        let (lab, id) = (&lab, id.as_str());
        let tags = futures::future::join_all((0..30).map(|number| async move {
            let change = add(&format!("t{number:02}"));
            lab.store.change_tags(&lab.me, (Item::Entity, id), None, &change, lab.now()).await.unwrap();
        }));
        let notes = futures::future::join_all((0..30).map(|number| async move {
            let text = format!("note {number}");
            lab.store.add_note(&lab.me, (Item::Entity, id), None, &text, lab.now()).await.unwrap();
        }));
        futures::future::join(tags, notes).await;
        let entity = lab.store.find_entity(&lab.me, id, None).await.unwrap();
        assert_eq!(entity.record.tags.len(), 30, "{}", lab.database);
        let (item, notes) = lab.store.list_notes(&lab.me, (Item::Entity, id), None).await.unwrap();
        assert_eq!((item.tags.len(), notes.len()), (30, 30));
        let uid = lab.uid(Kind::Domain, "acme.test");
        let feed = lab.store.feed_since(0, 10_000).await.unwrap();
        let changed = feed.iter().filter(|row| row.uid == uid && row.what == What::Changed);
        assert_eq!(changed.count(), 30, "each tag is a version");
    })
    .await;
}

#[tokio::test]
async fn a_change_of_tags_is_all_or_nothing() {
    both(async |lab| {
        let id = domain(&lab).await;
        let change = |add: &[&str], remove: &[&str]| TagChange {
            add: add.iter().map(|tag| (*tag).to_owned()).collect(),
            remove: remove.iter().map(|tag| (*tag).to_owned()).collect(),
        };
        let apply = async |change: TagChange| {
            lab.store.change_tags(&lab.me, (Item::Entity, &id), None, &change, lab.now()).await
        };
        assert_eq!(apply(change(&["b", " a"], &[])).await.unwrap(), ["a", "b"]);
        assert_eq!(apply(change(&["c"], &["b"])).await.unwrap(), ["a", "c"]);
        assert_eq!(apply(change(&["d"], &["none"])).await.unwrap_err(), StoreError::NotFound);
        let revision = lab.store.last_revision().await.unwrap();
        assert_eq!(apply(change(&["a"], &[])).await.unwrap(), ["a", "c"]);
        assert_eq!(lab.store.last_revision().await.unwrap(), revision, "nothing changed");
    })
    .await;
}

#[tokio::test]
async fn notes_go_with_their_collection() {
    both(async |lab| {
        let id = domain(&lab).await;
        let (_, note) = lab.store.add_note(&lab.me, (Item::Entity, &id), None, "x", lab.now()).await.unwrap();
        let place = (Item::Entity, id.as_str(), note.uid);
        let (_, edited) = lab.store.edit_note(&lab.me, place, None, "y", lab.now()).await.unwrap();
        assert_eq!((edited.text.as_str(), edited.created_at), ("y", note.created_at));
        assert!(edited.updated_at > note.updated_at);
        let empty = lab.store.edit_note(&lab.me, place, None, " ", lab.now()).await;
        assert!(matches!(empty, Err(StoreError::Invalid(_))));
        lab.store.delete_collection(&lab.me, lab.collection, lab.now()).await.unwrap();
        lab.store.tidy(lab.now()).await.unwrap();
        let left = lab.store.delete_note(&lab.me, (Item::Entity, &id, note.uid), None, lab.now()).await;
        assert_eq!(left.unwrap_err(), StoreError::NotFound);
    })
    .await;
}
