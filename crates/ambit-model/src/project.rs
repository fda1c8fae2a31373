//! Projects and the organisation that owns them (docs/contract/asm.md §3.1).

use crate::Timestamp;
use uuid::Uuid;

/// The top unit of organisation; tenancy ends here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    pub id: i64,
    pub uuid: Uuid,
    pub name: String,
    pub description: Option<String>,
    pub organization_name: String,
    pub organization_uuid: Uuid,
    pub created_at: Timestamp,
    pub deleted_at: Option<Timestamp>,
    pub owner_email: Option<String>,
}
