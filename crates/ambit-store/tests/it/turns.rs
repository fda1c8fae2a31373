//! Runs of several projects and users: whose turn it is, the place kept for short ones, and how much one person may ask
//! for.

use crate::lab::{Lab, both, new_collection};
use crate::people::user;
use ambit_model::id::RunId;
use ambit_model::run::RunState;
use ambit_model::{Kind, Timestamp};
use ambit_store::engine::Room;
use ambit_store::{Limits, Principal, Started, StoreError};
use std::collections::BTreeSet;

const BLOCK: (Kind, &str) = (Kind::NetBlock, "10.0.0.0/16");
const ADDRESS: (Kind, &str) = (Kind::IpAddress, "192.0.2.1");

impl Lab {
    /// A user with a project of their own.
    async fn person(&self, name: &str) -> (Principal, i64) {
        let (key, person) = user(self, &format!("{name}@acme.test")).await;
        let project = self.store.create_project(&person.at(self.now()), name).await.unwrap().project.id;
        (self.store.authenticate(&key, self.now()).await.unwrap().unwrap(), project)
    }

    /// A run of a person over seeds, in a collection of its own.
    async fn asked(&self, (person, project): &(Principal, i64), seeds: &[(Kind, &str)]) -> Result<RunId, StoreError> {
        let view = self.store.create_collection(&person.at(self.now()), *project, &new_collection(seeds)).await?;
        let Started::Scheduled(run) = self.store.start_run(&person.at(self.now()), view.collection.uuid, false).await?
        else {
            panic!("nothing else is open there")
        };
        Ok(run.id)
    }

    async fn next(&self, carried: &mut BTreeSet<RunId>, room: Room) -> Option<(RunId, bool)> {
        let claimed = self.engine.claim_next(carried, room, self.now()).await.unwrap()?;
        carried.insert(claimed.run.id);
        Some((claimed.run.id, claimed.short))
    }
}

#[tokio::test]
async fn a_short_run_is_claimed_at_once_beside_four_long_ones_of_another_project() {
    both(async |lab| {
        let (greedy, other) = (lab.person("greedy").await, lab.person("other").await);
        let mut long = Vec::new();
        for _ in 0..5 {
            long.push(lab.asked(&greedy, &[BLOCK]).await.unwrap());
        }
        let mut carried = BTreeSet::new();
        for run in &long[..4] {
            assert_eq!(lab.next(&mut carried, Room::Any).await, Some((*run, false)));
        }
        assert_eq!(lab.next(&mut carried, Room::Short).await, None, "the place is kept");
        let short = lab.asked(&other, &[ADDRESS]).await.unwrap();
        assert_eq!(lab.next(&mut carried, Room::Short).await, Some((short, true)));
        let all = carried.clone();
        assert_eq!(lab.engine.run_that_gives_way(&carried, &all, lab.now()).await.unwrap(), None, "only its own wait");
        let waiting = lab.asked(&lab.person("third").await, &[BLOCK]).await.unwrap();
        let gives_way = lab.engine.run_that_gives_way(&carried, &all, lab.now()).await.unwrap();
        assert_eq!(gives_way, Some(long[0]), "of the project with most the one taken first");
        lab.engine.release(long[0]).await.unwrap();
        carried.remove(&long[0]);
        assert_eq!(lab.next(&mut carried, Room::Any).await, Some((waiting, false)));
        lab.engine.finish(waiting, RunState::Finished, &[], lab.now()).await.unwrap();
        carried.remove(&waiting);
        assert_eq!(
            lab.next(&mut carried, Room::Any).await,
            Some((long[0], false)),
            "it goes on before its project begins another"
        );
    })
    .await;
}

#[tokio::test]
async fn projects_are_served_in_turn_though_one_asked_first_for_all() {
    both(async |lab| {
        let (greedy, other) = (lab.person("greedy").await, lab.person("other").await);
        let mut first = Vec::new();
        for _ in 0..3 {
            first.push(lab.asked(&greedy, &[BLOCK]).await.unwrap());
        }
        let (late, later) = (lab.asked(&other, &[BLOCK]).await.unwrap(), lab.asked(&other, &[BLOCK]).await.unwrap());
        let mut order = Vec::new();
        // One at a time: what ended counts for nobody, and who was served last waits.
        while let Some((run, _)) = lab.next(&mut BTreeSet::new(), Room::Any).await {
            lab.engine.finish(run, RunState::Finished, &[], lab.now()).await.unwrap();
            order.push(run);
        }
        assert_eq!(order, [first[0], late, first[1], later, first[2]]);
    })
    .await;
}

#[tokio::test]
async fn an_administrator_s_run_has_the_kept_place_whatever_its_size() {
    both(async |lab| {
        let me = (lab.me.clone(), lab.project);
        let run = lab.asked(&me, &[BLOCK]).await.unwrap();
        assert_eq!(lab.next(&mut BTreeSet::new(), Room::Short).await, Some((run, true)));
    })
    .await;
}

#[tokio::test]
async fn a_user_has_so_many_runs_open_and_a_cancelled_one_counts_no_more() {
    both(async |lab| {
        lab.store.set_limits(Limits { open_runs: 2, ..Limits::default() });
        let person = lab.person("ann").await;
        let first = lab.asked(&person, &[ADDRESS]).await.unwrap();
        lab.asked(&person, &[ADDRESS]).await.unwrap();
        let refused = lab.asked(&person, &[ADDRESS]).await.unwrap_err();
        let text = "you have 2 runs that wait or run, and 2 is the most: cancel one, or wait until one ends";
        assert_eq!(refused, StoreError::TooMany(text.to_owned()));
        lab.store.cancel_run(&person.0.at(lab.now()), first).await.unwrap();
        lab.asked(&person, &[ADDRESS]).await.unwrap();
        lab.asked(&(lab.me.clone(), lab.project), &[ADDRESS]).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn the_addresses_of_seeds_are_limited_for_a_project_and_for_a_user() {
    both(async |lab| {
        lab.store.set_limits(Limits { seed_addresses: 70_000, ..Limits::default() });
        let person = lab.person("ann").await;
        let seeds = |block: &'static str| [(Kind::NetBlock, block), (Kind::Domain, "acme.test")];
        let view = lab
            .store
            .create_collection(&person.0.at(lab.now()), person.1, &new_collection(&seeds("10.0.0.0/16")))
            .await;
        let collection = view.unwrap().collection.uuid;
        let add = async |name: &str| {
            let seed = [(Kind::NetBlock, name.to_owned())];
            lab.store.add_seeds(&person.0.at(lab.now()), collection, &seed).await.map(|seeds| seeds.len())
        };
        assert_eq!(add("10.1.0.0/20").await, Ok(3));
        let refused = add("10.2.0.0/20").await.unwrap_err();
        let text = "the project's seeds would name 73728 addresses, and 70000 is the most: give smaller blocks, or ask \
                    the administrator";
        assert_eq!(refused, StoreError::Invalid(text.to_owned()));
        assert_eq!(lab.store.list_seeds(&person.0, collection).await.unwrap().len(), 3, "nothing of it was stored");
        lab.store.set_limits(Limits { seed_addresses: 5_000, ..Limits::default() });
        let (key, bob) = user(&lab, "bob@acme.test").await;
        let first = lab.store.create_project(&bob.at(lab.now()), "first").await.unwrap().project.id;
        let second = lab.store.create_project(&bob.at(lab.now()), "second").await.unwrap().project.id;
        let bob = lab.store.authenticate(&key, lab.now()).await.unwrap().unwrap();
        let elsewhere = (bob.clone(), first);
        let blocks = async |who: &(Principal, i64)| {
            let new = new_collection(&[(Kind::NetBlock, "10.3.0.0/20")]);
            lab.store.create_collection(&who.0.at(lab.now()), who.1, &new).await.map(|_| ())
        };
        assert_eq!(blocks(&elsewhere).await, Ok(()));
        let again = blocks(&elsewhere).await.unwrap_err();
        assert!(again.to_string().starts_with("the project's seeds would name 8192 addresses"), "{again}");
        let again = blocks(&(bob, second)).await.unwrap_err();
        assert!(again.to_string().starts_with("the seeds that you added would name 8192 addresses"), "{again}");
        let me = lab
            .store
            .create_collection(&lab.me.at(Timestamp(1)), lab.project, &new_collection(&seeds("10.0.0.0/8")))
            .await;
        me.unwrap();
    })
    .await;
}
