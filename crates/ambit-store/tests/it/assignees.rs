//! Who sees to issues, and what is overdue.

use crate::lab::{Lab, both};
use crate::people::user;
use crate::retests::with_issue;
use ambit_model::issue::{IssueRecord, Status};
use ambit_model::moment::DAY_MS;
use ambit_model::user::{CollectionRole, ProjectRole};
use ambit_model::{DueDays, Item, Uid};
use ambit_store::{BulkChange, CollectionSettings, StoreError};
use std::collections::BTreeMap;

async fn assign(lab: &Lab, issue: Uid, who: Option<&str>) -> Result<usize, StoreError> {
    let change = BulkChange { assignee: Some(who.map(str::to_owned)), ..BulkChange::default() };
    lab.store.change_items(&lab.caller(), (Item::Issue, &[issue.to_string()]), None, &change).await
}

async fn assignee(lab: &Lab, issue: Uid) -> Option<String> {
    lab.store.find_record::<IssueRecord>(&lab.me, &issue.to_string(), None).await.unwrap().record.assignee
}

/// How many are overdue, by severity.
async fn overdue(lab: &Lab, of_installation: &str) -> BTreeMap<i64, i64> {
    let days: DueDays = of_installation.parse().unwrap();
    let found = lab.store.list_overdue(&lab.caller(), lab.project, days).await.unwrap();
    found.into_iter().next().unwrap().count
}

#[tokio::test]
async fn somebody_who_sees_the_collection_sees_to_an_issue_and_history_and_audit_tell_it() {
    both(async |lab| {
        let (issue, name) = with_issue(&lab).await;
        let (_, ann) = user(&lab, "ann@acme.test").await;
        let refused = assign(&lab, issue, Some("ann@acme.test")).await.unwrap_err().to_string();
        assert!(refused.contains("ann@acme.test") && refused.contains("can see this collection"), "{refused}");
        let project = lab.store.list_projects(&lab.me).await.unwrap()[0].project.uuid;
        let emails = ["ann@acme.test".to_owned()];
        lab.store.add_members(&lab.caller(), project, &emails, ProjectRole::Member, false).await.unwrap();
        let viewer = CollectionRole::Viewer;
        lab.store.set_collection_role(&lab.caller(), lab.collection, ann.username(), viewer).await.unwrap();
        assert_eq!(assign(&lab, issue, Some("ann@acme.test")).await.unwrap(), 1);
        assert_eq!(assignee(&lab, issue).await.as_deref(), Some(ann.username()));
        assert!(matches!(assign(&lab, issue, Some("nobody@acme.test")).await, Err(StoreError::Invalid(_))));

        // What the engine says of it later leaves that as it is.
        let run = lab.run().await;
        crate::retests::prove(&lab, &run, name).await;
        lab.finish(&run).await;
        assert_eq!(assignee(&lab, issue).await.as_deref(), Some(ann.username()));
        assign(&lab, issue, None).await.unwrap();
        assert_eq!(assignee(&lab, issue).await, None);
        let history = lab.store.issue_history(&lab.me, &issue.to_string(), None, None).await.unwrap();
        let whose: Vec<Option<&str>> = history.iter().map(|version| version.record.assignee.as_deref()).collect();
        assert_eq!(whose, [None, Some(ann.username()), None]);
        let audited = lab.store.list_audit(&lab.me, None, 100).await.unwrap();
        assert_eq!(audited.iter().filter(|row| row.action == "issue.assign").count(), 2);
    })
    .await;
}

#[tokio::test]
async fn an_open_issue_is_overdue_when_its_days_are_over_and_a_collection_may_give_more() {
    both(async |lab| {
        let (issue, _) = with_issue(&lab).await;
        assert_eq!(overdue(&lab, "none").await, BTreeMap::new());
        assert_eq!(overdue(&lab, "critical=7,high=30").await, BTreeMap::from([(1, 0), (2, 0)]));
        lab.pass(31 * DAY_MS);
        assert_eq!(overdue(&lab, "critical=7,high=30").await, BTreeMap::from([(1, 0), (2, 1)]));
        let days = |text: &str| CollectionSettings { due_days: Some(text.parse().ok()), ..Default::default() };
        lab.store.change_settings(&lab.caller(), lab.collection, &days("high=60")).await.unwrap();
        assert_eq!(overdue(&lab, "critical=7,high=30").await, BTreeMap::from([(2, 0)]));
        let view = lab.store.find_record::<IssueRecord>(&lab.me, &issue.to_string(), None).await.unwrap();
        let due = view.collection.due_days.and_then(|days| days.due_at(view.record.severity, view.turned_at));
        assert_eq!(due, Some(view.first_seen.plus_ms(60 * DAY_MS)));
        let back = CollectionSettings { due_days: Some(None), ..Default::default() };
        lab.store.change_settings(&lab.caller(), lab.collection, &back).await.unwrap();
        assert_eq!(overdue(&lab, "high=30").await, BTreeMap::from([(2, 1)]));
        let accepted = Status::ClosedRiskAccepted;
        lab.set_status(issue, accepted).await;
        assert_eq!(overdue(&lab, "high=30").await, BTreeMap::from([(2, 0)]), "what is closed is due no more");
    })
    .await;
}
