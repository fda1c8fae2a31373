//! Receivers as the sender reads them.

use crate::lab::{Lab, both};
use ambit_model::notification::hours::Hours;
use ambit_model::notification::{Channel, Digest, Rule};
use ambit_store::{NewReceiver, ReceiverView};
use serde_json::Map;
use uuid::Uuid;

/// A receiver that is told of everything.
pub(crate) fn new_receiver(name: &str) -> NewReceiver {
    let rule = Rule {
        events: Vec::new(),
        query: None,
        collection: None,
        digest: Digest::AtOnce,
        quiet: None,
        zone: Hours::utc(),
        heartbeat: false,
    };
    let secrets = Map::from_iter([("url".to_owned(), format!("https://{name}.example/").into())]);
    NewReceiver { name: name.to_owned(), channel: Channel::Webhook, shown: name.to_owned(), secrets, rule }
}

async fn add(lab: &Lab, name: &str) -> ReceiverView {
    lab.store.create_receiver(&lab.caller(), lab.project, &new_receiver(name)).await.unwrap()
}

#[tokio::test]
async fn a_receiver_whose_secrets_do_not_open_keeps_nobody_else_from_being_told() {
    both(async |lab| {
        let (broken, whole) = (add(&lab, "broken").await, add(&lab, "whole").await);
        // What opens as another's does not open as one's own.
        lab.execute("CREATE TABLE kept AS SELECT id, secrets FROM receivers").await;
        let secrets_of =
            |id: &str| format!("UPDATE receivers SET secrets = (SELECT secrets FROM kept WHERE id = {id})");
        lab.execute(&secrets_of(&format!("{} - receivers.id", whole.id + broken.id))).await;
        assert!(lab.store.outbox().receivers().await.unwrap().is_empty());
        let ended = async |of: Uuid| lab.store.find_receiver(&lab.me, of).await.unwrap().ended.unwrap_or_default();
        for one in [&broken, &whole] {
            let why = ended(one.uuid).await;
            assert!(why.starts_with("its secrets do not open with the secret of this installation"), "{why}");
        }
        // Theirs are back: the next start of the outbox sets both to work again.
        lab.execute(&secrets_of("receivers.id")).await;
        lab.store.outbox().begin().await.unwrap();
        assert_eq!((ended(broken.uuid).await.as_str(), ended(whole.uuid).await.as_str()), ("", ""));
        lab.execute(&format!(
            "UPDATE receivers SET secrets = (SELECT secrets FROM kept WHERE id = {}) WHERE id = {}",
            whole.id, broken.id
        ))
        .await;
        let names = async || {
            let receivers = lab.store.outbox().receivers().await.unwrap();
            receivers.into_iter().map(|receiver| receiver.name).collect::<Vec<_>>()
        };
        assert_eq!((names().await, names().await), (vec!["whole".to_owned()], vec!["whole".to_owned()]));
        assert_eq!((ended(broken.uuid).await.is_empty(), ended(whole.uuid).await.is_empty()), (false, true));
    })
    .await;
}
