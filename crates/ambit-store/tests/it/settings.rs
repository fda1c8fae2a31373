//! What people change beside records: settings of projects and collections, who is in them; and many records at once.
//! On both databases.

use crate::lab::{Lab, both, new_collection};
use ambit_model::collection::Schedule;
use ambit_model::cron::Cron;
use ambit_model::entity::EntityRecord;
use ambit_model::notification::hours::Hours;
use ambit_model::timing::{Timing, TimingChange, Window};
use ambit_model::user::{CollectionRole, ProjectRole};
use ambit_model::{Clearance, Item, Kind, Timestamp};
use ambit_store::{BulkChange, CollectionSettings, ProjectSettings, StoreError};

#[tokio::test]
async fn settings_change_only_what_is_given() {
    both(async |lab| {
        let settings = CollectionSettings {
            schedule: Some(Schedule::Weekly),
            custom_last_refreshes_count: Some(7),
            ..CollectionSettings::default()
        };
        let view = lab.store.change_settings(&lab.caller(), lab.collection, &settings).await.unwrap();
        let of = view.collection;
        assert_eq!(
            (of.schedule, of.custom_last_refreshes_count, of.printable_name.as_str()),
            (Schedule::Weekly, 7, "Acme external")
        );
        let settings = CollectionSettings {
            printable_name: Some(" Outside ".to_owned()),
            level: Some(Clearance::L1),
            never: Some(vec!["*.dev.acme.test".to_owned()]),
            ..CollectionSettings::default()
        };
        let view = lab.store.change_settings(&lab.caller(), lab.collection, &settings).await.unwrap();
        assert_eq!(
            (view.collection.schedule, view.collection.printable_name.as_str(), view.collection.level),
            (Schedule::Weekly, "Outside", Clearance::L1)
        );
        assert_eq!(view.never, ["*.dev.acme.test"]);
        for (ports, kept) in [(Some(Some("top:2")), Some("80,443")), (None, Some("80,443")), (Some(None), None)] {
            let ports = ports.map(|ports| ports.map(|text| text.parse().unwrap()));
            let settings = CollectionSettings { ports, ..CollectionSettings::default() };
            let view = lab.store.change_settings(&lab.caller(), lab.collection, &settings).await.unwrap();
            assert_eq!(view.collection.ports.map(|ports| ports.to_string()).as_deref(), kept);
        }
        let project = lab.store.list_projects(&lab.me).await.unwrap()[0].project.uuid;
        for (name, description, shown) in [
            (Some("Acme all"), Some("what we own"), ("Acme all", Some("what we own"))),
            (None, Some(""), ("Acme all", None)),
        ] {
            let settings = ProjectSettings {
                name: name.map(str::to_owned),
                description: description.map(str::to_owned),
                primary: false,
            };
            lab.store.change_project(&lab.caller(), project, &settings).await.unwrap();
            let found = lab.store.find_project(&lab.me, project).await.unwrap().project;
            assert_eq!((found.name.as_str(), found.description.as_deref()), shown);
        }
    })
    .await;
}

#[tokio::test]
async fn a_run_starts_by_the_clock_of_a_zone_once_and_in_no_window() {
    both(async |lab| {
        // The lab begins on Friday 2027-01-15 at 08:00, UTC.
        let at = |text: &str| Timestamp::parse(text).unwrap();
        let change = async |settings: CollectionSettings| {
            let now = at("2027-01-15T08:00:00Z");
            lab.store.change_settings(&lab.me.at(now), lab.collection, &settings).await.unwrap().collection
        };
        let timing = Timing {
            cron: Some(Cron::parse("30 9 * * *").unwrap()),
            zone: Hours::parse("Europe/Berlin").unwrap(),
            windows: vec![Window::parse("sat,sun 00:00-12:00").unwrap()],
            jitter_minutes: 0,
        };
        let to = |timing: TimingChange| CollectionSettings { timing: Some(timing), ..CollectionSettings::default() };
        let (cron, zone) = (timing.cron.clone(), Some(timing.zone.clone()));
        change(to(TimingChange { windows: Some(timing.windows.clone()), ..TimingChange::default() })).await;
        // What is not said stays.
        assert_eq!(
            change(to(TimingChange { cron, zone, ..TimingChange::default() })).await.due_at,
            Some(at("2027-01-15T08:30:00Z"))
        );
        let due = async |now: &str| lab.store.schedule_due(at(now)).await.unwrap().len();
        assert_eq!(due("2027-01-15T08:29:59Z").await, 0);
        assert_eq!(due("2027-01-16T08:30:00Z").await, 0, "it is Saturday morning");
        // Two starts were missed and are made up once.
        assert_eq!(due("2027-01-16T11:00:00Z").await, 1);
        let run = lab.store.list_runs(&lab.me, lab.collection).await.unwrap().remove(0);
        assert_eq!(run.timing, timing);
        lab.store.cancel_run(&lab.me.at(at("2027-01-16T11:30:00Z")), run.id).await.unwrap();
        assert_eq!(due("2027-01-17T08:00:00Z").await, 0);
        // A word takes the place of the expression, and the windows stay.
        let weekly = CollectionSettings { schedule: Some(Schedule::Weekly), ..CollectionSettings::default() };
        let then = change(weekly).await;
        assert_eq!((then.timing.cron, then.timing.windows.len()), (None, 1));
        assert_eq!(then.due_at, Some(at("2027-01-22T08:00:00Z")));
    })
    .await;
}

#[tokio::test]
async fn a_monthly_schedule_from_the_31st_keeps_to_the_last_days_of_the_months() {
    both(async |lab| {
        let at = |text: &str| Timestamp::parse(text).unwrap();
        let monthly = CollectionSettings { schedule: Some(Schedule::Monthly), ..CollectionSettings::default() };
        let begun = at("2027-01-31T08:00:00Z");
        lab.store.change_settings(&lab.me.at(begun), lab.collection, &monthly).await.unwrap();
        // Starts late by a minute, and in April, since nobody was there, by eleven days.
        for (start, next) in [
            ("2027-02-28T08:01:00Z", "2027-03-31T08:00:00Z"),
            ("2027-03-31T08:01:00Z", "2027-04-30T08:00:00Z"),
            ("2027-05-11T08:00:00Z", "2027-05-31T08:00:00Z"),
            ("2027-05-31T08:00:00Z", "2027-06-30T08:00:00Z"),
        ] {
            assert_eq!(lab.store.schedule_due(at(start)).await.unwrap().len(), 1, "{start}");
            let run = lab.store.list_runs(&lab.me, lab.collection).await.unwrap().remove(0);
            lab.store.cancel_run(&lab.me.at(at(start)), run.id).await.unwrap();
            let due = lab.store.find_collection(&lab.me, lab.collection).await.unwrap().collection.due_at;
            assert_eq!(due, Some(at(next)), "{start}");
        }
        // The schedule counts from a run that a person starts.
        lab.store.start_run(&lab.me.at(at("2027-06-12T10:00:00Z")), lab.collection, false).await.unwrap();
        let due = lab.store.find_collection(&lab.me, lab.collection).await.unwrap().collection.due_at;
        assert_eq!(due, Some(at("2027-07-12T10:00:00Z")));
    })
    .await;
}

#[tokio::test]
async fn who_is_taken_out_sees_nothing_and_the_last_owner_stays() {
    both(async |lab| {
        let project = lab.store.list_projects(&lab.me).await.unwrap()[0].project.uuid;
        let emails = ["ann@acme.test".to_owned()];
        let ann = lab
            .store
            .add_members(&lab.caller(), project, &emails, ProjectRole::Member, true)
            .await
            .unwrap()
            .members
            .remove(0);
        let viewer = CollectionRole::Viewer;
        lab.store.set_collection_role(&lab.caller(), lab.collection, "ann", viewer).await.unwrap();
        let take = async || lab.store.remove_collection_role(&lab.caller(), lab.collection, ann.id).await;
        take().await.unwrap();
        assert_eq!(take().await.unwrap_err(), StoreError::NotFound);
        assert!(lab.store.list_collection_roles(&lab.me, lab.collection).await.unwrap().is_empty());
        lab.store.remove_member(&lab.caller(), project, ann.id).await.unwrap();
        let members = lab.store.list_members(&lab.me, project).await.unwrap();
        assert_eq!(members.len(), 1);
        let last = lab.store.remove_member(&lab.caller(), project, members[0].id).await;
        assert!(matches!(last, Err(StoreError::Conflict(_))), "{last:?}");
        assert_eq!(lab.store.list_members(&lab.me, project).await.unwrap().len(), 1, "rolled back");
    })
    .await;
}

/// Two collections, each changed by two selections that name them in opposite order.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn selections_over_collections_never_wait_in_a_circle() {
    both(async |lab| {
        let lab: &Lab = &lab;
        let first = lab.uid(Kind::Domain, "acme.test").to_string();
        lab.run().await;
        let seeds = [(Kind::Domain, "acme.test")];
        let other = lab.store.create_collection(&lab.caller(), lab.project, &new_collection(&seeds)).await.unwrap();
        let other = other.collection.uuid;
        let started = lab.store.start_run(&lab.caller(), other, false).await.unwrap();
        lab.engine.claim(started.run().id, lab.now()).await.unwrap();
        let second = ambit_model::Uid::of_entity(other, Kind::Domain, "acme.test").to_string();
        let calls = (0..20).map(|number| {
            let ids = if number % 2 == 0 { [first.clone(), second.clone()] } else { [second.clone(), first.clone()] };
            async move {
                let change = BulkChange { add_tags: vec![format!("t{number:02}")], ..BulkChange::default() };
                lab.store.change_items(&lab.caller(), (Item::Entity, &ids), None, &change).await
            }
        });
        let done = futures::future::join_all(calls).await;
        assert!(done.iter().all(|done| *done == Ok(2)), "{done:?}");
        for id in [&first, &second] {
            let view = lab.store.find_record::<EntityRecord>(&lab.me, id, None).await.unwrap();
            assert_eq!(view.record.tags.len(), 20, "{}", lab.database);
        }
        let none = lab.store.open_issues_of(&lab.me, lab.project, &[], Some(Timestamp(0))).await.unwrap();
        assert!(none.is_empty());
    })
    .await;
}
