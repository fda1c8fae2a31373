//! Who may see and do what: keys, roles, projects that do not see each other.

use crate::lab::{Lab, both, new_collection};
use ambit_model::entity::EntityRecord;
use ambit_model::user::{CollectionRole, ProjectRole};
use ambit_model::{Item, Kind, Timestamp};
use ambit_store::{Cost, NewGraph, NewKey, NewUser, Principal, Store, StoreError};
use serde_json::{Map, json};

/// A user with a key, and the principal of that key.
pub(crate) async fn user(lab: &Lab, email: &str) -> (String, Principal) {
    let new = NewUser { email: email.to_owned(), ..NewUser::default() };
    lab.store.create_user(&lab.caller(), &new).await.unwrap();
    let new = NewKey { user: Some(email.to_owned()), label: "test".to_owned(), expires_at: None, ..NewKey::default() };
    let key = lab.store.create_key(&lab.caller(), &new).await.unwrap().key;
    let principal = lab.store.authenticate(&key, lab.now()).await.unwrap().unwrap();
    (key, principal)
}

/// A key of the caller's own that ends.
fn key_until(label: &str, end: Timestamp) -> NewKey {
    NewKey { label: label.to_owned(), expires_at: Some(end), ..NewKey::default() }
}

#[tokio::test]
async fn a_clock_that_is_set_back_revives_no_key() {
    both(async |lab| {
        let now = lab.now();
        let new = key_until("short", now.plus_ms(10_000));
        let issued = lab.store.create_key(&lab.me.at(now), &new).await.unwrap();
        assert!(lab.store.authenticate(&issued.key, now).await.unwrap().is_some());
        lab.store.create_project(&lab.me.at(now.plus_ms(20_000)), "later").await.unwrap();
        let other = Store::open(&lab.options).await.unwrap();
        assert!(other.authenticate(&issued.key, now).await.unwrap().is_none(), "it had expired by then");

        let later = now.plus_ms(20_000);
        let new = key_until("unwritten", later.plus_ms(10_000));
        let issued = lab.store.create_key(&lab.me.at(later), &new).await.unwrap();
        assert!(lab.store.authenticate(&issued.key, later).await.unwrap().is_some());
        assert!(lab.store.authenticate(&issued.key, later.plus_ms(11_000)).await.unwrap().is_none(), "expired");
        assert!(lab.store.authenticate(&issued.key, later).await.unwrap().is_none(), "nothing was written meanwhile");
    })
    .await;
}

#[tokio::test]
async fn a_key_lives_until_it_expires_or_is_revoked() {
    both(async |lab| {
        let now = lab.now();
        let new = key_until("short", now.plus_ms(10_000));
        let issued = lab.store.create_key(&lab.me.at(now), &new).await.unwrap();
        assert_eq!((issued.key.len(), &issued.key[..8]), (64, issued.visible.as_str()));
        let principal = lab.store.authenticate(&issued.key, now).await.unwrap().unwrap();
        assert_eq!((principal.email(), principal.key_id()), ("owner@acme.test", Some(issued.id)));
        let pair = |access: String| lab.store.authenticate_pair_owned(access, issued.key.clone(), now);
        assert!(pair(issued.id.to_string()).await.is_some());
        assert!(pair(issued.key.clone()).await.is_some());
        assert!(pair("1234".to_owned()).await.is_none());
        let mut other = issued.key.clone().into_bytes();
        other[0] = if other[0] == b'a' { b'b' } else { b'a' };
        let other = String::from_utf8(other).unwrap();
        for wrong in ["", "nonsense", other.as_str(), &"0".repeat(64)] {
            assert!(lab.store.authenticate(wrong, now).await.unwrap().is_none(), "{wrong}");
        }
        let listed = lab.store.list_keys(&lab.me).await.unwrap();
        assert_eq!((listed[0].label.as_str(), listed[0].last_used_at), ("short", Some(now)));
        assert!(!format!("{listed:?} {issued:?}").contains(&issued.key));
        lab.store.revoke_key(&lab.me.at(now), issued.id).await.unwrap();
        assert!(lab.store.authenticate(&issued.key, now).await.unwrap().is_none(), "revoked at once");
        assert_eq!(lab.store.revoke_key(&lab.me.at(now), issued.id).await.unwrap_err(), StoreError::NotFound);
    })
    .await;
}

/// `authenticate_pair` with owned texts, so that closures may call it.
trait Pair {
    async fn authenticate_pair_owned(&self, access: String, secret: String, now: Timestamp) -> Option<Principal>;
}

impl Pair for ambit_store::Store {
    async fn authenticate_pair_owned(&self, access: String, secret: String, now: Timestamp) -> Option<Principal> {
        self.authenticate_pair(&access, &secret, now).await.unwrap()
    }
}

#[tokio::test]
async fn a_strangers_project_does_not_exist() {
    both(async |lab| {
        let run = lab.run().await;
        let uid = lab.uid(Kind::Domain, "acme.test").to_string();
        let (_, ann) = user(&lab, "ann@other.test").await;
        assert_eq!(ann.primary(), None);
        assert_eq!(lab.store.choose_project(&ann, None).await.unwrap(), None);
        let own = lab.store.create_project(&ann.at(lab.now()), "Other").await.unwrap();
        let (key, _) = (lab.store.create_key(&ann.at(lab.now()), &NewKey::default()).await.unwrap().key, ());
        let ann = lab.store.authenticate(&key, lab.now()).await.unwrap().unwrap();
        assert_eq!(lab.store.choose_project(&ann, Some("None")).await.unwrap(), Some(own.project.id));
        let mine = lab.store.list_projects(&lab.me).await.unwrap().remove(0).project;
        let now = lab.now();
        let missing = StoreError::NotFound;
        for header in [mine.id.to_string(), mine.uuid.to_string(), "nonsense".to_owned(), "-1".to_owned()] {
            assert_eq!(lab.store.choose_project(&ann, Some(&header)).await.unwrap_err(), missing, "{header}");
        }
        assert_eq!(lab.store.find_collection(&ann, lab.collection).await.unwrap_err(), missing);
        assert_eq!(lab.store.list_collections(&ann, None).await.unwrap(), []);
        assert_eq!(lab.store.list_collections(&ann, Some(lab.project)).await.unwrap(), []);
        assert_eq!(lab.store.delete_collection(&ann.at(now), lab.collection).await.unwrap_err(), missing);
        assert_eq!(lab.store.archive_collection(&ann.at(now), lab.collection).await.unwrap_err(), missing);
        assert_eq!(lab.store.list_seeds(&ann, lab.collection).await.unwrap_err(), missing);
        assert_eq!(lab.store.list_runs(&ann, lab.collection).await.unwrap_err(), missing);
        assert_eq!(lab.store.start_run(&ann.at(now), lab.collection, false).await.unwrap_err(), missing);
        assert_eq!(lab.store.find_run(&ann, run.id).await.unwrap_err(), missing);
        assert_eq!(lab.store.cancel_run(&ann.at(now), run.id).await.unwrap_err(), missing);
        assert_eq!(lab.store.find_record::<EntityRecord>(&ann, &uid, None).await.unwrap_err(), missing);
        assert_eq!(lab.store.record_at::<EntityRecord>(&ann.at(now), &uid, None, now).await.unwrap_err(), missing);
        assert_eq!(lab.store.points_in_time(&ann, (Item::Entity, &uid), None, None).await.unwrap_err(), missing);
        assert_eq!(lab.store.delete_project(&ann.at(now), mine.uuid).await.unwrap_err(), missing);
        assert_eq!(lab.store.list_members(&ann, mine.uuid).await.unwrap_err(), missing);
        assert_eq!(lab.store.changes(&ann, lab.project, 0, 10).await.unwrap_err(), missing);
        let seed = lab.store.list_seeds(&lab.me, lab.collection).await.unwrap().remove(0);
        assert_eq!(lab.store.remove_seed(&ann.at(now), seed.id).await.unwrap_err(), missing);
        let create = lab.store.create_collection(&ann.at(now), lab.project, &new_collection(&[])).await;
        assert_eq!(create.unwrap_err(), missing);
        // A named project narrows even for who may see the object.
        let second = lab.store.create_project(&lab.me.at(now), "Second").await.unwrap();
        let me = lab.store.local_operator().await.unwrap();
        assert!(lab.store.find_record::<EntityRecord>(&me, &uid, Some(lab.project)).await.is_ok());
        assert_eq!(
            lab.store.find_record::<EntityRecord>(&me, &uid, Some(second.project.id)).await.unwrap_err(),
            missing
        );
    })
    .await;
}

#[tokio::test]
async fn roles_decide_what_members_may_do() {
    both(async |lab| {
        let _run = lab.run().await;
        let uid = lab.uid(Kind::Domain, "acme.test").to_string();
        let mine = lab.store.list_projects(&lab.me).await.unwrap().remove(0).project;
        let added = lab
            .store
            .add_members(&lab.caller(), mine.uuid, &["Bob@acme.test".to_owned()], ProjectRole::Member, true)
            .await
            .unwrap()
            .members;
        let again = lab
            .store
            .add_members(&lab.caller(), mine.uuid, &["bob".to_owned()], ProjectRole::Member, false)
            .await
            .unwrap()
            .members;
        assert_eq!(added, again);
        let new = NewKey { user: Some("bob@acme.test".to_owned()), ..NewKey::default() };
        let key = lab.store.create_key(&lab.caller(), &new).await.unwrap().key;
        let bob = async || lab.store.authenticate(&key, lab.now()).await.unwrap().unwrap();
        assert_eq!(
            lab.store.find_record::<EntityRecord>(&bob().await, &uid, None).await.unwrap_err(),
            StoreError::NotFound,
            "no role in the collection"
        );
        let give = async |role| {
            lab.store.set_collection_role(&lab.caller(), lab.collection, &added[0].id.to_string(), role).await.unwrap()
        };
        give(CollectionRole::Viewer).await;
        assert!(lab.store.find_record::<EntityRecord>(&bob().await, &uid, None).await.is_ok());
        let flags = ambit_store::EntityFlags::default();
        let forbidden = |outcome: Result<(), StoreError>| matches!(outcome, Err(StoreError::Forbidden(_)));
        assert!(forbidden(lab.store.set_entity_flags(&bob().await.at(lab.now()), &uid, None, &flags).await));
        give(CollectionRole::Analyst).await;
        assert!(lab.store.set_entity_flags(&bob().await.at(lab.now()), &uid, None, &flags).await.is_ok());
        assert!(forbidden(lab.store.archive_collection(&bob().await.at(lab.now()), lab.collection).await));
        give(CollectionRole::Admin).await;
        assert!(lab.store.archive_collection(&bob().await.at(lab.now()), lab.collection).await.is_ok());
        let started = lab.store.start_run(&bob().await.at(lab.now()), lab.collection, false).await;
        assert!(matches!(started, Err(StoreError::Conflict(_))), "archived: {started:?}");
        assert!(forbidden(
            lab.store
                .create_collection(&bob().await.at(lab.now()), lab.project, &new_collection(&[]))
                .await
                .map(|_| ())
        ));
        assert!(forbidden(
            lab.store
                .set_collection_role(
                    &bob().await.at(lab.now()),
                    lab.collection,
                    &added[0].id.to_string(),
                    CollectionRole::Admin
                )
                .await
        ));
        assert!(forbidden(lab.store.delete_project(&bob().await.at(lab.now()), mine.uuid).await.map(|_| ())));
        assert!(forbidden(lab.store.list_users(&bob().await).await.map(|_| ())));
        let roles = lab.store.list_collection_roles(&lab.me, lab.collection).await.unwrap();
        assert_eq!(roles, [(added[0].clone(), CollectionRole::Admin)]);
        let down = lab
            .store
            .add_members(&lab.caller(), mine.uuid, &["owner@acme.test".to_owned()], ProjectRole::Member, false)
            .await;
        assert!(matches!(down, Err(StoreError::Conflict(_))), "somebody owns a project: {down:?}");
    })
    .await;
}

#[tokio::test]
async fn privileges_and_quotas_come_from_user_and_group() {
    both(async |lab| {
        let (_, ann) = user(&lab, "ann@acme.test").await;
        lab.store.create_group(&lab.caller(), "red", &["ann".to_owned()]).await.unwrap();
        lab.store.grant_privilege(&lab.caller(), "ann", "intelligence", None).await.unwrap();
        lab.store.grant_privilege(&lab.caller(), "red", "feeds", Some(Timestamp(9))).await.unwrap();
        let privileges = lab.store.list_privileges(&ann, "ann").await.unwrap();
        let lines: Vec<String> = privileges
            .iter()
            .map(|p| format!("{} {:?} {:?}", p.name, p.expires_at.map(|at| at.0), p.inherited_from))
            .collect();
        assert_eq!(lines, ["feeds Some(9) Some(\"red\")", "intelligence None None"]);
        lab.store.set_quota(&lab.caller(), "red", "api_requests_daily", 5).await.unwrap();
        lab.store.set_quota(&lab.caller(), "red", "api_requests_daily", 7).await.unwrap();
        let groups = lab.store.list_groups(&lab.me).await.unwrap();
        assert_eq!((groups.len(), groups[0].1.len()), (1, 1));
        assert_eq!(lab.store.list_quotas(&lab.me, "red").await.unwrap()[0].allowed, 7);
        assert_eq!(lab.store.list_quotas(&lab.me, "nobody").await.unwrap_err(), StoreError::NotFound);
        let taken = lab
            .store
            .create_user(&lab.caller(), &NewUser { email: "ann@b.test".to_owned(), ..NewUser::default() })
            .await
            .unwrap();
        assert_eq!(taken.username, "ann2");
        let twice = lab
            .store
            .create_user(&lab.caller(), &NewUser { email: "ANN@b.test".to_owned(), ..NewUser::default() })
            .await;
        assert!(matches!(twice, Err(StoreError::Exists(_))));
    })
    .await;
}

#[tokio::test]
async fn an_administrator_deletes_users_and_what_they_alone_owned_is_kept() {
    both(async |lab| {
        let (key, ann) = user(&lab, "ann@acme.test").await;
        let (_, eve) = user(&lab, "eve@acme.test").await;
        let own = lab.store.create_project(&ann.at(lab.now()), "Ann's").await.unwrap().project;
        let shared = lab.store.create_project(&ann.at(lab.now()), "Shared").await.unwrap().project;
        let ann = lab.store.authenticate(&key, lab.now()).await.unwrap().unwrap();
        let emails = ["eve@acme.test".to_owned()];
        let added = lab.store.add_members(&ann.at(lab.now()), shared.uuid, &emails, ProjectRole::Owner, false).await;
        added.unwrap();
        let asked = lab.store.list_invitations(&eve).await.unwrap();
        lab.store.accept_invitation(&eve.at(lab.now()), asked[0].id).await.unwrap();
        assert!(matches!(lab.store.delete_user(&eve.at(lab.now()), "ann").await, Err(StoreError::Forbidden(_))));
        lab.store.delete_user(&lab.caller(), "ann@acme.test").await.unwrap();
        assert_eq!(lab.store.authenticate(&key, lab.now()).await.unwrap(), None);
        let me = lab.store.local_operator().await.unwrap();
        assert_eq!(me.project_role(own.id), Some(ProjectRole::Owner));
        assert_eq!(me.project_role(shared.id), None, "it has another owner");
        let users = lab.store.list_users(&lab.me).await.unwrap();
        assert!(users.iter().all(|one| one.id != ann.user_id()), "{users:?}");
        let twice = lab.store.delete_user(&lab.caller(), &format!("deleted-{}", ann.user_id())).await;
        assert_eq!(twice, Err(StoreError::NotFound));
        let last = lab.store.delete_user(&lab.caller(), lab.me.username()).await;
        assert!(matches!(last, Err(StoreError::Conflict(_))), "{last:?}");
    })
    .await;
}

#[tokio::test]
async fn a_deleted_group_leaves_its_members_and_nothing_else() {
    both(async |lab| {
        let (_, ann) = user(&lab, "ann@acme.test").await;
        let made = lab.store.create_group(&lab.caller(), "red", &["ann".to_owned()]).await.unwrap();
        lab.store.grant_privilege(&lab.caller(), "red", "intelligence", None).await.unwrap();
        let new = NewGraph { document: Map::from_iter([("nodes".to_owned(), json!([]))]), private: false };
        let graph = lab.store.create_graph(&ann.at(lab.now()), &new).await.unwrap();
        assert_eq!(graph.group.as_deref(), Some("red"));
        lab.store.set_quota(&lab.caller(), "red", "api_requests_daily", 1).await.unwrap();
        let (account, key) = lab.store.create_service_account(&lab.caller(), "red", "bot").await.unwrap();
        lab.store.charge(&ann.at(lab.now()), Cost::Requests(1), "domains").await.unwrap();
        let spent = lab.store.charge(&ann.at(lab.now()), Cost::Requests(1), "domains").await;
        assert!(matches!(spent, Err(StoreError::QuotaExceeded { .. })), "{spent:?}");
        assert!(matches!(lab.store.delete_group(&ann.at(lab.now()), "red").await, Err(StoreError::Forbidden(_))));
        let graph_revision = lab.store.graph_revision().await.unwrap();
        lab.store.delete_group(&lab.caller(), "red").await.unwrap();
        assert_eq!(lab.store.delete_group(&lab.caller(), "red").await, Err(StoreError::NotFound));
        assert_eq!(lab.store.authenticate(&key.key, lab.now()).await.unwrap(), None);
        assert_eq!(lab.store.account_by_id(account.user.id).await.unwrap().status, "deleted");
        assert_eq!(lab.store.account("ann").await.unwrap().api_quota_group, None);
        assert_eq!(lab.store.list_privileges(&ann, "ann").await.unwrap(), []);
        assert_eq!(lab.store.find_graph(&ann, &graph.id).await.unwrap().group, None);
        let changed = lab.store.graphs_since(0, 10).await.unwrap().remove(0);
        assert!(changed.revision > graph_revision, "the index is told");
        lab.store.charge(&ann.at(lab.now()), Cost::Requests(1), "domains").await.unwrap();
        // Another group of that name begins with nothing, even where the database gives it the same number.
        let again = lab.store.create_group(&lab.caller(), "red", &["ann".to_owned()]).await.unwrap();
        assert_ne!(again.0.uuid, made.0.uuid);
        assert_eq!(lab.store.list_quotas(&lab.me, "red").await.unwrap(), []);
        let standings = lab.store.group_standings(again.0.id, lab.now()).await.unwrap();
        assert!(standings.iter().all(|(_, one)| one.used == 0), "{standings:?}");
    })
    .await;
}

#[tokio::test]
async fn a_deleted_collection_is_gone_everywhere() {
    both(async |lab| {
        let run = lab.run().await;
        let uid = lab.uid(Kind::Domain, "acme.test");
        lab.store.delete_collection(&lab.caller(), lab.collection).await.unwrap();
        assert_eq!(lab.store.find_collection(&lab.me, lab.collection).await.unwrap_err(), StoreError::NotFound);
        assert_eq!(
            lab.store.find_record::<EntityRecord>(&lab.me, &uid.to_string(), None).await.unwrap_err(),
            StoreError::NotFound
        );
        assert_eq!(lab.store.find_run(&lab.me, run.id).await.unwrap_err(), StoreError::NotFound);
        assert_eq!(lab.store.index_rows(ambit_model::feed::Noun::Entity, &[uid]).await.unwrap(), []);
        assert!(lab.engine.run(run.id).await.unwrap().state.is_over());
        assert_eq!(lab.store.all_uids(ambit_model::feed::Noun::Entity, None, 10).await.unwrap(), [uid]);
        lab.store.tidy(lab.now()).await.unwrap();
        assert_eq!(lab.store.all_uids(ambit_model::feed::Noun::Entity, None, 10).await.unwrap(), []);
    })
    .await;
}

#[tokio::test]
async fn a_collection_is_found_by_wire_and_seeds() {
    both(async |lab| {
        let seeds = [(Kind::Domain, "acme.test".to_owned())];
        let find = async |seeds: &[(Kind, String)]| {
            lab.store.find_collection_by_seeds(&lab.me, lab.project, None, seeds).await.unwrap().made_with_them
        };
        assert_eq!(find(&seeds).await.map(|view| view.collection.uuid), Some(lab.collection));
        assert!(find(&[]).await.is_none());
        let world = lab.store.put_blob(b"a simulated internet", lab.now()).await.unwrap();
        let simulated = async || {
            let same = lab.store.find_collection_by_seeds(&lab.me, lab.project, Some(world), &seeds).await.unwrap();
            same.made_with_them
        };
        assert!(simulated().await.is_none());
        let mut new = new_collection(&[(Kind::Domain, "acme.test")]);
        new.uuid = Some(lab.collection);
        new.wire = ambit_model::wire::WireChoice::Simulated { blob: world, state: 1 };
        let other = lab.store.create_collection(&lab.caller(), lab.project, &new).await.unwrap();
        assert_ne!(other.collection.uuid, lab.collection, "that uuid is taken");
        assert_eq!(simulated().await.map(|view| view.collection.uuid), Some(other.collection.uuid));
        lab.store.set_wire_state(&lab.caller(), other.collection.uuid, 2).await.unwrap();
        let run = lab.store.start_run(&lab.caller(), other.collection.uuid, false).await.unwrap();
        assert_eq!(run.run().wire_state, 2);
        lab.store.tidy(Timestamp(lab.now().0 + 9_000_000)).await.unwrap();
        assert!(lab.store.blob(world).await.unwrap().is_some(), "a collection refers to it");
    })
    .await;
}
