//! Objects of the wider API: submissions by their time, archives and their room, collections of objects, accounts that
//! delete themselves.

use crate::lab::{BEGIN, both, found};
use crate::quotas::user;
use ambit_model::id::{BlobHash, blob_hash};
use ambit_model::object::ArchiveStatus;
use ambit_model::{EdgeKind, Kind, Timestamp};
use ambit_store::{CollectedItem, CollectionText, Cost, NewFile, Staged, StoreError, Upload, Visibility};
use serde_json::json;

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;

#[tokio::test]
async fn a_token_is_spent_once_and_forgotten_when_it_has_ended() {
    both(async |lab| {
        let (begin, end) = (Timestamp(BEGIN), Timestamp(BEGIN + MINUTE_MS));
        let spend = async |token: &str, now: Timestamp| {
            let new = NewFile {
                content: Staged::of(token.as_bytes()).unwrap(),
                sha1: String::new(),
                md5: String::new(),
                type_tag: None,
                name: None,
                visibility: Visibility::Installation,
            };
            lab.store.submit_file(&lab.me.at(now), Some((token, end)), new, "files").await.unwrap().is_some()
        };
        assert!(spend("one", begin).await);
        assert!(!spend("one", begin).await, "it was used");
        assert!(spend("other", begin).await);
        assert!(spend("one", end).await, "it had ended, and nothing of it is kept");
    })
    .await;
}

#[tokio::test]
async fn submissions_are_found_by_their_time() {
    both(async |lab| {
        let new = |text: &str| NewFile {
            content: Staged::of(text.as_bytes()).unwrap(),
            sha1: String::new(),
            md5: String::new(),
            type_tag: None,
            name: Some(text.to_owned()),
            visibility: Visibility::Installation,
        };
        let mut hashes = Vec::new();
        for (minute, text) in [(0, "one"), (1, "two"), (1, "one"), (1, "two")] {
            let at = Timestamp(BEGIN + minute * MINUTE_MS);
            let (file, _) = lab.store.submit_file(&lab.me.at(at), None, new(text), "files").await.unwrap().unwrap();
            hashes.push(file.sha256.to_string());
        }
        let between = async |from: i64, until: i64| {
            let (from, until) = (Timestamp(BEGIN + from * MINUTE_MS), Timestamp(BEGIN + until * MINUTE_MS));
            lab.store.submitted_between(from, until, 10).await.unwrap()
        };
        assert_eq!(between(0, 1).await, [hashes[0].clone()]);
        assert_eq!(between(1, 2).await, [hashes[1].clone(), hashes[0].clone()], "each once, in their order");
        assert!(between(2, 9).await.is_empty());
        let second = BEGIN.div_euclid(1_000);
        for (at, was) in [(second, true), (second + 1, false), (second + 60, true), (1, false), (i64::MAX, false)] {
            assert_eq!(lab.store.was_submitted_in(&lab.me, &hashes[0], at).await.unwrap(), was, "{at}");
        }
        let found = lab.store.submissions(&hashes[0], Visibility::Installation).await.unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].at, found[0].name.as_deref()), (Timestamp(BEGIN + MINUTE_MS), Some("one")));
        assert_eq!(found[0].source, found[1].source);
        let hashes: Vec<BlobHash> = hashes.iter().map(|hash| hash.parse().unwrap()).collect();
        let files = lab.store.files_of(&lab.me, &hashes).await.unwrap();
        assert_eq!(files.iter().map(|file| file.submissions).collect::<Vec<_>>(), [2, 2]);
    })
    .await;
}

#[tokio::test]
async fn an_upload_is_written_as_it_comes_and_read_as_it_goes() {
    both(async |lab| {
        let content: Vec<u8> = (0..Upload::PIECE_BYTES * 2 + 7).map(|at| (at / 3 % 251) as u8).collect();
        let stage = async || {
            let mut upload = Upload::begin(&lab.store);
            for piece in content[..Upload::PIECE_BYTES * 2].chunks(Upload::PIECE_BYTES) {
                upload.write(piece.to_vec(), lab.now()).await.unwrap();
            }
            upload.finish(content[Upload::PIECE_BYTES * 2..].to_vec(), lab.now()).await.unwrap()
        };
        let hash = blob_hash(&content);
        assert!(lab.store.blob(hash).await.unwrap().is_none());
        for known in [false, true] {
            let staged = stage().await;
            assert_eq!((staged.hash(), staged.size()), (hash, content.len() as i64));
            let file = NewFile {
                content: staged,
                sha1: String::new(),
                md5: String::new(),
                type_tag: None,
                name: None,
                visibility: Visibility::Installation,
            };
            let (_, new) = lab.store.submit_file(&lab.caller(), None, file, "files").await.unwrap().unwrap();
            assert_eq!(new, !known);
            assert!(lab.store.blob(hash).await.unwrap().as_deref() == Some(&content[..]));
        }
        let mut reader = lab.store.read_blob(hash).await.unwrap().unwrap();
        let mut sizes = Vec::new();
        while let Some(piece) = reader.next().await.unwrap() {
            sizes.push(piece.len());
        }
        assert_eq!(sizes, [Upload::PIECE_BYTES, Upload::PIECE_BYTES, 7]);
        drop(stage().await);
        lab.store.tidy(Timestamp(lab.now().0 + 3 * HOUR_MS)).await.unwrap();
        assert!(lab.store.blob(hash).await.unwrap().is_some(), "what was given up goes, what is referred to stays");
    })
    .await;
}

#[tokio::test]
async fn names_are_found_by_the_moment_of_their_change() {
    both(async |lab| {
        let before = lab.now();
        let (run, uid) = (lab.run().await, lab.uid(Kind::Domain, "acme.test"));
        let leads = [(EdgeKind::ResolvesTo, Kind::IpAddress, "192.0.2.1")];
        lab.probe(&run, "resolve", uid, 0, found(json!({"title": "a"}), &leads)).await;
        let between = lab.now();
        lab.probe(&run, "resolve", uid, 2, found(json!({"title": "a"}), &leads)).await;
        let seen_again = lab.now();
        lab.probe(&run, "resolve", uid, 4, found(json!({"title": "b"}), &leads)).await;
        let after = lab.now();
        let changed = async |kinds: &[Kind], from, until, limit| {
            lab.store.changed_between(&lab.me, kinds, (from, until), limit).await.unwrap()
        };
        let both = [Kind::Domain, Kind::IpAddress];
        assert_eq!(changed(&both, before, between, 9).await, ["192.0.2.1", "acme.test"]);
        assert_eq!(changed(&both, before, after, 1).await, ["192.0.2.1"]);
        assert_eq!(changed(&[Kind::Domain], before, after, 9).await, ["acme.test"], "each once");
        assert_eq!(changed(&both, between, seen_again, 9).await, [""; 0], "seen again is no change");
        assert_eq!(changed(&both, seen_again, after, 9).await, ["acme.test"]);
        let stranger = user(&lab, "ann").await;
        let foreign = lab.store.changed_between(&stranger, &both, (before, after), 9).await.unwrap();
        assert!(foreign.is_empty(), "{foreign:?}");
    })
    .await;
}

#[tokio::test]
async fn archives_are_their_users_and_give_their_room_back() {
    both(async |lab| {
        let ann = user(&lab, "ann").await;
        let begun = lab.store.begin_archive(&ann.at(Timestamp(BEGIN)), 3).await.unwrap();
        assert_eq!((begun.status, begun.files, begun.blob), (ArchiveStatus::Starting, 3, None));
        assert_eq!(lab.store.archive_bytes(&begun.id).await.err(), Some(StoreError::NotFound));
        lab.store.note_archive(&begun.id, ArchiveStatus::Creating, 1, 1).await.unwrap();
        lab.store.finish_archive(&begun.id, b"packed", Timestamp(BEGIN)).await.unwrap();
        let found = lab.store.archive(&ann, &begun.id).await.unwrap();
        assert_eq!((found.status, found.packed, found.missing), (ArchiveStatus::Finished, 1, 1));
        let mut archive = lab.store.archive_bytes(&begun.id).await.unwrap();
        assert_eq!(archive.next().await.unwrap().as_deref(), Some(&b"packed"[..]));
        assert_eq!(lab.store.archive(&lab.me, &begun.id).await, Err(StoreError::NotFound));
        for _ in 1..10 {
            lab.store.begin_archive(&ann.at(Timestamp(BEGIN)), 1).await.unwrap();
        }
        let one_more = lab.store.begin_archive(&ann.at(Timestamp(BEGIN)), 1).await;
        assert!(matches!(one_more, Err(StoreError::Conflict(_))), "{one_more:?}");
        lab.store.tidy(Timestamp(BEGIN + HOUR_MS / 2)).await.unwrap();
        let blob = found.blob.unwrap();
        assert!(lab.store.blob(blob).await.unwrap().is_some());
        lab.store.tidy(Timestamp(BEGIN + 2 * HOUR_MS)).await.unwrap();
        assert_eq!(lab.store.archive(&ann, &begun.id).await, Err(StoreError::NotFound));
        assert!(lab.store.blob(blob).await.unwrap().is_none(), "{}", lab.database);
        lab.store.begin_archive(&ann.at(Timestamp(BEGIN + 2 * HOUR_MS)), 1).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn collections_of_objects_are_their_owners_to_change() {
    both(async |lab| {
        let (ann, bob) = (user(&lab, "ann").await, user(&lab, "bob").await);
        let text = |name: &str, private: bool| CollectionText {
            name: Some(name.to_owned()),
            description: None,
            private: Some(private),
        };
        let item = |id: &str| CollectedItem { kind: "domain", id: id.to_owned() };
        let items = vec![item("b.test"), item("a.test"), item("b.test")];
        let made = lab.store.create_object_collection(&ann.at(lab.now()), text("ours", false), items).await.unwrap();
        let listed = async |who| lab.store.collected_items(who, &made.id, "domain").await;
        assert_eq!(listed(&bob).await.unwrap(), ["b.test", "a.test"]);
        let foreign = lab.store.add_to_object_collection(&bob.at(lab.now()), &made.id, vec![item("c.test")]).await;
        assert!(matches!(foreign, Err(StoreError::Forbidden(_))), "{foreign:?}");
        lab.store.add_to_object_collection(&ann.at(lab.now()), &made.id, vec![item("c.test")]).await.unwrap();
        lab.store.remove_from_object_collection(&ann.at(lab.now()), &made.id, vec![item("b.test")]).await.unwrap();
        assert_eq!(listed(&bob).await.unwrap(), ["a.test", "c.test"]);
        assert_eq!(lab.store.collected_counts(&bob, &made.id).await.unwrap(), [("domain".to_owned(), 2)]);
        let private = CollectionText { private: Some(true), ..CollectionText::default() };
        let changed =
            lab.store.change_object_collection(&ann.at(lab.now()), &made.id, private, Vec::new()).await.unwrap();
        assert_eq!((changed.name.as_str(), changed.private), ("ours", true));
        assert_eq!(listed(&bob).await, Err(StoreError::NotFound));
        assert!(lab.store.object_collections(&bob, Some(ann.user_id())).await.unwrap().is_empty());
        assert_eq!(lab.store.object_collections(&ann, None).await.unwrap().len(), 1);
        let large = (0..10_001).map(|number| item(&format!("{number}.test"))).collect();
        let refused = lab.store.add_to_object_collection(&ann.at(lab.now()), &made.id, large).await;
        assert!(matches!(refused, Err(StoreError::Invalid(_))), "{refused:?}");
        assert_eq!(listed(&ann).await.unwrap().len(), 2, "nothing of it is added");
        lab.store.delete_object_collection(&ann, &made.id).await.unwrap();
        assert_eq!(lab.store.object_collection(&ann, &made.id).await, Err(StoreError::NotFound));
    })
    .await;
}

#[tokio::test]
async fn an_account_that_deletes_itself_leaves_what_it_made() {
    both(async |lab| {
        let ann = user(&lab, "ann").await;
        lab.store.create_group(&lab.caller(), "red", &["ann".to_owned()]).await.unwrap();
        let comment = lab.store.add_comment(&ann.at(lab.now()), "domain", "acme.test", "seen").await.unwrap();
        lab.store.charge(&ann.at(lab.now()), Cost::Requests(1), "domains").await.unwrap();
        let last = lab.store.delete_user(&lab.caller(), lab.me.username()).await;
        assert!(matches!(last, Err(StoreError::Conflict(_))), "the last administrator stays");
        lab.store.delete_user(&ann.at(lab.now()), "ann").await.unwrap();
        assert_eq!(lab.store.account("ann").await, Err(StoreError::NotFound));
        let left = lab.store.account_by_id(ann.user_id()).await.unwrap();
        assert_eq!((left.status.as_str(), left.api_quota_group), ("deleted", None));
        assert_eq!(lab.store.comment(&ann, &comment.id).await.unwrap().author, left.user.username);
        assert!(lab.store.groups_of(ann.user_id(), false).await.unwrap().is_empty());
        // Name and address are free again.
        user(&lab, "ann").await;
    })
    .await;
}
