//! Receivers of a project: the way in which each is told, its rule, and its secrets, which are sealed before they reach
//! the database and are given to nobody but the sender.

use crate::db::rows::{columns, named, select};
use crate::db::secret::debug_by;
use crate::db::sql::{Tx, to_json, values};
use crate::db::writer::transaction;
use crate::inventory::collections;
use crate::notifications::{position, removal};
use crate::people::audit;
use crate::people::names::clean_title;
use crate::{Caller, Principal, Result, Store, StoreError};
use ambit_model::Timestamp;
use ambit_model::notification::{Channel, Rule};
use ambit_model::user::{CollectionRole, ProjectRole};
use ambit_query::{Noun, parse_search};
use serde_json::{Map, Value, json};
use uuid::Uuid;

/// Receivers of a project at most: each is asked for at every look.
const RECEIVERS_MAX: i64 = 100;
/// Bytes of what is secret of a receiver.
const SECRETS_BYTES_MAX: usize = 16 * 1024;
/// Characters of a search string.
const QUERY_CHARS_MAX: usize = 4_000;

/// A receiver to be made.
#[derive(Clone, PartialEq)]
pub struct NewReceiver {
    pub name: String,
    pub channel: Channel,
    /// What people may read of where it is.
    pub shown: String,
    /// Where it is, and what signs or signs in; only the sender reads it.
    pub secrets: Map<String, Value>,
    pub rule: Rule,
}

debug_by! { NewReceiver { channel, rule } }

columns! {
    /// A receiver as people see it, without its secrets.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ReceiverView of r {
        pub id: i64,
        pub uuid: Uuid,
        pub project: i64 = "p.id",
        pub project_uuid: Uuid = "p.uuid",
        pub name: String,
        pub channel: Channel,
        pub shown: String,
        pub rule: Rule = (json),
        /// Why nothing is sent to it any more, or while its maker is suspended.
        pub ended: Option<String> =
            "COALESCE(r.ended, CASE WHEN u.status = 'deleted' THEN 'the user who created it was deleted'
                                WHEN u.status <> 'active' THEN 'the user who created it is suspended' END)",
        /// Since when every try has failed.
        pub failing_since: Option<Timestamp>,
        pub created_at: Timestamp,
        /// Address of who made it.
        pub created_by: Option<String> = "u.email",
    }
}

/// Nothing is sent where somebody gets it who may not sign in: a receiver rests while its maker is suspended. To be
/// said of rows of `receivers`.
pub(crate) const IS_ANSWERED_FOR: &str =
    "NOT EXISTS (SELECT 1 FROM users m WHERE m.id = receivers.created_by AND m.status <> 'active')";

/// Sealed bytes open for their own receiver only.
pub(crate) fn purpose(receiver: Uuid) -> String {
    format!("receiver {receiver}")
}

/// Selects receivers of projects that were not deleted.
const FROM: &str = "FROM receivers r JOIN projects p ON p.id = r.project_id LEFT JOIN users u ON u.id = r.created_by \
         WHERE p.deleted_at IS NULL";

/// A receiver of a project that the caller owns.
pub(crate) async fn require(tx: &mut Tx, principal: &Principal, uuid: Uuid) -> Result<ReceiverView> {
    let view: ReceiverView =
        tx.find(&select::<ReceiverView>(&format!("{FROM} AND r.uuid = $1")), values![uuid]).await?;
    principal.require_project(view.project, ProjectRole::Owner)?;
    Ok(view)
}

/// Refuses a rule whose search string is none.
fn check(new: &NewReceiver) -> Result<NewReceiver> {
    let query = new.rule.query.as_deref().unwrap_or_default();
    if query.chars().count() > QUERY_CHARS_MAX {
        return Err(StoreError::Invalid(format!("a query has at most {QUERY_CHARS_MAX} characters")));
    }
    // The sender asks which of some uids the query finds: a uid in it would be one more of them.
    let names_uid =
        |word: &str| ["uid:", "id:"].iter().any(|keyword| word.trim_start_matches('-').starts_with(keyword));
    if query.split_whitespace().any(names_uid) {
        return Err(StoreError::Invalid("query: a rule takes no uid, use name: instead".to_owned()));
    }
    for noun in [Noun::Entities, Noun::Issues] {
        parse_search(query, noun).map_err(|error| StoreError::Invalid(format!("query: {error}")))?;
    }
    if to_json(&new.secrets).len() > SECRETS_BYTES_MAX {
        return Err(StoreError::Invalid(format!("a receiver has at most {SECRETS_BYTES_MAX} bytes of secrets")));
    }
    Ok(NewReceiver { name: clean_title(&new.name)?, ..new.clone() })
}

impl Store {
    /// Makes a receiver of a project; for its owners. A collection that its rule names must be of that project. Fails
    /// with `Invalid` for a name or a search string that cannot be read, with `NotFound` for a collection of another
    /// project, and with `Conflict` where the project has as many receivers as one may.
    pub async fn create_receiver(&self, caller: &Caller, project: i64, new: &NewReceiver) -> Result<ReceiverView> {
        caller.require_project(project, ProjectRole::Owner)?;
        let (caller, new, uuid) = (caller.clone(), check(new)?, Uuid::new_v4());
        let sealed = self.seal(&purpose(uuid), to_json(&new.secrets).as_bytes());
        transaction!(self, Person, async |tx| {
            if let Some(wanted) = new.rule.collection {
                let of = collections::require(tx, &caller, wanted, CollectionRole::Viewer).await?.collection;
                if of.project != project {
                    return Err(StoreError::NotFound);
                }
            }
            let sql = "SELECT COUNT(*) FROM receivers WHERE project_id = $1";
            if tx.read_one::<i64>(sql, values![project]).await? >= RECEIVERS_MAX {
                return Err(StoreError::Conflict(format!("a project has at most {RECEIVERS_MAX} receivers")));
            }
            position::start(tx).await?;
            let row = named! {
                uuid,
                project_id: project,
                channel: new.channel.name(),
                name: &new.name,
                shown: &new.shown,
                rule: to_json(&new.rule),
                secrets: sealed,
                due_at: new.rule.due_after(caller.now),
                created_by: caller.user_id(),
                created_at: caller.now,
            };
            tx.insert_one("receivers", row).await?;
            let details = json!({"name": new.name, "channel": new.channel.name()});
            audit::insert(tx, &caller, Some(project), "receiver.create", uuid, details).await?;
            require(tx, &caller, uuid).await
        })
    }

    /// The receivers of a project, by id; for its owners.
    pub async fn list_receivers(&self, principal: &Principal, project: i64) -> Result<Vec<ReceiverView>> {
        principal.require_project(project, ProjectRole::Owner)?;
        let sql = select::<ReceiverView>(&format!("{FROM} AND r.project_id = $1 ORDER BY r.id LIMIT {RECEIVERS_MAX}"));
        self.read().await?.read_all(&sql, values![project]).await
    }

    /// A receiver by its uuid; for owners of its project.
    pub async fn find_receiver(&self, principal: &Principal, uuid: Uuid) -> Result<ReceiverView> {
        require(&mut self.read().await?, principal, uuid).await
    }

    /// Removes a receiver with its secrets, what waits for it and its log; for owners of its project.
    pub async fn delete_receiver(&self, caller: &Caller, uuid: Uuid) -> Result<()> {
        let caller = caller.clone();
        transaction!(self, Person, async |tx| {
            let view = require(tx, &caller, uuid).await?;
            removal::remove(tx, view.id).await?;
            let details = json!({"name": view.name, "channel": view.channel.name()});
            audit::insert(tx, &caller, Some(view.project), "receiver.delete", uuid, details).await
        })
    }
}
