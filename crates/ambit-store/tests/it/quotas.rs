//! Charging: never an overdraft, whoever calls at once and wherever the clock stands; what is refused moves nothing;
//! what is given back is there again.

use crate::lab::{Lab, both};
use ambit_model::Timestamp;
use ambit_model::quota::{Family, METERS, Window};
use ambit_store::{Collaborator, Members};
use ambit_store::{Cost, GraphRight, NewGraph, NewKey, NewUser, Payer, Principal, Role, StoreError};
use serde_json::{Map, json};
use std::collections::BTreeMap;

pub(crate) async fn user(lab: &Lab, name: &str) -> Principal {
    let email = format!("{name}@acme.test");
    let new = NewUser { email: email.clone(), ..NewUser::default() };
    lab.store.create_user(&lab.caller(), &new).await.unwrap();
    let new = NewKey { user: Some(email), label: String::new(), expires_at: None, ..NewKey::default() };
    let key = lab.store.create_key(&lab.caller(), &new).await.unwrap().key;
    lab.store.authenticate(&key, lab.now()).await.unwrap().unwrap()
}

/// Somebody as the next request finds them.
pub(crate) async fn again(lab: &Lab, who: &Principal) -> Principal {
    let new = NewKey { user: Some(who.username().to_owned()), ..NewKey::default() };
    let key = lab.store.create_key(&lab.caller(), &new).await.unwrap().key;
    lab.store.authenticate(&key, lab.now()).await.unwrap().unwrap()
}

async fn standing(lab: &Lab, who: &Principal, name: &str, now: Timestamp) -> (i64, Option<i64>) {
    let standings = lab.store.quota_standings(who.user_id(), now).await.unwrap();
    let one = standings.into_iter().find(|one| one.name == name).unwrap();
    (one.user.used, one.group.map(|(group, _)| group.used))
}

#[tokio::test]
async fn of_many_callers_at_once_exactly_as_many_are_served_as_there_are_units() {
    both(async |lab| {
        let (ann, bob) = (user(&lab, "ann").await, user(&lab, "bob").await);
        let members = ["ann".to_owned(), "bob".to_owned()];
        lab.store.create_group(&lab.caller(), "red", &members).await.unwrap();
        lab.store.set_quota(&lab.caller(), "red", "api_requests_daily", 13).await.unwrap();
        lab.store.set_quota(&lab.caller(), "ann", "api_requests_monthly", 5).await.unwrap();
        let now = lab.now();
        let calls = (0..50).map(|number| {
            let (store, who) = (lab.store.clone(), if number % 2 == 0 { ann.clone() } else { bob.clone() });
            tokio::spawn(async move { store.charge(&who.at(now), Cost::Requests(1), "domains").await })
        });
        let (mut served, mut refused) = (0, 0);
        for call in calls.collect::<Vec<_>>() {
            match call.await.unwrap() {
                Ok(_) => served += 1,
                Err(StoreError::QuotaExceeded { retry_after_s }) => {
                    assert!(retry_after_s.is_some_and(|seconds| seconds > 0), "{}", lab.database);
                    refused += 1;
                }
                Err(error) => panic!("{error}"),
            }
        }
        assert_eq!((served, refused), (13, 37), "{}", lab.database);
        let (of_ann, group) = standing(&lab, &ann, "api_requests_daily", now).await;
        let (of_bob, _) = standing(&lab, &bob, "api_requests_daily", now).await;
        assert_eq!((of_ann + of_bob, group), (13, Some(13)));
        assert!(of_ann <= 5, "the cap of one member binds too");
        let group = ann.groups().first().copied().unwrap_or(1);
        let drawn =
            lab.store.drawn_from_group(group, "api_requests_daily", Window::Day.number(now), true).await.unwrap();
        assert_eq!(drawn.iter().map(|(_, units)| units).sum::<i64>(), 13);
        let usage = lab.store.api_usage(Payer::User(bob.user_id()), 0, i64::MAX).await.unwrap();
        assert_eq!(usage.iter().map(|row| (row.consuming, row.calls)).collect::<Vec<_>>(), [(true, of_bob)]);
    })
    .await;
}

/// Small numbers without a library: the test must be the same on both databases.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

fn any_cost(dice: &mut Dice) -> Cost {
    match dice.roll(4) {
        0 => Cost::Enterprise(Family::Searches, 1),
        1 => Cost::PrivateGraphs(1),
        _ => Cost::Requests(1 + i64::try_from(dice.roll(2)).unwrap()),
    }
}

fn paid_with(cost: Cost) -> (Family, i64) {
    match cost {
        Cost::Requests(units) => (Family::Api, units),
        Cost::Enterprise(family, units) => (family, units),
        _ => (Family::PrivateGraphs, 1),
    }
}

/// Payer, meter and number of the window, with what was granted there.
type Granted = BTreeMap<(String, &'static str, i64), i64>;

/// Checks that no window of a payer was granted more than a limit (payer, name, units) allows.
fn assert_within((who, name, allowed): (&str, &str, i64), granted: &Granted, database: &str) {
    for meter in METERS.iter().filter(|meter| meter.quota == Some(name)) {
        let windows = granted.iter().filter(|((payer, known, _), _)| payer == who && *known == meter.name);
        let most = windows.map(|(_, units)| *units).max().unwrap_or(0);
        assert!(most <= allowed / meter.parts, "{who} {} {most}, {database}", meter.name);
    }
}

#[tokio::test]
async fn no_counter_ever_stands_above_its_limit_wherever_the_clock_jumps() {
    both(async |lab| {
        let people = [user(&lab, "ann").await, user(&lab, "bob").await, user(&lab, "eve").await];
        let members = ["ann".to_owned(), "bob".to_owned()];
        lab.store.create_group(&lab.caller(), "red", &members).await.unwrap();
        let limits = [
            ("red", "api_requests_hourly", 180),
            ("red", "api_requests_daily", 6),
            ("red", "intelligence_searches_monthly", 4),
            ("ann", "api_requests_daily", 4),
            ("ann", "api_requests_monthly", 9),
            ("eve", "api_requests_hourly", 120),
            ("eve", "intelligence_graphs_private", 2),
        ];
        for (who, name, allowed) in limits {
            lab.store.set_quota(&lab.caller(), who, name, allowed).await.unwrap();
        }
        for name in ["ann", "bob", "eve"] {
            lab.store.grant_privilege(&lab.caller(), name, "intelligence", None).await.unwrap();
        }
        let mut dice = Dice(7);
        let mut granted = Granted::new();
        let mut now = lab.now();
        for _ in 0..60 {
            // Over the ends of minutes, days and months, and now and then back.
            let jump = [0, 0, 30_000, 60_000, 3_600_000, 86_400_000, 2_000_000_000, -90_000_000]
                [usize::try_from(dice.roll(8)).unwrap()];
            now = now.plus_ms(jump);
            let mut calls = Vec::new();
            for _ in 0..4 {
                let index = usize::try_from(dice.roll(3)).unwrap();
                let cost = any_cost(&mut dice);
                let (store, who) = (lab.store.clone(), people[index].clone());
                calls.push(tokio::spawn(async move { (index, cost, store.charge(&who.at(now), cost, "test").await) }));
            }
            for call in calls {
                let (index, cost, outcome) = call.await.unwrap();
                let Ok(receipt) = outcome else { continue };
                if dice.roll(5) == 0 {
                    lab.store.refund(&receipt).await.unwrap();
                    continue;
                }
                let (family, units) = paid_with(cost);
                let mut payers = vec![people[index].username().to_owned()];
                payers.extend((index < 2).then(|| "red".to_owned()));
                for payer in payers {
                    for meter in family.meters() {
                        *granted.entry((payer.clone(), meter.name, meter.window.number(now))).or_default() += units;
                    }
                }
            }
            for limit in limits {
                assert_within(limit, &granted, lab.database);
            }
        }
        assert!(granted.values().sum::<i64>() > 50, "the test must grant something");
        for person in &people {
            for meter in METERS.iter().filter(|meter| meter.window != Window::Minute) {
                let said = standing(&lab, person, meter.name, now).await.0;
                let key = (person.username().to_owned(), meter.name, meter.window.number(now));
                assert_eq!(said, granted.get(&key).copied().unwrap_or(0), "{key:?}, {}", lab.database);
            }
        }
    })
    .await;
}

#[tokio::test]
async fn two_groups_three_users_and_who_may_do_what_with_a_graph() {
    both(async |lab| {
        let people = [user(&lab, "ann").await, user(&lab, "bob").await, user(&lab, "eve").await];
        for (group, member) in [("red", "bob"), ("blue", "eve")] {
            let members = [member, "ann"].map(str::to_owned);
            lab.store.create_group(&lab.caller(), group, &members).await.unwrap();
        }
        let people = [again(&lab, &people[0]).await, again(&lab, &people[1]).await, again(&lab, &people[2]).await];
        lab.store.set_quota(&lab.caller(), "ann", "intelligence_graphs_private", 1).await.unwrap();
        let mut ids = Vec::new();
        for private in [false, true] {
            let new = NewGraph { document: Map::from_iter([("nodes".to_owned(), json!([]))]), private };
            let graph = lab.store.create_graph(&people[0].at(lab.now()), &new).await.unwrap();
            let red = [Collaborator::Group("red".to_owned())];
            lab.store.add_collaborators(&people[0].at(lab.now()), &graph.id, Role::Viewer, &red).await.unwrap();
            ids.push(graph.id);
        }
        let rights = async |person: &Principal| {
            let mut out = Vec::new();
            for id in &ids {
                out.push(lab.store.graph_right(person, id).await.unwrap());
            }
            out
        };
        use GraphRight::{Edit, Own, View};
        assert_eq!(rights(&people[0]).await, [Some(Own), Some(Own)]);
        assert_eq!(rights(&people[1]).await, [Some(View), Some(View)]);
        assert_eq!(rights(&people[2]).await, [Some(View), None]);
        assert_eq!(lab.store.view_graph(&people[2], &ids[1]).await.unwrap_err(), StoreError::NotFound);
        assert!(matches!(
            lab.store.delete_graph(&people[1].at(lab.now()), &ids[1]).await,
            Err(StoreError::Forbidden(_))
        ));
        let blue = Collaborator::Group("blue".to_owned());
        let refused = lab
            .store
            .add_collaborators(&people[1].at(lab.now()), &ids[1], Role::Editor, std::slice::from_ref(&blue))
            .await;
        assert!(matches!(refused, Err(StoreError::Forbidden(_))));
        lab.store
            .add_collaborators(&people[0].at(lab.now()), &ids[1], Role::Editor, std::slice::from_ref(&blue))
            .await
            .unwrap();
        assert_eq!(rights(&people[2]).await, [Some(View), Some(Edit)]);
        let members = lab.store.group_account("blue").await.unwrap().group.id;
        assert_eq!(lab.store.members_of(members, Members::Users).await.unwrap()[1].user.username, "eve");
        lab.store.leave_group(&lab.caller(), "blue", people[2].user_id(), false).await.unwrap();
        assert_eq!(rights(&people[2]).await, [Some(View), None], "out of the group, out of the graph");
        lab.store.remove_collaborator(&people[0].at(lab.now()), &ids[1], Role::Editor, &blue).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn changes_of_graphs_are_read_in_the_order_of_commits() {
    both(async |lab| {
        let ann = user(&lab, "ann").await;
        lab.store.set_quota(&lab.caller(), "ann", "intelligence_graphs_private", 1).await.unwrap();
        let mut ids = Vec::new();
        for private in [false, true] {
            let document = Map::from_iter([("nodes".to_owned(), json!([]))]);
            let graph = lab.store.create_graph(&ann.at(lab.now()), &NewGraph { document, private }).await.unwrap();
            ids.push(graph.id);
        }
        let me = [Collaborator::User("ann".to_owned())];
        lab.store.add_collaborators(&ann.at(lab.now()), &ids[1], Role::Viewer, &me).await.unwrap();
        let changes = lab.store.graphs_since(0, 10).await.unwrap();
        assert_eq!(changes.len(), 2);
        assert!(changes[0].revision < changes[1].revision && changes[1].access.len() == 1, "{}", lab.database);
        lab.store.delete_graph(&ann.at(lab.now()), &ids[0]).await.unwrap();
        assert!(lab.store.graphs_since(changes[1].revision, 10).await.unwrap()[0].deleted);
        let refused =
            lab.store.create_graph(&ann.at(lab.now()), &NewGraph { private: true, ..NewGraph::default() }).await;
        assert!(matches!(refused, Err(StoreError::QuotaExceeded { .. })));
        assert_eq!(standing(&lab, &ann, "intelligence_graphs_private", lab.now()).await, (1, None));
    })
    .await;
}
