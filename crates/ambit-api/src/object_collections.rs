//! Collections of objects in the wider API (docs/contract/wider.md §6.3).

use crate::contract::contract;
use crate::objects::Seconds;
use serde::Serialize;

contract! {
    /// The attributes of a collection of objects.
    #[derive(Debug, Serialize)]
    pub struct ObjectCollectionAttributes {
        pub name: String,
        pub description: String,
        pub owner: String,
        pub private: bool,
        pub creation_date: Seconds,
        pub last_modification_date: Seconds,
        pub references_count: i64,
        pub domains_count: i64,
        pub files_count: i64,
        pub ip_addresses_count: i64,
        pub urls_count: i64,
    }
}
