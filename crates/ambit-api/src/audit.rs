//! The audit log on the wire: who changed what, when. Ours.

use crate::contract::contract;
use ambit_model::Timestamp;
use serde::Serialize;
use serde_json::Value;

contract! {
    /// A row of the audit log.
    #[derive(Debug, Serialize)]
    pub struct AuditRow {
        pub id: i64,
        pub at: Timestamp,
        pub user: Option<String>,
        pub action: String,
        pub object: String,
        pub details: Value,
    }
}
