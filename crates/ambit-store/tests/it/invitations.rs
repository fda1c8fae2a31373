//! People come into projects and groups by accepting, and nobody stands above somebody who did not.

use crate::lab::{Lab, both};
use ambit_model::user::ProjectRole;
use ambit_store::{Brought, Cost, NewKey, NewUser, Principal, Relationship, StoreError};
use serde_json::{Map, json};
use uuid::Uuid;

/// A user with a key, made by the administrator, in the group if one is named.
async fn user(lab: &Lab, name: &str, group: Option<&str>) -> Person {
    let email = format!("{name}@acme.test");
    let new = NewUser { email: email.clone(), group: group.map(str::to_owned), ..NewUser::default() };
    lab.store.create_user(&lab.caller(), &new).await.unwrap();
    let new = NewKey { user: Some(email), ..NewKey::default() };
    let key = lab.store.create_key(&lab.caller(), &new).await.unwrap().key;
    Person { key }
}

struct Person {
    key: String,
}

impl Person {
    /// As the next request finds the person.
    async fn now(&self, lab: &Lab) -> Principal {
        lab.store.authenticate(&self.key, lab.now()).await.unwrap().unwrap()
    }
}

/// A group that the person administers.
async fn administered(lab: &Lab, name: &str, by: &str) {
    lab.store.create_group(&lab.caller(), name, &[]).await.unwrap();
    lab.store.add_to_group(&lab.caller(), name, &[by.to_owned()], true).await.unwrap();
}

async fn project(lab: &Lab, owner: &Person, name: &str) -> Uuid {
    lab.store.create_project(&owner.now(lab).await.at(lab.now()), name).await.unwrap().project.uuid
}

/// The id of the only invitation of somebody.
async fn asked(lab: &Lab, person: &Principal) -> i64 {
    let open = lab.store.list_invitations(person).await.unwrap();
    assert_eq!(open.len(), 1, "{open:?}");
    open[0].id
}

fn forbidden<T>(outcome: Result<T, StoreError>) -> bool {
    matches!(outcome, Err(StoreError::Forbidden(_)))
}

#[tokio::test]
async fn an_invitation_to_a_project_is_none_until_it_is_accepted() {
    both(async |lab| {
        let (ann, bob, eve) =
            (user(&lab, "ann", None).await, user(&lab, "bob", None).await, user(&lab, "eve", None).await);
        let first = project(&lab, &ann, "Ann's").await;
        let second = project(&lab, &eve, "Eve's").await;
        let ask = async |who: &Person, project: Uuid, name: &str| {
            let names = [name.to_owned()];
            let by = who.now(&lab).await;
            lab.store.add_members(&by.at(lab.now()), project, &names, ProjectRole::Member, false).await
        };
        let added = ask(&ann, first, "bob@acme.test").await.unwrap().members.remove(0);
        assert!(added.invited, "{added:?}");
        ask(&eve, second, "bob").await.unwrap();
        let before = bob.now(&lab).await;
        assert_eq!((before.projects().count(), before.primary()), (0, None));
        assert_eq!(lab.store.find_project(&before, first).await.unwrap_err(), StoreError::NotFound);
        let open = lab.store.list_invitations(&before).await.unwrap();
        assert_eq!(open.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["Ann's", "Eve's"]);
        // The second one is accepted first: it is the primary one, and stays it.
        lab.store.accept_invitation(&before.at(lab.now()), open[1].id).await.unwrap();
        lab.store.accept_invitation(&before.at(lab.now()), open[0].id).await.unwrap();
        let twice = lab.store.accept_invitation(&before.at(lab.now()), open[0].id).await;
        assert_eq!(twice.unwrap_err(), StoreError::NotFound);
        let after = bob.now(&lab).await;
        assert_eq!(after.projects().count(), 2);
        let primary = lab.store.list_projects(&after).await.unwrap().into_iter().find(|view| view.primary).unwrap();
        assert_eq!(primary.project.uuid, second);
        let members = lab.store.list_members(&after, first).await.unwrap();
        let member = members.iter().find(|one| one.user.username == "bob").unwrap();
        assert_eq!((member.id, member.invited), (added.id, false), "the project user id stays");
        lab.store.leave_project(&after.at(lab.now()), second).await.unwrap();
        let primary = bob.now(&lab).await.primary();
        assert_eq!(primary, after.projects().min(), "the one that is left");
        let last = lab.store.leave_project(&ann.now(&lab).await.at(lab.now()), first).await;
        assert!(matches!(last, Err(StoreError::Conflict(_))), "{last:?}");
    })
    .await;
}

#[tokio::test]
async fn invitations_are_declined_by_the_person_and_taken_back_by_whoever_may_invite() {
    both(async |lab| {
        let (ann, bob, eve) =
            (user(&lab, "ann", None).await, user(&lab, "bob", None).await, user(&lab, "eve", None).await);
        let shared = project(&lab, &ann, "Shared").await;
        let by = ann.now(&lab).await;
        let names = ["bob@acme.test".to_owned(), "nobody@acme.test".to_owned()];
        let ask = async || {
            lab.store.add_members(&by.at(lab.now()), shared, &names, ProjectRole::Member, false).await.unwrap()
        };
        let added = ask().await;
        assert_eq!((added.members.len(), added.unknown), (1, vec!["nobody@acme.test".to_owned()]));
        assert_eq!(lab.store.account("nobody@acme.test").await.unwrap_err(), StoreError::NotFound, "nobody was made");
        let (him, stranger) = (bob.now(&lab).await, eve.now(&lab).await);
        let id = asked(&lab, &him).await;
        for who in [&stranger, &lab.me] {
            assert_eq!(lab.store.end_invitation(&who.at(lab.now()), id).await.unwrap_err(), StoreError::NotFound);
            assert_eq!(lab.store.accept_invitation(&who.at(lab.now()), id).await.unwrap_err(), StoreError::NotFound);
        }
        assert_eq!(lab.store.list_sent_invitations(&by).await.unwrap().len(), 1);
        assert_eq!(lab.store.list_sent_invitations(&stranger).await.unwrap(), []);
        lab.store.end_invitation(&him.at(lab.now()), id).await.unwrap();
        assert_eq!(lab.store.list_members(&by, shared).await.unwrap().len(), 1);
        ask().await;
        lab.store.end_invitation(&by.at(lab.now()), asked(&lab, &him).await).await.unwrap();
        let member = ask().await.members.remove(0);
        lab.store.remove_member(&by.at(lab.now()), shared, member.id).await.unwrap();
        assert_eq!(lab.store.list_invitations(&him).await.unwrap(), []);
        ask().await;
        lab.store.delete_project(&by.at(lab.now()), shared).await.unwrap();
        assert_eq!(lab.store.list_invitations(&him).await.unwrap(), []);
        // Where accounts are open, an unknown address gets one, and is asked like everybody.
        let open = project(&lab, &ann, "Open").await;
        let by = ann.now(&lab).await;
        let added =
            lab.store.add_members(&by.at(lab.now()), open, &names[1..], ProjectRole::Member, true).await.unwrap();
        assert!(added.members[0].invited && added.unknown.is_empty(), "{added:?}");
        // The administrator of the installation asks nobody, and makes no account by an address either.
        let names = ["bob@acme.test".to_owned(), "typo@acme.test".to_owned()];
        let mine = lab.store.list_projects(&lab.me).await.unwrap().remove(0).project.uuid;
        let added = lab.store.add_members(&lab.caller(), mine, &names, ProjectRole::Member, false).await.unwrap();
        assert!(added.members.iter().all(|one| !one.invited), "{added:?}");
        assert_eq!((added.members.len(), added.unknown), (1, names[1..].to_vec()));
        assert_eq!(lab.store.account(&names[1]).await.unwrap_err(), StoreError::NotFound, "nobody was made");
    })
    .await;
}

#[tokio::test]
async fn a_group_administrator_has_no_power_over_who_did_not_accept_nor_over_the_administrator() {
    both(async |lab| {
        let (ann, bob) = (user(&lab, "ann", None).await, user(&lab, "bob", None).await);
        administered(&lab, "red", "ann").await;
        let by = ann.now(&lab).await;
        let names = ["bob@acme.test".to_owned(), "owner@acme.test".to_owned(), "new@acme.test".to_owned()];
        let ask = async || lab.store.join_group(&by.at(lab.now()), "red", &names, false, false).await.unwrap();
        assert_eq!(ask().await, [Brought::Invited, Brought::Invited, Brought::Unknown]);
        let caps = [("api_requests_daily".to_owned(), 0)];
        let profile = Map::from_iter([("first_name".to_owned(), json!("pwned"))]);
        let (him, me) = (bob.now(&lab).await, lab.me.clone());
        for who in [&him, &me] {
            assert_eq!(lab.store.standing_to(&by, who.user_id()).await.unwrap(), Relationship::Anybody);
            assert!(forbidden(lab.store.cap_user(&by.at(lab.now()), who.user_id(), &caps).await));
            assert!(forbidden(lab.store.change_profile(&by.at(lab.now()), who.user_id(), &profile).await));
            assert!(forbidden(lab.store.set_status(&by.at(lab.now()), who.user_id(), "suspended").await));
            assert_eq!(lab.store.account_by_id(who.user_id()).await.unwrap().api_quota_group, None);
        }
        for who in [&him, &me] {
            lab.store.accept_invitation(&who.at(lab.now()), asked(&lab, who).await).await.unwrap();
        }
        assert_eq!(lab.store.standing_to(&by, him.user_id()).await.unwrap(), Relationship::Administrator);
        assert_eq!(
            lab.store.standing_to(&by, me.user_id()).await.unwrap(),
            Relationship::Anybody,
            "never above the administrator"
        );
        assert!(forbidden(lab.store.cap_user(&by.at(lab.now()), me.user_id(), &caps).await));
        assert!(
            forbidden(lab.store.set_status(&by.at(lab.now()), him.user_id(), "suspended").await),
            "members neither"
        );
        assert_eq!(ask().await, [Brought::In, Brought::In, Brought::Unknown], "saying it twice is harmless");
        lab.store.leave_group(&him.at(lab.now()), "red", him.user_id(), false).await.unwrap();
        assert_eq!(lab.store.standing_to(&by, him.user_id()).await.unwrap(), Relationship::Anybody);
        let other = lab.store.leave_group(&him.at(lab.now()), "red", by.user_id(), false).await;
        assert!(forbidden(other), "others are taken out by administrators");
    })
    .await;
}

#[tokio::test]
async fn caps_of_a_group_bind_what_is_drawn_from_it_and_nothing_else() {
    both(async |lab| {
        let ann = user(&lab, "ann", None).await;
        administered(&lab, "red", "ann").await;
        administered(&lab, "blue", "ann").await;
        let bob = user(&lab, "bob", Some("red")).await;
        lab.store.add_to_group(&lab.caller(), "blue", &["bob".to_owned()], false).await.unwrap();
        let (by, him) = (ann.now(&lab).await, bob.now(&lab).await);
        let draw = async || lab.store.charge(&him.at(lab.now()), Cost::Requests(1), "domains").await;
        draw().await.unwrap();
        let caps = [("api_requests_daily".to_owned(), 1)];
        lab.store.cap_user(&by.at(lab.now()), him.user_id(), &caps).await.unwrap();
        assert!(matches!(draw().await, Err(StoreError::QuotaExceeded { .. })), "drawn from red");
        let standings = lab.store.quota_standings(him.user_id(), lab.now()).await.unwrap();
        let daily = standings.iter().find(|one| one.name == "api_requests_daily").unwrap();
        assert_eq!((daily.user.allowed, daily.user.used), (1, 1));
        assert_eq!(lab.store.list_quotas(&lab.me, "bob").await.unwrap(), [], "nothing was set for the user");
        lab.store.leave_group(&him.at(lab.now()), "red", him.user_id(), false).await.unwrap();
        lab.store.leave_group(&him.at(lab.now()), "blue", him.user_id(), false).await.unwrap();
        draw().await.unwrap();
        lab.store.add_to_group(&lab.caller(), "red", &["bob".to_owned()], false).await.unwrap();
        draw().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn whoever_comes_into_a_group_without_quotas_keeps_what_was_there() {
    both(async |lab| {
        let bob = user(&lab, "bob", None).await;
        for (quota, allowed) in [("intelligence_searches_monthly", 2), ("intelligence_graphs_private", 1)] {
            lab.store.set_quota(&lab.caller(), "bob", quota, allowed).await.unwrap();
        }
        lab.store.grant_privilege(&lab.caller(), "bob", "intelligence", None).await.unwrap();
        lab.store.create_group(&lab.caller(), "red", &["bob".to_owned()]).await.unwrap();
        let him = bob.now(&lab).await;
        let search = Cost::Enterprise(ambit_model::quota::Family::Searches, 1);
        let draw = async |cost| lab.store.charge(&him.at(lab.now()), cost, "x").await;
        draw(search).await.unwrap();
        draw(Cost::PrivateGraphs(1)).await.unwrap();
        assert!(matches!(draw(Cost::PrivateGraphs(1)).await, Err(StoreError::QuotaExceeded { .. })), "his own end");
        lab.store.set_quota(&lab.caller(), "red", "intelligence_searches_monthly", 1).await.unwrap();
        assert!(matches!(draw(search).await, Err(StoreError::QuotaExceeded { .. })), "what is set binds");
    })
    .await;
}

#[tokio::test]
async fn a_new_user_is_where_the_administrator_says() {
    both(async |lab| {
        let mine = lab.store.list_projects(&lab.me).await.unwrap().remove(0).project;
        lab.store.create_group(&lab.caller(), "red", &[]).await.unwrap();
        let new = |project: Option<Uuid>, group: Option<&str>| NewUser {
            email: "ann@acme.test".to_owned(),
            project,
            group: group.map(str::to_owned),
            ..NewUser::default()
        };
        for wrong in [new(Some(Uuid::nil()), None), new(None, Some("pink"))] {
            let refused = lab.store.create_user(&lab.caller(), &wrong).await;
            assert_eq!(refused.unwrap_err(), StoreError::NotFound);
        }
        let made = lab.store.create_user(&lab.caller(), &new(Some(mine.uuid), Some("red"))).await.unwrap();
        let members = lab.store.list_members(&lab.me, mine.uuid).await.unwrap();
        assert!(members.iter().any(|one| one.user == made && !one.invited));
        assert_eq!(lab.store.account("ann").await.unwrap().api_quota_group.as_deref(), Some("red"));
    })
    .await;
}
