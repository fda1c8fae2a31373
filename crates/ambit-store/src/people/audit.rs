//! The audit log: what people changed, written in the same transaction as the change.

use crate::db::rows::{columns, named, select};
use crate::db::sql::{Tx, to_json, values, whole};
use crate::{Caller, Principal, Result, Store, StoreError};
use ambit_model::Timestamp;
use serde_json::Value;
use std::fmt::Display;
use uuid::Uuid;

/// Rows of one page at most.
const PAGE_ROWS_MAX: usize = 1_000;

columns! {
    /// One change by a person.
    #[derive(Clone, Debug, PartialEq)]
    pub struct AuditRow of a {
        pub id: i64,
        pub at: Timestamp,
        /// Address of the user; `None` for the program itself.
        pub user: Option<String> = "u.email",
        pub project: Option<i64> = "a.project_id",
        /// Of a deleted project as well.
        pub project_uuid: Option<Uuid> = "p.uuid",
        /// `collection.create`, `key.revoke` …
        pub action: String,
        /// What it was done to: a uuid, uid, id or name.
        pub object: String,
        pub details: Value = (json),
    }
}

/// What a key that can only read does all the same: a browser is signed in and out by it.
const BY_READING_KEYS: &[&str] = &["session.begin", "session.end"];

/// Writes a row. It fails with `Forbidden`, and with it the change that it tells of, where the caller's key can only
/// read.
pub(crate) async fn insert(
    tx: &mut Tx,
    caller: &Caller,
    project: Option<i64>,
    action: &'static str,
    object: impl Display + Send,
    details: Value,
) -> Result<()> {
    if caller.scope.read_only && !BY_READING_KEYS.contains(&action) {
        return Err(StoreError::Forbidden("this key can only read".to_owned()));
    }
    let row = named! {
        at: caller.now,
        user_id: caller.user_id(),
        project_id: project,
        action,
        object: object.to_string(),
        details: to_json(&details),
    };
    tx.insert_one("audit", row).await
}

impl Store {
    /// The newest rows before an id: all of the installation for its administrator, else those of the projects that the
    /// caller owns.
    pub async fn list_audit(&self, principal: &Principal, before: Option<i64>, limit: usize) -> Result<Vec<AuditRow>> {
        let sql = select::<AuditRow>(
            "FROM audit a LEFT JOIN users u ON u.id = a.user_id
             LEFT JOIN projects p ON p.id = a.project_id
             WHERE a.id < $1 AND ($2 = 1 OR a.project_id IN
                 (SELECT m.project_id FROM members m JOIN projects o ON o.id = m.project_id
                  WHERE m.user_id = $3 AND m.role = 'owner' AND o.deleted_at IS NULL))
             ORDER BY a.id DESC LIMIT $4",
        );
        let (before, most) = (before.unwrap_or(i64::MAX), whole(limit.min(PAGE_ROWS_MAX)));
        self.read().await?.read_all(&sql, values![before, principal.administrator(), principal.user_id(), most]).await
    }
}
