//! Groups of the wider API (docs/contract/wider.md §2.2).

use crate::accounts::Privilege;
use crate::contract::contract;
use crate::objects::Named;
use crate::quotas::Allowance;
use serde::Serialize;
use serde_json::{Map, Value};

/// The attributes of a group: its profile, and for its members what it may use.
#[derive(Debug, Serialize)]
pub struct GroupAttributes {
    #[serde(flatten)]
    pub profile: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quotas: Option<Named<Allowance>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub privileges: Option<Named<Privilege>>,
}

contract! {
    /// What the caller is in a group: `admin` or `user`.
    #[derive(Debug, Serialize)]
    pub struct GroupContext {
        pub role: &'static str,
    }

    /// How far somebody is in a group.
    #[derive(Debug, Serialize)]
    pub struct MemberContext {
        pub state: &'static str,
    }
}
