//! Operations: what a person asked to be done to many objects at once (docs/contract/wider.md §6.4). Each is executed
//! in the transaction that records it, so it is either finished or was never requested.

use crate::db::rows::{columns, list, named, select};
use crate::db::sql::{Tx, values};
use crate::{Principal, Result, Store};
use ambit_model::Timestamp;

columns! {
    /// What was asked for.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Operation {
        pub id: String,
        /// Such as `delete_hunting_rulesets`.
        pub kind: String,
        /// `finished`.
        pub status: String,
        /// How many objects it was about.
        pub objects: i64,
        pub created_at: Timestamp,
        pub finished_at: Option<Timestamp>,
    }
}

/// Selects operations.
const FROM: &str = "FROM operations";

/// Notes an operation that this transaction does.
pub(crate) async fn insert_finished(
    tx: &mut Tx,
    user: i64,
    kind: &str,
    objects: u64,
    now: Timestamp,
) -> Result<Operation> {
    let id = hex::encode(rand::random::<[u8; 16]>());
    let objects = i64::try_from(objects).unwrap_or(i64::MAX);
    let row = named! {
        id, user_id: user, kind, status: "finished", objects, created_at: now, finished_at: now,
    };
    tx.insert_read("operations", row, &list::<Operation>()).await
}

impl Store {
    /// An operation of the caller's.
    pub async fn find_operation(&self, principal: &Principal, id: &str) -> Result<Operation> {
        let sql = select::<Operation>(&format!("{FROM} WHERE id = $1 AND user_id = $2"));
        self.read().await?.find(&sql, values![id, principal.user_id()]).await
    }
}
