//! What live rules reported (docs/contract/hunting.md §2). A notification belongs to the owner of its set at that time;
//! editors of the set see it too. One about a body that the caller may not see does not exist for that caller.

use crate::db::rows::{columns, list};
use crate::db::sql::{Tx, Value, values};
use crate::db::writer::transaction;
use crate::wider::objects;
use crate::wider::operations::{self, Operation};
use crate::{Caller, Principal, Result, Store, StoreError};
use ambit_model::Timestamp;
use ambit_model::id::BlobHash;

/// Notifications of a user; older ones go (docs/contract/hunting.md §2: lists count at most as many).
pub(crate) const NOTIFICATIONS_MAX: i64 = 10_000;

columns! {
    /// A rule of a live set that was true of some bytes.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Notification of n {
        pub number: i64,
        pub id: String,
        /// Username of whom it belongs to.
        pub owner: String = "u.username",
        pub ruleset_id: String,
        pub ruleset_name: String,
        pub rule_name: String,
        pub rule_tags: Vec<String> = (json),
        /// The names of rule and set, the hash, the tags of both.
        pub tags: Vec<String> = (json),
        pub sha256: BlobHash,
        /// Where in the bytes, in hexadecimal.
        pub snippet: Option<String>,
        pub at: Timestamp,
    }
}

/// Those of a user, and of sets that the user edits; the value of each place is the user's id.
const VISIBLE: &str = "(n.user_id = $1 OR n.ruleset_id IN (SELECT r.id FROM hunting_rulesets r JOIN hunting_editors e \
                       ON e.ruleset = r.number
    WHERE (e.subject = 'user' AND e.subject_id = $2)
    OR (e.subject = 'group' AND e.subject_id IN (SELECT m.group_id FROM group_members m WHERE m.user_id = $3))))";

/// Those that a condition names, as far as the caller may see the bodies that they are about.
async fn seen(tx: &mut Tx, principal: &Principal, condition: &str, values: Vec<Value>) -> Result<Vec<Notification>> {
    let sql = format!(
        "SELECT {}, n.collection_id FROM hunting_notifications n JOIN users u ON u.id = n.user_id WHERE {VISIBLE} \
         {condition}",
        list::<Notification>()
    );
    let rows: Vec<(Notification, i64)> = tx.read_all(&sql, values).await?;
    let collections = objects::owners_seen(tx, principal).await?;
    Ok(rows.into_iter().filter(|(_, of)| collections.contains(of)).map(|(notification, _)| notification).collect())
}

impl Store {
    /// Everything that was reported to the caller, newest first.
    pub async fn list_notifications(&self, principal: &Principal) -> Result<Vec<Notification>> {
        let mut tx = self.read().await?;
        let user = principal.user_id();
        let newest = format!("ORDER BY n.number DESC LIMIT {NOTIFICATIONS_MAX}");
        seen(&mut tx, principal, &newest, values![user, user, user]).await
    }

    /// One of them. Fails with `NotFound` where it was reported to somebody else.
    pub async fn find_notification(&self, principal: &Principal, id: &str) -> Result<Notification> {
        let mut tx = self.read().await?;
        let user = principal.user_id();
        let mut found = seen(&mut tx, principal, "AND n.id = $4", values![user, user, user, id]).await?;
        found.pop().ok_or(StoreError::NotFound)
    }

    /// Deletes one of the caller's own; those of sets that it only edits are `Forbidden`.
    pub async fn delete_notification(&self, principal: &Principal, id: &str) -> Result<()> {
        let found = self.find_notification(principal, id).await?;
        if found.owner != principal.username() {
            return Err(StoreError::Forbidden("this needs the owner of the notification".to_owned()));
        }
        let number = found.number;
        transaction!(self, Person, async |tx| {
            tx.change("DELETE FROM hunting_notifications WHERE number = $1", values![number]).await
        })
    }

    /// Deletes some of the caller's own; what is not the caller's own stays.
    pub async fn delete_notifications(&self, caller: &Caller, numbers: &[i64]) -> Result<Operation> {
        let (user, now, numbers) = (caller.user_id(), caller.now, numbers.to_vec());
        transaction!(self, Person, async |tx| {
            let head = "DELETE FROM hunting_notifications WHERE user_id = $1 AND number IN";
            let gone = if numbers.is_empty() { 0 } else { tx.run_in(head, values![user], &numbers, "").await? };
            operations::insert_finished(tx, user, "delete_hunting_notifications", gone, now).await
        })
    }
}
