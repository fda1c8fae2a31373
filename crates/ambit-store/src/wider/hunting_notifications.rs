//! What live rules reported (docs/contract/hunting.md §2). A notification belongs to the owner of its set at that time;
//! editors of the set see it too. One about a body that the caller may not see does not exist for that caller.

use crate::db::sql::{Row, Tx, from_json, values};
use crate::db::writer::transaction;
use crate::wider::objects;
use crate::wider::operations::{self, Operation};
use crate::{Principal, Store, StoreError};
use ambit_model::Timestamp;
use ambit_model::id::BlobHash;

/// Notifications of a user; older ones go (docs/contract/hunting.md §2: lists count at most as many).
pub(crate) const NOTIFICATIONS_MAX: i64 = 10_000;

/// A rule of a live set that was true of some bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notification {
    pub number: i64,
    pub id: String,
    /// Username of whom it belongs to.
    pub owner: String,
    pub ruleset_id: String,
    pub ruleset_name: String,
    pub rule_name: String,
    pub rule_tags: Vec<String>,
    /// The names of rule and set, the hash, the tags of both.
    pub tags: Vec<String>,
    pub sha256: BlobHash,
    /// Where in the bytes, in hexadecimal.
    pub snippet: Option<String>,
    pub at: Timestamp,
}

const SELECT: &str = "SELECT n.number, n.id, u.username, n.ruleset_id, n.ruleset_name, n.rule_name, n.rule_tags, \
                      n.tags, n.sha256, n.snippet, n.at,
    n.collection_id FROM hunting_notifications n JOIN users u ON u.id = n.user_id";
/// Those of a user, and of sets that the user edits; the value of each place is the user's id.
const VISIBLE: &str = "(n.user_id = $1 OR n.ruleset_id IN (SELECT r.id FROM hunting_rulesets r JOIN hunting_editors e \
                       ON e.ruleset = r.number
    WHERE (e.subject = 'user' AND e.subject_id = $2)
    OR (e.subject = 'group' AND e.subject_id IN (SELECT m.group_id FROM group_members m WHERE m.user_id = $3))))";

fn notification(row: &Row) -> Result<Notification, StoreError> {
    Ok(Notification {
        number: row.get(0)?,
        id: row.get(1)?,
        owner: row.get(2)?,
        ruleset_id: row.get(3)?,
        ruleset_name: row.get(4)?,
        rule_name: row.get(5)?,
        rule_tags: from_json(&row.get::<String>(6)?)?,
        tags: from_json(&row.get::<String>(7)?)?,
        sha256: row.get(8)?,
        snippet: row.get(9)?,
        at: row.get(10)?,
    })
}

/// Those of some rows whose bodies the caller may see.
async fn seen(tx: &mut Tx, principal: &Principal, rows: &[Row]) -> Result<Vec<Notification>, StoreError> {
    let collections = objects::collection_ids(tx, principal).await?;
    let mut out = Vec::new();
    for row in rows {
        if collections.contains(&row.get::<i64>(11)?) {
            out.push(notification(row)?);
        }
    }
    Ok(out)
}

impl Store {
    /// Everything that was reported to the caller, newest first.
    pub async fn list_notifications(&self, principal: &Principal) -> Result<Vec<Notification>, StoreError> {
        let mut tx = self.read().await?;
        let user = principal.user_id();
        let sql = format!("{SELECT} WHERE {VISIBLE} ORDER BY n.number DESC LIMIT {NOTIFICATIONS_MAX}");
        let rows = tx.rows(&sql, values![user, user, user]).await?;
        seen(&mut tx, principal, &rows).await
    }

    /// One of them.
    pub async fn find_notification(&self, principal: &Principal, id: &str) -> Result<Notification, StoreError> {
        let mut tx = self.read().await?;
        let user = principal.user_id();
        let sql = format!("{SELECT} WHERE {VISIBLE} AND n.id = $4");
        let rows = tx.rows(&sql, values![user, user, user, id]).await?;
        seen(&mut tx, principal, &rows).await?.pop().ok_or(StoreError::NotFound)
    }

    /// Deletes one of the caller's own; those of sets that it only edits are `Forbidden`.
    pub async fn delete_notification(&self, principal: &Principal, id: &str) -> Result<(), StoreError> {
        let found = self.find_notification(principal, id).await?;
        if found.owner != principal.username() {
            return Err(StoreError::Forbidden("this needs the owner of the notification".to_owned()));
        }
        let number = found.number;
        transaction!(self, Person, async |tx| {
            let gone = tx.run("DELETE FROM hunting_notifications WHERE number = $1", values![number]).await?;
            if gone == 0 { Err(StoreError::NotFound) } else { Ok(()) }
        })
    }

    /// Deletes some of the caller's own; what is not the caller's own stays.
    pub async fn delete_notifications(
        &self,
        principal: &Principal,
        numbers: &[i64],
        now: Timestamp,
    ) -> Result<Operation, StoreError> {
        let (user, numbers) = (principal.user_id(), numbers.to_vec());
        transaction!(self, Person, async |tx| {
            let head = "DELETE FROM hunting_notifications WHERE user_id = $1 AND number IN";
            let gone = if numbers.is_empty() { 0 } else { tx.run_in(head, values![user], &numbers, "").await? };
            operations::insert_finished(tx, user, "delete_hunting_notifications", gone, now).await
        })
    }
}
