//! Tags and notes: people at once lose none of each other's, on both databases. And the log of what people did.

use crate::lab::{Lab, both};
use crate::quotas::{again, user};
use ambit_model::entity::EntityRecord;
use ambit_model::feed::What;
use ambit_model::user::{CollectionRole, ProjectRole};
use ambit_model::{Item, Kind};
use ambit_store::{AuditRow, StoreError, TagChange};
use uuid::Uuid;

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
            lab.store.change_tags(&lab.caller(), (Item::Entity, id), None, &change).await.unwrap();
        }));
        let notes = futures::future::join_all((0..30).map(|number| async move {
            let text = format!("note {number}");
            lab.store.add_note(&lab.caller(), (Item::Entity, id), None, &text).await.unwrap();
        }));
        futures::future::join(tags, notes).await;
        let entity = lab.store.find_record::<EntityRecord>(&lab.me, id, None).await.unwrap();
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
        let apply =
            async |change: TagChange| lab.store.change_tags(&lab.caller(), (Item::Entity, &id), None, &change).await;
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
        let (_, note) = lab.store.add_note(&lab.caller(), (Item::Entity, &id), None, "x").await.unwrap();
        let place = (Item::Entity, id.as_str(), note.uid);
        let (_, edited) = lab.store.edit_note(&lab.caller(), place, None, "y").await.unwrap();
        assert_eq!((edited.text.as_str(), edited.created_at), ("y", note.created_at));
        assert!(edited.updated_at > note.updated_at);
        let empty = lab.store.edit_note(&lab.caller(), place, None, " ").await;
        assert!(matches!(empty, Err(StoreError::Invalid(_))));
        lab.store.delete_collection(&lab.caller(), lab.collection).await.unwrap();
        lab.store.tidy(lab.now()).await.unwrap();
        let left = lab.store.delete_note(&lab.caller(), (Item::Entity, &id, note.uid), None).await;
        assert_eq!(left.unwrap_err(), StoreError::NotFound);
    })
    .await;
}

#[tokio::test]
async fn notes_are_written_by_analysts_and_changed_by_their_authors_and_admins() {
    both(async |lab| {
        let id = domain(&lab).await;
        let bob = user(&lab, "bob").await;
        let emails = ["bob@acme.test".to_owned()];
        let added = lab
            .store
            .add_members(&lab.caller(), project(&lab).await, &emails, ProjectRole::Member, false)
            .await
            .unwrap();
        let member = added.members[0].id.to_string();
        let (_, mine) = lab.store.add_note(&lab.caller(), (Item::Entity, &id), None, "mine").await.unwrap();
        // Bob's role, how many notes he sees, and whether he writes, edits another's and deletes another's.
        for (role, seen, writes, edits) in [
            (None, None, Err("not found"), Err("not found")),
            (Some(CollectionRole::Viewer), Some(1), Err("forbidden"), Err("forbidden")),
            (Some(CollectionRole::Analyst), Some(1), Ok(()), Err("forbidden")),
            (Some(CollectionRole::Admin), Some(1), Ok(()), Ok(())),
        ] {
            if let Some(role) = role {
                lab.store.set_collection_role(&lab.caller(), lab.collection, &member, role).await.unwrap();
            }
            let bob = again(&lab, &bob).await;
            let place = (Item::Entity, id.as_str());
            let listed = lab.store.list_notes(&bob, place, None).await.map(|(_, notes)| notes.len());
            assert_eq!(listed.ok(), seen, "{role:?}");
            let wrote = lab.store.add_note(&bob.at(lab.now()), place, None, "bob's").await;
            assert_eq!(outcome(&wrote), writes, "{role:?} writes");
            let edited = lab.store.edit_note(&bob.at(lab.now()), (place.0, place.1, mine.uid), None, "edited").await;
            assert_eq!(outcome(&edited), edits, "{role:?} edits another's");
            if let Ok((_, own)) = wrote {
                assert_eq!((own.author.as_str(), own.text.as_str()), ("bob", "bob's"));
                lab.store.edit_note(&bob.at(lab.now()), (place.0, place.1, own.uid), None, "own").await.unwrap();
                lab.store.delete_note(&bob.at(lab.now()), (place.0, place.1, own.uid), None).await.unwrap();
            }
        }
        let (_, notes) = lab.store.list_notes(&lab.me, (Item::Entity, &id), None).await.unwrap();
        assert_eq!(notes.len(), 1);
        assert_eq!((notes[0].text.as_str(), notes[0].author_uuid), ("edited", lab.me.user_uuid()));
    })
    .await;
}

/// What became of an attempt, in a word.
fn outcome<T>(result: &Result<T, StoreError>) -> Result<(), &'static str> {
    match result {
        Ok(_) => Ok(()),
        Err(StoreError::NotFound) => Err("not found"),
        Err(StoreError::Forbidden(_)) => Err("forbidden"),
        Err(other) => panic!("{other}"),
    }
}

async fn project(lab: &Lab) -> Uuid {
    lab.store.list_projects(&lab.me).await.unwrap()[0].project.uuid
}

#[tokio::test]
async fn the_audit_log_is_read_in_pages_by_those_who_answer_for_it() {
    both(async |lab| {
        let bob = user(&lab, "bob").await;
        lab.store.create_project(&bob.at(lab.now()), "Bob's").await.unwrap();
        let bob = again(&lab, &bob).await;
        let all = lab.store.list_audit(&lab.me, None, 1_000).await.unwrap();
        assert!(all.len() > 3 && all.is_sorted_by(|one, next| one.id > next.id), "the newest first: {all:?}");
        let mut paged = Vec::new();
        while let Some(page) = lab.store.list_audit(&lab.me, paged.last().map(id), 2).await.unwrap().split_first() {
            paged.push(page.0.clone());
            paged.extend_from_slice(page.1);
        }
        assert_eq!(paged, all, "pages of two miss nothing and repeat nothing");
        let own = lab.store.list_audit(&bob, None, 1_000).await.unwrap();
        let lines: Vec<_> = own.iter().map(|row| (row.action.as_str(), row.user.as_deref())).collect();
        assert_eq!(lines, [("project.create", Some("bob@acme.test"))], "an owner sees the project alone");
        assert_eq!(own[0].details, serde_json::json!({"name": "Bob's"}));
        // What was done in a project stays readable for the administrator when the project is deleted.
        let project = lab.store.list_projects(&bob).await.unwrap()[0].project.uuid;
        lab.store.delete_project(&bob.at(lab.now()), project).await.unwrap();
        let left = lab.store.list_audit(&lab.me, None, 2).await.unwrap();
        let lines: Vec<_> = left.iter().map(|row| (row.action.as_str(), row.project_uuid)).collect();
        assert_eq!(lines[0], ("project.delete", Some(project)), "{left:?}");
        assert!(lab.store.list_audit(&again(&lab, &bob).await, None, 10).await.unwrap().is_empty());
        let eve = user(&lab, "eve").await;
        assert!(lab.store.list_audit(&eve, None, 1_000).await.unwrap().is_empty());
    })
    .await;
}

fn id(row: &AuditRow) -> i64 {
    row.id
}
