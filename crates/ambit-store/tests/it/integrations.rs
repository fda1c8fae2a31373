//! Integrations: what is secret of them is sealed in the database, opens for the engine, and is gone with them.

use crate::lab::{Lab, both, new_collection};
use ambit_store::{IntegrationChange, NewIntegration, StoreError};
use serde_json::json;
use uuid::Uuid;

const SECRET: &str = "a-very-secret-role-7351";

fn new() -> NewIntegration {
    let object = |value: serde_json::Value| value.as_object().cloned().unwrap();
    NewIntegration {
        name: "Cloud".to_owned(),
        kind: "AwsCredential".to_owned(),
        secrets: object(json!({"aws_role_arn": SECRET})),
        settings: object(json!({"region": "eu"})),
    }
}

async fn project_uuid(lab: &Lab) -> Uuid {
    lab.store.list_projects(&lab.me).await.unwrap()[0].project.uuid
}

#[tokio::test]
async fn of_integrations_that_are_made_together_there_are_all_or_none() {
    both(async |lab| {
        let make = async |count: usize| {
            lab.store.create_integrations_for(&lab.caller(), lab.collection, &vec![new(); count]).await
        };
        assert!(matches!(make(1_001).await, Err(StoreError::Conflict(_))), "more than a project may have");
        assert!(lab.store.list_integrations(&lab.me, project_uuid(&lab).await).await.unwrap().is_empty());
        make(2).await.unwrap();
        assert_eq!(lab.store.list_credentials(lab.collection).await.unwrap().len(), 2);
    })
    .await;
}

#[tokio::test]
async fn secrets_open_for_the_engine_only_and_end_with_the_integration() {
    both(async |lab| {
        let project = project_uuid(&lab).await;
        let made = lab.store.create_integration(&lab.caller(), project, &new()).await.unwrap();
        let used = lab.store.add_integration_use(&lab.caller(), lab.collection, made.uuid).await.unwrap();
        let again = lab.store.add_integration_use(&lab.caller(), lab.collection, made.uuid).await.unwrap();
        assert_eq!(used, again);
        let listed = lab.store.list_integrations(&lab.me, project).await.unwrap();
        assert_eq!(listed.first(), Some(&made));
        assert_eq!(listed[0].secret_names, ["aws_role_arn"]);
        let opened = lab.store.list_credentials(lab.collection).await.unwrap();
        assert_eq!(opened[0].secrets.as_ref().unwrap()["aws_role_arn"], SECRET);
        let audit = lab.store.list_audit(&lab.me, None, 100).await.unwrap();
        assert!(!format!("{listed:?} {opened:?} {audit:?} {:?}", new()).contains(SECRET), "never printed");
        assert_eq!(lab.store.list_integration_uses(&lab.me, lab.project).await.unwrap(), std::slice::from_ref(&used));
        let end = async || lab.store.delete_integration_use(&lab.caller(), used.uuid).await;
        end().await.unwrap();
        assert_eq!(end().await.unwrap_err(), StoreError::NotFound);
        lab.store.add_integration_use(&lab.caller(), lab.collection, made.uuid).await.unwrap();
        lab.store.delete_integration(&lab.caller(), made.uuid).await.unwrap();
        assert!(lab.store.list_credentials(lab.collection).await.unwrap().is_empty());
        assert!(lab.store.list_integration_uses(&lab.me, lab.project).await.unwrap().is_empty());
    })
    .await;
}

#[tokio::test]
async fn secrets_are_replaced_and_the_integration_stays_the_same() {
    both(async |lab| {
        let project = project_uuid(&lab).await;
        let made = lab.store.create_integration(&lab.caller(), project, &new()).await.unwrap();
        lab.store.add_integration_use(&lab.caller(), lab.collection, made.uuid).await.unwrap();
        let secrets = json!({"aws_access_key_id": "AKIA", "aws_secret_access_key": "new"}).as_object().cloned();
        let change = IntegrationChange { secrets: secrets.clone(), ..IntegrationChange::default() };
        let changed = lab.store.change_integration(&lab.caller(), made.uuid, &change).await.unwrap();
        assert_eq!((changed.uuid, &changed.name, &changed.settings), (made.uuid, &made.name, &made.settings));
        assert_eq!(changed.secret_names, ["aws_access_key_id", "aws_secret_access_key"]);
        let opened = lab.store.list_credentials(lab.collection).await.unwrap();
        assert_eq!((opened.len(), &opened[0].secrets), (1, &secrets));
        let change = IntegrationChange { name: Some("Prod".to_owned()), ..IntegrationChange::default() };
        let changed = lab.store.change_integration(&lab.caller(), made.uuid, &change).await.unwrap();
        assert_eq!((changed.name.as_str(), changed.secret_names.len()), ("Prod", 2));
        let large = json!({"x": "x".repeat(70_000)}).as_object().cloned();
        let change = IntegrationChange { settings: large, ..IntegrationChange::default() };
        let refused = lab.store.change_integration(&lab.caller(), made.uuid, &change).await;
        assert!(matches!(refused, Err(StoreError::Invalid(_))));
    })
    .await;
}

#[tokio::test]
async fn a_collection_uses_only_what_its_own_project_has() {
    both(async |lab| {
        let other = lab.store.create_project(&lab.caller(), "Other").await.unwrap().project;
        let me = lab.store.local_operator().await.unwrap();
        let made = lab.store.create_integration(&me.at(lab.now()), other.uuid, &new()).await.unwrap();
        let refused = lab.store.add_integration_use(&me.at(lab.now()), lab.collection, made.uuid).await;
        assert_eq!(refused.unwrap_err(), StoreError::NotFound);
        let inside = lab.store.create_collection(&me.at(lab.now()), other.id, &new_collection(&[])).await.unwrap();
        let inside = inside.collection.uuid;
        lab.store.add_integration_use(&me.at(lab.now()), inside, made.uuid).await.unwrap();
        lab.store.delete_project(&me.at(lab.now()), other.uuid).await.unwrap();
        assert!(lab.store.list_credentials(inside).await.unwrap().is_empty());
    })
    .await;
}

#[tokio::test]
async fn the_database_holds_no_secret_in_the_clear() {
    let lab = Lab::sqlite().await;
    let project = project_uuid(&lab).await;
    let open = NewIntegration { name: "found in the clear".to_owned(), ..new() };
    lab.store.create_integration(&lab.caller(), project, &open).await.unwrap();
    let folder = lab.options.folder.clone().unwrap();
    let mut clear = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let bytes = if path.is_file() { std::fs::read(path).unwrap() } else { Vec::new() };
        let has = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
        assert!(!has(SECRET));
        clear += usize::from(has("found in the clear"));
    }
    assert!(clear > 0, "the search itself finds what is not sealed");
}
