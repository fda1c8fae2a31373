//! What ends when somebody is suspended, deleted, or goes: keys, rules, gauges.

use crate::lab::{Lab, both};
use crate::quotas::again;
use crate::receivers::new_receiver;
use ambit_store::{NewKey, NewRetrohuntJob, NewUser, Principal, RulesetChange, StoreError};

async fn user(lab: &Lab, name: &str) -> (String, Principal) {
    let email = format!("{name}@acme.test");
    let new = NewUser { email: email.clone(), ..NewUser::default() };
    lab.store.create_user(&lab.caller(), &new).await.unwrap();
    let new = NewKey { user: Some(email), ..NewKey::default() };
    let key = lab.store.create_key(&lab.caller(), &new).await.unwrap().key;
    let principal = lab.store.authenticate(&key, lab.now()).await.unwrap().unwrap();
    (key, principal)
}

#[tokio::test]
async fn the_audit_log_says_under_which_name_a_deleted_user_stands_in_it() {
    both(async |lab| {
        let (_, ann) = user(&lab, "ann").await;
        lab.store.create_project(&ann.at(lab.now()), "Ann's").await.unwrap();
        lab.store.delete_user(&lab.caller(), "ann").await.unwrap();
        let rows = lab.store.list_audit(&lab.me, None, 10).await.unwrap();
        let deleted = rows.iter().find(|row| row.action == "user.delete").unwrap();
        assert_eq!(deleted.object, "ann");
        assert_eq!(deleted.details["id"], serde_json::json!(ann.user_uuid()));
        let by_ann = rows.iter().find(|row| row.action == "project.create").unwrap().user.clone().unwrap();
        let now_called = deleted.details["now_called"].as_str().unwrap();
        assert_eq!(by_ann, format!("{now_called}@deleted.invalid"));
    })
    .await;
}

#[tokio::test]
async fn receivers_rest_while_their_maker_is_suspended_and_end_with_the_maker() {
    both(async |lab| {
        let (_, ann) = user(&lab, "ann").await;
        lab.store.create_project(&ann.at(lab.now()), "Ann's").await.unwrap();
        let ann = again(&lab, &ann).await;
        let project = ann.primary().unwrap();
        let of = async |name: &str, who: &Principal, project: i64| {
            lab.store.create_receiver(&who.at(lab.now()), project, &new_receiver(name)).await.unwrap()
        };
        let (hers, mine) = (of("hers", &ann, project).await, of("mine", &lab.me, lab.project).await);
        let told = async || {
            let receivers = lab.store.outbox().receivers().await.unwrap();
            receivers.into_iter().map(|receiver| receiver.name).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(told().await, "hers mine");
        lab.store.set_status(&lab.caller(), ann.user_id(), "suspended").await.unwrap();
        assert_eq!(told().await, "mine", "what is found reaches nobody who may not sign in");
        lab.store.set_status(&lab.caller(), ann.user_id(), "active").await.unwrap();
        assert_eq!(told().await, "hers mine");
        lab.store.delete_user(&lab.caller(), "ann").await.unwrap();
        assert_eq!(told().await, "mine");
        // The project has passed to the administrator, who sees why, and may take the receiver over.
        let me = again(&lab, &lab.me).await;
        let ended = lab.store.find_receiver(&me, hers.uuid).await.unwrap().ended.unwrap();
        assert!(ended.starts_with("the user who created it was deleted"), "{ended}");
        lab.store.replay_deliveries(&me.at(lab.now()), hers.uuid, None).await.unwrap();
        assert_eq!(told().await, "hers mine");
        let taken = lab.store.find_receiver(&me, hers.uuid).await.unwrap();
        assert_eq!((taken.ended, taken.created_by), (None, mine.created_by));
    })
    .await;
}

fn rules(names: &[&str]) -> RulesetChange {
    RulesetChange {
        name: Some("set".to_owned()),
        rules: Some(("rule a { condition: true }".to_owned(), names.iter().map(|name| (*name).to_owned()).collect())),
        enabled: Some(true),
        daily_limit: Some(100),
        match_object_type: Some("file".to_owned()),
        ..RulesetChange::default()
    }
}

/// Active rules that a user, and a group, pay for.
async fn gauges(lab: &Lab, user: i64, group: i64) -> (i64, i64) {
    let name = "intelligence_hunting_rules";
    let standings = lab.store.quota_standings(user, lab.now()).await.unwrap();
    let own = standings.iter().find(|one| one.name == name).unwrap().user.used;
    let theirs = lab.store.group_standings(group, lab.now()).await.unwrap();
    (own, theirs.iter().find(|one| one.0 == name).unwrap().1.used)
}

async fn group_with_room(lab: &Lab, member: &str) -> i64 {
    let (group, _) = lab.store.create_group(&lab.caller(), "red", &[member.to_owned()]).await.unwrap();
    lab.store.set_quota(&lab.caller(), "red", "intelligence_hunting_rules", 10).await.unwrap();
    group.id
}

#[tokio::test]
async fn rules_of_who_was_deleted_stop_and_are_the_administrators_to_delete_or_to_give() {
    both(async |lab| {
        let (_, ann) = user(&lab, "ann").await;
        let (_, bob) = user(&lab, "bob").await;
        let group = group_with_room(&lab, "ann").await;
        lab.store.set_quota(&lab.caller(), "ann", "intelligence_retrohunt_jobs_monthly", 1).await.unwrap();
        lab.store.set_quota(&lab.caller(), "red", "intelligence_retrohunt_jobs_monthly", 1).await.unwrap();
        let sets = [
            lab.store.create_ruleset(&ann.at(lab.now()), &rules(&["a", "b"])).await.unwrap(),
            lab.store.create_ruleset(&ann.at(lab.now()), &rules(&["c"])).await.unwrap(),
        ];
        let new = NewRetrohuntJob {
            rules: "rule a { condition: true }".to_owned(),
            corpus: "main".to_owned(),
            ..NewRetrohuntJob::default()
        };
        let job = lab.store.create_retrohunt_job(&ann.at(lab.now()), &new).await.unwrap();
        assert_eq!(gauges(&lab, ann.user_id(), group).await, (3, 3));
        let engine = &lab.engine;
        assert_eq!(engine.live_rulesets(lab.now()).await.unwrap().len(), 2);
        lab.store.delete_user(&lab.caller(), "ann").await.unwrap();
        assert_eq!(gauges(&lab, ann.user_id(), group).await, (0, 0), "nobody pays");
        assert_eq!(engine.live_rulesets(lab.now()).await.unwrap().len(), 0);
        assert_eq!(lab.store.find_retrohunt_job(&ann, &job.id).await.unwrap().status, "aborted");
        assert_eq!(lab.store.list_rulesets(&bob.at(lab.now())).await.unwrap(), []);
        let seen = lab.store.list_rulesets(&lab.caller()).await.unwrap();
        assert!(seen.len() == 2 && seen.iter().all(|one| !one.enabled), "{seen:?}");
        let on = RulesetChange { enabled: Some(true), ..RulesetChange::default() };
        let enabled = lab.store.change_ruleset(&lab.caller(), &sets[0].id, &on).await;
        assert!(matches!(enabled, Err(StoreError::Forbidden(_))), "nobody would pay: {enabled:?}");
        lab.store.delete_ruleset(&lab.caller(), &sets[0].id).await.unwrap();
        lab.store.give_ruleset(&lab.caller(), &sets[1].id, "bob").await.unwrap();
        assert_eq!(lab.store.find_ruleset(&bob.at(lab.now()), &sets[1].id).await.unwrap().owner, "bob");
        assert_eq!(lab.store.list_rulesets(&lab.caller()).await.unwrap(), []);
    })
    .await;
}

#[tokio::test]
async fn a_given_set_arrives_disabled_and_charges_nobody() {
    both(async |lab| {
        let (_, ann) = user(&lab, "ann").await;
        let (_, bob) = user(&lab, "bob").await;
        let group = group_with_room(&lab, "ann").await;
        lab.store.set_quota(&lab.caller(), "bob", "intelligence_hunting_rules", 10).await.unwrap();
        let set = lab.store.create_ruleset(&ann.at(lab.now()), &rules(&["a", "b"])).await.unwrap();
        lab.store.give_ruleset(&ann.at(lab.now()), &set.id, "bob").await.unwrap();
        assert_eq!(gauges(&lab, ann.user_id(), group).await, (0, 0));
        assert_eq!(gauges(&lab, bob.user_id(), group).await, (0, 0));
        assert!(!lab.store.find_ruleset(&bob.at(lab.now()), &set.id).await.unwrap().enabled);
    })
    .await;
}

#[tokio::test]
async fn a_group_pays_no_rules_of_who_left_it() {
    both(async |lab| {
        let (_, ann) = user(&lab, "ann").await;
        let group = group_with_room(&lab, "ann").await;
        lab.store.set_quota(&lab.caller(), "ann", "intelligence_hunting_rules", 2).await.unwrap();
        let first = lab.store.create_ruleset(&ann.at(lab.now()), &rules(&["a", "b"])).await.unwrap();
        lab.store.leave_group(&ann.at(lab.now()), "red", ann.user_id(), false).await.unwrap();
        assert_eq!(gauges(&lab, ann.user_id(), group).await, (2, 0), "her own allowance has room");
        assert!(lab.store.find_ruleset(&ann.at(lab.now()), &first.id).await.unwrap().enabled);
        lab.store.add_to_group(&lab.caller(), "red", &["ann".to_owned()], false).await.unwrap();
        lab.store.delete_ruleset(&ann.at(lab.now()), &first.id).await.unwrap();
        lab.store.set_quota(&lab.caller(), "ann", "intelligence_hunting_rules", 0).await.unwrap();
        let second = lab.store.create_ruleset(&ann.at(lab.now()), &rules(&["a"])).await.unwrap();
        assert_eq!(gauges(&lab, ann.user_id(), group).await, (1, 1));
        lab.store.delete_group(&lab.caller(), "red").await.unwrap();
        assert!(!lab.store.find_ruleset(&ann.at(lab.now()), &second.id).await.unwrap().enabled, "nobody has room");
        let standings = lab.store.quota_standings(ann.user_id(), lab.now()).await.unwrap();
        assert!(standings.iter().all(|one| one.user.used == 0), "{standings:?}");
    })
    .await;
}

#[tokio::test]
async fn a_key_that_ends_makes_none_that_lasts_and_takes_its_children_with_it() {
    both(async |lab| {
        let (key, _) = user(&lab, "ann").await;
        let now = lab.now();
        let end = now.plus_ms(60_000);
        let make = async |with: &str, expires_at, user: Option<&str>| {
            let by = lab.store.authenticate(with, now).await.unwrap().unwrap();
            let new = NewKey { user: user.map(str::to_owned), expires_at, ..NewKey::default() };
            lab.store.create_key(&by.at(now), &new).await
        };
        let short = make(&key, Some(end), None).await.unwrap();
        let child = make(&short.key, None, None).await.unwrap();
        assert_eq!(child.expires_at, Some(end));
        let longer = make(&short.key, Some(end.plus_ms(1)), None).await;
        assert!(matches!(longer, Err(StoreError::Invalid(_))), "{longer:?}");
        let grandchild = make(&child.key, Some(now.plus_ms(5_000)), None).await.unwrap();
        let ann = lab.store.authenticate(&key, now).await.unwrap().unwrap();
        let revoked = lab.store.revoke_key(&ann.at(now), short.id).await.unwrap();
        assert_eq!((revoked.with_it, revoked.of_others), (vec![child.id, grandchild.id], vec![]));
        for gone in [&short.key, &child.key, &grandchild.key] {
            assert_eq!(lab.store.authenticate(gone, now).await.unwrap(), None);
        }
        assert!(lab.store.authenticate(&key, now).await.unwrap().is_some(), "what made it stays");
        // Keys of others are said, not ended.
        let mine = lab.store.create_key(&lab.me.at(now), &NewKey::default()).await.unwrap();
        let theirs = make(&mine.key, None, Some("ann")).await.unwrap();
        let revoked = lab.store.revoke_key(&lab.me.at(now), mine.id).await.unwrap();
        assert_eq!((revoked.with_it, revoked.of_others), (vec![], vec![theirs.id]));
        assert!(lab.store.authenticate(&theirs.key, now).await.unwrap().is_some());
    })
    .await;
}

#[tokio::test]
async fn who_is_suspended_opens_nothing_until_the_administrator_says_so() {
    both(async |lab| {
        let (key, ann) = user(&lab, "ann").await;
        group_with_room(&lab, "ann").await;
        lab.store.create_ruleset(&ann.at(lab.now()), &rules(&["a"])).await.unwrap();
        let engine = &lab.engine;
        let set =
            async |by: &Principal, user: i64, status: &str| lab.store.set_status(&by.at(lab.now()), user, status).await;
        assert!(matches!(set(&ann, ann.user_id(), "suspended").await, Err(StoreError::Forbidden(_))));
        assert!(matches!(set(&lab.me, ann.user_id(), "away").await, Err(StoreError::Invalid(_))));
        for status in ["inactive", "suspended"] {
            set(&lab.me, ann.user_id(), status).await.unwrap();
            assert_eq!(lab.store.authenticate(&key, lab.now()).await.unwrap_err(), StoreError::NotActive);
            assert_eq!(
                lab.store.authenticate(&key, lab.now()).await.unwrap_err(),
                StoreError::NotActive,
                "from the cache, too"
            );
            assert!(!lab.store.is_active(ann.user_id()).await.unwrap());
            assert_eq!(engine.live_rulesets(lab.now()).await.unwrap().len(), 0);
        }
        set(&lab.me, ann.user_id(), "active").await.unwrap();
        assert!(lab.store.authenticate(&key, lab.now()).await.unwrap().is_some());
        assert_eq!(engine.live_rulesets(lab.now()).await.unwrap().len(), 1);
        let last = set(&lab.me, lab.me.user_id(), "suspended").await;
        assert!(matches!(last, Err(StoreError::Conflict(_))), "{last:?}");
        let unknown = lab.store.grant_privilege(&lab.caller(), "ann", "inteligence", None).await;
        assert!(
            matches!(&unknown, Err(StoreError::Invalid(why)) if why.contains("feeds, intelligence, premium-api")),
            "{unknown:?}"
        );
    })
    .await;
}
